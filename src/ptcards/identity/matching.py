"""Which note is which record: passes from certain to likely, each taking only what is unique on both sides.

The worst error is a note that takes another's GUID, for then a learner's schedule lands on the wrong card; so whatever
would be a guess is left unmatched, and becomes a new note with a warning (`identity.advice`).

Order: ids, of live records, then of retired ones, for an id is the author's word; then live records, from the same text to
a similar heading; what is left may come back from retirement. A text that is word for word that of a retired note of the
deck counts for more than a similar heading. Where the question in its deck, the text elsewhere and the answer in its deck
speak for different notes, none of them is believed.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import accumulate
from operator import itemgetter
from typing import NamedTuple, TypeVar

from ptcards.identity.keys import (
    Key,
    deck_key,
    place,
    place_and_answer,
    place_and_question,
    place_and_text,
    text,
)
from ptcards.identity.lock import Imprint, Record
from ptcards.identity.similar import Heading, Headings, are_similar

LONG_ANSWER = 6
"""Words from which on an answer is hardly anybody else's."""
REWORDED = 0.5
"""How similar headings over one short answer must be."""
SAME = 0.8
"""How similar headings must be where nothing else is equal."""
RIVAL = 0.6
"""How similar a third heading must be to make that a guess."""
MOST_UNMATCHED = 200
"""Unmatched notes or records of a deck up to which headings are compared: the cost grows with the square."""

MOST_PAIRS = 2_000_000
"""Pairs of headings that are compared in a whole collection, the smallest decks first."""

T = TypeVar("T")


class Matching(NamedTuple):
    """Who is who: `found` holds records by the positions of notes, `doubtful` those that several notes could be."""

    found: Mapping[int, Record]
    doubtful: Sequence[Record]


def match(
    notes: Sequence[Imprint], records: Iterable[Record], *, answer_words: Callable[[int], int]
) -> Matching:
    """Find the records of notes; no record goes to two notes.

    `answer_words` counts the words in the answer of the note at a position.
    """
    search = _Search(notes, records)
    live, retired = search.live, search.retired
    search.match_ids(live)
    search.match_ids(retired)
    search.match_equal(live, place_and_text)
    if len(search.found) == len(notes):  # as in most builds
        return Matching(search.found, ())
    search.set_doubtful_aside(live, answer_words)
    search.match_equal(live, place_and_question, with_id=False)
    search.match_equal(live, text)
    search.match_renamed_decks(answer_words)
    search.match_equal(retired, place_and_text)
    search.set_doubtful_aside(retired, answer_words)
    search.match_equal(retired, place_and_question, with_id=False)
    search.match_answers(answer_words)
    search.match_similar()
    search.match_equal(retired, text)
    return Matching(search.found, tuple(search.doubtful))


class _Search:
    """What was found so far, and the keys by which notes and records are compared."""

    def __init__(self, notes: Sequence[Imprint], records: Iterable[Record]) -> None:
        records = tuple(records)
        self.notes = notes
        self.live = [record for record in records if record.live]
        self.retired = [record for record in records if not record.live]
        self.found: dict[int, Record] = {}
        self._taken: set[str] = set()
        self.doubtful: list[Record] = []
        self._undecided: set[int] = set()
        self._ids = {note.id.casefold() for note in notes if note.id}
        self._decks = [deck_key(note.deck) for note in notes]

    def match_ids(self, records: Iterable[Record]) -> None:
        """Match ids. The GUID of a record serves as one too: the cure that `maybe-reworded` offers."""
        written = {note.id for note in self.notes}
        named: list[tuple[Hashable, Record]] = []
        for record in records:
            said = record.imprint
            if said.id.casefold() in self._ids:
                named.append(((said.note_type, said.id.casefold()), record))
            elif record.guid in written:
                named.append(((said.note_type, record.guid.casefold()), record))
        bearers = [
            ((note.note_type, note.id.casefold()), position)
            for position, note in enumerate(self.notes)
            if note.id and position not in self.found
        ]
        self._pair(bearers, named)

    def set_doubtful_aside(
        self,
        records: Iterable[Record],
        answer_words: Callable[[int], int],
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
        long = [(key, n) for key, n in notes if n not in asked and answer_words(n) >= LONG_ANSWER]
        headings = Headings()
        by_answer = [
            (position, record)
            for position, record in _equal(long, answered)
            if not headings.read(record.imprint.heading).names_another(
                headings.read(self.notes[position].heading)
            )
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
        self._pair(*self._left(records, key, with_id=with_id))

    def match_answers(self, answer_words: Callable[[int], int]) -> None:
        """Match live records with notes of the deck by the answer, if it is long or the headings are alike."""
        headings = Headings()

        def is_convincing(position: int, record: Record) -> bool:
            if answer_words(position) >= LONG_ANSWER:
                return True
            old, new = headings.read(record.imprint.heading), headings.read(self.notes[position].heading)
            return are_similar(old, new, REWORDED) and not old.names_another(new)

        self._pair(*self._left(self.live, place_and_answer, with_id=False), is_convincing)

    def match_renamed_decks(self, answer_words: Callable[[int], int]) -> None:
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
            self.set_doubtful_aside(self.live, answer_words, as_before)
            self.match_equal(self.live, lambda said: place_and_question(as_before(said)), with_id=False)

    def match_similar(self) -> None:
        """Match live records with notes of the deck whose headings are nearly the same, if nothing else is like either.

        What else there is counts whether it is matched or not: among siblings, likeness says nothing.
        """
        notes, records = self._left(self.live, place, with_id=False)
        places = self._affordable([key for key, _ in notes], [key for key, _ in records])
        if not places:
            return
        headings = Headings()
        around_notes: dict[Hashable, dict[int, Heading]] = defaultdict(dict)
        for number, note in enumerate(self.notes):
            if (deck := place(note)) in places:
                around_notes[deck][number] = headings.read(note.heading)
        around_records: dict[Hashable, dict[str, Heading]] = defaultdict(dict)
        for record in self.live:
            if (deck := place(record.imprint)) in places:
                around_records[deck][record.guid] = headings.read(record.imprint.heading)
        free = {position for _, position in notes}
        for key, record in records:
            if key not in places:
                continue
            old = around_records[key][record.guid]
            position = _only(old, around_notes[key])
            if position is None or position not in free:
                continue
            new = around_notes[key][position]
            if (
                are_similar(old, new, SAME)
                and not old.names_another(new)
                and _only(new, around_records[key]) == record.guid
            ):
                self._take(position, record)

    def _affordable(self, notes: Iterable[Hashable], records: Iterable[Hashable]) -> set[Hashable]:
        """Choose the decks whose headings are compared, by the decks of unmatched notes and records."""
        fresh, gone = Counter(notes), Counter(records)
        sizes: Counter[Hashable] = Counter(map(place, self.notes))
        costs = sorted(
            (
                (count * sizes[deck], deck)
                for deck, count in gone.items()
                if count <= MOST_UNMATCHED and 0 < fresh[deck] <= MOST_UNMATCHED
            ),
            key=itemgetter(0),
        )
        totals = accumulate(cost for cost, _ in costs)
        return {deck for (_, deck), total in zip(costs, totals, strict=True) if total <= MOST_PAIRS}

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

    def _pair(
        self,
        notes: Iterable[tuple[Hashable, int]],
        records: Iterable[tuple[Hashable, Record]],
        is_convincing: Callable[[int, Record], bool] = lambda _position, _record: True,
    ) -> None:
        """Match what has a key of its own on either side."""
        for position, record in _equal(notes, records):
            if is_convincing(position, record):
                self._take(position, record)

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


def _only(heading: Heading, others: dict[T, Heading]) -> T | None:
    """Give the one among the others that is at least a rival; None if there are several or none."""
    found: list[T] = []
    for name, other in others.items():
        if are_similar(heading, other, RIVAL):
            found.append(name)
            if len(found) > 1:
                return None
    return found[0] if found else None
