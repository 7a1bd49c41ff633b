"""Reads an Anki package and determines which of its decks to import."""

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from ptcards.diagnostics import counted
from ptcards.diagnostics.suggest import did_you_mean
from ptcards.files.foreign_json import JsonLimit, LargeDocumentError, build_json
from ptcards.files.names import shown
from ptcards.files.temporary import temporary_folder
from ptcards.importing.archive import Archive, open_archive
from ptcards.importing.database import Database, open_database
from ptcards.importing.problems import damaged, quoted, refuse, unsafe
from ptcards.importing.protobuf import read_message
from ptcards.source.anki_names import is_deck_level

_COLLECTIONS = {
    "collection.anki21b": "Anki 2.1.50+ package",
    "collection.anki21": "Anki 2.1 package",
    "collection.anki2": "Anki 2.0 package",
}
"""The databases that a package may contain, newest first.

A package with a newer one may also contain an older one, whose only note asks people to update Anki.
"""
_HALF = re.compile("[\ud800-\udfff]")
_LONGEST_NAME = 255
_LONGEST_WRITTEN = 1000
"""The maximum length of a file name in HTML, where each of its bytes may be written as `%20`."""
_NAMED = re.compile(
    r"""src\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))|\[sound:([^\]\n]{1,1000}+)\]"""
    r"""|url\(\s{0,9}+["']?([^"')]{0,1000}+)["']?\s{0,9}\)""",
    re.IGNORECASE,
)


_MEDIA = JsonLimit(16 << 20, 16 << 20, 250_000)
"""The limit for the list of media: twice as many values as a package may contain files, and some room."""


@dataclass(frozen=True, slots=True)
class Package:
    """An open package. `format` describes its version, and `media` maps file names to members."""

    path: str
    format: str
    database: Database
    media: Mapping[str, str]
    archive: Archive

    def named(self, fields: str) -> Iterator[tuple[str, bool]]:
        """Yield the files that HTML or CSS uses, and whether the package contains them.

        Files on servers are left out.
        """
        if "src" in fields or "[sound:" in fields or "url(" in fields:
            for found in _NAMED.finditer(fields):
                written = next(each for each in found.groups() if each is not None)
                if len(written) > _LONGEST_WRITTEN:
                    continue
                written = html.unescape(written).strip()
                name = written if written in self.media else unquote(written)
                if name in self.media or is_safe(name):
                    yield name, name in self.media

    def write_media(self, name: str, target: Path) -> None:
        """Write a media file of the package."""
        with target.open("xb") as stream:
            for piece in self.archive.pieces(self.media[name]):
                stream.write(piece)


@contextmanager
def open_package(file: Path, path: str = "") -> Iterator[Package]:
    """Open a package of any version, called `path` in messages; raises NotImportableError for other files.

    By default, `path` is the file's path as an author would write it.
    """
    path = path or shown(file.absolute())
    with open_archive(file, path) as archive, temporary_folder("import") as folder:
        member = next((name for name in _COLLECTIONS if name in archive.names), "")
        if not member:
            held = ", ".join(quoted(name) for name in sorted(archive.names)[:3])
            message = f"a zip file without a collection: it contains {held or 'nothing'}"
            raise refuse(path, "no-package", message, "name an `.apkg` or `.colpkg` file")
        archive.packed = member == "collection.anki21b"
        copy = folder / "collection"
        with copy.open("xb") as stream:
            for piece in archive.pieces(member):
                stream.write(piece)
        media = dict(_media(archive))
        with open_database(copy, archive) as database:
            _check_texts(database, path)
            yield Package(path, _COLLECTIONS[member], database, media, archive)


def _check_texts(database: Database, path: str) -> None:
    """Raise NotImportableError for lone surrogates, which JSON can express but no text file can contain."""
    read = [astuple(each) for each in database.note_types.values()]
    read += [astuple(each) for each in database.decks.values()]
    if any(map(_HALF.search, _texts(tuple(read)))):
        raise damaged(path, "its database was not written by Anki")


def _texts(value: object) -> Iterator[str]:
    """Yield the texts in a value, which may be a nested tuple."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from _texts(each)


def _media(archive: Archive) -> Iterator[tuple[str, str]]:
    """Yield the name and the member of each media file.

    Raises NotImportableError for a name that leads out of the folder.
    """
    if "media" not in archive.names:
        return
    content = archive.read("media", _MEDIA.size + 1)
    try:
        named = _listed(content) if archive.packed else _mapped(content)
    except LargeDocumentError as failure:
        raise unsafe(archive.path, f"its list of media {failure}") from failure
    except (ValueError, RecursionError) as failure:
        raise damaged(archive.path, "its list of media cannot be read") from failure
    for member, name in named:
        if not is_safe(name):
            message = f"the media name {quoted(name)} is not a valid file name"
            fix = "rename the file in Anki and export the deck again; nothing was unpacked"
            raise refuse(archive.path, "unsafe-name", message, fix, status=1)
        if member in archive.names:
            yield name, member


def _listed(content: bytes) -> Sequence[tuple[str, str]]:
    _MEDIA.check_size(content)
    return [(str(number), entry.text(1)) for number, entry in enumerate(read_message(content).messages(1))]


def _mapped(content: bytes) -> Sequence[tuple[str, str]]:
    found: Any = build_json(content or b"{}", _MEDIA)
    if not isinstance(found, dict) or not all(isinstance(name, str) for name in found.values()):
        message = "not a table of names"
        raise ValueError(message)
    return list(found.items())


def is_safe(name: str) -> bool:
    """Whether a name is valid for a file in a flat folder on every operating system."""
    is_path = any(mark in name for mark in "/\\:") or name in ("", ".", "..")
    is_for_git = name.casefold().startswith(".git")  # Such a file would change what git does in the folder.
    is_shown = not any(unicodedata.category(char) in ("Cc", "Cs") for char in name)
    return not (is_path or is_for_git) and is_shown and len(name.encode("utf-8", "replace")) <= _LONGEST_NAME


_MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Scope:
    """A deck of a package and all its subdecks; `name` replaces its first level."""

    deck: str
    name: str

    def __contains__(self, deck: str) -> bool:
        """Whether a deck is imported."""
        return deck == self.deck or deck.startswith(f"{self.deck}::")

    def renamed(self, deck: str) -> str:
        """Return the name of a deck in the new collection."""
        return self.name + deck[len(deck.partition("::")[0]) :]


def scope_of(package: Package, deck: str, name: str) -> Scope:
    """Return the scope of an import; raises NotImportableError if it is unclear which deck is meant."""
    decks: Counter[str] = Counter()
    for (each, _), count in package.database.counts.items():
        decks[each] += count
    del decks[""]
    tops: Counter[str] = Counter()
    for each, count in decks.items():
        tops[each.partition("::")[0]] += count
    listed = ", ".join(f"{quoted(each)} ({count:,})" for each, count in tops.most_common(_MOST_SHOWN))
    if not decks:
        raise refuse(
            package.path, "no-package", "the package has no cards", "export a deck that contains cards"
        )
    if deck and not any(each == deck or each.startswith(f"{deck}::") for each in decks):
        fix = did_you_mean(deck, [*tops, *decks], f"the decks are {listed}")
        raise refuse(package.path, "unknown-deck", f"no deck {quoted(deck)} with notes", fix)
    if not deck and (len(tops) > 1 or package.path.endswith(".colpkg")):
        message = f"the package contains {counted(len(tops), 'deck')}: {listed}"
        raise refuse(package.path, "several-decks", message, "choose one with `--deck NAME`")
    deck = deck or next(iter(tops))
    name = name or deck.partition("::")[0]
    if not is_deck_level(name):
        message = f"{quoted(name)} cannot be the name of a collection"
        raise refuse(package.path, "bad-deck-name", message, "choose another name with `--name NAME`")
    return Scope(deck, name)
