"""Obsidian's plugin Spaced Repetition: cards by separators in lines, below tags that name decks."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ptcards.diagnostics import hint, warning
from ptcards.notes import Kind, Text
from ptcards.source.attributes import Attributes
from ptcards.source.config import ID
from ptcards.source.definitions import Definitions
from ptcards.source.parts import DeckPart, Found, LeftOut, Page, Parts
from ptcards.source.readers.lines import outside_code
from ptcards.source.readers.texts import Cut, text_of
from ptcards.source.readers.wiki import rewrite

_SCHEDULE = re.compile(r"\s*<!--SR:.*?-->")
_LEADING = re.compile(r"\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(?:\[[ xX]\]\s+)?(?:#{1,6}\s+)?")
_BLOCK = re.compile(r"\s*(?:>|\||```|~~~|\$\$|!\[|<)")
_CONTINUES = re.compile(r"\s*(?:[-*+]\s|\d{1,9}[.)]\s|\||!\[)")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_IDENTIFIER_END = re.compile(r"(?<!\w)[A-Za-z_]\w*\Z")
_CODE = re.compile(r"_|\A(?:std|boost|crate|self|super)")
_AFTER_NAMES = ("(", "<", "::", ";", "&", "*")
"""What follows a name in code."""
_LONGEST_WORD = 80
_ONLY_TAGS = re.compile(r"\s*(?:#[^\s#]+\s*)+\Z")
_FOOT = re.compile(r"(?P<number>\[\^(?P<seq>[\dahs]+)\])|(?P<hint>\^\[(?P<text>[^\]]*)\])")
_CLOZES: Mapping[str, re.Pattern[str]] = {
    "mark": re.compile(r"==(?P<inner>.+?)=="),
    "bold": re.compile(r"\*\*(?P<inner>(?=\S).+?(?<=\S))\*\*"),
    "curly": re.compile(r"\{\{(?P<inner>.+?)\}\}"),
}


@dataclass(frozen=True)
class Settings:
    """What the plugin is set to, over its defaults."""

    tags: tuple[str, ...] = ("#flashcards",)
    folders: bool = False
    ignored_folders: tuple[str, ...] = ()
    separators: Mapping[str, str] = None  # type: ignore[assignment]
    clozes: tuple[str, ...] = ("mark",)

    @classmethod
    def of(cls, page: Page) -> "Settings":
        """Return the settings of a source."""
        said: dict[str, Any] = {
            name.replace("-", "_"): value for name, value in page.reading.options_of("obsidian")
        }
        defaults = {"single": "::", "single-reversed": ":::", "multi": "?", "multi-reversed": "??", "end": ""}
        return cls(**{**said, "separators": {**defaults, **dict(said.get("separators", ()))}})

    @cached_property
    def inline(self) -> list[tuple[str, Kind]]:
        """The separators inside a line with the kind of note they make, the longest first."""
        found = [(self.separators["single"], Kind.BASIC), (self.separators["single-reversed"], Kind.REVERSED)]
        return sorted((each for each in found if each[0]), key=lambda each: -len(each[0]))

    @cached_property
    def tag(self) -> re.Pattern[str]:
        """A tag of a deck, with its levels in a group."""
        roots = "|".join(re.escape(tag.strip("#")) for tag in self.tags if tag.strip("#")) or r"(?!)"
        return re.compile(rf"(?<!\S)#(?:{roots})(?P<below>(?:/[^\s#,;.!?]+)*)(?=$|[\s,;.!?#])", re.IGNORECASE)

    def levels(self, tag: str) -> tuple[str, ...] | None:
        """Return the levels below the root of a tag of the front matter; None if it names no deck."""
        found = self.tag.fullmatch("#" + tag.replace("::", "/"))
        return _levels(found) if found else None


def _levels(found: re.Match[str]) -> tuple[str, ...]:
    return tuple(filter(None, found["below"].split("/")))


def read(page: Page, _: Definitions) -> Found:
    """Return the parts of the cards in a source."""
    return _Reader(page).read()


class _Reader:
    def __init__(self, page: Page) -> None:
        self.page = page
        self.settings = Settings.of(page)
        self.seen = outside_code(page.document, page.lines)
        self.found = Found()
        self.decks: dict[tuple[str, ...], DeckPart] = {}
        self.notes: list[Parts] = []
        self.levels: tuple[str, ...] = ()
        self.schedules: list[int] = []
        self.code_like: list[tuple[int, str]] = []
        """lines with a separator between two identifiers, and what is written there"""

    def read(self) -> Found:
        page, settings = self.page, self.settings
        of_file = [(tag, settings.levels(tag)) for tag in page.defaults.tags]
        self.found.deck_tags = frozenset(tag for tag, levels in of_file if levels is not None)
        named = [levels for _, levels in of_file if levels is not None]
        named += [_levels(each) for line in self.seen if line for each in settings.tag.finditer(line)]
        ignored = any(page.name.startswith(each.strip("/") + "/") for each in settings.ignored_folders)
        if ignored or page.name.endswith(".excalidraw.md") or not (named or settings.folders):
            return self.found
        self.levels = () if settings.folders or not named else named[0]
        ends = -1
        for first, last in self._runs():
            before = len(self.notes)
            self._run(first, last)
            if first == ends + 1 and before == len(self.notes):
                self._cut_off(first)
            ends = last if self._ends_below_mark(before, last) else -1
        if self.code_like:
            self._hint_at_code()
        if self.schedules:
            count = len(self.schedules)
            cards = "1 card has" if count == 1 else f"{count:,} cards have"
            message = f"{cards} a schedule; Anki starts them as new"
            fix = "nothing needs to be done: the schedules stay where they are"
            place = page.text.location(self.schedules[0])
            self.found.diagnostics.append(hint(place, "schedule-dropped", message, fix))
        self.found.notes = self.notes
        self.found.decks = list(self.decks.values())
        return self.found

    def _ends_below_mark(self, before: int, last: int) -> bool:
        """Whether the last run made a card that a blank line ended, and nothing else of it is left."""
        is_card = len(self.notes) > before and self.notes[-1].kind in (Kind.BASIC, Kind.REVERSED)
        is_below = is_card and self.notes[-1].answer.location().line > self.notes[-1].place.line
        return (
            is_below
            and not self.settings.separators["end"]
            and not _SCHEDULE.match(self.page.lines[last - 1])
        )

    def _cut_off(self, first: int) -> None:
        """Report what follows a card and looks like the rest of its answer."""
        if self.seen[first] is not None and _CONTINUES.match(self.page.lines[first]):
            fix = "remove the blank line above, if this belongs to the answer"
            place = self.page.text.location(first)
            message = "the answer above ends at the blank line"
            self.found.diagnostics.append(hint(place, "cut-answer", message, fix))

    def _hint_at_code(self) -> None:
        at, written = self.code_like[0]
        count = len(self.code_like)
        what = f"`{written}` is a card" if count == 1 else f"{count:,} cards as `{written}` may be code"
        fix = "put code in backticks, if no card is meant"
        place = self.page.text.location(at)
        self.found.diagnostics.append(hint(place, "code-like-separator", what, fix))

    def _runs(self) -> Iterator[tuple[int, int]]:
        """Yield where each run of lines begins and ends: at a blank line outside code, or at the end mark."""
        end = self.settings.separators["end"].strip()
        first = 0
        for at, line in enumerate(self.seen):
            if line is not None and (line.strip() == end if end else not line.strip()):
                if at > first:
                    yield first, at
                first = at + 1
        if first < len(self.seen):
            yield first, len(self.seen)

    def _run(self, first: int, last: int) -> None:
        """Find the cards of a run of lines; those with a separator in the line end what was before them."""
        kept: list[int] = []
        for at in range(first, last):
            line, seen = self.page.lines[at], self.seen[at]
            if _SCHEDULE.match(line):
                self.schedules.append(at)
                if any(self._is_lone(each) for each in kept[1:]):
                    self._lines(kept)
                    kept = []
            elif seen is None:
                kept.append(at)
            elif _ONLY_TAGS.match(seen) and (tag := self.settings.tag.search(seen)):
                self.levels = () if self.settings.folders else _levels(tag)
                self._check_tags(at, seen)
            elif not any(self._is_lone(each) for each in kept[1:]) and (where := self._separator(seen)):
                if not any(self._has_cloze(each) for each in kept):
                    self._inline(at, *where)
                    kept = []
                else:
                    kept.append(at)
            else:
                kept.append(at)
        self._lines(kept)

    def _check_tags(self, at: int, seen: str) -> None:
        """Report a second deck of one line."""
        tags = list(dict.fromkeys(each[0] for each in self.settings.tag.finditer(seen)))
        if len(tags) > 1 and not self.settings.folders:
            message = f"a card is in one deck: `{tags[0]}`, not `{tags[1]}`"
            fix = "move the tag that counts to the front"
            place = self.page.text.location(at)
            self.found.diagnostics.append(hint(place, "card-in-several-decks", message, fix))

    def _separator(self, seen: str) -> tuple[int, int, Kind] | None:
        for mark, kind in self.settings.inline:
            if (where := seen.find(mark)) >= 0:
                return where, where + len(mark), kind
        return None

    def _is_lone(self, at: int) -> bool:
        seen = self.seen[at]
        marks = (self.settings.separators["multi"], self.settings.separators["multi-reversed"])
        return seen is not None and seen.strip() in filter(None, marks)

    def _has_cloze(self, at: int) -> bool:
        seen = self.seen[at]
        return seen is not None and any(True for _ in self._marks(seen))

    def _marks(self, seen: str) -> Iterator[re.Match[str]]:
        for name in self.settings.clozes:
            for found in _CLOZES[name].finditer(seen):
                inner = found["inner"]
                if inner.strip("= ") and not (inner[0] == " " == inner[-1]):
                    yield found

    def _inline(self, at: int, start: int, end: int, kind: Kind) -> None:
        line = self.page.lines[at]
        before, after = _IDENTIFIER_END.search(line[:start][-_LONGEST_WORD:]), _IDENTIFIER.match(line, end)
        if (
            before
            and after
            and (_CODE.search(before[0] + after[0]) or line.startswith(_AFTER_NAMES, after.end()))
        ):
            self.code_like.append((at, f"{before[0]}{line[start:end]}{after[0]}"))
        behind = _SCHEDULE.search(line, end)
        if behind:
            self.schedules.append(at)
        stop = behind.start() if behind else len(line)
        end += len(line[end:stop]) - len(line[end:stop].lstrip())
        self._card(kind, [Cut(line[:start], at)], [Cut(line[end:stop], at, end + 1)])

    def _lines(self, kept: Sequence[int]) -> None:
        """Make what is left of a run a card, if it is one: with a lone separator, or with clozes."""
        lines = self.page.lines
        where = next((n for n, at in enumerate(kept) if n and self._is_lone(at)), None)
        if where is not None:
            mark = lines[kept[where]].strip()
            kind = Kind.REVERSED if mark == self.settings.separators["multi-reversed"] else Kind.BASIC
            self._card(
                kind,
                [Cut(lines[at], at) for at in kept[:where]],
                [Cut(lines[at], at) for at in kept[where + 1 :]],
            )
        elif any(self._has_cloze(at) for at in kept):
            self._cloze(kept)

    def _deck(self, levels: tuple[str, ...], at: int) -> DeckPart:
        if levels not in self.decks:
            self.decks[levels] = DeckPart(levels, self.page.text.location(at))
        return self.decks[levels]

    def _card(self, kind: Kind, question: list[Cut], answer: list[Cut]) -> None:
        at = question[0].at
        place = self.page.text.location(at)
        levels, title = self._title(question[0])
        ids: list[str] = []
        above = [self._rewritten(each, ids) for each in question[1:]]
        below = [self._rewritten(each, ids) for each in answer]
        is_block = self.seen[at] is None or _BLOCK.match(title.text)
        heading = Text() if is_block else text_of(self.page, [self._rewritten(title, ids)])
        body = text_of(self.page, [title, *above] if is_block else above)
        replied = text_of(self.page, below)
        for text, cause in (
            (heading.markdown or body.markdown, "no question"),
            (replied.markdown, "no answer"),
        ):
            if not text.strip():
                self.found.left_out.append(LeftOut(place, heading.markdown, cause))
                return
        self.notes.append(
            Parts(
                place=place,
                deck=self._deck(levels, at),
                kind=kind,
                heading=heading,
                question=body,
                answer=replied,
                attributes=self._attributes(ids),
                certain=True,
            )
        )

    def _title(self, cut: Cut) -> tuple[tuple[str, ...], Cut]:
        """Return the deck that a question's first line names, if any, and the line without mark and tag."""
        text, at, column = cut
        if self.seen[at] is None:
            return self.levels, cut
        start = _LEADING.match(text)
        skip = start.end() if start else 0
        levels = self.levels
        if tag := self.settings.tag.match(text, skip):
            levels = () if self.settings.folders else _levels(tag)
            skip = tag.end()
        skip += len(text[skip:]) - len(text[skip:].lstrip())
        again = re.compile(r"#{1,6}\s+").match(text, skip)
        skip = again.end() if again else skip
        return levels, Cut(text[skip:].rstrip(), at, column + skip)

    def _rewritten(self, cut: Cut, ids: list[str]) -> Cut:
        """Return a piece of a line with Obsidian's marks as GitHub has them.

        The ids of blocks are gathered.
        """
        seen = self.seen[cut.at]
        part = None if seen is None else seen[cut.column - 1 : cut.column - 1 + len(cut.text)]
        made = rewrite(cut.text, part)
        ids += [made.block_id] if made.block_id else []
        for lost in made.lost:
            message = f"the embedded `{lost}` is left out"
            fix = "write what belongs on the card into it"
            place = self.page.text.location(cut.at)
            self.found.diagnostics.append(warning(place, "embed-dropped", message, fix))
        return cut if made.text == cut.text else Cut(made.text, cut.at, 0)

    @staticmethod
    def _attributes(ids: Sequence[str]) -> Attributes:
        name = f"block-{ids[-1]}" if ids else ""
        return Attributes(id=name if ID.fullmatch(name) else "")

    def _cloze(self, kept: Sequence[int]) -> None:
        place = self.page.text.location(kept[0])
        cuts: list[Cut] = []
        ids: list[str] = []
        number = 0
        for at in kept:
            line, seen = self.page.lines[at], self.seen[at]
            marks = sorted(self._marks(seen), key=lambda found: found.start()) if seen is not None else []
            made: list[str] = []
            end = 0
            for found in marks:
                if found.start() < end:
                    continue
                number += 1
                made.append(line[end : found.start()])
                end, which, hinted = self._foot(line, found.end())
                if which and not which.isdigit():
                    self._overlapping(at)
                    return
                inner = line[found.start("inner") : found.end("inner")]
                number_of = int(which) if which and 1 <= int(which[:3]) <= 99 else number
                made.append(f"{{{{c{min(number_of, 99)}::{inner}{f'::{hinted}' if hinted else ''}}}}}")
            text = "".join([*made, line[end:]])
            again = rewrite(text, None if seen is None else text if marks else seen)
            ids += [again.block_id] if again.block_id else []
            cuts.append(Cut(line, at) if again.text == line else Cut(again.text, at, 0))
        self.notes.append(
            Parts(
                place=place,
                deck=self._deck(self.levels, kept[0]),
                kind=Kind.CLOZE,
                answer=text_of(self.page, cuts),
                attributes=self._attributes(ids),
            )
        )

    @staticmethod
    def _foot(line: str, at: int) -> tuple[int, str, str]:
        """Return where the number and hint behind a mark end, and what they say."""
        said = {"seq": "", "text": ""}
        while found := _FOOT.match(line, at):
            said |= {
                key: value for key, value in found.groupdict().items() if key in said and value is not None
            }
            at = found.end()
        return at, said["seq"], said["text"]

    def _overlapping(self, at: int) -> None:
        message = "clozes that hide each other in turn are left out"
        fix = "number them: `[^1]`, `[^2]`"
        place = self.page.text.location(at)
        self.found.diagnostics.append(warning(place, "overlapping-cloze", message, fix))
        self.found.left_out.append(LeftOut(place, "", "overlapping clozes"))
