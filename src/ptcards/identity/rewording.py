"""Notes that may be others reworded: not matched, for that would be a guess, but never lost without a word."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence

from ptcards.diagnostics import Diagnostic, warning
from ptcards.identity.hashes import Gist
from ptcards.identity.headings import Headings
from ptcards.identity.keys import guid_as_id, place, place_and_answer, place_and_question
from ptcards.identity.likeness import REWORDED
from ptcards.identity.lock import Imprint, Record
from ptcards.identity.outcome import Outcome, count_notes, quoted
from ptcards.identity.sketch import SHORTEST, likeness

SAME_HEADING = 0.8
"""How alike headings must be where the answer says nothing."""
PART_OF_ANSWER = 0.25
"""How alike answers must be to say something."""
MOST_OF_ANSWER = 0.6
"""How alike answers must be to say it without the headings."""
MOST_PAIRS = 40_000
"""Pairs of new and gone notes of a deck up to which all are compared."""
MOST_PAIRS_IN_ALL = 1_000_000
"""The same for a collection."""
MOST_SAME = 50
"""Gone notes with one answer whose headings are compared with that of a new one."""
CANDIDATES = 3


def maybe_reworded(outcome: Outcome) -> Iterator[Diagnostic]:
    """Warn of each note that starts afresh, or comes back, while one like it is gone: the author knows which it is."""
    gone = [*outcome.gone, *(record for record in outcome.matching.doubtful if not record.live)]
    back = {position for position, record in outcome.found.items() if not record.live}
    fresh = [position for position in outcome.chosen if position in back or position not in outcome.found]
    retired = [] if not fresh else outcome.retired
    if not gone and not retired:
        return
    equal = _Equal(gone, outcome.headings)
    earlier = _Equal(retired, outcome.headings)
    compared = 0
    for (_, deck), (positions, records) in _by_place(outcome, fresh, gone).items():
        pairs = len(positions) * len(records)
        is_comparable = pairs <= MOST_PAIRS and compared + pairs <= MOST_PAIRS_IN_ALL
        compared += pairs if is_comparable else 0
        alike = _Alike(records if is_comparable else (), outcome.headings)
        untold = []
        for position in positions:
            said, note = outcome.prints[position], outcome.notes[position]
            is_long = note.answer_words >= SHORTEST
            is_rare = place_and_answer(said) not in outcome.common_answers
            candidates = equal.to(said, is_long=is_long, is_rare=is_rare) + alike.to(said)
            if not candidates and position not in back:
                candidates = earlier.to(said, is_long=is_long)
            if candidates:
                several = list(dict.fromkeys(candidates))[:CANDIDATES]
                yield _which(note, several, is_back=position in back)
            else:
                untold.append(note)
        if untold and not is_comparable:
            yield warning(
                untold[0].location,
                "maybe-reworded",
                f"{count_notes(len(untold))} of `{deck}` are new and {len(records)} gone: too many to tell which were reworded",
                "to keep reviews, bring the old text back, give each note an `id` and build; then reword",
                length=untold[0].heading_length,
            )


def _by_place(
    outcome: Outcome, fresh: Iterable[int], gone: Iterable[Record]
) -> dict[tuple[str, str], tuple[list[int], list[Record]]]:
    places: dict[tuple[str, str], tuple[list[int], list[Record]]] = defaultdict(lambda: ([], []))
    for position in fresh:
        said = outcome.prints[position]
        places[place(said)][0].append(position)
    for record in gone:
        places[place(record.imprint)][1].append(record)
    return places


class _Equal:
    """Gone notes by what a note may share with them: question or answer, in its deck or in any."""

    def __init__(self, gone: Iterable[Record], headings: Headings) -> None:
        self._headings = headings
        self._records: dict[Hashable, list[Record]] = defaultdict(list)
        for record in gone:
            for part in _parts(record.imprint):
                self._records[part].append(record)

    def to(self, said: Imprint, *, is_long: bool, is_rare: bool = False) -> list[Record]:
        """Return some that are equal in a part, the likeliest first.

        A short answer says something if no other note of the deck has it (`is_rare`), or under a heading that is alike.
        """
        question_here, answer_here, question, answer = _parts(said)
        return [
            *self._some(question_here, said, is_telling=True),
            *self._some(answer_here, said, is_telling=is_long or is_rare),
            *self._some(question, said, is_telling=True),
            *self._some(answer, said, is_telling=is_long),
        ]

    def _some(self, part: Hashable, said: Imprint, *, is_telling: bool) -> list[Record]:
        """Return some records that share a part: one that is not telling counts under a heading that is alike."""
        return [
            record
            for record in self._records.get(part, ())[:MOST_SAME]
            if is_telling or self._headings.shared(record.imprint.heading, said.heading) >= REWORDED
        ][:CANDIDATES]


def _parts(said: Imprint) -> tuple[Hashable, Hashable, Hashable, Hashable]:
    """Return what is compared: question and answer in their deck, then question and answer in any."""
    return (
        ("question", place_and_question(said)),
        ("answer", place_and_answer(said)),
        ("question", said.note_type, said.question),
        ("answer", said.note_type, said.answer),
    )


class _Alike:
    """Gone notes of a deck that are alike in heading and answer, though not enough to take them for the same."""

    def __init__(self, gone: Iterable[Record], headings: Headings) -> None:
        self._headings = headings
        self._gone = list(gone)

    def to(self, said: Imprint) -> list[Record]:
        """Return those that the author should be asked about, the most alike first."""
        scored = [(score, record) for record in self._gone if (score := self._likeness(said, record.imprint))]
        return [record for _, record in sorted(scored, key=lambda pair: -pair[0])]

    def _likeness(self, new: Imprint, old: Imprint) -> float:
        """Return how alike two notes are, heading and answer together; 0 if that is not worth a question."""
        answers = likeness(old.sketch, new.sketch)
        headings = self._headings.likeness(old.heading, new.heading)
        if answers < PART_OF_ANSWER:
            is_asked = headings >= SAME_HEADING and not self._headings.names_another(old.heading, new.heading)
        else:
            is_asked = headings >= REWORDED or answers >= MOST_OF_ANSWER
        return headings + answers if is_asked else 0.0


def _which(note: Gist, candidates: Sequence[Record], *, is_back: bool) -> Diagnostic:
    headings = " or ".join(quoted(record.imprint.heading) for record in candidates)
    cures = " or ".join(
        f"`id={record.imprint.id or guid_as_id(record.guid)}`"
        + (f" ({quoted(record.imprint.heading)})" if len(candidates) > 1 else "")
        for record in candidates
    )
    what = "back from retirement" if is_back else "new to learners"
    old_id = candidates[0].imprint.id
    if old_id:
        rule, message = "changed-id", f"`id={old_id}` is gone, and this note, {what}, is like it: {headings}"
    else:
        rule, message = "maybe-reworded", f"this note is {what}, but like one that is gone: {headings}"
    return warning(
        note.location,
        rule,
        message,
        f"if it is the same, write {cures} into its card comment to keep the reviews; "
        "if not, nothing is to do: the two are learnt apart",
        length=note.heading_length,
    )
