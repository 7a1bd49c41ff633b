"""Recognises files of other programs by how they begin, and says how their cards can be imported."""

import re
import shlex
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from ptcards.files.inputs import open_regular, shown
from ptcards.source.dialects import NOTION_NAME

HEAD = 64 << 10
"""The number of bytes at the start of a file that are enough to recognise it."""
_MOST_FILES = 1000
_AS_TABLE = "write the cards as a table with the columns `question` and `answer`, and import that"


class OtherFormat(NamedTuple):
    """What a file is, and how its cards can be imported; the second is empty if it contains none."""

    name: str
    way_in: str = ""


_MOCHI = OtherFormat("a Mochi deck", _AS_TABLE)
_NOTION = OtherFormat(
    "a Notion export", "unpack it, and import the `.csv` file of the database with the cards"
)
_BEGINNINGS = (
    (
        re.compile(rb'\{(?s:.)*"(?:crowdanki_uuid"|__type__":\s*"Deck")'),
        OtherFormat("a CrowdAnki deck", "import it into Anki with CrowdAnki, then choose File › Export"),
    ),
    (
        re.compile(rb'(?:\{|\[\s*"\^ ")(?s:.)*"~:(?:decks|cards|version)"'),
        _MOCHI,
    ),  # JSON in the style of Transit
    (re.compile(rb"\{(?s:.)*:decks\s*[\[(]"), _MOCHI),
    (re.compile(rb'\{(?s:.)*"knowledgebaseId":'), OtherFormat("a RemNote export", _AS_TABLE)),
    (re.compile(rb"(?:<(?s:.)*)?<SuperMemoCollection\b"), OtherFormat("SuperMemo XML", _AS_TABLE)),
    (
        re.compile(rb"(?:<(?s:.)*)?<mnemosyne\b"),
        OtherFormat("Mnemosyne XML", "export the cards as tab-separated text, and import that"),
    ),
    (
        re.compile(rb"<(?:!doctype )?html\b|<\?xml[^<>]*>\s*<!doctype html\b", re.IGNORECASE),
        OtherFormat("a web page"),
    ),
    (re.compile(rb"<"), OtherFormat("an XML file")),
    (re.compile(rb"SQLite format 3"), OtherFormat("an Anki collection (an SQLite database)")),
    (re.compile(rb"\x28\xb5\x2f\xfd"), OtherFormat("a zstd file")),
    (re.compile(rb"\x1f\x8b"), OtherFormat("a gzip file")),
    (re.compile(rb"%PDF"), OtherFormat("a PDF file")),
)
_IN_NOTION = re.compile(
    rf"{NOTION_NAME}(?:_all)?\.(?:md|csv)\Z|(?:\A|/)ExportBlock-[0-9a-f-]{{36}}-Part-\d+\.zip\Z"
)
_UNREADABLE = (
    OSError,
    EOFError,
    ValueError,
    RuntimeError,  # encrypted, or compressed in another way
    OverflowError,
    zipfile.BadZipFile,
    zlib.error,
)
_ORG = OtherFormat("an Org file", f"if the cards are in Anki, export the deck there; otherwise {_AS_TABLE}")


def format_of(head: bytes, suffix: str) -> OtherFormat:
    """Return what a file is; `head` is its beginning (at most `HEAD` bytes), `suffix` in lower case."""
    begins = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not begins:
        return OtherFormat("an empty file")
    found = next((each for pattern, each in _BEGINNINGS if pattern.match(begins)), None)
    if found is None and suffix == ".org":
        return _ORG
    is_text = begins[:16].isascii() and b"\0" not in begins[:16]
    return found or OtherFormat("text" if is_text else "something else")


def format_of_zip(file: Path) -> OtherFormat | None:
    """Return what a zip file is, by the names and the first data in it, or `None` if it is unknown."""
    try:
        with open_regular(file) as stream, zipfile.ZipFile(stream) as archive:
            names = archive.namelist()[:_MOST_FILES]
            if any(map(_IN_NOTION.search, names)):
                return _NOTION
            for name in names:
                suffix = PurePosixPath(name).suffix.lower()
                if suffix in (".json", ".edn"):
                    with archive.open(name) as member:
                        found = format_of(member.read(HEAD), suffix)
                    return found if found.way_in else None
    except _UNREADABLE:
        return None
    return None


def format_in(folder: Path) -> tuple[Path, OtherFormat] | None:
    """Return the first file in a folder whose cards can be imported, and what it is, or `None`."""
    try:
        files = sorted(file for _, file in zip(range(_MOST_FILES), folder.iterdir(), strict=False))
    except OSError:
        return None
    for file in files:
        suffix = file.suffix.lower()
        if suffix in (".apkg", ".colpkg"):
            return file, OtherFormat("an Anki package", f"run `ptcards import {shlex.quote(shown(file))}`")
        if suffix in (".mochi", ".zip") and (packed := format_of_zip(file)):
            return file, packed
        if suffix == ".csv" and _IN_NOTION.search(file.name):
            return file, OtherFormat(
                "a table from Notion", f"run `ptcards import {shlex.quote(shown(file))}`"
            )
        if suffix in (".json", ".edn", ".xml", ".org", ".mem"):
            found = format_of(_head(file), suffix)
            if found.way_in:
                return file, found
    return None


def _head(file: Path) -> bytes:
    try:
        with open_regular(file) as stream:
            return stream.read(HEAD)
    except OSError:
        return b""
