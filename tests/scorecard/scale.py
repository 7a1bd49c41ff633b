"""Rows 19, 28 and 30: a hundred thousand notes, the dependencies, and the sync server."""

import json
import os
import re
import subprocess
import sys
import time
import tomllib
import venv
from importlib.metadata import version
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

from scorecard.row import Effort, Measurement, Result, Row
from scorecard.site import of_session
from scorecard.suite import tested

ROOT = Path(__file__).parents[2]
MEGABYTES = 600
FLOORS = {"markdown": "3.8.1", "pymdown-extensions": "11.0.2", "pygments": "2.20", "click": "8.3.3"}
_AUDIT_SECONDS = 240


def _large(effort: Effort) -> tuple[Result, ...]:
    """Build a large deck for the first time, and again with one note changed."""
    notes = effort.pick(3_000, 100_000)
    cards = effort.folder / "cards"
    subprocess.run(
        [sys.executable, ROOT / "bench" / "decks.py", cards, str(notes)], check=True, capture_output=True
    )
    told = []
    peak = 0.0
    faults = []
    for what in ("first", "with one note changed"):
        status, seconds, cpu, megabytes = _watched_build(cards, effort.folder)
        peak = max(peak, megabytes)
        told.append(f"{what} {seconds:.0f} s ({cpu:.0f} s of CPU), {megabytes:.0f} MB")
        faults += [f"exit {status}"] if status else []
        source = max(cards.rglob("*.md"))
        source.write_text(f"{source.read_text('utf-8')}\nOne more line.\n", "utf-8")
    return (Result(f"{notes:,} notes: {'; '.join(told)}", not faults and peak <= MEGABYTES, tuple(faults)),)


def _watched_build(cards: Path, folder: Path) -> tuple[int, float, float, float]:
    """Build; return the status, seconds, CPU seconds and the peak memory of its processes together, in MB."""
    begun, before = time.monotonic(), os.times()
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
    command = [sys.executable, "-m", "ptcards", "build", str(cards), "-o", str(folder / "out"), "-q"]
    process = subprocess.Popen(command, env=environment, start_new_session=True)
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, sum(_held(each) for each in of_session(process.pid)))
        time.sleep(0.1)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return process.returncode, time.monotonic() - begun, cpu, peak


def _held(process: int) -> float:
    """Return the memory of a process in MB, with shared memory divided among the processes that share it."""
    try:
        found = re.search(
            r"^Pss:\s+(\d+) kB", Path(f"/proc/{process}/smaps_rollup").read_text(), re.MULTILINE
        )
    except OSError:
        return 0.0
    return int(found[1]) / 1024 if found else 0.0


def _dependencies(effort: Effort) -> tuple[Result, ...]:
    wanted = [
        Requirement(each)
        for each in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    ]
    below = [
        f"{name} {floor}: allowed is {each.specifier}, here is {version(name)}"
        for name, floor in FLOORS.items()
        for each in wanted
        if each.name.lower() == name
        and (
            any(spec.operator == ">=" and Version(spec.version) < Version(floor) for spec in each.specifier)
            or Version(version(name)) < Version(floor)
        )
    ]
    # A package that is no longer a dependency needs no minimum version.
    depended = len({each.name.lower() for each in wanted} & FLOORS.keys())
    figure = f"{depended - len(below)} of {depended} minimum versions"
    if below or not effort.long:
        return (
            Result(
                figure if effort.long else f"{figure}; advisories only in the long form",
                not below,
                tuple(below),
            ),
        )
    audited = _audit(effort, wanted)
    return (Result(f"{figure}; {audited.ours}", audited.holds, audited.details),)


def _audit(effort: Effort, wanted: list[Requirement]) -> Result:
    """Look up known advisories for the installed packages, with pip-audit in a separate environment."""
    environment = effort.folder / "audit"
    venv.create(environment, with_pip=True)
    python = str(environment / "bin" / "python")
    pinned = effort.folder / "pinned.txt"
    pinned.write_text("".join(f"{each.name}=={version(each.name)}\n" for each in wanted), "utf-8")
    install = subprocess.run(
        [python, "-m", "pip", "install", "-q", "pip-audit"], capture_output=True, text=True, check=False
    )
    if install.returncode:
        return Result(
            "pip-audit cannot be installed on this machine", holds=None, details=(install.stderr[-300:],)
        )
    command = [
        python,
        "-m",
        "pip_audit",
        "-r",
        str(pinned),
        "--no-deps",
        "--format",
        "json",
        "--progress-spinner",
        "off",
    ]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_AUDIT_SECONDS)
        found = json.loads(ran.stdout)["dependencies"]
    except (subprocess.TimeoutExpired, json.JSONDecodeError, KeyError):
        return Result("pip-audit got no answer", holds=None)
    known = [f"{each['name']}: {advisory['id']}" for each in found for advisory in each.get("vulns", [])]
    skipped = [each["name"] for each in found if "skip_reason" in each]
    if skipped:
        return Result(
            f"pip-audit has no data on {len(skipped)} of {len(found)} packages on this machine", holds=None
        )
    return Result(f"{len(known)} advisories on {len(found)} packages by pip-audit", not known, tuple(known))


def _sync(effort: Effort) -> tuple[Result, ...]:
    return (tested(effort, "anki/test_sync.py").result(),)


LARGE = Measurement((Row(19, "100,000 notes: time, and memory of all processes", f"{MEGABYTES} MB"),), _large)
DEPENDENCIES = Measurement(
    (Row(28, "minimum versions of dependencies met; known advisories", "all; 0"),), _dependencies
)
SYNC = Measurement(
    (
        Row(
            30,
            "an update and a review from another client, synced by the real Anki server: both clients have both",
            "exact",
        ),
    ),
    _sync,
    only_long=True,
)
