"""`ptcards find`: finds notes by words."""

import json
import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ptcards.cli.messages import CommandError, Progress, command_line, common_options, one_line, tell
from ptcards.cli.sources import default_source
from ptcards.diagnostics import counted
from ptcards.search import MOST, NoteTexts, as_json, question_of, search

if TYPE_CHECKING:
    from ptcards.cache import Cache


@click.command()
@click.argument("words", metavar="WORDS...", nargs=-1, required=True, help="Words, a key or a GUID.")
@click.option(
    "--in",
    "sources",
    metavar="SOURCE",
    multiple=True,
    type=click.Path(path_type=Path),
    callback=lambda _ctx, _parameter, paths: paths or (default_source(),),
    help="A collection's folder, or a file or folder inside one; may be repeated.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="Output format: for people and editors, or for programs.",
)
@common_options
def command(words: Sequence[str], sources: Sequence[Path], format_: str) -> None:
    """List the notes with these words in the question or the answer, best first.

    If no note has all of the words, the notes with the most of them are listed. A note with this key or GUID
    comes first.
    """
    if not "".join(words).strip():
        message = "there is no word to find"
        raise CommandError(message, "name a word, a key or a GUID")
    found = search(_texts(sources), words)
    if format_ == "json":
        click.echo(json.dumps({"version": 1, **as_json(found)}, indent=2))
        return
    for note in found[:MOST]:
        click.echo(one_line(f"{note.path}:{note.line}: {note.title}"))
    if len(found) > MOST:
        tell(f"and {counted(len(found) - MOST, 'more note')}")
    if not found:
        tell("no note has any of these words")


def _texts(sources: Sequence[Path]) -> NoteTexts:
    """Return the texts of all notes, from the cache if nothing has changed."""
    # The cheap check for changes comes first; the later imports are heavier than --help.
    from ptcards.cache import Cache  # noqa: PLC0415
    from ptcards.files import cache_file  # noqa: PLC0415

    with closing(Cache(cache_file(os.environ), tell)) as cache:
        known = cache.recall(question_of(sources, ""), NoteTexts)
        return _read(sources, cache) if known is None else known


def _read(sources: Sequence[Path], cache: "Cache") -> NoteTexts:
    from ptcards.processes import usable_processors  # noqa: PLC0415 - as above
    from ptcards.search.reading import read_texts  # noqa: PLC0415
    from ptcards.workspace import ReadOptions  # noqa: PLC0415

    with Progress() as progress:
        options = ReadOptions(cache, usable_processors(), progress=progress)
        notes, errors = read_texts(sources, options)
    if errors:
        shown = (command_line("check", *map(str, sources)), counted(errors, "error"))
        tell(f"notes may be missing: the sources have {shown[1]}; run `{shown[0]}`")
    return notes
