"""Bare addresses that GitHub turns into links (https://github.github.com/gfm/#autolinks-extension-)."""

import re
import string
from collections.abc import Iterator

ADDRESS = r"(?:https?|ftp)://(?=[^\W_])|(?<![^\s*_~(])(?-i:www\.)(?=.)"
"""The start of a bare web address; match it case-insensitively."""

_MAIL_HOST = re.compile(r"(?>(?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9]))+)(?!@)(?<=[A-Za-z])")
_MAIL_NAME = frozenset(string.ascii_letters + string.digits + ".+_-")
_HOST = re.compile(r"(?:\\?[\w.-])*")
_PATH = re.compile(r"[^ \t\n\v\f\r<]*")
_ENTITY_END = re.compile(r"&[A-Za-z]+;\Z")
_TRAILING = frozenset("?!.,:*_~'\"")


def address_end(text: str, start: int, host_start: int, limit: int) -> int | None:
    """Return where the bare address at `start` ends, at most `limit`, or `None` if its host is not valid."""
    # GitHub ignores the last character of a text here.
    host = _HOST.match(text, host_start, min(limit, len(text) - 1))
    path = _PATH.match(text, host_start, limit)
    if host is None or path is None or any("_" in part for part in host[0].split(".")[-2:]):
        return None
    return _without_trailing(text, start, path.end())


def _without_trailing(text: str, start: int, end: int) -> int:
    """Return the end of a link without trailing punctuation, which GitHub leaves outside."""
    opening, closing = text.count("(", start, end), text.count(")", start, end)
    while end > start:
        last = text[end - 1]
        if last == ")":
            if closing <= opening:
                break
            closing -= 1
            end -= 1
        elif last == ";":
            entity = _ENTITY_END.search(text, start, end)
            end = entity.start() if entity else end - 1
        elif last in _TRAILING:
            end -= 1
        else:
            break
    return end


def find_mail(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each bare email address, including `mailto:` before it.

    The text is a piece between links, after emphasis has been found.
    """
    floor = at = 0
    while (at := text.find("@", at)) >= 0:
        start = at
        while start > floor and text[start - 1] in _MAIL_NAME:
            start -= 1
        host = _MAIL_HOST.match(text, at + 1)
        at += 1
        if host is not None and "." in host[0] and start < at - 1:
            prefix = len("mailto:") * text.endswith("mailto:", floor, start)
            yield start - prefix, host.end()
            floor = at = host.end()
