"""Reads lists of questions whose answers are folded on GitHub.

The question is a heading above `<details>`, a `<summary>`, bold text, or a heading in a list item.
"""

import re
from collections.abc import Sequence
from typing import Any

from ptcards.diagnostics import Location, counted, hint
from ptcards.notes import Choice, Kind, LeftOut, Text
from ptcards.source.attributes import Attributes
from ptcards.source.definitions import Definitions
from ptcards.source.parts import DeckPart, Found, Page, Parts
from ptcards.source.readers.lines import Cut, outside_code, text_of
from ptcards.source.readers.options import Options, are_last, find_options, find_right
from ptcards.source.readers.shapes import Card, Shapes, closed, plain

_NUMBER = re.compile(
    r"(?:(?:(?:\d+(?:\.\d+)*|Q\d*|Question\s+\d+)[.):]\s*){1,100}|(?:Question|Q)\s*#?\d+\s*[-–:]\s*)(?=\S)",
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
_BOLD = re.compile(r"(\*\*|__)(.*)\1")


def read(page: Page, _: Definitions) -> Found:
    """Return the parts of the questions in a list."""
    return _Reader(page).read()


class _Reader:
    def __init__(self, page: Page) -> None:
        options: dict[str, Any] = dict(page.reading.options_of("details"))
        self.page = page
        self.seen = outside_code(page.document, page.lines)
        question = options.get("question", "heading")
        self.shapes = (question,) if isinstance(question, str) else question
        self.level = options.get("level", 0)
        self.marks = dict(options.get("difficulty-marks", ()))
        self.found = Found()
        self.deck = DeckPart((), page.text.location())
        self.notes: list[Parts] = []
        self.keyless: list[Location] = []
        """questions whose answer does not name the right option"""

    def read(self) -> Found:
        for card in Shapes(self.page, self.seen, self.level).cards(self.shapes):
            self._note(card)
        if self.keyless:
            count = len(self.keyless)
            message = f"no answer names the right option of {counted(count, 'question')}"
            fix = "begin the answer with the label, such as `Answer: B`, if this is a choice"
            self.found.diagnostics.append(hint(self.keyless[0], "options-without-key", message, fix))
        self.found.notes = self.notes
        self.found.decks = [self.deck] if self.notes else []
        return self.found

    def _note(self, card: Card) -> None:
        place = self.page.text.location(card.at, max(card.column, 1))
        heading, difficulty = self._title(card)
        body, answer = self._clean(card.body), self._clean(card.answer)
        options = find_options(body, self.seen)
        if is_below := options is None and self.level > 0:
            options = find_options(answer, self.seen)  # the answer key is below the options
        elif options and not are_last(options):
            options = None
        right = find_right(options.after if is_below else answer, options) if options else None
        choices: tuple[Choice, ...] = ()
        if options and right:
            answer = list(options.after if is_below else answer)[right.end :]
            body = [*options.before]
            choices = self._choices(options, right.labels)
        elif options:
            self.keyless.append(place)
        text = text_of(self.page, self._deeper(answer))
        if not heading.markdown.strip():
            self.found.left_out.append(LeftOut(place, "", "no question"))
        elif not choices and _says_nothing(text.markdown):
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
        """Return a question without its number, difficulty marks and tags; also return its difficulty."""
        difficulty = ""
        title = card.title.strip()
        for mark, meaning in self.marks.items():
            if mark in title:
                difficulty, title = meaning, title.replace(mark, "").strip()
        if "<" in title:
            title = _HTML.sub("", title).strip()
        if found := _BOLD.fullmatch(title):
            title = found[2].strip()
        if number := _NUMBER.match(title):
            title = title[number.end() :].strip()
        at = self.page.lines[card.at].find(title) if title else -1
        cut = Cut(title, card.at, at + 1) if at >= 0 else Cut(" ".join(title.split()), card.at, 0)
        return text_of(self.page, [cut]), difficulty

    def _clean(self, cuts: Sequence[Cut]) -> list[Cut]:
        """Return these lines, except those that only wrap others or link back to the top."""
        kept = [
            cut
            for cut in cuts
            if not ("<" in cut.text or "](" in cut.text)
            or self.seen[cut.at] is None
            or not _is_wrapping(cut.text)
        ]
        while kept and not kept[0].text.strip():
            kept.pop(0)
        while kept and (not kept[-1].text.strip() or _is_end(self.seen[kept[-1].at], kept[-1].text)):
            kept.pop()
        return kept

    def _deeper(self, cuts: Sequence[Cut]) -> list[Cut]:
        """Return lines with headings moved to level 4 or deeper; the note itself uses the levels above."""
        return [self._lowered(cut) if "#" in cut.text else cut for cut in cuts]

    def _lowered(self, cut: Cut) -> Cut:
        found = _HEADING.match(cut.text) if self.seen[cut.at] is not None else None
        title = closed(found["title"]) if found else ""
        return Cut(f"#### {title}", cut.at, 0) if title else cut

    def _choices(self, options: Options, right: frozenset[str]) -> tuple[Choice, ...]:
        return tuple(
            Choice(text_of(self.page, option.cuts), Text(), correct=option.label.upper() in right)
            for option in options.options
        )


def _says_nothing(markdown: str) -> bool:
    """Whether an answer is only a placeholder, or has neither text nor a picture."""
    if not _DOUBTFUL.match(markdown):
        return False
    shown = plain(markdown)
    return _PLACEHOLDER.fullmatch(shown) is not None or not (shown or _PICTURE.search(markdown))


def _is_wrapping(text: str) -> bool:
    """Whether a line consists of tags that wrap other lines, or of a link back to the top."""
    link = _BACK_LINK.match(text)
    back = link["text"] if link else text if _BACK_TAG.match(text) else ""
    return _BACK.search(back) is not None or _WRAP.match(text) is not None


def _is_end(seen: str | None, text: str) -> bool:
    return seen is not None and bool(_WRAP.match(text) or re.match(r"\s*(?:-{3,}|\*{3,}|_{3,})\s*\Z", text))
