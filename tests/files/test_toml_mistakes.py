"""Malformed `deck.toml` files: what is wrong is said with its place and a fix."""

import tomllib
from pathlib import Path

import pytest

from ptcards.files.toml import read_toml


@pytest.mark.parametrize(
    ("toml", "place", "message", "fix"),
    [
        ('name = "x\nid = "abcd"\n', "1:8-10", "this text has no closing quote", 'add `"` at its end'),
        ("name = 'x\n", "1:8-10", "this text has no closing quote", "add `'` at its end"),
        (
            'name = "x"\nname = "y"\n',
            "2:1-5",
            "`name` is set twice",
            "delete one of them; the first is on line 1",
        ),
        ('name =\nid = "abcd"\n', "1:1-5", "`name` has no value", 'write `name = "…"`, or delete the line'),
        ("name = # later\n", "1:1-5", "`name` has no value", 'write `name = "…"`, or delete the line'),
        (
            "name = x\n",
            "1:8-9",
            "`x` is not a value in TOML",
            'put text in quotes: `"x"`; other values are numbers, `true` and `false`',
        ),
        ("name x\n", "1:6-7", "`=` is missing after `name`", "write `name = …`, or begin a comment with `#`"),
        ("name\n", "1:1-5", "`name` has no value", 'write `name = "…"`, or delete the line'),
        ('name: "x"\n', "1:5-6", "a value follows `=` in TOML, not `:`", "write `name = …`"),
        (
            'name = "x" "y"\n',
            "1:12-13",
            "not TOML: expected newline or end of document after a statement",
            "see https://toml.io for the syntax",
        ),
        (
            'name = "x", id = "y"\n',
            "1:11-12",
            "not TOML: expected newline or end of document after a statement",
            "see https://toml.io for the syntax",
        ),
        (
            'name = "x";\n',
            "1:11-12",
            "not TOML: expected newline or end of document after a statement",
            "see https://toml.io for the syntax",
        ),
        (
            "[check\nignore = []\n",
            "1:7-8",
            "not TOML: expected ']' at the end of a table declaration",
            "see https://toml.io for the syntax",
        ),
        (
            '[check]\nignore = ["a"\n',
            "3:1-2",
            "not TOML: unclosed array",
            "see https://toml.io for the syntax",
        ),
        (
            '[check]\nignore = ["a" "b"]\n',
            "2:15-16",
            "not TOML: unclosed array",
            "see https://toml.io for the syntax",
        ),
        (
            "[check]\nignore = {a = 1\n",
            "2:16-17",
            "not TOML: unclosed inline table",
            "see https://toml.io for the syntax",
        ),
        (
            "[check]\na = 1\n[check]\nb = 2\n",
            "3:2-7",
            "the table `check` is set twice",
            "put all of it in one place; the first is on line 1",
        ),
        (
            "check = 1\n[check]\nb = 2\n",
            "2:2-7",
            "the table `check` is set twice",
            "put all of it in one place; the first is on line 1",
        ),
        (
            'name = "C:\\Users"\n',
            "1:13-14",
            "not TOML: invalid hex value",
            "see https://toml.io for the syntax",
        ),
        (
            "name = “x”\n",
            "1:8-11",
            "`“x”` is not a value in TOML",
            'use straight quotes, as in `name = "My deck"`',
        ),
        ('name = """x\n', "1:8-11", "this text has no closing quotes", 'add `"""` at its end'),
        (
            "name = true1\n",
            "1:8-13",
            "`true1` is not a value in TOML",
            'put text in quotes: `"true1"`; other values are numbers, `true` and `false`',
        ),
        (
            "name = True\n",
            "1:8-12",
            "`True` is not a value in TOML",
            'put text in quotes: `"True"`; other values are numbers, `true` and `false`',
        ),
        (
            "name = 01\n",
            "1:8-10",
            "`01` is not a value in TOML",
            'put text in quotes: `"01"`; other values are numbers, `true` and `false`',
        ),
        (
            "include = [a.md]\n",
            "1:12-16",
            "`a.md` is not a value in TOML",
            'put text in quotes: `"a.md"`; other values are numbers, `true` and `false`',
        ),
        (
            "include = a.md\n",
            "1:11-15",
            "`a.md` is not a value in TOML",
            'put text in quotes: `"a.md"`; other values are numbers, `true` and `false`',
        ),
        (
            "name = 2026-13-45\n",
            "1:8-18",
            "`2026-13-45` is not a value in TOML",
            'put text in quotes: `"2026-13-45"`; other values are numbers, `true` and `false`',
        ),
        (
            "[[check]]\n[check]\n",
            "2:2-7",
            "the table `check` is set twice",
            "put all of it in one place; the first is on line 1",
        ),
        (
            "[check.limits]\na = 1\n[check]\nlimits.b = 2\n",
            "4:1-7",
            "`limits` is set twice",
            "delete one of them; the first is on line 1",
        ),
        ('name = "x\n"\n', "1:8-10", "this text has no closing quote", 'add `"` at its end'),
        (
            "name = nil\n",
            "1:8-11",
            "`nil` is not a value in TOML",
            'put text in quotes: `"nil"`; other values are numbers, `true` and `false`',
        ),
        (
            "name = None\n",
            "1:8-12",
            "`None` is not a value in TOML",
            'put text in quotes: `"None"`; other values are numbers, `true` and `false`',
        ),
        (
            "name = 1_\n",
            "1:8-10",
            "`1_` is not a value in TOML",
            'put text in quotes: `"1_"`; other values are numbers, `true` and `false`',
        ),
        (
            '<<<<<<< HEAD\nname = "x"\n=======\nname = "y"\n>>>>>>> b\n',
            "1:1-8",
            "an unfinished merge",
            "finish the merge: keep the right text, and delete the lines with the markers",
        ),
        ('name = "a', "1:8-10", "this text has no closing quote", 'add `"` at its end'),
        (
            "name = ‘x’\n",
            "1:8-11",
            "`‘x’` is not a value in TOML",
            'use straight quotes, as in `name = "My deck"`',
        ),
        (
            "name = My deck  # comment\n",
            "1:8-15",
            "`My deck` is not a value in TOML",
            'put text in quotes: `"My deck"`; other values are numbers, `true` and `false`',
        ),
        (
            "fuzzy = yes\n",
            "1:9-12",
            "`yes` is not a value in TOML",
            'put text in quotes: `"yes"`; other values are numbers, `true` and `false`',
        ),
        (
            "name = 12 monkeys\n",
            "1:8-18",
            "`12 monkeys` is not a value in TOML",
            'put text in quotes: `"12 monkeys"`; other values are numbers, `true` and `false`',
        ),
        ('name = """a"""\nid = "b\n', "2:6-8", "this text has no closing quote", 'add `"` at its end'),
        ('name = """a\nb\nid = "b"\n', "1:8-11", "this text has no closing quotes", 'add `"""` at its end'),
        (
            'name = "x"\r\nname = "y"\r\n',
            "2:1-5",
            "`name` is set twice",
            "delete one of them; the first is on line 1",
        ),
        ('name = "x\r\nid = "a"\r\n', "1:8-10", "this text has no closing quote", 'add `"` at its end'),
        (
            "name = 2026-02-31\n",
            "1:8-18",
            "`2026-02-31` is not a value in TOML",
            'put text in quotes: `"2026-02-31"`; other values are numbers, `true` and `false`',
        ),
        (
            "name = `x`\n",
            "1:8-11",
            "``x`` is not a value in TOML",
            'use straight quotes, as in `name = "My deck"`',
        ),
        ("a.b = 1\na = 2\n", "2:1-2", "`a` is set twice", "delete one of them; the first is on line 1"),
        (
            "Notes about the deck\n",
            "1:7-8",
            "`=` is missing after `Notes`",
            "write `Notes = …`, or begin a comment with `#`",
        ),
        (
            "\tname = x\n",
            "1:9-10",
            "`x` is not a value in TOML",
            'put text in quotes: `"x"`; other values are numbers, `true` and `false`',
        ),
        (
            "x = +\n",
            "1:5-6",
            "`+` is not a value in TOML",
            'put text in quotes: `"+"`; other values are numbers, `true` and `false`',
        ),
    ],
)
def test_a_mistake_in_toml_has_its_place_and_a_fix(
    toml: str, place: str, message: str, fix: str, tmp_path: Path
) -> None:
    """A place is a line with the columns of the underlined text, up to the one after it."""
    file = tmp_path / "deck.toml"
    file.write_bytes(toml.encode())
    with pytest.raises(tomllib.TOMLDecodeError):
        tomllib.loads(toml)
    _, _, [found] = read_toml(file, "deck.toml")
    line, column = found.location.line, found.location.column
    assert (f"{line}:{column}-{column + found.length}", found.message, found.help) == (place, message, fix)
