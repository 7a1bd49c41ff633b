"""`deck.lock`: the committed record of every note ever published.

Each note has one line, and the lines are sorted by GUID, so a reworded note stays on its line and git merges
two branches by union (`.gitattributes`: `deck.lock merge=union`). A lock never forgets, so the number of
GUIDs in its `count` line shows whether the file is complete or was cut off.
"""

import hashlib
import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

FILES_FOR_GIT = {".gitattributes": "deck.lock merge=union", ".gitignore": "build/"}
"""Files for git in a collection, with a line for each."""
VERSION = 2
NOTHING = "-"


class Fingerprint(NamedTuple):
    """What the lock remembers of a note's text.

    `content`, `question` and `answer` are hashes of 12 hex digits; `id` is empty if the note has none; `deck`
    and `heading` are on one line, with the heading cut after 200 characters. `sketch` (`identity.sketch`) is
    empty if the answer is short or only a version 1 lock is known.
    """

    note_type: str
    content: str
    question: str
    answer: str
    id: str
    deck: str
    heading: str
    sketch: str = ""


class Record(NamedTuple):
    """A published note: `mod` is when its content last changed (Unix seconds), as passed to Anki.

    A note that is gone from the sources is kept but not `live`, and returns under its GUID. `guid` has 1 to
    255 printable characters; `nid` is the note id in the deck that the note was imported from, or empty.
    """

    guid: str
    mod: int
    live: bool
    fingerprint: Fingerprint
    nid: str = ""


@dataclass(frozen=True, slots=True)
class TypeRecord:
    """When a note type's templates and CSS, stored as a hex hash, last changed (Unix seconds).

    `anki_id` and `anki_name` belong to a note type that came with an imported deck; 0 and empty for our own.
    """

    name: str
    mod: int
    hash: str
    anki_id: int = 0
    anki_name: str = ""


@dataclass(frozen=True, slots=True)
class Lock:
    """The contents of `deck.lock`: `types` sorted by name, `records` by GUID.

    `shown` is the file's path for messages, empty if there is no file (a plain folder); `new` means that the
    file did not exist, and `version` is the format it was read in.
    """

    collection_id: str
    types: tuple[TypeRecord, ...] = ()
    records: tuple[Record, ...] = ()
    shown: str = ""
    new: bool = True
    version: int = VERSION


def format_lock(lock: Lock) -> str:
    """Return a lock as text, with LF and tabs, sorted by GUID; `read_lock` reads the same lock back."""
    return "".join(lock_lines(lock))


def lock_lines(lock: Lock) -> Iterator[str]:
    """Yield the lines of a lock."""
    yield from head_lines(lock.collection_id, len(lock.records), lock.types)
    for record in sorted(lock.records, key=lambda r: r.guid):
        said = record.fingerprint
        state = "live" if record.live else "retired"
        hashes = f"{said.content}\t{said.question}\t{said.answer}"
        yield (
            f"note\t{record.guid}\t{said.note_type}\t{record.mod}\t{state}\t{hashes}"
            f"\t{said.sketch or NOTHING}\t{record.nid or NOTHING}"
            f"\t{said.id or NOTHING}\t{said.deck}\t{said.heading}\n"
        )


def head_lines(collection_id: str, count: int, types: Iterable[TypeRecord]) -> Iterator[str]:
    """Yield the lines before the notes of a lock; `count` is the number of notes."""
    yield f"ptcards-lock\t{VERSION}\t{collection_id}\n"
    yield f"count\t{count}\n"
    for kind in sorted(types, key=lambda t: t.name):
        adopted = f"\t{kind.anki_id}\t{kind.anki_name}" if kind.anki_id else ""
        yield f"type\t{kind.name}\t{kind.mod}\t{kind.hash}{adopted}\n"


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
