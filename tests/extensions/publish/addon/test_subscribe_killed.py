"""An Anki that is killed during an update: the next look ends in the same collection."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from anki_backend import assert_healthy, learner
from following import Author, Follower, geo_type

TESTS = Path(__file__).parents[3]


def released(folder: Path, notes: int) -> tuple[Author, Author]:
    """Return an author after the first release, and the same author after one that changes everything."""
    author = Author(folder / "dist", descriptions={"Geo": "One"})
    for number in range(notes):
        author.put(
            f"n{number}",
            f"Question {number}",
            f"Answer {number}",
            deck=("Geo", "Geo::A", "Geo::B")[number % 3],
        )
    author.release("1")
    shutil.copytree(author.folder, folder / "first")
    first = Author(folder / "first", feed=author.feed)
    author.note_type = geo_type(css=".card { color: red }")
    author.type_mod += 10
    author.descriptions = {"Geo": "Two"}
    author.media = {"_logo.png": b"logo"}
    for number in range(notes):
        guid, deck = f"n{number}", author.notes[f"n{number}"].deck
        if number % 2:
            author.put(guid, f"Question {number}", "New", deck=deck.replace("Geo::A", "Geo::Z"), tags="new")
        elif deck == "Geo::A":
            author.put(guid, deck="Geo::Z")
        elif number % 5 == 0:
            author.put(guid, deck="Geo::C")
        elif number % 7 == 0:
            author.drop(guid)
    for number in range(notes // 10):
        author.put(f"x{number}", f"New {number}", "new", deck="Geo::D")
    author.release("2")
    return first, author


def prepare(anna: Follower, first: Author) -> None:
    """Follow the first release, and edit some notes."""
    anna.author = first
    anna.update(first.source)
    for number in range(1, 12, 2):
        anna.edit(f"n{number}", Front="mine")
    anna.edit("n3", Back="mine too")


def content(anna: Follower) -> Any:
    """What the collection holds, without ids and the times of edits."""
    col = anna.col
    assert col.db
    rows = col.db.all(
        "select guid, flds, tags, ord, queue, type, iif(odid, odid, did) from notes join cards on nid = notes.id"
        " order by guid, ord"
    )
    names = {int(each.id): each.name for each in col.decks.all_names_and_ids()}
    kind = col.models.get(geo_type().id)
    root = col.decks.by_name("Geo")
    assert kind
    assert root
    state = anna.subscription
    return (
        [(*row[:-1], names[row[-1]]) for row in rows],
        (kind["css"], root["desc"], sorted(names.values())),
        (
            state.version,
            state.release,
            state.waiting,
            state.files,
            state.behind,
            {n: names[d] for n, d in state.decks.items()},
        ),
        sorted(file.name for file in Path(col.media.dir()).iterdir()),
    )


def killed(profile: Path, author: Author, kind: str, number: float) -> bool:
    """Update in another process, and return whether it was killed."""
    command = [
        sys.executable,
        Path(__file__).with_name("killed_update.py"),
        profile,
        author.folder,
        profile / "work",
        kind,
        number,
    ]
    paths = os.pathsep.join(map(str, (TESTS, TESTS.parent)))
    environment = os.environ | {"PYTHONPATH": paths}
    status = subprocess.run(list(map(str, command)), env=environment, check=False).returncode
    assert status in (0, -signal.SIGKILL)
    return status != 0


def finish(profile: Path, author: Author) -> Any:
    with learner(profile) as col:
        anna = Follower(col, author, profile / "work")
        anna.update(author.source)
        assert anna.look(author.source).is_empty
        assert_healthy(col)
        return content(anna)


@pytest.mark.slow
def test_an_update_that_is_killed_is_finished_by_the_next(tmp_path: Path) -> None:
    first, author = released(tmp_path, 60)
    with learner(tmp_path / "before") as col:
        prepare(Follower(col, first, tmp_path / "work"), first)
    shutil.copytree(tmp_path / "before", tmp_path / "whole")
    wanted = finish(tmp_path / "whole", author)
    moments = 0
    for number in range(40):
        profile = tmp_path / f"killed-{number}"
        shutil.copytree(tmp_path / "before", profile)
        was_killed = killed(profile, author, "operations", number)
        assert finish(profile, author) == wanted, number
        if not was_killed:
            break
        moments += 1
    assert moments >= 7


@pytest.mark.slow
def test_an_update_that_is_killed_at_any_moment_is_finished_by_the_next(tmp_path: Path) -> None:
    first, author = released(tmp_path, 364)
    with learner(tmp_path / "before") as col:
        prepare(Follower(col, first, tmp_path / "work"), first)
    shutil.copytree(tmp_path / "before", tmp_path / "whole")
    wanted = finish(tmp_path / "whole", author)
    deaths = []
    for seconds in (0.005, 0.01, 0.02, 0.04, 0.08, 0.15, 0.3):
        shutil.copytree(tmp_path / "before", tmp_path / str(seconds))
        deaths.append(killed(tmp_path / str(seconds), author, "seconds", seconds))
        assert finish(tmp_path / str(seconds), author) == wanted
    assert any(deaths)  # a fast machine may finish before the last ones
