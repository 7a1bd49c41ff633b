"""Notes, decks and packages made by hand, for tests of single stages."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from ptcards.anki.built_in_notetypes import FIELDS, note_types, our_type
from ptcards.anki.cards import card_ordinals
from ptcards.diagnostics import Location
from ptcards.notes import Choice, Kind, Note, Text
from ptcards.notes.rendered import Deck, Media, RenderedNote, Row
from ptcards.writers.apkg import write_package
from ptcards.writers.rows import around_guid

COLLECTION_ID = "6f0c2c0e"
EARLIER = 1_763_712_000
LATER = EARLIER + 86_400


def text(markdown: str) -> Text:
    return Text(markdown, "cards/a.md")


def choice(markdown: str, comment: str = "", *, right: bool = False) -> Choice:
    return Choice(text(markdown), text(comment), correct=right)


def a_note(
    heading: str,
    answer: str = "",
    *,
    kind: Kind = Kind.BASIC,
    question: str = "",
    choices: tuple[Choice, ...] = (),
    typed: str = "",
    hint: str = "",
    details: str = "",
    sources: str = "",
    deck: str = "PyTorch::Autograd",
    key: str = "a-note",
    difficulty: str = "",
    tags: tuple[str, ...] = (),
    media: tuple[Media, ...] = (),
) -> Note:
    return Note(
        location=Location("cards/a.md", 1),
        deck=deck,
        kind=kind,
        id="",
        key=key,
        heading=text(heading),
        question=text(question),
        answer=text(answer),
        choices=choices,
        typed=typed,
        hint=text(hint),
        details=text(details),
        sources=text(sources),
        difficulty=difficulty,
        tags=tags,
        ignore=(),
        media=media,
    )


def rendered(
    guid: str,
    fields: Mapping[str, str],
    *,
    mod: int = EARLIER,
    deck: str = "PyTorch::Autograd",
    note_type: str = "qa",
    tags: tuple[str, ...] = (),
    media: tuple[Media, ...] = (),
) -> RenderedNote:
    """Return a note in the form that is passed to Anki, with these fields; the others are empty."""
    assert fields.keys() <= set(FIELDS)
    filled = {"Topic": deck.rpartition("::")[2], "GUID": guid, **fields}
    return RenderedNote(
        guid, mod, deck, note_type, tuple(filled.get(name, "") for name in FIELDS), tags, media
    )


def media_file(file: Path, content: bytes) -> Media:
    file.write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    return Media(file.name, file, digest, f"{file.stem}-{digest[:8]}{file.suffix}")


def package(
    path: Path,
    notes: Iterable[RenderedNote],
    *,
    decks: Mapping[str, str] | None = None,
    name: str = "PyTorch",
    css: str = "",
    types_mod: int = EARLIER,
) -> Path:
    """Write a package of these notes; `decks` maps names to descriptions."""
    notes = list(notes)
    described = {note.deck: "" for note in notes} | dict(decks or {})
    write_package(
        path=path,
        note_types=[(note_type, types_mod) for note_type in note_types(COLLECTION_ID, name, css)],
        decks=[Deck(deck, description) for deck, description in described.items()],
        rows=[(note.guid, note.mod, row(note)) for note in notes],
        newest=max((note.mod for note in notes), default=1),
    )
    return path


def row(note: RenderedNote) -> Row:
    """Return the row of a note with any number of fields."""
    note_type = our_type(note.note_type)
    before, after = around_guid(note_type, note.fields)
    ordinals = card_ordinals(note_type, note.fields) if len(note.fields) == len(FIELDS) else (0,)
    return Row(note.deck, note.note_type, " ".join(note.tags), before, after, ordinals, note.media)
