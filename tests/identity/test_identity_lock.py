"""`deck.lock` with git, edits by hand and parallel builds, tested with the real command, git and Anki."""

import csv
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from anki_backend import notes_by_guid
from identity_notes import with_digits
from identity_release import FIRST_DAY, Author, Learner, Maintainer, author, studying

__all__ = ["author"]

WHY = "## Why `no_grad`?\n\nIt saves memory and time, since no graph is recorded.\n\n"
LEAF = "## What is a leaf?\n\nA tensor that you made.\n\n"
HOOK = "## What is a hook?\n\nA function that is called on the way back.\n\n"
AUTOGRAD = f"# Autograd\n\n{WHY}{LEAF}{HOOK}"


@pytest.fixture
def anki(tmp_path: Path) -> Iterator[Learner]:
    with studying(tmp_path / "anki") as learner:
        yield learner


def git(folder: Path, *arguments: str, fails: bool = False) -> str:
    settings = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    environment = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    command = ["git", "-C", str(folder), *settings, *arguments]
    ran = subprocess.run(command, env=environment, check=not fails, capture_output=True, text=True)
    assert (ran.returncode != 0) == fails
    return ran.stdout


def files(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


# Commands that write the lock


@pytest.mark.parametrize(
    "command",
    [
        ("check", "cards"),
        ("diff", "last"),
        ("verify", "cards"),
        ("build", "cards", "-o", "build", "--locked"),
    ],
    ids=" ".join,
)
def test_only_a_build_that_may_writes_the_lock(author: Author, command: tuple[str, ...]) -> None:
    """Duplicate lines after a merge are combined while reading, and stay in the file."""
    author.write(autograd=AUTOGRAD).build()
    shutil.copytree(author.folder, author.folder.parent / "last")
    lock = author.folder / "deck.lock"
    lock.write_text(lock.read_text() + lock.read_text())
    before = files(author.folder)
    assert author.run(*command).status == 0
    assert files(author.folder) == before


def test_a_locked_build_that_is_out_of_date_writes_nothing(author: Author) -> None:
    author.write(autograd=AUTOGRAD).build()
    author.write(autograd=AUTOGRAD.replace("memory and", "memory,"))
    before = files(author.folder.parent)
    ran = author.run("build", "cards", "--locked", env={"SOURCE_DATE_EPOCH": "never read"})
    assert ran.status == 1
    assert ran.err.splitlines() == [
        "error: `deck.lock` is out of date",
        "  cards/autograd.md:3:1: Why `no_grad`?: changed answer",
        "help: build without `--locked`, then commit `deck.lock`",
    ]
    assert files(author.folder.parent) == before


@pytest.mark.parametrize(
    ("option", "does"),
    [
        ("--refresh", "gives every note a new time in `deck.lock`"),
        ("--new-lock", "writes a new `deck.lock`"),
    ],
)
def test_locked_contradicts_what_writes_the_lock(author: Author, option: str, does: str) -> None:
    author.write(autograd=AUTOGRAD).build()
    before = files(author.folder)
    ran = author.run("build", "cards", "--locked", option)
    assert (ran.status, ran.err.splitlines()[-1]) == (
        2,
        f"error: `{option}` {does}, which `--locked` forbids: use one of the two",
    )
    assert files(author.folder) == before


# git


def test_a_conflict_in_the_lock_stops_the_build_and_either_side_whole_loses_nothing(
    author: Author, anki: Learner
) -> None:
    """This happens without `.gitattributes`, or on a site that does not read it."""
    optim = "# Optim\n\n## What is a step?\n\nOne.\n\n"
    anki.get(author.write(autograd=AUTOGRAD, optim=optim).build())
    studied = anki.study()
    git(author.folder, "init", "-q")
    git(author.folder, "add", ".")
    git(author.folder, "commit", "-qm", "base")
    git(author.folder, "checkout", "-qb", "theirs")
    steps = optim + "## What is an epoch?\n\nMany.\n\n"
    author.write(autograd=AUTOGRAD.replace("memory and", "memory, power and"), optim=steps).build()
    theirs = author.guids
    git(author.folder, "commit", "-qam", "theirs")
    git(author.folder, "checkout", "-q", "main")
    reworded = AUTOGRAD.replace("What is a hook?", "What does a hook do?")
    author.write(autograd=reworded.replace("memory and", "memory, space and"), optim=optim).build()
    ours = author.guids
    git(author.folder, "commit", "-qam", "ours")
    git(author.folder, "merge", "-q", "theirs", fails=True)
    merged = {"autograd": reworded.replace("memory and", "memory, power, space and"), "optim": steps}
    author.write(**merged)
    line = (author.folder / "deck.lock").read_text().split("\n").index("<<<<<<< HEAD") + 1
    before = files(author.folder)
    for command in ("build", "check", "diff"):
        ran = author.run(command)
        assert ran.status == 2
        assert (
            f"cards/deck.lock:{line}:1: error[damaged-lock] the lock contains a merge conflict"
            in ran.out + ran.err
        )
        assert "run `git checkout --ours cards/deck.lock` (or `--theirs`)" in ran.out + ran.err
    assert files(author.folder) == before
    both = {question: guid for question, guid in (ours | theirs).items() if question != "What is a hook?"}
    for side in ("--theirs", "--ours"):
        git(author.folder, "checkout", side, "deck.lock")
        package = author.write(**merged).build()
        assert author.guids == both
        git(author.folder, "checkout", "--merge", "deck.lock")
    assert anki.get(package) == {"new": 1, "updated": 2, "duplicate": 2}
    assert {guid: place for guid, place in anki.progress.items() if guid in studied} == studied


# Other people's locks


def test_a_lock_of_a_later_version_is_left_alone(author: Author) -> None:
    author.write(autograd=AUTOGRAD).build()
    lock = author.folder / "deck.lock"
    lock.write_text(lock.read_text().replace("ptcards-lock\t3", "ptcards-lock\t4") + "a line of the future\n")
    before = files(author.folder.parent)
    ran = author.run("build", "cards")
    assert ran.status == 2
    assert "error[damaged-lock] the lock has format 4; this ptcards reads format 3" in ran.err
    assert files(author.folder.parent) == before


def test_a_copied_collection_with_an_id_of_its_own_does_not_build_with_the_lock_it_copied(
    author: Author,
) -> None:
    author.write(autograd=AUTOGRAD).build()
    copy = author.folder.parent / "copy"
    shutil.copytree(author.folder, copy)
    (copy / "deck.toml").write_text('name = "Mine"\nid = "c0ffee00"\n')
    before = files(author.folder.parent)
    ran = author.run("build", copy)
    assert ran.status == 2
    message = "the lock belongs to collection `6f0c2c0e`, but `deck.toml` says `c0ffee00`"
    assert f"copy/deck.lock:1:1: error[foreign-lock] {message}" in ran.err
    assert files(author.folder.parent) == before


@pytest.mark.parametrize(
    ("toml", "expected"),
    [
        ('name = "PyTorch"\nid = "6f0c2c0e"\ntags = [a\n', ["broken-deck-toml"]),
        ('id = "6f0c2c0e"\nname = "PyTorch\n', ["broken-deck-toml"]),
        ("\xff", ["broken-deck-toml"]),
        ('name = "PyTorch"\nid = 6\n', ["wrong-value"]),
        ('name = "PyTorch"\n', ["missing-key"]),
    ],
)
def test_nothing_is_said_about_lock_and_id_of_a_deck_toml_that_cannot_be_read(
    toml: str, expected: list[str], author: Maintainer
) -> None:
    author.write(autograd=AUTOGRAD).publish("v1")
    (author.root / ".gitignore").write_text("deck.lock\n")
    author.git("rm", "-q", "--cached", "cards/deck.lock")
    (author.folder / "deck.toml").write_bytes(toml.encode("latin-1"))
    (author.folder / "autograd.md").write_text(AUTOGRAD.replace("saves memory", "costs memory"))
    (guid, *_) = author.guids.values()
    reviews = ("reviews", "build/pytorch.apkg")
    for command in (("check",), ("build", "cards"), ("diff",), ("open", guid), reviews):
        ran = author.run(*command)
        assert (
            ran.status,
            re.findall(r"^\S+ (?:error|warning)\[(\S+)\]", ran.out + ran.err, re.MULTILINE),
        ) == (
            2,
            expected,
        ), command
        assert not re.search("GUID|git |lock belongs", ran.out + ran.err)


def test_a_missing_id_is_taken_from_the_lock(author: Author) -> None:
    author.write(autograd=AUTOGRAD).build()
    (author.folder / "deck.toml").write_text('name = "PyTorch"\n')
    help_line = '  = help: write `id = "…"` with the id in the first line of `deck.lock`'
    assert help_line in author.run("check", "cards").out.splitlines()


def test_a_copied_collection_with_an_id_and_a_name_of_its_own_is_learnt_beside_the_first(
    author: Author, anki: Learner
) -> None:
    anki.get(author.write(autograd=AUTOGRAD).build())
    studied = anki.study()
    copy = author.folder.parent / "copy"
    shutil.copytree(author.folder, copy)
    (copy / "deck.toml").write_text('name = "Mine"\nid = "c0ffee00"\n')
    (copy / "deck.lock").unlink()
    ran = author.run("build", copy, "-o", "mine", env={"SOURCE_DATE_EPOCH": str(FIRST_DAY + 5 * 86_400)})
    assert ran.status == 0
    assert anki.get(author.folder.parent / "mine" / "mine.apkg") == {"new": 3}
    assert {guid: place for guid, place in anki.progress.items() if guid in studied} == studied
    assert {deck: len(guids) for deck, guids in anki.decks().items()} == {
        "PyTorch::Autograd": 3,
        "Mine::Autograd": 3,
    }


def test_a_fork_that_keeps_id_and_lock_updates_the_notes_of_the_first(author: Author, anki: Learner) -> None:
    anki.get(author.write(autograd=AUTOGRAD).build())
    studied = anki.study()
    shutil.copytree(author.folder, author.folder.parent / "fork")
    fork = Author(author.folder.parent / "fork", author.run, day=5)
    assert anki.get(fork.write(autograd=AUTOGRAD.replace("memory and", "memory,")).build()) == {
        "updated": 1,
        "duplicate": 2,
    }
    assert anki.progress == studied


# Times


def mods(anki: Learner) -> dict[str, int]:
    return {guid: note.mod for guid, note in notes_by_guid(anki.collection).items()}


def test_builds_within_one_second_of_the_real_clock_reach_learners_one_by_one(
    author: Author, anki: Learner
) -> None:
    author.write(autograd=AUTOGRAD)
    for number in range(3):
        edited = AUTOGRAD.replace("memory and", f"memory, {number} and")
        author.write(autograd=edited)
        assert author.run("build", "cards", "-o", "build").status == 0
        expected = {"new": 3} if number == 0 else {"updated": 1, "duplicate": 2}
        before = mods(anki)
        assert anki.get(author.folder.parent / "build" / "pytorch.apkg") == expected
        guid = author.guids["Why `no_grad`?"]
        assert number == 0 or mods(anki)[guid] > before[guid]
        studied = anki.study()
        assert anki.progress == studied


def test_times_beyond_all_clocks_still_increase(author: Author) -> None:
    """A lock edited by hand, or from a machine with a wrong clock."""
    author.write(autograd=AUTOGRAD).build()
    lock = author.folder / "deck.lock"
    lock.write_text(with_digits(lock.read_text().replace(str(FIRST_DAY + 86_400), "9" * 12)))
    author.write(autograd=AUTOGRAD.replace("memory and", "memory,")).build()
    assert "lock-ahead-of-clock" in author.rules
    author.build("cards", "--locked")
    assert f"\t{10**12}\t" in lock.read_text()


# Ids


def test_an_id_that_the_lock_could_not_tell_from_none_is_an_error(author: Author) -> None:
    ran = author.write(autograd=AUTOGRAD.replace("leaf?\n", "leaf?\n<!-- card: id=- -->\n")).run(
        "build", "cards"
    )
    assert ran.status == 1
    assert "cards/autograd.md:8:15: error[malformed-id] `-` cannot be an id" in ran.err


# Simultaneous builds


@pytest.mark.slow
def test_builds_at_once_with_other_sources_leave_a_lock_that_knows_all_notes(
    author: Author, tmp_path: Path
) -> None:
    """No published note is lost, whichever build is last.

    The last build publishes what was saved last.
    """
    author.write(autograd=AUTOGRAD)
    running = []
    for number in range(4):
        text = f"# Autograd\n\n## Note {number}?\n\nAnswer {number}.\n"
        (tmp_path / "saved.md").write_text(text)
        (tmp_path / "saved.md").replace(author.folder / "autograd.md")  # the previous build may be reading it
        command = [sys.executable, "-m", "ptcards", "build", "cards", "-o", str(tmp_path / f"build{number}")]
        running.append(subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL))
        while not (tmp_path / f"build{number}").exists() and running[-1].poll() is None:
            pass
    assert [build.wait() for build in running] == [0] * 4
    published = []
    for number in range(4):
        with (tmp_path / f"build{number}" / "pytorch.csv").open(encoding="utf-8-sig", newline="") as file:
            published += [row["question"] for row in csv.DictReader(file)]
    lock = (author.folder / "deck.lock").read_text()
    assert [question for question in published if question not in lock] == []
    assert published[3:] == ["Note 3?"]
