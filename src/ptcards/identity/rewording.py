"""Reports new notes that may be reworded versions of published ones: matching them would be a guess."""

from collections import defaultdict
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence

from ptcards.diagnostics import Diagnostic, hint, warning
from ptcards.identity.hashes import SHORTEST, Summary, likeness
from ptcards.identity.headings import Headings
from ptcards.identity.likeness import REWORDED
from ptcards.identity.lock import Fingerprint, Record, guid_as_id, place, place_and_answer, place_and_question
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


def maybe_reworded(outcome: Outcome) -> Iterator[Diagnostic]:
    """Yield a warning for each new or returning note that is similar to one that is gone.

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
    if not gone and not retired:
        return
    replaced = find_replaced(outcome)
    counts = {where: len(positions) for where, positions in fresh.items()}
    candidates = _Candidates(gone, counts, outcome.headings)
    earlier = _Candidates(retired, counts, outcome.headings)
    for where, positions in fresh.items():
        untold = []
        for position in positions:
            note = outcome.notes[position]
            found = candidates.of(note, common=outcome.common_answers)
            if not found and position not in back:
                found = earlier.of(note)
            in_place = [each for each in replaced.get(position, ()) if each not in found]
            if found or in_place:
                yield _which(note, [*found, *in_place], is_back=position in back, is_alike=bool(found))
            else:
                untold.append(note)
        if untold and where in candidates.too_many:
            deck, many = outcome.prints[positions[0]].deck, candidates.too_many[where]
            yield warning(
                untold[0].location,
                "maybe-reworded",
                f"too many notes in `{deck}` to match: {len(untold)} new, {many} gone",
                "to keep reviews, restore the old text, give each note an `id` and build; then reword",
                length=untold[0].heading_length,
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


def _which(note: Summary, candidates: Sequence[Record], *, is_back: bool, is_alike: bool) -> Diagnostic:
    """Return a question about a note; if its text is not `is_alike`, its place suggests the candidates."""
    headings = " or ".join(quoted(record.fingerprint.heading) for record in candidates)
    cures = " or ".join(
        f"`id={record.fingerprint.id or guid_as_id(record.guid)}`"
        + (f" ({quoted(record.fingerprint.heading)})" if len(candidates) > 1 else "")
        for record in candidates
    )
    what = "back after being retired" if is_back else "new to learners"
    fix = f"if this is the same note, add {cures} to its card comment to keep the reviews; if not, do nothing"
    old_id = candidates[0].fingerprint.id
    if not is_alike:
        message = f"this note is {what}, and may replace one that is gone: {headings}"
        return hint(note.location, "possible-pair", message, fix, length=note.heading_length)
    if old_id:
        rule, message = (
            "changed-id",
            f"this note is {what}, but resembles `id={old_id}`, which is gone: {headings}",
        )
    else:
        rule, message = "maybe-reworded", f"this note is {what}, but resembles one that is gone: {headings}"
    return warning(note.location, rule, message, fix, length=note.heading_length)
