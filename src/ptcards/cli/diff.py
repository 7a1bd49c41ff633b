"""`ptcards diff`: shows how an update affects learners before you publish it."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ptcards.cli.messages import (
    Command,
    CommandError,
    Progress,
    command_line,
    common_options,
    format_option,
    tell,
    terminal,
    verbose_option,
)
from ptcards.cli.sources import default_source, every_collection, exit_status, show_diagnostics
from ptcards.diagnostics.layout import Terminal
from ptcards.extensions import modules

if TYPE_CHECKING:
    from ptcards.diff.update import Update
    from ptcards.workspace import Contents

_FORMATS = ("text", "markdown", "json", "html")


def _pictures_option(command: Command) -> Command:
    """Add `--pictures` if an extension can draw."""
    option = click.option(
        "--pictures",
        metavar="DIR",
        type=click.Path(file_okay=False, path_type=Path),
        help="Also draw the cards before and after into this folder, with Chromium.",
    )
    return option(command) if modules("draw_changes") else command


@click.command()
@click.argument("folder", metavar="[FOLDER]", required=False, help="A collection's folder.")
@click.argument(
    "old",
    metavar="[OLD]",
    required=False,
    help="A git revision, or a folder with an older copy; may also be the only argument.",
)
@format_option(
    *_FORMATS,
    help="Output format: for people, release notes, programs, or a page with cards before and after.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write to this file instead of standard output.",
)
@_pictures_option
@click.option("--exit-code", "telling", is_flag=True, help="Exit with 1 if the update changes anything.")
@verbose_option("List all notes and differences in full, and what learners with their own fields do.")
@common_options
@click.pass_context
def command(
    ctx: click.Context,
    folder: str | None,
    old: str | None,
    form: str,
    output: Path | None,
    *,
    telling: bool,
    pictures: Path | None = None,
) -> None:
    """Show how an update affects people who already study the deck.

    The collection in FOLDER is compared with what was published in OLD. The default for FOLDER is cards/ if
    it exists, otherwise this folder; for OLD it is the newest tag that contains the collection, or HEAD if
    there is none. Nothing is written except what `-o` and `--pictures` name.

    \b
    Examples:
      ptcards diff                      compare with the last release
      ptcards diff v1.2                 compare with another one
      ptcards diff --format markdown    write release notes
      ptcards diff --format html -o changes.html
                                        show cards before and after
    """  # noqa: D301 - Click wants the character \b itself
    root, old = _named(folder, old)
    roots = every_collection((root,))
    if (output or pictures or form in ("json", "html")) and len(roots) > 1:
        what = f"`{output or pictures}`" if output or pictures else form.upper()
        raise CommandError(f"{what} is about one collection", f"name one: `{roots[0]}`")
    ctx.exit(max(_show(each, old, form, output, pictures, telling=telling) for each in roots))


def _show(
    root: Path, old: str | None, form: str, output: Path | None, pictures: Path | None, *, telling: bool
) -> int:
    """Print or write what an update of a collection does; return the exit status."""
    from ptcards.diff.update import open_update  # noqa: PLC0415 - heavier than --help
    from ptcards.workspace import ReadOptions, Workspace  # noqa: PLC0415

    with ReadOptions.of_user(tell) as options:
        workspace = Workspace.read([root], options)
        if output and output.resolve() in {file.resolve() for file in workspace.files()}:
            raise CommandError(f"`{output}` is a file of the collection", "choose another file with `-o`")
        with open_update(workspace, old) as (update, diagnostics):
            text = _written(update, workspace.contents[0], form, output) if update else ""
            if update and pictures:
                with Progress() as progress:
                    for each in modules("draw_changes"):
                        each.draw_changes(update, workspace.contents[0], pictures, progress)
    if update is None:
        show_diagnostics(diagnostics)
        return exit_status(diagnostics)
    if output:
        from ptcards.files import replacing  # noqa: PLC0415

        with replacing(output) as file:
            file.write(text.encode())
    else:
        click.echo(text, nl=False, color=True)
    if not output and (diagnostics or update.remarks) and terminal(err=False).columns:
        tell("")
    show_diagnostics(diagnostics)
    for remark in update.remarks:
        tell(f"hint: {remark}")
    return int(telling and bool(update.changes or update.renamed))


def _written(update: "Update", contents: "Contents", form: str, output: Path | None) -> str:
    """Return an update in a format, as it will be printed or written to `output`."""
    from ptcards.diff.update_report import as_json, as_markdown, as_text  # noqa: PLC0415

    match form:
        case "markdown":
            return as_markdown(update)
        case "json":
            return as_json(update)
        case "html":
            from ptcards.diff.changes_page import as_page  # noqa: PLC0415

            return as_page(update, contents, output or Path("changes.html"))
        case _:
            layout = terminal(err=False)
            return as_text(update, Terminal(short=layout.short) if output else layout)


def _named(folder: str | None, old: str | None) -> tuple[Path, str | None]:
    """Return the collection's folder and the old version; a single argument may be either."""
    from ptcards.diff.update import is_copy  # noqa: PLC0415 - as above
    from ptcards.files.inputs import is_collection  # noqa: PLC0415
    from ptcards.source.collection import collections_below  # noqa: PLC0415

    root = default_source()
    if folder and old:
        if not os.path.exists(folder):  # noqa: PTH110 - `Path.exists` raises if a folder is unreadable
            message = f"no such folder: `{folder}`"
            meant = command_line("diff", str(root), old)
            raise CommandError(message, f"a folder is compared with one earlier version: `{meant}`")
        return Path(folder), old
    if folder and is_collection(Path(folder)) and not is_copy(Path(folder), root):
        return Path(folder), None
    if folder and not is_collection(root) and collections_below(Path(folder)):
        return Path(folder), None
    return root, folder
