"""Finds what others changed in a package: edited fields, new notes, red flags and marked notes."""

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ptcards.extensions.desktop.merge.compare import TOPIC, Ours
from ptcards.extensions.desktop.merge.texts import digest
from ptcards.extensions.importing.meant import is_same_as_written
from ptcards.extensions.importing.package import (
    MARKED,
    RED_FLAG,
    Package,
    PackageNote,
    PackageNoteType,
    files_named,
)
from ptcards.extensions.publish.inbox.suggestions import Sender, SentEdits

AUTOMATIC = frozenset({"GUID", TOPIC})
"""The fields that nobody edits: they follow the note and its deck."""


@dataclass(frozen=True, slots=True)
class PublishedTexts:
    """What was published of each note: its times in Unix seconds, and the digests of its fields in a feed."""

    mods: Mapping[str, frozenset[int]]
    digests: Mapping[str, tuple[frozenset[str], ...]] = field(default_factory=dict)

    def is_published(self, note: PackageNote) -> bool:
        """Whether a note has a published time: nobody edited it since."""
        return note.mod in self.mods.get(note.guid, ())

    def is_earlier(self, guid: str, place: int, text: str) -> bool:
        """Whether a text of a field is known as one that was published."""
        digests = self.digests.get(guid, ())
        return place < len(digests) and digest(text) in digests[place]

    def is_base(self, note: PackageNote, ours: Ours, place: int) -> bool:
        """Whether a note was certainly edited in our text of a field, as it is now."""
        digests = self.digests.get(note.guid, ())
        if place < len(digests):
            return digests[place] <= {digest(ours.fields[place])}
        # Ours has another time if it changed since the last build.
        return self.mods.get(note.guid) == frozenset({ours.mod}) and note.mod >= ours.mod


class OtherNote(NamedTuple):
    """A note of a package that the collection lacks, with the name of the first file that it shows."""

    note: PackageNote
    note_type: PackageNoteType
    sender: Sender
    shown_file: str = ""


def read_differences(
    package: Package, sender: Sender, ours: Mapping[str, Ours], known: PublishedTexts
) -> tuple[list[SentEdits], list[OtherNote], int]:
    """Return the edits, the new notes and the number of other notes in a package.

    The collection's notes are `ours` by GUID. Those that it lacks are new if their deck is one of its decks
    or beside one.
    """
    suggestions: list[SentEdits] = []
    new: list[OtherNote] = []
    elsewhere = 0
    flagged = package.database.flagged()
    roots = {note.deck.casefold().partition("::")[0] for note in ours.values()}
    for note in package.database.notes():
        about = {RED_FLAG: note.id in flagged, MARKED: "marked" in map(str.casefold, note.tags)}
        marks = tuple(mark for mark, is_there in about.items() if is_there)
        mine = ours.get(note.guid)
        note_type = package.database.note_types[note.note_type]
        if mine is None and note.deck.casefold().partition("::")[0] in roots:
            shown = (name for html in note.fields for name, _ in files_named(html, package.media))
            new.append(OtherNote(note, note_type, sender, next(shown, "")))
        elif mine is None:
            elsewhere += 1
        else:
            fields = {} if known.is_published(note) else dict(_differences(note, note_type, mine, known))
            if fields or marks:
                suggestions.append(SentEdits(note.guid, fields, sender, marks, in_package=True))
    return suggestions, new, elsewhere


def _differences(
    note: PackageNote, note_type: PackageNoteType, ours: Ours, known: PublishedTexts
) -> Iterator[tuple[str, tuple[str | None, str]]]:
    """Yield the fields that somebody edited, each with its name and as in a suggestion."""
    names = {each.name: number for number, each in enumerate(note_type.fields)}
    for place, (name, text) in enumerate(zip(ours.names, ours.fields, strict=True)):
        if name not in names or name in AUTOMATIC:
            continue
        theirs = unicodedata.normalize("NFC", note.fields[names[name]])
        if theirs == text or known.is_earlier(note.guid, place, theirs) or is_same_as_written(text, theirs):
            continue
        yield name, (text if known.is_base(note, ours, place) else None, theirs)
