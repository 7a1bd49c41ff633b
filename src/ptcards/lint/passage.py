"""The text of a paragraph as the rules read it: prose separate from the rest, each word with its location."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ptcards.diagnostics import Location
from ptcards.markdown.blocks import Block
from ptcards.markdown.inlines import Span, SpanKind, read_inlines
from ptcards.markdown.paragraphs import LinkTarget, Paragraph, footnotes, targets
from ptcards.notes import Text

FILLER = "\ufffc"
"""Replaces each character of code, formulas and addresses in a passage's `plain`."""

_WORD = re.compile(rf"[\w{FILLER}](?:[\w{FILLER}'’.\-/]*[\w{FILLER}])?")
_UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
"""Letters of languages written without spaces between words, and of Korean, which uses few spaces."""

# Passages have no slots, because `cached_property` caches what only a few rules need.


@dataclass(frozen=True, slots=True)
class Definitions:
    """The link targets and footnotes that a text can refer to, by label."""

    targets: Mapping[str, LinkTarget]
    footnotes: Collection[str]


NO_DEFINITIONS = Definitions({}, ())


@dataclass(frozen=True)
class Passage:
    """The text of one paragraph, heading or table cell.

    `plain` is as long as `raw`: spaces replace HTML, and `FILLER` replaces everything else that is not prose.
    """

    text: Text
    paragraph: Paragraph
    definitions: Definitions
    deletions: bool
    """Whether `{{c1::…}}` is a deletion here."""
    table: bool = False

    @property
    def raw(self) -> str:
        """The source text; its lines are joined by LF."""
        return self.paragraph.text

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """Code, maths, HTML, links and similar spans, without nested ones."""
        found = read_inlines(
            self.raw, self.definitions.targets, self.definitions.footnotes, deletions_too=self.deletions
        )
        return tuple(found.spans)

    @cached_property
    def plain(self) -> str:
        """The prose on one line; each word has the same offset as in `raw`."""
        text = self.raw
        if self.spans:
            characters = list(text)
            _mask(characters, self.spans)
            text = "".join(characters)
        return text.replace("\n", " ")

    @cached_property
    def all_spans(self) -> tuple[Span, ...]:
        """All spans, outer ones first."""
        return tuple(_flat(self.spans)) if self.spans else ()

    @property
    def hidden(self) -> tuple[Span, ...]:
        """The cloze deletions."""
        return tuple(span for span in self.all_spans if span.kind is SpanKind.DELETION)

    @property
    def codes(self) -> tuple[str, ...]:
        """The contents of the code spans."""
        return tuple(span.text for span in self.all_spans if span.kind is SpanKind.CODE)

    @cached_property
    def words(self) -> int:
        """The number of words.

        A code span or a formula counts as one word. In languages without spaces, two characters do.
        """
        text = self.plain
        if text.isascii():
            return len(_WORD.findall(text))
        return len(_WORD.findall(_UNSPACED.sub(" ", text))) + (len(_UNSPACED.findall(text)) + 1) // 2

    def locate(self, offset: int = 0) -> Location:
        """Return the location of a character of `raw` in the file."""
        index, column = self.paragraph.place(offset)
        return self.text.location(index, column)


@dataclass(frozen=True, slots=True)
class Formula:
    """The TeX source of a formula, which begins at an offset in a passage."""

    passage: Passage
    start: int
    source: str

    def locate(self, offset: int) -> Location:
        """Return the location of a character of the TeX source in the file."""
        return self.passage.locate(self.start + offset)


def definitions_in(document: Block) -> Definitions:
    """Return the link targets and footnotes that blocks define."""
    return Definitions(targets(document), footnotes(document))


def _flat(spans: Iterable[Span]) -> Iterator[Span]:
    for span in spans:
        yield span
        yield from _flat(span.children)


def _mask(characters: list[str], spans: Iterable[Span]) -> None:
    """Overwrite everything that is not prose, such as marks, addresses and code."""
    for span in spans:
        match span.kind:
            case SpanKind.TEXT | SpanKind.BREAK:
                continue
            case SpanKind.LINK | SpanKind.DELETION:
                hidden = [(span.start, span.inner), (span.inner_end, span.end)]
                _mask(characters, span.children)
            case _:
                hidden = [(span.start, span.end)]
        # A tag is not a word, but it separates words.
        filler = " " if span.kind is SpanKind.HTML else FILLER
        for start, end in hidden:
            characters[start:end] = filler * (end - start)
