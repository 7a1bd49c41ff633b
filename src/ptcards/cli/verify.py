"""`ptcards verify`."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from ptcards.cli.options import common_options, tell
from ptcards.cli.sources import sources_argument
from ptcards.files import CacheError, cache_folder
from ptcards.source.collection import find_collections, read_source
from ptcards.verify.cache import usable
from ptcards.verify.recall import memory_of
from ptcards.verify.target import python_of


@click.command("verify")
@sources_argument
@click.option("-k", "keys", metavar="KEY", multiple=True, help="Run only the note with this key (its id).")
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
    cache = _cache()
    if form == "full" and (words := _recall(sources, keys, python, cache, sandboxed=sandboxed)):
        for line in words:
            tell(line)
        return
    from ptcards.cli.verifying import Wanted, run  # noqa: PLC0415 - heavy, and most runs have nothing new to do

    wanted = Wanted(sources, keys, python, jobs or _processors(), timeout or 0, form, sandboxed, cache)
    with _ended_by_sigterm():
        ctx.exit(run(wanted, updating=updating, strict=strict))


@contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """Let SIGTERM end the block as Ctrl-C does: the code of a card must not outlive us."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _recall(
    sources: tuple[Path, ...], keys: tuple[str, ...], python: str, cache: Path | None, *, sandboxed: bool
) -> list[str] | None:
    """Say what a run would come to; None if one is needed to know."""
    collections, problems = find_collections(sources, read=False)
    pythons = [(python_of(each, python), each.config.verify.requires) for each in collections]
    read = [(each, [read_source(source) for source in each.sources]) for each in collections]
    if problems or any(found.problems for _, some in read for found in some):
        return None
    states = [(each, [found.digest for found in some]) for each, some in read]
    return memory_of(cache, states, keys).recall(pythons, sandboxed=sandboxed)


def _cache() -> Path | None:
    """Return the folder of what is remembered; without one, nothing is, and a line says why."""
    try:
        return usable(cache_folder(os.environ))
    except CacheError as failure:
        tell(str(failure))
        return None


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
