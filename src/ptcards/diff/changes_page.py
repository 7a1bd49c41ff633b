"""One HTML file with each changed note as the learner sees it, before and after, for whoever reviews it."""

from collections.abc import Iterator
from html import escape
from itertools import chain, islice
from pathlib import Path

from ptcards.diff.changed_cards import (
    Places,
    fill_with_cards,
    fitting_media,
    in_order,
    item_html,
    page_file,
    place_versions,
)
from ptcards.diff.update import Update
from ptcards.diff.update_report import STEPS, kinds_of_changes
from ptcards.diff.words import Item
from ptcards.identity.advice import ANOTHER_CARD
from ptcards.identity.changes import in_short
from ptcards.notes.labels import ENGLISH, interface, labels_of
from ptcards.notes.rendered import RenderedNote
from ptcards.source.media import look_media
from ptcards.workspace import Contents
from ptcards.writers.html import card_data

MOST_SHOWN = 100
"""How many notes the page shows as cards; it only counts the others."""


def as_page(update: Update, contents: Contents, path: Path) -> str:
    """Return the page, to be written to `path`.

    The files that old notes show must still exist (`open_update`). Raises OutputError if a file has changed
    since the sources were read.
    """
    collection, note_types = contents.collection, contents.note_types
    config = collection.config
    words = interface("changes")
    shown: list[RenderedNote] = []
    versions = islice(chain(update.versions(), update.others()), MOST_SHOWN)
    places = place_versions(update.rendered(versions, note_types), note_types, shown, both_sides=True)
    files = [*look_media(collection.root, config.css, config.note_types)]
    files += (media for note in shown for media in note.media)
    included = {media.name: media for media in fitting_media(files)}
    is_complete = included.keys() >= {media.name for media in files}
    title = words["heading"].replace("{name}", config.name).replace("{since}", update.since)
    said = {
        "title": title,
        "summary": in_short(update.changes),
        "step": words["next"].replace("{step}", STEPS[update.step]),
        **{name: words[name] for name in ("phone", "night", "no_script")},
    }
    return fill_with_cards(
        page_file("page.html"),
        style=page_file("page.css"),
        script=page_file("page.js"),
        data={
            **card_data(config, note_types, shown, included, path),
            "changed": places,
            "words": {**labels_of(config.language), **words},
        },
        parts={
            **{name: escape(text) for name, text in said.items()},
            "lang": ENGLISH,
            "left_out": "" if is_complete else f"<p>{escape(words['no_pictures'])}</p>",
            "changes": "\n".join(_changes(update, places)),
        },
    )


def _changes(update: Update, shown: Places) -> Iterator[str]:
    """Yield what changed as HTML, with the sentences that the text for a terminal has."""
    words = interface("changes")
    for section in kinds_of_changes(update):
        count = f" <small>{len(section.items):,}</small>" if section.items else ""
        yield f"<h2>{escape(section.title)}{count}</h2><p>{escape(section.effect)}</p>"
        doubt = (ANOTHER_CARD,) if any(item.doubt for item in section.items) else ()
        steps = "".join(f"<li>{escape(step)}</li>" for step in (*section.steps, *doubt))
        yield f'<ul class="steps">{steps}</ul>' if steps else ""
        listed = [item for item in section.items if item.guid in shown or len(shown) < MOST_SHOWN]
        yield f"<ul>{''.join(_item(item, shown) for item in in_order(listed))}</ul>" if listed else ""
        if left := len(section.items) - len(listed):
            yield f"<p>{words['more'].replace('{count}', f'{left:,}')}</p>"


def _item(item: Item, shown: Places) -> str:
    place = f"{item.place.path}:{item.place.line}" if item.place else ""
    return item_html(item, shown, item.doubt, place, is_open=True)
