"""`deck.lock`: the committed record of every note ever published.

One line for a note, sorted by GUID, so that a reworded note stays on its line and two branches merge by union
(`.gitattributes`: `deck.lock merge=union`). What a union leaves, several lines of one GUID, is folded on reading.

A lock never forgets, so the number of GUIDs in its `count` line tells a complete file from one that was cut off; of two
counts after a union the larger one holds. Version 1 had no count and no sketches; it is read, and written as version 2 with
the next change.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from sys import intern
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location, error
from ptcards.inputs import MAX_LOCK_BYTES, MAX_LOCK_LINES, InputError, MissingError, read_input

VERSION = 2
_MAX_PROBLEMS = 100
"""Lines that are named of a file that is no lock."""
NOTHING = "-"
UNKNOWN = "0" * 12
"""The hash of a record whose content cannot be told; it equals no other, so the next build stamps the note, or note type."""

# Times have more digits than any clock gives (`identity.resolve`), so that the next one after them can be read too.
_HEADER = re.compile(r"ptcards-lock\t([0-9]{1,9})\t(\S+)")
_COUNT = re.compile(r"count\t([0-9]{1,12})")
_TYPE = re.compile(
    r"type\t([a-z][a-z0-9-]*)\t([1-9][0-9]{0,14})\t([0-9a-f]+)(?:\t([1-9][0-9]{0,18})\t([^\t]+))?"
)
# Of the two columns between hashes and id, sketch and note id, version 1 has neither. Anki's GUIDs have any characters.
_NOTE = re.compile(
    r"note\t([^\t]{1,255})\t([a-z][a-z0-9-]*)\t([1-9][0-9]{0,14})\t(live|retired)"
    r"\t([0-9a-f]{12})\t([0-9a-f]{12})\t([0-9a-f]{12})(?:\t([0-9A-Za-z-]{16}|-)\t([1-9][0-9]{0,18}|-))?"
    r"\t([0-9A-Za-z._-]+)\t([^\t]+)\t([^\t]*)"
)
_CONFLICT = re.compile(r"(<{7}|={7}|>{7}|\|{7})( |$)")
_TAKE_A_SIDE = (
    "take either side of `deck.lock` whole (`git checkout --ours deck.lock` or `--theirs`) and build again; "
    "GUIDs of notes that were never published are derived anew, so nothing is lost"
)


_RESTORE = "bring `deck.lock` back from git (`git checkout HEAD -- deck.lock`) and build again"


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
    if content.count(b"\n") > MAX_LOCK_LINES:
        return None, [_damaged(shown, 1, f"the lock has over {MAX_LOCK_LINES:,} lines")]
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
    yield f"count\t{len(lock.records)}\n"
    for kind in sorted(lock.types, key=lambda t: t.name):
        adopted = f"\t{kind.anki_id}\t{kind.anki_name}" if kind.anki_id else ""
        yield f"type\t{kind.name}\t{kind.mod}\t{kind.hash}{adopted}\n"
    for record in sorted(lock.records, key=lambda r: r.guid):
        said = record.imprint
        state = "live" if record.live else "retired"
        hashes = f"{said.content}\t{said.question}\t{said.answer}"
        yield (
            f"note\t{record.guid}\t{said.note_type}\t{record.mod}\t{state}\t{hashes}"
            f"\t{said.sketch or NOTHING}\t{record.nid or NOTHING}"
            f"\t{said.id or NOTHING}\t{said.deck}\t{said.heading}\n"
        )


def _damaged(shown: str, line: int, message: str, cure: str = _TAKE_A_SIDE) -> Diagnostic:
    return error(Location(shown, line), "damaged-lock", message, cure)


def _parse(lines: list[str], *, shown: str, collection_id: str) -> tuple[Lock | None, list[Diagnostic]]:
    marker = next((number for number, line in enumerate(lines, 1) if _CONFLICT.match(line)), 0)
    if marker:
        return None, [_damaged(shown, marker, "a merge conflict stands in the lock")]
    problem = _check_header(lines[0], 1, shown=shown, collection_id=collection_id)
    if problem:
        return None, [problem]
    read = _Lines()
    problems: list[Diagnostic] = []
    for number, line in enumerate(lines, 1):
        if line.startswith("ptcards-lock\t"):  # a union of two versions has two
            problem = _check_header(line, number, shown=shown, collection_id=collection_id)
            problems += [problem] if problem else []
            read.versions.append(0 if problem else int(line.split("\t")[1]))
        elif line and not read.take(number, line):
            problems.append(_damaged(shown, number, f"not a line of a lock: `{line[:60]}`"))
        if len(problems) >= _MAX_PROBLEMS:
            return None, problems
    version = max(read.versions)
    if not problems and version > 1 and (lines[-1] or not read.is_complete):
        message = "the lock is cut off: notes are missing at its end"
        problems.append(_damaged(shown, len(lines), message, _RESTORE))
    folded = [_fold(read.records[guid]) for guid in sorted(read.records)]
    problems += _contradictions(folded, read, shown)
    if problems:
        return None, sorted(problems, key=lambda p: p.location)
    kinds = tuple(_fold_type(read.types[name]) for name in sorted(read.types))
    return Lock(collection_id, kinds, tuple(folded), shown, new=False, version=version), []


@dataclass(slots=True)
class _Lines:
    """What the lines of a lock say; `places` are the lines of GUIDs, the last of each."""

    types: dict[str, list[TypeRecord]] = field(default_factory=lambda: defaultdict(list))
    records: dict[str, list[Record]] = field(default_factory=lambda: defaultdict(list))
    places: dict[str, int] = field(default_factory=dict)
    counts: list[int] = field(default_factory=list)
    versions: list[int] = field(default_factory=list)

    def take(self, number: int, line: str) -> bool:
        """Take a line; whether it is one of a lock."""
        if (note := _NOTE.fullmatch(line)) and note[1].isprintable():
            record = _read_record(note)
            self.records[record.guid].append(record)
            self.places[record.guid] = number
        elif kind := _TYPE.fullmatch(line):
            name, mod, digest, anki_id, anki_name = kind.groups()
            self.types[name].append(TypeRecord(name, int(mod), digest, int(anki_id or 0), anki_name or ""))
        elif count := _COUNT.fullmatch(line):
            self.counts.append(int(count[1]))
        else:
            return False
        return True

    @property
    def is_complete(self) -> bool:
        """Whether there are as many GUIDs as once were written."""
        return bool(self.counts) and len(self.records) >= max(self.counts)


def _read_record(found: re.Match[str]) -> Record:
    guid, note_type, mod, state, content, question, answer, sketch, nid, note_id, deck, heading = (
        found.groups()
    )
    # One string for all notes of a note type or a deck.
    said = Imprint(
        intern(note_type), content, question, answer, _given(note_id), intern(deck), heading, _given(sketch)
    )
    return Record(guid, int(mod), state == "live", said, _given(nid))


def _given(column: str | None) -> str:
    """Return what a column says, empty if it says nothing or is not there."""
    return "" if column is None or column == NOTHING else column


def _check_header(line: str, number: int, *, shown: str, collection_id: str) -> Diagnostic | None:
    header = _HEADER.fullmatch(line)
    if header is None:
        return _damaged(shown, number, "the lock does not begin with `ptcards-lock`")
    if not 1 <= int(header[1]) <= VERSION:
        return _damaged(
            shown,
            number,
            f"the lock has format {header[1]}, this ptcards reads up to {VERSION}",
            "update ptcards",
        )
    if header[2] != collection_id:
        return error(
            Location(shown, number),
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
    return (said.sketch, said.content, said.question, said.answer, said.id, said.deck, said.heading)


def _contradictions(folded: Iterable[Record], read: _Lines, shown: str) -> list[Diagnostic]:
    problems = []
    holders: dict[tuple[str, str], str] = {}
    for record in folded:
        if len({line.imprint.note_type for line in read.records[record.guid]}) > 1:
            problems.append(_damaged(shown, read.places[record.guid], f"`{record.guid}` has two note types"))
        key = (record.imprint.note_type, record.imprint.id.casefold())
        if not record.live or not record.imprint.id:
            continue
        if key in holders:
            message = f"`{record.imprint.id}` is the id of two notes, `{holders[key]}` and `{record.guid}`"
            problems.append(_damaged(shown, read.places[record.guid], message))
        holders.setdefault(key, record.guid)
    return problems
