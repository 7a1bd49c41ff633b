"""Vaults: which settings decide, which files are read, and what a published vault gains only on request."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from ptcards.extensions.dialects.first_look import first_look
from ptcards.workspace import Workspace

Write = Callable[[dict[str, str]], Path]
Run = Callable[..., Ran]

TOML = 'name = "Deck"\nid = "d"\ndialect = "obsidian"\n'
PLUGIN = ".obsidian/plugins/obsidian-spaced-repetition/data.json"


def settings(*tags: str) -> str:
    """Return the plugin's settings with these tags."""
    return json.dumps({"settings": {"flashcardTags": tags}})


VAULT = {
    "deck.toml": TOML,
    PLUGIN: settings("#flashcards", "#db"),
    "b.md": "#db\n\nb::1\n",
    f"in/{PLUGIN}": settings("#flashcards"),
    "in/a.md": "#db\n\na::1\n",
    "in2/.obsidian/app.json": "{}",
    "in2/c.md": "#db\n\nc::1\n",
    "README.md": "#db\n\nread me::1\n",
    "_x.md": "#db\n\nx::1\n",
    "_old/y.md": "#db\n\ny::1\n",
    "build/z.md": "#db\n\nz::1\n",
    ".trash/t.md": "#db\n\ntrash::1\n",
    "plan.excalidraw.md": "#db\n\ndrawing::1\n",
}


def titles(root: Path) -> list[str]:
    """Return the questions of a collection's notes."""
    (contents,) = Workspace.read([root]).contents
    return [note.title for note in contents.notes]


def findings(ran: Ran, *rules: str) -> list[str]:
    """Return the findings of these rules, in the concise form."""
    return [line for line in ran.out.splitlines() if any(f"[{rule}]" in line for rule in rules)]


def test_everything_in_a_vault_is_read_and_the_outermost_settings_decide(write: Write, ptcards: Run) -> None:
    root = write(VAULT)
    assert titles(root) == ["read me", "y", "x", "b", "z", "a", "c"]
    ran = ptcards("check", root, "--format", "concise")
    assert "1 file not read: check -v" in ran.err
    assert "not read: plan.excalidraw.md: it is a drawing; name it in `include` to read it" in (
        ptcards("check", root, "-v").err
    )


def test_the_settings_that_are_named_are_those_that_decide(write: Write, ptcards: Run) -> None:
    root = write({**VAULT, "in/a.md": "#flashcards\n\nold::1\n"})
    assert ptcards("check", root, "-v").err.splitlines()[:2] == [
        "README.md and 6 more: dialect obsidian",
        f'  tags = ["#flashcards", "#db"]  ({PLUGIN})',
    ]


def test_in_the_format_of_ptcards_names_still_leave_files_out(write: Write) -> None:
    card = "## What is it?\n\nThis.\n"
    root = write({"deck.toml": 'name = "D"\nid = "d"\n', "a.md": card, "README.md": card, "_x/b.md": card})
    assert titles(root) == ["What is it?"]


def test_what_only_the_plugin_reads_as_cards_is_left_out_as_code(write: Write, ptcards: Run) -> None:
    text = (
        "#flashcards\n\na::1\n\n- see\n  ```\n  x::y\n  ```\n\nText.\n\n    A ==gap== in\n    an ==indented== block\n\n"
        "The mark `==x==` alone\n\n`a::b` and `c\n\n    What?\n    ?\n    That.\n\n```\nz::1\n```\n\n<!-- v::1 -->\n"
    )
    root = write({"deck.toml": TOML, "a.md": text})
    ran = ptcards("check", root, "-v", "--format", "concise")
    assert findings(ran, "left-out") == [
        "a.md:7:1: hint[left-out] 5 cards left out: in code (the first on line 7)"
    ]
    assert [line for line in ran.err.splitlines() if "left out" in line] == [
        f"left out: a.md:{line}:1: in code" for line in (7, 12, 15, 17, 20)
    ]
    assert "(5 left out)" in ptcards("build", root).err


def test_marks_that_only_the_plugin_reads_as_clozes_are_left_out(write: Write, ptcards: Run) -> None:
    """It reads everything between two marks: also in code, a comparison, and a rule."""
    text = (
        "#flashcards\n\na::1\n\nIn `a == ==b==` it is code.\n\nWhich?\n```\n<<<<<<<\n```\nBelow `=======`.\n\n"
        "```c\n```c\n\n    if (a == ' ' || b == ' ')\n\n```c\n```\n\nIf a == b and b == c, so is it.\n\n"
        "a ==b== c == d\n\nTitle\n=====\n\nText (use == ==): ====\n\na == b\n\n{{ x }} and ** y **\n"
    )
    root = write({"deck.toml": TOML, "a.md": text})
    ran = ptcards("check", root, "-v", "--format", "concise")
    assert [line for line in ran.err.splitlines() if "left out" in line] == [
        "left out: a.md:5:1: in code",
        "left out: a.md:11:1: in code",
        "left out: a.md:16:1: in code",
        "left out: a.md:21:1: no text directly between the marks",
        "left out: a.md:26:1: no text directly between the marks",
        "left out: a.md:28:1: no text directly between the marks",
    ]
    assert findings(ran, "left-out") == [
        "a.md:5:1: hint[left-out] 3 cards left out: in code (the first on line 5)",
        "a.md:21:1: hint[left-out] 3 cards left out: no text directly between the marks (the first on line 21)",
    ]
    every = 'clozes = ["mark", "bold", "curly"]\n'
    (root / "deck.toml").write_text(f"{TOML}[obsidian]\n{every}")
    assert "a.md:32:1: no text" in ptcards("check", root, "-v").err
    assert "(7 left out)" in ptcards("build", root).err


WIKI = {
    "Basic": r"((?:[^\n][\n]?)+) #fc ?\n*((?:\n(?:^.{1,3}$|^.{4}(?<!<!--).*))+)",
    "Basic (and reversed card)": r"((?:[^\n][\n]?)+\n*)-{3,}\n*((?:\n(?:^.{1,3}$|^.{4}(?<!<!--).*))+)",
    "Table": r"\|([^\n|]+)\|\n\|(?:[^\n|]+)\|\n\|([^\n|]+)\|\n?",
    "Cloze": r"((?:.+\n)*(?:.*{.*)(?:\n(?:^.{1,3}$|^.{4}(?<!<!--).*))*)",
    "HighlightCloze": r"((?:.+\n)*(?:.*==.*)(?:\n(?:^.{1,3}$|^.{4}(?<!<!--).*))*)",
    "Strange": r"^\* (.+)",
}
PARAGRAPHS = """Prose that is no card.

What is TCP? #fc
A protocol
with acknowledgements.
<!--ID: 1637674743597-->

What is UDP?

---

A protocol without.

| What is IP? |
| ----------- |
| The layer below. |
<!--ID: 1637674743598-->

The {first} and
the ==second== layer.
<!--ID: 1637674743599-->

Only ==marked== here.

```
{code}
```
"""


def test_the_expressions_of_the_wiki_of_obsidian_to_anki_are_known(write: Write, ptcards: Run) -> None:
    plugin = {
        "settings": {
            "CUSTOM_REGEXPS": WIKI,
            "Defaults": {"CurlyCloze": True, "CurlyCloze - Highlights to Clozes": True},
        }
    }
    file = ".obsidian/plugins/obsidian-to-anki-plugin/data.json"
    toml = TOML.replace("obsidian", "qa")
    root = write({"deck.toml": toml, file: json.dumps(plugin), "a.md": PARAGRAPHS, "b.md": "Prose.\n"})
    (contents,) = Workspace.read([root]).contents
    assert [
        (str(note.kind), note.id, note.heading.markdown, note.answer.markdown)
        for note in contents.notes
        if note.location.path.endswith("a.md")
    ] == [
        ("basic", "o2a-1637674743597", "What is TCP?", "A protocol\nwith acknowledgements."),
        ("reversed", "", "What is UDP?", "A protocol without."),
        ("basic", "o2a-1637674743598", "What is IP?", "The layer below."),
        ("cloze", "o2a-1637674743599", "", "The {{c1::first}} and\nthe {{c2::second}} layer."),
        ("cloze", "", "", "Only {{c1::marked}} here."),
    ]
    said = findings(ptcards("check", root, "--format", "concise"), "unknown-regexp")
    assert said == [
        f"{file}:1:1: warning[unknown-regexp] the regular expression of the note type `Strange` is not supported"
    ]


PROSE = "# Notes\n\nProse with `code`.\n\n## A heading\n\nMore prose, [a link](b.md).\n\n## A heading\n\n"


def test_a_first_look_says_only_what_the_files_look_like(
    write: Write, ptcards: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"n{n}.md": PROSE for n in range(40)}
    own = json.dumps({"settings": {"flashcardTags": ["#karten"], "singleLineCardSeparator": ";;"}})
    root = write(
        {**files, PLUGIN: own, "a.md": "#karten\n\nSYN;;one\n\nACK;;two\n", "b.md": "Q: a?\nA: b\n" * 5}
    )
    monkeypatch.chdir(root)
    ran = ptcards("check", ".", "--format", "concise")
    assert (ran.status, ran.out.splitlines()) == (
        1,
        [
            "a.md:3:1: warning[unread-cards] 1 file contains 2 cards of Obsidian Spaced Repetition that are not read",
            "b.md:1:1: warning[unread-cards] 1 file contains 5 cards with `Q:` and `A:` that are not read",
            "2 warnings",
        ],
    )
    (root / "b.md").unlink()
    ran = ptcards("check", ".")
    assert [line for line in ran.out.splitlines() if "unread-cards" in line or "help" in line] == [
        "a.md:3:1: warning[unread-cards] 1 file contains 2 cards of Obsidian Spaced Repetition that are not read",
        (
            '  = help: run `ptcards init`, and add to `deck.toml`: `[[dialects]]` with `files = ["a.md"]`, '
            '`dialect = "obsidian"`; '
            'or `exclude = ["a.md"]`'
        ),
    ]
    assert ptcards("build", "--dialect", "obsidian", ".").status == 0
    assert 'dialect = "obsidian"\n' in ptcards_init(root, ptcards)
    assert titles(root) == ["SYN", "ACK"]


def test_a_first_look_at_many_files_says_how_far_it_is(write: Write) -> None:
    steps: list[tuple[str, int, int]] = []
    first_look(write({"a.md": PROSE, "b.md": PROSE}), lambda *step: steps.append(step))
    assert steps == [("Reading", 0, 2), ("Reading", 1, 2)]


def ptcards_init(root: Path, ptcards: Run) -> str:
    """Run `ptcards init`, and return what it wrote to `deck.toml`."""
    assert ptcards("init", root).status == 0
    return (root / "deck.toml").read_text()


def test_a_missing_tag_is_the_advice(write: Write, ptcards: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    card = "{}\n\nWhat?::That.\n<!--SR:!2024-08-16,51,230-->\n\n```c\n#define x\n```\n"
    root = write(
        {"a.md": card.format("#blog #x"), "b.md": card.format("#blog"), "c.md": PROSE, "d.md": "Prose.\n"}
    )
    monkeypatch.chdir(root)
    have = 'these files have #blog (2), #x (1): write `[obsidian]` with `tags = ["#blog"]` in `deck.toml`'
    what = "2 cards of Obsidian Spaced Repetition without a flashcard tag in 2 files"
    for command in ("check", "build"):
        ran = ptcards(command, ".")
        lines = [*ran.out.splitlines(), *ran.err.splitlines()]
        assert [line for line in lines if "flashcard tag" in line or "help" in line][:2] == [
            f"a.md:3:1: warning[unread-cards] {what}",
            f"  = help: run `ptcards init`; {have}",
        ] or command == "build"
    assert ptcards_init(root, ptcards).endswith('dialect = "obsidian"\n')
    ran = ptcards("check", ".")
    assert [line for line in ran.out.splitlines() if "flashcard tag" in line or "help: these" in line] == [
        f"a.md:3:1: error[no-notes] no notes in 4 files, but {what}",
        f"  = help: {have}",
    ]
    (root / "deck.toml").write_text(f'{TOML}[obsidian]\ntags = ["#blog"]\n')
    assert titles(root) == ["What?", "What?"]


def test_schedules_at_the_end_of_a_line_are_counted(
    write: Write, ptcards: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "#blog\n\nA ==wave== <!--SR:!2024-06-29,10,270-->\n\n`<!--SR:!` is code\n\n> ==Light==\n<!--SR:!2024-06-29,10,270-->\n"
    root = write({"a.md": text, "b.md": PROSE, "c.md": "Prose.\n"})
    monkeypatch.chdir(root)
    what = "2 cards of Obsidian Spaced Repetition without a flashcard tag in 1 file"
    assert findings(ptcards("check", ".", "--format", "concise"), "unread-cards") == [
        f"a.md:3:1: warning[unread-cards] {what}"
    ]


UNKNOWN_MARKS = (
    "copy the plugin's `data.json` into the vault, or write in `deck.toml`: `[obsidian]` with "
    '`separators = { single = ";;", multi = "?" }`, as they are in the plugin'
)


@pytest.mark.parametrize(
    "front", ["---\ntags:\n  - flashcards\n---\n", "#flashcards/cs\n", "#flashcards\n\na == b == c\n"]
)
def test_a_tag_that_is_there_is_not_said_to_be_missing(
    write: Write, ptcards: Run, monkeypatch: pytest.MonkeyPatch, front: str
) -> None:
    """The plugin's settings are often not in git, and then its separators are unknown."""
    text = f"{front}\n# Data\n\nfirst in;; queue\n<!--SR:!2024-06-29,10,270-->\n"
    root = write({"a.md": text, "b.md": PROSE, "c.md": "Prose.\n"})
    monkeypatch.chdir(root)
    what = "1 card with a schedule and unknown separators"
    looked = ptcards("check", ".")
    (root / "deck.toml").write_text(TOML)
    checked = ptcards("check", ".")
    lines = [line for ran in (looked, checked) for line in ran.out.splitlines() if line.strip()]
    line = f"a.md:{5 + front.count(chr(10))}:1: "
    assert [line for line in lines if "[no-notes]" in line or "[unread-" in line or "help: copy" in line] == [
        f"{line}warning[unread-cards] 1 file contains {what} that is not read",
        f"  = help: {UNKNOWN_MARKS}",
        f"{line}error[no-notes] no notes in 3 files, but {what} in 1 of them",
        f"  = help: {UNKNOWN_MARKS}",
    ]
    (root / "deck.toml").write_text(f'{TOML}[obsidian]\nseparators = {{ single = ";;" }}\n')
    assert titles(root) == ["first in"]


def test_cards_in_indented_code_are_reported_if_the_code_is_part_of_a_card(
    write: Write, ptcards: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "    A ==b==: c\n    \n    D e::f\n    \n    G h\n### ==H==\n"
    root = write({"a.md": f"#flashcards\n\n# Waves\n\n{code}", "deck.toml": TOML})
    monkeypatch.chdir(root)
    assert [line for line in ptcards("check", ".").out.splitlines() if "left-out" in line] == [
        "a.md:5:1: hint[left-out] 2 cards left out: in code (the first on line 5)"
    ]


MERGE = "<<<<<<< HEAD\nopen an issue\n=======\nask\n>>>>>>> branch-a\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"~~~\n```\n{MERGE}~~~\n", []),
        (f"```\na\n```\n{MERGE}", [7]),
        (f"```\n{MERGE.replace('ask', '```')}", [5]),
        (f"{MERGE}```\n", [4]),
    ],
)
def test_a_merge_in_a_fence_of_a_vault_is_an_example(
    write: Write, ptcards: Run, monkeypatch: pytest.MonkeyPatch, text: str, lines: list[int]
) -> None:
    root = write({"a.md": f"#flashcards\n\nWhat?::That.\n\n{text}", "deck.toml": TOML})
    monkeypatch.chdir(root)
    found = [line for line in ptcards("check", ".").out.splitlines() if "conflict-marker" in line]
    assert found == [
        f"a.md:{at + 1}:1: error[conflict-marker] an unfinished merge, up to line {at + 5}" for at in lines
    ]


def test_init_writes_the_dialect_that_no_notes_names(write: Write, ptcards: Run) -> None:
    few = "Q: What is it?\nA: This.\n\nQ: And why?\nA: So.\n\nQ: When?\nA: Now.\n"
    assert ptcards_init(write({"q/a.md": few}) / "q", ptcards).endswith('dialect = "qa"\n')
    assert ptcards("build", write({}) / "q").status == 0


def test_init_writes_no_dialect_for_notes_of_ours_or_beside_them_for_a_guess(
    write: Write, ptcards: Run
) -> None:
    own, bold = "## What is it?\n\nThis.\n", "".join(f"**Why {n}?**\n\nSo.\n\n" for n in range(9))
    assert "dialect" not in ptcards_init(write({"x/a.md": own}) / "x", ptcards)
    assert "dialect" not in ptcards_init(
        write({"y/a.md": bold, "y/b.md": own, "y/c.md": "Text."}) / "y", ptcards
    )
    details = "".join(f"### Why {n}?\n<details>\n\nSo.\n\n</details>\n\n" for n in range(5))
    assert ptcards_init(write({"z/a.md": details}) / "z", ptcards).endswith(
        '[[dialects]]\nfiles = ["**"]\ndialect = "details"\nquestion = "heading"\n'
    )


def test_a_list_is_read_by_the_level_of_its_questions(
    write: Write, ptcards: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = "Text\n\n# Part\n\nIntro\n\n## What is {0}?\n\nIt is {0}.\n\n## And {0}?\n\nThat.\n\n# Sources\n\nThese\n"
    root = write({f"{each}.md": part.format(each) for each in "abc"})
    monkeypatch.chdir(root)
    assert ptcards("build", "--dialect", "details:heading:2", ".").status == 0
    for wrong in ("details:heading:x", "details:heading:9", "details:head:2"):
        assert ptcards("build", "--dialect", wrong, ".").status == 2
    (root / "deck.toml").write_text(
        TOML.replace('dialect = "obsidian"\n', "")
        + '[[dialects]]\nfiles = ["**"]\ndialect = "details"\nquestion = "heading"\nlevel = 2\n'
    )
    assert titles(root) == ["What is a?", "And a?", "What is b?", "And b?", "What is c?", "And c?"]


def test_pictures_are_found_from_the_root_and_beyond_it_by_name(write: Write) -> None:
    text = "#flashcards\n\nOne::![](../../Assets/one.png)\n\nTwo::![](@/Assets/two.png)\n\nNear::![](two.png)\n\nNo::![](../../../three.png)\n"
    files = {"Assets/one.png": "1", "Assets/two.png": "2", "Assets/three.png": "3", "x/three.png": "4"}
    root = write({"deck.toml": TOML, PLUGIN: settings("#flashcards"), "x/a.md": text, **files})
    (contents,) = Workspace.read([root]).contents
    shown = [[media.file.name for media in note.media] for note in contents.notes]
    assert shown == [["one.png"], ["two.png"], ["two.png"]]
    assert [card.cause for card in contents.left_out] == ["unsafe-media"]
    (root / ".obsidian").rename(root / "settings")
    (contents,) = Workspace.read([root]).contents
    assert [note.title for note in contents.notes] == ["Two"]


def test_a_lone_percent_sign_in_every_note_is_mdanki(write: Write, ptcards: Run) -> None:
    note = "## What is it?\n\n%\n\nThis.\n"
    ran = ptcards(
        "check", write({"a/deck.toml": 'name = "D"\nid = "d"\n', "a/x.md": note}) / "a", "--format", "concise"
    )
    assert findings(ran, "foreign-format") != []
    other = f"{note}\n## Who is it?\n\nShe.\n"
    ran = ptcards(
        "check",
        write({"b/deck.toml": 'name = "D"\nid = "e"\n', "b/x.md": other}) / "b",
        "--format",
        "concise",
    )
    assert findings(ran, "foreign-format") == []


def test_a_reworded_question_of_a_readme_keeps_its_note(write: Write, ptcards: Run) -> None:
    root = write(
        {"deck.toml": TOML, "a.md": "#flashcards\n\na::1\n", "README.md": "#flashcards\n\nread me::yes\n"}
    )
    assert ptcards("build", root, "-o", root / "out").status == 0
    (root / "README.md").write_text("#flashcards\n\nread me now::yes\n")
    ran = ptcards("build", root, "-o", root / "out")
    assert (ran.status, "retired" in ran.err) == (0, False)
    assert titles(root) == ["read me now", "a"]


def test_a_published_file_for_models_is_still_read_and_another_one_is_listed(
    write: Write, ptcards: Run
) -> None:
    card = "## What is {}?\n\nIt is {}, because.\n"
    toml = 'name = "D"\nid = "d"\n'
    root = write({"deck.toml": toml, "a.md": card.format("a", "a"), "b.md": card.format("b", "b")})
    assert ptcards("build", root, "-o", root / "out").status == 0
    (root / "b.md").rename(root / "AGENTS.md")
    ran = ptcards("build", root, "-o", root / "out")
    assert (ran.status, "retired" in ran.err) == (0, False)
    assert titles(root) == ["What is b?", "What is a?"]
    (root / "AGENTS.md").unlink()
    assert ptcards("build", root, "-o", root / "out", "--accept").status == 0
    (root / "AGENTS.md").write_text(card.format("c", "c"))
    assert titles(root) == ["What is a?"]
    assert "AGENTS.md: it is for models" in ptcards("check", root, "-v").err
