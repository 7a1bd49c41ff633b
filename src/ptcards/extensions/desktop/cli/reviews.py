"""`ptcards reviews`: reports what reviews show about the notes."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ptcards.cli.messages import (
    CommandError,
    Progress,
    common_options,
    format_option,
    terminal,
    verbose_option,
)
from ptcards.cli.sources import default_source, exit_status, reading, show_diagnostics
from ptcards.extensions.desktop.cli.running_anki import (
    AnkiRefusedError,
    open_anki,
    report_failures,
    wait_option,
)

if TYPE_CHECKING:
    from ptcards.diagnostics import Diagnostic
    from ptcards.extensions.desktop.reviews import ReviewSummary, Studied


def _packages(files: Sequence[Path]) -> Sequence[Path]:
    """Return the packages; a folder is an error, because only an exported package has reviews."""
    for folder in filter(Path.is_dir, files):
        message = f"`reviews` reads packages, and `{folder}` is a folder"
        raise CommandError(message, f"run it inside `{folder}`, or name an .apkg that a learner exported")
    return files


@click.command()
@click.argument(
    "files",
    metavar="[FILE]...",
    nargs=-1,
    type=click.Path(exists=True, path_type=Path),
    callback=lambda _ctx, _parameter, files: _packages(files),
    help="Packages exported with scheduling information; default: the running Anki.",
)
@format_option("text", "json", "html", help="Output format: for people, programs, or a page of plots.")
@wait_option
@verbose_option("List every note that has reviews.")
@common_options
@click.pass_context
def command(ctx: click.Context, files: Sequence[Path], wait: float, form: str) -> None:
    """Show which notes learners fail, in the collection in cards/ or in this folder.

    Reviews come from the running Anki, through AnkiConnect, or from packages. The reviews of several learners
    are added up. Nothing is changed and nothing leaves this computer.

    \b
    Examples:
      ptcards reviews                     ask the running Anki
      ptcards reviews anna.apkg ben.apkg  add up what two learners exported
      ptcards reviews --format html > reviews.html
    """  # noqa: D301 - Click wants the character \b itself
    from ptcards.extensions.desktop.reviews import review, studied  # noqa: PLC0415
    from ptcards.extensions.importing.problems import NotImportableError  # noqa: PLC0415 - heavier than --help
    from ptcards.workspace import Workspace  # noqa: PLC0415

    with reading() as (progress, options):
        workspace = Workspace.read([default_source()], options)
        ours, wrong = studied(workspace)
        if ours is None:
            progress.clear()
            show_diagnostics(wrong)
            ctx.exit(exit_status(wrong))
        try:
            summary, diagnostics = (
                review(ours, dict.fromkeys(files), progress) if files else _of_anki(ours, wait, progress)
            )
        except NotImportableError as failure:
            progress.clear()
            show_diagnostics(failure.diagnostics, with_lines=False)
            ctx.exit(failure.status)
    show_diagnostics(diagnostics, with_lines=False)
    _show(summary, form)
    ctx.exit(int(bool(files) and not summary.kept.reviews))


def _of_anki(ours: "Studied", wait: float, progress: Progress) -> "tuple[ReviewSummary, list[Diagnostic]]":
    """Return the summary of the reviews in the running Anki, read from a private copy of its decks."""
    from ptcards.extensions.desktop.push.reading import export_notes  # noqa: PLC0415 - as above
    from ptcards.extensions.desktop.reviews import review  # noqa: PLC0415
    from ptcards.files.temporary import temporary_folder  # noqa: PLC0415 - as above

    with report_failures(), temporary_folder("reviews") as folder:
        anki = open_anki(wait)
        anki.wait()
        progress("Asking Anki", 0, 0)
        packages = export_notes(anki, ours.note_types, folder)
        if not packages:
            message = "Anki has no notes of this collection"
            raise AnkiRefusedError(
                message, "run `ptcards push`, or import the package that `ptcards build` writes"
            )
        summary, _ = review(ours, packages, progress)
        return summary, []


def _show(summary: "ReviewSummary", form: str) -> None:
    from ptcards.extensions.desktop.reviews.review_report import as_html, as_json, as_text  # noqa: PLC0415

    if form == "html":
        click.echo(as_html(summary).encode(), nl=False)
    else:
        text = as_json(summary) if form == "json" else as_text(summary, terminal(err=False))
        click.echo(text, nl=False, color=True)
