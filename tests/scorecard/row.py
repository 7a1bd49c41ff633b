"""What a row of the scorecard is, and what measuring it gives."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Effort:
    """How hard to try: the short form or the long one, from which seed, with how many processes, where."""

    long: bool
    seed: int
    jobs: int
    folder: Path

    def pick(self, short: int, long: int) -> int:
        """Choose between the short and the long form's number."""
        return long if self.long else short

    def random(self, *about: object) -> random.Random:
        """Return the random source of one thing; the same seed and thing, the same numbers."""
        return random.Random(repr((self.seed, *about)))


@dataclass(frozen=True, slots=True)
class Result:
    """A figure measured: as it stands in the table, whether it meets the bar, and what to look at if not.

    `holds` is None where nothing could be measured, which is no pass.
    """

    ours: str
    holds: bool | None
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table: `number` is that of the list the project began with, `bar` what is promised."""

    number: int
    figure: str
    bar: str


@dataclass(frozen=True, slots=True)
class Measurement:
    """One run that gives the figures of some rows, in their order.

    `only_long` leaves it out of the short form: it takes long, or is what tests do in the gate as well.
    """

    rows: tuple[Row, ...]
    run: Callable[[Effort], tuple[Result, ...]]
    only_long: bool = False
