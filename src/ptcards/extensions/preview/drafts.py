"""Accepts and rejects drafts: removes the mark from a note's card comment, or the note from its file.

A file is only written if every other note in it stays as it is.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ptcards.identity.hashes import LONGEST_HEADING, NoteSummary, one_line
from ptcards.identity.lock import Fingerprint
from ptcards.markdown.blocks import scan
from ptcards.markdown.tree import BlockKind
from ptcards.readers.parser import parse_lines
from ptcards.source.attributes import Lines, accepted
from ptcards.source.collection import Collection
from ptcards.source.source import Source, joined, rewrite, split_lines


class _State(NamedTuple):
    """What the notes and drafts of a source are, in order."""

    notes: list[Fingerprint]
    drafts: list[NoteSummary]

    @property
    def contents(self) -> list[Fingerprint]:
        """What the drafts are."""
        return [draft.fingerprint for draft in self.drafts]


def accept(collection: Collection, source: Source, line: int, question: str) -> bool:
    """Make the draft on a line a note; return whether this was possible.

    `question` is its title, because the file may have changed. Raises OutputError if it cannot be written.
    """
    return _rewrite(collection, source, line, question, accepted, becomes_note=True)


def reject(collection: Collection, source: Source, line: int, question: str) -> bool:
    """Remove the draft on a line from its file; otherwise like `accept`."""
    return _rewrite(collection, source, line, question, _without_note, becomes_note=False)


def _rewrite(
    collection: Collection,
    source: Source,
    line: int,
    question: str,
    attempts: Callable[[Lines, int], Iterator[Lines]],
    *,
    becomes_note: bool,
) -> bool:
    def change(content: bytes) -> bytes:
        lines = split_lines(content)
        before = _read(collection, source, lines)
        draft = next((each for each in before.drafts if each.location.line == line), None)
        if draft is None or draft.fingerprint.heading != one_line(question)[:LONGEST_HEADING].rstrip():
            return content
        others = [each.fingerprint for each in before.drafts if each is not draft]
        for changed in attempts(lines, line):
            after = _read(collection, source, changed)
            notes = [*after.notes]
            if becomes_note and draft.fingerprint in notes:
                notes.remove(draft.fingerprint)
            has_note = len(notes) == len(after.notes) - becomes_note
            if has_note and (notes, after.contents) == (before.notes, others):
                return joined(content, changed)
        return content

    before, after = rewrite(source.file, source.root, change)
    return before != after


def _read(collection: Collection, source: Source, lines: Lines) -> _State:
    parsed = parse_lines(collection, source, lines)
    return _State([summary.fingerprint for summary in parsed.summaries], list(parsed.draft_summaries))


def _without_note(lines: Lines, heading: int) -> Iterator[Lines]:
    """Yield the lines without the note whose heading is on line `heading` (from 1)."""
    text = "\n".join(line for line, _ in lines)
    heads = [block for block in scan(text).children if block.kind is BlockKind.HEADING]
    level = next((block.level for block in heads if block.start == heading - 1), 0)
    ends = (block.start for block in heads if block.start >= heading and block.level <= level)
    end = next(ends, len(lines))
    above = lines[: heading - 1]
    if end == len(lines):
        while above and not above[-1][0].strip():
            above.pop()
        above.append(("", ""))
    if level:
        yield [*above, *lines[end:]]
