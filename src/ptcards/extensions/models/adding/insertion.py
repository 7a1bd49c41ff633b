"""Cuts a text into the notes of each deck, finds where they belong, and puts them at the end of it."""

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from ptcards.diagnostics import Location, WrongUseError
from ptcards.diagnostics.suggest import did_you_mean
from ptcards.files import SourceChangedError
from ptcards.files.inputs import MAX_SOURCE_BYTES, InputError, read_input, shown
from ptcards.markdown.blocks import scan
from ptcards.markdown.tree import Block, BlockKind
from ptcards.source.attributes import drafted
from ptcards.source.collection import SettingsByFile, may_be_source
from ptcards.source.dialects import OWN
from ptcards.source.sections import plain_heading
from ptcards.source.source import DeckText, Source, find_conflicts, joined, split_lines
from ptcards.workspace import Contents
from ptcards.workspace.cached_source import CachedSource

GIVEN = "-"
"""The path of the text in findings."""

_Numbered = tuple[str, int]
"""A line, and its number (from 1) in the text, or one of the following."""
_OWN = 0
"""A line of the file."""
_BLANK = -1
"""A blank line between the two."""


class DeckNotes(NamedTuple):
    """The notes of a text that belong to one deck.

    `title` is the deck's heading, which is line `number` (from 1); it is empty for notes above any heading.
    """

    title: str
    number: int
    lines: tuple[_Numbered, ...]

    @property
    def place(self) -> Location:
        """The location of the first line."""
        return Location(GIVEN, self.number or self.lines[0][1])


def cut_pieces(text: str) -> list[DeckNotes]:
    """Return the notes of each deck of a text, without blank lines around them."""
    lines = [(line, number) for number, line in enumerate(text.split("\n"), 1)]
    heads = [block for block in scan(text).children if _is_deck(block)]
    starts = [0, *(block.end for block in heads)]
    ends = [*(block.start for block in heads), len(lines)]
    pieces = []
    for head, start, end in zip([None, *heads], starts, ends, strict=True):
        kept = _without_blanks(lines[start:end])
        if head is not None or kept:
            title = plain_heading(head) if head else ""
            pieces.append(DeckNotes(title, head.start + 1 if head else 0, kept))
    return pieces


def _is_deck(block: Block) -> bool:
    return block.kind is BlockKind.HEADING and block.level == 1 and not block.setext


def _without_blanks(lines: Sequence[_Numbered]) -> tuple[_Numbered, ...]:
    filled = [n for n, (line, _) in enumerate(lines) if line.strip()]
    return tuple(lines[filled[0] : filled[-1] + 1]) if filled else ()


@dataclass(frozen=True, slots=True)
class EditedSource:
    """A source with notes at the end of a deck or of the file.

    `old` is the source as it was read, or None for a new file, and `before` is the content of its file.
    `lines` are the new lines with their ends, and `numbers` are the lines of the text that they come from.
    Lines are numbered from 1.
    """

    source: Source
    old: CachedSource | None
    before: bytes
    lines: tuple[tuple[str, str], ...]
    numbers: tuple[int, ...]

    @classmethod
    def of(cls, source: Source, old: CachedSource | None, before: bytes) -> "EditedSource":
        """Return a source as it is in its file."""
        lines = tuple(split_lines(before)) if before else ()
        return cls(source, old, before, lines, (_OWN,) * len(lines))

    @property
    def text(self) -> str:
        """The new text of the source."""
        return "\n".join(line for line, _ in self.lines)

    @property
    def content(self) -> bytes:
        """The new content of the file."""
        return joined(self.before, self.lines)

    def number(self, line: int) -> int:
        """Return the line of the text that a line of the source comes from, or 0."""
        return max(0, self.numbers[line - 1]) if line <= len(self.numbers) else 0

    def old_line(self, line: int) -> int:
        """Return the number that a line of the file had before."""
        return self.numbers[:line].count(_OWN)

    def inserted(self, at: int, lines: Iterable[_Numbered]) -> "EditedSource":
        """Return the source with more lines above line `at` (from 0), set off by blank lines."""
        end = next((end for _, end in self.lines if end), "\n")
        above = [*zip(self.lines[:at], self.numbers[:at], strict=True)]
        below = [*zip(self.lines[at:], self.numbers[at:], strict=True)]
        if not below and above and above[-1][0] == ("", ""):
            above.pop()  # there is no line after the final line end
        if above and not above[-1][0][1]:
            (last, _), number = above[-1]
            above[-1] = ((last, end), number)
        blank = (("", end), _BLANK)
        added = [((line, end), number) for line, number in lines]
        added[:0] = [blank] if above and above[-1][0][0].strip() else []
        added += [blank] if below and below[0][0][0].strip() else []
        all_lines = [*above, *added, *(below or [(("", ""), _OWN)])]
        return replace(
            self, lines=tuple(line for line, _ in all_lines), numbers=tuple(n for _, n in all_lines)
        )

    def as_drafts(self, headings: Iterable[int]) -> "EditedSource":
        """Return the source in which the notes with these heading lines (from 1) are drafts."""
        lines, numbers = [*self.lines], [*self.numbers]
        for heading in sorted(headings, reverse=True):
            changed = drafted(lines, heading)
            numbers[heading:heading] = [numbers[heading - 1]] * (len(changed) - len(lines))
            lines = changed
        return replace(self, lines=tuple(lines), numbers=tuple(numbers))


def insert(
    contents: Contents, pieces: Sequence[DeckNotes], to: Path | None, *, create: bool
) -> list[EditedSource]:
    """Return the sources with all pieces at their places.

    Raises:
        WrongUseError: a piece has no place, or its file cannot be changed.
        SourceChangedError: a file was saved since it was read.

    """
    named = _named(contents, to, create=create) if to is not None else None
    edited: dict[str, EditedSource] = {named.source.path: named} if named else {}
    for piece in pieces:
        found = _find_deck(contents, piece, named.source.path if named else "") if piece.title else None
        if found is not None:
            path = found[0].source.path
            source = edited.get(path) or _opened(found[0])
            edited[path] = source.inserted(_end_of_deck(source, found[1], piece.title), piece.lines)
        elif named is not None:
            source = edited[named.source.path]
            head = [(f"# {piece.title}", piece.number), ("", _BLANK)] if piece.title else []
            edited[source.source.path] = source.inserted(len(source.lines), [*head, *piece.lines])
        else:
            raise _no_deck(contents, piece)
    return [source for source in edited.values() if any(number > 0 for number in source.numbers)]


def _named(contents: Contents, to: Path, *, create: bool) -> EditedSource:
    """Return the source that FILE names."""
    file = Path(os.path.abspath(to))  # noqa: PTH100 - `resolve` would follow links
    root = contents.collection.root
    if not file.is_relative_to(root):
        message = f"`{shown(file)}` is outside the collection in `{shown(root)}`"
        raise WrongUseError(message, "name one of its sources")
    _refuse_link(file, root)
    cached = next((each for each in contents.sources if each.source.file == file), None)
    if cached is not None:
        return _opened(cached)
    name = file.relative_to(root).as_posix()
    if os.path.lexists(file) or not may_be_source(contents.collection, name):
        message = f"`{shown(file)}` is not a source of the collection in `{shown(root)}`"
        raise WrongUseError(message, "name a Markdown file that `ptcards build` reads")
    if not create:
        raise WrongUseError(f"there is no file `{shown(file)}`", "add `--create` to create it")
    settings = SettingsByFile(root, contents.collection.config).of(name)
    source = Source(file, shown(file), name, settings=settings)
    _refuse_foreign(source, source.settings.dialect)
    return EditedSource.of(source, None, b"")


def _refuse_link(file: Path, root: Path) -> None:
    """Raise WrongUseError if a file, or a folder above it in the collection, is a link."""
    for path in (file, *file.parents):
        if path == root:
            return
        if os.path.islink(path):  # noqa: PTH114 - `Path.is_symlink` raises if a path is too long
            raise WrongUseError(f"`{shown(path)}` is a link", "name the file itself, inside the collection")


def _opened(cached: CachedSource) -> EditedSource:
    """Return a source with the content of its file, which must still be what was read."""
    source = cached.source
    _refuse_foreign(source, cached.parsed.dialect if not cached.parsed.seems_foreign else "")
    _refuse_link(source.file, source.root)
    try:
        content = read_input(source.file, source.root, MAX_SOURCE_BYTES)
        text = content.decode("utf-8-sig")
    except (InputError, UnicodeDecodeError) as failure:
        raise WrongUseError(f"`{source.path}` cannot be read", "run `ptcards check`") from failure
    if hashlib.sha256(content).hexdigest() != cached.digest:
        raise SourceChangedError(source.path)
    if find_conflicts(text.replace("\r\n", "\n").replace("\r", "\n")):
        raise WrongUseError(f"`{source.path}` has an unfinished merge", "finish the merge first")
    return EditedSource.of(source, cached, content)


def _refuse_foreign(source: Source, dialect: str) -> None:
    if dialect != OWN:
        message = f"`{source.path}` is written for another program"
        raise WrongUseError(message, "name a file in ptcards' own format")


def _decks(contents: Contents, path: str) -> Iterator[tuple[CachedSource, DeckText]]:
    for source in contents.sources:
        if path in ("", source.source.path) and source.parsed.dialect == OWN:
            yield from ((source, deck) for deck in source.parsed.decks)


def _find_deck(contents: Contents, piece: DeckNotes, path: str) -> tuple[CachedSource, DeckText] | None:
    """Return the deck with the piece's heading, in the source with this path if it is given."""
    found = [
        (source, deck)
        for source, deck in _decks(contents, path)
        if piece.title in (deck.name, deck.name.rpartition("::")[2])
    ]
    if len(found) > 1:
        places = ", ".join(f"`{deck.place.path}:{deck.place.line}`" for _, deck in found[:3])
        message = f"several decks have the name `{piece.title}`: {places}"
        raise WrongUseError(message, "write the full name, or name the file with `--to`")
    return found[0] if found else None


def _no_deck(contents: Contents, piece: DeckNotes) -> WrongUseError:
    if not piece.title:
        message = "the notes name neither a file nor a deck"
        return WrongUseError(message, "name a file with `--to`, or begin with the `# heading` of a deck")
    names = {deck.name.rpartition("::")[2] for _, deck in _decks(contents, "")}
    fix = did_you_mean(piece.title, names, "name a file with `--to`; a new deck is added at its end")
    return WrongUseError(f"no deck has the name `{piece.title}`", fix)


def _end_of_deck(source: EditedSource, deck: DeckText, title: str) -> int:
    """Return the line (from 0) above which a deck ends: the next heading of its level, or the file's end."""
    own = (n for n, number in enumerate(source.numbers) if number == _OWN)
    start = next(islice(own, deck.place.line - 1, None))
    heads = [block for block in scan(source.text).children if block.kind is BlockKind.HEADING]
    # Notes above the first heading are in a deck that is named after the file.
    head = next((block for block in heads if block.start == start and plain_heading(block) in title), None)
    level = head.level if head else 1
    ends = (block.start for block in heads if block.start > start and block.level <= level)
    return next(ends, len(source.lines))
