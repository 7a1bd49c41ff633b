"""An update sorted by its effect on learners: what to tell them, and what to paste into Anki's browser."""

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ptcards.diagnostics import Location
from ptcards.diff.renames import follows_its_deck
from ptcards.diff.update import ChangedPart, Update
from ptcards.identity.changes import Pair
from ptcards.identity.lock import Record
from ptcards.identity.outcome import how_recognised

MOST_IN_SEARCH = 300
"""How many GUIDs one search contains; longer ones make Anki's browser slow."""

_IN_PLACE = (
    "Anki updates them in place: reviews stay. A learner's own changes to them, including tags, are replaced."
)
_MERGE = (
    "Learners who added a field to the note type get this update if they turn on *Merge note types* in the "
    "import dialog. This empties their field in updated notes."
)


@dataclass(frozen=True, slots=True)
class Item:
    """A note in a list, with its `place` in the sources, a `remark`, and a `doubt` for the author."""

    deck: str
    heading: str
    place: Location | None = None
    remark: str = ""
    parts: tuple[ChangedPart, ...] = ()
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class Search:
    """Lines to paste into Anki's browser, and their purpose."""

    purpose: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A kind of change, and what Anki does about it."""

    title: str
    effect: str
    items: tuple[Item, ...] = ()
    searches: tuple[Search, ...] = ()
    steps: tuple[str, ...] = ()
    """what learners should do, a line for each"""


def sections(update: Update) -> list[Section]:
    """Return an update sorted by its effect on learners, without empty sections."""
    changes = update.changes
    back = {pair.after.guid for pair in changes.returned}
    changed = [pair for pair in changes.changed if pair.after.guid not in back]
    reworded = {pair.after.guid for pair in changes.reworded}
    decks = update.renamed_decks
    followed = {pair: None for pair in changes.moved if follows_its_deck(pair, decks)}
    found = [
        _renamed(update),
        _renamed_decks(decks, followed),
        Section("New", "Anki adds them.", _items(update, changes.new)),
        Section(
            "Back",
            "These notes had been removed and are back. Learners who still have them keep their reviews; for "
            "others they are new.",
            _edited(update, changes.returned),
        ),
        Section(
            "Reworded",
            f"The same notes, reworded. {_IN_PLACE}",
            _edited(update, [pair for pair in changed if pair.after.guid in reworded]),
        ),
        Section(
            "Changed",
            _IN_PLACE,
            _edited(update, [pair for pair in changed if pair.after.guid not in reworded]),
        ),
        _moved(update, followed),
        _retired(update),
        Section(
            "Changed between question and cloze",
            "Anki cannot turn one into the other: learners get a new note and start again. They keep the "
            "old one, without updates.",
            _items(update, [pair.after for pair in changes.switched]),
        ),
        Section(
            "Sent again",
            f"The text of these notes is unchanged, but their times are new. {_IN_PLACE}",
            _items(update, [pair.after for pair in changes.stamped]),
        ),
    ]
    shown = [section for section in found[:2] if section]
    shown += [section for section in found[2:] if section and section.items]
    if changes.types:
        effect = "Anki replaces templates and CSS, including a learner's own changes to them; reviews stay."
        shown.append(Section("New look", effect))
    if changes.new or changes.changed or changes.returned or changes.stamped or changes.types:
        shown.append(Section("Learners' own fields", _MERGE))
    return shown


def _renamed(update: Update) -> Section | None:
    old, new = update.renamed, update.name
    if not old:
        return None
    decks = {
        pair.before.fingerprint.deck: pair.after.fingerprint.deck
        for pair in update.changes.moved
        if _below(pair.before) == _below(pair.after)
    }
    return Section(
        "Renamed",
        f"The collection is now called {new}. Learners' cards stay in {old}, but new ones go to {new}. "
        f"To keep them together, rename the deck {old} to {new} in Anki before importing.",
        searches=_searches(decks),
    )


def _renamed_decks(decks: Mapping[str, str], followed: Iterable[Pair]) -> Section | None:
    """Return what to do about renamed decks; the notes in `followed` moved only because of that."""
    if not decks:
        return None
    ways = {pair.before.fingerprint.deck: pair.after.fingerprint.deck for pair in followed}
    return Section(
        "Renamed decks",
        "Learners' cards stay in the old decks, but new ones go to the new decks. To keep them together:",
        searches=_searches(ways),
        steps=tuple(f"before importing, rename {old} to {new} in Anki" for old, new in decks.items()),
    )


def _searches(decks: Mapping[str, str]) -> tuple[Search, ...]:
    """Return a search for the cards of each deck, by its old name; the values are the new names."""
    return tuple(
        Search(
            f"To move the cards of {deck} to {decks[deck]} after importing: paste this into Anki's "
            "browser, select all, and choose Change Deck.",
            (f'"deck:{_escaped(deck)}" -"deck:{_escaped(deck)}::*"',),
        )
        for deck in sorted(decks)
    )


def _moved(update: Update, followed: Container[Pair]) -> Section:
    ways: dict[str, list[Pair]] = defaultdict(list)
    for pair in update.changes.moved:
        is_told = update.renamed and _below(pair.before) == _below(pair.after)
        if not is_told and pair not in followed:
            ways[pair.after.fingerprint.deck].append(pair)
    pairs = [pair for deck in sorted(ways) for pair in ways[deck]]
    return Section(
        "Moved",
        "Anki does not move cards on an update: current learners keep them where they are; new learners "
        "get the new deck. A move alone changes nothing else: learners' own edits and tags stay.",
        tuple(_item(update, pair.after, remark=f"was in {pair.before.fingerprint.deck}") for pair in pairs),
        tuple(
            Search(
                f"To move them to {deck}: paste this into Anki's browser, select all, and choose "
                "Change Deck.",
                search([pair.after.guid for pair in ways[deck]]),
            )
            for deck in sorted(ways)
        ),
    )


def _retired(update: Update) -> Section:
    retired = update.changes.retired
    return Section(
        "Retired",
        "These notes were removed or are skipped. Learners keep them, because an update deletes nothing, but "
        "the notes are no longer updated.",
        _items(update, retired),
        (
            Search(
                "To delete or suspend them: paste this into Anki's browser and select all.",
                search([record.guid for record in retired]),
            ),
        ),
    )


def search(guids: Sequence[str]) -> tuple[str, ...]:
    """Return the searches that find these notes in Anki's browser by the field GUID."""
    terms = [f'"GUID:{guid}"' for guid in guids]
    starts = range(0, len(terms), MOST_IN_SEARCH)
    return tuple(" OR ".join(terms[start : start + MOST_IN_SEARCH]) for start in starts)


def _escaped(deck: str) -> str:
    """Return a deck's name escaped for a quoted search in Anki's browser, where `_` and `*` are wildcards."""
    return re.sub(r'([\\"*_])', r"\\\1", deck)


def _items(update: Update, records: Iterable[Record]) -> tuple[Item, ...]:
    return tuple(_item(update, record) for record in records)


def _edited(update: Update, pairs: Iterable[Pair]) -> tuple[Item, ...]:
    doubtful = {pair.after.guid for pair in update.changes.recognised}
    return tuple(
        replace(
            _item(update, pair.after, remark=update.cards(pair), parts=update.parts(pair)),
            doubt=_doubt(pair) if pair.after.guid in doubtful else "",
        )
        for pair in pairs
    )


def _doubt(pair: Pair) -> str:
    before, after = pair.before.fingerprint, pair.after.fingerprint
    return f'recognised as "{before.heading}" ({how_recognised(before, after)})'


def _item(update: Update, record: Record, *, remark: str = "", parts: tuple[ChangedPart, ...] = ()) -> Item:
    note = update.after.get(record.guid)
    place = note.location if note else None
    return Item(record.fingerprint.deck, record.fingerprint.heading, place, remark, parts)


def _below(record: Record) -> str:
    return record.fingerprint.deck.partition("::")[2]
