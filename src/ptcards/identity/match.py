"""Matches notes to records in passes, from certain to likely; each pass only takes unique pairs.

The worst error is to give a note the GUID of another one, because learners' schedules would move to the wrong
card. So where a match would be a guess, the note becomes a new one, with a warning (`identity.advice`).

Ids come first, because an id is the author's decision: those of live records, then those of retired ones.
Live records follow, from identical texts to similar headings; a note that is still unmatched may bring a
retired record back. However, text identical to a retired note in the same deck counts more than a similar
heading. If a record's question in its deck, its text in another deck and its answer in its deck lead to
different notes, none of them is matched.

Nearly all notes in a build are unchanged. They are matched first, so the later passes only look at the rest.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from ptcards.identity.hashes import SHORTEST, NoteSummary, likeness
from ptcards.identity.heading_likeness import Headings
from ptcards.identity.lock import (
    Fingerprint,
    Key,
    Record,
    deck_key,
    guid_as_id,
    place,
    place_and_answer,
    place_and_question,
    place_and_text,
    text,
)

T = TypeVar("T")
Pair = tuple[int, Record]
"""A note's position and its record."""


class Remaining:
    """The unmatched notes and records of a release, and the pairs that were `found`.

    `live` and `retired` are the records in each state. A record whose id is still in the sources matches only
    the note with that id.
    """

    def __init__(self, notes: Sequence[Fingerprint], records: Iterable[Record]) -> None:
        self.notes = notes
        self.live: list[Record] = []
        self.retired: list[Record] = []
        for record in records:
            (self.live if record.live else self.retired).append(record)
        self.ids = {note.id.casefold() for note in notes if note.id}
        self._found: dict[int, Record] = {}
        self._taken: set[str] = set()
        self._undecided: set[int] = set()
        self._positions: Sequence[int] = range(len(notes))

    @property
    def found(self) -> Mapping[int, Record]:
        """The matched records by the positions of their notes."""
        return self._found

    @property
    def has_notes(self) -> bool:
        """Whether any note has no record yet."""
        return len(self._found) < len(self.notes)

    def take(self, pairs: Iterable[Pair]) -> None:
        """Assign records to notes."""
        for position, record in pairs:
            self._found[position] = record
            self._taken.add(record.guid)

    def set_aside(self, positions: Iterable[int], guids: Iterable[str]) -> None:
        """Set notes and records aside for the author, so that no later pass pairs them."""
        self._undecided.update(positions)
        self._taken.update(guids)

    def settle_unchanged(self) -> None:
        """Assign live records to unchanged notes without an id, and drop everything that is matched.

        Only a question that is unique among the records and among the notes counts, so any later pass would
        find the same pair.
        """
        if not self.has_notes:
            return
        known = unique((record.fingerprint.question, record) for record in self.live)
        asked = unique((note.question, position) for position, note in enumerate(self.notes))
        self.take(
            (position, record)
            for question, position in asked.items()
            if (record := known.get(question)) is not None
            and record.fingerprint == (note := self.notes[position])
            and not note.id
            and position not in self._found
            and record.guid not in self._taken
        )
        self.take(list(self._twins()))
        self._positions = [position for position in self._positions if position not in self._found]
        self.live = [record for record in self.live if record.guid not in self._taken]
        self.retired = [record for record in self.retired if record.guid not in self._taken]

    def _twins(self) -> Iterator[Pair]:
        """Yield pairs of live records and notes that sources repeat in every detail, in order.

        Nobody can tell which is which, so no pair can be wrong.
        """
        records, notes = (
            defaultdict[Fingerprint, list[Record]](list),
            defaultdict[Fingerprint, list[int]](list),
        )
        for record in self.live:
            if record.guid not in self._taken and not record.fingerprint.id:
                records[record.fingerprint].append(record)
        for position, note in enumerate(self.notes):
            if position not in self._found and note in records:
                notes[note].append(position)
        for note, positions in notes.items():
            if len(positions) > 1 or len(records[note]) > 1:
                yield from zip(positions, records[note], strict=False)

    def equal(self, records: Iterable[Record], key: Key, *, with_id: bool = True) -> list[Pair]:
        """Return the pairs with a common key that is unique on both sides."""
        return equal(*self.left(records, key, with_id=with_id))

    def left(
        self, records: Iterable[Record], key: Key, *, with_id: bool = True
    ) -> tuple[list[tuple[Hashable, int]], list[tuple[Hashable, Record]]]:
        """Return the remaining notes and records with their keys; both are empty if no record is left."""
        left = [
            (key(record.fingerprint), record)
            for record in records
            if record.guid not in self._taken
            and (with_id or not record.fingerprint.id)
            and record.fingerprint.id.casefold() not in self.ids
        ]
        if not left:  # as in every first build
            return [], []
        notes = [
            (key(self.notes[position]), position)
            for position in self._positions
            if position not in self._found and position not in self._undecided
        ]
        return notes, left

    def without_id(self, notes: Iterable[tuple[Hashable, int]]) -> list[tuple[Hashable, int]]:
        """Return the notes without an id: an id that no record has means that the note is a different one."""
        return [(key, position) for key, position in notes if not self.notes[position].id]


def equal(
    notes: Iterable[tuple[Hashable, int]], records: Iterable[tuple[Hashable, T]]
) -> list[tuple[int, T]]:
    """Return the pairs of notes and records with a common key that is unique on both sides."""
    by_key = unique(records)
    return [(position, by_key[key]) for key, position in unique(notes).items() if key in by_key]


def unique(keyed: Iterable[tuple[Hashable, T]]) -> dict[Hashable, T]:
    """Return the items with a unique key, by key."""
    values: dict[Hashable, T] = {}
    shared: set[Hashable] = set()
    for key, value in keyed:
        if key in values:
            shared.add(key)
        values[key] = value
    return {key: value for key, value in values.items() if key not in shared} if shared else values


REWORDED = 0.5
"""The minimum similarity of headings with the same short answer."""
SAME_ANSWER = 0.3
"""The minimum similarity of edited answers."""
SAME_NOTE = 1.2
"""The minimum sum of the headings' likeness and the answers' likeness."""
MARGIN = 0.2
"""How much more similar a pair must be than any other pair that contains its note or its record."""
TYPOGRAPHY = 3.0
"""The likeness of headings that differ only in typography; it is higher than any other."""
MOST_PAIRS = 40_000
"""The maximum number of pairs to compare in one deck, to limit the time."""


def same_answer(remaining: Remaining, headings: Headings, notes: Sequence[NoteSummary]) -> Iterator[Pair]:
    """Yield notes and live records of a deck with the same answer, unless part of the heading was replaced.

    A short answer only counts if the headings are similar too.
    """
    left, records = remaining.left(remaining.live, place_and_answer, with_id=False)
    for position, record in equal(remaining.without_id(left), records):
        if _is_reworded(notes[position], record, headings, is_short=notes[position].answer_words < SHORTEST):
            yield position, record


def grown_answer(remaining: Remaining, headings: Headings, notes: Sequence[NoteSummary]) -> Iterator[Pair]:
    """Yield notes and live records of a deck whose short answer only grew, as if it were the same."""
    short = [record for record in remaining.live if not record.fingerprint.sketch]
    left, records = remaining.left(short, place_and_answer, with_id=False)
    by_answer = unique(records)
    found = [
        (position, record)
        for _, position in remaining.without_id(left)
        for answer in notes[position].shorter_answers()
        if (record := by_answer.get((place(notes[position].fingerprint), answer))) is not None
    ]
    positions = Counter(position for position, _ in found)
    guids = Counter(record.guid for _, record in found)
    for position, record in found:
        is_unique = positions[position] == guids[record.guid] == 1
        if is_unique and _is_reworded(notes[position], record, headings, is_short=True):
            yield position, record


def _is_reworded(note: NoteSummary, record: Record, headings: Headings, *, is_short: bool) -> bool:
    """Whether a note with a record's answer asks what the record asked."""
    old, new = record.fingerprint.heading, note.fingerprint.heading
    if is_short and headings.likeness(old, new) < REWORDED:
        return False
    return not headings.is_exchanged(old, new, short_answer=is_short)


def alike(remaining: Remaining, headings: Headings) -> Iterator[Pair]:
    """Yield notes and live records of a deck with nearly the same heading and answer."""
    notes, records = remaining.left(remaining.live, place, with_id=False)
    decks: dict[Hashable, tuple[list[int], list[Record]]] = defaultdict(lambda: ([], []))
    for key, position in remaining.without_id(notes):
        decks[key][0].append(position)
    for key, record in records:
        decks[key][1].append(record)
    comparison = _Comparison(remaining, headings)
    for positions, gone in decks.values():
        if len(positions) * len(gone) <= MOST_PAIRS:
            yield from comparison.best(positions, gone)


class _Comparison:
    """Compares notes and records by heading and answer."""

    def __init__(self, remaining: Remaining, headings: Headings) -> None:
        self._notes = remaining.notes
        self._headings = headings

    def best(self, positions: Iterable[int], records: Sequence[Record]) -> list[Pair]:
        """Return the similar pairs, unless another pair comes close or something was replaced."""
        found = [
            (score, position, record)
            for position in positions
            for record in records
            if (score := self._likeness(position, record))
        ]
        scores: dict[int | str, list[float]] = defaultdict(list)
        for score, position, record in found:
            scores[position].append(score)
            scores[record.guid].append(score)
        return [
            (position, record)
            for score, position, record in found
            if stands_out(score, scores[position]) and stands_out(score, scores[record.guid])
            if not self._headings.is_exchanged(record.fingerprint.heading, self._notes[position].heading)
        ]

    def _likeness(self, position: int, record: Record) -> float:
        """Return how similar a note and a record are in heading and answer; 0 if not similar enough."""
        old, new = record.fingerprint, self._notes[position]
        answers = likeness(old.sketch, new.sketch)
        if self._headings.differ_in_typography_only(old.heading, new.heading):
            return TYPOGRAPHY + answers
        if answers < SAME_ANSWER:
            return 0.0
        together = self._headings.likeness(old.heading, new.heading) + answers
        return together if together >= SAME_NOTE else 0.0


def stands_out(score: float, scores: Iterable[float]) -> bool:
    """Whether a score is the best by the required margin."""
    best, *others = sorted(scores, reverse=True)
    return score == best and (not others or others[0] <= best - MARGIN)


class Matching(NamedTuple):
    """Which record belongs to which note, by the positions of notes.

    `found` contains the records, `recognised` the positions matched by similarity, and `doubtful` the records
    that could belong to several notes. `stolen` contains, for each note whose id claims another note's
    record, the position of that other note. `headings` are those of both releases.
    """

    found: Mapping[int, Record]
    recognised: Container[int]
    doubtful: Sequence[Record]
    stolen: Mapping[int, int]
    headings: Headings


def match(notes: Sequence[NoteSummary], records: Iterable[Record]) -> Matching:
    """Return which record belongs to which note; no record belongs to two notes."""
    search = _Search(notes, records)
    left = search.left
    stolen = search.match_ids()
    left.settle_unchanged()
    if left.has_notes:  # rarely true
        left.take(left.equal(left.live, place_and_text))
    if left.has_notes:
        search.set_doubtful_aside(left.live)
        left.take(left.equal(left.live, place_and_question, with_id=False))
        left.take(left.equal(left.live, text))
        search.match_renamed_decks()
        left.take(left.equal(left.retired, place_and_text))
        search.set_doubtful_aside(left.retired)
        left.take(left.equal(left.retired, place_and_question, with_id=False))
        search.recognise(same_answer(left, search.headings, notes))
        search.recognise(grown_answer(left, search.headings, notes))
        search.recognise(alike(left, search.headings))
        left.take(left.equal(left.retired, text))
    return Matching(left.found, frozenset(search.recognised), tuple(search.doubtful), stolen, search.headings)


class _Search:
    """State shared by the passes: what remains, the headings of both releases, and what to report."""

    def __init__(self, notes: Sequence[NoteSummary], records: Iterable[Record]) -> None:
        self._notes = [note.fingerprint for note in notes]
        self.left = Remaining(self._notes, records)
        before = [record.fingerprint for record in self.left.live]
        self.headings = Headings([fingerprint.heading for fingerprint in (*self._notes, *before)])
        self.recognised: list[int] = []
        self.doubtful: list[Record] = []
        self._decks_before = {fingerprint.deck for fingerprint in before}
        self._is_long = [note.answer_words >= SHORTEST for note in notes]

    def match_ids(self) -> Mapping[int, int]:
        """Match notes by id, first with live records and then with retired ones; return `Matching.stolen`.

        A record's GUID also works as an id; `maybe-reworded` suggests it.
        """
        if not self.left.ids:
            return {}
        live = self._with_ids(self.left.live)
        self.left.take(live)
        self.left.take(self._with_ids(self.left.retired))
        return self._stolen(live)

    def _with_ids(self, records: Sequence[Record]) -> list[Pair]:
        if not records:
            return []
        written = {note.id for note in self._notes}
        named: list[tuple[Hashable, Record]] = []
        for record in records:
            fingerprint = record.fingerprint
            if fingerprint.id.casefold() in self.left.ids:
                named.append(((fingerprint.note_type, fingerprint.id.casefold()), record))
            elif (guid := guid_as_id(record.guid)) in written:
                named.append(((fingerprint.note_type, guid.casefold()), record))
        bearers = (
            ((note.note_type, note.id.casefold()), position)
            for position, note in enumerate(self._notes)
            if note.id and position not in self.left.found
        )
        return equal(bearers, named)

    def _stolen(self, pairs: Iterable[Pair]) -> Mapping[int, int]:
        """Return `Matching.stolen`: notes without an id whose records are claimed by other notes."""
        keys = (place_and_text, text, place_and_question)
        claims = [
            (position, record)
            for position, record in pairs
            if self._notes[position] != record.fingerprint
            and all(key(self._notes[position]) != key(record.fingerprint) for key in keys)
        ]
        stolen: dict[int, int] = {}
        for key in keys if claims else ():
            owners = unique((key(note), position) for position, note in enumerate(self._notes) if not note.id)
            for position, record in claims:
                owner = owners.get(key(record.fingerprint))
                if owner is not None:
                    stolen.setdefault(position, owner)
        return stolen

    def set_doubtful_aside(
        self,
        records: Iterable[Record],
        seen: Callable[[Fingerprint], Fingerprint] = lambda said: said,
    ) -> None:
        """Set aside notes and records that match several others by different parts.

        `seen` changes fingerprints before they are compared.


        If a note moves to another deck and a new note asks its question in the old one, this looks as if the
        note was copied and then rewritten. If a note is reworded and a new note asks its old question, this
        looks as if the answer was rewritten and moved to a new note. Only the author can tell.
        """
        left = self.left
        records = tuple(records)
        by_question = left.equal(records, lambda said: place_and_question(seen(said)))
        by_text = left.equal(records, text)
        asked = {position for position, _ in by_question}
        notes, answered = left.left(records, lambda said: place_and_answer(seen(said)))
        long = [(key, n) for key, n in notes if n not in asked and self._is_long[n]]
        by_answer = [
            (position, record)
            for position, record in equal(long, answered)
            if not self.headings.names_another(record.fingerprint.heading, self._notes[position].heading)
        ]
        # A note identical to a retired one of its deck already has a record to return to.
        back = {position for position, _ in left.equal(left.retired, place_and_text)}
        elsewhere = [pair for pair in (*by_text, *by_answer) if pair[0] not in back]
        pairs = {(position, record.guid) for position, record in (*by_question, *elsewhere)}
        notes_of, records_of = Counter(g for _, g in pairs), Counter(n for n, _ in pairs)
        guids = {guid for n, guid in pairs if notes_of[guid] > 1 or records_of[n] > 1}
        self.doubtful += [record for record in records if record.guid in guids]
        left.set_aside((position for position, guid in pairs if guid in guids), guids)

    def match_renamed_decks(self) -> None:
        """Match the live records of renamed decks by question.

        A deck counts as renamed if it has no notes left, the new deck had no live records, and all notes
        matched so far in either deck moved from the old one to the new one.
        """
        before = set(map(deck_key, self._decks_before))
        after = set(map(deck_key, {note.deck for note in self._notes}))
        moves = {
            (record.fingerprint.deck, self._notes[position].deck)
            for position, record in self.left.found.items()
        }
        went: dict[str, set[str]] = defaultdict(set)
        came: dict[str, set[str]] = defaultdict(set)
        for old, new in ((deck_key(old), deck_key(new)) for old, new in moves):
            went[old].add(new)
            came[new].add(old)
        renamed: dict[str, str] = {}
        for new in came.keys() - before:
            (old, *others) = came[new]
            if not others and went[old] == {new} and old not in after:
                renamed[new] = old

        def as_before(said: Fingerprint) -> Fingerprint:
            deck = renamed.get(deck_key(said.deck))
            return said._replace(deck=deck) if deck else said

        if renamed:
            live = self.left.live
            self.set_doubtful_aside(live, as_before)
            found = self.left.equal(live, lambda said: place_and_question(as_before(said)), with_id=False)
            self.left.take(found)

    def recognise(self, pairs: Iterable[Pair]) -> None:
        """Assign records to notes, and mark them as matched by similarity."""
        found = list(pairs)
        self.left.take(found)
        self.recognised += [position for position, _ in found]
