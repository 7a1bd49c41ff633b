"""What writers need from a source: the fields of its notes for Anki's tables, and their CSV cells."""

import hashlib
from collections.abc import Sequence
from typing import Any

from ptcards.anki.notetypes import find_type
from ptcards.anki.render import render_with_cards
from ptcards.diagnostics import Diagnostic, as_json
from ptcards.notes import FIELD_END, Note, Row
from ptcards.notes.marshalling import media_of, plain_media
from ptcards.notes.notetypes import NoteType
from ptcards.source.parts import ParsedSource, Recipe, Surroundings
from ptcards.source.source import Source
from ptcards.writers.csv import csv_rest


def _make(
    _around: Surroundings,
    _source: Source,
    parsed: ParsedSource,
    own: Sequence[NoteType],
    before: Sequence[Any] | None,
) -> tuple[Sequence[object], Sequence[Diagnostic]]:
    """Return the rendered notes of a source; an unchanged note keeps its row from `before`."""
    known = {row[-1]: row for row in before or ()}
    made, said = [], []
    for note in parsed.notes:
        digest = rendering_digest(note)
        row = known.get(digest)
        if row is None:
            row, found = _render(note, own, digest)
            said += found
        made.append(row)
    cards = sum(len(row[5]) for row in made)
    rendered = (cards, [as_json(each) for each in said])
    return [made, [csv_rest(note) for note in parsed.notes], rendered], said


def rows(own: Sequence[NoteType]) -> Recipe:
    """Return the recipe for what writers need from a collection with its `own` note types.

    Its parts are `fields` for `row_of`, `csv` for the CSV, and `rendered`: the number of cards, and
    diagnostics.
    """
    return Recipe(("fields", "csv", "rendered"), _make, tuple(each.bare for each in own))


def row_of(plain: Sequence[Any]) -> Row:
    """Return the row of a note from its entry in `fields`."""
    deck, note_type, tags, before, after, ordinals, media, _ = plain
    return Row(deck, note_type, tags, before, after, ordinals, tuple([media_of(each) for each in media]))


def rendering_digest(note: Note) -> str:
    """Return a digest of everything that affects a note's rendering: not its locations, key or `ignore`."""
    texts = (note.heading, note.question, note.answer, note.hint, note.details, note.sources)
    about = (
        [note.deck, note.kind.value, note.id, note.typed, note.difficulty, note.code_deletions],
        [note.language, note.labels, note.context, note.own_type],
        [(name, each.markdown) for name, each in note.fields],
        [each.markdown for each in texts],
        [(each.text.markdown, each.comment.markdown, each.correct) for each in note.choices],
        note.tags,
        [plain_media(each) for each in note.media],
    )
    return hashlib.sha256(repr(about).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _render(note: Note, own: Sequence[NoteType], digest: str) -> tuple[tuple[Any, ...], list[Diagnostic]]:
    note_type = find_type(note.note_type, own)
    fields, ordinals, said = render_with_cards(note, note_type)
    before, after = around_guid(note_type, fields)
    media = [plain_media(each) for each in note.media]
    # Notes with problems are rendered every time, so that their problems are reported every time.
    kept = "" if said else digest
    return (note.deck, note.note_type, " ".join(note.tags), before, after, ordinals, media, kept), said


def around_guid(note_type: NoteType, fields: Sequence[str]) -> tuple[str, str | None]:
    """Return the joined fields before and after the GUID, or `None` for the latter if no field shows it."""
    if not note_type.guid_field:
        return FIELD_END.join(fields), None
    place = note_type.field_names.index(note_type.guid_field)
    return FIELD_END.join((*fields[:place], "")), FIELD_END.join(("", *fields[place + 1 :]))
