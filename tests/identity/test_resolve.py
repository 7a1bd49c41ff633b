"""Notes and a lock are turned into GUIDs, times, a new lock and messages to the author."""

from dataclasses import replace
from pathlib import Path

import pytest

from identity_notes import COLLECTION, LONG, TYPES, build, empty_lock, note, picture, release, resolve
from ptcards.diagnostics import Diagnostic, Location, Severity
from ptcards.identity.advice import Recognised
from ptcards.identity.changes import Changes, in_short
from ptcards.identity.hashes import content_hash, derive_guid, summarise
from ptcards.identity.lock import Lock, TypeRecord, format_lock
from ptcards.identity.lock_reading import read_lock
from ptcards.identity.resolve import ClockError, identify, locked_differences, read_clock
from ptcards.notes import Identified, Kind, Note, Text

WHY = note("Why `no_grad`?", "It saves memory.")
WHAT = note("What is a leaf?", "A tensor that you made.", line=5)


def never() -> int:
    message = "the clock was read"
    raise AssertionError(message)


def said(diagnostics: list[Diagnostic]) -> list[tuple[str, str]]:
    return [(each.rule, each.message) for each in diagnostics]


# GUIDs and times


def test_a_new_note_gets_a_derived_guid_and_the_time() -> None:
    resolution = release(WHY, WHAT, now=1000)
    guids = [derive_guid(summarise(each), COLLECTION, ()) for each in (WHY, WHAT)]
    assert resolution.notes == (Identified(WHY, guids[0], 1000), Identified(WHAT, guids[1], 1000))
    assert resolution.types == {"cloze": 1000, "qa": 1000}


def test_without_a_change_nothing_changes_and_no_clock_is_read() -> None:
    first = release(WHY, WHAT)
    again, diagnostics = resolve(
        (WHY, WHAT), first.lock, type_hashes=TYPES, clock=never, refresh=False, selected=None
    )
    assert again == replace(first, changes=Changes())
    assert diagnostics == []


def test_the_clock_is_read_once() -> None:
    times = iter([1000])
    resolution, _ = resolve(
        (WHY, WHAT),
        empty_lock(),
        type_hashes=TYPES,
        clock=lambda: next(times),
        refresh=False,
        selected=None,
    )
    assert [each.mod for each in resolution.notes] == [1000, 1000]


def test_an_edit_moves_the_time_of_the_edited_note_alone() -> None:
    first = release(WHY, WHAT)
    second, _ = build(first.lock, WHY._replace(tags=("a",)), WHAT, now=2000)
    assert [each.mod for each in second.notes] == [2000, 1000]
    assert [each.guid for each in second.notes] == [each.guid for each in first.notes]
    assert second.types == first.types


@pytest.mark.parametrize("now", [999, 1000, 1])
def test_times_increase_though_the_clock_does_not(now: int) -> None:
    first = release(WHY, now=1000)
    second, _ = build(first.lock, WHY._replace(tags=("a",)), now=now)
    assert second.notes[0].mod == 1001


def test_a_changed_picture_moves_the_time_of_the_notes_that_show_it() -> None:
    shown = WHAT._replace(media=(picture("1"),))
    first = release(WHY, shown)
    second, _ = build(first.lock, WHY, WHAT._replace(media=(picture("2"),)), now=2000)
    assert [each.mod for each in second.notes] == [1000, 2000]


def test_ids_for_every_note_update_none() -> None:
    first = release(WHY, WHAT)
    second, _ = build(first.lock, WHY._replace(id="a"), WHAT._replace(id="b"), now=2000)
    assert [(each.guid, each.mod) for each in second.notes] == [(e.guid, e.mod) for e in first.notes]
    assert not second.changes
    assert [record.fingerprint.id for record in second.lock.records] in (["a", "b"], ["b", "a"])


def test_a_moved_note_is_not_sent_again() -> None:
    first = release(WHY, WHAT)
    moved = (WHY._replace(deck="Torch::Autograd"), WHAT._replace(deck="PyTorch::Leaves"))
    second, _ = build(first.lock, *moved, now=2000)
    assert [each.mod for each in second.notes] == [1000, 1000]
    assert in_short(second.changes) == "2 moved"
    third, _ = build(second.lock, *moved, now=3000)
    assert third.lock == second.lock
    again, _ = build(second.lock, moved[0], WHAT._replace(deck="PyTorch::Stems", difficulty="hard"), now=3000)
    assert [each.mod for each in again.notes] == [1000, 3000]
    assert in_short(again.changes) == "1 changed, 1 moved"


def test_a_note_that_comes_back_in_another_deck_is_not_sent_again() -> None:
    first = release(WHY, WHAT)
    gone, _ = build(first.lock, WHY, now=2000)
    back, _ = build(gone.lock, WHY, WHAT._replace(deck="PyTorch::Leaves"), now=3000)
    assert [each.mod for each in back.notes] == [1000, 1000]
    assert in_short(back.changes) == "1 moved, 1 back"


def test_a_change_of_case_in_the_name_of_a_deck_is_no_edit() -> None:
    first = release(WHY)
    second, _ = build(first.lock, WHY._replace(deck=WHY.deck.upper()), now=2000)
    assert (second.notes[0].mod, in_short(second.changes)) == (1000, "nothing changed")
    assert second.lock.records[0].fingerprint.deck == WHY.deck.upper()


def test_a_merge_of_moves_is_an_edit_only_if_a_text_differs_as_well() -> None:
    """Both lines have the time of the text, which neither branch has edited."""
    first = release(WHY)
    (record,) = first.lock.records
    decks = ("PyTorch::Leaves", "PyTorch::Stems")
    lines = tuple(sorted((deck, content_hash(WHY, deck)) for deck in decks))
    unknown = record._replace(fingerprint=record.fingerprint._replace(content="0" * 12))
    for merged, mod in ((lines, 1000), ((lines[0], (decks[1], "a" * 12)), 2000), ((), 2000)):
        lock = first.lock._replace(records=(unknown._replace(merged=merged),))
        second, _ = build(lock, WHY, now=2000)
        assert [(each.mod, each.merged) for each in second.lock.records] == [(mod, ())]


def test_a_change_of_kind_is_an_update() -> None:
    first = release(WHY)
    second, _ = build(first.lock, WHY._replace(kind=Kind.REVERSED), now=2000)
    assert second.notes[0].guid == first.notes[0].guid
    assert in_short(second.changes) == "1 changed"


def test_refresh_stamps_every_note_again_and_no_note_type() -> None:
    first = release(WHY, WHAT)
    second, _ = build(first.lock, WHY, WHAT, now=2000, refresh=True)
    assert [each.mod for each in second.notes] == [2000, 2000]
    assert second.types == first.types
    assert in_short(second.changes) == "2 sent again"


def test_changed_templates_move_the_time_of_their_note_type_alone() -> None:
    first = release(WHY)
    second, _ = build(first.lock, WHY, now=900, types=TYPES | {"qa": "c" * 12})
    assert second.types == {"cloze": 1000, "qa": 1001}
    assert [each.mod for each in second.notes] == [1000]
    assert second.changes == Changes(types=(TypeRecord("qa", 1001, "c" * 12),))


# Retired and back


def test_a_note_that_is_gone_is_retired_and_comes_back_under_its_guid() -> None:
    first = release(WHY, WHAT)
    second, _ = build(first.lock, WHAT)
    third, _ = build(second.lock, WHY, WHAT, now=2000)
    assert in_short(second.changes) == "1 retired"
    assert [record.live for record in second.lock.records].count(False) == 1
    assert in_short(third.changes) == "1 back"
    assert third.notes == first.notes


def test_a_note_that_comes_back_changed_is_newer() -> None:
    first = release(WHY, WHAT)
    second, _ = build(first.lock, WHAT)
    third, _ = build(second.lock, WHY._replace(tags=("a",)), WHAT, now=2000)
    assert [each.mod for each in third.notes] == [2000, 1000]


# One file of the collection


ELSEWHERE = note("What is a hook?", "A function that is called.", path="cards/b.md")


def test_a_selection_changes_nothing_outside() -> None:
    first = release(WHY, ELSEWHERE)
    edited = (WHY._replace(tags=("a",)), ELSEWHERE._replace(tags=("a",)), note("New?", path="cards/b.md"))
    second, _ = build(first.lock, *edited, now=2000, selected=frozenset({"cards/a.md"}))
    assert [each.mod for each in second.notes] == [2000, 1000, 0]
    assert in_short(second.changes) == "1 changed"
    assert len(second.lock.records) == 2


def test_a_selection_retires_nothing() -> None:
    first = release(WHY, WHAT, ELSEWHERE)
    second, _ = build(first.lock, WHY, selected=frozenset({"cards/a.md"}))
    assert second.lock == first.lock


def test_a_note_of_the_selection_does_not_take_the_guid_of_one_outside() -> None:
    moved_out = WHY._replace(location=Location("cards/b.md", 1))
    asked_again = WHY._replace(answer=WHAT.answer)
    first = release(WHY)
    second, _ = build(first.lock, moved_out, asked_again, selected=frozenset({"cards/a.md"}))
    assert second.notes[0].guid == first.notes[0].guid != second.notes[1].guid


def test_of_twins_the_selected_one_gets_the_guid_that_can_be_derived() -> None:
    """The other note is in a file that is not being built, where the error is reported."""
    twin = WHY._replace(answer=WHAT.answer, location=Location("cards/b.md", 1))
    resolution, _ = build(empty_lock(), twin, WHY, selected=frozenset({"cards/a.md"}))
    assert resolution.notes[1].guid == derive_guid(summarise(WHY), COLLECTION, ())


def test_a_selection_writes_no_lock_that_cannot_be_read(tmp_path: Path) -> None:
    """One of the notes with this id is outside the selection, so it is not an error of this build."""
    first = release(ELSEWHERE._replace(id="x"))
    twins = (ELSEWHERE._replace(id="x"), WHY._replace(id="X"))
    second, _ = build(first.lock, *twins, selected=frozenset({"cards/a.md"}))
    file = tmp_path / "deck.lock"
    file.write_text(format_lock(second.lock))
    assert read_lock(file, shown="", collection_id=COLLECTION)[1] == []


# Messages to the author


def test_a_plain_folder_is_told_nothing_about_locks() -> None:
    assert build(Lock("plain"), WHY)[1] == []


def reread(lock: Lock) -> Lock:
    return lock._replace(new=False)


def again(first: tuple[Note, ...], *second: Note, now: int = 2000) -> list[Diagnostic]:
    """Release some notes, then others; return the messages of the second release."""
    return build(reread(release(*first).lock), *second, now=now)[1]


def test_a_note_reworded_and_rewritten_is_new_and_both_are_named() -> None:
    old = note("What does the learning rate change?", "Much.")
    sibling = note("What does the learning rate schedule change?", "Little.", line=9)
    new = note("What does the learning rate change first?", "Too much.", line=3)
    records = {r.fingerprint.heading: r.guid for r in release(old, sibling).lock.records}
    (found,) = again((old, sibling), new, sibling)
    assert (found.location, found.rule, found.severity) == (new.location, "maybe-reworded", Severity.WARNING)
    assert found.length == len("What does the learning rate change first?")
    assert found.message == (
        "this note is new to learners, but resembles one that is gone: `What does the learning rate change?`"
    )
    assert found.help == (
        f"if this is the same note, run `ptcards keep` or add `id={records['What does the learning rate change?']}` to its card comment to keep "
        "the reviews; if not, do nothing"
    )


def test_new_notes_that_resemble_the_same_one_name_each_other() -> None:
    old = note("What is a leaf of a graph?", "One.")
    new = [
        note(f"What is a leaf in a {size} graph?", "Two.", line=line)
        for size, line in (("big", 3), ("small", 9))
    ]
    guid = release(old).notes[0].guid
    assert [found.help for found in again((old,), *new)] == [
        f"if this and not {other} is the same note, run `ptcards keep` or add `id={guid}` to its card comment "
        "to keep the reviews; if not, do nothing"
        for other in ("cards/a.md:9", "cards/a.md:3")
    ]


def test_the_cure_that_is_offered_keeps_the_reviews_even_after_the_build() -> None:
    old, new = note("What is a leaf of a graph?", "One."), note("What is a leaf in a big graph?", "Two.")
    other = note("What is a leaf of a tree?", "Three.")
    first = release(old, other)
    second, (found,) = build(reread(first.lock), new, other)
    guid = found.help.partition("id=")[2].partition("`")[0]
    assert guid == first.notes[0].guid != second.notes[0].guid
    for lock in (first.lock, second.lock):
        cured, _ = build(reread(lock), new._replace(id=guid), other)
        assert cured.notes[0].guid == first.notes[0].guid
        assert (
            build(reread(cured.lock), new._replace(id=guid, answer=WHY.answer), other)[0].notes[0].guid
            == guid
        )


def test_several_candidates_are_all_named() -> None:
    one, two = note("What is a leaf of a plant here?", "One."), note("What is a leaf of a tree?", "Two.")
    first = release(one, two)
    (found,) = build(reread(first.lock), note("What is a leaf of a plant?", "Green."))[1]
    assert found.message.endswith("`What is a leaf of a plant here?` or `What is a leaf of a tree?`")
    assert all(each.guid in found.help for each in first.notes)


def test_of_several_candidates_with_the_same_answer_the_nearest_question_is_first() -> None:
    answer = "The last dimension changes, and all others are what they were before the call."
    layers = ("Linear", "Conv1d", "LSTM")
    old = [note(f"What shape has the output of `nn.{layer}(3, 4)` for a batch?", answer) for layer in layers]
    for layer in layers:
        (found,) = again(tuple(old), note(f"What does `nn.{layer}(3, 4)` return for two examples?", answer))
        nearest = f"`What shape has the output of nn.{layer}(3, 4) for a batch?`"
        assert found.message.partition(": ")[2].split(" or ")[0] == nearest
        assert [
            each.count("id=") for each in found.help.split(" (in the same order, most likely first) ")
        ] == [
            3,
            0,
        ]


def test_of_many_candidates_the_most_similar_three_are_named() -> None:
    asked = ("a", "a of a", "a of a big", "a of a big oak")
    old = [note(f"What does a gardener call a leaf {words} tree?", f"A leaf {words}.") for words in asked]
    (found,) = again(tuple(old), note("What does a gardener call a leaf of a big old oak tree?", "Green."))
    assert found.message == (
        "this note is new to learners, but resembles one that is gone: `What does a gardener call a leaf a of a big oak tree?` or "
        "`What does a gardener call a leaf a of a big tree?` or `What does a gardener call a leaf a of a tree?`"
    )


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(WHY._replace(deck="Other", answer=WHAT.answer), id="the question in another deck"),
        pytest.param(note("Why `inference_mode`?", "It saves memory."), id="the answer"),
    ],
)
def test_a_note_that_is_like_one_that_is_gone_is_never_new_without_a_word(new: Note) -> None:
    assert [found.rule for found in again((WHY, WHAT), new, WHAT)] == ["maybe-reworded"]


def test_a_heading_that_is_nearly_the_same_is_asked_about_unless_it_names_another_thing() -> None:
    old = note("What does the `lr` of an optimizer change?", "Much.")
    assert [
        found.rule for found in again((old,), note("What does the `lr` of the optimizer change?", "Little."))
    ] == ["maybe-reworded"]
    (pair,) = again((old,), note("What does the `eps` of an optimizer change?", "Little."))
    assert pair.rule == "possible-pair"


METHOD = note("Which method returns the plain number in a tensor?", "`item()`")


@pytest.mark.parametrize("others", [(), (note("What else?", "`item()`", deck="Other"),)])
def test_a_short_answer_that_only_one_note_of_the_deck_has_is_asked_about(others: tuple[Note, ...]) -> None:
    (found,) = again((METHOD, *others), note("How do you get a float out of it?", "`item()`"), *others)
    assert found.rule == "maybe-reworded"
    assert f"`id={release(METHOD).notes[0].guid}`" in found.help


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ((note("What else?", "`item()`"),), (note("What else?", "`item()`"),)),
        ((note("What else?", "`item()`"),), (note("What else?", "Nothing."),)),
        ((note("What else?", "Nothing."),), (note("What else?", "`item()`"),)),
    ],
    ids=["still", "before", "now"],
)
def test_a_short_answer_that_several_notes_of_the_deck_have_says_nothing(
    old: tuple[Note, ...], new: tuple[Note, ...]
) -> None:
    found = again((METHOD, *old), note("How do you get a float out of it?", "`item()`"), *new)
    assert [each.rule for each in found] == ["possible-pair"]


def test_a_question_turned_round_is_asked_about_whoever_else_has_its_short_answer() -> None:
    others = (note("Is a leaf a tensor?", "True."), note("Is a hook a function?", "True."))
    old = note("What happens to the loss if the gradient is zero?", "True.")
    new = note("If the gradient is zero, really, what happens to the loss?", "True.")
    assert [found.rule for found in again((old, *others), new, *others)] == ["maybe-reworded"]


def test_of_many_notes_with_a_short_answer_that_are_gone_the_one_that_is_alike_is_named() -> None:
    others = tuple(note(f"Is statement {name} right?", "True.") for name in "abcdefgh")
    old = note("What happens to the loss if the gradient is zero?", "True.")
    (found,) = again(
        (*others, old), note("If the gradient is zero, really, what happens to the loss?", "True.")
    )
    assert f"`id={release(old).notes[0].guid}`" in found.help


def test_a_note_with_a_short_answer_reworded_and_moved_is_asked_about() -> None:
    old = note("What does a kernel do in loss code?", "`float32`")
    new = note("What does a kernel really do in loss code?", "`float32`", deck="PyTorch::Tensors")
    assert [found.rule for found in again((old, WHAT), new, WHAT)] == ["maybe-reworded"]


def test_an_answer_moved_to_another_deck_under_another_question_is_told_if_it_is_long() -> None:
    assert said(again((note("Why?"),), note("What for?", deck="PyTorch::Other")))[0][0] == "maybe-reworded"
    assert again((note("Why?", "x"),), note("What for?", "x", deck="PyTorch::Other")) == []


def test_a_short_answer_that_grew_is_asked_about_like_one_that_is_the_same() -> None:
    old, others = note("What is the usual amount of `Arc<T>`?", "Never."), (WHAT, note("Is it?", "Never."))
    new = note("How much `Arc<T>` is usual?", "Never. That is all.")
    (found,) = again((old, *others), new, *others)
    assert (found.rule, f"`id={release(old).notes[0].guid}`" in found.help) == ("maybe-reworded", True)
    (alone,) = again((old, WHAT), note("May I?", "Never. That is all."), WHAT)
    assert alone.rule == "maybe-reworded"
    (common,) = again((old, *others), note("May I?", "Never. That is all."), *others)
    assert common.rule == "possible-pair"


def test_a_note_that_resembles_nothing_is_new_without_ado() -> None:
    gone = note("Who frees the graph?", "Nobody, at first.")
    assert again((WHY, WHAT, gone), WHAT, note("How many bits has a byte?", "8")) == []


def test_a_note_that_resembles_one_that_is_still_there_is_new_without_ado() -> None:
    assert again((WHY,), WHY, note("Why `no_grad`, then?", "Guess.")) == []


def test_basic_to_cloze_is_a_new_note_and_told() -> None:
    first = release(WHY)
    cloze = WHY._replace(kind=Kind.CLOZE)
    second, (found,) = build(reread(first.lock), cloze)
    assert second.notes[0].guid != first.notes[0].guid
    assert in_short(second.changes) == "1 new, 1 retired"
    assert [(pair.before.guid, pair.after.guid) for pair in second.changes.switched] == [
        (first.notes[0].guid, second.notes[0].guid)
    ]
    assert (found.rule, found.message) == (
        "note-type-changed",
        "`Why no_grad?` changed from a question to a cloze: Anki cannot update it",
    )


def test_an_id_goes_to_a_cloze_that_asks_something_else() -> None:
    first = release(WHY._replace(id="why"))
    second, (found,) = build(reread(first.lock), WHAT._replace(id="why", kind=Kind.CLOZE))
    assert [(pair.before.guid, pair.after.guid) for pair in second.changes.switched] == [
        (first.notes[0].guid, second.notes[0].guid)
    ]
    assert (found.rule, found.location) == ("note-type-changed", WHAT.location)


def test_a_note_that_switches_under_its_id_and_question_is_told_once() -> None:
    first = release(WHY._replace(id="why"))
    second, said = build(reread(first.lock), WHY._replace(id="why", kind=Kind.CLOZE))
    assert (len(second.changes.switched), [found.rule for found in said]) == (1, ["note-type-changed"])


def test_a_cloze_beside_a_question_that_goes_is_no_switch() -> None:
    cloze = note("How many bits has a {{c1::byte}}?", "8", kind=Kind.CLOZE)
    second, said = build(reread(release(WHY).lock), cloze)
    assert (in_short(second.changes), second.changes.switched, said) == ("1 new, 1 retired", (), [])


def test_cloze_to_basic_and_back_returns_to_the_first_guid() -> None:
    cloze = WHY._replace(kind=Kind.CLOZE, id="why")
    first = release(cloze)
    second, (found,) = build(reread(first.lock), WHY._replace(id="why"))
    third, _ = build(reread(second.lock), cloze)
    assert found.message == ("`Why no_grad?` changed from a cloze to a question: Anki cannot update it")
    assert third.notes[0].guid == first.notes[0].guid != second.notes[0].guid


def test_an_id_of_a_retired_note_at_another_note_is_told() -> None:
    first = release(WHY._replace(id="x"))
    second, _ = build(reread(first.lock))
    third, (found,) = build(reread(second.lock), WHAT._replace(id="x"))
    assert third.notes[0].guid == first.notes[0].guid
    assert (found.rule, found.message) == (
        "revived-id",
        "`id=x` revives the retired note `Why no_grad?` and its reviews",
    )


MODE = note("What good is inference mode, if `add` is fast?", "It records nothing, so nothing is freed.")


@pytest.mark.parametrize(
    "named",
    [
        pytest.param(MODE, id="only the id was added"),
        pytest.param(MODE._replace(answer=Text("Nothing is recorded.")), id="the answer changed"),
        pytest.param(MODE._replace(heading=Text("Why would you use inference mode?")), id="reworded"),
    ],
)
def test_a_note_that_returns_under_its_guid_replaces_its_stand_in_and_nothing_is_asked(named: Note) -> None:
    first = release(note("Why `no_grad`?"), WHAT)
    old = first.notes[0].guid
    second, _ = build(reread(first.lock), MODE, WHAT)
    third, (found,) = build(reread(second.lock), named._replace(id=old), WHAT)
    assert third.notes[0].guid == old
    stand_in = "`What good is inference mode, if add is fast?`"
    assert (found.location, found.rule, found.severity, found.message) == (
        MODE.location,
        "revived-note",
        Severity.HINT,
        f"`id={old}` brings back `Why no_grad?`, and retires its stand-in {stand_in}",
    )
    assert build(reread(third.lock), named._replace(id=old), WHAT)[1] == []


def test_a_note_that_comes_back_under_its_id_is_no_surprise() -> None:
    first = release(WHY._replace(id="x"))
    second, _ = build(reread(first.lock))
    assert build(reread(second.lock), WHY._replace(id="x", answer=WHAT.answer))[1] == []


def test_a_deck_written_in_other_case_is_no_move() -> None:
    other = WHY._replace(deck="PYTORCH::Autograd")
    assert again((WHY,), other) == []
    assert build(release(WHY).lock, other)[0].changes == Changes()


def test_a_lock_ahead_of_the_clock_is_told_from_a_day_on() -> None:
    day = 86_400
    first = reread(release(WHY, now=day + 1000).lock)
    assert build(first, WHY._replace(tags=("a",)), now=1000)[1] == []
    (found,) = build(first, WHY._replace(tags=("a",)), now=999)[1]
    assert (found.location, found.rule, found.message) == (
        Location("cards/deck.lock", 1),
        "lock-ahead-of-clock",
        "the newest note is dated 1 day in the future",
    )


@pytest.mark.parametrize(
    ("shown", "place", "way"),
    [
        ("cards/deck.lock", "cards/deck.lock", "`SOURCE_DATE_EPOCH`, restore `deck.lock` and build again"),
        ("", "cards/a.md", "`SOURCE_DATE_EPOCH` and build again"),
    ],
    ids=["with a lock", "without"],
)
def test_a_clock_after_2100_is_told_if_it_dates_something(shown: str, place: str, way: str) -> None:
    last = 4_102_444_799
    first = release(WHY, now=1000).lock._replace(shown=shown)
    edited = WHY._replace(tags=("a",))
    assert build(first, edited, now=last)[1] == []
    assert build(first, WHY, now=last + 1)[1] == []
    (found,) = build(first, edited, now=last + 1)[1]
    assert (found.location, found.rule, found.severity, found.message, found.help) == (
        Location(place, 1),
        "far-future-clock",
        Severity.WARNING,
        "the clock is past the year 2100",
        f"correct this machine's clock or {way}",
    )


def test_nothing_is_told_about_notes_outside_the_selection() -> None:
    first = release(WHY, ELSEWHERE)
    reworded = note("What is a hook, then?", "Guess.", path="cards/b.md")
    assert build(reread(first.lock), WHY, reworded, selected=frozenset({"cards/a.md"}))[1] == []


# A lost lock


def test_without_the_lock_guids_are_the_same_where_they_can_be_derived() -> None:
    first = release(WHY, WHAT._replace(id="leaf"), note("Why is that so fast?", LONG))
    reworded = (
        WHY,
        WHAT._replace(id="leaf", heading=WHY.heading, deck="X"),
        note("How is that so fast?", LONG),
    )
    second, _ = build(first.lock, *reworded)
    third = release(*reworded)
    assert [a.guid == b.guid for a, b in zip(second.notes, third.notes, strict=True)] == [True, True, False]


# Two branches


def test_what_two_branches_did_survives_a_union_of_their_locks(tmp_path: Path) -> None:
    base = release(WHY, WHAT)
    ours, _ = build(base.lock, WHY._replace(tags=("a",)), WHAT, note("Ours?", LONG), now=2000)
    theirs, _ = build(base.lock, WHY, WHAT._replace(answer=WHY.answer), note("Theirs?", "x"), now=3000)
    ours_lines, theirs_lines = (format_lock(each.lock).splitlines() for each in (ours, theirs))
    file = tmp_path / "deck.lock"
    file.write_text("\n".join([*ours_lines, *theirs_lines]) + "\n")
    lock, diagnostics = read_lock(file, shown="deck.lock", collection_id=COLLECTION)
    assert lock is not None
    assert diagnostics == []
    merged = (
        WHY._replace(tags=("a",)),
        WHAT._replace(answer=WHY.answer),
        note("Ours?", LONG),
        note("Theirs?", "x"),
    )
    after, found = resolve(merged, lock, type_hashes=TYPES, clock=never, refresh=False, selected=None)
    guids = {each.note.heading.markdown: each.guid for each in (*base.notes, *ours.notes, *theirs.notes)}
    assert {each.note.heading.markdown: each.guid for each in after.notes} == guids
    assert [each.mod for each in after.notes] == [2000, 3000, 2000, 3000]
    assert found == []


# --locked


def differences(lock: Lock, *notes: Note, types: dict[str, str] = TYPES) -> tuple[str, ...]:
    summaries = list(map(summarise, notes))
    found, _ = identify(summaries, lock, type_hashes=types)
    return locked_differences(found, summaries, lock)


def test_a_lock_that_is_up_to_date_has_no_differences() -> None:
    assert differences(release(WHY, WHAT).lock, WHY, WHAT) == ()


def test_every_difference_is_a_line() -> None:
    lock = release(WHY, WHAT, ELSEWHERE, note("Gone?", "x")).lock
    notes = (
        WHY._replace(id="why", tags=("a",)),
        WHAT._replace(deck="Leaf::Autograd"),
        ELSEWHERE,
        note("New?", "y", line=8),
    )
    assert differences(lock, *notes, types=TYPES | {"qa": "d" * 12}) == (
        "cards/a.md:1:1: Why `no_grad`?: changed id, text",
        "cards/a.md:5:1: What is a leaf?: changed deck",
        "cards/a.md:8:1: New?: new",
        "cards/deck.lock: Gone?: gone",
        "cards/deck.lock: note type qa: templates or CSS changed",
    )


def test_a_note_that_is_back_is_a_difference() -> None:
    first = release(WHY, WHAT)
    second, _ = build(first.lock, WHY)
    assert differences(second.lock, WHY, WHAT) == ("cards/a.md:5:1: What is a leaf?: back",)


# The clock


def test_the_clock_is_the_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    assert read_clock() > 1_700_000_000


def test_source_date_epoch_overrides_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "12345")
    assert read_clock() == 12345


@pytest.mark.parametrize("wrong", ["", "0", "-1", "1.5", "soon", "０", "1" * 40])
def test_a_source_date_epoch_that_is_no_time_is_refused(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", wrong)
    with pytest.raises(ClockError) as caught:
        read_clock()
    assert (
        str(caught.value) == f"SOURCE_DATE_EPOCH must be a whole number of seconds, 1 or more, not `{wrong}`"
    )


# Notes matched by similarity


def test_what_was_recognised_is_listed_with_both_wordings_and_typography_counted() -> None:
    old = (note("Why `no_grad`?"), note("What is a leaf of a tree?", "One.", line=9))
    new = (
        note("What is the use of `no_grad`, after all?", line=4),
        note("what is a leaf of a tree", "Two.", line=9),
    )
    first = release(*old)
    identities, _ = identify(
        list(map(summarise, new)),
        first.lock,
        type_hashes=TYPES,
        clock=lambda: 2000,
        refresh=False,
        selected=None,
    )
    assert identities.guids == tuple(each.guid for each in first.notes)
    assert identities.recognised == (
        Recognised(
            Location("cards/a.md", 4),
            "Why `no_grad`?",
            "What is the use of `no_grad`, after all?",
            "same answer",
            length=len("What is the use of `no_grad`, after all?"),
        ),
    )
    assert identities.respelt == 1


@pytest.mark.parametrize(
    "back",
    [
        note("What is the use of `no_grad`?", LONG, deck="X"),
        note("What is the use of `no_grad`?", LONG, deck="Y"),
        note("Why is `no_grad` used?", "For speed.", deck="Y"),
        note("Why would one use `no_grad`?", f"{LONG} Or so.", deck="X"),
    ],
    ids=["reworded", "reworded and moved", "moved with another answer", "reworded and edited"],
)
def test_a_retired_note_that_is_back_with_a_part_of_its_text_is_asked_about(back: Note) -> None:
    first = release(WHY, note("Why is `no_grad` used?", LONG, deck="X"))
    gone, _ = build(first.lock, WHY)
    _, found = build(gone.lock, WHY, back)
    guid = first.notes[1].guid
    assert [(each.rule, f"`id={guid}`" in each.help) for each in found] == [("maybe-reworded", True)]


def test_an_id_of_a_note_that_is_still_there_is_an_error_that_names_both() -> None:
    first = release(note("Why?"))
    guid = first.notes[0].guid
    found = build(first.lock, note("Why?"), note("Cats?", "Nine lives.", id=guid, line=7))[1]
    assert [each for each in found if each.severity is Severity.ERROR] == [
        Diagnostic(
            Location("cards/a.md", 7),
            "id-of-another",
            Severity.ERROR,
            f"`id={guid}` belongs to the note at cards/a.md:1:1, which still exists",
            "use another id; to move the reviews here, first give that note its own id",
            length=len(f"id={guid}"),
        )
    ]


def test_notes_with_an_id_or_other_typography_alone_are_not_recognised_by_likeness() -> None:
    old = (note("Why `no_grad`?"), note("What is a leaf of a tree?", "One."), note("Who?", "You.", id="who"))
    first = release(*old)
    reworded = note("What is the use of `no_grad`, after all?")
    renamed = note("And who else?", "Nobody.", id="WHO")
    second, _ = build(first.lock, reworded, note("what is a leaf of a tree", "Two."), renamed)
    assert len(second.changes.reworded) == 3
    assert [
        (pair.before.fingerprint.heading, pair.after.fingerprint.heading)
        for pair in second.changes.recognised
    ] == [("Why `no_grad`?", "What is the use of `no_grad`, after all?")]
    guid = first.notes[0].guid
    third, _ = build(first.lock, reworded._replace(id=guid), *old[1:])
    assert (len(third.changes.reworded), third.changes.recognised) == (1, ())
