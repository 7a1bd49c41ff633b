"""Reports what learners' reviews show about the notes of a collection, from exported packages."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ptcards.cache import Cache
from ptcards.diagnostics import Diagnostic, Severity
from ptcards.importing.history import card_histories
from ptcards.importing.package import open_package
from ptcards.importing.problems import remark
from ptcards.notes import Note
from ptcards.processes import usable_processors
from ptcards.reviews.figures import Histories
from ptcards.reviews.summary import Summary, summarise
from ptcards.source.entries import Progress
from ptcards.source.source import shown
from ptcards.workspace import Contents, Workspace

__all__ = ["Studied", "read_sources", "review"]


@dataclass(frozen=True, slots=True)
class Studied:
    """The notes to report on, by GUID; `note_types` are the ids of their note types in Anki."""

    name: str
    notes: dict[str, Note]
    note_types: tuple[int, ...]


def read_sources(
    paths: Sequence[Path], cache: Cache, progress: Progress
) -> tuple[Studied | None, list[Diagnostic]]:
    """Return the notes of SOURCEs, or `None` if they have errors, and these errors.

    Raises:
        NoSuchSourceError: a path does not exist or has no sources.
        SourceChangedError: a source was saved in the meantime.

    """
    workspace = Workspace.read(paths, cache, processes=usable_processors(), progress=progress)
    wrong = [each for each in workspace.diagnostics if each.severity is Severity.ERROR]
    notes: dict[str, Note] = {}
    for contents in workspace.contents if not wrong else ():
        wrong += _add(contents, notes)
    if wrong:
        return None, wrong
    name = ", ".join(each.collection.config.name for each in workspace.contents)
    types = (kind.id for each in workspace.contents for kind in each.note_types if kind.id)
    return Studied(name, notes, tuple(types)), []


def _add(contents: Contents, notes: dict[str, Note]) -> list[Diagnostic]:
    """Add the requested notes of a collection under the GUIDs that a build gives them.

    Return the diagnostics about its lock.
    """
    lock, found = contents.lock()
    if lock is None:
        return [each for each in found if each.severity is Severity.ERROR]
    guids = contents.guids(lock)
    for source in contents.selected:
        span = slice(source.start, source.start + len(source.head.summaries))
        notes |= zip(guids[span], contents.notes_of(source), strict=True)
    return []


def review(
    studied: Studied, packages: Iterable[Path], progress: Progress
) -> tuple[Summary, list[Diagnostic]]:
    """Return a summary of all reviews in packages, and remarks on packages without any.

    Raises:
        NotImportableError: one of them cannot be read.

    """
    histories = Histories()
    diagnostics = []
    files = list(packages)
    for number, file in enumerate(files):
        progress("Reading", number, len(files))
        diagnostics += _read(file, studied, histories)
    return summarise(studied.name, studied.notes, histories, len(files)), diagnostics


def _read(file: Path, studied: Studied, histories: Histories) -> list[Diagnostic]:
    """Add the cards of notes that are in the sources."""
    path = shown(file.absolute())
    has_any = has_ours = False
    with open_package(file, path) as package:
        for each in card_histories(package):
            has_any |= bool(each.answers)
            if each.guid in studied.notes:
                has_ours |= bool(each.answers)
                histories.add(each)
    if has_ours:
        return []
    if has_any:
        fix = "run the command in the folder of the deck that was studied"
        return [remark(path, "no-reviews", "no reviews of notes in these sources", fix)]
    return [remark(path, "no-reviews", "no reviews in the package", "export it with scheduling information")]
