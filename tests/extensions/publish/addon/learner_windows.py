"""A learner in a desktop Anki with the add-on, and the web server of an author's releases."""

import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from scripted import Handler, Server, said, serving_scripts

from addon.make import NAME, ROOT, pack
from desktop import DesktopAnki, desktop_anki

PATIENCE = 30.0


class Releases(dict[str, Any]):
    """The files of a folder as scripts of a server, with ETags."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def get(self, path: str, default: Any = None) -> Any:
        if path in self:
            return self[path]
        file = self._folder / unquote(path.lstrip("/"))
        return _with_etag(file.read_bytes()) if file.is_file() else default


def _with_etag(content: bytes) -> Callable[[Handler], None]:
    etag = f'"{hashlib.sha256(content).hexdigest()[:8]}"'

    def answer(handler: Handler) -> None:
        is_same = handler.headers["If-None-Match"] == etag
        script = said(b"", HTTPStatus.NOT_MODIFIED) if is_same else said(content, ETag=etag)
        script(handler)

    return answer


@contextmanager
def publishing(folder: Path) -> Iterator[Server]:
    """Serve the releases in a folder; its scripts may be replaced by wrong ones."""
    with serving_scripts(Releases(folder)) as server:
        yield server


class Learner:
    """A learner, who sees windows and presses their buttons."""

    def __init__(self, anki: DesktopAnki) -> None:
        self.anki = anki

    def do(self, what: str, *args: Any, **kwargs: Any) -> Any:
        return self.anki.do(what, *args, **kwargs)

    def window(self, title: str) -> dict[str, Any]:
        """Return the window with a title as soon as it is there."""
        found: dict[str, Any] = self.wait(
            lambda: next((each for each in self.do("windows") if title in each["title"]), None)
        )
        return found

    def settled(self, title: str, is_ready: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Return the window with a title as soon as it shows something."""
        ready: dict[str, Any] = self.wait(lambda: found if is_ready(found := self.window(title)) else None)
        return ready

    def gone(self, title: str) -> None:
        """Wait until no window with a title is left."""
        self.wait(lambda: not any(title in each["title"] for each in self.do("windows")))

    def notice(self, part: str) -> str:
        """Return the notice with a text as soon as it is shown."""
        return str(self.wait(lambda: next((each for each in self.do("notices") if part in each), None)))

    def follow(self, url: str) -> None:
        """Add a deck by its address, as far as the list."""
        self.do("menu", "Subscribe", "Add a Deck…")
        self.window("Subscribe")
        self.do("write", "Subscribe", url)
        self.do("keys", "Return")

    def wait(self, found: Callable[[], Any]) -> Any:
        end = time.monotonic() + PATIENCE
        while not (result := found()):
            assert time.monotonic() < end, self.do("trouble") or self.do("windows")
            time.sleep(0.1)
        return result


@contextmanager
def with_addon(base: Path, profile: str = "User 1", language: str = "en_US") -> Iterator[Learner]:
    """Run a desktop Anki that has the add-on, which is installed first if it is missing."""
    if not (base / "addons21" / NAME).exists():
        base.mkdir(exist_ok=True)
        pack(ROOT, base.parent / f"{NAME}.ankiaddon")
        with desktop_anki(base) as anki:
            assert anki.do("install", str(base.parent / f"{NAME}.ankiaddon")) == "InstallOk True"
    with desktop_anki(base, profile, language) as anki:
        yield Learner(anki)
