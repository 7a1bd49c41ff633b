"""What a release takes from git: its version, its time, and that everything it is made of is committed."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ptcards.diagnostics import Diagnostic, Location, WrongUseError, error
from ptcards.diagnostics.layout import limited
from ptcards.files.git import GitError, NoRepositoryError, Repository
from ptcards.files.inputs import shown

_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+_-]{0,39}")

_V = re.compile(r"\Av(?=[0-9])")
"""Matches the letter that many put before the version in a tag."""

_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Matches characters that are not text: they would break XML, or turn the direction of what follows."""

_MOST_NAMED = 10
"""The most files that one message names."""

_MOST_POINTER_BYTES = 1024


@dataclass(frozen=True, slots=True)
class Commit:
    """The commit that is released, with its time in Unix seconds and the version of the release.

    `notes` is what the message of an annotated tag says about the release, as plain text.
    """

    version: str
    time: int
    notes: str = ""


def read_commit(root: Path, version: str, files: Iterable[Path]) -> tuple[Commit | None, list[Diagnostic]]:
    """Return HEAD and the problems that keep it from being released; `files` are what the release is made of.

    Without a `version`, it is the tag at HEAD. `v` before a digit is no part of a version.

    Raises:
        WrongUseError: there is no such tag, or a version has characters that no version has.

    """
    place = Location(shown(root), 1, 0)
    try:
        repository = Repository(root)
        head = _head(repository)
        version = _checked(_V.sub("", version or next(iter(repository.tags(at_head=True)), "")))
        problems = list(_elsewhere(repository, head, version, place))
        changed = sorted(_uncommitted(repository, head, sorted(files)))
        filters = repository.filters(head, changed)
        time, notes = repository.time(head), _notes(repository, version)
    except GitError as failure:
        message = f"a release needs git: {failure}"
        fix = "commit the deck with its `deck.lock`, then run this again"
        if isinstance(failure, NoRepositoryError):
            message = "a release needs git, and this folder is not in a repository"
            fix = f"run `git init` there, {fix}"
        return None, [error(place, "not-in-git", message, fix)]
    for file, name in filters.items():
        message = f"git's filter `{name}` changes `{file.name}`, so the commit has another content"
        fix = "remove the filter from `.gitattributes`, then commit the file again"
        if name == "lfs":
            message = f"`{file.name}` is not what the commit has in Git LFS"
            fix = "run `git lfs pull`, or commit the file"
        problems.append(error(Location(shown(file), 1, 0), "uncommitted-changes", message, fix))
    if changed := [file for file in changed if file not in filters]:
        names = limited([f"`{file.name}`" for file in changed], _MOST_NAMED, "and {} more".format)
        are, they = ("is not", "it") if len(changed) == 1 else ("are not", "them")
        message = f"{', '.join(names)} {are} committed in this state"
        fix = f"commit {they}, so that the release can be made again"
        problems.append(error(Location(shown(changed[0]), 1, 0), "uncommitted-changes", message, fix))
    return Commit(version, time, notes), problems


def previous_tag(root: Path, version: str) -> str | None:
    """Return the tag of an earlier version, or else the newest tag before HEAD; `None` if there is none.

    Raises GitError if git cannot tell.
    """
    repository = Repository(root)
    tags = repository.tags()
    if version:
        for tag in (f"v{version}", version):
            if tag in tags:
                return tag
    here = {*repository.tags(at_head=True)}
    return next((tag for tag in tags if tag not in here), None)


def _head(repository: Repository) -> str:
    head = repository.commit("HEAD")
    if head is None:
        raise GitError("nothing is committed yet")
    return head


def _checked(version: str) -> str:
    if not version:
        message = "no tag is at HEAD, so the version is unknown"
        raise WrongUseError(message, "tag the commit, or name the version: `ptcards release 1.0`")
    if not _VERSION.fullmatch(version):
        message = f"`{version}` cannot be a version"
        raise WrongUseError(message, "use up to 40 letters, digits and `.`, `+`, `_` or `-`")
    return version


def _notes(repository: Repository, version: str) -> str:
    """Return the message of a version's tag, without a first line that only says the version."""
    tags = {*repository.tags(at_head=True)}
    text = next((repository.message(tag) for tag in (f"v{version}", version) if tag in tags), "")
    # The page has a heading with the version already.
    return re.sub(rf"(?i)\A(?:\w+ )?[rv]?{re.escape(version)}[.:]?(?:\n+|\Z)", "", _CONTROL.sub("", text))


def _elsewhere(repository: Repository, head: str, version: str, place: Location) -> Iterator[Diagnostic]:
    """Yield an error for each tag with the name of a version that is not at HEAD."""
    for tag in (f"v{version}", version):
        commit = repository.commit(f"refs/tags/{tag}")
        if commit is not None and commit != head:
            message = f"the tag `{tag}` is at another commit, {commit[:7]}"
            fix = f"run `git checkout {tag}` to release it, or choose another version"
            yield error(place, "tag-elsewhere", message, fix)


def _uncommitted(repository: Repository, commit: str, paths: Iterable[Path]) -> Iterator[Path]:
    """Yield those of these files that a commit lacks or has with another content.

    Line ends do not count, because git may convert them. Of a file in Git LFS, the commit has the digest.
    Raises OSError if a file cannot be read.
    """
    files = {repository.top / file.path: file for file in repository.files(commit)}
    for path in paths:
        content, file = path.read_bytes(), files.get(path.resolve())
        blob = file.blob if file else ""
        if blob in (_blob(content, blob), _blob(content.replace(b"\r\n", b"\n"), blob)):
            continue
        pointers = [file] if file and 0 < file.size <= _MOST_POINTER_BYTES else []
        if not any(_points_to(pointer, content) for pointer in repository.contents(pointers)):
            yield path


def _blob(content: bytes, like: str) -> str:
    """Return git's name for a content, with the kind of hash that another name has."""
    kind = hashlib.sha256 if len(like) == 64 else hashlib.sha1
    return kind(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _points_to(pointer: bytes, content: bytes) -> bool:
    """Whether a committed file says that Git LFS holds this content.

    The format is https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md.
    """
    lines = pointer.split(b"\n")
    is_pointer = lines[0] == b"version https://git-lfs.github.com/spec/v1"
    return is_pointer and b"oid sha256:" + hashlib.sha256(content).hexdigest().encode() in lines
