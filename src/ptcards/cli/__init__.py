"""The command line: `ptcards COMMAND`, one module per command, each imported only when it is called."""

import contextlib
import errno
import io
import os
import sys
from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any

import click
from click.exceptions import NoSuchCommand

from ptcards.cli.options import common_options, one_line

COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "build": "Compile Markdown to Anki decks (.apkg) and CSV.",
        "check": "Name every mistake, with place, reason and fix.",
        "verify": "Run the Python on the cards and compare what it prints.",
        "serve": "Show the cards in the browser while you write.",
        "diff": "Tell what an update will do to learners.",
        "explain": "Explain a rule: what, why, an example, the fix.",
        "init": "Start a collection, or add what one lacks.",
    }
)


class _Commands(click.Group):
    """Commands by name, without importing them to list them: `--help` has to be instant."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - Click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            if ctx.resilient_parsing or cmd_name.startswith("-"):
                return None
            # Click suggests only commands that it holds itself.
            raise NoSuchCommand(cmd_name, possibilities=COMMANDS, ctx=ctx)
        command = import_module(f"ptcards.cli.{cmd_name}").command
        assert isinstance(command, click.Command)  # noqa: S101 - a module of ours without its command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def main(self, *args: Any, **extra: Any) -> Any:
        _prepare_streams()
        try:
            return super().main(*args, **extra)
        except OSError as failure:  # of `--help` and `--version`, which come before any command, or of an error's own message
            with contextlib.suppress(OSError):
                click.echo(f"Error: {(failure.strerror or str(failure)).lower()}", err=True)
            sys.exit(1)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            from ptcards.files import (  # noqa: PLC0415 - only when a command runs
                NoSuchSourceError,
                OutputError,
                SourceChangedError,
            )
            from ptcards.processes import collect_seldom  # noqa: PLC0415

            collect_seldom()
            return super().invoke(ctx)
        except KeyboardInterrupt:  # first: the names below may not be there yet
            click.echo("interrupted", err=True)
            ctx.exit(130)
        except NoSuchSourceError as failure:
            raise click.UsageError(one_line(str(failure)), ctx) from failure
        except SourceChangedError as failure:
            message = f"`{failure}` changed while it was read; run the command again"
            raise click.ClickException(one_line(message)) from failure
        except OutputError as failure:
            from ptcards.source.collection import shown  # noqa: PLC0415 - hardly ever needed

            message = f"cannot write `{shown(failure.path.absolute())}`: {failure.reason}"
            raise click.ClickException(one_line(message)) from failure
        except OSError as failure:
            if failure.errno == errno.EPIPE:  # Click ends quietly: nobody reads on
                raise
            where = f"`{failure.filename}`: " if failure.filename is not None else ""
            message = f"{where}{(failure.strerror or str(failure)).lower()}"
            raise click.ClickException(one_line(message)) from failure


def _prepare_streams() -> None:
    """Let anything be printed: what an encoding lacks is escaped, and a closed stream swallows what it gets."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123 - open to the end
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit status: 0 done, 1 mistakes in the sources or an output that cannot be written, 2 wrong usage or an "
    "unreadable deck.toml or deck.lock, 130 interrupted.",
)
@common_options
def main() -> None:
    """Write questions in Markdown, study them in Anki.

    \b
    Examples:
      ptcards init my-deck         start a collection
      ptcards build                compile cards/ (or this folder) into build/
      ptcards build notes.md       compile one file
    """  # noqa: D301 - Click wants the character \b itself
