"""`ptcards find`: finds notes by words."""

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ptcards.cli.messages import (
    CommandError,
    Progress,
    command_line,
    common_options,
    one_line,
    tell,
    terminal,
)
from ptcards.cli.sources import default_source
from ptcards.diagnostics import counted
from ptcards.diagnostics.layout import paint, width_of, wrap
from ptcards.search import MOST, NoteText, NoteTexts, as_json, question_of, search

if TYPE_CHECKING:
    from ptcards.cache import Cache


_HANG = 4
"""How far to indent the rest of a title that has no column."""


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
    notes = _texts(sources)
    found = search(notes, words)
    if format_ == "json":
        click.echo(json.dumps({"version": 1, **as_json(found)}, indent=2))
        return
    for line in _lines(found[:MOST], words):
        click.echo(line, color=True)
    if len(found) > MOST:
        tell(f"and {counted(len(found) - MOST, 'more note')}")
    if not found:
        tell(f"no note has any of these words{_instead(notes, words)}")


def _lines(found: Sequence[NoteText], words: Sequence[str]) -> Iterator[str]:
    """Yield the place and the title of each note; on a terminal, the titles are in a column."""
    there = terminal(err=False)
    wanted = sorted((word for word in words if word.strip()), key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, wanted)), re.IGNORECASE)
    places = [one_line(f"{note.path}:{note.line}:") for note in found]
    column = max(map(width_of, places), default=0) + 1 if there.columns else 0
    if there.columns and column > there.columns // 2:
        column = 0
    for note, place in zip(found, places, strict=True):
        gap = " " * (column - width_of(place)) or " "
        title = pattern.sub(lambda each: paint(each[0], "match", color=there.color), one_line(note.title))
        line = f"{paint(place, 'path', color=there.color)}{gap}{title}"
        yield wrap(line, there.columns, hang=column or _HANG)


def _instead(notes: NoteTexts, words: Sequence[str]) -> str:
    """Return a question with the words of the notes that are nearest to these, or an empty string."""
    from ptcards.diagnostics.suggest import suggest  # noqa: PLC0415 - rarely needed

    known = {word for note in notes for word in re.findall(r"\w+", f"{note.question} {note.answer}")}
    near = [found for word in " ".join(words).split() if (found := suggest(word, known))]
    return f"; did you mean `{' '.join(near)}`?" if near else ""


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
