"""The values of the inline scanner."""

from enum import StrEnum
from typing import NamedTuple

from ptcards.notes import Problem


class SpanKind(StrEnum):
    """What a span is; the last three hold other spans."""

    TEXT = "text"
    CODE = "code"
    MATH = "math"
    DISPLAY_MATH = "display math"
    BREAK = "break"
    HTML = "html"
    AUTOLINK = "autolink"
    BARE_LINK = "bare link"
    FOOTNOTE = "footnote"
    LINK = "link"
    IMAGE = "image"
    DELETION = "deletion"


class Span(NamedTuple):
    """A part of a text that is more than its characters.

    `text`: of TEXT (an escape or entity) the characters meant, of code and math the content, of HTML the tag as written,
    of links without a text of their own what is shown, of a footnote its normalised label, of a deletion its hint.
    `inner` and `inner_end` are the offsets of what a span with `children` holds; of code and math those of the content.
    """

    kind: SpanKind
    start: int
    end: int
    text: str = ""
    destination: str = ""
    title: str = ""
    number: int = 0
    inner: int = 0
    inner_end: int = 0
    children: tuple["Span", ...] = ()
    depth: int = 0
    """How many levels of spans stand inside."""


class Inlines(NamedTuple):
    """The spans of a text in order, the labels it asks for, what is wrong with its deletions.

    `lone_math` are the offsets of `$$` without its end, `lone_footnotes` those of `[^label]` that nothing defines.
    """

    spans: tuple[Span, ...]
    labels: frozenset[str]
    problems: tuple[Problem, ...]
    lone_math: tuple[int, ...]
    lone_footnotes: tuple[int, ...]
