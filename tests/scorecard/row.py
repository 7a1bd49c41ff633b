"""A row of the scorecard, and the result of measuring it."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Effort:
    """How to measure: the form, the seed, the number of processes, and the folder."""

    long: bool
    seed: int
    jobs: int
    folder: Path

    def pick(self, short: int, long: int) -> int:
        """Return the number for the short or the long form."""
        return long if self.long else short

    def random(self, *about: object) -> random.Random:
        """Return a random source for a purpose; the same seed and purpose give the same numbers."""
        return random.Random(repr((self.seed, *about)))


@dataclass(frozen=True, slots=True)
class Result:
    """A measured figure, with its text in the table, whether it meets the bar, and what to look at if not.

    `holds` is None if nothing could be measured, which is not a pass.
    """

    ours: str
    holds: bool | None
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table. `number` identifies it, and `bar` is the promised figure."""

    number: int
    figure: str
    bar: str


@dataclass(frozen=True, slots=True)
class Measurement:
    """One run that measures some rows, in their order.

    `only_long` leaves it out of the short form, because it takes a long time or the tests in the gate do the
    same.
    """

    rows: tuple[Row, ...]
    run: Callable[[Effort], tuple[Result, ...]]
    only_long: bool = False
