"""Code blocks: Pygments, called once, and the HTML around its tokens.

Class names in fields are frozen: learners keep old fields and get new style sheets. They are `code` and `output` on
`<pre>`, `snippet` on the `<figure>` around a block with a title, `ln` on each line, `hl` on those of `hl_lines`, and
Pygments' own short names on tokens. A line's `--i` is its indentation in columns, for the hanging indent on phones;
`data-lang` is the label.
"""

import re
from collections.abc import Iterator
from functools import cache
from html import escape

from pygments.lexer import Lexer
from pygments.lexers import get_all_lexers, get_lexer_by_name
from pygments.token import STANDARD_TYPES, _TokenType
from pygments.util import ClassNotFound

from ptcards.parsing.deletions import find_marks
from ptcards.parsing.fences import DIAGRAMS, read_info
from ptcards.parsing.tree import Block, BlockKind
from ptcards.rendering.deadline import CODE_SECONDS, DeadlineError, deadline
from ptcards.rendering.escaping import begin_deletion, clean, end_deletion
from ptcards.rendering.inline import with_deletions
from ptcards.rendering.lexing import quicken
from ptcards.rendering.page import Cloze, Page
from ptcards.rendering.styles import is_styled
from ptcards.suggest import did_you_mean

PLAIN = frozenset({"", "text", "txt", "plain", "plaintext", "none"})
OUTPUT = "output"
MATH = "math"

_TAB = 4


def is_math(block: Block) -> bool:
    """Say whether a block is a fence that holds a formula."""
    return block.kind is BlockKind.FENCE and read_info(block.info).language.lower() == MATH


def math_html(block: Block, page: Page) -> str:
    """Render a fence that holds a formula."""
    tex = "\n".join(line.text for line in block.lines)
    marked = with_deletions(tex, hints=True) if page.cloze is not Cloze.NONE else clean(tex)
    return f"<p>\\[{escape(marked, quote=False)}\\]</p>"


def code_html(block: Block, page: Page) -> str:
    """Render a fence or indented code."""
    info = read_info(block.info)
    code = clean("\n".join(line.text for line in block.lines))
    marks, _ = find_marks(code, hints=False) if page.cloze is Cloze.CODE else ([], [])
    cuts: list[tuple[int, str]] = []
    plain = ""
    at = 0
    for mark in marks:
        plain += code[at : mark.start]
        cuts += _cuts(code[mark.inner : mark.inner_end], len(plain), mark.number)
        plain += code[mark.inner : mark.inner_end]
        at = mark.end
    plain += code[at:]
    language = info.language.lower()
    lexer = _find_lexer(block, language, page)
    tokens = _lex(block, lexer, plain, page) if lexer else [("", plain)]
    lines = "".join(_lines(tokens, cuts, info.highlighted))
    name = "output" if language == OUTPUT else "code"
    label = "" if language in PLAIN else lexer.aliases[0] if lexer else language
    shown = f' data-lang="{escape(label)}"' if label else ""
    html = f'<pre class="{name}"{shown}><code>{lines}</code></pre>'
    if not info.title:
        return html
    return f'<figure class="snippet"><figcaption>{escape(clean(info.title), quote=False)}</figcaption>{html}</figure>'


def _cuts(text: str, start: int, number: int) -> Iterator[tuple[int, str]]:
    """Say where a deletion begins and ends: on each of its lines by itself, so that lines stay lines."""
    for line in re.finditer(r"[^\n]+", text):
        stripped = line[0].strip(" \t")
        if stripped:
            begin = start + line.start() + len(line[0]) - len(line[0].lstrip(" \t"))
            yield begin, begin_deletion(number)
            yield begin + len(stripped), end_deletion()


@cache
def _lexer(language: str) -> Lexer | None:
    try:
        return quicken(get_lexer_by_name(language, stripnl=False))
    except ClassNotFound:
        return None


def _find_lexer(block: Block, language: str, page: Page) -> Lexer | None:
    if language in PLAIN | DIAGRAMS | {OUTPUT}:
        return None
    lexer = _lexer(language)
    if lexer is None:
        names = {alias for _, aliases, _, _ in get_all_lexers() for alias in aliases}
        fix = did_you_mean(language, names | {OUTPUT, MATH}, "leave it out, or use `text`")
        message = f"no colours for the language `{language}`"
        page.warn(block, "unknown-language", message, fix, len(block.marker) + len(block.info))
    return lexer


def _lex(block: Block, lexer: Lexer, code: str, page: Page) -> list[tuple[str, str]]:
    """Give the code in pieces with the class of each; all in one piece if Pygments is too slow."""
    try:
        with deadline(CODE_SECONDS):
            tokens = list(lexer.get_tokens(code))
    except DeadlineError:
        message = "this code takes too long to colour, so it is shown plain"
        fix = "shorten it, or give it the language `text`"
        page.warn(block, "code-too-slow", message, fix, len(block.marker) + len(block.info))
        return [("", code)]
    if "".join(text for _, text in tokens) != f"{code}\n" * bool(code):
        # A few lexers change what they read.
        return [("", code)]
    merged: list[tuple[str, str]] = []
    for kind, text in tokens:
        name = token_class(kind)
        if merged and merged[-1][0] == name:
            merged[-1] = name, merged[-1][1] + text
        else:
            merged.append((name, text))
    return merged


@cache
def token_class(kind: _TokenType) -> str:
    """Give the class of a token's kind: Pygments' short name for it or the nearest above, empty if it has no colour."""
    known = next(each for each in reversed(kind.split()) if each in STANDARD_TYPES)
    return STANDARD_TYPES[known] if is_styled(known) else ""


def _lines(
    tokens: list[tuple[str, str]], cuts: list[tuple[int, str]], highlighted: frozenset[int]
) -> Iterator[str]:
    """Write lines of code; a token goes on in a span of its own behind each mark of a deletion and each line's end."""
    line: list[str] = []
    text_of_line = ""
    number = 1
    at = 0
    waiting = iter([*cuts, (-1, "")])
    cut, mark = next(waiting)
    for name, text in tokens:
        for piece in re.split(r"(\n)", text):
            rest = piece
            while cut >= 0 and at <= cut < at + len(rest) + (piece != "\n"):
                line += [_span(name, rest[: cut - at]), mark]
                rest, at = rest[cut - at :], cut
                cut, mark = next(waiting)
            if piece == "\n":
                yield _line(line, text_of_line, highlighted=number in highlighted)
                line, text_of_line, number = [], "", number + 1
            elif piece:
                line.append(_span(name, rest))
                text_of_line += piece
            at += len(rest)
    if line:
        yield _line(line, text_of_line, highlighted=number in highlighted)


def _span(name: str, text: str) -> str:
    html = escape(text, quote=False)
    return f'<span class="{name}">{html}</span>' if name and text.strip() else html


def _line(parts: list[str], text: str, *, highlighted: bool) -> str:
    indent = len(text.expandtabs(_TAB)) - len(text.expandtabs(_TAB).lstrip(" "))
    style = f' style="--i:{indent}"' if indent and text.strip() else ""
    return f'<span class="{"ln hl" if highlighted else "ln"}"{style}>{"".join(parts)}\n</span>'
