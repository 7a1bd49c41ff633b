"""One module per output format; this one has their names and file suffixes.

`--help` imports this module, so it must stay light.
"""

import re
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic

ENDINGS = {"apkg": "apkg", "csv": "csv", "html": "html", "anki-csv": "anki.csv"}
DEFAULTS = ("apkg", "csv")
"""The formats that a build writes by default."""


class BuildSummary(NamedTuple):
    """The number of notes and cards of a collection in words, and the paths of its outputs.

    `pushed` is the collection's id and the path of its lock, both empty without a `deck.toml`.
    """

    what: str
    outputs: list[str]
    pushed: tuple[str, str]


class BuildAnswer(NamedTuple):
    """What a build reports, and its summary of each collection."""

    diagnostics: list[Diagnostic]
    summaries: list[BuildSummary]


def replaces_everything(file_name: str) -> bool:
    """Whether Anki treats a package with this name as a backup, which replaces the learner's collection."""
    return re.fullmatch(r"collection\.apkg|backup-.*\.apkg", file_name, re.IGNORECASE) is not None
