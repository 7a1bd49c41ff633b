"""What a learner's package contains about each card: its schedule and its review log."""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, NamedTuple

from ptcards.importing.database import telling
from ptcards.importing.package import Package
from ptcards.importing.problems import damaged, unsafe

_LEECH = re.compile(r"(?<!\S)leech(?!\S)", re.IGNORECASE)
_NEW, _SUSPENDED, _BURIED = 0, -1, (-2, -3)
_FIRST_TIME = 1_000_000_000
"""The smallest due number that is a time in Unix seconds, as in learning cards; others count days."""
_DAY = 86_400
_REVIEW, _FILTERED = 1, 3
"""Kinds of answers in Anki's review log."""
_EASIEST, _HARDEST = 1, 10
"""The bounds of FSRS's difficulty."""


_DATA_LENGTHS = range(1, 10_000)
"""The lengths of JSON that Anki itself may have stored with a card."""
_MOST_ANSWERS = 10_000
"""More than anybody gives to one card in a lifetime."""
_NO_ANSWERS = (None, ())


class Answer(NamedTuple):
    """An entry of the review log. A positive `last_interval` counts days, a negative one seconds."""

    id: int
    button: int
    last_interval: int
    ease: int
    milliseconds: int
    kind: int

    @property
    def is_review(self) -> bool:
        """Whether the answer counts for Anki's true retention.

        Anki's statistics count an answer if it was given with a button, and if the card was up for review or
        had an interval of at least a day. They ignore answers in a filtered deck that does not reschedule
        (https://github.com/ankitects/anki/blob/main/rslib/src/stats/graphs/retention.rs and `revlog/mod.rs`).
        """
        is_known = self.kind == _REVIEW or self.last_interval >= 1 or self.last_interval <= -_DAY
        return self.button > 0 and is_known and not (self.kind == _FILTERED and self.ease == 0)


class CardHistory(NamedTuple):
    """A card that a learner has answered, or that is scheduled.

    `due` is the number of days from the export of the package until the card is due, and never negative. It
    is `None` if the card is not due at all. `fsrs_difficulty` is between 0 and 1, as Anki shows it.
    """

    guid: str
    card: int
    lapses: int
    due: int | None
    fsrs_difficulty: float | None
    is_leech: bool
    answers: tuple[Answer, ...]


def card_histories(package: Package) -> Iterator[CardHistory]:
    """Yield the cards of a package that are no longer new; raises NotImportableError if it is damaged."""
    with telling(package.archive):
        connection = package.database.connection
        created, changed = connection.execute("SELECT crt, mod FROM col").fetchone()
        clock = _Clock(int(created), int(changed) // 1000)
        notes = {nid: (str(guid), _LEECH.search(tags) is not None) for nid, guid, tags in _notes(package)}
        answered = _answered(package)
        number, answers = next(answered, _NO_ANSWERS)
        rows = connection.execute(
            "SELECT id, nid, lapses, type, queue, CASE WHEN odid THEN odue ELSE due END, data "
            "FROM cards ORDER BY id"
        )
        for card, nid, lapses, kind, queue, due, data in rows:
            if (
                not all(isinstance(each, int) for each in (card, lapses, kind, queue, due))
                or nid not in notes
            ):
                raise damaged(package.path, f"card {card} has values of the wrong type, or no note")
            # Answers are joined here because a package may lack an index. Those of deleted cards are skipped.
            while number is not None and number < card:
                number, answers = next(answered, _NO_ANSWERS)
            given = answers if number == card else ()
            if kind != _NEW or given:
                guid, is_leech = notes[nid]
                when = None if kind == _NEW else clock.days_to(due, queue)
                yield CardHistory(guid, card, max(0, lapses), when, _difficulty(data), is_leech, given)


def _notes(package: Package) -> Iterator[tuple[int, Any, str]]:
    return iter(package.database.connection.execute("SELECT id, guid, tags FROM notes"))


def _answered(package: Package) -> Iterator[tuple[int | None, tuple[Answer, ...]]]:
    """Yield the ids of the cards in the review log, each with its answers in order."""
    if not package.database.has_log:
        return
    rows = package.database.connection.execute(
        "SELECT cid, id, ease, lastIvl, factor, time, type FROM revlog ORDER BY cid, id"
    )
    for card, some in groupby(rows, key=itemgetter(0)):
        found = tuple(Answer(*row[1:]) for row in islice(some, _MOST_ANSWERS + 1))
        if len(found) > _MOST_ANSWERS:
            raise unsafe(package.path, f"card {card} has over {_MOST_ANSWERS:,} answers")
        if not all(isinstance(each, int) for each in (card, *(value for row in found for value in row))):
            raise damaged(package.path, f"the review log of card {card} has values of the wrong type")
        yield card, found


class _Clock(NamedTuple):
    """When a collection was created and when it was exported, in Unix seconds."""

    created: int
    exported: int

    def days_to(self, due: int, queue: int) -> int | None:
        """Return the days until a card is due, as in Anki's forecast; `None` if it is suspended or buried."""
        if due >= _FIRST_TIME:
            days = (due - self.exported) // _DAY
        else:
            days = due - (self.exported - self.created) // _DAY
        if queue == _SUSPENDED or (queue in _BURIED and days <= 0):
            return None
        return max(0, days)


def _difficulty(data: object) -> float | None:
    """Return the difficulty that FSRS gave a card, from the JSON that Anki stores with it.

    Returns `None` if there is no difficulty.
    """
    try:
        found = json.loads(data) if isinstance(data, str) and len(data) in _DATA_LENGTHS else None
    except ValueError:  # an old add-on may have stored anything here
        return None
    value = found.get("d") if isinstance(found, Mapping) else None
    if not isinstance(value, int | float) or not _EASIEST <= value <= _HARDEST:
        return None
    return (value - _EASIEST) / (_HARDEST - _EASIEST)
