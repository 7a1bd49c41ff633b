"""The programs that draw diagrams. They run with limits, and in a sandbox where there is one."""

import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from ptcards.extensions.drawing.svg import DrawingError
from ptcards.extensions.verify.sandbox import Sandbox
from ptcards.extensions.verify.supervision import Lost
from ptcards.extensions.verify.target import ask
from ptcards.files import reason_of
from ptcards.files.programs import find_program

SECONDS = 30
MOST_MEMORY = 1 << 30
"""the maximum memory of a program and what it starts, in bytes"""
_LONGEST = 8 << 20
_ENDED = {Lost.MEMORY: "it uses more than 1 GB of memory", Lost.TIME: "it takes more than 30 seconds"}
_BROWSERS = os.path.expanduser("~/.cache/puppeteer")  # noqa: PTH111 - never raises
_SETTINGS = Path(__file__).parent / "settings"
COLOURED = re.compile(r"fill|stroke|theme|background|colou?r\W{0,3}[:=]\s*[\"'#\w]", re.IGNORECASE)
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


def run(language: str, text: str, sandbox: Sandbox | None, *, night: bool) -> bytes:
    """Return what the author's program for a language draws of a diagram.

    Raises:
        DrawingError: there is none, it fails, takes too long or uses too much memory.

    """
    tool = TOOLS[language]
    program = find_program(tool.program)
    if program is None:
        raise DrawingError(f"`{tool.program}` is not on PATH", f"get it with {tool.get}")
    arguments = [each.replace("SETTINGS", str(_SETTINGS)) for each in (tool.night if night else tool.day)]
    if tool.browser and sandbox:  # a browser cannot have a sandbox of its own in ours
        arguments += ["-p", str(_SETTINGS / "browser.json")]
    before = tool.by_night if night else tool.by_day
    given = _chart(text, before) if language == "vega-lite" else before + text
    try:
        answer, lost = ask(
            [program, *arguments],
            sandbox,
            _folders(program),
            seconds=SECONDS,
            most=_LONGEST,
            given=given.encode(errors="replace"),
            most_memory=MOST_MEMORY,
            sockets=tool.browser,
            env=_environment() if sandbox else None,
        )
    except OSError as failure:
        raise DrawingError(f"{tool.program}: {reason_of(failure)}", f"get it with {tool.get}") from failure
    if answer.returncode == 0 and answer.stdout:
        return answer.stdout
    lines = (answer.stderr or answer.stdout).decode("utf-8", "replace").splitlines()
    said = "; ".join([" ".join(line.split()) for line in lines if line.strip()][:3])[:300]
    reason = _ENDED.get(lost) or said or f"it ended with status {answer.returncode}"
    raise DrawingError(f"{tool.program}: {reason}")


def _chart(text: str, config: str) -> str:
    """Return a chart with our configuration below its own."""
    try:
        chart = {"config": json.loads(config), **json.loads(text, object_pairs_hook=_without_addresses)}
    except (ValueError, TypeError, RecursionError):
        return text  # the program explains what is wrong
    return json.dumps(chart)


def _without_addresses(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object in a chart, if it reads no file: that may be any of the author's."""
    found = dict(pairs)
    if "url" in found:
        raise DrawingError("the chart reads data or pictures from a `url`", "write the values in it")
    return found


def _folders(program: str) -> list[str]:
    """Return the folders that a program needs: its own, and where its packages and settings are."""
    real = Path(os.path.realpath(program))
    own = {Path(program).parent, real.parent}
    packages = [folder for folder in real.parents if folder.name == "node_modules"]
    libraries = [folder.parent / "lib" for folder in own]
    return [*map(str, (*own, *packages, *libraries, _SETTINGS)), _BROWSERS, "/etc/fonts", "/etc/chromium.d"]


def _environment() -> dict[str, str]:
    """Return the environment in the sandbox: where programs and the author's browser are."""
    kept = {name: os.environ[name] for name in ("PATH", "PUPPETEER_EXECUTABLE_PATH") if name in os.environ}
    return {"HOME": "/tmp", "LANG": "C.UTF-8", "PUPPETEER_CACHE_DIR": _BROWSERS, **kept}  # noqa: S108 - inside the sandbox
