"""What is dangerous in an update: what its notes, layouts and files do on a card, as Anki shows it."""

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import takewhile
from typing import NamedTuple

from ptcards.extensions.publish.subscription.package import AnkiNoteType
from ptcards.extensions.publish.subscription.safety import MOST_READ, Threat, in_css, in_html, in_layout


class Danger(NamedTuple):
    """A kind of threat that is new to the collection: in how many notes, which note types, and which files.

    `program` is a script, a frame or the like. `network` is something that is loaded each time a card is
    shown, so that a server can see when the learner learns. `unread` is what would take too long to judge.
    """

    kind: str
    notes: int
    layouts: tuple[str, ...]
    files: tuple[str, ...] = ()


class ShownNote(NamedTuple):
    """A note with the note type that it has then; `fields` are in the order of that note type."""

    note_type: AnkiNoteType
    fields: tuple[str, ...]
    tags: str

    @property
    def numbers(self) -> range | list[int]:
        """The numbers of its cards from 0: those of all templates, or those of its first deletions."""
        if not self.note_type.is_cloze:
            return range(len(self.note_type.templates))
        found = {int(each) - 1 for text in self.fields for each in _DELETION.findall(text)}
        return sorted(found & {*range(_MOST_NUMBERS)})[:_MOST_SHOWN] or [0]

    @property
    def size(self) -> int:
        """The number of characters that its sides have at most: each replacement is all of its fields.

        Only `FrontSide` is replaced by a side.
        """
        texts, size = sum(map(len, self.fields)) + len(self.tags), 0
        for template in self.note_type.templates:
            front = _size(template.front, texts)
            size += front + _size(template.back, texts) + template.back.count("FrontSide") * front
        return size * len(self.numbers) if self.note_type.is_cloze else size


def _size(side: str, replaced: int) -> int:
    return len(side) + (side.count("{{") + side.count("<%")) * replaced


Show = Callable[[ShownNote], str]
"""Returns all sides of all cards of a note, as Anki shows them, one after the other."""


class ReleasedFiles(NamedTuple):
    """Files that are new or changed, and the CSS in those that are style sheets."""

    names: Iterable[str]
    styles: Mapping[str, str]


class KnownTexts(NamedTuple):
    """What is in the collection before: fields, and note types."""

    fields: Iterable[str]
    layouts: Iterable[AnkiNoteType]


_DELETION = re.compile(r"\{\{c([0-9]{1,3})::")
_IN_TAG = re.compile(r"<[^<>]*\{\{c[0-9]")
_MOST_NUMBERS = 500
_MOST_SHOWN = 20
"""Of a note with more deletions, only the first are shown; a deletion in a tag is then a threat by itself."""
_CODE = (".js", ".mjs", ".wasm")
_KINDS = ("program", "network", "unread")
_MOST_SIZE = 4 * MOST_READ
_SECONDS = 1.0
"""How long notes are judged, in seconds of this thread: Anki does nothing else with the collection then."""


def find_dangers(
    notes: Iterable[tuple[ShownNote, ShownNote | None]],
    texts: Iterable[tuple[str, str]],
    layouts: Iterable[tuple[AnkiNoteType, AnkiNoteType | None]],
    files: ReleasedFiles,
    *,
    known: KnownTexts,
    show: Show,
) -> tuple[Danger, ...]:
    """Return the dangers that are new to a collection, by kind.

    `notes` are new or get new texts or a new layout, each with the note before; `texts` are shown elsewhere,
    each with the text before; `layouts` are new or changed note types with those before. A server is not new
    if a card in the collection already loads something from it.
    """
    in_notes: Counter[str] = Counter()
    in_types: dict[str, list[str]] = {}
    in_files: dict[str, list[str]] = {}
    servers: set[str] = set()
    threats_in = cache(in_layout)

    until = time.thread_time() + _SECONDS

    def is_late() -> bool:
        return time.thread_time() > until

    def new(threats: Iterable[Threat]) -> set[str]:
        """Return the kinds of the threats that are new."""
        found = {*threats}
        if found and not servers:
            known_threats = takewhile(lambda _: not is_late(), _known_threats(known))
            servers.update(("", *(each.what for each in known_threats if each.kind == "network")))
        return {each.kind for each in found if each.kind != "network" or each.what not in servers}

    for layout, previous in layouts:
        threats = {Threat("unread", "")} if is_late() else threats_in(layout)
        for kind in new(threats - (threats_in(previous) if previous else frozenset())):
            in_types.setdefault(kind, []).append(layout.name)
    for text, earlier in texts:
        in_notes.update({"unread"} if is_late() else new(in_html(text) - in_html(earlier)))
    for after, before in notes:
        in_notes.update({"unread"} if is_late() else new(_in_note(after, before, show, threats_in)))
    for name, threats in _in_files(files, known):
        for kind in new(threats):
            in_files.setdefault(kind, []).append(name)
    return tuple(
        Danger(kind, in_notes[kind], tuple(in_types.get(kind, ())), tuple(in_files.get(kind, ())))
        for kind in _KINDS
        if in_notes[kind] or kind in in_types or kind in in_files
    )


def _in_note(
    after: ShownNote,
    before: ShownNote | None,
    show: Show,
    threats_in: Callable[[AnkiNoteType], frozenset[Threat]],
) -> frozenset[Threat]:
    """Return the threats that a note has now; those of its layout are not the note's."""
    in_type = threats_in(after.note_type)
    found = _as_written(after) | _as_shown(after, show, in_type)
    if found:
        found -= in_type
    if found and before:
        found -= _as_written(before) | _as_shown(before, show, threats_in(before.note_type))
    return found


def _as_shown(note: ShownNote, show: Show, in_type: frozenset[Threat]) -> frozenset[Threat]:
    """Return the threats in the sides of a note; Anki itself takes long with some layouts."""
    if note.size > _MOST_SIZE or any(each.kind == "unread" for each in in_type):
        return frozenset({Threat("unread", repr(note))})
    return in_html(show(note))


def _as_written(note: ShownNote) -> frozenset[Threat]:
    """Return the threats in the fields and tags of a note as they are, for instance in Anki's editor."""
    text = "\n".join((*note.fields, note.tags))
    found = in_html(text)
    if note.note_type.is_cloze and len(note.numbers) == _MOST_SHOWN and (match := _IN_TAG.search(text)):
        return found | {Threat("program", match[0])}
    return found


def _known_threats(known: KnownTexts) -> Iterator[Threat]:
    for text in known.fields:
        yield from in_html(text)
    for layout in known.layouts:
        yield from in_layout(layout)


def _in_files(files: ReleasedFiles, known: KnownTexts) -> Iterator[tuple[str, set[Threat]]]:
    """Yield the files that are or may become part of a page, with their threats."""
    programs: list[str] | None = None
    for name in files.names:
        threats = set(in_css(files.styles.get(name, "")))
        if name.lower().endswith(_CODE):
            threats.add(Threat("program", name))
        elif name not in files.styles:
            if programs is None:
                programs = [each.what for each in _known_threats(known) if each.kind == "program"]
            threats.update(Threat("program", name) for what in programs if name in what)
        yield name, threats
