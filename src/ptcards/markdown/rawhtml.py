"""Inline HTML and links in angle brackets: where what a `<` begins ends."""

import re
from typing import NamedTuple

from ptcards.markdown.starts import ATTRIBUTE

_LINK = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\x00-\x20<>]*)>")
_HOST_PART = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_MAIL = re.compile(rf"<([A-Za-z0-9.!#$%&'*+/=?^_`{{|}}~-]+@{_HOST_PART}(?:\.{_HOST_PART})*)>")
_TAG = re.compile(
    rf"<(?:/[A-Za-z][A-Za-z0-9-]*+[ \t\n]*|[A-Za-z][A-Za-z0-9-]*+(?>(?:{ATTRIBUTE})*)[ \t\n]*/?)>"
)
_EMPTY_COMMENT = re.compile(r"<!--?-?>")
_COMMENT = re.compile(r"<!--(?>(?:[^-]|-[^-]|--[^>])*)-->")
_DECLARATION = re.compile(r"<![A-Z]+\s")
_ENDS = (("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>"), ("<!", ">"))


class Autolink(NamedTuple):
    """A link in angle brackets: what is shown, where it leads, the offset behind it."""

    text: str
    destination: str
    end: int


def read_autolink(text: str, start: int) -> Autolink | None:
    """Read `<scheme:address>` or `<name@host>` at this offset."""
    if link := _LINK.match(text, start):
        return Autolink(link[1], link[1], link.end())
    if mail := _MAIL.match(text, start):
        return Autolink(mail[1], f"mailto:{mail[1]}", mail.end())
    return None


class RawHtml:
    """Finds tags, comments and the like in one text; linear, for an end once missing is not looked for again."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._missing: set[str] = set()

    def end(self, start: int) -> int | None:
        """Say where the HTML ends that begins at this offset; None if none does."""
        text = self._text
        if tag := _TAG.match(text, start) or _EMPTY_COMMENT.match(text, start):
            return tag.end()
        for opening, ending in _ENDS:
            if text.startswith(opening, start):
                return None if ending in self._missing else self._find(start, opening, ending)
        return None

    def _find(self, start: int, opening: str, ending: str) -> int | None:
        text = self._text
        if opening == "<!" and not _DECLARATION.match(text, start):
            return None
        if opening == "<!--":
            comment = _COMMENT.match(text, start)
            end = comment.end() if comment else -1
        else:
            found = text.find(ending, start + len(opening))
            end = found + len(ending) if found >= 0 else -1
        if end < 0:
            self._missing.add(ending)
            return None
        return end
