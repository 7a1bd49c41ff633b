"""`deck.lock`: the committed record of every note ever published.

One line for a note, sorted by GUID, so that a reworded note stays on its line and two branches merge by union
(`.gitattributes`: `deck.lock merge=union`). What a union leaves, several lines of one GUID, is folded on reading.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from sys import intern
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location, error
from ptcards.inputs import MAX_LOCK_BYTES, InputError, MissingError, read_input

VERSION = "1"
NO_ID = "-"
UNKNOWN = "0" * 12
"""The hash of a record whose content cannot be told; it equals no other, so the next build stamps the note, or note type."""

# Times have more digits than any clock gives (`identity.resolve`), so that the next one after them can be read too.
_HEADER = re.compile(r"ptcards-lock\t([0-9]+)\t(\S+)")
_TYPE = re.compile(r"type\t([a-z]+)\t([1-9][0-9]{0,14})\t([0-9a-f]+)")
_NOTE = re.compile(
    r"note\t([0-9A-Za-z]{11})\t([a-z]+)\t([1-9][0-9]{0,14})\t(live|retired)"
    r"\t([0-9a-f]{12})\t([0-9a-f]{12})\t([0-9a-f]{12})\t([0-9A-Za-z._-]+)\t([^\t]+)\t([^\t]*)"
)
_CONFLICT = re.compile(r"(<{7}|={7}|>{7}|\|{7})( |$)")
_TAKE_A_SIDE = (
    "take either side of `deck.lock` whole (`git checkout --ours deck.lock` or `--theirs`) and build again; "
    "GUIDs of notes that were never published are derived anew, so nothing is lost"
)


class Imprint(NamedTuple):
    """What the lock remembers of a note's text.

    `content`, `question` and `answer` are hashes of 12 hex digits; `id` is empty if the note has none; `deck` and
    `heading` stand on one line, the heading cut after 200 characters.
    """

    note_type: str
    content: str
    question: str
    answer: str
    id: str
    deck: str
    heading: str


class Record(NamedTuple):
    """A note that was published: `mod` is when its content last changed (Unix seconds), as Anki is told.

    A note that is gone from the sources is kept, not `live`, and comes back under its GUID.
    """

    guid: str
    mod: int
    live: bool
    imprint: Imprint


@dataclass(frozen=True, slots=True)
class TypeRecord:
    """When a note type's templates and CSS, hashed to hex, last changed (Unix seconds)."""

    name: str
    mod: int
    hash: str


@dataclass(frozen=True, slots=True)
class Lock:
    """Everything `deck.lock` says: `types` sorted by name, `records` by GUID.

    `shown` is the file's path for messages, empty where there is no file (a plain folder); `new` tells that the file
    did not exist.
    """

    collection_id: str
    types: tuple[TypeRecord, ...] = ()
    records: tuple[Record, ...] = ()
    shown: str = ""
    new: bool = True


def read_lock(file: Path, *, shown: str, collection_id: str) -> tuple[Lock | None, list[Diagnostic]]:
    """Read and fold the lock of the collection `collection_id`; `shown` is the path that messages name.

    A missing file is an empty lock marked `new`. Anything that would make identities a guess is an error with its
    line, and the lock is None; the command line exits with 2 then.
    """
    try:
        content = read_input(file, file.parent, MAX_LOCK_BYTES)
    except MissingError:
        return Lock(collection_id, shown=shown), []
    except InputError as failure:
        return None, [failure.at(Location(shown, 1), "damaged-lock")]
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        return None, [_damaged(shown, line, "the lock is not UTF-8 here")]
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return _parse(lines, shown=shown, collection_id=collection_id)


def format_lock(lock: Lock) -> str:
    """Write a lock as text: LF, tabs, sorted by GUID; `read_lock` reads the same lock back."""
    return "".join(lock_lines(lock))


def lock_lines(lock: Lock) -> Iterator[str]:
    """Write a lock line by line."""
    yield f"ptcards-lock\t{VERSION}\t{lock.collection_id}\n"
    for kind in sorted(lock.types, key=lambda t: t.name):
        yield f"type\t{kind.name}\t{kind.mod}\t{kind.hash}\n"
    for record in sorted(lock.records, key=lambda r: r.guid):
        said = record.imprint
        state = "live" if record.live else "retired"
        hashes = f"{said.content}\t{said.question}\t{said.answer}"
        yield (
            f"note\t{record.guid}\t{said.note_type}\t{record.mod}\t{state}\t{hashes}"
            f"\t{said.id or NO_ID}\t{said.deck}\t{said.heading}\n"
        )


def _damaged(shown: str, line: int, message: str, cure: str = _TAKE_A_SIDE) -> Diagnostic:
    return error(Location(shown, line), "damaged-lock", message, cure)


def _parse(lines: list[str], *, shown: str, collection_id: str) -> tuple[Lock | None, list[Diagnostic]]:
    marker = next((number for number, line in enumerate(lines, 1) if _CONFLICT.match(line)), 0)
    if marker:
        return None, [_damaged(shown, marker, "a merge conflict stands in the lock")]
    problem = _check_header(lines[0], shown=shown, collection_id=collection_id)
    if problem:
        return None, [problem]
    problems: list[Diagnostic] = []
    types: dict[str, list[TypeRecord]] = defaultdict(list)
    records: dict[str, list[Record]] = defaultdict(list)
    places: dict[str, int] = {}
    for number, line in enumerate(lines[1:], 2):
        if note := _NOTE.fullmatch(line):
            guid, note_type, mod, state, content, question, answer, note_id, deck, heading = note.groups()
            note_id = "" if note_id == NO_ID else note_id
            # One string for all notes of a note type or a deck.
            said = Imprint(intern(note_type), content, question, answer, note_id, intern(deck), heading)
            records[guid].append(Record(guid, int(mod), state == "live", said))
            places[guid] = number
        elif kind := _TYPE.fullmatch(line):
            types[kind[1]].append(TypeRecord(kind[1], int(kind[2]), kind[3]))
        elif line and line != lines[0]:
            problems.append(_damaged(shown, number, f"not a line of a lock: `{line[:60]}`"))
    folded = [_fold(records[guid]) for guid in sorted(records)]
    problems += _contradictions(folded, records, places, shown)
    if problems:
        return None, sorted(problems, key=lambda p: p.location)
    kinds = tuple(_fold_type(types[name]) for name in sorted(types))
    return Lock(collection_id, kinds, tuple(folded), shown, new=False), []


def _check_header(line: str, *, shown: str, collection_id: str) -> Diagnostic | None:
    header = _HEADER.fullmatch(line)
    if header is None:
        return _damaged(shown, 1, "the lock does not begin with `ptcards-lock`")
    if header[1] != VERSION:
        return _damaged(
            shown, 1, f"the lock has format {header[1]}, this ptcards reads {VERSION}", "update ptcards"
        )
    if header[2] != collection_id:
        return error(
            Location(shown, 1),
            "foreign-lock",
            f"the lock belongs to the collection `{header[2]}`, `deck.toml` says `{collection_id}`",
            "the `id` in `deck.toml` never changes: write the lock's there; for a copy that starts a deck of its own, "
            "keep the new `id` and delete this `deck.lock`",
        )
    return None


def _fold(lines: list[Record]) -> Record:
    """Make one record of the lines that a union of branches left for a GUID: the newest, a live one before a retired.

    Two contents of the same second: whichever a learner has, the next build must be newer, so neither hash is kept.
    """
    if len(lines) == 1:
        return lines[0]
    newest = max(lines, key=lambda r: (r.mod, r.live, _columns(r.imprint)))
    contents = {line.imprint.content for line in lines if line.mod == newest.mod}
    if len(contents) == 1:
        return newest
    return newest._replace(imprint=newest.imprint._replace(content=UNKNOWN))


def _fold_type(lines: list[TypeRecord]) -> TypeRecord:
    newest = max(lines, key=lambda t: t.mod)
    hashes = {line.hash for line in lines if line.mod == newest.mod}
    return newest if len(hashes) == 1 else replace(newest, hash=UNKNOWN)


def _columns(said: Imprint) -> tuple[str, ...]:
    return (said.content, said.question, said.answer, said.id, said.deck, said.heading)


def _contradictions(
    folded: Iterable[Record], lines: dict[str, list[Record]], places: dict[str, int], shown: str
) -> list[Diagnostic]:
    problems = []
    holders: dict[tuple[str, str], str] = {}
    for record in folded:
        if len({line.imprint.note_type for line in lines[record.guid]}) > 1:
            problems.append(_damaged(shown, places[record.guid], f"`{record.guid}` has two note types"))
        key = (record.imprint.note_type, record.imprint.id.casefold())
        if not record.live or not record.imprint.id:
            continue
        if key in holders:
            message = f"`{record.imprint.id}` is the id of two notes, `{holders[key]}` and `{record.guid}`"
            problems.append(_damaged(shown, places[record.guid], message))
        holders.setdefault(key, record.guid)
    return problems
