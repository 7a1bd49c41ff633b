"""`ignore=` is written into a note's card comment as by an author, and only if it has an effect."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ptcards.preview.worker import ignore_in_text
from ptcards.workspace import Workspace

NOTE = "# A\n\n## First?\n{comment}\nYes.\n\n## Second?\n\nNo.\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "<!-- card: ignore=nothing-asked -->\n"),
        ("<!-- card: id=a -->\n", "<!-- card: id=a ignore=nothing-asked -->\n"),
        ("<!-- card -->\n", "<!-- card: ignore=nothing-asked -->\n"),
        ("<!-- card: ignore=long-answer -->\n", "<!-- card: ignore=long-answer,nothing-asked -->\n"),
        (
            '<!-- card: ignore="long-answer" id=a -->\n',
            '<!-- card: ignore="long-answer,nothing-asked" id=a -->\n',
        ),
        ("<!-- card: ignore= -->\n", "<!-- card: ignore=nothing-asked -->\n"),
        ("<!-- card:\n  id=a\n-->\n", "<!-- card:\n  id=a\n ignore=nothing-asked -->\n"),
        ("<!-- card: ignore=nothing-asked -->\n", "<!-- card: ignore=nothing-asked -->\n"),
    ],
)
def test_a_card_comment_gets_it_and_everything_else_stays(
    write: Callable[..., Path], before: str, after: str
) -> None:
    text = NOTE.format(comment=before)
    assert ignored(write, text, 3) == NOTE.format(comment=after)


def test_line_ends_and_the_byte_order_mark_stay(write: Callable[..., Path]) -> None:
    text = "\ufeff" + NOTE.format(comment="").replace("\n", "\r\n")
    wanted = "\ufeff" + NOTE.format(comment="<!-- card: ignore=nothing-asked -->\n").replace("\n", "\r\n")
    assert ignored(write, text, 5) == wanted


def test_the_last_line_of_a_file_may_be_a_heading(write: Callable[..., Path]) -> None:
    text = "# A\n\n## Why {{c1::this}}?"
    assert ignored(write, text, 3) == f"{text}\n<!-- card: ignore=nothing-asked -->\n"


def test_where_no_note_is_nothing_is_written(write: Callable[..., Path]) -> None:
    text = NOTE.format(comment="")
    assert ignored(write, text, 1) == text


def ignored(write: Callable[..., Path], text: str, line: int) -> str:
    folder = write({"deck.toml": 'name = "A"\nid = "a"\n', "a.md": text})
    (contents,) = Workspace.read([folder]).contents
    (read,) = contents.sources
    return ignore_in_text(contents.collection, read.source, text.encode(), line, "nothing-asked").decode()
