"""The results of running code as text, for people and for programs."""

import json
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from ptcards.diagnostics import Diagnostic, as_json, counted
from ptcards.diagnostics.layout import Terminal
from ptcards.diagnostics.render import SourceLine, render, summary
from ptcards.extensions.verify.verification import Result, Status, VerifyReport

SCHEMA = 1
"""The version of the JSON.

It increases when a key is removed or its meaning changes, but not when a key is added.
"""


def all_diagnostics(report: VerifyReport) -> list[Diagnostic]:
    """Return all diagnostics, both those about runs and all others."""
    diagnostics = [finding.diagnostic for result in report.results for finding in result.findings]
    return [*report.problems, *diagnostics]


def only(report: VerifyReport, kept: Collection[Diagnostic]) -> VerifyReport:
    """Return the report with only the kept diagnostics."""
    results = tuple(
        replace(result, findings=tuple(finding for finding in result.findings if finding.diagnostic in kept))
        for result in report.results
    )
    problems = tuple(problem for problem in report.problems if problem in kept)
    return replace(report, results=results, problems=problems)


def as_text(reports: Sequence[VerifyReport], source_line: SourceLine, terminal: Terminal) -> str:
    """Return every finding in one collection with its location and diff, or an empty string.

    If the notes were run on several Pythons, a finding that not all of them have names the Python.
    """
    found: dict[Diagnostic, str] = {}
    every = [_with_diffs(report) for report in reports]
    for report, diffs in zip(reports, every, strict=True):
        for diagnostic, diff in diffs.items():
            shared = all(other.get(diagnostic) == diff for other in every)
            where = "" if shared else f" (on `{report.named}`)"
            found[replace(diagnostic, message=diagnostic.message + where)] = diff
    diffs = {diagnostic: diff for diagnostic, diff in found.items() if diff}
    return render([*found], format="text", source_line=source_line, terminal=terminal, diffs=diffs)


def _with_diffs(report: VerifyReport) -> dict[Diagnostic, str]:
    """Return all diagnostics with the diffs of the findings; the others have an empty one."""
    diffs = {finding.diagnostic: finding.diff for result in report.results for finding in result.findings}
    return {diagnostic: diffs.get(diagnostic, "") for diagnostic in all_diagnostics(report)}


def in_words(reports: Sequence[VerifyReport]) -> list[str]:
    """Return a summary for one collection: a line of counts for each Python, and why code was not run."""
    lines = [_counts(report) for report in reports]
    reasons: dict[str, int] = {}
    for report in reports:
        reasons |= Counter(reason for result in report.results for reason in result.reasons)
    lines += [f"not run: {number} × {reason}" for reason, number in sorted(reasons.items())]
    if rewritten := sum(report.rewritten for report in reports):
        lines.append(f"rewritten: {counted(rewritten, 'output block')}")
    return lines


def _counts(report: VerifyReport) -> str:
    counts = Counter(result.status for result in report.results)
    run = counts[Status.PASSED] + counts[Status.FAILED]
    if not run and not counts[Status.NOT_RUN]:
        return f"No code to run ({counted(report.others, 'note')} without code)."
    remembered = sum(result.remembered for result in report.results)
    where = f" on Python {report.target.version}" if report.target else ""
    name = f" of `{report.named}`" if report.named else ""
    known = f" ({remembered} unchanged)" if remembered else ""
    return (
        f"{counted(run, 'note')} with code run{where}{name}{known}: {counts[Status.PASSED]} passed, "
        f"{counts[Status.FAILED]} failed; {counts[Status.NOT_RUN]} not run, {report.others} without code"
    )


def as_json_text(reports: Sequence[VerifyReport], problems: Sequence[Diagnostic]) -> str:
    """Return one report for each collection as JSON; `problems` are the diagnostics of the sources."""
    diagnostics = [*problems, *(diagnostic for report in reports for diagnostic in all_diagnostics(report))]
    counts = Counter(result.status for report in reports for result in report.results)
    document = {
        "version": SCHEMA,
        "counts": {
            "passed": counts[Status.PASSED],
            "failed": counts[Status.FAILED],
            "not_run": counts[Status.NOT_RUN],
            "without_code": sum(report.others for report in reports),
            "rewritten": sum(report.rewritten for report in reports),
        },
        "summary": summary(diagnostics),
        "pythons": [
            {"executable": there.executable, "version": there.version, "unsandboxed": report.unsandboxed}
            for report in reports
            if (there := report.target)
        ],
        "notes": [_note(result, report) for report in reports for result in report.results],
        "diagnostics": [*map(as_json, (*problems, *(p for report in reports for p in report.problems)))],
    }
    return json.dumps(document, indent=2) + "\n"


def _note(result: Result, report: VerifyReport) -> dict[str, object]:
    place = result.code.note.location
    return {
        "key": result.code.note.key,
        "path": place.path,
        "line": place.line,
        "python": report.target.executable if report.target else "",
        "status": result.status,
        "unchanged": result.remembered,
        "blocks": len(result.code.blocks),
        "not_run": list(result.reasons),
        "diagnostics": [as_json(finding.diagnostic) | {"diff": finding.diff} for finding in result.findings],
    }
