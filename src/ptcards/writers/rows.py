"""What writers need from a source: the fields of its notes for Anki's tables, and their CSV cells."""

import hashlib
from collections.abc import Sequence
from typing import Any

from ptcards.anki.built_in_notetypes import find_type
from ptcards.anki.fields import render_all
from ptcards.diagnostics import Diagnostic, as_json
from ptcards.notes import FIELD_END, Note, Row
from ptcards.notes.marshalling import media_of, plain_media
from ptcards.notes.notetypes import NoteType
from ptcards.source.recipes import Making, Recipe, by_note
from ptcards.writers.csv import csv_rest


def _make(making: Making) -> tuple[Sequence[object], Sequence[Diagnostic]]:
    """Return the rendered notes of a source; an unchanged note keeps its row from `before`."""
    parsed, own = making.parsed, making.about
    known = {row[-1]: row for _, row in making.before or ()}
    digests = [rendering_digest(note) for note in parsed.notes]
    new = [(note, digest) for note, digest in zip(parsed.notes, digests, strict=True) if digest not in known]
    rendered, diagnostics = [], []
    for (note, digest), (fields, ordinals, found) in zip(
        new, render_all((note for note, _ in new), own), strict=True
    ):
        # Notes with problems are rendered every time, so that their problems are reported every time.
        rendered.append(_row(note, own, fields, ordinals, "" if found else digest))
        diagnostics += found
    fresh = iter(rendered)
    made = [known.get(digest) or next(fresh) for digest in digests]
    cards = sum(len(row[5]) for row in made)
    summary = (cards, [as_json(diagnostic) for diagnostic in diagnostics])
    return [by_note(parsed, made), by_note(parsed, map(csv_rest, parsed.notes)), summary], diagnostics


def rows(own: Sequence[NoteType]) -> Recipe:
    """Return the recipe for what writers need from a collection with its `own` note types.

    Its parts are, for each note, `fields` for `row_of` and `csv` for the CSV, and `rendered`: the number of
    cards, and diagnostics.
    """
    return Recipe(("fields", "csv", "rendered"), _make, tuple(note_type.bare for note_type in own))


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
        [(name, text.markdown) for name, text in note.fields],
        [text.markdown for text in texts],
        [(choice.text.markdown, choice.comment.markdown, choice.correct) for choice in note.choices],
        note.tags,
        [plain_media(media) for media in note.media],
    )
    return hashlib.sha256(repr(about).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _row(
    note: Note, own: Sequence[NoteType], fields: Sequence[str], ordinals: Sequence[int], digest: str
) -> tuple[Any, ...]:
    before, after = around_guid(find_type(note.note_type, own), fields)
    media = [plain_media(each) for each in note.media]
    return note.deck, note.note_type, " ".join(note.tags), before, after, ordinals, media, digest


def around_guid(note_type: NoteType, fields: Sequence[str]) -> tuple[str, str | None]:
    """Return the joined fields before and after the GUID, or `None` for the latter if no field shows it."""
    if not note_type.guid_field:
        return FIELD_END.join(fields), None
    place = note_type.field_names.index(note_type.guid_field)
    return FIELD_END.join((*fields[:place], "")), FIELD_END.join(("", *fields[place + 1 :]))
