"""Which note is which record: passes from certain to likely, each taking only what is unique on both sides.

The worst error is a note that takes another's GUID, for then a learner's schedule lands on the wrong card; so whatever
would be a guess is left unmatched, and becomes a new note with a warning (`identity.advice`).

Order: ids, of live records, then of retired ones, for an id is the author's word; then live records, from the same text to
a similar heading; what is left may come back from retirement. A text that is word for word that of a retired note of the
deck counts for more than a similar heading. Where the question in its deck, the text elsewhere and the answer in its deck
speak for different notes, none of them is believed.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from ptcards.identity.headings import Headings
from ptcards.identity.keys import (
    Key,
    deck_key,
    guid_as_id,
    place,
    place_and_answer,
    place_and_question,
    place_and_text,
    text,
)
from ptcards.identity.lock import Imprint, Record
from ptcards.identity.sketch import SHORTEST
from ptcards.identity.sketch import likeness as answer_likeness

REWORDED = 0.5
"""How alike headings over one short answer must be."""
SAME_ANSWER = 0.3
"""How alike edited answers must be at least."""
SAME_NOTE = 1.2
"""What the likeness of headings and of answers must add up to."""
MARGIN = 0.2
"""By how much a pair must be more alike than any other of either side."""
TYPOGRAPHY = 3.0
"""The likeness of headings that differ in typography only: more than any other can have."""
MOST_PAIRS = 40_000
"""Pairs of unmatched notes and records of a deck up to which they are compared: the cost grows with the square."""

T = TypeVar("T")


class Matching(NamedTuple):
    """Who is who, by the positions of notes.

    `found` holds the records, `recognised` the positions of those that were taken by likeness, `doubtful` the records that
    several notes could be, `stolen` for each note that claims another's record the position of that other note; `headings` are
    those of both releases.
    """

    found: Mapping[int, Record]
    recognised: Container[int]
    doubtful: Sequence[Record]
    stolen: Mapping[int, int]
    headings: Headings


def match(
    notes: Sequence[Imprint], records: Iterable[Record], *, answer_words: Callable[[int], int]
) -> Matching:
    """Find the records of notes; no record goes to two notes.

    `answer_words` counts the words in the answer of the note at a position.
    """
    search = _Search(notes, records, answer_words)
    live, retired = search.live, search.retired
    search.match_ids(live)
    search.match_ids(retired)
    search.match_equal(live, place_and_text)
    if len(search.found) < len(notes):  # not so in most builds
        search.set_doubtful_aside(live)
        search.match_equal(live, place_and_question, with_id=False)
        search.match_equal(live, text)
        search.match_renamed_decks()
        search.match_equal(retired, place_and_text)
        search.set_doubtful_aside(retired)
        search.match_equal(retired, place_and_question, with_id=False)
        search.match_answers()
        search.match_alike()
        search.match_equal(retired, text)
    return Matching(
        search.found, frozenset(search.recognised), tuple(search.doubtful), search.stolen, search.headings
    )


class _Search:
    """What was found so far, and the keys by which notes and records are compared."""

    def __init__(
        self, notes: Sequence[Imprint], records: Iterable[Record], answer_words: Callable[[int], int]
    ) -> None:
        self._records = tuple(records)
        self.notes = notes
        self.live = [record for record in self._records if record.live]
        self.retired = [record for record in self._records if not record.live]
        self.found: dict[int, Record] = {}
        self.recognised: list[int] = []
        self.doubtful: list[Record] = []
        self.stolen: dict[int, int] = {}
        self._answer_words = answer_words
        self._taken: set[str] = set()
        self._undecided: set[int] = set()
        self._ids = {note.id.casefold() for note in notes if note.id}
        self._decks = [deck_key(note.deck) for note in notes]
        before = [record.imprint.heading for record in self.live]
        self.headings = Headings([*(note.heading for note in notes), *before])

    def match_ids(self, records: Iterable[Record]) -> None:
        """Match ids. The GUID of a record serves as one too: the cure that `maybe-reworded` offers."""
        written = {note.id for note in self.notes}
        named: list[tuple[Hashable, Record]] = []
        for record in records:
            said = record.imprint
            if said.id.casefold() in self._ids:
                named.append(((said.note_type, said.id.casefold()), record))
            elif (guid := guid_as_id(record.guid)) in written:
                named.append(((said.note_type, guid.casefold()), record))
        bearers = [
            ((note.note_type, note.id.casefold()), position)
            for position, note in enumerate(self.notes)
            if note.id and position not in self.found
        ]
        pairs = _equal(bearers, named)
        for position, record in pairs:
            self._take(position, record)
        self._find_stolen([pair for pair in pairs if pair[1].live])

    def _find_stolen(self, pairs: Iterable[tuple[int, Record]]) -> None:
        """Find the notes without an id that are, by their text, the records which other notes claim by id."""
        keys = (place_and_text, text, place_and_question)
        claims = [
            (position, record)
            for position, record in pairs
            if all(key(self.notes[position]) != key(record.imprint) for key in keys)
        ]
        for key in keys if claims else ():
            owners = _unique((key(note), position) for position, note in enumerate(self.notes) if not note.id)
            for position, record in claims:
                owner = owners.get(key(record.imprint))
                if owner is not None:
                    self.stolen.setdefault(position, owner)

    def set_doubtful_aside(
        self,
        records: Iterable[Record],
        seen: Callable[[Imprint], Imprint] = lambda said: said,
    ) -> None:
        """Leave notes and records unmatched that equal several on the other side, each in another part; compared as `seen`.

        A note moved away while its question is asked anew looks like one copied elsewhere and then rewritten; one reworded
        while its old words are asked anew looks like one rewritten whose answer went to a new note. Only the author knows.
        """
        records = tuple(records)
        by_question = _equal(*self._left(records, lambda said: place_and_question(seen(said))))
        by_text = _equal(*self._left(records, text))
        asked = {position for position, _ in by_question}
        notes, answered = self._left(records, lambda said: place_and_answer(seen(said)))
        long = [(key, n) for key, n in notes if n not in asked and self._answer_words(n) >= SHORTEST]
        by_answer = [
            (position, record)
            for position, record in _equal(long, answered)
            if not self.headings.names_another(record.imprint.heading, self.notes[position].heading)
        ]
        # What is word for word a retired note of its deck has a record to go to.
        back = {position for position, _ in _equal(*self._left(self.retired, place_and_text))}
        elsewhere = [pair for pair in (*by_text, *by_answer) if pair[0] not in back]
        pairs = {(position, record.guid) for position, record in (*by_question, *elsewhere)}
        notes_of, records_of = Counter(g for _, g in pairs), Counter(n for n, _ in pairs)
        guids = {guid for n, guid in pairs if notes_of[guid] > 1 or records_of[n] > 1}
        self.doubtful += [record for record in records if record.guid in guids]
        self._taken |= guids
        self._undecided |= {position for position, guid in pairs if guid in guids}

    def match_equal(self, records: Iterable[Record], key: Key, *, with_id: bool = True) -> None:
        """Match what has one key; records with an id can be left out."""
        for position, record in _equal(*self._left(records, key, with_id=with_id)):
            self._take(position, record)

    def match_answers(self) -> None:
        """Match live records with notes of the deck by the answer, unless something in the heading was exchanged.

        A short answer says something only if the headings are alike, too.
        """

        def is_convincing(position: int, record: Record) -> bool:
            old, new = record.imprint.heading, self.notes[position].heading
            is_short = self._answer_words(position) < SHORTEST
            if is_short and self.headings.likeness(old, new) < REWORDED:
                return False
            return not self.headings.is_exchanged(old, new, short_answer=is_short)

        notes, records = self._left(self.live, place_and_answer, with_id=False)
        self._recognise(pair for pair in _equal(self._without_id(notes), records) if is_convincing(*pair))

    def match_renamed_decks(self) -> None:
        """Match live records by their question with notes of the deck that theirs was renamed to.

        A deck was renamed if no note is in it any more, no live record in the new one, and all notes found so far went from
        just the one to just the other.
        """
        before = {deck_key(record.imprint.deck) for record in self.live}
        after = set(self._decks)
        went: dict[str, set[str]] = defaultdict(set)
        came: dict[str, set[str]] = defaultdict(set)
        for position, record in self.found.items():
            old, new = deck_key(record.imprint.deck), self._decks[position]
            went[old].add(new)
            came[new].add(old)
        renamed: dict[str, str] = {}
        for new in came.keys() - before:
            (old, *others) = came[new]
            if not others and went[old] == {new} and old not in after:
                renamed[new] = old

        def as_before(said: Imprint) -> Imprint:
            deck = renamed.get(deck_key(said.deck))
            return said._replace(deck=deck) if deck else said

        if renamed:
            self.set_doubtful_aside(self.live, as_before)
            self.match_equal(self.live, lambda said: place_and_question(as_before(said)), with_id=False)

    def match_alike(self) -> None:
        """Match live records with notes of the deck whose heading and answer together are nearly the same."""
        notes, records = self._left(self.live, place, with_id=False)
        decks: dict[Hashable, tuple[list[int], list[Record]]] = defaultdict(lambda: ([], []))
        for key, position in self._without_id(notes):
            decks[key][0].append(position)
        for key, record in records:
            decks[key][1].append(record)
        for positions, gone in decks.values():
            if len(positions) * len(gone) <= MOST_PAIRS:
                self._recognise(self._best(positions, gone))

    def _best(self, positions: Iterable[int], records: Sequence[Record]) -> list[tuple[int, Record]]:
        """Pair what is alike, if nothing else is nearly so alike to either and nothing was exchanged."""
        alike = [
            (score, position, record)
            for position in positions
            for record in records
            if (score := self._likeness(position, record))
        ]
        scores: dict[int | str, list[float]] = defaultdict(list)
        for score, position, record in alike:
            scores[position].append(score)
            scores[record.guid].append(score)
        return [
            (position, record)
            for score, position, record in alike
            if _stands_out(score, scores[position]) and _stands_out(score, scores[record.guid])
            if not self.headings.is_exchanged(record.imprint.heading, self.notes[position].heading)
        ]

    def _likeness(self, position: int, record: Record) -> float:
        """Return how alike a note and a record are, heading and answer together; 0 if not enough."""
        old, new = record.imprint, self.notes[position]
        headings = self.headings
        if headings.differ_in_typography_only(old.heading, new.heading):
            return TYPOGRAPHY + answer_likeness(old.sketch, new.sketch)
        answers = answer_likeness(old.sketch, new.sketch)
        if answers < SAME_ANSWER:
            return 0.0
        together = headings.likeness(old.heading, new.heading) + answers
        return together if together >= SAME_NOTE else 0.0

    def _left(
        self, records: Iterable[Record], key: Key, *, with_id: bool = True
    ) -> tuple[list[tuple[Hashable, int]], list[tuple[Hashable, Record]]]:
        """Give what is unmatched, with its keys, nothing if it is on one side only.

        A record whose id is still in the sources waits for that id alone.
        """
        left = [
            (key(record.imprint), record)
            for record in records
            if record.guid not in self._taken
            and (with_id or not record.imprint.id)
            and record.imprint.id.casefold() not in self._ids
        ]
        if not left:  # as in every first build
            return [], []
        notes = [
            (key(note), position)
            for position, note in enumerate(self.notes)
            if position not in self.found and position not in self._undecided
        ]
        return notes, left

    def _without_id(self, notes: Iterable[tuple[Hashable, int]]) -> Iterable[tuple[Hashable, int]]:
        """Leave notes out that have an id: one that no record has says that it is another note."""
        return [(key, position) for key, position in notes if not self.notes[position].id]

    def _recognise(self, pairs: Iterable[tuple[int, Record]]) -> None:
        for position, record in pairs:
            self._take(position, record)
            self.recognised.append(position)

    def _take(self, position: int, record: Record) -> None:
        self.found[position] = record
        self._taken.add(record.guid)


def _equal(
    notes: Iterable[tuple[Hashable, int]], records: Iterable[tuple[Hashable, Record]]
) -> list[tuple[int, Record]]:
    """Pair what has a key of its own on either side."""
    by_key = _unique(records)
    return [(position, by_key[key]) for key, position in _unique(notes).items() if key in by_key]


def _unique(keyed: Iterable[tuple[Hashable, T]]) -> dict[Hashable, T]:
    """Keep what nothing else shares a key with."""
    values: dict[Hashable, T] = {}
    shared: set[Hashable] = set()
    for key, value in keyed:
        if key in values:
            shared.add(key)
        values[key] = value
    return {key: value for key, value in values.items() if key not in shared}


def _stands_out(score: float, scores: Iterable[float]) -> bool:
    """Whether a score is the best by a margin."""
    best, *others = sorted(scores, reverse=True)
    return score == best and (not others or others[0] <= best - MARGIN)
