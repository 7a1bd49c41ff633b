"""The outputs: the names of the files, and how each is written."""

import os
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ptcards.files import NoSuchSourceError, Replacing, replacing
from ptcards.files.git import GitError, Repository, ignore_files
from ptcards.files.inputs import one_file, slug
from ptcards.files.names import safe_name
from ptcards.files.output_folder import output_folder
from ptcards.notes.notetypes import NoteType
from ptcards.notes.rendered import Deck, Media, RenderedNote, Row
from ptcards.source.collection import Collection
from ptcards.source.config import Config, EditionConfig
from ptcards.source.editions import WHOLE, EditionChoice
from ptcards.writers import ENDINGS, replaces_everything
from ptcards.writers.csv import write_anki_csv, write_csv


class Edition(NamedTuple):
    """The part of a collection to publish.

    `note_types` come with the time of their last change (Unix seconds), and `newest` is the time of the
    newest note. `version` is empty outside a release. `look_media` holds the files that only templates and
    CSS use, and `package` the address of the released package, if this is a release. `rows` returns the GUID,
    time and row of each note; `csv_rows` returns its GUID, its key and the rest of its CSV row, quoted.
    `title` is that of the study page, if it is not the name of the deck.
    """

    config: Config
    note_types: Sequence[tuple[NoteType, int]]
    decks: Iterable[Deck]
    newest: int
    rows: Callable[[], Iterable[tuple[str, int, Row]]]
    csv_rows: Callable[[], Iterable[tuple[str, str, str]]]
    look_media: Sequence[Media] = ()
    package: str = ""
    version: str = ""
    title: str = ""

    def notes(self) -> Iterator[RenderedNote]:
        """Yield the notes as passed to Anki."""
        return (row.note(guid, mod) for guid, mod, row in self.rows())


def output_name(collection: Collection, edition: EditionConfig = WHOLE) -> str:
    """Return the name of an edition's outputs.

    It is the slug of the name of the collection, with the stems of selected
    files and the name of the edition.
    """
    parts = [collection.config.name, *collection.selection, *filter(None, [edition.name])]
    name = safe_name("-".join(map(slug, parts)))
    return f"{name}-deck" if replaces_everything(f"{name}.apkg") else name


def output_paths(folder: Path, stem: str, formats: Container[str]) -> dict[str, Path]:
    """Return the paths of the outputs by format."""
    return {form: folder / f"{stem}.{ending}" for form, ending in ENDINGS.items() if form in formats}


def write_outputs(
    outputs: Mapping[str, Path], edition: Edition, write: Replacing, stage: Callable[[str], None]
) -> None:
    """Write outputs. `stage` is called with the name of each stage.

    Raises OutputError if one cannot be written.
    """
    for form, path in outputs.items():
        stage(f"write {form}")
        _write(form, path, edition, write)


def _write(form: str, path: Path, edition: Edition, write: Replacing) -> None:
    note_types = [note_type for note_type, _ in edition.note_types]
    match form:
        case "apkg":
            from ptcards.writers.apkg import write_package  # noqa: PLC0415 - genanki is heavy

            write_package(
                path=path,
                note_types=edition.note_types,
                decks=edition.decks,
                rows=edition.rows(),
                newest=edition.newest,
                look_media=edition.look_media,
                write=write,
            )
        case "csv":
            write_csv(path=path, rows=edition.csv_rows(), write=write)
        case "html":
            from ptcards.writers.html import write_html  # noqa: PLC0415 - 60 ms, and rarely needed

            notes = list(edition.notes())
            write_html(
                path=path,
                config=edition.config,
                note_types=note_types,
                notes=notes,
                look_media=edition.look_media,
                title=edition.title,
                package=edition.package,
                version=edition.version,
                write=write,
            )
        case "anki-csv":
            write_anki_csv(path=path, note_types=note_types, notes=edition.notes(), write=write)
        case _:
            raise AssertionError(form)


def refuse_same_output(collections: Sequence[Collection], folder: Path | None, choice: EditionChoice) -> None:
    """Raise NoSuchSourceError if two editions of collections would be written to the same files.

    Without a `folder`, each collection has its own.
    """
    every = [
        (collection, each) for collection in collections for each in choice.among(collection.config.editions)
    ]
    names = [output_name(*each) for each in every]
    folders = [os.path.realpath(folder or output_folder(collection.root)) for collection, _ in every]
    files = [(there, one_file(name)) for there, name in zip(folders, names, strict=True)]
    if twin := next((name for name, file in zip(names, files, strict=True) if files.count(file) > 1), ""):
        fix = "rename one of them, or build them into two folders with `-o`"
        raise NoSuchSourceError(f"two collections would both be written to `{twin}`: {fix}")


_ENDINGS = tuple(f".{ending}" for ending in ENDINGS.values())


def hide_from_git(folder: Path, outputs: Container[str] = ()) -> None:
    """Write `.gitignore` into a collection's own output folder if git would show it as untracked.

    A folder with files other than a build's and the named `outputs`, or with any file that git tracks, stays
    as it is. Hold the folder's lock. Raises OutputError if the file cannot be written.
    """
    if not ignore_files(folder):
        return
    names = [path.name for path in folder.iterdir()]
    others = [
        name
        for name in names
        if not name.startswith(".") and not name.endswith(_ENDINGS) and name not in outputs
    ]
    if ".gitignore" in names or others:
        return
    with suppress(GitError):
        known, untracked = Repository(folder).seen()
        if not known and any(not name.startswith(".") for name in untracked):
            with replacing(folder / ".gitignore") as file:
                file.write(b"*\n")
