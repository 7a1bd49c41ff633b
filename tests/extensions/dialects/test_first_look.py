"""The first look at a folder tells the truth: every way to ask gives the same answer."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran, case_parameters
from ptcards.lint.registry import all_messages

Run = Callable[..., Ran]
Write = Callable[[dict[str, str]], Path]

_QUESTION = "## What is TCP?\n\nA byte stream, because IP loses packets.\n"
_PROSE = "# Notes\n\nProse with `code`.\n"
_CHAPTERS = "".join(
    f"### {level}\n\n"
    + "".join(
        f"<details>\n<summary><b>What is {level} {n}?</b></summary><br>\n\nIt is {n}.\n\n</details>\n\n"
        for n in range(5)
    )
    for level in ("Junior", "Middle", "Senior")
)
FOLDERS: dict[str, dict[str, str]] = {
    "a vault with a question": {".obsidian/app.json": "{}", "a.md": _QUESTION},
    "mostly prose": {"a.md": _PROSE, "b.md": _PROSE, "c.md": _PROSE, "d.md": _QUESTION},
    "only prose": {"a.md": _PROSE, "b.md": _PROSE},
    "questions without answers": {".obsidian/app.json": "{}", "a.md": f"{_QUESTION}\n## What is UDP?\n"},
    "pairs beside questions": {"a.md": "Q: a?\nA: b\n\n" * 6, "b.md": _PROSE, "c.md": _QUESTION},
    "pairs and questions in one file": {
        "a.md": "Q: a?\nA: b\n\n" * 6 + _QUESTION,
        "b.md": _PROSE,
        "c.md": _PROSE,
    },
    "spaced repetition": {".obsidian/app.json": "{}", "a.md": "#flashcards\n\nSYN::one\n\nACK::two\n"},
    "a list": {"a.md": f"Intro.\n\n{_CHAPTERS}"},
    "AnkiOps": {"a.md": "<!-- note_key: abc -->\nQ: What?\nA: That.\n", "b.md": _QUESTION, "c.md": _PROSE},
}
READMES = {
    "a list": f"Intro.\n\n{_CHAPTERS}",
    "items beside a few details": "### A\n\n<details>\n\nx\n\n</details>\n\n" * 3
    + "".join(f"{n}. ### What is {n}?\n\n   It is {n}.\n" for n in range(1, 21)),
    "headings below chapters": "## Basics\n\n" + "".join(f"### What is {n}?\n\nIt is.\n\n" for n in range(9)),
    "questions": _QUESTION,
    "prose": _PROSE,
}
"""Single files, which are read because they are named."""
_SOURCES = {
    f"{name}: {case.id}": case.values[1].source  # type: ignore[attr-defined] # a pytest parameter
    for name in ("obsidian", "qa", "details", "parse")
    for case in case_parameters(name)
}
FOLDERS |= {
    title: {"a.md": re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL), "b.md": _PROSE, "c.md": _PROSE}
    for title, text in _SOURCES.items()
    if "=== " not in text
}


def _found(ptcards: Run, folder: Path) -> set[tuple[int, int]]:
    """Return the exit status and the number of notes that each way to ask for them gives."""
    asked = [
        ptcards("check", folder),
        ptcards("check", "-v", folder),
        ptcards("check", "--format", "json", folder),
        ptcards("build", "--dry-run", folder),
    ]
    selected = [f"--select={name}" for name, rule in all_messages().items() if "error" in rule.severities]
    asked.append(ptcards("check", *selected, folder))
    counts = []
    for ran in asked:
        said = re.search(r"Checked ([\d,]+) note|Would build .*?: ([\d,]+) note", ran.err)
        counts.append((ran.status, int((said[1] or said[2]).replace(",", "")) if said else -1))
    return {(status, count) for status, count in counts if count >= 0 or status} or {(0, -1)}


@pytest.mark.parametrize("name", FOLDERS)
def test_each_way_to_ask_finds_the_same(ptcards: Run, write: Write, name: str) -> None:
    folder = write({f"v/{path}": text for path, text in FOLDERS[name].items()}) / "v"
    found = _found(ptcards, folder)
    assert len({status for status, _ in found}) == 1, found
    assert len({count for _, count in found if count >= 0}) <= 1, found


@pytest.mark.parametrize("name", READMES)
def test_each_way_to_ask_for_a_named_file_finds_the_same_and_advises_the_most_cards(
    ptcards: Run, write: Write, name: str
) -> None:
    file = write({"README.md": READMES[name]}) / "README.md"
    found = _found(ptcards, file)
    assert len({status for status, _ in found}) == 1, found
    assert len({count for _, count in found if count >= 0}) <= 1, found

    def count(dialect: str) -> int:
        said = re.search(
            r"Would build .*?: (\d+) note", ptcards("build", "--dry-run", "--dialect", dialect, file).err
        )
        return int(said[1]) if said else 0

    shapes = ("summary", "heading", "heading:3", "item", "bold")
    most = max(*(count(f"details:{shape}") for shape in shapes), *(own for _, own in found))
    if advised := re.search(r"--dialect (\S+)", ptcards("check", file).out):
        assert count(advised[1]) == most


def test_questions_that_are_there_are_not_said_to_be_missing(ptcards: Run, write: Write) -> None:
    for name in ("a vault with a question", "mostly prose"):
        folder = write({f"{name}/{path}": text for path, text in FOLDERS[name].items()}) / name
        ran = ptcards("check", folder)
        assert (ran.status, ran.out, ran.err) == (0, "", "Checked 1 note: nothing to report\n")


def test_the_first_look_says_how_much_it_does_not_show(
    ptcards: Run, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write({**FOLDERS["pairs beside questions"], "d.md": "## Empty?\n", "e.md": _PROSE}))
    ran = ptcards("check", ".", "--format", "concise")
    assert (ran.status, ran.out.splitlines(), ran.err.splitlines()) == (
        1,
        [
            "a.md:1:1: warning[unread-cards] 1 file contains 6 cards with `Q:` and `A:` that are not read",
            "1 warning",
        ],
        ["if `##` headings are questions: 1 error: check -v"],
    )


def test_missing_pictures_do_not_show_that_a_file_is_in_another_format(ptcards: Run, write: Write) -> None:
    notes = "".join(
        f"## What is thing {n}?\n\n{'![A](m.png)' if n % 2 else 'It is a word.'}\n\n" for n in range(6)
    )
    ran = ptcards("check", "--format", "concise", write({"a.md": notes}))
    assert (ran.status, ran.out.count("error[missing-media]"), "as a list" in ran.out) == (1, 3, False)


def test_the_shape_with_more_cards_is_advised(
    ptcards: Run, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write({"README.md": f"Intro.\n\n{_CHAPTERS}"}))
    ran = ptcards("check", "README.md")
    assert "15 questions in `<summary>`" in ran.out
    assert "ptcards build --dialect details:summary README.md" in ran.out
    built = ptcards("build", "--dry-run", "--dialect", "details:heading", "README.md")
    assert "warning[unread-cards] 12 more `<details>` became the details of the questions above" in built.err
    assert "15 notes" in ptcards("build", "--dry-run", "--dialect", "details:summary", "README.md").err


def test_questions_below_chapters_are_advised_by_their_level(
    ptcards: Run, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions = "".join(f"#### ¿Qué es {n}?\n\n{'Es una palabra. ' * 500}\n\n" for n in range(12))
    text = f"<div>\n\n</div>\n\n## Índice\n\n- [Uno](#uno)\n\n### Nivel\n\n{questions}"
    monkeypatch.chdir(write({"README.md": text}))
    for command in ("check", "build"):
        ran = ptcards(command, "README.md")
        said = ran.out + ran.err
        assert "warning[questions-below] 12 question headings are part of this answer" in said
        assert "help: if they are separate questions, set `question-level: 4` in the front matter" in said
    assert "12 notes" in ptcards("build", "--dry-run", "--dialect", "details:heading:4", "README.md").err


@pytest.mark.parametrize(
    ("folders", "advised"),
    [
        (("a", "b/c", "b/d"), "run `ptcards build --dialect qa "),
        (
            ("b/c", "b/d/e"),
            'run `ptcards init`, and add to `deck.toml`: `[[dialects]]` with `files = ["b/**"]`',
        ),
    ],
)
def test_the_advice_covers_all_files_with_such_cards(
    ptcards: Run, write: Write, folders: tuple[str, ...], advised: str
) -> None:
    root = write({"n.md": _QUESTION, **{f"{name}/x.md": "Q: a?\nA: b\n\n" * 6 for name in folders}})
    assert f"help: {advised}" in ptcards("check", root).out
