"""The keys for comparing notes and records: two that share a key are equal in some part."""

import hashlib
import re
from collections.abc import Callable, Hashable

from ptcards.identity.lock import Fingerprint

_OURS = re.compile(r"[0-9A-Za-z]+")

Key = Callable[[Fingerprint], Hashable]


def guid_as_id(guid: str) -> str:
    """Return how `id=` refers to a GUID: literally if it is only letters and digits, otherwise by a digest.

    Other tools' GUIDs contain quotes, spaces and `>`, which would end a card comment.
    """
    return guid if _OURS.fullmatch(guid) else f"g-{hashlib.sha256(guid.encode()).hexdigest()[:10]}"


def deck_key(deck: str) -> str:
    """Return the key for comparing decks as Anki does, case-insensitively."""
    return deck.casefold()


def place(said: Fingerprint) -> tuple[str, str]:
    """Return the note type and deck; the note type is part of every comparison."""
    return (said.note_type, deck_key(said.deck))


def place_and_text(said: Fingerprint) -> Hashable:
    """Return the key that finds an unchanged note."""
    return (place(said), said.question, said.answer)


def place_and_question(said: Fingerprint) -> Hashable:
    """Return the key that finds a note with a changed answer."""
    return (place(said), said.question)


def place_and_answer(said: Fingerprint) -> Hashable:
    """Return the key that finds a note with a reworded question."""
    return (place(said), said.answer)


def text(said: Fingerprint) -> Hashable:
    """Return the key that finds a note in another deck."""
    return (said.note_type, said.question, said.answer)
