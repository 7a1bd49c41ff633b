"""`ptcards serve`: shows the cards while you write them."""

import contextlib
import functools
import os
import secrets
import shlex
import webbrowser
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import click

from ptcards.cli.messages import CommandError, common_options, tell
from ptcards.cli.open import NAMES, Editor, find_editor
from ptcards.cli.sources import dialect_option, sources_argument
from ptcards.diagnostics import WrongUseError
from ptcards.files import CacheError, NoMarkdownError, NoSuchSourceError, OutputError, SourceChangedError
from ptcards.files.inputs import as_text

_PORT = 8421
"""This is not 8765, AnkiConnect's port: Anki shows an error if that port is taken."""


@click.command()
@sources_argument
@dialect_option
@click.option(
    "--port",
    metavar="PORT",
    type=click.IntRange(1, 65535),
    default=_PORT,
    show_default=True,
    help="The port; if it is taken, the next free one.",
)
@click.option(
    "--editor",
    metavar="NAME",
    help=f"The editor for links to files: {NAMES}.  [default: $VISUAL, otherwise VS Code]",
)
@click.option(
    "--embed",
    type=click.Choice(["obsidian", "vscode"]),
    help="Let a pane of this editor show the page.",
)
@click.option("--open", "opening", is_flag=True, help="Open the page in the browser.")
@click.option("--push", "pushing", is_flag=True, help="Also push saved changes to the running Anki.")
@click.option("--draw", "drawing", is_flag=True, help="Also draw the diagrams, as `ptcards draw` does.")
@common_options
def command(
    sources: Sequence[Path],
    dialect: str,
    port: int,
    *,
    editor: str | None,
    embed: str | None,
    opening: bool,
    pushing: bool,
    drawing: bool,
) -> None:
    """Show the cards in the browser while you write them.

    The page updates as soon as you save. Only this computer can see it. Changing files and
    running code requires the address printed here. Press Ctrl-C to stop.
    """
    import asyncio  # noqa: PLC0415 - heavier than --help

    from ptcards.extensions.preview.server import listen, serve  # noqa: PLC0415
    from ptcards.source.collection import find_collections  # noqa: PLC0415

    chosen = find_editor(editor) if editor else _usual_editor()
    with contextlib.suppress(NoMarkdownError):  # the page explains how to start
        find_collections(sources, dialect=dialect)  # a missing SOURCE is a usage error
    listening = listen(port)
    taken = listening.getsockname()[1]
    if taken != port:
        tell(f"port {port} is taken; using {taken}")
    key = secrets.token_urlsafe(16)
    address = f"http://127.0.0.1:{taken}/#key={key}"

    def ready() -> None:
        tell(f"Watching {', '.join(map(_name, sources))}. Press Ctrl-C to stop.")
        click.echo(address)
        if opening and not webbrowser.open(address):
            tell("no browser was found: open the address above yourself")

    each_save: list[Callable[[], Awaitable[object]]] = []
    if drawing:
        from ptcards.extensions.drawing.cli.draw import drawer  # noqa: PLC0415 - only on request

        each_save.append(drawer(sources, dialect))
    if pushing:
        from ptcards.extensions.desktop.cli.pushing import SavedPusher  # noqa: PLC0415 - only on request
        from ptcards.extensions.desktop.cli.running_anki import open_anki, state  # noqa: PLC0415 - as above

        each_save.append(SavedPusher(sources, open_anki(0), state()))

    asyncio.run(
        serve(
            sources,
            listening,
            key=key,
            editor=chosen,
            ready=ready,
            saved=functools.partial(_run, each_save) if each_save else None,
            dialect=dialect,
            embed=embed or "",
        )
    )


async def _run(each_save: Sequence[Callable[[], Awaitable[object]]]) -> None:
    for each in each_save:
        try:
            await each()
        except (NoMarkdownError, SourceChangedError):
            pass  # the page explains how to start; a newer save follows
        except (CacheError, NoSuchSourceError, OutputError, WrongUseError) as failure:
            tell(str(failure))


def _name(source: Path) -> str:
    """Return the name of a folder or file for people; for `.`, the current folder's own name."""
    return as_text(source.name or source.absolute().name)


def _usual_editor() -> Editor | None:
    """Return the editor in `$VISUAL`, or `None` if it is unset or cannot be used."""
    try:
        # On Windows, a `\\` separates folders.
        words = shlex.split(os.environ.get("VISUAL", ""), posix=os.sep == "/")
        return find_editor(words[0].strip('"')) if words else None
    except ValueError:
        return None
    except CommandError as failure:  # the page still has links to VS Code
        tell(f"cannot use $VISUAL: {failure.message}")
        return None
