"""What is wrong with the sources of a collection together, besides what is wrong with each."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple
from unicodedata import normalize

from ptcards.diagnostics import Diagnostic, Location, Severity, Trait, counted, errors_in, has_errors, warning
from ptcards.files.inputs import shown
from ptcards.files.programs import in_shell
from ptcards.files.toml import item_place
from ptcards.identity.hashes import NoteSummary
from ptcards.readers.parser import parse_source
from ptcards.source.assembly import (
    PublishedId,
    check_decks,
    check_draft_links,
    check_duplicates,
    check_media_names,
    unknown_decks,
)
from ptcards.source.collection import Collection, CollectionFacts
from ptcards.source.dialects import OWN, settings_for
from ptcards.source.media import MediaFolder
from ptcards.source.own_notetypes import OWN_PREFIX, type_place
from ptcards.source.source import DeckText, Source, count_of, read_source
from ptcards.workspace.cached_source import CachedSource
from ptcards.workspace.unread import schedules_dropped, unread_cards, warn_of_left_out

_FEWEST_NOTES = 3
_NOT_OURS = frozenset(
    {
        *("broken-front-matter", "description-twice", "duplicate-question", "empty-deck", "empty-question"),
        *(
            "field-too-large",
            "no-answer",
            "stray-tag",
            "text-before-heading",
            "unclosed-tag",
            "underlined-heading",
        ),
    }
)
"""What is reported about files that are not in our format; other errors say nothing about the format."""
_OURS = re.compile(r"^(?:<!--\s*card\b|### (?:Answer|Hint|Details|Sources)\s*$)", re.MULTILINE)
"""Matches what only notes in our format have."""
_HEADING = re.compile(r"^(#{2,4})\s+\S.*?([?？])?\W*$", re.MULTILINE)


def problems_in(
    collection: Collection,
    sources: Sequence[CachedSource],
    found: Sequence[Diagnostic],
    published: Callable[[], set[PublishedId]],
) -> list[Diagnostic]:
    """Return the diagnostics about the requested ones of all sources of a collection.

    `found` were reported while reading them. `published` returns the notes that learners have.
    """
    selected = [each for each in sources if collection.is_selected(each.source.path)]
    decks = [deck for source in sources for deck in source.parsed.decks]
    notes = [summary for source in sources for summary in source.parsed.summaries]
    notes += [summary for source in sources for summary in source.parsed.draft_summaries]
    foreign = {source.source.path for source in sources if source.parsed.dialect != OWN}
    dialects = {each.parsed.dialect for each in selected}
    diagnostics = [diagnostic for dialect, diagnostic in collection.unread_plugins if dialect in dialects]
    diagnostics += [
        *found,
        *(diagnostic for each in sources for diagnostic in each.parsed.diagnostics),
    ]
    uses = [use for each in sources for use in each.parsed.media]
    levels = {tuple(note.fingerprint.deck.split("::")) for note in notes}
    filled = {"::".join(each[:depth]) for each in levels for depth in range(1, len(each) + 1)}
    diagnostics += [
        *check_decks([deck for deck in decks if normalize("NFC", deck.name) in filled]),
        *check_duplicates(notes, foreign, published),
        *check_media_names(uses),
    ]
    diagnostics += [
        *_unused_types(collection, notes),
        *_unknown_decks(collection, decks, whole=len(sources) == len(collection.sources)),
    ]
    diagnostics += check_draft_links([(each.source.name, each.parsed) for each in sources])
    unread = list(unread_cards(collection, selected))
    others = {each.source.path for each in selected if each.parsed.seems_foreign}
    diagnostics = [
        diagnostic
        for diagnostic in diagnostics
        if Trait.OWN_FORMAT not in diagnostic.traits or diagnostic.location.path not in others
    ]
    # A merge in a file of another program without cards changes no card.
    empty = {each.source.path for each in selected if not (each.parsed.summaries or each.parsed.left_out)}
    harmless = foreign & empty
    diagnostics = [
        replace(each, severity=Severity.WARNING)
        if Trait.MERGE in each.traits and each.location.path in harmless
        else each
        for each in diagnostics
    ]
    if any(Trait.NO_NOTES in diagnostic.traits for diagnostic in unread):
        diagnostics = [diagnostic for diagnostic in diagnostics if Trait.STRAY_TEXT not in diagnostic.traits]
    diagnostics += [*unread, *schedules_dropped(selected)]
    diagnostics += [
        diagnostic for source in selected for diagnostic in warn_of_left_out(source.parsed.left_out)
    ]
    diagnostics += _offer_list(collection, selected, diagnostics)
    others = {each.path for each in collection.sources if not collection.is_selected(each.path)}
    return [diagnostic for diagnostic in diagnostics if diagnostic.location.path not in others]


def _unused_types(collection: Collection, notes: Iterable[NoteSummary]) -> Iterator[Diagnostic]:
    """Yield a warning for each of the collection's own note types that no note has."""
    own = collection.config.note_types
    used = {summary.fingerprint.note_type for summary in notes} if own else set()
    for note_type in own:
        if note_type.key not in used:
            message = f"no note has the note type `{note_type.key.removeprefix(OWN_PREFIX)}`"
            fix = "remove the note type's folder, or set `type=` in a card comment"
            yield warning(type_place(collection.root, note_type.key), "unused-note-type", message, fix)


def _unknown_decks(collection: Collection, decks: Iterable[DeckText], *, whole: bool) -> Iterator[Diagnostic]:
    """Yield a warning for each name in `order` that no deck has, if the `whole` collection could be read."""
    config, toml = collection.config, collection.root / "deck.toml"
    if config.order and whole:
        place = partial(item_place, toml, shown(toml), "", "order")
        yield from unknown_decks(config, (deck_text.name for deck_text in decks), place)


def _offer_list(
    collection: Collection, looked: Sequence[CachedSource], found: Sequence[Diagnostic]
) -> list[Diagnostic]:
    """Return a warning if other people's questions could be read without the errors of our format.

    Nothing is offered that leaves notes out, or that has fewer notes than our format.
    """
    paths = {each.source.path for each in looked}
    errors = [each for each in found if each.rule in _NOT_OURS and each.location.path in paths]
    is_other = any(each.parsed.dialect != OWN for each in looked)
    if not has_errors(errors) or is_other or (collection.root / "deck.lock").exists():
        return []
    sources = [read for each in looked if (read := read_source(each.source).source)]
    if any(_OURS.search(source.text) for source in sources):
        return []
    own = sum(len(each.parsed.all_summaries) for each in looked)
    tried = {shape: _read_as(collection, sources, f"details:{shape}") for shape in _asking(sources)}
    shape = max(tried, key=lambda each: (tried[each].notes, -tried[each].errors), default="")
    best = tried.get(shape, _Tried(0, 0, 0))
    gain = best.notes - own, len(errors_in(errors)) - best.errors
    if best.notes < _FEWEST_NOTES or best.left_out or min(gain) < 0 or gain == (0, 0):
        return []
    dialect = f"details:{shape}"
    message = (
        f"as a list of questions: {counted(best.notes, 'note')} and {counted(best.errors, 'error')}, "
        f"instead of {count_of(len(errors_in(errors)), 'errors')}"
    )
    where = in_shell(shown(collection.root) if len(sources) > 1 else sources[0].path)
    fix = (
        f'add `[[dialects]]` with `files = ["**"]`, {settings_for(dialect)} to `deck.toml`'
        if collection.configured
        else f"run `ptcards build --dialect {dialect} {where}`"
    )
    return [warning(Location(min(paths), 1), "unread-cards", message, fix, traits=Trait.MANY)]


class _Tried(NamedTuple):
    """How many notes some sources have in a dialect, how many are left out, and how many errors."""

    notes: int
    left_out: int
    errors: int


def _asking(sources: Sequence[Source]) -> Iterator[str]:
    """Yield the shapes that may be those of questions: headings of a level that mostly asks, and level 2."""
    headings = [found for source in sources for found in _HEADING.findall(source.text)]
    levels = Counter(len(marks) for marks, _ in headings)
    asking = Counter(len(marks) for marks, mark in headings if mark)
    if any("<summary" in source.text for source in sources):
        yield "summary"
    for level in (2, 3, 4):
        if level == 2 or asking[level] * 2 > levels[level]:
            yield f"heading:{level}"


def _read_as(collection: Collection, sources: Sequence[Source], dialect: str) -> _Tried:
    """Return how many notes these sources have in a dialect, how many are left out, and how many errors."""
    facts, media = CollectionFacts.of(collection), MediaFolder(collection.root)
    settings = (source.settings.with_dialect(dialect) for source in sources)
    parsed = [
        parse_source(facts, replace(source, settings=each), media)
        for source, each in zip(sources, settings, strict=True)
    ]
    return _Tried(
        sum(len(each.summaries) for each in parsed),
        sum(len(each.left_out) for each in parsed),
        sum(len(errors_in(each.diagnostics)) for each in parsed),
    )
