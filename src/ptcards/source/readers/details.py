"""Question lists that fold their answers on GitHub.

These are `<details>` below a heading or with the question in its summary, bold questions, and list items.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ptcards.diagnostics import Location, counted, hint
from ptcards.notes import Choice, Kind, Text
from ptcards.source.attributes import Attributes
from ptcards.source.definitions import Definitions
from ptcards.source.parts import DeckPart, Found, LeftOut, Page, Parts
from ptcards.source.readers.lines import outside_code
from ptcards.source.readers.options import Options, find_options, find_right
from ptcards.source.readers.texts import Cut, text_of

_OFTEN = 3
"""A text that occurs this often in one file is a label, not a question."""

_OPEN = re.compile(r"<details\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"<(?P<end>/?)details\b[^<>]*>", re.IGNORECASE)
_SUMMARY = re.compile(r"<summary\b[^<>]*>(?P<text>.*?)</summary>", re.IGNORECASE | re.DOTALL)
_HEADING = re.compile(r" {0,3}(?P<marks>#{1,6})(?:\s+(?P<title>.*?))?\s*#*\s*\Z")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+(?P<marks>#{1,6})\s+(?P<title>.*?)\s*#*\s*\Z")
_BOLD = re.compile(
    r"\s{0,3}(?:\d{1,9}[.)]\s+)?(?P<mark>\*\*|__)"
    r"(?P<title>(?:(?!(?P=mark)).)+)(?P=mark)(?P<after>[^\w*]{0,8})\Z"
)
_END = re.compile(r"\s{0,3}(?:#{1,6}\s|<br\b|<hr\b|(?:-{3,}|\*{3,}|_{3,})\s*\Z)", re.IGNORECASE)
_NUMBER = re.compile(
    r"(?:(?:(?:\d+(?:\.\d+)*|Q\d*|Question\s+\d+)[.):]\s*)+|(?:Question|Q)\s*#?\d+\s*[-–:]\s*)(?=\S)",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?:show |see |view |click.*|the )?"
    r"(?:answers?|solutions?|reveal|antwort|réponse|respuesta|resposta|risposta|lösung"
    r"|ответ|відповідь|答案|正解|정답|답|çözüm|cevap|jawaban|đáp án|odpowiedź|răspuns|الإجابة|إجابة)"
    r"(?: \d+)?\W*",
    re.IGNORECASE,
)
_WRAP = re.compile(r"\s*(?:</?(?:p|b|div|br|center)\b[^>]*>\s*)+\Z", re.IGNORECASE)
_BACK = re.compile(
    r"\s*(?:\*\*)?\[[^\]]*(?:back to top|⬆|↥)[^\]]*\]\([^)]*\)(?:\*\*)?\s*\Z"
    r"|\s*<b><a href=.*(?:back to top|↥).*\Z",
    re.IGNORECASE,
)
_HTML = re.compile(r"<[^<>]*>")
_PICTURE = re.compile(r"<img\b|!\[", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"answer here\W*", re.IGNORECASE)


class Card(NamedTuple):
    """A question and its location; the lines of its body, its answer, and the folded text below."""

    title: str
    at: int
    column: int
    body: Sequence[Cut]
    answer: Sequence[Cut]
    details: Sequence[Cut] = ()


class Fold(NamedTuple):
    """A `<details>` from its first to its last line, with its summary and its content.

    `is_open` if it has no end.
    """

    first: int
    last: int
    summary: str
    column: int
    inside: Sequence[Cut]


def read(page: Page, _: Definitions) -> Found:
    """Return the parts of the questions in a list."""
    return _Reader(page).read()


class _Reader:
    def __init__(self, page: Page) -> None:
        options: dict[str, Any] = dict(page.reading.options_of("details"))
        self.page = page
        self.seen = outside_code(page.document, page.lines)
        self.question = options.get("question", "heading")
        self.level = options.get("level", 0)
        self.marks = dict(options.get("difficulty-marks", ()))
        self.found = Found()
        self.deck = DeckPart((), page.text.location())
        self.notes: list[Parts] = []
        self.keyless: list[Location] = []
        """questions with options of which no answer names the right one"""

    def read(self) -> Found:
        shapes = {
            "heading": self._headings,
            "summary": self._summaries,
            "bold": self._bold,
            "item": self._items,
        }
        shape = self._levelled if self.question == "heading" and self.level else shapes[self.question]
        for card in shape():
            self._note(card)
        if self.keyless:
            count = len(self.keyless)
            message = f"{counted(count, 'question')} with options, and no key that names the right one"
            fix = "begin the answer with the label, as `Answer: B`, if a choice is meant"
            self.found.diagnostics.append(hint(self.keyless[0], "options-without-key", message, fix))
        self.found.notes = self.notes
        self.found.decks = [self.deck] if self.notes else []
        return self.found

    # The shapes

    def _folds(self) -> Iterator[Fold]:
        """Yield the outermost pairs of `<details>`."""
        at = 0
        while at < len(self.seen):
            line = self.seen[at]
            opening = _OPEN.search(line) if line and "<" in line else None
            if opening is None:
                at += 1
                continue
            last = self._end_of_fold(at, opening.start())
            yield self._fold(at, last, opening.end())
            at = last + 1

    def _end_of_fold(self, first: int, column: int) -> int:
        depth = 0
        for at in range(first, len(self.seen)):
            for tag in _TAG.finditer(self.seen[at] or "", column if at == first else 0):
                depth += -1 if tag["end"] else 1
                if depth <= 0:
                    return at
        return len(self.seen) - 1

    def _fold(self, first: int, last: int, column: int) -> Fold:
        """Return a fold, split into summary and content."""
        lines = self.page.lines
        text = "\n".join([" " * column + lines[first][column:], *lines[first + 1 : last + 1]])
        head = _SUMMARY.search(text)
        end = head.end() if head else column
        row = text.count("\n", 0, end)
        begin = end - (text.rfind("\n", 0, end) + 1)
        inside = []
        for at in range(first + row, last + 1):
            start = begin if at == first + row else 0
            inside.append(Cut(lines[at][start:], at, start + 1))
        if inside:
            tail = inside[-1]
            closing = [tag for tag in _TAG.finditer(tail.text) if tag["end"]]
            if closing:
                inside[-1] = tail._replace(text=tail.text[: closing[-1].start()])
        summary = _plain(head["text"]) if head else ""
        where = text.count("\n", 0, head.start("text")) if head else 0
        return Fold(first, last, summary, where, inside)

    def _headings(self) -> Iterator[Card]:
        """Yield a card for each fold below a heading; further folds of a question are its details."""
        heads = [at for at in range(len(self.seen)) if self._heading(at)]
        before, position = -1, 0
        card: Card | None = None
        for fold in self._folds():
            above = []
            while position < len(heads) and heads[position] < fold.first:
                if heads[position] > before:
                    above.append(heads[position])
                position += 1
            while position < len(heads) and heads[position] <= fold.last:
                position += 1
            if above:
                if card:
                    yield card
                heading = self._heading(above[-1])
                assert heading is not None  # noqa: S101 - it was looked at above
                body = [Cut(self.page.lines[at], at) for at in range(above[-1] + 1, fold.first)]
                card = Card(heading["title"] or "", above[-1], heading.start("title") + 1, body, fold.inside)
            elif card:
                card = card._replace(details=[*card.details, *fold.inside])
            before = fold.last
        if card:
            yield card

    def _heading(self, at: int) -> re.Match[str] | None:
        line = self.seen[at]
        found = _HEADING.match(line) if line and "#" in line else None
        return _HEADING.match(self.page.lines[at]) if found else None

    def _levelled(self) -> Iterator[Card]:
        """Yield a card for each heading of the level; it ends at the next heading of its level or above."""
        heads = [(at, found) for at in range(len(self.seen)) if (found := self._heading(at))]
        for number, (at, found) in enumerate(heads):
            if len(found["marks"]) != self.level:
                continue
            later = (each for each, other in heads[number + 1 :] if len(other["marks"]) <= self.level)
            last = next(later, len(self.seen))
            inside = [Cut(self.page.lines[each], each) for each in range(at + 1, last)]
            fold = next((n for n, cut in enumerate(inside) if _OPEN.search(self.seen[cut.at] or "")), None)
            title = found["title"] or ""
            if fold is None:
                yield Card(title, at, found.start("title") + 1, (), inside)
            else:
                first = inside[fold].at
                column = _OPEN.search(self.page.lines[first])
                whole = self._fold(first, self._end_of_fold(first, 0), column.end() if column else 0)
                rest = [cut for cut in inside if cut.at > whole.last]
                yield Card(title, at, found.start("title") + 1, inside[:fold], [*whole.inside, *rest])

    def _summaries(self) -> Iterator[Card]:
        folds = list(self._folds())
        often = Counter(fold.summary.casefold() for fold in folds)
        for fold in folds:
            label = fold.summary.strip(" :…👉👈🔽▶️💡")
            if label and not _LABEL.fullmatch(label) and often[fold.summary.casefold()] < _OFTEN:
                yield Card(fold.summary, fold.first, 0, (), fold.inside)

    def _bold(self) -> Iterator[Card]:
        found = {at: card for at in range(len(self.seen)) if (card := self._bold_at(at))}
        often = Counter(title for title, _ in found.values())
        questions = [
            at for at, (title, _) in found.items() if re.search(r"[?？]", title) and often[title] < _OFTEN
        ]
        for at in questions:
            last = at + 1
            while last < len(self.seen) and last not in questions and not self._ends(last):
                last += 1
            title, column = found[at]
            yield Card(
                title, at, column, (), [Cut(self.page.lines[each], each) for each in range(at + 1, last)]
            )

    def _bold_at(self, at: int) -> tuple[str, int] | None:
        """Return the title of a paragraph that is a single bold span, and the line after it."""
        line = self.seen[at]
        found = _BOLD.match(line) if line and ("**" in line or "__" in line) else None
        above = self.seen[at - 1] if at else ""
        if found is None or (above and above.strip() and not self._ends(at - 1) and not _BOLD.match(above)):
            return None
        written = self.page.lines[at][found.start("title") : found.end("title")]
        return f"{written}{found['after'].rstrip()}", found.start("title") + 1

    def _ends(self, at: int) -> bool:
        line = self.seen[at]
        return bool(line and _END.match(line))

    def _items(self) -> Iterator[Card]:
        starts = [at for at, line in enumerate(self.seen) if line and "#" in line and _ITEM.match(line)]
        for at, last in pairwise([*starts, len(self.seen)]):
            found = _ITEM.match(self.page.lines[at])
            if found is None:
                continue
            stop = next((each for each in range(at + 1, last) if self._heading(each)), last)
            below = self.page.lines[at + 1 : stop]
            indent = min((len(line) - len(line.lstrip()) for line in below if line.strip()), default=0)
            width = max(indent, 0)
            inside = [Cut(line[width:], at + 1 + n, width + 1) for n, line in enumerate(below)]
            yield Card(found["title"], at, found.start("title") + 1, (), inside)

    # From a card to a note

    def _note(self, card: Card) -> None:
        place = self.page.text.location(card.at, max(card.column, 1))
        heading, difficulty = self._title(card)
        body, answer = self._clean(card.body), self._clean(card.answer)
        options = find_options(body, self.seen)
        if options is None and self.level and (options := find_options(answer, self.seen)):
            answer = list(options.after)  # the key is below the options
            options = options._replace(after=())
        right = find_right(answer, options) if options else None
        if options and not right:
            self.keyless.append(place)
        choices: tuple[Choice, ...] = ()
        if options and right:
            answer = answer[right.end :]
            body = [*options.before, *options.after]
            choices = self._choices(options, right.labels)
        elif options and not body:
            answer = [*options.before, *(cut for each in options.options for cut in each.cuts), *answer]
        text = text_of(self.page, self._deeper(answer))
        shown = _PLACEHOLDER.fullmatch(_plain(text.markdown))
        if not heading.markdown.strip():
            self.found.left_out.append(LeftOut(place, "", "no question"))
        elif not choices and (shown or not (_plain(text.markdown) or _PICTURE.search(text.markdown))):
            self.found.left_out.append(LeftOut(place, heading.markdown, "no answer"))
        else:
            self.notes.append(
                Parts(
                    place=place,
                    deck=self.deck,
                    kind=Kind.CHOICE if choices else Kind.BASIC,
                    heading=heading,
                    question=text_of(self.page, self._deeper(body)),
                    answer=text,
                    choices=choices,
                    details=text_of(self.page, self._deeper(self._clean(card.details))),
                    attributes=Attributes(difficulty=difficulty),
                    certain=True,
                )
            )

    def _title(self, card: Card) -> tuple[Text, str]:
        """Return a question without its number, difficulty marks and tags, and its difficulty."""
        difficulty = ""
        title = card.title.strip()
        for mark, meaning in self.marks.items():
            if mark in title:
                difficulty, title = meaning, title.replace(mark, "").strip()
        title = _HTML.sub("", title).strip()
        if found := re.fullmatch(r"(\*\*|__)(.*)\1", title):
            title = found[2].strip()
        if number := _NUMBER.match(title):
            title = title[number.end() :].strip()
        at = self.page.lines[card.at].find(title) if title else -1
        cut = Cut(title, card.at, at + 1) if at >= 0 else Cut(" ".join(title.split()), card.at, 0)
        return text_of(self.page, [cut]), difficulty

    def _clean(self, cuts: Sequence[Cut]) -> list[Cut]:
        """Return lines without wrappers and links back to the top."""
        kept = [
            cut
            for cut in cuts
            if self.seen[cut.at] is None or not (_BACK.match(cut.text) or _WRAP.match(cut.text))
        ]
        while kept and not kept[0].text.strip():
            kept.pop(0)
        while kept and (not kept[-1].text.strip() or _is_end(self.seen[kept[-1].at], kept[-1].text)):
            kept.pop()
        return kept

    def _deeper(self, cuts: Sequence[Cut]) -> Iterator[Cut]:
        """Yield lines with headings lowered to level 4 or deeper; the levels above are the note's own."""
        for cut in cuts:
            found = _HEADING.match(cut.text) if self.seen[cut.at] is not None and "#" in cut.text else None
            if found and found["title"] and len(found["marks"]) < len("####"):
                yield Cut(f"#### {found['title']}", cut.at, 0)
            else:
                yield cut

    def _choices(self, options: Options, right: frozenset[str]) -> tuple[Choice, ...]:
        return tuple(
            Choice(text_of(self.page, option.cuts), Text(), correct=option.label.upper() in right)
            for option in options.options
        )


def _is_end(seen: str | None, text: str) -> bool:
    return seen is not None and bool(_WRAP.match(text) or re.match(r"\s*(?:-{3,}|\*{3,}|_{3,})\s*\Z", text))


def _plain(html: str) -> str:
    text = re.sub(r"(\*\*|__)(.+?)\1", r"\2", _HTML.sub("", html))
    return " ".join(text.split())
