"""What git's commits and tags say about a lock, read from real repositories."""

import subprocess
from pathlib import Path

import pytest

from identity_notes import note as noted
from identity_notes import release
from ptcards.identity.history import (
    NO_HISTORY,
    History,
    read_history,
    read_publications,
)
from ptcards.identity.lock import Lock

HASHES = "\t".join(letter * 12 for letter in "abc")


def line(guid: str, mod: int, deck: str = "A::B") -> str:
    """Return the line of a lock."""
    columns = f"{HASHES}\t0123456789abcdef\t77\tan-id\t{deck}\tWhat?\t~0123abcd"
    return f"note\t{guid}\tqa\t{mod}\tlive\t{columns}\n"


class Folder:
    """A collection in a repository."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.lock = root / "deck.lock"
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        ran = subprocess.run(["git", *who, *arguments], cwd=self.root, check=True, capture_output=True)
        return ran.stdout.decode().strip()

    def commit(self, lock: str = "") -> str:
        """Commit the lock if it is given; return the commit as messages show it."""
        if lock:
            self.lock.write_text(lock)
        self.git("add", "-A")
        self.git("commit", "-qm", "x", "--allow-empty")
        return self.git("log", "-1", "--format=%h")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_the_newest_times_until_head_and_in_tags(folder: Folder) -> None:
    assert read_history(folder.lock) == NO_HISTORY
    first = f"ptcards-lock\t3\tx\ncount\t2\ntype\tqa\t5\tab\n{line('one', 10)}{line('two', 30)}"
    folder.commit(first)
    later = f"ptcards-lock\t3\tx\ncount\t2\ntype\tqa\t4\tab\n{line('one', 20)}{line('three', 1)}"
    commit = folder.commit(later)
    known = History(
        commit,
        frozenset({"one", "three"}),
        frozenset({"one", "two", "three"}),
        {"one": 20, "two": 30, "three": 1},
        {"qa": 5},
        is_in_head=True,
    )
    assert read_history(folder.lock) == known
    folder.git("checkout", "-qb", "release")
    folder.commit(f"type\tqa\t9\tab\n{line('one', 99)}{line('four', 7)}")
    folder.git("tag", "v1")
    folder.git("checkout", "-q", "main")
    tagged = known._replace(tag_times={"one": 99, "three": 1, "four": 7}, tag_type_times={"qa": 9})
    assert read_history(folder.lock) == tagged
    assert tagged.until_head() == known
    assert [tagged.newest(guid) for guid in ("one", "two", "four", "five")] == [99, 30, 7, 0]
    assert [tagged.newest_of_type(name) for name in ("qa", "cloze")] == [9, 0]
    assert known.newest_of_type("qa") == 5


def test_a_lock_that_git_has_no_more_and_one_that_it_ignores(folder: Folder) -> None:
    commit = folder.commit(line("one", 10))
    folder.lock.unlink()
    folder.commit()
    gone = History(commit, frozenset(), frozenset({"one"}), {"one": 10}, {})
    assert read_history(folder.lock) == gone
    (folder.root / ".gitignore").write_text("deck.lock\n")
    assert read_history(folder.lock) == gone._replace(is_ignored=True)
    folder.lock.write_text(line("one", 10))
    folder.git("add", "-f", "deck.lock")
    assert read_history(folder.lock) == gone._replace(is_ignored=True, is_tracked=True)


def test_what_is_committed_is_remembered_by_the_refs(folder: Folder) -> None:
    folder.commit(line("one", 10))
    history: dict[bytes, History] = {}
    for _ in range(2):
        read_history(folder.lock, history.get, history.__setitem__)
    (refs,) = history
    assert history[refs].times == {"one": 10}
    # What is remembered is believed as long as the refs stay.
    history[refs] = History("abc1234")
    assert read_history(folder.lock, history.get, history.__setitem__) == History("abc1234")
    folder.commit(line("one", 11))
    assert read_history(folder.lock, history.get, history.__setitem__).times == {"one": 11}
    assert len(history) == 2


def test_nothing_is_remembered_of_a_folder_without_a_repository(tmp_path: Path) -> None:
    def never(*_: object) -> None:
        message = "this is called only if git can tell"
        raise AssertionError(message)

    assert read_history(tmp_path / "deck.lock", never, never) == NO_HISTORY
    assert read_publications(tmp_path / "deck.lock", never, never) == {}


def test_every_time_and_deck_of_each_note(folder: Folder) -> None:
    folder.commit(line("one", 10, "A") + line("two", 10, "B"))
    folder.commit(line("one", 20, "A::C") + line("two", 10, "B"))
    folder.commit(line("one", 20, "A::C") + line("two", 10, "B"))
    folder.git("checkout", "-qb", "release")
    folder.commit(line("one", 30, "D"))
    folder.git("tag", "v1")
    folder.git("checkout", "-q", "main")
    assert read_publications(folder.lock) == {
        "one": ((20, "A::C"), (10, "A"), (30, "D")),
        "two": ((10, "B"),),
    }


def test_what_a_lock_lacks_by_accident() -> None:
    lock = release(noted("Why?"), noted("What?", "x")).lock
    one, two = (record.guid for record in lock.records)
    only = Lock(lock.collection_id, records=lock.records[:1])
    history = History(in_head=frozenset({one, two}), guids=frozenset({one, two, "old"}), times={one: 1000})
    assert history.missing(lock) == frozenset()
    assert history.missing(only) == {two}
    # All notes are newer than in git: the lock was begun again on purpose.
    assert history._replace(times={one: 999}).missing(only) == frozenset()
    retired = Lock(lock.collection_id, records=(lock.records[0]._replace(live=False),))
    assert history._replace(times={one: 999}).missing(retired) == {two}
    assert history._replace(times={one: 1001}).later(lock) == [one]
    assert history._replace(times={one: 1001}).later(retired) == []
    assert history.later(lock) == []


@pytest.mark.parametrize(
    ("history", "guid", "expected"),
    [
        (History(is_in_head=True), "one", True),
        (History(is_in_head=True, guids=frozenset({"one"})), "one", False),
        (History(is_in_head=True, is_whole=False), "one", False),
        (History(), "one", False),
    ],
)
def test_a_note_that_was_never_committed(history: History, guid: str, *, expected: bool) -> None:
    assert history.is_unpublished(guid) is expected


def test_notes_that_commits_took_back() -> None:
    history = History(in_head=frozenset("a"), guids=frozenset("abc"))
    assert [history.took_back(frozenset(guids)) for guids in ("b", "bc", "ab", "d")] == [
        True,
        True,
        False,
        False,
    ]
