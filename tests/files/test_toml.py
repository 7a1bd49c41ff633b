"""Malformed `deck.toml` files: what is wrong is said with its place and a fix."""

import tomllib
from pathlib import Path

import pytest

from ptcards.files.toml import read_toml

_NO_QUOTE = "this text has no closing quote: add it at the end"
_NO_VALUE = (
    'the value is missing or has no quotes: put text in straight quotes, as in `name = "My deck"`; '
    "other values are numbers, `true` and `false`"
)
_SECOND_VALUE = "a line has more than one value: put text in quotes, and each key on its own line"
_NO_EQUALS = '`=` is missing after a key: write `key = "…"`, or begin a comment with `#`'
_TWICE = "a key or table is set twice: put all of it in one place"
_SEE = "see https://toml.io for the syntax"


@pytest.mark.parametrize(
    ("toml", "place", "said"),
    [
        ('name = "x\nid = "abcd"\n', "1:10", _NO_QUOTE),
        ('name = "x\r\nid = "a"\r\n', "1:10", _NO_QUOTE),
        ("name = 'x\n", "2:1", _NO_QUOTE),
        ('name = """x\n', "2:1", _NO_QUOTE),
        ('name = "a', "1:10", _NO_QUOTE),
        ("name =\n", "1:7", _NO_VALUE),
        ("name = # later\n", "1:8", _NO_VALUE),
        ("name = x\n", "1:8", _NO_VALUE),
        ("name = “x”\n", "1:8", _NO_VALUE),
        ("name = True\n", "1:8", _NO_VALUE),
        ("include = [a.md]\n", "1:12", _NO_VALUE),
        ("name = 2026-02-31\n", "1:8", f"not TOML: invalid date or datetime: {_SEE}"),
        ("name = 12 monkeys\n", "1:11", _SECOND_VALUE),
        ('name = "x", id = "y"\n', "1:11", _SECOND_VALUE),
        ('name = "x";\n', "1:11", _SECOND_VALUE),
        ("name x\n", "1:6", _NO_EQUALS),
        ("name\n", "1:5", _NO_EQUALS),
        ('name: "x"\n', "1:5", _NO_EQUALS),
        ('name = "x"\nname = "y"\n', "2:11", _TWICE),
        ("[check]\na = 1\n[check]\nb = 2\n", "3:7", _TWICE),
        ("check = 1\n[check]\nb = 2\n", "2:7", _TWICE),
        ("[check.limits]\na = 1\n[check]\nlimits.b = 2\n", "4:13", _TWICE),
        ("[check\nignore = []\n", "1:7", f"not TOML: expected ']' at the end of a table declaration: {_SEE}"),
        ('[check]\nignore = ["a"\n', "3:1", f"not TOML: unclosed array: {_SEE}"),
        ('<<<<<<< HEAD\nname = "x"\n', "1:1", f"not TOML: invalid statement: {_SEE}"),
    ],
)
def test_a_mistake_in_toml_has_its_place_and_a_fix(toml: str, place: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "deck.toml"
    file.write_bytes(toml.encode())
    with pytest.raises(tomllib.TOMLDecodeError):
        tomllib.loads(toml)
    _, _, [found] = read_toml(file, "deck.toml")
    location = f"{found.location.line}:{found.location.column}"
    assert (location, f"{found.message}: {found.help}") == (place, said)
