"""Cards that tamper with the code that runs and judges them.

Other cards' results are unaffected, and ptcards does not crash.
"""

import os
import socket
import struct
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import Ran
from ptcards.verify.sandbox import SCRATCH_SIZE, find_sandbox, visible_folders
from ptcards.verify.seccomp import system_call_filter
from ptcards.verify.supervision import Lost
from ptcards.verify.target import Python, find_target
from ptcards.verify.workers import CodePart, Launch, Reply, Task, Worker

pytestmark = [pytest.mark.slow, pytest.mark.sandbox]

Run = Callable[..., Ran]
Write = Callable[..., object]

OURS = Python(sys.executable, foreign=False)
FIND_RECORD = """\
import json, os, sys
frame = sys._getframe()
while "record" not in frame.f_locals:
    frame = frame.f_back
record, acknowledged = frame.f_locals["record"], frame.f_locals["acknowledged"]
def tell(entry):
    os.write(record, json.dumps(entry).encode() + b"\\n")
"""


@pytest.fixture
def worker() -> Iterator[Worker]:
    target = find_target(OURS, (), sandboxed=True)
    worker = Worker(Launch(target, find_sandbox(), fork=True, timeout=30))
    yield worker
    worker.close()


def run(worker: Worker, code: str) -> Reply:
    part = CodePart(block=0, code=code, line=0, mode="exec", raises=False)
    reply = worker.run(Task(setup="", blocks=[code], parts=[part]))
    assert not isinstance(reply, Lost)
    return reply


def printed(reply: Reply) -> str:
    return "".join(part["printed"] for part in reply["parts"])


@pytest.mark.parametrize(
    "entry",
    [
        {"part": "0", "error": None},
        {"part": -1, "error": None},
        {"part": 1, "error": None},
        {"part": 0, "error": {"name": "E"}},
        {"part": 0, "error": {"name": "E", "path": "E", "message": "", "place": [1]}},
        {"part": 0, "error": {"name": "\ud800", "path": "E", "message": "", "place": None}},
        {"warnings": [1], "imported": []},
        {"warnings": [], "imported": [1]},
        {"warnings": [{"name": "W", "message": "", "place": "here"}], "imported": []},
        {},
        [],
        7,
    ],
)
def test_what_a_card_tells_and_makes_no_sense_ends_it(worker: Worker, entry: object) -> None:
    reply = run(worker, f"{FIND_RECORD}tell({entry!r})\nprint('never')")
    assert ([part["part"] for part in reply["parts"]], reply["done"]) == ([-1], False)


def test_what_is_nested_too_deep_ends_it(worker: Worker) -> None:
    reply = run(worker, FIND_RECORD + "os.write(record, b'[' * 100_000 + b'\\n')")
    assert reply["done"] is False


def test_what_a_card_did_not_print_was_not_printed(worker: Worker) -> None:
    forge = "tell({'part': 0, 'error': None, 'printed': 'a lie'})\ntell({'warnings': [], 'imported': []})\nos._exit(0)"
    reply = run(worker, f"{FIND_RECORD}print('the truth')\n{forge}")
    assert printed(reply) == "the truth\n"


def test_what_a_card_takes_back_after_its_part_was_printed(worker: Worker) -> None:
    first = "print('first')"
    second = "import os\nos.ftruncate(1, 0)\nos.lseek(1, 0, 0)\nprint('second')"
    parts = [
        CodePart(block=number, code=code, line=0, mode="exec", raises=False)
        for number, code in enumerate((first, second))
    ]
    reply = worker.run(Task(setup="", blocks=[first, second], parts=parts))
    assert not isinstance(reply, Lost)
    assert printed(reply).splitlines()[0] == "first"


def test_a_card_cannot_answer_for_others(worker: Worker) -> None:
    code = (
        "import os\n"
        "folder = f'/proc/{os.getppid()}'\n"
        "try:\n"
        "    names = ['mem', *(f'fd/{name}' for name in os.listdir(f'{folder}/fd'))]\n"
        "except PermissionError:\n"
        "    names = ['mem']\n"
        "for name in names:\n"
        "    try:\n"
        "        file = os.open(f'{folder}/{name}', os.O_WRONLY | os.O_NONBLOCK)\n"
        "    except OSError:\n"
        "        continue\n"
        "    print(name, 'can be written')\n"
    )
    assert printed(run(worker, code)) == ""


def test_a_card_can_look_at_itself(worker: Worker) -> None:
    assert printed(run(worker, "import os\nprint(len(os.listdir('/proc/self/fd')) > 2)")) == "True\n"


def test_a_card_leaves_nothing_for_the_next_one(worker: Worker) -> None:
    leave = "import os\nfor folder in ('/tmp', '/dev/shm'):\n    os.mkdir(f'{folder}/left')\n    open(f'{folder}/file', 'w').close()"
    assert run(worker, leave)["done"]
    look = "import os\nfor folder in ('/tmp', '/dev/shm'):\n    print([n for n in os.listdir(folder) if n in ('left', 'file')])"
    assert printed(run(worker, look)) == "[]\n[]\n"


def test_a_python_below_tmp_stays_there(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "kept").write_text("")
    target = find_target(OURS, (), sandboxed=True)
    shown = replace(target, folders=(*target.folders, str(tmp_path)))
    worker = Worker(Launch(shown, find_sandbox(), fork=True, timeout=30))
    look = f"import os\nprint(sorted(os.listdir({str(tmp_path)!r})))"
    assert [printed(run(worker, look)) for _ in range(2)] == ["['bin', 'kept']\n"] * 2
    worker.close()


def test_a_card_can_write_only_to_small_folders_in_memory(worker: Worker) -> None:
    code = (
        "import os\nfor folder in ('/', '/dev', '/proc', '/usr', '/tmp', '/dev/shm'):\n"
        "    try:\n        open(folder + '/file', 'w').close()\n    except OSError:\n        continue\n"
        "    found = os.statvfs(folder)\n    print(folder, found.f_blocks * found.f_frsize)"
    )
    assert printed(run(worker, code)) == f"/tmp {SCRATCH_SIZE}\n/dev/shm {SCRATCH_SIZE}\n"


def test_a_forged_record_is_a_failure_in_the_report(ptcards: Run, write: Write) -> None:
    code = FIND_RECORD + "tell({'part': 0})"
    folder = write(
        {
            "cards/deck.toml": 'name = "D"\nid = "d"\n',
            "cards/a.md": f"# A\n\n## Why?\n\n```python\n{code}\n```\n",
        }
    )
    ran = ptcards("verify", f"{folder}/cards", env={"XDG_CACHE_HOME": f"{folder}/cache"})
    assert ran.status == 1
    assert "error[code-died]" in ran.err


def test_an_exception_that_no_file_can_hold_is_written_as_python_shows_it(ptcards: Run, write: Write) -> None:
    source = '# A\n\n## Why?\n\n```python raises=ValueError\nraise ValueError("\\ud800")\n```\n\n```output\n{}```\n'
    folder = write({"cards/deck.toml": 'name = "D"\nid = "d"\n', "cards/a.md": source.format("")})
    ran = ptcards("verify", f"{folder}/cards", "--update", env={"XDG_CACHE_HOME": f"{folder}/cache"})
    assert ran.status == 0
    assert Path(f"{folder}/cards/a.md").read_text("utf-8") == source.format("ValueError: \\ud800\n")


def bring(write: Write, script: str) -> str:
    """Write a collection that comes with its own Python; return its folder."""
    toml = 'name = "D"\nid = "d"\n[verify]\npython = "env/bin/python"\n'
    folder = write(
        {
            "cards/deck.toml": toml,
            "cards/env/bin/python": f"#!/bin/sh\n{script}\n",
            "cards/env/pyvenv.cfg": "",
            "cards/a.md": "# A\n\n## Why?\n\n```python\nprint(1)\n```\n\n```output\n1\n```\n",
        }
    )
    Path(f"{folder}/cards/env/bin/python").chmod(0o755)
    return str(folder)


def test_an_environment_that_a_collection_brings_along_runs_its_cards(ptcards: Run, write: Write) -> None:
    folder = bring(write, "")
    python = Path(f"{folder}/cards/env/bin/python")
    python.unlink()
    python.symlink_to(os.path.realpath(sys.executable))
    python.parent.parent.joinpath("pyvenv.cfg").write_text(
        f"home = {Path(os.path.realpath(sys.executable)).parent}\n"
    )
    ran = ptcards("verify", f"{folder}/cards", env={"XDG_CACHE_HOME": f"{folder}/cache"})
    assert (ran.status, "1 passed" in ran.err) == (0, True)


def test_a_python_that_a_collection_brings_along_sees_only_its_own_folder(ptcards: Run, write: Write) -> None:
    folder = bring(write, f'cat {__file__} >&2; touch "$0.was"; ls "${{0%/bin/python}}" >&2')
    ran = ptcards("verify", f"{folder}/cards", env={"XDG_CACHE_HOME": f"{folder}/cache"})
    assert (ran.status, ran.err.splitlines()[0]) == (
        2,
        "error: `cards/env/bin/python` is not a Python that can run cards: pyvenv.cfg",
    )
    assert not Path(f"{folder}/cards/env/bin/python.was").exists()


def test_a_python_that_feigns_a_broken_sandbox_is_not_run_without_it(ptcards: Run, write: Write) -> None:
    folder = bring(
        write,
        f'case "$*" in *runner.py) touch "$0.was"; echo "bwrap: no permission" >&2; exit 1;; esac\nexec {Path(sys.executable).resolve()} "$@"',
    )
    # The deck's Python claims to be the one that runs the cards.
    lie = f'{sys.executable} "$@" | sed "s|\\"executable\\": \\"[^\\"]*\\"|\\"executable\\": \\"$0\\"|"; exit'
    script = Path(f"{folder}/cards/env/bin/python")
    script.write_text(
        script.read_text().replace("exec", f'case "$*" in *probe.py*) {lie};; esac\nexec'), encoding="utf-8"
    )
    ran = ptcards("verify", f"{folder}/cards", env={"XDG_CACHE_HOME": f"{folder}/cache"})
    assert (ran.status, "no sandbox" in ran.err) == (2, False)
    assert not Path(f"{folder}/cards/env/bin/python.was").exists()


def test_sockets_in_a_folder_that_is_shown_are_hidden(tmp_path: Path) -> None:
    target = find_target(OURS, (), sandboxed=True)
    (tmp_path / "env/deep").mkdir(parents=True)
    name = str(tmp_path / "env/deep/s")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(name)
        listening.listen()
        shown = replace(target, folders=(*target.folders, str(tmp_path / "env")))
        worker = Worker(Launch(shown, find_sandbox(), fork=True, timeout=30))
        code = f"import socket\ntry:\n    socket.socket(socket.AF_UNIX).connect({name!r})\nexcept OSError as e:\n    print(e.strerror)"
        assert printed(run(worker, code)) == "Connection refused\n"
        worker.close()


def test_devices_and_the_whole_system_are_never_shown() -> None:
    assert {"/run", "/dev/shm", "/proc", "/"} & {
        *visible_folders(["/run", "/dev/shm", "/proc", "/"])
    } == set()


def test_what_would_outlive_a_card_is_not_there(worker: Worker) -> None:
    code = """\
import ctypes, errno, os
c = ctypes.CDLL(None, use_errno=True)
def name(result):
    return errno.errorcode[ctypes.get_errno()] if result < 0 else result
print(name(c.shmget(0, 4096, 0o1600)), name(c.semget(0, 1, 0o1600)), name(c.msgget(0, 0o1600)))
numbers = (248, 249, 250, 240) if os.uname().machine == "x86_64" else (217, 218, 219, 180)
print(*(name(c.syscall(number, 0, 0, 0, 0, 0)) for number in numbers))
"""
    assert printed(run(worker, code)).splitlines() == ["ENOSYS ENOSYS ENOSYS", "ENOSYS ENOSYS ENOSYS ENOSYS"]


def test_there_are_no_user_namespaces_where_bubblewrap_can_forbid_them(worker: Worker) -> None:
    code = "import ctypes\nprint(ctypes.CDLL(None).unshare(0x10000000))"
    assert ("--disable-userns" in find_sandbox().options, printed(run(worker, code))) == (True, "-1\n")


def test_a_32_bit_call_is_refused_too() -> None:
    instructions = list(struct.iter_unpack("=HBBI", system_call_filter("x86_64", sockets=True)))
    assert instructions[:3] == [(0x20, 0, 0, 4), (0x15, 1, 0, 0xC000003E), (0x06, 0, 0, 0x00050026)]
    last = len(instructions) - 1
    targets = {
        index + 1 + jump for index, (code, jump, _, _) in enumerate(instructions) if code in (0x15, 0x35)
    }
    assert targets == {3, last}
    assert instructions[-2:] == [(0x06, 0, 0, 0x7FFF0000), (0x06, 0, 0, 0x00050026)]


def test_a_processor_whose_calls_are_not_known_has_no_filter() -> None:
    assert system_call_filter("riscv64", sockets=False) == b""
