"""Accepts and rejects drafts: removes the mark from a note's card comment, or the note from its file.

A file is only written if every other note in it stays as it is.
"""

from collections.abc import Iterable, Iterator

from ptcards.identity.hashes import LONGEST_HEADING, NoteSummary, one_line
from ptcards.identity.lock import Fingerprint
from ptcards.markdown.blocks import scan
from ptcards.markdown.tree import BlockKind
from ptcards.readers.parser import parse_lines
from ptcards.source.attributes import Lines, accepted
from ptcards.source.collection import Collection
from ptcards.source.source import Source, joined, rewrite, split_lines


def decide(collection: Collection, source: Source, line: int, question: str, *, accepts: bool) -> bool:
    """Make the draft on a line a note, or remove it from its file; return whether this was possible.

    `question` is its title, because the file may have changed. Raises OutputError if it cannot be written.
    """

    def change(content: bytes) -> bytes:
        lines = split_lines(content)
        before = parse_lines(collection, source, lines)
        draft = next((each for each in before.draft_summaries if each.location.line == line), None)
        if draft is None or draft.fingerprint.heading != one_line(question)[:LONGEST_HEADING].rstrip():
            return content
        others = _fingerprints(each for each in before.draft_summaries if each is not draft)
        for changed in (accepted if accepts else _without_note)(lines, line):
            after = parse_lines(collection, source, changed)
            notes, drafts = _fingerprints(after.summaries), _fingerprints(after.draft_summaries)
            has_note = accepts and draft.fingerprint in notes
            if has_note:
                notes.remove(draft.fingerprint)
            if has_note is accepts and (notes, drafts) == (_fingerprints(before.summaries), others):
                return joined(content, changed)
        return content

    before, after = rewrite(source.file, source.root, change)
    return before != after


def _fingerprints(summaries: Iterable[NoteSummary]) -> list[Fingerprint]:
    return [each.fingerprint for each in summaries]


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
