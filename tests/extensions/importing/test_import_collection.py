"""Every import reads back what it wrote before it succeeds."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

from ptcards.diagnostics import Diagnostic
from ptcards.extensions.importing.drafts import Draft, LeftOutNote
from ptcards.extensions.importing.problems import NotImportableError
from ptcards.extensions.importing.write import (
    PLAINEST,
    CollectionSettings,
    ImportReport,
    Request,
    write_collection,
)
from ptcards.workspace import Contents


class _Notes:
    """Notes to write unchanged."""

    def __init__(self, *bodies: str) -> None:
        self.report = ImportReport("deck.csv", "table", "new", notes=len(bodies))
        self.diagnostics: list[Diagnostic] = []
        self.bodies = bodies

    def drafts(self, fallback: Mapping[int, int]) -> Iterator[Draft | LeftOutNote]:
        """Yield the notes, ignoring `fallback`."""
        for key, body in enumerate(self.bodies):
            yield Draft("Geo", f"note {key}", f"Question {key}?", body, key=key)
        assert max(fallback.values(), default=0) <= PLAINEST + 1

    def write_files(self, folder: Path) -> None:
        """Write nothing."""

    def finish(self, folder: Path, contents: Contents, keys: Iterable[int | None], /) -> None:
        """Write nothing."""


def _write(target: Path, *bodies: str) -> ImportReport:
    supply = _Notes(*bodies)
    report, _ = write_collection(supply, CollectionSettings("Geo", "x"), Request(Path("deck.csv"), target))
    return report


def test_notes_that_read_back_as_others_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NotImportableError) as caught:
        _write(tmp_path / "geo", "One.", "Two.\n\n## Another?\n\nThree.")
    assert (caught.value.status, str(caught.value)) == (1, "2 notes were written, but 3 were read back")
    assert list(tmp_path.iterdir()) == []


def test_notes_that_read_back_as_they_are_make_the_folder(tmp_path: Path) -> None:
    assert _write(tmp_path / "geo", "One.", "Two.").written == 2
    assert sorted(each.name for each in tmp_path.iterdir()) == ["geo"]


class _NotesInTurn(_Notes):
    """Notes that are left out if they were not read back."""

    def drafts(self, fallback: Mapping[int, int]) -> Iterator[Draft | LeftOutNote]:
        """Yield the notes that are not in `fallback`."""
        for key, body in enumerate(self.bodies):
            draft = Draft("Geo", f"note {key}", f"Question {key}?", body, key=key)
            yield LeftOutNote("that cannot be read back", "", draft.title) if fallback.get(key) else draft


def test_notes_that_read_back_as_others_are_left_out_by_name(tmp_path: Path) -> None:
    supply = _NotesInTurn("One.", "Two.\n\n## Another?\n\nThree.", "Four.")
    settings = CollectionSettings("Geo", "x")
    report, _ = write_collection(supply, settings, Request(Path("deck.csv"), tmp_path / "geo"))
    assert (report.written, [each.title for each in report.left_out]) == (2, ["note 1"])
