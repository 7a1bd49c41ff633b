"""What harmful cards can do in `verify`, with and without bubblewrap."""

import json
import os
import platform
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from unsandboxed import NOTICE, verify_unsandboxed

from conftest import Ran
from ptcards.extensions.verify import supervision
from terminal import press_ctrl_c, start

Run = Callable[..., Ran]
Write = Callable[[dict[str, str | bytes]], Path]

SLEEPER = "import time; time.sleep(3600)"
"""the program of left-over processes; its folder identifies it"""


@dataclass(frozen=True)
class World:
    """The targets of the attacks."""

    folder: Path
    port: int
    victim: int


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    (tmp_path / "secret").write_text("top secret")
    victim = subprocess.Popen([sys.executable, "-c", SLEEPER])
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield World(tmp_path, server.getsockname()[1], victim.pid)
        server.settimeout(0)
        with pytest.raises(BlockingIOError):
            server.accept()
    victim.kill()
    victim.wait()


def attacks(world: World) -> dict[str, str]:
    """Return the code of each attack, which prints what it reached."""
    child = [sys.executable, "-c", f"{SLEEPER} # {world.folder}"]
    return {
        "loop": "while True:\n    pass",
        "sleep": "import time\ntime.sleep(3600)",
        "sigterm": (
            "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
            "signal.signal(signal.SIGUSR2, signal.SIG_IGN)\nwhile True:\n    time.sleep(1)"
        ),
        "memory": "x = bytearray(8 << 30)",
        "output": "for _ in range(300):\n    print('x' * (1 << 20))",
        "file": "with open('big', 'wb') as file:\n    for _ in range(1024):\n        file.write(bytes(1 << 20))",
        "children": f"import subprocess\nfor _ in range(40):\n    subprocess.Popen({child!r})",
        "daemon": (
            f"import os\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        os.execv({child[0]!r}, {child!r})\n"
            "    os._exit(0)"
        ),
        "environment": "import os\nprint(os.environ.get('CARD_SECRET'))",
        "import": "import planted",
        "read": f"print(open({str(world.folder / 'secret')!r}).read())",
        "write": f"open({str(world.folder / 'written')!r}, 'w').write('x')",
        "connect": f"import socket\nsocket.create_connection(('127.0.0.1', {world.port}), 2)\nprint('connected')",
        "signal": f"import os\nfor pid in ({world.victim}, {os.getpid()}):\n    os.kill(pid, 0)\nos.kill({world.victim}, 9)",
        "bomb": f"import subprocess, time\nfor _ in range(200):\n    subprocess.Popen({child!r})\ntime.sleep(30)",
        "parent": "import os\nos.kill(os.getppid(), 9)\nimport time\ntime.sleep(3600)",
    }


def verify_all(
    ptcards: Run, write: Write, world: World, names: list[str], *options: str
) -> dict[str, list[str]]:
    """Verify one note for each attack; return the messages, up to the first name in quotes, by attack."""
    endless = [name for name in names if CONTAINED.get(name) == ENDLESS]
    others = [name for name in names if name not in endless]
    return verify_some(ptcards, write, world, endless, 1, *options) | verify_some(
        ptcards, write, world, others, 60, *options
    )


def verify_some(
    ptcards: Run, write: Write, world: World, names: list[str], timeout: int, *options: str
) -> dict[str, list[str]]:
    code = attacks(world)
    source = "".join(
        f"## What does {name} do?\n<!-- card: id={name} -->\n\n```python\n{code[name]}\n```\n\n"
        for name in names
    )
    write({"cards/a.md": f"# A\n\n{source}", "planted.py": "print('planted')\n"})
    ran = ptcards(
        *("verify", world.folder / "cards", "--timeout", str(timeout), "--format", "json", *options),
        env={"XDG_CACHE_HOME": str(world.folder / "cache"), "CARD_SECRET": "secret"},
    )
    report = json.loads(ran.out)
    return {
        note["key"]: [each["message"].partition("'")[0] for each in note["diagnostics"]]
        for note in report["notes"]
    }


def left_over(world: World) -> list[str]:
    """Return the processes that children of cards still run."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                command = (folder / "cmdline").read_bytes().decode("utf-8", "replace")
            except OSError:
                continue
            if f"{SLEEPER} # {world.folder}" in command:
                found.append(command)
    return found


ENDLESS = ["the code is still running after 1 s"]
CONTAINED = {
    "loop": ENDLESS,
    "sleep": ENDLESS,
    "sigterm": ENDLESS,
    "memory": ["the code raises `MemoryError`"],
    "output": ["the code prints more than 1 MB"],
    "file": ["the code raises `OSError: [Errno 27] File too large`"],
    "children": [],
    "daemon": [],
    "bomb": ["the code starts more than 64 processes"],
    "environment": [],
    "import": ["the code raises `ModuleNotFoundError: No module named "],
}


@pytest.mark.sandbox
@pytest.mark.slow
def test_bubblewrap_contains_all_attacks(
    ptcards: Run, write: Write, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(world.folder)
    assert verify_all(ptcards, write, world, list(attacks(world))) == {
        **CONTAINED,
        "read": ["the code raises `FileNotFoundError: [Errno 2] No such file or directory: "],
        "write": ["the code raises `FileNotFoundError: [Errno 2] No such file or directory: "],
        "connect": ["the code raises `ConnectionRefusedError: [Errno 111] Connection refused`"],
        "signal": ["the code raises `ProcessLookupError: [Errno 3] No such process`"],
        "parent": ["the code kills the process that runs it"],
    }
    assert left_over(world) == []
    assert not (world.folder / "written").exists()
    os.kill(world.victim, 0)


@pytest.mark.slow
def test_limits_alone_contain_what_needs_no_namespace(
    ptcards: Run, write: Write, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(world.folder)
    assert verify_all(ptcards, write, world, [*CONTAINED, "parent"], "--no-sandbox") == {
        **CONTAINED,
        "parent": ["the code kills the process that runs it"],
    }
    assert left_over(world) == []


@pytest.mark.slow
def test_what_processes_use_together_is_limited(
    ptcards: Run, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervision, "MOST_MEMORY", 300 << 20)
    code = "import os, time\nfor _ in range(3):\n    if os.fork() == 0:\n        x = bytearray(b'x') * (150 << 20)\n        time.sleep(60)\ntime.sleep(60)"
    folder = write({"a.md": f"# A\n\n## One?\n\n```python\n{code}\n```\n"})
    ran = verify_unsandboxed(ptcards, folder / "a.md", cache=tmp_path / "cache")
    assert (ran.status, ran.err.splitlines()[0]) == (
        1,
        "a.md:5:1: error[code-died] the code uses more than 8 GB of memory",
    )


def test_what_processes_share_counts_once(
    ptcards: Run, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervision, "MOST_MEMORY", 300 << 20)
    code = "import os, time\nx = bytearray(b'x') * (150 << 20)\nfor _ in range(3):\n    if os.fork() == 0:\n        time.sleep(60)\ntime.sleep(0.5)\nprint(1)"
    folder = write({"a.md": f"# A\n\n## One?\n\n```python\n{code}\n```\n"})
    assert verify_unsandboxed(ptcards, folder / "a.md", cache=tmp_path / "cache").status == 0


TWO_WAYS = "help: install bubblewrap, or pass `--no-sandbox` if you trust the code of these cards\n"
ONE: dict[str, str | bytes] = {
    "cards/a.md": "# A\n\n## One?\n\n```python\nopen('../was', 'w').close()\n```\n"
}


def test_without_bubblewrap_nothing_runs_and_two_ways_are_named(ptcards: Run, write: Write) -> None:
    ran = ptcards("verify", write(ONE) / "cards", env={"PATH": ""})
    assert (ran.status, ran.err) == (
        2,
        f"error: bubblewrap is not installed, and code runs only in a sandbox\n{TWO_WAYS}",
    )


def test_no_sandbox_is_said_in_one_line_before_anything_runs(ptcards: Run, write: Write) -> None:
    ran = ptcards("verify", "--no-sandbox", write(ONE) / "cards", env={"PATH": ""})
    assert (ran.status, ran.err) == (
        0,
        f"{NOTICE}1 note with code run on Python {platform.python_version()}: 1 passed, 0 failed; 0 not run, 0 without code\n",
    )


def test_a_bubblewrap_that_is_refused_is_said_with_its_reason(ptcards: Run, write: Write) -> None:
    folder = write(
        {"bin/bwrap": "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n", **ONE}
    )
    (folder / "bin/bwrap").chmod(0o755)
    ran = ptcards("verify", folder / "cards", env={"PATH": f"{folder / 'bin'}:/usr/bin:/bin"})
    assert (ran.status, ran.err) == (
        2,
        f"error: bubblewrap does not work here: bwrap: setting up uid map: Permission denied\n{TWO_WAYS}",
    )


@pytest.mark.slow
@pytest.mark.sandbox
def test_a_bubblewrap_that_works_and_then_refuses_is_an_error(ptcards: Run, write: Write) -> None:
    script = 'case "$*" in *runner.py) echo "bwrap: too many arguments" >&2; exit 1;; esac\nexec /usr/bin/bwrap "$@"'
    folder = write({"bin/bwrap": f"#!/bin/sh\n{script}\n", **ONE})
    (folder / "bin/bwrap").chmod(0o755)
    ran = ptcards("verify", folder / "cards", env={"PATH": f"{folder / 'bin'}:/usr/bin:/bin"})
    assert (ran.status, ran.err.splitlines()[0]) == (
        2,
        f"error: `{sys.executable}` does not start: bwrap: too many arguments",
    )


@pytest.mark.slow
@pytest.mark.sandbox
def test_a_user_without_a_home_can_verify(write: Write) -> None:
    folder = write({"a.md": "# A\n\n## One?\n\n```python\nprint(1)\n```\n"})
    environment = {
        name: value for name, value in os.environ.items() if name not in ("HOME", "XDG_CACHE_HOME")
    }
    code = "import os; os.getuid = lambda: 54321\nfrom ptcards.cli import main\nmain(['verify', 'a.md'])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        0,
        f"1 note with code run on Python {platform.python_version()}: 1 passed, 0 failed; 0 not run, 0 without code",
    )


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.parametrize("options", [(), ("--no-sandbox",)], ids=["sandbox", "none"])
@pytest.mark.parametrize(
    ("end", "said"),
    [
        (signal.SIGINT, (130, ["interrupted"])),
        (signal.SIGTERM, (143, [])),
        (signal.SIGKILL, (-9, [])),
    ],
)
def test_whatever_ends_it_ends_everything_and_leaves_nothing(
    write: Write, world: World, options: tuple[str, ...], end: int, said: tuple[int, list[str]]
) -> None:
    child = [sys.executable, "-c", f"{SLEEPER} # {world.folder}"]
    code = f"import subprocess\nsubprocess.Popen({child!r}, start_new_session=True)\nimport time\ntime.sleep(3600)"
    folder = write({"a.md": f"# A\n\n## One?\n\n```python\n{code}\n```\n", "tmp/keep": ""})
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "TMPDIR": str(folder / "tmp")}
    command: list[str | Path] = [
        sys.executable,
        "-m",
        "ptcards",
        "verify",
        folder / "a.md",
        "--timeout",
        "60",
        "-q",
        *options,
    ]
    process = start(command, env=environment, stderr=subprocess.PIPE)
    while not left_over(world):
        assert process.poll() is None
        time.sleep(0.02)
    if end == signal.SIGINT:
        press_ctrl_c(process)
    else:
        process.send_signal(end)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors.splitlines()) == said
    while left_over(world):
        time.sleep(0.02)
    if end == signal.SIGKILL:  # the next run deletes what this run left
        write({"a.md": "# A\n\n## One?\n\n```python\nprint(1)\n```\n"})
        subprocess.run(command, env=environment, check=True)
    assert sorted(file.name for file in (folder / "tmp").iterdir()) == ["keep"]
