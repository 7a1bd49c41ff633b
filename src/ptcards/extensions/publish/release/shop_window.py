"""Finds what the page of a release shows of the deck: its size, its topics, samples, and what changed."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from statistics import median_low

from ptcards.anki.mathml import with_math
from ptcards.diff.changed_cards import Places, place_versions
from ptcards.diff.update import Update
from ptcards.extensions.publish.release.about_deck import ShopWindow
from ptcards.notes.rendered import RenderedNote
from ptcards.writers.html import card_data
from ptcards.writers.outputs import Edition

MOST_CHANGED = 50
"""How many new and changed notes the page shows as cards; it only names the others."""
_SAMPLES = 3
_PICTURED, _LISTED = 1, 3
_LOOKS = {
    _LISTED: r'class="(?:sequence|set)\b',
    2: r"\{\{c\d|\A[^?؟？]*\Z",
    _PICTURED: r'<img|\\[(\[]|class="choices"',
}
"""What a note looks like, the last to show first: a list, a gap or a term, a picture; or else a question."""


def shop_window(edition: Edition, update: Update | None, page: Path) -> ShopWindow:
    """Return what to show of an edition; `update` is how it differs from the one before, if that is known."""
    rows = list(edition.rows())
    notes = {guid: row.note(guid, mod) for guid, mod, row in rows}
    note_types = [note_type for note_type, _ in edition.note_types]
    samples = _samples([*notes.values()])
    shown = list(samples)
    changed: Places = {}
    if update:
        own = (each for each in update.versions() if each[0] in notes)
        versions = update.rendered(islice(own, MOST_CHANGED), note_types)
        changed = place_versions(versions, note_types, shown, both_sides=False)
    media = {media.name: media for media in edition.look_media}
    media |= {media.name: media for note in shown if note.guid in notes for media in notes[note.guid].media}
    data = card_data(edition.config, note_types, shown, media, page)
    decks = Counter(row.deck for _, _, row in rows)
    cards = sum(len(row.ordinals) for _, _, row in rows)
    return ShopWindow(len(rows), cards, decks, changed, {**data, "samples": len(samples)})


def _samples(notes: Sequence[RenderedNote]) -> list[RenderedNote]:
    """Return some notes of usual length: a plain question first, and no list if there are others.

    If they can, the others have a picture, a formula or options, different parts, such as a hint or details,
    and are in different decks. One with a formula that only MathJax draws is taken if there is no other.
    """
    sizes = [sum(map(len, note.fields)) for note in notes]
    parts = [(note.note_type, *map(bool, note.fields)) for note in notes]
    looks = [_look("\n".join(note.fields)) for note in notes]
    usual = median_low(sizes) if sizes else 0
    taken: list[int] = []

    def unlike(place: int) -> tuple[int, int, int]:
        look, deck = looks[place], notes[place].deck
        same = sum(2 * (parts[place] == parts[each]) + (deck == notes[each].deck) for each in taken)
        first = look == _LISTED if taken else look
        return first, same - 3 * (look == _PICTURED), abs(sizes[place] - usual)

    @cache  # a deck may have thousands of them
    def is_drawn(place: int) -> bool:
        return "formula-source" not in with_math("\n".join(notes[place].fields))

    while len(taken) < min(_SAMPLES, len(notes)):
        places = sorted((place for place in range(len(notes)) if place not in taken), key=unlike)
        taken.append(next(filter(is_drawn, places), places[0]))
    return [notes[place] for place in sorted(taken, key=lambda place: (looks[place], place))]


def _look(fields: str) -> int:
    return next((look for look, pattern in _LOOKS.items() if re.search(pattern, fields)), 0)
