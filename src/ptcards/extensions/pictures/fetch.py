"""Downloads remote media into the collection; the notes keep the original addresses.

Neither the address, which comes from somebody's notes, nor the response can be trusted. Each host name is
therefore looked up only once, and the connection uses one of the addresses that were checked. Redirects are
followed here and checked in the same way.
"""

import hashlib
import http.client
import ipaddress
import re
import socket
import ssl
from collections.abc import Container, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from threading import Timer
from typing import NamedTuple
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit

from ptcards import __version__
from ptcards.files import locked, replacing
from ptcards.source.media import (
    FOLDER,
    LIST,
    is_remote,
    media_folder,
    media_name,
    read_list,
    save_media,
)
from ptcards.workspace import Contents
from ptcards.workspace.entries import Progress

MAX_FILE_BYTES = 20 << 20
_SECONDS = 30.0
"""The time limit in seconds for a complete response."""
_MOST_REDIRECTS = 5
_PIECE = 1 << 16
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PORTS = {"http": 80, "https": 443}
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_SVG = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:<\?xml[^>]*+>\s*+)?"
    rb"(?>(?:<!--(?>(?:(?!-->).)*)-->\s*+|<!DOCTYPE[^>]*+>\s*+)*)<svg[\s>]",
    re.DOTALL,
)
_FIRST_BYTES = 1024
# The first bytes of a file, the first part of its media type, and its suffix.
_KINDS = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image", ".png"),
    (re.compile(rb"\xff\xd8\xff"), "image", ".jpg"),
    (re.compile(rb"GIF8[79]a"), "image", ".gif"),
    (re.compile(rb"RIFF....WEBP", re.DOTALL), "image", ".webp"),
    (re.compile(rb"....ftyp(?:avif|avis)", re.DOTALL), "image", ".avif"),
    (re.compile(rb"BM....\0\0\0\0", re.DOTALL), "image", ".bmp"),
    (_SVG, "image", ".svg"),
    (re.compile(rb"RIFF....WAVE", re.DOTALL), "audio", ".wav"),
    (re.compile(rb"ID3|\xff[\xfb\xfa\xf3\xf2]"), "audio", ".mp3"),
    (re.compile(rb"fLaC"), "audio", ".flac"),
    (re.compile(rb"OggS"), "audio", ".ogg"),
    (re.compile(rb"....ftypM4A", re.DOTALL), "audio", ".m4a"),
    (re.compile(rb"OggS"), "video", ".ogv"),
    (re.compile(rb"....ftyp", re.DOTALL), "video", ".mp4"),
    (re.compile(rb"\x1a\x45\xdf\xa3"), "video", ".webm"),
)


class DownloadError(Exception):
    """The file cannot be downloaded or is refused; the message explains why.

    `status` is the status of the server's response if that is the reason, otherwise 0.
    """

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class Downloaded(NamedTuple):
    """A downloaded file; the suffix depends on its content, not on its name on the server."""

    content: bytes
    suffix: str


@dataclass(frozen=True, slots=True)
class _Target:
    """The parts of an address: scheme, host, port, and the path to request."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def name(self) -> str:
        """The host and port, as `name:port`."""
        return f"{self.host}:{self.port}"


def download(
    address: str, hosts: Container[str] = (), limit: int = MAX_FILE_BYTES, *, seconds: float = _SECONDS
) -> Downloaded:
    """Return the picture, sound or video at an address; the rest is as in `get`.

    Raises:
        DownloadError: the file cannot be downloaded or is refused.

    """
    content, kind = get(address, hosts, limit, accept="image/*, audio/*, video/*", seconds=seconds)
    for begins, major, suffix in _KINDS:
        if kind.partition("/")[0] == major and begins.match(content[:_FIRST_BYTES]):
            return Downloaded(content, suffix)
    raise DownloadError("not a picture, sound or video that cards can show")


def get(
    address: str, hosts: Container[str], limit: int, *, accept: str, seconds: float = _SECONDS
) -> tuple[bytes, str]:
    """Return the content at an address, and its media type.

    It may be at most `limit` bytes long, and each response may take up to `seconds` seconds. Only servers in
    `hosts`, in the form `name:port`, may be private and use `http`. `accept` are the media types to ask for.

    Raises:
        DownloadError: it cannot be downloaded or is refused.

    """
    for _ in range(_MOST_REDIRECTS + 1):
        target = _target(address, hosts)
        with _answer(target, hosts, accept, seconds) as answer:
            if answer.status not in _REDIRECTS:
                return _taken(answer, limit)
            address = urljoin(address, answer.getheader("Location", ""))
    raise DownloadError(f"more than {_MOST_REDIRECTS} redirects")


def _target(address: str, hosts: Container[str]) -> _Target:
    try:
        parts = urlsplit(f"https:{address}" if address.startswith("//") else address)
        host = (parts.hostname or "").encode("idna").decode()
        port = parts.port or _PORTS.get(parts.scheme, 0)
    except ValueError as failure:  # for a bad IPv6 address, IDNA name or port
        raise DownloadError("the address is not valid") from failure
    target = _Target(parts.scheme, host, port, _path(parts))
    if parts.scheme not in _PORTS:
        raise DownloadError(f"`{parts.scheme}:` addresses are not downloaded")
    if parts.scheme != "https" and target.name not in hosts:
        raise DownloadError("only `https:` addresses are downloaded")
    if not host or parts.username is not None or not all("!" <= c <= "~" for c in host):
        raise DownloadError("the address has no host, or contains a user name")
    return target


def _path(parts: SplitResult) -> str:
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~")
    query = quote(parts.query, safe="/%:@!$&'()*+,;=~?[]")
    return f"{path}?{query}" if query else path


@contextmanager
def _answer(
    target: _Target, hosts: Container[str], accept: str, seconds: float
) -> Iterator[http.client.HTTPResponse]:
    """Request a file and yield the response, which can be read until the block ends or the time is up."""
    is_late = False

    def end() -> None:
        nonlocal is_late
        is_late = True
        with suppress(OSError):
            socket.socket.shutdown(plain, socket.SHUT_RDWR)

    try:
        with closing(_connect(target, hosts, seconds)) as plain:
            timer = Timer(seconds, end)
            timer.daemon = True
            timer.start()
            try:
                with closing(_asked(target, plain, accept)) as answer:
                    yield answer
            finally:
                timer.cancel()
    except (OSError, http.client.HTTPException, ValueError, DownloadError) as failure:
        if isinstance(failure, DownloadError) and not is_late:
            raise
        is_late |= isinstance(failure, TimeoutError)
        message = f"no response within {seconds:g} seconds" if is_late else _why(failure)
        raise DownloadError(message) from failure


def _connect(target: _Target, hosts: Container[str], seconds: float) -> socket.socket:
    found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    addresses = [str(each[4][0]) for each in found]
    if target.name not in hosts and not all(map(_is_public, addresses)):
        raise DownloadError(f"`{target.host}` is not a public server")
    plain = socket.create_connection((addresses[0], target.port), timeout=seconds)
    if target.scheme == "http":
        return plain
    try:
        return ssl.create_default_context().wrap_socket(
            plain, server_hostname=target.host, do_handshake_on_connect=False
        )
    except BaseException:
        plain.close()
        raise


def _asked(target: _Target, connected: socket.socket, accept: str) -> http.client.HTTPResponse:
    kind: type[http.client.HTTPConnection] = http.client.HTTPConnection
    if isinstance(connected, ssl.SSLSocket):
        connected.do_handshake()
        kind = http.client.HTTPSConnection
    connection = kind(target.host, target.port)
    connection.sock = connected
    headers = {
        "User-Agent": f"ptcards/{__version__}",
        "Accept": accept,
        "Accept-Encoding": "identity",
    }
    connection.request("GET", target.path, headers=headers)
    return connection.getresponse()


def _is_public(written: str) -> bool:
    address = ipaddress.ip_address(written.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo and address.teredo[1])
        if address in _NAT64:
            inner = ipaddress.IPv4Address(address.packed[-4:])
        if inner:
            return _is_public(str(inner))
    return address.is_global and not address.is_multicast


def _taken(answer: http.client.HTTPResponse, limit: int) -> tuple[bytes, str]:
    if answer.status != http.client.OK:
        raise DownloadError(f"the server responded with {answer.status}", answer.status)
    if answer.getheader("Content-Encoding", "identity").strip().lower() != "identity":
        raise DownloadError("the response is compressed, although that was not requested")
    content = bytearray()
    while piece := answer.read(_PIECE):
        content += piece
        if len(content) > limit:
            message = f"larger than {limit >> 20} MB" if limit >> 20 else "too large"
            raise DownloadError(message)
    if answer.length:  # less arrived than the server announced
        raise DownloadError("the response is incomplete")
    return bytes(content), answer.getheader("Content-Type", "").partition(";")[0].strip().lower()


def _why(failure: Exception) -> str:
    if isinstance(failure, socket.gaierror):
        return "no such server"
    if isinstance(failure, ssl.SSLCertVerificationError):
        return f"its certificate is not valid: {failure.verify_message}"
    return (getattr(failure, "strerror", None) or "the response cannot be read").lower()


_MAX_BYTES = 200 << 20
"""The limit in bytes on the total size of the files that one command downloads."""


class Fetched(NamedTuple):
    """The number of downloaded files, their total size in bytes, and the reasons for failures by address."""

    files: int
    size: int
    failures: dict[str, str]


def fetch(contents: Contents, progress: Progress, hosts: Container[str] = ()) -> Fetched:
    """Download the remote media of the selected sources, and list the files in `LIST`.

    `hosts` are as in `download`.

    Raises:
        OutputError: a file cannot be written; earlier files are kept and listed.

    """
    root = contents.collection.root
    wanted = list(dict.fromkeys(_wanted(contents)))
    failures: dict[str, str] = {}
    files = size = 0
    if not wanted:
        return Fetched(0, 0, failures)
    media_folder(root)  # may be refused
    with locked(root, waiting=lambda _: None):
        for number, address in enumerate(wanted):
            progress("Fetching", number, len(wanted))
            try:
                downloaded = _download(address, hosts, _MAX_BYTES - size)
            except DownloadError as failure:
                failures[address] = str(failure)
                continue
            name = _name(address, downloaded.content, downloaded.suffix)
            save_media(root, name, downloaded.content)
            listed = {**read_list(root), address: f"{FOLDER}/{name}"}
            with replacing(root / LIST) as file:  # after each file, so that no download is lost
                file.writelines(f"{each}\t{path}\n".encode() for each, path in sorted(listed.items()))
            files, size = files + 1, size + len(downloaded.content)
    return Fetched(files, size, failures)


def _download(address: str, hosts: Container[str], rest: int) -> Downloaded:
    if rest <= 0:
        raise DownloadError(f"{_MAX_BYTES >> 20} MB have already been downloaded; run the command again")
    return download(address, hosts, min(MAX_FILE_BYTES, rest))


def _wanted(contents: Contents) -> Iterator[str]:
    for each in contents.selected:
        for address, optional, media in each.shown:
            if media is None and not optional and is_remote(address) and "data:" not in address[:5].lower():
                yield address


def _name(address: str, content: bytes, suffix: str) -> str:
    stem = PurePosixPath(unquote(urlsplit(address).path)).stem
    return media_name(Path(f"{stem or 'media'}{suffix}"), hashlib.sha256(content).hexdigest())
