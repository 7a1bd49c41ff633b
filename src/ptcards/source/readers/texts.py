"""Texts that readers assemble from lines; a rewritten piece keeps its line number, but not its columns."""

from collections.abc import Iterable
from typing import NamedTuple

from ptcards.notes import Run, Text
from ptcards.source.parts import Page


class Cut(NamedTuple):
    """A piece of a source's line `at` (from 0), starting at a `column` (from 1).

    The column is 0 if a reader rewrote the line.
    """

    text: str
    at: int
    column: int = 1


def text_of(page: Page, cuts: Iterable[Cut]) -> Text:
    """Return a text made of pieces, without blank lines at its ends."""
    kept = list(cuts)
    while kept and not kept[-1].text.strip():
        kept.pop()
    while kept and not kept[0].text.strip():
        kept.pop(0)
    runs: list[Run] = []
    expected = (0, 0)
    for number, (_, at, column) in enumerate(kept):
        if (at + 1, column) != expected:
            runs.append(Run(number, at + 1, column))
        expected = (at + 2, column)
    return Text("\n".join(each.text for each in kept), page.text.path, tuple(runs) or page.text.runs)
