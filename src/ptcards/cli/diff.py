"""`ptcards diff`: shows how an update affects learners before you publish it."""

import os
from pathlib import Path

import click

from ptcards.cli.messages import (
    CommandError,
    command_line,
    common_options,
    format_option,
    tell,
    terminal,
    verbose_option,
)
from ptcards.cli.sources import default_source, every_collection, exit_status, show_diagnostics

_FORMATS = ("text", "markdown", "json")


@click.command()
@click.argument("folder", metavar="[FOLDER]", required=False, help="A collection's folder.")
@click.argument(
    "old",
    metavar="[OLD]",
    required=False,
    help="A git revision, or a folder with an older copy; may also be the only argument.",
)
@format_option(*_FORMATS, help="Output format: for people, release notes or programs.")
@click.option("--exit-code", "telling", is_flag=True, help="Exit with 1 if the update changes anything.")
@verbose_option("List all notes and differences in full, and what learners with their own fields do.")
@common_options
@click.pass_context
def command(ctx: click.Context, folder: str | None, old: str | None, form: str, *, telling: bool) -> None:
    """Show how an update affects people who already study the deck.

    The collection in FOLDER is compared with what was published in OLD. The default for FOLDER is cards/ if
    it exists, otherwise this folder; for OLD it is the newest tag that contains the collection, or HEAD if
    there is none. Nothing is written.

    \b
    Examples:
      ptcards diff                      compare with the last release
      ptcards diff v1.2                 compare with another one
      ptcards diff --format markdown    write release notes
    """  # noqa: D301 - Click wants the character \b itself
    root, old = _named(folder, old)
    roots = every_collection((root,))
    if form == "json" and len(roots) > 1:
        message = "JSON is about one collection"
        raise CommandError(message, f"name one: `{roots[0]}`")
    ctx.exit(max(_show(each, old, form, telling=telling) for each in roots))


def _show(root: Path, old: str | None, form: str, *, telling: bool) -> int:
    """Print what an update of a collection does; return the exit status."""
    from ptcards.diff.update import find_update  # noqa: PLC0415
    from ptcards.diff.update_report import as_json, as_markdown, as_text  # noqa: PLC0415 - heavier than --help
    from ptcards.workspace import ReadOptions, Workspace  # noqa: PLC0415

    with ReadOptions.of_user(tell) as options:
        update, diagnostics = find_update(Workspace.read([root], options), old)
    if update is None:
        show_diagnostics(diagnostics)
        return exit_status(diagnostics)
    match form:
        case "markdown":
            text = as_markdown(update)
        case "json":
            text = as_json(update)
        case _:
            text = as_text(update, terminal(err=False))
    click.echo(text, nl=False, color=True)
    if (diagnostics or update.remarks) and terminal(err=False).columns:
        tell("")
    show_diagnostics(diagnostics)
    for remark in update.remarks:
        tell(f"hint: {remark}")
    return int(telling and bool(update.changes or update.renamed))


def _is_version(root: Path, name: str) -> bool:
    """Whether git knows a version of the collection by this name."""
    from ptcards.files.git import GitError, Repository  # noqa: PLC0415 - rarely needed

    try:
        return Repository(root).commit(name) is not None
    except GitError:
        return False


def _named(folder: str | None, old: str | None) -> tuple[Path, str | None]:
    """Return the collection's folder and the old version; a single argument may be either."""
    from ptcards.diff.update import is_copy  # noqa: PLC0415 - as above
    from ptcards.files.inputs import is_collection  # noqa: PLC0415
    from ptcards.source.collection import collections_below  # noqa: PLC0415

    root = default_source()
    if folder and old:
        if not os.path.exists(folder):  # noqa: PTH110 - `Path.exists` raises if a folder is unreadable
            if _is_version(root, folder):
                meant = command_line("diff", str(root), folder)
                message = f"`{folder}` is a version, not a folder"
                raise CommandError(message, f"check out `{old}`, then run `{meant}`")
            message = f"no such folder: `{folder}`"
            meant = command_line("diff", str(root), old)
            raise CommandError(message, f"a folder is compared with one earlier version: `{meant}`")
        return Path(folder), old
    if folder and is_collection(Path(folder)) and not is_copy(Path(folder), root):
        return Path(folder), None
    if folder and not is_collection(root) and collections_below(Path(folder)):
        return Path(folder), None
    return root, folder
