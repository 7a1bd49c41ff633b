"""Converts notes and media to plain values, which `marshal` supports, and back."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ptcards.diagnostics import Location
from ptcards.notes import Choice, Kind, Media, Note, Run, Text

_TEXTS = ("heading", "question", "answer", "hint", "details", "sources")
_NOTHING = Text()


def plain_note(note: Note) -> tuple[object, ...]:
    """Return a note without its key, as values that `marshal` supports."""
    return (
        tuple(note.location),
        note.deck,
        note.kind.value,
        note.id,
        [_plain_text(getattr(note, name)) for name in _TEXTS],
        [(_plain_text(choice.text), _plain_text(choice.comment), choice.correct) for choice in note.choices],
        note.typed,
        note.difficulty,
        note.tags,
        note.ignore,
        [plain_media(media) for media in note.media],
        note.code_deletions,
        note.language,
        note.labels,
        note.context,
        note.own_type,
        [(name, _plain_text(text)) for name, text in note.fields],
    )


def note_of(plain: Sequence[Any], key: str) -> Note:
    """Return the note that `plain_note` encoded, with its key."""
    place, deck, kind, name, texts, choices, typed, difficulty, tags, ignore, media, *rest = plain
    code_deletions, language, labels, context, own_type, fields = rest
    return Note(
        location=Location(*place),
        deck=deck,
        kind=Kind(kind),
        id=name,
        key=key,
        choices=tuple([Choice(_text_of(text), _text_of(comment), right) for text, comment, right in choices]),
        typed=typed,
        difficulty=difficulty,
        tags=tags,
        ignore=ignore,
        media=tuple([media_of(each) for each in media]),
        code_deletions=code_deletions,
        language=language,
        labels=labels,
        context=context,
        own_type=own_type,
        fields=tuple([(name, _text_of(text)) for name, text in fields]),
        **dict(zip(_TEXTS, map(_text_of, texts), strict=True)),
    )


def plain_media(media: Media) -> tuple[str, str, str, str]:
    """Return a media file as values that `marshal` supports."""
    return media.written, str(media.file), media.digest, media.name


def media_of(plain: Sequence[str]) -> Media:
    """Return the media file that `plain_media` encoded."""
    written, file, digest, name = plain
    return Media(written, Path(file), digest, name)


def _plain_text(text: Text) -> tuple[object, ...] | None:
    return None if text == _NOTHING else (text.markdown, text.path, [tuple(run) for run in text.runs])


def _text_of(plain: Sequence[Any] | None) -> Text:
    if plain is None:
        return _NOTHING
    markdown, path, runs = plain
    return Text(markdown, path, tuple([Run(*run) for run in runs]))
