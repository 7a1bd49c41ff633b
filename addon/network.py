"""Loads feeds and packages with GET requests; nothing else leaves this computer.

The address comes from a learner, everything else from a server that nobody has checked. Requests carry no
cookie, no password and nothing about the learner or this computer.
"""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
_CONNECT, _BETWEEN_BYTES = 10.0, 30.0
"""Time limits in seconds."""
_LONGEST_ETAG = 200
_PIECE = 1 << 16
_MEGABYTE = 1 << 20


class NetworkError(Exception):
    """Nothing was loaded; `key` is that of a sentence in `texts.py`, and `values` complete it."""

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
    return parts._replace(path=path, fragment="").geturl()


def get_feed(url: str, etag: str, stopped: Event) -> Answer:
    """Load a feed, unless it is still the one with this ETag (empty if none is known).

    Raises:
        NetworkError: it cannot be loaded.
        StoppedError: somebody set `stopped`.

    """
    with _answer(url, stopped, etag) as (answer, final):
        if etag and answer.status_code == HTTPStatus.NOT_MODIFIED:
            return Answer(None, etag, final)
        _check_status(answer)
        pieces: list[bytes] = []
        size = 0
        for piece in _pieces(answer, final, stopped):
            size += len(piece)
            if size > MAX_FEED_BYTES:
                raise NetworkError("large_feed", limit=f"{MAX_FEED_BYTES // _MEGABYTE}")
            pieces.append(piece)
        found = answer.headers.get("ETag", "")
        return Answer(b"".join(pieces), found if len(found) <= _LONGEST_ETAG else "", final)


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
            with _answer(url, stopped) as (answer, final):
                _check_status(answer)
                _write(file, announced, _pieces(answer, final, stopped), loaded)
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
def _answer(url: str, stopped: Event, etag: str = "") -> Iterator[tuple[Any, str]]:
    """Yield the answer of a server, after its redirects, and the address that it came from."""
    headers = {"User-Agent": AGENT, "Accept-Encoding": "identity"}
    if etag:
        headers["If-None-Match"] = etag
    is_local = _parts(url).hostname in _LOOPBACK
    for _ in range(_MOST_REDIRECTS + 1):
        _check_address(url, is_local=is_local)
        with _get(url, headers) as answer:
            if answer.status_code not in _REDIRECTS:
                yield answer, url
                return
            url = urljoin(url, answer.headers.get("Location", ""))
        _check_running(stopped)
    raise NetworkError("redirects", host=_host(url))


def _get(url: str, headers: dict[str, str]) -> Any:
    """Ask a server, in a session of its own, which has no cookies."""
    with _sentences(url, "no_answer"):
        return requests.get(
            url,
            headers=headers,
            stream=True,
            timeout=(_CONNECT, _BETWEEN_BYTES),
            allow_redirects=False,
            auth=_no_password,
        )


def _no_password(request: Any) -> Any:
    """Leave a request as it is; without this, `requests` adds passwords from `.netrc`."""
    return request


def _pieces(answer: Any, url: str, stopped: Event) -> Iterator[bytes]:
    """Yield the content as it arrives, so that a slow server does not delay a stop."""
    with _sentences(url, "broke_off"):
        while piece := answer.raw.read1(_PIECE):
            _check_running(stopped)
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


def _check_address(url: str, *, is_local: bool) -> None:
    """Raise an error unless an address is one to load: on this computer, `http` will do."""
    parts = _parts(url)
    is_loopback = is_local and parts.hostname in _LOOPBACK
    if (
        not parts.hostname
        or parts.username is not None
        or not (parts.scheme == "https" or (parts.scheme == "http" and is_loopback))
    ):
        raise NetworkError("not_https", url=url[:200])


def _check_status(answer: Any) -> None:
    if answer.status_code != HTTPStatus.OK:
        known = {status.value: status.phrase for status in HTTPStatus}
        raise NetworkError(
            "status", status=f"{answer.status_code} {known.get(answer.status_code, '')}".strip()
        )


def _check_running(stopped: Event) -> None:
    if stopped.is_set():
        raise StoppedError


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
