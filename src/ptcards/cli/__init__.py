"""The command line: `ptcards COMMAND`, with one module per command, imported only when it is called."""

import contextlib
import errno
import io
import os
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click
from click.exceptions import NoArgsIsHelpError

from ptcards.cli.help_page import HelpContext
from ptcards.cli.messages import CommandError, command_line, common_options, show_error, use_color
from ptcards.extensions import command_module, with_commands

GROUPS: Mapping[str, Mapping[str, str]] = with_commands(
    {
        "Write": {
            "init": "Start a collection, or add missing files to one.",
            "check": "Report every problem with its location, cause and fix.",
        },
        "Publish": {
            "diff": "Show how an update affects people who already study the deck.",
            "keep": "Keep the reviews of notes that you reworded.",
            "build": "Compile Markdown to Anki decks (.apkg) and CSV.",
        },
        "Anki": {},
        "More": {
            "find": "List the notes with these words in the question or the answer, best first.",
            "open": "Print where a note is, by its GUID or key.",
            "explain": "Explain a rule: the problem, the reason, an example and the fix.",
        },
    }
)
"""The commands and what they do, by the headings of `--help`, in the order in which an author meets them."""
COMMANDS: Mapping[str, str] = MappingProxyType(
    {name: text for commands in GROUPS.values() for name, text in commands.items()}
)


_OTHER_WORDS = {"preview": "serve", "watch": "serve", "lint": "check", "compile": "build", "export": "build"}
"""What a command is called elsewhere."""


def _near_command(name: str) -> str:
    """Return what to do instead of running an unknown command."""
    from ptcards.diagnostics.suggest import suggest  # noqa: PLC0415 - rarely needed

    if os.path.exists(name):  # noqa: PTH110 - `Path` raises an error for a name that is too long
        return f"to build these notes, run `{command_line('build', name)}`"
    if near := suggest(name, (*COMMANDS, "help", *_OTHER_WORDS)):
        return f"did you mean `{_OTHER_WORDS.get(near, near)}`?"
    return "`ptcards --help` lists the commands"


class _Commands(click.Group):
    """A group that lists commands by name without importing them, because `--help` has to be instant."""

    context_class = HelpContext

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if {*args} == {"help"}:
            click.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()
        return super().resolve_command(ctx, [args[1], "--help"] if args[0] == "help" else args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - Click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            if ctx.resilient_parsing or cmd_name.startswith("-"):
                return None
            raise CommandError(f"there is no `ptcards {cmd_name}`", _near_command(cmd_name))
        command = import_module(command_module(cmd_name)).command
        assert isinstance(command, click.Command)  # noqa: S101 - every module has a command
        command.context_class = HelpContext
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        widest = max(map(len, COMMANDS))
        for heading, commands in GROUPS.items():
            with formatter.section(heading):
                # One width of the left column for all groups.
                formatter.write_dl((f"{name:{widest}}", text) for name, text in commands.items())

    def main(self, *args: Any, **extra: Any) -> Any:
        _prepare_streams()
        try:
            # Click would print errors in its own way.
            sys.exit(super().main(*args, **{**extra, "standalone_mode": False}) or 0)
        except NoArgsIsHelpError as failure:
            with contextlib.suppress(OSError):
                page = failure.format_message()
                click.echo(page, err=True, color=use_color("auto", sys.stderr, os.environ))
            sys.exit(failure.exit_code)
        except click.ClickException as failure:
            with contextlib.suppress(OSError):
                show_error(failure)
            sys.exit(failure.exit_code)
        except click.Abort:  # Ctrl-C before any command
            with contextlib.suppress(OSError):
                click.echo("interrupted", err=True)
            sys.exit(130)
        except OSError as failure:  # from `--help` and `--version`, before any command
            with contextlib.suppress(OSError):
                show_error(click.ClickException((failure.strerror or str(failure)).lower()))
            sys.exit(1)
        finally:
            _drop_unwritten()

    def invoke(self, ctx: click.Context) -> Any:
        # Imported only when a command runs, and outside the block, whose `except` clauses need the names.
        from ptcards.diagnostics import WrongUseError  # noqa: PLC0415
        from ptcards.files import CacheError, NoSuchSourceError, OutputError, SourceChangedError, reason_of  # noqa: PLC0415
        from ptcards.processes import collect_seldom  # noqa: PLC0415

        collect_seldom()
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            ctx.exit(130)
        except WrongUseError as failure:
            raise CommandError(str(failure), failure.help) from failure
        except NoSuchSourceError as failure:
            from ptcards.cli.sources import how_to_go_on  # noqa: PLC0415 - rarely needed

            raise CommandError(str(failure), how_to_go_on(failure.path, ctx.invoked_subcommand)) from failure
        except (SourceChangedError, CacheError) as failure:
            raise click.ClickException(str(failure)) from failure
        except OutputError as failure:
            from ptcards.files.inputs import shown  # noqa: PLC0415 - rarely needed

            message = f"cannot write `{shown(failure.path.absolute())}`: {failure.reason}"
            raise click.ClickException(message) from failure
        except OSError as failure:
            if failure.errno == errno.EPIPE:  # like Click, end quietly: nobody is reading any more
                raise
            named = None if failure.filename is None else Path(os.fsdecode(failure.filename)).as_posix()
            where = f"`{named}`: " if named else ""
            raise click.ClickException(f"{where}{reason_of(failure)}") from failure


def _prepare_streams() -> None:
    """Make all text printable: as UTF-8, except on a terminal, which may have another encoding.

    Characters that an encoding lacks are escaped. Output to a closed stream is ignored.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            # It stays open until the process ends.
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123
        elif isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


def _drop_unwritten() -> None:
    """Drop what could not be written, as to a full disk, and has been reported.

    When Python exits, it would try again, report the error in its own way, and exit with status 120.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit status: 0 on success; 1 if the sources have errors or an output cannot be written; 2 for a "
    "usage error or an unreadable deck.toml or deck.lock; 130 if interrupted.",
)
@common_options
def main() -> None:
    """Write questions in Markdown and study them in Anki.

    \b
    Examples:
      ptcards init my-deck         start a collection
      ptcards build                compile cards/ (or this folder) into build/
      ptcards build notes.md       compile one file
    """  # noqa: D301 - Click wants the character \b itself
