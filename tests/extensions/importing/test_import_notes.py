"""Markdown of other programs becomes a collection; the original files do not change."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from conftest import Ran
from packages import PICTURE, id_of, written_files
from parsed import parse
from ptcards.notes import Note
from ptcards.source.collection import find_collections

Run = Callable[..., Ran]

VAULT = {
    "Physics/waves.md": (
        "---\ntags: [flashcards/physics, school]\n---\n\n"
        "What is a wave::A [[disturbance|moving disturbance]]\n\n"
        "What does this show\n?\n![[wave.png]]\n\n"
        "up:::down\n\n"
        "Waves have ==length== and ==height==.\n\n"
        "no picture::![[gone.png]]\n"
    ),
    "Physics/wave.png": PICTURE.decode("latin-1"),
}
LIST = """\
# Questions

### 1. What's the output?

```js
# not a heading
console.log(1)
```

- A: `1`
- B: `2`

<details><summary>Answer</summary>

#### Answer: A

Because ![a](https://x.org/a.png).

## A heading in the answer

- [ ] a task

</details>

### 2. What's the output?

```js
console.log(2)
```

<details><summary>Answer</summary>

`2`
</details>

### 3. Without an answer?

<details><summary>Answer</summary>
</details>
"""
PAIRS = "Q: What is {{c1::x}}?\nA: y\n\nQ: 1 + 1?\nA: 2\n\nQ: 1 + 1?\nA: 2\n\nC: The [sky] is [blue].\n\nQ: a?\nA: b\n\nQ: c?\nA: d\n"


def _write(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("latin-1" if name.endswith(".png") else "utf-8"))
    return folder


def _parts(note: Note) -> tuple[object, ...]:
    """Return the content of a note, without its location, id and the files' addresses."""
    texts = [
        getattr(note, name).markdown.replace("wiki:", "media/")
        for name in ("heading", "question", "answer", "hint", "details")
    ]
    choices = [(each.text.markdown, each.comment.markdown, each.correct) for each in note.choices]
    return (note.kind, note.typed, texts, choices, note.tags)


def test_cards_of_a_vault_are_written_and_the_vault_stays_as_it_is(ptcards: Run, tmp_path: Path) -> None:
    vault = _write(tmp_path / "vault", VAULT)
    before = written_files(vault)
    ran = ptcards("import", vault, tmp_path / "out", "--id", "x")
    assert ran.out == (
        "Read vault: 5 notes, 1 media file (obsidian, recognised by 5 cards of Obsidian Spaced Repetition)\n"
        "decks    Vault::Physics::physics (4 notes)\n"
        "Wrote out/: 4 notes in 1 file\n"
        "\n"
        "read     5  notes of the deck that you import\n"
        "written  4  notes as Markdown\n"
        "left out 1  with a missing file\n"
        "            vault/Physics/waves.md:15  no picture\n"
    )
    assert written_files(vault) == before
    assert {name: content.decode("latin-1") for name, content in written_files(tmp_path / "out").items()} == {
        ".gitattributes": "deck.lock merge=union\n",
        ".gitignore": "build/\n",
        "deck.toml": (
            'name = "Vault"\nid = "x"  # identifies this collection in Anki; never change it\n'
            '# license = "CC BY 4.0"  # before you share the deck, write what its author allows\n'
        ),
        "media/wave.png": VAULT["Physics/wave.png"],
        "physics.md": (
            '---\ndeck: "Physics::physics"\n---\n'
            "\n## What is a wave\n<!-- card: tags=school -->\n\nA moving disturbance\n"
            "\n## What does this show\n<!-- card: tags=school -->\n\n![](media/wave.png)\n"
            "\n## up\n<!-- card: kind=reversed tags=school -->\n\ndown\n"
            "\n## Waves have {{c1::length}} and {{c2::height}}.\n<!-- card: kind=cloze tags=school -->\n"
        ),
    }


def test_a_question_list_becomes_choices(ptcards: Run, tmp_path: Path) -> None:
    _write(tmp_path, {"list/README.md": LIST})
    ran = ptcards("import", tmp_path / "list" / "README.md", tmp_path / "out", "--format", "json")
    report = json.loads(ran.out)
    link = {"cause": "with a link in place of a picture on a server", "place": "list/README.md:3"}
    assert {name: report[name] for name in ("format", "written", "left_out", "changed")} == {
        "format": "details:heading, recognised by 2 questions with `<details>`",
        "written": {"notes": 2, "files": 1},
        "left_out": [
            {"cause": "no answer", "place": "list/README.md:36", "note": "Without an answer?", "cards": 0}
        ],
        "changed": [{**link, "note": "What's the output?"}],
    }
    assert (tmp_path / "out" / "list.md").read_text() == (
        '---\ndeck: ""\n---\n'
        "\n## What's the output?\n\n```js\n# not a heading\nconsole.log(1)\n```\n\n- [x] `1`\n- [ ] `2`\n\n"
        "Because [a](https://x.org/a.png).\n\n#### A heading in the answer\n\n- \\[ ] a task\n\n"
        "## What's the output?\n\n```js\nconsole.log(2)\n```\n\n### Answer\n\n`2`\n"
    )


def test_pairs_are_written_once_each(ptcards: Run, tmp_path: Path) -> None:
    _write(tmp_path, {"cards.md": PAIRS})
    ran = ptcards("import", tmp_path / "cards.md", tmp_path / "out")
    said = (
        "Read cards.md: 6 notes (qa, recognised by 6 cards with `Q:` and `A:`)\n"
        "decks    Cards (5 notes)\n"
        "Wrote out/: 5 notes in 1 file\n"
        "\n"
        "read     6  notes of the deck that you import\n"
        "written  5  notes as Markdown\n"
        "left out 1  the same card is above\n"
        "            cards.md:7  1 + 1?\n"
    )
    assert (ran.status, ran.out) == (0, said)
    assert (tmp_path / "out" / "cards.md").read_text() == (
        '---\ndeck: ""\n---\n'
        "\n## What is {{c1::x}}?\n<!-- card: kind=basic -->\n\ny\n"
        "\n## 1 + 1?\n\n2\n"
        "\n## The {{c1::sky}} is {{c2::blue}}.\n<!-- card: kind=cloze -->\n"
        "\n## a?\n\nb\n\n## c?\n\nd\n"
    )


@pytest.mark.parametrize(
    ("files", "dialect"),
    [
        ({"list.md": LIST.replace("![a]", "[a]").replace("- [ ] a task", "")}, "details:heading"),
        ({"cards.md": PAIRS}, "qa"),
        (VAULT, "obsidian"),
    ],
)
def test_what_is_written_is_read_as_it_was(
    ptcards: Run, tmp_path: Path, files: Mapping[str, str], dialect: str
) -> None:
    folder = _write(tmp_path / "old", files)
    assert ptcards("import", folder, tmp_path / "new", "--from", dialect).status == 0
    notes, _, _ = parse(find_collections([folder], dialect=dialect)[0][0])
    again, _, problems = parse(find_collections([tmp_path / "new"])[0][0])
    assert problems == []
    assert list(map(_parts, again)) == list(map(_parts, notes))


def test_twice_the_same_markdown_gives_the_same_bytes_but_for_the_new_id(
    ptcards: Run, tmp_path: Path
) -> None:
    vault = _write(tmp_path / "vault", VAULT)
    for name in ("one", "two"):
        assert ptcards("import", vault, tmp_path / name).status == 0
    first, second = id_of(tmp_path / "one"), id_of(tmp_path / "two")
    assert first != second
    again = written_files(tmp_path / "two")
    again["deck.toml"] = again["deck.toml"].replace(second.encode(), first.encode())
    assert written_files(tmp_path / "one") == again


def test_nothing_is_guessed(ptcards: Run, tmp_path: Path) -> None:
    _write(
        tmp_path,
        {"a.md": "".join(f"**Why {n}?**\n\nSo.\n\n" for n in range(5)), "b.md": "## Ours?\n\nYes.\n"},
    )
    ran = ptcards("import", tmp_path / "a.md", tmp_path / "out")
    fix = "  = help: add `--from details:bold`\n\n1 error\n"
    assert ran.status == 2
    assert ran.err == f"a.md: error[unsure-dialect] the dialect may be `details:bold`\n{fix}"
    ran = ptcards("import", tmp_path / "b.md", tmp_path / "out")
    assert (ran.status, ran.err.partition("\n")[0]) == (
        2,
        "b.md: error[unsure-dialect] cannot tell which dialect the cards are written in",
    )
    assert not (tmp_path / "out").exists()


def test_a_collection_needs_no_import(ptcards: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(tmp_path, {"my deck/deck.toml": 'name = "A"\nid = "a"\n', "my deck/a.md": "## Ours?\n\nYes.\n"})
    monkeypatch.chdir(tmp_path / "my deck")
    for path, shown, part in (
        (".", ".", ""),
        ("../my deck", "'../my deck'", ""),
        ("a.md", "a.md", "part of "),
    ):
        ran = ptcards("import", path)
        message = f"{path}: error[unsure-dialect] this is already {part}a collection\n"
        fix = f"  = help: run `ptcards build {shown}`, or add `--from` with a dialect\n"
        assert (ran.status, ran.err) == (2, f"{message}{fix}\n1 error\n")


def test_a_vault_without_a_tag_is_told_about_tags(ptcards: Run, tmp_path: Path) -> None:
    _write(tmp_path / "vault", {"a.md": "What is x :: y\n\nfoo\n?\nbar\n"})
    ran = ptcards("import", tmp_path / "vault", tmp_path / "out", "--from", "obsidian")
    message = "no cards were found: no file has cards and a tag such as `#flashcards`"
    assert (ran.status, ran.err.partition("] ")[2].partition("\n")[0]) == (1, message)
    assert 'name your tag in `deck.toml`: `[obsidian]` with `tags = ["#flashcards"]`' in ran.err


def test_a_new_folder_that_the_author_did_not_name_may_be_the_source(
    ptcards: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(tmp_path / "vault", {"a.md": "#flashcards\n\nWhat is x::y\n"})
    monkeypatch.chdir(tmp_path)
    assert ptcards("import", "vault", "--dry-run").status == 0
    ran = ptcards("import", "vault")
    assert (ran.status, ran.err.partition("] ")[2]) == (
        2,
        (
            "the new collection needs an empty folder\n"
            "  = help: name a folder that does not exist yet, after the file to import\n\n1 error\n"
        ),
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# Notes\n\nNo cards here.\n", "no cards were found"),
        ("Q: 1?\nA:\n\nQ: 2?\nA:\n", "no note can be imported: 2 no answer"),
    ],
)
def test_why_nothing_can_be_imported_is_said(ptcards: Run, tmp_path: Path, text: str, said: str) -> None:
    _write(tmp_path, {"a.md": text})
    ran = ptcards("import", tmp_path / "a.md", tmp_path / "out", "--from", "qa")
    assert (ran.status, ran.err.partition("\n")[0]) == (1, f"a.md: error[no-notes] {said}")
    assert not (tmp_path / "out").exists()


def test_a_cloze_above_a_fence_with_a_blank_line_is_written(ptcards: Run, tmp_path: Path) -> None:
    fence = "```\nx\n\ny\n```\n"
    _write(tmp_path, {"v/a.md": f"#flashcards\n\n==a==:\n{fence}\n==b==:\n{fence}\n==c==:\n- one\n"})
    ran = ptcards("import", tmp_path / "v", tmp_path / "out", "--from", "obsidian")
    assert ran.status == 0
    collection = find_collections([tmp_path / "out"])[0][0]
    assert [(note.kind.value, note.answer.markdown) for note in parse(collection)[0]] == [
        ("cloze", f"{{{{c1::a}}}}:\n\n{fence.rstrip()}"),
        ("cloze", f"{{{{c1::b}}}}:\n\n{fence.rstrip()}"),
        ("cloze", "{{c1::c}}:\n\n- one"),
    ]
