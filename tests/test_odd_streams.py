"""Odd locales, users and streams cause a message, and no traceback."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from conftest import Ran
from terminal import press_ctrl_c, start, type_session

Write = Callable[[dict[str, str | bytes]], Path]

TOML = 'name = "Deck"\nid = "deck"\n'
NOTE = "## Explain one.\n<!-- card: id=one -->\n\nBecause it fits.\n"
NO_UTF8 = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
CP1252 = {"PYTHONIOENCODING": "cp1252"}
COMMANDS = (
    ("--help",),
    ("--version",),
    ("explain",),
    ("check", "--help"),
    ("check", "c"),
    ("check", "-"),
    ("add", "-"),
    ("build", "c", "-v"),
    ("diff", "c"),
    ("init", "new"),
)


def _run(folder: Path, command: Sequence[str], **env: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "ptcards", *command],
        cwd=folder,
        env=os.environ | env,
        capture_output=True,
        check=False,
    )
    return done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace")


# Names and letters


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are always UTF-8")
def test_a_name_that_the_locale_does_not_know_is_built_all_the_same(
    write: Write, ptcards: Callable[..., Ran]
) -> None:
    root = write({"c/deck.toml": TOML, "c/ä ö.md": NOTE})
    now = "1700000000"
    assert ptcards("build", root / "c", "-o", root / "here", env={"SOURCE_DATE_EPOCH": now}).status == 0
    (root / "c" / "deck.lock").unlink()
    status, said = _run(root, ("build", "c", "-o", "there"), **NO_UTF8, SOURCE_DATE_EPOCH=now)
    assert (status, "Traceback" in said) == (0, False)
    for name in ("deck.apkg", "deck.csv"):
        assert (root / "there" / name).read_bytes() == (root / "here" / name).read_bytes()
    write({"c/ä ö.md": "## One?\n"})
    for command in ("check", "build"):
        status, said = _run(root, (command, "c"), **NO_UTF8)
        error = "c/ä ö.md:1:4: error[no-answer] this question has no answer\n  |\n1 | ## One?\n"
        assert (status, said.count(error)) == (1, 1)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are always UTF-8")
def test_a_name_that_is_not_utf8_is_refused(write: Write, ptcards: Callable[..., Ran]) -> None:
    root = write({"deck.toml": TOML, "a.md": NOTE})
    (root / os.fsdecode(b"\xff.md")).write_text(NOTE, "utf-8")
    for command in (("check", root), ("build", root, "-o", root / "out")):
        ran = ptcards(*command)
        assert ran.status == 1
        assert "error[unreadable-source] the name is not UTF-8\n" in ran.out + ran.err


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ('deck: "\\ud800x"', "2:7"),
        ('tags: "\\udfff"', "2:7"),
        ('tags: [a, "\\udfff"]', "2:11"),
        ('difficulty: "\\ud800"', "2:13"),
        ('"\\udabc": x', "2:1"),
    ],
)
@pytest.mark.parametrize("command", ["check", "build", "verify"])
def test_half_a_character_in_front_matter_is_named(
    line: str, place: str, command: str, write: Write, ptcards: Callable[..., Ran]
) -> None:
    root = write({"deck.toml": TOML, "a.md": f"---\n{line}\n---\n\n{NOTE}"})
    more = ("-o", root / "out") if command == "build" else ()
    ran = ptcards(command, root, *more)
    assert ran.status in (1, 2)
    assert f"a.md:{place}: error[broken-front-matter] U+D" in ran.out + ran.err


# Streams


@pytest.mark.parametrize("few", [NO_UTF8, CP1252], ids=["C", "cp1252"])
@pytest.mark.parametrize(
    "options", [(), ("--format", "json"), ("--format", "sarif")], ids=["text", "json", "sarif"]
)
def test_output_is_utf8_in_a_pipe_whatever_the_locale(
    few: dict[str, str], options: Sequence[str], write: Write
) -> None:
    root = write({"deck.toml": TOML, "ä.md": "## 日本?\n<!-- card: größe→ -->\n\n1\n"})
    status, said = _run(root, ("check", *options, "ä.md"), **few)
    assert (status, said) == _run(root, ("check", *options, "ä.md"), PYTHONUTF8="1")
    assert "größe→" in (said if not options else str(json.loads(said)))


def test_a_terminal_gets_the_letters_that_it_has(write: Write) -> None:
    root = write({"deck.toml": TOML, "a.md": "## One?\n<!-- card: 日本 -->\n\n1\n"})
    said = type_session([({}, ("check", "a.md"))], columns=100, folder=root, env=CP1252)
    assert r"`\u65e5\u672c`" in said


PRINTING = (
    ("--help",),
    ("--version",),
    ("build", "--help"),
    ("explain",),
    ("explain", "answer-words"),
    ("check", "c"),
    ("check", "c", "--format", "json"),
    ("check", "c", "--statistics"),
    ("diff", "c", "old"),
    ("diff", "c", "old", "--format", "markdown"),
    ("open", "one", "c"),
    ("verify", "c", "--format", "json"),
)
"""commands that print to standard output"""


def on_full_disk(root: Path, command: Sequence[str], *streams: str) -> tuple[int, str]:
    """Run a command whose named streams go to a full disk; return its status and standard error, if any."""
    # With this variable, Python keeps nothing back that it has to write when it exits.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "ptcards", *command],
            cwd=root,
            env=environment,
            stdout=full if "stdout" in streams else subprocess.DEVNULL,
            stderr=full if "stderr" in streams else subprocess.PIPE,
            text=True,
            check=False,
        )
    return done.returncode, done.stderr or ""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("command", PRINTING, ids=" ".join)
def test_a_full_disk_below_the_output_is_a_word(
    command: Sequence[str], write: Write, ptcards: Callable[..., Ran]
) -> None:
    root = write({"c/deck.toml": TOML, "c/a.md": NOTE})
    ptcards("build", root / "c", "-o", root / "out")
    shutil.copytree(root / "c", root / "old")
    assert on_full_disk(root, command, "stdout") == (1, "error: no space left on device\n")
    assert on_full_disk(root, command, "stdout", "stderr") == (1, "")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize(
    ("command", "status"),
    [
        ((), 2),
        (("build", "c"), 1),
        (("build", "--nonsense"), 2),
        (("build", "nowhere"), 2),
        (("import", "c/a.md", "new"), 1),
        (("init", "new"), 1),
        (("open", "nothing", "c"), 2),
        (("verify", "c"), 1),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_a_full_disk_below_the_messages_is_a_status(
    command: Sequence[str], status: int, write: Write
) -> None:
    root = write({"c/deck.toml": TOML, "c/a.md": NOTE})
    assert on_full_disk(root, command, "stderr") == (status, "")


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("stream", [0, 1, 2])
def test_a_closed_stream_is_no_reason_for_a_traceback(
    command: Sequence[str], stream: int, write: Write
) -> None:
    root = write({"c/deck.toml": TOML, "c/a.md": NOTE})
    shell = f'exec "$@" {stream}>&-' if stream else 'exec "$@" <&-'
    done = subprocess.run(
        ["sh", "-c", shell, "sh", sys.executable, "-m", "ptcards", *command],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode in (0, 1, 2), "Traceback" in done.stdout + done.stderr) == (True, False)


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become a user that does not exist")
def test_a_user_without_home_and_without_an_entry_can_check_and_build(write: Write) -> None:
    root = write({"c/deck.toml": TOML, "c/a.md": NOTE})
    root.chmod(0o755)
    # Root keeps its access to folders, because the parent folders are closed to others.
    able = "+dac_override,+dac_read_search"
    somebody = ["setpriv", "--reuid=54321", "--clear-groups", f"--inh-caps={able}", f"--ambient-caps={able}"]
    env = {key: value for key, value in os.environ.items() if key not in ("HOME", "XDG_CACHE_HOME")}
    for command in (("check", "c"), ("build", "c", "-o", "out"), ("explain",)):
        done = subprocess.run(
            [*somebody, sys.executable, "-m", "ptcards", *command],
            cwd=root,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr


# Ctrl-C


@pytest.mark.parametrize("module", ["ptcards.cli", "ptcards.files", "ptcards.cli.check", "ptcards.workspace"])
def test_ctrl_c_while_a_class_is_made_prints_no_traceback(write: Write, module: str) -> None:
    """Python 3.11 turns an exception in `__set_name__` into a RuntimeError."""
    root = write({"c/deck.toml": TOML, "c/a.md": NOTE})
    code = f"""
import sys
class Interrupted:
    def __set_name__(self, *_):
        raise KeyboardInterrupt
class Finder:
    def find_spec(self, name, *_):
        if name == {module!r}:
            type("Made", (), {{"made": Interrupted()}})
sys.meta_path.insert(0, Finder())
sys.argv = ["ptcards", "check", "c"]
from ptcards.__main__ import run
run()
"""
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, timeout=60, check=False
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "interrupted\n")


_LOST = re.compile(
    r"Exception ignored in: <function _get_module_lock.*?\nKeyboardInterrupt: \n"
    r'|Traceback \(most recent call last\):\n  File "<string>", line 1, in <module>\nKeyboardInterrupt\n',
    re.DOTALL,
)
"""Matches a Ctrl-C that Python's import system loses (about one in 300) or that comes before ``run()``."""


@pytest.mark.slow
def test_ctrl_c_while_the_program_is_loaded_prints_no_traceback(write: Write) -> None:
    root = write({"c/deck.toml": TOML, "c/a.md": NOTE})
    code = "import sys, signal; sys.argv = ['ptcards', 'check', 'c']; from ptcards.__main__ import run; print('begun', flush=True); run()"
    for wait in (0.0, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1):
        process = start(
            [sys.executable, "-c", code], cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        time.sleep(wait)
        press_ctrl_c(process)
        _, said = process.communicate(timeout=60)
        assert "Traceback" not in _LOST.sub("", said)
        assert process.returncode in (0, 130, -signal.SIGINT)
