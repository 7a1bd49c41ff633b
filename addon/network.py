"""Loads feeds and packages with GET requests; nothing else leaves this computer.

The address comes from a learner, everything else from a server that nobody has checked. Requests carry no
cookie, no password and nothing about the learner or this computer.
"""

import hashlib
import re
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Event
from typing import IO, Any, NamedTuple
from urllib.parse import SplitResult, urljoin, urlsplit

import requests
from requests.packages import urllib3

from ptcards.extensions.publish.subscription.feed import MAX_FEED_BYTES, PackageFile
from ptcards.extensions.publish.subscription.package import MAX_PACKAGE_BYTES

FEED = "deck.json"
AGENT = "ptcards-subscribe/1"
_MOST_REDIRECTS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_PORTS = {"http": 80, "https": 443}
_CONNECT, _BETWEEN_BYTES, _HEAD, _ALL = 10.0, 30.0, 60.0, 600.0
"""Time limits in seconds: the last but one for the head of an answer, and the last for all of a feed."""
_LEAST_RATE = 1000
"""Bytes per second, on average after `_BETWEEN_BYTES`; a large package may take longer than `_ALL`."""
_POLL = 0.1
_HOST = re.compile(r"[^\s/?#@\\<>\"']+")
_EDITION = "edition="
"""Precedes the name of an edition at the end of an address, after `#`."""
_LONGEST_ETAG = 200
_PIECE = 1 << 16
_MEGABYTE = 1 << 20


class NetworkError(Exception):
    """Nothing was loaded; `key` is that of a sentence in `languages`, and `values` complete it."""

    def __init__(self, key: str, **values: str) -> None:
        super().__init__(key)
        self.key = key
        self.values = values


class StoppedError(Exception):
    """The learner stopped the loading; nobody needs to hear of it."""


class Answer(NamedTuple):
    """A feed with the address that it came from; the content is `None` if it has not changed."""

    content: bytes | None
    etag: str
    url: str


class _Connection:
    """A connection to a server, with a limit on its time; it can be stopped at any moment.

    Its work runs in a thread of its own, because Python waits for a name, a connection or a piece of an
    answer without listening to anybody.
    """

    def __init__(self, stopped: Event, seconds: float) -> None:
        self.stopped = stopped
        self.until = time.monotonic() + seconds
        self.session = requests.Session()
        self._thread = ThreadPoolExecutor(1)
        self._sockets: list[socket.socket] = []
        pools = {"http": urllib3.HTTPConnectionPool, "https": urllib3.HTTPSConnectionPool}
        for adapter in self.session.adapters.values():
            adapter.poolmanager.pool_classes_by_scheme = {
                scheme: self._remembering(pool) for scheme, pool in pools.items()
            }

    def _remembering(self, pool: Any) -> Any:
        """Return a class of pools whose connections can be closed from outside."""
        sockets = self._sockets

        class Remembered(pool.ConnectionCls):  # type: ignore[misc]
            def connect(self) -> None:
                super().connect()
                sockets.append(self.sock)

        return type("RememberingPool", (pool,), {"ConnectionCls": Remembered})

    def do(self, work: Callable[[], Any], url: str, seconds: float) -> Any:
        """Return what some work returns, if it takes no longer than some seconds.

        Raises:
            NetworkError: it takes longer, or all takes too long.
            StoppedError: somebody set `stopped`.

        """
        until = min(self.until, time.monotonic() + seconds)
        future = self._thread.submit(work)
        while not future.done() and not self.stopped.is_set() and time.monotonic() < until:
            wait((future,), timeout=_POLL)
        if future.done():
            return future.result()
        self._hang_up()
        if self.stopped.is_set():
            raise StoppedError
        raise NetworkError("too_slow", host=_host(url))

    def close(self) -> None:
        """End the connection, also while the thread still waits for it."""
        self._hang_up()
        self._thread.submit(self._forget)
        self._thread.shutdown(wait=False)

    def _hang_up(self) -> None:
        """End what the thread reads."""
        for each in self._sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def _forget(self) -> None:
        self.session.close()
        for each in self._sockets:
            if (number := each.detach()) >= 0:  # an answer that was broken off keeps it open
                socket.close(number)


def feed_address(text: str) -> str:
    """Return the address of a feed from what a learner pasted: the feed's, its folder's or its page's."""
    text = text.strip()
    address = text if "://" in text else f"https://{text}"
    try:
        parts = urlsplit(address)
    except ValueError:  # a bad IPv6 address, which is refused when it is loaded
        return address
    path = parts.path.removesuffix("index.html")
    if not path.endswith(".json"):
        path = f"{path.rstrip('/')}/{FEED}"
        parts = parts._replace(query="")
    fragment = parts.fragment if parts.fragment.startswith(_EDITION) else ""
    return parts._replace(path=path, fragment=fragment).geturl()


def edition_of(address: str) -> str:
    """Return the name of the edition to follow at the address of a feed; empty for the complete deck."""
    return _parts(address).fragment.removeprefix(_EDITION)


def get_feed(url: str, etag: str, stopped: Event, most: int = MAX_FEED_BYTES) -> Answer:
    """Load a feed of at most some bytes, unless it is still the one with this ETag (empty if none is known).

    Raises:
        NetworkError: it cannot be loaded.
        StoppedError: somebody set `stopped`.

    """
    with _answer(url, stopped, _ALL, etag) as (answer, final, pieces):
        if etag and answer.status_code == HTTPStatus.NOT_MODIFIED:
            return Answer(None, etag, final)
        _check_status(answer)
        content = bytearray()
        for piece in pieces:
            content += piece
            if len(content) > most:
                raise NetworkError("large_feed", limit=f"{most // _MEGABYTE}")
        found = answer.headers.get("ETag", "")
        return Answer(bytes(content), found if len(found) <= _LONGEST_ETAG else "", final)


def get_package(
    announced: PackageFile, feed: str, path: Path, stopped: Event, loaded: Callable[[int], None]
) -> None:
    """Load the package that the feed at an address announces to `path`, unless it is already there.

    `loaded` is told the number of bytes so far.

    Raises:
        NetworkError: it cannot be loaded, or is not what the feed announces.
        StoppedError: somebody set `stopped`.

    """
    url = package_address(announced, feed)
    if _is_loaded(path, announced):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
        part = Path(file.name)
        try:
            seconds = _ALL + announced.size / _LEAST_RATE
            with _answer(url, stopped, seconds) as (answer, _, pieces):
                _check_status(answer)
                _write(file, announced, pieces, loaded)
            file.close()
            part.replace(path)
        finally:
            file.close()
            part.unlink(missing_ok=True)


def package_address(announced: PackageFile, feed: str) -> str:
    """Return the address of a package, which must be on the server of its feed.

    Raises:
        NetworkError: it is elsewhere, or too large.

    """
    if not 0 < announced.size <= MAX_PACKAGE_BYTES:
        raise NetworkError(
            "large_package",
            size=f"{announced.size // _MEGABYTE:,}",
            limit=f"{MAX_PACKAGE_BYTES // _MEGABYTE:,}",
        )
    url = urljoin(feed, announced.url)
    one, other = _parts(url), _parts(feed)
    if _origin(one) != _origin(other):
        raise NetworkError("other_origin", host=one.hostname or url)
    return url


def _write(
    file: IO[bytes], announced: PackageFile, pieces: Iterator[bytes], loaded: Callable[[int], None]
) -> None:
    """Write the pieces of a package; stop as soon as it cannot be the announced one."""
    size, content = 0, hashlib.sha256()
    for piece in pieces:
        size += len(piece)
        if size > announced.size:
            break
        content.update(piece)
        file.write(piece)
        loaded(size)
    if (size, content.hexdigest()) != (announced.size, announced.sha256):
        raise NetworkError("other_package")


def _is_loaded(path: Path, announced: PackageFile) -> bool:
    """Whether a package is already at a path, complete."""
    if not path.exists() or path.stat().st_size != announced.size:
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == announced.sha256


@contextmanager
def _answer(
    url: str, stopped: Event, seconds: float, etag: str = ""
) -> Iterator[tuple[Any, str, Iterator[bytes]]]:
    """Yield the answer of a server after its redirects, its address, and its content."""
    headers = {"User-Agent": AGENT, "Accept-Encoding": "identity"}
    if etag:
        headers["If-None-Match"] = etag
    asked = url
    is_local = _parts(url).hostname in _LOOPBACK
    connection = _Connection(stopped, seconds)
    try:
        for _ in range(_MOST_REDIRECTS + 1):
            _check_address(url, asked, is_local=is_local)
            with _get(connection, url, headers) as answer:
                if answer.status_code not in _REDIRECTS:
                    yield answer, url, _pieces(connection, answer, url)
                    return
                with _sentences(url, "no_answer"):
                    url = urljoin(url, answer.headers.get("Location", ""))
            connection.session.cookies.clear()
            connection.session.close()  # a server may close a connection while the next request is sent
    finally:
        connection.close()
    raise NetworkError("redirects", host=_host(url))


def _get(connection: _Connection, url: str, headers: dict[str, str]) -> Any:
    """Ask a server, without cookies."""

    def get() -> Any:
        return connection.session.get(
            url,
            headers=headers,
            stream=True,
            timeout=(_CONNECT, _BETWEEN_BYTES),
            allow_redirects=False,
            auth=_no_password,
        )

    with _sentences(url, "no_answer"):
        return connection.do(get, url, _HEAD)


def _no_password(request: Any) -> Any:
    """Leave a request as it is; without this, `requests` adds passwords from `.netrc`."""
    return request


def _pieces(connection: _Connection, answer: Any, url: str) -> Iterator[bytes]:
    """Yield the content as it arrives; a server that sends less than `_LEAST_RATE` is left."""
    begin, size = time.monotonic(), 0
    with _sentences(url, "broke_off"):
        while piece := connection.do(lambda: answer.raw.read1(_PIECE), url, _BETWEEN_BYTES + 1):
            size += len(piece)
            seconds = time.monotonic() - begin
            if seconds > _BETWEEN_BYTES and size < seconds * _LEAST_RATE:
                raise NetworkError("too_slow", host=_host(url))
            yield piece


@contextmanager
def _sentences(url: str, key: str) -> Iterator[None]:
    """Turn what goes wrong between here and a server into a sentence, the one of `key` as a rule."""
    try:
        yield
    except requests.exceptions.SSLError as failure:
        raise NetworkError("not_secure", host=_host(url)) from failure
    except (requests.RequestException, urllib3.exceptions.HTTPError, ValueError) as failure:
        raise NetworkError(key, host=_host(url)) from failure


def _check_address(url: str, asked: str, *, is_local: bool) -> None:
    """Raise an error unless an address is one to load: on this computer, `http` will do.

    `asked` is the address before redirects: a network that wants a login leads to a page of its own.
    """
    parts = _parts(url)
    is_loopback = is_local and parts.hostname in _LOOPBACK
    if (
        not parts.hostname
        or not _HOST.fullmatch(parts.hostname)
        or parts.username is not None
        or not (parts.scheme == "https" or (parts.scheme == "http" and is_loopback))
    ):
        if url != asked:
            raise NetworkError("other_page", url=url[:200])
        is_named = parts.hostname and _HOST.fullmatch(parts.hostname)
        raise NetworkError("not_https" if is_named else "no_address", url=url[:200])


def _check_status(answer: Any) -> None:
    if answer.status_code != HTTPStatus.OK:
        known = {status.value: status.phrase for status in HTTPStatus}
        status = f"{answer.status_code} {known.get(answer.status_code, '')}".strip()
        raise NetworkError("status", status=status)


def check_place(asked: str, found: str) -> None:
    """Raise NetworkError if what is no feed came from another server than the one that was asked."""
    if _origin(_parts(asked)) != _origin(_parts(found)):
        raise NetworkError("other_page", url=found[:200])


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as failure:
        raise NetworkError("not_https", url=url[:200]) from failure
    return parts


def _origin(parts: SplitResult) -> tuple[str, str | None, int | None]:
    return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)


def _host(url: str) -> str:
    return _parts(url).hostname or url[:200]
