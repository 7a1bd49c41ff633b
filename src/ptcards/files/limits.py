"""Limits on TOML and YAML that strangers wrote, which are checked on the text, before a parser sees it.

What a parser makes of a small text may be large. Limits on JSON are in `foreign_json`, which the add-on has.
"""

import re
import tomllib
from typing import Any

from ptcards.files.foreign_json import LargeDocumentError

MAX_KEY_PARTS = 16
"""The maximum number of parts in a key of TOML: the parser's time and memory grow with their square."""
MAX_YAML = 16 << 10
"""The maximum number of characters of YAML: a hundred times the usual front matter, for half a second."""

_KEY_PART = r"""(?:[\w-]+|"(?>(?:[^"\\\n]|\\.){0,99})"|'[^'\n]{0,99}+')[ \t]*+\.[ \t]*+"""
_DEEP_KEY = re.compile(rf"(?<![\w-])(?:{_KEY_PART}){{{MAX_KEY_PARTS}}}")


class DeepKeyError(LargeDocumentError):
    """A key of TOML with too many parts, which begins at the offset `start`."""

    def __init__(self, message: str, start: int) -> None:
        super().__init__(message)
        self.start = start


def parse_toml(text: str) -> dict[str, Any]:
    """Return a document in TOML.

    Raises:
        DeepKeyError: a key has too many parts; nothing was parsed.
        tomllib.TOMLDecodeError: it is not TOML.
        ValueError: it has a number with too many digits.
        RecursionError: it is nested too deeply.

    """
    if deep := _DEEP_KEY.search(text):
        raise DeepKeyError(f"a key has more than {MAX_KEY_PARTS} parts", deep.start())
    return tomllib.loads(text)


def check_yaml(text: str) -> None:
    """Raise LargeDocumentError if a document in YAML is too large to parse.

    There is no limit on aliases, because we only read the nodes, and an alias is the node that it names.
    """
    if len(text) > MAX_YAML:
        raise LargeDocumentError(f"is larger than {MAX_YAML >> 10} KB")
