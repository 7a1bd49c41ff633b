"""Diagnostics as the page shows them: in the words of the terminal."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ptcards.diagnostics import Diagnostic, Location, error
from ptcards.inputs import text_at
from ptcards.reports import as_json, render

Problem = dict[str, object]


@dataclass(frozen=True, slots=True)
class _Lines:
    """Looks up source lines: in the texts that were read, by path, or in the file itself (`deck.toml`)."""

    texts: Mapping[str, str]

    def __call__(self, location: Location) -> str | None:
        text = self.texts.get(location.path)
        if text is None:
            text = text_at(location.path)
        lines = text.split("\n")
        return lines[location.line - 1] if location.line <= len(lines) else None


def problem(diagnostic: Diagnostic, texts: Mapping[str, str]) -> Problem:
    """Give a diagnostic as data, with `text`, what the terminal says of it; `texts` are the sources by path."""
    text = render([diagnostic], format="full", source_line=_Lines(texts), color=False)
    file = str(Path(diagnostic.location.path).absolute())
    return as_json(diagnostic) | {"text": text.rpartition("\n\n")[0], "file": file}


def trouble(message: str, help: str) -> Problem:  # noqa: A002 - the word authors read
    """Give what is wrong with the preview itself, or with SOURCE, as a diagnostic without a place."""
    found = as_json(error(Location("", 1), "preview", message, help))
    return found | {"file": "", "text": f"error: {message}\n  = help: {help}"}
