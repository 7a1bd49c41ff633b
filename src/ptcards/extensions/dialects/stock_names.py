"""What Anki calls its own note types, and their two usual fields, in each of its languages."""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_COPY = re.compile(r"(?:\+|-[0-9a-f]{5})+$")
"""Matches what Anki adds to the name of a note type if there is another one with this name."""


def stock_name(name: str) -> str:
    """Return what Anki calls so: a kind of note, `question` or `answer`; or an empty string.

    A note type that is `optional` makes the reversed card only for some of its notes.
    """
    return _names().get(_COPY.sub("", name.strip()).casefold(), "")


@cache
def _names() -> Mapping[str, str]:
    """Return what each name in lower case names; `bench/stock_names.py` writes the file."""
    names = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
    return {name.casefold(): kind for kind, each in names.items() for name in each}
