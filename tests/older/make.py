"""Builds and pushes `deck/` with the last version whose cards showed the field `Topic`.

Run it with `PYTHONPATH=tests .venv/bin/python tests/older/make.py`. `test_moves.py` compares what the version
of today makes of the same sources with the lock, the package, the CSV file and the push record written here.
In the record, each note is then given what that of today has more: its earlier and its pulled texts, none.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from io import BytesIO
from pathlib import Path

from ankiconnect import AnkiConnect, door
from identity_notes import with_digits

LAST = "eb6c10d"
HERE = Path(__file__).parent


def make(folder: Path) -> None:
    archive = subprocess.run(
        ["git", "-C", HERE.parents[1], "archive", f"{LAST}:src"], check=True, capture_output=True
    )
    with tarfile.open(fileobj=BytesIO(archive.stdout)) as sources:
        sources.extractall(folder / "src", filter="data")
    environment = os.environ | {
        "PYTHONPATH": str(folder / "src"),
        "SOURCE_DATE_EPOCH": "1763712000",
        "XDG_CACHE_HOME": str(folder / "cache"),
        "XDG_STATE_HOME": str(folder / "state"),
    }

    def ptcards(*arguments: str | Path, url: str = "") -> None:
        command = [sys.executable, "-m", "ptcards", *arguments]
        subprocess.run(command, check=True, env=environment | {"PTCARDS_ANKI_URL": url})

    deck = shutil.copytree(HERE / "deck", folder / "deck", ignore=shutil.ignore_patterns("deck.lock"))
    ptcards("build", deck, "-o", HERE, "--format", "apkg", "--format", "anki-csv")
    # That version wrote a lock without check digits.
    text = (deck / "deck.lock").read_text("utf-8").replace("ptcards-lock\t2", "ptcards-lock\t3", 1)
    (HERE / "deck/deck.lock").write_text(with_digits(text), "utf-8")
    (folder / "profile").mkdir()
    anki = AnkiConnect(folder / "profile")
    anki.do("import_by_hand", str(HERE / "mini.apkg"))
    with door(anki) as opened:
        ptcards("push", deck, url=opened.url)
    anki.do("quit")
    (record,) = (folder / "state/ptcards/push").glob("*.json")
    shutil.copy(record, HERE / "push.json")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        make(Path(temporary))
