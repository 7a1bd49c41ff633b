"""Reads the texts that a search looks at."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from ptcards.diagnostics import errors_in, may_be_kept
from ptcards.identity.hashes import answer_texts
from ptcards.notes import Note
from ptcards.search import NoteText, NoteTexts, question_of
from ptcards.workspace import Contents, ReadOptions, Workspace


def read_texts(paths: Sequence[Path], options: ReadOptions) -> tuple[NoteTexts, int]:
    """Return the texts of the notes of these SOURCEs, and the number of errors, which may hide some notes.

    Raises NoSuchSourceError for a path that does not exist or contains no sources.
    """
    question = question_of(paths, options.dialect)
    known = options.cache.recall(question, NoteTexts)
    if known is not None:
        return known, 0
    workspace = Workspace.read(paths, options)
    diagnostics = workspace.diagnostics
    # Taken before the locks are read: if a lock changes afterwards, the texts are not kept.
    facts = workspace.facts() if may_be_kept(diagnostics) else None
    notes = [note for contents in workspace.contents for note in _texts(contents)]
    if facts is not None:
        workspace.remember(question, facts, notes, NoteTexts)
    return notes, len(errors_in(diagnostics))


def _texts(contents: Contents) -> Iterator[NoteText]:
    for note, guid in zip(contents.notes, contents.published.guids(), strict=True):
        if contents.collection.is_selected(note.location.path):
            yield text_of(note, guid, draft=False)
    yield from (text_of(note, "", draft=True) for note in contents.selected_drafts)


def text_of(note: Note, guid: str, *, draft: bool) -> NoteText:
    """Return the texts of a note that a search looks at."""
    answer = "\n\n".join(text for text in answer_texts(note) if text)
    place = note.location
    return NoteText(place.path, place.line, note.key, guid, _question(note), answer, draft, note.unlike)


def _question(note: Note) -> str:
    texts = [note.first_field] if note.own_type else [note.heading, note.question]
    return "\n\n".join(text.markdown for text in texts if text) or note.title
