"""Row 39: time for texts that repeat a few characters, in every place where a stranger can put text."""

import os
import re
import shutil
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from repetitions import KNOWN, PLACES, atoms
from scorecard.command import ptcards
from scorecard.row import Effort, Measurement, Result, Row

SECONDS = 2.0
_STUCK_SECONDS = 100.0
"""CPU seconds before a command is abandoned."""
_SHORT, _LONG = 64 << 10, 1 << 20
_SAMPLE = 30
_PER_PLACE = 5
_MANY, _MANY_LINES = 1000, 20_000
_GROWTH = 6
"""What four times the text may take; if time grew with the square, it would be sixteen times as much."""
_MESSAGE = re.compile(r"(?:error|warning|hint)\[")
_NOTES = re.compile(r"\b(\d[\d,]*) (?:note|card)")


class Case(NamedTuple):
    """What is repeated, where, to how many characters, and whether each repetition is on its own line."""

    place: str
    atom: str
    length: int
    is_by_line: bool = False

    def __str__(self) -> str:
        lines = " by line" if self.is_by_line else ""
        return f"{self.place}: {self.atom!r}{lines}, {self.length >> 10} KB"

    @property
    def text(self) -> str:
        """The text to put into the place."""
        atom = self.atom + "\n" * self.is_by_line
        return atom * max(1, self.length // len(atom.encode()))


class _StuckError(BaseException):
    """A command that took too long; no handler of ours catches it."""


class Cost(NamedTuple):
    """The CPU seconds of a command for a case, and whether it refused the text.

    `many` is at least 1: thousands of notes or messages, or tens of thousands of lines.
    """

    case: Case
    command: str
    seconds: float
    is_refused: bool = False
    many: float = 1
    failure: str = ""

    def __str__(self) -> str:
        said = "refused, but after " if self.is_refused else ""
        return f"{self.case}, {self.command}: {self.failure or f'{said}{self.seconds:.1f} s'}"


def costs(case: Case, folder: Path) -> list[Cost]:
    """Return the costs of the commands that read a case."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    text = case.text
    found = [_cost(case, text, folder, *command) for command in PLACES[case.place].write(folder, text)]
    shutil.rmtree(folder)
    return found


def _cost(case: Case, text: str, folder: Path, *command: str | Path) -> Cost:
    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise _StuckError

    name = str(command[0])
    before, begun = signal.signal(signal.SIGPROF, stop), time.process_time()
    signal.setitimer(signal.ITIMER_PROF, _STUCK_SECONDS, 1)
    try:
        ran = ptcards(*command, XDG_CACHE_HOME=str(folder / "cache"))
    except _StuckError:
        return Cost(case, name, _STUCK_SECONDS, failure=f"over {_STUCK_SECONDS:.0f} s")
    except Exception as failure:  # noqa: BLE001 - a traceback is a result
        return Cost(case, name, 0, failure=f"{type(failure).__name__}: {failure}"[:200])
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    seconds, said = time.process_time() - begun, ran.out + ran.err
    notes = max((int(found[1].replace(",", "")) for found in _NOTES.finditer(said)), default=0)
    items = max(notes, len(_MESSAGE.findall(said)))
    many = max(1, items / _MANY, text.count("\n") / _MANY_LINES)
    return Cost(case, name, seconds, ran.status != 0, many)


def slow_costs(case: Case, folder: Path) -> Iterator[Cost]:
    """Yield the costs of a case that are not fair.

    A command may take two seconds. It may take longer if it refuses the text, or if the text makes many
    notes, messages or lines, but then a quarter of the text must take at least a sixth of the time.
    """
    found = costs(case, folder)
    quarter: list[Cost] = []
    for number, each in enumerate(found):
        if each.failure:
            yield each
        elif each.seconds > SECONDS:
            quarter = quarter or costs(case._replace(length=case.length // 4), folder)
            is_proportional = each.seconds <= _GROWTH * max(quarter[number].seconds, SECONDS / 2)
            if not (each.is_refused or each.seconds <= SECONDS * each.many) or not is_proportional:
                yield each


def cases(effort: Effort) -> Iterator[Case]:
    """Yield the cases: what once was slow, and a sample; the long form draws for each place."""
    for place, atom in KNOWN:
        yield from (Case(place, atom, length) for length in (_SHORT, _LONG))
    yield from (Case("page", atom, _SHORT, is_by_line=True) for atom in ("## ", "--"))
    random = effort.random("repetitions")
    repeated = atoms(random, 200)
    places = sorted(PLACES) * _PER_PLACE if effort.long else random.choices(sorted(PLACES), k=_SAMPLE)
    for place in places:
        is_by_line = PLACES[place].has_lines and random.random() < 0.5
        yield Case(place, random.choice(repeated), effort.pick(_SHORT, _LONG), is_by_line)


def _begin(processor: int) -> None:
    """Use one processor, so that a command starts no processes, whose time would not be seen."""
    os.sched_setaffinity(0, {processor})


def _slow(task: tuple[Path, list[Case]]) -> list[Cost]:
    folder, some = task
    return [cost for case in some for cost in slow_costs(case, folder / str(os.getpid()))]


def _measure(effort: Effort) -> tuple[Result, ...]:
    begun = os.times()
    all_cases = list(cases(effort))
    size = effort.pick(10, 50)
    tasks = [(effort.folder, all_cases[at : at + size]) for at in range(0, len(all_cases), size)]
    processor = min(os.sched_getaffinity(0))
    with ProcessPoolExecutor(effort.jobs, get_context("spawn"), _begin, (processor,)) as pool:
        slow = [cost for some in pool.map(_slow, tasks) for cost in some]
    ended = os.times()
    seconds = sum(ended[:4]) - sum(begun[:4])
    places = len({case.place for case in all_cases})
    figure = f"{len(slow)} of {len(all_cases):,} in {places} places, in {seconds:.0f} s of CPU for all"
    return (Result(figure, not slow, tuple(map(str, slow))),)


MEASUREMENT = Measurement(
    (
        Row(
            39,
            f"texts that repeat a few characters (1 MB) and take over {SECONDS:.0f} s of CPU without being refused, per "
            "thousand notes or messages; or more than six times as long as a quarter of the text",
            "0",
        ),
    ),
    _measure,
)
