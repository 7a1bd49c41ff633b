"""Applies edits of a text, in the plainest way."""

import re
from collections.abc import Iterable

from ptcards.lint.edited_text import TextEdit


def with_edits(text: str, edits: Iterable[TextEdit]) -> str:
    """Return a text with these edits."""
    starts = [0, *(end.end() for end in re.finditer(r"\r\n|\r|\n", text))]
    for edit in sorted(edits, reverse=True):
        start = starts[edit.line - 1] + edit.column - 1
        end = starts[edit.end_line - 1] + edit.end_column - 1
        text = text[:start] + edit.text + text[end:]
    return text
