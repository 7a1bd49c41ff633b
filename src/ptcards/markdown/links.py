"""The parts of links: labels, addresses, titles, and the definitions made of them.

Sections 4.7 and 6.3 of CommonMark 0.31.2. Block scanner and inline scanner both read links with these.
"""

import re
from html.entities import html5
from typing import NamedTuple

PUNCTUATION = r"""!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~"""
"""ASCII punctuation, what a backslash can escape, for a character class."""

MAX_LABEL = 999
"""How many characters a label may have."""

ENTITY = r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{0,31});"

_ESCAPED = re.compile(rf"\\([{PUNCTUATION}])|({ENTITY})")
_LABEL = re.compile(r"\[((?>(?:[^\[\]\\]|\\.)*))\]", re.DOTALL)
_ANGLED = re.compile(r"<((?>(?:[^<>\n\\]|\\.)*))>")
_TITLE = re.compile(
    r""""((?>(?:[^"\\]|\\.)*))"|'((?>(?:[^'\\]|\\.)*))'|\(((?>(?:[^()\\]|\\.)*))\)""", re.DOTALL
)
_SPACE = re.compile(r"[ \t]*+(?:\n[ \t]*+)?")
_LINE_END = re.compile(r"[ \t]*+(?:\n|\Z)")
_BARE = re.compile(rf"(?>(?:[^\x00-\x20\x7f()\\]|\\[{PUNCTUATION}]|\\)+)|[()]")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_UNSAFE = re.compile(r"(?:javascript|vbscript|data|file|about|blob):", re.IGNORECASE)
_IGNORED = re.compile(r"[\x00-\x20\x7f]+")
_PAREN_LIMIT = 32


def decode(entity: str) -> str | None:
    """Return the character that an entity (`&…;`) stands for, `None` if there is none of that name."""
    name = entity[1:-1]
    if not name.startswith("#"):
        return html5.get(name + ";")
    code = int("0" + name[1:], 0) if name[1] in "xX" else int(name[1:])
    return chr(code) if 0 < code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else "\ufffd"


def unescape(text: str) -> str:
    """Resolve backslash escapes and entities, as in addresses, titles and the words of a fence."""
    if "\\" not in text and "&" not in text:
        return text

    def plain(match: re.Match[str]) -> str:
        if match[1]:
            return match[1]
        character = decode(match[2])
        return match[2] if character is None else character

    return _ESCAPED.sub(plain, text)


def normalise_label(label: str) -> str:
    """Bring the label of a link or footnote into the form in which two labels are compared."""
    return " ".join(label.split()).casefold()


class Piece(NamedTuple):
    """A part of a link: its text as it is meant, and the offset behind it."""

    text: str
    end: int


def read_label(text: str, at: int) -> Piece | None:
    """Read `[label]` at this offset: not empty, no brackets inside, at most 999 characters; as written."""
    match = _LABEL.match(text, at)
    if match is None or not match[1].strip() or len(match[1]) > MAX_LABEL:
        return None
    return Piece(match[1], match.end())


def read_destination(text: str, at: int) -> Piece | None:
    """Read an address at this offset, `<…>` or bare with balanced parentheses; it may be empty."""
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
    """Read a title in quotes or parentheses at this offset."""
    match = _TITLE.match(text, at)
    if match is None:
        return None
    return Piece(unescape(match[match.lastindex or 1]), match.end())


def skip_space(text: str, at: int) -> int:
    """Skip spaces, tabs and at most one end of line."""
    match = _SPACE.match(text, at)
    return match.end() if match else at


class Definition(NamedTuple):
    """`[label]: destination "title"`, and the offset of the line after it."""

    label: str
    destination: str
    title: str
    end: int


def read_definition(text: str, at: int) -> Definition | None:
    """Read a link reference definition that begins a line at this offset."""
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
    """Whether an address leads somewhere from a card, too."""
    return _SCHEME.match(destination) is not None


def is_unsafe(destination: str) -> bool:
    """Whether an address can run code or read files; browsers skip white space inside a scheme."""
    return _UNSAFE.match(_IGNORED.sub("", destination)) is not None


AUDIO = frozenset({"mp3", "ogg", "oga", "opus", "wav", "m4a", "flac", "aac"})
VIDEO = frozenset({"mp4", "webm", "ogv", "mov", "m4v", "mkv"})

_NAME_AND_ENDING = re.compile(r"(.*[^/])\.([^./]+)", re.DOTALL)


def dark_twin(address: str) -> str:
    """Return where the picture to show at night is, if there is one: `name.dark.svg` for `name.svg`.

    Empty for a sound, a video and a name without an ending.
    """
    found = _NAME_AND_ENDING.fullmatch(address)
    if found is None or found[2].lower() in AUDIO | VIDEO:
        return ""
    return f"{found[1]}.dark.{found[2]}"
