"""Finds the feed that a release continues: a file or an address, or what was published last."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from ptcards.diagnostics import Diagnostic, Location, error
from ptcards.extensions.pictures.fetch import DownloadError, get
from ptcards.extensions.publish.release.feed import continues
from ptcards.extensions.publish.subscription.feed import (
    MAX_FEED_BYTES,
    BrokenFeedError,
    Feed,
    NewerFeedError,
    read_feed,
)
from ptcards.files.inputs import InputError, MissingError, read_input, shown
from ptcards.files.output_folder import FEED
from ptcards.files.toml import key_place

_KEY = "url"
_ABSENT = (404, 410)
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_SAY_SO = f"name a good one with `--previous`, such as a copy of `{FEED}`"


@dataclass(slots=True)
class FeedSearch:
    """Where the previous feed of a collection may be, and what was found there.

    It is `given` by the author, in `folder`, or at `url`, each perhaps empty. `toml` is the `deck.toml` with
    the `url`. `first` means that the author says that there is none. `feeds` are by the places to show, and
    `problems` say why others cannot be used.
    """

    collection_id: str
    folder: Path
    toml: Path
    url: str = ""
    given: str = ""
    first: bool = False
    feeds: dict[str, Feed] = field(default_factory=dict)
    problems: list[Diagnostic] = field(default_factory=list)

    @property
    def addresses(self) -> Mapping[str, Location]:
        """The place of the setting that names the address of a feed, by that address."""
        if not self.url or self.given:
            return {}
        return {self.url + FEED: key_place(self.toml, shown(self.toml), "release", _KEY)}

    def report(self, where: str, rule: str, message: str, fix: str) -> None:
        """Add a problem of a feed, at the setting that names its address or else at the feed itself."""
        place = self.addresses.get(where)
        found = error(place, rule, message, fix, len(_KEY)) if place else None
        self.problems.append(found or error(Location(where, 1, 0), rule, message, fix))

    def name(self, where: str) -> str:
        """Return how a message calls a feed: by its address, unless that is the place of the message."""
        return f"`{where}`" if where in self.addresses else "this"

    def add(self, where: str, content: bytes) -> None:
        """Add the feed with this content."""
        try:
            feed = read_feed(content)
        except NewerFeedError as failure:
            fix = f"update ptcards, or {_SAY_SO}"
            self.report(where, "newer-feed", f"a later ptcards wrote {self.name(where)}: {failure}", fix)
            return
        except BrokenFeedError as failure:
            fix = f"restore it, or {_SAY_SO}; `--first` starts a new history"
            self.report(where, "broken-feed", f"{self.name(where)} is not a feed of ptcards: {failure}", fix)
            return
        if feed.id != self.collection_id:
            message = f"{self.name(where)} is the feed of another deck, `{feed.name}` with the id `{feed.id}`"
            fix = "correct `url` in `deck.toml`, or choose another folder with `-o`"
            self.report(where, "other-feed", message, fix)
            return
        self.feeds[where] = feed

    def refuse(self, where: str, why: str) -> None:
        """Add a place that cannot be read; `why` completes a sentence about the feed."""
        own = next(iter(self.feeds), "")
        publish = f"publish the release with `{own}` there, or continue it with `--previous {own}`"
        fix = publish if own else f"try again later, or {_SAY_SO}; `--first` starts a new history"
        feed = f"the previous feed {self.name(where)}".removesuffix(" this")
        self.report(where, "unreachable-feed", f"{feed} {why}", fix)

    def find(self, version: str) -> tuple[Feed | None, list[Diagnostic]]:
        """Return the feed that a release of `version` continues, or `None` if it is the first or on error."""
        if self.given:
            self.look(self.given, is_needed=True)
        else:
            self.look(str(self.folder / FEED))
            if self.url:
                self.look(self.url + FEED)
        feeds = sorted(self.feeds.items(), key=lambda each: len(each[1].releases))
        if self.first:
            return _of_first(feeds, version)
        if not self.problems and not feeds:
            message = f"there is no `{FEED}` of a previous release"
            fix = (
                "run `ptcards release --first` if this deck was never released with a feed; "
                "otherwise, name it with `--previous`"
            )
            self.report(shown(self.folder.absolute() / FEED), "no-previous-release", message, fix)
        if len(feeds) == 2 and not continues(feeds[1][1], feeds[0][1]):
            (one, _), (other, _) = feeds
            message = (
                f"{self.name(other)} and `{one}` have different releases, so neither continues the other"
            )
            self.report(other, "feeds-differ", message, "name the published one with `--previous`")
        return (None, self.problems) if self.problems else (feeds[-1][1], [])

    def look(self, place: str, *, is_needed: bool = False) -> None:
        """Read the feed in a file or at an address; only one that is needed may not be missing."""
        file = None if place.startswith(("https:", "http:")) else Path(place)
        where = shown(file.absolute()) if file else place
        try:
            if file:
                content = read_input(file, file.parent, MAX_FEED_BYTES)
            else:
                content, _ = get(place, _servers(place), MAX_FEED_BYTES, accept="application/json")
        except MissingError:
            if is_needed:
                self.refuse(where, "does not exist")
        except InputError as failure:
            self.refuse(where, failure.reason)
        except DownloadError as failure:
            if is_needed or failure.status not in _ABSENT:
                self.refuse(where, f"cannot be read: {failure}")
        else:
            self.add(where, content)


def _of_first(feeds: Sequence[tuple[str, Feed]], version: str) -> tuple[Feed | None, list[Diagnostic]]:
    """Return the feed of the same first release, made again, or `None`; unusable feeds do not matter."""
    for where, feed in reversed(feeds):
        others = [release.version for release in feed.releases if release.version not in ("", version)]
        if others:
            message = f"this deck was released before, as {others[-1]}"
            fix = "run `ptcards release` without `--first`, or delete the feed to start a new history"
            return None, [error(Location(where, 1, 0), "released-before", message, fix)]
        return feed, []
    return None, []


def _servers(address: str) -> Container[str]:
    """Return the server of an address that its author chose: it may be private, but needs `https`.

    On this computer, `http` will do.
    """
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port or {"http": 80}.get(parts.scheme, 443)
    except ValueError:  # for a bad port or IPv6 address
        return ()
    return (f"{host}:{port}",) if parts.scheme == "https" or host in _LOOPBACK else ()
