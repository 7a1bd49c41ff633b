"""Looks at a folder without `deck.toml`: what its files look like, and which dialect reads them.

Nobody has said yet how to read such a folder. If its notes are written for another program, hundreds of
findings about them would hide the one that matters.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic
from ptcards.files.inputs import find_root, is_collection
from ptcards.source.collection import Collection, CollectionFacts, find_collections
from ptcards.source.parser import as_page
from ptcards.source.readers import DIALECTS, VAULT
from ptcards.source.readers.guess_dialect import look, may_have_cards
from ptcards.source.source import ParsedSource, Source, read_source
from ptcards.workspace.cached_source import CachedSource, SourceTask
from ptcards.workspace.unread import other_cards, unread_cards

_OWN_MARK = "\n## "


class FirstLook(NamedTuple):
    """What the files of a folder look like; `dialect` is empty if it is uncertain which one reads them.

    `dialect` is named as on the command line. `is_foreign` is true if the folder is a vault, or more than
    half of its files have no card of ours.
    """

    diagnostics: tuple[Diagnostic, ...]
    dialect: str
    is_foreign: bool


def first_look(folder: Path) -> FirstLook | None:
    """Return what the files of a folder look like, or `None` if it or a folder above has a `deck.toml`.

    Raises NoSuchSourceError if the folder has no sources.
    """
    absolute = folder.absolute()
    if not absolute.is_dir() or is_collection(find_root(absolute)):
        return None
    (collection,), problems = find_collections([folder], read=False)
    own = 0
    looked = []
    for source in collection.sources:
        read = read_source(source).source
        own += read is not None and _OWN_MARK in f"\n{read.text}"
        looked.append(_looked(collection, source, read))
    is_foreign = (collection.root / VAULT).is_dir() or own * 2 < len(looked)
    found = (*problems, *unread_cards(collection, looked), *other_cards(collection, looked))
    return FirstLook(found, next(_recognised(looked), "") if is_foreign else "", is_foreign)


def _looked(collection: Collection, source: Source, read: Source | None) -> CachedSource:
    """Return a source as if it had no notes in our format."""
    evidence = tuple(look(as_page(read)[0])) if read and may_have_cards(read.text, read.settings) else ()
    parsed = ParsedSource((), (), (), (), evidence=evidence)
    return CachedSource(SourceTask(CollectionFacts.of(collection), source, (), ()), parsed, (), "", {})


def _recognised(looked: list[CachedSource]) -> Iterator[str]:
    """Yield the dialects that certainly read cards in these sources, the one with the most cards first."""
    counts: dict[str, int] = {}
    for each in (guess for source in looked for guess in source.parsed.evidence):
        if each.sure and not each.way_out and each.dialect.partition(":")[0] in DIALECTS:
            counts[each.dialect] = counts.get(each.dialect, 0) + each.count
    yield from sorted(counts, key=lambda dialect: -counts[dialect])
