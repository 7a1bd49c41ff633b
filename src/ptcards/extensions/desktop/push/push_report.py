"""Reports a push to people and to programs, with changed fields word by word."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ptcards.diagnostics import counted
from ptcards.diagnostics.layout import ReportSection, Terminal, limited, section_lines, visible, wrap
from ptcards.extensions.desktop.merge.compare import Change, Ours, Retired
from ptcards.extensions.desktop.merge.html_tree import parse_html
from ptcards.extensions.desktop.merge.html_tree import visible as visible_text
from ptcards.extensions.desktop.merge.plan import Move, PushPlan
from ptcards.extensions.desktop.push import Pushed, count_cards
from ptcards.identity.outcome import quoted


def plan_lines(plan: PushPlan, terminal: Terminal) -> Iterator[str]:
    """Yield what changes in notes that are in Anki, and what would change if conflicts were resolved."""
    from ptcards.extensions.desktop.push.field_lines import field_lines  # noqa: PLC0415 - only needed with `-v`

    for change in plan.changes:
        ours, theirs = change.ours, change.theirs
        marks = dict.fromkeys(change.reversals, " (earlier text)")
        marks |= dict.fromkeys(change.conflicts, " (conflict)")
        places = sorted((*change.written, *marks))
        if places:
            yield from ("", ours.key)
        for place in places:
            name = ours.names[place] + marks.get(place, "")
            for line in field_lines(name, theirs.fields[place], ours.fields[place], terminal):
                yield f"  {line}"


SCHEMA = 1
"""The version of the JSON.

It increases when a key is removed or its meaning changes, but not when a key is added.
"""
_MOST = 12
"""The number of notes to list for each kind of change, unless all are requested."""
_LABEL = 18
_NAMES = 22
_OVERWRITE = "--overwrite takes the text from the sources"


def as_text(pushed: Pushed, terminal: Terminal) -> str:
    """Return what a push does, by kind of change; with `-v`, include every note and its changed words."""
    lines = [f'Anki: profile "{pushed.profile}"']
    kinds = _kinds(pushed, _MOST if terminal.short else None)
    indent = _LABEL + 1
    lines += section_lines(kinds, _LABEL, remark_at=indent + _NAMES, columns=terminal.columns)
    # Names of decks come from Anki, where they may contain control characters.
    lines = [line if line.isprintable() else visible(line) for line in lines]
    lines = [wrap(line, terminal.columns, hang=indent) for line in lines]
    if not terminal.short:
        lines += plan_lines(pushed.plan, terminal)
    return "\n".join([*lines, ""])


def as_json(pushed: Pushed) -> str:
    """Return the report as JSON, in which notes are identified by their keys."""
    plan = pushed.plan
    document = {
        "version": SCHEMA,
        "name": pushed.name,
        "profile": pushed.profile,
        "new": [note.key for note in plan.new],
        "changed": [
            {"key": each.ours.key, "fields": _names(each, each.written), "merged": each.is_merged}
            for each in plan.updates
        ],
        "moved": [_move(move) for move in plan.moves],
        "kept": [
            *(
                {"key": change.ours.key, "fields": _names(change, change.kept), "tags": sorted(change.away)}
                for change in plan.kept
            ),
            *({**_move(move), "fields": [], "tags": []} for move in (*plan.stays, *plan.filtered)),
        ],
        "gone": [note.key for note in plan.gone],
        "retired": [
            {
                "guid": retired.record.guid,
                "question": retired.record.fingerprint.heading,
                "reviews": retired.reviews,
                "deleted": retired in plan.deletions,
            }
            for retired in plan.retired
        ],
        "conflicts": [_both(conflict, place) for conflict in plan.conflicts for place in conflict.conflicts],
        "reversals": [_both(reversal, place) for reversal in plan.reversals for place in reversal.reversals],
        "looks": {"changed": plan.looks, "kept": plan.look_kept, "conflicts": plan.look_conflicts},
        "files": {"written": plan.files, "conflicts": plan.file_conflicts},
        "seconds": round(pushed.seconds, 3),
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _both(change: Change, place: int) -> dict[str, str]:
    return {
        "key": change.ours.key,
        "field": change.ours.names[place],
        "ours": change.ours.fields[place],
        "anki": change.theirs.fields[place],
    }


def _names(change: Change, places: Iterable[int]) -> list[str]:
    return [change.ours.names[place] for place in places]


def _move(move: Move) -> dict[str, Any]:
    return {"key": move.ours.key, "from": move.origin, "to": move.ours.deck, "cards": len(move.cards)}


def _kinds(pushed: Pushed, most: int | None) -> Iterator[ReportSection]:
    """Yield the kinds of change that occurred."""
    plan = pushed.plan
    if plan.new:
        yield ReportSection(f"+ {len(plan.new)} new", _by_deck(plan.new, most))
    if plan.updates:
        merged = [update.ours for update in plan.updates if update.is_merged]
        remark = f"{_list(merged, most, ', ')}: merged with your edits" if merged else ""
        updated = [update.ours for update in plan.updates]
        yield ReportSection(f"~ {len(updated)} changed", [_list(updated, most)], remark)
    if plan.looks:
        yield ReportSection("~ new styling", [", ".join(plan.looks)])
    if plan.files:
        yield ReportSection(f"+ {counted(len(plan.files), 'file')}", [" ".join(_limited(plan.files, most))])
    if plan.moves:
        yield ReportSection(f"> {count_cards(plan.moves)} moved", _ways(plan.moves, most))
    if plan.filtered:
        remark = "in a filtered deck: push again when it is empty"
        yield ReportSection(f"> {count_cards(plan.filtered)} held", _ways(plan.filtered, most), remark)
    yield from _left(pushed, most)


def _left(pushed: Pushed, most: int | None) -> Iterator[ReportSection]:
    """Yield what remains unchanged in Anki."""
    plan = pushed.plan
    if kept := [change.ours for change in plan.kept if change.kept]:
        yield ReportSection(f"= {len(kept)} kept", [_list(kept, most)], "edited in Anki, not here")
    if untagged := [change for change in (*plan.kept, *plan.updates) if change.away]:
        lines = [f"{_name_of(change.ours)}: {' '.join(sorted(change.away))}" for change in untagged]
        yield ReportSection(f"= {len(lines)} without a tag", _limited(lines, most), "removed in Anki")
    if plan.stays:
        verb = "stays" if sum(len(move.cards) for move in plan.stays) == 1 else "stay"
        label = f"= {count_cards(plan.stays)} {verb}"
        yield ReportSection(label, _ways(plan.stays, most), "moved in Anki; --move moves them back")
    if plan.look_kept:
        yield ReportSection("= styling kept", [", ".join(plan.look_kept)], "edited in Anki, not here")
    if plan.gone:
        remark = "--restore brings it back" if len(plan.gone) == 1 else "--restore brings them back"
        yield ReportSection(f"- {len(plan.gone)} deleted by you", [_list(plan.gone, most)], remark)
    if plan.deletions:
        yield ReportSection(f"- {len(plan.deletions)} deleted", _retired(plan.deletions, most))
    if kept_back := [retired for retired in plan.retired if retired not in plan.deletions]:
        clean = any(retired.is_clean for retired in kept_back)
        them = "it" if len(kept_back) == 1 else "them"
        remark = "--delete-retired" if clean else f"edited in Anki: delete {them} there"
        yield ReportSection(f"! {len(kept_back)} retired", _retired(kept_back, most), remark)
    if plan.reversals:
        lines = [f"{_where(each, each.reversals)} has an earlier text in Anki" for each in plan.reversals]
        label = f"x {counted(len(plan.reversals), 'reversal')}"
        yield ReportSection(label, _limited(lines, most), _OVERWRITE)
    if count := len(plan.conflicts) + len(plan.look_conflicts) + len(plan.file_conflicts):
        told = [_where(conflict, conflict.conflicts) for conflict in plan.conflicts]
        told += [f"styling of {name}" for name in plan.look_conflicts]
        told += [f"file {name}" for name in plan.file_conflicts]
        lines = [f"{each} changed in Anki and here" for each in told]
        label = f"x {counted(count, 'conflict')}"
        yield ReportSection(label, _limited(lines, most), _OVERWRITE)


def _where(change: Change, places: Iterable[int]) -> str:
    return f"{_name_of(change.ours)}: {', '.join(_names(change, places))}"


def _name_of(note: Ours) -> str:
    """Return the name by which people know a note: its key or, if that is a digest, its first line."""
    first = visible_text(parse_html(note.fields[0])) if note.key.startswith("g-") else ""
    return quoted(first.partition("\n")[0]) if first else note.key


def _limited(names: Sequence[str], most: int | None) -> list[str]:
    return limited(names, most, "and {} more (-v lists them)".format, slack=1)


def _list(notes: Iterable[Ours], most: int | None, between: str = " ") -> str:
    return between.join(_limited([_name_of(note) for note in notes], most))


def _by_deck(notes: Iterable[Ours], most: int | None) -> list[str]:
    decks: dict[str, list[Ours]] = defaultdict(list)
    for note in notes:
        decks[note.deck].append(note)
    lines = [f"{deck}: {_list(some, most)}" for deck, some in decks.items()]
    return _limited(lines, most)


def _ways(moves: Iterable[Move], most: int | None) -> list[str]:
    ways: dict[tuple[str, str], list[Ours]] = defaultdict(list)
    for move in moves:
        ways[move.origin, move.ours.deck].append(move.ours)
    order = sorted(ways)
    lines = [f"{_list(ways[origin, deck], most)}: {origin} → {deck}" for origin, deck in order]
    return _limited(lines, most)


def _retired(retired: Sequence[Retired], most: int | None) -> list[str]:
    said = ((each.record.fingerprint, counted(each.reviews, "review")) for each in retired)
    return _limited([f"{each.id or quoted(each.heading)}, {reviews}" for each, reviews in said], most)
