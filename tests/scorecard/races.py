"""Rows 12 and 13: simultaneous builds, and builds in other environments."""

import csv
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
import zipfile
from contextlib import closing
from pathlib import Path

from ptcards.identity.lock_reading import read_lock
from scorecard.row import Effort, Measurement, Result, Row
from scorecard.site import LOCK, NEW, Site, ended, published, write_release


def _at_once(effort: Effort) -> tuple[Result, ...]:
    pairs = effort.pick(6, 40)
    faults: list[str] = []
    with published(effort, "races") as site:
        for number in range(pairs):
            site.reset()
            faults += [
                f"pair {number}: {each}" for each in _race(site, number, effort.random("race", number))
            ]
    return (Result(f"{pairs - len(faults)} of {pairs} pairs", not faults, tuple(faults)),)


def _race(site: Site, number: int, moments: random.Random) -> list[str]:
    """Run two builds of a collection at the same time.

    The builds are identical, write to two folders with one lock, or read sources that are saved in between.
    """
    other = site.folder / "other"
    shutil.rmtree(other, ignore_errors=True)
    release = 1 if number % 3 == 2 else 2
    write_release(site.folder / "cards", release)
    first = site.start()
    time.sleep(moments.uniform(0, 0.3))
    if number % 3 == 2:
        write_release(site.folder / "cards", 2)
    second = site.start(*(("-o", str(other)) if number % 3 == 1 else ()), clock=NEW + 1)
    statuses = (ended(first), ended(second))
    # The first may have read some files before they were saved and some after, and find an id twice.
    allowed = ((0, 0), (1, 0)) if number % 3 == 2 else ((0, 0),)
    faults = [] if statuses in allowed else [f"exit {statuses}: {site.said()}"]
    folders = [site.folder / "out", *([other] if number % 3 == 1 else [])]
    faults += [fault for folder in folders for fault in _inconsistent(site, folder)]
    left = site.litter()
    table = site.folder / "out" / "site.csv"
    published_last = table.read_bytes()
    if site.build() != 0:
        left.append("the next build failed")
    elif table.read_bytes() != published_last:
        left.append("not what was saved last was published last")
    return [*faults, *left]


def _inconsistent(site: Site, folder: Path) -> list[str]:
    """Compare a package with the table next to it and with the lock."""
    with zipfile.ZipFile(folder / "site.apkg") as archive:
        broken = archive.testzip()
        media = json.loads(archive.read("media"))
        with closing(sqlite3.connect(":memory:")) as database:
            database.deserialize(archive.read("collection.anki2"))
            packed = dict(database.execute("select guid, mod from notes").fetchall())
            fields = " ".join(row[0] for row in database.execute("select flds from notes"))
    with (folder / "site.csv").open(encoding="utf-8-sig", newline="") as file:
        listed = {row["guid"] for row in csv.DictReader(file, strict=True)}
    lock, _ = read_lock(site.folder / LOCK, shown="lock", collection_id="site")
    faults = [f"damaged member {broken}"] if broken else []
    if lock is None:
        return [*faults, "unreadable lock"]
    known = {record.guid: record.mod for record in lock.records}
    if packed.keys() != listed:
        faults.append("package and table hold other notes")
    if any(known.get(guid, 0) < mod for guid, mod in packed.items()):
        faults.append("the package is newer than the lock")
    if any(name not in fields for name in media.values()):
        faults.append("a picture that no note shows")
    return faults


def _elsewhere(effort: Effort) -> tuple[Result, ...]:
    """Build in fresh processes whose environment, folders and order of files differ."""
    environments: list[dict[str, str]] = [
        {"TZ": "UTC", "LC_ALL": "C", "PYTHONHASHSEED": "0"},
        {"TZ": "Asia/Kolkata", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "1"},
        {"TZ": "America/St_Johns", "LC_ALL": "tr_TR.UTF-8", "PYTHONHASHSEED": "2", "COLUMNS": "20"},
        {"TZ": "Pacific/Kiritimati", "LC_ALL": "ja_JP.eucJP", "PYTHONHASHSEED": "3", "PYTHONUTF8": "0"},
        {"TZ": "bogus", "LC_ALL": "", "PYTHONHASHSEED": "random", "PYTHONOPTIMIZE": "2"},
        {"TZ": "UTC", "LANG": "de_DE", "PYTHONHASHSEED": "4", "NO_COLOR": "1", "HOME": "/nowhere"},
    ]
    hashes: set[bytes] = set()
    with published(effort, "here") as site:
        for number, environment in enumerate(environments):
            hashes |= _moved(site, number, environment, effort)
    builds = len(environments) * 2
    return (
        Result(f"{len(hashes)} across {builds} builds in {len(environments)} environments", len(hashes) == 1),
    )


def _moved(site: Site, number: int, environment: dict[str, str], effort: Effort) -> set[bytes]:
    """Copy the collection file by file in another order, build it twice, and return the outputs."""
    folder = site.folder / f"elsewhere {number}" / ("ÄÖ 🙂" * number or "plain") / "x"
    folder.mkdir(parents=True)
    files = sorted((site.folder / "cards").iterdir())
    effort.random("order", number).shuffle(files)
    for file in files:
        shutil.copy(file, folder / file.name)
        os.utime(folder / file.name, (number, number))
    (folder / "deck.lock").write_bytes(site.states[0][LOCK])
    out = folder.parent / "out"
    contents = set()
    for _ in range(2):
        shutil.rmtree(out, ignore_errors=True)
        subprocess.run(
            [sys.executable, "-m", "ptcards", "build", os.path.relpath(folder, folder.parent), "-o", "out"],
            env={
                **{name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ},
                "SOURCE_DATE_EPOCH": str(NEW),
                "XDG_CACHE_HOME": str(site.folder / f"cache{number}"),
                **environment,
            },
            cwd=folder.parent,
            umask=(0o022, 0o077, 0o000, 0o027, 0o002, 0o022)[number],
            check=True,
            capture_output=True,
        )
        written = [folder / "deck.lock", *sorted(out.iterdir())]
        contents.add(b"".join(file.name.encode() + b"\n" + file.read_bytes() for file in written))
        (folder / "deck.lock").write_bytes(site.states[0][LOCK])
    return contents


AT_ONCE = Measurement(
    (
        Row(
            12,
            "two builds at the same time, some into two folders or with sources saved in between",
            "all valid",
        ),
    ),
    _at_once,
)
ELSEWHERE = Measurement(
    (
        Row(
            13,
            "different outputs across time zones, locales, umasks, hash seeds, folders, file orders and caches",
            "1",
        ),
    ),
    _elsewhere,
)
