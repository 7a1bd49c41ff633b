"""Finds questions of four shapes: headings above folds, summaries, bold text, and items with headings."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from ptcards.source.parts import Page
from ptcards.source.readers.lines import Cut, cuts_of

_OFTEN = 3
"""A text that occurs this often in one file is a label, not a question."""

_OPEN = re.compile(r"<details\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"<(?P<end>/?)details\b[^<>]*>", re.IGNORECASE)
_SUMMARY = re.compile(r"<summary\b[^<>]*>", re.IGNORECASE)
_SUMMARY_END = re.compile(r"</summary>", re.IGNORECASE)
_HEADING = re.compile(r" {0,3}(?P<marks>#{1,6})(?:\s+(?P<title>.*))?\Z")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+(?P<marks>#{1,6})\s+(?P<title>.*)\Z")
_BOLD = re.compile(
    r"\s{0,3}(?:\d{1,9}[.)]\s+)?(?P<mark>\*\*|__)"
    r"(?!(?P=mark))(?>(?P<title>.+?)(?P=mark))(?P<after>[^\w*]{0,8})\Z"
)
_END = re.compile(r"\s{0,3}(?:#{1,6}\s|<br\b|<hr\b|(?:-{3,}|\*{3,}|_{3,})\s*\Z)", re.IGNORECASE)
_LABEL = re.compile(
    r"(?:show |see |view |click.*|the )?(?:answers?|solutions?|reveal|antwort|réponse|respuesta|resposta"
    r"|risposta|lösung|ответ|відповідь|答案|正解|정답|답|çözüm|cevap|jawaban|đáp án|odpowiedź|răspuns"
    r"|الإجابة|إجابة)(?: \d+)?\W*",
    re.IGNORECASE,
)
_HTML = re.compile(r"<[^<>]*>")
_MARKS = re.compile(r"(\*\*|__)(.+?)\1")


class Card(NamedTuple):
    """A question and its location, with the lines of its body, its answer and its folded details."""

    title: str
    at: int
    column: int
    body: Sequence[Cut]
    answer: Sequence[Cut]
    details: Sequence[Cut] = ()

    @property
    def last(self) -> int:
        """The index of the last line that belongs to the card."""
        return max((part[-1].at for part in (self.body, self.answer, self.details) if part), default=self.at)


class Heading(NamedTuple):
    """A heading: its line, its level, its title, and the column where the title begins."""

    at: int
    level: int
    title: str
    column: int


class _Fold(NamedTuple):
    """A `<details>` element: its first and last lines, the HTML of its summary, and its contents."""

    first: int
    last: int
    summary: str
    inside: Sequence[Cut]


class Shapes:
    """Finds the cards of a source in each shape; `seen` are its lines without code."""

    def __init__(self, page: Page, seen: Sequence[str | None], level: int = 0) -> None:
        self._lines = page.lines
        self._seen = seen
        self._level = level
        self._found = [
            each for at, line in enumerate(seen) if line and "#" in line and (each := self._at(at))
        ]

    def cards(self, shapes: Sequence[str]) -> list[Card]:
        """Return the cards in these shapes, in order of their lines; no line belongs to two shapes."""
        named: Mapping[str, Callable[[], Iterator[Card]]] = {
            "heading": self._levelled if self._level else self._headings,
            "summary": self._summaries,
            "bold": self._bold,
            "item": self._items,
        }
        if len(shapes) == 1:
            return list(named[shapes[0]]())
        kept: dict[int, Card] = {}
        taken: set[int] = set()
        for shape in shapes:
            found = [card for card in named[shape]() if card.at not in taken]
            kept |= {card.at: card for card in found}
            taken.update(at for card in found for at in range(card.at, card.last + 1))
        return [kept[at] for at in sorted(kept)]

    def _at(self, at: int) -> Heading | None:
        found = _HEADING.match(self._lines[at]) if _HEADING.match(self._seen[at] or "") else None
        return found and Heading(
            at, len(found["marks"]), closed(found["title"] or ""), found.start("title") + 1
        )

    def _cuts(self, first: int, last: int) -> list[Cut]:
        return cuts_of(self._lines, first, last)

    def _folds(self) -> Iterator[_Fold]:
        """Yield the outermost `<details>` elements."""
        at, end = 0, len(self._seen)
        while at < end:
            line = self._seen[at]
            if line and "<" in line and (opening := _OPEN.search(line)):
                fold = self._fold(at, opening, end)
                yield fold
                at = fold.last
            at += 1

    def _fold(self, first: int, opening: re.Match[str], end: int) -> _Fold:
        """Return the fold at `opening`, with its summary and contents; it ends before line `end`."""
        last, column, lines = self._end_of_fold(first, opening.start(), end), opening.end(), self._lines
        begun = first
        code = next((at for at in range(first + 1, last + 1) if self._seen[at] is None), last + 1)
        text = "\n".join([" " * column + lines[first][column:], *lines[first + 1 : code]])
        head = _SUMMARY.search(text)
        tail = _SUMMARY_END.search(text, head.end()) if head else None
        stop = tail.end() if tail else column
        first += text.count("\n", 0, stop)
        begin = stop - (text.rfind("\n", 0, stop) + 1)
        inside = [Cut(lines[first][begin:], first, begin + 1), *self._cuts(first + 1, last + 1)]
        closing = [tag for tag in _TAG.finditer(inside[-1].text) if tag["end"]]
        if closing:
            inside[-1] = inside[-1]._replace(text=inside[-1].text[: closing[-1].start()])
        summary = text[head.end() : tail.start()] if head and tail else ""
        return _Fold(begun, last, summary, inside)

    def _end_of_fold(self, first: int, column: int, end: int) -> int:
        depth = 0
        for at in range(first, end):
            line = self._seen[at]
            if not line or "<" not in line:
                continue
            for tag in _TAG.finditer(line, column if at == first else 0):
                depth += -1 if tag["end"] else 1
                if depth <= 0:
                    return at
        return end - 1

    def _headings(self) -> Iterator[Card]:
        """Yield a card for each heading with a fold below it; further folds below it are details."""
        before, position = -1, 0
        card: Card | None = None
        details: list[Cut] = []
        for fold in self._folds():
            above = None
            while position < len(self._found) and self._found[position].at <= fold.last:
                if before < self._found[position].at < fold.first:
                    above = self._found[position]
                position += 1
            if above:
                if card:
                    yield card
                body = self._cuts(above.at + 1, fold.first)
                details = []
                card = Card(above.title, above.at, above.column, body, fold.inside, details)
            elif card:
                details.extend(fold.inside)
            before = fold.last
        if card:
            yield card

    def _levelled(self) -> Iterator[Card]:
        """Yield a card for each heading of the level, up to the next heading of that level or higher."""
        heads = [each for each in self._found if each.level <= self._level]
        ends = [*(each.at for each in heads[1:]), len(self._seen)]
        for head, last in zip(heads, ends, strict=True) if heads else ():
            if head.level != self._level:
                continue
            opened = ((at, _OPEN.search(self._seen[at] or "")) for at in range(head.at + 1, last))
            at, opening = next(((at, found) for at, found in opened if found), (last, None))
            inside = self._cuts(head.at + 1, at)
            if opening is None:
                yield Card(head.title, head.at, head.column, (), inside)
            else:
                fold = self._fold(at, opening, last)
                answer = [*fold.inside, *self._cuts(fold.last + 1, last)]
                yield Card(head.title, head.at, head.column, inside, answer)

    def _summaries(self) -> Iterator[Card]:
        folds = [(plain(fold.summary), fold) for fold in self._folds()]
        often = Counter(summary.casefold() for summary, _ in folds)
        for summary, fold in folds:
            label = summary.strip(" :…👉👈🔽▶️💡")
            if label and not _LABEL.fullmatch(label) and often[summary.casefold()] < _OFTEN:
                yield Card(summary, fold.first, 0, (), fold.inside)

    def _bold(self) -> Iterator[Card]:
        found = {at: card for at in range(len(self._seen)) if (card := self._bold_at(at))}
        often = Counter(title for title, _ in found.values())
        questions = {
            at: each for at, each in found.items() if re.search(r"[?？]", each[0]) and often[each[0]] < _OFTEN
        }
        for at, (title, column) in questions.items():
            last = at + 1
            while last < len(self._seen) and last not in questions and not self._ends(last):
                last += 1
            yield Card(title, at, column, (), self._cuts(at + 1, last))

    def _bold_at(self, at: int) -> tuple[str, int] | None:
        """Return the title of a paragraph that is one bold span, and the column where it begins."""
        line = self._seen[at]
        found = _BOLD.match(line) if line and ("**" in line or "__" in line) else None
        above = self._seen[at - 1] if at else ""
        if found is None or (above and above.strip() and not self._ends(at - 1) and not _BOLD.match(above)):
            return None
        written = self._lines[at][found.start("title") : found.end("title")]
        return f"{written}{found['after'].rstrip()}", found.start("title") + 1

    def _ends(self, at: int) -> bool:
        line = self._seen[at]
        return bool(line and _END.match(line))

    def _items(self) -> Iterator[Card]:
        starts = [at for at, line in enumerate(self._seen) if line and "#" in line and _ITEM.match(line)]
        levels = {each.at: each.level for each in self._found}
        for at, last in pairwise([*starts, len(self._seen)]):
            found = _ITEM.match(self._lines[at])
            if found is None:
                continue
            level = len(found["marks"])
            stop = next((each for each in range(at + 1, last) if levels.get(each, 7) <= level), last)
            below = self._lines[at + 1 : stop]
            width = min((len(line) - len(line.lstrip()) for line in below if line.strip()), default=0)
            inside = [Cut(line[width:], at + 1 + n, width + 1) for n, line in enumerate(below)]
            yield Card(closed(found["title"]), at, found.start("title") + 1, (), inside)


def closed(title: str) -> str:
    """Return a heading's title without closing `#` characters; the `#` in `C#` belongs to the title."""
    title = title.rstrip()
    bare = title.rstrip("#")
    return bare.rstrip() if not bare or bare[-1].isspace() else title


def plain(html: str) -> str:
    """Return a text without tags and bold marks, on one line."""
    return " ".join(_MARKS.sub(r"\2", _HTML.sub("", html)).split())
