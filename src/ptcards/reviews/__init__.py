"""Reports what the reviews in learners' packages show about the notes of a collection."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ptcards.diagnostics import Diagnostic, errors_in
from ptcards.importing.package import open_package
from ptcards.importing.problems import remark
from ptcards.notes import Note
from ptcards.reviews.figures import Histories
from ptcards.reviews.histories import card_histories
from ptcards.reviews.summary import Summary, summarise
from ptcards.workspace import Contents, Workspace
from ptcards.workspace.entries import Progress

__all__ = ["Studied", "review", "studied"]


@dataclass(frozen=True, slots=True)
class Studied:
    """The notes to report on, by GUID; `note_types` are the ids of their note types in Anki."""

    name: str
    notes: dict[str, Note]
    note_types: tuple[int, ...]


def studied(workspace: Workspace) -> tuple[Studied | None, list[Diagnostic]]:
    """Return the notes to report on, or `None` and the errors if the sources have any.

    Raises SourceChangedError if a source was saved meanwhile.
    """
    wrong = errors_in(workspace.diagnostics)
    notes: dict[str, Note] = {}
    for contents in workspace.contents if not wrong else ():
        wrong += _add(contents, notes)
    if wrong:
        return None, wrong
    name = ", ".join(each.collection.config.name for each in workspace.contents)
    types = (kind.id for each in workspace.contents for kind in each.note_types if kind.id)
    return Studied(name, notes, tuple(types)), []


def _add(contents: Contents, notes: dict[str, Note]) -> list[Diagnostic]:
    """Add the requested notes of a collection to `notes`, under the GUIDs that a build uses.

    Return the diagnostics about its lock.
    """
    lock, found = contents.lock()
    if lock is None:
        return errors_in(found)
    guids = contents.guids(lock)
    for source in contents.selected:
        notes |= zip(guids[source.span], contents.notes_of(source), strict=True)
    return []


def review(ours: Studied, packages: Iterable[Path], progress: Progress) -> tuple[Summary, list[Diagnostic]]:
    """Return a summary of all reviews in packages, and warnings about packages without any.

    Raises:
        NotImportableError: a package cannot be read.

    """
    histories = Histories()
    diagnostics = []
    files = list(packages)
    for number, file in enumerate(files):
        progress("Reading", number, len(files))
        diagnostics += _read(file, ours, histories)
    return summarise(ours.name, ours.notes, histories, len(files)), diagnostics


def _read(file: Path, ours: Studied, histories: Histories) -> list[Diagnostic]:
    """Add a package's cards to `histories` if their notes are in the sources."""
    has_any = has_ours = False
    with open_package(file) as package:
        for each in card_histories(package):
            has_any |= bool(each.answers)
            if each.guid in ours.notes:
                has_ours |= bool(each.answers)
                histories.add(each)
    if has_ours:
        return []
    if has_any:
        fix = "run the command in the folder of the deck that was studied"
        return [remark(package.path, "no-reviews", "no reviews of notes in these sources", fix)]
    return [
        remark(
            package.path,
            "no-reviews",
            "no reviews in the package",
            "export the deck again with scheduling information",
        )
    ]
