"""The Python that runs the cards: its properties, and whether it has the required packages.

`ask` also asks other programs.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

from ptcards.extensions.verify.inside.records import fits
from ptcards.extensions.verify.sandbox import (
    INSIDE,
    RefusedError,
    Sandbox,
    find_sandbox,
    is_private,
    is_system,
    start,
)
from ptcards.extensions.verify.supervision import Lost, Watch
from ptcards.files import home_folder
from ptcards.files.programs import find_program, in_shell
from ptcards.files.temporary import temporary_folder

_PATIENCE = 60
"""seconds within which a Python must describe itself"""
_LONGEST = 16 << 20
"""the maximum size of its answer in bytes"""
_FIX = "name a Python 3.8 or newer with `--python PATH` or `python` in `[verify]` of `deck.toml`"


class _Answer(TypedDict):
    """How a Python describes itself."""

    executable: str
    version: str
    implementation: str
    machine: str
    folders: list[str]
    user_base: str
    distributions: dict[str, str]
    modules: dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Python:
    """The path of a Python; a `foreign` one comes from `deck.toml`, which may be somebody else's."""

    path: str
    foreign: bool


@dataclass(frozen=True, slots=True)
class Target:
    """A Python: its executable and version, the folders it reads, and the versions of installed packages.

    `imports` are the modules of the required packages. `identity` contains everything else that affects
    results. That includes the path of the Python, because a collection may bring a Python that lies about
    itself.
    """

    executable: str
    version: str
    identity: str
    folders: tuple[str, ...]
    user_base: str
    distributions: Mapping[str, str]
    imports: tuple[str, ...]


def python_of(root: Path, named: str, given: str) -> Python:
    """Return the Python for a collection: the given one, or the one in its `deck.toml`, or ours.

    `~` is the home folder. A name without a slash is looked up in PATH.
    """
    if given:
        found = find_program(given) if _is_bare(given) else None
        return Python(found or os.path.abspath(os.path.expanduser(given)), foreign=False)  # noqa: PTH100, PTH111 - never raise
    if not named:
        return Python(sys.executable, foreign=False)
    if _is_bare(named):
        return Python(find_program(named) or named, foreign=True)
    path = os.path.join(root, os.path.expanduser(named))  # noqa: PTH111, PTH118 - never raises
    return Python(on_this_system(os.path.abspath(path), windows=sys.platform == "win32"), foreign=True)  # noqa: PTH100


def on_this_system(path: str, *, windows: bool) -> str:
    """Return the path of a virtual environment's Python; on Windows, `bin/python` has another name."""
    folder, _, name = path.replace("\\", "/").rpartition("/") if windows else ("", "", "")
    if windows and folder.endswith("/bin") and name.startswith("python"):
        return f"{folder.removesuffix('/bin')}/Scripts/python.exe"
    return path


def find_target(python: Python, requires: Sequence[str], *, sandboxed: bool) -> Target:
    """Return the description of a Python.

    If `sandboxed`, a Python that a deck names is run in the sandbox.

    Raises:
        RefusedError: there is no sandbox, or the Python does not run or lacks required packages.

    """
    if not requires:
        return describe(python, (), sandboxed=sandboxed)
    # Most runs do not need it.
    from ptcards.extensions.verify.requirements import lacking, name_of, read_requirement  # noqa: PLC0415

    requirements = []
    for written in requires:
        requirement = read_requirement(written)
        if requirement is None:
            message = f"`{written}` in `requires` is not a package with versions"
            raise RefusedError(message, 'write requirements like this: `requires = ["torch>=2.13"]`')
        requirements.append(requirement)
    target = describe(python, [*map(name_of, requirements)], sandboxed=sandboxed)
    if found := [*lacking(requirements, target.distributions)]:
        listed = ", ".join(f"`{requirement}` ({state})" for requirement, state in found)
        command = in_shell(python.path, "-m", "pip", "install", *(str(each) for each, _ in found))
        message = f"`{python.path}` (Python {target.version}) lacks packages that the cards require: {listed}"
        raise RefusedError(message, f"run `{command}`, or name another Python with `--python PATH`")
    return target


def describe(python: Python, names: Sequence[str], *, sandboxed: bool) -> Target:
    """Return the description of a Python, with the modules of the packages in `names`.

    Raises RefusedError like `find_target`, but not for missing packages.
    """
    executable = python.path
    sandbox = find_sandbox() if python.foreign and sandboxed else None
    shown = _own_folders(executable) if sandbox else ()
    described = _ask(executable, names, sandbox, shown)
    own = described["executable"]
    folders = shown or tuple(described["folders"])
    if not shown and not any(own.startswith(folder) for folder in folders):
        own = os.path.realpath(own)  # A link to a Python elsewhere would be broken in the sandbox.
    about = f"{executable} {described['implementation']} {described['version']} {described['machine']}"
    return Target(
        executable=executable if shown else own,
        version=described["version"],
        # A result with access to the user's files may differ from one without.
        identity=about if sandboxed else f"{about} without a sandbox",
        folders=folders,
        user_base="" if shown else described["user_base"],
        distributions=described["distributions"],
        imports=tuple(module for modules in described["modules"].values() for module in modules),
    )


def clean_environment(target_base: str = "") -> dict[str, str]:
    """Return the environment variables for running cards.

    They contain nothing from the author's environment. They set one thread, a fixed language and a fixed hash
    seed.
    """
    environment = {
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "USER": "card",
        "LOGNAME": "card",
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    if target_base:
        environment["PYTHONUSERBASE"] = target_base
    if root := os.environ.get("SYSTEMROOT"):
        environment["SYSTEMROOT"] = root  # Windows needs it to open sockets and to start Python.
    return environment


def _is_bare(python: str) -> bool:
    return "/" not in python and os.sep not in python


def _own_folders(executable: str) -> tuple[str, ...]:
    """Return the folders of a Python that somebody else named, without running it.

    They are the prefixes of the environment and of its base installation.

    Raises:
        RefusedError: it does not exist, or its folder is not a Python's or contains the author's files.

    """
    if not os.path.isfile(executable):  # noqa: PTH113 - the path is a string throughout
        where = "is not in `PATH`" if _is_bare(executable) else "does not run: No such file or directory"
        raise RefusedError(f"`{executable}` {where}", _FIX)
    # Each link in a chain may be in a different environment.
    chain = [executable]
    while os.path.islink(chain[-1]) and len(chain) < 40:  # noqa: PTH114
        link = os.path.join(os.path.dirname(chain[-1]), os.readlink(chain[-1]))  # noqa: PTH115, PTH118, PTH120
        chain.append(os.path.normpath(link))
    prefixes = [str(Path(each).parent.parent) for each in (*chain, os.path.realpath(executable))]
    if not all(is_system(prefix) or _holds_python(prefix) for prefix in prefixes):
        message = f"`{executable}` is not in a Python installation's folder"
        raise RefusedError(message, "name the Python of an environment, or pass `--python PATH`")
    return tuple(dict.fromkeys(prefixes))


def _holds_python(prefix: str) -> bool:
    """Whether a folder belongs to a Python, and may be visible in a sandbox."""
    if is_private(prefix):
        return False
    libraries = (path.name for folder in ("lib", "lib64") for path in Path(prefix, folder).glob("*py*3*"))
    return os.path.isfile(f"{prefix}/pyvenv.cfg") or any(  # noqa: PTH113
        name.startswith(("python3", "pypy3")) for name in libraries
    )


def _ask(executable: str, names: Sequence[str], sandbox: Sandbox | None, shown: Sequence[str]) -> _Answer:
    """Return the probe's answer; it runs in an empty folder, without a terminal and with a time limit."""
    home = None if sandbox else home_folder()
    environment = {**clean_environment(), "HOME": str(home or tempfile.gettempdir())}
    command = [executable, str(INSIDE / "probe.py"), *names]
    try:
        answer, _ = ask(
            command, sandbox, shown, seconds=_PATIENCE, most=_LONGEST, sockets=False, env=environment
        )
    except OSError as failure:
        raise RefusedError(f"`{executable}` does not run: {failure.strerror}", _FIX) from failure
    described: Any = None
    with suppress(ValueError, RecursionError):
        described = json.loads(answer.stdout)
    if not fits(described, _Answer):  # a Python that somebody else named may send anything
        last = (answer.stderr.decode("utf-8", "replace").strip().splitlines() or ["it printed nothing"])[-1]
        raise RefusedError(f"`{executable}` is not a Python that can run cards: {last}", _FIX)
    found: _Answer = described
    return found


def ask(
    command: Sequence[str],
    sandbox: Sandbox | None,
    folders: Sequence[str],
    *,
    seconds: float,
    most: int,
    given: bytes = b"",
    most_memory: int = 0,
    **options: Any,
) -> tuple[subprocess.CompletedProcess[bytes], Lost]:
    """Return what a command answers in an empty folder, and why it was killed if it was.

    `given` is its input. It may take so many seconds, and print at most so many bytes. The other parameters
    are those of `start` and `Watch`.

    Raises:
        OSError: the command does not start.
        RefusedError: the folders cannot be shown.

    """
    with ExitStack() as held:
        question, errors = (held.enter_context(tempfile.TemporaryFile()) for _ in range(2))
        question.write(given)
        question.seek(0)
        options |= {"stdin": question, "stdout": subprocess.PIPE, "stderr": errors}
        options["cwd"] = "/" if sandbox else held.enter_context(temporary_folder("verify"))
        process = held.enter_context(start(command, sandbox, folders, **options))
        with Watch(process, sandboxed=sandbox is not None, most_memory=most_memory) as watch:
            watch.deadline = time.monotonic() + seconds
            assert process.stdout is not None  # noqa: S101 - it is a pipe
            said = process.stdout.read(most)
            if len(said) == most:
                watch.kill()
            status = process.wait()
        errors.seek(0)
        return subprocess.CompletedProcess(command, status, said, errors.read(1 << 16)), watch.lost
