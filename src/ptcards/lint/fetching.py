"""Downloads remote media into the collection; the notes keep the original addresses."""

import hashlib
from collections.abc import Container, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from ptcards.files import OutputError, locked, replacing
from ptcards.files.inputs import OutsideError, real_path
from ptcards.lint.download import MAX_FILE_BYTES, Downloaded, DownloadError, download
from ptcards.source.media import FOLDER, LIST, is_remote, list_lines, media_name, read_list
from ptcards.workspace import Contents
from ptcards.workspace.entries import Progress

_MAX_BYTES = 200 << 20
"""The limit in bytes on the total size of the files that one command downloads."""


class Fetched(NamedTuple):
    """The number of downloaded files, their total size in bytes, and the reasons for failures by address."""

    files: int
    size: int
    failures: dict[str, str]


def fetch(contents: Contents, hosts: Container[str], progress: Progress) -> Fetched:
    """Download the remote media of the selected sources, and list the files in `LIST`.

    Raises:
        OutputError: a file cannot be written; earlier files are kept and listed.

    """
    root = contents.collection.root
    wanted = list(dict.fromkeys(_wanted(contents)))
    failures: dict[str, str] = {}
    files = size = 0
    if not wanted:
        return Fetched(0, 0, failures)
    folder = _folder(root)
    with locked(root, waiting=lambda _: None):
        for number, address in enumerate(wanted):
            progress("Fetching", number, len(wanted))
            try:
                found = _download(address, hosts, _MAX_BYTES - size)
            except DownloadError as failure:
                failures[address] = str(failure)
                continue
            name = _name(address, found.content, found.suffix)
            with replacing(folder / name) as file:
                file.write(found.content)
            with replacing(root / LIST) as file:  # after each file, so that no download is lost
                file.write(list_lines({**read_list(root), address: f"{FOLDER}/{name}"}))
            files, size = files + 1, size + len(found.content)
    return Fetched(files, size, failures)


def _download(address: str, hosts: Container[str], rest: int) -> Downloaded:
    if rest <= 0:
        message = f"{_MAX_BYTES >> 20} MB have already been downloaded; run the command again"
        raise DownloadError(message)
    return download(address, hosts, min(MAX_FILE_BYTES, rest))


def _wanted(contents: Contents) -> Iterator[str]:
    for each in contents.selected:
        for address, optional, found in each.head.media:
            if found is None and not optional and is_remote(address) and "data:" not in address[:5].lower():
                yield address


def _folder(root: Path) -> Path:
    try:
        return real_path(root / FOLDER, root)
    except OutsideError as failure:
        raise OutputError(root / FOLDER, "it is a link to a place outside the collection") from failure


def _name(address: str, content: bytes, suffix: str) -> str:
    stem = PurePosixPath(unquote(urlsplit(address).path)).stem
    return media_name(Path(f"{stem or 'media'}{suffix}"), hashlib.sha256(content).hexdigest())
