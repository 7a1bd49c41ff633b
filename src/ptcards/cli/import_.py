"""`ptcards import`: write the deck that an author already has as Markdown."""

import json
from pathlib import Path
from typing import Any

import click

from ptcards.cli.messages import CommandError, command_line, tell
from ptcards.cli.options import common_options
from ptcards.cli.progress import Progress
from ptcards.cli.sources import show_diagnostics


@click.command("import")
@click.argument(
    "file",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="An .apkg or .colpkg file.",
)
@click.argument(
    "folder",
    metavar="[DIR]",
    required=False,
    type=click.Path(path_type=Path),
    help="The folder to make; default: the name of the deck.",
)
@click.option("--deck", metavar="NAME", default="", help="Import only this deck and those below it.")
@click.option(
    "--name", metavar="NAME", default="", help="Name the collection; default: the name of the top deck."
)
@click.option("--id", metavar="ID", default="", help="Set the collection's id; default: a new one.")
@click.option("--fresh", is_flag=True, help="Write a new deck of your own: its learners start again.")
@click.option("--dry-run", is_flag=True, help="Report what would be written, and write nothing.")
@click.option(
    "--format", "form", type=click.Choice(("text", "json")), default="text", help="Print the report so."
)
@common_options
@click.pass_context
def command(ctx: click.Context, /, file: Path, folder: Path | None, *, form: str, **options: Any) -> None:
    """Write the notes of an Anki package as a new collection of Markdown.

    \b
    Examples:
      ptcards import geo.apkg --fresh              write geography/ with its notes
      ptcards import geo.apkg --fresh --dry-run    see what would become of each note
    """  # noqa: D301 - Click wants the character \b itself
    from ptcards.importing.importer import Request, import_package  # noqa: PLC0415 - heavier than --help
    from ptcards.importing.problems import NotImportableError  # noqa: PLC0415
    from ptcards.importing.report import as_json, lines  # noqa: PLC0415
    from ptcards.source.config import ID  # noqa: PLC0415

    if options["id"] and not ID.fullmatch(options["id"]):
        message = "use 1 to 80 letters, digits, `-`, `_`, `.`"
        raise click.BadParameter(message, param_hint="--id")
    if not options["fresh"]:
        message = "learners of this deck would start again"
        raise CommandError(message, "add `--fresh` if that is meant")
    request = Request(file, folder, **options)
    try:
        with Progress() as progress:
            report, diagnostics = import_package(request, progress)
    except NotImportableError as failure:
        show_diagnostics(failure.diagnostics, with_lines=False)
        ctx.exit(failure.status)
    show_diagnostics(diagnostics, with_lines=False)
    if form == "json":
        click.echo(json.dumps(as_json(report), ensure_ascii=False, indent=2))
        return
    for line in lines(report):
        click.echo(line)
    if not report.dry_run:
        tell(f"next: {command_line('serve', report.folder, '--open')} to look at the cards")
