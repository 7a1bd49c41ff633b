"""Options that every command has, and the ways all commands talk: colour, quiet, progress.

`--help` imports it, so it stays light.
"""

import os
import sys
import time
from collections.abc import Callable
from typing import Any

import click

from ptcards.cli.colors import use_color

_COLOR = "ptcards.color"
_QUIET = "ptcards.quiet"
_COMPONENTS = ("genanki", "Markdown", "Pygments", "click")

Command = Callable[..., Any]


def common_options(command: Command) -> Command:
    """Add `--color`, `-q`, `--version` and the short `-h`, which stand on the group and on each command."""
    for option in (
        click.option(
            "--color",
            type=click.Choice(("auto", "always", "never")),
            expose_value=False,
            callback=_remember(_COLOR),
            help="Colour the messages; auto: on a terminal, unless NO_COLOR is set.",
        ),
        click.option(
            "-q",
            "--quiet",
            is_flag=True,
            expose_value=False,
            callback=_remember(_QUIET),
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


def _remember(key: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def remember(ctx: click.Context, _parameter: click.Parameter, value: Any) -> None:
        # The group's setting holds unless the command has its own.
        if value:
            ctx.meta[key] = value

    return remember


def _version(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - Click's signature
    if not wanted or ctx.resilient_parsing:
        return
    import platform  # noqa: PLC0415 - only here
    from importlib.metadata import version  # noqa: PLC0415

    from ptcards import __version__  # noqa: PLC0415

    parts = [f"{name} {version(name)}" for name in _COMPONENTS]
    click.echo(f"ptcards {__version__} (Python {platform.python_version()}, {', '.join(parts)})")
    ctx.exit()


def wants_color(*, err: bool) -> bool:
    """Say whether to colour standard error (`err`) or output."""
    choice = click.get_current_context().meta.get(_COLOR, "auto")
    return use_color(choice, sys.stderr if err else sys.stdout, os.environ)


def is_quiet() -> bool:
    """Say whether `-q` was given."""
    return bool(click.get_current_context().meta.get(_QUIET))


def tell(message: str) -> None:
    """Print a message for people, one line on standard error; `-q` silences it."""
    if not is_quiet():
        click.echo(one_line(message), err=True)


def one_line(message: str) -> str:
    """Show the characters that would break a line or drive the terminal; names of files may hold any."""
    if message.isprintable():
        return message
    from ptcards.reports import visible  # noqa: PLC0415 - hardly ever needed

    return visible(message)


class Progress:
    """A bar on standard error for work that takes over half a second on a terminal."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._begun = time.monotonic()
        self._bar: Any = None

    def __call__(self, done: int, total: int) -> None:
        """Show that `done` of `total` steps are behind us."""
        if self._bar is None:
            if is_quiet() or not sys.stderr.isatty() or time.monotonic() - self._begun < 0.5:
                return
            self._bar = click.progressbar(
                length=total, label=self._label, file=sys.stderr, show_pos=True, item_show_func=str
            )
        rate = done / (time.monotonic() - self._begun)
        self._bar.update(done - self._bar.pos, f"{rate:.0f}/s")
        if done == total:
            self._bar.render_finish()
