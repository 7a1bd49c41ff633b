"""Packages that would cost memory are refused, with the reason, before they do."""

from pathlib import Path

import pytest
from hostile_packages import DATABASES, MEDIA, database_package, media_package

from hostile_inputs import cost

MEGABYTES = 300

pytestmark = pytest.mark.slow


def _costs(folder: Path, *command: str, file: Path) -> tuple[int, str, bool]:
    """Return the status and the first line of a command about a package, and whether it was frugal."""
    assert file.stat().st_size <= 6_000_000
    ran = cost(folder, *command, file.name)
    return ran.status, ran.said.partition("\n")[0], ran.megabytes <= MEGABYTES


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", DATABASES)
def test_a_database_that_would_fill_the_memory_is_refused(name: str, tmp_path: Path) -> None:
    file, what = database_package(tmp_path, name)
    said = f"deck.apkg: error[unsafe-package] {what}"
    assert _costs(tmp_path, "import", file=file) == (1, said, True)


@pytest.mark.parametrize("name", MEDIA)
@pytest.mark.parametrize("command", ["import", "reviews"])
def test_a_list_of_media_that_would_fill_the_memory_is_refused(
    command: str, name: str, tmp_path: Path
) -> None:
    (tmp_path / "deck.toml").write_text('name = "Geo"\nid = "geo"\n')
    (tmp_path / "a.md").write_text("## One?\n\n1\n")
    file, what = media_package(tmp_path, name)
    said = f"deck.apkg: error[unsafe-package] {what}"
    assert _costs(tmp_path, command, file=file) == (1, said, True)
