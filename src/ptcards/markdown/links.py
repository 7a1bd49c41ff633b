"""Reads the parts of links, link definitions, and bare addresses that GitHub turns into links.

The rules are in sections 4.7 and 6.3 of CommonMark 0.31.2, and at
https://github.github.com/gfm/#autolinks-extension-. Both the block scanner and the inline scanner use this
module.
"""

import re
import string
from collections.abc import Iterator
from html.entities import html5
from typing import NamedTuple

from ptcards.diagnostics.suggest import slip_of

MARKS = "*_~"
"""The characters that mark emphasis."""

PUNCTUATION = r"""!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~"""
"""The ASCII punctuation that a backslash can escape, for use in a character class."""

MAX_LABEL = 999
"""The maximum length of a label in characters."""

ENTITY = r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{0,31});"

_ESCAPED = re.compile(rf"\\([{PUNCTUATION}])|({ENTITY})")
_LABEL = re.compile(r"\[((?>(?:[^\[\]\\]|\\.){0,1000}))\]", re.DOTALL)
_ANGLED = re.compile(r"<((?>(?:[^<>\n\\]|\\.){0,100000}))>")
_TITLE = re.compile(
    r""""((?>(?:[^"\\]|\\.){0,100000}))"|'((?>(?:[^'\\]|\\.){0,100000}))'|\(((?>(?:[^()\\]|\\.){0,100000}))\)""",
    re.DOTALL,
)
_SPACE = re.compile(r"[ \t]*+(?:\n[ \t]*+)?")
_SHORT = 40
"""The number of characters up to which an address is shown completely."""
_ADDRESS = re.compile(r"https?://(?:www\.)?([^/?#\s]+)(?:/[^?#\s]*?)??/?([^/?#\s]*)/?(\?[^#\s]*)?(?:#(\S*))?")
_LINE_END = re.compile(r"[ \t]*+(?:\n|\Z)")
_BARE = re.compile(rf"(?>(?:[^\x00-\x20\x7f()\\]|\\[{PUNCTUATION}]|\\){{1,100000}})|[()]")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_UNSAFE = re.compile(r"(?:javascript|vbscript|data|file|about|blob):", re.IGNORECASE)
_IGNORED = re.compile(r"[\x00-\x20\x7f]+")
_PAREN_LIMIT = 32

ADDRESS = rf"(?:https?|ftp)://(?=[^\W_])|(?<![^\s{MARKS}(])(?-i:www\.)(?=.)"
"""The pattern of the start of a bare web address; it must be matched case-insensitively."""
_MAIL_HOST = re.compile(r"(?>(?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9])){1,1000})(?!@)(?<=[A-Za-z])")
_MAIL_NAME = frozenset(string.ascii_letters + string.digits + ".+_-")
_HOST = re.compile(r"(?:\\?[\w.-]){0,1000}")
_PATH = re.compile(r"[^ \t\n\v\f\r<]*")
_ENTITY_END = re.compile(r"&[A-Za-z]+;\Z")
_TRAILING = frozenset("?!.,:'\"" + MARKS)


def decode(entity: str) -> str | None:
    """Return the character that an entity (`&…;`) stands for, or `None` if the entity is unknown."""
    name = entity[1:-1]
    if not name.startswith("#"):
        return html5.get(name + ";")
    code = int("0" + name[1:], 0) if name[1] in "xX" else int(name[1:])
    return chr(code) if 0 < code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else "\ufffd"


def unescape(text: str) -> str:
    """Return a text with backslash escapes and entities resolved, as in addresses, titles and fence words."""
    if "\\" not in text and "&" not in text:
        return text

    def plain(match: re.Match[str]) -> str:
        if match[1]:
            return match[1]
        character = decode(match[2])
        return match[2] if character is None else character

    return _ESCAPED.sub(plain, text)


def normalise_label(label: str) -> str:
    """Return the label of a link or footnote in the form used for comparison."""
    return " ".join(label.split()).casefold()


class Piece(NamedTuple):
    """A part of a link: its text with escapes resolved, and the offset after it."""

    text: str
    end: int


def read_label(text: str, at: int) -> Piece | None:
    """Return the `[label]` of 1 to 999 characters at this offset, as written, or `None`."""
    match = _LABEL.match(text, at)
    if match is None or not match[1].strip() or len(match[1]) > MAX_LABEL:
        return None
    return Piece(match[1], match.end())


def read_destination(text: str, at: int) -> Piece | None:
    """Return the address at this offset, in `<…>` or bare, or `None`.

    Parentheses in a bare address must be balanced. The address may be empty.
    """
    if text.startswith("<", at):
        match = _ANGLED.match(text, at)
        return match and Piece(unescape(match[1]), match.end())
    start, depth = at, 0
    while match := _BARE.match(text, at):
        if match[0] == "(":
            depth += 1
            if depth > _PAREN_LIMIT:
                return None
        elif match[0] == ")":
            if depth == 0:
                break
            depth -= 1
        at = match.end()
    return None if depth else Piece(unescape(text[start:at]), at)


def read_title(text: str, at: int) -> Piece | None:
    """Return the title in quotes or parentheses at this offset, or `None`."""
    match = _TITLE.match(text, at)
    if match is None:
        return None
    return Piece(unescape(match[match.lastindex or 1]), match.end())


def skip_space(text: str, at: int) -> int:
    """Return the offset after spaces, tabs and at most one newline."""
    match = _SPACE.match(text, at)
    return match.end() if match else at


class Definition(NamedTuple):
    """`[label]: destination "title"`, and the offset of the line after it."""

    label: str
    destination: str
    title: str
    end: int


def read_definition(text: str, at: int) -> Definition | None:
    """Return the link reference definition at this offset, where a line begins, or `None`."""
    label = read_label(text, at)
    if label is None or not text.startswith(":", label.end):
        return None
    start = skip_space(text, label.end + 1)
    destination = read_destination(text, start)
    if destination is None or destination.end == start:
        return None
    name = normalise_label(label.text)
    behind = skip_space(text, destination.end)
    title = read_title(text, behind) if behind > destination.end else None
    if title is not None and (end := _LINE_END.match(text, title.end)):
        return Definition(name, destination.text, title.text, end.end())
    if end := _LINE_END.match(text, destination.end):
        return Definition(name, destination.text, "", end.end())
    return None


def is_absolute(destination: str) -> bool:
    """Whether an address has a scheme, so that it also works from a card."""
    return _SCHEME.match(destination) is not None


_ALMOST_WEB = re.compile(
    r"(?P<scheme>[A-Za-z]{2,7})(?P<between>[:;.,]?[/\\]{2,}|[:;][/\\]?)(?P<rest>(?:[\w-]+\.)+\w.*)", re.DOTALL
)


def with_right_scheme(destination: str) -> str:
    """Return a web address with `https://` or `http://` spelt right, or nothing if there is no slip in it."""
    found = _ALMOST_WEB.fullmatch(destination)
    if not found:
        return ""
    scheme = found["scheme"].lower()
    meant = "https" if "s" in scheme else "http"
    is_right = scheme == meant and found["between"] == "://"
    return "" if is_right or not slip_of(scheme, (meant,)) else f"{meant}://{found['rest']}"


def is_unsafe(destination: str) -> bool:
    """Whether an address can run code or read files; browsers ignore white space inside a scheme."""
    return _UNSAFE.match(_IGNORED.sub("", destination)) is not None


_HREF = re.compile(r"\\href\s*\{((?:[^{}\\]|\\.)*)\}", re.DOTALL)


def unsafe_address(tex: str) -> tuple[int, str] | None:
    r"""Return the offset and the address of the first `\href` in a formula that can run code, if any."""
    found = next((each for each in _HREF.finditer(tex) if is_unsafe(each[1])), None)
    return (found.start(), found[1].strip()) if found else None


FROM_ROOT = "@/"
"""The start of a path from the collection's folder, as hashcards writes it."""

AUDIO = frozenset({"mp3", "ogg", "oga", "opus", "wav", "m4a", "flac", "aac"})
VIDEO = frozenset({"mp4", "webm", "ogv", "mov", "m4v", "mkv"})


def is_played(address: str) -> bool:
    """Whether an address is that of a sound or a video, which gets a player."""
    return address.rpartition(".")[2].lower() in AUDIO | VIDEO


_NAME_AND_ENDING = re.compile(r"(.*[^/])\.([^./]+)", re.DOTALL)


def dark_version(address: str) -> str:
    """Return the address of a picture's dark version, `name.dark.svg` for `name.svg`.

    Return an empty string for a sound, a video or a name without an extension.
    """
    found = _NAME_AND_ENDING.fullmatch(address)
    if found is None or is_played(address):
        return ""
    return f"{found[1]}.dark.{found[2]}"


def address_end(text: str, start: int, host_start: int, limit: int) -> int | None:
    """Return where the bare address at `start` ends, up to `limit`, or `None` if its host is invalid."""
    # GitHub ignores the last character of a text when it looks for the host.
    host = _HOST.match(text, host_start, min(limit, len(text) - 1))
    path = _PATH.match(text, host_start, limit)
    if host is None or path is None or any("_" in part for part in host[0].split(".")[-2:]):
        return None
    return _without_trailing(text, start, path.end())


def _without_trailing(text: str, start: int, end: int) -> int:
    """Return the end of a link without trailing punctuation, which GitHub leaves out of links."""
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

    `text` is a piece of text without links and emphasis, which have already been found.
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


def short_address(address: str) -> str:
    """Return an address as a list of sources shows it: if it is long, its server and what is last in it."""
    parts = _ADDRESS.fullmatch(address) if len(address) > _SHORT else None
    if parts is None:
        return address
    server, page, query, fragment = parts.groups(default="")
    last = fragment or re.sub(r"\.html?\Z", "", page) + query
    return f"{server} › {last}" if last else address
