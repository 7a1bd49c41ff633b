"""What is wrong with the sources of a collection together, besides what is wrong with each."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from unicodedata import normalize

from ptcards.diagnostics import Diagnostic, Severity, Trait, warning
from ptcards.extensions import modules
from ptcards.files.inputs import shown
from ptcards.files.toml import item_place
from ptcards.identity.hashes import NoteSummary
from ptcards.notes import levels_of
from ptcards.source.assembly import (
    PublishedId,
    check_decks,
    check_draft_links,
    check_duplicates,
    check_media_names,
    unknown_decks,
)
from ptcards.source.collection import Collection
from ptcards.source.dialects import OWN
from ptcards.source.editions import chooser, matches
from ptcards.source.note_type_folders import note_type_folder, type_place
from ptcards.source.own_notetypes import OWN_PREFIX
from ptcards.source.source import DeckText, ParsedSource
from ptcards.workspace.cached_source import CachedSource
from ptcards.workspace.translations import check_translations
from ptcards.workspace.unread import unread_cards, warn_of_left_out


def problems_in(
    collection: Collection,
    sources: Sequence[CachedSource],
    keys: Sequence[str],
    found: Sequence[Diagnostic],
    published: Callable[[], set[PublishedId]],
) -> list[Diagnostic]:
    """Return the diagnostics about the requested ones of all sources of a collection.

    `keys` are those of their notes; `found` were reported while reading them. `published` returns the notes
    that learners have.
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
    diagnostics += [
        *check_decks(list(_decks_with_notes([each.parsed for each in sources]))),
        *check_duplicates(notes, foreign, published),
        *check_media_names(uses),
    ]
    diagnostics += [
        *_unused_types(collection, notes),
        *_unknown_decks(collection, decks, whole=len(sources) == len(collection.sources)),
        *_empty_editions(collection, sources),
        *check_translations(collection, sources, keys),
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
    diagnostics += unread
    diagnostics += [
        diagnostic for source in selected for diagnostic in warn_of_left_out(source.parsed.left_out)
    ]
    for module in modules("unread"):
        diagnostics += module.more_advice(selected)
    others = {each.path for each in collection.sources if not collection.is_selected(each.path)}
    return [diagnostic for diagnostic in diagnostics if diagnostic.location.path not in others]


def _decks_with_notes(parsed: Sequence[ParsedSource]) -> Iterator[DeckText]:
    """Yield the decks with notes in the source that names them, or with a description and notes anywhere."""
    filled = [
        {name for deck in {note.fingerprint.deck for note in each.all_summaries} for name in levels_of(deck)}
        for each in parsed
    ]
    anywhere = set[str]().union(*filled)
    for each, own in zip(parsed, filled, strict=True):
        for deck in each.decks:
            if normalize("NFC", deck.name) in (anywhere if deck.description else own):
                yield deck


def _unused_types(collection: Collection, notes: Iterable[NoteSummary]) -> Iterator[Diagnostic]:
    """Yield a warning for each of the collection's own note types that no note has."""
    own = collection.config.note_types
    used = {summary.fingerprint.note_type for summary in notes} if own else set()
    for note_type in own:
        is_shared = not note_type_folder(collection.root, note_type.key).is_relative_to(collection.root)
        if note_type.key not in used and not is_shared:
            message = f"no note has the note type `{note_type.key.removeprefix(OWN_PREFIX)}`"
            fix = "remove the note type's folder, or set `type=` in a card comment"
            yield warning(type_place(collection.root, note_type.key), "unused-note-type", message, fix)


def _empty_editions(collection: Collection, sources: Sequence[CachedSource]) -> Iterator[Diagnostic]:
    """Yield a warning for each edition without a note, unless a source could not be read."""
    notes = [(each.source.name, note) for each in sources for note in each.parsed.summaries]
    root, is_whole = collection.config.name, notes and len(sources) == len(collection.sources)
    for edition in (each for each in collection.config.editions if is_whole and not each.language):
        is_in = chooser(edition, root)
        if not any(is_in(*note) for note in notes):
            keys = [f"`{key}`" for key in matches(edition, root)] + ["`not`"] * bool(
                matches(edition.without, root)
            )
            message = f"no note is in the edition `{edition.name}`"
            fix = f"correct {' or '.join(keys)}, or remove the edition"
            yield warning(edition.place, "empty-edition", message, fix, len("name"))


def _unknown_decks(collection: Collection, decks: Iterable[DeckText], *, whole: bool) -> Iterator[Diagnostic]:
    """Yield a warning for each name in `order` that no deck has, if the `whole` collection could be read."""
    config, toml = collection.config, collection.root / "deck.toml"
    if config.order and whole:
        place = partial(item_place, toml, shown(toml), "", "order")
        yield from unknown_decks(config, (deck_text.name for deck_text in decks), place)
