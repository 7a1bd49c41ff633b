"""`Q:` and `A:`, `C:` with brackets, and the notes between START and END of Obsidian_to_Anki."""

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from ptcards.diagnostics import warning
from ptcards.notes import Kind, Text
from ptcards.source.attributes import Attributes
from ptcards.source.definitions import Definitions
from ptcards.source.parts import DeckPart, Found, LeftOut, Page, Parts
from ptcards.source.readers.lines import outside_code
from ptcards.source.readers.texts import Cut, text_of
from ptcards.source.readers.wiki import rewrite

_Q = re.compile(r"(?P<bold>\*\*)?Q[:：](?(bold)\*\*)\s*")
_A = re.compile(r"(?P<bold>\*\*)?A[:：](?(bold)\*\*)\s*")
_C = re.compile(r"C[:：]\s*")
_ID = re.compile(r"\s*(?:<!--\s*)?ID:\s*(?P<id>\d{10,})\s*(?:-->)?\s*\Z")
_ID_LATE = re.compile(r"\s*(?:<!--\s*)?ID:\s*(?P<id>\d{10,})\s*(?:-->)?")
_RULE = re.compile(r"-{3,}\s*\Z|#{1,6}\s")
_BRACKETS = re.compile(r"(?<![!\\\]])\[(?P<inner>[^\[\]\n]+)\](?![(\[:])")
_CURLY = re.compile(r"(?<!\{)\{(?:c?(?P<number>\d{1,2})[:|])?(?P<inner>[^{}\n]+)\}(?!\})")
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

_WORDS: Mapping[str, str] = {
    "Begin Note": "START",
    "End Note": "END",
    "Begin Inline Note": "STARTI",
    "End Inline Note": "ENDI",
    "Target Deck Line": "TARGET DECK",
    "File Tags Line": "FILE TAGS",
    "Delete Note Line": "DELETE",
}
_FIELDS = ("Front", "Back", "Text", "Extra", "Back Extra")


NO_TEXT = Text()


class Field(NamedTuple):
    """A field of a note between START and END; the first may have no name."""

    name: str
    cuts: list[Cut]


class About(NamedTuple):
    """Of a note, all but its question and answer.

    Where it begins (line from 0), its kind, the id it carries.
    """

    at: int
    kind: Kind
    name: str
    tags: tuple[str, ...] = ()
    details: Text = NO_TEXT


def read(page: Page, _: Definitions) -> Found:
    """Return the parts of the cards in a source."""
    return _Reader(page).read()


class _Reader:
    def __init__(self, page: Page) -> None:
        said: dict[str, Any] = dict(page.reading.options_of("qa"))
        self.page = page
        self.seen = outside_code(page.document, page.lines)
        self.words = {**_WORDS, **dict(said.get("words", ()))}
        self.types: dict[str, tuple[str, ...]] = dict(said.get("fields", ()))
        self.ends = said.get("answer-ends", "card")
        self.curly = said.get("curly", False)
        self.scan = said.get("scan", "")
        self.expressions: dict[str, str] = dict(said.get("expressions", ()))
        self.is_inline = any("::" in each or ":{2}" in each for each in self.expressions.values())
        self.found = Found()
        self.notes: list[Parts] = []
        self.decks: dict[tuple[str, ...], DeckPart] = {}
        self.tags: tuple[str, ...] = ()
        own = said.get("deck", "")
        self.deck = self._deck("" if own == "Default" else own, 0)

    def read(self) -> Found:
        """Go through the lines; what belongs to no card is passed over."""
        if self.scan and not self.page.name.startswith(self.scan.strip("/") + "/"):
            return self.found
        self._read_front()
        for name, expression in self.expressions.items():
            if not ("::" in expression or ":{2}" in expression or re.search(r"\bQ\b|\^Q|Q:", expression)):
                message = f"the expression of the note type `{name}` is not read"
                fix = "write these cards as `Q:` and `A:`, or between START and END"
                self.found.diagnostics.append(
                    warning(self.page.text.location(), "unknown-regexp", message, fix)
                )
        at = 0
        while at < len(self.seen):
            at = self._at(at)
        self.found.notes = self.notes
        self.found.decks = list(self.decks.values())
        return self.found

    def _read_front(self) -> None:
        front = self.page.front
        for line in front.split("\n"):
            self._setting(line, "", 0)
        if re.search(r"^\s*name\s*=", front, re.MULTILINE):
            try:
                name = tomllib.loads(front).get("name")
            except ValueError:
                return
            if isinstance(name, str):
                self.deck = self._deck(name, 0)

    def _deck(self, written: str, at: int) -> DeckPart:
        levels = tuple(level.strip() for level in written.strip().split("::") if level.strip())
        if levels not in self.decks:
            self.decks[levels] = DeckPart(levels, self.page.text.location(at), replaces=bool(levels))
        return self.decks[levels]

    def _setting(self, line: str, below: str, at: int) -> int:
        """Take a line that sets deck or tags; return how many lines that takes."""
        for word in ("Target Deck Line", "File Tags Line"):
            found = re.match(rf"{re.escape(self.words[word])}(?::|\s*\Z)\s*(?P<value>.*)", line)
            if found:
                value = found["value"].strip() or below.strip()
                if word == "Target Deck Line":
                    self.deck = self._deck(value, at)
                else:
                    self.tags = tuple(self._clean_tags(value))
                return 1 if found["value"].strip() else 2
        return 0

    @staticmethod
    def _clean_tags(value: str) -> Iterator[str]:
        for tag in re.split(r"[,\s]+", value):
            cleaned = tag.strip("#\"'[]").replace("/", "::").strip(":")
            if cleaned and cleaned.casefold() not in ("marked", "leech"):
                yield cleaned

    def _at(self, at: int) -> int:
        """Take what begins in a line; return the line after it."""
        seen, line = self.seen[at], self.page.lines[at]
        if not seen or not seen.strip():
            return at + 1
        if seen.strip() == self.words["Begin Note"]:
            return self._block(at)
        if seen.startswith(self.words["Begin Inline Note"] + " "):
            return self._single(at)
        if lines := self._setting(line, self.page.lines[at + 1] if at + 1 < len(self.seen) else "", at):
            return at + lines
        if _Q.match(seen):
            return self._pair(at)
        if _C.match(seen):
            return self._cloze(at)
        if self.is_inline and (found := re.search(r"(?<=[^\s:])\s*::\s*(?=[^\s:])", seen)):
            stop, name = self._id_below(at + 1)
            question = [Cut(line[: found.start()], at)]
            self._card(About(at, Kind.BASIC, name), question, [Cut(line[found.end() :], at, found.end() + 1)])
            return stop
        return at + 1

    def _id_below(self, at: int) -> tuple[int, str]:
        """Return the line after an id that is at a line, if one is, and the id."""
        found = _ID.match(self.page.lines[at]) if at < len(self.page.lines) else None
        return (at + 1, found["id"]) if found else (at, "")

    def _is_end(self, at: int) -> bool:
        """Whether a line ends a card: the next one begins, a rule, a heading, an id."""
        seen = self.seen[at]
        if seen is None:
            return _ID.match(self.page.lines[at]) is not None
        begins = (self.words["Target Deck Line"] + ":", self.words["File Tags Line"] + ":")
        return bool(
            _Q.match(seen)
            or _C.match(seen)
            or _RULE.match(seen)
            or _ID.match(seen)
            or seen.strip() == self.words["Begin Note"]
            or seen.startswith(begins)
        )

    def _ends_at_blank(self, at: int) -> bool:
        """Whether a blank line ends an answer."""
        if self.ends == "card" or self.seen[at] is None or (self.seen[at] or "").strip():
            return False
        if self.ends == "blank-line":
            return True
        later = next((each for each in range(at, len(self.seen)) if self.page.lines[each].strip()), None)
        return later is None or not _ID.match(self.page.lines[later])

    def _pair(self, first: int) -> int:
        """Take a question and its answer."""
        start = _Q.match(self.page.lines[first])
        column = start.end() if start else 0
        question = [Cut(self.page.lines[first][column:], first, column + 1)]
        answer: list[Cut] | None = None
        at = first + 1
        while at < len(self.seen) and not self._is_end(at):
            seen = self.seen[at]
            found = _A.match(self.page.lines[at]) if seen is not None and answer is None else None
            if found:
                answer = [Cut(self.page.lines[at][found.end() :], at, found.end() + 1)]
            elif answer is None:
                question.append(Cut(self.page.lines[at], at))
            elif any(cut.text.strip() for cut in answer) and self._ends_at_blank(at):
                break
            else:
                answer.append(Cut(self.page.lines[at], at))
            at += 1
        stop, name = self._id_below(at)
        self._card(About(first, Kind.BASIC, name), question, answer or [])
        return max(stop, first + 1)

    def _cloze(self, first: int) -> int:
        start = _C.match(self.page.lines[first])
        column = start.end() if start else 0
        cuts = [Cut(self.page.lines[first][column:], first, column + 1)]
        at = first + 1
        while at < len(self.seen) and not self._is_end(at) and not self._ends_at_blank(at):
            cuts.append(Cut(self.page.lines[at], at))
            at += 1
        stop, name = self._id_below(at)
        self._deletions(About(first, Kind.CLOZE, name), cuts, _BRACKETS)
        return max(stop, first + 1)

    def _deletions(self, about: About, cuts: Sequence[Cut], mark: re.Pattern[str]) -> None:
        """Keep a cloze whose deletions are marked in a way of its own."""
        place = self.page.text.location(about.at)
        number = 0
        made = []
        for cut in cuts:
            seen = self.seen[cut.at]
            part = "" if seen is None else seen[cut.column - 1 : cut.column - 1 + len(cut.text)]
            pieces: list[str] = []
            end = 0
            for found in mark.finditer(part):
                number += 1
                given = found.groupdict().get("number")
                inner = cut.text[found.start("inner") : found.end("inner")]
                pieces += [
                    cut.text[end : found.start()],
                    f"{{{{c{min(int(given or number), 99) or 1}::{inner}}}}}",
                ]
                end = found.end()
            made.append(Cut("".join([*pieces, cut.text[end:]]), cut.at, 0) if pieces else self._ours(cut))
        text = text_of(self.page, made)
        if not text:
            self.found.left_out.append(LeftOut(place, "", "no question"))
        elif not number and "{{c" not in text.markdown:
            self.found.left_out.append(LeftOut(place, "", "no deletion"))
        else:
            self._keep(about, NO_TEXT, NO_TEXT, text)

    def _ours(self, cut: Cut) -> Cut:
        """Return a piece of a line with Obsidian's marks as GitHub has them."""
        seen = self.seen[cut.at]
        part = None if seen is None else seen[cut.column - 1 : cut.column - 1 + len(cut.text)]
        made = rewrite(cut.text, part)
        return cut if made.text == cut.text else Cut(made.text, cut.at, 0)

    def _card(self, about: About, question: Sequence[Cut], answer: Sequence[Cut]) -> None:
        place = self.page.text.location(about.at)
        question = list(question)
        while question and not question[0].text.strip():
            question.pop(0)
        is_text = bool(question) and self.seen[question[0].at] is not None
        head = question[:1] if is_text else []
        heading = text_of(self.page, [self._ours(_stripped(cut)) for cut in head])
        body = text_of(self.page, [self._ours(cut) for cut in question[len(head) :]])
        text = text_of(self.page, [self._ours(cut) for cut in answer])
        if not heading and not body:
            self.found.left_out.append(LeftOut(place, "", "no question"))
        elif not text:
            self.found.left_out.append(LeftOut(place, heading.markdown, "no answer"))
        else:
            self._keep(about, heading, body, text)

    def _keep(self, about: About, heading: Text, body: Text, answer: Text) -> None:
        kind = about.kind
        typed = ""
        if kind is Kind.TYPED:
            line = answer.markdown.strip()
            is_plain = "\n" not in line and not re.search(r"[*_`\[\]<>$\\]", line)
            kind, typed, answer = (Kind.TYPED, line, Text()) if is_plain else (Kind.BASIC, "", answer)
        self.notes.append(
            Parts(
                place=self.page.text.location(about.at),
                deck=self.deck,
                kind=kind,
                heading=heading,
                question=body,
                answer=answer,
                typed=typed,
                details=about.details,
                attributes=Attributes(id=f"o2a-{about.name}" if about.name else ""),
                tags=(*self.tags, *about.tags),
                certain=kind is not Kind.CLOZE,
            )
        )

    # START … END

    @cached_property
    def _ends(self) -> list[int]:
        """The lines that end such a note."""
        end = self.words["End Note"]
        return [at for at, line in enumerate(self.seen) if (line or "").strip() == end]

    def _block(self, first: int) -> int:
        """Take a note between START and END; without an END it is passed over."""
        below = bisect_right(self._ends, first)
        if below == len(self._ends):
            return first + 1
        last = self._ends[below]
        name, tags = "", list[str]()
        cuts: list[Cut] = []
        for at in range(first + 1, last):
            line = self.page.lines[at]
            if found := _ID.match(line):
                name = found["id"]
            elif self.seen[at] is not None and line.startswith("Tags:"):
                tags += self._clean_tags(line.removeprefix("Tags:"))
            else:
                cuts.append(Cut(line, at))
        if not name:
            below, name = self._id_below(last + 1)
        else:
            below = last + 1
        if cuts and cuts[0].text.strip() != self.words["Delete Note Line"]:
            self._typed_note(first, cuts[0].text.strip(), cuts[1:], name, tuple(tags))
        return below

    def _typed_note(
        self, first: int, kind: str, cuts: Sequence[Cut], name: str, tags: tuple[str, ...]
    ) -> None:
        names = self.types.get(kind, _FIELDS)
        fields = [
            each
            for each in self._fields(cuts, names)
            if each.name or any(cut.text.strip() for cut in each.cuts)
        ]
        front, back = fields[0].cuts if fields else [], fields[1].cuts if len(fields) > 1 else []
        is_cloze = bool(_CLOZE.search(kind))
        rest = fields[1:] if is_cloze else fields[2:]
        if not _STOCK.search(kind) and kind:
            message = f"the note type `{kind}` becomes question, answer and details"
            place = self.page.text.location(first)
            self.found.diagnostics.append(
                warning(place, "other-note-type", message, "check how these cards look", len(kind))
            )
        about = About(first, Kind.CLOZE if is_cloze else Kind.BASIC, name, tags, self._details(rest))
        if is_cloze:
            self._deletions(about, front, _CURLY if self.curly else _NEVER)
        else:
            self._card(about._replace(kind=_shape(kind)), front, back)

    def _fields(self, cuts: Sequence[Cut], names: Sequence[str]) -> Iterator[Field]:
        """Yield the fields of a note: a name known to its type and a colon begin one."""
        field = Field("", [])
        for cut in cuts:
            found = _FIELD.match(cut.text) if self.seen[cut.at] is not None else None
            if found and found["name"] in names:
                yield field
                field = Field(found["name"], [Cut(cut.text[found.end() :], cut.at, cut.column + found.end())])
            else:
                field.cuts.append(cut)
        yield field

    def _details(self, fields: Sequence[Field]) -> Text:
        cuts: list[Cut] = []
        for name, lines in fields:
            if any(cut.text.strip() for cut in lines):
                first, *others = lines
                label = f"**{name}** " if name else ""
                cuts += [
                    Cut("", first.at, 0),
                    Cut(f"{label}{first.text}", first.at, 0),
                    *map(self._ours, others),
                ]
        return text_of(self.page, cuts)

    def _single(self, at: int) -> int:
        """Take a note on one line."""
        line = self.page.lines[at]
        begin, end = (re.escape(self.words[f"{each} Inline Note"]) for each in ("Begin", "End"))
        found = re.match(rf"{begin}\s+\[(?P<kind>[^\]]+)\]\s*(?P<text>.*?)\s*{end}\s*\Z", line)
        if found is None:
            return at + 1
        start, stop = found.span("text")
        name = ""
        if identity := re.search(_ID_LATE.pattern + r"\s*\Z", line[start:stop]):
            name, stop = identity["id"], start + identity.start()
        tags: tuple[str, ...] = ()
        if tagged := re.search(r"\sTags:\s*(.*)\Z", line[start:stop]):
            tags, stop = tuple(self._clean_tags(tagged[1])), start + tagged.start()
        middle = line.find("Back:", start, stop)
        cut = Cut(line[start : middle if middle >= 0 else stop].rstrip(), at, start + 1)
        behind = middle + len("Back:")
        answer = [Cut(line[behind:stop].strip(), at, 0)] if middle >= 0 else []
        if _CLOZE.search(found["kind"]):
            about = About(at, Kind.CLOZE, name, tags)
            self._deletions(about, [cut], _CURLY if self.curly else _NEVER)
        else:
            kind = _shape(found["kind"])
            self._card(About(at, kind, name, tags), [cut], answer)
        return at + 1


def _shape(note_type: str) -> Kind:
    """Return the kind that one of Anki's own note types has, by its name in the languages that are known."""
    if _OPTIONAL.search(note_type):
        return Kind.BASIC
    if _REVERSED.search(note_type):
        return Kind.REVERSED
    return Kind.TYPED if _TYPED.search(note_type) else Kind.BASIC


_NEVER = re.compile(r"(?!)")


def _stripped(cut: Cut) -> Cut:
    text = cut.text.lstrip()
    return Cut(text.rstrip(), cut.at, cut.column + len(cut.text) - len(text) if cut.column else 0)
