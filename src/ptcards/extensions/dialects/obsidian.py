"""Reads cards of Obsidian's Spaced Repetition plugin: separators in lines, and tags that name decks.

Pictures with boxes of the plugin Decks are read too, and need no tag.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

from ptcards.diagnostics import Severity, hint, warning
from ptcards.extensions.dialects.cards import (
    EMPTY_MARKS,
    IN_CODE,
    IN_TABLE,
    Cards,
    has_cloze,
    has_marks,
    named,
    with_deletions,
)
from ptcards.extensions.dialects.decks_boxes import BOXES, read_block
from ptcards.extensions.dialects.obsidian_syntax import TAG, comment_lines, indented_lines, rewrite
from ptcards.markdown.tree import Block, BlockKind
from ptcards.notes import Kind, LeftOutCard, Line, Note, Text
from ptcards.readers.boxes import read_boxes
from ptcards.source.content import Definitions
from ptcards.source.exclude import is_excluded, valid_patterns
from ptcards.source.page import Page, ReaderResult, ReadNote

_DEFAULTS = {"single": "::", "single-reversed": ":::", "multi": "?", "multi-reversed": "??", "end": ""}


@dataclass(frozen=True)
class SpacedRepetitionSettings:
    """The plugin's settings on top of its defaults; `ignored` are path prefixes, or patterns."""

    tags: tuple[str, ...] = ("#flashcards",)
    folders: bool = False
    ignored: tuple[str, ...] = ()
    ignored_tags: tuple[str, ...] = ()
    separators: Mapping[str, str] = field(default_factory=lambda: _DEFAULTS)
    clozes: tuple[str, ...] = ("mark",)

    @classmethod
    def of(cls, page: Page) -> Self:
        """Return the settings of a source."""
        said: dict[str, Any] = {
            name.replace("-", "_"): value for name, value in page.settings.options_of("obsidian")
        }
        return cls(**{**said, "separators": {**_DEFAULTS, **dict(said.get("separators", ()))}})

    @cached_property
    def inline(self) -> list[tuple[str, Kind]]:
        """The inline separators with the kinds of their notes, the longest first."""
        found = [(self.separators["single"], Kind.BASIC), (self.separators["single-reversed"], Kind.REVERSED)]
        return sorted((each for each in found if each[0]), key=lambda each: -len(each[0]))

    @cached_property
    def lone(self) -> Mapping[str, Kind]:
        """The separators that are alone on a line, with the kinds of their notes."""
        found = {self.separators["multi-reversed"]: Kind.REVERSED, self.separators["multi"]: Kind.BASIC}
        return {mark: kind for mark, kind in found.items() if mark}

    @cached_property
    def tag(self) -> re.Pattern[str]:
        """A pattern for tags of decks, with the levels in a group."""
        return _pattern(self.tags)

    def ignores(self, page: Page) -> bool:
        """Whether the plugin ignores a source because of its path or a tag."""
        if page.name.endswith(".excalidraw.md") or page.name.startswith(self.ignored):
            return True
        if is_excluded(page.name, valid_patterns(self.ignored)):
            return True
        unwanted = _pattern(self.ignored_tags)
        of_front = any(unwanted.fullmatch(_hashed(tag)) for tag in page.defaults.tags)
        return bool(self.ignored_tags) and (of_front or unwanted.search(page.text.markdown) is not None)


def levels(found: re.Match[str]) -> tuple[str, ...]:
    """Return the levels below the root of a matched tag."""
    return tuple(filter(None, found["below"].split("/")))


def _hashed(tag: str) -> str:
    return "#" + tag.replace("::", "/")


def _pattern(tags: tuple[str, ...]) -> re.Pattern[str]:
    roots = "|".join(re.escape(tag.strip("#")) for tag in tags if tag.strip("#")) or r"(?!)"
    return re.compile(rf"(?<!\S)#(?:{roots})(?P<below>(?:/[^\s#,;.!?]+)*)(?=$|[\s,;.!?#])", re.IGNORECASE)


_SCHEDULE = re.compile(r"(?:^\s*>)?(?<!\s)\s*+<!--SR:[^<>]*-->(?=\s*(?:\^[A-Za-z0-9-]+\s*)?\Z)")
"""Matches a schedule at the end of a line, or before the id of its block."""
_CALLOUT = re.compile(r"\s*>\s*\[!sr\|card-metadata\]")
"""Matches the line that the plugin puts above a folded schedule."""
_LEADING = re.compile(r"\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(?:\[[ xX]\]\s+)?(?:#{1,6}\s+)?")
_BLOCK = re.compile(r"\s*(?:>|\||```|~~~|\$\$|!\[|<)")
_INDENTATION = re.compile(r"[ \t]+")
_CODE_INDENTATION = 4
_MARKED = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s")
_CONTINUES = re.compile(r"\s*(?:[-*+]\s|\d{1,9}[.)]\s|\||!\[)")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_IDENTIFIER_END = re.compile(r"(?<!\w)[A-Za-z_]\w*\Z")
_CODE = re.compile(r"_|\A[a-z]{2,}[A-Z]|\A(?:std|boost|crate|self|super)\Z")
"""Matches words that are probably code; others may be text: `the question is on this side::answer`."""
_BEFORE_NAME = ("<", "&", "::", "->")
_AFTER_NAME = re.compile(r"[(<;&]|::|\*(?!\*)")
_ROW = re.compile(r"\s*\|.*\|\s*\Z")
_FIELD = re.compile(r"[\[(][^\[\]()]*\Z")
"""Matches the beginning of a field of Dataview, `[key:: value]`."""
_LONGEST_WORD = 80
_ONLY_TAGS = re.compile(r"\s*(?:#[^\s#]+\s*){1,1000}\Z")


def _is_list(question: Sequence[Line]) -> bool:
    """Whether a question is a list of several items."""
    marked = [cut for cut in question if _MARKED.match(cut.text)]
    return len(marked) > 1 and marked[0] is question[0]


def _is_outside_spans(line: str, mark: str) -> bool:
    """Whether the plugin reads the first such mark in a line; it does not between two backticks."""
    at = line.find(mark)
    return at >= 0 and not (line.count("`", 0, at) % 2 and line.count("`", at) % 2)


def read(page: Page, _: Definitions) -> ReaderResult:
    """Return the parts of the cards in a source."""
    return _ObsidianReader(page).read()


class _ObsidianReader(Cards):
    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self.settings = SpacedRepetitionSettings.of(page)
        self.lines = list(page.lines)
        self.schedules: dict[int, None] = {}
        self._drop_schedules()
        self.levels: tuple[str, ...] = ()
        self.code_like: list[tuple[int, str]] = []
        """the lines with a separator between two identifiers, each with that part of its text"""
        self.pictures: dict[int, tuple[Block, Line]] = {}
        """the pictures with boxes by their first lines, each with the heading above"""
        self.taken: set[int] = set()
        """the lines of cards, whether they become notes or are left out"""

    def read(self) -> ReaderResult:
        page, settings = self.page, self.settings
        of_file = {tag: settings.tag.fullmatch(_hashed(tag)) for tag in page.defaults.tags}
        self.found.deck_tags = frozenset(tag for tag, found in of_file.items() if found)
        named = [levels(found) for found in of_file.values() if found]
        named += [levels(each) for line in self.seen if line for each in settings.tag.finditer(line)]
        self.found.has_tag = bool(named or settings.folders)
        if settings.ignores(page):
            return self.found
        self.levels = () if settings.folders or not named else named[0]
        self._find_pictures()
        if not self.found.has_tag:
            for at in self.pictures:
                self._picture(at)
            return self.complete()
        ends = -1
        for first, last in self._runs():
            before = len(self.notes)
            self._run(first, last)
            if first == ends + 1 and before == len(self.notes):
                self._cut_off(first)
            ends = last if self._ends_below_mark(before, last) else -1
        self._leave_out_the_rest()
        self.notes.sort(key=lambda each: each.note.location.line)
        if self.code_like:
            (at, written), count = self.code_like[0], len(self.code_like)
            one, many = f"`{written}` is read as a card", f"{count:,} cards like `{written}` may be code"
            fix = "if it is code, put it in backticks"
            self.report(hint, at, "code-like-separator", one if count == 1 else many, fix)
        if self.schedules:
            at = next(iter(self.schedules))
            self.found.schedules = len(self.schedules), page.text.location(at).line
        return self.complete()

    def _find_pictures(self) -> None:
        """Find the pictures with boxes, each with the heading above; their lines are no part of a card."""
        title = Line("", 0)
        for block in self.page.document.children:
            if block.kind is BlockKind.HEADING:
                title = next(iter(block.lines), Line("", 0))
            elif block.kind is BlockKind.FENCE and block.info == BOXES:
                self.pictures[block.start] = block, title
                self.lines[block.start : block.end] = [""] * (block.end - block.start)

    def _picture(self, at: int) -> None:
        """Make a note of a picture with boxes; its question is the heading without tags, as in the plugin."""
        block, title = self.pictures[at]
        heading = self.text([Line(TAG.sub("", title.text).rstrip(), title.index, title.column)])
        lines = read_block(block)
        if isinstance(lines, str) or not heading:
            self.leave_out(at, lines if isinstance(lines, str) else "no question", heading.markdown)
            return
        lines = [self.rewritten(line) for line in lines]
        labels = [self.cut([line._replace(text=line.text[2:])]) for line in lines[2:]]
        occlusion, items, problems = read_boxes(labels, hides_all=True)
        wrong = [each for each in problems if each.severity is Severity.ERROR]
        if wrong:
            self.found.left_out.append(LeftOutCard(wrong[0].location, heading.markdown, wrong[0].rule))
            return
        self.found.diagnostics += problems
        place, answer = self.page.text.location(title.index), self.cut(lines)
        note = Note(place, Kind.OCCLUSION, heading=heading, answer=answer, items=items, occlusion=occlusion)
        self.notes.append(ReadNote(note, self.deck(self.levels, at), certain=True))

    def _leave_out_the_rest(self) -> None:
        """Leave out what only the plugin reads as cards: code, comparisons and lines of marks."""
        # The plugin ends a card at each blank line of indented code, which for us is one block of a card.
        taken = self.taken - indented_lines(self.page.document)
        fence, is_new = "", True
        for at, line in enumerate(self.page.lines):
            if fence or line.startswith(("```", "~~~")):  # the plugin skips fences without indentation
                ends = fence and line.startswith(fence)
                fence = "" if ends else fence or line[: len(line) - len(line.lstrip(line[0]))]
            elif not line.strip():
                is_new = True
            elif at in taken or line.startswith("<!--"):
                is_new = is_new and at not in self.taken
            elif (seen := self.seen[at]) is not None and has_marks(seen, self.settings.clozes):
                if is_new and at not in self.taken:
                    self.leave_out(at, EMPTY_MARKS)
                is_new = False
            elif seen == line:
                is_new = is_new and at not in self.taken
            elif any(_is_outside_spans(line, mark) for mark, _ in self.settings.inline):
                self.leave_out(at, IN_CODE)
            elif is_new and (has_marks(line, self.settings.clozes) or self._is_below_text(at)):
                self.leave_out(at, IN_CODE)
                is_new = False

    def _is_below_text(self, at: int) -> bool:
        """Whether a line has a separator alone, with text in the line above."""
        lines = self.page.lines
        return at > 0 and lines[at].strip() in self.settings.lone and bool(lines[at - 1].strip())

    def _ends_below_mark(self, before: int, last: int) -> bool:
        """Whether the last run became a card with a separator line, and the card ended at the blank line."""
        made = self.notes[-1].note if len(self.notes) > before else None
        is_card = made is not None and made.kind in (Kind.BASIC, Kind.REVERSED)
        is_below = made is not None and is_card and made.answer.location().line > made.location.line
        return is_below and not self.settings.separators["end"] and last - 1 not in self.schedules

    def _drop_schedules(self) -> None:
        """Remove the plugin's schedules from the lines, and record which lines had them."""
        comments = comment_lines(self.page.document) if "<!--SR:" in self.page.text.markdown else ()
        for at, line in enumerate(self.page.lines):
            is_read = self.seen[at] is not None or at in comments
            if "<!--SR:" in line and is_read and (found := _SCHEDULE.search(line)):
                self.schedules[at] = None
                left = line[: found.start()] + line[found.end() :]
                seen = self.seen[at]
                self.seen[at] = left if seen is None else seen[: found.start()] + seen[found.end() :]
                self.lines[at] = left.rstrip()
            elif "[!sr|" in line and is_read and _CALLOUT.match(line):
                self.lines[at], self.seen[at] = "", None

    def _cut_off(self, first: int) -> None:
        """Report the text after a card if it looks like the rest of the card's answer."""
        if self.seen[first] is not None and _CONTINUES.match(self.page.lines[first]):
            fix = "if this belongs to the answer, remove the blank line above"
            self.report(hint, first, "cut-answer", "the answer above ends at the blank line", fix)

    def _runs(self) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each run of lines, which ends at a blank line outside code.

        If the settings have an end mark, a card continues up to that mark.
        """
        end = self.settings.separators["end"].strip()
        first, is_open = 0, False
        for at, line in enumerate(self.seen):
            if line is None or at in self.schedules:
                continue
            if (end and line.strip() == end) or not (line.strip() or is_open):
                if at > first:
                    yield first, at
                first, is_open = at + 1, False
            elif end and not is_open:
                is_open = (at > first and self._is_lone(at)) or has_cloze(line, self.settings.clozes)
        if first < len(self.seen):
            yield first, len(self.seen)

    def _run(self, first: int, last: int) -> None:
        """Find the cards in a run of lines; a line with an inline separator ends the card above it.

        Inside an answer, such a line is a card of its own, unless it is code.
        """
        kept: list[int] = []
        is_answer = is_cloze = False
        for at in range(first, last):
            line, seen = self.lines[at], self.seen[at]
            if at in self.schedules and is_answer:
                self._lines([*kept, at])
                kept, is_answer, is_cloze = [], False, False
            elif at in self.pictures:
                self._picture(at)
            elif seen is None:
                kept.append(at)
            elif _ONLY_TAGS.match(seen) and (tag := self.settings.tag.search(seen)):
                self.levels = () if self.settings.folders else levels(tag)
                self._check_tags(at, seen)
            elif _ROW.match(seen) and self._separator(at, seen):
                self.leave_out(at, IN_TABLE)
                kept.append(at)
            elif (
                not is_cloze
                and (where := self._separator(at, seen))
                and not (is_answer and (_FIELD.search(line[: where[0]]) or self._code_like(line, *where[:2])))
            ):
                self._inline(at, *where)
                kept = kept if is_answer else []
            elif line or at not in self.schedules:
                is_answer = is_answer or (bool(kept) and self._is_lone(at))
                is_cloze = is_cloze or has_cloze(seen, self.settings.clozes)
                kept.append(at)
        self._lines(kept, is_scheduled=any(at in self.schedules for at in range(first, last)))

    def _check_tags(self, at: int, seen: str) -> None:
        """Report a line that names more than one deck."""
        tags = list(dict.fromkeys(each[0] for each in self.settings.tag.finditer(seen)))
        if len(tags) > 1 and not self.settings.folders:
            message = f"a card can only be in one deck: `{tags[0]}`, not `{tags[1]}`"
            fix = "put the tag for the card's deck first"
            self.report(hint, at, "card-in-several-decks", message, fix)

    def _separator(self, at: int, seen: str) -> tuple[int, int, Kind] | None:
        for mark, kind in self.settings.inline:
            if (where := seen.find(mark)) >= 0:
                # Of a backslash before a backtick, the plugin knows nothing: for it, this is code.
                if "\\`" in self.lines[at] and not _is_outside_spans(self.page.lines[at], mark):
                    return None
                return where, where + len(mark), kind
        return None

    def _is_lone(self, at: int) -> bool:
        seen = self.seen[at]
        return seen is not None and seen.strip() in self.settings.lone

    def _inline(self, at: int, start: int, end: int, kind: Kind) -> None:
        self.taken.add(at)
        line = self.lines[at]
        if written := self._code_like(line, start, end):
            self.code_like.append((at, written))
        end += len(line[end:]) - len(line[end:].lstrip())
        self._card(kind, [Line(line[:start], at)], [Line(line[end:], at, end + 1)])

    @staticmethod
    def _code_like(line: str, start: int, end: int) -> str:
        """Return a separator with the names beside it if it is probably code, or an empty string."""
        before, after = _IDENTIFIER_END.search(line[:start][-_LONGEST_WORD:]), _IDENTIFIER.match(line, end)
        if not before or not after:
            return ""
        is_code = (
            _CODE.search(before[0])
            or _CODE.search(after[0])
            or line.endswith(_BEFORE_NAME, 0, start - len(before[0]))
            or _AFTER_NAME.match(line, after.end())
        )
        return f"{before[0]}{line[start:end]}{after[0]}" if is_code else ""

    def _lines(self, kept: Sequence[int], *, is_scheduled: bool = False) -> None:
        """Make a card from the other lines of a run if a separator is alone on a line or there are clozes."""
        lines = self.lines
        where = next((n for n, at in enumerate(kept) if n and self._is_lone(at)), None)
        if where is not None:
            self.taken.update(kept)
            self._card(
                self.settings.lone[lines[kept[where]].strip()],
                [Line(lines[at], at) for at in kept[:where]],
                [Line(lines[at], at) for at in kept[where + 1 :]],
            )
            return
        if is_scheduled and kept and self._is_lone(kept[0]):
            self.taken.update(kept)
            self.leave_out(kept[0], "no question")
            return
        if any(has_cloze(self.seen[at], self.settings.clozes) for at in kept):
            self.taken.update(kept)
            self._cloze(kept)

    def _card(self, kind: Kind, question: list[Line], answer: list[Line]) -> None:
        question, answer = self.shown(question) or question, self.shown(answer)
        at = question[0].index
        place = self.page.text.location(at)
        deck, title = self._title(question[0])
        if _is_list(question):  # its first item keeps its mark
            title = question[0]
        is_block = self.seen[at] is None or _BLOCK.match(title.text) or title is question[0]
        heading = Text() if is_block else self.text([title])
        body = self.cut([*([title] if is_block else ()), *map(self.rewritten, question[1:])])
        replied = self.text(answer)
        cause = "no answer" if (heading.markdown or body.markdown).strip() else "no question"
        if cause == "no question" or not replied.markdown.strip():
            self.leave_out(at, cause, heading.markdown)
            return
        self.notes.append(
            ReadNote(
                Note(place, kind, heading=heading, question=body, answer=replied),
                self.deck(deck, at),
                named("block", self.block_id(answer)),
                certain=True,
            )
        )

    def _title(self, cut: Line) -> tuple[tuple[str, ...], Line]:
        """Return the deck of a card and the first line of its question, without list marks and tags."""
        text, at, column = cut
        if self.seen[at] is None:
            return self.levels, cut
        start = _LEADING.match(text)
        skip = start.end() if start else 0
        deck = self.levels
        if tag := self.settings.tag.match(text, skip):
            deck = () if self.settings.folders else levels(tag)
            skip = tag.end()
        skip += len(text[skip:]) - len(text[skip:].lstrip())
        again = re.compile(r"#{1,6}\s+").match(text, skip)
        skip = again.end() if again else skip
        return deck, Line(text[skip:].rstrip(), at, column + skip)

    def _cloze(self, kept: Sequence[int]) -> None:
        cuts: list[Line] = []
        number, name = 0, ""
        for cut in self._dedented(self.shown([Line(self.lines[at], at) for at in kept])):
            seen = self.seen_of(cut)
            made = with_deletions(cut.text, seen, self.settings.clozes, number)
            if made is None:
                message = "card left out: Anki does not support this cloze pattern"
                fix = "number the clozes: `[^1]`, `[^2]`"
                self.report(warning, cut.index, "overlapping-cloze", message, fix)
                self.leave_out(cut.index, "overlapping clozes")
                return
            number += made.marks
            again = rewrite(made.text, made.seen)
            name = again.block_id
            cuts.append(self.as_rewritten(cut, again))
        if not number:
            self.leave_out(kept[0], "the cloze is in a comment")
            return
        place = self.page.text.location(next(cut.index for cut in cuts if cut.text.strip()))
        self.notes.append(
            ReadNote(
                Note(place, Kind.CLOZE, answer=self.cut(cuts)),
                self.deck(self.levels, place.line - 1),
                named("block", name),
            )
        )

    def _dedented(self, cuts: Sequence[Line]) -> Sequence[Line]:
        """Return the lines of a nested block without its indentation, which would make code of them."""
        first = next((cut for cut in cuts if cut.text.strip()), None)
        indentation = _INDENTATION.match(first.text) if first and self.seen[first.index] is not None else None
        if not indentation or len(indentation[0].expandtabs(4)) < _CODE_INDENTATION:
            return cuts
        width = indentation.end()
        starts = [min(width, len(cut.text) - len(cut.text.lstrip())) for cut in cuts]
        return [
            cut._replace(text=cut.text[start:], column=cut.column + start if cut.column else 0)
            for cut, start in zip(cuts, starts, strict=True)
        ]
