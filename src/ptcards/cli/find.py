"""`ptcards find`: finds notes by words."""

import json
import os
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import accumulate
from pathlib import Path

import click
from click.core import ParameterSource

from ptcards.cli.messages import (
    CommandError,
    command_line,
    common_options,
    format_option,
    one_line,
    tell,
    terminal,
)
from ptcards.cli.sources import every_collection, reading
from ptcards.diagnostics import counted
from ptcards.diagnostics.layout import Terminal, paint, width_of, wrap
from ptcards.search import NoteText, NoteTexts, as_json, question_of, ranges_of, search

_OTHER_ROWS = 4
"""Rows of a terminal for the command, two lines about what is left out, and the next prompt."""


@click.command()
@click.argument("words", metavar="[WORDS]...", nargs=-1, help="Words, a key or a GUID.")
@click.option(
    "--twins",
    is_flag=True,
    help="List pairs of notes that are alike; with a key, with that note.",
)
@click.option(
    "--in",
    "sources",
    metavar="SOURCE",
    multiple=True,
    type=click.Path(path_type=Path),
    callback=lambda _ctx, _parameter, paths: every_collection(paths),
    help="A collection's folder, or a file or folder inside one; may be repeated.",
)
@format_option("text", "json", "csv", help="Output format: for people, programs or spreadsheets.")
@common_options
@click.pass_context
def command(
    ctx: click.Context, words: Sequence[str], sources: Sequence[Path], form: str, *, twins: bool
) -> None:
    """List the notes with these words in the question or the answer, best first.

    If no note has all of the words, the notes with the most of them are listed. A note with this key or GUID
    comes first. A terminal gets as many notes as fit in its window, a pipe or a file all of them. The exit
    status is 1 if there is none.

    With `--twins`, the words of questions and answers are compared, but not their code. `unlike=KEY` in the
    card comment of a note says that it is not like the note with that key.
    """
    if twins and form == "csv":
        raise click.UsageError("`--twins` lists pairs, which are not rows: use `--format json`")
    if twins:
        ctx.exit(_list_twins(sources, " ".join(words), form))
    if not (words := " ".join(words).split()):
        raise CommandError("there is no word to find", "name a word, a key or a GUID")
    notes = _texts(sources)
    found = search(notes, words)
    if form == "json":
        click.echo(json.dumps({"version": 1, **as_json(found)}, indent=2))
        ctx.exit(int(not found))
    if form == "csv":
        click.echo(_as_csv(found), nl=False)
        ctx.exit(int(not found))
    there = terminal(err=False)
    blocks = list(_blocks(found[: there.rows], words, there))
    shown = len(blocks) if there.rows is None else _fitting(blocks, there.rows - _OTHER_ROWS)
    for block in blocks[:shown]:
        click.echo(block, color=True)
    if shown < len(found):
        everything = command_line("find", *words, *_as_given(ctx))
        more = counted(len(found) - shown, "more note")
        tell(f"and {more}; add a word to find fewer, or list all with `{everything} | less`")
    if not found:
        tell(f"no note has any of these words{_instead(notes, words)}")
    ctx.exit(int(not found))


def _as_csv(found: Sequence[NoteText]) -> bytes:
    """Return the notes as a table, with the mark by which Excel recognises UTF-8."""
    from ptcards.writers.csv import csv_row, text_row  # noqa: PLC0415 - heavier than --help

    columns = ("path", "line", "key", "guid", "question", "answer")
    rows = (text_row(str(getattr(note, column)) for column in columns) for note in found)
    return "".join(("\ufeff", csv_row(columns), *rows)).encode("utf-8", "surrogateescape")


def _list_twins(sources: Sequence[Path], key: str, form: str) -> int:
    """Print pairs of notes that are alike, and return the exit status."""
    from ptcards.search.twins import MOST_PAIRS, closest  # noqa: PLC0415 - as below

    notes = _read(sources)
    keys = {note.key for note in notes}
    if key and key not in keys:
        from ptcards.diagnostics.suggest import did_you_mean  # noqa: PLC0415 - rarely needed

        message = f"there is no note `{key}`"
        raise CommandError(message, did_you_mean(key, keys, "`ptcards find WORDS --format json` shows keys"))
    found = closest(notes, MOST_PAIRS, [note for note in notes if note.key == key])
    if form == "json":
        pairs = [{**each._asdict(), "notes": [note._asdict() for note in each.notes]} for each in found]
        click.echo(json.dumps({"version": 1, "pairs": pairs}, indent=2))
        return int(not found)
    there = terminal(err=False)
    for each in found if there.rows is None else found[: max(1, (there.rows - _OTHER_ROWS) // 5)]:
        for block in _blocks(each.notes, each.shared, there._replace(columns=None)):
            click.echo(block, color=True)
        two = " and ".join(note.key or "a draft" for note in each.notes)
        click.echo(f"    {each.likeness:.0%} alike: {', '.join(each.shared)}\n    keys: {two}\n")
    if not found:
        tell(f"no other note is like `{key}`" if key else "no two notes are alike")
    return int(not found)


def _as_given(ctx: click.Context) -> Iterator[str]:
    """Yield the SOURCEs with their option, as they were given."""
    if ctx.get_parameter_source("sources") is not ParameterSource.DEFAULT:
        for source in ctx.params["sources"]:
            yield from ("--in", str(source))


def _fitting(blocks: Sequence[str], rows: int) -> int:
    """Return how many of the blocks fit in this many rows, at least one."""
    lengths = accumulate(block.count("\n") + 1 for block in blocks)
    return max(1, sum(length <= rows for length in lengths))


def _blocks(found: Sequence[NoteText], words: Sequence[str], there: Terminal) -> Iterator[str]:
    """Yield the place and the title of each note.

    On a terminal, titles are in a column, unless their place is long, and below one that lacks a word is a
    line that has it.
    """
    places = [one_line(f"{note.path}:{note.line}:") for note in found]
    widest = max(map(width_of, places), default=0)
    column = min(widest + 1, there.columns * 2 // 5) if there.columns else 0
    for note, place in zip(found, places, strict=True):
        gap = " " * (column - width_of(place)) or " "
        title = _marked(note.title, words, there)
        line = f"{paint(place, 'path', color=there.color)}{gap}{title}"
        block = wrap(line, there.columns, hang=column)
        below = _line_with_words(note, words) if there.columns else ""
        if there.columns and below:
            indent = " " * column
            shown = _excerpt(below, words, there.columns - len(indent) - len("| "))
            block += f"\n{indent}{paint('|', 'gutter', color=there.color)} {_marked(shown, words, there)}"
        yield block


def _marked(text: str, words: Sequence[str], there: Terminal) -> str:
    """Return a text for one line, with these words in colour."""
    shown = one_line(unicodedata.normalize("NFC", text) if there.columns else text)
    for start, end in reversed(ranges_of(shown, words) if there.color else []):
        shown = f"{shown[:start]}{paint(shown[start:end], 'match', color=True)}{shown[end:]}"
    return shown


def _line_with_words(note: NoteText, words: Sequence[str]) -> str:
    """Return the line, in NFC, that has the most of the words that the title lacks, or an empty string."""
    title, *below = unicodedata.normalize("NFC", f"{note.question}\n{note.answer}").split("\n")
    missing = [word for word in words if not ranges_of(title, [word])]
    lines = [line.strip() for line in below]
    count = {line: sum(bool(ranges_of(line, [word])) for word in missing) for line in lines}
    best = max(lines, key=count.__getitem__, default="")
    return best if count.get(best) else ""


def _excerpt(line: str, words: Sequence[str], room: int) -> str:
    """Return the part of a line around the first of these words in it, in this many columns."""
    from ptcards.diagnostics.render import excerpt  # noqa: PLC0415 - only on a terminal

    start, end = ranges_of(line, words)[0]
    return excerpt(line, start + 1, end - start, room)[0]


def _instead(notes: Collection[NoteText], words: Sequence[str]) -> str:
    """Return a question with the words of the notes that are nearest to these, or an empty string."""
    from ptcards.diagnostics.suggest import suggest  # noqa: PLC0415 - rarely needed

    known = {word for note in notes for word in re.findall(r"\w+", f"{note.question} {note.answer}")}
    near = [found for word in words if (found := suggest(word, known))]
    return f"; did you mean `{' '.join(near)}`?" if near else ""


def _texts(sources: Sequence[Path]) -> Collection[NoteText]:
    """Return the texts of all notes, from the cache if nothing has changed."""
    # The cheap check for changes comes first; the later imports are heavier than --help.
    from ptcards.cache import Cache  # noqa: PLC0415
    from ptcards.files import cache_file  # noqa: PLC0415

    with closing(Cache(cache_file(os.environ), lambda _: None)) as cache:
        known = cache.recall(question_of(sources, ""), NoteTexts)
    return _read(sources) if known is None else known


def _read(sources: Sequence[Path]) -> Mapping[NoteText, Mapping[str, int]]:
    """Return the texts of all notes with their words."""
    from ptcards.search.reading import read_texts  # noqa: PLC0415 - as above

    with reading() as (_, options):
        notes, errors = read_texts(sources, options)
    if errors:
        shown = (command_line("check", *map(str, sources)), counted(errors, "error"))
        tell(f"notes may be missing: the sources have {shown[1]}; run `{shown[0]}`")
    return notes
