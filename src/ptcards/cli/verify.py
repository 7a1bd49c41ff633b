"""`ptcards verify`."""

import os
import shutil
from pathlib import Path

import click

from ptcards.cli.options import (
    Progress,
    common_options,
    exit_status,
    is_quiet,
    show_diagnostics,
    source_lines,
    sources_argument,
    tell,
    wants_color,
)
from ptcards.collection import shown
from ptcards.config import VerifyConfig, key_place
from ptcards.diagnostics import Location, Severity
from ptcards.ignores import silence
from ptcards.loading import Parsed, load
from ptcards.suggest import did_you_mean
from ptcards.verify.cache import cache_folder
from ptcards.verify.report import all_diagnostics, as_json_text, as_text, in_words, only
from ptcards.verify.target import TargetError
from ptcards.verify.verification import Report, Settings, update, verify


@click.command("verify")
@sources_argument
@click.option("-k", "keys", metavar="KEY", multiple=True, help="Run only the note with this key (its id).")
@click.option("--update", "updating", is_flag=True, help="Rewrite `output` blocks that say something else.")
@click.option("--strict", is_flag=True, help="Fail on warnings, too.")
@click.option("--python", type=click.Path(), help="The Python that has what the cards need.")
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="Run so many notes at once.")
@click.option("--timeout", type=click.FloatRange(0, min_open=True), metavar="S", help="Seconds for one note.")
@click.option("--format", "form", type=click.Choice(("full", "json")), default="full", show_default=True)
@common_options
@click.pass_context
def command(
    ctx: click.Context,
    *,
    sources: tuple[Path, ...],
    keys: tuple[str, ...],
    updating: bool,
    strict: bool,
    python: str | None,
    jobs: int | None,
    timeout: float | None,
    form: str,
) -> None:
    """Run the Python on the cards and compare what it prints with their `output` blocks.

    The code runs in a sandbox, note by note; results are remembered until the code or a library changes.
    """
    given = VerifyConfig(python=python or "", timeout=timeout or 0)
    loaded, problems = load(sources)
    _check_keys(loaded, keys)
    for parsed in loaded:
        problems, _ = silence(parsed, problems)
    reports: list[Report] = []
    for parsed in loaded:
        try:
            report = _verify(parsed, keys, given, jobs or _processors())
        except TargetError as failure:
            show_diagnostics(problems)
            click.echo(f"error: {failure}\nhelp: {failure.fix}", err=True)
            ctx.exit(2)
        kept, _ = silence(parsed, all_diagnostics(report))
        report = only(report, kept)
        reports.append(update(report) if updating else report)
    found = [*problems, *(each for report in reports for each in all_diagnostics(report))]
    for reason in dict.fromkeys(report.unsandboxed for report in reports if report.unsandboxed):
        tell(f"no sandbox: {reason}; the code could read your files and use the network")
    if form == "json":
        click.echo(as_json_text(reports, problems), nl=False)
    else:
        show_diagnostics(problems)
        for report in reports:
            _show(report)
    warned = any(each.severity is Severity.WARNING for each in found)
    ctx.exit(exit_status(found) or int(strict and warned))


def _verify(parsed: Parsed, keys: tuple[str, ...], given: VerifyConfig, jobs: int) -> Report:
    config = parsed.collection.config.verify
    root = parsed.collection.root
    toml = root / "deck.toml"
    settings = Settings(
        requires=config.requires,
        python=_executable(given.python, Path()) if given.python else _executable(config.python, root),
        setup=config.setup,
        place=key_place(toml, shown(toml), "verify", "setup") if config.setup else Location(shown(toml), 1),
        timeout=given.timeout or config.timeout,
        jobs=jobs,
        cache=cache_folder(os.environ),
    )
    notes = [note for note in parsed.selected_notes if not keys or note.key in keys]
    return verify(notes, settings, Progress("Running"))


def _executable(python: str, folder: Path) -> str:
    """Make what was written for a Python a path: `~` is home, a name without a slash is looked for in PATH."""
    if not python:
        return ""
    if "/" not in python and os.sep not in python and (found := shutil.which(python)):
        return found
    return str((folder / Path(python).expanduser()).absolute())


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _check_keys(loaded: tuple[Parsed, ...], keys: tuple[str, ...]) -> None:
    known = {note.key for parsed in loaded for note in parsed.selected_notes}
    for key in keys:
        if key not in known:
            message = f"no note has the key `{key}`"
            advice = did_you_mean(key, known)
            raise click.UsageError(f"{message}; {advice}" if advice else message)


def _show(report: Report) -> None:
    """Print what was found, and the counts; `-q` leaves only errors."""
    if is_quiet():
        report = only(report, [each for each in all_diagnostics(report) if each.severity is Severity.ERROR])
    text = as_text(report, source_lines(), color=wants_color(err=True))
    click.echo(text, nl=False, err=True, color=True)
    for line in in_words(report):
        tell(line)
