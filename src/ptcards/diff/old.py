"""Where a collection's last publication is found: in git, or in a folder."""

import os
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

_SHALLOW = "this clone is shallow: `git fetch --unshallow --tags` brings older releases"


class NoOldError(Exception):
    """There is nothing to compare with: wrong usage, exit status 2."""


@dataclass(frozen=True, slots=True)
class Old:
    """The folder of a collection as it was, and how to call that state: a tag, a revision or a path.

    `remark` says what may be wrong with the choice, empty if nothing.
    """

    folder: Path
    name: str
    remark: str = ""


@contextmanager
def find_old(root: Path, collection_id: str, old: str | None) -> Iterator[Old]:
    """Find the collection `collection_id`, now in `root`, as it was in `old`: a folder or a git revision.

    None means the newest tag that holds the collection, else HEAD. The folder exists until the block ends.

    Raises:
        NoOldError: no git, no such revision or folder, or no such collection in it.

    """
    if old is not None and Path(old).is_dir():
        folder = _in_folder(Path(old), collection_id)
        if folder is not None:
            yield Old(folder, old)
            return
    repository = _Repository(root)
    if old is None:
        revision, manifest = repository.newest(collection_id)
    else:
        cure = f"; {_SHALLOW}" if repository.is_shallow else ""
        repository.check(old, f"`{old}` is neither a folder nor a revision that git knows{cure}")
        revision, manifest = old, repository.find(old, collection_id)
    if manifest is None:
        message = f"the collection with the id `{collection_id}` is not in `{revision}`"
        raise NoOldError(message)
    with TemporaryDirectory(prefix="ptcards-") as temporary:
        repository.copy(revision, manifest.parent, Path(temporary))
        is_stopgap = old is None and revision == "HEAD"
        remark = (
            f"no tag holds the collection, but {_SHALLOW}" if is_stopgap and repository.is_shallow else ""
        )
        yield Old(Path(temporary), revision, remark)


def _in_folder(folder: Path, collection_id: str) -> Path | None:
    for manifest in (folder / "deck.toml", *sorted(folder.rglob("deck.toml"))):
        if manifest.is_file() and _id_in(manifest.read_bytes()) == collection_id:
            return manifest.parent
    return None


def _id_in(toml: bytes) -> str | None:
    try:
        found = tomllib.loads(toml.decode("utf-8-sig")).get("id")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return None
    return found if isinstance(found, str) else None


class _Repository:
    """The git repository around a folder, read through the program `git`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            self._prefix = PurePosixPath(self._git("rev-parse", "--show-prefix").decode().strip())
        except NoOldError as failure:
            if "not a git repository" not in str(failure):
                raise
            message = f"`{folder}` is not in a git repository: name a folder that holds the last release"
            raise NoOldError(message) from failure

    def newest(self, collection_id: str) -> tuple[str, PurePosixPath | None]:
        """Give the newest tag before HEAD that holds the collection, else HEAD, with the path of its `deck.toml`."""
        self.check("HEAD", "nothing is committed yet: name a folder that holds the last release")
        # Of several keys the last is the first to sort by.
        tags = self._git(
            "for-each-ref",
            "--merged=HEAD",
            "--sort=-version:refname",
            "--sort=-creatordate",
            "--format=%(refname:short)",
            "refs/tags",
        )
        for tag in tags.decode().split("\n")[:-1]:
            if manifest := self.find(tag, collection_id):
                return tag, manifest
        return "HEAD", self.find("HEAD", collection_id)

    @property
    def is_shallow(self) -> bool:
        """Say whether older commits, and their tags, were left out on cloning."""
        return self._git("rev-parse", "--is-shallow-repository") == b"true\n"

    def check(self, revision: str, message: str) -> None:
        """Raise NoOldError with the message if there is no such revision."""
        try:
            self._git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        except NoOldError as failure:
            raise NoOldError(message) from failure

    def find(self, revision: str, collection_id: str) -> PurePosixPath | None:
        """Find the collection's `deck.toml` in a revision: where it is now, or wherever it was."""
        here = self._prefix / "deck.toml"
        found = [PurePosixPath(name) for name in self._files(revision) if name.endswith("deck.toml")]
        for path in sorted(found, key=lambda path: path != here):
            if path.name == "deck.toml" and _id_in(self._git("show", f"{revision}:{path}")) == collection_id:
                return path
        return None

    def copy(self, revision: str, folder: PurePosixPath, into: Path) -> None:
        """Write the files of a folder as they were; links stay out."""
        files = {
            PurePosixPath(name): blob
            for name, blob in self._files(revision).items()
            if PurePosixPath(name).is_relative_to(folder)
        }
        blobs = self._git(
            "cat-file", "--batch", input="".join(f"{blob}\n" for blob in files.values()).encode()
        )
        for path in files:
            header, _, blobs = blobs.partition(b"\n")
            size = int(header.rpartition(b" ")[2])
            file = into / path.relative_to(folder)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(blobs[:size])
            blobs = blobs[size + 1 :]

    def _files(self, revision: str) -> dict[str, str]:
        """Give the names of a revision's files, from the top, with the names of their contents."""
        listed = self._git("ls-tree", "-r", "-z", "--full-tree", revision, "--").split(b"\0")
        entries = (line.partition(b"\t") for line in listed if line)
        return {
            os.fsdecode(name): about.split()[2].decode()
            for about, _, name in entries
            if about.startswith(b"100")
        }

    def _git(self, *arguments: str, input: bytes | None = None) -> bytes:  # noqa: A002 - as in subprocess
        command = ["git", "-C", str(self._folder), *arguments]
        try:
            return subprocess.run(command, check=True, capture_output=True, input=input).stdout  # noqa: S603 - a list, no shell
        except FileNotFoundError as failure:
            message = "git is not installed: name a folder that holds the last release"
            raise NoOldError(message) from failure
        except subprocess.CalledProcessError as failure:
            reason = failure.stderr.decode(errors="replace").strip().partition("\n")[0]
            raise NoOldError(reason.removeprefix("fatal: ")) from failure
