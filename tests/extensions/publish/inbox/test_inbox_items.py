"""An edit of an item of a list finds its line in the Markdown, and every item keeps its card."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from conftest import Ran
from inbox_walks import inbox
from ptcards.extensions.desktop.merge.item_lists import FoundList, find_list
from pushing import Run

SOURCE = """\
# Net

## How does TCP open a connection?
<!-- card: id=tcp kind=sequence before=1 -->

Three segments:

1. `SYN`
2. SYN-ACK with $a_1$
3. ACK
   - nested

## Which layers are there?
<!-- card: id=layers kind=set -->

- link
- network
- transport
"""
TCP = "How does TCP open a connection?"
LAYERS = "Which layers are there?"


@pytest.fixture
def deck(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ptcards: Run) -> Path:
    """Return a deck that was built twice, so that items have other numbers than their places."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "deck"
    folder.mkdir()
    (folder / "deck.toml").write_text('name = "Net"\nid = "n1"\nlicense = "MIT"\n')
    for text in (SOURCE.replace("2. SYN-ACK with $a_1$\n", "").replace("- link\n", ""), SOURCE):
        (folder / "a.md").write_text(text)
        assert ptcards("build", folder).status == 0
    return folder


def found_list(deck: Path, question: str) -> tuple[str, FoundList]:
    """Return the GUID of a note, and its list as a build writes it."""
    with inbox(deck) as collection:
        guid, note = next(each for each in collection.ours.items() if question in each[1].fields[0])
    found = find_list(note.fields[1])
    assert found
    return guid, found


class Case(NamedTuple):
    """An edit of a list, and the Markdown and the numbers that come of it.

    `places` are the items after the edit, of which the last is new. Then some `words` of the field change.
    """

    question: str
    places: Sequence[int]
    markdown: tuple[str, str]
    numbers: Sequence[int]
    words: tuple[str, str] = ("", "")


CASES = {
    "reworded": Case(
        TCP,
        (0, 1, 2),
        ("2. SYN-ACK with $a_1$\n3. ACK\n", "2. The answer, with $a_1$\n3. ACK\n"),
        (1, 3, 2),
        ("SYN-ACK with", "The answer, with"),
    ),
    "reworded above a nested list": Case(
        TCP,
        (0, 1, 2),
        ("3. ACK\n", "3. The client **acknowledges**\n"),
        (1, 3, 2),
        ("ACK\n", "The client <b>acknowledges</b>\n"),
    ),
    "moved": Case(LAYERS, (1, 0, 2), ("- link\n- network\n", "- network\n- link\n"), (1, 3, 2)),
    "removed": Case(LAYERS, (0, 2), ("- network\n", ""), (3, 2)),
    "added": Case(LAYERS, (0, 3, 1, 2), ("- network\n", "- tunnels\n- network\n"), (3, 4, 1, 2)),
}


def write_suggestion(guid: str, was: str, new: str) -> None:
    block = {"ptcards-suggestion": 1, "deck": "n1", "version": "1", "guid": guid, "reason": ""}
    Path("fix.suggestion").write_text(json.dumps({**block, "fields": {"Answer": {"was": was, "is": new}}}))


@pytest.mark.parametrize(
    ("now", "state", "expected"),
    [
        (
            "1. `SYN`, first\n4. wait\n2. SYN-ACK with",
            "clean",
            "1. `SYN`, first\n4. wait\n2. The answer, with",
        ),
        ("2. SYN-ACK, which has", "it also changed here", "2. SYN-ACK, which has"),
    ],
    ids=["other items", "the same item"],
)
def test_an_edit_of_an_item_is_clean_unless_that_item_changed_here_since(
    deck: Path, ptcards: Run, now: str, state: str, expected: str
) -> None:
    guid, found = found_list(deck, TCP)
    write_suggestion(guid, found.field, found.field.replace("SYN-ACK with", "The answer, with"))
    old = "1. `SYN`\n2. SYN-ACK with" if now.startswith("1") else "2. SYN-ACK with"
    (deck / "a.md").write_text(SOURCE.replace(old, now))
    assert ptcards("build", deck).status == 0
    listed = json.loads(ptcards("inbox", deck, "fix.suggestion", "--format", "json").out)
    (entry,) = listed["entries"]
    assert entry["reason"] == ("" if state == "clean" else state)
    ptcards("inbox", deck, "fix.suggestion", "--all-clean")
    assert (deck / "a.md").read_text() == SOURCE.replace(old, expected)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_an_edited_item_is_written_to_its_line_and_all_keep_their_numbers(
    deck: Path, ptcards: Run, case: Case
) -> None:
    guid, found = found_list(deck, case.question)
    items = [*found.items, (4, "tunnels")]
    new = found._replace(items=tuple(items[place] for place in case.places)).field
    if all(case.words):
        assert case.words[0] in new
        new = new.replace(*case.words)
    write_suggestion(guid, found.field, new)
    listed = ptcards("inbox", deck, "fix.suggestion")
    assert (listed.status, listed.err, "{{" in listed.out) == (0, "", False)
    name = listed.out.split()[0]
    assert ptcards("inbox", deck, "fix.suggestion", "--accept", name) == Ran(
        0, listed.out, "Wrote 1 of 1 entries into the Markdown; build, then commit them\n"
    )
    assert (deck / "a.md").read_text() == SOURCE.replace(*case.markdown)
    assert ptcards("build", deck).status == 0
    assert found_list(deck, case.question)[1].numbers == case.numbers
    again = ptcards("inbox", deck, "fix.suggestion").out
    assert again.split("\n")[0].endswith("[already so]"), again
