"""`ptcards open` finds a note by its GUID or key, and only opens it in a named editor."""

import os
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from conftest import Ran
from ptcards.cli.open import Editor

FILES = {
    "deck.toml": 'name = "A"\nid = "a"\n',
    "one.md": "# One\n\n## First?\n\nYes.\n\n## Second?\n<!-- card: id=second -->\n\nNo.\n",
}


@pytest.fixture
def folder(write: Callable[..., Path], ptcards: Callable[..., Ran]) -> Path:
    written = write(FILES)
    assert ptcards("build", written, "-o", written / "out", "-q").status == 0
    return written


def test_a_guid_and_a_key_lead_to_the_line_of_the_question(folder: Path, ptcards: Callable[..., Ran]) -> None:
    lock = (folder / "deck.lock").read_text("utf-8").splitlines()
    (guid,) = (line.split("\t")[1] for line in lock if line.startswith("note") and "second" in line)
    for name in (guid, "second"):
        ran = ptcards("open", name, folder)
        assert (ran.status, ran.out.removeprefix(f"{folder}/")) == (0, "one.md:7\n")


@pytest.mark.parametrize(
    ("note", "said"),
    [
        (
            "nothing",
            (
                "error: no note in `.` has the GUID or key `nothing`\n"
                "help: search its words with `ptcards find WORDS`, or name the folder of its collection: "
                "`ptcards open GUID FOLDER`\n"
            ),
        ),
        (
            "secnod",
            "error: no note in `.` has the GUID or key `secnod`\nhelp: did you mean `second`?\n",
        ),
        (
            "one.md",
            (
                "error: `one.md` is a file or folder, not a GUID or key\n"
                "help: name a note before the folder: `ptcards open GUID one.md`\n"
            ),
        ),
    ],
)
def test_a_note_that_is_not_there_is_answered_with_the_next_step(
    folder: Path, ptcards: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch, note: str, said: str
) -> None:
    monkeypatch.chdir(folder)
    assert ptcards("open", note) == Ran(2, "", said)


def test_an_editor_is_started_only_if_it_is_named(
    folder: Path, ptcards: Callable[..., Ran], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = tmp_path / "bin" / "code"
    editor.parent.mkdir()
    editor.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/asked\n', "utf-8")
    editor.chmod(0o755)
    monkeypatch.setenv("PATH", f"{editor.parent}:{os.environ['PATH']}")
    assert ptcards("open", "second", folder).status == 0
    assert not (tmp_path / "asked").exists()
    assert ptcards("open", "second", folder, "--editor", "code").status == 0
    end = time.monotonic() + 20
    while not (tmp_path / "asked").exists() or not (tmp_path / "asked").read_text("utf-8"):
        assert time.monotonic() < end
        time.sleep(0.02)
    assert (tmp_path / "asked").read_text("utf-8") == f"--goto {folder}/one.md:7:1\n"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("vim", "error: `vim` is not an editor that can open a file at a line"),
        ("/usr/bin/nano", "error: `nano` is not an editor that can open a file at a line"),
        ("gedit", "error: `gedit` is not an editor that can open a file at a line"),
        ("zed", "error: no program `zed` in `PATH`"),
    ],
)
def test_an_editor_that_cannot_show_a_place_is_refused(
    folder: Path, ptcards: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch, name: str, said: str
) -> None:
    monkeypatch.setenv("PATH", str(folder))
    for ran in (
        ptcards("open", "second", folder, "--editor", name),
        ptcards("serve", folder, "--editor", name),
    ):
        assert (ran.status, ran.out, ran.err.splitlines()[0]) == (2, "", said)


@pytest.mark.parametrize(("name", "is_started"), [("a&calc.md", False), ("a.md", True)])
def test_a_batch_file_gets_no_name_that_cmd_reads_as_a_command(
    name: str, is_started: bool, tmp_path: Path
) -> None:
    """Windows hands the arguments of a batch file to cmd, which ends a command at `&`."""
    batch, started = tmp_path / "code.cmd", tmp_path / "started"
    batch.write_text(f"#!/bin/sh\ntouch '{started}'\n")
    batch.chmod(0o700)
    with nullcontext() if is_started else pytest.raises(OSError, match="cmd reads"):
        Editor("code", str(batch)).open(tmp_path / name, 1)
    end = time.monotonic() + (20 if is_started else 0)
    while not started.exists() and time.monotonic() < end:
        time.sleep(0.01)
    assert started.exists() == is_started
