"""A note and its cards as the preview shows them, and what stays on screen while a source is broken."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ptcards.anki.mathml import with_math
from ptcards.anki.render import render_note
from ptcards.anki.sides import card_sides
from ptcards.diagnostics import Diagnostic, Location
from ptcards.notes import Identified, Kind, Note, Run, Text
from ptcards.notes.notetypes import NoteType
from ptcards.source.silence import Owners

_CODE = re.compile(r"^[ \t>]*(?:```|~~~)[ \t]*(?:python|py|python3|pycon)\b", re.MULTILINE | re.IGNORECASE)
"""The languages of code that `verify` can run."""
_ON_BOTH_SIDES = ("heading", "question", "hint", "topic", "difficulty", "kind")

Sides = list[dict[str, object]]


@dataclass(frozen=True, slots=True)
class Shown:
    """A note in the preview; `stale` marks the last good version from a source that now has errors.

    `content` is the note without its location, so that equal content is rendered once.
    """

    id: str
    collection: int
    note: Note
    content: Note
    stale: bool = False

    def as_json(self) -> dict[str, object]:
        """Return the data that the page's list needs."""
        note = self.note
        return {
            "key": note.key,
            "path": note.location.path,
            "file": str(Path(note.location.path).absolute()),
            "line": note.location.line,
            "deck": note.deck,
            "kind": note.own_type.removeprefix("x-") or note.kind,
            "difficulty": note.difficulty,
            "tags": note.tags,
            "question": " ".join((note.heading.markdown or note.title).split()),
            "text": "\n".join(
                text.markdown
                for text in (
                    note.question,
                    note.answer,
                    *(choice.text for choice in note.choices),
                    note.details,
                    *(text for _, text in note.fields),
                )
            )
            + note.typed,
            "words": len(note.answer.markdown.split()),
            "sourced": bool(note.sources),
            "code": bool(
                _CODE.search(f"{note.question.markdown}\n{note.answer.markdown}\n{note.details.markdown}")
            ),
            "collection": self.collection,
            "stale": self.stale,
            "media": {media.name: str(media.file) for media in note.media},
        }

    def is_other(self, before: "Shown | None") -> bool:
        """Whether anything differs from `before`; for most notes, both are the same object."""
        return self is not before and self != before

    def differs(self, before: "Shown | None") -> bool:
        """Whether the content differs from `before`, rather than only the location."""
        return self is not before and (before is None or before.content != self.content)

    def changed_side(self, before: "Shown | None") -> str:
        """Return the first side, `front` or `back`, that shows a change; empty for a new note."""
        if before is None:
            return ""
        if self.note.kind is Kind.CLOZE:
            return "front"
        new, old = self.content, before.content
        is_front = any(getattr(new, name) != getattr(old, name) for name in _ON_BOTH_SIDES)
        is_option = [choice.text for choice in new.choices] != [choice.text for choice in old.choices]
        is_first = new.fields[:1] != old.fields[:1]
        return "front" if is_front or is_option or is_first else "back"


def without_place(note: Note) -> Note:
    """Return the note without its key, as if it began in line 1 of a file without a name."""
    up = note.location.line - 1
    texts: dict[str, Any] = {
        name: _moved(getattr(note, name), up)
        for name in ("heading", "question", "answer", "hint", "details", "sources")
    }
    choices = tuple(
        replace(choice, text=_moved(choice.text, up), comment=_moved(choice.comment, up))
        for choice in note.choices
    )
    fields = tuple((name, _moved(text, up)) for name, text in note.fields)
    return replace(note, location=Location("", 1), key="", choices=choices, fields=fields, **texts)


def _moved(text: Text, up: int) -> Text:
    if not text:
        return Text()  # an empty text has no location, so it cannot move
    runs = tuple(Run(run.index, run.line - up, run.column) for run in text.runs)
    return Text(text.markdown, "", runs)


class LastGood:
    """Keeps the last good notes of every source."""

    def __init__(self) -> None:
        self._good: dict[str, list[Shown]] = {}

    def all(self) -> list[Shown]:
        """Return all last good notes, marked as if every source were broken now."""
        return [replace(each, stale=True) for good in self._good.values() for each in good]

    def repair(self, fresh: list[Shown], broken: Sequence[Location]) -> list[Shown]:
        """Return the `fresh` notes, with the last good ones for sources that have errors at `broken`."""
        by_path: dict[str, list[Shown]] = {}
        for each in fresh:
            by_path.setdefault(each.note.location.path, []).append(each)
        places: dict[str, list[Location]] = {}
        for place in broken:
            places.setdefault(place.path, []).append(place)
        # A source that cannot be read has no notes, but keeps its position among the others.
        order = [path for path in self._good if path in by_path or path in places] if places else []
        good: dict[str, list[Shown]] = {}
        for path in dict.fromkeys((*order, *by_path)):
            old, new = self._good.get(path, []), by_path.get(path, [])
            good[path] = _mixed(old, new, places[path]) if old and path in places else new
        self._good = good
        return [each for cards in good.values() for each in cards]


def _mixed(old: Sequence[Shown], new: Sequence[Shown], broken: Sequence[Location]) -> list[Shown]:
    """Return a source's last good notes merged with its new ones; `broken` are its errors.

    An error above all notes affects the complete source. Missing notes are kept, because an open fence may
    have swallowed them.
    """
    owners = Owners(each.note for each in new)
    wrong = {note and note.location for note in map(owners.find, broken)}
    if None in wrong:
        return [replace(each, stale=True) for each in old]
    known = {each.id: each for each in old}
    mixed = [
        replace(known[each.id], stale=True) if each.note.location in wrong and each.id in known else each
        for each in new
    ]
    present = {each.id for each in new}
    behind: dict[str, list[Shown]] = {}  # missing notes, by the last note before them that is present
    last = ""
    for each in old:
        last = each.id if each.id in present else last
        if each.id not in present:
            behind.setdefault(last, []).append(replace(each, stale=True))
    return [*behind.get("", []), *(card for each in mixed for card in (each, *behind.get(each.id, [])))]


def sides_of(note: Identified, types: Sequence[NoteType]) -> tuple[Sides, list[Diagnostic]]:
    """Return both sides of each card of a note, with formulas as MathML, and the problems found.

    Returns nothing if the note type is missing, because that is an error in the source.
    """
    note_type = next((each for each in types if each.key == note.note.note_type), None)
    if note_type is None:
        return [], []
    rendered, found = render_note(note, types)
    sides: Sides = [
        {
            "name": each.template,
            **({"deletion": each.ordinal + 1} if note_type.is_cloze else {}),
            "body": each.body_class,
            "front": with_math(each.front),
            "back": with_math(each.back),
            **({"css": note_type.css} if note_type.is_own else {}),
        }
        for each in card_sides(rendered, note_type)
    ]
    return sides, found
