"""A note as the preview shows it."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ptcards.diagnostics import Location
from ptcards.notes import Note, Run, Text


@dataclass(frozen=True, slots=True)
class Shown:
    """A note in the preview; `stale` says that it is the last good one of a source that has errors now.

    `content` is the note apart from where it stands, so that equal contents render alike.
    """

    id: str
    collection: int
    note: Note
    content: Note
    stale: bool = False

    def as_json(self) -> dict[str, object]:
        """Give what the page's list needs."""
        note = self.note
        return {
            "key": note.key,
            "path": note.location.path,
            "file": str(Path(note.location.path).absolute()),
            "line": note.location.line,
            "deck": note.deck,
            "kind": note.kind,
            "difficulty": note.difficulty,
            "tags": note.tags,
            "question": " ".join(note.heading.markdown.split()),
            "text": "\n".join(
                text.markdown
                for text in (
                    note.question,
                    note.answer,
                    *(choice.text for choice in note.choices),
                    note.details,
                )
            )
            + note.typed,
            "collection": self.collection,
            "stale": self.stale,
            "media": {media.name: str(media.file) for media in note.media},
        }

    def is_other(self, before: "Shown | None") -> bool:
        """Say whether anything is other than `before`; most are the same value."""
        return self is not before and self != before

    def differs(self, before: "Shown | None") -> bool:
        """Say whether it is another note than `before`, not only in another place."""
        return self is not before and (before is None or before.content != self.content)


def without_place(note: Note) -> Note:
    """Give the note as if it began in line 1 of a nameless file, under no key."""
    up = note.location.line - 1
    texts: dict[str, Any] = {
        name: _moved(getattr(note, name), up)
        for name in ("heading", "question", "answer", "hint", "details", "sources")
    }
    choices = tuple(
        replace(choice, text=_moved(choice.text, up), comment=_moved(choice.comment, up))
        for choice in note.choices
    )
    return replace(note, location=Location("", 1), key="", choices=choices, **texts)


def _moved(text: Text, up: int) -> Text:
    if not text:
        return Text()  # an empty text stands nowhere, so it cannot move
    runs = tuple(Run(run.index, run.line - up, run.column) for run in text.runs)
    return Text(text.markdown, "", runs)
