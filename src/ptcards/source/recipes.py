"""Recipes: what a command makes from a source, in a form that can be cached."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from ptcards.diagnostics import Diagnostic
from ptcards.packing import CachePart
from ptcards.source.collection import CollectionFacts
from ptcards.source.media import MediaFolder
from ptcards.source.source import ParsedSource, Source

T = TypeVar("T")
ByNote = list[tuple[str, T]]
"""A value for each note of a source, with the note's content hash, by which readers find it."""


class Making(NamedTuple):
    """A source with its parsed content, for a recipe; files that it shows are looked for in `media`.

    `about` is the recipe's own, and `before` is its first part as last made from this source, or `None`.
    """

    facts: CollectionFacts
    source: Source
    parsed: ParsedSource
    media: MediaFolder
    about: Any
    before: Any


class Recipe(NamedTuple):
    """How to make `parts` from a source.

    `about` is what the parts depend on in addition to the source, its collection and its media. `make`
    returns a value for each part, and diagnostics; `by_note` makes a part that has a value for each note.
    """

    parts: tuple[CachePart[Any], ...]
    make: Callable[[Making], tuple[Sequence[object], Sequence[Diagnostic]]]
    about: Any = None


def by_note(parsed: ParsedSource, values: Iterable[T]) -> ByNote[T]:
    """Return a part with a value for each note of a source."""
    hashes = (summary.fingerprint.content for summary in parsed.summaries)
    return list(zip(hashes, values, strict=True))
