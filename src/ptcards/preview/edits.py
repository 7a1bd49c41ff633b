"""Answers requests about a finding: explain it, fix it, or ignore its rule in a note.

`ignore=` is added to the card comment as the author would write it.
"""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from ptcards.diagnostics import Location, Severity
from ptcards.lint.fixes import State, fix_file
from ptcards.lint.registry import all_rules
from ptcards.lint.toml_fixes import fix_keys
from ptcards.notes import Note
from ptcards.source.collection import Collection
from ptcards.source.parts import Surroundings
from ptcards.source.readers.registry import OWN
from ptcards.source.silence import Owners
from ptcards.source.source import Source, joined, rewrite, split_lines
from ptcards.workspace import Contents, Workspace


def explain(rule: str) -> dict[str, Any]:
    """Return the explanation that `ptcards explain` prints for a rule; empty for an unknown rule."""
    found = all_rules().get(rule)
    return {"rule": rule, "severity": found.severity, "text": found.explanation} if found else {}


def fix(workspace: Workspace, place: Location, rule: str) -> int:
    """Fix all of a rule's findings in a file; return the number of places that were fixed."""
    if rule not in all_rules():
        return 0
    tomls = [contents.collection.root / "deck.toml" for contents in workspace.contents]
    count = sum(fix_keys(toml) for toml in tomls if rule == "unknown-key" and str(toml) == place.path)
    return count + sum(
        fix_file(contents.collection, each.source, {rule})
        for contents, each in _sources(workspace, place.path)
    )


def ignore(workspace: Workspace, place: Location, rule: str) -> int:
    """Make a note ignore a rule by changing its card comment; return 1, or 0 if that is impossible."""
    found = all_rules().get(rule)
    if found is None or set(found.severities) == {Severity.ERROR}:
        return 0
    return sum(
        ignore_in_file(contents.collection, each.source, place.line, rule)
        for contents, each in _sources(workspace, place.path)
    )


def _sources(workspace: Workspace, file: str) -> list[tuple[Contents, Any]]:
    """Return the source at this path if it is selected, otherwise nothing.

    Sources written for other programs are left alone.
    """
    return [
        (contents, each)
        for contents in workspace.contents
        for each in contents.selected
        if str(Path(each.source.path).absolute()) == file and each.head.dialect == OWN
    ]


_IGNORE = re.compile(r'(?<=\s)ignore=(?:"[^"]*(?=")|[^\s"]*)')
_CARD = re.compile(r"<!--\s*card\b")
_BARE = re.compile(r"<!--\s*card\s*-->")

_Lines = list[tuple[str, str]]


def ignore_in_file(collection: Collection, source: Source, line: int, rule: str) -> int:
    """Make the note at a line ignore a rule; return 1, or 0 if there is no note or no safe edit.

    Raises OutputError if the file cannot be written.
    """
    counts = []

    def change(before: bytes) -> bytes:
        after = ignore_in_text(collection, source, before, line, rule)
        counts.append(after != before)
        return after

    rewrite(source.file, source.root, change)
    return sum(counts)


def ignore_in_text(collection: Collection, source: Source, content: bytes, line: int, rule: str) -> bytes:
    """Return the content of a source, changed so that the note at a line ignores a rule.

    If that is impossible, the content is returned unchanged.
    """
    around = Surroundings.of(replace(collection, sources=(source,)))
    state = State(around, source, split_lines(content))
    note = Owners(state.notes).find(Location(source.path, line))
    if note is None or rule in note.ignore:
        return content
    following = [each.location.line for each in state.notes if each.location.line > note.location.line]
    end = min(following, default=len(state.lines) + 1) - 1
    tried = State(around, source, _with_ignore(list(state.lines), note, end, rule))
    # The change has no effect in literal text or in another program's comment.
    same = [each for each in tried.notes if each.key == note.key and rule in each.ignore]
    return joined(content, tried.lines) if same and tried.keeps(state) else content


def _with_ignore(lines: _Lines, note: Note, end: int, rule: str) -> _Lines:
    """Return the lines with the rule in the card comment of a note that ends at line `end`.

    If there is no comment, one is added.
    """
    heading = note.location.line
    first = next((n for n in range(heading, end) if _CARD.search(lines[n][0])), None)
    if first is None:
        ending = lines[heading - 1][1] or "\n"
        lines[heading - 1] = (lines[heading - 1][0], ending)
        lines.insert(heading, (f"<!-- card: ignore={rule} -->", ending))
        return lines
    last = next((n for n in range(first, end) if "-->" in lines[n][0]), first)
    for n in range(first, last + 1):
        text, ending = lines[n]
        if found := _IGNORE.search(text):
            comma = "," if found[0].rstrip('"').rpartition("=")[2].strip('"') else ""
            lines[n] = (f"{text[: found.end()]}{comma}{rule}{text[found.end() :]}", ending)
            return lines
    lines[last] = (_added(lines[last][0], rule), lines[last][1])
    return lines


def _added(text: str, rule: str) -> str:
    """Return the last line of a card comment with `ignore=` added before the end of the comment."""
    if found := _BARE.search(text):
        return f"{text[: found.start()]}<!-- card: ignore={rule} -->{text[found.end() :]}"
    before, mark, after = text.partition("-->")
    return f"{before.rstrip()} ignore={rule} {mark}{after}"
