"""`deck.lock`: the committed record of every note ever published.

One line for a note, sorted by GUID, so that a reworded note stays on its line and two branches merge by union
(`.gitattributes`: `deck.lock merge=union`). A lock never forgets, so the number of GUIDs in its `count` line tells a complete
file from one that was cut off.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

VERSION = 2
NOTHING = "-"


class Imprint(NamedTuple):
    """What the lock remembers of a note's text.

    `content`, `question` and `answer` are hashes of 12 hex digits; `id` is empty if the note has none; `deck` and
    `heading` are on one line, the heading cut after 200 characters. `sketch` (`identity.sketch`) is empty for a short answer,
    and where a lock of version 1 is all that is known.
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
    """A note that was published: `mod` is when its content last changed (Unix seconds), as Anki is told.

    A note that is gone from the sources is kept, not `live`, and comes back under its GUID. `guid` has 1 to 255 printable
    characters; `nid` is the note id in the deck that a note was imported from, empty if it was not.
    """

    guid: str
    mod: int
    live: bool
    imprint: Imprint
    nid: str = ""


@dataclass(frozen=True, slots=True)
class TypeRecord:
    """When a note type's templates and CSS, hashed to hex, last changed (Unix seconds).

    `anki_id` and `anki_name` are those of a note type that came with an imported deck, 0 and empty for ours.
    """

    name: str
    mod: int
    hash: str
    anki_id: int = 0
    anki_name: str = ""


@dataclass(frozen=True, slots=True)
class Lock:
    """Everything `deck.lock` says: `types` sorted by name, `records` by GUID.

    `shown` is the file's path for messages, empty where there is no file (a plain folder); `new` tells that the file
    did not exist, `version` in which format it was read.
    """

    collection_id: str
    types: tuple[TypeRecord, ...] = ()
    records: tuple[Record, ...] = ()
    shown: str = ""
    new: bool = True
    version: int = VERSION


def format_lock(lock: Lock) -> str:
    """Write a lock as text: LF, tabs, sorted by GUID; `read_lock` reads the same lock back."""
    return "".join(lock_lines(lock))


def lock_lines(lock: Lock) -> Iterator[str]:
    """Write a lock line by line."""
    yield from head_lines(lock.collection_id, len(lock.records), lock.types)
    for record in sorted(lock.records, key=lambda r: r.guid):
        said = record.imprint
        state = "live" if record.live else "retired"
        hashes = f"{said.content}\t{said.question}\t{said.answer}"
        yield (
            f"note\t{record.guid}\t{said.note_type}\t{record.mod}\t{state}\t{hashes}"
            f"\t{said.sketch or NOTHING}\t{record.nid or NOTHING}"
            f"\t{said.id or NOTHING}\t{said.deck}\t{said.heading}\n"
        )


def head_lines(collection_id: str, count: int, types: Iterable[TypeRecord]) -> Iterator[str]:
    """Write what comes before the notes of a lock, `count` in number."""
    yield f"ptcards-lock\t{VERSION}\t{collection_id}\n"
    yield f"count\t{count}\n"
    for kind in sorted(types, key=lambda t: t.name):
        adopted = f"\t{kind.anki_id}\t{kind.anki_name}" if kind.anki_id else ""
        yield f"type\t{kind.name}\t{kind.mod}\t{kind.hash}{adopted}\n"
