"""The part of `ptcards verify` that runs code and reports the results."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from ptcards.cli.messages import CommandError, Progress, is_quiet, tell, terminal
from ptcards.cli.sources import exit_status, show_diagnostics, tell_untouched
from ptcards.diagnostics import Severity, errors_in
from ptcards.diagnostics.suggest import did_you_mean
from ptcards.extensions.verify.sandbox import RefusedError
from ptcards.extensions.verify.verification import VerifyReport, settings_for, update, verify
from ptcards.extensions.verify.verify_report import all_diagnostics, as_json_text, as_text, in_words, only
from ptcards.files.inputs import source_lines
from ptcards.notes import Note
from ptcards.source.assembly import silence
from ptcards.workspace import Contents, ReadOptions, Workspace


@dataclass(frozen=True, slots=True)
class Wanted:
    """The options; `deck.toml` decides if a Python is empty or `timeout` is `None`.

    `form` is `text` or `json`.
    """

    pythons: tuple[str, ...]
    jobs: int
    timeout: float | None
    sandboxed: bool
    sources: tuple[Path, ...]
    keys: tuple[str, ...]
    form: str
    drafts: bool

    def notes_of(self, contents: Contents) -> list[Note]:
        """Return the requested notes of a collection, and its drafts if they are wanted."""
        return [*contents.selected_notes, *(contents.selected_drafts if self.drafts else ())]


def run(wanted: Wanted, options: ReadOptions, *, updating: bool, strict: bool) -> int:
    """Run the code, report the results, and return the exit status."""
    workspace = Workspace.read(wanted.sources, options)
    problems = workspace.diagnostics
    _check_keys(workspace, wanted)
    for contents in workspace.contents:
        problems, _ = silence(contents.collection, contents.all_summaries, problems)
    collections: list[list[VerifyReport]] = []
    for contents in workspace.contents:
        try:
            reports = [_verify(contents, python, wanted, options) for python in wanted.pythons]
        except RefusedError:
            show_diagnostics(problems)
            raise
        collections.append([_update(report, contents) for report in reports] if updating else reports)
    every = [report for reports in collections for report in reports]
    diagnostics = [*problems, *(diagnostic for report in every for diagnostic in all_diagnostics(report))]
    if wanted.form == "json":
        click.echo(as_json_text(every, problems), nl=False)
    else:
        show_diagnostics(problems)
        for reports in collections:
            _show(reports)
    warned = any(diagnostic.severity is Severity.WARNING for diagnostic in diagnostics)
    return exit_status(diagnostics) or int(strict and warned)


def _update(report: VerifyReport, contents: Contents) -> VerifyReport:
    """Rewrite `output` blocks.

    Print which files are left alone because they are written for another program.
    """
    paths = {diagnostic.location.path for diagnostic in all_diagnostics(report)}
    tell_untouched("updated", contents, paths)
    return update(report, contents.foreign)


def _check_keys(workspace: Workspace, wanted: Wanted) -> None:
    known = {note.key for contents in workspace.contents for note in wanted.notes_of(contents)}
    drafts = {draft.key for contents in workspace.contents for draft in contents.selected_drafts}
    for key in wanted.keys:
        if key not in known:
            message = f"no note has the key `{key}`"
            fix = did_you_mean(key, known)
            if key in drafts:
                message, fix = f"the note with the key `{key}` is a draft", "add `--drafts`"
            raise CommandError(message, fix)


def _verify(contents: Contents, python: str, wanted: Wanted, options: ReadOptions) -> VerifyReport:
    """Run the code with one Python; the report names it if there are several."""
    settings = settings_for(
        contents.collection,
        python=python,
        timeout=wanted.timeout or 0,
        jobs=wanted.jobs,
        sandboxed=wanted.sandboxed,
    )
    notes = [note for note in wanted.notes_of(contents) if not wanted.keys or note.key in wanted.keys]
    with Progress() as progress:
        report = verify(notes, settings, options.cache, lambda done, total: progress("Running", done, total))
    kept, _ = silence(contents.collection, contents.all_summaries, all_diagnostics(report))
    return replace(only(report, kept), named=python if len(wanted.pythons) > 1 else "")


def _show(reports: Sequence[VerifyReport]) -> None:
    """Print the findings and the counts for one collection; with `-q`, print only errors."""
    if is_quiet():
        reports = [only(report, errors_in(all_diagnostics(report))) for report in reports]
    text = as_text(reports, source_lines(), terminal(err=True))
    click.echo(text, nl=False, err=True, color=True)
    for line in in_words(reports):
        tell(line)
