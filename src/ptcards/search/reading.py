"""Reads the texts that a search looks at."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from ptcards.diagnostics import errors_in, may_be_kept
from ptcards.identity.hashes import answer_texts
from ptcards.notes import Note
from ptcards.packing import CachePart
from ptcards.search import NoteText, NoteTexts, question_of
from ptcards.search.twins import words_in
from ptcards.workspace import Contents, ReadOptions, Workspace
from ptcards.workspace.cached_source import CachedSource

_TEXTS = CachePart("texts", list[tuple[NoteText, dict[str, int]]])
"""The texts of the notes of a source and then of its drafts, without keys and GUIDs, with their words."""


def read_texts(
    paths: Sequence[Path], options: ReadOptions
) -> tuple[Mapping[NoteText, Mapping[str, int]], int]:
    """Return the texts of the notes of these SOURCEs, each with its words, and the number of errors.

    Errors may hide some notes. The texts are kept as the answer to `question_of` the SOURCEs.

    Raises NoSuchSourceError for a path that does not exist or contains no sources.
    """
    workspace = Workspace.read(paths, options)
    diagnostics = workspace.diagnostics
    # Taken before the locks are read: if a lock changes afterwards, the texts are not kept.
    facts = workspace.facts() if may_be_kept(diagnostics) else None
    texts = {text: count for contents in workspace.contents for text, count in texts_in(contents)}
    if facts is not None:
        workspace.remember(question_of(paths, options.dialect), facts, [*texts], NoteTexts)
    return texts, len(errors_in(diagnostics))


def texts_in(contents: Contents) -> Iterator[tuple[NoteText, Mapping[str, int]]]:
    """Yield the texts of the requested notes of a collection, and then of the drafts, with their words."""
    guids = contents.published.guids()
    drafts: list[tuple[NoteText, Mapping[str, int]]] = []
    for source in contents.selected:
        made = contents.made_of_notes(source, _TEXTS, partial(_make_texts, contents, source))
        keys = [*contents.keys[source.span], *contents.draft_keys_of(source)]
        ids = [*guids[source.span], *[""] * len(source.parsed.draft_summaries)]
        for key, guid, (text, count) in zip(keys, ids, made, strict=True):
            named = text._replace(key=key, guid=guid), count
            if text.draft:
                drafts.append(named)
            else:
                yield named
    yield from drafts


def _make_texts(contents: Contents, source: CachedSource) -> list[tuple[NoteText, dict[str, int]]]:
    texts = [text_of(note, "", draft=False) for note in contents.notes_of(source)]
    texts += [text_of(note, "", draft=True) for note in contents.drafts_of(source)]
    return [(text, words_in(text.question, text.answer)) for text in texts]


def text_of(note: Note, guid: str, *, draft: bool) -> NoteText:
    """Return the texts of a note that a search looks at."""
    answer = "\n\n".join(text for text in answer_texts(note) if text)
    place = note.location
    return NoteText(place.path, place.line, note.key, guid, _question(note), answer, draft, note.unlike)


def _question(note: Note) -> str:
    texts = [note.first_field] if note.own_type else [note.heading, note.question]
    return "\n\n".join(text.markdown for text in texts if text) or note.title
