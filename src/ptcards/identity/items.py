"""Numbers the items of a note: each is a card in Anki, so it keeps its number for life.

Items are matched as notes are, and the worst error is the same: the schedule of a card on another one. So an
item that may be a published one in other words, but not certainly, gets the next number, and is named.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import accumulate, count, product
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Trait, error, hint, warning
from ptcards.identity.hashes import SHORTEST, ItemSummary, NoteSummary, is_reshaped
from ptcards.identity.heading_likeness import Headings, squash
from ptcards.identity.lock import ItemRecord
from ptcards.identity.match import REWORDED, equal, stands_out
from ptcards.identity.outcome import quoted

CANDIDATES = 3
HIGHEST_DELETION = 99
"""The highest number of a deletion that an author writes."""
_SAME_TEXT = 0.8
"""The minimum similarity of items in different places, and of one that has another word."""
HIGHEST_NUMBER = 499
"""The highest number that Anki gives a card of its own."""


def live_numbers(records: Sequence[ItemRecord]) -> tuple[int, ...]:
    """Return the numbers of the items that a note has, in the order of its list."""
    return tuple(record.number for record in _in_order(records) if record.live)


class DoubtfulItem(NamedTuple):
    """A new item, by its position, and the gone records that it may be, most likely first.

    If it is not `is_alike`, only its place speaks for the records.
    """

    position: int
    records: tuple[ItemRecord, ...]
    is_alike: bool


class Numbering(NamedTuple):
    """The numbers of a note's items in order, and their records, with those of items that are gone.

    `doubtful` are the new items that may be gone ones. `before` is the hash of an item that the note had.
    """

    numbers: tuple[int, ...]
    records: tuple[ItemRecord, ...]
    doubtful: tuple[DoubtfulItem, ...]
    before: str = ""


_NONE = Numbering((), (), ())


def number_items(items: Sequence[ItemSummary], known: Sequence[ItemRecord], highest: int = 0) -> Numbering:
    """Return the numbers of the items of a note, of which the lock knows these.

    `highest` is the highest number that any lock gave to an item of the note.
    """
    if not items and not known:  # nearly every note
        return _NONE
    matching = _Matching(items, known)
    unused = count(max(highest, *(record.number for record in known), 0) + 1)
    found = (matching.found.get(position) for position in range(len(items)))
    numbers = tuple([record.number if record else next(unused) for record in found])
    before = next((record.hash for record in matching.live), "")
    return Numbering(numbers, given_items(items, numbers, known), tuple(matching.doubtful()), before)


def given_items(
    items: Sequence[ItemSummary], numbers: Sequence[int], known: Sequence[ItemRecord] = ()
) -> tuple[ItemRecord, ...]:
    """Return the records of a note whose items have these numbers, with those of other `known` items.

    An item with the number 0, or with one that is there twice, is new and has no record yet.
    """
    old = {record.number: record for record in known}
    records = {record.number: record._replace(live=False) for record in known}
    after = 0
    for item, number in zip(items, numbers, strict=False):
        if number and numbers.count(number) == 1:
            born = old[number].born if number in old else item.hash
            records[number] = ItemRecord(
                number, live=True, after=after, born=born, hash=item.hash, text=item.text
            )
            after = number
    return tuple(records[n] for n in sorted(records))


class _Pair(NamedTuple):
    """An item and a record that are left, with their texts and how similar these are.

    They may be in the same place, between the same two others, and alone there.
    """

    position: int
    record: ItemRecord
    texts: tuple[str, str]
    score: float
    is_in_place: bool
    is_alone: bool


class _Matching:
    """Which record belongs to which item; `found` contains the records by the positions of their items."""

    def __init__(self, items: Sequence[ItemSummary], known: Sequence[ItemRecord]) -> None:
        self.items = items
        self.live = _in_order([record for record in known if record.live])
        hashes = [record.hash for record in self.live], [item.hash for item in items]
        blocks = SequenceMatcher(None, *hashes, autojunk=False).get_matching_blocks()
        self.found = {b.b + n: self.live[b.a + n] for b in blocks for n in range(b.size)}
        self._stayed = dict(self.found)
        """the items that are in the same order as before: the neighbours of others"""
        if len(self.found) == len(items):
            return
        texts = [item.text for item in items] + [record.text for record in self.live]
        self._headings = Headings(texts)
        self._take_equal(self.live)
        self._take_equal([record for record in reversed(known) if not record.live])
        gone, new_ones = self._left()
        self.found |= equal(
            [(squash(self.items[n].text), n) for n in new_ones],
            [(squash(record.text), record) for record in gone],
        )
        self._take_alike()

    def _left(self) -> tuple[list[ItemRecord], list[int]]:
        """Return the live records and the positions that are left."""
        taken = {record.number for record in self.found.values()}
        return (
            [record for record in self.live if record.number not in taken],
            [position for position in range(len(self.items)) if position not in self.found],
        )

    def _take_equal(self, records: Iterable[ItemRecord]) -> None:
        """Match items with records of the same text, several in their order: they ask for the same."""
        taken = {record.number for record in self.found.values()}
        by_hash: dict[str, list[ItemRecord]] = defaultdict(list)
        for record in records:
            if record.number not in taken:
                by_hash[record.hash].append(record)
        for position in self._left()[1]:
            if same := by_hash.get(self.items[position].hash):
                self.found[position] = same.pop(0)

    def _take_alike(self) -> None:
        """Match items with similar text in the same place, or with nearly the same text elsewhere.

        Where an item is says as much as its words: between the same two others as before. So an item that
        became longer or shorter there is the same one; of one that was divided, or merged with the next, the
        most similar part is.
        """
        found = sorted(self._compared(), key=lambda pair: -pair.score)
        of_item, of_record = defaultdict[int, list[float]](list), defaultdict[int, list[float]](list)
        for pair in found:
            of_item[pair.position].append(pair.score)
            of_record[pair.record.number].append(pair.score)
        for pair in found:
            rivals = of_item[pair.position], of_record[pair.record.number]
            is_best = all(stands_out(pair.score, scores) for scores in rivals)
            taken = pair.position in self.found or pair.record in self.found.values()
            if not taken and (self._is_part(pair) or (is_best and self._is_same(pair))):
                self.found[pair.position] = pair.record

    def _is_part(self, pair: "_Pair") -> bool:
        """Whether all words of one text are in the other, together and in the same place of the list.

        If the words are the same, there are several such texts: boxes with one label are different things.
        """
        one, other = (f" {' '.join(self._headings.read(text).words)} " for text in pair.texts)
        is_part = one != other and (one in other or other in one)
        return pair.is_in_place and is_part and min(map(len, (one, other))) > 2

    def _is_same(self, pair: "_Pair") -> bool:
        """Whether one text is the other in other words."""
        if pair.score < (REWORDED if pair.is_in_place else _SAME_TEXT):
            return False
        if not self._headings.is_exchanged(*pair.texts, short_answer=True):
            return True
        is_long = all(len(self._headings.read(text).words) >= SHORTEST for text in pair.texts)
        is_alone = pair.is_alone and is_long and self._headings.likeness(*pair.texts) >= _SAME_TEXT
        return is_alone and not self._headings.names_another(*pair.texts)

    def _compared(self) -> "Iterator[_Pair]":
        """Yield the pairs of what is left."""
        gone, new = self._left()
        stayed = {record.number: record.number for record in self._stayed.values()}
        # Items that stayed are in the same order, so the one before says which two others are around an item.
        then = accumulate((stayed.get(record.number, 0) for record in self.live), _last)
        before = {record.number: last for record, last in zip(self.live, then, strict=True)}
        kept = (self._stayed[n].number if n in self._stayed else 0 for n in range(len(self.items)))
        now = list(accumulate(kept, _last))
        there = Counter(before[record.number] for record in gone)
        here = Counter(now[position] for position in new)
        for position, record in product(new, gone):
            texts = record.text, self.items[position].text
            is_in_place = before[record.number] == now[position]
            is_alone = is_in_place and there[now[position]] == here[now[position]] == 1
            yield _Pair(position, record, texts, self._likeness(*texts), is_in_place, is_alone)

    def _likeness(self, old: str, new: str) -> float:
        """Return how similar two texts are, by words, or by letters: an item may be a single word."""
        letters = SequenceMatcher(None, squash(old), squash(new), autojunk=False)
        by_letters = letters.ratio() if letters.real_quick_ratio() >= _SAME_TEXT else 0.0
        return max(self._headings.likeness(old, new), by_letters if by_letters >= _SAME_TEXT else 0.0)

    def doubtful(self) -> Iterator[DoubtfulItem]:
        """Yield the new items that may be gone ones: similar, or in their place."""
        possible: dict[int, list[_Pair]] = defaultdict(list)
        for pair in self._compared() if len(self.found) < len(self.items) else ():
            if pair.score >= REWORDED or pair.is_in_place:
                possible[pair.position].append(pair)
        for position, pairs in possible.items():
            pairs.sort(key=lambda pair: -pair.score)
            records = tuple(pair.record for pair in pairs[:CANDIDATES])
            yield DoubtfulItem(position, records, is_alike=pairs[0].score >= REWORDED)


def _last(before: int, number: int) -> int:
    return number or before


def _in_order(records: Sequence[ItemRecord]) -> list[ItemRecord]:
    """Return the records in the order that their items had in the list."""
    following: dict[int, list[ItemRecord]] = defaultdict(list)
    for record in records:
        following[record.after].append(record)
    ordered: list[ItemRecord] = []
    # A merge may leave a record whose predecessor is gone.
    for first in sorted(following):
        waiting = following.pop(first, [])[::-1]
        while waiting:
            ordered.append(waiting.pop())
            waiting += following.pop(ordered[-1].number, [])[::-1]
    return ordered


def ask_about_items(notes: Sequence[NoteSummary], items: Mapping[int, Numbering]) -> Iterator[Diagnostic]:
    """Yield a question for each new item that may be a gone one, and an error where no number is left."""
    for number, numbering in items.items():
        note = notes[number]
        if max(numbering.numbers) > HIGHEST_NUMBER:
            message = f"this list has had {HIGHEST_NUMBER} items, and Anki has no number for another"
            fix = "give the note a new `id`; learners start again with it"
            yield error(note.heading_place, "item-count", message, fix, note.heading_length)
        if is_reshaped(note, numbering.before):
            message = "the picture has another shape than when the deck was last built"
            fix = "check that each box is where it should be: `ptcards serve` shows them"
            yield warning(note.items[0].location, "picture-reshaped", message, fix, traits=Trait.QUESTION)
        for position, records, is_alike in numbering.doubtful:
            texts = " or ".join(quoted(record.text) for record in records)
            message = f"item {position + 1} is new to learners, but may be one that is gone: {texts}"
            fix = "if it is the same item, run `ptcards keep` to keep the reviews; if not, do nothing"
            say = warning if is_alike else hint
            yield say(note.items[position].location, "maybe-same-item", message, fix, traits=Trait.QUESTION)
