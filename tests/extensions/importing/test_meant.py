"""What a field means, whatever Anki's editor makes of it."""

import pytest

from ptcards.extensions.desktop.merge.texts import is_same_html
from ptcards.extensions.importing.meant import comparable


@pytest.mark.parametrize(
    ("one", "other", "are_same"),
    [
        ("<ul><li>a</li><li>b</li></ul>", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>", True),
        ("<ul><li>a</li><li>b</li></ul>", "<ul><li>a</li></ul><ul><li>b</li></ul>", False),
        ("<ul><li>a</li><li>b</li></ul>", "<ul><li>a</li></ul>\n\n<ul><li>b</li></ul>", False),
        ("<ul><li>a</li><li>b</li></ul>", "<ul><li>a</li></ul><p>and</p><ul><li>b</li></ul>", False),
        ("<b>a</b>\n<i>b</i>", "<b>a</b> <i>b</i>", True),
        ("<b>a</b>\n<i>b</i>", "<b>a</b><i>b</i>", False),
    ],
)
def test_fields_that_mean_the_same_are_compared_as_equal(one: str, other: str, *, are_same: bool) -> None:
    assert is_same_html(comparable(one), comparable(other)) is are_same
