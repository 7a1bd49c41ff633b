"""Changed notes as cards before and now: what pages, pictures and the preview show of an update."""

from collections.abc import Container, Iterable, Mapping, Sequence
from html import escape
from importlib import resources
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args

from ptcards.diagnostics import Location
from ptcards.diff.words import Item
from ptcards.notes import Note
from ptcards.notes.notetypes import NoteType
from ptcards.notes.rendered import Media, RenderedNote
from ptcards.writers.card_frame import FramedCard, framed_cards
from ptcards.writers.html import fill_page, study_files

Side = Literal["front", "back"]
SIDES: tuple[Side, ...] = get_args(Side)
Places = Mapping[str, tuple[int | None, int | None, Sequence[tuple[int, Side]]]]
"""The places of notes in a page's data by GUID, now and before, and which sides of which cards to show."""

_MOST_MEDIA = 3_000_000
"""The size in bytes of the files that a page includes: base64 makes 4 MB of them, and the page has 5."""


class CardPair(NamedTuple):
    """A card before and now; one of the two is `None` if there was or is no such card.

    `ordinal` is that of `CardSides`.
    """

    ordinal: int
    before: FramedCard | None
    now: FramedCard | None

    def differs(self, *sides: Side) -> bool:
        """Whether any of these sides looks different now."""
        return any((self.before or {}).get(side) != (self.now or {}).get(side) for side in sides)


class ChangedNote(NamedTuple):
    """A changed note: its newest version as written, and what was and is published of it.

    `before` is `None` for a new note and for one that says the same, `now` for a retired one.
    """

    guid: str
    note: Note
    before: RenderedNote | None
    now: RenderedNote | None

    @property
    def media(self) -> list[Media]:
        """The files of both versions that a page has room for."""
        return fitting_media(media for note in (self.now, self.before) if note for media in note.media)

    def pairs(self, note_types: Sequence[NoteType]) -> list[CardPair]:
        """Return all cards, those that are gone last."""
        before, now = (
            framed_cards(version, note_types, self.note.language) if version else {}
            for version in (self.before, self.now)
        )
        return [CardPair(each, before.get(each), now.get(each)) for each in {**now, **before}]


def differing(pairs: Sequence[CardPair]) -> Sequence[CardPair]:
    """Return the cards of a note that look different now, or the first one."""
    return [pair for pair in pairs if pair.differs(*SIDES)] or pairs[:1]


def place_versions(
    changed: Iterable[ChangedNote],
    note_types: Sequence[NoteType],
    shown: list[RenderedNote],
    *,
    both_sides: bool,
) -> Places:
    """Append the versions of notes to `shown`, and return their places there.

    With `both_sides`, all cards that differ are shown as a whole. Otherwise, it is the side that differs,
    which is mostly the back, and the first card of a note that is new or says the same.
    """

    def place(note: RenderedNote | None) -> int | None:
        if note is None:
            return None
        shown.append(note)
        return len(shown) - 1

    places = {}
    for note in changed:
        sides: list[tuple[int, Side]] = []
        for pair in differing(note.pairs(note_types)):
            side: Side = "front" if pair.before and not pair.differs("back") else "back"
            sides += [(pair.ordinal, each) for each in (SIDES if both_sides else (side,))]
        is_one = not both_sides and None in (note.before, note.now)
        places[note.guid] = place(note.now), place(note.before), sides[:1] if is_one else sides
    return places


def fitting_media(files: Iterable[Media]) -> list[Media]:
    """Return the first files that fit into a page, each name once."""
    found: dict[str, Media] = {}
    left = _MOST_MEDIA
    for media in files:
        size = media.file.stat().st_size
        if media.name not in found and size <= left:
            found[media.name] = media
            left -= size
    return [*found.values()]


def topic_name(deck: str) -> str:
    """Return the name of a deck below the collection, as the study page shows it."""
    return deck.partition("::")[2].replace("::", " › ") or deck


def in_order(items: Iterable[Item]) -> list[Item]:
    """Return notes in the order of the sources."""
    nowhere = Location("", 0)
    return sorted(items, key=lambda item: (item.place or nowhere, item.heading))


def item_html(
    item: Item,
    shown: Container[str],
    *remarks: str,
    is_open: bool = False,
    words: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return a note of a list as HTML; the script puts its cards into it if its GUID is in `shown`.

    `words` are the names of the parts of a note in the page's language, by the English ones.
    """
    names = dict.fromkeys(words.get(part.name, part.name) for part in item.parts)
    facts = (topic_name(item.deck), item.remark, words.get("comma", ", ").join(names), *remarks)
    about = " · ".join(f"<bdi>{escape(fact)}</bdi>" for fact in facts if fact)
    said = f'<span dir="auto">{escape(item.heading)}</span><small>{about}</small>'
    if item.guid in shown:
        opened = " open" if is_open else ""
        said = f'<details{opened} data-note="{escape(item.guid)}"><summary>{said}</summary></details>'
    return f"<li>{said}</li>"


def fill_with_cards(
    body: str, *, style: str, script: str, data: Mapping[str, object], parts: Mapping[str, str]
) -> str:
    """Return a page like `fill_page`, with the styles and scripts that show changed notes as cards.

    They need `changed` (`Places`) and `words` in the data, beside `card_data`.
    """
    return fill_page(
        body,
        style=study_files(("page.css",)) + page_file("versions.css") + style,
        script=study_files(("common.js", "boxes.js", "cards.js", "changes.js"))
        + page_file("versions.js")
        + script,
        data={**data, "changes_css": study_files(("changes.css",))},
        parts=parts,
    )


def page_file(name: str) -> str:
    """Return the text of a file of these pages."""
    return (resources.files("ptcards.diff") / "page" / name).read_text(encoding="utf-8")
