"""Changed notes as cards before and after: what the pages of a release and of `ptcards diff` share."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from html import escape
from importlib import resources

from ptcards.anki.fields import render_note
from ptcards.diagnostics import Location
from ptcards.diff.words import Item, KindOfChange
from ptcards.identity.advice import ANOTHER_CARD
from ptcards.notes import Identified, Note
from ptcards.notes.labels import interface
from ptcards.notes.notetypes import NoteType
from ptcards.notes.rendered import RenderedNote
from ptcards.writers.html import fill_page, study_files

MOST_LISTED = 8
"""How many notes of each kind of change the page of a release lists before the reader asks for more."""

Places = Mapping[str, tuple[int | None, int | None]]
"""The places of notes in a page's data by GUID: now, and before."""


def place_versions(
    versions: Iterable[tuple[str, Note | None, Note | None]],
    note_types: Sequence[NoteType],
    shown: list[RenderedNote],
    now: Callable[[str, Note], RenderedNote],
) -> Places:
    """Append the versions of notes to `shown`, and return their places there.

    `versions` are GUIDs with the note before and now, and `now` renders the latter. A note before whose note
    type is gone cannot be shown.
    """
    known = {note_type.key for note_type in note_types}

    def place(note: RenderedNote | None) -> int | None:
        if note is None:
            return None
        shown.append(note)
        return len(shown) - 1

    places = {}
    for guid, before, after in versions:
        is_known = before is not None and before.note_type in known
        old = render_note(Identified(before, guid, 0), note_types)[0] if before and is_known else None
        places[guid] = (place(now(guid, after) if after else None), place(old))
    return places


def topic_name(deck: str) -> str:
    """Return the name of a deck below the collection, as the study page shows it."""
    return deck.partition("::")[2].replace("::", " › ") or deck


def changes_html(
    changes: Iterable[KindOfChange], shown: Container[str], *, is_review: bool = False
) -> Iterator[str]:
    """Yield what changed as HTML; the script puts the cards into the notes that are `shown`, by GUID.

    Learners get the notes; authors who review also get what the changes do, and all cards opened. They get
    the number of the notes that are not shown, and learners their questions.
    """
    words, nowhere = interface("changes"), Location("", 0)
    for section in changes:
        if not (section.items or is_review):
            continue
        ordered = sorted(section.items, key=lambda item: (item.place or nowhere, item.heading))
        count = f" <small>{len(ordered):,}</small>" if ordered else ""
        yield (
            f"<h2>{escape(section.title)}{count}</h2>"
            if is_review
            else f"<h3>{escape(section.title)}{count}</h3>"
        )
        if is_review:
            doubt = ANOTHER_CARD if any(item.doubt for item in ordered) else ""
            yield from (f"<p>{escape(said)}</p>" for said in (section.effect, doubt) if said)
            steps = "".join(f"<li>{escape(step)}</li>" for step in section.steps)
            yield f'<ul class="steps">{steps}</ul>' if steps else ""
            items = [_item(item, shown, is_review=True) for item in ordered if item.guid in shown]
        else:
            items = [_item(item, shown) for item in ordered]
        most = len(items) if is_review else MOST_LISTED
        yield f"<ul>{''.join(items[:most])}</ul>" if items else ""
        if more := len(ordered) - len(items[:most]):
            said = words["more"].replace("{count}", f"{more:,}")
            rest = "".join(items[most:])
            yield f"<details><summary>{said}</summary><ul>{rest}</ul></details>" if rest else f"<p>{said}</p>"


def _item(item: Item, shown: Container[str], *, is_review: bool = False) -> str:
    names = ", ".join(part.name for part in item.parts)
    place = f"{item.place.path}:{item.place.line}" if item.place and is_review else ""
    doubt = item.doubt if is_review else ""
    about = " · ".join(filter(None, (topic_name(item.deck), item.remark, names, doubt, place)))
    said = f'<span dir="auto">{escape(item.heading)}</span><small dir="auto">{escape(about)}</small>'
    if item.guid in shown:
        is_open = " open" if is_review else ""
        said = f'<details{is_open} data-note="{escape(item.guid)}"><summary>{said}</summary></details>'
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
        script=study_files(("common.js", "cards.js", "changes.js")) + page_file("versions.js") + script,
        data={**data, "changes_css": study_files(("changes.css",))},
        parts=parts,
    )


def page_file(name: str) -> str:
    """Return the text of a file of these pages."""
    return (resources.files("ptcards.diff") / "page" / name).read_text(encoding="utf-8")
