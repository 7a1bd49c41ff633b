"""Changed notes as cards before and after: what the pages of a release and of `ptcards diff` share."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from html import escape
from importlib import resources

from ptcards.anki.fields import render_note
from ptcards.diagnostics import Location
from ptcards.diff.words import Item
from ptcards.notes import Identified, Note
from ptcards.notes.notetypes import NoteType
from ptcards.notes.rendered import RenderedNote
from ptcards.writers.html import fill_page, study_files

Places = Mapping[str, tuple[int | None, int | None]]
"""The places of notes in a page's data by GUID: now, and before."""


def place_versions(
    versions: Iterable[tuple[str, Note | None, Note | None]],
    note_types: Sequence[NoteType],
    shown: list[RenderedNote],
    now: Callable[[str, Note], RenderedNote],
    numbers: Mapping[str, Sequence[int]],
) -> Places:
    """Append the versions of notes to `shown`, and return their places there.

    `versions` are GUIDs with the note before and now, and `now` renders the latter. A note before whose note
    type is gone cannot be shown; `numbers` are those of the items that it had.
    """
    known = {note_type.key for note_type in note_types}

    def place(note: RenderedNote | None) -> int | None:
        if note is None:
            return None
        shown.append(note)
        return len(shown) - 1

    places = {}
    for guid, before, after in versions:
        old = None
        if before and before.note_type in known:
            old = render_note(Identified(before, guid, 0), note_types)[0].numbered(numbers.get(guid, ()))
        places[guid] = (place(now(guid, after) if after else None), place(old))
    return places


def topic_name(deck: str) -> str:
    """Return the name of a deck below the collection, as the study page shows it."""
    return deck.partition("::")[2].replace("::", " › ") or deck


def in_order(items: Iterable[Item]) -> list[Item]:
    """Return notes in the order of the sources."""
    nowhere = Location("", 0)
    return sorted(items, key=lambda item: (item.place or nowhere, item.heading))


def item_html(item: Item, shown: Container[str], *remarks: str, is_open: bool = False) -> str:
    """Return a note of a list as HTML; the script puts its cards into it if its GUID is in `shown`."""
    names = ", ".join(part.name for part in item.parts)
    about = " · ".join(filter(None, (topic_name(item.deck), item.remark, names, *remarks)))
    said = f'<span dir="auto">{escape(item.heading)}</span><small dir="auto">{escape(about)}</small>'
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
