"""Reads `Q:` and `A:`, `C:` with brackets, and Obsidian_to_Anki's notes between START and END."""

import re
import tomllib
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from ptcards.diagnostics import warning
from ptcards.notes import Kind, LeftOut, Text
from ptcards.source.attributes import Attributes
from ptcards.source.definitions import Definitions
from ptcards.source.parts import DeckPart, Found, Page, Parts
from ptcards.source.readers.clozes import with_brackets
from ptcards.source.readers.lines import Cut, outside_code, text_of
from ptcards.source.readers.obsidian_to_anki import (
    ID_LINE,
    Block,
    Field,
    Settings,
    clean_tags,
    is_stock,
    kind_of,
)
from ptcards.source.readers.wiki import rewrite

_Q = re.compile(r"(?P<bold>\*\*)?Q[:：](?(bold)\*\*)\s*")
_A = re.compile(r"(?P<bold>\*\*)?A[:：](?(bold)\*\*)\s*")
_C = re.compile(r"C[:：]\s*")
_RULE = re.compile(r"-{3,}\s*\Z|#{1,6}\s")
_HEADING = re.compile(r"#{1,6}\s+(?=\S)")
_BRACKETS = re.compile(r"(?<![!\\\]])\[(?P<inner>[^\[\]\n]+)\](?![(\[:])")
_CURLY = re.compile(r"(?<!\{)\{(?:c?(?P<number>\d{1,2})[:|])?(?P<inner>[^{}\n]+)\}(?!\})")
NO_TEXT = Text()


class About(NamedTuple):
    """The properties of a note, apart from its question and answer.

    These are its first line (from 0), its kind and its id.
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
        self.settings = Settings.of(page)
        self.page = page
        self.seen = outside_code(page.document, page.lines)
        self.words = self.settings.words
        self.found = Found()
        self.notes: list[Parts] = []
        self.decks: dict[tuple[str, ...], DeckPart] = {}
        self.tags: tuple[str, ...] = ()
        self._beginnings = f"{self.words['Begin Inline Note']} ", f"{self.words['Frozen Fields Line']} - "
        own = self.settings.deck
        self.deck = self._deck("" if own == "Default" else own, 0)

    def read(self) -> Found:
        """Return the cards in the lines; other lines are skipped."""
        scan = self.settings.scan
        if scan and not self.page.name.startswith(scan + "/"):
            return self.found
        self._read_front()
        for name in self.settings.unread:
            message = f"the regular expression of the note type `{name}` is not read"
            fix = "write these cards as `Q:` and `A:`, or between START and END"
            self.found.diagnostics.append(warning(self.page.text.location(), "unknown-regexp", message, fix))
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
        """Read a line that sets the deck or tags; return the number of lines read."""
        found = self.settings.setting.match(line)
        if not found:
            return 0
        own = found["value"].strip()
        value = own or ("" if self._begins(below) else below.strip())
        if found["deck"]:
            self.deck = self._deck(value, at)
        else:
            self.tags = tuple(clean_tags(value))
        return 1 if own or not value else 2

    def _begins(self, line: str) -> bool:
        """Whether a line begins a card or ends one."""
        return bool(
            _Q.match(line)
            or _C.match(line)
            or _RULE.match(line)
            or line.strip() == self.words["Begin Note"]
            or line.startswith(
                (f"{self.words['Begin Inline Note']} ", f"{self.words['Frozen Fields Line']} - ")
            )
        )

    def _at(self, at: int) -> int:
        """Read what begins on a line; return the line after it."""
        seen, line = self.seen[at], self.page.lines[at]
        if not seen or not seen.strip():
            return at + 1
        if seen.strip() == self.words["Begin Note"]:
            return self._block(at)
        if seen.startswith(self.words["Begin Inline Note"] + " "):
            if block := self.settings.single(line, at):
                self._note(at, block)
            return at + 1
        if lines := self._setting(line, self.page.lines[at + 1] if at + 1 < len(self.seen) else "", at):
            return at + lines
        if _Q.match(seen):
            return self._pair(at)
        if _C.match(seen):
            return self._cloze(at)
        if self.settings.has_headings and (heading := _HEADING.match(seen)):
            return self._below_heading(at, heading.end())
        if self.settings.has_colons and (found := re.search(r"(?<=[^\s:])\s*::\s*(?=[^\s:])", seen)):
            stop, name = self._id_below(at + 1)
            question = [Cut(line[: found.start()], at)]
            self._card(About(at, Kind.BASIC, name), question, [Cut(line[found.end() :], at, found.end() + 1)])
            return stop
        return at + 1

    def _id_below(self, at: int) -> tuple[int, str]:
        """Return the line after an id and the id, if there is one on this line."""
        found = ID_LINE.match(self.page.lines[at]) if at < len(self.page.lines) else None
        return (at + 1, found["id"]) if found else (at, "")

    def _is_end(self, at: int) -> bool:
        """Whether a line ends a card: the start of the next card, a rule, a heading, or an id."""
        seen = self.seen[at]
        if seen is None:
            return ID_LINE.match(self.page.lines[at]) is not None
        begins = (self.words["Target Deck Line"] + ":", self.words["File Tags Line"] + ":")
        return self._begins(seen) or ID_LINE.match(seen) is not None or seen.startswith(begins)

    def _ends_at_blank(self, at: int) -> bool:
        """Whether a blank line ends an answer."""
        ends = self.settings.answer_ends
        if ends == "card" or self.seen[at] is None or (self.seen[at] or "").strip():
            return False
        if ends == "blank-line":
            return True
        later = next((each for each in range(at, len(self.seen)) if self.page.lines[each].strip()), None)
        return later is None or not ID_LINE.match(self.page.lines[later])

    def _pair(self, first: int) -> int:
        """Read a question and its answer."""
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

    def _below_heading(self, first: int, column: int) -> int:
        """Read a heading with the paragraph below it."""
        at = first + 1
        while at < len(self.seen) and not self.page.lines[at].strip():
            at += 1
        answer = []
        while at < len(self.seen) and self.page.lines[at].strip() and not self._is_end(at):
            answer.append(Cut(self.page.lines[at], at))
            at += 1
        stop, name = self._id_below(at)
        if answer:
            title = Cut(self.page.lines[first][column:], first, column + 1)
            self._card(About(first, Kind.BASIC, name), [title], answer)
        return stop

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
        """Keep a cloze whose deletions are marked in the dialect's way."""
        place = self.page.text.location(about.at)
        number = 0
        made = []
        for cut in cuts:
            found = with_brackets(cut.text, self._seen_of(cut), mark, number)
            number += found.marks
            made.append(Cut(found.text, cut.at, 0) if found.marks else self._ours(cut))
        text = text_of(self.page, made)
        if not text:
            self.found.left_out.append(LeftOut(place, "", "no question"))
        elif not number and "{{c" not in text.markdown:
            self.found.left_out.append(LeftOut(place, "", "no deletion"))
        else:
            self._keep(about, NO_TEXT, NO_TEXT, text)

    def _seen_of(self, cut: Cut) -> str | None:
        """Return a piece of a line without its code; `None` if all of it is code."""
        seen = self.seen[cut.at]
        return None if seen is None else seen[cut.column - 1 : cut.column - 1 + len(cut.text)]

    def _ours(self, cut: Cut) -> Cut:
        """Return a piece of a line with Obsidian's marks replaced by GitHub's."""
        made = rewrite(cut.text, self._seen_of(cut))
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
        """Read a note between START and END; without END, it is skipped."""
        below = bisect_right(self._ends, first)
        if below == len(self._ends):
            return first + 1
        last = self._ends[below]
        block = self.settings.block(self.page, self.seen, first, last)
        below, name = (last + 1, block.name) if block and block.name else self._id_below(last + 1)
        if block:
            self._note(first, block._replace(name=name))
        return below

    def _note(self, first: int, block: Block) -> None:
        """Keep a note of the plugin; fields without a counterpart go into its details."""
        kind = kind_of(block.note_type)
        own = 1 if kind is Kind.CLOZE else 2
        if not is_stock(block.note_type):
            message = f"the note type `{block.note_type}` becomes question, answer and details"
            fix, length = "check how these cards look", len(block.note_type)
            place = self.page.text.location(first)
            self.found.diagnostics.append(warning(place, "other-note-type", message, fix, length))
        about = About(first, kind, block.name, block.tags, self._details(block.fields[own:]))
        front, back = (each.cuts for each in (*block.fields[:own], _NO_FIELD, _NO_FIELD)[:2])
        if kind is Kind.CLOZE:
            self._deletions(about, front, _CURLY if self.settings.curly else _NEVER)
        else:
            self._card(about, front, back)

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


_NEVER = re.compile(r"(?!)")
_NO_FIELD = Field("", [])


def _stripped(cut: Cut) -> Cut:
    text = cut.text.lstrip()
    return Cut(text.rstrip(), cut.at, cut.column + len(cut.text) - len(text) if cut.column else 0)
