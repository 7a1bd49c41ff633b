"""Cards that tamper with the code that runs and judges them.

Other cards' results are unaffected, and ptcards does not crash.
"""

import os
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sandboxed import printed, run, sandboxed_worker

from conftest import Ran
from ptcards.extensions.verify.sandbox import SCRATCH_SIZE, visible_folders
from ptcards.extensions.verify.supervision import Lost
from ptcards.extensions.verify.workers import CodePart, Task, Worker

pytestmark = [pytest.mark.slow, pytest.mark.sandbox]

Run = Callable[..., Ran]
Write = Callable[..., object]

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
    with sandboxed_worker() as worker:
        yield worker


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
    look = f"import os\nprint(sorted(os.listdir({str(tmp_path)!r})))"
    with sandboxed_worker(str(tmp_path)) as worker:
        assert [printed(run(worker, look)) for _ in range(2)] == ["['bin', 'kept']\n"] * 2


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
    (tmp_path / "env/deep").mkdir(parents=True)
    name = str(tmp_path / "env/deep/s")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(name)
        listening.listen()
        code = f"import socket\ntry:\n    socket.socket(socket.AF_UNIX).connect({name!r})\nexcept OSError as e:\n    print(e.strerror)"
        with sandboxed_worker(str(tmp_path / "env")) as worker:
            assert printed(run(worker, code)) == "Connection refused\n"


def test_devices_and_the_whole_system_are_never_shown() -> None:
    assert {"/run", "/dev/shm", "/proc", "/"} & {
        *visible_folders(["/run", "/dev/shm", "/proc", "/"])
    } == set()
