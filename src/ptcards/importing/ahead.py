"""Fields to Markdown in several processes, where a deck is large enough for that to pay."""

from collections.abc import Generator, Iterable, Mapping
from contextlib import closing

from ptcards.importing.markdown import Converted, to_markdown
from ptcards.importing.values import Note, NoteType
from ptcards.processes import TASK_NOTES, in_processes, pieces, usable_processors

Conversions = Mapping[tuple[str, bool], Converted]
"""What became of fields, by their HTML and whether they are those of a cloze."""

_Task = tuple[Mapping[str, str], list[tuple[str, bool]]]


def converted_ahead(
    notes: Iterable[Note], note_types: Mapping[int, NoteType], addresses: Mapping[str, str], count: int
) -> Generator[Conversions]:
    """Yield what became of the fields of each `TASK_NOTES` notes.

    Nothing where processes do not pay or cannot be had.
    """
    batches = pieces(notes, lambda _: 1)
    tasks: list[_Task] = [
        (
            addresses,
            [(html, note_types[note.note_type].is_cloze) for note in batch for html in note.fields if html],
        )
        for batch in batches
    ]
    with closing(in_processes(_convert, tasks, processes=usable_processors(), notes=count)) as results:
        for _, converted in results:
            yield converted


def _convert(task: _Task) -> Conversions:
    addresses, fields = task
    return {
        (html, is_cloze): to_markdown(html, addresses, is_cloze=is_cloze)
        for html, is_cloze in dict.fromkeys(fields)
    }


STEP = TASK_NOTES
"""Notes that are converted together."""
