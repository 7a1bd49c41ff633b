"""Reads the settings of the plugin Obsidian_to_Anki, and the fields of its notes between START and END."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any, NamedTuple, Self

from ptcards.source.exclude import is_excluded, valid_patterns
from ptcards.source.parts import Page
from ptcards.source.readers.lines import Cut, comment_lines, stripped

_WORDS: Mapping[str, str] = {
    "Begin Note": "START",
    "End Note": "END",
    "Begin Inline Note": "STARTI",
    "End Inline Note": "ENDI",
    "Target Deck Line": "TARGET DECK",
    "File Tags Line": "FILE TAGS",
    "Delete Note Line": "DELETE",
    "Frozen Fields Line": "FROZEN",
}
_FIELDS = ("Front", "Back", "Text", "Extra", "Back Extra")
_FIRST = ("Front", "Text")
_MOST_FROZEN = 2000
"""The maximum number of characters added to each note of a type, because a file may have thousands of notes.
"""
_FIELD = re.compile(r"(?P<name>[^\W\d_][\w (),'’/-]{0,40}):(?:\s|\Z)")
_ID = r"\s*(?:<!--\s*)?ID:\s*(?P<id>\d{10,})\s*+(?:-->\s*+)?\Z"
_ID_LINE = re.compile(_ID)
_ID_LATE = re.compile(r"(?<!\s)" + _ID)
_TYPE = re.compile(r"\s+\[(?P<kind>[^\]]+)\]\s*")
_TAGS_LATE = re.compile(r"(?<!\s)\s+Tags:\s*(.*)\Z")
ASKS = re.compile(r"\bQ\b|\^Q|Q:")
COLONS = re.compile(r"::|:\{2\}")
"""What the regular expressions of the known kinds of cards contain."""
_HEADS = re.compile(r"\A\^\(?(?P<marks>#+)(?P<times>\+|\{\d(?:,\d?)?\})?(?P<space>\\s|\[? )?")


class Field(NamedTuple):
    """A field of a note between START and END; the first field may have no name."""

    name: str
    cuts: list[Cut]


class Block(NamedTuple):
    """A note of the plugin: its note type, its id (`name`), its tags, and its fields in order."""

    note_type: str
    name: str
    tags: tuple[str, ...]
    fields: Sequence[Field]


@dataclass(frozen=True)
class Settings:
    """The plugin's settings on top of its defaults; if the folder to `scan` is set, only it is read."""

    words: Mapping[str, str] = field(default_factory=lambda: _WORDS)
    fields: Mapping[str, Sequence[str]] = field(default_factory=dict)
    expressions: Mapping[str, str] = field(default_factory=dict)
    answer_ends: str = "card"
    curly: bool = False
    scan: str = ""
    deck: str = ""
    ignored: tuple[str, ...] = ()
    folder_decks: Mapping[str, str] = field(default_factory=dict)
    folder_tags: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, page: Page) -> Self:
        """Return the settings of a source."""
        said: dict[str, Any] = {name.replace("-", "_"): each for name, each in page.reading.options_of("qa")}
        for name in ("words", "fields", "expressions", "folder_decks", "folder_tags"):
            said[name] = dict(said.get(name, ()))
        words = {name: word for name, word in said["words"].items() if word}
        return cls(**{**said, "words": {**_WORDS, **words}})

    def reads(self, name: str) -> bool:
        """Whether the plugin reads the source with this name."""
        is_scanned = not self.scan or name.startswith(f"{self.scan}/")
        return is_scanned and not is_excluded(name, valid_patterns(self.ignored))

    def deck_of(self, name: str) -> str:
        """Return the deck of a source that names none, or an empty string."""
        deck = _of_nearest(self.folder_decks, name) or self.deck
        return "" if deck == "Default" else deck

    def tags_of(self, name: str) -> tuple[str, ...]:
        """Return the tags of all notes in a source."""
        return tuple(clean_tags(_of_nearest(self.folder_tags, name)))

    def type_found_by(self, mark: re.Pattern[str]) -> str | None:
        """Return the first note type whose regular expression a pattern finds, or `None`."""
        return next((name for name, each in self.expressions.items() if mark.search(each)), None)

    @cached_property
    def headed(self) -> tuple[str, re.Pattern[str]] | None:
        """The first note type whose regular expression finds headings, with a pattern for their marks."""
        for name, each in self.expressions.items():
            if found := _HEADS.match(each):
                marks = found["marks"] + (found["times"] or "")
                # An expression without a space after the marks also matches deeper headings.
                any_more = "" if found["space"] else "#*"
                return name, re.compile(rf"(?=#{{1,6}}\s)(?:{marks}){any_more}\s+(?=\S)")
        return None

    @property
    def unread(self) -> Iterator[str]:
        """The note types whose regular expressions are unknown."""
        for name, each in self.expressions.items():
            if not any(known.search(each) for known in (ASKS, COLONS, _HEADS)):
                yield name

    @cached_property
    def setting(self) -> re.Pattern[str]:
        """A pattern for lines that set the deck or the tags."""
        deck, tags = (re.escape(self.words[f"{each} Line"]) for each in ("Target Deck", "File Tags"))
        return re.compile(rf"(?:(?P<deck>{deck})|(?P<tags>{tags}))(?::|\s*\Z)\s*(?P<value>.*)")

    def block(
        self, page: Page, seen: Sequence[str | None], ids: Mapping[int, str], first: int, last: int
    ) -> Block | None:
        """Return the note between two lines, or `None` if it is deleted or empty."""
        name, tags = "", list[str]()
        cuts: list[Cut] = []
        for at in range(first + 1, last):
            line = page.lines[at]
            if at in ids:
                name = ids[at]
            elif seen[at] is not None and line.startswith("Tags:"):
                tags += clean_tags(line.removeprefix("Tags:"))
            else:
                cuts.append(Cut(line, at))
        if not cuts or cuts[0].text.strip() == self.words["Delete Note Line"]:
            return None
        note_type = cuts[0].text.strip()
        return Block(note_type, name, tuple(tags), self.cut(note_type, cuts[1:], seen))

    def cut(self, note_type: str, cuts: Sequence[Cut], seen: Sequence[str | None]) -> list[Field]:
        """Return the fields of a note; a field begins outside code with its name and a colon."""
        names = self._names(note_type)
        found = [Field("", [])]
        for cut in cuts:
            begins = _FIELD.match(cut.text) if seen[cut.at] is not None else None
            if begins and begins["name"] in names:
                rest = cut.text[begins.end() :]
                found.append(Field(begins["name"], [Cut(rest, cut.at, cut.column + begins.end())]))
            else:
                found[-1].cuts.append(cut)
        return [each for each in found if each.name or any(cut.text.strip() for cut in each.cuts)]

    def singles(self, line: str, seen: str, at: int) -> Iterator[Block]:
        """Yield the notes that begin and end on this line."""
        begin, end = self.words["Begin Inline Note"], self.words["End Inline Note"]
        stop = 0
        while (start := seen.find(begin, stop)) >= 0:
            start += len(begin)
            stop = seen.find(end, start)
            if stop < 0:
                return
            if found := _TYPE.match(line, start, stop):
                yield self._single(found["kind"], Cut(line[found.end() : stop], at, found.end() + 1))
            stop += len(end)

    def _single(self, note_type: str, cut: Cut) -> Block:
        text, name = cut.text.rstrip(), ""
        if identity := _ID_LATE.search(text):
            name, text = identity["id"], text[: identity.start()]
        tags: tuple[str, ...] = ()
        if tagged := _TAGS_LATE.search(text):
            tags, text = tuple(clean_tags(tagged[1])), text[: tagged.start()]
        names = "|".join(sorted(map(re.escape, self._names(note_type)), reverse=True))
        begins = [
            (each["name"], *each.span()) for each in re.finditer(rf"(?<!\S)(?P<name>{names}):(?!\S)", text)
        ]
        edges = pairwise([("", 0, 0), *begins, ("", len(text), len(text))])
        fields = [
            Field(field, [stripped(Cut(text[start:stop], cut.at, cut.column + start))])
            for (field, _, start), (_, stop, _) in edges
            if field or text[start:stop].strip()
        ]
        return Block(note_type, name, tags, fields)

    def is_first(self, note_type: str, name: str) -> bool:
        """Whether a name is that of a note type's first field, which notes may leave out."""
        return name in (self.fields.get(note_type, ())[:1] or _FIRST)

    def _names(self, note_type: str) -> Sequence[str]:
        return self.fields.get(note_type) or _FIELDS


class Frozen:
    """The fields that a source adds to all its notes of a type, and the lines that define them."""

    def __init__(self, settings: Settings, page: Page, seen: Sequence[str | None]) -> None:
        self.lines: set[int] = set()
        self.too_long: Sequence[str] = ()
        self._settings = settings
        cuts: dict[str, list[Cut]] = {}
        self._fields: Mapping[str, Sequence[Field]] = {}
        word = settings.words["Frozen Fields Line"]
        if f"{word} - " not in page.text.markdown:
            return
        begins = re.compile(rf"{re.escape(word)} - (?P<type>.*):\s*\Z")
        current: list[Cut] | None = None
        for at, line in enumerate(page.lines):
            if seen[at] and (found := begins.match(line)):
                current = cuts[found["type"]] = []
            elif current is None or not line.strip():
                current = None
                continue
            else:
                current.append(Cut(line, at))
            self.lines.add(at)
        self.too_long = [
            each for each, lines in cuts.items() if sum(len(cut.text) for cut in lines) > _MOST_FROZEN
        ]
        self._fields = {
            each: settings.cut(each, lines, seen) for each, lines in cuts.items() if each not in self.too_long
        }

    def added(self, block: Block) -> Block:
        """Return a note with the fields that the source adds to it."""
        fields = list(block.fields)
        for each in self._fields.get(block.note_type, ()):
            same = (n for n, one in enumerate(fields) if self._is_same(block.note_type, one.name, each.name))
            at = next(same, None)
            if at is None:
                fields.append(each)
            else:
                fields[at] = Field(fields[at].name, [*fields[at].cuts, *each.cuts])
        return block._replace(fields=fields)

    def added_to_pair(
        self, note_type: str, question: Sequence[Cut], answer: Sequence[Cut]
    ) -> tuple[Sequence[Cut], Sequence[Cut], Sequence[Field]]:
        """Return the lines of a question and its answer, and other fields that the source adds to them."""
        if note_type not in self._fields or not any(cut.text.strip() for cut in answer):
            return question, answer, ()
        names = (*self._settings.fields.get(note_type, ()), *_FIELDS)
        own = [Field(name, [*cuts]) for name, cuts in zip(names, (question, answer), strict=False)]
        front, back, *others = self.added(Block(note_type, "", (), own)).fields
        return front.cuts, back.cuts, others

    def _is_same(self, note_type: str, one: str, other: str) -> bool:
        is_first = self._settings.is_first
        return (
            one == other
            or (not one and is_first(note_type, other))
            or (not other and is_first(note_type, one))
        )


def _of_nearest(values: Mapping[str, str], name: str) -> str:
    """Return the value of the nearest folder that contains a source, or an empty string."""
    return next((values[str(each)] for each in PurePosixPath(name).parents if str(each) in values), "")


def id_lines(page: Page, seen: Sequence[str | None]) -> Mapping[int, str]:
    """Return the plugin's ids by line; ids in code do not count."""
    if "ID:" not in page.text.markdown:
        return {}
    comments = comment_lines(page.document)
    lines = ((at, line) for at, line in enumerate(page.lines) if seen[at] is not None or at in comments)
    return {at: found["id"] for at, line in lines if "ID:" in line and (found := _ID_LINE.match(line))}


def clean_tags(value: str) -> Iterator[str]:
    """Yield the tags on a line as Anki stores them."""
    for tag in re.split(r"[,\s]+", value):
        cleaned = tag.strip("#\"'[]").replace("/", "::").strip(":")
        if cleaned and cleaned.casefold() not in ("marked", "leech"):
            yield cleaned
