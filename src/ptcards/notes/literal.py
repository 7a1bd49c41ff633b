"""Text that Anki interprets where it stands in a field or in a deck's name."""

import re
from html import unescape

BRACKET = re.compile(r"\[(?=sound:|/?\$|/?latex\]|\[type:|anki:)", re.IGNORECASE)
"""Matches a bracket that Anki interprets."""
_TAG = re.compile(r"<[A-Za-z/!?]|<.*>")


def is_literal(text: str) -> bool:
    """Whether Anki shows a text as it is where it does not escape it.

    It must not contain anything like a tag, a character reference, or a bracket that Anki interprets.
    """
    return not _TAG.search(text) and not BRACKET.search(text) and unescape(text) == text
