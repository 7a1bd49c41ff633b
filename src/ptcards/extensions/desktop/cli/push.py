"""`ptcards push`: sends a collection straight to the running Anki."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ptcards.cli.messages import (
    CommandError,
    common_options,
    format_option,
    tell,
    terminal,
    verbose_option,
)
from ptcards.cli.sources import exit_status, reading, show_diagnostics, sources_argument
from ptcards.diagnostics import counted
from ptcards.extensions.desktop.cli.running_anki import (
    for_the_owner,
    open_anki,
    report_failures,
    state,
    tell_waiting,
    wait_option,
)

if TYPE_CHECKING:
    from ptcards.extensions.desktop.merge.compare import Retired
    from ptcards.extensions.desktop.push import Pushed

_DIALOG = (
    "Anki's import dialog now suggests *merge note types*, *import learning progress* and *presets*, "
    "because AnkiConnect "
    "always imports that way; turn them off for other decks"
)


@click.command()
@sources_argument
@click.option("--dry-run", is_flag=True, help="Show what would be pushed; write nothing.")
@click.option(
    "--overwrite", is_flag=True, help="Save a copy, then resolve conflicts in favour of the sources."
)
@click.option("--restore", is_flag=True, help="Bring back notes that you deleted in Anki.")
@click.option(
    "--move", is_flag=True, help="Move every card to its deck in the sources, even cards that you moved."
)
@click.option(
    "--delete-retired",
    is_flag=True,
    help="Save a copy, then delete notes that are no longer in the sources.",
)
@click.option("--yes", is_flag=True, help="Delete without asking.")
@wait_option
@click.option("--profile", metavar="NAME", default="", help="Fail unless this profile is open in Anki.")
@click.option("--locked", is_flag=True, help="Fail if deck.lock would change.")
@format_option("text", "json", help="Output format: for people or for programs.")
@verbose_option("List every note, and show what changes in it.")
@common_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    *,
    sources: Sequence[Path],
    wait: float,
    form: str,
    yes: bool,
    **given: Any,
) -> None:
    """Push a collection into the Anki that is open on this computer.

    This adds and updates notes, note types and pictures, and moves cards. Your reviews, edits and tags are
    kept. If both you and the sources changed a field, that is a conflict: it is reported and left alone.

    Anki needs the add-on AnkiConnect (2055492159). Set PTCARDS_ANKI_URL and PTCARDS_ANKI_KEY if its address
    or API key is not the default.
    """
    from ptcards.extensions.desktop.merge.compare import Overrides  # noqa: PLC0415
    from ptcards.extensions.desktop.push import PushOptions, push  # noqa: PLC0415

    if yes and not given["delete_retired"]:
        raise click.UsageError("`--yes` only works with `--delete-retired`")
    overrides = Overrides(**{name: given.pop(name) for name in ("overwrite", "restore", "move")})
    options = PushOptions(state=state(), overrides=overrides, **given)
    anki = open_anki(wait)

    def confirm(retired: Sequence["Retired"]) -> bool:
        progress.clear()
        return yes or _may_delete(retired)

    with report_failures(), reading() as (progress, how):
        pushed, stale, diagnostics = push(sources, options, anki, how, waiting=tell_waiting, confirm=confirm)

    # Hints are about the effects of a build on other people.
    show_diagnostics(for_the_owner(diagnostics))
    if stale:
        from ptcards.cli.sources import refuse_stale  # noqa: PLC0415 - rarely needed

        refuse_stale(ctx, stale)
    is_left = False
    for each in pushed:
        show(each, form, dry_run=options.dry_run)
        is_left |= bool(each.plan.unresolved or each.plan.reversals or each.left_out or each.overtaken)
    ctx.exit(exit_status(diagnostics) or int(is_left and not options.dry_run))


def _may_delete(retired: Sequence["Retired"]) -> bool:
    count, reviews = len(retired), sum(each.reviews for each in retired)
    what = f"{counted(count, 'retired note')} with {counted(reviews, 'review')}"
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        message = f"`--delete-retired` would delete {what}, but cannot ask without a terminal"
        raise CommandError(message, "add `--yes`")
    return click.confirm(f"Delete {what} from Anki?", err=True)


def show(pushed: "Pushed", form: str, *, dry_run: bool = False) -> None:
    """Print what was done on standard output, and warnings on standard error."""
    from ptcards.extensions.desktop.push import in_short  # noqa: PLC0415 - as above
    from ptcards.extensions.desktop.push.push_report import as_json, as_text  # noqa: PLC0415 - as above

    text = as_json(pushed) if form == "json" else as_text(pushed, terminal(err=False))
    click.echo(text, nl=False, color=True)
    for line in pushed.built.recognised:
        tell(line)
    for name in pushed.extended:
        what = f"you added fields or templates to note type `{name}`"
        tell(f"warning: {what}: its notes are updated one by one")
    for guid in pushed.twice:
        tell(f"warning: Anki has several notes with the GUID `{guid}`: only one is updated")
    for note in pushed.left_out:
        tell(f"warning: Anki did not update `{note.key}`: its note type is different there")
    for note in pushed.overtaken:
        tell(f"warning: `{note.key}` was edited in Anki during the push: push again")
    for file in pushed.backups:
        tell(f"saved a copy with all reviews: {file}")
    tell(in_short(pushed, dry_run=dry_run))
    if pushed.is_first and pushed.plan.package and not dry_run:
        tell(_DIALOG)
