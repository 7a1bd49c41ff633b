"""The programs that draw diagrams. They run with limits, and in a sandbox where there is one."""

import functools
import json
import os
import re
import signal
import subprocess
import tempfile
import tomllib
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, NamedTuple

from ptcards.extensions.verify.sandbox import Sandbox, start
from ptcards.extensions.verify.supervision import Lost, Watch, kill, listen
from ptcards.files import home_folder, reason_of
from ptcards.files.temporary import temporary_folder

SECONDS = 30
MOST_MEMORY = 1 << 30
"""the maximum memory of a program and what it starts, in bytes"""
_LONGEST = 8 << 20
_SETTINGS = Path(__file__).parent / "settings"
_COLOURED = re.compile(r"fill|stroke|theme|background|colou?r\W{0,3}[:=]\s*[\"'#\w]", re.IGNORECASE)
"""Matches what sets colours in a diagram. They are for white paper, so it is not drawn for night mode."""


class Tool(NamedTuple):
    """A program that reads a diagram from its input and prints SVG, and how to get it.

    `day` and `night` are its arguments; a diagram begins with `by_day` or `by_night`. `browser` is true if it
    starts a browser.
    """

    program: str
    get: str
    day: list[str]
    night: list[str]
    by_day: str = ""
    by_night: str = ""
    browser: bool = False


_TABLE = (_SETTINGS / "tools.toml").read_text("utf-8")
TOOLS = {name: Tool(**values) for name, values in tomllib.loads(_TABLE).items()}
"""The programs by the language of what they draw."""


class ToolError(Exception):
    """A program does not draw a diagram; the message is its own, or says why."""


def can_be_dark(text: str) -> bool:
    """Whether a diagram can also be drawn for night mode: it sets no colours itself."""
    return not _COLOURED.search(text)


def run(language: str, program: str, text: str, sandbox: Sandbox | None, *, night: bool) -> bytes:
    """Return what a program draws of a diagram.

    Raises:
        ToolError: it fails, takes too long or uses too much memory.

    """
    tool = TOOLS[language]
    arguments = [each.replace("SETTINGS", str(_SETTINGS)) for each in (tool.night if night else tool.day)]
    if tool.browser and sandbox:  # a browser cannot have a sandbox of its own in ours
        arguments += ["-p", str(_SETTINGS / "browser.json")]
    before = tool.by_night if night else tool.by_day
    given_text = _chart(text, before) if language == "vega-lite" else before + text
    with ExitStack() as held:
        given = held.enter_context(tempfile.TemporaryFile())
        given.write(given_text.encode(errors="replace"))
        given.seek(0)
        folder = "/" if sandbox else str(held.enter_context(temporary_folder("draw")))
        try:
            process = start(
                [program, *arguments],
                sandbox,
                _folders(program),
                sockets=tool.browser,
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=_environment() if sandbox else None,
                cwd=folder,
            )
        except OSError as failure:
            raise ToolError(reason_of(failure)) from failure
        end = functools.partial(_end, process, sandboxed=sandbox is not None)
        with Watch(process, sandboxed=sandbox is not None, most_memory=MOST_MEMORY) as watch:
            svg, errors = listen(process, end, seconds=SECONDS, most=_LONGEST)
    if process.returncode == 0 and svg:
        return svg
    raise ToolError(_reason(watch.lost, process.returncode, errors or svg))


def _reason(lost: Lost, code: int, said: bytes) -> str:
    """Return the first lines of a program's message, or why it was ended."""
    if lost is Lost.MEMORY:
        return f"it uses more than {MOST_MEMORY >> 30} GB of memory"
    if code in (-signal.SIGTERM, -_KILL, 128 + _KILL):
        return f"it was ended after {SECONDS} seconds"
    lines = [" ".join(line.split()) for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    return "; ".join(lines[:3])[:300] or f"it ended with status {code}"


_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


def _end(process: subprocess.Popen[bytes], *, sandboxed: bool) -> None:
    """End a program and, where systems have groups of processes, what it has started."""
    kill(process, sandboxed=sandboxed)
    if not sandboxed and hasattr(os, "killpg"):
        with suppress(OSError):
            os.killpg(process.pid, _KILL)


def _chart(text: str, config: str) -> str:
    """Return a chart with our configuration below its own.

    Raises ToolError if it reads other files: outside a sandbox, they could be any file of the author.
    """
    keys: list[str] = []

    def noted(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys.extend(key for key, _ in pairs)
        return dict(pairs)

    try:
        chart = json.loads(text, object_pairs_hook=noted)
    except (ValueError, RecursionError):
        return text  # the program explains what is wrong
    if "url" in keys:
        raise ToolError("it reads data or pictures from a `url`; write the values in the chart")
    return json.dumps({"config": json.loads(config), **chart}) if isinstance(chart, dict) else text


def _folders(program: str) -> list[str]:
    """Return the folders that a program needs: its own, and where its packages and settings are."""
    real = Path(os.path.realpath(program))
    packages = [folder for folder in real.parents if folder.name == "node_modules"]
    libraries = [place.parent / "lib" for place in (Path(program).parent, real.parent)]
    home = home_folder()
    browsers = [home / ".cache/puppeteer"] if home else []
    found = (Path(program).parent, real.parent, *packages, *libraries, *browsers, _SETTINGS)
    return [*map(str, found), "/etc/fonts", "/etc/chromium.d"]


def _environment() -> dict[str, str]:
    """Return the environment in the sandbox: where programs and the author's browser are."""
    kept = {name: os.environ[name] for name in ("PUPPETEER_EXECUTABLE_PATH",) if name in os.environ}
    home = home_folder()
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": "/tmp",  # noqa: S108 - inside the sandbox
        "LANG": "C.UTF-8",
        "PUPPETEER_CACHE_DIR": str(home / ".cache/puppeteer") if home else "",
        **kept,
    }
