"""`ptcards verify`: runs the code on the cards and checks its output."""

import os
from contextlib import closing
from pathlib import Path

import click

from ptcards.cache import Cache
from ptcards.cli.messages import CommandError, common_options, format_option, tell
from ptcards.cli.sources import complete_keys, sources_argument
from ptcards.extensions.verify.memory import recall
from ptcards.files import cache_file
from ptcards.processes import ended_by_sigterm, usable_processors


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
@click.option(
    "--update",
    "updating",
    is_flag=True,
    help="Rewrite `output` blocks that do not match what the code prints.",
)
@click.option("--drafts", is_flag=True, help="Run the code of drafts too.")
@click.option("--strict", is_flag=True, help="Fail on warnings too.")
@click.option(
    "--python",
    "pythons",
    type=click.Path(),
    multiple=True,
    show_default="`python` in deck.toml, or the one that runs ptcards",
    help="The Python that has the packages the cards need. With several, run on each and compare.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    show_default="the number of processors",
    help="The number of notes to run at the same time.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    metavar="S",
    show_default="`timeout` in deck.toml, or 30",
    help="Time limit for one note, in seconds.",
)
@click.option(
    "--no-sandbox",
    "sandboxed",
    is_flag=True,
    flag_value=False,
    default=True,
    help="Run the code without a sandbox, with access to your files and the network.",
)
@format_option("text", "json", help="Output format: for people or for programs.")
@common_options
@click.pass_context
def command(
    ctx: click.Context,
    *,
    sources: tuple[Path, ...],
    keys: tuple[str, ...],
    updating: bool,
    drafts: bool,
    strict: bool,
    pythons: tuple[str, ...],
    jobs: int | None,
    timeout: float | None,
    sandboxed: bool,
    form: str,
) -> None:
    """Run the Python code on the cards and compare its output with their `output` blocks.

    Each note's code runs in a sandbox, which needs bubblewrap on Linux. Results are cached until the code
    or a library changes.
    """
    if updating and len(pythons) > 1:
        message = "`--update` writes what one Python prints, but `--python` names several"
        raise CommandError(message, "name one Python")
    if not sandboxed:
        tell("no sandbox: the code can read and change your files, start programs and use the network")
    question = ("verify", list(map(str, sources)), keys, pythons, sandboxed, drafts)
    with closing(Cache(cache_file(os.environ), tell)) as cache:
        if form == "text" and (words := recall(cache, question, sandboxed=sandboxed)):
            for line in words:
                tell(line)
            return
        # It is heavy, and most runs have nothing new to do.
        from ptcards.extensions.verify.cli.verifying import Wanted, run  # noqa: PLC0415

        wanted = Wanted(
            sources,
            keys,
            pythons or ("",),
            jobs or usable_processors(),
            timeout or 0,
            form,
            sandboxed,
            drafts,
        )
        with ended_by_sigterm():  # a card's code must not outlive ptcards
            ctx.exit(run(wanted, cache, question, updating=updating, strict=strict))
