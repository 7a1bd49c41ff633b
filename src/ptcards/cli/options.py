"""The options that all or several commands have.

`--help` imports this module, so it must load quickly.
"""

from collections.abc import Callable
from typing import Any

import click

from ptcards.cli.messages import COLOR, QUIET, VERBOSE

_COMPONENTS = ("genanki", "Markdown", "Pygments", "click", "wcwidth")

Command = Callable[..., Any]


def common_options(command: Command) -> Command:
    """Add `--color`, `-q`, `--version` and `-h` to the group or to a command."""
    for option in (
        click.option(
            "--color",
            type=click.Choice(("auto", "always", "never")),
            expose_value=False,
            callback=_remember(COLOR),
            help="Colour the messages; auto: on a terminal, unless NO_COLOR is set.",
        ),
        click.option(
            "-q",
            "--quiet",
            is_flag=True,
            expose_value=False,
            callback=_remember(QUIET),
            help="Print only errors.",
        ),
        click.option(
            "--version",
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_version,
            help="Show the versions and exit.",
        ),
    ):
        command = option(command)
    return command


def verbose_option(text: str) -> Callable[[Command], Command]:
    """Return a decorator that adds `-v`; `text` is its help for this command."""
    return click.option(
        "-v", "--verbose", is_flag=True, expose_value=False, callback=_remember(VERBOSE), help=text
    )


def wait_option(command: Command) -> Command:
    """Add `--wait`, for commands that need a running Anki."""
    return click.option(
        "--wait",
        metavar="SECONDS",
        type=click.FloatRange(min=0),
        default=0,
        help="Wait this long for Anki to answer.",
    )(command)


def complete_rules(_ctx: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """Return the rules that start with `begun`, for shell completion."""
    from ptcards.lint.registry import all_rules  # noqa: PLC0415 - heavier than --help

    before, comma, last = begun.rpartition(",")
    return [f"{before}{comma}{name}" for name in all_rules() if name.startswith(last)]


def _remember(key: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def remember(ctx: click.Context, _parameter: click.Parameter, value: Any) -> None:
        # The group's setting applies unless the command has its own.
        if value:
            ctx.meta[key] = value

    return remember


# Click's signature.
def _version(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:  # noqa: FBT001
    if not wanted or ctx.resilient_parsing:
        return
    import platform  # noqa: PLC0415 - only here
    from importlib.metadata import version  # noqa: PLC0415

    from ptcards import __version__  # noqa: PLC0415

    parts = [f"{name} {version(name)}" for name in _COMPONENTS]
    click.echo(f"ptcards {__version__} (Python {platform.python_version()}, {', '.join(parts)})")
    ctx.exit()
