"""Which Python runs the cards."""

import sys
from pathlib import Path

import pytest

from ptcards.extensions.verify.target import Python, on_this_system, python_of


def named(folder: Path, python: str, given: str = "") -> Python:
    return python_of(folder, python, given)


def test_a_name_is_looked_for_in_path_and_a_path_in_the_collection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "bin/python3"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(python.parent))
    monkeypatch.setenv("HOME", "/srv/ada")
    deck = tmp_path / "deck"
    assert named(deck, "python3") == Python(str(python), foreign=True)
    assert named(deck, "python3.99") == Python("python3.99", foreign=True)
    assert named(deck, "env/bin/python") == Python(f"{deck}/env/bin/python", foreign=True)
    assert named(deck, "../env/bin/python") == Python(f"{tmp_path}/env/bin/python", foreign=True)
    assert named(deck, "~/env/bin/python") == Python("/srv/ada/env/bin/python", foreign=True)
    assert named(deck, "") == Python(sys.executable, foreign=False)


def test_what_the_user_names_is_the_user_s_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert named(tmp_path, "python3", "/x/python") == Python("/x/python", foreign=False)
    assert named(tmp_path, "python3", "env/bin/python") == Python(f"{tmp_path}/env/bin/python", foreign=False)


@pytest.mark.parametrize(
    ("path", "windows", "found"),
    [
        ("C:\\deck\\.venv\\bin\\python", True, "C:/deck/.venv/Scripts/python.exe"),
        ("C:/deck/.venv/bin/python3", True, "C:/deck/.venv/Scripts/python.exe"),
        ("C:\\Python\\python.exe", True, "C:\\Python\\python.exe"),
        ("/deck/.venv/bin/python", False, "/deck/.venv/bin/python"),
    ],
)
def test_an_environment_has_its_python_elsewhere_on_windows(path: str, windows: bool, found: str) -> None:
    assert on_this_system(path, windows=windows) == found
