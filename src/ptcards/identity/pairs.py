"""Finds new notes that may be published ones: between the same neighbours, or alike."""

from collections import defaultdict
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from operator import itemgetter
from typing import TypeVar

from ptcards.diagnostics import Diagnostic, Trait, warning
from ptcards.identity.hashes import SHORTEST, NoteSummary, likeness
from ptcards.identity.heading_likeness import Headings
from ptcards.identity.lock import Fingerprint, Record, place, place_and_answer, place_and_question
from ptcards.identity.match import REWORDED, match
from ptcards.identity.outcome import Outcome, Resemblance

MOST_TOGETHER = 3
"""The maximum number of notes between two neighbours that are paired with others."""
T = TypeVar("T")


def find_replaced(outcome: Outcome) -> Mapping[int, Sequence[Record]]:
    """Return the gone records that were where each new note is now, the most likely one first.

    The sources as they were before tell where a gone note was. Of one that they lack, only the deck is known:
    it is paired with a new note if each is the only one in that deck.
    """
    gone = {record.guid: record for record in outcome.gone}
    fresh = [position for position in outcome.fresh if not outcome.is_named(position)]
    if not gone or not fresh:
        return {}
    paths = dict.fromkeys(outcome.notes[position].location.path for position in fresh)
    before = [(path, note) for path in paths for note in outcome.earlier(path)]
    known = match([note for _, note in before], outcome.lock.records).found if before else {}
    orders: dict[str, list[str]] = defaultdict(list)
    for number, (path, _) in enumerate(before):
        if number in known:
            orders[path].append(known[number].guid)
    positions: dict[str, list[int]] = defaultdict(list)
    for position, note in enumerate(outcome.notes):
        positions[note.location.path].append(position)
    replaced: dict[int, Sequence[Record]] = {}
    for path, order in orders.items():
        replaced |= _between_neighbours(outcome, positions[path], order, gone, frozenset(fresh))
    placed = {record.guid for record in known.values()}
    unplaced = [record for guid, record in gone.items() if guid not in placed]
    alone = [position for position in fresh if position not in replaced]
    return replaced | dict(_only_ones(outcome, alone, unplaced))


def _between_neighbours(
    outcome: Outcome,
    here: Sequence[int],
    order: Sequence[str],
    gone: Mapping[str, Record],
    fresh: Container[int],
) -> Mapping[int, Sequence[Record]]:
    """Return the pairs in a source.

    `here` are the positions of its notes, and `order` the GUIDs of those that it had before.
    """
    guids = {position: outcome.found[position].guid for position in here if position in outcome.found}
    stayed = _in_order(order, [guids[position] for position in here if position in guids])
    then = _between([(guid, guid if guid in stayed else "") for guid in order])
    now = _between([(each, guid if (guid := guids.get(each, "")) in stayed else "") for each in here])
    found: dict[int, Sequence[Record]] = {}
    for neighbours, positions in now.items():
        new = [position for position in positions if position in fresh]
        old = [gone[guid] for guid in then.get(neighbours, ()) if guid in gone]
        for index, position in enumerate(new):
            kind = outcome.prints[position].note_type
            near = [record for record in old if record.fingerprint.note_type == kind]
            near.sort(key=lambda record: abs(old.index(record) - index))
            if near and max(len(new), len(old)) <= MOST_TOGETHER:
                found[position] = near
    return found


def _in_order(before: Sequence[str], now: Sequence[str]) -> frozenset[str]:
    """Return the GUIDs in both lists that follow each other in the same order, without those that moved."""
    both = {*before} & {*now}
    then = [guid for guid in before if guid in both]
    blocks = SequenceMatcher(None, then, [g for g in now if g in both], autojunk=False).get_matching_blocks()
    return frozenset(guid for block in blocks for guid in then[block.a : block.a + block.size])


def _between(notes: Iterable[tuple[T, str]]) -> Mapping[tuple[str, str], Sequence[T]]:
    """Return what is between neighbours; `notes` come with their GUID if they are neighbours, else empty."""
    found: dict[tuple[str, str], Sequence[T]] = {}
    before = ""
    between: list[T] = []
    for each, neighbour in notes:
        if neighbour:
            found[before, neighbour] = between
            before, between = neighbour, []
        else:
            between.append(each)
    found[before, ""] = between
    return found


def _only_ones(
    outcome: Outcome, fresh: Iterable[int], gone: Iterable[Record]
) -> Iterator[tuple[int, Sequence[Record]]]:
    """Yield the only new note of each deck with the deck's only gone record."""
    new: dict[tuple[str, str], list[int]] = defaultdict(list)
    old: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for position in fresh:
        new[place(outcome.prints[position])].append(position)
    for record in gone:
        old[place(record.fingerprint)].append(record)
    for where, positions in new.items():
        if len(positions) == len(old.get(where, ())) == 1:
            yield positions[0], old[where]


SAME_HEADING = 0.8
"""The minimum similarity of headings if the answers are too different to count."""
PART_OF_ANSWER = 0.25
"""The minimum similarity for answers to count."""
MOST_OF_ANSWER = 0.6
"""The minimum similarity for answers to count even if the headings differ."""
MOST_PAIRS = 40_000
"""The maximum number of pairs of new and gone notes to compare in one deck."""
MOST_PAIRS_IN_ALL = 1_000_000
"""The same limit for a collection."""
MOST_SAME = 50
"""The maximum number of gone notes with the same answer whose headings are compared with a new note's."""
CANDIDATES = 3
_Place = tuple[str, str]


def find_resemblances(outcome: Outcome) -> tuple[list[Resemblance], list[Diagnostic]]:
    """Return the new and returning notes that may be gone ones, and warnings about too many notes to compare.

    Only the author knows whether it is the same note. With an id that the lock knows, the author has said so.
    """
    gone = [*outcome.gone, *(record for record in outcome.matching.doubtful if not record.live)]
    back = {position for position, record in outcome.found.items() if not record.live}
    fresh: dict[_Place, list[int]] = defaultdict(list)
    for position in outcome.chosen:
        is_new = position in back or position not in outcome.found
        if is_new and not outcome.is_named(position):
            fresh[place(outcome.prints[position])].append(position)
    retired = outcome.retired if fresh else []
    resemblances: list[Resemblance] = []
    if not gone and not retired:
        return resemblances, []
    replaced = find_replaced(outcome)
    counts = {where: len(positions) for where, positions in fresh.items()}
    candidates = _Candidates(gone, counts, outcome.headings)
    earlier = _Candidates(retired, counts, outcome.headings)
    untold: dict[_Place, list[int]] = defaultdict(list)
    for where, positions in fresh.items():
        for position in positions:
            note = outcome.notes[position]
            records = candidates.of(note, common=outcome.common_answers)
            if not records and position not in back:
                records = earlier.of(note)
            in_place = [each for each in replaced.get(position, ()) if each not in records]
            if records or in_place:
                both = (*records, *in_place)
                resemblances.append(Resemblance(position, both, position in back, is_alike=bool(records)))
            else:
                untold[where].append(position)
    return resemblances, list(_too_many(outcome, untold, candidates.too_many))


def _too_many(
    outcome: Outcome, untold: Mapping[_Place, Sequence[int]], gone: Mapping[_Place, int]
) -> Iterator[Diagnostic]:
    """Yield a warning for each deck with too many new and `gone` notes to compare."""
    for where, positions in untold.items():
        if where in gone:
            note, deck = outcome.notes[positions[0]], outcome.prints[positions[0]].deck
            yield warning(
                note.heading_place,
                "maybe-reworded",
                f"too many notes in `{deck}` to match: {len(positions)} new, {gone[where]} gone",
                "to keep reviews, restore the old text, give each note an `id` and build; then reword",
                length=note.heading_length,
                traits=Trait.QUESTION,
            )


class _Candidates:
    """Finds gone notes that may be the same as a new one, by an equal part or a similar heading and answer.

    In decks that have `too_many` gone notes to compare with the new ones, only equal parts count.
    """

    def __init__(self, gone: Iterable[Record], fresh: Mapping[_Place, int], headings: Headings) -> None:
        self._headings = headings
        self._by_part: dict[Hashable, list[Record]] = defaultdict(list)
        self._by_place: dict[_Place, list[Record]] = defaultdict(list)
        for record in gone:
            self._by_place[place(record.fingerprint)].append(record)
            for part in _parts(record.fingerprint):
                self._by_part[part].append(record)
        self.too_many: dict[_Place, int] = {}
        compared = 0
        for where, count in fresh.items():
            pairs = count * len(self._by_place[where])
            if pairs > MOST_PAIRS or compared + pairs > MOST_PAIRS_IN_ALL:
                self.too_many[where] = len(self._by_place[where])
            else:
                compared += pairs

    def of(self, note: NoteSummary, common: Container[Hashable] | None = None) -> list[Record]:
        """Return a few candidates, most likely first.

        A short answer only counts if the heading is similar, or if no other note of the deck has it: if it is
        not one of the `common` ones. Without those, every short answer counts as common.
        """
        fingerprint, is_long = note.fingerprint, note.answer_words >= SHORTEST
        question_here, answer_here, question, answer = _parts(fingerprint)
        is_rare = common is not None and place_and_answer(fingerprint) not in common
        records = [
            *self._equal(question_here, fingerprint, is_telling=True),
            *self._equal(answer_here, fingerprint, is_telling=is_long or is_rare),
            *self._equal(question, fingerprint, is_telling=True),
            *self._equal(answer, fingerprint, is_telling=is_long),
            *self._shorter(note, common),
            *self._alike(fingerprint),
        ]
        return list(dict.fromkeys(records))[:CANDIDATES]

    def _shorter(self, note: NoteSummary, common: Container[Hashable] | None) -> Iterator[Record]:
        """Yield records of the deck whose short answer grew to that of a note."""
        fingerprint = note.fingerprint
        for shorter in note.shorter_answers():
            key = place_and_answer(fingerprint._replace(answer=shorter))
            is_rare = common is not None and key not in common
            yield from self._equal(("answer", key), fingerprint, is_telling=is_rare)

    def _equal(self, part: Hashable, said: Fingerprint, *, is_telling: bool) -> list[Record]:
        """Return a few records that share a part, with the most similar heading first.

        Unless the part is distinctive, headings must be similar.
        """
        found = [
            (-self._headings.likeness(record.fingerprint.heading, said.heading), record)
            for record in self._by_part.get(part, ())[:MOST_SAME]
            if is_telling or self._headings.shared(record.fingerprint.heading, said.heading) >= REWORDED
        ]
        return [record for _, record in sorted(found, key=itemgetter(0))][:CANDIDATES]

    def _alike(self, said: Fingerprint) -> list[Record]:
        """Return the records of the deck that are worth asking about, most similar first."""
        where = place(said)
        gone = () if where in self.too_many else self._by_place.get(where, ())
        scored = [(score, record) for record in gone if (score := self._likeness(said, record.fingerprint))]
        return [record for _, record in sorted(scored, key=lambda pair: -pair[0])]

    def _likeness(self, new: Fingerprint, old: Fingerprint) -> float:
        """Return how similar two notes are in heading and answer; 0 if they are not worth asking about."""
        answers = likeness(old.sketch, new.sketch)
        headings = self._headings.likeness(old.heading, new.heading)
        if answers < PART_OF_ANSWER:
            is_asked = headings >= SAME_HEADING and not self._headings.names_another(old.heading, new.heading)
        else:
            is_asked = headings >= REWORDED or answers >= MOST_OF_ANSWER
        return headings + answers if is_asked else 0.0


def _parts(said: Fingerprint) -> tuple[Hashable, Hashable, Hashable, Hashable]:
    """Return the parts to compare: question and answer in their deck, then both in any deck."""
    return (
        ("question", place_and_question(said)),
        ("answer", place_and_answer(said)),
        ("question", said.note_type, said.question),
        ("answer", said.note_type, said.answer),
    )
