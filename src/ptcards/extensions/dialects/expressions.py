"""Recognises the custom syntax of Obsidian_to_Anki by the regular expressions of its wiki.

ptcards does not run regular expressions from somebody else's settings. It recognises each kind by what only
its expression contains, and finds the cards that are paragraphs: clozes, and questions above a tag or a rule.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from ptcards.extensions.dialects.formats import EXPRESSIONS
from ptcards.extensions.dialects.obsidian_syntax import next_lines

_RULE = re.compile(r"-{3,}\s*\Z")
_ROW = re.compile(r"\s*\|[^|]+\|\s*\Z")
_DELIMITER = re.compile(r"\s*\|\s*:?-+:?\s*\|\s*\Z")


class FoundParagraphs(NamedTuple):
    """A card: the lines of its question and of its answer (from 0, the ends excluded), and its note type.

    The answer of a cloze is empty. `cut` is the mark to cut from the question; `|` also from the answer.
    """

    note_type: str
    question: tuple[int, int]
    answer: tuple[int, int]
    cut: str = ""


class ParagraphSyntax:
    """The cards among the paragraphs of a source, by the expressions of each note type.

    `lines` are the source's lines, and `seen` are the same without code.
    """

    def __init__(
        self, expressions: Mapping[str, str], lines: Sequence[str], seen: Sequence[str | None]
    ) -> None:
        self._lines, self._seen = lines, seen
        self._clozes: dict[str, str] = {}
        self._tags: dict[str, str] = {}
        self._ruled = self._table = ""
        for name, each in expressions.items():
            if found := re.search(EXPRESSIONS["tag"], each):
                self._tags[found["tag"]] = name
            elif re.search(EXPRESSIONS["table"], each):
                self._table = name
            elif re.search(EXPRESSIONS["rule"], each):
                self._ruled = name
            else:
                self._clozes |= {
                    mark: name
                    for mark, pattern in (("{", EXPRESSIONS["curly"]), ("==", EXPRESSIONS["mark"]))
                    if re.search(pattern, each)
                }

    def find(self, first: int) -> FoundParagraphs | None:
        """Return the card that begins on a line, or `None` if none does."""
        if not (self._clozes or self._tags or self._ruled or self._table) or not self._begins(first):
            return None
        last = self._ends[first]
        return self._in_table(first, last) or self._split(first, last) or self._cloze(first, last)

    def _begins(self, at: int) -> bool:
        return bool(self._lines[at].strip()) and (not at or self._ends[at - 1] == at - 1)

    def _in_table(self, first: int, last: int) -> FoundParagraphs | None:
        rows = [self._seen[at] or "" for at in range(first, min(first + 3, last))]
        patterns = (_ROW, _DELIMITER, _ROW)
        if not self._table or len(rows) < len(patterns) or not all(map(re.Pattern.match, patterns, rows)):
            return None
        return FoundParagraphs(self._table, (first, first + 1), (first + 2, first + 3), cut="|")

    def _split(self, first: int, last: int) -> FoundParagraphs | None:
        """Return a card whose question ends with a tag or at a rule."""
        for at in range(first, last) if self._tags or self._ruled else ():
            seen = (self._seen[at] or "").rstrip()
            tag = next((tag for tag in self._tags if seen.endswith(f" {tag}")), "")
            if tag or (self._ruled and at > first and _RULE.match(seen)):
                return self._below(
                    self._tags[tag] if tag else self._ruled, first, at + bool(tag), at + 1, tag
                )
        rule = self._below_blank[last] if self._ruled else len(self._lines)
        if rule < len(self._lines) and _RULE.match(self._seen[rule] or ""):
            return self._below(self._ruled, first, last, rule + 1, "")
        return None

    def _below(self, note_type: str, first: int, last: int, below: int, cut: str) -> FoundParagraphs | None:
        start = self._below_blank[below]
        stop = self._ends[start] if start < len(self._lines) else start
        return FoundParagraphs(note_type, (first, last), (start, stop), cut=cut) if stop > start else None

    def _cloze(self, first: int, last: int) -> FoundParagraphs | None:
        lines = [each for each in self._seen[first:last] if each]
        for mark, name in self._clozes.items():
            if any(mark in line for line in lines):
                return FoundParagraphs(name, (first, last), (last, last))
        return None

    @cached_property
    def _below_blank(self) -> Sequence[int]:
        """For each line, the index of the first line at or below it that is not blank."""
        return next_lines(self._lines, lambda line: bool(line.strip()))

    @cached_property
    def _ends(self) -> Sequence[int]:
        """For each line, the index of the first line at or below it that ends a paragraph."""
        return next_lines(self._lines, lambda line: not line.strip() or line.startswith("<!--"))
