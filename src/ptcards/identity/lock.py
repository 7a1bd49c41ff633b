"""`deck.lock`: the committed record of every note ever published.

Each note has one line, and the lines are sorted by GUID, so a reworded note keeps its line and git merges two
branches by union (`.gitattributes`: `deck.lock merge=union`). Records are never removed, so the number of
GUIDs in the `count` line shows whether the file was cut off. The numbered items of notes come before all
notes, so that a file that was cut off always lacks notes. Each record ends with check digits, which show
whether its line was damaged; no line depends on another.
"""

import hashlib
import re
import zlib
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import NamedTuple

VERSION = 3
NOTHING = "-"


class Fingerprint(NamedTuple):
    """What the lock remembers about a note's text.

    `content`, `question` and `answer` are hashes of 12 hex digits; `id` is empty if the note has none; `deck`
    and `heading` are on one line, with the heading cut after 200 characters. `sketch` (see `identity.hashes`)
    is empty if the answer is short.
    """

    note_type: str
    content: str
    question: str
    answer: str
    id: str
    deck: str
    heading: str
    sketch: str = ""


class ItemRecord(NamedTuple):
    """A numbered item of a note: a card of its own, whose number never changes.

    The number of an item that is no longer `live` is not given to another one. `after` is the number of the
    item before it, or 0. `hash` is one of its text, and `born` of the text with which it got its number, so
    two branches that gave a number to different items show it. `text` is on one line, cut like a heading.
    """

    number: int
    live: bool
    after: int
    born: str
    hash: str
    text: str


class Record(NamedTuple):
    """A published note; `mod` is the time when its content last changed (Unix seconds), as passed to Anki.

    A note that is no longer in the sources keeps its record, which is not `live`; if it returns, it gets the
    same GUID. `guid` has 1 to 255 printable characters; `nid` is the note id in the deck that the note was
    imported from, or empty. If a merge left several lines with this time but different content hashes,
    `content` in the fingerprint is unknown, and `merged` holds the deck and hash of each line. `items` are
    sorted by number.
    """

    guid: str
    mod: int
    live: bool
    fingerprint: Fingerprint
    nid: str = ""
    merged: tuple[tuple[str, str], ...] = ()
    items: tuple[ItemRecord, ...] = ()


class TypeRecord(NamedTuple):
    """A note type: a hex `hash` of its templates and CSS, and `mod`, when they last changed (Unix seconds).

    `anki_id` and `anki_name` are only set for the collection's own note types, not for the built-in ones.
    """

    name: str
    mod: int
    hash: str
    anki_id: int = 0
    anki_name: str = ""


class Lock(NamedTuple):
    """The contents of `deck.lock`: `types` sorted by name, `records` by GUID.

    `shown` is the file's path in messages; it is empty for a plain folder, which has no lock. `new` means
    that the file did not exist.
    """

    collection_id: str
    types: tuple[TypeRecord, ...] = ()
    records: tuple[Record, ...] = ()
    shown: str = ""
    new: bool = True


def format_lock(lock: Lock) -> str:
    """Return a lock as text, with tabs and LF, sorted by GUID; `read_lock` restores the same lock."""
    return "".join(lock_lines(lock))


def lock_lines(lock: Lock) -> Iterator[str]:
    """Yield the lines of a lock."""
    records = sorted(lock.records, key=lambda r: r.guid)
    yield from head_lines(lock.collection_id, len(records), lock.types)
    yield from (item_line(record.guid, item) for record in records for item in record.items)
    yield from map(record_line, records)


def record_line(record: Record) -> str:
    """Return the line of a record, with its line end."""
    fingerprint = record.fingerprint
    state = "live" if record.live else "retired"
    hashes = f"{fingerprint.content}\t{fingerprint.question}\t{fingerprint.answer}"
    return _line(
        f"note\t{record.guid}\t{fingerprint.note_type}\t{record.mod}\t{state}\t{hashes}"
        f"\t{fingerprint.sketch or NOTHING}\t{record.nid or NOTHING}"
        f"\t{fingerprint.id or NOTHING}\t{fingerprint.deck}\t{fingerprint.heading}"
    )


def item_line(guid: str, item: ItemRecord) -> str:
    """Return the line of a numbered item of a note, with its line end."""
    number, live, after, *texts = item
    state = "live" if live else "retired"
    return _line("\t".join(("item", guid, str(number), state, str(after), *texts)))


def head_lines(collection_id: str, count: int, types: Iterable[TypeRecord]) -> Iterator[str]:
    """Yield the lines of a lock that come before its notes; `count` is the number of notes."""
    yield f"ptcards-lock\t{VERSION}\t{collection_id}\n"
    yield f"count\t{count}\n"
    for kind in sorted(types, key=lambda t: t.name):
        adopted = f"\t{kind.anki_id}\t{kind.anki_name}" if kind.anki_id else ""
        yield _line(f"type\t{kind.name}\t{kind.mod}\t{kind.hash}{adopted}")


def _line(text: str) -> str:
    return f"{text}\t{check_digits(text)}\n"


def check_digits(text: str) -> str:
    """Return the check digits of a line: `~` and a CRC-32 in hex, which differs if four bytes in a row do."""
    return f"~{zlib.crc32(text.encode()):08x}"


_OURS = re.compile(r"[0-9A-Za-z]+")

Key = Callable[[Fingerprint], Hashable]


def guid_as_id(guid: str) -> str:
    """Return the `id=` for a GUID: the GUID itself if it is only letters and digits, otherwise a digest.

    GUIDs from other tools may contain quotes, spaces or `>`, which would end a card comment.
    """
    return guid if _OURS.fullmatch(guid) else f"g-{hashlib.sha256(guid.encode()).hexdigest()[:10]}"


def as_id(record: Record) -> str:
    """Return the `id=` that makes a note the one of a record."""
    return record.fingerprint.id or guid_as_id(record.guid)


def deck_key(deck: str) -> str:
    """Return a key for comparing deck names as Anki does, ignoring case."""
    return deck.casefold()


def id_of(record: Record) -> tuple[str, str]:
    """Return the id of a record's note for comparison, with its note type."""
    return record.fingerprint.note_type, record.fingerprint.id.casefold()


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
    """Return the key that finds a note that moved to another deck."""
    return (said.note_type, said.question, said.answer)
