"""Looks at a folder without `deck.toml`: what its files look like, and which dialect reads them.

Nobody has said yet how to read such a folder. If its notes are written for another program, hundreds of
findings about them would hide the one that matters.
"""

from pathlib import Path
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic
from ptcards.extensions.dialects.formats import DIALECTS
from ptcards.extensions.dialects.guess_dialect import look, may_have_cards
from ptcards.extensions.dialects.unread import most_likely, other_cards
from ptcards.files.inputs import find_root, is_collection
from ptcards.readers.parser import as_page
from ptcards.source.collection import Collection, CollectionFacts, find_collections, is_logseq
from ptcards.source.dialects import VAULT
from ptcards.source.source import ParsedSource, Source, read_source
from ptcards.workspace.cached_source import CachedSource, SourceTask
from ptcards.workspace.entries import Progress
from ptcards.workspace.unread import unread_cards

_OWN_MARK = "\n## "


class FirstLook(NamedTuple):
    """What the files of a folder look like; `dialect` is empty if it is uncertain which one reads them.

    `dialect` is named as on the command line. `is_foreign` is true if the folder is a vault, or more than
    half of its files have no card of ours.
    """

    diagnostics: tuple[Diagnostic, ...]
    dialect: str
    is_foreign: bool


def first_look(folder: Path, progress: Progress = lambda *_: None, *, notes: int = 0) -> FirstLook | None:
    """Return what the files of a folder look like, or `None` if it or a folder above has a `deck.toml`.

    `notes` is the number of notes in our format; without any, the first diagnostic is an error.

    Raises NoSuchSourceError if the folder has no sources.
    """
    absolute = folder.absolute()
    if not absolute.is_dir() or is_collection(find_root(absolute)):
        return None
    (collection,), problems = find_collections([folder], read=False)
    own = 0
    looked = []
    for number, source in enumerate(collection.sources):
        progress("Reading", number, len(collection.sources))
        read = read_source(source).source
        own += read is not None and _OWN_MARK in f"\n{read.text}"
        looked.append(_looked(collection, source, read))
    is_foreign = (collection.root / VAULT).is_dir() or own * 2 < len(looked)
    found = [*problems, *unread_cards(collection, looked, notes=notes)]
    if is_logseq(collection.root):
        looked = []
    if not notes:
        found += other_cards(collection, looked)
    return FirstLook(tuple(found), _recognised(looked, has_own=own > 0) if is_foreign else "", is_foreign)


def _looked(collection: Collection, source: Source, read: Source | None) -> CachedSource:
    """Return a source as if it had no notes in our format."""
    evidence = tuple(look(as_page(read)[0])) if read and may_have_cards(read.text, read.settings) else ()
    parsed = ParsedSource((), (), (), (), evidence=evidence)
    return CachedSource(SourceTask(CollectionFacts.of(collection), source, (), ()), parsed, (), "", {})


def _recognised(looked: list[CachedSource], *, has_own: bool) -> str:
    """Return the dialect that `no-notes` would name; beside notes of ours, only if it is certain."""
    best = most_likely(looked)
    is_read = best and not best.way_out and best.dialect.partition(":")[0] in DIALECTS
    return best.dialect if best and is_read and (best.sure or not has_own) else ""
