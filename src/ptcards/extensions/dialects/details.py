"""Reads lists of questions whose answers are folded on GitHub.

The question is a heading above `<details>`, a `<summary>`, bold text, or a heading in a list item.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any, NamedTuple

from ptcards.diagnostics import Location, counted, hint, warning
from ptcards.extensions.dialects.cards import Cards
from ptcards.extensions.dialects.obsidian_syntax import cuts_of, is_anchor_link
from ptcards.notes import Choice, Kind, Line, Note, Text
from ptcards.source.attributes import Attributes
from ptcards.source.content import Definitions
from ptcards.source.page import Page, ReaderResult, ReadNote

_OFTEN = 3
"""A text that occurs this often in one file is a label, not a question."""

_OPEN = re.compile(r"<details\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"<(?P<end>/?)details\b[^<>]*>", re.IGNORECASE)
_SUMMARY = re.compile(r"<summary\b[^<>]*>", re.IGNORECASE)
_SUMMARY_END = re.compile(r"</summary>", re.IGNORECASE)
_ANY_HEADING = re.compile(r" {0,3}(?P<marks>#{1,6})(?:\s+(?P<title>.*))?\Z")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+(?P<marks>#{1,6})\s+(?P<title>.*)\Z")
_BOLD_LINE = re.compile(
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
_MARKS = re.compile(r"(\*\*|__)(.+?)\1")


class FoldedQuestion(NamedTuple):
    """A question: its title, and the lines of its body, its answer and its folded details."""

    title: Line
    body: Sequence[Line]
    answer: Sequence[Line]
    details: Sequence[Line] = ()

    @property
    def last(self) -> int:
        """The index of the last line that belongs to the card."""
        ends = (part[-1].index for part in (self.body, self.answer, self.details) if part)
        return max(ends, default=self.title.index)


class _Fold(NamedTuple):
    """A `<details>` element: its first and last lines, the HTML of its summary, and its contents."""

    first: int
    last: int
    summary: str
    inside: Sequence[Line]


def closed(title: str) -> str:
    """Return a heading's title without closing `#` characters; the `#` in `C#` belongs to the title."""
    title = title.rstrip()
    bare = title.rstrip("#")
    return bare.rstrip() if not bare or bare[-1].isspace() else title


def plain(html: str) -> str:
    """Return a text without tags and bold marks, on one line."""
    return " ".join(_MARKS.sub(r"\2", _HTML.sub("", html)).split())


_OPTION = re.compile(
    r"\s{0,3}(?:[-*+]\s+)?(?:\[[ x]\]\s*)?"
    r"[`*_]*\(?(?P<label>[A-Z]|[a-z]|\d{1,2})[`*_]*\s?[:.)：、][`*_]*\s*(?P<text>.*)"
)
_NAMES = (
    r"(?P<labels>\(?(?:[A-Za-z]|\d{1,2})\)?(?:\s*(?:,|&|and|und|et|y|/)\s*\(?(?:[A-Za-z]|\d{1,2})\)?){0,100})"
)
_RIGHT = re.compile(rf"\s*(?:#{{1,6}}\s*)?[*_`>]*[^\n:：]{{1,40}}[:：]\s*[*_`]*{_NAMES}(?![\w'’])[*_`]*")
_RIGHT_HEADING = re.compile(rf"\s*#{{2,6}}\s*[*_]*[^\s:：][^\n:：]{{0,20}}?\s{_NAMES}[*_.]*\s*\Z")
_WORD = re.compile(r"\w|!\[|<img\b")
_FIRST = ("A", "a", "1")
_SEARCHED = 4
"""The number of non-blank lines at the start of an answer that may name the right options."""
_MOST = 10


class Options(NamedTuple):
    """The options of a question, each with its lines by its label, and the lines before and after them."""

    before: Sequence[Line]
    options: Mapping[str, Sequence[Line]]
    after: Sequence[Line]


def find_options(cuts: Sequence[Line], seen: Sequence[str | None]) -> Options | None:
    """Return the options among the lines of a question, in sequence from A, a or 1.

    Return `None` if the question has none.
    """
    runs: list[list[tuple[int, str, int]]] = []
    broken = True
    for number, cut in enumerate(cuts):
        found = _OPTION.match(cut.text) if seen[cut.index] is not None else None
        if found:
            label = found["label"]
            if label in _FIRST and (broken or not runs or not _follows(runs[-1][-1][1], label)):
                runs.append([])
            if runs and (not runs[-1] or _follows(runs[-1][-1][1], label)):
                runs[-1].append((number, label, found.start("text")))
                broken = False
        elif cut.text.strip() and seen[cut.index] is not None and not cut.text.startswith((" ", "\t")):
            broken = True
    whole = [run for run in runs if 2 <= len(run) <= _MOST]
    if not whole:
        return None
    run = whole[-1]
    end = run[-1][0] + 1
    while end < len(cuts) and (
        not cuts[end].text.strip() or seen[cuts[end].index] is None or cuts[end].text.startswith((" ", "\t"))
    ):
        end += 1
    return _cut(cuts, run, end)


def _cut(cuts: Sequence[Line], run: Sequence[tuple[int, str, int]], end: int) -> Options:
    """Return the options that begin on some lines, each with its label and where its text begins."""
    edges = [*(number for number, _, _ in run[1:]), end]
    options = {}
    for (number, label, start), last in zip(run, edges, strict=True):
        first = cuts[number]
        begun = Line(first.text[start:], first.index, first.column + start)
        options[label] = [begun, *cuts[number + 1 : last]]
    return Options(cuts[: run[0][0]], options, cuts[end:])


_BOX = re.compile(r"\s{0,3}[-*+]\s+\[(?P<mark>[ xX])\](?:\s+|\Z)")
_ITEM_LINE = re.compile(r"\s{0,3}(?:[-*+]|\d{1,9}[.)])\s")


def find_boxes(
    cuts: Sequence[Line], seen: Sequence[str | None]
) -> tuple[Options | None, frozenset[str], str]:
    """Return the options that are a task list outside code, if there is one; labels are numbers.

    Also return the labels of the right ones, and why the options cannot be used. Code and indented lines
    below an option belong to it; other text ends the list.
    """
    run: list[tuple[int, str, int]] = []
    right = set[str]()
    last = len(cuts)
    is_apart = has_other = False
    for number, cut in enumerate(cuts):
        line = seen[cut.index] if cut.column == 1 else cut.text
        if line is None or not cut.text.strip() or (run and line.startswith((" " * 2, "\t"))):
            continue
        found = _BOX.match(line)
        if last < len(cuts):
            is_apart = is_apart or found is not None
        elif found:
            run.append((number, str(len(run) + 1), found.end()))
            right |= {run[-1][1]} if found["mark"] in "xX" else set()
        elif run:
            has_other, last = _ITEM_LINE.match(line) is not None, number
    if not run:
        return None, frozenset(), ""
    found_options = _cut(cuts, run, last)
    reasons = {
        "two lists of options": is_apart,
        "an option without a box": has_other,
        "only one option": len(run) == 1,
        "more than 10 options": len(run) > _MOST,
        "no right option": not right,
        "an empty option": not all(
            any(cut.text.strip() for cut in lines) for lines in found_options.options.values()
        ),
    }
    return found_options, frozenset(right), next((reason for reason, is_so in reasons.items() if is_so), "")


def _follows(label: str, following: str) -> bool:
    if label.isdigit():
        return following == str(int(label) + 1)
    return len(label) == 1 and following == chr(ord(label) + 1)


def find_right(answer: Sequence[Line], options: Options) -> tuple[frozenset[str], int]:
    """Return the labels that one of an answer's first lines names after a word and a colon.

    Also return the number of lines up to that one. There are no labels if no such line names any.
    """
    known = {label.upper() for label in options.options}
    lines = ((number, cut.text) for number, cut in enumerate(answer, 1) if cut.text.strip())
    for number, text in islice(lines, _SEARCHED):
        found = _RIGHT.match(text) or _RIGHT_HEADING.match(text)
        named = frozenset(re.findall(r"\b(?:[A-Z]|\d+)\b", found["labels"].upper())) if found else frozenset()
        if named and named <= known:
            return named, number
    return frozenset(), 0


_NUMBER = re.compile(
    r"(?:(?:(?:\d+(?:\.\d+)*|Q\d*|Question\s+\d+)[.):]\s*){1,100}|(?:Question|Q)\s*#?\d+\s*[-–:]\s*)(?P<title>\S.*)",
    re.IGNORECASE,
)
_WRAP = re.compile(r"\s*(?:</?(?:p|b|div|br|center)\b[^<>]*>\s*){1,1000}\Z", re.IGNORECASE)
_BACK_LINK = re.compile(r"\s*(?:\*\*)?\[(?P<text>[^\]]*)\]\([^)]*\)(?:\*\*)?\s*\Z")
_BACK_TAG = re.compile(r"\s*<b><a href=")
_BACK = re.compile(r"back to top|⬆|↥", re.IGNORECASE)
_HTML = re.compile(r"<[^<>]*>")
_HEADING = re.compile(r" {0,3}(?P<marks>#{1,3})\s+(?P<title>\S.*)\Z")
_PICTURE = re.compile(r"<img\b|!\[", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"answer here\W*", re.IGNORECASE)
_DOUBTFUL = re.compile(r"\s*(?:[<*_]|a[n<*_]|\Z)", re.IGNORECASE)
"""Matches the start of an answer that may be only tags or a placeholder."""
_BOLD = re.compile(r"(\*\*|__)(?P<title>.*)\1")
_EMPHASIS = re.compile(r"(\*{1,3}|_{1,3})(?=[^\s*_])(?P<title>[^*_]+)(?<=\S)\1")
_IDENTIFIER = re.compile(r"(?<=\S)\s*\{#[\w.:-]{1,200}\}\s*\Z")
"""Matches an anchor that other programs put after a heading: `{#what-is-it}`."""


def read(page: Page, _: Definitions) -> ReaderResult:
    """Return the parts of the questions in a list."""
    return _DetailsReader(page).read()


class _DetailsReader(Cards):
    """Finds the cards of a source in each shape.

    `more` are the lines of the folds that became details of the card above. `keyless` are questions whose
    answer has no label after a colon, each with the last label of its options.
    """

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self.options: dict[str, Any] = dict(page.settings.options_of("details"))
        question = self.options.get("question", "heading")
        self.shapes = (question,) if isinstance(question, str) else question
        self.level = self.options.get("level", 0)
        self.marks = dict(self.options.get("difficulty-marks", ()))
        self.more: list[int] = []
        self.keyless: list[tuple[Location, str]] = []
        self._headings = [
            found
            for at, line in enumerate(self.seen)
            if line and "#" in line and (found := self._heading(at))
        ]

    def read(self) -> ReaderResult:
        for card in self.cards():
            self._note(card)
        if self.more:
            count = len(self.more)
            became = f"{count:,} more `<details>` became the details of the questions above"
            fix = 'if their summaries are questions, set `question = "summary"`'
            make = warning if count > len(self.notes) else hint
            self.report(make, self.more[0], "unread-cards", became, fix)
        if self.keyless:
            count = len(self.keyless)
            place, label = self.keyless[0]
            read = "is not read as a choice" if count == 1 else "are not read as choices"
            message = f"{counted(count, 'question')} with options {read}"
            fix = f"if it is a choice, begin its answer with the right label, as in `Answer: {label}`"
            self.found.diagnostics.append(hint(place, "options-without-key", message, fix))
        return self.complete()

    def _note(self, card: FoldedQuestion) -> None:
        _, at, column = card.title
        place = self.page.text.location(at, column)
        heading, difficulty = self._title(card)
        body, answer = self._clean(card.body), self._clean(card.answer)
        options, right, broken = (
            find_boxes(body or answer, self.seen) if self.level else (None, frozenset[str](), "")
        )
        if broken:
            self.leave_out(at, broken, heading.markdown, column)
            return
        if options:
            answer = self._clean([*options.after, *(answer if body else ())])
            body = [*options.before]
        else:
            options, is_below = find_options(body, self.seen), False
            if options is None and self.level:
                options, is_below = find_options(answer, self.seen), True
            elif options and any(_WORD.search(cut.text) for cut in options.after):
                options = None  # text follows them
            below = (
                [*options.after] if options and is_below else answer
            )  # the answer key is below the options
            right, end = find_right(below, options) if options else (right, 0)
            if options and right:
                answer, body = below[end:], [*options.before]
            elif options:
                self.keyless.append((place, [*options.options][-1]))
        choices = self._choices(options, right) if options and right else ()
        text = self.cut(self._deeper(answer))
        if not heading.markdown.strip():
            self.leave_out(at, "no question", "", column)
        elif not choices and _says_nothing(text.markdown):
            self.leave_out(at, "no answer", heading.markdown, column)
        else:
            note = Note(
                place,
                Kind.CHOICE if choices else Kind.BASIC,
                heading=heading,
                question=self.cut(self._deeper(body)),
                answer=text,
                choices=choices,
                details=self.cut(self._deeper(self._clean(card.details))),
            )
            given = Attributes(difficulty=difficulty)
            self.notes.append(ReadNote(note, self.deck((), 0), given, certain=True))

    def _title(self, card: FoldedQuestion) -> tuple[Text, str]:
        """Return a question without its number, difficulty marks and tags; also return its difficulty."""
        difficulty = ""
        title = card.title.text.strip()
        for mark, meaning in self.marks.items():
            if mark in title:
                difficulty, title = meaning, title.replace(mark, "").strip()
        title = _IDENTIFIER.sub("", _HTML.sub("", title).strip())
        for around in (_BOLD, _NUMBER, _EMPHASIS):
            if found := around.fullmatch(title):
                title = found["title"].strip()
        at = card.title.index
        start = self.page.lines[at].find(title) if title else -1
        cut = Line(title, at, start + 1) if start >= 0 else Line(" ".join(title.split()), at, 0)
        return self.cut([cut]), difficulty

    def _clean(self, cuts: Sequence[Line]) -> list[Line]:
        """Return these lines, except those that only wrap others or link back to the top."""
        kept = [cut for cut in cuts if self.seen[cut.index] is None or not _is_wrapping(cut.text)]
        while kept and not kept[0].text.strip():
            kept.pop(0)
        while kept and (
            not kept[-1].text.strip()
            or _is_end(self.seen[kept[-1].index], kept[-1].text)
            or _is_link_paragraph([cut.text for cut in kept[-2:]])
        ):
            kept.pop()
        return kept

    def _deeper(self, cuts: Sequence[Line]) -> list[Line]:
        """Return lines with headings moved to level 4 or deeper; the note itself uses the levels above."""
        return [self._lowered(cut) if "#" in cut.text else cut for cut in cuts]

    def _lowered(self, cut: Line) -> Line:
        found = _HEADING.match(cut.text) if self.seen[cut.index] is not None else None
        title = closed(found["title"]) if found else ""
        return Line(f"#### {title}", cut.index, 0) if title else cut

    def _choices(self, options: Options, right: frozenset[str]) -> tuple[Choice, ...]:
        return tuple(
            Choice(self.cut(lines), Text(), correct=label.upper() in right)
            for label, lines in options.options.items()
        )

    def cards(self) -> list[FoldedQuestion]:
        """Return the cards in these shapes, in order of their lines; no line belongs to two shapes."""
        named: Mapping[str, Callable[[], Iterator[FoldedQuestion]]] = {
            "heading": self._levelled if self.level else self._headed,
            "summary": self._summaries,
            "bold": self._bold,
            "item": self._items,
        }
        kept: list[FoldedQuestion] = []
        for shape in self.shapes:
            taken = {at for card in kept for at in range(card.title.index, card.last + 1)}
            kept += [card for card in named[shape]() if card.title.index not in taken]
        return sorted(kept, key=lambda card: card.title.index)

    def _heading(self, at: int) -> tuple[Line, int] | None:
        """Return the title of the heading on a line and its level, or `None` if it is none."""
        found = _ANY_HEADING.match(self.page.lines[at]) if _ANY_HEADING.match(self.seen[at] or "") else None
        title = found and Line(closed(found["title"] or ""), at, found.start("title") + 1)
        return (title, len(found["marks"])) if found and title else None

    def _folds(self) -> Iterator[_Fold]:
        """Yield the outermost `<details>` elements."""
        at, end = 0, len(self.seen)
        while at < end:
            line = self.seen[at]
            if line and "<" in line and (opening := _OPEN.search(line)):
                fold = self._fold(at, opening, end)
                yield fold
                at = fold.last
            at += 1

    def _fold(self, first: int, opening: re.Match[str], end: int) -> _Fold:
        """Return the fold at `opening`, with its summary and contents; it ends before line `end`."""
        last, column, lines = self._end_of_fold(first, opening.start(), end), opening.end(), self.page.lines
        begun = first
        code = next((at for at in range(first + 1, last + 1) if self.seen[at] is None), last + 1)
        text = "\n".join([" " * column + lines[first][column:], *lines[first + 1 : code]])
        head = _SUMMARY.search(text)
        tail = _SUMMARY_END.search(text, head.end()) if head else None
        stop = tail.end() if tail else column
        first += text.count("\n", 0, stop)
        begin = stop - (text.rfind("\n", 0, stop) + 1)
        inside = [Line(lines[first][begin:], first, begin + 1), *cuts_of(lines, first + 1, last + 1)]
        closing = [tag for tag in _TAG.finditer(inside[-1].text) if tag["end"]]
        if closing:
            inside[-1] = inside[-1]._replace(text=inside[-1].text[: closing[-1].start()])
        summary = text[head.end() : tail.start()] if head and tail else ""
        return _Fold(begun, last, summary, inside)

    def _end_of_fold(self, first: int, column: int, end: int) -> int:
        depth = 0
        for at in range(first, end):
            line = self.seen[at]
            if not line or "<" not in line:
                continue
            for tag in _TAG.finditer(line, column if at == first else 0):
                depth += -1 if tag["end"] else 1
                if depth <= 0:
                    return at
        return end - 1

    def _headed(self) -> Iterator[FoldedQuestion]:
        """Yield a card for each heading with a fold below it; further folds below it are details."""
        before, position = -1, 0
        card: FoldedQuestion | None = None
        details: list[Line] = []
        for fold in self._folds():
            above = None
            while position < len(self._headings) and self._headings[position][0].index <= fold.last:
                if before < self._headings[position][0].index < fold.first:
                    above, _ = self._headings[position]
                position += 1
            if above:
                if card:
                    yield card
                body = cuts_of(self.page.lines, above.index + 1, fold.first)
                details = []
                card = FoldedQuestion(above, body, fold.inside, details)
            elif card:
                details.extend(fold.inside)
                self.more.append(fold.first)
            before = fold.last
        if card:
            yield card

    def _levelled(self) -> Iterator[FoldedQuestion]:
        """Yield a card for each heading of the level, up to the next heading of that level or higher."""
        heads = [heading for heading in self._headings if heading[1] <= self.level]
        ends = [*(title.index for title, _ in heads[1:]), len(self.seen)]
        for (head, level), last in zip(heads, ends, strict=True) if heads else ():
            if level != self.level:
                continue
            opened = ((at, _OPEN.search(self.seen[at] or "")) for at in range(head.index + 1, last))
            at, opening = next(((at, found) for at, found in opened if found), (last, None))
            inside = cuts_of(self.page.lines, head.index + 1, at)
            if opening is None:
                yield FoldedQuestion(head, (), inside)
            else:
                fold = self._fold(at, opening, last)
                answer = [*fold.inside, *cuts_of(self.page.lines, fold.last + 1, last)]
                yield FoldedQuestion(head, inside, answer)

    def _summaries(self) -> Iterator[FoldedQuestion]:
        folds = [(plain(fold.summary), fold) for fold in self._folds()]
        often = Counter(summary.casefold() for summary, _ in folds)
        for summary, fold in folds:
            label = summary.strip(" :…👉👈🔽▶️💡")
            if label and not _LABEL.fullmatch(label) and often[summary.casefold()] < _OFTEN:
                yield FoldedQuestion(Line(summary, fold.first), (), fold.inside)

    def _bold(self) -> Iterator[FoldedQuestion]:
        found = {at: card for at in range(len(self.seen)) if (card := self._bold_at(at))}
        often = Counter(title.text for title in found.values())
        asking = (title for title in found.values() if re.search(r"[?？]", title.text))
        questions = {title.index: title for title in asking if often[title.text] < _OFTEN}
        for at, title in questions.items():
            last = at + 1
            while last < len(self.seen) and last not in questions and not self._ends(last):
                last += 1
            yield FoldedQuestion(title, (), cuts_of(self.page.lines, at + 1, last))

    def _bold_at(self, at: int) -> Line | None:
        """Return the title of a paragraph that is one bold span."""
        line = self.seen[at]
        found = _BOLD_LINE.match(line) if line and ("**" in line or "__" in line) else None
        above = self.seen[at - 1] if at else ""
        if found is None or (
            above and above.strip() and not self._ends(at - 1) and not _BOLD_LINE.match(above)
        ):
            return None
        written = self.page.lines[at][found.start("title") : found.end("title")]
        return Line(f"{written}{found['after'].rstrip()}", at, found.start("title") + 1)

    def _ends(self, at: int) -> bool:
        line = self.seen[at]
        return bool(line and _END.match(line))

    def _items(self) -> Iterator[FoldedQuestion]:
        starts = [at for at, line in enumerate(self.seen) if line and "#" in line and _ITEM.match(line)]
        levels = {title.index: level for title, level in self._headings}
        for at, last in pairwise([*starts, len(self.seen)]):
            found = _ITEM.match(self.page.lines[at])
            if found is None:
                continue
            level = len(found["marks"])
            stop = next((each for each in range(at + 1, last) if levels.get(each, 7) <= level), last)
            below = self.page.lines[at + 1 : stop]
            width = min((len(line) - len(line.lstrip()) for line in below if line.strip()), default=0)
            inside = [Line(line[width:], at + 1 + n, width + 1) for n, line in enumerate(below)]
            yield FoldedQuestion(Line(closed(found["title"]), at, found.start("title") + 1), (), inside)


def _says_nothing(markdown: str) -> bool:
    """Whether an answer is only a placeholder, or has neither text nor a picture."""
    if not _DOUBTFUL.match(markdown):
        return False
    shown = plain(markdown)
    return _PLACEHOLDER.fullmatch(shown) is not None or not (shown or _PICTURE.search(markdown))


def _is_wrapping(text: str) -> bool:
    """Whether a line consists of tags that wrap other lines, or of a link back to the top."""
    if not ("<" in text or "](" in text):
        return False
    link = _BACK_LINK.match(text)
    back = link["text"] if link else text if _BACK_TAG.match(text) else ""
    return _BACK.search(back) is not None or _WRAP.match(text) is not None


def _is_link_paragraph(last: Sequence[str]) -> bool:
    """Whether the last of these lines is a paragraph that only links to a heading of the same file."""
    return is_anchor_link(last[-1]) and not (last[:-1] and last[0].strip())


def _is_end(seen: str | None, text: str) -> bool:
    return seen is not None and bool(_WRAP.match(text) or re.match(r"\s*(?:-{3,}|\*{3,}|_{3,})\s*\Z", text))
