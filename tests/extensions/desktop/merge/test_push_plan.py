"""The plan of a push: no edit of a learner is lost, and a second push has nothing to do."""

import os
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptcards.anki.built_in_notetypes import FIELDS
from ptcards.extensions.desktop.merge.compare import (
    Base,
    Change,
    Ours,
    Publications,
    PushRecord,
    Theirs,
    compare,
    is_unchanged,
)
from ptcards.extensions.desktop.merge.plan import PushPlan
from ptcards.extensions.desktop.merge.texts import digest
from ptcards.extensions.desktop.push.record import record_after
from ptcards.identity.resolve import read_clock
from ptcards.notes.rendered import FIELD_END, Row

# Three texts are enough: the original, and the edit on each of the two sides.
TEXTS = st.lists(
    st.sampled_from(["", "old", "here", "there"]), min_size=len(FIELDS), max_size=len(FIELDS)
).map(tuple)
TAGS = st.frozensets(st.sampled_from(["a", "A", "b", "leech", "mine"]), max_size=3)
NEVER = Publications(frozenset(), frozenset())
EXAMPLES = int(os.environ.get("PTCARDS_EXAMPLES", "60"))
TOPIC = FIELDS.index("Topic")


def ours_of(fields: tuple[str, ...], tags: frozenset[str], mod: int = 100) -> Ours:
    return Ours(
        "guid",
        "key",
        mod,
        FIELDS,
        FIELD_END.join(fields),
        Row("Mini", "qa", " ".join(tags), "", "", (0,), ()),
    )


def applied(change: Change, mod: int) -> Theirs:
    """Return a note after Anki has applied a change."""
    if not change.is_update:
        return change.theirs
    fields = tuple(
        change.ours.fields[place] if place in change.written else text
        for place, text in enumerate(change.theirs.fields)
    )
    if change.in_package:
        return change.theirs._replace(fields=change.ours.fields, tags=change.ours.tags, mod=change.ours.mod)
    return change.theirs._replace(
        fields=fields, tags=change.theirs.tags - change.removed | change.added, mod=mod
    )


@settings(max_examples=EXAMPLES)
@given(st.tuples(TEXTS, TEXTS, TEXTS), st.tuples(TAGS, TAGS, TAGS), st.booleans(), st.booleans())
def test_no_edit_is_lost_and_nothing_is_done_twice(
    texts: tuple[tuple[str, ...], ...], tags: tuple[frozenset[str], ...], is_known: bool, overwrite: bool
) -> None:
    (before, here, there), (tags_before, tags_here, tags_there) = texts, tags
    base = Base(1, 50, tuple(map(digest, before)), tags_before, "Mini")
    memory = PushRecord({"guid": base} if is_known else {})
    ours, theirs = ours_of(here, tags_here), Theirs(1, "guid", 70, there, tags_there, (2,))
    change = compare(ours, theirs, memory.notes.get("guid"), NEVER, overwrite=overwrite)
    after = applied(change, 200)
    for place, (was, mine, text, now) in enumerate(zip(before, here, there, after.fields, strict=True)):
        if place == TOPIC:
            continue
        is_mine = is_known and text == was
        if mine == text or is_mine or (overwrite and not (is_known and mine == was)):
            assert (place, now) == (place, mine)
        else:
            assert (place, now) == (place, text)
    own = {tag for tag in tags_there if tag.casefold() not in {each.casefold() for each in tags_before}}
    assert after.tags >= own
    lost = {tag.casefold() for tag in tags_before} - {tag.casefold() for tag in tags_there}
    assert not is_known or not lost & {tag.casefold() for tag in after.tags}
    notes = record_after(memory, [ours], PushPlan(changes=(change,)), {"guid": after})
    again = compare(ours, after, notes["guid"], NEVER, overwrite=overwrite)
    assert (again.is_update, again.conflicts) == (False, change.conflicts)
    assert (notes["guid"].mod > 0) == again.is_same
    # This is true even if a build has given the note the time of the merge.
    published = Publications(frozenset({after.mod}), frozenset())
    if not change.in_package and change.is_update:
        assert compare(ours, after, notes["guid"], published, overwrite=overwrite) == again


def test_what_differs_though_it_has_the_time_of_the_build_was_edited() -> None:
    here, there = ("here", *FIELDS[1:]), ("there", *FIELDS[1:])
    ours, theirs = ours_of(here, frozenset(), 70), Theirs(1, "guid", 70, there, frozenset(), (2,))
    assert compare(ours, theirs, None, Publications(frozenset({70}), frozenset())).conflicts == (0,)


@settings(max_examples=EXAMPLES)
@given(TEXTS, TEXTS, TAGS, TAGS)
def test_a_note_with_a_time_that_we_gave_takes_all_of_ours(
    here: tuple[str, ...], there: tuple[str, ...], tags_here: frozenset[str], tags_there: frozenset[str]
) -> None:
    ours, theirs = ours_of(here, tags_here), Theirs(1, "guid", 70, there, tags_there, (2,))
    change = compare(ours, theirs, None, Publications(frozenset({70}), frozenset()))
    after = applied(change, 200)
    others = [place for place in range(len(FIELDS)) if place != TOPIC]
    assert (change.conflicts, change.kept, change.own) == ((), (), frozenset())
    assert [after.fields[place] for place in others] == [here[place] for place in others]
    assert {tag.casefold() for tag in after.tags} == {tag.casefold() for tag in tags_here}
    assert change.in_package == change.is_update


@settings(max_examples=EXAMPLES)
@given(TEXTS, st.tuples(*[st.sampled_from(["", "old", "here", "there"])] * 3), st.booleans(), st.booleans())
def test_a_topic_alone_is_never_written_kept_or_in_conflict(
    fields: tuple[str, ...], topics: tuple[str, str, str], is_known: bool, is_clean: bool
) -> None:
    before, here, there = ((*fields[:TOPIC], topic, *fields[TOPIC + 1 :]) for topic in topics)
    base = Base(1, 70 if is_clean else 50, tuple(map(digest, before)), frozenset(), "Mini")
    memory = PushRecord({"guid": base} if is_known else {})
    known = Publications(frozenset({70}) if is_clean else frozenset(), frozenset())
    ours, theirs = ours_of(here, frozenset()), Theirs(1, "guid", 70, there, frozenset(), (2,))
    for overwrite in (False, True):
        change = compare(ours, theirs, memory.notes.get("guid"), known, overwrite=overwrite)
        assert change == Change(ours, theirs, alike=(TOPIC,) if here[TOPIC] != there[TOPIC] else ())
        notes = record_after(memory, [ours], PushPlan(changes=(change,)), {"guid": theirs})
        assert is_unchanged(ours, notes["guid"], theirs.mod)


def test_only_the_topic_of_a_built_in_note_type_is_passed_over() -> None:
    texts = [(*["same"] * TOPIC, text, *["same"] * (len(FIELDS) - TOPIC - 1)) for text in ("here", "there")]
    ours = ours_of(texts[0], frozenset())
    own = ours._replace(row=ours.row._replace(note_type="x-own", after=None))
    theirs = Theirs(1, "guid", 70, texts[1], frozenset(), (2,))
    assert compare(ours, theirs, None, NEVER) == Change(ours, theirs, alike=(TOPIC,))
    assert compare(own, theirs, None, NEVER) == Change(own, theirs, conflicts=(TOPIC,))


def test_a_build_dates_notes_by_a_second_that_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    assert read_clock() < int(time.time())
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "9999999999")
    assert read_clock() == 9_999_999_999


def test_a_note_that_was_read_in_the_second_of_its_time_is_compared_by_field() -> None:
    ours = ours_of(("here", *FIELDS[1:]), frozenset(), 60)
    mods = []
    for read in (69, 70, 71):
        theirs = Theirs(1, "guid", 70, ours.fields, frozenset(), (2,), read)
        plan = PushPlan(changes=(compare(ours, theirs, None, NEVER),))
        mods.append(record_after(PushRecord(), [ours], plan, {})["guid"].mod)
    assert mods == [-70, -70, 70]
