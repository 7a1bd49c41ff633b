"""What writers need from a source: the fields of its notes for Anki's tables, and their CSV cells."""

import hashlib
from collections.abc import Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from ptcards.anki.built_in_notetypes import find_type
from ptcards.diagnostics import Diagnostic, Trait, errors_in
from ptcards.notes import Choice, Note, Text
from ptcards.notes.notetypes import NoteType
from ptcards.notes.rendered import FIELD_END, Media, Row
from ptcards.packing import CachePart
from ptcards.source.assembly import Owners
from ptcards.source.dialects import OWN
from ptcards.source.recipes import ByNote, Making, Recipe, by_note
from ptcards.writers.csv import csv_rest


class RenderedRow(NamedTuple):
    """The row of a note, and a digest of all that it depends on; empty if rendering it found problems."""

    row: Row
    digest: str


class Rendered(NamedTuple):
    """The number of cards in a source, and what rendering its notes found."""

    cards: int
    diagnostics: tuple[Diagnostic, ...]


FIELDS = CachePart("fields", ByNote[RenderedRow])
CSV = CachePart("csv", ByNote[str])
"""The `csv_rest` of each note."""
RENDERED = CachePart("rendered", Rendered)


def _make(making: Making) -> tuple[Sequence[object], Sequence[Diagnostic]]:
    """Return the rendered notes of a source; an unchanged note keeps its row from `before`."""
    from ptcards.anki.fields import render_all  # noqa: PLC0415 - heavy, and not needed if nothing changed
    from ptcards.source.code_blocks import code_errors  # noqa: PLC0415 - as above

    parsed, own = making.parsed, making.about
    known: dict[str, RenderedRow] = {kept.digest: kept for _, kept in making.before or ()}
    is_own, owners = parsed.dialect == OWN, Owners(parsed.notes)
    wrong = (each for each in errors_in(parsed.diagnostics) if Trait.MISLEADING in each.traits)
    misread = {note.location for each in wrong if (note := owners.find(each.location))}
    digests = [rendering_digest(note) for note in parsed.notes]
    new = [(note, digest) for note, digest in zip(parsed.notes, digests, strict=True) if digest not in known]
    rendered: list[RenderedRow] = []
    diagnostics: list[Diagnostic] = []
    for (note, digest), (fields, ordinals, problems) in zip(
        new, render_all((note for note, _ in new), own), strict=True
    ):
        is_read = is_own and not note.own_type and note.location not in misread  # as in `check`
        found = [*problems, *(code_errors(note) if is_read else ())]
        # Notes with problems are rendered every time, so that their problems are reported every time.
        rendered.append(RenderedRow(_row(note, own, fields, ordinals), "" if found else digest))
        diagnostics += found
    fresh = iter(rendered)
    made = [known.get(digest) or next(fresh) for digest in digests]
    summary = Rendered(sum(len(kept.row.ordinals) for kept in made), tuple(diagnostics))
    return [by_note(parsed, made), by_note(parsed, map(csv_rest, parsed.notes)), summary], diagnostics


def rows(own: Sequence[NoteType]) -> Recipe:
    """Return the recipe for what writers need from a collection with its `own` note types."""
    return Recipe((FIELDS, CSV, RENDERED), _make, tuple(note_type.bare for note_type in own))


_UNSEEN = frozenset({"location", "key", "ignore", "unlike", "translated"})
_rendered_parts = attrgetter(*(name for name in Note._fields if name not in _UNSEEN))


def rendering_digest(note: Note) -> str:
    """Return a digest of everything that affects a note's rendering: not what `_UNSEEN` names."""
    about = _without_places(_rendered_parts(note))
    return hashlib.sha256(repr(about).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _without_places(values: tuple[Any, ...]) -> list[object]:
    """Return the values of a note without their places in the source; most are texts or empty."""
    return [
        each.markdown if type(each) is Text else _of_few(each) if each and type(each) in _FEW else each
        for each in values
    ]


def _of_few(value: Any) -> object:
    match value:
        case Choice():
            return value.text.markdown, value.comment.markdown, value.correct
        case Media():
            return value.written, value.file, value.digest, value.name
        case _:
            return _without_places(value)


_FEW = frozenset({tuple, Choice, Media})


def _row(note: Note, own: Sequence[NoteType], fields: Sequence[str], ordinals: tuple[int, ...]) -> Row:
    before, after = around_guid(find_type(note.note_type, own), fields)
    return Row(note.deck, note.note_type, " ".join(note.tags), before, after, ordinals, note.media)


def around_guid(note_type: NoteType, fields: Sequence[str]) -> tuple[str, str | None]:
    """Return the joined fields before and after the GUID, or `None` for the latter if no field shows it."""
    if not note_type.guid_field:
        return FIELD_END.join(fields), None
    place = note_type.field_names.index(note_type.guid_field)
    return FIELD_END.join((*fields[:place], "")), FIELD_END.join(("", *fields[place + 1 :]))
