"""Fences of HTML that is passed on as it is: ```` ```{=html} ````, as Pandoc spells it."""

import re
from html import unescape

from ptcards.markdown.blocks import scan
from ptcards.markdown.tree import Block, BlockKind

VERBATIM = "{=html}"

_BEGINS = re.compile(r"(?:`{3,}|~{3,})[ \t]*\{=html\}[ \t]*\n")
_FILE = re.compile(
    r"""<[A-Za-z][^>]*?\s(?:src|data|poster)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))|\[sound:([^\]\n]+)\]""",
    re.IGNORECASE,
)
_ACTIVE = re.compile(r"<script|<iframe|<object|<embed|\son[a-z]+\s*=|javascript:", re.IGNORECASE)


def is_verbatim(block: Block) -> bool:
    """Whether a block is a fence of HTML that is passed on."""
    return block.kind is BlockKind.FENCE and block.info.strip() == VERBATIM


def html_of(block: Block) -> str:
    """Return what a fence holds."""
    return "\n".join(line.text for line in block.lines)


def whole_verbatim(markdown: str) -> str | None:
    """Return the HTML of a text that is one fence and nothing else; `None` of any other."""
    if not _BEGINS.match(markdown):
        return None
    blocks = scan(markdown).children
    return html_of(blocks[0]) if len(blocks) == 1 and is_verbatim(blocks[0]) and blocks[0].closed else None


def files_in(html: str) -> tuple[str, ...]:
    """Return the names of the files that HTML shows or plays from Anki's folder of media."""
    names = (unescape(next(filter(None, found.groups()), "")) for found in _FILE.finditer(html))
    return tuple(dict.fromkeys(name for name in names if name and "/" not in name and "\\" not in name))


def is_active(html: str) -> bool:
    """Whether HTML may run something."""
    return _ACTIVE.search(html) is not None
