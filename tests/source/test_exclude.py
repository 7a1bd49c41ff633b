"""`exclude` leaves out the same files as git, in a time that does not depend on the pattern."""

import re
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from conftest import Ran
from ptcards.source.exclude import is_excluded, read_pattern

parts = st.sampled_from(
    ["a", "b", "ab", "ba", "*", "a*", "*b", "*a*b", "?", "a?", "[ab]", "[!a]", "[^b]b", "**", r"\\a", r"a\\*"]
)
patterns = st.builds(
    lambda start, names, end: start + "/".join(names) + end,
    st.sampled_from(["", "", "/", "**/"]),
    st.lists(parts, min_size=1, max_size=4),
    st.sampled_from(["", "", "/", "/**"]),
)
paths = st.builds(
    lambda names, end: "/".join(names) + end,
    st.lists(st.sampled_from(["a", "b", "ab", "ba", "aab", "a*"]), min_size=1, max_size=5),
    st.sampled_from(["", "/"]),
)


def _left_out(path: str, lines: list[str]) -> bool:
    return is_excluded(path, [pattern for line in lines if (pattern := read_pattern(line))])


def _walked(path: str, is_out: Callable[[str], bool]) -> bool:
    """Whether `exclude` leaves out a path or a folder above it."""
    ends = [n for n, letter in enumerate(path, 1) if letter == "/" or n == len(path)]
    return any(is_out(path[:end]) for end in ends)


@settings(max_examples=200, deadline=None)
@given(st.lists(patterns, min_size=1, max_size=4), paths)
def test_patterns_mean_what_they_mean_to_a_gitignore_library(lines: list[str], path: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spec = GitIgnoreSpec.from_lines(lines)
    assert _walked(path, lambda each: _left_out(each, lines)) == _walked(path, spec.match_file)


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("# remark", "# remark", False),
        (r"\#a", "#a", True),
        (r"\!a", "!a", True),
        ("a ", "a", True),
        (r"a\ ", "a ", True),
        ("/", "a", False),
        ("", "a", False),
        ("   ", "a", False),
        ("[z-a]", "a", False),
        ("drafts/**", "drafts/", True),
        ("drafts/**", "drafts", False),
        ("*.md", "ä\n.md", True),
    ],
)
def test_odd_patterns(pattern: str, path: str, expected: bool) -> None:
    assert _left_out(path, [pattern]) == expected


@pytest.mark.parametrize(
    ("path", "expected"), [("a.md", True), ("keep.md", False), ("b/keep.md", False), ("keep.md/", True)]
)
def test_the_last_pattern_that_matches_counts(path: str, expected: bool) -> None:
    assert _left_out(path, ["*", "!keep.md", "keep.md/"]) == expected


@pytest.mark.parametrize("pattern", ["!", "x\\", "a" * 1001])
def test_what_is_no_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=re.escape(pattern)):
        read_pattern(pattern)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 499 + "*b", "a" * 250 + ".md"),
        ("**/a/" * 199 + "b", "a/" * 2000 + "x.md"),
        ("**/*a*a*a*b/" * 70 + "b", ("a" * 250 + "/") * 15 + "x.md"),
        ("?*" * 499 + "b", "a" * 4000 + "/"),
        ("[!b]*" * 190 + "b", "a" * 250),
    ],
)
def test_a_pattern_that_nearly_matches_ends(pattern: str, path: str) -> None:
    assert not _left_out(path, [pattern])


def test_more_patterns_than_anybody_needs_are_refused(
    ptcards: Callable[..., Ran], write: Callable[[dict[str, str | bytes]], Path]
) -> None:
    lines = ", ".join(f'"{n}/"' for n in range(101))
    root = write({"deck.toml": f'name = "D"\nid = "d"\nexclude = [{lines}]\n', "a.md": "## One?\n\n1\n"})
    ran = ptcards("check", root)
    said = "deck.toml:3:1: error[wrong-value] `exclude` must be a list of at most 100 strings"
    assert (ran.status, said in ran.out.split("\n")) == (2, True)
