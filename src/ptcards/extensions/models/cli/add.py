"""`ptcards add`: adds notes to a collection, or refuses them with everything that a check finds."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ptcards.cli.messages import (
    CommandError,
    announce,
    common_options,
    format_option,
    one_line,
    read_stdin,
    tell,
    terminal,
)
from ptcards.cli.sources import default_source, reading, wanted
from ptcards.diagnostics import Diagnostic, counted

if TYPE_CHECKING:
    from ptcards.extensions.models.adding import Addition

_STDIN = Path("-")


@click.command()
@click.argument(
    "notes",
    metavar="NOTES",
    type=click.Path(path_type=Path, exists=True, allow_dash=True),
    help="A Markdown file with the notes to add, or `-` for standard input.",
)
@click.option(
    "--to",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The source to add them to. Without it, the decks whose headings they have.",
)
@click.option("--create", is_flag=True, help="Create FILE if there is none.")
@click.option("--draft", is_flag=True, help="Mark the notes as drafts, which no build contains.")
@format_option("text", "json", help="Output format: for people or for programs.")
@common_options
@click.pass_context
def command(
    ctx: click.Context, *, notes: Path, to: Path | None, create: bool, draft: bool, form: str
) -> None:
    """Add notes to a collection: all of them, or none.

    Every rule of `check` runs, and the notes are compared with all notes of the collection. If there is an
    error, a warning, or a note that is nearly the same, nothing is written. Otherwise, they go to the end of
    FILE, or of the decks whose headings they have.
    """
    from ptcards.extensions.models.adding import GIVEN, AddRequest, add  # noqa: PLC0415 - heavier than --help
    from ptcards.files.inputs import find_root, is_collection, shown  # noqa: PLC0415

    if create and not to:
        raise click.UsageError("`--create` needs `--to`")
    if notes.is_dir():
        message = f"`{notes}` is a folder"
        raise CommandError(message, "name a file with notes, or move the folder's files into the collection")
    file = None if notes == _STDIN else notes
    content = file.read_bytes() if file else read_stdin()
    above = find_root(to.absolute()) if to else Path()
    root = above if to and is_collection(above) else find_root(default_source().absolute())
    with reading() as (_, options):
        request = AddRequest(root, content, to, draft=draft, create=create, file=file)
        added = add(
            request, options, waiting=lambda folder: tell(f"waiting for a build in `{folder}` to end")
        )
    if form == "json":
        click.echo(json.dumps(added.as_json(), indent=2, ensure_ascii=False))
    else:
        _show(added, shown(file) if file else GIVEN)
    ctx.exit(int(added.is_refused))


def _show(added: "Addition", name: str) -> None:
    """Print the keys of the notes, or that there are none, and the findings in the text called `name`."""
    from ptcards.diagnostics.render import render, summary  # noqa: PLC0415 - as above
    from ptcards.extensions.models.adding import ALIKE, GIVEN, refusing  # noqa: PLC0415 - as above

    if found := wanted(added.findings):
        text = render(
            [_renamed(each, GIVEN, name) for each in found],
            format="text",
            source_line=lambda place: added.line_at(
                place._replace(path=GIVEN) if place.path == name else place
            ),
            terminal=terminal(err=True),
        )
        click.echo(text, nl=False, err=True, color=True)
    if added.is_refused:
        why = refusing(added.findings)
        reason = f": {why[0].message}" if len(why) == 1 else f" because of {summary(why)}"
        tell(f"nothing was added{reason}")
        for rule in sorted(ALIKE.intersection(each.rule for each in why)):
            tell(f"to add such a note all the same, write `ignore={rule}` in its card comment")
    for note in added.notes:
        click.echo(one_line(f"{note.text.path}:{note.text.line}: {note.text.key}"))
        if note.closest and (other := note.other):
            how = f"{note.closest.likeness:.0%} alike: {', '.join(note.closest.shared)}"
            tell(one_line(f"closest to `{note.text.key}`: {other.path}:{other.line}: {other.title} ({how})"))
    what = "draft" if all(note.text.draft for note in added.notes) else "note"
    for path, count in Counter(note.text.path for note in added.notes).items():
        announce("Added", f"{counted(count, what)} to {path}")


def _renamed(each: Diagnostic, path: str, name: str) -> Diagnostic:
    """Return a finding with the name of a file, if it is at `path`."""
    place = each.location
    return replace(each, location=place._replace(path=name)) if place.path == path else each
