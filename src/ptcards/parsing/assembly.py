"""What the sources of a collection hold, put together: keys, decks, and what must not stand twice.

Notes are told apart by their heads, so that their texts may be elsewhere meanwhile.
"""

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from ptcards.config import Config
from ptcards.diagnostics import Diagnostic, Location, error
from ptcards.notes import Deck, Note
from ptcards.pickling import pickled_by_parts


@dataclass(frozen=True, slots=True)
class DeckText:
    """A deck as one heading of one source names it; `place` is where."""

    name: str
    place: Location
    description: str


@pickled_by_parts
@dataclass(frozen=True, slots=True)
class Head:
    """What a note must not share with another of its collection, and where it stands.

    `asked` stands for deck and question (32 hex digits; empty without a heading), `slug` is the question as a key
    (empty with an id).
    """

    place: Location
    id: str
    id_place: Location
    asked: str
    slug: str


def take_head(note: Note, id_place: Location) -> Head:
    """Take from a note what it must not share; `id_place` says where its id stands."""
    asked = ""
    if note.heading:
        texts = (" ".join(text.markdown.split()) for text in (note.heading, note.question))
        asked = hashlib.sha256("\0".join((note.deck.casefold(), *texts)).encode()).hexdigest()[:32]
    slug = ""
    if not note.id:
        slug = "-".join(re.findall(r"[^\W_]+", note.heading.markdown.lower()))[:60].strip("-") or "note"
    return Head(note.location, note.id, id_place, asked, slug)


def check_decks(decks: Sequence[DeckText]) -> list[Diagnostic]:
    """Report deck names that Anki would take for one, and decks described twice."""
    diagnostics = []
    spelled: dict[str, tuple[str, Location]] = {}
    described: dict[str, Location] = {}
    for deck in decks:
        levels = deck.name.split("::")
        for depth in range(1, len(levels) + 1):
            name = "::".join(levels[:depth])
            first, place = spelled.setdefault(
                unicodedata.normalize("NFC", name).casefold(), (name, deck.place)
            )
            if first != name:
                message = f"{_spelling(name, first)} and {_spelling(first, name)} ({place.path}:{place.line}) are one deck to Anki"
                diagnostics.append(
                    error(deck.place, "deck-name-clash", message, "spell both alike, or rename one")
                )
        if deck.description and (first_place := described.setdefault(deck.name, deck.place)) != deck.place:
            message = f"the deck `{deck.name}` has a description at {first_place} already"
            diagnostics.append(error(deck.place, "description-twice", message, "join them into one place"))
    return diagnostics


def _spelling(name: str, other: str) -> str:
    """Quote a name; where only code points tell it from the other, with those that the other lacks."""
    points = [
        f"U+{ord(char):04X}" for char in dict.fromkeys(name) if char not in other and not char.isascii()
    ]
    alike = unicodedata.normalize("NFC", name) == unicodedata.normalize("NFC", other)
    return f"`{name}` ({', '.join(points)})" if alike and points else f"`{name}`"


def check_twins(heads: Sequence[Head]) -> list[Diagnostic]:
    """Report ids and questions that stand twice."""
    diagnostics = []
    ids: dict[str, Head] = {}
    questions: dict[str, Head] = {}
    for head in heads:
        if head.id and (first := ids.setdefault(head.id.casefold(), head)) is not head:
            message = f"the id `{head.id}` is taken by {first.place}"
            fix = "give one of the two another id; keep the one already published"
            diagnostics.append(error(head.id_place, "duplicate-id", message, fix, len(head.id)))
        if head.asked and (first := questions.setdefault(head.asked, head)) is not head:
            message = f"this question was already asked at {first.place}"
            fix = "reword one of them, or delete it"
            diagnostics.append(error(head.place, "duplicate-question", message, fix, 2))
    return diagnostics


def find_keys(heads: Sequence[Head]) -> list[str]:
    """Give each note the key people call it by: its id, else a slug of the question made unique."""
    taken = {head.id.casefold() for head in heads if head.id}
    numbers: dict[str, int] = {}
    keys = []
    for head in heads:
        key = head.id
        if not key:
            key = head.slug
            # Counts on where the last one of this slug ended: thousands of equal questions take no longer than others.
            number = numbers.get(key, 2)
            while key in taken:
                key, number = f"{head.slug}-{number}", number + 1
            numbers[head.slug] = number
            taken.add(key)
        keys.append(key)
    return keys


def describe(config: Config | None, decks: Sequence[DeckText]) -> tuple[Deck, ...]:
    """List the decks with their descriptions: the root's is that of `deck.toml`, if any, with the license below."""
    descriptions: dict[str, str] = {}
    if config is not None:
        license_line = f"License: {config.license}" if config.license else ""
        descriptions[config.name] = "\n\n".join(filter(None, (config.description.strip(), license_line)))
    for deck in decks:
        descriptions[deck.name] = descriptions.get(deck.name) or deck.description
    return tuple(Deck(name, description) for name, description in descriptions.items())
