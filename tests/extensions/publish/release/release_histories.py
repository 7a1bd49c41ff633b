"""Random histories of a deck: each release is built, read back and appended to the feed, as `release` does.

What a release published must be readable from every later feed.
"""

import json
import os
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import jsonschema

from building import build
from ptcards.compile import BuildOptions
from ptcards.extensions.publish.release.feed import append, continues, format_feed
from ptcards.extensions.publish.release.published import read_package_file, read_published
from ptcards.extensions.publish.subscription.feed import Feed, PackageFile, read_feed
from ptcards.workspace import ReadOptions
from releasing import SCHEMA, held, shortened, told

EVENTS = {
    "edit": 6,
    "add": 3,
    "move": 3,
    "retire": 2,
    "revive": 2,
    "tag": 1,
    "rename": 1,
    "refresh": 1,
    "revert": 1,
}
SKIPPED = 0.2
"""the share of builds that are not released"""
DECKS = ("Tensors", "Autograd", "Optim")
WORDS = ("tensor", "leaf", "hook", "step", "graph", "view", "stride", "loss")


@dataclass(frozen=True)
class Question:
    deck: str
    number: int
    text: str
    tag: str = ""

    @property
    def markdown(self) -> str:
        tag = f" tags={self.tag}" if self.tag else ""
        return f"## What is q{self.number}?\n<!-- card: id=q{self.number}{tag} -->\n\n{self.text}\n\n"


@dataclass
class HistoryTally:
    """The number of histories, releases and publications that could be read back, and the faults."""

    histories: int = 0
    releases: int = 0
    notes: int = 0
    faults: list[str] = field(default_factory=list)


class ReleaseHistory:
    """The life of one deck in a folder."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.seed = seed
        self.chance = random.Random(seed)
        self.root = folder / "deck"
        self.output = folder / "build"
        self.now = 1_700_000_000
        self.questions: list[Question] = []
        self.retired: list[Question] = []
        self.count = 0
        self.names = {deck: deck for deck in DECKS}
        self.earlier: list[tuple[list[Question], dict[str, str], bytes]] = []
        self.feed = Feed("histories", "Deck", PackageFile("", 0, ""))
        self.published: list[dict[str, tuple[int, str, str, list[str]]]] = []
        self.has_to_refresh = False

    def run(self, tally: HistoryTally, releases: int = 6) -> None:
        self.root.mkdir()
        (self.root / "deck.toml").write_text('name = "Deck"\nid = "histories"\n')
        for _ in range(self.chance.randrange(3, 8)):
            self.add()
        while len(self.published) < releases:
            for event in self.chance.choices(
                list(EVENTS), list(EVENTS.values()), k=self.chance.randrange(0, 5)
            ):
                getattr(self, event)()
            package = self.build()
            if self.chance.random() >= SKIPPED:
                self.release(package)
        tally.histories += 1
        tally.releases += len(self.published)
        self.judge(tally)

    # What the author does.

    def add(self) -> None:
        self.count += 1
        self.questions.append(Question(self.chance.choice(DECKS), self.count, self._text()))

    def edit(self) -> None:
        self._change(lambda question: replace(question, text=self._text()))

    def move(self) -> None:
        self._change(lambda question: replace(question, deck=self.chance.choice(DECKS)))

    def tag(self) -> None:
        self._change(lambda question: replace(question, tag=self.chance.choice(("", "a", "b"))))

    def rename(self) -> None:
        self.names[self.chance.choice(DECKS)] += "+"

    def retire(self) -> None:
        if len(self.questions) > 1:
            self.retired.append(self.questions.pop(self.chance.randrange(len(self.questions))))

    def revive(self) -> None:
        if self.retired:
            self.questions.append(self.retired.pop(self.chance.randrange(len(self.retired))))

    def refresh(self) -> None:
        self.has_to_refresh = True

    def revert(self) -> None:
        """Go back to an earlier build, half of the time with its lock."""
        if self.earlier:
            questions, names, lock = self.chance.choice(self.earlier)
            known = {each.number: each for each in (*questions, *self.questions, *self.retired)}
            self.questions, self.names = list(questions), dict(names)
            self.retired = [known[number] for number in known.keys() - {each.number for each in questions}]
            if self.chance.random() < 0.5:
                (self.root / "deck.lock").write_bytes(lock)

    def _change(self, change: Callable[[Question], Question]) -> None:
        place = self.chance.randrange(len(self.questions))
        self.questions[place] = change(self.questions[place])

    def _text(self) -> str:
        return " ".join(self.chance.choices(WORDS, k=4)).capitalize() + "."

    # What ptcards makes of it.

    def build(self) -> Path:
        for deck in DECKS:
            questions = [each.markdown for each in self.questions if each.deck == deck]
            file = self.root / f"{deck.lower()}.md"
            file.unlink(missing_ok=True)
            if questions:
                file.write_text(f"# {self.names[deck]}\n\n{''.join(questions)}")
        self.now += self.chance.randrange(1, 1_000_000)
        os.environ["SOURCE_DATE_EPOCH"] = str(self.now)
        options = BuildOptions(self.output, ("apkg",), refresh=self.has_to_refresh)
        built, diagnostics = build([self.root], options, ReadOptions(), waiting=lambda _: None)
        assert built, diagnostics
        self.has_to_refresh = False
        self.earlier.append((list(self.questions), dict(self.names), (self.root / "deck.lock").read_bytes()))
        return built[0].outputs[0]

    def release(self, package: Path) -> None:
        number = len(self.published)
        feed = append(self.feed, f"1.{number}", self.now, read_published(package))
        feed = replace(feed, package=read_package_file(package, package.name))
        assert read_feed(format_feed(feed)) == feed
        assert number == 0 or (continues(feed, self.feed) and not continues(self.feed, feed))
        self.feed = feed
        self.published.append(shortened(held(package)))

    def judge(self, tally: HistoryTally) -> None:
        document = json.loads(format_feed(self.feed))
        jsonschema.validate(document, SCHEMA)
        before: dict[str, tuple[int, str, str, list[str]]] = {}
        for number, published in enumerate(self.published):
            tally.notes += len(published)
            if told(document, number) != published:
                tally.faults.append(f"history {self.seed}: release {number} cannot be read back")
            both = before.keys() & published.keys()
            counts = {
                "new": len(published.keys() - before.keys()),
                "changed": sum(before[guid][0] != published[guid][0] for guid in both),
                "moved": sum(before[guid][1].casefold() != published[guid][1].casefold() for guid in both),
                "retired": len(before.keys() - published.keys()),
            }
            if {name: document["releases"][number][name] for name in counts} != counts:
                tally.faults.append(f"history {self.seed}: the counts of release {number} are wrong")
            before = published


def histories(seeds: range) -> HistoryTally:
    """Return the combined results of a history for each seed."""
    tally = HistoryTally()
    clock = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        with TemporaryDirectory() as folder:
            for seed in seeds:
                own = Path(folder) / str(seed)
                own.mkdir()
                ReleaseHistory(seed, own).run(tally)
                shutil.rmtree(own)
    finally:
        os.environ.pop("SOURCE_DATE_EPOCH", None)
        if clock is not None:
            os.environ["SOURCE_DATE_EPOCH"] = clock
    return tally
