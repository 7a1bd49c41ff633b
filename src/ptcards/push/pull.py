"""Writes edits made in Anki back into the Markdown.

An edit is only written if the new Markdown renders to exactly what Anki has.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ptcards.anki.render import render
from ptcards.diagnostics import Location, has_errors
from ptcards.files.git import GitError, Repository
from ptcards.identity.resolve import identify, no_clock
from ptcards.importing.markdown import to_markdown
from ptcards.notes import Note, Text
from ptcards.push.collection import CollectionPush
from ptcards.push.compare import Change, is_same_html
from ptcards.source.media import MediaFolder
from ptcards.source.parser import ParsedSource, parse_source
from ptcards.source.readers.registry import OWN
from ptcards.source.rewrite import joined, rewrite, split_lines
from ptcards.workspace import Read

_PARTS = {
    "Question": "heading",
    "Answer": "answer",
    "Hint": "hint",
    "Details": "details",
    "Sources": "sources",
}
"""The part of a note that each field comes from."""


class Edit(NamedTuple):
    """A field that was edited in Anki, as HTML in the sources and in Anki.

    `reason` explains why the edit cannot be written.
    """

    note: Note
    guid: str
    place: int
    name: str
    ours: str
    theirs: str
    reason: str = ""

    @property
    def location(self) -> Location:
        """The location of the note."""
        return self.note.location


def edits_of(collection: CollectionPush) -> Iterator[Edit]:
    """Yield the fields that were edited in Anki since the last push, in the order of the sources."""
    _, plan = collection.plan()
    changes = {change.ours.guid: change for change in plan.changes}
    for source in collection.contents.selected:
        notes = collection.contents.notes_of(source)
        for note, guid in zip(notes, collection.guids[source.start :], strict=False):
            if guid in changes:
                yield from _edits_of(note, changes[guid], is_ours=source.head.dialect == OWN)


def _edits_of(note: Note, change: Change, *, is_ours: bool) -> Iterator[Edit]:
    for place in sorted((*change.kept, *change.conflicts)):
        reason = ""
        if place in change.conflicts:
            reason = "it also changed here"
        elif not is_ours:
            reason = "its file is written for another program"
        yield Edit(
            note,
            change.ours.guid,
            place,
            change.ours.names[place],
            change.ours.fields[place],
            change.theirs.fields[place],
            reason,
        )


def write_edits(collection: CollectionPush, edits: Sequence[Edit], *, force: bool) -> list[Edit]:
    """Write the possible edits into the sources; return the others with their reasons.

    A file with uncommitted changes is left alone, unless `force` is set.

    Raises:
        OutputError: a file cannot be written; earlier ones were.





    """
    left = [edit for edit in edits if edit.reason]
    for source in collection.contents.selected:
        some = [edit for edit in edits if not edit.reason and edit.location.path == source.source.path]
        if some and not force and _is_uncommitted(source.source.file):
            left += [edit._replace(reason="its file has uncommitted changes (`--force`)") for edit in some]
        elif some:
            left += _SourceEdits(collection, source).write(some)
    return left


class _SourceEdits:
    """The edits of one source; each is tried, and kept if nothing else changes."""

    def __init__(self, collection: CollectionPush, source: Read) -> None:
        self._collection, self._source = collection, source

    def write(self, edits: Sequence[Edit]) -> list[Edit]:
        """Write the possible edits; return the others."""
        left: list[Edit] = []

        def change(content: bytes) -> bytes:
            lines = split_lines(content)
            left.clear()
            # From the bottom up, so that locations above stay valid.
            for edit in sorted(edits, key=self._first_line, reverse=True):
                changed = self._with(lines, edit)
                if changed is None:
                    left.append(edit._replace(reason="no Markdown renders to exactly that"))
                else:
                    lines = changed
            return joined(content, lines)

        rewrite(self._source.source.file, self._source.source.root, change)
        return left[::-1]

    @staticmethod
    def _first_line(edit: Edit) -> int:
        part = _PARTS.get(edit.name)
        return getattr(edit.note, part).location().line if part else 0

    def _with(self, lines: list[tuple[str, str]], edit: Edit) -> list[tuple[str, str]] | None:
        """Return the lines with an edit, or `None` if that is impossible or changes anything else."""
        text = _text_of(edit)
        media = {each.name: each.written for each in edit.note.media}
        is_cloze = edit.note.note_type == "cloze"
        markdown = to_markdown(edit.theirs, media, is_cloze=is_cloze).markdown if text else None
        if text is None or not markdown or (edit.name == "Question" and "\n" in markdown):
            return None
        old, start = text.markdown.split("\n"), text.location()
        first, end = start.line - 1, start.line - 1 + len(old)
        there = [line for line, _ in lines[first:end]]
        # Comments, and link definitions elsewhere, are not in the text, so their lines must not be replaced.
        if edit.name == "Question":
            if there[0][start.column - 1 :] != old[0]:
                return None
            new = [there[0][: start.column - 1] + markdown]
        elif there != old:
            return None
        else:
            new = markdown.split("\n")
        line_end = lines[first][1] or "\n"
        changed = [
            *lines[:first],
            *((line, line_end) for line in new[:-1]),
            (new[-1], lines[end - 1][1]),
            *lines[end:],
        ]
        return changed if self._does_only(lines, changed, edit) else None

    def _does_only(self, before: list[tuple[str, str]], after: list[tuple[str, str]], edit: Edit) -> bool:
        """Whether new lines make one field equal to Anki's and change nothing else, including identities."""
        old, new = self._parse(before), self._parse(after)
        if len(old.notes) != len(new.notes) or has_errors(new.diagnostics) or not self._same_guids(new):
            return False
        for number, (one, other) in enumerate(zip(old.notes, new.notes, strict=True)):
            if one == other:
                continue
            guid = self._collection.guids[self._source.start + number]
            fields, _ = render(other)
            expected = [
                edit.theirs if guid == edit.guid and place == edit.place else text
                for place, text in enumerate(render(one)[0])
            ]
            if one.tags != other.tags or not all(map(is_same_html, fields, expected)):
                return False
        return True

    def _parse(self, lines: list[tuple[str, str]]) -> ParsedSource:
        source = replace(self._source.source, text="\n".join(line for line, _ in lines))
        collection = self._collection.contents.collection
        return parse_source(collection, source, MediaFolder(collection.root))

    def _same_guids(self, parsed: ParsedSource) -> bool:
        contents, start = self._collection.contents, self._source.start
        summaries = list(contents.summaries)
        summaries[start : start + len(parsed.summaries)] = parsed.summaries
        identities, _ = identify(
            summaries, self._collection.lock, type_hashes={}, clock=no_clock, refresh=False, selected=None
        )
        return identities.guids == tuple(self._collection.guids)


def _text_of(edit: Edit) -> Text | None:
    """Return the only text that a field is made of, or `None` if there are several."""
    note, part = edit.note, _PARTS.get(edit.name)
    is_mixed = {
        "Question": bool(note.question),
        "Answer": bool(note.choices or note.typed),
    }.get(edit.name, False)
    text: Text | None = getattr(note, part) if part and not is_mixed else None
    return text if text and len(text.runs) == 1 else None


def _is_uncommitted(file: Path) -> bool:
    """Whether a file in a repository differs from its last commit."""
    with suppress(GitError, OSError):
        committed = Repository(file.parent).content("HEAD", file.name)
        return committed is None or committed.splitlines() != file.read_bytes().splitlines()
    return False
