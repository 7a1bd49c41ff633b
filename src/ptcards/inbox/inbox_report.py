"""Shows the entries of an inbox to people and to programs."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ptcards.diagnostics.layout import Terminal, visible
from ptcards.diff.words import ChangedPart, field_lines, part_lines
from ptcards.importing.package_notes import title_of
from ptcards.inbox import EntryState, InboxEntry
from ptcards.inbox.suggestions import Sender
from ptcards.merge.html_tree import parse_html
from ptcards.merge.html_tree import visible as visible_text

SCHEMA = 1
"""The version of the JSON.

It increases when a key is removed or its meaning changes, but not when a key is added.
"""


def lines(entries: Iterable[InboxEntry], terminal: Terminal) -> Iterator[str]:
    """Yield the lines about entries: name, place and question, and below them who, why and what."""
    for entry in entries:
        yield f"{entry.name}  {_plain(_what(entry))}"
        indent = " " * (len(entry.name) + 2)
        for sender in entry.senders:
            yield f"{indent}{_plain(_said(sender))}"
        for edit in entry.edits:
            for line in field_lines(edit.name, edit.ours, edit.theirs, terminal):
                yield f"{indent}{line}"
        if entry.other:
            names = [field.name for field in entry.other.note_type.fields]
            for name, html in zip(names, entry.other.note.fields, strict=True):
                if text := visible_text(parse_html(html)):
                    said = _plain(text, is_long=True)
                    yield from (f"{indent}{line}" for line in part_lines(ChangedPart(name, said), terminal))


def _what(entry: InboxEntry) -> str:
    state = (
        f"  [{entry.reason or entry.state}]" if entry.state not in (EntryState.CLEAN, EntryState.MARK) else ""
    )
    marks = f"  [{', '.join(entry.marks)}]" if entry.marks else ""
    if entry.other:
        return f"new in {entry.other.note.deck}: {title_of(entry.other.note)}{state}"
    if entry.note is None or entry.location is None:
        return f"note {entry.guid[:40]}{marks}{state}"
    return f"{entry.location.path}:{entry.location.line}: {entry.note.title}{marks}{state}"


def _said(sender: Sender) -> str:
    who = f"{sender.who} ({sender.where})" if sender.who else sender.where
    return f'from {who}: "{sender.why}"' if sender.why else f"from {who}"


def _plain(text: str, *, is_long: bool = False) -> str:
    """Return a text of somebody else for a terminal: without control characters."""
    parts = text.split("\n") if is_long else [" ".join(text.split())]
    return "\n".join(part if part.isprintable() else visible(part) for part in parts)


def as_json(entries: Sequence[InboxEntry]) -> str:
    """Return the entries as JSON; the fields of edits and of new notes are HTML."""
    document = {"version": SCHEMA, "entries": [_entry(entry) for entry in entries]}
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _entry(entry: InboxEntry) -> dict[str, Any]:
    new: dict[str, Any] = {}
    if entry.other:
        names = [field.name for field in entry.other.note_type.fields]
        new = {
            "deck": entry.other.note.deck,
            "fields": dict(zip(names, entry.other.note.fields, strict=True)),
        }
    return {
        "name": entry.name,
        "guid": entry.guid,
        "path": entry.location.path if entry.location else "",
        "line": entry.location.line if entry.location else 0,
        "question": entry.note.title if entry.note else "",
        "state": entry.state.name.lower(),
        "reason": entry.reason,
        "marks": list(entry.marks),
        "from": [sender._asdict() for sender in entry.senders],
        "edits": [{"field": edit.name, "ours": edit.ours, "is": edit.theirs} for edit in entry.edits],
        "new": new,
    }
