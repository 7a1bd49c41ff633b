"""Two computers of one learner, through the real sync server: one updates, or both do."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from anki_backend import assert_healthy, learner
from following import Author, Follower
from ptcards.extensions.publish.subscription.update import Counts
from syncing import sync, sync_server


@dataclass
class Computers:
    """Two clients that follow the first release, which both have."""

    author: Author
    one: Follower
    other: Follower
    address: str

    def sync(self, *clients: Follower) -> list[bool]:
        return [sync(client.col, self.address) for client in clients]


@pytest.fixture
def computers(tmp_path: Path) -> Iterator[Computers]:
    author = Author(tmp_path / "dist")
    for number in range(20):
        author.put(f"n{number}", f"Question {number}", f"Answer {number}", deck=("Geo", "Geo::A")[number % 2])
    (tmp_path / "server").mkdir()
    with (
        sync_server(tmp_path / "server") as address,
        learner(tmp_path / "one") as one,
        learner(tmp_path / "other") as other,
    ):
        first, second = (Follower(col, author, tmp_path / "work") for col in (one, other))
        first.update(author.release("1"))
        sync(one, address, upload=True)
        sync(other, address)
        yield Computers(author, first, second, address)


def release_second(author: Author) -> Any:
    author.put("n0", "Question 0", "New")
    author.put("n1", "Question one", "New")
    author.put("n2", deck="Geo::B")
    author.drop("n4")
    author.put("x0", "New", "one", deck="Geo::Gamma")
    return author.release("2")


def notes(anna: Follower) -> Any:
    assert anna.col.db
    return anna.col.db.all(
        "select guid, flds, tags, queue, (select count(*) from notes o where o.guid = notes.guid)"
        " from notes join cards on nid = notes.id order by guid, ord"
    )


@pytest.mark.slow
def test_an_update_comes_to_the_other_computer_by_sync(computers: Computers) -> None:
    one, other = computers.one, computers.other
    source = release_second(computers.author)
    one.update(source)
    assert computers.sync(one, other) == [False, False]
    assert other.subscription == one.subscription
    assert (other.look(source).is_empty, notes(other)) == (True, notes(one))
    third = computers.author
    third.put("n3", "Question 3", "Newer")
    assert other.look(third.release("3")).counts == Counts(changed=1)


@pytest.mark.slow
def test_both_computers_update_before_they_sync(computers: Computers) -> None:
    one, other = computers.one, computers.other
    other.edit("n1", Back="mine")
    source = release_second(computers.author)
    for client in (one, other):
        client.update(source)
    assert computers.sync(one, other, one, other) == [False] * 4
    assert notes(one) == notes(other)
    assert {row[4] for row in notes(one)} == {1}
    assert one.fields("n1") == ["Question one", "mine", ""]
    for client in (one, other):
        assert client.look(source).is_empty
        assert_healthy(client.col)


@pytest.mark.slow
def test_an_edit_on_one_computer_and_an_update_on_the_other(computers: Computers) -> None:
    """Anki's sync keeps the newer of two versions of a note: the edit, which the next look merges."""
    one, other = computers.one, computers.other
    source = release_second(computers.author)
    one.update(source)
    other.edit("n1", Back="mine")
    computers.sync(one, other, one)
    assert one.fields("n1") == ["Question 1", "mine", ""]
    assert one.look(source).counts == Counts(merged=1)
    one.update(source)
    assert one.fields("n1") == ["Question one", "mine", ""]
