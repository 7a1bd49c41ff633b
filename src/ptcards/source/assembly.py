"""Combines the sources of a collection: assigns keys to notes, describes decks and reports duplicates.

Keys and checks only need the summaries of notes, not their texts.
"""

import unicodedata
from collections.abc import Container, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path

from ptcards.diagnostics import Diagnostic, Location, error, warning
from ptcards.files.names import shown
from ptcards.identity.hashes import Summary
from ptcards.notes import Deck, Note
from ptcards.source.config import Config
from ptcards.source.decks import MAX_DECK_LEVELS
from ptcards.source.parts import DeckText, MediaUse, ParsedSource

_IN_ORDER = "To learn in this order: Options › New card gather order › Ascending position."


def check_media_names(uses: Sequence[MediaUse]) -> list[Diagnostic]:
    """Return an error for each file that has the same name in Anki as another file.

    Learners would see one of the two in both places. Names contain 32 bits of the content's digest, so
    different files rarely clash by chance.
    """
    diagnostics = []
    named: dict[str, MediaUse] = {}
    for use in uses:
        # Anki's media folder ignores case on Windows and macOS.
        first = named.setdefault(use.name.casefold(), use)
        if first.digest != use.digest:
            message = (
                f"`{shown(Path(use.file))}` and `{shown(Path(first.file))}` ({first.place}) have "
                "the same name in Anki"
            )
            fix = "rename one of the two files"
            diagnostics.append(error(use.place, "media-name-clash", message, fix, use.length))
    return diagnostics


def check_decks(decks: Sequence[DeckText]) -> list[Diagnostic]:
    """Return errors for deck names that Anki treats as the same, and for decks with two descriptions."""
    diagnostics = []
    spelled: dict[str, tuple[str, Location]] = {}
    described: dict[str, Location] = {}
    for deck in decks:
        levels = deck.name.split("::", MAX_DECK_LEVELS)[:MAX_DECK_LEVELS]  # deeper ones are errors
        for depth in range(1, len(levels) + 1):
            name = "::".join(levels[:depth])
            first, place = spelled.setdefault(
                unicodedata.normalize("NFC", name).casefold(), (name, deck.place)
            )
            if first != name:
                message = (
                    f"{_spelling(name, first)} and {_spelling(first, name)} "
                    f"({place.path}:{place.line}) are the same deck to Anki"
                )
                diagnostics.append(
                    error(deck.place, "deck-name-clash", message, "spell both the same way, or rename one")
                )
        if deck.description and (first_place := described.setdefault(deck.name, deck.place)) != deck.place:
            message = f"the deck `{deck.name}` already has a description at {first_place}"
            diagnostics.append(
                error(deck.place, "description-twice", message, "merge the two descriptions into one")
            )
    return diagnostics


def _spelling(name: str, other: str) -> str:
    """Return a name in backticks, with its distinctive code points if it looks the same as the other name."""
    points = [
        f"U+{ord(char):04X}" for char in dict.fromkeys(name) if char not in other and not char.isascii()
    ]
    alike = unicodedata.normalize("NFC", name) == unicodedata.normalize("NFC", other)
    return f"`{name}` ({', '.join(points)})" if alike and points else f"`{name}`"


def check_twins(summaries: Sequence[Summary], lenient: Container[str] = ()) -> list[Diagnostic]:
    """Return an error for each id and each question that another note already has.

    In a source whose path is in `lenient`, a repeated question is only a warning.
    """
    diagnostics = []
    ids: dict[str, Summary] = {}
    questions: dict[str, Summary] = {}
    for summary in summaries:
        name = summary.fingerprint.id
        if name and (first := ids.setdefault(name.casefold(), summary)) is not summary:
            message = f"the id `{name}` is already used at {first.location}"
            fix = "change one of the two ids, but not one that is already published"
            diagnostics.append(error(summary.id_place, "duplicate-id", message, fix, len(name)))
        if summary.asked and (first := questions.setdefault(summary.asked, summary)) is not summary:
            message = f"this question is already asked at {first.location}"
            fix = "reword one of them, or remove it"
            make = warning if summary.location.path in lenient else error
            diagnostics.append(make(summary.location, "duplicate-question", message, fix, 2))
    return diagnostics


def find_keys(summaries: Sequence[Summary]) -> list[str]:
    """Return the key of each note: its id, or a unique slug of the question.

    Slugs do not contain `~`, so a key with a number never equals the slug of another question.
    """
    taken = {summary.fingerprint.id.casefold() for summary in summaries if summary.fingerprint.id}
    numbers: dict[str, int] = {}
    keys = []
    for summary in summaries:
        key = summary.fingerprint.id
        if not key:
            key = summary.slug
            # Continue from this slug's last number, so that thousands of equal questions take linear time.
            number = numbers.get(key, 2)
            while key in taken:
                key, number = f"{summary.slug}~{number}", number + 1
            numbers[summary.slug] = number
            taken.add(key)
        keys.append(key)
    return keys


def describe(config: Config | None, decks: Sequence[DeckText]) -> tuple[Deck, ...]:
    """Return the decks with their descriptions.

    The root deck's description comes from `deck.toml`. Below it are how to study in `order` and the licence.
    """
    described: dict[str, Deck] = {}
    if config is not None:
        lines = [_IN_ORDER if config.order else "", f"License: {config.license}" if config.license else ""]
        lines = list(filter(None, lines))
        description = "\n\n".join(filter(None, (config.description.strip(), *lines)))
        if config.description_html:
            description = config.description_html + "".join(f"<p>{escape(line)}</p>" for line in lines)
        described[config.name] = Deck(config.name, description, is_html=bool(config.description_html))
    for deck in decks:
        if deck.name not in described or not described[deck.name].description:
            described[deck.name] = Deck(deck.name, deck.description)
    return tuple(described.values())


def assemble(sources: Sequence[ParsedSource]) -> tuple[tuple[Note, ...], list[Diagnostic]]:
    """Return the notes and the diagnostics of a collection's sources, including conflicts."""
    notes = [note for source in sources for note in source.notes]
    summaries = [summary for source in sources for summary in source.summaries]
    decks = [deck for source in sources for deck in source.decks]
    diagnostics = [each for source in sources for each in source.diagnostics]
    uses = [use for source in sources for use in source.media]
    diagnostics += [*check_decks(decks), *check_twins(summaries), *check_media_names(uses)]
    keyed = (
        note if note.key == key else replace(note, key=key)
        for note, key in zip(notes, find_keys(summaries), strict=True)
    )
    return tuple(keyed), diagnostics
