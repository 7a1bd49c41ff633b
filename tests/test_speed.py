"""How much a cold build, a first check and a list of twins do for each note, counted instead of timed.

A number of function calls does not depend on the machine or its load, so a slower road is seen in the change
that makes it so. `make bench BASE=COMMIT` measures the seconds.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
BENCH = TESTS.parent / "bench"
NOTES = 300
MOST = {"build": 4196, "check": 1873, "twins": 782}
"""Calls for each note, of Python's and C's functions, with Python 3.11.

Lower a number when it falls; raise it only with the reason in the commit message."""
TOLERANCE = 0.04

_COUNT = """
import json, sys
from pathlib import Path
from decks import write_deck
from building import build
from ptcards.cache import Cache
from ptcards.compile import BuildOptions
from ptcards.lint.check import check
from ptcards.search.reading import read_texts
from ptcards.search.twins import closest
from ptcards.workspace import ReadOptions
folder, notes = Path(sys.argv[1]), int(sys.argv[2])
def calls(work):
    count = 0
    def seen(_frame, event, _argument):
        nonlocal count
        count += event in ("call", "c_call")
    sys.setprofile(seen)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count
def built(name):
    build([folder / name], BuildOptions(folder / "out"), ReadOptions(), waiting=lambda _: None)
kept = ReadOptions(Cache(None))
def twins(name):
    assert closest(read_texts([folder / name], kept)[0], 100)
write_deck(folder / "some", notes, "mixed", "ptcards")
write_deck(folder / "few", 20, "mixed", "ptcards")
built("few"), check([folder / "few"])  # imports modules
twins("few"), twins("some")
some = max((folder / "some").rglob("*.md"))
some.write_text(f"{some.read_text('utf-8')}\\nOne more line.\\n", "utf-8")
work = {"check": lambda: check([folder / "some"]), "build": lambda: built("some"), "twins": lambda: twins("some")}
print(json.dumps({name: calls(each) for name, each in work.items()}))
"""


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """Return the calls for `NOTES` notes, counted in a separate process."""
    command = [sys.executable, "-c", _COUNT, str(tmp_path_factory.mktemp("speed")), str(NOTES)]
    helpers = {**os.environ, "PYTHONPATH": str(TESTS)}
    said = subprocess.run(command, cwd=BENCH, env=helpers, capture_output=True, check=True).stdout
    found: dict[str, int] = json.loads(said)
    return found


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="other Pythons call other functions")
@pytest.mark.parametrize("command", list(MOST))
def test_a_note_takes_the_calls_that_are_recorded_here(command: str, calls: dict[str, int]) -> None:
    each = calls[command] / NOTES
    most = MOST[command]
    assert most * (1 - TOLERANCE) <= each <= most * (1 + TOLERANCE), f"{each:.0f} calls for each note"
