"""Rows 9 to 11 and 29: builds that are killed, run out of space, or lose their files."""

import os
import shutil
import signal
import time
from functools import partial
from itertools import count
from pathlib import Path

from scorecard.row import Effort, Measurement, Result, Row
from scorecard.site import LOCK, Site, at_operation, ended, killed_at, orphans, published, starved


def _measure(effort: Effort) -> tuple[Result, ...]:
    with published(effort, "site") as site:
        killed, litter_killed = _kill(site, effort)
        starvation, litter_starved = _starve(site, effort)
        litter = litter_killed + litter_starved
        builds = effort.pick(6, 100)
        for _ in range(builds):
            site.reset()
            site.build()
            litter += site.litter()
    counted = f"{len(litter)} after {builds} builds, after all failed ones, and after the build that follows each killed one"
    return killed, starvation, Result(counted, not litter, tuple(litter))


def _kill(site: Site, effort: Effort) -> tuple[Result, list[str]]:
    """Kill builds at random moments, and once at each operation on a file."""
    begun = time.monotonic()
    assert site.build() == 0, site.said()
    seconds = time.monotonic() - begun
    moments = effort.random("kill")
    faults: list[str] = []
    litter: list[str] = []
    random_kills = effort.pick(4, 200)
    deaths = 0
    for _ in range(random_kills):
        site.reset()
        process = site.start()
        time.sleep(moments.uniform(0, seconds * 1.1))
        os.kill(process, signal.SIGKILL)
        deaths += ended(process) < 0
        _look_and_repair(site, process, "at random", faults, litter)
    killed = 0
    for operation in count(1, effort.pick(6, 1)):
        site.reset()
        process = site.start(before=killed_at(site.folder, operation))
        if ended(process) == 0:
            break
        killed += 1
        _look_and_repair(site, process, f"at operation {operation}", faults, litter)
    figure = (
        f"{len(faults)} damaged of {random_kills} builds killed at random ({deaths} of them before they finished) and {killed} "
        f"killed at {'every' if effort.long else 'every sixth'} file operation"
    )
    return Result(figure, not faults, tuple(faults)), litter


def _look_and_repair(site: Site, process: int, where: str, faults: list[str], litter: list[str]) -> None:
    faults += [f"killed {where}: {each}" for each in site.torn()]
    if left := orphans(process):
        faults.append(f"killed {where}: {left} processes kept running")
    if site.build() != 0 or site.now() != site.states[1]:
        faults.append(f"killed {where}: the next build did not repair it: {site.said()}")
    litter += site.litter()


def _starve(site: Site, effort: Effort) -> tuple[Result, list[str]]:
    """Limit the size of files, as on a full disk."""
    largest = max(len(content) for content in site.states[1].values())
    smaller = sorted(len(content) for content in site.states[1].values())[-2]
    sizes = effort.random("starve")
    offsets = effort.pick(6, 100)
    faults: list[str] = []
    litter: list[str] = []
    failed = 0
    for number in range(offsets):
        site.reset()
        size = sizes.randrange(largest if number % 2 else smaller)
        status = site.build(before=starved(size))
        # The streams are files too, and may be full before the message is printed.
        wrong = (
            site.torn()
            if status == 1
            else []
            if status == 0 and site.now() == site.states[1]
            else [f"exit {status}: {site.said()}"]
        )
        said = site.said()
        if "Traceback" in said or (status == 1 and size > 300 and "cannot write" not in said):
            wrong.append(f"said {said!r}")
        faults += [f"{size} bytes: {each}" for each in wrong]
        failed += status == 1
        litter += site.litter()
    figure = f"{len(faults)} damaged of {offsets} builds whose disk was full at a random byte ({failed} of them failed with a message)"
    return Result(figure, not faults, tuple(faults)), litter


def _vanishing(effort: Effort) -> tuple[Result, ...]:
    """Delete a file or folder at each moment of a build, which must succeed or report what is missing."""
    faults: list[str] = []
    builds = 0
    with published(effort, "vanishing") as site:
        gone = effort.folder / "gone"
        kept = effort.folder / "kept"
        shutil.copytree(site.folder / "cards", kept)
        for name in ("cards/part0.md", "cards/p2.bin.png", "cards/deck.toml", LOCK, "cards", "out"):
            victim = site.folder / name
            for number in count(1, effort.pick(18, 1)):
                shutil.copytree(kept, site.folder / "cards", dirs_exist_ok=True)
                site.reset()
                gone.unlink(missing_ok=True)
                status = site.build(before=at_operation(site.folder, number, partial(_remove, victim, gone)))
                if not gone.exists():
                    break
                builds += 1
                said = site.said()
                if status not in (0, 1, 2) or "Traceback" in said or (status and "rror" not in said):
                    faults.append(f"{name} gone at operation {number}: exit {status}: {said}")
    return (Result(f"{len(faults)} of {builds} builds", not faults, tuple(faults)),)


def _remove(victim: Path, sign: Path) -> None:
    sign.touch()
    if victim.is_dir():
        shutil.rmtree(victim, ignore_errors=True)
    else:
        victim.unlink(missing_ok=True)


VANISHING = Measurement(
    (
        Row(
            29,
            "a source, a picture, `deck.toml`, the lock or a folder disappears at any moment of a build: failures without a clear message",
            "0",
        ),
    ),
    _vanishing,
)
MEASUREMENT = Measurement(
    (
        Row(
            9,
            "builds killed at a random moment: outputs are old or new, the lock is as new or newer, the next build repairs everything",
            "all",
        ),
        Row(
            10,
            "writes that fail at a random byte: exit status 1 with a message, outputs are old or new",
            "all",
        ),
        Row(11, "temporary files left behind", "0"),
    ),
    _measure,
)
