"""Loads a feed and its package in the background; the learner can go on learning meanwhile."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, NamedTuple

from aqt import mw
from aqt.operations import QueryOp
from aqt.qt import QTimer, qconnect

from addon.network import (
    Answer,
    NetworkError,
    check_place,
    edition_of,
    get_feed,
    get_package,
    package_address,
)
from addon.texts import say
from addon.windows import ask, wait_for_decks
from ptcards.extensions.publish.subscription.feed import (
    MAX_FEED_BYTES,
    MAX_QUIET_FEED_BYTES,
    Feed,
    NotAFeedError,
    read_feed,
)
from ptcards.extensions.publish.subscription.package import read_package
from ptcards.extensions.publish.subscription.update import FeedSource

_FOLDER = Path(__file__).parent / "user_files"
"""Packages; Anki keeps this folder when it updates the add-on."""
_ASK_ABOVE = 100 << 20
_POLL = 200
"""Milliseconds between two looks at whether the learner presses Esc."""
_MEGABYTE = 1 << 20
_running: "set[Loading]" = set()
_waiting: "list[Loading]" = []
"""Loadings that nobody waits for, while another one of the same address runs: a server may be slow."""


class Loaded(NamedTuple):
    """A source, the file of its package, and the ETag of its feed."""

    source: FeedSource
    file: Path
    etag: str


class Then(NamedTuple):
    """What follows after loading; `stopped` if the learner stopped it.

    `unchanged` follows if the feed has the ETag that was known or is another one's, and before a question
    about its package.
    """

    loaded: Callable[[Loaded], object]
    failed: Callable[[Exception], object]
    unchanged: Callable[[], object] = lambda: None
    stopped: Callable[[], object] = lambda: None


class Loading:
    """A feed that is loaded; `is_shown` if the learner waits for it.

    `feed_id` is the feed that must be at the address, or empty if any may be.
    """

    def __init__(
        self, address: str, then: Then, *, feed_id: str = "", etag: str = "", is_shown: bool
    ) -> None:
        self.address = address
        self._feed_id = feed_id
        self._then = then
        self._etag = etag
        self._is_shown = is_shown
        self.stop = Event()
        self._size = self._total = 0
        self._timer: Any = None
        others = [each for each in _running if each.address == address]
        if others and not is_shown:
            _waiting.append(self)
            return
        for each in others:
            each.stop.set()
        self.start()

    def start(self) -> None:
        """Load the feed, now that no other loading asks the same server."""
        self._run(self._get_feed, self._has_feed)

    def _run(self, op: Callable[[], Any], then: Callable[[Any], object]) -> None:
        """Run an operation in the background, with its progress if the learner waits."""
        _running.add(self)
        if self._is_shown:
            window = mw.progress.start(label=say("loading"), parent=mw)
            self._timer = QTimer(mw)
            qconnect(self._timer.timeout, partial(self._poll, window))
            self._timer.start(_POLL)
        query = QueryOp(parent=mw, op=lambda _: op(), success=partial(self._ended, then))
        query.failure(partial(self._ended, self._then.failed)).without_collection().run_in_background()

    def _poll(self, window: Any) -> None:
        """Show how much has come, and stop if the learner pressed Esc."""
        if window and window.wantCancel:
            self.stop.set()
        if self._total:
            mw.progress.update(value=self._size // 1000, max=self._total // 1000)

    def _ended(self, then: Callable[[Any], object], found: Any) -> None:
        _running.discard(self)
        if self._timer:
            self._timer.deleteLater()
            self._timer = None
            mw.progress.finish()
        if self.stop.is_set():
            self._then.stopped()
        else:
            then(found)
        if all(each.address != self.address for each in _running):
            after = next((each for each in _waiting if each.address == self.address), None)
            if after:
                _waiting.remove(after)
                after.start()

    def _get_feed(self) -> tuple[Answer, Feed | None]:
        most = MAX_FEED_BYTES if self._is_shown else MAX_QUIET_FEED_BYTES
        answer = get_feed(self.address, self._etag, self.stop, most)
        if answer.content is None:
            return answer, None
        try:
            feed = read_feed(answer.content)
        except NotAFeedError:
            check_place(self.address, answer.url)
            raise
        edition = edition_of(self.address)
        if edition and edition not in feed.editions:
            raise NetworkError("no_edition", name=edition)
        feed = feed.of_edition(edition)
        package_address(feed.package, answer.url)  # refuses what would not be loaded anyway
        return answer, feed

    def _has_feed(self, found: tuple[Answer, Feed | None]) -> None:
        answer, feed = found
        if feed is None:
            self._then.unchanged()
            return
        if self._feed_id not in ("", feed.id):
            self._then.unchanged()
            self._then.failed(NetworkError("other_deck", name=feed.name))
            return
        file = _FOLDER / f"{feed.id}-{feed.package.sha256[:16]}.apkg"
        go_on = partial(self._run, partial(self._get_package, answer, feed, file), self._then.loaded)
        if feed.package.size <= _ASK_ABOVE or file.exists():
            go_on()
            return
        self._then.unchanged()
        text = say("ask_large", name=feed.name, size=feed.package.size // _MEGABYTE)
        question = partial(ask, text, (say("yes"), go_on))
        question() if self._is_shown else wait_for_decks(question)

    def _get_package(self, answer: Answer, feed: Feed, file: Path) -> Loaded:
        self._total = feed.package.size
        get_package(feed.package, answer.url, file, self.stop, self._received)
        return Loaded(FeedSource(self.address, feed, read_package(file)), file, answer.etag)

    def _received(self, size: int) -> None:
        self._size = size


def stop_loading() -> None:
    """Stop whatever is being loaded, because the profile is closed."""
    _waiting.clear()
    for each in _running:
        each.stop.set()


def delete_old_packages() -> None:
    """Delete what was loaded of older releases, and what is left of interrupted downloads."""
    kept: set[str] = set()
    for file in sorted(_FOLDER.glob("*"), key=lambda file: file.stat().st_mtime, reverse=True):
        deck = file.name.rpartition("-")[0]
        if file.suffix != ".apkg" or deck in kept:
            file.unlink()
        kept.add(deck)
