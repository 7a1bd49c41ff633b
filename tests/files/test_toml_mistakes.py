"""Malformed `deck.toml` files: what is wrong is said in our words, with its place and a fix."""

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
        ("name = x\n", "1:8-9", "`x` is not a value in TOML", 'put text in quotes: `"x"`'),
        ("name x\n", "1:6-7", "`=` is missing after `name`", "write `name = …`, or begin a comment with `#`"),
        ("name\n", "1:1-5", "`name` has no value", 'write `name = "…"`, or delete the line'),
        ('name: "x"\n', "1:5-6", "a value follows `=` in TOML, not `:`", "write `name = …`"),
        (
            'name = "x" "y"\n',
            "1:12-15",
            "there is more after the value",
            "write each key on a line of its own; a comment begins with `#`",
        ),
        (
            'name = "x", id = "y"\n',
            "1:11-21",
            "there is more after the value",
            "write each key on a line of its own; a comment begins with `#`",
        ),
        ('name = "x";\n', "1:11-12", "there is more after the value", "delete `;`"),
        ("[check\nignore = []\n", "1:1-7", "this header is not closed", "write `[check]`"),
        ('[check]\nignore = ["a"\n', "2:10-11", "this list is not closed", "add `]` after its last entry"),
        (
            '[check]\nignore = ["a" "b"]\n',
            "2:15-16",
            "a comma is missing before this entry",
            "put `,` between two entries of a list",
        ),
        ("[check]\nignore = {a = 1\n", "2:10-11", "this table is not closed", "add `}` after its last entry"),
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
            "1:11-13",
            "`\\U` means nothing in TOML",
            "write each backslash twice, or use single quotes: `'…'`",
        ),
        (
            "name = “x”\n",
            "1:8-9",
            "TOML does not know the quote `“`",
            'use straight quotes, as in `name = "My deck"`',
        ),
        ('name = """x\n', "1:8-11", "this text has no closing quotes", 'add `"""` at its end'),
        ("name = true1\n", "1:8-13", "`true1` is not a value in TOML", 'put text in quotes: `"true1"`'),
        ("name = True\n", "1:8-12", "`True` is not a value in TOML", "use `true`"),
        ("name = 01\n", "1:8-10", "`01` is not a value in TOML", 'put text in quotes: `"01"`'),
        ('name = "a\tb\x01"\n', "1:12-13", "the control character U+0001 is invisible", "delete it"),
        ('= "x"\n', "1:1-6", "there is no key before `=`", 'write one, as in `name = "My deck"`'),
        (
            'my name = "x"\n',
            "1:1-8",
            "a key is one word",
            "put hyphens between the words, as in `question-level`",
        ),
        (
            "größe = 1\n",
            "1:1-6",
            "`größe` cannot be a key",
            "use only keys that ptcards knows: see `ptcards explain unknown-key`",
        ),
        ('// comment\nname = "x"\n', "1:1-11", "a comment begins with `#` in TOML", "use `#`"),
        (
            '{ "name": "x" }\n',
            "1:1-16",
            "this is JSON, not TOML",
            'write each key on a line of its own, as in `name = "My deck"`',
        ),
        ("include = [a.md]\n", "1:12-16", "`a.md` is not a value in TOML", 'put text in quotes: `"a.md"`'),
        ("include = a.md\n", "1:11-15", "`a.md` is not a value in TOML", 'put text in quotes: `"a.md"`'),
        (
            "name = 2026-13-45\n",
            "1:8-18",
            "`2026-13-45` is not a value in TOML",
            'put text in quotes: `"2026-13-45"`',
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
        ("a = {b = 1\nc = 2}\n", "1:5-6", "this table is not closed", "add `}` after its last entry"),
        ('name = "x\n"\n', "1:8-10", "this text has no closing quote", 'add `"` at its end'),
        ("name = nil\n", "1:8-11", "`nil` is not a value in TOML", "delete the line"),
        ("name = None\n", "1:8-12", "`None` is not a value in TOML", "delete the line"),
        ("name = 1_\n", "1:8-10", "`1_` is not a value in TOML", 'put text in quotes: `"1_"`'),
        ('name == "x"\n', "1:7-8", "there is a second `=`", "write one: `name = …`"),
        (
            '<<<<<<< HEAD\nname = "x"\n=======\nname = "y"\n>>>>>>> b\n',
            "1:1-8",
            "an unfinished merge",
            "finish the merge: keep the right text, and delete the lines with the markers",
        ),
        ('name = "a', "1:8-10", "this text has no closing quote", 'add `"` at its end'),
        ('include = [\n  "a.md",\n', "1:11-12", "this list is not closed", "add `]` after its last entry"),
        (
            'include = [\n  "a.md",\nname = "x"\n',
            "1:11-12",
            "this list is not closed",
            "add `]` after its last entry",
        ),
        (
            'include = [\n  "a.md"\nname = "x"\n',
            "1:11-12",
            "this list is not closed",
            "add `]` after its last entry",
        ),
        (
            'include = [\n  "a.md"\n  "b.md"\n]\n',
            "3:3-4",
            "a comma is missing before this entry",
            "put `,` between two entries of a list",
        ),
        ("[my table]\na = 1\n", "1:1-11", "the name of a table is one word", "put hyphens between the words"),
        ("[[check]\na = 1\n", "1:1-8", "this header is not closed", "write `[[check]]`"),
        (
            "name = ‘x’\n",
            "1:8-9",
            "TOML does not know the quote `‘`",
            'use straight quotes, as in `name = "My deck"`',
        ),
        (
            '“name” = "x"\n',
            "1:1-2",
            "TOML does not know the quote `“`",
            'use straight quotes, as in `name = "My deck"`',
        ),
        ("name = 'it's'\n", "1:11-12", "this quote ends the text", "put the text in double quotes"),
        ('name = "it"s"\n', "1:11-12", "this quote ends the text", 'write `\\"` for a quote inside it'),
        (
            "name = My deck  # comment\n",
            "1:8-15",
            "`My deck` is not a value in TOML",
            'put text in quotes: `"My deck"`',
        ),
        ("fuzzy = yes\n", "1:9-12", "`yes` is not a value in TOML", "use `true`"),
        (
            "name = 12 monkeys\n",
            "1:8-18",
            "`12 monkeys` is not a value in TOML",
            'put text in quotes: `"12 monkeys"`',
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
            'put text in quotes: `"2026-02-31"`',
        ),
        (
            "name = `x`\n",
            "1:8-9",
            "TOML does not know the quote `` ` ``",
            'use straight quotes, as in `name = "My deck"`',
        ),
        ("[]\n", "1:2-3", "a name is missing here", "write one, with letters, digits, `-` and `_`"),
        ("a.b = 1\na = 2\n", "2:1-2", "`a` is set twice", "delete one of them; the first is on line 1"),
        (
            "- name: x\n",
            "1:1-10",
            "this line is not a key with a value",
            "write `key = value`, or begin a comment with `#`",
        ),
        (
            "Notes about the deck\n",
            "1:7-8",
            "`=` is missing after `Notes`",
            "write `Notes = …`, or begin a comment with `#`",
        ),
        ("[check]]\n", "1:8-9", "there is more after the header", "delete `]`"),
        (
            "[check] ignore = 1\n",
            "1:9-19",
            "there is more after the header",
            "write each key on a line of its own; a comment begins with `#`",
        ),
        ('"name = "x"\n', "1:1-6", "a quote in this key is not closed", "write `name = …`"),
        (
            'name = "a\\qb"\n',
            "1:10-12",
            "`\\q` means nothing in TOML",
            "write each backslash twice, or use single quotes: `'…'`",
        ),
        (
            "name = {a = 1, a = 2}\n",
            "1:21-22",
            "not TOML: duplicate inline table key 'a'",
            "see https://toml.io for the syntax",
        ),
        ("\tname = x\n", "1:9-10", "`x` is not a value in TOML", 'put text in quotes: `"x"`'),
        ("x = +\n", "1:5-6", "`+` is not a value in TOML", 'put text in quotes: `"+"`'),
        ("x = [1, 2\n\n\n[check]\n", "1:5-6", "this list is not closed", "add `]` after its last entry"),
        ("x = [[1, 2]\n", "1:5-6", "this list is not closed", "add `]` after its last entry"),
        ("x = [1, # a [\n 2\n", "1:5-6", "this list is not closed", "add `]` after its last entry"),
    ],
)
def test_a_mistake_in_toml_is_said_in_our_words(
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
