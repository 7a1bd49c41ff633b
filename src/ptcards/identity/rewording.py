"""Notes that may be others reworded: not matched, for that would be a guess, but never lost without a word."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence

from ptcards.diagnostics import Diagnostic, warning
from ptcards.identity.hashes import Gist
from ptcards.identity.keys import place
from ptcards.identity.lock import Imprint, Record
from ptcards.identity.matching import LONG_ANSWER, REWORDED
from ptcards.identity.outcome import Outcome, count_notes, quoted
from ptcards.identity.similar import Headings, most, similarity

MOST_PAIRS = 40_000
"""Pairs of new and gone notes of a deck up to which all are compared."""
MOST_PAIRS_IN_ALL = 1_000_000
"""The same for a collection."""
CANDIDATES = 3
_TRIED = 5
"""How many of the headings that share the most words are compared exactly."""


def maybe_reworded(outcome: Outcome) -> Iterator[Diagnostic]:
    """Warn of each note that starts afresh, or comes back, while one like it is gone: the author knows which it is."""
    gone = [*outcome.gone, *(record for record in outcome.doubtful if not record.live)]
    back = {position for position, record in outcome.found.items() if not record.live}
    fresh = [position for position in outcome.chosen if position in back or position not in outcome.found]
    if not fresh or not gone:
        return
    equal = _Equal(gone)
    compared = 0
    for (_, deck), (positions, records) in _by_place(outcome, fresh, gone).items():
        pairs = len(positions) * len(records)
        is_comparable = pairs <= MOST_PAIRS and compared + pairs <= MOST_PAIRS_IN_ALL
        compared += pairs if is_comparable else 0
        similar = _Similar(records if is_comparable else ())
        untold = []
        for position in positions:
            said, note = outcome.prints[position], outcome.notes[position]
            candidates = equal.to(said, is_long=note.answer_words >= LONG_ANSWER)
            candidates += similar.to(said.heading)
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

    def __init__(self, gone: Iterable[Record]) -> None:
        self._records: dict[tuple[Hashable, ...], list[Record]] = defaultdict(list)
        for record in gone:
            for key in self._keys(record.imprint, is_long=True):
                self._records[key].append(record)

    def to(self, said: Imprint, *, is_long: bool) -> list[Record]:
        """Give some that are equal in a part, the likeliest first; a short answer says something only within the deck."""
        return [
            record
            for key in self._keys(said, is_long=is_long)
            for record in self._records.get(key, ())[:CANDIDATES]
        ]

    def _keys(self, said: Imprint, *, is_long: bool) -> Iterator[tuple[Hashable, ...]]:
        yield ("question", place(said), said.question)
        yield ("answer", place(said), said.answer)
        yield ("question", said.note_type, said.question)
        if is_long:
            yield ("answer", said.note_type, said.answer)


class _Similar:
    """Gone notes of a deck by their headings."""

    def __init__(self, gone: Iterable[Record]) -> None:
        self._headings = Headings()
        self._gone = [(self._headings.read(record.imprint.heading), record) for record in gone]

    def to(self, heading: str) -> list[Record]:
        """Give some whose heading is like this one, the most similar first."""
        new = self._headings.read(heading)
        shared = sorted(self._gone, key=lambda old: most(old[0], new), reverse=True)[:_TRIED]
        scored = sorted(((similarity(old, new), record) for old, record in shared), key=lambda s: -s[0])
        return [record for score, record in scored if score >= REWORDED]


def _which(note: Gist, candidates: Sequence[Record], *, is_back: bool) -> Diagnostic:
    headings = " or ".join(quoted(record.imprint.heading) for record in candidates)
    cures = " or ".join(
        f"`id={record.imprint.id or record.guid}`"
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
