"""`ptcards inbox`: lists the corrections that others send, and writes accepted ones into the Markdown."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ptcards.cli.messages import (
    CommandError,
    announce,
    common_options,
    format_option,
    tell,
    terminal,
    verbose_option,
)
from ptcards.cli.sources import default_source, exit_status, reading, show_diagnostics
from ptcards.extensions.desktop.cli.running_anki import (
    for_the_owner,
    open_anki,
    report_failures,
    state,
    wait_option,
)

if TYPE_CHECKING:
    from ptcards.extensions.desktop.push.ankiconnect import Anki
    from ptcards.extensions.publish.inbox import InboxEntry
    from ptcards.extensions.publish.inbox.reading import Inbox


@click.command()
@click.argument(
    "paths",
    metavar="[SOURCE] [FILE]...",
    nargs=-1,
    type=click.Path(exists=True, path_type=Path),
    help="A collection's folder, and what others sent; without a FILE, the running Anki.",
)
@click.option(
    "--accept", "accepted", metavar="NAME", multiple=True, help="Write this entry into the Markdown."
)
@click.option("--all-clean", is_flag=True, help="Accept every entry that changed nowhere else.")
@click.option("--reject", "rejected", metavar="NAME", multiple=True, help="Never list this entry again.")
@click.option(
    "--done",
    "settled",
    metavar="NAME",
    multiple=True,
    help="Never list this entry again: you have corrected the note yourself.",
)
@click.option(
    "--clear-flags",
    is_flag=True,
    help="Remove the red flags of accepted, rejected and done entries in the running Anki.",
)
@click.option("--force", is_flag=True, help="Also change files with uncommitted changes.")
@format_option("text", "markdown", "json", help="Output format: for people, GitHub or programs.")
@wait_option
@verbose_option("Show long differences in full.")
@common_options
@click.pass_context
def command(
    ctx: click.Context,
    paths: Sequence[Path],
    *,
    accepted: Sequence[str],
    rejected: Sequence[str],
    settled: Sequence[str],
    wait: float,
    form: str,
    all_clean: bool,
    clear_flags: bool,
    force: bool,
) -> None:
    """List the corrections that others send, and write those that you accept into the Markdown.

    A FILE is a suggestion from the add-on, a list of GitHub issues, or the package of somebody who edited the
    deck. Without a FILE, the edits and red flags in the running Anki are listed. An entry is only written if
    the new Markdown looks exactly like the correction and nothing else changes. Nothing is committed. The
    exit status is 1 if something that you accepted is left.

    \b
    Examples:
      gh issue list --json number,title,body,author > issues.json
      ptcards inbox issues.json                  list what the issues suggest
      ptcards inbox issues.json --accept k7f2    write one entry
      ptcards inbox ann.apkg                     list what a contributor changed
    """  # noqa: D301 - Click wants the character \b itself
    from ptcards.extensions.importing.write_back import CHANGED  # noqa: PLC0415 - heavier than --help
    from ptcards.extensions.publish.inbox import EntryState  # noqa: PLC0415

    source, files = _parted(paths)
    anki = open_anki(wait) if not files or clear_flags else None
    with report_failures(), _opened(source, files, None if files else anki) as inbox:
        if inbox.collection is None:
            show_diagnostics(inbox.diagnostics)
            ctx.exit(exit_status(inbox.diagnostics))
        to_write, to_reject, by_hand = (
            _chosen(inbox.entries, names) for names in (accepted, rejected, settled)
        )
        _refuse_both(to_write, to_reject, by_hand)
        to_close = [*to_reject, *by_hand]
        if all_clean:
            clean = (each for each in inbox.entries if each.state is EntryState.CLEAN)
            to_write += [each for each in clean if each not in (*to_write, *to_close)]
        is_list = not (to_write or to_close)
        _show(inbox, inbox.entries if is_list else [*to_write, *to_close], form)
        # Before the edits are written, which change files themselves.
        new = [each for each in to_write if each.other]
        held_back = [] if force else inbox.collection.held_back(new)
        left = inbox.collection.accept([each for each in to_write if not each.other], force=force)
        inbox.reject(to_close)
    left += held_back
    names = {each.name for each in held_back}
    if new := [each for each in new if each.name not in names]:
        # The files that were written above are read again.
        with _opened(source, (), None) as again:
            if again.collection is None:  # somebody has just saved a mistake
                left += [replace(each, reason=CHANGED) for each in new]
            else:
                left += again.collection.add_new(new)
    names = {each.name for each in left}
    done = [each for each in to_write if each.name not in names]
    show_diagnostics(for_the_owner(inbox.diagnostics))
    if not inbox.entries and not inbox.status:
        tell("nothing is in the inbox")
    for entry in left:
        place = f"{entry.location.path}:{entry.location.line}: " if entry.location else ""
        tell(f"left unchanged: {entry.name}: {place}{entry.reason}")
    if done:
        announce(
            "Wrote", f"{len(done)} of {len(to_write)} entries into the Markdown; build, then commit them"
        )
    for who in dict.fromkeys(
        sender.who for each in (*done, *by_hand) for sender in each.senders if sender.who
    ):
        # Beside JSON or Markdown, standard output holds nothing else.
        click.echo(f"Suggested-by: {who}", err=form != "text")
    if clear_flags and anki is not None:
        _clear(source, anki, [*done, *to_close])
    ctx.exit(int(bool(left)) or inbox.status or exit_status(inbox.diagnostics))


def _parted(paths: Sequence[Path]) -> tuple[Path, Sequence[Path]]:
    """Return the collection's folder and the files that others sent."""
    if source := next((path for path in paths if path.suffix.lower() == ".md"), None):
        message = f"`{source}` is Markdown, not something that others sent"
        raise CommandError(message, "name the collection's folder, then the files")
    folders = [path for path in paths if path.is_dir()]
    files = [path for path in paths if not path.is_dir()]
    if len(folders) > 1 or (folders and paths[0] != folders[0]):
        message = "name one collection's folder, then the files"
        raise CommandError(message, "run `ptcards inbox` for each collection")
    return (folders[0] if folders else default_source()), files


@contextmanager
def _opened(source: Path, files: Sequence[Path], anki: "Anki | None") -> "Iterator[Inbox]":
    from ptcards.extensions.publish.inbox.reading import open_inbox  # noqa: PLC0415 - as above

    with (
        reading(processes=1) as (progress, how),
        open_inbox(source, files, anki, state(), how) as inbox,
    ):
        progress.clear()
        yield inbox


def _chosen(entries: "Sequence[InboxEntry]", names: Sequence[str]) -> "list[InboxEntry]":
    """Return the entries that names stand for; one that stands for none or for several is a usage error."""
    from ptcards.extensions.publish.inbox import SHORTEST_NAME  # noqa: PLC0415 - as above

    found: dict[str, InboxEntry] = {}
    for name in names:
        those = [entry for entry in entries if entry.whole_name.startswith(name)]
        if len(name) < SHORTEST_NAME or len(those) != 1:
            message = f"no single entry is called `{name}`"
            raise CommandError(message, "run `ptcards inbox` again, and copy the name from the list")
        found[those[0].whole_name] = those[0]
    return list(found.values())


def _refuse_both(*groups: "Sequence[InboxEntry]") -> None:
    names = Counter(each.name for group in groups for each in group)
    if both := next((name for name, count in names.items() if count > 1), ""):
        message = f"`{both}` is named by two of `--accept`, `--reject` and `--done`"
        raise CommandError(message, "leave out one of the two options")


def _show(inbox: "Inbox", entries: "Sequence[InboxEntry]", form: str) -> None:
    from ptcards.extensions.publish.inbox.inbox_report import as_json, as_markdown, lines  # noqa: PLC0415 - as above

    if form == "json":
        click.echo(as_json(entries), nl=False)
    elif form == "markdown":
        assert inbox.collection is not None  # noqa: S101 - nothing is listed without one
        click.echo(as_markdown(inbox.collection, entries, inbox.complaints), nl=False)
    else:
        for line in lines(entries, terminal(err=False)):
            click.echo(line, color=True)


def _clear(source: Path, anki: "Anki", entries: "Sequence[InboxEntry]") -> None:
    from ptcards.diagnostics import counted  # noqa: PLC0415 - as above
    from ptcards.extensions.publish.inbox.reading import remove_flags  # noqa: PLC0415
    from ptcards.workspace import ReadOptions  # noqa: PLC0415

    guids = {entry.guid for entry in entries}
    with report_failures(), ReadOptions.of_user(tell) as how:
        count = remove_flags(source, anki, state(), how, guids)
    tell(f"removed the red flags of {counted(count, 'card')} in Anki")
