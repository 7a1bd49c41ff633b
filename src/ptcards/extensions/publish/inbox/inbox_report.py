"""Shows the entries of an inbox to people and to programs."""

import json
from collections.abc import Iterable, Iterator, Sequence
from textwrap import dedent
from typing import Any

from ptcards.diagnostics import Diagnostic
from ptcards.diagnostics.layout import ReportSection, Terminal, section_lines, visible
from ptcards.diff.words import ChangedPart, fenced, part_lines, word_diff
from ptcards.extensions.desktop.merge.html_tree import parse_html
from ptcards.extensions.desktop.merge.html_tree import visible as visible_text
from ptcards.extensions.desktop.push.field_lines import field_lines
from ptcards.extensions.importing.html_to_markdown import to_markdown
from ptcards.extensions.importing.meant import as_written
from ptcards.extensions.importing.package_notes import title_of
from ptcards.extensions.importing.write_back import FieldEdit, markdown_difference
from ptcards.extensions.publish.inbox import EntryState, InboxCollection, InboxEntry
from ptcards.extensions.publish.inbox.suggestions import Sender

SCHEMA = 1
"""The version of the JSON.

It increases when a key is removed or its meaning changes, but not when a key is added.
"""

MOST_IN_COMMENT = 50
LONGEST_COMMENT = 50_000
"""The most bytes of a comment; GitHub accepts 65,536 characters."""
_MOST_DIFFERENCE = 4_000
"""The most characters of one entry's difference in a comment."""

_PLAIN_TEXT = Terminal(short=True)
_VERDICTS = {
    EntryState.CLEAN: "Clean: nothing else changed here. `--accept {}` makes this change:",
    EntryState.ALREADY: "Already so: the notes have this text.",
    EntryState.CHANGED: "Also changed here: the text is no longer the one that was edited.",
    EntryState.LEFT: "This cannot be written automatically:",
    EntryState.MARK: "Without a new text: correct the note, then use `--done {}`.",
}


def lines(entries: Iterable[InboxEntry], terminal: Terminal) -> Iterator[str]:
    """Yield the lines about entries: name, place and question, and below them who, why and what."""
    for entry in entries:
        shown = (_plain(_what(entry)), *_below(entry, terminal))
        yield from section_lines([ReportSection(entry.name, shown)], len(entry.name) + 1)


def _below(entry: InboxEntry, terminal: Terminal) -> Iterator[str]:
    for sender in entry.senders:
        yield _plain(_said(sender))
    for edit in entry.edits:
        yield from _edit_lines(edit, terminal)
    if entry.remark:
        yield entry.remark
    if entry.other:
        for name, html in zip(entry.other.note_type.field_names, entry.other.note.fields, strict=True):
            if text := visible_text(parse_html(html)):
                yield from part_lines(ChangedPart(name, _plain(text, is_long=True)), terminal)


def _edit_lines(edit: FieldEdit, terminal: Terminal) -> list[str]:
    """Return how an edit changes a field: its words, or its Markdown if only that differs."""
    old, new = map(as_written, (edit.ours, edit.theirs))
    if visible_text(parse_html(old)) == visible_text(parse_html(new)):
        was, now = (to_markdown(html, {}, exact=False).markdown or "" for html in (old, new))
        if was and now and was != now:
            return part_lines(ChangedPart(edit.name, _plain(word_diff(was, now), is_long=True)), terminal)
    return field_lines(edit.name, old, new, terminal)


def _what(entry: InboxEntry) -> str:
    is_usable = entry.state in (EntryState.CLEAN, EntryState.MARK)
    state = "" if is_usable else f"  [{entry.reason or entry.state}]"
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


def as_markdown(
    collection: InboxCollection, entries: Sequence[InboxEntry], complaints: Iterable[Diagnostic]
) -> str:
    """Return a comment about entries, and about what is no suggestion; it is empty if there is neither.

    Everything that others wrote is in fences, so nothing of it is a mention, a link or HTML.
    """
    parts = []
    if wrong := list(dict.fromkeys(each.message for each in complaints)):
        parts.append("\n".join(["Not read:", "", *fenced(wrong[:MOST_IN_COMMENT])]))
    room = LONGEST_COMMENT
    left = len(entries)
    for entry in entries[:MOST_IN_COMMENT]:
        verdict = f"**{entry.name}** · {_VERDICTS[entry.state].format(entry.name)}"
        part = "\n".join([verdict, "", *_shown(collection, entry)])
        room -= len(part.encode()) + 2
        if room < 0:
            break
        parts.append(part)
        left -= 1
    if left:
        parts.append(f"{left:,} more: `ptcards inbox` lists them.")
    return "".join(f"{part}\n\n" for part in parts)


def _shown(collection: InboxCollection, entry: InboxEntry) -> list[str]:
    """Return the difference of an entry in a fence: of the Markdown if it can be written."""
    _, *about = lines([entry], _PLAIN_TEXT)
    info, shown = "text", [_plain(_what(entry)), *dedent("\n".join(about)).split("\n")]
    if entry.state is EntryState.CLEAN and entry.edits:
        info, lines_ = "diff", markdown_difference(collection.identified, entry.edits)
        shown = [_plain(line, is_long=True) for line in lines_] or shown
    text = "\n".join(shown)
    if len(text) > _MOST_DIFFERENCE:
        shown = [*text[:_MOST_DIFFERENCE].split("\n"), "…"]
    return fenced(shown, info)


def as_json(entries: Sequence[InboxEntry]) -> str:
    """Return the entries as JSON; the fields of edits and of new notes are HTML."""
    document = {"version": SCHEMA, "entries": [_entry(entry) for entry in entries]}
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _entry(entry: InboxEntry) -> dict[str, Any]:
    new: dict[str, Any] = {}
    if entry.other:
        fields = dict(zip(entry.other.note_type.field_names, entry.other.note.fields, strict=True))
        new = {"deck": entry.other.note.deck, "fields": fields}
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
        "remark": entry.remark,
        "edits": [{"field": edit.name, "ours": edit.ours, "is": edit.theirs} for edit in entry.edits],
        "new": new,
    }
