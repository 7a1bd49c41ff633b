"""A source, a Markdown file of a collection, at each stage: its text, its page, and its notes and decks.

This module also reads sources, and rewrites them for fixes and code outputs.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location, Trait, error, warning
from ptcards.diagnostics.keys import KeyProblem
from ptcards.files import locked, replacing
from ptcards.files.inputs import MAX_SOURCE_BYTES, InputError, TooLargeError, read_input, real_path, shown
from ptcards.files.programs import in_shell
from ptcards.identity.hashes import NoteSummary
from ptcards.notes import LeftOutCard, Note
from ptcards.notes.notetypes import NoteType
from ptcards.source.attributes import Attributes
from ptcards.source.config import NoteSettings
from ptcards.source.dialects import OWN, Options, all_dialects, merged
from ptcards.source.own_notetypes import OWN_PREFIX, unknown_note_type
from ptcards.value_class import value_class


@value_class
class SourceSettings(NoteSettings):
    """The settings for reading a source.

    `options` has the options of every dialect, because front matter may select a different dialect. With
    `skip_broken`, notes of ours with an error are left out.
    """

    dialect: str = OWN
    options: tuple[tuple[str, Options], ...] = ()
    translation: str = ""
    root: str = ""
    """the language of a translation, and the name of its root deck"""
    note_types: tuple[NoteType, ...] = ()
    skip_broken: bool = False

    def unknown_type(self, name: str) -> KeyProblem | None:
        """Return the rule, message and fix for a name that is not one of the collection's own note types.

        Return `None` if it is one of them.
        """
        return unknown_note_type(name, self.note_types, self.broken_types)

    def type_of(self, attributes: Attributes) -> NoteType | None:
        """Return the note's note type if it is one of the collection's own, otherwise `None`."""
        name = attributes.type or ("" if attributes.kind else self.type)
        return next((note_type for note_type in self.note_types if note_type.key == OWN_PREFIX + name), None)

    def options_of(self, dialect: str) -> Options:
        """Return the options of a dialect that are set."""
        return dict(self.options).get(dialect, ())

    def with_dialect(self, written: str) -> "SourceSettings":
        """Return a copy with a dialect from front matter or the command line, such as `details:heading:2`."""
        dialect, _, rest = written.partition(":")
        said = all_dialects()[dialect].written(rest) if dialect in all_dialects() else {}
        added = {**dict(self.options), dialect: merged(self.options_of(dialect), said)}
        options = tuple(added.items()) if said else self.options
        return replace(self, dialect=dialect, options=options)


AS_OURS = SourceSettings()

_PACKAGES = (".apkg", ".colpkg")
_TABLES = (".csv", ".tsv", ".txt")
_CONTROLS = bytes({*range(0x20), 0x7F} - {*b"\t\n\r"})
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_MARKER = 7
_OURS, _BASE, _BETWEEN, _THEIRS = (sign * _MARKER for sign in "<|=>")
"""git's marks of a conflict"""


class Source(NamedTuple):
    """A decoded Markdown file with LF line ends, without a byte order mark.

    `path` is the path that the author sees, and `name` is the path below the collection's root, with `/`.
    `text` is empty until the file is read.
    """

    file: Path
    path: str
    name: str
    text: str = ""
    settings: SourceSettings = AS_OURS

    @property
    def root(self) -> Path:
        """The collection's folder."""
        return self.file.parents[self.name.count("/")]

    def skipping(self, *, broken: bool) -> "Source":
        """Return the source, whose notes with an error are left out if `broken`."""
        return self._replace(settings=replace(self.settings, skip_broken=True)) if broken else self


class ReadSource(NamedTuple):
    """A source with its text, or `None` if the file is unreadable; `digest` is the file's SHA-256 in hex."""

    source: Source | None
    digest: str
    problems: tuple[Diagnostic, ...]


def foreign_name(file: Path) -> tuple[str, str] | None:
    """Return a message and fix for a file whose name shows that it is not Markdown, otherwise `None`."""
    suffix = file.suffix.lower()
    if suffix in _PACKAGES and file.is_file():
        fix = f"run `ptcards import {in_shell(shown(file))}` to write its notes as Markdown"
        return f"`{file.name}` is an Anki package, not Markdown", fix
    if suffix in _TABLES and file.is_file():
        fix = f"run `ptcards import {in_shell(shown(file))}` to write its rows as Markdown"
        return f"`{file.name}` is a table or Anki's text export, not Markdown", fix
    return None


def read_source(source: Source) -> ReadSource:
    """Return a source with its text, read from its file, and diagnostics."""
    place = Location(source.path, 1)
    if not source.name.isascii() and any("\ud800" <= letter <= "\udfff" for letter in source.name):
        fix = "give the file or folder a UTF-8 name"
        return _unreadable(error(place, "unreadable-source", "the name is not UTF-8", fix))
    if foreign := foreign_name(source.file):
        return _unreadable(error(place, "foreign-format", *foreign))
    try:
        content = read_input(source.file, source.root, MAX_SOURCE_BYTES)
    except TooLargeError as failure:
        fix = "split it into several files"
        return _unreadable(error(place, "source-too-large", f"the file {failure.reason}", fix))
    except InputError as failure:
        return _unreadable(failure.at(place, "unreadable-source"))
    return decode_source(source, content)


def decode_source(source: Source, content: bytes) -> ReadSource:
    """Return a source with its text, decoded from the content of its file, and diagnostics."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as failure:
        return _unreadable(_not_utf8(source.path, content, failure))
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    digest = hashlib.sha256(content).hexdigest()
    has_controls = len(content.translate(None, _CONTROLS)) < len(content)
    problems = tuple(_control_characters(source.path, text)) if has_controls else ()
    if conflicts := find_conflicts(text):
        in_fence = [each for each in conflicts if _is_in_fence(text, each)]  # it may show what a merge is
        if source.settings.dialect == OWN:
            problems = (*_report(source.path, in_fence, warning), *problems)
        if conflicts := [each for each in conflicts if each not in in_fence]:
            text = _without_conflicts(text, conflicts)
            problems = (*_report(source.path, conflicts, error), *problems)
    return ReadSource(source._replace(text=text), digest, problems)


def _unreadable(problem: Diagnostic) -> ReadSource:
    return ReadSource(None, "", (problem,))


def _not_utf8(path: str, content: bytes, failure: UnicodeDecodeError) -> Diagnostic:
    # `start` does not count the byte order mark, which utf-8-sig skips.
    skipped = 3 if content.startswith(b"\xef\xbb\xbf") else 0
    before = content[skipped : skipped + failure.start].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    line = before.count(b"\n") + 1
    column = len(before.rpartition(b"\n")[2].decode("utf-8")) + 1
    byte = content[skipped + failure.start]
    return error(
        Location(path, line, column),
        "not-utf8",
        f"the byte `0x{byte:02x}` is not valid UTF-8",
        "save the file as UTF-8",
    )


def _control_characters(path: str, text: str) -> Iterator[Diagnostic]:
    for number, line in enumerate(text.split("\n"), 1):
        for column, c in enumerate(line, 1):
            if (c < " " and c != "\t") or c == "\x7f":
                yield warning(
                    Location(path, number, column),
                    "control-character",
                    f"the control character U+{ord(c):04X} is invisible and is left out",
                    "delete it",
                )


class Conflict(NamedTuple):
    """An unfinished merge: the lines (from 0) of its first marker, our text's end, and its last marker."""

    start: int
    middle: int
    end: int


def find_conflicts(text: str) -> list[Conflict]:
    """Return the conflicts that a merge left in a text."""
    if f"\n{_OURS}" not in f"\n{text}":
        return []
    conflicts: list[Conflict] = []
    start = middle = None
    is_second = False
    for number, line in enumerate(text.split("\n")):
        marker = line[:_MARKER] if line[_MARKER : _MARKER + 1] in ("", " ") else ""
        if marker == _OURS:
            start, middle, is_second = number, None, False
        elif start is None:
            continue
        elif marker == _BASE and middle is None:
            middle = number
        elif line == _BETWEEN and not is_second:
            middle, is_second = number if middle is None else middle, True
        elif marker == _THEIRS and is_second and middle is not None:
            conflicts.append(Conflict(start, middle, number))
            start = None
    return conflicts


def _is_in_fence(text: str, conflict: Conflict) -> bool:
    """Whether a conflict is inside one fence."""
    fence = ""
    for number, line in enumerate(text.split("\n")[: conflict.end + 1]):
        if number == conflict.start and not fence:
            return False
        if fence:
            is_end = line.strip().startswith(fence) and not line.strip().strip(fence[0])
            if is_end and number > conflict.start:
                return False
            fence = "" if is_end else fence
        elif found := _FENCE.match(line):
            fence = found[1]
    return True


def _without_conflicts(text: str, conflicts: Sequence[Conflict]) -> str:
    """Return a text that has only our side of each conflict, with blank lines in place of the rest."""
    lines = text.split("\n")
    for start, middle, end in conflicts:
        lines[start] = ""
        lines[middle : end + 1] = [""] * (end + 1 - middle)
    return "\n".join(lines).rstrip("\n") + "\n"  # the author did not write blank lines at the end


def _report(
    path: str, conflicts: Iterable[Conflict], make: Callable[..., Diagnostic]
) -> Iterator[Diagnostic]:
    make = partial(make, traits=Trait.MERGE)
    for conflict in conflicts:
        message = f"an unfinished merge, up to line {conflict.end + 1}"
        fix = "finish the merge: keep the right text, and delete the lines with the markers"
        yield make(Location(path, conflict.start + 1), "conflict-marker", message, fix, _MARKER)


LINE_END = re.compile(r"(\r\n|\r|\n)")


def rewrite(file: Path, folder: Path, change: Callable[[bytes], bytes]) -> tuple[bytes, bytes]:
    """Replace the content of a file below a folder with what `change` returns, while no build writes there.

    A link remains a link. A file that is unreadable or not UTF-8 is left alone, because it changed in the
    meantime. Return the content before and after, both empty if the file was left alone.

    Raises:
        OutputError: the file cannot be written; it is unchanged.

    """
    with suppress(InputError, UnicodeDecodeError):
        real = real_path(file, folder)
        with locked(real.parent, waiting=lambda _: None):
            return _replace(real, change)
    return b"", b""


def _replace(file: Path, change: Callable[[bytes], bytes]) -> tuple[bytes, bytes]:
    before = read_input(file, file.parent, MAX_SOURCE_BYTES)
    after = change(before)
    if after != before:
        with replacing(file) as stream:
            stream.write(after)
    return before, after


def split_lines(content: bytes) -> list[tuple[str, str]]:
    """Return the lines of a file, each with its line end, without the byte order mark."""
    parts = LINE_END.split(content.decode("utf-8-sig"))
    return list(zip(parts[::2], [*parts[1::2], ""], strict=True))


def joined(content: bytes, lines: Iterable[tuple[str, str]]) -> bytes:
    """Return lines as bytes, with a byte order mark if the original `content` has one."""
    mark = "\ufeff" if content.startswith(b"\xef\xbb\xbf") else ""
    return (mark + "".join(line + end for line, end in lines)).encode()


class DeckText(NamedTuple):
    """A deck named in a source; `place` is the location of its name."""

    name: str
    place: Location
    description: str


class MediaUse(NamedTuple):
    """A file that a source shows, with its name in Anki and its digest; `place` is its first use."""

    name: str
    digest: str
    file: str
    place: Location
    length: int


class Ignored(NamedTuple):
    """A rule that a note ignores: the note's number in its source, the rule's name, and its location.

    Drafts are numbered after all notes.
    """

    note: int
    rule: str
    place: Location


def count_of(count: int, what: str) -> str:
    """Return a count with a plural noun, whose first word becomes singular if the count is 1."""
    noun, space, rest = what.partition(" ")
    return f"{count:,} {noun.removesuffix('s') if count == 1 else noun}{space}{rest}"


class AnchorLink(NamedTuple):
    """A link to a heading: the file as written (empty for the same file), the heading's anchor, its place."""

    file: str
    anchor: str
    place: Location
    length: int


@value_class
class Evidence:
    """What a source looks like: the dialect, the number of cards, and the location of the first.

    `dialect` is named as on the command line. For other formats it is the name of their tool with the prefix
    `foreign:`, or `question-level` with a number. `what` names the things counted, in the plural. If the
    dialect reads none of them because the source has none of its tags, `lacks` are the tags that it has; if
    it reads none for another reason, `way_out` says what to do.
    """

    dialect: str
    sure: bool
    count: int
    place: Location
    what: str
    lacks: tuple[str, ...] | None = None
    way_out: str = ""

    @property
    def words(self) -> str:
        """The count and what was counted, in words."""
        return count_of(self.count, self.what)


class ParsedSource(NamedTuple):
    """The contents of one source; `summaries` are those of its notes, and `media` the files that they show.

    They depend on the source, the collection's settings, the media, and whether the source is the only one.
    The cache keeps the notes apart, because most commands do not need them.

    Drafts are kept apart from notes, so that whatever does not ask for them cannot publish one.
    """

    notes: tuple[Note, ...]
    summaries: tuple[NoteSummary, ...]
    decks: tuple[DeckText, ...]
    diagnostics: tuple[Diagnostic, ...]
    media: tuple[MediaUse, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    dialect: str = OWN
    language: str = ""
    left_out: tuple[LeftOutCard, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    schedules: tuple[int, int] = (0, 0)
    draft_notes: tuple[Note, ...] = ()
    draft_summaries: tuple[NoteSummary, ...] = ()
    anchor_links: tuple[AnchorLink, ...] = ()

    @property
    def all_notes(self) -> tuple[Note, ...]:
        """The notes and the drafts, in the order of the source."""
        return _in_order(self.notes, self.draft_notes)

    @property
    def all_summaries(self) -> tuple[NoteSummary, ...]:
        """The summaries of the notes, followed by those of the drafts."""
        return (*self.summaries, *self.draft_summaries)

    @property
    def seems_foreign(self) -> bool:
        """Whether the source has no notes in our format and was clearly written for another program."""
        return self.dialect == OWN and not self.all_summaries and any(each.sure for each in self.evidence)


def _in_order(notes: tuple[Note, ...], drafts: tuple[Note, ...]) -> tuple[Note, ...]:
    return tuple(sorted((*notes, *drafts), key=lambda note: note.location)) if drafts else notes
