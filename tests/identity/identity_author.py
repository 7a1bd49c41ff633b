"""An author who edits realistically, and learners who import.

This module checks identities and updates over many releases. In addition to simple edits, it includes those
that make matching hard: cards replaced by similar ones, split, merged or brought back, reverted releases,
branches merged by union, and lost locks.
"""

import subprocess
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from author_edits import Author
from author_judge import Judge, Tally
from author_texts import Card
from identity_notes import COLLECTION, TYPES
from ptcards.identity.hashes import NoteSummary, content_hash, summarise
from ptcards.identity.heading_likeness import squash
from ptcards.identity.history import NO_HISTORY, History, compare_with_history
from ptcards.identity.lock import Lock, format_lock
from ptcards.identity.lock_reading import read_lock
from ptcards.identity.resolve import identify

EVENTS = {"release": 30, "revert": 2, "merge_branch": 3, "lose_lock": 2, "release_after_a_clock_fell_back": 2}


@dataclass
class Commit:
    cards: list[Card]
    lock: Lock
    owners: dict[str, int]


class Simulation(Author):
    """The life of one collection."""

    def __init__(self, seed: int, folder: Path) -> None:
        super().__init__(seed)
        self.file = folder / "deck.lock"
        self.lock = Lock(COLLECTION, shown="cards/deck.lock")
        self.commits: list[Commit] = []
        self.judge = Judge(self)
        self.heard: dict[int, str] = {}
        """what the author was told about a card on a branch"""
        self.learners: tuple[dict[str, tuple[int, str]], ...] = ({}, {})
        """by GUID: the time and content that a learner has; one learner takes every update, one every third
        """
        self.now = 1_000_000
        self._times: dict[str, int] = {}
        self._type_times: dict[str, int] = {}
        self._summaries: dict[tuple[str, str, str, str], NoteSummary] = {}

    def run(self, releases: int = 10) -> Tally:
        for _ in range(self.chance.randrange(12, 25)):
            self.add()
        self.release()
        for event in self.chance.choices(list(EVENTS), list(EVENTS.values()), k=releases):
            getattr(self, event)()
        return self.judge.tally

    # Events between releases.

    def release(self) -> None:
        self.edit()
        self._publish()

    def release_after_a_clock_fell_back(self) -> None:
        self.now -= self.chance.randrange(100_000)
        self.release()

    def revert(self) -> None:
        """`git revert` the last release."""
        if len(self.commits) > 1:
            before = self.commits[-2]
            self.retired += [
                card for card in self.cards if card.who not in {each.who for each in before.cards}
            ]
            self.cards, self.lock = list(before.cards), before.lock
            self.judge.owners |= (
                before.owners
            )  # a GUID moved to another card, with a message to the author, and has returned
            self._forget()
            self.retired = [
                card for card in self.retired if card.who not in {each.who for each in self.cards}
            ]
            self._commit()
            self._publish()

    def lose_lock(self) -> None:
        """Delete the lock, and follow the error's advice."""
        self.edit()
        lost = Lock(COLLECTION, shown="cards/deck.lock")
        said = [each.rule for each in compare_with_history(lost, self._history()) if each.rule == "lost-lock"]
        assert said == ["lost-lock"]
        self.lock = self.commits[-1].lock
        self._publish()

    def merge_branch(self) -> None:
        """Edit and build on a branch and on the main line, and merge them; the locks merge by union."""
        base = Commit(list(self.cards), self.lock, dict(self.judge.owners))
        gone = list(self.retired)
        self.edit()
        _, _, told = self._build()
        heard = {self.cards[position].who: said for position, said in told.items()}
        branch = Commit(list(self.cards), self.lock, dict(self.judge.owners))
        self.cards, self.lock, self.retired = list(base.cards), base.lock, gone
        self._forget()
        self.release()
        self.lock = self._union(base.lock, branch.lock)
        first = {card.who: card for card in base.cards}
        theirs = {card.who: card for card in branch.cards}
        merged = [theirs.get(card.who, card) if card == first.get(card.who) else card for card in self.cards]
        here = {card.who for card in merged} | first.keys()
        merged += [card for card in branch.cards if card.who not in here]
        places = Counter((squash(card.question), card.note.deck) for card in merged)
        if max(places.values()) == 1:
            self.cards = merged
        self.heard = heard
        self._publish()

    # The results of ptcards, and what learners get.

    def _build(self, history: History = NO_HISTORY) -> tuple[list[str], list[int], dict[int, str]]:
        """Return GUIDs, times, and what the author was told about each card, by position."""
        self.now += self.chance.randrange(1, 1000)
        summaries = [self._summary(card, line) for line, card in enumerate(self.cards, 1)]
        found, diagnostics = identify(
            summaries,
            self.lock,
            type_hashes=TYPES,
            clock=lambda: self.now,
            refresh=False,
            selected=None,
            history=history,
            content_in=lambda position, deck: content_hash(self.cards[position].note, deck),
            earlier=self._earlier,
        )
        self.file.write_text(format_lock(found.lock))
        lock, problems = read_lock(self.file, shown="cards/deck.lock", collection_id=COLLECTION)
        assert (problems, lock is None) == ([], False)
        assert lock is not None
        self.lock = lock
        told = {each.location.line - 1: "listed" for each in found.recognised}
        told |= {
            each.location.line - 1: each.help for each in diagnostics if each.location.path == "cards/a.md"
        }
        return list(found.guids), list(found.mods), told

    def _earlier(self, _path: str) -> list[NoteSummary]:
        """Return the notes of the last commit, in order."""
        return [self._summary(card) for card in self.commits[-1].cards] if self.commits else []

    def _publish(self) -> None:
        guids, mods, told = self._build(self._history())
        if self._answer_questions(told):
            guids, mods, again = self._build(self._history())
            told |= again
        assert len(set(guids)) == len(guids)
        self.judge.tally.releases += 1
        self.judge.tally.published += len(guids)
        for position, (card, guid) in enumerate(zip(self.cards, guids, strict=True)):
            said = told.get(position) or self.heard.get(card.who, "")
            self.judge.judge(card, guid, said, now=dict(zip(guids, self.cards, strict=True)))
        self.judge.there = {card.who for card in self.cards}
        contents = [content_hash(card.note, "anywhere") for card in self.cards]
        for number, learner in enumerate(self.learners):
            if number == 0 or self.judge.tally.releases % 3 == 0:
                for guid, mod, content in zip(guids, mods, contents, strict=True):
                    if guid not in learner or mod > learner[guid][0]:
                        learner[guid] = (mod, content)
                    self.judge.tally.undelivered += learner[guid][1] != content
        self._commit()
        self._forget()

    def _answer_questions(self, told: dict[int, str]) -> bool:
        """Paste the suggested id for every other card that really is the old one.

        Return whether there was any.
        """
        has_answered = False
        for position, said in told.items():
            card = self.cards[position]
            guid = self.judge.guids.get(card.who, "")
            if guid and f"`id={guid}`" in said and self.chance.random() < 0.5:
                self.cards[position] = replace(card, note=card.note._replace(id=guid))
                has_answered = True
        return has_answered

    def _summary(self, card: Card, line: int = 1) -> NoteSummary:
        """Return the summary of a note at a line; summaries are cached."""
        said = card.note
        key = (said.deck, card.question, card.answer, said.id)
        known = self._summaries.get(key)
        if known is None:
            known = self._summaries[key] = summarise(said)
        place = known.location._replace(line=line)
        return known._replace(location=place)

    def _commit(self) -> None:
        self.commits.append(Commit(list(self.cards), self.lock, dict(self.judge.owners)))
        for record in self.lock.records:
            self._times[record.guid] = max(record.mod, self._times.get(record.guid, 0))
        for kind in self.lock.types:
            self._type_times[kind.name] = max(kind.mod, self._type_times.get(kind.name, 0))

    def _history(self) -> History:
        """Return what git would know about the lock."""
        if not self.commits:
            return NO_HISTORY
        head = frozenset(record.guid for record in self.commits[-1].lock.records)
        return History("c0ffee0", head, self._times.keys(), self._times, self._type_times, is_in_head=True)

    def _union(self, base: Lock, theirs: Lock) -> Lock:
        files = [self.file.with_name(name) for name in ("ours", "base", "theirs")]
        for file, lock in zip(files, (self.lock, base, theirs), strict=True):
            file.write_text(format_lock(lock))
        merged = subprocess.run(
            ["git", "merge-file", "-p", "--union", *files], check=True, capture_output=True, text=True
        )
        self.file.write_text(merged.stdout)
        merged_lock, _ = read_lock(self.file, shown="cards/deck.lock", collection_id=COLLECTION)
        return merged_lock or self.lock  # two notes with one id are an error, and either side is fine

    def _forget(self) -> None:
        self.heard = {}
        self.edited.clear()
        self.kinds.clear()


def simulate(seeds: range) -> Tally:
    """Return the combined results of a simulation for each seed."""
    tally = Tally()
    with TemporaryDirectory() as folder:
        for seed in seeds:
            tally.add(Simulation(seed, Path(folder)).run())
    return tally
