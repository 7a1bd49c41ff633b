"""The extensions for editors: what they declare, and their snippets."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from ptcards import __version__

EDITORS = Path(__file__).parent.parent / "editors"
MANIFEST = json.loads((EDITORS / "vscode" / "package.json").read_text("utf-8"))
CODE = (EDITORS / "vscode" / "extension.js").read_text("utf-8")
SNIPPETS = json.loads((EDITORS / "vscode" / "snippets.json").read_text("utf-8"))
_FIELD = re.compile(r"\$\{\d+:([^}]*)\}|\$\{\d+\|(\w+)[^}]*\}|\$\d")


def test_every_command_of_vs_code_is_declared_and_defined() -> None:
    declared = [each["command"] for each in MANIFEST["contributes"]["commands"]]
    assert sorted(re.findall(r'command\("([\w.]+)"', CODE)) == sorted(declared)


def test_both_have_the_version_of_ptcards() -> None:
    obsidian = json.loads((EDITORS / "obsidian" / "manifest.json").read_text("utf-8"))
    assert (MANIFEST["version"], obsidian["version"]) == (__version__, __version__)


@pytest.mark.parametrize("name", [name for name in SNIPPETS if name != "Card comment"])
def test_a_snippet_as_it_is_inserted_is_a_card(
    name: str, write: Callable[..., Path], ptcards: Callable[..., Ran]
) -> None:
    body = "\n".join(SNIPPETS[name]["body"]).replace("$0", "It is so.").replace("${0:", "${9:")
    text = _FIELD.sub(lambda found: found[1] or found[2] or "", body)
    ran = ptcards("build", write({"a.md": f"# Deck\n\n{text}"}), "-q", "--dry-run")
    assert (ran.status, ran.err) == (0, "")


def test_neither_is_longer_than_somebody_reads() -> None:
    most = {"vscode/extension.js": 150, "obsidian/main.ts": 200}
    lines = {name: len((EDITORS / name).read_text("utf-8").splitlines()) for name in most}
    assert {name: count for name, count in lines.items() if count > most[name]} == {}
