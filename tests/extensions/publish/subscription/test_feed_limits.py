"""No feed, however it is made, takes much memory or time: it is read in Anki's own process."""

import subprocess
import sys

import pytest

_READ = """
import re, sys, time
from pathlib import Path
from ptcards.extensions.publish.subscription.feed import BrokenFeedError, read_feed

def feed(notes, releases=1):
    about = '{"ptcards":1,"id":"a","name":"n","package":{"url":"a","size":1,"sha256":"' + "0" * 64 + '"},'
    times = ",".join('{"version":"1","time":%d}' % number for number in range(releases))
    return (about + '"releases":[' + times + '],"decks":[["d"]],"tags":[""],"notes":{' + notes + "}}").encode()

BOMBS = {
    "publications": lambda: feed('"a":[' + ",".join(["[0]"] * 3_000_000) + "]"),
    "notes": lambda: feed(",".join('"g%d":[[0]]' % number for number in range(249_000))),
    "equal": lambda: feed(
        '"g":[[0,1,0,0,"' + " ".join(["0" * 12] * 40_000) + '"]'
        + "".join(',[%d,1,0,0,"%s"]' % (number, " ".join("=" * 40_000)) for number in range(1, 99)) + "]", 99
    ),
    "more equal": lambda: feed(
        '"g":[[0,1,0,0,"' + " ".join(["0" * 12] * 100_000) + '"]'
        + "".join(',[%d,1,0,0,"%s"]' % (number, " ".join("=" * 100_000)) for number in range(1, 99)) + "]", 99
    ),
    "objects": lambda: b"[" + b",".join([b'{"a":0}'] * 330_000) + b"]",
    "text": lambda: b'"' + b"a" * ((32 << 20) - 2) + b'"',
    "commas": lambda: b"," * (32 << 20),
    "numbers": lambda: b"[" + (b"9" * 30 + b",") * 990_000 + b"0]",
}
content = BOMBS[sys.argv[1]]()
begin = time.process_time()
try:
    read_feed(content)
except BrokenFeedError:
    pass
seconds = time.process_time() - begin
# Unlike `ru_maxrss`, this does not count what the process that started this one holds.
peak = re.search(r"VmHWM:\\s+([0-9]+) kB", Path("/proc/self/status").read_text())
print(int(peak[1]) >> 10, seconds)
"""


@pytest.mark.parametrize(
    "bomb", ["publications", "notes", "equal", "more equal", "objects", "text", "commas", "numbers"]
)
def test_a_feed_takes_at_most_200_mb_and_3_seconds(bomb: str) -> None:
    """The process itself, with Python and the content, is part of the memory."""
    command = [sys.executable, "-c", _READ, bomb]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    megabytes, seconds = map(float, done.stdout.split())
    assert megabytes < 200
    assert seconds < 3
