"""Fields are read as browsers read them."""

import pytest

from ptcards.extensions.desktop.merge.html_tree import parse_html, visible
from ptcards.extensions.importing.html_to_markdown import to_markdown


@pytest.mark.parametrize(
    ("field", "shown"),
    [
        ("ab</br>abs</br>a", "ab\nabs\na"),
        ("y</br >z", "y\nz"),
        ("one</p>two", "one\ntwo"),
        ("<p>one</p>two", "one\ntwo"),
        ("one</b>two", "onetwo"),
        ("one</ br>two", "onetwo"),
    ],
)
def test_an_end_tag_without_a_beginning_breaks_a_line_where_browsers_do(field: str, shown: str) -> None:
    assert visible(parse_html(field)) == shown
    made = to_markdown(field, {})
    assert made.markdown is not None
    assert made.markdown.replace("\\\n", "\n").replace("\n\n", "\n") == shown
