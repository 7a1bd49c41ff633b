"""The Python that runs the cards: what it is, and whether it has what they need."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ptcards.collection import Collection
from ptcards.verify.requirements import Requirement
from ptcards.verify.sandbox import INSIDE, onlooker

_PATIENCE = 60
"""seconds that a Python may take to say what it is"""


class TargetError(Exception):
    """There is no Python that could run the cards: nothing was run, exit status 2. `fix` says what to do."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__(message)
        self.fix = fix


@dataclass(frozen=True, slots=True)
class Python:
    """The path of a Python; a `foreign` one was named by a collection, which may be somebody else's, and brought along."""

    path: str
    foreign: bool


@dataclass(frozen=True, slots=True)
class Target:
    """A Python: its executable and version, the folders it reads, the versions of what is installed.

    `imports` are the modules of what the cards require, `identity` names all that a result depends on besides: also where the
    Python lies, since a collection may bring one along that says of itself what it likes.
    """

    executable: str
    version: str
    identity: str
    folders: tuple[str, ...]
    user_base: str
    distributions: Mapping[str, str]
    imports: tuple[str, ...]


def python_of(collection: Collection, given: str) -> Python:
    """Find the Python for a collection's cards: as given, else as `deck.toml` names it, else ours.

    `~` is home; a name without a slash is looked for in PATH.
    """
    python, folder = (given, Path()) if given else (collection.config.verify.python, collection.root)
    if not python:
        return Python(sys.executable, foreign=False)
    if "/" not in python and os.sep not in python and (found := shutil.which(python)):
        return Python(found, foreign=False)
    return Python(str((folder / Path(python).expanduser()).absolute()), foreign=not given)


def find_target(python: Python, requires: Sequence[str]) -> Target:
    """Ask a Python what it is.

    Raises:
        TargetError: it does not run, or lacks what is required.

    """
    executable = python.path
    requirements = _read(requires)
    described = _ask(python, [requirement.name for requirement in requirements])
    _check(executable, described["version"], requirements, described["distributions"])
    own: str = described["executable"]
    inside = any(own.startswith(folder) for folder in described["folders"])
    return Target(
        # A link from elsewhere to a Python would lead nowhere in a sandbox.
        executable=own if inside else os.path.realpath(own),
        version=described["version"],
        identity=f"{executable} {described['implementation']} {described['version']} {described['machine']}",
        folders=tuple(described["folders"]),
        user_base=described["user_base"],
        distributions=described["distributions"],
        imports=tuple(module for modules in described["modules"].values() for module in modules),
    )


def clean_environment(target_base: str = "") -> dict[str, str]:
    """Give the environment that cards run in: nothing of the author's, one thread, one language, one hash seed."""
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
        environment["SYSTEMROOT"] = root  # Windows cannot open a socket, or start Python, without it
    return environment


def _read(requires: Sequence[str]) -> list[Requirement]:
    found = []
    for written in requires:
        requirement = Requirement.read(written)
        if requirement is None:
            message = f"`{written}` in `requires` is not a distribution with versions"
            raise TargetError(message, 'write it as in `requires = ["torch>=2.13"]`')
        found.append(requirement)
    return found


def _ask(python: Python, names: list[str]) -> dict[str, Any]:
    executable = python.path
    environment = {**clean_environment(), "HOME": str(Path.home())}
    fix = "name a Python 3.8 or newer with `--python PATH` or `python` in `[verify]` of `deck.toml`"
    try:
        answer = subprocess.run(  # noqa: S603 - the Python that the author names, asked about itself
            [*(onlooker(executable) if python.foreign else ()), executable, str(INSIDE / "probe.py"), *names],
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            env=environment,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as failure:
        reason = failure.strerror if isinstance(failure, OSError) else f"no answer in {_PATIENCE} s"
        message = f"`{executable}` does not run: {reason}"
        raise TargetError(message, fix) from failure
    try:
        described: dict[str, Any] = json.loads(answer.stdout)
    except ValueError as failure:
        last = (answer.stderr.strip().splitlines() or ["it printed nothing"])[-1]
        message = f"`{executable}` is not a Python that can run cards: {last}"
        raise TargetError(message, fix) from failure
    return described


def _check(
    executable: str, version: str, requirements: list[Requirement], installed: Mapping[str, str]
) -> None:
    """Raise TargetError with all that is missing or has the wrong version."""
    lacking = []
    for requirement in requirements:
        have = installed.get(requirement.name)
        if have is None or not requirement.is_met_by(have):
            lacking.append((requirement.written, f"{have} is installed" if have else "not installed"))
    if lacking:
        listed = ", ".join(f"`{written}` ({state})" for written, state in lacking)
        command = shlex.join([executable, "-m", "pip", "install", *(written for written, _ in lacking)])
        message = f"`{executable}` (Python {version}) lacks what the cards require: {listed}"
        raise TargetError(message, f"run `{command}`, or name another Python with `--python PATH`")
