"""Renders an update: as text for a terminal, as release notes to publish, and as JSON for programs."""

import json
import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from ptcards.diagnostics.layout import Terminal, paint, wrap
from ptcards.diff.changed_cards import in_order
from ptcards.diff.update import Update, follows_its_deck
from ptcards.diff.words import ChangedPart, Item, KindOfChange, Search, fenced, part_lines
from ptcards.identity.advice import ANOTHER_CARD, how_recognised
from ptcards.identity.changes import Pair, in_short
from ptcards.identity.lock import Record

MOST_ITEMS = 10
"""How many notes of each kind of change a terminal lists, unless all are requested."""
MOST_IN_SEARCH = 300
"""How many GUIDs one search contains; longer ones make Anki's browser slow."""

_IN_PLACE = (
    "Anki updates them in place: reviews stay. A learner's own changes to them, including tags, are replaced."
)
_IN_PLACE_OF_FOLLOWERS = (
    "Anki updates them in place: reviews stay. With the add-on Subscribe, your own changes to them stay; if "
    "you import the package by hand, they are replaced, including tags."
)
_LOOK = "Anki replaces templates and CSS, including a learner's own changes to them; reviews stay."
_LOOK_OF_FOLLOWERS = (
    "Anki replaces templates and CSS; reviews stay. With the add-on Subscribe, a look that you changed "
    "stays; if you import the package by hand, it is replaced."
)
_MERGE = (
    "Learners who added a field to the note type get this update if they turn on *Merge note types* in the "
    "import dialog. This empties their field in updated notes."
)
_MERGE_BRIEFLY = (
    "Learners who added a field of their own turn on “Merge note types” in Anki's import dialog, which "
    "empties that field in updated notes."
)


def sections(update: Update) -> list[KindOfChange]:
    """Return an update sorted by its effect on learners, without empty sections, and what to do about it."""
    merging = [KindOfChange("Learners' own fields", _MERGE)] if _needs_merging(update) else []
    return [*kinds_of_changes(update), *merging]


def _needs_merging(update: Update) -> bool:
    """Whether an update reaches learners who added a field to the note type only if they merge."""
    changes = update.changes
    return bool(changes.new or changes.changed or changes.returned or changes.stamped or changes.types)


def kinds_of_changes(update: Update) -> list[KindOfChange]:
    """Return the sections of an update without that for learners who have fields of their own."""
    changes = update.changes
    in_place = _IN_PLACE_OF_FOLLOWERS if update.is_followed else _IN_PLACE
    back = {pair.after.guid for pair in changes.returned}
    changed = [pair for pair in changes.changed if pair.after.guid not in back]
    reworded = {pair.after.guid for pair in changes.reworded}
    decks = update.renamed_decks
    followed = {pair: None for pair in changes.moved if follows_its_deck(pair, decks)}
    found = [
        KindOfChange("New", "Anki adds them.", _items(update, changes.new)),
        KindOfChange(
            "Back",
            "These notes had been removed and are back. Learners who still have them keep their reviews; for "
            "others they are new.",
            _edited_items(update, changes.returned),
        ),
        KindOfChange(
            "Reworded",
            f"The same notes, reworded. {in_place}",
            _edited_items(update, [pair for pair in changed if pair.after.guid in reworded]),
        ),
        KindOfChange(
            "Changed",
            in_place,
            _edited_items(update, [pair for pair in changed if pair.after.guid not in reworded]),
        ),
        _moved(update, followed),
        _retired(update),
        KindOfChange(
            "Changed between question and cloze",
            "Anki cannot turn one into the other: learners get a new note and start again. They keep the "
            "old one, without updates.",
            _items(update, [pair.after for pair in changes.switched]),
        ),
        KindOfChange(
            "Sent again",
            f"The text of these notes is unchanged, but their times are new. {in_place}",
            _items(update, [pair.after for pair in changes.stamped]),
        ),
    ]
    shown = [*_renames(update, followed), *(section for section in found if section.items)]
    if changes.types:
        shown.append(KindOfChange("New look", _LOOK_OF_FOLLOWERS if update.is_followed else _LOOK))
    return shown


def _renames(update: Update, followed: Iterable[Pair]) -> Iterator[KindOfChange]:
    """Yield what to do about a renamed collection or renamed decks.

    The notes in `followed` only moved with their decks.
    """
    if old := update.renamed:
        new = update.name
        pairs = [pair for pair in update.changes.moved if _below(pair.before) == _below(pair.after)]
        yield KindOfChange(
            "Renamed",
            f"The collection is now called {new}. Learners' cards stay in {old}, but new ones go to {new}. "
            f"To keep them together, rename the deck {old} to {new} in Anki before importing.",
            searches=_searches(update, pairs),
        )
    if decks := update.renamed_decks:
        yield KindOfChange(
            "Renamed decks",
            "Learners' cards stay in the old decks, but new ones go to the new decks. To keep them together:",
            searches=_searches(update, followed),
            steps=tuple(f"before importing, rename {old} to {new} in Anki" for old, new in decks.items()),
        )


def _searches(update: Update, pairs: Iterable[Pair]) -> tuple[Search, ...]:
    """Return a search for the cards of each deck, by its old name.

    The notes themselves are searched if some of them were in an even older deck: a learner who did not move
    them then has them there.
    """
    ways: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        ways[pair.before.fingerprint.deck].append(pair)
    found = []
    for deck, some in sorted(ways.items()):
        guids = [pair.after.guid for pair in some]
        by_name = (f'"deck:{_escaped(deck)}" -"deck:{_escaped(deck)}::*"',)
        purpose = (
            f"To move the cards of {deck} to {some[-1].after.fingerprint.deck} after importing: paste this "
            "into Anki's browser, select all, and choose Change Deck."
        )
        found.append(Search(purpose, by_name if update.wandered.isdisjoint(guids) else search(guids)))
    return tuple(found)


def _moved(update: Update, followed: Container[Pair]) -> KindOfChange:
    ways: dict[str, list[Pair]] = defaultdict(list)
    for pair in update.changes.moved:
        is_told = update.renamed and _below(pair.before) == _below(pair.after)
        if not is_told and pair not in followed:
            ways[pair.after.fingerprint.deck].append(pair)
    pairs = [pair for deck in sorted(ways) for pair in ways[deck]]
    return KindOfChange(
        "Moved",
        "Anki does not move cards on an update: current learners keep them where they are; new learners "
        "get the new deck. A move alone changes nothing else: learners' own edits and tags stay.",
        tuple(_item(update, pair.after, f"was in {pair.before.fingerprint.deck}") for pair in pairs),
        tuple(
            Search(
                f"To move them to {deck}: paste this into Anki's browser, select all, and choose "
                "Change Deck.",
                search([pair.after.guid for pair in ways[deck]]),
            )
            for deck in sorted(ways)
        ),
    )


def _retired(update: Update) -> KindOfChange:
    retired = update.changes.retired
    return KindOfChange(
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


def _edited_items(update: Update, pairs: Iterable[Pair]) -> tuple[Item, ...]:
    doubts = {pair.after.guid: _doubt(pair) for pair in update.changes.recognised}
    return tuple(
        _item(update, pair.after, update.cards(pair), update.parts(pair), doubts.get(pair.after.guid, ""))
        for pair in pairs
    )


def _doubt(pair: Pair) -> str:
    before, after = pair.before.fingerprint, pair.after.fingerprint
    return f'recognised as "{before.heading}" ({how_recognised(before, after)})'


def _item(
    update: Update, record: Record, remark: str = "", parts: tuple[ChangedPart, ...] = (), doubt: str = ""
) -> Item:
    note = update.after.get(record.guid)
    place = note.location if note else None
    deck, heading = record.fingerprint.deck, record.fingerprint.heading
    return Item(deck, heading, place, remark, parts, doubt, record.guid)


def _below(record: Record) -> str:
    return record.fingerprint.deck.partition("::")[2]


SCHEMA = 1
"""The version of the JSON, raised when a key changes its meaning or is removed, not when one is added."""
_NOTES = Terminal(short=True)
"""The look of release notes: not on a terminal, with long differences cut."""

STEPS = {
    "major": "major: learners must do something to keep their decks together",
    "minor": "minor: notes or cards are added, retired or moved",
    "patch": "patch: only wording or appearance changes",
    "none": "none: learners will notice nothing",
}
"""The step to the next version, and why."""


def as_text(update: Update, terminal: Terminal) -> str:
    """Return the update for a terminal, ending with a line feed; text to paste is never wrapped."""

    def wrapped(text: str, hang: int = 2) -> str:
        return wrap(text, terminal.columns, hang=hang)

    summary = wrapped(f"{update.name}, since {update.since}: {in_short(update.changes)}")
    lines, is_cut = [summary], False
    for section in kinds_of_changes(update):
        lines += ["", paint(_title(section), "path", color=terminal.color), wrapped(f"  {section.effect}")]
        lines += [wrapped(f"    {step}", 6) for step in section.steps]
        shown = _ordered(section.items)
        if terminal.short and len(shown) > MOST_ITEMS + 1:  # a line for one more would be as long as that one
            shown, is_cut = shown[:MOST_ITEMS], True
        for deck, items in groupby(shown, key=attrgetter("deck")):
            lines += ["", f"  {deck}"]
            for item in items:
                lines += (wrapped(line, 6) for line in _text_item(item, terminal))
        if more := len(section.items) - len(shown):
            lines += ["", f"  … and {more:,} more (-v lists them)"]
        if any(item.doubt for item in section.items):
            lines += ["", wrapped(f"  {ANOTHER_CARD}")]
        for search in section.searches:
            lines += ["", wrapped(f"  {search.purpose}"), *(f"    {line}" for line in search.lines)]
    lines += ["", wrapped(_MERGE_BRIEFLY)] if not terminal.short and _needs_merging(update) else []
    lines += ["", summary] if is_cut else []
    return "\n".join([*lines, "", wrapped(f"next version: {STEPS[update.step]}"), ""])


def as_markdown(update: Update) -> str:
    """Return release notes, ending with a line feed."""
    lines = [
        f"## {update.name}: changes since {update.since}",
        "",
        f"{in_short(update.changes)}. This is a {update.step} update."
        if update.changes
        else "Nothing changed.",
    ]
    for section in sections(update):
        lines += ["", f"### {_title(section)}", "", section.effect]
        lines += ["", *(f"- {step}" for step in section.steps)]
        for deck, items in groupby(_ordered(section.items), key=attrgetter("deck")):
            lines += ["", f"**{deck}**", ""]
            for item in items:
                lines += _markdown_item(item)
        for search in section.searches:
            lines += ["", search.purpose, "", *fenced(search.lines)]
    return re.sub("\n{3,}", "\n\n", "\n".join(lines).rstrip("\n") + "\n")


def _title(section: KindOfChange) -> str:
    return f"{section.title} ({len(section.items)})" if section.items else section.title


def _ordered(items: Iterable[Item]) -> list[Item]:
    """Return the notes of each deck together, in the order of the sources."""
    return sorted(in_order(items), key=attrgetter("deck"))


def _text_item(item: Item, terminal: Terminal) -> Iterator[str]:
    place = f"  ({item.place.path}:{item.place.line})" if item.place else ""
    yield f"    {item.heading}{place}"
    for line in (*filter(None, (item.remark, item.doubt)), *_differences(item, terminal)):
        yield f"      {line}".rstrip()


def _markdown_item(item: Item) -> Iterator[str]:
    remark = f" ({item.remark})" if item.remark else ""
    yield f"- {item.heading}{remark}"
    if item.parts:
        yield ""
        yield from (f"  {line}".rstrip() for line in fenced(_differences(item, _NOTES)))
        yield ""


def _differences(item: Item, terminal: Terminal) -> list[str]:
    """Return the lines of all changed parts of a note."""
    return [line for part in item.parts for line in part_lines(part, terminal)]


def as_json(update: Update) -> str:
    """Return an update as JSON, with the notes of each kind of change; a note can be in several."""
    changes = update.changes
    reworded = {pair.after.guid for pair in changes.reworded}
    document = {
        "version": SCHEMA,
        "name": update.name,
        "renamed": update.renamed,
        "renamed_decks": [{"from": old, "to": new} for old, new in update.renamed_decks.items()],
        "since": update.since,
        "step": update.step,
        "summary": in_short(changes),
        "next": STEPS[update.step],
        "kinds": [
            {"title": each.title, "effect": each.effect, "steps": each.steps, "count": len(each.items)}
            for each in kinds_of_changes(update)
        ],
        "new": [_note(update, record) for record in changes.new],
        "changed": [
            _edited(update, pair) | {"reworded": pair.after.guid in reworded} for pair in changes.changed
        ],
        "moved": [
            _note(update, pair.after) | {"from": pair.before.fingerprint.deck} for pair in changes.moved
        ],
        "retired": [_note(update, record) for record in changes.retired],
        "returned": [_edited(update, pair) for pair in changes.returned],
        "sent_again": [_note(update, pair.after) for pair in changes.stamped],
        "new_look": bool(changes.types),
        "remarks": list(update.remarks),
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _note(update: Update, record: Record) -> dict[str, Any]:
    note = update.after.get(record.guid)
    return {
        "guid": record.guid,
        "deck": record.fingerprint.deck,
        "question": record.fingerprint.heading,
        "path": note.location.path if note else None,
        "line": note.location.line if note else None,
    }


def _edited(update: Update, pair: Pair) -> dict[str, Any]:
    parts = [{"name": part.name, "diff": part.diff} for part in update.parts(pair)]
    return _note(update, pair.after) | {"cards": update.cards(pair), "parts": parts}
