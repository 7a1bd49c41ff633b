"""What the page of a release says about a deck: what it shows, the names of topics, and the workload."""

from collections.abc import Mapping
from itertools import pairwise
from math import log
from typing import NamedTuple

from ptcards.diff.changed_cards import Places

NEW_A_DAY = 20
"""Anki's default."""
_REVIEWS = ((5, 0.82), (10, 1.35), (20, 2.22), (50, 3.65), (100, 5.03), (200, 6.79), (500, 10.0))
"""Days, and the reviews a day that each new card a day brings on average during them.

They are those of Anki's own FSRS simulator with its default parameters, 90 % retention and 500 new cards a
day. A test compares our answers with the simulator's.
"""


class ShopWindow(NamedTuple):
    """What a page shows of a deck: the number of its notes and cards, and of the notes in each of its decks.

    `data` is for the page's script: notes to show (`card_data`), of which the first `samples` are samples.
    `changed` has the places there of new and changed notes.
    """

    notes: int
    cards: int
    decks: Mapping[str, int]
    changed: Places
    data: Mapping[str, object]


def workload(cards: int) -> tuple[int, int]:
    """Return the days until a learner has seen all cards, and the reviews a day during them.

    With Anki's defaults; the reviews are 0 if there are too few days for an average.
    """
    days = -(-cards // NEW_A_DAY)
    if days < _REVIEWS[0][0]:
        return days, 0
    steps = list(pairwise(_REVIEWS))
    (low, few), (high, many) = next((step for step in steps if days <= step[1][0]), steps[-1])
    reviews = NEW_A_DAY * few * (many / few) ** (log(days / low) / log(high / low))
    return days, round(reviews) if reviews < 50 else 5 * round(reviews / 5)
