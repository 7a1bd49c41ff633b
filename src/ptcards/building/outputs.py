"""What a build writes of a collection: a file for each format."""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Collection as Container
from pathlib import Path

from ptcards.building.compiled import CompiledCollection
from ptcards.identity.resolve import Identities
from ptcards.notetypes import NoteType
from ptcards.writers.anki_csv import write_anki_csv
from ptcards.writers.apkg import write_apkg
from ptcards.writers.csv import write_csv

DEFAULT_FORMATS = ("apkg", "csv")
_ENDINGS = {"apkg": "apkg", "csv": "csv", "html": "html", "anki-csv": "anki.csv"}


def output_paths(folder: Path, stem: str, formats: Container[str]) -> dict[str, Path]:
    """Name the outputs by format: `apkg`, `csv`, `html`, `anki-csv`."""
    return {form: folder / f"{stem}.{ending}" for form, ending in _ENDINGS.items() if form in formats}


def write_outputs(
    outputs: Mapping[str, Path],
    compiled: CompiledCollection,
    identities: Identities,
    note_types: Sequence[NoteType],
    stage: Callable[[str], None],
) -> bool:
    """Write outputs, and say whether any of them is other than before; `stage` is called with what begins.

    Raises OutputError if one cannot be written; those not yet written are as they were.
    """
    before = list(map(_state, outputs.values()))
    for form, path in outputs.items():
        stage(f"write {form}")
        match form:
            case "apkg":
                write_apkg(
                    path=path,
                    note_types=[(kind, identities.types[kind.key]) for kind in note_types],
                    decks=compiled.decks,
                    notes=compiled.rendered(identities),
                    newest=compiled.newest(identities),
                )
            case "csv":
                write_csv(path=path, rows=compiled.cells(identities))
            case "html":
                from ptcards.writers.html import write_html  # noqa: PLC0415 - 60 ms, and seldom asked for

                config = compiled.collection.config
                rendered = list(compiled.rendered(identities))
                write_html(path=path, config=config, note_types=note_types, notes=rendered)
            case "anki-csv":
                write_anki_csv(path=path, note_types=note_types, notes=compiled.rendered(identities))
    return before != list(map(_state, outputs.values()))


def _state(path: Path) -> tuple[int, int, int] | None:
    """Tell a file from any that takes its place."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
