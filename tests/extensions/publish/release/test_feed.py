"""The feed `deck.json`: its format, its size, and that nothing published is ever lost from it."""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from release_histories import histories

from ptcards.extensions.publish.release.feed import (
    Published,
    PublishedNote,
    append,
    before_feeds,
    continues,
    format_feed,
)
from ptcards.extensions.publish.subscription.feed import (
    BrokenFeedError,
    Feed,
    FeedRelease,
    NewerFeedError,
    PackageFile,
    Publication,
    TypeVersion,
    read_feed,
)
from releasing import SCHEMA

ONE, TWO, THREE = ("1" * 12, "2" * 12, "3" * 12)
LOOK = TypeVersion(0, ONE, (1, "Back"))


def published(**notes: PublishedNote) -> Published:
    lists = {each.digests: f"0:{ONE} 1:{each.digests}" for each in notes.values() if len(each.digests) == 12}
    return Published(notes, {"7": LOOK}, {"D": TWO, "D::E": ""}, {"_a.png": ONE}, lists)


def note(mod: int, deck: str = "D", tags: str = "", digests: str = ONE) -> PublishedNote:
    return PublishedNote(mod, deck, tags, digests)


EMPTY = Feed("i", "D", PackageFile("d-1.apkg", 1, "0" * 64))
FIRST = append(
    EMPTY, "1", 100, published(a=note(5, digests=f"{ONE}  {TWO}"), b=note(5), c=note(5), d=note(5))
)
SECOND = append(
    FIRST,
    "2",
    200,
    published(
        a=note(6, digests=f"{ONE} {THREE} {TWO}"), b=note(5, "D::E"), c=note(5, digests=TWO), e=note(6)
    ),
)


def test_a_release_appends_what_differs_and_counts_what_learners_get() -> None:
    assert SECOND.newest == FeedRelease("2", 200, new=1, changed=1, moved=1, retired=1)
    assert SECOND.notes == {
        "a": (Publication(0, 5, 0, 0, f"{ONE}  {TWO}"), Publication(1, 6, 0, 0, f"{ONE} {THREE} {TWO}")),
        "b": (Publication(0, 5, 0, 0, ONE), Publication(1, 5, 1, 0, ONE)),
        # Another rendering at the same time: a base to compare with, which no learner gets.
        "c": (Publication(0, 5, 0, 0, ONE), Publication(1, 5, 0, 0, TWO)),
        "d": (Publication(0, 5, 0, 0, ONE), Publication(1)),
        "e": (Publication(1, 6, 0, 0, ONE),),
    }


def test_the_lists_of_all_releases_stay() -> None:
    assert SECOND.lists == {ONE: f"0:{ONE} 1:{ONE}", TWO: f"0:{ONE} 1:{TWO}"}


def test_a_file_leaves_out_the_digests_that_stayed_the_same() -> None:
    document = json.loads(format_feed(SECOND))
    assert document["notes"]["a"] == [[0, 5, 0, 0, f"{ONE}  {TWO}"], [1, 6, 0, 0, f"= {THREE} ="]]
    assert document["notes"]["d"] == [[0, 5, 0, 0, ONE], [1]]
    assert read_feed(format_feed(SECOND)) == SECOND


def test_a_note_that_comes_back_is_new_and_a_deck_in_another_case_is_the_same() -> None:
    back = append(SECOND, "3", 300, Published({"d": note(5, "d")}, {"7": LOOK}, {"d": ""}, {}))
    assert back.newest == FeedRelease("3", 300, new=1, retired=4)
    assert back.notes["d"] == (*SECOND.notes["d"], Publication(2, 5, 2, 0, ONE))
    other = append(EMPTY, "1", 1, published(a=note(5)))
    other = append(other, "2", 2, Published({"a": note(5, "d")}, {"7": LOOK}, {"d": ""}, {}))
    assert other.newest == FeedRelease("2", 2)


def test_looks_fields_files_and_descriptions_are_kept_when_they_change() -> None:
    types = {"7": LOOK._replace(look=TWO), "8": LOOK}
    again = append(SECOND, "3", 300, Published({}, types, {"D": THREE}, {"_a.png": ONE}))
    fields = LOOK.fields
    assert again.types == {"7": ((0, ONE, fields), (2, TWO, fields)), "8": ((2, ONE, fields),)}
    types["8"] = LOOK._replace(fields=("Back", 1))
    reordered = append(again, "4", 400, Published({}, types, {}, {}))
    assert reordered.types == {**again.types, "8": ((2, ONE, fields), (3, ONE, ("Back", 1)))}
    assert read_feed(format_feed(reordered)) == reordered
    assert again.files == {"_a.png": ((0, ONE),)}
    assert again.decks == (("D", TWO, THREE), ("D::E",))


def test_a_feed_continues_another_only_if_nothing_earlier_differs() -> None:
    assert continues(SECOND, FIRST)
    assert continues(SECOND, SECOND)
    assert not continues(FIRST, SECOND)
    for other in (
        replace(FIRST, releases=(FeedRelease("1", 101, new=4),)),
        replace(FIRST, notes={**FIRST.notes, "a": (Publication(0, 4, 0, 0, ONE),)}),
        replace(FIRST, notes={}),
        replace(FIRST, decks=(("E",),)),
        replace(FIRST, tags=("a",)),
    ):
        assert not continues(SECOND, other)
    assert not continues(SECOND, replace(SECOND, package=PackageFile("d-1.apkg", 2, "0" * 64)))


def test_what_was_published_before_feeds_has_only_times_and_decks() -> None:
    before = replace(
        before_feeds({"a": ((6, "D"), (6, "C"), (5, "D"))}), id="i", name="D", package=FIRST.package
    )
    assert before.notes == {"a": (Publication(0, 5, 0), Publication(0, 6, 1), Publication(0, 6, 0))}
    assert before.decks == (("D",), ("C",))
    feed = append(before, "1", 100, published(a=note(6)))
    assert feed.newest == FeedRelease("1", 100, new=1)
    assert read_feed(format_feed(feed)) == feed
    jsonschema.validate(json.loads(format_feed(feed)), SCHEMA)


def test_the_schema_is_valid_and_describes_feeds() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    german = replace(SECOND, language="de")
    for feed in (SECOND, german):
        jsonschema.validate(json.loads(format_feed(feed)), SCHEMA)
        assert read_feed(format_feed(feed)) == feed


def _set(*path: Any) -> Callable[[Any], None]:
    """Return a change that sets a value: the last argument, at a place given by the others."""
    *to, last, value = path

    def change(document: Any) -> None:
        for each in to:
            document = document[each]
        document[last] = value

    return change


BROKEN = (
    (_set("notes", "a", [[1, 5, 0, 0, None], [1]]), "a release publishes the note `a` twice"),
    (_set("id", 7), "`id` is not text"),
    (_set("name", None), "`name` is not text"),
    (_set("package", "url", 7), "`package` lacks its address, size or SHA-256"),
    (_set("package", "size", True), "`package` lacks its address, size or SHA-256"),
    (_set("package", "sha256", "x"), "`package` lacks its address, size or SHA-256"),
    (_set("releases", []), "it has no releases"),
    (_set("releases", 0, "time", "1"), "a release lacks its version or time"),
    (_set("releases", 0, "new", -1), "a release lacks its version or time"),
    (_set("releases", 0, 7), "a release is not an object"),
    (_set("decks", 0, []), "a deck is not a name with digests"),
    (_set("decks", 0, 1, "x"), "a deck is not a name with digests"),
    (_set("tags", 0, 1), "a tag is not text"),
    (_set("types", "7", 0, 0, 2), "a note type is not a list of releases with digests and fields"),
    (_set("types", "7", 0, 2, []), "a note type is not a list of releases with digests and fields"),
    (_set("types", "7", 0, 2, [1, True]), "a note type is not a list of releases with digests and fields"),
    (_set("types", "7", 0, 2, [0]), "a note type is not a list of releases with digests and fields"),
    (_set("types", "7", 0, 2, ["A", "A"]), "a note type is not a list of releases with digests and fields"),
    (_set("types", "7", 0, 2, ["A", ""]), "a note type is not a list of releases with digests and fields"),
    (_set("types", "7", [[0, ONE]]), "a note type is not a list of releases with digests and fields"),
    (_set("files", "_a.png", 7), "a file is not a list of releases with digests"),
    (_set("lists", ONE, 7), "a list is not numbers with digests"),
    (_set("lists", ONE, f"0:{ONE}"), "a list is not numbers with digests"),
    (_set("lists", ONE, f"0:{ONE} 01:{ONE}"), "a list is not numbers with digests"),
    (_set("notes", []), "`notes` is not an object"),
    (_set("notes", "a", []), "the note `a` was never published"),
    (_set("notes", "a", 0, 0, 2), "the note `a` has a value of the wrong type"),
    (_set("notes", "a", 0, 1, 0), "the note `a` has a value of the wrong type"),
    (_set("notes", "a", 0, 1, 1.5), "the note `a` has a value of the wrong type"),
    (_set("notes", "a", 0, 2, 9), "the note `a` has a value of the wrong type"),
    (_set("notes", "a", 0, 3, -1), "the note `a` has a value of the wrong type"),
    (_set("notes", "a", 0, 4, "xyz"), "the note `a` has a value of the wrong type"),
    (_set("releases", 1, "time", 100), "release 2 is not later than the one before it"),
    (lambda feed: feed["notes"]["c"].reverse(), "the publications of the note `c` are not in order"),
    (_set("notes", "a", 0, 4, "="), "the note `a` refers to a digest that is missing"),
)


PART = {"title": "Some", "package": EMPTY.package._asdict(), "notes": {"a": 0}}


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ([], "the edition `x` lacks a part"),
        ({**PART, "title": 1}, "the edition `x` lacks a part"),
        ({"title": "Some", "notes": {}}, "the edition `x` lacks a part"),
        ({**PART, "package": {}}, "`package` lacks its address, size or SHA-256"),
        ({**PART, "notes": ["a"]}, "the edition `x` lacks a part"),
        ({**PART, "notes": {"z": 0}}, "the edition `x` has a note that the deck lacks"),
        ({**PART, "notes": {"d": 0}}, "the edition `x` has a note that the deck lacks"),
        ({**PART, "notes": {"a": 2}}, "the edition `x` has a note that the deck lacks"),
        ({**PART, "notes": {"a": "0"}}, "the edition `x` has a note that the deck lacks"),
    ],
)
def test_a_broken_edition_is_refused_with_a_reason(part: object, message: str) -> None:
    feed = json.loads(format_feed(SECOND))
    assert read_feed(json.dumps({**feed, "editions": {"x": PART}}).encode()).of_edition("x").name == "Some"
    with pytest.raises(BrokenFeedError) as raised:
        read_feed(json.dumps({**feed, "editions": {"x": part}}).encode())
    assert str(raised.value) == message


@pytest.mark.parametrize(("change", "message"), BROKEN)
def test_a_broken_feed_is_refused_with_a_reason(change: Callable[[Any], None], message: str) -> None:
    document = json.loads(format_feed(SECOND))
    change(document)
    with pytest.raises(BrokenFeedError) as raised:
        read_feed(json.dumps(document).encode())
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it is not JSON"),
        (b"[" * 100_000, "it is not JSON"),
        (b"\xff", "it is not JSON"),
        (b"[]", "it has no number `ptcards`"),
        (b'{"ptcards": true}', "it has no number `ptcards`"),
        (b'{"ptcards": 1}', "it has no releases"),
        (b" " * (32 << 20) + b"[]", "it is larger than 32 MB"),
    ],
)
def test_other_documents_are_refused(content: bytes, message: str) -> None:
    with pytest.raises(BrokenFeedError) as raised:
        read_feed(content)
    assert str(raised.value) == message


def test_a_later_format_is_refused_and_unknown_keys_are_not() -> None:
    with pytest.raises(NewerFeedError):
        read_feed(b'{"ptcards": 2}')
    document = json.loads(format_feed(SECOND)) | {"later": 1}
    assert read_feed(json.dumps(document).encode()) == SECOND


def many(count: int, changed: int, release: int) -> Published:
    """Return notes with six filled fields like ours; of the first `changed` ones, an answer is new."""

    def digest(*about: object) -> str:
        return f"{random.Random(repr(about)).getrandbits(48):012x}"

    notes = {}
    for number in range(count):
        mod = 1_700_000_000 + (release if number < changed else 0)
        answer = digest(number, "answer", mod)
        others = [digest(number, name) for name in ("question", "sources", "difficulty", "guid")]
        digests = f"{others[0]} {answer}     {others[1]} {others[2]}  {others[3]}"
        notes[f"{digest(number)[:11]}"] = PublishedNote(
            mod, f"PyTorch::{number % 30}", f"tag{number % 150}", digests
        )
    decks = {f"PyTorch::{number}": "" for number in range(30)}
    return Published(notes, {"1": LOOK}, decks, {})


def test_a_feed_of_ten_thousand_notes_is_small_and_grows_little() -> None:
    feed = append(EMPTY, "1.0", 1_800_000_000, many(10_000, 0, 0))
    size = len(format_feed(feed))
    assert size <= 1_500_000
    later = append(feed, "1.1", 1_800_000_001, many(10_000, 1_000, 1))
    assert later.newest.changed == 1_000
    assert len(format_feed(later)) - size <= 80 * 1_000


@pytest.mark.slow
def test_every_release_of_random_histories_can_be_read_back() -> None:
    """The long form of the scorecard has 1,500."""
    tally = histories(range(8))
    assert (tally.histories, tally.faults) == (8, [])
