"""An author who publishes with the real command, and a learner who studies in the real Anki."""

import csv
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import pytest
from anki.collection import Collection
from anki.scheduler_pb2 import CardAnswer

from anki_backend import answer, import_package, learner, notes_by_guid
from conftest import Ran

Progress = dict[str, tuple[Any, ...]]

FIRST_DAY = 1_763_712_000

WHY = "## Why `no_grad`?\n\nIt saves memory and time, since no graph is recorded.\n\n"
LEAF = "## What is a leaf?\n\nA tensor.\n\n"
HOOK = "## What is a hook?\n\nA function that is called on the way back.\n\n"
AUTOGRAD = f"# Autograd\n\n{WHY}{LEAF}{HOOK}"


@dataclass
class Author:
    """A collection in `folder`, built with `run`; each build is a day later."""

    folder: Path
    run: Callable[..., Ran]
    day: int = 0
    name: str = "PyTorch"
    said: str = field(default="", init=False)
    """what the last build printed on standard error"""

    def write(self, **sources: str) -> Self:
        """Write sources, replacing all others; `autograd="…"` is `autograd.md`."""
        self.folder.mkdir(exist_ok=True)
        (self.folder / "deck.toml").write_text(f'name = "{self.name}"\nid = "6f0c2c0e"\n')
        for file in self.folder.glob("*.md"):
            file.unlink()
        for name, text in sources.items():
            (self.folder / f"{name}.md").write_text(text)
        return self

    def build(self, *options: str | Path, now: int | None = None) -> Path:
        """Build, a day after the last time or at `now`; return the package."""
        ran = self.attempt(*options, now=now)
        assert ran.status == 0, ran.err
        return max((self.folder.parent / "build").glob("*.apkg"), key=lambda file: file.stat().st_mtime_ns)

    def attempt(self, *options: str | Path, now: int | None = None) -> Ran:
        """Build like `build`, but allow it to fail."""
        self.day += 1
        time = FIRST_DAY + self.day * 86_400 if now is None else now
        arguments = options or (self.folder,)
        output = self.folder.parent / "build"
        ran = self.run("build", *arguments, "-o", output, env={"SOURCE_DATE_EPOCH": str(time)})
        self.said = ran.err
        return ran

    @property
    def guids(self) -> dict[str, str]:
        """The GUIDs in the CSV by the first line of the question."""
        with (self.folder.parent / "build" / "pytorch.csv").open(encoding="utf-8-sig", newline="") as file:
            return {row["question"].partition("\n")[0]: row["guid"] for row in csv.DictReader(file)}

    @property
    def rules(self) -> list[str]:
        """The rules that the last build reported."""
        return [
            line.partition("[")[2].partition("]")[0]
            for line in self.said.splitlines()
            if ": hint[" in line or ": warning[" in line
        ]


class Maintainer(Author):
    """An author whose collection is in a git repository around it."""

    @property
    def root(self) -> Path:
        return self.folder.parent

    def git(self, *arguments: str, date: int = 0) -> str:
        time = f"@{1_700_000_000 + date} +0000"
        environment = os.environ | {
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@example.org",
            "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@example.org",
            "GIT_AUTHOR_DATE": time,
            "GIT_COMMITTER_DATE": time,
        }
        command = ["git", "-C", str(self.root), *arguments]
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout

    def publish(self, tag: str = "", *, date: int = 0) -> Path:
        """Build, commit and tag."""
        package = self.build()
        if not (self.root / ".git").exists():
            self.git("init", "-q")
        self.git("add", "-A", "--", self.folder.name)
        self.git("commit", "-q", "--allow-empty", "-m", tag or "work", date=date)
        if tag:
            self.git("tag", tag)
        return package

    def diff(self, *arguments: str) -> str:
        ran = self.run("diff", *arguments)
        assert (ran.status, ran.err) == (0, "")
        return ran.out


@pytest.fixture
def author(tmp_path: Path, ptcards: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> Maintainer:
    monkeypatch.chdir(tmp_path)
    return Maintainer(tmp_path / "cards", ptcards)


@dataclass
class Learner:
    """Somebody's Anki."""

    collection: Collection

    def get(self, package: Path) -> dict[str, int]:
        """Import a package with the dialog's defaults; return how many notes were new, updated and so on."""
        return import_package(self.collection, package)

    def study(self) -> Progress:
        """Answer every new card, so that each gets a different interval; return the progress."""
        for number, card_id in enumerate(self.collection.find_cards("is:new")):
            answer(self.collection, card_id, CardAnswer.EASY)
            self.collection.sched.set_due_date([card_id], f"{card_id % 89 + number + 10}!")
        return self.progress

    @property
    def progress(self) -> Progress:
        """The progress of each card by GUID: deck, schedule and all reviews."""
        database = self.collection.db
        assert database is not None
        found: Progress = {}
        for guid, card, *schedule in database.all(
            "select n.guid, c.id, c.ord, c.did, c.type, c.queue, c.due, c.ivl, c.factor, c.reps, c.lapses "
            "from cards c join notes n on n.id = c.nid order by n.guid, c.ord"
        ):
            reviews = database.all("select * from revlog where cid = ? order by id", card)
            found[guid] = (*found.get(guid, ()), (*schedule, reviews))
        return found

    @property
    def schema(self) -> int:
        """The time of the last change in Anki that needs a full sync."""
        database = self.collection.db
        assert database is not None
        return int(database.scalar("select scm from col"))

    @property
    def questions(self) -> dict[str, str]:
        """The field Question by GUID."""
        return {guid: note["Question"] for guid, note in notes_by_guid(self.collection).items()}

    def add_tag(self, guid: str, tag: str) -> None:
        note = notes_by_guid(self.collection)[guid]
        note.add_tag(tag)
        self.collection.update_note(note)

    def edit(self, guid: str, field_name: str, text: str) -> None:
        note = notes_by_guid(self.collection)[guid]
        note[field_name] = text
        self.collection.update_note(note)

    def field(self, guid: str, name: str) -> str:
        return str(notes_by_guid(self.collection)[guid][name])

    def move(self, search: str, deck: str) -> list[str]:
        """Paste a search into the browser, select all, and change the deck.

        Return the GUIDs of the notes that were found.
        """
        cards = self.collection.find_cards(search)
        self.collection.set_deck(cards, self.collection.decks.id(deck))
        return sorted({self.collection.get_card(card).note().guid for card in cards})

    def rename_deck(self, old: str, new: str) -> None:
        deck = self.collection.decks.id_for_name(old)
        assert deck is not None
        self.collection.decks.rename(deck, new)

    @property
    def schedules(self) -> Progress:
        """The progress without the decks."""
        return {guid: tuple((card[0], *card[2:]) for card in cards) for guid, cards in self.progress.items()}

    def decks(self) -> dict[str, set[str]]:
        """The decks with cards, and the GUIDs of their notes."""
        held: dict[str, set[str]] = {}
        for guid, note in notes_by_guid(self.collection).items():
            for card in note.cards():
                held.setdefault(self.collection.decks.name(card.did), set()).add(guid)
        return held


@contextmanager
def studying(folder: Path) -> Iterator[Learner]:
    with learner(folder) as collection:
        yield Learner(collection)
