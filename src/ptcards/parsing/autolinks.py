"""Bare addresses that GitHub turns into links (https://github.github.com/gfm/#autolinks-extension-)."""

import re

ADDRESS = r"(?:https?|ftp)://(?=[^\W_])|(?<![^\s*_~(])(?-i:www\.)(?=.)"
"""The beginning of a bare web address; to be matched without regard to case."""

MAIL = r"(?<![A-Za-z0-9.+_-])[A-Za-z0-9.+_-]++@(?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9]))++(?![@_-])(?<=[A-Za-z])"
"""A bare mail address; it must also have a dot behind the `@`."""

_HOST = re.compile(r"[\w.-]*")
_PATH = re.compile(r"[^ \t\n\v\f\r<]*")
_ENTITY_END = re.compile(r"&[A-Za-z]+;\Z")
_TRAILING = frozenset("?!.,:*_~'\"")


def address_end(text: str, start: int, host_start: int, limit: int) -> int | None:
    """Say where the bare address at `start` ends, not behind `limit`; None if its host is not valid."""
    host = _HOST.match(text, host_start, limit)
    path = _PATH.match(text, host_start, limit)
    if host is None or path is None or any("_" in part for part in host[0].split(".")[-2:]):
        return None
    return _without_trailing(text, start, path.end())


def _without_trailing(text: str, start: int, end: int) -> int:
    """Take off the punctuation that GitHub leaves outside a link."""
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
