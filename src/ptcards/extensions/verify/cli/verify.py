"""`ptcards verify`: runs the code on the cards and checks its output."""

from typing import Any

import click

from ptcards.cli.messages import CommandError, common_options, format_option, tell
from ptcards.cli.sources import default_source, sources_argument
from ptcards.processes import ended_by_sigterm, usable_processors


def _complete_keys(ctx: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """Return the keys of notes that start with `begun`, for shell completion."""
    from ptcards.files import NoSuchSourceError  # noqa: PLC0415 - only to complete
    from ptcards.workspace import ReadOptions, Workspace  # noqa: PLC0415

    sources = ctx.params.get("sources") or (default_source(),)
    try:
        with ReadOptions.of_user() as options:
            contents = Workspace.read(sources, options).contents
    except NoSuchSourceError:
        return []
    return sorted(key for each in contents for key in each.keys if key.startswith(begun))


@click.command("verify")
@sources_argument
@click.option(
    "-k",
    "keys",
    metavar="KEY",
    multiple=True,
    shell_complete=_complete_keys,
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
    default=("",),
    show_default="`python` in deck.toml, or the one that runs ptcards",
    help="The Python that has the packages the cards need. With several, run on each and compare.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    default=usable_processors,
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
def command(ctx: click.Context, /, *, updating: bool, strict: bool, **given: Any) -> None:
    """Run the Python code on the cards and compare its output with their `output` blocks.

    Each note's code runs in a sandbox, which needs bubblewrap on Linux. Results are cached until the code
    or a library changes.
    """
    if updating and len(given["pythons"]) > 1:
        message = "`--update` writes what one Python prints, but `--python` names several"
        raise CommandError(message, "name one Python")
    if not given["sandboxed"]:
        tell("no sandbox: the code can read and change your files, start programs and use the network")
    from ptcards.extensions.verify.cli.verifying import Wanted, run  # noqa: PLC0415 - heavier than --help
    from ptcards.workspace import ReadOptions  # noqa: PLC0415 - as above

    with ReadOptions.of_user(tell) as reading, ended_by_sigterm():  # a card's code must not outlive ptcards
        ctx.exit(run(Wanted(**given), reading, updating=updating, strict=strict))
