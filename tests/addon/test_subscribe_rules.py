"""The rules of an update, one by one, in the real Anki: what the author changed, and what the learner did."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from anki_backend import answer, assert_healthy, learner
from following import Author, Follower


@pytest.fixture
def author(tmp_path: Path) -> Author:
    author = Author(tmp_path / "dist")
    for number in range(6):
        author.put(f"n{number}", f"Question {number}", f"Answer {number}", tags="geo")
    return author


@pytest.fixture
def anna(tmp_path: Path, author: Author) -> Iterator[Follower]:
    with learner(tmp_path / "anna") as col:
        yield Follower(col, author, tmp_path / "work.apkg")


def test_what_neither_changed_stays(author: Author, anna: Follower) -> None:
    first = author.release("1")
    assert anna.update(first).update.counts.new == 6
    before = anna.everything()
    assert anna.look(first).is_empty
    author.put("n0", "Question 0", "New")
    anna.update(author.release("2"))
    assert anna.fields("n0") == ["Question 0", "New", ""]
    assert [row for row in anna.everything()[0] if row[1] != "n0"] == [row for row in before[0] if row[1] != "n0"]
    assert_healthy(anna.col)
