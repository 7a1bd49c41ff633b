"""Reports new notes that may be reworded versions of published ones: matching them would be a guess."""

from collections import defaultdict
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, hint, warning
from ptcards.identity.hashes import SHORTEST, Summary, likeness
from ptcards.identity.headings import Headings
from ptcards.identity.likeness import REWORDED
from ptcards.identity.lock import Fingerprint, Record, as_id, place, place_and_answer, place_and_question
from ptcards.identity.neighbours import find_replaced
from ptcards.identity.outcome import Outcome, quoted

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


class Resemblance(NamedTuple):
    """A new note, by its position, and the gone records that it may be, the most likely one first.

    `is_back` means that the note returned after being retired. If it is not `is_alike`, only its place speaks
    for the records.
    """

    position: int
    records: Sequence[Record]
    is_back: bool
    is_alike: bool


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
            found = candidates.of(note, common=outcome.common_answers)
            if not found and position not in back:
                found = earlier.of(note)
            in_place = [each for each in replaced.get(position, ()) if each not in found]
            if found or in_place:
                both = (*found, *in_place)
                resemblances.append(Resemblance(position, both, position in back, is_alike=bool(found)))
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
                note.location,
                "maybe-reworded",
                f"too many notes in `{deck}` to match: {len(positions)} new, {gone[where]} gone",
                "to keep reviews, restore the old text, give each note an `id` and build; then reword",
                length=note.heading_length,
            )


def ask(outcome: Outcome, resemblance: Resemblance) -> Diagnostic:
    """Return the question whether a note is one of those that it resembles."""
    note, records = outcome.notes[resemblance.position], resemblance.records
    headings = " or ".join(quoted(record.fingerprint.heading) for record in records)
    what = "back after being retired" if resemblance.is_back else "new to learners"
    old_id = records[0].fingerprint.id
    cure = _cure(records, is_foreign=note.location.path in outcome.foreign)
    fix = f"if this is the same note, {cure} to keep the reviews; if not, do nothing"
    if not resemblance.is_alike:
        message = f"this note is {what}, and may replace one that is gone: {headings}"
        return hint(note.location, "possible-pair", message, fix, length=note.heading_length)
    if old_id:
        message = f"this note is {what}, but resembles `id={old_id}`, which is gone: {headings}"
        return warning(note.location, "changed-id", message, fix, length=note.heading_length)
    message = f"this note is {what}, but resembles one that is gone: {headings}"
    return warning(note.location, "maybe-reworded", message, fix, length=note.heading_length)


def _cure(records: Sequence[Record], *, is_foreign: bool) -> str:
    """Return what an author does to keep the reviews; notes for other programs have no card comment."""
    if is_foreign:
        return "run `ptcards keep`, which prints a line for `deck.lock`,"
    ids = " or ".join(
        f"`id={as_id(record)}`" + (f" ({quoted(record.fingerprint.heading)})" if len(records) > 1 else "")
        for record in records
    )
    return f"run `ptcards keep` or add {ids} to its card comment"


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

    def of(self, note: Summary, common: Container[Hashable] | None = None) -> list[Record]:
        """Return a few candidates, most likely first.

        A short answer only counts if the heading is similar, or if no other note of the deck has it: if it is
        not one of the `common` ones. Without those, every short answer counts as common.
        """
        said, is_long = note.fingerprint, note.answer_words >= SHORTEST
        question_here, answer_here, question, answer = _parts(said)
        is_rare = common is not None and place_and_answer(said) not in common
        found = [
            *self._equal(question_here, said, is_telling=True),
            *self._equal(answer_here, said, is_telling=is_long or is_rare),
            *self._equal(question, said, is_telling=True),
            *self._equal(answer, said, is_telling=is_long),
            *self._shorter(note, common),
            *self._alike(said),
        ]
        return list(dict.fromkeys(found))[:CANDIDATES]

    def _shorter(self, note: Summary, common: Container[Hashable] | None) -> Iterator[Record]:
        """Yield records of the deck whose short answer grew to that of a note."""
        said = note.fingerprint
        for shorter in note.shorter_answers():
            key = place_and_answer(said._replace(answer=shorter))
            is_rare = common is not None and key not in common
            yield from self._equal(("answer", key), said, is_telling=is_rare)

    def _equal(self, part: Hashable, said: Fingerprint, *, is_telling: bool) -> list[Record]:
        """Return a few records that share a part; unless it is distinctive, headings must be similar too."""
        return [
            record
            for record in self._by_part.get(part, ())[:MOST_SAME]
            if is_telling or self._headings.shared(record.fingerprint.heading, said.heading) >= REWORDED
        ][:CANDIDATES]

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
