"""What the page can request for a finding: its explanation, its fix, and ignoring its rule in a note."""

from pathlib import Path
from typing import Any

from ptcards.diagnostics import Location, Severity
from ptcards.lint.fixes import fix_file
from ptcards.lint.ignores import ignore_in_file
from ptcards.lint.registry import all_rules
from ptcards.lint.toml_fixes import fix_keys
from ptcards.source.readers.registry import OWN
from ptcards.workspace import Contents, Workspace


def explain(rule: str) -> dict[str, Any]:
    """Return the explanation of a rule, as `ptcards explain` prints it; empty for an unknown rule."""
    found = all_rules().get(rule)
    return {"rule": rule, "severity": found.severity, "text": found.explanation} if found else {}


def fix(workspace: Workspace, place: Location, rule: str) -> int:
    """Fix everything that a rule found in a file; return the number of places fixed."""
    if rule not in all_rules():
        return 0
    tomls = [contents.collection.root / "deck.toml" for contents in workspace.contents]
    count = sum(fix_keys(toml) for toml in tomls if rule == "unknown-key" and str(toml) == place.path)
    return count + sum(
        fix_file(contents.collection, each.source, {rule})
        for contents, each in _sources(workspace, place.path)
    )


def ignore(workspace: Workspace, place: Location, rule: str) -> int:
    """Make a note ignore a rule in its card comment; return 1, or 0 if that is impossible."""
    found = all_rules().get(rule)
    if found is None or set(found.severities) == {Severity.ERROR}:
        return 0
    return sum(
        ignore_in_file(contents.collection, each.source, place.line, rule)
        for contents, each in _sources(workspace, place.path)
    )


def _sources(workspace: Workspace, file: str) -> list[tuple[Contents, Any]]:
    """Return the selected source in a file, if it is one of the collection's.

    Sources of other programs are left alone.
    """
    return [
        (contents, each)
        for contents in workspace.contents
        for each in contents.selected
        if str(Path(each.source.path).absolute()) == file and each.head.dialect == OWN
    ]
