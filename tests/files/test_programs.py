"""Where ptcards looks for programs, on all systems."""

import sys
from pathlib import Path

import pytest

from ptcards.files.programs import find_program, in_shell, program_paths

WINDOWS = {"platform": "win32", "endings": ".COM;.EXE;;"}


def test_only_absolute_folders_of_the_search_path_count() -> None:
    found = program_paths(["git"], "/usr/bin:.::bin:../bin:/opt/bin", "/srv/deck", platform="linux")
    assert found == ["/usr/bin/git", "/opt/bin/git"]


def test_the_current_folder_does_not_count_however_it_is_written() -> None:
    search_path = "/srv/deck:/srv/deck/:/srv/./x/../deck:/srv/deck/bin:/usr/bin"
    found = program_paths(["git"], search_path, "/srv/deck", platform="darwin")
    assert found == ["/srv/deck/bin/git", "/usr/bin/git"]


def test_all_names_are_looked_for_in_a_folder_before_the_next() -> None:
    found = program_paths(["python3", "python"], "/usr/bin:/bin", "/", platform="linux")
    assert found == ["/usr/bin/python3", "/usr/bin/python", "/bin/python3", "/bin/python"]


def test_windows_needs_a_drive_or_a_server_and_adds_the_endings() -> None:
    search_path = r'C:\Git\bin;"D:\Program Files";.;bin;\bin;c:bin;;\\server\share\bin'
    assert program_paths(["git"], search_path, r"C:\deck", **WINDOWS) == [
        r"C:\Git\bin\git.com",
        r"C:\Git\bin\git.exe",
        r"D:\Program Files\git.com",
        r"D:\Program Files\git.exe",
        r"\\server\share\bin\git.com",
        r"\\server\share\bin\git.exe",
    ]


def test_windows_keeps_an_ending_that_can_run_and_knows_no_case() -> None:
    found = program_paths(["Git.EXE", "python3.12"], r"c:\DECK;C:/deck/;C:\bin", r"C:\deck", **WINDOWS)
    assert found == [r"C:\bin\Git.EXE", r"C:\bin\python3.12.com", r"C:\bin\python3.12.exe"]


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


def test_what_cannot_run_is_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("first", "second", "third"):
        (tmp_path / folder).mkdir()
    (tmp_path / "first/tool").mkdir()
    (tmp_path / "second/tool").write_text("#!/bin/sh\n")
    (tmp_path / "third/tool").write_text("#!/bin/sh\n")
    (tmp_path / "third/tool").chmod(0o755)
    monkeypatch.setenv("PATH", ":".join(str(tmp_path / each) for each in ("first", "second", "third")))
    assert find_program("tool", "other") == f"{tmp_path}/third/tool"


@pytest.mark.parametrize(
    ("words", "posix", "windows"),
    [
        (("ptcards", "build", "my-deck/a.md"), "ptcards build my-deck/a.md", "ptcards build my-deck/a.md"),
        (("build", "what is it?"), "build 'what is it?'", 'build "what is it?"'),
        (("open", "r&d", ""), "open 'r&d' ''", 'open "r&d" ""'),
        ((r"C:\a b\c.md",), r"'C:\a b\c.md'", r'"C:\a b\c.md"'),
    ],
)
def test_a_command_line_can_be_pasted_into_the_shells_of_each_system(
    words: tuple[str, ...], posix: str, windows: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert in_shell(*words) == posix
    monkeypatch.setattr(sys, "platform", "win32")
    assert in_shell(*words) == windows
