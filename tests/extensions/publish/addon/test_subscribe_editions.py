"""Learners who follow an edition of a deck and change it: nothing is lost, and nothing is missing."""

import random
from pathlib import Path
from typing import Any

import pytest
from anki.collection import Collection
from anki.scheduler_pb2 import CardAnswer

from addon.collection import change_address
from addon.network import edition_of, feed_address
from anki_backend import answer, import_package, learner
from following import ADDRESS, Author, Follower, source_of
from ptcards.extensions.publish.subscription.decide import check_source
from ptcards.extensions.publish.subscription.package import RefusedPackageError
from ptcards.extensions.publish.subscription.update import Counts, Refusal, RefusedUpdateError

SHORT, LATER = f"{ADDRESS}#edition=short", f"{ADDRESS}#edition=later"


def an_author(folder: Path) -> Author:
    """Return an author of four notes, of which two editions share one."""
    author = Author(folder / "dist", editions={"short": {"a", "b"}, "later": {"b", "c"}})
    for guid in "abcd":
        author.put(guid, f"{guid}?", f"{guid}!", deck=f"Geo::{guid.upper()}")
    return author


def follow(anna: Follower, address: str, **choices: Any) -> Counts:
    """Follow the deck at an address, and apply its newest release."""
    change_address(anna.col, anna.author.id, address)
    update = anna.update(source_of(anna.author.file.parent, address), **choices).update
    assert anna.look(source_of(anna.author.file.parent, address)).is_empty
    return update.counts


def here(col: Collection) -> dict[str, str]:
    """Return the second field of each note by the first letter of the first one, which is its GUID."""
    notes = [col.get_note(nid) for nid in col.find_notes("")]
    return {note.guid: note.fields[1] for note in sorted(notes, key=lambda note: note.guid)}


def test_an_address_names_the_edition_to_follow() -> None:
    pages = ("https://geo.example/deck/", "https://geo.example/deck/index.html", ADDRESS)
    found = {
        feed_address(f"{page}{end}") for page in pages for end in ("#edition=short", "#v=1.0", "#use", "")
    }
    assert found == {ADDRESS, SHORT}
    assert (edition_of(ADDRESS), edition_of(SHORT)) == ("", "short")


def test_a_learner_of_an_edition_gets_its_notes_and_those_that_join_it(tmp_path: Path) -> None:
    author = an_author(tmp_path)
    author.release("1")
    with learner(tmp_path / "learner") as col:
        anna = Follower(col, author, tmp_path / "work.apkg")
        assert follow(anna, SHORT).new == 2
        assert anna.subscription.name == "Short"
        author.editions["short"] = {"a", "d"}
        author.put("b", "b?", "b2")
        author.release("2")
        assert follow(anna, SHORT).new == 1
        assert here(col) == {"a": "a!", "b": "b!", "d": "d!"}
        author.drop("b")
        author.editions["later"] = {"c"}
        author.release("3")
        assert follow(anna, SHORT, retired="suspend").retired == 1


def test_a_change_of_edition_brings_what_is_missing_and_no_deleted_note(tmp_path: Path) -> None:
    author = an_author(tmp_path)
    author.release("1")
    with learner(tmp_path / "learner") as col:
        anna = Follower(col, author, tmp_path / "work.apkg")
        follow(anna, SHORT)
        anna.delete("b")
        with pytest.raises(RefusedUpdateError) as refused:
            anna.look(author.source)
        assert refused.value.reason is Refusal.OTHER_ADDRESS
        assert follow(anna, LATER).new == 1
        assert here(col) == {"a": "a!", "c": "c!"}
        assert follow(anna, ADDRESS).new == 1
        assert here(col) == {"a": "a!", "c": "c!", "d": "d!"}


def test_an_edit_that_waited_outside_an_edition_meets_the_authors_change_afterwards(tmp_path: Path) -> None:
    author = an_author(tmp_path)
    author.release("1")
    with learner(tmp_path / "learner") as col:
        anna = Follower(col, author, tmp_path / "work.apkg")
        follow(anna, ADDRESS)
        anna.edit("c", Back="mine")
        for version in ("2", "3"):
            author.put("c", "c?", f"c{version}")
            author.put("d", "d?", f"d{version}")
            author.release(version)
            follow(anna, SHORT)
        assert here(col) == {"a": "a!", "b": "b!", "c": "mine", "d": "d!"}
        assert follow(anna, ADDRESS).conflicts == 1
        assert here(col) == {"a": "a!", "b": "b!", "c": "mine", "d": "d3"}


def test_after_an_import_of_an_edition_by_hand_the_complete_deck_brings_the_rest(tmp_path: Path) -> None:
    author = an_author(tmp_path)
    author.release("1")
    with learner(tmp_path / "learner") as col:
        import_package(col, author.folder / f"{author.id}-short-1.apkg")
        anna = Follower(col, author, tmp_path / "work.apkg")
        anna.delete("b")
        anna.update(author.source)
        assert here(col) == {"a": "a!", "c": "c!", "d": "d!"}


def test_a_learner_of_a_translation_who_changes_to_the_original_keeps_both(tmp_path: Path) -> None:
    author = an_author(tmp_path)
    author.editions = {"": {"a", "b"}, "de": {"c", "d"}}
    author.release("1")
    german = f"{ADDRESS}#edition=de"
    with learner(tmp_path / "learner") as col:
        anna = Follower(col, author, tmp_path / "work.apkg")
        assert follow(anna, german).new == 2
        assert here(col) == {"c": "c!", "d": "d!"}
        assert follow(anna, ADDRESS).new == 2
        author.put("c", "c?", "c2")
        author.put("a", "a?", "a2")
        author.release("2")
        assert follow(anna, ADDRESS).changed == 1
        assert here(col) == {"a": "a2", "b": "b!", "c": "c!", "d": "d!"}
        assert follow(anna, german).changed == 1
        assert here(col) == {"a": "a2", "b": "b!", "c": "c2", "d": "d!"}


def test_a_package_with_other_notes_than_its_edition_is_refused(tmp_path: Path) -> None:
    author = an_author(tmp_path)
    author.release("1")
    short = source_of(author.folder, SHORT)
    check_source(short)
    with pytest.raises(RefusedPackageError, match="other notes"):
        check_source(short._replace(package=source_of(author.folder, LATER).package))


class EditionWorld:
    """A random author of a deck with three editions, and a learner who changes between them."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.chance = random.Random(seed)
        self.author = Author(folder / "dist")
        self.folder = folder
        self.count = 0
        self.is_split = seed % 2 > 0
        """Whether the complete deck lacks some notes, as it lacks translations."""
        self.edited: dict[str, str] = {}
        self.followed = ""
        self.kept: set[str] = set()
        """The notes of the edition that is followed which have been in it since the last update."""

    def text(self) -> str:
        self.count += 1
        return f"text {self.count}"

    def publish(self) -> None:
        author, chance = self.author, self.chance
        for _ in range(chance.randrange(1, 4) if author.notes else 9):
            author.put(
                f"n{self.count}", self.text(), self.text(), deck=chance.choice(("Geo", "Geo::A", "Geo::B"))
            )
        for guid in chance.sample(sorted(author.notes), len(author.notes) // 3):
            author.put(
                guid,
                author.notes[guid].fields[0],
                self.text(),
                deck=chance.choice(("Geo", "Geo::A", "Geo::C")),
            )
        if len(author.notes) > 4 and chance.random() < 0.4:
            author.drop(chance.choice(sorted(author.notes)))
        guids = sorted(author.notes)
        for name in ("x", "y", *[""] * self.is_split):
            before = author.editions.get(name, {*guids}) & {*guids}
            changed = {*chance.sample(guids, len(guids) // 3)}
            author.editions[name] = (before ^ changed) or {guids[0]}
        author.release(str(self.count))
        self.kept &= self.members(self.followed)

    def members(self, edition: str) -> set[str]:
        return {*self.author.editions.get(edition, self.author.notes)}

    def learn(self, anna: Follower) -> None:
        for guid in self.chance.sample(sorted(here(anna.col)), len(here(anna.col)) // 2):
            match self.chance.choice(("review", "review", "edit", "delete", "suspend")):
                case "review":
                    for card in anna.cards(guid):
                        if card.queue >= 0:
                            answer(anna.col, card.id, CardAnswer.GOOD)
                case "edit":
                    self.edited[guid] = self.text()
                    anna.edit(guid, Back=self.edited[guid])
                case "delete":
                    anna.delete(guid)
                    self.edited.pop(guid, None)
                case "suspend":
                    anna.col.sched.suspend_cards([card.id for card in anna.cards(guid)])

    def update(self, anna: Follower) -> None:
        before, reviewed = here(anna.col), self.reviewed(anna)
        edition = self.chance.choice(("", "x", "y"))
        follow(anna, f"{ADDRESS}#edition={edition}" if edition else ADDRESS, retired="keep")
        offered = self.members(edition)
        new = offered - before.keys() - self.kept
        texts = {guid: self.author.notes[guid].fields[1] for guid in offered & (before.keys() | new)}
        assert here(anna.col) == dict(sorted({**before, **texts, **self.edited}.items()))
        after = self.reviewed(anna)
        assert {card: after[card] for card in reviewed} == reviewed
        self.followed, self.kept = edition, offered

    def reviewed(self, anna: Follower) -> dict[int, tuple[Any, ...]]:
        """Return the schedule of each card, with its reviews."""
        assert anna.col.db
        reviews = anna.col.db.all("select cid, id, ease, ivl, type from revlog order by id")
        cards = anna.col.db.all("select id, type, queue, due, ivl, factor, reps, lapses from cards")
        return {
            card: (*state, *(tuple(each) for each in reviews if each[0] == card))
            for card, *state in cards
            if any(each[0] == card for each in reviews)
        }

    def run(self, releases: int) -> int:
        """Return how many cards were reviewed."""
        with learner(self.folder / "learner") as col:
            anna = Follower(col, self.author, self.folder / "work.apkg")
            for _ in range(releases):
                self.publish()
                self.update(anna)
                self.learn(anna)
            self.update(anna)
            return len(self.reviewed(anna))


@pytest.mark.parametrize("seed", range(12))
def test_random_changes_of_edition_lose_no_review_no_edit_and_no_note(seed: int, tmp_path: Path) -> None:
    assert EditionWorld(seed, tmp_path).run(5) > 0
