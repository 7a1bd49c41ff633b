"""The processes that run cards: forked and fresh ones, and old Pythons."""

import ast
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from ptcards.extensions.verify.sandbox import FORKS, INSIDE, RefusedError, visible_folders
from ptcards.extensions.verify.supervision import Lost
from ptcards.extensions.verify.target import Python, find_target
from ptcards.extensions.verify.verification import imports_ahead
from ptcards.extensions.verify.workers import CodePart, Crew, Launch, Task, Worker

pytestmark = pytest.mark.slow

OURS = Python(sys.executable, foreign=False)


def task(*codes: str) -> Task:
    parts = [
        CodePart(block=number, code=code, line=0, mode="exec", raises=False)
        for number, code in enumerate(codes)
    ]
    return Task(setup="", blocks=list(codes), parts=parts)


@pytest.fixture(params=[True, False], ids=["forked", "fresh"])
def launch(request: pytest.FixtureRequest) -> Callable[[float], Launch]:
    target = find_target(OURS, ("PyYAML",), sandboxed=False)
    return lambda timeout: Launch(target, None, request.param, timeout)


def test_each_task_has_its_own_process_and_folder(launch: Callable[[float], Launch]) -> None:
    worker = Worker(launch(20))
    code = (
        "import os, sys, tempfile\nprint(os.listdir(), 'yaml' in sys.modules, os.path.samefile(tempfile.gettempdir(), '.'))\n"
        "open('left', 'w').close()\nimport builtins\nprint(hasattr(builtins, 'left'))\nbuiltins.left = 1"
    )
    replies = [worker.run(task(code)) for _ in range(2)]
    worker.close()
    for reply in replies:
        assert not isinstance(reply, Lost)
        assert [part["printed"] for part in reply["parts"]] == ["", "[] True True\nFalse\n"]
        assert (reply["done"], reply["code"], reply["distributions"]) == (True, 0, ["pyyaml"])


def test_what_each_set_up_imports_is_there_before_it_if_it_can_be() -> None:
    target = find_target(OURS, (), sandboxed=False)
    worker = Worker(Launch(target, None, FORKS, 20, ("no_such_module", "json.tool")))
    reply = worker.run(task("import sys\nprint('json.tool' in sys.modules)"))
    worker.close()
    assert not isinstance(reply, Lost)
    assert [part["printed"] for part in reply["parts"]] == ["", f"{FORKS}\n"]


@pytest.mark.parametrize(
    ("setup", "ahead"),
    [
        ("import torch._dynamo, numpy\nfrom torch.nn import functional\nimport torch.fx", 3),
        ("x = 1\nimport torch.fx", 0),
        ("from .torch import fx", 0),
        ("import torch.", 0),
        ("", 0),
    ],
)
def test_only_parts_of_what_is_required_are_imported_ahead(setup: str, ahead: int) -> None:
    assert imports_ahead(setup, ["torch"]) == ("torch._dynamo", "torch.nn", "torch.fx")[:ahead]


def test_a_task_that_hangs_ends_and_the_next_one_runs(launch: Callable[[float], Launch]) -> None:
    worker = Worker(launch(0.3))
    hanging = worker.run(task("import time\ntime.sleep(60)"))
    after = worker.run(task("print(1)"))
    worker.close()
    assert not isinstance(hanging, Lost)
    assert not isinstance(after, Lost)
    assert (hanging["done"], hanging["code"]) == (False, None)
    assert 'File "<block 0>", line 2' in hanging["stderr"]
    assert after["done"]


def test_a_copy_that_a_card_forks_and_forgets_does_not_answer_for_it(
    launch: Callable[[float], Launch],
) -> None:
    worker = Worker(launch(20))
    reply = worker.run(
        task("import os\nif os.fork():\n    os.wait()\nelse:\n    print('child')", "print('parent')")
    )
    worker.close()
    assert not isinstance(reply, Lost)
    assert [part["printed"] for part in reply["parts"]] == ["", "child\n", "parent\n"]


def test_a_worker_that_dies_is_replaced() -> None:
    target = find_target(OURS, (), sandboxed=False)
    launch = Launch(target, None, fork=True, timeout=20)
    kill = task("import os\nos.kill(os.getppid(), 9)\nimport time\ntime.sleep(60)")
    crew = Crew(launch, 1)
    replies = dict(crew.run([kill, task("print(1)"), kill, task("print(2)")]))
    assert [
        reply if isinstance(reply, Lost) else reply["parts"][1]["printed"]
        for _, reply in sorted(replies.items())
    ] == [Lost.KILLED, "1\n", Lost.KILLED, "2\n"]


def test_an_interrupt_while_the_first_task_begins_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    launch = Launch(find_target(OURS, (), sandboxed=False), None, FORKS, 60)
    start = threading.Thread.start
    threads: list[threading.Thread] = []

    def interrupted(thread: threading.Thread) -> None:
        start(thread)
        if thread.name.startswith("card"):
            threads.append(thread)
            raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    crew = Crew(launch, 1)
    with pytest.raises(KeyboardInterrupt):
        list(crew.run([task("import time\ntime.sleep(30)")]))
    (thread,) = threads
    thread.join(20)
    assert not thread.is_alive()


def test_what_cannot_be_imported_is_named() -> None:
    target = find_target(OURS, (), sandboxed=False)
    broken = type(target)(target.executable, "", "", target.folders, "", {}, ("no_such_module",))
    launch = Launch(broken, None, fork=True, timeout=20)
    with pytest.raises(RefusedError, match="No module named 'no_such_module'"):
        list(Crew(launch, 2).run([task("1"), task("2")]))


@pytest.mark.parametrize("name", ["card.py", "probe.py", "records.py", "runner.py"])
def test_the_scripts_are_python_3_8_and_need_nothing(name: str) -> None:
    tree = ast.parse((INSIDE / name).read_text("utf-8"), feature_version=(3, 8))
    imported = {
        module.split(".")[0]
        for node in ast.walk(tree)
        for module in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported <= sys.stdlib_module_names


def test_the_sandbox_shows_the_python_and_no_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    (tmp_path / "home" / "env" / "lib").mkdir(parents=True)
    (tmp_path / "home" / "linked").symlink_to("env")
    folders = (
        str(tmp_path / "home"),
        str(tmp_path),
        str(tmp_path / "home" / "env" / "lib"),
        str(tmp_path / "home" / "linked"),
    )
    shown = visible_folders(folders)
    assert [place for place in shown if place.startswith(str(tmp_path))] == [
        str(tmp_path / "home" / "env"),
        str(tmp_path / "home" / "linked"),
    ]
