"""`ptcards pull`: lists edits made in Anki since the last push, and writes them into the Markdown."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ptcards.cli.messages import announce, common_options, tell, terminal, verbose_option
from ptcards.cli.sources import exit_status, reading, show_diagnostics, sources_argument
from ptcards.diagnostics.layout import wrap
from ptcards.extensions.desktop.cli.running_anki import (
    for_the_owner,
    open_anki,
    report_failures,
    state,
    tell_waiting,
    wait_option,
)
from ptcards.extensions.importing.meant import as_written

if TYPE_CHECKING:
    from ptcards.extensions.importing.write_back import FieldEdit


@click.command()
@sources_argument
@click.option(
    "--write", is_flag=True, help="Write the edits into the Markdown where it can express them exactly."
)
@click.option("--force", is_flag=True, help="Also change files with uncommitted changes.")
@wait_option
@click.option("--profile", metavar="NAME", default="", help="Fail unless this profile is open in Anki.")
@verbose_option("Show long differences in full.")
@common_options
@click.pass_context
def command(
    ctx: click.Context, sources: Sequence[Path], wait: float, profile: str, *, write: bool, force: bool
) -> None:
    """List the fields that you edited in Anki since the last push, and what --write would leave.

    With --write, an edit is written into the Markdown if the result looks exactly like what Anki has. Fields
    that changed in both places are only listed. The exit status is 1 if any edit is left. Tags, decks, and
    notes that are new or deleted in Anki stay as they are there, and are not listed.
    """
    from ptcards.extensions.desktop.push import PushOptions, compared  # noqa: PLC0415
    from ptcards.extensions.desktop.push.pull import edits_of  # noqa: PLC0415
    from ptcards.extensions.importing.write_back import write_edits  # noqa: PLC0415 - heavier than --help

    options = PushOptions(state=state(), dry_run=True, profile=profile, pulls=write)
    left: list[FieldEdit] = []
    count = 0
    with (
        report_failures(),
        reading(processes=1) as (progress, how),
        compared(sources, options, open_anki(wait), how, waiting=tell_waiting) as found,
    ):
        for collection in found.collections:
            _, plan = collection.plan()
            edits = list(edits_of(collection.identified, plan))
            count += len(edits)
            progress.clear()
            _show(edits)
            left += write_edits(
                collection.identified,
                ([edit] for edit in edits),
                force=force,
                dry_run=not write,
                files=collection.media_content,
                remember=collection.remember_pulled,
            )
    show_diagnostics(for_the_owner(found.diagnostics))
    if not count and not exit_status(found.diagnostics):
        tell("nothing was edited in Anki since the last push")
    label = "left unchanged" if write else "`--write` leaves"
    for edit in left:
        tell(f"{label}: {edit.location.path}:{edit.location.line}: {edit.name}: {edit.reason}")
    if count > len(left):
        them = f"{count - len(left)} of {count} edits"
        if write:
            announce("Wrote", f"{them} into the Markdown")
        else:
            tell(f"`ptcards pull --write` writes {them} into the Markdown")
    ctx.exit(exit_status(found.diagnostics) or int(write and bool(left)))


def _show(edits: "Sequence[FieldEdit]") -> None:
    from ptcards.extensions.desktop.push.field_lines import field_lines  # noqa: PLC0415 - as above

    shown, there = "", terminal(err=False)
    for edit in edits:
        if edit.guid != shown:
            click.echo(f"{edit.location.path}:{edit.location.line}: {edit.note.title}")
            shown = edit.guid
        ours, theirs = map(as_written, (edit.ours, edit.theirs))
        for line in field_lines(edit.name, ours, theirs, there):
            click.echo(wrap(f"  {line}", there.columns, hang=2), color=True)
