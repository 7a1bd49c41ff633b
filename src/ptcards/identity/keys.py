"""By what notes and records are compared: what two must share to be equal in one part or another."""

import hashlib
import re
from collections.abc import Callable, Hashable

from ptcards.identity.lock import Imprint

_OURS = re.compile(r"[0-9A-Za-z]+")

Key = Callable[[Imprint], Hashable]


def guid_as_id(guid: str) -> str:
    """Return how an `id=` names a GUID: as it is if it has digits and letters only, else by a digest of it.

    Other tools' GUIDs have quotes, spaces and `>`, which would end a card comment.
    """
    return guid if _OURS.fullmatch(guid) else f"g-{hashlib.sha256(guid.encode()).hexdigest()[:10]}"


def deck_key(deck: str) -> str:
    """Compare decks as Anki does, without regard to case."""
    return deck.casefold()


def place(said: Imprint) -> tuple[str, str]:
    """Return note type and deck: the note type is part of every comparison."""
    return (said.note_type, deck_key(said.deck))


def place_and_text(said: Imprint) -> Hashable:
    """Return the key by which an unchanged note is found."""
    return (place(said), said.question, said.answer)


def place_and_question(said: Imprint) -> Hashable:
    """Return the key by which a note with another answer is found."""
    return (place(said), said.question)


def place_and_answer(said: Imprint) -> Hashable:
    """Return the key by which a note that is asked in other words is found."""
    return (place(said), said.answer)


def text(said: Imprint) -> Hashable:
    """Return the key by which a note in another deck is found."""
    return (said.note_type, said.question, said.answer)
