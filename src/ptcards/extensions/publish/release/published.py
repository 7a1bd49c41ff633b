"""Reads a package back: the feed says what learners get, not what the sources say."""

import hashlib
from contextlib import closing
from pathlib import Path

from ptcards.anki.built_in_notetypes import FIELDS, OCCLUSION_FIELDS
from ptcards.extensions.desktop.merge.compare import TOPIC, look_digest
from ptcards.extensions.desktop.merge.lists import list_digests
from ptcards.extensions.desktop.merge.plan import with_parents
from ptcards.extensions.desktop.merge.texts import digest
from ptcards.extensions.importing.package import Package, PackageNote, PackageNoteType, open_package
from ptcards.extensions.publish.release.feed import Published, PublishedNote
from ptcards.extensions.publish.subscription.feed import PackageFile, TypeVersion
from ptcards.identity.lock import deck_key


def read_package_file(file: Path, url: str) -> PackageFile:
    """Return the size and SHA-256 of a package that will be at an address."""
    with file.open("rb") as stream:
        return PackageFile(url, file.stat().st_size, hashlib.file_digest(stream, "sha256").hexdigest())


def read_published(*files: Path) -> Published:
    """Return what packages hold together.

    Raises:
        NotImportableError: one is not a package.

    """
    parts = zip(*map(_read, files), strict=True)
    return Published(*({name: each for part in same for name, each in part.items()} for same in parts))


def _read(file: Path) -> Published:
    with open_package(file) as package:
        types = package.database.note_types
        notes, lists = dict[str, PublishedNote](), dict[str, str]()
        for note in package.database.notes():
            notes[note.guid] = _note(note, types[note.note_type])
            lists |= {digest(text): listed for text in note.fields if (listed := list_digests(text))}
        used = {deck for note in notes.values() for deck in with_parents(note.deck)}
        decks = sorted(package.database.decks.values(), key=lambda deck: deck.name)
        own = (name for name in sorted(package.media) if name.startswith(("_", "latex-")))
        return Published(
            notes,
            {str(number): _version(note_type) for number, note_type in sorted(types.items())},
            {deck.name: digest(deck.description) for deck in decks if deck_key(deck.name) in used},
            {name: _file(package, name) for name in own},
            lists,
        )


def _note(note: PackageNote, note_type: PackageNoteType) -> PublishedNote:
    """Return a note's entry.

    The digest of `Topic` is left out: the field follows the deck, so a move changes it without a new time.
    """
    names = note_type.field_names
    is_built_in = names in (FIELDS, OCCLUSION_FIELDS)
    texts = zip(names, note.fields, strict=True)
    digests = ["" if is_built_in and name == TOPIC else digest(text) for name, text in texts]
    return PublishedNote(note.mod, note.deck, " ".join(sorted({*note.tags})), " ".join(digests).rstrip())


def _version(note_type: PackageNoteType) -> TypeVersion:
    templates = [(template.name, template.front, template.back) for template in note_type.templates]
    fields = tuple(each.id or each.name for each in note_type.fields)
    return TypeVersion(0, look_digest(note_type.css, templates), fields)


def _file(package: Package, name: str) -> str:
    """Return a digest of a media file, which learners have under this name whatever its content is."""
    content = hashlib.sha256()
    with closing(package.archive.pieces(package.media[name])) as pieces:
        for piece in pieces:
            content.update(piece)
    return content.hexdigest()[:12]
