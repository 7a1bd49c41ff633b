"""No package, however it is made, takes Anki much time or memory, or ends it: a look runs in its process."""

import hashlib
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ptcards.extensions.publish.subscription.package import (
    AnkiNoteType,
    AnkiTemplate,
    ReleasedCard,
    ReleasedNote,
    write_package,
)

pytestmark = pytest.mark.slow

TYPE = 1_600_000_000_001
PACE = 0.1
"""Seconds that the fixed work in `_LOOK` takes on the machine for which the bound is meant."""
_LOOK = """
import gc, re, sys, time
from pathlib import Path

from anki.collection import Collection

from addon.collection import look
from addon.showing import showing
from following import source_of
from addon.listing import lines_of
from ptcards.extensions.publish.subscription.package import RefusedPackageError

def pace():
    begin = time.process_time()
    sum(len(str(number).split("7")) for number in range(600_000))
    return time.process_time() - begin

def memory(name):
    return int(re.search(name + r":\\s+([0-9]+) kB", Path("/proc/self/status").read_text())[1]) >> 10

folder = Path(sys.argv[1])
collection = Collection(str(folder / "collection.anki2"))
with showing():
    before = memory("VmRSS")
gc.disable()  # as Anki does, which collects when windows close and every 15 minutes
paces = [pace()]
begin = time.process_time()
try:
    update = look(collection, source_of(folder))
    dangers = {each.kind for each in update.dangers}
    list(lines_of(update, 300))
    said = "unread" if "unread" in dangers else "judged"
except RefusedPackageError:
    said = "refused"
seconds = time.process_time() - begin
paces.append(pace())
print(said, seconds, max(paces), memory("VmHWM") - before)
"""


class Bomb(NamedTuple):
    """The texts of notes in their first field, with the templates and the CSS of their note type."""

    notes: Sequence[str]
    fronts: Sequence[str] = ("{{Front}}",)
    back: str = "{{FrontSide}}"
    css: str = ""
    fields: int = 1
    is_cloze: bool = False


CLOZE = "{{cloze:Front}}"
BOMBS: Mapping[str, tuple[str, Bomb]] = {
    # What is read within the bounds
    "many notes": ("judged or unread", Bomb([f"What is {number}?" for number in range(39_000)])),
    "slow notes": ("unread", Bomb(["<p q=1 r=2 s=3>" * 40] * 30_000)),
    "many templates": ("unread", Bomb(["x"] * 20_000, ["{{Front}}"] * 100)),
    "large template": ("unread", Bomb(["x"] * 500, ["{{Front}}" + "y" * 6_000_000])),
    "long notes": ("unread", Bomb(["<b>ab " * 150_000] * 30)),
    "wide notes": ("unread", Bomb(["\U0001f600" + "y" * 980_000] * 31)),
    "deletions": (
        "unread",
        Bomb(["{{c1::" * 7 + "x" * 1_000 + "".join(f"{{{{c{n}::y}}}}" for n in range(2, 30)) + "}}" * 7] * 2_000,
             [CLOZE], CLOZE, is_cloze=True),
    ),
    "deletions in each other": ("unread", Bomb(["{{c1::" * 9_000 + "}}" * 9_000], [CLOZE], CLOZE, is_cloze=True)),
    # What a field or a template would become
    "a field many times": ("unread", Bomb(["x" * 200_000], ["{{Front}}" * 2_000])),
    "a front many times": ("unread", Bomb(["x" * 1_000], ["{{Front}}" * 1_000], "{{FrontSide}}" * 1_000)),
    # What the search for programs would do
    "tags that never end": ("unread", Bomb(["<set " * 200_000])),
    "elements that never end": ("unread", Bomb(["<set >" * 20_000])),
    "styles in each other": ("unread", Bomb(["<style>" * 20_000])),
    "tags in each other": ("unread", Bomb([("<a" + " alt=x" * 50 + "<p>") * 1_500])),
    "comments that never end": ("unread", Bomb(["\\" + "<!--" * 200_000])),
    "comments in styles": ("unread", Bomb(["<svg><style>" + "<!--" * 50_000 + "</style>" * 20])),
    "replacements that never end": ("unread", Bomb(["x"], ["{{Front}}" + "<!--" * 90_000 + "{{" * 90_000])),
    "replacements in tags": ("judged", Bomb(["x"], ["{{Front}}" + "<a {{Front}}" * 30_000 + ">"])),
    "styles in a template": ("unread", Bomb(["x"], ["{{Front}}" + "<style>" * 50_000])),
    "CSS": ("judged or unread", Bomb(["x"], css="a{b:url(x)}" * 640_000)),
    # What the list would do
    "elements in a title": ("unread", Bomb(["<div>" * 20_000] * 300)),
    # What is refused
    "sections in each other": ("refused", Bomb(["x"], ["{{#Front}}" * 50_000 + "x" + "{{/Front}}" * 50_000])),
    "sections in comments": (
        "refused",
        Bomb(["x"], ["{{#Front}}<!--{{/Front}}-->" * 50_000 + "{{Front}}"]),
    ),
    "too many templates": ("refused", Bomb(["x"] * 100, ["{{Front}}"] * 200)),
    "too many fields": ("refused", Bomb(["x"] * 300, fields=3_000)),
    "too many notes": ("refused", Bomb(["x"] * 100_000)),
    "too long a note": ("refused", Bomb(["y" * 30_000_000])),
    "too large": ("refused", Bomb(["y" * 900_000] * 50)),
}  # fmt: skip
"""What comes of a package, and what is in it."""


def write(folder: Path, bomb: Bomb) -> None:
    """Release a package as its author's own tools never would."""
    fields = tuple((number + 11, f"F{number}" if number else "Front") for number in range(bomb.fields))
    templates = tuple(
        AnkiTemplate(number + 21, f"Card {number}", front, bomb.back, "", "")
        for number, front in enumerate(bomb.fronts)
    )
    kind = AnkiNoteType(TYPE, "Bomb", 1, bomb.css, bomb.is_cloze, fields, templates)
    notes = [
        ReleasedNote(number, f"g{number}", TYPE, 1, "", text + "\x1f" * (bomb.fields - 1), "Bomb", cards)
        for number, text in enumerate(bomb.notes, 1)
        for cards in [(ReleasedCard(number, 0, 0),)]
    ]
    empty, file = folder / "empty.zip", folder / "bomb.apkg"
    with zipfile.ZipFile(empty, "w") as archive:
        archive.writestr("collection.anki2", "-")
        archive.writestr("media", "{}")
    write_package(file, empty, notes, [kind.in_anki(TYPE)])
    content = file.read_bytes()
    feed: dict[str, Any] = {
        "ptcards": 1,
        "id": "b0b",
        "name": "Bomb",
        "package": {
            "url": file.name,
            "size": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        },
        "releases": [{"version": "1", "time": 1, "new": 0, "changed": 0, "moved": 0, "retired": 0}],
        "decks": [["Bomb"]],
        "tags": [""],
        "notes": {each.guid: [[0, 1, 0, 0, ""]] for each in notes},
    }
    (folder / "deck.json").write_text(json.dumps(feed))


def looked_at(folder: Path) -> Iterator[str]:
    """Yield what comes of a look in a process of its own, its seconds of CPU, the pace, and its megabytes."""
    command = [sys.executable, "-c", _LOOK, str(folder)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env={"PYTHONPATH": ":".join(sys.path)}
    )
    yield from done.stdout.split()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", BOMBS)
def test_no_package_takes_more_than_200_mb_and_3_seconds(name: str, tmp_path: Path) -> None:
    """Whatever is too much to look through must be allowed by the learner, like a program."""
    expected, bomb = BOMBS[name]
    write(tmp_path, bomb)
    said, seconds, pace, megabytes = looked_at(tmp_path)
    # A machine that is twice as slow at anything is twice as slow at this.
    is_small = float(seconds) < 3 * max(1, float(pace) / PACE) and float(megabytes) < 200
    assert (said in expected, is_small) == (True, True), (said, seconds, pace, megabytes)
