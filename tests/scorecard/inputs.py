"""Rows 33 and 34: cloned collections that read files outside their folder, or cost time and memory."""

import contextlib
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hostile_inputs import INPUTS, MEGABYTES, SECONDS, Cost, cost
from links import CASES, COMMANDS, Run, leaks
from scorecard.command import ptcards
from scorecard.row import Effort, Measurement, Result, Row


def _links(effort: Effort) -> tuple[Result, ...]:
    """Run every command on each collection that contains a link out of it."""
    cases = CASES if effort.long else effort.random("links").sample(CASES, 15)
    found = []
    for number, (title, link, target) in enumerate(cases):
        world = effort.folder / str(number)
        found += [f"{title}: {leak}" for leak in leaks(world, link, target, _run_in(world))]
        shutil.rmtree(world)
    drawn = "" if effort.long else f" drawn from {len(CASES)}"
    return (
        Result(
            f"{len(found)} of {len(cases)}{drawn}, each with {len(COMMANDS)} commands",
            not found,
            tuple(found),
        ),
    )


def _run_in(world: Path) -> Run:
    def run(folder: Path, *arguments: str) -> tuple[int, str]:
        with contextlib.chdir(folder):
            ran = ptcards(*arguments, XDG_CACHE_HOME=str(world / "cache"))
        return ran.status, f"{ran.out}{ran.err}"

    return run


def _costs(effort: Effort) -> tuple[Result, ...]:
    """Check each collection in a separate process; the long form has all of them, and also builds them."""
    commands = ("check", "build") if effort.long else ("check",)
    names = sorted(INPUTS) if effort.long else effort.random("costs").sample(sorted(INPUTS), 30)
    with ThreadPoolExecutor(effort.jobs) as pool:
        found = pool.map(lambda name: _cost(effort.folder, name, commands), names)
        measured = [each for some in found for each in some]
    bad = [_line(title, each) for title, each in measured if not each.is_fair]
    slowest = max(measured, key=lambda each: each[1].seconds)
    largest = max(measured, key=lambda each: each[1].megabytes)
    drawn = "" if effort.long else f" drawn from {len(INPUTS)}"
    figure = (
        f"{len({title.partition(', ')[0] for title, each in measured if not each.is_fair})} of {len(names)}{drawn}; "
        f"at most {slowest[1].seconds:.1f} s ({slowest[0]}), {largest[1].megabytes:.0f} MB ({largest[0]})"
    )
    return (Result(figure, not bad, tuple(bad)),)


def _cost(folder: Path, name: str, commands: Sequence[str]) -> list[tuple[str, Cost]]:
    world = folder / name.replace("/", "-")
    (world / "clone").mkdir(parents=True)
    INPUTS[name](world / "clone")
    measured = [(f"{name}, {command}", cost(world / "clone", command)) for command in commands]
    shutil.rmtree(world)
    return measured


def _line(title: str, each: Cost) -> str:
    return f"{title}: {each.seconds:.1f} s, {each.megabytes:.0f} MB, status {each.status}: {each.said[-200:]}"


MEASUREMENTS = (
    Measurement((Row(33, "links out of the collection that are read, shown or written to", "0"),), _links),
    Measurement(
        (
            Row(
                34,
                f"inputs that take over {SECONDS:.0f} s of CPU or {MEGABYTES} MB",
                "0 of at least 30",
            ),
        ),
        _costs,
    ),
)
