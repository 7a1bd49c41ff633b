"""The settings of Obsidian's plugin Obsidian_to_Anki, and the fields of its notes between START and END."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Self

from ptcards.notes import Kind
from ptcards.source.parts import Page
from ptcards.source.readers.lines import Cut

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
_FIELD = re.compile(r"(?P<name>[^\W\d_][\w (),'’/-]{0,40}):(?:\s|\Z)")
_CLOZE = re.compile(r"cloze|lücken|trous|anidada|omiss|hueco|穴埋め|填空|빈칸", re.IGNORECASE)
_REVERSED = re.compile(
    r"(?<!optional )(?:reversed|umgekehrt|inversé|invertid|inversa|反向|逆|反转)", re.IGNORECASE
)
_OPTIONAL = re.compile(r"optional|facultat|opcional|wahlweise|可选", re.IGNORECASE)
_TYPED = re.compile(r"type in|eintippen|saisi|écrire|escrib|teclear|输入|入力", re.IGNORECASE)
_STOCK = re.compile(
    r"basic|cloze|einfach|lücken|basique|básic|simple|填空|基础|基本|穴埋め|anidada|trous", re.IGNORECASE
)
_ID = r"\s*(?:<!--\s*)?ID:\s*(?P<id>\d{10,})\s*(?:-->)?\s*\Z"
ID_LINE = re.compile(_ID)
"""A line with the id of the note above it."""
_ID_LATE = re.compile(r"(?<!\s)" + _ID)
_TAGS_LATE = re.compile(r"(?<!\s)\s+Tags:\s*(.*)\Z")
_ASKS = re.compile(r"\bQ\b|\^Q|Q:")
_HEADS = re.compile(r"\^\(?#")


class Field(NamedTuple):
    """A field of a note between START and END; the first may have no name."""

    name: str
    cuts: list[Cut]


class Block(NamedTuple):
    """A note of the plugin: its note type, id, tags, and its fields in order."""

    note_type: str
    name: str
    tags: tuple[str, ...]
    fields: Sequence[Field]


@dataclass(frozen=True)
class Settings:
    """The plugin's settings on top of its defaults; if it has a folder to `scan`, it reads no other."""

    words: Mapping[str, str] = field(default_factory=lambda: _WORDS)
    fields: Mapping[str, Sequence[str]] = field(default_factory=dict)
    expressions: Mapping[str, str] = field(default_factory=dict)
    answer_ends: str = "card"
    curly: bool = False
    scan: str = ""
    deck: str = ""

    @classmethod
    def of(cls, page: Page) -> Self:
        """Return the settings of a source."""
        said: dict[str, Any] = {name.replace("-", "_"): each for name, each in page.reading.options_of("qa")}
        for name in ("words", "fields", "expressions"):
            said[name] = dict(said.get(name, ()))
        return cls(**{**said, "words": {**_WORDS, **said["words"]}})

    @cached_property
    def has_colons(self) -> bool:
        """Whether a regular expression finds cards by `::` in a line."""
        return any("::" in each or ":{2}" in each for each in self.expressions.values())

    @cached_property
    def has_headings(self) -> bool:
        """Whether a regular expression finds cards by headings with a paragraph below."""
        return any(_HEADS.match(each) for each in self.expressions.values())

    @property
    def unread(self) -> Iterator[str]:
        """The note types with a regular expression that is not a known one."""
        for name, each in self.expressions.items():
            if not ("::" in each or ":{2}" in each or _ASKS.search(each) or _HEADS.match(each)):
                yield name

    @cached_property
    def setting(self) -> re.Pattern[str]:
        """The pattern of a line that sets the deck or the tags."""
        deck, tags = (re.escape(self.words[f"{each} Line"]) for each in ("Target Deck", "File Tags"))
        return re.compile(rf"(?:(?P<deck>{deck})|(?P<tags>{tags}))(?::|\s*\Z)\s*(?P<value>.*)")

    @cached_property
    def _single(self) -> re.Pattern[str]:
        """The pattern of a note on one line."""
        begin, end = (re.escape(self.words[f"{each} Inline Note"]) for each in ("Begin", "End"))
        return re.compile(rf"{begin}\s+\[(?P<kind>[^\]]+)\]\s*(?P<text>.*?)\s*{end}\s*\Z")

    def block(self, page: Page, seen: Sequence[str | None], first: int, last: int) -> Block | None:
        """Return the note between two lines, or `None` if it is deleted or empty."""
        name, tags = "", list[str]()
        cuts: list[Cut] = []
        for at in range(first + 1, last):
            line = page.lines[at]
            if found := ID_LINE.match(line):
                name = found["id"]
            elif seen[at] is not None and line.startswith("Tags:"):
                tags += clean_tags(line.removeprefix("Tags:"))
            else:
                cuts.append(Cut(line, at))
        if not cuts or cuts[0].text.strip() == self.words["Delete Note Line"]:
            return None
        note_type = cuts[0].text.strip()
        return Block(note_type, name, tuple(tags), self._fields(note_type, cuts[1:], seen))

    def _fields(self, note_type: str, cuts: Sequence[Cut], seen: Sequence[str | None]) -> list[Field]:
        """Return the fields of a note; outside code, a name from its note type and a colon begin one."""
        names = self.fields.get(note_type, _FIELDS)
        found = [Field("", [])]
        for cut in cuts:
            begins = _FIELD.match(cut.text) if seen[cut.at] is not None else None
            if begins and begins["name"] in names:
                rest = cut.text[begins.end() :]
                found.append(Field(begins["name"], [Cut(rest, cut.at, cut.column + begins.end())]))
            else:
                found[-1].cuts.append(cut)
        return [each for each in found if each.name or any(cut.text.strip() for cut in each.cuts)]

    def single(self, line: str, at: int) -> Block | None:
        """Return the note on a line, or `None`."""
        found = self._single.match(line)
        if found is None:
            return None
        start, stop = found.span("text")
        name = ""
        if identity := _ID_LATE.search(line[start:stop]):
            name, stop = identity["id"], start + identity.start()
        tags: tuple[str, ...] = ()
        if tagged := _TAGS_LATE.search(line[start:stop]):
            tags, stop = tuple(clean_tags(tagged[1])), start + tagged.start()
        middle = line.find("Back:", start, stop)
        front = Cut(line[start : middle if middle >= 0 else stop].rstrip(), at, start + 1)
        back = Cut(line[middle + len("Back:") : stop].strip(), at, 0)
        fields = [Field("", [front]), *([Field("Back", [back])] if middle >= 0 else ())]
        return Block(found["kind"], name, tags, fields)


def kind_of(note_type: str) -> Kind:
    """Return the kind for one of Anki's own note types, by its name in the known languages."""
    if _CLOZE.search(note_type):
        return Kind.CLOZE
    if _OPTIONAL.search(note_type):
        return Kind.BASIC
    if _REVERSED.search(note_type):
        return Kind.REVERSED
    return Kind.TYPED if _TYPED.search(note_type) else Kind.BASIC


def is_stock(note_type: str) -> bool:
    """Whether a note type is one of Anki's own, judging by its name."""
    return not note_type or bool(_STOCK.search(note_type))


def clean_tags(value: str) -> Iterator[str]:
    """Yield the tags on a line as Anki stores them."""
    for tag in re.split(r"[,\s]+", value):
        cleaned = tag.strip("#\"'[]").replace("/", "::").strip(":")
        if cleaned and cleaned.casefold() not in ("marked", "leech"):
            yield cleaned
