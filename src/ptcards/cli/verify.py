"""`ptcards verify`."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import click

from ptcards.cache import Cache
from ptcards.cli.messages import tell
from ptcards.cli.options import common_options
from ptcards.cli.sources import complete_keys, sources_argument
from ptcards.files import cache_file
from ptcards.processes import usable_processors
from ptcards.verify.memory import recall


@click.command("verify")
@sources_argument
@click.option(
    "-k",
    "keys",
    metavar="KEY",
    multiple=True,
    shell_complete=complete_keys,
    help="Run only the note with this key (its id).",
)
@click.option("--update", "updating", is_flag=True, help="Rewrite `output` blocks that say something else.")
@click.option("--strict", is_flag=True, help="Fail on warnings, too.")
@click.option(
    "--python",
    type=click.Path(),
    default="",
    help="The Python that has what the cards need.",
    show_default=False,
)
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="Run so many notes at once.")
@click.option("--timeout", type=click.FloatRange(0, min_open=True), metavar="S", help="Seconds for one note.")
@click.option(
    "--no-sandbox",
    "sandboxed",
    is_flag=True,
    flag_value=False,
    default=True,
    help="Run the code as a program of yours, with your files and the network in reach.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(("full", "json")),
    default="full",
    show_default=True,
    help="How to report: for people, for programs.",
)
@common_options
@click.pass_context
def command(
    ctx: click.Context,
    *,
    sources: tuple[Path, ...],
    keys: tuple[str, ...],
    updating: bool,
    strict: bool,
    python: str,
    jobs: int | None,
    timeout: float | None,
    sandboxed: bool,
    form: str,
) -> None:
    """Run the Python on the cards and compare what it prints with their `output` blocks.

    The code runs in a sandbox, note by note, which needs bubblewrap on Linux. Results are remembered until the code or a
    library changes.
    """
    if not sandboxed:
        tell("no sandbox: the code can read and change your files, start programs and use the network")
    question = ("verify", list(map(str, sources)), keys, python, sandboxed)
    with closing(Cache(cache_file(os.environ), tell)) as cache:
        if form == "full" and (words := recall(cache, question, python, sandboxed=sandboxed)):
            for line in words:
                tell(line)
            return
        from ptcards.cli.verifying import Wanted, run  # noqa: PLC0415 - heavy, and most runs have nothing new to do

        wanted = Wanted(sources, keys, python, jobs or usable_processors(), timeout or 0, form, sandboxed)
        with _ended_by_sigterm():
            ctx.exit(run(wanted, cache, question, updating=updating, strict=strict))


@contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """Let SIGTERM end the block as Ctrl-C does: the code of a card must not outlive us."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
