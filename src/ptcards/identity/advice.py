"""Advice about how notes were matched, so that learners never lose reviews silently.

Each piece of advice appears once, in the build whose result the lock will record.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from pathlib import PurePath
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location, Trait, counted, error, hint, warning
from ptcards.diagnostics.layout import limited
from ptcards.identity.hashes import NoteSummary
from ptcards.identity.lock import (
    Fingerprint,
    Record,
    as_id,
    deck_key,
    place_and_answer,
    place_and_question,
)
from ptcards.identity.match import REWORDED, Matching
from ptcards.identity.outcome import Outcome, Resemblance, quoted

ANOTHER_CARD = "a different card? restore `deck.lock`, give the card its own id and build again"
MOST_LISTED = 20


class Recognised(NamedTuple):
    """A note's question before and after the change, and `how` the note was recognised.

    `length` is the length of its heading line.
    """

    location: Location
    before: str
    after: str
    how: str
    length: int


def how_recognised(before: Fingerprint, after: Fingerprint) -> str:
    """Return how a note was recognised: by the same answer, or by a similar one."""
    return "same answer" if before.answer == after.answer else "answer edited"


def find_recognised(
    matching: Matching, notes: Sequence[NoteSummary], chosen: Sequence[int]
) -> tuple[tuple[Recognised, ...], int]:
    """Return the notes matched by similarity, and the number of others that differ only in typography."""
    taken = [position for position in chosen if position in matching.recognised]
    found = []
    for position in taken:
        note, old = notes[position], matching.found[position].fingerprint
        new = note.fingerprint
        if not matching.headings.differ_in_typography_only(old.heading, new.heading):
            how = how_recognised(old, new)
            found.append(Recognised(note.heading_place, old.heading, new.heading, how, note.heading_length))
    return tuple(sorted(found)), len(taken) - len(found)


def list_recognised(recognised: Sequence[Recognised], respelt: int) -> Iterator[str]:
    """Yield the lines that a build prints about recognised notes.

    `respelt` is the number of notes that differ only in typography.
    """
    if recognised:
        yield f"recognised {counted(len(recognised), 'note')} after rewording:"
    lines = [f'  {each.location}  "{each.before}" -> "{each.after}"  ({each.how})' for each in recognised]
    yield from limited(lines, MOST_LISTED, "  and {} more; `ptcards diff` lists them all".format)
    if respelt:
        yield f"recognised {counted(respelt, 'note')} with changed typography"
    if recognised:
        yield ANOTHER_CARD


def warn_of_recognised(recognised: Sequence[Recognised]) -> Iterator[Diagnostic]:
    """Yield a hint for each recognised note, before a build treats it as the published one."""
    for each in recognised:
        yield hint(
            each.location,
            "recognised-note",
            f"recognised as {quoted(each.before)} ({each.how})",
            "if this is a different card, give it its own `id` before you build",
            length=each.length,
        )


def _ask_all(outcome: Outcome, resemblances: Sequence[Resemblance]) -> Iterator[Diagnostic]:
    """Yield a question for each resemblance; notes that resemble the same one name each other."""
    resembling: dict[str, list[int]] = defaultdict(list)
    for each in resemblances:
        for record in each.records:
            resembling[record.guid].append(each.position)
    for each in resemblances:
        rivals = {position for record in each.records for position in resembling[record.guid]}
        yield _ask(outcome, each, sorted(rivals - {each.position}))


def _ask(outcome: Outcome, resemblance: Resemblance, rivals: Sequence[int]) -> Diagnostic:
    """Return the question whether a note is one of those that it resembles, as its `rivals` do."""
    note, records = outcome.notes[resemblance.position], resemblance.records
    headings = " or ".join(quoted(record.fingerprint.heading) for record in records)
    what = "back after being retired" if resemblance.is_back else "new to learners"
    old_id = records[0].fingerprint.id
    cure = _cure(records, is_foreign=note.location.path in outcome.foreign)
    only = "this is the same note"
    if rivals:
        place = outcome.notes[rivals[0]].location
        others = f"{place.path}:{place.line}" if len(rivals) == 1 else f"one of {len(rivals)} others"
        only = f"this and not {others} is the same note"
    fix = f"if {only}, {cure} to keep the reviews; if not, do nothing"
    say, rule, message = warning, "maybe-reworded", f"this note is {what}, but resembles one that is gone"
    if not resemblance.is_alike:
        say, rule, message = hint, "possible-pair", f"this note is {what}, and may replace one that is gone"
    elif old_id:
        rule, message = "changed-id", f"this note is {what}, but resembles `id={old_id}`, which is gone"
    said = f"{message}: {headings}"
    return say(note.heading_place, rule, said, fix, note.heading_length, traits=Trait.QUESTION)


def _cure(records: Sequence[Record], *, is_foreign: bool) -> str:
    """Return what an author does to keep the reviews; notes for other programs have no card comment."""
    if is_foreign:
        return "run `ptcards keep`, which prints a line for `deck.lock`,"
    ids = " or ".join(f"`id={as_id(record)}`" for record in records)
    order = " (in the same order, most likely first)" if len(records) > 1 else ""
    return f"run `ptcards keep` or add {ids}{order} to its card comment"


DAY = 86_400
_YEAR_2100 = 4_102_444_800
"""Its beginning, in Unix seconds."""


def advise(
    outcome: Outcome, now: int | None, resemblances: Sequence[Resemblance], too_many: Sequence[Diagnostic]
) -> list[Diagnostic]:
    """Return all advice; it asks about notes that resemble others, unless there are `too_many` to compare.

    `now` is the time (Unix seconds), or None if the clock was not read.
    """
    return [
        *_about_the_clock(outcome, now),
        *_about_the_lock(outcome, now),
        *_renamed_collection(outcome),
        *_moved_notes(outcome),
        *_changed_types(outcome),
        *_revived(outcome),
        *_stolen_ids(outcome),
        *_ask_all(outcome, resemblances),
        *too_many,
    ]


def _about_the_clock(outcome: Outcome, now: int | None) -> Iterator[Diagnostic]:
    if now is None or now < _YEAR_2100 or not outcome.chosen:
        return
    lock = outcome.lock.shown
    restored = ", restore `deck.lock`" if lock else ""
    yield warning(
        Location(lock or outcome.notes[outcome.chosen[0]].location.path, 1),
        "far-future-clock",
        "the clock is past the year 2100",
        f"correct this machine's clock or `SOURCE_DATE_EPOCH`{restored} and build again",
        traits=Trait.FLEETING,
    )


def _about_the_lock(outcome: Outcome, now: int | None) -> Iterator[Diagnostic]:
    lock = outcome.lock
    if not lock.shown:
        return
    newest = max((record.mod for record in lock.records), default=0)
    if now is not None and newest - now > DAY:
        yield warning(
            Location(lock.shown, 1),
            "lock-ahead-of-clock",
            f"the newest note is dated {counted((newest - now) // DAY, 'day')} in the future",
            (
                "correct this machine's clock or `SOURCE_DATE_EPOCH`; until then, each build dates its "
                "changes one second after the newest note"
            ),
            traits=Trait.FLEETING,
        )


def _renamed_collection(outcome: Outcome) -> Iterator[Diagnostic]:
    before, after = _roots(outcome)
    if not outcome.lock.shown or not _is_renamed(before, after):
        return
    old, new = before.pop(), after.pop()
    yield warning(
        Location(PurePath(outcome.lock.shown).with_name("deck.toml").as_posix(), 1),
        "renamed-collection",
        f"the collection is now called `{new}`; learners know it as `{old}`",
        f"keep the name, or ask learners to rename the deck to `{new}` in Anki before they import",
    )


def _roots(outcome: Outcome) -> tuple[set[str], set[str]]:
    before = {record.fingerprint.deck for record in outcome.lock.records if record.live}
    after = {fingerprint.deck for fingerprint in outcome.prints}
    return {_levels(deck)[0] for deck in before}, {_levels(deck)[0] for deck in after}


def _is_renamed(before: set[str], after: set[str]) -> bool:
    return len(before) == len(after) == 1 and not set(map(deck_key, before)) & set(map(deck_key, after))


def _levels(deck: str) -> list[str]:
    return deck.split("::")


def _moved_notes(outcome: Outcome) -> Iterator[Diagnostic]:
    moves: dict[tuple[str, str], list[NoteSummary]] = defaultdict(list)
    is_renamed = _is_renamed(*_roots(outcome))
    for position in outcome.chosen:
        record = outcome.found.get(position)
        if record is None or record.fingerprint.deck == outcome.prints[position].deck:
            continue
        old, new = record.fingerprint.deck, outcome.prints[position].deck
        if is_renamed and _levels(old)[1:] == _levels(new)[1:]:
            continue
        if deck_key(old) != deck_key(new):
            moves[old, new].append(outcome.notes[position])
    for (old, new), notes in moves.items():
        yield hint(
            notes[0].heading_place,
            "moved-notes",
            f"{counted(len(notes), 'note')} moved from `{old}` to `{new}`; learners' cards stay in `{old}`",
            "tell learners how to move them: `ptcards diff` prints the search",
            length=notes[0].heading_length,
        )


def _changed_types(outcome: Outcome) -> Iterator[Diagnostic]:
    by_id: dict[str, Record] = {}
    by_question: dict[tuple[str, str], Record] = {}
    for record in outcome.gone:
        fingerprint = record.fingerprint
        by_question[deck_key(fingerprint.deck), fingerprint.question] = record
        if fingerprint.id:
            by_id[fingerprint.id.casefold()] = record
    if not by_question:
        return
    for position in outcome.chosen:
        found = outcome.found.get(position)
        fingerprint = outcome.prints[position]
        before = by_id.get(fingerprint.id.casefold()) or by_question.get(
            (deck_key(fingerprint.deck), fingerprint.question)
        )
        if (found and found.live) or before is None or before.fingerprint.note_type == fingerprint.note_type:
            continue
        way = f"from {_named(before.fingerprint.note_type)} to {_named(fingerprint.note_type)}"
        if outcome.notes[position].items:
            way = f"from {_named(before.fingerprint.note_type)} to a list of cards"
        yield warning(
            outcome.notes[position].heading_place,
            "note-type-changed",
            f"{quoted(before.fingerprint.heading)} changed {way}: Anki cannot update it",
            "keep the kind to keep the reviews; otherwise learners start again with a new note",
            length=outcome.notes[position].heading_length,
        )


def _named(note_type: str) -> str:
    own = note_type.removeprefix("x-")
    if own != note_type:
        return f"the note type `{own}`"
    return {"cloze": "a cloze", "occlusion": "a picture with boxes"}.get(note_type, "a question")


def _revived(outcome: Outcome) -> Iterator[Diagnostic]:
    """Yield what an id of a retired note brings back, and which note it retires or may be wrong for."""
    stand_ins = {key: record for record in outcome.gone for key in _traits(record.fingerprint)}
    for position in outcome.chosen:
        record = outcome.found.get(position)
        fingerprint, note = outcome.prints[position], outcome.notes[position]
        if record is None or record.live or not fingerprint.id:
            continue
        old = record.fingerprint
        stand_in = next((stand_ins[key] for key in _traits(fingerprint) if key in stand_ins), None)
        if stand_in:
            yield hint(
                note.heading_place,
                "revived-note",
                f"`id={fingerprint.id}` brings back {quoted(old.heading)}, "
                f"and retires its stand-in {quoted(stand_in.fingerprint.heading)}",
                "no action needed: learners get this text with the reviews of the old note",
                length=note.heading_length,
            )
        elif (
            old.question != fingerprint.question
            and old.answer != fingerprint.answer
            and outcome.headings.likeness(old.heading, fingerprint.heading) < REWORDED
        ):
            yield warning(
                note.heading_place,
                "revived-id",
                f"`id={fingerprint.id}` revives the retired note {quoted(old.heading)} and its reviews",
                "if this is a different note, use an id that was never used",
                length=note.heading_length,
            )


def _traits(said: Fingerprint) -> Iterator[Hashable]:
    """Yield what a note has in common with its stand-in, which was built before it got its id."""
    yield "question", place_and_question(said)
    if said.sketch:  # many notes share a short answer
        yield "answer", place_and_answer(said)


def _stolen_ids(outcome: Outcome) -> Iterator[Diagnostic]:
    for position in outcome.chosen:
        if position not in outcome.matching.stolen:
            continue
        note, owner = outcome.notes[position], outcome.notes[outcome.matching.stolen[position]]
        yield error(
            note.id_place or note.location,
            "id-of-another",
            f"`id={note.fingerprint.id}` belongs to the note at {owner.location}, which still exists",
            "use another id; to move the reviews here, first give that note its own id",
            length=len(f"id={note.fingerprint.id}"),
        )
