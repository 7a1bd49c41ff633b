"""Notes and locks as values, for the tests of identity."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from ptcards.diagnostics import Diagnostic, Location
from ptcards.identity.changes import Changes
from ptcards.identity.hashes import content_hash, summarise
from ptcards.identity.lock import Lock, check_digits
from ptcards.identity.resolve import identify
from ptcards.notes import Choice, Identified, Kind, Macro, Note, Occlusion, Text
from ptcards.notes.rendered import Media

COLLECTION = "c0ffee00"
TYPES = {"qa": "a" * 12, "cloze": "b" * 12}
LONG = "It stops autograd from recording a graph, which saves memory and time."


def note(
    heading: str,
    answer: str = LONG,
    *,
    deck: str = "PyTorch::Autograd",
    kind: Kind = Kind.BASIC,
    id: str = "",  # noqa: A002 - the author's word
    question: str = "",
    choices: Sequence[tuple[str, str, bool]] = (),
    typed: str = "",
    hint: str = "",
    details: str = "",
    sources: str = "",
    difficulty: str = "",
    tags: Sequence[str] = (),
    ignore: Sequence[str] = (),
    media: Sequence[Media] = (),
    path: str = "cards/a.md",
    line: int = 1,
) -> Note:
    return Note(
        location=Location(path, line),
        deck=deck,
        kind=kind,
        id=id,
        key=id or heading.lower(),
        heading=Text(heading, path),
        question=Text(question, path),
        answer=Text(answer, path),
        choices=tuple(Choice(Text(text), Text(comment), correct) for text, comment, correct in choices),
        typed=typed,
        hint=Text(hint, path),
        details=Text(details, path),
        sources=Text(sources, path),
        difficulty=difficulty,
        tags=tuple(tags),
        ignore=tuple(ignore),
        media=tuple(media),
    )


def picture(digest: str) -> Media:
    return Media("a.png", PurePosixPath("a.png"), digest * 64, f"a-{digest * 8}.png")  # type: ignore[arg-type]  # no file is read


def with_digits(text: str) -> str:
    """Return the text of a lock that was edited, with the right check digits in its complete lines."""

    def sealed(line: re.Match[str]) -> str:
        return f"{line[1]}\t{check_digits(line[1])}\n"

    return re.sub(r"^((?:note|type)\t.*?)(?:\t~[0-9a-f]{8})?\n", sealed, text, flags=re.MULTILINE)


def empty_lock() -> Lock:
    return Lock(COLLECTION, shown="cards/deck.lock")


@dataclass(frozen=True)
class Resolution:
    """The identities together with the notes, in their original order."""

    notes: tuple[Identified, ...]
    types: Mapping[str, int]
    lock: Lock
    changes: Changes


def resolve(notes: Sequence[Note], lock: Lock, **arguments: Any) -> tuple[Resolution, list[Diagnostic]]:
    """Return the GUID and time of each note, and the advice; takes the arguments of `identify`."""
    found, diagnostics = identify(
        list(map(summarise, notes)),
        lock,
        content_in=lambda position, deck: content_hash(notes[position], deck),
        **arguments,
    )
    identified = tuple(map(Identified, notes, found.guids, found.mods))
    return Resolution(identified, found.types, found.lock, found.changes), diagnostics


def build(
    lock: Lock,
    *notes: Note,
    now: int = 1000,
    refresh: bool = False,
    selected: frozenset[str] | None = None,
    types: dict[str, str] | None = None,
) -> tuple[Resolution, list[Diagnostic]]:
    return resolve(
        notes,
        lock,
        type_hashes=TYPES if types is None else types,
        clock=lambda: now,
        refresh=refresh,
        selected=selected,
    )


def release(*notes: Note, now: int = 1000) -> Resolution:
    """Build for the first time."""
    return build(empty_lock(), *notes, now=now)[0]


FULL = note("One?", "1", choices=[("a", "b", True)], media=[picture("a")])
"""A note with a choice and a picture."""


def other_parts(note: Note) -> dict[str, list[Any]]:
    """Return other values of each part of a note."""
    others: dict[str, list[Any]] = {
        "location": [Location("b.md", 9)],
        "kind": [Kind.TYPED],
        "choices": [
            (),
            (note.choices[0]._replace(text=Text("c")),),
            (note.choices[0]._replace(comment=Text("c")),),
            (note.choices[0]._replace(correct=False),),
        ],
        "tags": [("t",)],
        "ignore": [("r",)],
        "unlike": [("n",)],
        "media": [(), (replace(note.media[0], written="b.png"),), (replace(note.media[0], digest="b" * 64),)],
        "code_deletions": [True],
        "fields": [(("Word", Text("猫")),)],
        "items": [(Text("an item"),)],
        "before": [1],
        "occlusion": [Occlusion((), hides_all=False)],
        "macros": [(Macro("RR", 0, None, "R", Location("macros.tex", 1)),)],
    }
    for name in Note._fields:
        other = Text("other") if isinstance(getattr(note, name), Text) else "other"
        others.setdefault(name, [other])
    return others
