r"""The commands of MathJax with their arguments, and the names that a formula defines itself.

`tex.json` lists the commands; `bench/mathjax.py` writes it.
"""

import json
import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import cache
from pathlib import Path
from typing import NamedTuple

COMMENT = r"%[^\n]*"
"""The pattern of a comment in TeX."""
_NEW_NAME = re.compile(
    r"\\(?:(?:re)?newcommand\*?|[gex]?def|let|Newextarrow|DeclareMathOperator\*?"
    r"|DeclarePairedDelimiters?(?:XPP|X)?\*?)\s*\{?\s*\\([A-Za-z]+|[^A-Za-z\s])"
)


class Signature(NamedTuple):
    """The arguments of a command and what it does to its surroundings; the letters of `bench/mathjax.py`."""

    arguments: str
    properties: str


class TexCommands(NamedTuple):
    r"""What MathJax knows.

    In `aligned` environments, `&` separates cells; `displays` cannot be inside each other. `physics` contains
    the commands that `\require{physics}` adds, and `packages` what Anki's MathJax can load without a
    network.
    """

    commands: Mapping[str, Signature]
    environments: AbstractSet[str]
    aligned: AbstractSet[str]
    displays: AbstractSet[str]
    delimiters: AbstractSet[str]
    physics: AbstractSet[str]
    packages: AbstractSet[str]


@cache
def tex_commands() -> TexCommands:
    """Return what MathJax knows."""
    data = json.loads((Path(__file__).parent / "tex.json").read_text("utf-8"))
    commands = {
        name: Signature(*signature.split("/"))
        for signature, names in data["commands"].items()
        for name in names.split(" ")
    }
    kinds = ("environments", "aligned", "displays", "delimiters", "physics", "packages")
    return TexCommands(commands, *(frozenset(data[kind].split()) for kind in kinds))


def defined_names(formulas: str) -> frozenset[str]:
    """Return the names of the commands that formulas, joined to one text, define."""
    return frozenset(_NEW_NAME.findall(formulas))
