"""Existing notes: which parts of a folder of study notes are read, and the messages if there are none."""

import json
import os
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import hypothesis
import hypothesis.strategies as st
import pytest

from conftest import Ran
from ptcards.lint.check import check, check_text
from ptcards.markdown.blocks import scan
from ptcards.markdown.deadline import deadline
from ptcards.markdown.tree import Block, BlockKind
from ptcards.notes import Note, Text
from ptcards.readers.parser import parse_source
from ptcards.source.collection import Collection, CollectionFacts
from ptcards.source.config import Config
from ptcards.source.media import MediaFolder
from ptcards.source.source import Source, SourceSettings
from ptcards.workspace import Workspace

TOML = 'name = "Deck"\nid = "d"\n'
STUDY = """# Kubernetes

Prose that belongs to no card.

## What is a pod? #card

The smallest unit that is scheduled.

### Details

It has one address.

## Background

More prose.

### What is a node?
<!-- card -->

A machine.

#### Sources

<https://kubernetes.io>

### Meeting notes

- [ ] ask about nodes
"""

DIALECTS = (
    "obsidian",
    "details:heading",
    "details:heading:2",
    "details:summary",
    "details:bold",
    "details:item",
    "qa",
)
Write = Callable[[Mapping[str, str]], Path]


def notes_of(root: Path) -> list[str]:
    """Return deck, heading and answer of each note of a collection."""
    (contents,) = Workspace.read([root]).contents
    return [
        f"{note.deck} | {note.heading.markdown} | {note.answer.markdown}".replace("\n", "⏎")
        for note in contents.notes
    ]


def test_only_marked_headings_are_questions_where_cards_are_marked(
    write: Write, ptcards: Callable[..., Ran]
) -> None:
    root = write({"deck.toml": f'{TOML}cards = "marked"\n', "work/k8s.md": STUDY})
    assert notes_of(root) == [
        "Deck::Work::K8s | What is a pod? | The smallest unit that is scheduled.",
        "Deck::Work::K8s | What is a node? | A machine.",
    ]
    ran = ptcards("check", root, "--format", "concise")
    assert (ran.status, [line for line in ran.out.splitlines() if "error" in line or "warning" in line]) == (
        0,
        [],
    )


def test_the_mark_of_a_card_can_be_another_one(write: Write) -> None:
    source = "# A #q/a\n\nyes\n\n# B#q/a\n\nno\n"
    root = write({"deck.toml": f'{TOML}cards = "marked"\nmark = "#q/a"\n', "a.md": source})
    assert notes_of(root) == ["Deck::A | A | yes"]


def test_chapters_become_decks_where_that_is_wanted(write: Write) -> None:
    source = "# Life\n\n## Cells\n\n### One?\n\n1\n\n## Genes\n\n### Two?\n\n2\n"
    root = write({"deck.toml": f'{TOML}question-level = 3\nchapters = "decks"\n', "a.md": source})
    assert notes_of(root) == ["Deck::Life::Cells | One? | 1", "Deck::Life::Genes | Two? | 2"]


def test_a_readme_is_read_where_it_is_named(write: Write) -> None:
    files = {
        "README.md": "## What is at the top?\n\nThis.\n",
        "_drafts.md": "## What is a draft?\n\nA start.\n",
        "lists/README.md": "## What is a list?\n\nItems.\n",
    }
    root = write({"deck.toml": f'{TOML}include = ["lists/README.md", "_drafts.md"]\n', **files})
    lists = ["Deck::Drafts | What is a draft? | A start.", "Deck::Lists | What is a list? | Items."]
    assert notes_of(root) == lists
    assert notes_of(root / "README.md") == ["Deck | What is at the top? | This.", *lists]


def test_a_readme_alone_is_named_with_the_command_that_reads_it(
    write: Write, ptcards: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write({"README.md": "## What is it?\n\nThis.\n"})
    monkeypatch.chdir(root)
    ran = ptcards("build", ".")
    assert (ran.status, ran.err.splitlines()[0], ran.err.splitlines()[1]) == (
        1,
        "README.md: error[no-notes] no notes: `README.md` is read only if you name it",
        "  = help: run `ptcards build README.md`",
    )
    assert ptcards("build", "README.md").status == 0
    (root / "deck.toml").write_text(TOML)
    ran = ptcards("check")
    fix = '  = help: write `include = ["README.md"]` in `deck.toml`, or add a file with questions'
    assert (ran.status, ran.out.splitlines()[1]) == (1, fix)
    (root / "deck.toml").write_text(f'{TOML}include = ["README.md"]\n')
    assert ptcards("check").status == 0


def test_skipped_questions_are_not_missed_and_retire_their_notes(
    write: Write, ptcards: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "## What is it?\n\nThis.\n\n## Who is it?\n\nShe.\n"
    root = write({"new/deck.toml": TOML, "new/a.md": text}) / "new"
    monkeypatch.chdir(root)
    assert ptcards("build").status == 0
    shutil.copytree(root, root.parent / "old")
    Path("a.md").write_text(text.replace("## Who is it?\n", "## Who is it?\n<!-- card: skip -->\n"))
    lines = ptcards("diff", "../old").out.split("\n\n")[1:3]
    assert [lines[0].splitlines()[0], lines[1].splitlines()] == [
        "Retired (1)",
        ["  Deck::A", "    Who is it?"],
    ]
    assert "−1 retired" in ptcards("build").err
    Path("a.md").write_text(f"<!-- card: skip -->\n{text}")
    ran = ptcards("check", "--format", "concise")
    first = "a.md:1:1: error[no-notes] no notes in 1 file: every question is skipped"
    assert (ran.status, ran.out.splitlines()[0]) == (1, first)


def test_notes_of_another_program_can_be_read_or_rewritten(
    write: Write, ptcards: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of the two commands that are offered works as it is written."""
    pairs = "".join(f"Q: What is {n}?\nA: The number {n}.\n\n" for n in range(5))
    root = write({"my notes/a.md": pairs, "my notes/b/c.md": pairs.replace("number", "figure")}) / "my notes"
    monkeypatch.chdir(root)
    ran = ptcards("check", ".")
    fix = next(line for line in ran.out.splitlines() if "help" in line)
    assert fix == (
        "  = help: run `ptcards build --dialect qa .`, "
        "or `ptcards import . ../my-deck --from qa` to rewrite them"
    )
    for command in fix.split("`")[1::2]:
        assert ptcards(*shlex.split(command)[1:]).status == 0
    assert len(notes_of(root.parent / "my-deck")) == 10
    (root / "deck.toml").write_text(TOML)
    fix = next(line for line in ptcards("check").out.splitlines() if "help" in line)
    assert fix == (
        '  = help: write `dialect = "qa"` in `deck.toml`, '
        "or run `ptcards import . ../my-deck --from qa` to rewrite them"
    )


def test_a_build_without_notes_keeps_the_last_outputs(write: Write, ptcards: Callable[..., Ran]) -> None:
    root = write({"deck.toml": TOML, "a.md": "## What is it?\n\nThis one.\n"})
    assert ptcards("build", root, "-o", root / "out").status == 0
    before = {file.name: file.read_bytes() for file in (*(root / "out").iterdir(), root / "deck.lock")}
    (root / "a.md").write_text("Q: What is it?\nA: This one.\n")
    assert ptcards("build", root, "-o", root / "out").status == 1
    assert {
        file.name: file.read_bytes() for file in (*(root / "out").iterdir(), root / "deck.lock")
    } == before


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("geo.apkg", "`geo.apkg` is an Anki package, not Markdown"),
        ("notes.txt", "`notes.txt` is a table or Anki's text export, not Markdown"),
        ("notes.csv", "`notes.csv` is a table or Anki's text export, not Markdown"),
    ],
)
def test_a_source_that_is_no_markdown_is_named(
    write: Write, ptcards: Callable[..., Ran], name: str, what: str
) -> None:
    root = write({"deck.toml": TOML, name: "#separator:tab\n"})
    ran = ptcards("build", root / name, "-o", root / "out")
    assert (ran.status, ran.err.splitlines()[0]) == (1, f"{name}:1:1: error[foreign-format] {what}")
    assert not (root / "out").exists()


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (
            "---\ntitle: x\nnoteId: 1738629620621\n---\n\nHeat\n\n---\n\nentropy\n",
            "yanki: 2 notes with `noteId` in 2 files",
        ),
        ("Q\n\n. . .\n\nA\n\n---\n" * 3, "anki-panky: 6 cards between `. . .` lines in 2 files"),
        ("## Why? (1b4e28ba-2fa1-11d2-883f-0016d3cca427)\n\nx\n", "md2anki: 2 headings with ids in 2 files"),
        ("## Why?\n\n%\n\nx\n\n%\n\n%\n", "mdanki: 6 lines with only `%` in 2 files"),
    ],
)
def test_other_tools_are_named_once(write: Write, ptcards: Callable[..., Ran], text: str, what: str) -> None:
    root = write({"deck.toml": TOML, "a.md": text, "b.md": text, "c.md": "## What is it?\n\nThis.\n"})
    said = [
        line for line in ptcards("check", root, "--format", "concise").out.splitlines() if "foreign" in line
    ]
    root_fix = (
        "export the deck from Anki"
        if "yanki" in what
        else f"build a package with {what.split(':', maxsplit=1)[0]}"
    )
    helps = [line for line in ptcards("check", root).out.splitlines() if "ptcards import" in line]
    assert helps == [f"  = help: {root_fix}, and run `ptcards import` on it"]
    line = 3 if "yanki" in what else 3 if "%" in what or "panky" in what else 1
    assert said == [f"a.md:{line}:1: error[foreign-format] this looks like {what}"]


def test_questions_in_summaries_are_recognised_beside_their_answers(
    write: Write, ptcards: Callable[..., Ran]
) -> None:
    text = "".join(f"<details><summary>{each}</summary>x</details>\n\n" for each in ("Who?", "Why?", "More"))
    ran = ptcards("check", write({"deck.toml": TOML, "a.md": text}), "--format", "concise")
    assert "but 3 questions in `<summary>`" in ran.out


def test_a_misspelt_key_of_the_front_matter_is_fixed(write: Write, ptcards: Callable[..., Ran]) -> None:
    root = write({"deck.toml": TOML, "a.md": "---\ntitle: x\ntag: a\n---\n## What is it?\n\nThis one.\n"})
    ptcards("check", root, "--fix")
    assert (root / "a.md").read_text() == "---\ntitle: x\ntags: a\n---\n## What is it?\n\nThis one.\n"


def test_a_vault_is_read_by_the_settings_of_its_plugin(write: Write, ptcards: Callable[..., Ran]) -> None:
    settings = {
        "settings": {
            "flashcardTags": ["#karten"],
            "singleLineCardSeparator": ";;",
            "convertHighlightsToClozes": False,
            "convertBoldTextToClozes": True,
            "noteFoldersToIgnore": ["private"],
        }
    }
    root = write(
        {
            "deck.toml": f'{TOML}dialect = "obsidian"\n',
            ".obsidian/plugins/obsidian-spaced-repetition/data.json": json.dumps(settings),
            "Netz/TCP.md": "#karten/netz\n\nSYN;;das erste Paket\n\nstd::vector ist **kein** ==Deck==\n",
            "private/x.md": "#karten\n\nno;;no\n",
            "img/a b.png": "x",
            "Bild.md": "#karten\n\nWas?;;![[a b.png|300]]\n",
        }
    )
    assert notes_of(root) == [
        'Deck | Was? | <img src="wiki:a%20b.png" width="300" alt="">',
        "Deck::Netz::netz | SYN | das erste Paket",
        "Deck::Netz::netz |  | std::vector ist {{c1::kein}} <mark>Deck</mark>",
    ]
    before = {file: file.read_bytes() for file in root.rglob("*.md")}
    built = ptcards("build", root, "-o", root / "out")
    assert (built.status, ptcards("check", root, "--fix").status) == (0, 0)
    assert {file: file.read_bytes() for file in root.rglob("*.md")} == before
    settings["settings"]["singleLineCardSeparator"] = "::"
    (root / ".obsidian/plugins/obsidian-spaced-repetition/data.json").write_text(json.dumps(settings))
    assert "std" in " ".join(notes_of(root))


@pytest.mark.parametrize(
    "dialect", ['dialect = "details"\nquestion = "heading"\n', 'dialect = "details:heading"\n']
)
def test_a_list_in_a_readme_is_read_where_its_dialect_is_named(write: Write, dialect: str) -> None:
    source = "## What is it? 👶\n\n<details><summary>Answer</summary>\n\nThis.\n\n</details>\n"
    pattern = f'[[dialects]]\nfiles = ["README.md"]\n{dialect}'
    marks = 'difficulty-marks = { "👶" = "easy" }\n'
    root = write({"deck.toml": TOML + pattern + marks, "README.md": source})
    (contents,) = Workspace.read([root]).contents
    assert [(note.heading.markdown, note.difficulty, note.deck) for note in contents.notes] == [
        ("What is it?", "easy", "Deck")
    ]


def test_what_an_editor_sends_is_read_as_deck_toml_says(write: Write) -> None:
    root = write({"deck.toml": f'{TOML}dialect = "qa"\n'})
    text = b"Q: What is TCP?\nA: A protocol.\n"
    assert check_text(root / "a.md", text).notes == 1


def test_a_dialect_can_be_named_for_a_look(write: Write, ptcards: Callable[..., Ran]) -> None:
    root = write({"a.md": '---\nname = "Brain"\n---\nQ: What is it?\nA: This.\n'})
    assert ptcards("build", root / "a.md", "-o", root / "out", "--dialect", "qa").status == 0
    assert ptcards("check", root / "a.md", "--dialect", "obsidan").status == 2


_SHAPES = (
    "use one of `details:heading`, `details:summary`, `details:bold`, `details:item`, `details:heading:2`"
)


@pytest.mark.parametrize(
    ("dialect", "said"),
    [
        ("qb", "unknown dialect `qb`: did you mean `qa`?"),
        ("xyzzy", f"unknown dialect `xyzzy`: use one of `obsidian`, {_SHAPES[11:]}, `qa`"),
        ("details", f"`details` must say what a question is: {_SHAPES}"),
        ("details:heading:9", "`level` must be a number from 1 to 6: did you mean `details:heading:2`?"),
        ("qa:x", "`answer-ends` must be `card`, `blank-line` or `id`: write one of them after `qa:`"),
        ("obsidian:x", "`obsidian` has no options here: write `obsidian`"),
    ],
)
def test_a_dialect_in_a_word_is_corrected_in_a_word(
    write: Write, ptcards: Callable[..., Ran], dialect: str, said: str
) -> None:
    root = write({"a.md": f"---\ndialect: {dialect}\n---\nQ: What is it?\nA: This.\n"})
    for command, option in (("check", "--dialect"), ("import", "--from")):
        ran = ptcards(command, root / "a.md", option, dialect)
        assert ran.err.splitlines()[-1] == f"error: invalid value for '{option}': {said}"
    message, _, fix = said.partition(": ")
    found = next(
        each
        for each in json.loads(ptcards("check", root / "a.md", "--format", "json").out)["findings"]
        if each["line"] == 2
    )
    assert (found["message"], found["help"]) == (message, fix)


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ('dialect = "obsidan"', "unknown-dialect] unknown dialect `obsidan`"),
        ('dialect = "details"', "dialect-option] this dialect needs `question`"),
        ('[[dialects]]\nfiles = ["**"]\ndialect = "qa"\nends = 1', "dialect-option] unknown option `ends`"),
        (
            '[obsidian]\nclozes = ["italic"]',
            "dialect-option] `clozes` must be a list of `mark`, `bold`, `curly`",
        ),
        ('dialect = "obsidian"\n[obsidian]\ntags = 5', "dialect-option] `tags` must be a list of tags"),
        (
            '[[dialects]]\nfiles = ["**"]\ndialect = "details"\nquestion = "heading"\nlevel = "x"',
            "dialect-option] `level` must be a number from 1 to 6",
        ),
        (
            '[[dialects]]\nfiles = ["**"]\ndialect = "details:heading"\nlevl = 2',
            "dialect-option] unknown option `levl`",
        ),
    ],
)
def test_a_dialect_that_cannot_be_read_is_an_error(
    write: Write, ptcards: Callable[..., Ran], toml: str, said: str
) -> None:
    root = write({"deck.toml": f"{TOML}{toml}\n", "a.md": "## What is it?\n\n#flashcards This ==is==.\n"})
    ran = ptcards("check", root, "--format", "concise")
    assert (ran.status, said in ran.out) == (2, True), ran.out


@pytest.mark.parametrize("dialect", ["headings", *DIALECTS])
def test_any_text_is_read_to_parts_in_their_places(dialect: str) -> None:
    source = Source(
        Path("a.md"), "a.md", "a.md", settings=SourceSettings(options=TAGGED).with_dialect(dialect)
    )
    folder = MediaFolder(Path())
    collection = Collection(
        Path(), Config(name="D", id="d"), configured=True, sources=(source,), selected=None, selection=()
    )

    @hypothesis.given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
    @hypothesis.settings(max_examples=int(os.environ.get("PTCARDS_TEXTS", "60")), deadline=None)
    def check(text: str) -> None:
        lines = text.split("\n")
        for note in parse_source(CollectionFacts.of(collection), source._replace(text=text), folder).notes:
            for part in (note.heading, note.question, note.answer, note.details):
                for index, line in enumerate(part.markdown.split("\n") if part else ()):
                    place = part.location(index)
                    assert 1 <= place.line <= len(lines)
                    if place.column:
                        assert lines[place.line - 1][place.column - 1 :].startswith(line)

    check()


def a_fence(mark: str) -> tuple[str, str]:
    """Return the beginning of a fence with a mark in it, and of the same one without."""
    return f"`````text\n{mark}\n", "`````text\nx\n"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_mark_of_a_card_in_a_fence_changes_no_note(dialect: str) -> None:
    source = Source(
        Path("a.md"), "a.md", "a.md", settings=SourceSettings(options=TAGGED).with_dialect(dialect)
    )
    folder = MediaFolder(Path())
    collection = Collection(
        Path(), Config(name="D", id="d"), configured=True, sources=(source,), selected=None, selection=()
    )

    def read(text: str, mark: str) -> list[tuple[object, ...]]:
        return [
            (
                note.location,
                note.kind,
                note.id,
                *(part.markdown.replace(*a_fence(mark)) for part in texts_of(note)),
            )
            for note in parse_source(CollectionFacts.of(collection), source._replace(text=text), folder).notes
        ]

    pieces = st.lists(st.sampled_from(PIECES), max_size=7).map("".join)

    @hypothesis.given(pieces, pieces, st.sampled_from(MARKS))
    @hypothesis.settings(max_examples=int(os.environ.get("PTCARDS_TEXTS", "60")), deadline=None)
    def check(above: str, below: str, mark: str) -> None:
        plain, marked = (f"{above}\n\n`````text\n{line}\n`````\n{below}" for line in ("x", mark))
        leaf = next(
            (each for each in leaves(scan(plain)) if each.start <= above.count("\n") + 3 < each.end), None
        )
        if leaf is not None and leaf.kind is BlockKind.FENCE:
            assert read(marked, mark) == read(plain, "x")

    check()


def leaves(block: Block) -> Iterator[Block]:
    """Yield the blocks that contain no other blocks."""
    for child in block.children:
        yield from leaves(child)
    if not block.children:
        yield block


def texts_of(note: Note) -> tuple[Text, ...]:
    return note.heading, note.question, note.answer, note.details, *(each.text for each in note.choices)


MARKS = (
    *("A::a", "?", "??", "==a==", "#flashcards/x", "Q: a", "A: a", "C: [a]", "START", "END", "<details>"),
    *("</details>", "<summary>Why?</summary>", "## Why?", "**Why?**", "1. ### Why?", "---", "- A: a"),
    *("FROZEN - Basic:", "STARTI [Basic] a Back: b ENDI", "FILE TAGS: x", "# a", "a **b** {{c}}", "![[a]]"),
    *("Answer: A", "<!--ID: 1685112345678-->", "<!--SR:!1,2,3-->", "^id", "TARGET DECK: x"),
)
TAGGED = (
    ("obsidian", (("clozes", ("mark", "bold", "curly")), ("folders", True))),
    (
        "qa",
        (
            ("curly", True),
            ("highlights", True),
            (
                "expressions",
                (
                    ("Basic", "^(.*)::(.*)$"),
                    ("Basis", "^#+ (.*)"),
                    ("Tagged", r"((?:[^\n][\n]?)+) #fc ?\n*(.*)"),
                    ("Ruled", r"((?:[^\n][\n]?)+\n*)-{3,}\n*(.*)"),
                    ("Table", r"\|([^\n|]+)\|\n\|(?:[^\n|]+)\|\n\|([^\n|]+)\|\n?"),
                    ("Cloze", r"((?:.+\n)*(?:.*{.*))"),
                    ("Marked", r"((?:.+\n)*(?:.*==.*))"),
                ),
            ),
        ),
    ),
)
PIECES = [
    "\n",
    "\n\n",
    "a",
    " b ",
    "::",
    ":::",
    "\n?\n",
    "\n??\n",
    "==",
    "[^1]",
    "^[h]",
    "#flashcards/x",
    "Q: ",
    "\nA: ",
    "C: ",
    "[x]",
    "```\n",
    "`",
    "$",
    "<!-- ",
    "-->",
    "<details>",
    "<summary>",
    "</summary>",
    "</details>",
    "\n## ",
    "**Why?**\n",
    "- [ ] o\n",
    "- [x] p\n",
    "{b}",
    " #fc\n",
    "| t |\n",
    "| - |\n",
    "    ",
    "\\`",
    " {#id}",
    "[up](#a)",
    "1. ### ",
    "- A: ",
    "- B: ",
    "Answer: A",
    "START\n",
    "Cloze\n",
    "END\n",
    "STARTI [Basic] ",
    " ENDI",
    "FROZEN - Basic:\n",
    "TARGET DECK",
    "{2:x}",
    "\n$$\n",
    "### A?\n",
    "Back: ",
    "<!--ID: 1685112345678-->",
    "![[x.png]]",
    "[[a|b]]",
    "%%",
    "> [!tip] ",
    "---\n",
    "    ",
    "\t",
    "é",
    "|",
    "{{c1::x}}",
    "\\",
    "<!--SR:!1,2,3-->",
]


@pytest.mark.parametrize(
    "text",
    [
        "\n" * 200_000,
        "### " + "?" * 100_000 + "a",
        "### " + "? " * 50_000 + "a",
        "**" + "?" * 100_000 + "a",
        "C: " + "[" * 100_000,
        "<summary" * 12_000,
        "<summary>" + "<" * 100_000,
        "__a?" * 25_000,
        "## Why?\n\n" + "![" * 12_000 + "![a](" * 5_000 + " x",
        "## Why?\n\n" + "==a" * 9_000 + "%%a" * 9_000,
        "## Why?\n\n" + "[[a" * 9_000 + "{{a" * 9_000,
        "## Why?\n\n" + "^a " * 9_000 + "#a " * 9_000,
        "## Where?\n\ntags: x" + " " * 60_000 + "!y",
    ],
    ids=[
        *("blank", "asking", "apart", "bold", "brackets", "tags", "signs", "underscores"),
        *("pictures", "marks", "links", "ids", "setting"),
    ],
)
def test_what_a_source_looks_like_is_seen_in_time(text: str, tmp_path: Path) -> None:
    """Each text would take minutes if a pattern searched the rest of the text again from each position."""
    (tmp_path / "deck.toml").write_text(TOML, "utf-8")
    (tmp_path / "a.md").write_text(f"{text}\n\n#flashcards\n\n## Who?\n\nMe.\n", "utf-8")
    with deadline(20):
        assert len(check([tmp_path])[0]) == 1


def test_beginnings_without_an_end_are_passed_over_in_time(tmp_path: Path) -> None:
    (tmp_path / "deck.toml").write_text(TOML + 'dialect = "qa"\n', "utf-8")
    (tmp_path / "a.md").write_text("START\n" * 25_000 + "Q: Who?\nA: Me.\n", "utf-8")
    with deadline(10):
        assert [note.key for note in check([tmp_path])[0][0].notes] == ["who"]
