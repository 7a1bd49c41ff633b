"""A lock's history in git: which notes it had and when they changed, so that times never go backwards.

A lock from an older commit, or one that `git revert` restored, has older times than the learners' notes, so
Anki would skip its notes. Without git, or if git does not answer, nothing is compared; a shallow clone only
has the last locks.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location, Trait, counted, error, hint
from ptcards.files.git import GitError, Repository
from ptcards.files.programs import in_shell
from ptcards.identity.lock import Lock

# These match lines of a lock, or of a diff between two locks; impossible times are ignored.
_NOTE = re.compile(r"^[+-]?note\t([^\t\n]+)\t[^\t\n]+\t([1-9][0-9]{0,12})\t", re.MULTILINE)
_DECK = re.compile(
    r"^[+-]?note\t([^\t\n]+)\t[^\t\n]+\t([1-9][0-9]{0,12})(?:\t[^\t\n]+){7}"
    r"\t([^\t\n]+)\t[^\t\n]*\t~[0-9a-f]{8}$",
    re.MULTILINE,
)
_ITEM = re.compile(r"^[+-]?item\t([^\t\n]+)\t([1-9][0-9]{0,2})\t", re.MULTILINE)
_TYPE = re.compile(r"^[+-]?type\t([^\t\n]+)\t([1-9][0-9]{0,12})\t", re.MULTILINE)


class History(NamedTuple):
    """What the repository around a collection knows about its lock.

    `commit` is the newest commit that changed the lock, or empty. `in_head` contains the GUIDs in HEAD's
    lock, and `guids` those in HEAD's and older locks. `times` and `type_times` are the newest times of notes
    and note types in these locks, `tag_times` and `tag_type_times` those in the locks of tags after HEAD.
    `item_numbers` are the highest numbers of the notes' items in any of them.
    `is_whole` is false in a shallow clone, which lacks older locks. `is_ignored` means that a line of
    `.gitignore` matches the lock, and `is_tracked` that git's index has it nevertheless.
    """

    commit: str = ""
    in_head: AbstractSet[str] = frozenset()
    guids: AbstractSet[str] = frozenset()
    times: Mapping[str, int] = MappingProxyType({})
    type_times: Mapping[str, int] = MappingProxyType({})
    tag_times: Mapping[str, int] = MappingProxyType({})
    tag_type_times: Mapping[str, int] = MappingProxyType({})
    item_numbers: Mapping[str, int] = MappingProxyType({})
    is_in_head: bool = False
    is_whole: bool = True
    is_ignored: bool = False
    is_tracked: bool = False

    def until_head(self) -> "History":
        """Return what was known when HEAD was committed, without the tags after it."""
        return self._replace(tag_times={}, tag_type_times={})

    def newest(self, guid: str) -> int:
        """Return the newest time of a note in any lock, or 0."""
        return max(self.times.get(guid, 0), self.tag_times.get(guid, 0))

    def newest_of_type(self, name: str) -> int:
        """Return the newest time of a note type in any lock, or 0."""
        return max(self.type_times.get(name, 0), self.tag_type_times.get(name, 0))

    def later(self, lock: Lock) -> list[str]:
        """Return the GUIDs of live notes that were published at a later time than the lock says."""
        return [
            record.guid for record in lock.records if record.live and self.newest(record.guid) > record.mod
        ]

    def missing(self, lock: Lock) -> AbstractSet[str]:
        """Return the GUIDs in HEAD's lock that this lock has lost by accident.

        If the lock was restarted on purpose, all its notes are newer than in git; if it lost notes by
        accident, they are not.
        """
        live = [record for record in lock.records if record.live]
        if live and all(record.mod > self.newest(record.guid) for record in live):
            return frozenset()
        return self.in_head - {record.guid for record in lock.records}

    def is_unpublished(self, guid: str) -> bool:
        """Whether a note has never been committed, in a repository whose HEAD has a lock."""
        return self.is_in_head and self.is_whole and guid not in self.guids

    def took_back(self, guids: AbstractSet[str]) -> bool:
        """Whether commits added these notes to the lock and later removed them, as `git revert` does."""
        return guids <= self.guids - self.in_head


NO_HISTORY = History()
PUBLISHED_LATER = "published after this lock was written"


def _newest(line: re.Pattern[str], text: bytes) -> dict[str, int]:
    """Return the newest time of each name in the lines of a lock, or of diffs between locks."""
    newest: dict[str, int] = {}
    for found in line.finditer(text.decode(errors="replace")):
        newest[found[1]] = max(newest.get(found[1], 0), int(found[2]))
    return newest


def _newest_of(*times: Mapping[str, int]) -> dict[str, int]:
    newest: dict[str, int] = {}
    for each in times:
        newest |= {name: time for name, time in each.items() if time > newest.get(name, 0)}
    return newest


def read_history(
    file: Path,
    recall: Callable[[bytes], History | None] = lambda _: None,
    remember: Callable[[bytes, History], None] = lambda _refs, _history: None,
) -> History:
    """Return what git knows about the lock that is, or would be, in `file`.

    What is committed only changes when git's refs do, so `recall` and `remember` cache it under them.
    """
    try:
        repository = Repository(file.parent)
        is_ignored = repository.ignores(file.name)
        is_tracked = is_ignored and repository.tracks(file.name)
        committed = _committed(repository, file.name, recall, remember)
    except GitError:
        return NO_HISTORY
    return committed._replace(is_ignored=is_ignored, is_tracked=is_tracked)


def _committed(
    repository: Repository,
    name: str,
    recall: Callable[[bytes], History | None],
    remember: Callable[[bytes, History], None],
) -> History:
    """Return what git's commits and tags say about a lock. Raises GitError if git cannot tell."""
    refs = repository.refs()
    if refs and (known := recall(refs)) is not None:
        return known
    is_whole = not repository.is_shallow
    if not (newest := repository.changing(name, 1)):
        return NO_HISTORY
    content = repository.content("HEAD", name)
    texts = [content or b"", *_differences(repository, name)]
    head, old, tagged = (_newest(_NOTE, text) for text in texts)
    types = [_newest(_TYPE, text) for text in texts]
    history = History(
        newest[0],
        frozenset(head),
        frozenset(head | old),
        _newest_of(head, old),
        _newest_of(*types[:2]),
        tagged,
        types[2],
        _newest_of(*(_newest(_ITEM, text) for text in texts)),
        is_in_head=content is not None,
        is_whole=is_whole,
    )
    remember(refs, history)
    return history


Publications = dict[str, tuple[tuple[int, str], ...]]
"""The times and decks with which each GUID was published, without duplicates."""


def read_publications(
    file: Path,
    recall: Callable[[bytes], Publications | None] = lambda _: None,
    remember: Callable[[bytes, Publications], None] = lambda _refs, _said: None,
) -> Publications:
    """Return everything that the lock in `file` ever recorded about each GUID; empty if git cannot tell.

    As in `read_history`, the answer is cached under git's refs.
    """
    try:
        repository = Repository(file.parent)
        refs = repository.refs()
        if refs and (known := recall(refs)) is not None:
            return known
        texts = [repository.content("HEAD", file.name) or b"", *_differences(repository, file.name)]
    except GitError:
        return {}
    found: dict[str, dict[tuple[int, str], None]] = {}
    for text in texts:
        for line in _DECK.finditer(text.decode(errors="replace")):
            found.setdefault(line[1], {})[int(line[2]), line[3]] = None
    publications = {guid: tuple(each) for guid, each in found.items()}
    remember(refs, publications)
    return publications


def _differences(repository: Repository, name: str) -> list[bytes]:
    return [repository.changes(name, "HEAD"), repository.changes(name, "--tags", "--not", "HEAD")]


def compare_with_history(lock: Lock, history: History, *, new_lock: bool = False) -> Iterator[Diagnostic]:
    """Yield diagnostics about what a lock has lost compared with git, unless a `new_lock` is wanted.

    `check` and `diff` report the same as a build.
    """
    if not lock.shown:
        return
    place = Location(lock.shown, 1)
    restore = f"run `git checkout {history.commit} -- {in_shell(lock.shown)}` and build again"
    missing = history.missing(lock)
    if new_lock:
        pass  # nothing is lost by accident
    elif lock.new and history.commit:
        message = f"`deck.lock` is missing, but commit {history.commit} has it"
        yield error(place, "lost-lock", message, f"{restore}, or start a new lock: build with `--new-lock`")
    elif missing:
        message = f"`deck.lock` lacks {counted(len(missing), 'note')} that commit {history.commit} has"
        yield error(place, "lost-notes", message, restore)
    if later := history.later(lock):
        yield hint(
            place,
            "restored-lock",
            f"{counted(len(later), 'note')} {PUBLISHED_LATER}",
            "no action needed: learners will get the current text of these notes",
            traits=Trait.FLEETING,
        )
    if history.is_ignored and not history.is_tracked:
        yield error(
            place,
            "ignored-lock",
            "git ignores `deck.lock`",
            "remove the line from `.gitignore`, or add `!deck.lock` below it; then commit the lock",
        )
