"""Reads `Q:` and `A:`, `C:` with brackets, and Obsidian_to_Anki's notes between START and END."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any, NamedTuple, Self

from ptcards.diagnostics import counted, warning
from ptcards.extensions.dialects.cards import Cards, named, with_brackets
from ptcards.extensions.dialects.expressions import FoundParagraphs, ParagraphSyntax
from ptcards.extensions.dialects.formats import EXPRESSIONS
from ptcards.extensions.dialects.obsidian_syntax import comment_lines, next_lines, rewrite, stripped
from ptcards.extensions.dialects.stock_names import stock_name
from ptcards.files.limits import parse_toml
from ptcards.notes import Kind, Line, Note, Text
from ptcards.source.content import Definitions
from ptcards.source.exclude import is_excluded, valid_patterns
from ptcards.source.page import DeckPart, Page, ReaderResult, ReadNote

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
_FIELD = re.compile(r"(?P<name>[^\W\d_][\w (),'’/-]{0,40}):(?:\s|\Z)")
_ID = r"\s*(?:[-*+]\s+)?(?:<!--\s*)?ID:\s*(?P<id>\d{10,})\s*+(?:-->\s*+)?\Z"
_ID_LINE = re.compile(_ID)


_NamedLines = tuple[str, list[Line]]
"""A field of a note between START and END: its name and its lines; the first field may have no name."""


@dataclass(frozen=True)
class ObsidianToAnkiSettings:
    """The plugin's settings on top of its defaults; if the folder to `scan` is set, only it is read."""

    words: Mapping[str, str] = field(default_factory=lambda: _WORDS)
    fields: Mapping[str, Sequence[str]] = field(default_factory=dict)
    expressions: Mapping[str, str] = field(default_factory=dict)
    answer_ends: str = "card"
    curly: bool = False
    highlights: bool = False
    scan: str = ""
    deck: str = ""
    ignored: tuple[str, ...] = ()
    folder_decks: Mapping[str, str] = field(default_factory=dict)
    folder_tags: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, page: Page) -> Self:
        """Return the settings of a source."""
        said: dict[str, Any] = {name.replace("-", "_"): each for name, each in page.settings.options_of("qa")}
        for name in ("words", "fields", "expressions", "folder_decks", "folder_tags"):
            said[name] = dict(said.get(name, ()))
        words = {name: word for name, word in said["words"].items() if word}
        return cls(**{**said, "words": {**_WORDS, **words}})

    def reads(self, name: str) -> bool:
        """Whether the plugin reads the source with this name."""
        is_scanned = not self.scan or name.startswith(f"{self.scan}/")
        return is_scanned and not is_excluded(name, valid_patterns(self.ignored))

    @cached_property
    def headed(self) -> re.Pattern[str] | None:
        """A pattern for the marks of headings, from the first regular expression that finds headings."""
        for each in self.expressions.values():
            if found := re.match(EXPRESSIONS["heading"], each):
                marks = found["marks"] + (found["times"] or "")
                # An expression without a space after the marks also matches deeper headings.
                any_more = "" if found["space"] else "#*"
                return re.compile(rf"(?=#{{1,6}}\s)(?:{marks}){any_more}\s+(?=\S)")
        return None

    @cached_property
    def setting(self) -> re.Pattern[str]:
        """A pattern for lines that set the deck or the tags."""
        deck, tags = (re.escape(self.words[f"{each} Line"]) for each in ("Target Deck", "File Tags"))
        return re.compile(rf"(?:(?P<deck>{deck})|(?P<tags>{tags}))(?::|\s*\Z)\s*(?P<value>.*)")


def _between(line: str, begin: str, end: str) -> Iterator[int]:
    """Yield where notes on one line begin, as in `STARTI [Basic] One? Back: 1 ENDI`."""
    stop = 0
    while (start := line.find(begin, stop)) >= 0 and (stop := line.find(end, start + len(begin))) >= 0:
        if line[start + len(begin) : stop].lstrip().startswith("["):
            yield start
        stop += len(end)


def _of_nearest(values: Mapping[str, str], name: str) -> str:
    """Return the value of the nearest folder that contains a source, or an empty string."""
    return next((values[str(parent)] for parent in PurePosixPath(name).parents if str(parent) in values), "")


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


BRACKETS = re.compile(r"(?<![!\\\]\[])\[(?P<inner>[^\[\]\n]+)\](?![(\[:])")
_CURLY = re.compile(r"(?<!\{)\{(?:c?(?P<number>\d{1,2})[:|])?(?P<inner>[^{}\n]+)\}(?!\})")
_CURLY_OR_MARK = re.compile(
    r"(?:(?P<brace>(?<!\{)\{)(?:c?(?P<number>\d{1,2})[:|])?|==)"
    r"(?P<inner>[^{}\n]{1,500}?)(?(brace)\}(?!\})|==)"
)
_NEVER = re.compile(r"(?!)")
_NOT_PLAIN = re.compile(r"[*_`\[\]<>$\\\n]")
_NO_TEXT = Text()

_KINDS = {"reversed": Kind.REVERSED, "typed": Kind.TYPED, "cloze": Kind.CLOZE}
_CLOZE = re.compile(r"cloze|lücken|trous|omiss|hueco|穴埋め|填空|빈칸", re.IGNORECASE)
_STOCK = re.compile(r"basic|cloze", re.IGNORECASE)


class About(NamedTuple):
    """The properties of a note: its first line (from 0), kind, id (`name`), tags and details."""

    at: int
    kind: Kind
    name: str
    tags: tuple[str, ...] = ()
    details: Text = _NO_TEXT


def kind_of(note_type: str) -> Kind:
    """Return the kind for a note type by its name; all but clozes are basic if Anki has no such note type."""
    unknown = Kind.CLOZE if _CLOZE.search(note_type) else Kind.BASIC
    return _KINDS.get(stock_name(note_type), unknown)


def is_stock(note_type: str) -> bool:
    """Whether a note type seems to be one of Anki's own or a copy, judging by its name."""
    return not note_type or bool(stock_name(note_type) or _STOCK.search(note_type))


_Q = re.compile(r"(?P<bold>\*\*)?Q[:：](?(bold)\*\*)\s*")
_A = re.compile(r"(?P<bold>\*\*)?A[:：](?(bold)\*\*)\s*")
_C = re.compile(r"C[:：]\s*")
_HEADING = re.compile(r"#{1,6}\s")
_ENDS = r"Q[:：]|\*\*Q[:：]\*\*|C[:：]|-{3,}\s*\Z|#{1,6}\s"
_COLONS = re.compile(r"(?<=[^\s:])\s*::\s*(?=[^\s:])")


def _cell(row: Line) -> Line:
    """Return the only cell of a row of a table."""
    start, end = row.text.index("|") + 1, row.text.rindex("|")
    return stripped(Line(row.text[start:end], row.index, start + 1))


def read(page: Page, _: Definitions) -> ReaderResult:
    """Return the parts of the cards in a source."""
    return _QuestionReader(page).read()


class _QuestionReader(Cards):
    """Finds the notes, and keeps the deck and tags of the next one."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self.settings = settings = ObsidianToAnkiSettings.of(page)
        self.words = settings.words
        self.current: DeckPart
        marks = _CURLY_OR_MARK if settings.highlights else _CURLY
        self.curly = marks if settings.curly else _NEVER
        self._reported: set[str] = set()
        self.ids = id_lines(page, self.seen)
        self._has_colons = any(
            re.search(EXPRESSIONS["colons"], each) for each in settings.expressions.values()
        )
        self._paragraphs = ParagraphSyntax(settings.expressions, page.lines, self.seen)
        deck = _of_nearest(settings.folder_decks, page.name) or settings.deck
        self._enter("" if deck == "Default" else deck, 0)
        self.tags = self.of_folder = tuple(clean_tags(_of_nearest(settings.folder_tags, page.name)))

    def _enter(self, written: str, at: int) -> None:
        """Make a deck current: it contains the notes that follow."""
        levels = tuple(level.strip() for level in written.strip().split("::") if level.strip())
        self.current = self.deck(levels, at, replaces=bool(levels))

    def _keep_pair(self, about: About, question: Sequence[Line], answer: Sequence[Line]) -> None:
        """Keep a question with its answer; the question's first line becomes the heading."""
        question, answer = self.shown(question), self.shown(answer)
        first = next((n for n, cut in enumerate(question) if cut.text.strip()), len(question))
        question = question[first:]
        is_text = bool(question) and self.seen[question[0].index] is not None
        head = question[:1] if is_text else ()
        heading = self.text([stripped(cut) for cut in head])
        body = self.text(question[len(head) :])
        text = self.text(answer)
        if not heading and not body:
            self.leave_out(about.at, "no question")
        elif not text:
            self.leave_out(about.at, "no answer", heading.markdown)
        else:
            self._keep(about, heading, body, text, self.block_id(answer))

    def _keep_cloze(self, about: About, cuts: Sequence[Line], mark: re.Pattern[str]) -> None:
        """Keep a cloze; `mark` matches its deletions."""
        number = 0
        made = []
        cuts = self.shown(cuts)
        for cut in cuts:
            deleted = with_brackets(cut.text, self.seen_of(cut), mark, number)
            number += deleted.marks
            made.append(self.as_rewritten(cut, rewrite(deleted.text, deleted.seen)))
        text = self.cut(made)
        if not text:
            self.leave_out(about.at, "no question")
        elif not number and "{{c" not in text.markdown:
            self.leave_out(about.at, "no deletion")
        else:
            self._keep(about, _NO_TEXT, _NO_TEXT, text, self.block_id(cuts))

    def _keep_fields(
        self, first: int, note_type: str, cuts: Sequence[Line], name: str, tags: Iterable[str]
    ) -> None:
        """Keep a note of the plugin; its details contain the fields without a counterpart."""
        fields = self._fields(note_type, cuts)
        kind = kind_of(note_type)
        own = 1 if kind is Kind.CLOZE else 2
        # If all its fields are known and each has a counterpart, nothing in the note moves.
        if len(self.settings.fields.get(note_type, ())) != own and not is_stock(note_type):
            self._report_type(first, note_type)
        about = About(first, kind, name, tuple(tags), self._details(fields[own:]))
        none: list[Line] = []
        front, back, *_ = (*(lines for _, lines in fields[:own]), none, none)
        if kind is Kind.CLOZE:
            self._keep_cloze(about, front, self.curly)
        else:
            self._keep_pair(about, front, back)

    def _fields(self, note_type: str, cuts: Sequence[Line]) -> list[_NamedLines]:
        """Return the fields of a note; a field begins outside code with its name and a colon."""
        names = self.settings.fields.get(note_type) or _FIELDS
        fields: list[_NamedLines] = [("", [])]
        for cut in cuts:
            begins = _FIELD.match(cut.text) if self.seen[cut.index] is not None else None
            if begins and begins["name"] in names:
                rest = cut.text[begins.end() :]
                fields.append((begins["name"], [Line(rest, cut.index, cut.column + begins.end())]))
            else:
                fields[-1][1].append(cut)
        return [(name, cuts) for name, cuts in fields if name or any(cut.text.strip() for cut in cuts)]

    def _report_type(self, first: int, note_type: str) -> None:
        """Report a note type that is not one of Anki's own, once per source."""
        if note_type not in self._reported:
            self._reported.add(note_type)
            message = f"the note type `{note_type}` is read as question, answer and details"
            fix = "check how these cards look"
            self.report(warning, first, "other-note-type", message, fix, length=len(note_type))

    def _keep(self, about: About, heading: Text, body: Text, answer: Text, block_id: str) -> None:
        kind = about.kind
        typed = answer.markdown.strip() if kind is Kind.TYPED else ""
        if _NOT_PLAIN.search(typed):
            kind, typed = Kind.BASIC, ""
        note = Note(
            self.page.text.location(about.at),
            kind,
            heading=heading,
            question=body,
            answer=_NO_TEXT if kind is Kind.TYPED else answer,
            typed=typed,
            details=about.details,
            tags=(*self.tags, *about.tags),
        )
        given = named("o2a", about.name) if about.name else named("block", block_id)
        self.notes.append(ReadNote(note, self.current, given, certain=kind is not Kind.CLOZE))

    def _details(self, fields: Sequence[_NamedLines]) -> Text:
        """Return fields without a counterpart as details, each below its name."""
        cuts: list[Line] = []
        for name, lines in fields:
            if any(cut.text.strip() for cut in lines):
                first, *others = map(self.rewritten, lines)
                label = f"**{name}** " if name else ""
                cuts += [Line("", first.index, 0), Line(f"{label}{first.text}", first.index, 0), *others]
        return self.cut(cuts)

    def read(self) -> ReaderResult:
        """Return the cards in the source; skip all other lines."""
        if not self.settings.reads(self.page.name):
            return self.found
        self._read_front()
        self._check_supported()
        at = 0
        while at < len(self.seen):
            at = self._at(at)
        return self.complete()

    def _check_supported(self) -> None:
        """Warn about notes on one line and about fields that the source adds to its notes."""
        begin, end, frozen = (
            self.words[name] for name in ("Begin Inline Note", "End Inline Note", "Frozen Fields Line")
        )
        lines = [(at, line or "") for at, line in enumerate(self.seen)]
        notes = [(at, start) for at, line in lines for start in _between(line, begin, end)]
        fields = [(at, 0) for at, line in lines if line.startswith(f"{frozen} - ")]
        if not notes and not fields:
            return
        count = counted(len(notes), "note")
        parts = [f"{count} between `{begin}` and `{end}`"] * bool(notes)
        parts += [f"fields below `{frozen}`"] * bool(fields)
        verb = "is" if len(notes) == 1 and not fields else "are"
        message = f"{' and '.join(parts)} {verb} not read"
        whole = f"between `{self.words['Begin Note']}` and `{self.words['End Note']}`"
        fix = f"write notes {whole}, with all fields"
        at, start = min(notes + fields)
        place = self.page.text.location(at, start + 1)
        self.found.diagnostics.append(warning(place, "unsupported-notes", message, fix))

    def _read_front(self) -> None:
        front = self.page.front
        for line in front.split("\n"):
            self._setting(line, "", 0)
        if re.search(r"^[^\S\n]*name\s*=", front, re.MULTILINE):
            try:
                name = parse_toml(front).get("name")
            except ValueError:
                return
            if isinstance(name, str):
                self._enter(name, 0)

    def _setting(self, line: str, below: str, at: int) -> int:
        """Read a setting of the deck or the tags; return the number of lines read, or 0 if there is none."""
        found = self.settings.setting.match(line)
        if not found:
            return 0
        own = found["value"].strip()
        value = own or ("" if self._begins.match(below) else below.strip())
        if found["deck"]:
            self._enter(value, at)
        else:
            self.tags = (*self.of_folder, *clean_tags(value))
        return 1 if own or not value else 2

    @cached_property
    def _begins(self) -> re.Pattern[str]:
        """A pattern for lines that begin or end a card; one pattern is fast enough to try on every line."""
        names = ("Begin Note", "Begin Inline Note", "Frozen Fields Line")
        begin, single, frozen = (re.escape(self.words[name]) for name in names)
        return re.compile(rf"{_ENDS}|\s*{begin}\s*\Z|{single} |{frozen} - ")

    @cached_property
    def _ends_card(self) -> re.Pattern[str]:
        """A pattern for lines that end a card, except ids."""
        return re.compile(f"{self._begins.pattern}|{self.settings.setting.pattern}")

    def _at(self, at: int) -> int:
        """Read what begins on a line; return the index of the line after it."""
        seen, line = self.seen[at], self.page.lines[at]
        if not seen or not seen.strip():
            return at + 1
        if seen.strip() == self.words["Begin Note"]:
            return self._block(at)
        if lines := self._setting(line, self.page.lines[at + 1] if at + 1 < len(self.seen) else "", at):
            return at + lines
        if _Q.match(seen):
            return self._pair(at)
        if _C.match(seen):
            return self._cloze(at)
        return self._by_expression(at, line, seen)

    def _by_expression(self, at: int, line: str, seen: str) -> int:
        """Read a card that one of the plugin's regular expressions finds on a line."""
        marks = self.settings.headed
        if marks and (heading := marks.match(seen)):
            return self._below_heading(at, heading.end())
        if self._has_colons and (found := _COLONS.search(seen)):
            stop, name = self._id_below(at + 1)
            answer = [Line(line[found.end() :], at, found.end() + 1)]
            self._keep_pair(About(at, Kind.BASIC, name), [Line(line[: found.start()], at)], answer)
            return stop
        found_below = self._paragraphs.find(at)
        return self._paragraph(found_below) if found_below else at + 1

    def _paragraph(self, found: FoundParagraphs) -> int:
        """Read a card that is a paragraph, or two; return the index of the line after it."""
        first, last = found.question
        question, answer = (
            [Line(self.page.lines[at], at) for at in range(*part)] for part in (found.question, found.answer)
        )
        stop, name = self._id_below(found.answer[1])
        if not answer:
            self._keep_cloze(About(first, Kind.CLOZE, name), question, self.curly)
            return stop
        if found.cut == "|":
            question, answer = ([_cell(row) for row in part] for part in (question, answer))
        else:
            question[-1] = Line(question[-1].text.rstrip().removesuffix(found.cut), last - 1)
        self._keep_pair(About(first, kind_of(found.note_type), name), question, answer)
        return stop

    def _id_below(self, at: int) -> tuple[int, str]:
        """Return the id on a line and the index of the next line; without an id, return the same index."""
        return (at + 1, self.ids[at]) if at in self.ids else (at, "")

    def _is_end(self, at: int) -> bool:
        """Whether a line ends the card above it: a new card, a rule, a heading, a setting or an id."""
        seen = self.seen[at]
        if at in self.ids or seen is None:
            return at in self.ids
        return self._ends_card.match(seen) is not None

    def _check_below_heading(self, at: int) -> None:
        """Warn about a heading that ends a card if text that is on no card follows it."""
        below, lines = at, self.page.lines
        while below < len(self.seen) and (
            self._is_plain_heading(below)
            or (below > at and (not lines[below].strip() or below in self._comments))
        ):
            below += 1
        if below in (at, len(self.seen)) or self._is_end(below) or self._is_by_expression(self.seen[below]):
            return
        message = "this heading ends the card; the text below is on no card"
        fix = "remove the `#` to keep the text on the card, or write `---` above the heading"
        length = len(self.page.lines[at].rstrip())
        self.report(warning, at, "heading-ends-card", message, fix, length=length)

    @cached_property
    def _comments(self) -> frozenset[int]:
        return comment_lines(self.page.document)

    def _is_plain_heading(self, at: int) -> bool:
        """Whether a line is a heading that is not a question."""
        seen = self.seen[at]
        return seen is not None and bool(_HEADING.match(seen)) and not self._is_by_expression(seen)

    def _is_by_expression(self, seen: str | None) -> bool:
        """Whether one of the plugin's regular expressions finds a card on a line."""
        marks = self.settings.headed
        is_headed = bool(marks and marks.match(seen or ""))
        return is_headed or (self._has_colons and bool(_COLONS.search(seen or "")))

    def _ends_at_blank(self, at: int) -> bool:
        """Whether an answer ends at this line because the line is blank."""
        ends, seen = self.settings.answer_ends, self.seen[at]
        if ends == "card" or seen is None or seen.strip():
            return False
        return ends == "blank-line" or self._below_blank[at] not in self.ids

    @cached_property
    def _below_blank(self) -> Sequence[int]:
        """For each line, the index of the first line at or below it that is not blank."""
        return next_lines(self.page.lines, lambda line: bool(line.strip()))

    def _pair(self, first: int) -> int:
        """Read a question and its answer."""
        question = [self._after(_Q, first)]
        answer: list[Line] | None = None
        is_answered = False
        at = first + 1
        while at < len(self.seen) and not self._is_end(at):
            seen, line = self.seen[at], self.page.lines[at]
            found = _A.match(line) if seen is not None and answer is None else None
            if found:
                answer = [Line(line[found.end() :], at, found.end() + 1)]
            elif answer is None:
                question.append(Line(line, at))
            elif is_answered and self._ends_at_blank(at):
                break
            else:
                answer.append(Line(line, at))
            is_answered = is_answered or bool(answer and answer[-1].text.strip())
            at += 1
        self._check_below_heading(at)
        stop, name = self._id_below(at)
        self._keep_pair(About(first, Kind.BASIC, name), question, answer or [])
        return max(stop, first + 1)

    def _after(self, mark: re.Pattern[str], at: int) -> Line:
        """Return the line that begins with a mark, without it."""
        start = mark.match(self.page.lines[at])
        column = start.end() if start else 0
        return Line(self.page.lines[at][column:], at, column + 1)

    def _below_heading(self, first: int, column: int) -> int:
        """Read a heading with the paragraph below it."""
        at = self._below_blank[first + 1]
        answer = []
        while at < len(self.seen) and self.page.lines[at].strip() and not self._is_end(at):
            answer.append(Line(self.page.lines[at], at))
            at += 1
        stop, name = self._id_below(at)
        if answer:
            title = Line(self.page.lines[first][column:], first, column + 1)
            self._keep_pair(About(first, Kind.BASIC, name), [title], answer)
        return stop

    def _cloze(self, first: int) -> int:
        cuts = [self._after(_C, first)]
        at = first + 1
        while at < len(self.seen) and not self._is_end(at) and not self._ends_at_blank(at):
            cuts.append(Line(self.page.lines[at], at))
            at += 1
        self._check_below_heading(at)
        stop, name = self._id_below(at)
        self._keep_cloze(About(first, Kind.CLOZE, name), cuts, BRACKETS)
        return max(stop, first + 1)

    @cached_property
    def _ends(self) -> list[int]:
        """The indices of the lines that end a note between START and END."""
        end = self.words["End Note"]
        return [at for at, line in enumerate(self.seen) if (line or "").strip() == end]

    def _block(self, first: int) -> int:
        """Read a note between START and END; skip START if no END follows."""
        below = bisect_right(self._ends, first)
        if below == len(self._ends):
            return first + 1
        last = self._ends[below]
        name, tags = "", list[str]()
        cuts: list[Line] = []
        for at in range(first + 1, last):
            line = self.page.lines[at]
            if at in self.ids:
                name = self.ids[at]
            elif self.seen[at] is not None and line.startswith("Tags:"):
                tags += clean_tags(line.removeprefix("Tags:"))
            else:
                cuts.append(Line(line, at))
        is_kept = bool(cuts) and cuts[0].text.strip() != self.words["Delete Note Line"]
        below, name = (last + 1, name) if is_kept and name else self._id_below(last + 1)
        if is_kept:
            self._check_settings(first, last)
            self._keep_fields(first, cuts[0].text.strip(), cuts[1:], name, tags)
        return below

    def _check_settings(self, first: int, last: int) -> None:
        """Warn about what is text on a note's card: a deck or tags for the source, or another note."""
        begin, end = self.words["Begin Note"], self.words["End Note"]
        for at in range(first + 2, last):
            seen = self.seen[at] or ""
            found = self.settings.setting.match(seen)
            if found or seen.strip() == begin:
                word = (found["deck"] or found["tags"]) if found else begin
                message = f"`{word}` inside a note is text on its card"
                fix = f"write it above `{begin}`" if found else f"write `{end}` above it, not indented"
                self.report(warning, at, "setting-as-text", message, fix, length=len(word))
