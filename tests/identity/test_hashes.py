"""Which changes update a note for learners, and how a GUID is derived."""

import hashlib
from dataclasses import replace

import pytest

from identity_notes import FULL, LONG, note, other_parts, picture
from ptcards.identity.hashes import (
    answer_hash,
    answer_words,
    content_hash,
    derive_guid,
    question_hash,
    sketch,
    summarise,
)
from ptcards.identity.lock import Fingerprint
from ptcards.notes import Kind, Note, Text

BASE = note("Why `no_grad`?", "It saves memory.")


@pytest.mark.parametrize(
    "other",
    [
        note("Why is it `no_grad`?", "It saves memory."),
        note("Why `no_grad`?", "It saves time."),
        note("Why `no_grad`?", "It saves memory.", question="In evaluation."),
        note("Why `no_grad`?", "It saves memory.", kind=Kind.REVERSED),
        note("Why `no_grad`?", "It saves memory.", hint="Think."),
        note("Why `no_grad`?", "It saves memory.", details="More."),
        note("Why `no_grad`?", "It saves memory.", sources="A book."),
        note("Why `no_grad`?", "It saves memory.", difficulty="easy"),
        note("Why `no_grad`?", "It saves memory.", tags=["a"]),
        note("Why `no_grad`?", "It saves memory.", media=[picture("1")]),
        note("Why `no_grad`?", "It saves memory.", typed="memory"),
        note("Why `no_grad`?", "It saves memory.", choices=[("a", "", True)]),
        note("Why `no_grad`?", "It saves memory.", deck="PyTorch::Inference"),
    ],
)
def test_whatever_a_learner_sees_changes_the_content(other: Note) -> None:
    assert content_hash(other) != content_hash(BASE)


def test_every_part_of_a_note_belongs_to_its_content_or_to_its_author() -> None:
    same = [
        name
        for name, values in other_parts(FULL).items()
        if name not in ("own_type", "fields")  # of the collection's own note types
        for value in values
        if content_hash(replace(FULL, **{name: value})) == content_hash(FULL)
    ]
    assert same == ["location", "ignore", "media", "macros", "id", "key"]
    # media: only the name from the source; macros: only their expansion


@pytest.mark.parametrize(
    "other",
    [
        note("Why `no_grad`?", "It saves memory.", id="why"),
        note("Why `no_grad`?", "It saves memory.", ignore=["too-long"]),
        note("Why `no_grad`?", "It saves memory.", path="other.md", line=7),
        note("Why `no_grad`?", "It saves memory.", deck="Torch::Advanced::Autograd"),
        replace(BASE, key="another-key"),
        replace(BASE, answer=Text("It saves memory.", "x.md", ((0, 9, 5),))),  # type: ignore[arg-type]  # a place
    ],
)
def test_what_a_learner_does_not_see_changes_nothing(other: Note) -> None:
    assert content_hash(other) == content_hash(BASE)


def test_the_order_of_tags_and_media_shows_nowhere() -> None:
    one = note("Q", tags=["a", "b", "a"], media=[picture("1"), picture("2")])
    other = note("Q", tags=["b", "a"], media=[picture("2"), picture("1"), picture("2")])
    assert content_hash(one) == content_hash(other)


def test_a_changed_picture_of_the_same_name_changes_the_content() -> None:
    assert content_hash(note("Q", media=[picture("1")])) != content_hash(note("Q", media=[picture("2")]))


def test_a_part_that_is_empty_enters_no_hash() -> None:
    """Otherwise, a part added by a later version would update every note of every learner.

    The hash is the SHA-256 of sorted JSON of the parts that are not empty, by name.
    """
    text = '{"answer":"It saves memory.","heading":"Why `no_grad`?","kind":"basic","topic":"Autograd"}'
    assert content_hash(BASE) == hashlib.sha256(text.encode()).hexdigest()[:12]


def test_each_part_enters_the_hash_by_a_name_that_never_changes() -> None:
    """Another name would send every note with that part to learners again."""
    full = note(
        "Q",
        "A",
        kind=Kind.CHOICE,
        question="q",
        choices=[("a", "c", True)],
        typed="t",
        hint="h",
        details="d",
        sources="s",
        difficulty="hard",
        tags=["g"],
        media=[picture("1")],
    )
    text = (
        f'{{"answer":"A","choices":[["a","c",true]],"code deletions":"asked","details":"d","difficulty":"hard","heading":"Q","hint":"h",'
        f'"kind":"choice","media":[["a-11111111.png","{"1" * 64}"]],"question":"q","sources":"s","tags":["g"],"topic":"Autograd","typed":"t"}}'
    )
    assert content_hash(replace(full, code_deletions=True)) == hashlib.sha256(text.encode()).hexdigest()[:12]


def test_only_the_line_of_a_heading_is_underlined() -> None:
    assert summarise(note("What is [it]?\n\n[it]: https://a.example")).heading_length == len(
        "## What is [it]?"
    )


def test_the_same_letters_composed_or_not_are_the_same() -> None:
    composed, decomposed = note("Was heißt Größe?", "é"), note("Was heißt Gro\u0308\u00dfe?", "e\u0301")
    assert summarise(decomposed).fingerprint == summarise(composed).fingerprint
    assert derive_guid(summarise(decomposed), "c", ()) == derive_guid(summarise(composed), "c", ())


def test_the_mark_of_a_right_option_belongs_to_the_answer() -> None:
    one = note("Q", "", kind=Kind.CHOICE, choices=[("a", "", True), ("b", "x", False)])
    other = note("Q", "", kind=Kind.CHOICE, choices=[("a", "", False), ("b", "x", True)])
    assert answer_hash(one) != answer_hash(other)
    assert question_hash(one) == question_hash(other)


def test_answers_are_counted_with_options_comments_and_text_to_type() -> None:
    assert answer_words(note("Q", "one two", typed="three", choices=[("four five", "six", True)])) == 6


def test_what_stands_below_a_heading_belongs_to_the_question() -> None:
    assert question_hash(note("Q", question="print(1)")) != question_hash(note("Q", question="print(2)"))


def test_a_fingerprint_has_deck_and_heading_on_one_line_and_the_heading_cut() -> None:
    said = summarise(note("What\tis  " + "x" * 300, deck="A\t::B\n", id="i")).fingerprint
    assert said == Fingerprint(
        "qa",
        content_hash(note("What\tis  " + "x" * 300, deck="A\t::B\n")),
        said.question,
        said.answer,
        "i",
        "A ::B",
        ("What is " + "x" * 300)[:200],
        sketch(LONG),
    )


def test_link_definitions_below_a_heading_are_not_its_words() -> None:
    assert (
        summarise(note("What is [it][1]?\n\n[1]: https://example.org")).fingerprint.heading
        == "What is [it][1]?"
    )


def guid(*seed: str) -> str:
    """Return a GUID derived as documented."""
    number = int.from_bytes(hashlib.sha256("\0".join(seed).encode()).digest())
    alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    return "".join(alphabet[number // 62**place % 62] for place in range(11))


def test_a_guid_is_derived_from_deck_and_question() -> None:
    assert derive_guid(summarise(BASE), "6f0c2c0e", ()) == guid(
        "6f0c2c0e", "qa", "question", "PyTorch::Autograd", "Why `no_grad`?"
    )


def test_a_guid_is_derived_from_the_id_alone_if_there_is_one() -> None:
    named = note("Why `no_grad`?", id="Why", kind=Kind.CLOZE)
    assert derive_guid(summarise(named), "6f0c2c0e", ()) == guid("6f0c2c0e", "cloze", "id", "why")


def test_a_guid_that_is_taken_is_never_derived_again() -> None:
    seed = ("6f0c2c0e", "qa", "question", "PyTorch::Autograd", "Why `no_grad`?")
    taken = {guid(*seed), guid(*seed, "1")}
    assert derive_guid(summarise(BASE), "6f0c2c0e", taken) == guid(*seed, "2")


def test_an_id_that_reads_like_a_question_is_another_seed() -> None:
    assert derive_guid(summarise(note("what-is-x", deck="")), "c", ()) != derive_guid(
        summarise(note("Q", id="what-is-x")), "c", ()
    )


def test_guids_differ_by_collection_note_type_deck_and_question() -> None:
    guids = {
        derive_guid(summarise(BASE), "one", ()),
        derive_guid(summarise(BASE), "two", ()),
        derive_guid(summarise(replace(BASE, kind=Kind.CLOZE)), "one", ()),
        derive_guid(summarise(replace(BASE, deck="Other")), "one", ()),
        derive_guid(summarise(replace(BASE, question=Text("more"))), "one", ()),
    }
    assert len(guids) == 5


def test_a_question_as_a_key_has_at_most_60_characters() -> None:
    assert [len(summarise(note("x" * length)).slug) for length in (59, 60, 61)] == [59, 60, 60]
