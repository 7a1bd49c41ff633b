"""Advice about how notes were matched, so that learners never lose reviews silently.

Each piece of advice appears once, in the build whose result the lock will record.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterator
from pathlib import PurePath

from ptcards.diagnostics import Diagnostic, Location, counted, error, hint, warning
from ptcards.identity.hashes import Summary
from ptcards.identity.likeness import REWORDED
from ptcards.identity.lock import (
    Fingerprint,
    Record,
    deck_key,
    place_and_answer,
    place_and_question,
    text,
)
from ptcards.identity.outcome import Outcome, quoted
from ptcards.identity.rewording import Resemblance, ask, find_resemblances

DAY = 86_400
_YEAR_2100 = 4_102_444_800
"""Its beginning, in Unix seconds."""


def advise(outcome: Outcome, now: int | None) -> tuple[list[Diagnostic], list[Resemblance]]:
    """Return all advice, and the notes that it asks about.

    `now` is the time (Unix seconds), or None if the clock was not read.
    """
    resemblances, too_many = find_resemblances(outcome)
    advice = [
        *_about_the_clock(outcome, now),
        *_about_the_lock(outcome, now),
        *_renamed_collection(outcome),
        *_moved_notes(outcome),
        *_changed_types(outcome),
        *_revived(outcome),
        *_stolen_ids(outcome),
        *(ask(outcome, each) for each in resemblances),
        *too_many,
        *_copies(outcome),
    ]
    return advice, resemblances


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
    after = {said.deck for said in outcome.prints}
    return {_levels(deck)[0] for deck in before}, {_levels(deck)[0] for deck in after}


def _is_renamed(before: set[str], after: set[str]) -> bool:
    return len(before) == len(after) == 1 and not set(map(deck_key, before)) & set(map(deck_key, after))


def _levels(deck: str) -> list[str]:
    return deck.split("::")


def _moved_notes(outcome: Outcome) -> Iterator[Diagnostic]:
    moves: dict[tuple[str, str], list[Summary]] = defaultdict(list)
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
            notes[0].location,
            "moved-notes",
            f"{counted(len(notes), 'note')} moved from `{old}` to `{new}`; learners' cards stay in `{old}`",
            "tell learners how to move them: `ptcards diff` prints the search",
            length=notes[0].heading_length,
        )


def _changed_types(outcome: Outcome) -> Iterator[Diagnostic]:
    by_id: dict[str, Record] = {}
    by_question: dict[tuple[str, str], Record] = {}
    for record in outcome.gone:
        said = record.fingerprint
        by_question[deck_key(said.deck), said.question] = record
        if said.id:
            by_id[said.id.casefold()] = record
    if not by_question:
        return
    for position in outcome.chosen:
        found = outcome.found.get(position)
        said = outcome.prints[position]
        before = by_id.get(said.id.casefold()) or by_question.get((deck_key(said.deck), said.question))
        if (found and found.live) or before is None or before.fingerprint.note_type == said.note_type:
            continue
        way = f"from {_named(before.fingerprint.note_type)} to {_named(said.note_type)}"
        yield warning(
            outcome.notes[position].location,
            "note-type-changed",
            f"{quoted(before.fingerprint.heading)} changed {way}: Anki cannot update it",
            "keep the kind to keep the reviews; otherwise learners start again with a new note",
            length=outcome.notes[position].heading_length,
        )


def _named(note_type: str) -> str:
    own = note_type.removeprefix("x-")
    if own != note_type:
        return f"the note type `{own}`"
    return "a cloze" if note_type == "cloze" else "a question"


def _revived(outcome: Outcome) -> Iterator[Diagnostic]:
    """Yield what an id of a retired note brings back, and which note it retires or may be wrong for."""
    stand_ins = {key: record for record in outcome.gone for key in _traits(record.fingerprint)}
    for position in outcome.chosen:
        record = outcome.found.get(position)
        said, note = outcome.prints[position], outcome.notes[position]
        if record is None or record.live or not said.id:
            continue
        old = record.fingerprint
        stand_in = next((stand_ins[key] for key in _traits(said) if key in stand_ins), None)
        if stand_in:
            yield hint(
                note.location,
                "revived-note",
                f"`id={said.id}` brings back {quoted(old.heading)}, "
                f"and retires its stand-in {quoted(stand_in.fingerprint.heading)}",
                "no action needed: learners get this text with the reviews of the old note",
                length=note.heading_length,
            )
        elif (
            old.question != said.question
            and old.answer != said.answer
            and outcome.headings.likeness(old.heading, said.heading) < REWORDED
        ):
            yield warning(
                note.location,
                "revived-id",
                f"`id={said.id}` revives the retired note {quoted(old.heading)} and its reviews",
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
            note.id_place,
            "id-of-another",
            f"`id={note.fingerprint.id}` belongs to the note at {owner.location}, which still exists",
            "use another id; to move the reviews here, first give that note its own id",
            length=len(f"id={note.fingerprint.id}"),
        )


def _copies(outcome: Outcome) -> Iterator[Diagnostic]:
    fresh = outcome.fresh
    if not fresh or not outcome.found:
        return
    known = {text(outcome.prints[position]): position for position in outcome.found}
    for position in fresh:
        said = outcome.prints[position]
        original = known.get(text(said))
        if original is None or deck_key(outcome.prints[original].deck) == deck_key(said.deck):
            continue
        yield hint(
            outcome.notes[position].location,
            "copied-note",
            f"this note is a copy of the one at {outcome.notes[original].location}, in another deck",
            "delete the copy if one note is enough: learners get it as a separate note without reviews",
            length=outcome.notes[position].heading_length,
        )
