"""Cards that do harm: what verify lets them do, with bubblewrap and without."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from conftest import Ran
from terminal import press_ctrl_c, start

Run = Callable[..., Ran]
Write = Callable[[dict[str, str | bytes]], Path]

SLEEPER = "import time; time.sleep(3600)"
"""what left-over processes run, found by its folder"""


@dataclass(frozen=True)
class World:
    """What the attacks aim at."""

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
    """Give the code of each attack; it prints what it got."""
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
        "parent": "import os\nos.kill(os.getppid(), 9)\nimport time\ntime.sleep(3600)",
    }


def verify_all(
    ptcards: Run, write: Write, world: World, names: list[str], **env: str
) -> dict[str, list[str]]:
    """Verify one note for each attack; give the messages, up to the first name in quotes, by attack."""
    endless = [name for name in names if CONTAINED.get(name) == ENDLESS]
    others = [name for name in names if name not in endless]
    return verify_some(ptcards, write, world, endless, 1, **env) | verify_some(
        ptcards, write, world, others, 60, **env
    )


def verify_some(
    ptcards: Run, write: Write, world: World, names: list[str], timeout: int, **env: str
) -> dict[str, list[str]]:
    code = attacks(world)
    source = "".join(
        f"## What does {name} do?\n<!-- card: id={name} -->\n\n```python\n{code[name]}\n```\n\n"
        for name in names
    )
    write({"cards/a.md": f"# A\n\n{source}", "planted.py": "print('planted')\n"})
    ran = ptcards(
        *("verify", world.folder / "cards", "--timeout", str(timeout), "--format", "json"),
        env={"XDG_CACHE_HOME": str(world.folder / "cache"), "CARD_SECRET": "secret", **env},
    )
    report = json.loads(ran.out)
    return {
        note["key"]: [each["message"].partition("'")[0] for each in note["diagnostics"]]
        for note in report["notes"]
    }


def left_over(world: World) -> list[str]:
    """List the processes that children of cards still run."""
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


ENDLESS = ["the code still runs after 1 s"]
CONTAINED = {
    "loop": ENDLESS,
    "sleep": ENDLESS,
    "sigterm": ENDLESS,
    "memory": ["the code raises `MemoryError`"],
    "output": ["the code prints more than 1 MB"],
    "file": ["the code raises `OSError: [Errno 27] File too large`"],
    "children": [],
    "daemon": [],
    "environment": [],
    "import": ["the code raises `ModuleNotFoundError: No module named "],
}


@pytest.mark.sandbox
@pytest.mark.slow
def test_bubblewrap_contains_all_attacks(
    ptcards: Run, write: Write, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shutil.which("bwrap"), "install bubblewrap"
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
    assert verify_all(ptcards, write, world, [*CONTAINED, "parent"], PATH="") == {
        **CONTAINED,
        "parent": ["the code kills the process that runs it"],
    }
    assert left_over(world) == []


def test_without_a_sandbox_that_is_said_once(ptcards: Run, write: Write, tmp_path: Path) -> None:
    note = "## What does {} print?\n\n```python\nprint({})\n```\n\n"
    folder = write({"cards/a.md": "# A\n\n" + note.format("a", 1) + note.format("b", 2)})
    ran = ptcards("verify", folder, env={"PATH": "", "XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert ran.status == 0
    assert ran.err.splitlines()[:-1] == [
        "no sandbox: bubblewrap is not installed; the code could read your files and use the network"
    ]


def test_a_bubblewrap_that_is_refused_is_said_with_its_reason(
    ptcards: Run, write: Write, tmp_path: Path
) -> None:
    folder = write(
        {
            "bin/bwrap": "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n",
            "cards/a.md": "# A\n\n## One?\n\n```python\nprint(1)\n```\n\n```output\n1\n```\n",
        }
    )
    (folder / "bin/bwrap").chmod(0o755)
    environment = {"PATH": f"{folder / 'bin'}:/usr/bin:/bin", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    ran = ptcards("verify", folder / "cards", env=environment)
    assert ran.status == 0
    assert ran.err.splitlines()[0] == (
        "no sandbox: bubblewrap does not work here (bwrap: setting up uid map: Permission denied); the code could read "
        "your files and use the network"
    )


@pytest.mark.slow
def test_an_interrupt_ends_everything_and_leaves_nothing(write: Write, world: World) -> None:
    child = [sys.executable, "-c", f"{SLEEPER} # {world.folder}"]
    code = f"import subprocess\nsubprocess.Popen({child!r}, start_new_session=True)\nimport time\ntime.sleep(3600)"
    folder = write({"cards/a.md": f"# A\n\n## One?\n\n```python\n{code}\n```\n", "tmp/keep": ""})
    for path in (os.environ["PATH"], ""):
        process = start(
            [sys.executable, "-m", "ptcards", "verify", folder / "cards", "--timeout", "60"],
            env={
                **os.environ,
                "PATH": path,
                "XDG_CACHE_HOME": str(folder / "cache"),
                "TMPDIR": str(folder / "tmp"),
            },
            stderr=subprocess.PIPE,
        )
        while not left_over(world):
            assert process.poll() is None
            time.sleep(0.02)
        press_ctrl_c(process)
        _, errors = process.communicate(timeout=60)
        assert (process.returncode, errors.splitlines()[-1]) == (130, "interrupted")
        assert left_over(world) == []
        assert sorted(file.name for file in (folder / "tmp").iterdir()) == ["keep"]
