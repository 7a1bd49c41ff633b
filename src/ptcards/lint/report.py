"""What a check found, for programs: each finding with its note and its fixes, as JSON or as SARIF."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from ptcards.diagnostics import Diagnostic, Severity, counted_by_severity
from ptcards.diagnostics.render import SourceLine, by_place
from ptcards.identity.hashes import NoteSummary
from ptcards.lint.edited_text import TextEdit
from ptcards.lint.registry import all_messages
from ptcards.source.assembly import Owners
from ptcards.workspace import Contents

VERSION = 1
"""The version of the JSON, raised when a key changes its meaning or is removed, not when one is added."""


class NamedNote(NamedTuple):
    """A note with its key and its GUID; the GUID is empty if it is unknown."""

    summary: NoteSummary
    key: str
    guid: str


def named_notes(found: Iterable[Contents]) -> list[NamedNote]:
    """Return all notes and drafts of these collections; drafts have no GUID."""
    notes: list[NamedNote] = []
    for contents in found:
        notes += map(NamedNote, contents.summaries, contents.keys, contents.published.guids())
        notes += (
            NamedNote(*draft, "") for draft in zip(contents.draft_summaries, contents.draft_keys, strict=True)
        )
    return notes


class CheckFinding(NamedTuple):
    """A diagnostic with its note, the column after what it underlines, and the edits that fix it."""

    diagnostic: Diagnostic
    note: NamedNote | None
    column: int
    end: int
    edits: Sequence[TextEdit]


def make_report(
    diagnostics: Iterable[Diagnostic],
    notes: Sequence[NamedNote],
    edits: Mapping[str, Sequence[TextEdit]],
    source_line: SourceLine,
) -> list[CheckFinding]:
    """Return a report on diagnostics about these notes, with these edits by path.

    An edit that fixes several findings belongs to each of them.
    """
    found = sorted(diagnostics, key=by_place)
    fixing = attach(found, edits)
    owners = Owners(note.summary for note in notes)
    names = {note.summary.location: note for note in notes}
    findings = []
    for number, diagnostic in enumerate(found):
        summary = owners.find(diagnostic.location)
        column, end = _columns(diagnostic, source_line(diagnostic.location))
        note = names[summary.location] if summary else None
        findings.append(CheckFinding(diagnostic, note, column, end, fixing.get(number, ())))
    return findings


def _columns(each: Diagnostic, line: str | None) -> tuple[int, int]:
    """Return where the underlined part of a line begins and ends, from 1; a complete line has no columns."""
    if each.location.column:
        return each.location.column, each.location.column + each.length
    return 1, len(line or "") + 1


def attach(found: Sequence[Diagnostic], edits: Mapping[str, Sequence[TextEdit]]) -> dict[int, list[TextEdit]]:
    """Return the edits of each finding by its number.

    A rule may report a block once and change many of its lines, so an edit belongs to the last finding of its
    rule that begins before the edit ends.
    """
    places: dict[tuple[str, str], tuple[list[tuple[int, int]], list[int]]] = {}
    for number, each in enumerate(found):
        starts, numbers = places.setdefault((each.location.path, each.rule), ([], []))
        starts.append((each.location.line, each.location.column))
        numbers.append(number)
    fixing: dict[int, list[TextEdit]] = {}
    for path, changes in edits.items():
        for edit in changes:
            for starts, numbers in (places[path, rule] for rule in edit.rules if (path, rule) in places):
                which = max(0, bisect_right(starts, (edit.end_line, edit.end_column)) - 1)
                fixing.setdefault(numbers[which], []).append(edit)
    return fixing


def as_json(findings: Sequence[CheckFinding], *, explain: bool = False) -> dict[str, Any]:
    """Return a report in the form of `docs/schemas/check.json`; `explain` adds the text of each rule."""
    return {
        "version": VERSION,
        "counts": counted_by_severity(each.diagnostic for each in findings),
        "findings": [_finding(each, explain=explain) for each in findings],
    }


def _finding(each: CheckFinding, *, explain: bool) -> dict[str, Any]:
    fixes = [{"description": each.diagnostic.help, "edits": [_edit(edit) for edit in each.edits]}]
    diagnostic = each.diagnostic
    found = {
        "path": diagnostic.location.path,
        "line": diagnostic.location.line,
        "column": each.column,
        "end": each.end,
        "rule": diagnostic.rule,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "help": diagnostic.help,
        "key": each.note.key if each.note else None,
        "guid": (each.note.guid or None) if each.note else None,
        "fixes": fixes if each.edits else [],
    }
    return {**found, "explain": all_messages()[diagnostic.rule].explanation} if explain else found


def _edit(edit: TextEdit) -> dict[str, Any]:
    found = edit._asdict()
    del found["rules"]
    return found


_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "note"}


def as_sarif(findings: Sequence[CheckFinding], version: str) -> dict[str, Any]:
    """Return a report in SARIF 2.1.0, which code scanning reads; `version` is that of ptcards."""
    rules = sorted({each.diagnostic.rule for each in findings})
    driver = {
        "name": "ptcards",
        "version": version,
        "rules": [
            {
                "id": rule,
                "shortDescription": {"text": all_messages()[rule].summary},
                "help": {"text": all_messages()[rule].explanation},
            }
            for rule in rules
        ],
    }
    results = [_result(each, rules.index(each.diagnostic.rule)) for each in findings]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}


def _result(each: CheckFinding, rule: int) -> dict[str, Any]:
    found = each.diagnostic
    file = {"artifactLocation": {"uri": quote(found.location.path.replace("\\", "/"))}}
    line = found.location.line
    region = {"startLine": line, "startColumn": each.column, "endLine": line, "endColumn": each.end}
    replacements = [
        {
            "deletedRegion": {
                "startLine": edit.line,
                "startColumn": edit.column,
                "endLine": edit.end_line,
                "endColumn": edit.end_column,
            },
            "insertedContent": {"text": edit.text},
        }
        for edit in each.edits
    ]
    fix = {
        "description": {"text": found.help},
        "artifactChanges": [{**file, "replacements": replacements}],
    }
    return {
        "ruleId": found.rule,
        "ruleIndex": rule,
        "level": _LEVELS[found.severity],
        "message": {"text": found.message + (f": {found.help}" if found.help else "")},
        "locations": [{"physicalLocation": {**file, "region": region}}],
        **({"fixes": [fix]} if replacements else {}),
    }
