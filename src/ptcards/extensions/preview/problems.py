"""Diagnostics as the page shows them, in the words of the terminal."""

from collections.abc import Iterable
from pathlib import Path

from ptcards.diagnostics import Diagnostic, Location, as_json, error
from ptcards.diagnostics.layout import Terminal
from ptcards.diagnostics.render import SourceLine, render
from ptcards.files.inputs import source_lines

Problem = dict[str, object]

_TERMINAL = Terminal(columns=120)
"""The width in columns; wider lines would have to be scrolled."""


def problems(diagnostics: Iterable[Diagnostic]) -> tuple[Problem, ...]:
    """Return the distinct diagnostics as data; `text` is what the terminal prints about them."""
    lines = source_lines()
    return tuple(_problem(diagnostic, lines) for diagnostic in dict.fromkeys(diagnostics))


def _problem(diagnostic: Diagnostic, lines: SourceLine) -> Problem:
    text = render([diagnostic], format="text", source_line=lines, terminal=_TERMINAL)
    file = str(Path(diagnostic.location.path).absolute())
    return as_json(diagnostic) | {"text": text.rpartition("\n\n")[0], "file": file}


def trouble(message: str, help: str) -> Problem:  # noqa: A002 - the word that authors see
    """Return a diagnostic without a location, about the preview itself or about SOURCE."""
    found = as_json(error(Location("", 1), "preview", message, help))
    return found | {"file": "", "text": f"error: {message}\n  = help: {help}"}
