"""A mark of another tool that no card takes is named with its line, once for each file."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran

Run = Callable[..., Ran]
Write = Callable[[dict[str, str]], Path]

_SR = "<!--SR:!2024-08-16,51,230-->"
_ID = "<!--ID: 1600000000001-->"


def _toml(dialect: str) -> str:
    if dialect == "details":
        return (
            'name = "D"\nid = "d"\n[[dialects]]\nfiles = ["*"]\ndialect = "details"\nquestion = "heading"\n'
        )
    return f'name = "D"\nid = "d"\ndialect = "{dialect}"\n'


@pytest.mark.parametrize(
    ("dialect", "text", "found"),
    [
        (
            "obsidian",
            f"#flashcards\n\nA::b\n{_SR}\n\nLost ^ here\n{_SR}\n\nC::d\n{_SR}\n\nGone\n{_SR}\n",
            ["7: `<!--SR:…-->` 1 more"],
        ),
        (
            "obsidian",
            f"#flashcards\n\nA::b\n{_SR}\n{_SR}\n\nWhat\n?\nThat\n{_SR}\n\nA ==b==\n{_SR}\n\n`{_SR}`\n",
            [],
        ),
        # A card of Spaced Repetition ends at a blank line outside code.
        ("obsidian", f"#flashcards\n\nA::b\n\nLost ^ here\n{_SR}\n", ["6: `<!--SR:…-->`"]),
        ("obsidian", f"#flashcards\n\nA\n?\n```\nb\n\nc\n```\n{_SR}\n", []),
        ("qa", f"Q: a?\nA: b\n{_ID}\n\nWhat is lost? #card\nThis\n{_ID}\n", ["7: `<!--ID: …-->`"]),
        (
            "qa",
            f"Q: a?\nA: b\n{_ID}\n\nSTART\nBasic\nWhat?\nBack: That\n{_ID}\nEND\n\nQ: c?\nA:\n{_ID}\n",
            [],
        ),
        ("qa", f"Q: a?\nA: b\n{_ID}\n\n```ad-card\nQ: a?\nA: b\n{_ID}\n```\n", ["8: `<!--ID: …-->`"]),
        # Two cards with the same text, an id in a list.
        ("qa", f"Q: a?\nA: b\n{_ID}\n\nQ: a?\nA: b\n{_ID.replace('1-', '2-')}\n", []),
        (
            "qa",
            f"START\nBasic\nWhat?\nBack:\n\n- That\n- {_ID}\n  END\n\n- Lost\n- {_ID}\n",
            ["11: `<!--ID: …-->`"],
        ),
        ("obsidian", f"#flashcards\n\nA::b\n{_ID}\n\nLost\n{_ID}\n", ["7: `<!--ID: …-->`"]),
        ("qa", f"Q: a?\nA: b\n{_SR}\n\nLost\n{_SR}\n", ["6: `<!--SR:…-->`"]),
        ("qa", "Q: a?\nA: b\n\nWhat\n?\nThat\n\nWhy?\n\n?\n", ["5: `?`"]),
        (
            "details",
            f"## a?\n\n<details>\n\nb\n\n</details>\n\n## Text\n\nc\n{_ID}\n",
            ["12: `<!--ID: …-->`"],
        ),
        ("headings", f"## What is it?\n\nThis.\n{_SR}\n", []),
        ("headings", f"## What is it?\n\nThis is it.\n\n{_ID}\n", ["5: `<!--ID: …-->`"]),
        ("headings", f"## What is it?\n\nThis is `{_SR}`.\n\n```html\n{_ID}\n```\n", []),
    ],
)
def test_a_mark_without_a_card_is_named(
    ptcards: Run, write: Write, dialect: str, text: str, found: list[str]
) -> None:
    root = write({"deck.toml": _toml(dialect), "a.md": text})
    findings = json.loads(ptcards("check", "--format", "json", root).out)["findings"]
    said = []
    for each in findings:
        if "belongs to no card" in each["message"]:
            mark, _, more = each["message"].partition(" belongs to no card that is read here")
            said.append(f"{each['line']}: {mark}{more.replace(' (', ' ').removesuffix(' in this file)')}")
    assert said == found


def test_with_an_end_mark_a_card_ends_there_and_not_at_a_blank_line(ptcards: Run, write: Write) -> None:
    toml = f'{_toml("obsidian")}[obsidian]\nseparators = {{end = "+++"}}\n'
    root = write({"deck.toml": toml, "a.md": f"#flashcards\n\nA\n?\nb\n\nc\n{_SR}\n+++\n"})
    assert "belongs to no card" not in ptcards("check", root).out


def test_headings_with_the_mark_of_a_plugin_are_named_with_the_setting(ptcards: Run, write: Write) -> None:
    root = write({"a.md": "".join(f"### Card {n} #card\n\nIt.\n\n" for n in range(3))})
    assert 'help: write `cards = "marked"` in `deck.toml`' in ptcards("check", root).out
    (root / "deck.toml").write_text('name = "D"\nid = "i"\ncards = "marked"\n', "utf-8")
    assert "Built D: 3 notes" in ptcards("build", root).err


def test_a_deck_inside_a_note_is_named_as_text(ptcards: Run, write: Write) -> None:
    text = "TARGET DECK: One\n\nSTART\nBasic\nWhat is it?\nTARGET DECK: Two\nBack: That\nEND\n"
    out = ptcards("check", "--format", "concise", write({"deck.toml": _toml("qa"), "a.md": text})).out
    assert "a.md:6:1: warning[setting-as-text] `TARGET DECK` inside a note is text on its card" in out
    assert out.count("setting-as-text") == 1


def test_an_id_in_a_list_is_that_of_its_card(ptcards: Run, write: Write) -> None:
    card = f"START\nBasic\nWhat?\nBack:\n\n- That\n- {_ID}\n  END\n"
    root = write({"deck.toml": _toml("qa"), "a.md": card})
    built = ptcards("build", root, "--format", "csv", "-o", root / "out")
    rows = [*csv.DictReader((root / "out" / "d.csv").read_text("utf-8-sig").splitlines())]
    assert (built.status, [(row["key"], row["answer"]) for row in rows]) == (
        0,
        [("o2a-1600000000001", "'- That")],
    )


def test_a_card_that_is_written_twice_is_named(ptcards: Run, write: Write) -> None:
    twice = f"Q: a?\nA: b\n{_ID}\n\nQ: a?\nA: b\n{_ID.replace('1-', '2-')}\n"
    out = ptcards("check", write({"deck.toml": _toml("qa"), "a.md": twice})).out
    assert "a.md:5:1: hint[left-out] 1 card left out: the same card is above" in out


def test_a_note_inside_a_note_is_named_as_text(ptcards: Run, write: Write) -> None:
    hidden = (
        "START\nBasic\nWhat?\nBack:\n\n1.  That\n\n        END\n\n---\n\nSTART\nBasic\nWho?\nBack: He\nEND\n"
    )
    out = ptcards("check", write({"deck.toml": _toml("qa"), "a.md": hidden})).out
    assert "a.md:12:1: warning[setting-as-text] `START` inside a note is text on its card" in out
    assert "help: write `END` above it, not indented" in out
