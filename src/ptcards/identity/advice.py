"""What the author should know about who became who: no review is lost without a word.

Everything here is said once, in the run where the lock is about to learn it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from ptcards.diagnostics import Diagnostic, Location, hint, warning
from ptcards.identity.hashes import answer_words
from ptcards.identity.lock import Imprint, Lock, Record
from ptcards.identity.matching import LONG_ANSWER, REWORDED, deck_key
from ptcards.identity.similar import Headings, are_similar, most, similarity
from ptcards.notes import Note

DAY = 86_400
MOST_PAIRS = 40_000
"""Pairs of new and gone notes of a deck up to which all are compared."""
MOST_PAIRS_IN_ALL = 1_000_000
"""The same for a collection."""
CANDIDATES = 3
_TRIED = 5
"""How many of the headings that share the most words are compared exactly."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the matching went: `found` holds records by the positions of `notes`, `chosen` the positions being built."""

    lock: Lock
    notes: Sequence[Note]
    prints: Sequence[Imprint]
    found: Mapping[int, Record]
    chosen: Sequence[int]

    @property
    def fresh(self) -> list[int]:
        """Positions being built that no record was found for."""
        return [position for position in self.chosen if position not in self.found]

    @property
    def gone(self) -> list[Record]:
        """Live records whose note was not found in the sources."""
        taken = {record.guid for record in self.found.values()}
        return [record for record in self.lock.records if record.live and record.guid not in taken]


def advise(outcome: Outcome, now: int | None) -> list[Diagnostic]:
    """Say everything; `now` is the time in Unix seconds if it was read."""
    return [
        *_about_the_lock(outcome, now),
        *_renamed_collection(outcome),
        *_moved_notes(outcome),
        *_changed_types(outcome),
        *_revived_ids(outcome),
        *_maybe_reworded(outcome),
        *_copies(outcome),
    ]


def _about_the_lock(outcome: Outcome, now: int | None) -> Iterator[Diagnostic]:
    lock = outcome.lock
    if not lock.shown:
        return
    place = Location(lock.shown, 1)
    if lock.new and outcome.chosen:
        yield hint(
            place,
            "new-lock",
            f"there was no lock: {_notes(len(outcome.chosen))} got a GUID from the id, or from deck and question",
            "commit `deck.lock`; if there was one before, bring it back from git and build again, or learners get "
            "every note that was ever reworded or moved a second time",
        )
    newest = max((record.mod for record in lock.records), default=0)
    if now is not None and newest - now > DAY:
        yield warning(
            place,
            "lock-ahead-of-clock",
            f"the newest note is of a time {(newest - now) // DAY} days from now",
            "set this machine's clock, or `SOURCE_DATE_EPOCH`, right; until then changes count up by a second each",
        )


def _renamed_collection(outcome: Outcome) -> Iterator[Diagnostic]:
    before, after = _roots(outcome)
    if not outcome.lock.shown or not _is_renamed(before, after):
        return
    old, new = before.pop(), after.pop()
    yield warning(
        Location(PurePath(outcome.lock.shown).with_name("deck.toml").as_posix(), 1),
        "renamed-collection",
        f"the collection is now called `{new}`; learners have it as `{old}`",
        f"keep the name, or ask learners to rename the deck to `{new}` in Anki before they import: else their cards "
        f"stay in `{old}`, and new ones go to `{new}`",
    )


def _roots(outcome: Outcome) -> tuple[set[str], set[str]]:
    before = {_levels(record.imprint.deck)[0] for record in outcome.lock.records if record.live}
    return before, {_levels(said.deck)[0] for said in outcome.prints}


def _is_renamed(before: set[str], after: set[str]) -> bool:
    return len(before) == len(after) == 1 and not set(map(deck_key, before)) & set(map(deck_key, after))


def _levels(deck: str) -> list[str]:
    return deck.split("::")


def _moved_notes(outcome: Outcome) -> Iterator[Diagnostic]:
    moves: dict[tuple[str, str], list[Note]] = defaultdict(list)
    is_renamed = _is_renamed(*_roots(outcome))
    for position in outcome.chosen:
        record = outcome.found.get(position)
        if record is None:
            continue
        old, new = record.imprint.deck, outcome.prints[position].deck
        if is_renamed and _levels(old)[1:] == _levels(new)[1:]:
            continue
        if deck_key(old) != deck_key(new):
            moves[old, new].append(outcome.notes[position])
    for (old, new), notes in moves.items():
        yield hint(
            notes[0].location,
            "moved-notes",
            f"{_notes(len(notes))} moved from `{old}` to `{new}`; cards that learners have stay in `{old}`",
            "`ptcards diff` prints the search with which learners can move them in Anki's browser",
        )


def _changed_types(outcome: Outcome) -> Iterator[Diagnostic]:
    by_id: dict[str, Record] = {}
    by_question: dict[tuple[str, str], Record] = {}
    for record in outcome.gone:
        said = record.imprint
        by_question[deck_key(said.deck), said.question] = record
        if said.id:
            by_id[said.id.casefold()] = record
    for position in outcome.chosen:
        found = outcome.found.get(position)
        said = outcome.prints[position]
        before = by_id.get(said.id.casefold()) or by_question.get((deck_key(said.deck), said.question))
        if (found and found.live) or before is None or before.imprint.note_type == said.note_type:
            continue
        yield warning(
            outcome.notes[position].location,
            "note-type-changed",
            f"{_quoted(before.imprint.heading)} went {_way(said.note_type)}: Anki cannot update a note across the two",
            "learners get it as another note and start again, the old one stays with them until they delete it; "
            "to keep the reviews, keep the kind",
        )


def _way(note_type: str) -> str:
    return "from a question to a cloze" if note_type == "cloze" else "from a cloze to a question"


def _revived_ids(outcome: Outcome) -> Iterator[Diagnostic]:
    headings = Headings()
    for position in outcome.chosen:
        record = outcome.found.get(position)
        said = outcome.prints[position]
        if (
            record is None
            or record.live
            or not said.id
            or record.imprint.id.casefold() != said.id.casefold()
            or record.imprint.question == said.question
            or record.imprint.answer == said.answer
            or are_similar(headings.read(record.imprint.heading), headings.read(said.heading), REWORDED)
        ):
            continue
        yield warning(
            outcome.notes[position].location,
            "revived-id",
            f"`id={said.id}` is that of a retired note, {_quoted(record.imprint.heading)}: this one takes over its reviews",
            "if it is another note, give it an id that was never used",
        )


def _maybe_reworded(outcome: Outcome) -> Iterator[Diagnostic]:
    fresh, gone = outcome.fresh, outcome.gone
    if not fresh or not gone:
        return
    equal = _Equal(outcome, gone)
    crowded: dict[tuple[str, str], list[int]] = defaultdict(list)
    compared = 0
    for place, (positions, records) in _by_place(outcome, fresh, gone).items():
        pairs = len(positions) * len(records)
        is_comparable = pairs <= MOST_PAIRS and compared + pairs <= MOST_PAIRS_IN_ALL
        compared += pairs if is_comparable else 0
        headings = Headings()
        known = [(headings.read(r.imprint.heading), r) for r in records] if is_comparable else []
        for position in positions:
            candidates = equal.to(position)
            if is_comparable:
                heading = headings.read(outcome.prints[position].heading)
                shared = sorted(known, key=lambda each: most(each[0], heading), reverse=True)[:_TRIED]
                scored = [(similarity(old, heading), record) for old, record in shared]
                scored.sort(key=lambda each: each[0], reverse=True)
                candidates += [record for score, record in scored if score >= REWORDED]
            elif not candidates:
                crowded[place].append(position)
            if candidates:
                yield _which(outcome.notes[position], list(dict.fromkeys(candidates))[:CANDIDATES])
    for (_, deck), positions in crowded.items():
        yield warning(
            outcome.notes[positions[0]].location,
            "maybe-reworded",
            f"{_notes(len(positions))} of `{deck}` are new and as many are gone: too many to tell who was reworded",
            "to keep reviews, bring the old text back, give each note an `id` and build; then reword",
        )


def _by_place(
    outcome: Outcome, fresh: Iterable[int], gone: Iterable[Record]
) -> dict[tuple[str, str], tuple[list[int], list[Record]]]:
    places: dict[tuple[str, str], tuple[list[int], list[Record]]] = defaultdict(lambda: ([], []))
    for position in fresh:
        said = outcome.prints[position]
        places[said.note_type, deck_key(said.deck)][0].append(position)
    for record in gone:
        said = record.imprint
        places[said.note_type, deck_key(said.deck)][1].append(record)
    return places


class _Equal:
    """Gone notes by question and by answer, whatever their deck."""

    def __init__(self, outcome: Outcome, gone: Iterable[Record]) -> None:
        self._outcome = outcome
        self._questions: dict[tuple[str, str], list[Record]] = defaultdict(list)
        self._answers: dict[tuple[str, str], list[Record]] = defaultdict(list)
        for record in gone:
            said = record.imprint
            self._questions[said.note_type, said.question].append(record)
            self._answers[said.note_type, said.answer].append(record)

    def to(self, position: int) -> list[Record]:
        """Give those with the question, or the long answer, of the note at a position; its own deck first."""
        said = self._outcome.prints[position]
        found = list(self._questions.get((said.note_type, said.question), ()))
        if answer_words(self._outcome.notes[position]) >= LONG_ANSWER:
            found += self._answers.get((said.note_type, said.answer), ())
        return sorted(found, key=lambda record: deck_key(record.imprint.deck) != deck_key(said.deck))


def _which(note: Note, candidates: Sequence[Record]) -> Diagnostic:
    headings = " or ".join(_quoted(record.imprint.heading) for record in candidates)
    cures = " or ".join(
        f"`id={record.imprint.id or record.guid}`"
        + (f" ({_quoted(record.imprint.heading)})" if len(candidates) > 1 else "")
        for record in candidates
    )
    last = candidates[0].imprint.id
    if last:
        rule, message = "changed-id", f"`id={last}` is gone, and this note is like it: {headings}"
    else:
        rule, message = (
            "maybe-reworded",
            f"this note is new to learners, but like one that is gone: {headings}",
        )
    return warning(
        note.location,
        rule,
        message,
        f"if it is the same, write {cures} into its card comment to keep the reviews; "
        "if not, leave it: it starts afresh",
    )


def _copies(outcome: Outcome) -> Iterator[Diagnostic]:
    fresh = outcome.fresh
    if not fresh or not outcome.found:
        return
    known = {_text(outcome.prints[position]): position for position in outcome.found}
    for position in fresh:
        said = outcome.prints[position]
        original = known.get(_text(said))
        if original is None or deck_key(outcome.prints[original].deck) == deck_key(said.deck):
            continue
        yield hint(
            outcome.notes[position].location,
            "copied-note",
            f"this note is a copy of the one at {outcome.notes[original].location}, in another deck",
            "learners get it as a note of its own, the other keeps its reviews; delete it if one is enough",
        )


def _text(said: Imprint) -> tuple[str, str, str]:
    return (said.note_type, said.question, said.answer)


def _quoted(heading: str) -> str:
    plain = heading.replace("`", "")
    return f"`{plain if len(plain) <= 80 else plain[:79] + '…'}`"


def _notes(count: int) -> str:
    return "1 note" if count == 1 else f"{count} notes"
