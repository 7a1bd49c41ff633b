"""Matches notes to records in passes, from certain to likely; each pass only takes unique pairs.

The worst error is to give a note the GUID of another one, because learners' schedules would move to the wrong
card. So where a match would be a guess, the note becomes a new one, with a warning (`identity.advice`).

Ids come first, because an id is the author's decision: those of live records, then those of retired ones.
Live records follow, from identical texts to similar headings; a note that is still unmatched may bring a
retired record back. However, text identical to a retired note in the same deck counts more than a similar
heading. If a record's question in its deck, its text in another deck and its answer in its deck lead to
different notes, none of them is matched.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

from ptcards.identity.hashes import SHORTEST, Summary
from ptcards.identity.headings import Headings
from ptcards.identity.likeness import alike, grown_answer, same_answer
from ptcards.identity.lock import (
    Fingerprint,
    Record,
    deck_key,
    guid_as_id,
    place_and_answer,
    place_and_question,
    place_and_text,
    text,
)
from ptcards.identity.remaining import Pair, Remaining, equal, unique


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


def match(notes: Sequence[Summary], records: Iterable[Record]) -> Matching:
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

    def __init__(self, notes: Sequence[Summary], records: Iterable[Record]) -> None:
        self._notes = [note.fingerprint for note in notes]
        self.left = Remaining(self._notes, records)
        before = [record.fingerprint for record in self.left.live]
        self.headings = Headings([said.heading for said in (*self._notes, *before)])
        self.recognised: list[int] = []
        self.doubtful: list[Record] = []
        self._decks_before = {said.deck for said in before}
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
            said = record.fingerprint
            if said.id.casefold() in self.left.ids:
                named.append(((said.note_type, said.id.casefold()), record))
            elif (guid := guid_as_id(record.guid)) in written:
                named.append(((said.note_type, guid.casefold()), record))
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
