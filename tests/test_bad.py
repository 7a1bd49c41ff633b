"""Bad inputs: `bad/*.md` contain authors' errors with the exact output of `ptcards check -v`.

A case is a title, a line `.`, the input, a line `.`, the output, a line `.`. The input is `a.md`; a line `===
path` begins another file. With `(escaped)` after the path, its content is a Python string, for invisible
bytes. `deck.toml` is created unless the case has one; `-` as its content means none. `pytest --update` writes
the outputs: read the diff.
"""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Case, Ran, case_parameters
from ptcards.extensions import extensions
from ptcards.lint.registry import all_messages

FILES = sorted(file.stem for file in (Path(__file__).parent / "bad").glob("*.md"))
MOST = 200

_FILE = re.compile(r"^=== (.+?)( \(escaped\))?\n", re.MULTILINE)
_HEADLINE = re.compile(r"^\S+: (error|warning|hint)\[([a-z0-9-]+)\]", re.MULTILINE)
_STANDS_FOR = {
    "@@BIG@@": "word " * 14_000,
    "@@PARENS@@": "(" * 300 + ")" * 300,
    "Python @@VERSION@@": f"Python {sys.version_info.major}.{sys.version_info.minor}",
}


def _files(source: str) -> dict[str, str | bytes]:
    first, *rest = _FILE.split(source)
    files: dict[str, str | bytes] = {"deck.toml": 'name = "Deck"\nid = "i"\n'}
    if first:
        files["a.md"] = _full(first)
    for path, escaped, content in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        text = _full(content)
        files[path] = (
            text.replace("\n", "").encode().decode("unicode_escape").encode("latin-1") if escaped else text
        )
    return {path: content for path, content in files.items() if content != "-\n"}


def _full(text: str) -> str:
    for name, meaning in _STANDS_FOR.items():
        text = text.replace(name, meaning)
    return text


@pytest.mark.parametrize(
    ("name", "case"), [each for file in FILES for each in case_parameters(f"../bad/{file}")]
)
def test_a_bad_input_is_named_with_place_reason_and_fix(
    name: str,
    case: Case,
    ptcards: Callable[..., Ran],
    write: Callable[..., Path],
    expect: Callable[[str, Case, str], None],
) -> None:
    named = {rule for _, rule in _HEADLINE.findall(case.expected)}
    if not extensions() and (name.endswith("/unread") or not named <= all_messages().keys()):
        pytest.skip("an extension looks for the formats of other programs")
    folder = write(_files(case.source))
    ran = ptcards("check", "-v", folder)
    text = f"{ran.out}{ran.err}exit status {ran.status}\n"
    for written, meaning in _STANDS_FOR.items():
        text = text.replace(meaning, written)
    expect(name, case, text)
    for severity, rule in _HEADLINE.findall(ran.out):
        assert severity in all_messages()[rule].severities, rule
    if ran.status:
        built = ptcards("build", "-v", folder, "-o", folder / "out")
        outputs = [file.name for file in (folder / "out").glob("*")] if (folder / "out").exists() else []
        assert bool(built.status) == (outputs == []), "a failed build writes nothing"
        errors = [sorted(re.findall(r"^\S+: error\[.*", out, re.MULTILINE)) for out in (ran.out, built.err)]
        assert errors[0] == errors[1], "a build reports every error that a check reports"


def test_there_are_many_bad_inputs() -> None:
    titles = [case.id for file in FILES for case in case_parameters(f"../bad/{file}")]  # type: ignore[attr-defined] # a pytest parameter
    assert len(titles) >= MOST
    assert len(titles) == len(set(titles))
