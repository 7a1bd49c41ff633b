"""Rendered notes in the form in which Anki stores them, and what is in a package with them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Self

_ITEM = re.compile(r"\{\{c([0-9]+)::")
FIELD_END = "\x1f"
"""Separates the fields of a note in Anki's database; fields contain no control characters."""
IN_ORDER = "To learn in this order: Options › New card gather order › Ascending position."
LICENSE, VERSION = "License: ", "Version "
"""With what the paragraphs begin that builds and releases add to the description of a root deck."""


@dataclass(frozen=True, slots=True)
class Media:
    """A media file used by a note.

    `written` is the address as written in the Markdown, `digest` the SHA-256 of the content in hex, and
    `name` the file's name in Anki: `<stem>-<8 hex of the digest>.<ext>`.
    """

    written: str
    file: Path = field(compare=False)
    digest: str
    name: str


class Deck(NamedTuple):
    """A deck: its full name, `A::B::C`, and its description in Markdown or HTML."""

    name: str
    description: str
    is_html: bool = False


class RenderedNote(NamedTuple):
    """A note as passed to Anki: `fields` are HTML, in the order of its note type's fields."""

    guid: str
    mod: int
    deck: str
    note_type: str
    fields: tuple[str, ...]
    tags: tuple[str, ...]
    media: tuple[Media, ...]

    def numbered(self, numbers: Sequence[int]) -> Self:
        """Return a note whose items have these numbers: as rendered, they are counted from 1."""
        fields = tuple(with_numbers(each, numbers) for each in self.fields) if numbers else self.fields
        return self._replace(fields=fields)


def with_numbers(html: str, numbers: Sequence[int]) -> str:
    """Return a field in which the items of a list, which are counted from 1, have these numbers."""
    return _ITEM.sub(lambda found: f"{{{{c{numbers[int(found[1]) - 1]}::", html)


def shown_from(place: int, before: int, count: int) -> range:
    """Return the places of the items whose cards show a list of `count` items from one place on.

    Each card shows as many items `before` its own one. Places are counted from 0.
    """
    return range(place + before if place else 0, min(place + before + 1, count)) if before else range(0)


class Row(NamedTuple):
    """A rendered note in the form of Anki's tables, without its GUID and time.

    `before` and `after` are the joined fields before and after the GUID; `after` is `None` if no field shows
    the GUID. `tags` are separated by spaces, and `ordinals` identify its cards.
    """

    deck: str
    note_type: str
    tags: str
    before: str
    after: str | None
    ordinals: tuple[int, ...]
    media: tuple[Media, ...]

    def numbered(self, numbers: Sequence[int]) -> Self:
        """Return the row of a note whose items have these numbers: as rendered, they are counted from 1."""
        if not numbers or numbers == tuple(range(1, len(numbers) + 1)):
            return self
        before, after = (with_numbers(part, numbers) if part else part for part in (self.before, self.after))
        return self._replace(
            before=before or "", after=after, ordinals=tuple(sorted(number - 1 for number in numbers))
        )

    def fields(self, guid: str) -> str:
        """Return all fields, joined as in Anki's database."""
        return self.before if self.after is None else f"{self.before}{guid}{self.after}"

    def note(self, guid: str, mod: int) -> RenderedNote:
        """Return the note with this GUID and time."""
        fields = tuple(self.fields(guid).split(FIELD_END))
        return RenderedNote(
            guid, mod, self.deck, self.note_type, fields, tuple(self.tags.split()), self.media
        )
