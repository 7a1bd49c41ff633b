"""Malformed front matter: what is wrong is said in our words, with its place and a fix."""

import pytest

from ptcards.source.frontmatter import read_front_matter


@pytest.mark.parametrize(
    ("yaml", "place", "message"),
    [
        ("tags: [python", "2:7", "this list is not closed"),
        ("tags: [a, b\nid: x", "2:7", "this list is not closed"),
        ("deck: {a", "2:7", "this table is not closed"),
        ("deck: 'x", "2:7", "this text has no closing quote"),
        ("deck: Was ist: das", "2:14", "a second `:` in one value"),
        ("\tdeck: x", "2:1", "a tab begins this line"),
        ("deck: @x", "2:7", "a value cannot begin with this character"),
        ("deck: *x", "2:7", "a value cannot begin with `*`"),
        ("deck: x\ntags y", "3:1", "there is a line without `:`"),
        ('deck: "a\\qb"', "2:10", "this backslash begins no escape"),
    ],
)
def test_a_mistake_in_front_matter_is_said_in_our_words(yaml: str, place: str, message: str) -> None:
    _, _, [found] = read_front_matter("a.md", ["---", *yaml.split("\n"), "---"])
    assert (f"{found.location.line}:{found.location.column}", found.message) == (place, message)
