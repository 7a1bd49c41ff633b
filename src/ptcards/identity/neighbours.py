"""Pairs new notes with gone ones that were in the same place: they may be the same, whatever their texts."""

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import TypeVar

from ptcards.identity.lock import Record, place
from ptcards.identity.matching import match
from ptcards.identity.outcome import Outcome

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
