"""Whether printed text matches an `output` block."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptcards.extensions.verify.judge import difference, first_difference, matches


@pytest.mark.parametrize(
    ("expected", "printed"),
    [
        ("", ""),
        ("", "\n \n"),
        ("a", "a\n"),
        ("a  \nb", "a\t\nb   \n\n"),
        ("a", "a\r\n"),
        ("...", ""),
        ("...", "one\ntwo\n"),
        ("a...", "abc\nd"),
        ("...z", "xyz"),
        ("a...c...e", "abcde"),
        ("tensor([1., ..., 3.])", "tensor([1., ..., 3.])"),
        ("first\n...\nlast", "first\n1\n2\nlast\n"),
        ("aa...aa", "aaaa"),
    ],
)
def test_equal_up_to_white_space_at_ends_and_dots(expected: str, printed: str) -> None:
    assert matches(expected, printed)


@pytest.mark.parametrize(
    ("expected", "printed"),
    [
        ("", "a"),
        ("a", ""),
        ("a", " a"),
        ("a", "\na"),
        ("a b", "a  b"),
        ("a\nb", "a\n\nb"),
        ("a...", "b"),
        ("...a", "ab"),
        ("a...b...c", "acb"),
        ("aa...aa", "aaa"),
        ("1.0", "1.00"),
    ],
)
def test_different_in_anything_else(expected: str, printed: str) -> None:
    assert not matches(expected, printed)


@given(st.lists(st.text(st.sampled_from("ab.\n "), max_size=6), min_size=1), st.data())
@settings(deadline=None, max_examples=200)
def test_dots_stand_for_any_part(parts: list[str], data: st.DataObject) -> None:
    holes = data.draw(st.lists(st.booleans(), min_size=len(parts), max_size=len(parts)))
    # The parts keep white space at their edges, which is removed at the ends of a text.
    parts = [f"({part.replace(' ', '_')})" for part in parts]
    expected = "".join("..." if hole else part for hole, part in zip(holes, parts, strict=True))
    assert matches(expected, "".join(parts))


def test_a_diff_leaves_out_lines_that_dots_make_equal() -> None:
    assert difference("at 0x...\nb\nc", "at 0x7f\nb\nd") == (
        "--- expected\n+++ printed\n@@ -1,3 +1,3 @@\n at 0x7f\n b\n-c\n+d"
    )


def test_the_first_difference_is_by_line() -> None:
    assert first_difference("a\nb...\nc", "a\nbcd\nx") == (2, "c", "x")
    assert first_difference("a", "a\nb") == (1, "", "b")
    assert first_difference("a\nb", "a") == (1, "b", "")


def test_a_diff_of_a_million_lines_shows_the_first_ones() -> None:
    shown = difference("...x...\n" * 50, "y\n" * 1_000_000).split("\n")
    assert shown[:4] == ["--- expected", "+++ printed", "@@ -1,50 +1,60 @@", "-...x..."]
    assert (len(shown), shown[-1]) == (3 + 50 + 60 + 1, "… 999,940 more lines")


def test_a_diff_of_a_long_line_shows_its_beginning() -> None:
    assert difference("a", "b" * 1_000_000).split("\n")[3:] == ["-a", "+" + "b" * 299 + "…"]
