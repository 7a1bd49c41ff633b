"""Reads `Q:` and `A:`, `C:` with brackets, and Obsidian_to_Anki's notes between START and END."""

import re
import tomllib
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property

from ptcards.diagnostics import warning
from ptcards.notes import Kind
from ptcards.source.definitions import Definitions
from ptcards.source.parts import Found, Page
from ptcards.source.readers.lines import Cut, comment_lines, outside_code
from ptcards.source.readers.obsidian_to_anki import (
    ASKS,
    COLONS,
    Frozen,
    Settings,
    clean_tags,
    id_lines,
)
from ptcards.source.readers.pairs import BRACKETS, About, PairCards

_Q = re.compile(r"(?P<bold>\*\*)?Q[:：](?(bold)\*\*)\s*")
_A = re.compile(r"(?P<bold>\*\*)?A[:：](?(bold)\*\*)\s*")
_C = re.compile(r"C[:：]\s*")
_HEADING = re.compile(r"#{1,6}\s")
_ENDS = r"Q[:：]|\*\*Q[:：]\*\*|C[:：]|-{3,}\s*\Z|#{1,6}\s"
_COLONS = re.compile(r"(?<=[^\s:])\s*::\s*(?=[^\s:])")


def read(page: Page, _: Definitions) -> Found:
    """Return the parts of the cards in a source."""
    return _Reader(page).read()


class _Reader:
    def __init__(self, page: Page) -> None:
        self.settings = Settings.of(page)
        self.page = page
        self.seen = outside_code(page.document, page.lines)
        self.words = self.settings.words
        self.cards = PairCards(page, self.seen, self.settings)
        self.ids = id_lines(page, self.seen)
        self._colons = self.settings.type_found_by(COLONS)
        self.frozen = Frozen(self.settings, page, self.seen)
        self.cards.enter(self.settings.deck_of(page.name), 0)
        self.cards.tags = self.of_folder = self.settings.tags_of(page.name)

    def read(self) -> Found:
        """Return the cards in the source; skip all other lines."""
        if not self.settings.reads(self.page.name):
            return self.cards.found
        self._read_front()
        for name in self.settings.unread:
            message = f"the regular expression of the note type `{name}` is not supported"
            fix = "write these cards as `Q:` and `A:`, or between `START` and `END`"
            place = self.page.text.location()
            self.cards.found.diagnostics.append(warning(place, "unknown-regexp", message, fix))
        for name in self.frozen.too_long:
            message = f"the frozen fields of the note type `{name}` are too long"
            place = self.page.text.location(min(self.frozen.lines))
            fix = "shorten them to 2,000 characters"
            self.cards.found.diagnostics.append(warning(place, "frozen-too-long", message, fix))
        at = 0
        while at < len(self.seen):
            at = self._at(at)
        return self.cards.complete()

    def _read_front(self) -> None:
        front = self.page.front
        for line in front.split("\n"):
            self._setting(line, "", 0)
        if re.search(r"^[^\S\n]*name\s*=", front, re.MULTILINE):
            try:
                name = tomllib.loads(front).get("name")
            except ValueError:
                return
            if isinstance(name, str):
                self.cards.enter(name, 0)

    def _setting(self, line: str, below: str, at: int) -> int:
        """Read a setting of the deck or the tags; return the number of lines read, or 0 if there is none."""
        found = self.settings.setting.match(line)
        if not found:
            return 0
        own = found["value"].strip()
        value = own or ("" if self._begins.match(below) else below.strip())
        if found["deck"]:
            self.cards.enter(value, at)
        else:
            self.cards.tags = (*self.of_folder, *clean_tags(value))
        return 1 if own or not value else 2

    @cached_property
    def _begins(self) -> re.Pattern[str]:
        """A pattern for lines that begin or end a card; one pattern is fast enough to try on every line."""
        names = ("Begin Note", "Begin Inline Note", "Frozen Fields Line")
        begin, single, frozen = (re.escape(self.words[each]) for each in names)
        return re.compile(rf"{_ENDS}|\s*{begin}\s*\Z|{single} |{frozen} - ")

    @cached_property
    def _ends_card(self) -> re.Pattern[str]:
        """A pattern for lines that end a card, except ids."""
        return re.compile(f"{self._begins.pattern}|{self.settings.setting.pattern}")

    def _at(self, at: int) -> int:
        """Read what begins on a line; return the index of the line after it."""
        seen, line = self.seen[at], self.page.lines[at]
        if not seen or not seen.strip() or at in self.frozen.lines:
            return at + 1
        if seen.strip() == self.words["Begin Note"]:
            return self._block(at)
        if single := list(self.settings.singles(line, seen, at)):
            for block in single:
                self.cards.fields(at, self.frozen.added(block))
            return at + 1
        if lines := self._setting(line, self.page.lines[at + 1] if at + 1 < len(self.seen) else "", at):
            return at + lines
        if _Q.match(seen):
            return self._pair(at)
        if _C.match(seen):
            return self._cloze(at)
        return self._by_expression(at, line, seen)

    def _by_expression(self, at: int, line: str, seen: str) -> int:
        """Read a card that one of the plugin's regular expressions finds on a line."""
        note_type, marks = self.settings.headed or ("", None)
        if marks and (heading := marks.match(seen)):
            return self._below_heading(at, heading.end(), note_type)
        if self._colons is not None and (found := _COLONS.search(seen)):
            stop, name = self._id_below(at + 1)
            question = [Cut(line[: found.start()], at)]
            answer = [Cut(line[found.end() :], at, found.end() + 1)]
            self._keep(at, name, self._colons, question, answer)
            return stop
        return at + 1

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
        below = at
        while below < len(self.seen) and (
            self._is_plain_heading(below) or (below > at and self._is_blank(below))
        ):
            below += 1
        if below in (at, len(self.seen)) or self._is_end(below) or self._is_by_expression(self.seen[below]):
            return
        message = "this heading ends the card; the text below is on no card"
        fix = "remove the `#` to keep the text on the card, or write `---` above the heading"
        place, length = self.page.text.location(at), len(self.page.lines[at].rstrip())
        self.cards.found.diagnostics.append(warning(place, "heading-ends-card", message, fix, length))

    def _is_blank(self, at: int) -> bool:
        return not self.page.lines[at].strip() or at in self._comments

    @cached_property
    def _comments(self) -> frozenset[int]:
        return comment_lines(self.page.document)

    def _is_plain_heading(self, at: int) -> bool:
        """Whether a line is a heading that is not a question."""
        seen = self.seen[at]
        return seen is not None and bool(_HEADING.match(seen)) and not self._is_by_expression(seen)

    def _is_by_expression(self, seen: str | None) -> bool:
        """Whether one of the plugin's regular expressions finds a card on a line."""
        _, marks = self.settings.headed or ("", None)
        is_headed = bool(marks and marks.match(seen or ""))
        return is_headed or (self._colons is not None and bool(_COLONS.search(seen or "")))

    def _ends_at_blank(self, at: int) -> bool:
        """Whether an answer ends at this line because the line is blank."""
        ends, seen = self.settings.answer_ends, self.seen[at]
        if ends == "card" or seen is None or seen.strip():
            return False
        return ends == "blank-line" or self._below_blank[at] not in self.ids

    @cached_property
    def _below_blank(self) -> Sequence[int]:
        """For each line, the index of the first line at or below it that is not blank."""
        lines = self.page.lines
        found = [len(lines)] * (len(lines) + 1)
        for at in range(len(lines) - 1, -1, -1):
            found[at] = at if lines[at].strip() else found[at + 1]
        return found

    def _pair(self, first: int) -> int:
        """Read a question and its answer."""
        start = _Q.match(self.page.lines[first])
        column = start.end() if start else 0
        question = [Cut(self.page.lines[first][column:], first, column + 1)]
        answer: list[Cut] | None = None
        is_answered = False
        at = first + 1
        while at < len(self.seen) and not self._is_end(at):
            seen, line = self.seen[at], self.page.lines[at]
            found = _A.match(line) if seen is not None and answer is None else None
            if found:
                answer = [Cut(line[found.end() :], at, found.end() + 1)]
            elif answer is None:
                question.append(Cut(line, at))
            elif is_answered and self._ends_at_blank(at):
                break
            else:
                answer.append(Cut(line, at))
            is_answered = is_answered or bool(answer and answer[-1].text.strip())
            at += 1
        self._check_below_heading(at)
        stop, name = self._id_below(at)
        note_type = self.settings.type_found_by(ASKS) or "Basic"
        self._keep(first, name, note_type, question, answer or [])
        return max(stop, first + 1)

    def _keep(
        self, at: int, name: str, note_type: str | None, question: Sequence[Cut], answer: Sequence[Cut]
    ) -> None:
        """Keep a question with its answer, and what the source adds to all notes of their note type."""
        question, answer, others = self.frozen.added_to_pair(note_type or "", question, answer)
        about = About(at, Kind.BASIC, name, details=self.cards.details(others))
        self.cards.pair(about, question, answer)

    def _below_heading(self, first: int, column: int, note_type: str) -> int:
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
            self._keep(first, name, note_type, [title], answer)
        return stop

    def _cloze(self, first: int) -> int:
        start = _C.match(self.page.lines[first])
        column = start.end() if start else 0
        cuts = [Cut(self.page.lines[first][column:], first, column + 1)]
        at = first + 1
        while at < len(self.seen) and not self._is_end(at) and not self._ends_at_blank(at):
            cuts.append(Cut(self.page.lines[at], at))
            at += 1
        self._check_below_heading(at)
        stop, name = self._id_below(at)
        self.cards.cloze(About(first, Kind.CLOZE, name), cuts, BRACKETS)
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
        block = self.settings.block(self.page, self.seen, self.ids, first, last)
        below, name = (last + 1, block.name) if block and block.name else self._id_below(last + 1)
        if block:
            self.cards.fields(first, self.frozen.added(block._replace(name=name)))
        return below
