"""A published collection with a second release in its sources, to disturb its builds."""

import os
import resource
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scorecard.row import Effort

# Everything that a build imports is loaded before the fork; otherwise most kills would hit an import.
import ptcards.cli.build  # isort: skip
import ptcards.compile  # isort: skip  # noqa: F401
from ptcards.cli import main

OLD, NEW = 1_700_000_000, 1_700_086_400
NOTES = 60
_FILE_EVENTS = frozenset({"open", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.scandir"})


@dataclass(frozen=True)
class Site:
    """Folders of a collection, its outputs, its cache and its temporary files.

    `states` are the lock and the outputs after each of the two releases, by name.
    """

    folder: Path
    states: tuple[dict[str, bytes], dict[str, bytes]]

    def reset(self) -> None:
        """Restore the state with the first release published and the sources of the second."""
        for name in ("out", "cache", "tmp"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        (self.folder / "out").mkdir()
        (self.folder / "tmp").mkdir()
        for path, content in self.states[0].items():
            (self.folder / path).write_bytes(content)

    def now(self) -> dict[str, bytes]:
        """Return the current lock and outputs; a missing file is left out."""
        files = {name: self.folder / name for name in self.states[0]}
        return {name: file.read_bytes() for name, file in files.items() if file.exists()}

    def torn(self) -> list[str]:
        """Return the files that are neither old nor new, or that are newer than the lock."""
        now = self.now()
        old, new = self.states
        wrong = [name for name in old if now.get(name) not in (old[name], new[name])]
        ahead = any(now.get(name) == new[name] for name in old if name != LOCK)
        return [*wrong, *(["outputs newer than the lock"] if ahead and now.get(LOCK) != new[LOCK] else [])]

    def litter(self) -> list[str]:
        """Return what else exists, besides sources, lock, outputs and the cache."""
        expected = {self.folder / name for name in self.states[0]}
        places = (self.folder / "out", self.folder / "tmp", self.folder / "cards")
        found = [file for place in places for file in place.rglob("*") if file.is_file()]
        sources = (".md", ".bin.png", "deck.toml")
        return [str(file) for file in found if file not in expected and not file.name.endswith(sources)]

    def start(self, *arguments: str, clock: int = NEW, before: Callable[[], None] = lambda: None) -> int:
        """Begin a build in a forked process, after `before` in it; return its id."""
        child = os.fork()
        if child:
            return child
        status = 70
        try:
            os.setsid()
            for stream in (1, 2):
                os.dup2(os.open(self.folder / f"said{stream}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
            os.environ.update(
                SOURCE_DATE_EPOCH=str(clock),
                TMPDIR=str(self.folder / "tmp"),
                XDG_CACHE_HOME=str(self.folder / "cache"),
            )
            before()
            arguments = arguments or ("-o", str(self.folder / "out"))
            main(["build", str(self.folder / "cards"), *arguments], prog_name="ptcards")
        except SystemExit as done:
            status = done.code if isinstance(done.code, int) else 1
        except BaseException:  # noqa: BLE001 - nothing may return to the parent's code
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(status)

    def build(self, *arguments: str, clock: int = NEW, before: Callable[[], None] = lambda: None) -> int:
        """Build and wait for the end; return the exit status, below 0 for a signal."""
        return ended(self.start(*arguments, clock=clock, before=before))

    def said(self) -> str:
        """Return what the last build printed on stderr."""
        return (self.folder / "said2").read_text("utf-8")


LOCK = "cards/deck.lock"


def ended(process: int) -> int:
    """Wait for a build; return the exit status, below 0 for a signal."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def orphans(session: int, seconds: float = 5.0) -> int:
    """Return how many processes of an ended build still run after some time, and kill them."""
    deadline = time.monotonic() + seconds
    while (left := list(of_session(session))) and time.monotonic() < deadline:
        time.sleep(0.02)
    for process in left:
        os.kill(process, signal.SIGKILL)
    return len(left)


def of_session(session: int) -> Iterator[int]:
    """Return the running processes of a session."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == session and fields[0] != "Z":
                yield int(folder.name)


def starved(size: int) -> Callable[[], None]:
    """Limit the files that a build writes to this many bytes."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def killed_at(folder: Path, number: int) -> Callable[[], None]:
    """Kill a build at the n-th time that it opens, renames or removes a file below a folder."""
    return at_operation(folder, number, lambda: os.kill(os.getpid(), signal.SIGKILL))


def at_operation(folder: Path, number: int, act: Callable[[], object]) -> Callable[[], None]:
    """Do something to a build the n-th time that it opens, lists, renames or removes files in a folder."""

    def watch() -> None:
        owner = os.getpid()
        left = number

        def look(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal left
            if event in _FILE_EVENTS and os.getpid() == owner and str(arguments[0]).startswith(str(folder)):
                left -= 1
                if not left:
                    act()

        sys.addaudithook(look)

    return watch


def write_release(cards: Path, release: int) -> None:
    """Write the sources of a release.

    The second rewords, moves, drops and adds notes, and has another picture.
    """
    questions = [n for n in range(NOTES + 5 * (release - 1)) if (n, release) != (7, 2)]
    for part in range(4):
        notes = [_note(n, release) for n in questions if (n + 3 * (release - 1)) // 15 % 4 == part]
        # Files are saved as by most editors, so that a build at the same time reads complete files.
        saved = cards / ".saved"
        saved.write_text(f"# Part {part}\n\n{''.join(notes)}", "utf-8")
        saved.replace(cards / f"part{part}.md")


def _note(number: int, release: int) -> str:
    changed = " It was changed." if release == 2 and number % 3 == 0 else ""
    picture = f"![p](p{release}.bin.png)" if number % 20 == 0 else ""
    return (
        f"## Question {number} of many?\n<!-- card: id=q{number} -->\n\nAnswer {number}.{changed} {picture}\n\n"
        f"```python\nprint({number})\n```\n\n"
    )


@contextmanager
def published(effort: Effort, name: str) -> Iterator[Site]:
    """Create a collection, build both its releases, and return to the first."""
    folder = effort.folder / name
    cards = folder / "cards"
    cards.mkdir(parents=True)
    (cards / "deck.toml").write_text('name = "Site"\nid = "site"\n', "utf-8")
    for release in (1, 2):
        (cards / f"p{release}.bin.png").write_bytes(effort.random("picture", release).randbytes(700_000))
    states = []
    empty = Site(folder, ({}, {}))
    empty.reset()
    for release, clock in ((1, OLD), (2, NEW)):
        write_release(cards, release)
        assert empty.build(clock=clock) == 0, empty.said()
        files = (LOCK, "out/site.apkg", "out/site.csv")
        states.append({file: (folder / file).read_bytes() for file in files})
    assert all(states[0][file] != states[1][file] for file in states[0])
    site = Site(folder, (states[0], states[1]))
    site.reset()
    yield site
    shutil.rmtree(folder)
