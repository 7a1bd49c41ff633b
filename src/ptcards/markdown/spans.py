"""The values of the inline scanner."""

from dataclasses import dataclass, field
from enum import StrEnum

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


@dataclass(slots=True)
class Span:
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
    children: list["Span"] = field(default_factory=list)
    depth: int = 0
    """How many levels of spans stand inside."""


@dataclass(slots=True)
class Inlines:
    """The spans of a text in order, the labels it asks for, what is wrong with its deletions.

    `lone_math` are the offsets of `$$` without its end, `lone_footnotes` those of `[^label]` that nothing defines.
    """

    spans: list[Span] = field(default_factory=list)
    labels: set[str] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)
    lone_math: list[int] = field(default_factory=list)
    lone_footnotes: list[int] = field(default_factory=list)
