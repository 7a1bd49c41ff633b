"""The only code that calls git: it reads repositories that may be hostile, and runs no program they name.

A deck unpacked from an archive may contain a `.git` with an attacker's settings and hooks. So this module
only uses commands that ignore both: none touches filters or signatures, reads the content of a work tree, or
writes an index. The settings below close the remaining gaps.
"""

import hashlib
import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from threading import Thread, Timer
from typing import IO, NamedTuple

from ptcards.files.programs import find_program

_PATIENCE = 60
"""How many seconds git may take to answer."""
_SOON = 5
"""The same for optional answers."""
_MOST_COMMITS = 100
"""The number of commits in which to look for changes to a file."""
_MOST_BYTES = 64 << 20
"""The maximum size of a list of files or tags."""
_MOST_GITFILE_BYTES = 4096
_MOST_COMPLAINT_BYTES = 1 << 20
_SETTINGS = {
    # A folder in the deck may look like a bare repository: git would use it, with its settings.
    "safe.bareRepository": "explicit",
    "protocol.allow": "never",
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.attributesFile": os.devnull,
    "core.sshCommand": "false",
    "core.askPass": "false",
    "core.alternateRefsCommand": "false",
    "credential.helper": "",
    "diff.external": "",
    "log.showSignature": "false",
    "gpg.program": "false",
}
_ENVIRONMENT = {
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
}
# The user's own git settings, such as `safe.directory`; other variables point elsewhere or name programs.
_KEPT = ("GIT_CONFIG", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM")
FILES_FOR_GIT = {".gitattributes": "deck.lock merge=union", ".gitignore": "build/"}
"""The files that git needs in a collection, and the line that each must contain."""


class GitError(Exception):
    """Git is missing or cannot answer; the message is the reason."""


class NoRepositoryError(GitError):
    """The folder is not in a repository that is safe to read."""


class File(NamedTuple):
    """A file in a commit: its path from the top folder, its blob's name, and its size in bytes."""

    path: PurePosixPath
    blob: str
    size: int


class _Git:
    """Runs git in a folder. Raises GitError if git is missing, and every method raises it if git fails."""

    def __init__(self, folder: Path) -> None:
        program = find_program("git")
        if program is None:
            raise GitError("git is not installed")
        self._command = [program, "--no-pager", "-C", str(folder)]
        for name, value in _SETTINGS.items():
            self._command += ["-c", f"{name}={value}"]

    def origin(self) -> str:
        """Return the address of the remote repository `origin`, or an empty string; nothing is fetched."""
        # The exit status is 1 if there is none.
        return os.fsdecode(self._ask_if_able("config", "--get", "remote.origin.url")).strip()

    def refs(self) -> bytes:
        """Return HEAD's commit and the tags' targets, which determine the history; empty if git fails."""
        return self._ask_if_able("show-ref", "--head", "--tags")  # it fails before the first commit

    def ignored(self, names: Sequence[str]) -> tuple[list[str], list[str]]:
        """Return the files of the folder that match a line of `.gitignore`, and those of them to ignore.

        Git does not ignore files that it tracks. The user's own list does not count, because others lack it.
        """
        asked = b"".join(os.fsencode(name) + b"\0" for name in names)
        own = ("-c", f"core.excludesFile={os.devnull}")
        said = b""
        # The exit status is 1 if no file matches.
        with (
            suppress(GitError),
            self._answer(
                *own, "check-ignore", "--no-index", "-z", "--stdin", asked=asked, patience=_SOON
            ) as answer,
        ):
            said = answer.read(_MOST_BYTES)
        matching = [os.fsdecode(name) for name in said.split(b"\0") if name]
        tracked = {*self._ask("ls-files", "--cached", "-z", patience=_SOON).split(b"\0")} if matching else {}
        return matching, [name for name in matching if os.fsencode(name) not in tracked]

    def _ask(self, *arguments: str, patience: float = _PATIENCE) -> bytes:
        with self._answer(*arguments, patience=patience) as answer:
            said = answer.read(_MOST_BYTES + 1)
            if len(said) > _MOST_BYTES:
                raise GitError(f"`git {arguments[0]}` returned more than {_MOST_BYTES >> 20} MB")
        return said

    def _ask_if_able(self, *arguments: str, patience: float = _SOON) -> bytes:
        """Return git's answer, or nothing if git fails."""
        with suppress(GitError):
            return self._ask(*arguments, patience=patience)
        return b""

    @contextmanager
    def _answer(
        self, *arguments: str, asked: bytes = b"", patience: float = _PATIENCE
    ) -> Iterator[IO[bytes]]:
        """Start git and yield its output; git has ended when the block ends."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("GIT_") or name.startswith(_KEPT)
        }
        # Use no temporary files: to find their folder, Python writes a file that a kill would leave behind.
        process = subprocess.Popen(  # noqa: S603 - an absolute path and a list, no shell
            [*self._command, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=kept | _ENVIRONMENT,
            # Without a terminal, git cannot ask for input.
            start_new_session=True,
        )
        assert process.stdin is not None  # noqa: S101 - pipes were requested
        assert process.stdout is not None  # noqa: S101
        assert process.stderr is not None  # noqa: S101
        complaints: list[bytes] = []
        timer = Timer(patience, process.kill)
        helpers = (
            Thread(target=_put, args=(process.stdin, asked), daemon=True),
            Thread(target=_collect, args=(process.stderr, complaints), daemon=True),
            timer,
        )
        for helper in helpers:
            helper.start()
        try:
            yield process.stdout
            process.stdout.close()
            status = process.wait()
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
            timer.cancel()
            for helper in helpers:
                helper.join()
            process.stderr.close()
        if status:
            raise GitError(_reason(b"".join(complaints), arguments[0], status))


class Repository(_Git):
    """The repository that contains a folder; `prefix` is the folder's path in it, and `top` its top folder.

    Raises:
        NoRepositoryError: there is none. GitError: git is missing or fails; every method raises it too.

    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        try:
            found = os.fsdecode(self._ask("rev-parse", "--absolute-git-dir")).removesuffix("\n")
        except GitError as failure:
            if "not a git repository" in str(failure) or "cannot use bare repository" in str(failure):
                raise NoRepositoryError(str(failure)) from failure
            raise
        self.top = _top(folder.resolve(), found)
        self.prefix = PurePosixPath(folder.resolve().relative_to(self.top).as_posix())

    @property
    def is_shallow(self) -> bool:
        """Whether older commits and their tags were left out of the clone."""
        return self._ask("rev-parse", "--is-shallow-repository") == b"true\n"

    def commit(self, revision: str) -> str | None:
        """Return the full name of a revision's commit, or `None` if there is none."""
        if revision.startswith("-"):
            return None
        wanted = ("--verify", "--quiet", f"{revision}^{{commit}}")
        return self._ask_if_able("rev-parse", *wanted, patience=_PATIENCE).decode().strip() or None

    def time(self, commit: str) -> int:
        """Return the time of a commit in Unix seconds."""
        return int(self._ask("log", "-n", "1", "--format=%ct", commit))

    def content(self, commit: str, name: str, most: int = _MOST_BYTES) -> bytes | None:
        """Return a file of the folder as committed, or `None` if there is none of at most this many bytes."""
        listed = self._listed("--full-name", commit, "--", name)
        return next(self.contents([file for file in listed if file.size <= most]), None)

    def changing(self, name: str, most: int) -> list[str]:
        """Return the short hashes of the newest commits that added or changed a file, newest first."""
        if self.commit("HEAD") is None:
            return []
        form = ("-n", str(most), "--diff-filter=AM", "--format=%h")
        return self._ask("log", *form, "HEAD", "--", name, patience=_SOON).decode().split()

    def changes(self, name: str, *revisions: str) -> bytes:
        """Return the lines that the latest commits added to a file of the folder or removed from it."""
        form = ("-p", "-U0", "--text", "--no-textconv", "--no-ext-diff", "--no-color", "--format=")
        return self._ask("log", *form, "-n", str(_MOST_COMMITS), *revisions, "--", name, patience=_SOON)

    def ignores(self, name: str) -> bool:
        """Whether a line of `.gitignore` matches a file of the folder; `False` if git cannot tell."""
        # It prints the name of an ignored file; for another one, its exit status is 1.
        return bool(self._ask_if_able("check-ignore", "--no-index", "--", name))

    def tracks(self, name: str) -> bool:
        """Whether git's index has a file of the folder."""
        return bool(self._ask("ls-files", "--cached", "-z", "--", name, patience=_SOON))

    def is_unmerged(self, name: str) -> bool:
        """Whether a merge has left a conflict in a file of the folder."""
        return bool(self._ask("ls-files", "--unmerged", "-z", "--", name, patience=_SOON))

    def seen(self) -> tuple[list[str], list[str]]:
        """Return the files below the folder that git tracks, and those that it shows as untracked."""
        listed = self._ask(
            "ls-files", "-t", "--cached", "--others", "--exclude-standard", "-z", "--", ".", patience=_SOON
        )
        entries = [os.fsdecode(each).partition(" ") for each in listed.split(b"\0") if each]
        known = [name for state, _, name in entries if state != "?"]
        return known, [name for state, _, name in entries if state == "?"]

    def tags(self, *, at_head: bool = False) -> list[str]:
        """Return the tags before HEAD or, with `at_head`, those at HEAD only; newest first."""
        # With several keys, git sorts by the last one first.
        keys = ("--sort=-version:refname", "--sort=-creatordate")
        which = "--points-at=HEAD" if at_head else "--merged=HEAD"
        listed = self._ask("for-each-ref", which, *keys, "--format=%(refname)", "refs/tags")
        return [os.fsdecode(name).removeprefix("refs/tags/") for name in listed.splitlines()]

    def message(self, tag: str) -> str:
        """Return the message of an annotated tag without a signature; empty if the tag has none."""
        form = "--format=%(objecttype)%0a%(contents:subject)%0a%0a%(contents:body)"
        kind, _, text = (
            self._ask("for-each-ref", form, f"refs/tags/{tag}").decode(errors="replace").partition("\n")
        )
        return text.strip() if kind == "tag" else ""

    def files(self, commit: str) -> list[File]:
        """Return the regular files of a commit, without links or names that lead out of a folder."""
        return self._listed("-r", "--full-tree", commit)

    def filters(self, commit: str, paths: Iterable[Path]) -> dict[Path, str]:
        """Return the filters with which git changes those of these files that a commit has; none runs."""
        files = {self.top / file.path for file in self.files(commit)}
        paths = [path for path in paths if path.resolve() in files]
        asked = b"".join(os.fsencode(path.resolve()) + b"\0" for path in paths)
        with self._answer("check-attr", "-z", "--stdin", "filter", asked=asked) as answer:
            values = [os.fsdecode(each) for each in answer.read(_MOST_BYTES).split(b"\0")[2::3]]
        named = zip(paths, values, strict=True)
        return {path: value for path, value in named if value not in ("unspecified", "unset", "set", "")}

    def _listed(self, *what: str) -> list[File]:
        listed = self._ask("ls-tree", "-l", "-z", *what).split(b"\0")
        entries = (entry.partition(b"\t") for entry in listed if entry.startswith(b"100"))
        files = []
        for about, _, name in entries:
            _, _, blob, size = about.split()
            path = PurePosixPath(os.fsdecode(name))
            if not {".", "..", ".git"} & {*path.parts} and not path.is_absolute():
                # In a partial clone, the size of missing content is not a number.
                files.append(File(path, blob.decode(), int(size) if size.isdigit() else -1))
        return files

    def contents(self, files: Sequence[File]) -> Iterator[bytes]:
        """Yield the contents of files one by one, as committed.

        Raises GitError if one is missing.
        """
        asked = "".join(f"{file.blob}\n" for file in files).encode()
        with self._answer("cat-file", "--batch", asked=asked) as answer:
            for file in files:
                header = answer.readline().split()
                if header != [file.blob.encode(), b"blob", b"%d" % file.size]:
                    raise GitError(f"this clone lacks the content of `{file.path}`")
                yield answer.read(file.size)
                answer.read(1)


def ignore_files(folder: Path) -> list[Path]:
    """Return the files, whether they exist or not, that tell git what to ignore in a folder.

    There are none if no repository contains the folder. The settings of the user do not count, nor does the
    clone's own list in another work tree.
    """
    files: list[Path] = []
    for above in (folder.absolute(), *folder.absolute().parents):
        files.append(above / ".gitignore")
        if os.path.lexists(above / ".git"):
            exclude = above / ".git/info/exclude"
            return [*files, exclude] if exclude.parent.is_dir() else files
    return []


def index_file(folder: Path) -> Path | None:
    """Return the list of the files that git tracks, or `None` if no repository contains the folder."""
    for above in (folder.absolute(), *folder.absolute().parents):
        if os.path.lexists(above / ".git"):
            return _linked(above / ".git") / "index"
    return None


def ignored_files(folder: Path, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return what `_Git.ignored` returns; nothing if no repository contains the folder or git fails."""
    with suppress(GitError):
        return _Git(folder).ignored(names) if names and ignore_files(folder) else ([], [])
    return [], []


def refs_digest(folder: Path) -> str:
    """Return a digest of the refs of the repository that contains a folder; empty if git cannot tell."""
    if not ignore_files(folder):
        return ""
    try:
        return hashlib.sha256(_Git(folder).refs()).hexdigest()
    except GitError:
        return ""


def _put(stream: IO[bytes], asked: bytes) -> None:
    """Write a request to git, which may exit before reading all of it."""
    with suppress(BrokenPipeError), stream:
        stream.write(asked)


def _collect(stream: IO[bytes], found: list[bytes]) -> None:
    """Read a stream to its end and keep its start: unread output would block git."""
    found.append(stream.read(_MOST_COMPLAINT_BYTES))
    while stream.read(_MOST_COMPLAINT_BYTES):
        pass


def _reason(complaints: bytes, command: str, status: int) -> str:
    lines = complaints.decode(errors="replace").splitlines()
    fatal = [line.removeprefix("fatal: ") for line in lines if line.startswith("fatal: ")]
    if status < 0:
        return f"`git {command}` did not answer in time"
    return (fatal or lines or [f"`git {command}` failed"])[0]


def _top(folder: Path, found: str) -> Path:
    """Return the folder whose `.git` is the repository that git found."""
    for above in (folder, *folder.parents):
        try:
            if _linked(above / ".git").samefile(found):
                return above
        except (OSError, ValueError):
            continue
    raise NoRepositoryError(f"git uses `{found}`, but no `.git` here or above points to it")


def _linked(git: Path) -> Path:
    """Return the target of a `.git`, which in a linked work tree or a submodule is a file with one line."""
    if not git.is_file():
        return git
    with git.open("rb") as file:
        line = os.fsdecode(file.read(_MOST_GITFILE_BYTES)).removeprefix("gitdir: ").rstrip("\r\n")
    return git.parent / line
