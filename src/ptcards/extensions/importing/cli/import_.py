"""`ptcards import`: turns an existing deck into Markdown."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ptcards.cli.messages import (
    Progress,
    command_line,
    common_options,
    format_option,
    is_verbose,
    tell,
    tell_next,
    terminal,
    verbose_option,
)
from ptcards.cli.sources import show_diagnostics, tell_around
from ptcards.diagnostics.layout import paint, wrap
from ptcards.source.dialects import spellings, wrong_in_a_word

if TYPE_CHECKING:
    from ptcards.extensions.importing.write import ImportReport


_NO_MARKDOWN = ("package", "table")
_VERB = re.compile(r"^(Read|Kept|Converted|Wrote|Would write)\b")
"""Matches what was done, at the start of a line."""


@click.command("import")
@click.argument(
    "file",
    metavar="FILE",
    type=click.Path(exists=True, path_type=Path),
    help="An .apkg or .colpkg file, a table (.csv, .tsv, .txt), or Markdown: a file or a folder.",
)
@click.argument(
    "folder",
    metavar="[DIR]",
    required=False,
    type=click.Path(path_type=Path),
    help="The folder to create; default: the name of the deck.",
)
@click.option(
    "--deck",
    "decks",
    metavar="NAME",
    multiple=True,
    help="Import only this deck and its subdecks; repeat it for several decks.",
)
@click.option(
    "--name", metavar="NAME", default="", help="Name the collection; default: the name of the top-level deck."
)
@click.option(
    "--columns",
    metavar="NAMES",
    default="",
    help="For a table: its columns, as in question,answer,tags; or by their names, as in word=question.",
)
@click.option("--id", metavar="ID", default="", help="Set the collection's id; default: a new one.")
@click.option("--fresh", is_flag=True, help="Write a new deck of your own: its learners start again.")
@click.option(
    "--from",
    "dialect",
    metavar="NAME",
    default="auto",
    help=f"Read FILE as package, table, {spellings()}; default: detected.",
)
@click.option("--dry-run", is_flag=True, help="Report what would be written, and write nothing.")
@format_option("text", "json", help="Output format: for people or for programs.")
@verbose_option("Print how each field was written.")
@common_options
@click.pass_context
def command(
    ctx: click.Context, /, file: Path, folder: Path | None, *, form: str, dialect: str, **options: Any
) -> None:
    """Turn an existing deck into a new collection of Markdown.

    An Anki package keeps its GUIDs, so that learners keep their reviews. Tables, and Markdown from other
    programs, become a new deck.

    \b
    Examples:
      ptcards import geo.apkg                     write geography/ with its notes
      ptcards import geo.apkg --dry-run           show how its notes would be imported
      ptcards import vault deck --from obsidian   write the cards of a vault
    """  # noqa: D301 - Click wants the character \b itself
    from ptcards.diagnostics.layout import visible  # noqa: PLC0415
    from ptcards.extensions.importing.from_markdown import import_markdown  # noqa: PLC0415
    from ptcards.extensions.importing.from_package import import_package  # noqa: PLC0415
    from ptcards.extensions.importing.from_table import import_table  # noqa: PLC0415
    from ptcards.extensions.importing.problems import NotImportableError  # noqa: PLC0415
    from ptcards.extensions.importing.write import Request, as_json, lines  # noqa: PLC0415 - heavier than --help
    from ptcards.processes import ended_by_sigterm  # noqa: PLC0415
    from ptcards.source.valid_names import ID  # noqa: PLC0415

    if options["id"] and not ID.fullmatch(options["id"]):
        raise click.BadParameter("use 1 to 80 letters, digits, `-`, `_`, `.`", param_hint="'--id'")
    if dialect == "auto":
        dialect = ""
    elif dialect not in _NO_MARKDOWN and (problem := wrong_in_a_word(dialect)):
        raise click.BadParameter(f"{problem[1]}: {problem[2]}", param_hint="'--from'")
    kind = _kind_of(file, dialect)
    if options["columns"] and kind != "table":
        raise click.BadParameter("it only works for tables", param_hint="'--columns'")
    names = tuple(name.strip() for name in options.pop("columns").split(",") if name.strip())
    request = Request(file, folder, columns=names, **options)
    try:
        with ended_by_sigterm(), Progress() as progress:
            if kind == "markdown":
                report, diagnostics = import_markdown(request, dialect, progress)
            elif kind == "table":
                report, diagnostics = import_table(request)
            else:
                report, diagnostics = import_package(request, progress)
    except NotImportableError as failure:
        show_diagnostics(failure.diagnostics, with_lines=False)
        ctx.exit(failure.status)
    show_diagnostics(diagnostics, with_lines=False)
    if form == "json":
        click.echo(json.dumps(as_json(report), ensure_ascii=False, indent=2))
    else:
        _show(map(visible, lines(report, verbose=is_verbose())))
        _tell_next(report)


def _kind_of(file: Path, dialect: str) -> str:
    """Return whether FILE is a package, a table or Markdown, according to `--from` or its name."""
    suffix = file.suffix.lower()
    if dialect in _NO_MARKDOWN:
        return dialect
    if dialect or file.is_dir() or suffix in (".md", ".markdown"):
        return "markdown"
    return "table" if suffix in (".csv", ".tsv", ".txt") else "package"


def _show(lines: Iterable[str]) -> None:
    """Print a report, with its verbs in green."""
    there = terminal(err=False)
    for line in lines:
        shown = _VERB.sub(lambda verb: paint(verb[0], "done", color=there.color), line)
        click.echo(wrap(shown, there.columns, hang=9), color=True)


def _tell_next(report: "ImportReport") -> None:
    """Print what learners will notice and what to do next."""
    from ptcards.diagnostics import counted  # noqa: PLC0415

    if report.outcome == "adopted":
        changes = f"adds {counted(report.more_cards, 'card')}" if report.more_cards else "changes nothing"
        tell(
            f"learners keep their reviews: the first build {changes} for them, and later "
            "edits reach everybody"
        )
        if any(left_out.cards for left_out in report.left_out):
            tell("learners keep the notes that are left out: a package deletes nothing")
    elif report.left_out:
        tell(f"to include what is left out, correct it in {report.file} and import again")
    if report.other_id:
        tell(
            "hint: ptcards built this package; to get its notes as plain Markdown, use its sources, or add "
            "`--id` with the `id` from their `deck.toml`"
        )
    if not report.dry_run:
        tell_around(Path(report.folder).absolute())
        tell_next(f"{command_line('serve', report.folder, '--open')} to look at the cards")
