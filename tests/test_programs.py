"""Programs are found by absolute paths, never in the current folder."""

from pathlib import Path

import pytest

from ptcards.programs import find_program, search_path


@pytest.mark.parametrize(
    ("path", "windows", "folders"),
    [
        ("/usr/bin:/bin", False, ["/usr/bin", "/bin"]),
        (":/usr/bin::.:bin:../bin:/here:/here/:", False, ["/usr/bin"]),
        ("", False, []),
        (
            'C:\\Windows;;.;bin;\\bin;D:x;"C:\\Program Files\\Git";\\\\host\\share',
            True,
            ["C:\\Windows", "C:\\Program Files\\Git", "\\\\host\\share"],
        ),
    ],
)
def test_only_absolute_folders_but_the_current_one_are_searched(
    path: str, windows: bool, folders: list[str]
) -> None:
    assert search_path(path, "/here", windows=windows) == folders


def test_a_program_in_the_current_folder_is_not_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    for program in (tmp_path / "planted", tmp_path / "bin/planted"):
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f":.:bin:{tmp_path}")
    assert find_program("planted") is None
    monkeypatch.setenv("PATH", f".:{tmp_path}/bin")
    assert find_program("planted") == f"{tmp_path}/bin/planted"
