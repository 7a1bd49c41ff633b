"""New notes where others were: they are always named, however different their texts are."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from conftest import Ran
from identity_notes import TYPES, note, release
from identity_release import Maintainer
from ptcards.identity.hashes import summarise
from ptcards.identity.resolve import identify
from ptcards.notes import Kind, Note

A, B, C, D, E, F = (
    note(question, answer)
    for question, answer in (
        ("What is a leaf?", "A tensor that you made."),
        ("Why `no_grad`?", "It saves memory."),
        ("How many bits has a byte?", "Eight of them."),
        ("When is a hook called?", "On the way back."),
        ("Who frees the graph?", "Nobody, at first."),
        ("Where does Adam keep its state?", "In the optimizer."),
    )
)
NEW = note("Does evaluation need gradients?", "Not at all, so turn them off.")
OTHER = note("Can two threads share a module?", "Only to read it.")


def named(before: Sequence[Note], after: Sequence[Note], *, is_known: bool = True) -> dict[str, list[str]]:
    """Return the questions of gone notes that are named, by the question of the new note.

    The order of the notes before is only known if `is_known`.
    """
    lock = release(*before).lock
    notes = [summarise(each) for each in before]
    summaries = [
        summarise(each)._replace(location=each.location._replace(line=line))
        for line, each in enumerate(after, 1)
    ]
    _, found = identify(summaries, lock, type_hashes=TYPES, earlier=lambda _: notes if is_known else ())
    headings = {record.guid: record.fingerprint.heading for record in lock.records}
    return {
        after[each.location.line - 1].heading.markdown: [
            heading for guid, heading in headings.items() if f"`id={guid}`" in each.help
        ]
        for each in found
        if each.rule == "possible-pair"
    }


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param([A, B, C], [A, NEW, C], {NEW: [B]}, id="between two notes"),
        pytest.param([B, A, C], [NEW, A, C], {NEW: [B]}, id="at the start"),
        pytest.param([A, C, B], [A, C, NEW], {NEW: [B]}, id="at the end"),
        pytest.param([B], [NEW], {NEW: [B]}, id="alone"),
        pytest.param([A, B, C, D], [A, NEW, C], {NEW: [B]}, id="another one is gone elsewhere"),
        pytest.param([A, B, C], [A, NEW, C, OTHER], {NEW: [B]}, id="another one is new elsewhere"),
        pytest.param([A, B, C, D, E], [D, A, NEW, C, E], {NEW: [B]}, id="other notes moved"),
        pytest.param([A, B, C, D, E], [A, NEW, D, C, E], {NEW: [B]}, id="another note moved next to it"),
        pytest.param([A, B, C], [A, C, NEW], {}, id="not in its place"),
        pytest.param([A, B, C], [A, C], {}, id="nothing is new"),
    ],
)
def test_a_new_note_between_the_neighbours_of_a_gone_one_is_named(
    before: list[Note], after: list[Note], expected: dict[Note, list[Note]]
) -> None:
    assert named(before, after) == {
        new.heading.markdown: [old.heading.markdown for old in olds] for new, olds in expected.items()
    }


def test_of_several_in_a_row_all_are_named() -> None:
    found = named([A, B, E, C], [A, NEW, OTHER, C])
    assert {new: sorted(olds) for new, olds in found.items()} == {
        each.heading.markdown: sorted([B.heading.markdown, E.heading.markdown]) for each in (NEW, OTHER)
    }


def test_of_many_in_a_row_none_is_named() -> None:
    assert named([A, B, D, E, F, C], [A, NEW, C]) == {}


def test_a_cloze_is_not_a_pair_with_a_question() -> None:
    cloze = note("The sky", "is {{c1::blue}}.", kind=Kind.CLOZE)
    assert named([A, B, C], [A, cloze, C]) == {}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param([A, B, C], [NEW, A, C], [B.heading.markdown], id="one each"),
        pytest.param([A, B, C, D], [NEW, A, C], None, id="two are gone"),
        pytest.param([A, B, C], [NEW, A, C, OTHER], None, id="two are new"),
        pytest.param([A, B], [A, note("Other?", "x", deck="PyTorch::Other")], None, id="another deck"),
    ],
)
def test_without_the_order_before_the_only_new_note_of_a_deck_is_a_pair_with_the_only_gone_one(
    before: list[Note], after: list[Note], expected: list[str] | None
) -> None:
    found = named(before, after, is_known=False)
    assert found == ({NEW.heading.markdown: expected} if expected else {})


def test_a_note_that_resembles_one_is_asked_about_together_with_the_one_in_its_place() -> None:
    old = note("What does the learning rate change first?", "Much.")
    new = note("What does the learning rate change at first?", "Little.")
    lock = release(A, B, C, old).lock
    _, (found,) = identify(
        [summarise(each) for each in (A, new, C)],
        lock,
        type_hashes=TYPES,
        earlier=lambda _: [summarise(each) for each in (A, B, C, old)],
    )
    headings = "`What does the learning rate change first?` or `Why no_grad?`"
    message = f"this note is new to learners, but resembles one that is gone: {headings}"
    assert (found.rule, found.message) == ("maybe-reworded", message)


# The real command, in a repository

BEFORE = """\
# Autograd

## What is a leaf?

A tensor that you made.

## Why `no_grad`?

It saves memory.

## Who frees the graph?

Nobody, at first.
"""
AFTER = BEFORE.replace("Why `no_grad`?\n\nIt saves memory.", "Does evaluation need gradients?\n\nNot at all.")
MORE = "\n## Is there anything else?\n\nNot for now.\n"
NAMED = (
    "cards/autograd.md:7:4: hint[possible-pair] this note is new to learners, and may replace one that is gone: "
    "`Why no_grad?`"
)


@pytest.fixture
def author(tmp_path: Path, ptcards: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> Maintainer:
    monkeypatch.chdir(tmp_path)
    return Maintainer(tmp_path / "cards", ptcards)


def test_check_build_and_diff_name_a_pair_by_its_place_in_the_last_commit(author: Maintainer) -> None:
    author.write(autograd=BEFORE).publish("v1")
    author.write(autograd=AFTER + MORE)
    assert NAMED in author.run("check", "-v").out.splitlines()
    author.build("cards")
    assert [line for line in author.said.splitlines() if "possible-pair" in line] == [NAMED]
    assert author.run("build", "cards").err.count("possible-pair") == 0
    assert NAMED in author.run("diff").err.splitlines()


def test_a_pair_is_named_if_the_sources_were_committed_before_the_build(author: Maintainer) -> None:
    author.write(autograd=BEFORE).publish()
    author.write(autograd=AFTER + MORE).git("commit", "-qam", "edit")
    author.build("cards")
    assert NAMED in author.said.splitlines()


def test_without_git_two_new_notes_name_no_pair(author: Maintainer) -> None:
    author.write(autograd=BEFORE).build("cards")
    author.write(autograd=AFTER + MORE).build("cards")
    assert "possible-pair" not in author.said
    author.write(autograd=AFTER.replace("## What is a leaf?\n\nA", "## Is a leaf green?\n\nNo, a") + MORE)
    author.build("cards")
    assert author.said.count("possible-pair") == 1
