"""What a build needs of a source, as bytes: small enough to hold for a hundred thousand notes, plain enough for a file.

A row rests on the source, the collection's name and tags, the media and the versions, and on nothing else: not on other
sources, nor on who is who. GUIDs and keys come in when it is unpacked.
"""

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from sys import intern
from typing import Any

from ptcards.diagnostics import Diagnostic, Location, Severity
from ptcards.identity.hashes import Gist
from ptcards.identity.lock import Imprint
from ptcards.notes import Media, Note, RenderedNote
from ptcards.notetypes import FIELDS
from ptcards.notetypes.cards import card_ordinals
from ptcards.parsing.assembly import DeckText, MediaUse
from ptcards.parsing.parser import ParsedSource
from ptcards.rendering.fields import render
from ptcards.writers.csv import csv_rest

_LEVEL = 1
"""Of zlib: a tenth of the size, for a hundredth of the time that rendering takes."""

_BETWEEN = "\x1f"
"""Parts the fields of a note, which hold no control characters, in Anki's database too; one long text is read sooner than a dozen."""

_GUID = FIELDS.index("GUID")

Found = tuple[str, Media | None]
"""The address of a file as a source writes it, and what was found there."""


@dataclass(frozen=True, slots=True)
class Row:
    """A source compiled: JSON, packed, in three parts that are needed at different times; `cells` are for the CSV."""

    outline: bytes
    rendered: bytes
    cells: bytes


@dataclass(frozen=True, slots=True)
class Outline:
    """All of a source but its texts.

    `gists` are of its notes, in turn; `cards` counts the cards of all. `parsing` is what the parser
    has to say, `rendering` what the renderer has.
    """

    gists: tuple[Gist, ...]
    cards: int
    decks: tuple[DeckText, ...]
    parsing: tuple[Diagnostic, ...]
    rendering: tuple[Diagnostic, ...]
    media: tuple[Found, ...]
    uses: tuple[MediaUse, ...]


def make_row(parsed: ParsedSource, media: Iterable[Found], *, render: bool, before: bytes = b"") -> Row:
    """Render a source's notes, or leave out what comes of it, and pack all that a build needs of them.

    `before` is the `rendered` of an earlier row of this version: what it has of notes that are as they were is taken over.
    """
    rendered, problems = _render(parsed.notes, before) if render else ([], [])
    outline = [
        parsed.gists,
        sum(len(card_ordinals(kind, fields.split(_BETWEEN))) for _, kind, fields, *_ in rendered),
        [[deck.name, deck.place, deck.description] for deck in parsed.decks],
        [pack_diagnostic(each) for each in parsed.diagnostics],
        [pack_diagnostic(each) for each in problems],
        [[address, found and _pack_media(found)] for address, found in media],
        parsed.media,
    ]
    return Row(
        _pack(outline),
        _pack(rendered),
        _pack([csv_rest(note) for note in parsed.notes] if render else []),
    )


def is_whole(row: Row) -> bool:
    """Whether a row that comes from a file has the shape that `make_row` gives it."""
    try:
        outline = read_outline(row)
        rendered, cells = _unpack(row.rendered), read_cells(row.cells)
        found = [media for _, media in _unpack(row.outline)[5] if media is not None]
        return (
            _is_outline(outline)
            and len(rendered) in {0, len(outline.gists)}
            and len(rendered) == len(cells)
            and all(map(_is_rendered, rendered))
            and all(map(_is_media, found))
            and _are_texts(cells)
        )
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError, zlib.error):
        return False


def _is_outline(outline: Outline) -> bool:
    said = (*outline.parsing, *outline.rendering)
    places = [
        *(place for each in outline.gists for place in (each.location, each.id_place)),
        *(each.place for each in outline.decks),
        *(each.location for each in said),
    ]
    texts = [
        *(
            text
            for each in outline.gists
            for text in (*each.imprint, each.question, each.asked, each.slug, *each.ignore)
        ),
        *(text for deck in outline.decks for text in (deck.name, deck.description)),
        *(text for each in said for text in (each.rule, each.message, each.help)),
        *(address for address, _ in outline.media),
    ]
    counts = [
        *(number for place in places for number in (place.line, place.column)),
        *(number for each in outline.gists for number in (each.answer_words + 1, each.heading_length)),
        *(each.length for each in said),
        outline.cards + 1,
    ]
    return (
        _are_texts(texts)
        and all(isinstance(place.path, str) for place in places)
        and all(isinstance(number, int) and 0 < number < 2**31 for number in counts)
    )


def _is_rendered(packed: Any) -> bool:
    match packed:
        case [str(deck), ("qa" | "cloze"), str(fields), list(tags), list(media), str()]:
            return (
                fields.count(_BETWEEN) == len(FIELDS) - 1
                and _are_texts([deck, fields, *tags])
                and all(map(_is_media, media))
            )
    return False


def _is_media(packed: Any) -> bool:
    return len(packed) == 4 and all(isinstance(each, str) for each in packed)


def _are_texts(values: Sequence[str]) -> bool:
    """Whether these are texts that can be written. Raises TypeError or ValueError if not."""
    "".join(values).encode()
    return True


def read_outline(row: Row) -> Outline:
    """Unpack all but the texts. Raises ValueError or zlib.error for what `make_row` did not make."""
    notes, cards, decks, parsing, rendering, media, uses = _unpack(row.outline)
    gists = []
    for place, said, question, words, length, id_place, asked, slug, ignore in notes:
        # One string for all notes of a file, a note type or a deck.
        place[0], id_place[0] = intern(place[0]), intern(id_place[0])
        said[0], said[5] = intern(said[0]), intern(said[5])
        gists.append(
            Gist(
                Location(*place),
                Imprint(*said),
                question,
                words,
                length,
                Location(*id_place),
                asked,
                slug,
                tuple(ignore),
            )
        )
    return Outline(
        tuple(gists),
        cards,
        tuple(DeckText(name, Location(*place), description) for name, place, description in decks),
        tuple(map(read_diagnostic, parsing)),
        tuple(map(read_diagnostic, rendering)),
        tuple((address, found and _read_media(found)) for address, found in media),
        tuple(
            MediaUse(name, digest, file, Location(*place), length)
            for name, digest, file, place, length in uses
        ),
    )


def read_rendered(packed: bytes, guids: Sequence[str], mods: Sequence[int]) -> Iterator[RenderedNote]:
    """Unpack a row's `rendered`, the notes' fields, with the GUIDs and times that the notes turned out to have."""
    for (deck, note_type, fields, tags, media, _), guid, mod in zip(
        _unpack(packed), guids, mods, strict=True
    ):
        yield RenderedNote(
            guid,
            mod,
            deck,
            note_type,
            _with_guid(fields, guid),
            tuple(tags),
            tuple(map(_read_media, media)),
        )


def read_cells(packed: bytes) -> list[str]:
    """Unpack a row's `cells`, the `csv_rest` of each note."""
    cells: list[str] = _unpack(packed)
    return cells


def pack_diagnostic(each: Diagnostic) -> list[Any]:
    """Make JSON of a diagnostic."""
    return [each.location, each.rule, each.severity.value, each.message, each.help, each.length]


def read_diagnostic(packed: Sequence[Any]) -> Diagnostic:
    """Make a diagnostic of its JSON."""
    place, rule, severity, message, fix, length = packed
    return Diagnostic(Location(*place), rule, Severity(severity), message, fix, length)


def _pack(value: object) -> bytes:
    # Lone surrogates, which a file name can hold, survive only as escapes.
    return zlib.compress(json.dumps(value, separators=(",", ":")).encode(), _LEVEL)


def _unpack(packed: bytes) -> Any:
    return json.loads(zlib.decompress(packed))


def _render(notes: Iterable[Note], before: bytes) -> tuple[list[list[Any]], list[Diagnostic]]:
    """Render notes, and pack each with the digest of what that rests on; without one if there is something to say about it."""
    known = {packed[-1]: packed for packed in _unpack(before)} if before else {}
    rendered: list[list[Any]] = []
    problems: list[Diagnostic] = []
    for note in notes:
        digest = rendering_digest(note)
        packed = known.get(digest)
        if packed is None:
            fields, found = render(note)
            packed = _pack_rendered(note, fields, "" if found else digest)
            problems += found
        rendered.append(packed)
    return rendered, problems


def rendering_digest(note: Note) -> str:
    """Digest all that the rendering of a note rests on: everything but its places and what it ignores."""
    texts = (note.heading, note.question, note.answer, note.hint, note.details, note.sources)
    about = (
        [note.deck, note.kind.value, note.id, note.key, note.typed, note.difficulty, note.code_deletions],
        [each.markdown for each in texts],
        [(each.text.markdown, each.comment.markdown, each.correct) for each in note.choices],
        note.tags,
        [_pack_media(each) for each in note.media],
    )
    return hashlib.sha256(repr(about).encode()).hexdigest()[:32]


def _with_guid(fields: str, guid: str) -> tuple[str, ...]:
    parts = fields.split(_BETWEEN)
    return (*parts[:_GUID], guid, *parts[_GUID + 1 :])


def _pack_rendered(note: Note, fields: Sequence[str], digest: str) -> list[Any]:
    media = [_pack_media(each) for each in note.media]
    return [note.deck, note.note_type, _BETWEEN.join(fields), note.tags, media, digest]


def _pack_media(media: Media) -> list[str]:
    return [media.written, str(media.file), media.digest, media.name]


def _read_media(packed: Sequence[str]) -> Media:
    written, file, digest, name = packed
    return Media(written, Path(file), digest, name)
