"""Which changes update a note for learners, and how a GUID is derived."""

import hashlib

import pytest

from identity_notes import FULL, LONG, note, other_parts, picture
from ptcards.diagnostics import Location
from ptcards.identity.hashes import (
    NoteSummary,
    answer_hash,
    answer_words,
    content_hash,
    derive_guid,
    likeness,
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
        if content_hash(FULL._replace(**{name: value})) == content_hash(FULL)
    ]
    assert same == ["location", "ignore", "unlike", "media", "items", "macros", "id", "key", "translated"]
    # media: only the name from the source; macros: only their expansion;
    # items: they are in the answer


@pytest.mark.parametrize(
    "other",
    [
        note("Why `no_grad`?", "It saves memory.", id="why"),
        note("Why `no_grad`?", "It saves memory.", ignore=["too-long"]),
        note("Why `no_grad`?", "It saves memory.", path="other.md", line=7),
        note("Why `no_grad`?", "It saves memory.", deck="Torch::Advanced::Autograd"),
        BASE._replace(key="another-key"),
        BASE._replace(answer=Text("It saves memory.", "x.md", ((0, 9, 5),))),  # type: ignore[arg-type]  # a place
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
    assert content_hash(full._replace(code_deletions=True)) == hashlib.sha256(text.encode()).hexdigest()[:12]


def test_only_the_line_of_a_heading_is_underlined() -> None:
    assert summarise(note("What is [it]?\n\n[it]: https://a.example")).heading_length == len("What is [it]?")


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
    salts: dict[tuple[str, ...], int] = {}
    for salt in ("2", "3", "4"):  # each begins where the one before found a name
        taken.add(derive_guid(summarise(BASE), "6f0c2c0e", taken, salts))
        assert guid(*seed, salt) in taken
    assert [*salts.values()] == [4]


def test_an_id_that_reads_like_a_question_is_another_seed() -> None:
    assert derive_guid(summarise(note("what-is-x", deck="")), "c", ()) != derive_guid(
        summarise(note("Q", id="what-is-x")), "c", ()
    )


def test_guids_differ_by_collection_note_type_deck_and_question() -> None:
    guids = {
        derive_guid(summarise(BASE), "one", ()),
        derive_guid(summarise(BASE), "two", ()),
        derive_guid(summarise(BASE._replace(kind=Kind.CLOZE)), "one", ()),
        derive_guid(summarise(BASE._replace(deck="Other")), "one", ()),
        derive_guid(summarise(BASE._replace(question=Text("more"))), "one", ()),
    }
    assert len(guids) == 5


def test_a_question_as_a_key_has_at_most_60_characters() -> None:
    assert [len(summarise(note("x" * length)).slug) for length in (59, 60, 61)] == [59, 60, 60]


# The summary as a whole


def hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_summary_has_everything_that_a_collection_knows_of_a_note() -> None:
    asked = note("Why `no_grad`?", "It saves memory.", question="Here.", line=7, ignore=["too-long"])
    assert summarise(asked, Location("cards/a.md", 9)) == NoteSummary(
        Location("cards/a.md", 7),
        Fingerprint(
            "qa",
            content_hash(asked),
            hashed('{"question":"Why `no_grad`?\\n\\nHere."}')[:12],
            hashed('{"answer":"It saves memory."}')[:12],
            "",
            "PyTorch::Autograd",
            "Why `no_grad`?",
        ),
        "Why `no_grad`?\n\nHere.",
        3,
        1,
        len("Why `no_grad`?"),
        Location("cards/a.md", 9),
        hashed("pytorch::autograd\0Why `no_grad`?\0Here.")[:32],
        "why-no-grad",
        ("too-long",),
        ("", "It saves memory."),
    )


def test_a_summary_of_a_note_with_an_id() -> None:
    named = note("Why?", "  memory\n", kind=Kind.TYPED, typed="two words", id="Why")
    summary = summarise(named, named.location)
    assert (summary.id_place, summary.question, summary.slug, summary.opening) == (
        None,
        "",
        "",
        ("two words", "  memory"),
    )
    assert summary.asked == hashed("pytorch::autograd\0Why?\0")[:32]
    assert summarise(named).id_place is None


def test_a_summary_of_a_note_without_a_question_or_with_a_note_type_of_the_collection() -> None:
    cloze = note("", "It  is\n{{c1::warm}}.", kind=Kind.CLOZE)
    assert summarise(cloze).asked == hashed("pytorch::autograd\0\0It is {{c1::warm}}.")[:32]
    own = BASE._replace(
        own_type="word",
        fields=(("Word", Text("猫")), ("Empty", Text("")), ("Meaning", Text("a cat"))),
        answer=Text(""),
        heading=Text(""),
    )
    summary = summarise(own)
    assert (summary.asked, summary.opening, summary.answer_words, summary.question) == (
        hashed("pytorch::autograd\0猫\0word")[:32],
        ("", ""),
        2,
        "猫",
    )
    assert summary.fingerprint.question == hashed('{"question":"猫"}')[:12]
    assert summary.fingerprint.answer == hashed('{"fields":[["Meaning","a cat"]]}')[:12]
    assert summary.fingerprint.content == hashed('{"fields":[["Word","猫"],["Meaning","a cat"]]}')[:12]
    assert summarise(own._replace(id="cat")).asked == ""


@pytest.mark.parametrize(
    ("heading", "slug"),
    [
        ("What is `x_y`, then?", "what-is-x-y-then"),
        ("???", "note"),
        ("Was heißt Größe?", "was-heißt-größe"),
        ("x" * 59 + " y", "x" * 59),
        ("x" * 58 + " y", "x" * 58 + "-y"),
    ],
)
def test_a_question_as_a_key(heading: str, slug: str) -> None:
    assert summarise(note(heading)).slug == slug


def test_an_answer_has_a_sketch_from_six_words_on() -> None:
    five, six = "It saves a lot of", "It saves a lot of memory"
    assert summarise(note("Q", five)).fingerprint.sketch == ""
    assert summarise(note("Q", six)).fingerprint.sketch == sketch(six)
    choice = note(
        "Q", "", kind=Kind.CHOICE, choices=[("one two", "three", True), ("four", "five six", False)]
    )
    assert summarise(choice).fingerprint.sketch == sketch("one two three four five six")


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("one two", "Two, ONE; one", True),
        ("one two", "one_two", False),
        ("a 猫 b", "a b", False),
        ("a 猫犬鳥 b", "a 猫犬 犬鳥 b", True),
        ("a 猫犬鳥 b", "a 鳥犬猫 b", False),
        ("été chaud", "CHAUD Été", True),
        ("été-chaud", "chaud/été", True),
        ("Straße", "STRASSE", True),
        ("naïve ab", "naïve ba", False),
    ],
)
def test_what_makes_the_same_sketch(one: str, other: str, *, is_same: bool) -> None:
    assert (sketch(one) == sketch(other)) is is_same


def test_a_sketch_never_changes() -> None:
    """It is in published locks."""
    assert [sketch(text) for text in (LONG, "Die Straße im Süden: 猫犬鳥, x", "")] == [
        "w-bS---OeY-d-TcC",
        "--B-C--1----e-lA",
        "-" * 16,
    ]


def test_the_likeness_of_sketches() -> None:
    assert likeness("", "0" * 16) == likeness("0" * 16, "") == 0.0
    assert likeness("-" * 16, "-" * 16) == 0.0
    assert likeness("01" + "-" * 14, "02" + "-" * 14) == 0.5
    assert likeness("01" + "-" * 14, "0--1" + "-" * 12) == pytest.approx(1 / 3)
    assert likeness("0" * 16, "0" * 16) == 1.0


def shorter(typed: str, answer: str) -> list[str]:
    kind = Kind.TYPED if typed else Kind.BASIC
    return list(summarise(note("Q", answer, kind=kind, typed=typed)).shorter_answers())


def answers(*texts: str, typed: str = "") -> list[str]:
    return [
        answer_hash(note("Q", text, kind=Kind.TYPED if typed else Kind.BASIC, typed=typed)) for text in texts
    ]


def test_the_short_answers_from_which_one_may_have_grown() -> None:
    assert shorter("", "Never, ever. At last") == answers(
        "Never,", "Never", "Never.", "Never, ever.", "Never, ever", "Never, ever. At", "Never, ever. At.",
        "Never, ever. At last", "Never, ever. At last.",
    )  # fmt: skip
    assert shorter("", "a b c d e f g") == answers(
        "a", "a.", "a b", "a b.", "a b c", "a b c.", "a b c d", "a b c d.", "a b c d e", "a b c d e."
    )
    assert shorter("one two three four", "a b c") == answers("", "a", "a.", typed="one two three four")
    assert shorter("heat", "") == answers("", typed="heat")
    choice = note("Q", "a b", kind=Kind.CHOICE, choices=[("a", "", True)])
    assert list(summarise(choice).shorter_answers()) == []
