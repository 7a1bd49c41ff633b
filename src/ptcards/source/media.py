"""Finds the files below the collection's root that notes show, hashes them and names them for Anki.

Downloaded files are listed in `media/remote.tsv`, with an address and a path on each line.
"""

import hashlib
import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

from ptcards.diagnostics import Diagnostic, Location, Trait, error
from ptcards.diagnostics.suggest import suggest_file
from ptcards.files import OutputError, replacing
from ptcards.files.inputs import (
    MAX_MEDIA_BYTES,
    InputError,
    IrregularError,
    MissingError,
    OutsideError,
    TooLargeError,
    digest_of,
    one_file,
    open_input,
    read_input,
    real_path,
    refuse_backslash,
    without_cr,
)
from ptcards.markdown.links import FROM_ROOT
from ptcards.notes.notetypes import NoteType
from ptcards.notes.rendered import Media
from ptcards.source.dialects import VAULT
from ptcards.source.note_type_folders import note_type_folder
from ptcards.source.own_notetypes import LOOK_FILE, MEDIA

BY_NAME = "wiki:"
"""The prefix of the address of a file that may be anywhere in the collection, as in Obsidian."""


LATEX_PICTURE = re.compile(r"latex-[0-9a-f]{40}\.(?:png|svg)")
"""Matches the names of the pictures that Anki draws of LaTeX."""


class Reference(NamedTuple):
    """A file that a text shows: its address with escapes resolved, and the location of the link.

    An `optional` file, such as the dark version of a picture, need not exist; then `absent` is reported.
    """

    address: str
    location: Location
    length: int
    optional: bool = False
    absent: Diagnostic | None = None


def possible_names(address: str) -> Iterable[str]:
    """Return the names of the file that an address may mean, the likeliest first.

    GitHub decodes %20; a name with a literal % is found as written. Some systems divide accents in names.
    """
    decoded = unquote(address)
    return dict.fromkeys((address, decoded, unicodedata.normalize("NFD", decoded)))


def _unfinished(reference: Reference, rule: str, message: str, fix: str) -> Diagnostic:
    traits = Trait.UNFINISHED
    return error(reference.location, rule, message, fix, reference.length, traits=traits)


class MediaFolder:
    """The files below a root, each read once, and `added` files, which will be there."""

    def __init__(self, root: Path, added: Iterable[Media] = ()) -> None:
        self._root = Path(os.path.realpath(root))
        self._known: dict[Path, Media | tuple[str, str, str]] = {media.file: media for media in added}

    def find(self, source: Path, reference: Reference) -> tuple[Media | None, list[Diagnostic]]:
        """Return the file that a source refers to, or `None` and errors about why it cannot be used."""
        if reference.address.startswith(BY_NAME):
            return self._find_by_name(source, reference)
        address = reference.address
        existing = next((name for name in possible_names(address) if self._exists(source, name)), None)
        below = self._root / unquote(address[len(FROM_ROOT) :]) if address.startswith(FROM_ROOT) else None
        if reference.optional and existing is None and not (below and os.path.lexists(below)):
            return None, []
        if is_remote(address) and existing != address:
            if fetched := self._fetched.get(address):
                return self._known_at(self._root / fetched, source, reference)
            fix = f"save the file in the collection and refer to it by its path{_OR_DRAFT}"
            if can_be_fetched(address):
                fix = f"run `ptcards check --fix --fetch`, or save the file and name its path{_OR_DRAFT}"
            message = f"`{_short(address)}` is not a file in the collection"
            return None, [_unfinished(reference, "remote-media", message, fix)]
        if existing is None and below:
            return self._known_at(below, source, reference)
        place = source.parent / (existing or unquote(address))
        return self._known_at(self._inside_vault(place), source, reference)

    def _inside_vault(self, place: Path) -> Path:
        """Return a path, or if it leads nowhere in a vault, the only file of its name, as in Obsidian."""
        path = Path(os.path.normpath(place))
        is_there = path.is_relative_to(self._root) and ("\0" in str(path) or os.path.lexists(path))
        if is_there or not (self._root / VAULT).is_dir():
            return place
        named = self._names.get(one_file(path.name), [])
        return named[0] if len(named) == 1 else place

    def _known_at(
        self, place: Path, source: Path, reference: Reference
    ) -> tuple[Media | None, list[Diagnostic]]:
        """Return the file at a path, reading it only the first time."""
        path = Path(os.path.normpath(place))
        if path not in self._known:
            self._known[path] = self._read(path, source, reference.address)
        found = self._known[path]
        if isinstance(found, Media):
            return Media(reference.address, found.file, found.digest, found.name), []
        rule, message, fix = found
        return None, [_unfinished(reference, rule, message, fix)]

    @cached_property
    def _fetched(self) -> Mapping[str, str]:
        """The paths of downloaded files by address."""
        return read_list(self._root)

    def _find_by_name(self, source: Path, reference: Reference) -> tuple[Media | None, list[Diagnostic]]:
        """Return a file by its path from the source's folder or the root, or by its name below the root."""
        address = unquote(reference.address.removeprefix(BY_NAME))
        near = [
            folder / address for folder in (source.parent, self._root) if os.path.lexists(folder / address)
        ]
        places = near[:1] or self._names.get(one_file(Path(address).name), [])
        if reference.optional and not places:
            return None, []
        if len(places) > 1:
            message = f"{len(places)} files are called `{_short(address)}`"
            path = places[0].relative_to(self._root).as_posix()
            fix = f"write the path from the collection's folder, such as `{path}`"
            return None, [error(reference.location, "ambiguous-media", message, fix, reference.length)]
        return self._known_at(places[0] if places else source.parent / address, source, reference)

    @cached_property
    def _names(self) -> Mapping[str, list[Path]]:
        """The files below the root by name, except those in hidden folders."""
        named: dict[str, list[Path]] = {}
        for parent, folders, files in os.walk(self._root):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(files):
                named.setdefault(one_file(name), []).append(Path(parent) / name)
        return named

    def elsewhere(self, source: Path, address: str) -> str:
        """Return the address of the only file below the root with the same name, or an empty string."""
        name = unquote(address).rpartition("/")[2]
        paths = [file for file in self._names.get(one_file(name), []) if file.name == name]
        if len(paths) != 1:
            return ""
        return _encoded(os.path.relpath(paths[0], os.path.realpath(source.parent)).replace(os.sep, "/"))

    @staticmethod
    def _exists(source: Path, name: str) -> bool:
        return "\0" not in name and os.path.lexists(source.parent / name)

    def _read(self, path: Path, source: Path, written: str) -> Media | tuple[str, str, str]:
        by_name = written.startswith(BY_NAME)
        address = unquote(written.removeprefix(BY_NAME)) if by_name else written
        try:
            refuse_backslash(address)
            with open_input(path, self._root, MAX_MEDIA_BYTES) as content:
                digest = digest_of(content, path.name)
                is_empty = content.tell() == 0
        except OutsideError:
            fix = "put a copy of the file in the collection"
            return ("unsafe-media", f"`{address}` is outside the collection", fix)
        except MissingError:
            if "\\" in address:
                return (
                    "missing-media",
                    f"no file `{address}`",
                    f"use `/`: `{address.replace(chr(92), '/')}`",
                )
            near = self.elsewhere(source, address)
            fix = f"did you mean `{near}`?" if near else _nearest(path, address, str if by_name else _encoded)
            return ("missing-media", f"no file `{address}`", fix)
        except IrregularError as failure:
            fix = "refer to a picture, a sound or a video"
            return ("unsafe-media", f"`{address}` {failure.reason}", fix)
        except TooLargeError:
            message = f"`{address}` is larger than 100 MB, AnkiWeb's limit"
            return ("media-too-large", message, "make the file smaller")
        except InputError as failure:
            return ("missing-media", f"`{address}` {failure.reason}", "make the file readable")
        if is_empty:
            return ("empty-media", f"`{address}` is empty", "save the file again")
        return Media(address, path, digest, media_name(path, digest))


class MediaRecorder(MediaFolder):
    """Forwards searches to another media folder, and records what it found."""

    def __init__(self, folder: MediaFolder) -> None:
        self._folder = folder
        self.found: dict[tuple[str, bool], Media | None] = {}

    def find(self, source: Path, reference: Reference) -> tuple[Media | None, list[Diagnostic]]:  # noqa: D102 - as above
        found = self._folder.find(source, reference)
        self.found[reference.address, reference.optional and not found[1]] = found[0]
        return found


def media_name(path: Path, digest: str) -> str:
    """Return a name derived from a file's content, which no Anki client changes (docs/anki.md, Media)."""
    stem = re.sub(r"[^\w.-]+", "-", unicodedata.normalize("NFC", path.stem)).strip("-._")
    while len(stem.encode()) > 60:  # Anki cuts names at about 120 bytes
        stem = stem[:-1]
    suffix = re.sub(r"[^\w.]+", "", unicodedata.normalize("NFC", path.suffix))[:16]
    return f"{stem or 'media'}-{digest[:8]}{suffix.lower()}"


def _encoded(path: str) -> str:
    """Return a path as the address of a picture, in which letters need no encoding, but spaces do."""
    return re.sub(r"[^\w./-]", lambda found: quote(found[0], errors="surrogateescape"), path)


def _nearest(path: Path, address: str, spelled: Callable[[str], str]) -> str:
    try:
        names = sorted(file.name for file in path.parent.iterdir())
    except (OSError, ValueError):
        names = []
    names = [name for name in names if not name.lower().endswith((".md", ".toml", ".lock"))]
    near = suggest_file(path.name, names)
    if near is None:
        return f"write a path relative to the Markdown file's folder{_OR_DRAFT}"
    folder = "".join(address.rpartition("/")[:2])
    return f"did you mean `{folder}{spelled(near)}`?"


_OR_DRAFT = "; until then, write `<!-- card: draft -->` below the question"


def _short(address: str) -> str:
    return address if len(address) <= 60 else address[:57] + "…"


def look_files(root: Path, css: str, note_types: Sequence[NoteType]) -> Iterator[Path]:
    """Yield the files that the look of cards depends on, whether they exist or not.

    They are those of the collection's own note types, and what these or `css`, the collection's, name.
    """
    for note_type in note_types:
        folder = note_type_folder(root, note_type.key)
        yield folder / "notetype.json"
        yield folder / "style.css"
        for template in note_type.templates:
            yield from (folder / f"{template.file}.{side}.html" for side in ("front", "back"))
    yield from (root / FOLDER / name for name in _look_names(root, css, note_types))


def look_media(root: Path, css: str, note_types: Sequence[NoteType]) -> list[Media]:
    """Return the files in `media/` that templates and style sheets name, and the pictures of LaTeX.

    Their names begin with `_` or `latex-`, so Anki imports them even if no note shows them.
    """
    medias = []
    for name in _look_names(root, css, note_types):
        file = root / FOLDER / name
        try:
            with open_input(file, root, MAX_MEDIA_BYTES) as content:
                digest = digest_of(content, name)
        except InputError:
            continue  # a missing file is not an error here
        medias.append(Media(name, file, digest, name))
    return medias


def _look_names(root: Path, css: str, note_types: Sequence[NoteType]) -> list[str]:
    """Return the names of files in templates and style sheets, whether such files exist or not.

    They are followed by the pictures that Anki drew of the LaTeX in the notes of an imported deck.
    """
    looks = [css, *(text for note_type in note_types for text in (note_type.css, *_sides(note_type)))]
    names = {name for look in looks for name in LOOK_FILE.findall(look)}
    with suppress(OSError):
        files = (root / FOLDER).iterdir() if note_types else ()
        names.update(file.name for file in files if LATEX_PICTURE.fullmatch(file.name))
    return sorted(names)


def _sides(note_type: NoteType) -> Iterator[str]:
    for template in note_type.templates:
        yield from (template.front, template.back)


FOLDER = MEDIA
LIST = f"{FOLDER}/remote.tsv"
_MAX_BYTES = 4 << 20
_LINE = re.compile(r"(?P<address>[^\t\n]+)\t(?P<path>[^\t\n]+)")


def read_list(root: Path) -> Mapping[str, str]:
    """Return the paths of a collection's downloaded files by their addresses.

    Invalid lines are ignored.
    """
    try:
        text = read_input(root / LIST, root, _MAX_BYTES).decode("utf-8-sig", "replace")
    except InputError:
        return {}
    found = map(_LINE.fullmatch, text.splitlines())
    return {each["address"]: each["path"] for each in found if each}


def media_folder(root: Path, name: str = FOLDER) -> Path:
    """Return a folder for media files below a collection's root, whether it exists or not.

    Raises:
        OutputError: it is a link to a place outside the collection.

    """
    try:
        return real_path(root / name, root)
    except OutsideError as failure:
        raise OutputError(root / name, "it is a link to a place outside the collection") from failure


def save_media(root: Path, name: str, content: bytes) -> None:
    """Write a file into the folder for media files.

    Raises:
        OutputError: it cannot be written.

    """
    with replacing(media_folder(root) / name) as file:
        file.write(content)


def can_be_fetched(address: str) -> bool:
    """Whether `check --fix --fetch` downloads from an address."""
    return address.startswith("//") or address.lower().startswith("https:")


def is_remote(address: str) -> bool:
    """Whether an address has a server, or a scheme such as `data:`."""
    if ":" not in address and not address.startswith("//"):
        return False
    try:
        parts = urlsplit(address)
    except ValueError:  # from brackets that are not an IPv6 address
        return True
    return bool(parts.scheme or parts.netloc)


def media_content(media: Media, output: Path) -> bytes:
    """Return the content of a media file, which must be the same as when the notes were read.

    Raises:
        OutputError: the file cannot be read or has changed, so `output` cannot be written.

    """
    try:
        # A link may lead anywhere here, because the content must be the same as before.
        content = read_input(media.file, Path(media.file.anchor), MAX_MEDIA_BYTES)
        content = without_cr(content, media.file.name)
    except InputError as failure:
        raise OutputError(output, f"`{media.file}` {failure.reason.lower()}") from failure
    if hashlib.sha256(content).hexdigest() != media.digest:
        raise OutputError(output, f"`{media.file}` changed during the build; build again")
    return content
