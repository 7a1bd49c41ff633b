"""Converts fields to Markdown in several processes, if a deck is large enough to make that worthwhile."""

from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing

from ptcards.importing.markdown import Converted, is_plain, to_markdown
from ptcards.importing.package import Package
from ptcards.importing.values import Note
from ptcards.processes import TASK_NOTES, in_processes, pieces, usable_processors

Conversions = Mapping[tuple[str, bool], Converted]
"""The conversions of fields, by their HTML and whether they belong to a cloze."""

_Task = tuple[Mapping[str, str], list[tuple[str, bool]]]


def converted_ahead(
    notes: Iterable[Note], package: Package, addresses: Mapping[str, str], count: int
) -> Generator[Conversions]:
    """Yield the converted fields of `TASK_NOTES` notes at a time.

    Yields nothing if processes are not worthwhile or not available.
    """
    tasks = _tasks(notes, package, addresses)
    with closing(in_processes(_convert, tasks, processes=usable_processors(), notes=count)) as results:
        for _, converted in results:
            yield converted


def _tasks(notes: Iterable[Note], package: Package, addresses: Mapping[str, str]) -> Iterator[_Task]:
    """Yield fields that are worth sending, with the addresses of the files that they show."""
    note_types = package.database.note_types
    for batch in pieces(notes, lambda _: 1):
        fields = dict.fromkeys(
            (html, note_types[note.note_type].is_cloze)
            for note in batch
            for html in note.fields
            if html and not is_plain(html)
        )
        shown = {name for html, _ in fields for name, is_there in package.named(html) if is_there}
        yield {name: addresses[name] for name in shown}, list(fields)


def _convert(task: _Task) -> Conversions:
    addresses, fields = task
    return {(html, is_cloze): to_markdown(html, addresses, is_cloze=is_cloze) for html, is_cloze in fields}


STEP = TASK_NOTES
"""The number of notes that are converted together."""
