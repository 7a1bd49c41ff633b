"""Each pass of the matching, with the notes that it pairs and those that it leaves alone."""

from collections.abc import Iterable

import pytest

from identity_notes import LONG, build, note, release
from ptcards.identity.hashes import NoteSummary, summarise
from ptcards.identity.lock import Record, guid_as_id
from ptcards.identity.match import match
from ptcards.notes import Kind, Note, Text

SHORT = "float32"


def summaries(notes: Iterable[Note]) -> list[NoteSummary]:
    return [summarise(each) for each in notes]


def published(*notes: Note, live: bool = True) -> list[Record]:
    """Return records, with GUIDs named after the position of the note: `guid-0`."""
    return [
        Record(f"guid-{n}", 1, live=live, fingerprint=each.fingerprint)
        for n, each in enumerate(summaries(notes))
    ]


def found(records: list[Record], *notes: Note) -> dict[int, str]:
    matched = match(summaries(notes), records)
    return {position: record.guid for position, record in matched.found.items()}


# 1. id


def test_an_id_matches_whatever_else_changed() -> None:
    records = published(note("Why?", "Because.", id="why"))
    assert found(records, note("What for?", "For fun.", deck="Other", id="why")) == {0: "guid-0"}


def test_an_id_matches_without_regard_to_case() -> None:
    assert found(published(note("Why?", id="Why")), note("What for?", "x", id="wHY")) == {0: "guid-0"}


def test_an_id_brings_back_a_retired_note() -> None:
    records = published(note("Why?", "Because.", id="why"), live=False)
    assert found(records, note("What for?", "For fun.", id="why")) == {0: "guid-0"}


def test_an_id_matches_no_note_of_the_other_type() -> None:
    assert found(published(note("Why?", id="why")), note("Why?", id="why", kind=Kind.CLOZE)) == {}


def test_a_record_whose_id_is_still_in_the_sources_waits_for_it() -> None:
    records = published(note("Why?", id="why"))
    assert found(records, note("Why?"), note("What for?", "x", id="why")) == {1: "guid-0"}


def test_an_id_at_two_notes_matches_neither() -> None:
    records = published(note("Why?", id="why"))
    assert found(records, note("Why?", id="why"), note("What for?", id="Why")) == {}


def test_the_guid_of_a_record_serves_as_its_id() -> None:
    """This is the fix that `maybe-reworded` suggests. A GUID is a valid id, and identifies the record."""
    records = [each._replace(guid="0aB3xK9pQ2z") for each in published(note("Why?", "Because."))]
    assert found(records, note("What for?", "For fun.", id="0aB3xK9pQ2z")) == {0: "0aB3xK9pQ2z"}
    assert found(records, note("What for?", "For fun.", id="0ab3xk9pq2z")) == {}


# 2. deck, question and answer


def test_an_unchanged_note_matches() -> None:
    assert found(published(note("Why?")), note("Why?")) == {0: "guid-0"}


def test_order_and_place_mean_nothing() -> None:
    notes = [note(f"Why {n}?", SHORT) for n in range(4)]
    shuffled = [notes[n]._replace(location=notes[n].location._replace(line=n)) for n in (2, 0, 3, 1)]
    assert found(published(*notes), *shuffled) == {0: "guid-2", 1: "guid-0", 2: "guid-3", 3: "guid-1"}


def test_an_unchanged_note_keeps_its_record_when_it_gets_an_id() -> None:
    assert found(published(note("Why?")), note("Why?", id="why")) == {0: "guid-0"}


def test_a_changed_id_is_a_rename_if_the_text_is_as_it_was() -> None:
    records = published(note("Why?", SHORT, id="why"))
    assert found(records, note("Why?", SHORT, id="reason")) == {0: "guid-0"}
    assert found(records, note("Why?", SHORT)) == {0: "guid-0"}


def test_a_changed_id_with_a_changed_answer_is_another_note() -> None:
    assert found(published(note("Why?", "One.", id="why")), note("Why?", "Two.", id="reason")) == {}


def test_of_two_copies_the_one_in_the_records_deck_keeps_it() -> None:
    records = published(note("Why?", deck="A"))
    assert found(records, note("Why?", deck="B"), note("Why?", deck="A")) == {1: "guid-0"}


@pytest.mark.parametrize("live", [True, False])
def test_of_two_copies_without_the_id_they_had_the_one_in_the_records_deck_keeps_it(live: bool) -> None:
    records = published(note("Why?", deck="A", id="why"), live=live)
    assert found(records, note("Why?", deck="B"), note("Why?", deck="A")) == {1: "guid-0"}


def test_a_retired_note_comes_back() -> None:
    assert found(published(note("Why?", SHORT), live=False), note("Why?", SHORT)) == {0: "guid-0"}


def test_a_deck_name_in_other_case_is_the_same_deck() -> None:
    """As in Anki, a change of case is not a move."""
    records = published(note("Why?", "One.", deck="Autograd"))
    assert found(records, note("Why?", "Two.", deck="autograd")) == {0: "guid-0"}


def test_notes_that_are_there_twice_keep_their_records_in_order() -> None:
    assert found(published(note("Why?"), note("Why?")), note("Why?"), note("Why?")) == {
        0: "guid-0",
        1: "guid-1",
    }


@pytest.mark.parametrize(("then", "now"), [(2, 3), (3, 2), (1, 2), (2, 1)])
def test_of_notes_that_are_there_several_times_as_many_as_possible_keep_their_records(
    then: int, now: int
) -> None:
    records = published(*[note("Why?")] * then)
    assert found(records, *[note("Why?")] * now) == {n: f"guid-{n}" for n in range(min(then, now))}
    retired = [each._replace(live=False) for each in records]
    assert found(retired, *[note("Why?")] * now) == {}
    named = published(*[note("Why?", id="why")] * then)
    assert found(named, *[note("Why?")] * now) == {}


def test_of_two_of_the_same_one_that_an_id_takes_is_no_longer_there() -> None:
    records = published(note("Why?"), note("Why?"))
    taking = note("What for?", "For fun.", id=guid_as_id("guid-0"))
    assert found(records, taking, note("Why?")) == {0: "guid-0", 1: "guid-1"}
    assert found(records, taking, note("Why?"), note("Why?")) == {0: "guid-0", 1: "guid-1"}


def test_a_note_that_comes_back_raises_no_doubt_about_the_text_elsewhere() -> None:
    retired = [each._replace(guid="retired") for each in published(note("Why?", deck="B"), live=False)]
    records = [*published(note("Why?", deck="A")), *retired]
    assert found(records, note("Why?", SHORT, deck="A"), note("Why?", deck="B")) == {
        0: "guid-0",
        1: "retired",
    }


# 3. question and answer


def test_a_moved_note_matches() -> None:
    assert found(published(note("Why?", SHORT, deck="A")), note("Why?", SHORT, deck="B")) == {0: "guid-0"}


def test_a_note_moved_to_two_decks_at_once_is_a_guess() -> None:
    records = published(note("Why?", deck="A"))
    assert found(records, note("Why?", deck="B"), note("Why?", deck="C")) == {}


def test_a_retired_note_comes_back_in_another_deck() -> None:
    records = published(note("Why?", SHORT, deck="A"), live=False)
    assert found(records, note("Why?", SHORT, deck="B")) == {0: "guid-0"}


# 4. deck and question


def test_a_rewritten_answer_keeps_the_record() -> None:
    assert found(published(note("Why?", "One.")), note("Why?", "Two.")) == {0: "guid-0"}


def test_the_same_question_in_two_decks_is_two_notes() -> None:
    records = published(
        note("What is the default?", "1", deck="A"), note("What is the default?", "2", deck="B")
    )
    notes = (note("What is the default?", "4", deck="B"), note("What is the default?", "3", deck="A"))
    assert found(records, *notes) == {0: "guid-1", 1: "guid-0"}


def test_notes_that_swap_their_answers_keep_their_questions() -> None:
    records = published(note("Why?", "One."), note("What for?", "Two."))
    assert found(records, note("Why?", "Two."), note("What for?", "One.")) == {0: "guid-0", 1: "guid-1"}


def test_a_retired_note_comes_back_with_another_answer() -> None:
    assert found(published(note("Why?", "One."), live=False), note("Why?", "Two.")) == {0: "guid-0"}


@pytest.mark.parametrize("live", [True, False])
def test_a_record_with_an_id_waits_for_its_id_where_only_the_question_is_the_same(*, live: bool) -> None:
    records = published(note("Why?", "One.", id="why"), live=live)
    assert found(records, note("Why?", "Two.")) == {}
    assert found(records, note("Why?", "One.")) == {0: "guid-0"}


def test_a_live_note_comes_before_a_retired_one_of_the_same_text() -> None:
    retired = [each._replace(guid="old") for each in published(note("Why?"), live=False)]
    assert found(retired + published(note("Why?")), note("Why?")) == {0: "guid-0"}


# Several candidates


LIVE_OR_RETIRED = pytest.mark.parametrize("live", [True, False])


@LIVE_OR_RETIRED
def test_a_text_elsewhere_and_its_question_with_another_answer_are_a_guess(live: bool) -> None:
    """The note was either moved and asked again, or copied and rewritten; only one note owns the schedule."""
    records = published(note("Why?", "Old.", deck="A"), live=live)
    assert found(records, note("Why?", "New.", deck="A"), note("Why?", "Old.", deck="B")) == {}


@LIVE_OR_RETIRED
def test_notes_of_one_question_that_swap_decks_or_answers_are_a_guess(live: bool) -> None:
    records = published(note("Why?", "1", deck="A"), note("Why?", "2", deck="B"), live=live)
    assert found(records, note("Why?", "2", deck="A"), note("Why?", "1", deck="B")) == {}


def test_a_note_with_the_question_of_one_and_the_text_of_another_that_is_gone_is_a_guess() -> None:
    records = published(note("Why?", "1", deck="A"), note("Why?", "2", deck="B"))
    assert found(records, note("Why?", "2", deck="A")) == {}


@LIVE_OR_RETIRED
def test_a_question_in_other_words_and_its_old_words_with_another_answer_are_a_guess(live: bool) -> None:
    """Either the old question was asked again after a rewording, or the old answer moved to a new note."""
    records = published(note("Why `no_grad`?"), live=live)
    assert found(records, note("Why `no_grad`?", "Guess."), note("What good is inference mode?")) == {}


def test_an_answer_at_a_note_about_another_thing_raises_no_doubt() -> None:
    records = published(note("When is `torch.add` slow?"))
    notes = (note("When is `torch.add` slow?", "Seldom."), note("When is `torch.mul` slow?"))
    assert found(records, *notes) == {0: "guid-0"}


def test_notes_that_swap_their_long_answers_keep_their_questions() -> None:
    other = "They are freed as soon as the backward pass is done."
    records = published(note("Why?"), note("What for?", other))
    assert found(records, note("Why?", other), note("What for?")) == {0: "guid-0", 1: "guid-1"}


def test_what_is_doubtful_is_not_given_away_by_a_later_pass() -> None:
    """If the deck counted as renamed, the note that asks its question there would get the record."""
    records = published(note("Why?", "Old.", deck="A"), note("What for?", "x", deck="A"))
    notes = (note("Why?", "New.", deck="A"), note("Why?", "Old.", deck="B"), note("What for?", "x", deck="B"))
    assert found(records, *notes) == {2: "guid-1"}


# A renamed deck


def test_notes_edited_while_their_deck_is_renamed_are_found() -> None:
    records = published(note("Why?", "One.", deck="A"), note("What for?", "Two.", deck="A"))
    notes = (note("Why?", "One.", deck="B"), note("What for?", "Rewritten.", deck="B"))
    assert found(records, *notes) == {0: "guid-0", 1: "guid-1"}


def test_a_record_with_an_id_waits_for_its_id_in_a_renamed_deck_too() -> None:
    records = published(note("Why?", "One.", deck="A"), note("What for?", "Two.", deck="A", id="what"))
    notes = (note("Why?", "One.", deck="B"), note("What for?", "Rewritten.", deck="B"))
    assert found(records, *notes) == {0: "guid-0"}


def test_a_renamed_deck_settles_no_doubt() -> None:
    records = published(note("Why `no_grad`?", deck="A"), note("What for?", "Two.", deck="A"))
    reworded = note("What good is inference mode?", deck="B")
    notes = (note("Why `no_grad`?", "Guess.", deck="B"), reworded, note("What for?", "Two.", deck="B"))
    assert found(records, *notes) == {2: "guid-1"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param([], [note("Just written?", deck="A")], id="the old deck is still there"),
        pytest.param(
            [note("Moved on?", deck="A")], [note("Moved on?", deck="C")], id="notes went elsewhere too"
        ),
        pytest.param(
            [note("From afar?", deck="D")], [note("From afar?", deck="B")], id="notes came from elsewhere too"
        ),
        pytest.param([note("Was there?", "x", deck="B")], [], id="the new deck was there before"),
    ],
)
def test_a_deck_that_was_not_just_renamed_proves_nothing(before: list[Note], after: list[Note]) -> None:
    records = published(note("Why?", "One.", deck="A"), note("What for?", "Two.", deck="A"), *before)
    notes = (note("Why?", "One.", deck="B"), note("What for?", "Rewritten.", deck="B"), *after)
    assert 1 not in found(records, *notes)


# 5. deck and answer


def test_a_reworded_question_over_a_long_answer_keeps_the_record() -> None:
    records = published(note("Why does evaluation run so fast?"))
    assert found(records, note("What good is inference mode?")) == {0: "guid-0"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("stack", "queue", id="a word"),
        pytest.param("schön", "hübsch", id="another language"),
        pytest.param("der Hund", "die Katze", id="with an article"),
        pytest.param("the stack", "a queue", id="articles do not count"),
        pytest.param("stack overflow error", "queue underrun", id="three words"),
        pytest.param("梯度下降", "反向传播", id="Chinese characters"),
        pytest.param("データ", "配列", id="Japanese"),
        pytest.param("달리다", "뛰다", id="Korean"),
        pytest.param("backprop", "How do errors travel from layer to layer?", id="the old one is short"),
        pytest.param("How do errors travel from layer to layer?", "backprop", id="the new one is short"),
    ],
)
def test_a_short_question_of_which_no_word_stays_is_another_even_over_the_same_answer(
    old: str, new: str
) -> None:
    """Both are mentioned elsewhere, so neither is rare."""
    others = [note(f"Who first wrote about {name} in a book, and when?", "Nobody.") for name in (old, new)]
    assert 0 not in found(published(note(old), *others), note(new), *others)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("stack", "What is a stack?", id="a word stays"),
        pytest.param("tensor", "Tensors", id="inflected"),
        pytest.param("dataset", "data set", id="spaces"),
        pytest.param("gradient", "gradeint", id="misspelt"),
        pytest.param("梯度", "梯度是什么?", id="characters stay"),
        pytest.param("Why does evaluation run fast?", "What good is inference mode?", id="four words"),
    ],
)
def test_a_short_question_of_which_a_word_stays_is_the_same_over_the_same_answer(old: str, new: str) -> None:
    assert found(published(note(old)), note(new)) == {0: "guid-0"}


def test_what_and_which_ask_the_same_over_a_short_answer() -> None:
    records = published(note("Which optimiser keeps a running mean?", SHORT))
    assert found(records, note("What optimiser keeps a running mean?", SHORT)) == {0: "guid-0"}
    assert found(records, note("Whose optimiser keeps a running mean?", SHORT)) == {}


def test_a_reworded_question_over_a_short_answer_keeps_the_record_if_it_is_similar() -> None:
    records = published(note("What is the default dtype?", SHORT))
    assert found(records, note("Without a dtype, what is returned?", SHORT)) == {}
    assert found(records, note("What is the default dtype, then?", SHORT)) == {0: "guid-0"}


def test_a_short_answer_does_not_give_a_schedule_away() -> None:
    records = published(note("What is the default?", SHORT))
    assert found(records, note("Which dtype does `torch.rand` return?", SHORT)) == {}


EXCHANGED = [
    pytest.param("What does `add` return?", "What does `mul` return?", id="a name in code"),
    pytest.param("What is the limit of int8?", "What is the limit of int16?", id="a number"),
    pytest.param("Why is the Adam optimizer fast?", "Why is the Muon optimizer fast?", id="a capital"),
    pytest.param(
        "What is the default value of momentum?",
        "What is the default value of dampening?",
        id="a telling word",
    ),
    pytest.param("什么是梯度?", "什么是张量?", id="Chinese characters"),
]
"""Pairs of headings of similar cards about different subjects."""


@pytest.mark.parametrize(("old", "new"), EXCHANGED)
@pytest.mark.parametrize("answer", [LONG, SHORT])
def test_where_something_was_exchanged_the_same_answer_says_nothing(old: str, new: str, answer: str) -> None:
    assert found(published(note(old, answer)), note(new, answer)) == {}


def test_a_word_that_changes_from_sibling_to_sibling_is_exchanged() -> None:
    """Each of the two words is also in other headings; only its position is distinctive."""
    siblings = [note(f"What does {name} of a tensor do?", "Look.") for name in ("the shape", "the stride")]
    records = published(
        note("What does the size of a tensor do?"), note("Why does size matter?", "x"), *siblings
    )
    others = (note("Why does size matter?", "x"), *siblings, note("Why does length matter?", "y"))
    assert 0 not in found(records, note("What does the length of a tensor do?"), *others)


REWORDED = [
    pytest.param("What is a leaf tensor", "What is a leaf-tensor?", id="typography"),
    pytest.param("Why is `no_grad` used?", "Why is no_grad used?", id="code marks"),
    pytest.param("What is a tenosr good for?", "What is a tensor good for?", id="a misspelling"),
    pytest.param("Why do we detach tensors here?", "Why do we detach a tensor here?", id="an inflection"),
    pytest.param("What is autograd?", "What is autograd, in a few words?", id="words added"),
    pytest.param("What property is it?", "Which properties are these?", id="words that say nothing"),
    pytest.param(
        "Why is evaluation run without gradients?",
        "What good is inference mode, and when would you use it?",
        id="another sentence",
    ),
]
"""The same question in other words."""


@pytest.mark.parametrize(("old", "new"), REWORDED)
def test_a_reworded_question_keeps_the_record_by_its_answer(old: str, new: str) -> None:
    notes = [note(new)]
    matched = match(summaries(notes), published(note(old)))
    assert (matched.found[0].guid, matched.recognised) == ("guid-0", {0})


GROWN = [
    pytest.param(
        note("What limits hysteresis in practice?", "Never."),
        note("In practice, what limits hysteresis?", "Never. That is all."),
        id="a sentence more",
    ),
    pytest.param(
        note("What limits hysteresis in practice?", "Never."),
        note("In practice, what limits hysteresis?", "Never, as long as it is cold."),
        id="a longer sentence",
    ),
    pytest.param(
        note("What limits hysteresis in practice?", "Never."),
        note(
            "In practice, what limits hysteresis?", "Never.\n\nIt takes more than a day of work to find out."
        ),
        id="a long answer",
    ),
    pytest.param(
        note("What limits hysteresis in practice?", "Heat", kind=Kind.TYPED, typed="heat"),
        note("In practice, what limits hysteresis?", "Heat, of course", kind=Kind.TYPED, typed="heat"),
        id="what follows a typed answer",
    ),
    pytest.param(
        note("What limits hysteresis in practice?", "", kind=Kind.TYPED, typed="heat"),
        note("In practice, what limits hysteresis?", "Of course.", kind=Kind.TYPED, typed="heat"),
        id="a typed answer",
    ),
]
"""Notes with a short answer, in other words and with a longer answer."""


@pytest.mark.parametrize(("old", "new"), GROWN)
def test_a_short_answer_that_only_grew_counts_as_the_same(old: Note, new: Note) -> None:
    assert found(published(old), new) == {0: "guid-0"}


def test_a_short_answer_that_two_notes_have_in_a_longer_form_is_a_guess() -> None:
    old = note("What limits hysteresis in practice?", "Never.")
    new = [
        note(f"In {place}, what limits hysteresis?", f"Never {place}.") for place in ("theory", "practice")
    ]
    assert found(published(old._replace(answer=Text("Never"))), *new) == {}


@pytest.mark.parametrize(("old", "new"), EXCHANGED)
def test_where_something_was_exchanged_a_grown_answer_says_nothing(old: str, new: str) -> None:
    assert found(published(note(old, SHORT)), note(new, f"{SHORT}, as ever")) == {}


def test_with_a_short_answer_every_rare_word_tells() -> None:
    records = published(note("What is the usual type of a float tensor?", SHORT))
    assert found(records, note("What is the usual dtype of some random tensor?", SHORT)) == {}


def test_a_note_with_an_id_of_its_own_is_another_however_alike() -> None:
    assert found(published(note("Why?")), note("Why, then?", id="own")) == {}


def test_an_answer_that_two_new_notes_have_is_a_guess() -> None:
    assert found(published(note("Why?")), note("What for?"), note("How come?")) == {}


def test_an_answer_in_another_deck_is_another_note() -> None:
    assert found(published(note("Why?", deck="A")), note("What for?", deck="B")) == {}


def test_a_retired_note_does_not_come_back_by_its_answer() -> None:
    assert found(published(note("Why?"), live=False), note("What for?")) == {}


def test_a_record_with_an_id_that_is_gone_is_not_matched_by_a_part_of_its_text() -> None:
    records = published(note("Why is that so?", id="why"))
    assert found(records, note("Why is that so, then?")) == {}


# 6. likeness of heading and answer


OLD = note(
    "Why does evaluation run under no_grad in PyTorch?",
    "Autograd then records no graph, which saves memory and a little time in every forward pass.",
)
EDITED = "Autograd then records no graph, which saves memory and some time in each forward pass."
NEW = note("Why does evaluation run under no_grad?", EDITED)


def test_heading_and_answer_that_are_both_nearly_the_same_keep_the_record() -> None:
    assert found(published(OLD), NEW) == {0: "guid-0"}


def test_a_heading_alone_says_nothing_however_alike() -> None:
    assert (
        found(published(OLD), NEW._replace(answer=Text("To keep buffers of BatchNorm out of it all."))) == {}
    )


def test_an_answer_alone_says_nothing_however_alike() -> None:
    assert found(published(OLD), note("What do we gain here?", EDITED)) == {}


def test_headings_that_differ_in_typography_need_no_answer() -> None:
    assert found(published(note("What is `grad_fn`?", "x")), note("what is grad_fn", "y")) == {0: "guid-0"}


@pytest.mark.parametrize(("old", "new"), EXCHANGED)
def test_where_something_was_exchanged_likeness_says_nothing(old: str, new: str) -> None:
    records = published(OLD._replace(heading=Text(old)))
    assert found(records, NEW._replace(heading=Text(new))) == {}


@pytest.mark.parametrize("is_matched", [True, False])
def test_among_two_that_are_alike_none_is_taken(is_matched: bool) -> None:
    """The exception is a note that has a record of its own."""
    rival = NEW._replace(heading=Text("So why does evaluation run under no_grad?"))
    records = published(OLD, *([rival] if is_matched else []))
    assert found(records, NEW, rival) == ({1: "guid-1", 0: "guid-0"} if is_matched else {})


def test_where_too_much_changed_nothing_is_compared() -> None:
    others = [note(f"{n}", f"{n}") for n in range(200)]
    gone = [note(f"gone {n}", f"gone {n}") for n in range(199)]
    assert found(published(OLD, *gone), NEW, *others[:199]) == {0: "guid-0"}
    assert found(published(OLD, *gone), NEW, *others) == {}


def test_a_note_alike_in_another_deck_is_another_note() -> None:
    assert found(published(OLD), NEW._replace(deck="Other")) == {}


def test_a_retired_note_does_not_come_back_by_likeness() -> None:
    assert found(published(OLD, live=False), NEW) == {}


def test_the_very_words_of_a_retired_note_count_for_more_than_likeness() -> None:
    retired = [each._replace(guid="retired") for each in published(NEW, live=False)]
    assert found(published(OLD) + retired, NEW) == {0: "retired"}


def test_without_a_sketch_only_typography_is_taken() -> None:
    """A short answer has no sketch."""
    (record,) = published(OLD)
    old = [record._replace(fingerprint=record.fingerprint._replace(sketch=""))]
    assert found(old, NEW) == {}
    assert found(old, NEW._replace(heading=Text(OLD.heading.markdown.lower()))) == {0: "guid-0"}


def sketched(each: Note, filled: str) -> NoteSummary:
    """Return the summary of a note whose answer's sketch is `filled`, with nothing behind."""
    summary = summarise(each)
    return summary._replace(fingerprint=summary.fingerprint._replace(sketch=f"{filled:-<16}"))


@pytest.mark.parametrize(
    ("old", "new", "sketches", "is_found"),
    [
        pytest.param("a b c d e f g h i j", "b c d e f g h i j k", (5, 2), True, id="0.9 and 0.4"),
        pytest.param("a b c d e f g h i j", "b c d e f g h i j k", (10, 3), True, id="0.9 and 0.3"),
        pytest.param("a b c d e f g h i j", "a b c d e f g h i j k", (7, 2), False, id="0.95 and 0.29"),
        pytest.param("a b c d e f g h i j", "a b c d e f g h i", (8, 2), False, id="0.95 and 0.25"),
        pytest.param("a b c d e f g h i j", "x y e d f g h i j k", (16, 5), False, id="0.7 and 0.31"),
        pytest.param("a b c d e", "a b c d x y z v u t", (4, 3), True, id="0.53 and 0.75"),
    ],
)
def test_headings_and_answers_that_are_just_alike_enough(
    old: str, new: str, sketches: tuple[int, int], is_found: bool
) -> None:
    """Of the places that `sketches` have, so many are equal; every word is in other headings too."""
    filled, same = sketches
    others = [
        note(f"{word} {number}", f"{word}{number}") for word in f"{old} {new}".split() for number in "12"
    ]
    before = sketched(note(old, "x"), "0" * filled)
    (record,) = published(note(old))
    records = [record._replace(fingerprint=before.fingerprint), *published(*others)[1:]]
    after = sketched(note(new, "y"), "0" * same + "1" * (filled - same))
    matched = match([after, *summaries(others)], records)
    assert (0 in matched.found) is is_found


# Ids that belong to another


def stolen(records: list[Record], *notes: Note) -> dict[int, int]:
    return dict(match(summaries(notes), records).stolen)


@pytest.mark.parametrize(
    "owner",
    [note("Why?"), note("Why?", deck="Other"), note("Why?", "In short: memory.")],
    ids=["unchanged", "moved", "edited"],
)
@pytest.mark.parametrize("of_record", ["", "why"])
def test_an_id_whose_note_is_still_there_is_stolen(owner: Note, of_record: str) -> None:
    records = [each._replace(guid="0aB3xK9pQ2z") for each in published(note("Why?", id=of_record))]
    thief = note("Cats?", "Nine lives.", id=of_record or "0aB3xK9pQ2z")
    assert stolen(records, owner, thief) == {1: 0}


def test_an_id_goes_with_the_text_it_had_and_with_any_other_if_that_is_gone() -> None:
    records = published(note("Why?", id="why"))
    assert stolen(records, note("Why?"), note("Why?", "Rewritten.", id="why")) == {}
    assert stolen(records, note("Why?", id="another"), note("Cats?", id="why")) == {}
    assert stolen(records, note("What else?", "x"), note("Cats?", id="why")) == {}


def test_a_guid_with_strange_characters_is_named_by_its_digest() -> None:
    records = [each._replace(guid='x"> y') for each in published(note("Why?", "Because."))]
    named = note("What for?", "For fun.", id=guid_as_id('x"> y'))
    assert (named.id, found(records, named)) == ("g-8466a61f72", {0: 'x"> y'})


# Across releases


def test_the_old_wording_of_a_reworded_note_asked_again_gets_its_own_guid() -> None:
    asked, reworded = "Why does evaluation run fast?", note("What good is inference mode?")
    first = release(note(asked))
    second, _ = build(first.lock, reworded)
    third, _ = build(second.lock, reworded, note(asked, SHORT))
    assert second.notes[0].guid == first.notes[0].guid == third.notes[0].guid
    assert third.notes[1].guid != first.notes[0].guid


def test_no_record_goes_to_two_notes() -> None:
    notes = [note("Why?", LONG, deck=deck) for deck in ("A", "B", "C")]
    records = published(*notes)
    assert sorted(found(records, *notes, note("What for?", LONG, deck="A")).values()) == [
        "guid-0",
        "guid-1",
        "guid-2",
    ]


@pytest.mark.parametrize(
    ("answer", "kept"), [("It is seldom as warm.", {0: "guid-0"}), ("It is seldom as warm there.", {})]
)
def test_an_answer_of_six_words_under_another_question_raises_a_doubt(
    answer: str, kept: dict[int, str]
) -> None:
    records = published(note("Whence comes the wind?", answer))
    rewritten, elsewhere = note("Whence comes the wind?", "The sea."), note("Who sells hats in town?", answer)
    assert found(records, rewritten, elsewhere) == kept
