"""Reads the words on the first line of a fence, and fences of HTML that is passed on unchanged.

The words are the language, then how to show the code and how to run it. A fence of HTML begins with three
backticks and `{=html}`, as in Pandoc.
"""

import hashlib
import re
from collections.abc import Iterator
from functools import lru_cache
from html import unescape
from typing import NamedTuple

from ptcards.diagnostics.suggest import one_of
from ptcards.markdown.blocks import scan
from ptcards.markdown.deletions import OPENING
from ptcards.markdown.links import FROM_ROOT
from ptcards.markdown.tree import Block, BlockKind

OUTPUT = "output"
MATH = "math"
WORDS = ("hl_lines", "title", "no-run", "raises")

DIAGRAMS = frozenset({"geojson", "stl", "topojson"})
"""The languages that GitHub draws, but we do not."""
DRAWN = frozenset({"d2", "dot", "mermaid", "typst", "vega-lite"})
"""The languages of fences that are shown as a picture, once their author has drawn it."""
DRAWINGS = "img/drawn"
"""The folder of these pictures, below the collection's."""
_TITLE = re.compile(r"^[ \t]*accTitle[ \t]*:[ \t]*(\S.*?)[ \t]*$", re.MULTILINE)
"""Matches how a Mermaid diagram says what it shows."""

VERBATIM = "{=html}"
_BEGINS = re.compile(r"(?:`{3,}|~{3,})[ \t]*\{=html\}[ \t]*\n")
_SOUND = r"\[sound:(?P<sound>[^\]\n]{1,1000}+)\]"
_OUTSIDE_TAGS = re.compile(rf"{_SOUND}|(?P<turn><[A-Za-z])", re.IGNORECASE)
_IN_TAG = re.compile(
    rf"""{_SOUND}|(?P<turn>>)"""
    r"""|\s(?:src|data|poster)\s*=\s*(?:"(?P<a>[^"]*)"|'(?P<b>[^']*)'|(?P<c>[^\s"'>]+))""",
    re.IGNORECASE,
)
"""What names a file outside and inside a tag, or leads from one to the other."""
_ACTIVE = re.compile(r"<script|<iframe|<object|<embed|\son[a-z]+\s*=|javascript:", re.IGNORECASE)
_WORD = re.compile(r"""([^\s=]+)(?:=("[^"]*"|'[^']*'|\S*))?""")
_RANGE = re.compile(r"([0-9]{1,5})(?:-([0-9]{1,5}))?")


class FenceInfo(NamedTuple):
    """The words of a fence: the language in lower case, and the settings.

    `highlighted` contains line numbers from 1, and `raises` is the name of an exception. `no_run` is the
    reason not to run the block, empty if none is given, or `None` if the block is run. `alt` says what the
    diagram shows. `complaints` are messages with their help.
    """

    language: str = ""
    highlighted: frozenset[int] = frozenset()
    title: str = ""
    no_run: str | None = None
    raises: str = ""
    alt: str = ""
    complaints: tuple[tuple[str, str], ...] = ()


@lru_cache(maxsize=256)
def read_info(info: str) -> FenceInfo:
    """Return the words after the marks of a fence; `info` is that of its block."""
    language, _, rest = info.strip().partition(" ")
    if "=" in language:
        language, rest = "", info
    values: dict[str, str] = {}
    complaints: list[tuple[str, str]] = []
    for match in _WORD.finditer(rest):
        name, value = match[1], match[2] or ""
        if name not in (known := (*WORDS, "alt") if language.lower() in DRAWN else WORDS):
            fix = one_of(name, known)
            complaints.append((f"`{name}` is not a known word on a fence line", fix))
        elif value[:1] in ("'", '"'):
            values[name] = value[1:-1]
        else:
            values[name] = value
    highlighted: set[int] = set()
    for part in re.split(r"[\s,]+", values.get("hl_lines", "").strip()):
        span = _RANGE.fullmatch(part)
        if span is not None:
            highlighted.update(range(int(span[1]), int(span[2] or span[1]) + 1))
        elif part:
            complaints.append(
                (f"`{part}` in `hl_lines` is not a line number or range", 'write `hl_lines="2-3 5"`')
            )
    return FenceInfo(
        language.lower(),
        frozenset(highlighted),
        values.get("title", ""),
        values.get("no-run"),
        values.get("raises", ""),
        values.get("alt", ""),
        tuple(complaints),
    )


def drawing_of(block: Block) -> str:
    """Return the address of the picture that is shown instead of a fence, if there is such a file.

    It depends only on the fence's language and text. It is empty for a fence that is always code, such as one
    with a deletion or with `no-run`.
    """
    info = read_info(block.info)
    if info.language not in DRAWN or info.no_run is not None or OPENING.search(block.text):
        return ""
    text = f"{info.language}\0{block.text}".encode(errors="surrogatepass")
    return f"{FROM_ROOT}{DRAWINGS}/{hashlib.sha256(text).hexdigest()[:16]}.svg"


def alt_of(block: Block) -> str:
    """Return what the picture of a fence shows, in the words of its author."""
    title = _TITLE.search(block.text)
    return read_info(block.info).alt or (title[1] if title else "")


def is_verbatim(block: Block) -> bool:
    """Whether a block is a fence of HTML that is passed on unchanged."""
    return block.kind is BlockKind.FENCE and block.info.strip() == VERBATIM


def html_of(block: Block) -> str:
    """Return the contents of a fence."""
    return block.text


def whole_verbatim(markdown: str) -> str | None:
    """Return the HTML of a text that consists of a single fence, or `None` for any other text."""
    if not _BEGINS.match(markdown):
        return None
    blocks = scan(markdown).children
    return html_of(blocks[0]) if len(blocks) == 1 and is_verbatim(blocks[0]) and blocks[0].closed else None


def files_in(html: str) -> tuple[str, ...]:
    """Return the names of the files in Anki's media folder that HTML shows or plays."""
    names = map(unescape, _files(html))
    return tuple(dict.fromkeys(name for name in names if name and "/" not in name and "\\" not in name))


def _files(html: str) -> Iterator[str]:
    """Yield the names of files as written."""
    here, there = _OUTSIDE_TAGS, _IN_TAG
    at = 0
    while found := here.search(html, at):
        at = found.end()
        if found["turn"]:
            here, there = there, here
        else:
            yield next(filter(None, found.groups()), "")


def is_active(html: str) -> bool:
    """Whether HTML may run code."""
    return _ACTIVE.search(html) is not None
