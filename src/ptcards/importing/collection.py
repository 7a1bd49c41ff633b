"""Writes a new collection from the notes that a reader supplies.

The result is read back. Notes that differ are written again in a plainer form. The collection is written to a
temporary folder beside its destination, and moved there when it is complete.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from ptcards.diagnostics import Diagnostic
from ptcards.files import OutputError
from ptcards.files.names import shown, slug
from ptcards.files.temporary import folder_beside, temporary_folder
from ptcards.importing.drafts import Draft, LeftOut, usable_tag
from ptcards.importing.pages import Pages, Settings, key_at, read_back
from ptcards.importing.problems import NotImportableError, quoted, refuse
from ptcards.importing.report import Report
from ptcards.processes import usable_processors
from ptcards.source.anki_names import is_ankis
from ptcards.workspace import Contents, ReadOptions

PLAINEST = 1
"""The plainest way to write a note. A note that cannot be read back even then is left out."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to import, and how; empty values are derived from the input."""

    file: Path
    folder: Path | None = None
    deck: str = ""
    name: str = ""
    id: str = ""
    fresh: bool = False
    dry_run: bool = False
    reviews_from: Path | None = None

    def target(self, name: str) -> Path:
        """Return the folder to create for a collection with this name.

        Raises NotImportableError if the folder is not empty.
        """
        target = self.folder or Path.cwd() / slug(name)
        check_target(target)
        return target


class Supply(Protocol):
    """A source of notes; `diagnostics` are about the input as a whole."""

    report: Report
    diagnostics: list[Diagnostic]

    def drafts(self, plainness: Mapping[int, int]) -> Iterator[Draft | LeftOut]:
        """Yield all notes from the start; those whose keys are in `plainness` are written more plainly."""

    def write_files(self, folder: Path) -> None:
        """Write the media files that the notes use."""

    def finish(self, folder: Path, contents: Contents, keys: Iterable[int | None], /) -> None:
        """Write what depends on the sources, once they are read back; `keys` are the keys of their notes."""


def write_collection(
    supply: Supply,
    settings: Settings,
    target: Path,
    *,
    descriptions: Mapping[str, str],
    dry_run: bool,
) -> tuple[Report, list[Diagnostic]]:
    """Write all notes of a supply to a new folder; raises NotImportableError if nothing was written."""
    report = supply.report
    report.folder, report.dry_run = shown(target.absolute()), dry_run
    with new_folder(target, dry_run=dry_run) as folder, ReadOptions(processes=usable_processors()) as options:
        plainness: dict[int, int] = {}
        while True:
            pages = Pages(folder, settings, descriptions)
            _begin(supply, folder)
            pages.write(_counted(supply.drafts(plainness), report))
            supply.write_files(folder)
            if not report.written:
                raise _nothing(report)
            contents, wrong, others = read_back(pages, options)
            if others:
                raise NotImportableError(*(_about(report.file, folder, each) for each in others), status=1)
            if not wrong:
                break
            for key in wrong:
                plainness[key] = plainness.get(key, 0) + 1
        keys = [key_at(pages, each.location.path, each.location.line) for each in contents.summaries]
        supply.finish(folder, contents, keys)
        if None in keys or len(keys) != report.written:
            message = f"{report.written:,} notes were written, but {len(keys):,} were read back"
            raise refuse(
                report.file, "no-notes", message, "remove headings from the fields of the notes", status=1
            )
        report.files = len(pages.places)
    return report, supply.diagnostics


def _nothing(report: Report) -> NotImportableError:
    """Return the error for an input without any importable note."""
    causes = Counter(each.cause for each in report.left_out).most_common(2)
    if not causes:
        message, fix = "no cards were found", "omit `--from` to detect the dialect"
        return refuse(report.file, "no-notes", message, fix, status=1)
    listed = ", ".join(f"{count:,} {cause}" for cause, count in causes)
    first = report.left_out[0]
    fix = f"fix {first.place or quoted(first.title)} first"
    return refuse(report.file, "no-notes", f"no note can be imported: {listed}", fix, status=1)


def _begin(supply: Supply, folder: Path) -> None:
    """Discard the report and the files of the previous attempt."""
    supply.report.clear()
    supply.diagnostics.clear()
    for file in folder.glob("*.md"):
        file.unlink()


def _counted(notes: Iterable[Draft | LeftOut], report: Report) -> Iterator[Draft]:
    """Yield the notes to write, and count all notes in the report."""
    for each in notes:
        if isinstance(each, LeftOut):
            report.left_out.append(each)
            continue
        report.decks[each.deck] += 1
        report.markdown += len(each.written)
        report.verbatim.update(each.verbatim)
        report.lost.update(each.lost)
        report.tags.update(tag for tag in each.tags if usable_tag(tag) != tag and not is_ankis(tag))
        if each.changed:
            report.changed.append(LeftOut(each.changed, each.place, each.title))
        yield each


def _about(path: str, folder: Path, each: Diagnostic) -> Diagnostic:
    """Return a diagnostic about the working folder as one about the imported file."""
    message = each.message.replace(shown(folder), path)
    return replace(each, location=each.location._replace(path=path, line=1, column=0), message=message)


def check_target(target: Path) -> None:
    """Raise NotImportableError if a folder is not empty."""
    if not os.path.lexists(target):
        return
    if target.is_dir() and not any(target.iterdir()):
        return
    message = (
        "this is already a collection" if (target / "deck.toml").exists() else "this is not an empty folder"
    )
    raise refuse(shown(target), "not-empty", message, "name a folder that does not exist yet")


@contextmanager
def new_folder(target: Path, *, dry_run: bool) -> Iterator[Path]:
    """Yield a working folder, which becomes `target` when the block ends without an error.

    Raises:
        OutputError: a file cannot be written.

    """
    if dry_run:
        with temporary_folder("import") as folder:
            yield folder
        return
    try:
        with folder_beside(target, "import") as folder:
            yield folder
            for file in folder.rglob("*"):
                _to_disk(file)
            if target.is_dir():
                target.rmdir()
            folder.rename(target)
    except OSError as failure:
        raise OutputError(target, (failure.strerror or str(failure)).lower()) from failure


def _to_disk(file: Path) -> None:
    if file.is_file():
        descriptor = os.open(file, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
