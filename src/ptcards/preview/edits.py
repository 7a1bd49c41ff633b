"""Answers requests about a finding: explain it, fix it, or ignore its rule in a note.

`ignore=` is added to the card comment as the author would write it.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from ptcards.diagnostics import Location, Severity
from ptcards.lint.fixes import State, fix_file
from ptcards.lint.registry import all_rules
from ptcards.lint.toml_fixes import fix_keys
from ptcards.source.card_comments import with_setting
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
    lines = with_setting(
        state.lines, note.location.line, end, "ignore", lambda was: f"{was},{rule}" if was else rule
    )
    tried = State(around, source, lines)
    # The change has no effect in literal text or in another program's comment.
    same = [each for each in tried.notes if each.key == note.key and rule in each.ignore]
    return joined(content, tried.lines) if same and tried.keeps(state) else content
