"""Renders an update: as text for a terminal, as release notes to publish, and as JSON for programs."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from ptcards.diagnostics import Location
from ptcards.diagnostics.layout import Look, paint, wrap
from ptcards.diff.sections import Item, Section, sections
from ptcards.diff.update import ChangedPart, Update
from ptcards.identity.changes import Pair, in_short
from ptcards.identity.lock import Record
from ptcards.identity.outcome import ANOTHER_CARD
from ptcards.notes.closings import Closings

SCHEMA = 1
"""The version of the JSON, raised when a key changes its meaning or is removed, not when one is added."""
MOST_LINES = 20
"""How many lines of a part's difference to show, unless all are requested."""
_NOTES = Look(short=True)
"""The look of release notes: not on a terminal, with long differences cut."""

_STEPS = {
    "major": "major: learners must do something to keep their decks together",
    "minor": "minor: notes are added, retired or moved",
    "patch": "patch: only wording or appearance changes",
    "none": "none: learners will notice nothing",
}
_CHANGE = re.compile(r"\[-|\{\+")
_CHANGE_ENDS = {"[-": re.compile(r"-\]"), "{+": re.compile(r"\+\}")}
_COLOURS = {"[-": "31", "{+": "32"}


def as_text(update: Update, look: Look) -> str:
    """Return the update for a terminal, ending with a line feed; text to paste is never wrapped."""

    def wrapped(text: str, hang: int = 2) -> str:
        return wrap(text, look.columns, hang=hang)

    lines = [wrapped(f"{update.name}, since {update.since}: {in_short(update.changes)}")]
    for section in sections(update):
        lines += ["", paint(_title(section), "path", color=look.color), wrapped(f"  {section.effect}")]
        lines += [wrapped(f"    {step}", 6) for step in section.steps]
        for deck, items in _by_deck(section.items):
            lines += ["", f"  {deck}"]
            for item in items:
                lines += (wrapped(line, 6) for line in _text_item(item, look))
        if any(item.doubt for item in section.items):
            lines += ["", wrapped(f"  {ANOTHER_CARD}")]
        for search in section.searches:
            lines += ["", wrapped(f"  {search.purpose}"), *(f"    {line}" for line in search.lines)]
    return "\n".join([*lines, "", wrapped(f"version step: {_STEPS[update.step]}"), ""])


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
        for deck, items in _by_deck(section.items):
            lines += ["", f"**{deck}**", ""]
            for item in items:
                lines += _markdown_item(item)
        for search in section.searches:
            lines += ["", search.purpose, "", *_fenced(search.lines)]
    return re.sub("\n{3,}", "\n\n", "\n".join(lines).rstrip("\n") + "\n")


def _title(section: Section) -> str:
    return f"{section.title} ({len(section.items)})" if section.items else section.title


def _by_deck(items: Iterable[Item]) -> Iterator[tuple[str, list[Item]]]:
    nowhere = Location("", 0)
    ordered = sorted(items, key=lambda item: (item.deck, item.place or nowhere, item.heading))
    for deck, some in groupby(ordered, key=lambda item: item.deck):
        yield deck, list(some)


def _text_item(item: Item, look: Look) -> Iterator[str]:
    place = f"  ({item.place.path}:{item.place.line})" if item.place else ""
    yield f"    {item.heading}{place}"
    if item.remark:
        yield f"      {item.remark}"
    if item.doubt:
        yield f"      {item.doubt}"
    for line in _differences(item, look):
        yield f"      {line}".rstrip()


def _markdown_item(item: Item) -> Iterator[str]:
    remark = f" ({item.remark})" if item.remark else ""
    yield f"- {item.heading}{remark}"
    if item.parts:
        yield ""
        yield from (f"  {line}".rstrip() for line in _fenced(_differences(item, _NOTES)))
        yield ""


def _differences(item: Item, look: Look) -> list[str]:
    """Return the lines of all changed parts of a note."""
    return [line for part in item.parts for line in part_lines(part, look)]


def part_lines(part: ChangedPart, look: Look) -> list[str]:
    """Return the lines of a changed part; all except the first are indented."""
    cut = part.diff.split("\n")
    if look.short and len(cut) > MOST_LINES + 1:
        cut[MOST_LINES:] = [f"… ({len(cut) - MOST_LINES} more lines)"]
    text = "\n".join(cut)
    first, *more = (_coloured(text) if look.color else text).split("\n")
    return [f"{part.name}: {first}", *(f"  {line}" for line in more)]


def _fenced(lines: Sequence[str]) -> list[str]:
    """Return lines in a fence that none of them can close."""
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", *lines, fence]


def _coloured(text: str) -> str:
    closings = Closings(text)
    shown: list[str] = []
    at = search_at = 0
    while change := _CHANGE.search(text, search_at):
        search_at = change.start() + 1
        if end := closings.end((_CHANGE_ENDS[change[0]],), change.end()):
            colour = _COLOURS[change[0]]
            shown += text[at : change.start()], f"\x1b[{colour}m{text[change.start() : end]}\x1b[0m"
            at = search_at = end
    return "".join(shown) + text[at:]


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
