"""The running Anki as commands reach it: its address, how long to wait, and what to say if it refuses."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ptcards.cli.messages import Command, CommandError, tell
from ptcards.diagnostics import Diagnostic, Severity, Trait

if TYPE_CHECKING:
    from ptcards.extensions.desktop.push.ankiconnect import Anki


def wait_option(command: Command) -> Command:
    """Add `--wait`, for commands that need a running Anki."""
    return click.option(
        "--wait",
        metavar="SECONDS",
        type=click.FloatRange(min=0),
        default=0,
        show_default=True,
        help="Wait this long for Anki to answer.",
    )(command)


def open_anki(wait: float) -> "Anki":
    """Return the Anki at the address in the environment, or at AnkiConnect's default address."""
    from ptcards.extensions.desktop.push.ankiconnect import DEFAULT_URL, Anki  # noqa: PLC0415 - heavier than --help

    url = os.environ.get("PTCARDS_ANKI_URL") or DEFAULT_URL
    key = os.environ.get("PTCARDS_ANKI_KEY", "")
    return Anki(url, key, wait=wait, waiting=lambda action: tell(f"still waiting for Anki (`{action}`)"))


def tell_waiting(folder: Path) -> None:
    """Report that another command must end first."""
    tell(f"waiting for another build or push in `{folder}` to end")


def for_the_owner(diagnostics: Iterable[Diagnostic]) -> Iterable[Diagnostic]:
    """Yield the diagnostics that matter to the owner of an Anki: no hints, no warnings about learners."""
    return (
        diagnostic
        for diagnostic in diagnostics
        if diagnostic.severity is Severity.ERROR
        or (diagnostic.severity is Severity.WARNING and Trait.FOR_LEARNERS not in diagnostic.traits)
    )


def state() -> Path:
    """Return the folder for our permanent data."""
    from ptcards.files import state_folder  # noqa: PLC0415 - as above

    folder = state_folder(os.environ)
    if folder is None:
        message = "there is no home folder to keep the push record in"
        raise CommandError(message, "set `XDG_STATE_HOME` to a folder that you can write to")
    return folder


@contextmanager
def report_failures() -> Iterator[None]:
    """Turn refusals by Anki into errors of the command."""
    from ptcards.extensions.desktop.push.ankiconnect import AnkiError, NotThereError  # noqa: PLC0415 - as above

    try:
        yield
    except AnkiError as failure:
        more = "; or wait for it with `--wait 60`" if isinstance(failure, NotThereError) else ""
        raise AnkiRefusedError(str(failure), failure.help + more) from failure


class AnkiRefusedError(CommandError):
    """Anki is not running or refused a request; the command was correct and can be repeated."""

    exit_code = 1
