"""Finds a collection's last publication, in git or in a folder."""

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ptcards.diagnostics import WrongUseError
from ptcards.files.git import GitError, NoRepositoryError, Repository
from ptcards.files.inputs import MAX_MEDIA_BYTES, MAX_TOML_BYTES
from ptcards.files.temporary import temporary_folder
from ptcards.files.toml import read_toml

_SHALLOW = "this clone is shallow: `git fetch --unshallow --tags` fetches older releases"
_NO_COPY = "does not contain an older copy of this collection"
_UNCOMMITTED = ": commit it with its `deck.lock`, then edit and compare"
_MOST_BYTES = 4 << 30
"""The maximum size of a collection in bytes, including pictures."""


class NoOldError(WrongUseError):
    """There is nothing to compare with; a usage error with exit status 2."""


@dataclass(frozen=True, slots=True)
class Old:
    """An earlier version of a collection: its folder, and its name (a tag, a revision or a path).

    `remark` says why this may be the wrong version to compare with, or is empty.
    """

    folder: Path
    name: str
    remark: str = ""


@contextmanager
def find_old(root: Path, collection_id: str, old: str | None) -> Iterator[Old]:
    """Yield the collection `collection_id`, now in `root`, as it was in `old`: a folder or a git revision.

    None means the newest tag that contains the collection, or HEAD. The folder exists until the block ends.

    Raises:
        NoOldError: there is no git, no such revision or folder, or no such collection in it.

    """
    if old is not None and Path(old).is_dir():
        folder = _in_folder(Path(old), collection_id)
        if folder is not None:
            yield Old(folder, old)
            return
    try:
        repository = Repository(root)
        name, commit = _release(repository, collection_id) if old is None else (old, repository.commit(old))
        cure = f"; {_SHALLOW}" if repository.is_shallow else ""
        if commit is None:
            is_folder = old is not None and Path(old).is_dir()
            what = _NO_COPY if is_folder else f"is neither a folder nor a git revision{cure}"
            message = f"`{old}` {what}"
            raise NoOldError(message)
        settings = _settings(repository, commit, collection_id)
        if settings is None:
            advice = _UNCOMMITTED if old is None else ""
            message = f"the collection with the id `{collection_id}` is not in `{name}`{advice}"
            raise NoOldError(message)
        with temporary_folder("diff") as temporary:
            _copy(repository, commit, settings.parent, temporary)
            is_stopgap = old is None and name == "HEAD"
            yield Old(
                temporary,
                name,
                f"no tag contains the collection, but {_SHALLOW}" if is_stopgap and cure else "",
            )
    except NoRepositoryError as failure:
        message = f"`{root}` is not in a git repository: name a folder that contains the last release"
        raise NoOldError(message) from failure
    except GitError as failure:
        message = f"{failure}: name a folder that contains the last release"
        raise NoOldError(message) from failure


def is_copy(folder: Path, root: Path) -> bool:
    """Whether a folder contains another copy of the collection in `root`."""
    settings = root / "deck.toml"
    document = read_toml(settings, str(settings))[1] or {}
    same = folder.resolve() == root.resolve()
    return not same and "id" in document and _in_folder(folder, str(document["id"])) is not None


def _in_folder(folder: Path, collection_id: str) -> Path | None:
    for settings in (folder / "deck.toml", *sorted(folder.rglob("deck.toml"))):
        document = read_toml(settings, str(settings))[1]
        if document and document.get("id") == collection_id:
            return settings.parent
    return None


def _id_in(toml: bytes) -> object:
    try:
        return tomllib.loads(toml.decode("utf-8-sig")).get("id")
    except (ValueError, RecursionError):
        return None


def _release(repository: Repository, collection_id: str) -> tuple[str, str]:
    """Return the newest tag before HEAD that contains the collection, or HEAD, with its commit."""
    head = repository.commit("HEAD")
    if head is None:
        message = "nothing is committed yet: name a folder that contains the last release"
        raise NoOldError(message)
    for tag in repository.tags():
        commit = repository.commit(f"refs/tags/{tag}")
        if commit and _settings(repository, commit, collection_id):
            return tag, commit
    return "HEAD", head


def _settings(repository: Repository, commit: str, collection_id: str) -> PurePosixPath | None:
    """Return the path of the collection's `deck.toml` in a commit: the current path, or wherever it was."""
    here = repository.prefix / "deck.toml"
    named = [file for file in repository.files(commit) if file.path.name == "deck.toml"]
    files = [file for file in named if file.size <= MAX_TOML_BYTES]
    files.sort(key=lambda file: file.path != here)
    contents = zip(files, repository.contents(files), strict=True)
    return next((file.path for file, toml in contents if _id_in(toml) == collection_id), None)


def _copy(repository: Repository, commit: str, folder: PurePosixPath, into: Path) -> None:
    """Write the files of a folder as they were committed.

    Files too large for a source or a picture are left out.
    """
    below = [file for file in repository.files(commit) if file.path.is_relative_to(folder)]
    files = [file for file in below if file.size <= MAX_MEDIA_BYTES]
    if sum(file.size for file in files) > _MOST_BYTES:
        message = f"the collection was larger than {_MOST_BYTES >> 30} GB"
        raise GitError(message)
    for file, content in zip(files, repository.contents(files), strict=True):
        copy = into / file.path.relative_to(folder)
        try:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)
        except (OSError, ValueError) as failure:
            message = f"`{file.path}` cannot be written: {failure}"
            raise GitError(message) from failure
