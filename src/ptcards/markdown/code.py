"""Renders code blocks, with the tokens that Pygments finds in them.

Class names in fields must never change, because learners keep old fields when they get new style sheets. The
classes are `code` and `output` on `<pre>`, `snippet` on the `<figure>` around a block with a title, `ln` on
each line, `hl` on the lines in `hl_lines`, `unit` on what does not wrap, and Pygments' short names on tokens.
`--i` is a line's indentation in columns, for the hanging indent on phones, and `data-lang` is the label.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from html import escape, unescape

from pygments.lexer import Lexer
from pygments.lexers import get_all_lexers, get_lexer_by_name
from pygments.token import STANDARD_TYPES, _TokenType
from pygments.util import ClassNotFound

from ptcards.diagnostics import Trait
from ptcards.diagnostics.suggest import did_you_mean, slip_among
from ptcards.markdown.deadline import CODE_SECONDS, DeadlineError, within
from ptcards.markdown.deletions import find_marks
from ptcards.markdown.escaping import begin_deletion, clean, end_deletion
from ptcards.markdown.fences import DIAGRAMS, DRAWN, MATH, OUTPUT, read_info
from ptcards.markdown.render_inlines import TOGETHER, WRAPS, Cloze, Rendering, formula_text
from ptcards.markdown.styles import is_styled
from ptcards.markdown.tree import Block, BlockKind

try:
    from ptcards.markdown.lexing import quicken
except (ImportError, AttributeError):  # this Python parses expressions differently, so colouring is slower
    # It has the signature of the other version.
    def quicken(lexer: Lexer, *, often: int = 0) -> Lexer:  # noqa: ARG001
        """Return the lexer unchanged."""
        return lexer


PLAIN = frozenset({"", "text", "txt", "plain", "plaintext", "none"})
_UNCOLOURED = PLAIN | DIAGRAMS | {OUTPUT}
_COMMON = frozenset(
    {"bash", "c++", "console", "haskell", "html", "javascript", "kotlin", "python", "rust", "typescript"}
)
"""Languages that are meant when others, which few people write, are as near."""

_TAB = 4
_NARROW = 28
"""The number of columns that always fit on a phone."""
_NAME = 20
"""The number of characters up to which a name with dots is shown on one line."""
_TAGS = r"(?>(?:<[^>]*>)*)"
_SIGNS = rf"{_TAGS}(?:&\w+;|[^<>&()\[\]{{}}\x02\x03])"
_SHORT = rf"[(\[{{](?>(?:{_SIGNS}){{0,{TOGETHER}}}){_TAGS}[)\]}}]"
_BREAKS = re.compile(
    rf"[(\[{{](?>(?:{_SIGNS}|{_TAGS}{_SHORT}){{0,{TOGETHER}}}){_TAGS}[)\]}}]"
    rf"|[(,](?={_TAGS}[^\s<()\]}},=])"
    rf"|\[(?<=[\w\])>]\[)(?={_TAGS}[\w'\":&-])"
    rf"|\.(?={_TAGS}[A-Za-z_])"
)
"""Matches brackets without deletions that are short unless those in them are long, and characters at which a
line may break unless a space follows. Each match begins with one of four characters, for which searching is
fast; the tags of tokens contain none of them."""
_BREAKS_AFTER = re.compile(rf"\((?={_TAGS}[^\s<()\]}},=])|(?<=[\w\])>])\[(?={_TAGS}[\w'\":&-])")
_MARKUP = re.compile(r"<[^>]*>")
_NAME_PART = re.compile(rf"[\w.]{{0,{_NAME}}}")


def is_math(block: Block) -> bool:
    """Whether a block is a fence that contains a formula."""
    return block.kind is BlockKind.FENCE and read_info(block.info).language == MATH


def math_html(block: Block, rendering: Rendering) -> str:
    """Return the HTML of a fence that contains a formula."""
    return f"<p>\\[{escape(formula_text(block.text, rendering), quote=False)}\\]</p>"


def code_html(block: Block, rendering: Rendering) -> str:
    """Return the HTML of a fence or of indented code."""
    info = read_info(block.info)
    code = clean(block.text)
    marks, _ = find_marks(code, hints=False) if rendering.cloze is Cloze.CODE else ([], [])
    cuts: list[tuple[int, str]] = []
    plain = ""
    at = 0
    for mark in marks:
        plain += code[at : mark.start]
        cuts += _cuts(code[mark.inner : mark.inner_end], len(plain), mark.number)
        plain += code[mark.inner : mark.inner_end]
        at = mark.end
    plain += code[at:]
    if rendering.plain_code:
        pieces = [("", plain)]
        return f"<pre><code>{_spans(_with_marks(pieces, cuts) if cuts else pieces)}</code></pre>"
    language = info.language
    lexer = _find_lexer(block, language, rendering)
    pieces = _lex(block, language, plain, rendering) if lexer else [("", f"{plain}\n")]
    lines = (
        "".join(_lines(plain, _with_marks(pieces, cuts) if cuts else pieces, info.highlighted))
        if plain
        else ""
    )
    name = "output" if language == OUTPUT else "code"
    label = "" if language in PLAIN else lexer.aliases[0] if lexer else language
    shown = f' data-lang="{escape(label)}"' if label else ""
    html = f'<pre class="{name}"{shown}><code>{lines}</code></pre>'
    if not info.title:
        return html
    caption = escape(clean(info.title), quote=False)
    return f'<figure class="snippet"><figcaption>{caption}</figcaption>{html}</figure>'


def _cuts(text: str, start: int, number: int) -> Iterator[tuple[int, str]]:
    """Yield where a deletion begins and ends on each of its lines, with its marks."""
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


@cache
def _languages() -> frozenset[str]:
    return frozenset({alias for _, aliases, _, _ in get_all_lexers() for alias in aliases} | {OUTPUT, MATH})


@lru_cache(256)
def meant_language(language: str) -> str | None:
    """Return the language that an unknown one clearly stands for, if there is one.

    Cached, because the comparison with all languages takes ten milliseconds.
    """
    if language in PLAIN | DIAGRAMS | DRAWN | _languages():
        return None
    return slip_among(language, _languages()) or slip_among(language, _COMMON)


@lru_cache(256)
def _language_fix(language: str) -> str:
    meant = meant_language(language)
    return did_you_mean(language, [meant] if meant else _languages(), "remove it, or use `text`")


def _find_lexer(block: Block, language: str, rendering: Rendering) -> Lexer | None:
    if language in _UNCOLOURED:
        return None
    lexer = _lexer(language)
    if lexer is None and language not in DRAWN:
        fix = _language_fix(language)
        message = f"no colours for the language `{language}`"
        rendering.warn(block, "unknown-language", message, fix)
    return lexer


def _lex(block: Block, language: str, code: str, rendering: Rendering) -> list[tuple[str, str]]:
    """Return the code with a final newline, as pieces with their classes.

    If Pygments is too slow, the code is a single plain piece.
    """
    text = f"{code}\n"
    try:
        pieces = within(CODE_SECONDS, _pieces, language, text)
    except DeadlineError:
        message = "this code is shown without colours: colouring it takes too long"
        fix = "shorten it, or set its language to `text`"
        rendering.warn(block, "code-too-slow", message, fix, Trait.FLEETING)
        return [("", text)]
    # A few lexers change the text that they read.
    return pieces if "".join([part for _, part in pieces]) == text else [("", text)]


def _pieces(language: str, text: str) -> list[tuple[str, str]]:
    """Return a text as pieces with their classes; `language` must have a lexer."""
    lexer = _lexer(language)
    assert lexer is not None  # noqa: S101 - the caller has checked it
    pieces: list[tuple[str, str]] = []
    together: list[str] = []
    last = ""
    for _, kind, part in _tokens(lexer, text):
        name = token_class(kind)
        if name == "mf" and len(part) > _NARROW:
            name = "m"  # a phone may break it: it may be longer than a line
        if name != last:
            if together:
                pieces.append((last, "".join(together)))
            last, together = name, []
        together.append(part)
    return [*pieces, (last, "".join(together))]


def _tokens(lexer: Lexer, text: str) -> Iterable[tuple[int, _TokenType, str]]:
    """Return the tokens of a text that ends with a newline, with their offsets."""
    if type(lexer).get_tokens is Lexer.get_tokens and not text.startswith("\ufeff"):
        return lexer.get_tokens_unprocessed(text)  # the other way adds a step for each token
    return ((0, kind, part) for kind, part in lexer.get_tokens(text))


@cache
def token_class(kind: _TokenType) -> str:
    """Return the class of a kind of token, or an empty string if it has no colour.

    The class is Pygments' short name of the kind or of its nearest ancestor.
    """
    known = next(each for each in reversed(kind.split()) if each in STANDARD_TYPES)
    return STANDARD_TYPES[known] if is_styled(known) else ""


def _with_marks(
    pieces: Iterable[tuple[str, str]], cuts: Iterable[tuple[int, str]]
) -> Iterator[tuple[str, str]]:
    """Yield pieces of code with the marks of deletions between them, splitting pieces where needed."""
    waiting = deque(cuts)
    at = 0
    for name, text in pieces:
        rest, end = text, at + len(text)
        while waiting and waiting[0][0] <= end:
            cut, mark = waiting.popleft()
            yield name, rest[: cut - at]
            yield "", mark
            rest, at = rest[cut - at :], cut
        yield name, rest
        at = end


def _lines(code: str, pieces: Iterable[tuple[str, str]], highlighted: frozenset[int]) -> Iterator[str]:
    """Yield the HTML of each line of code; no `<span>` of a token crosses lines."""
    shown = _spans(pieces).split("\n")
    for number, text in enumerate(code.split("\n"), 1):
        style = ""
        if text[:1] in (" ", "\t") and text.strip():
            spaced = text.expandtabs(_TAB)
            style = f' style="--i:{len(spaced) - len(spaced.lstrip(" "))}"'
        line = shown[number - 1] if len(text) <= _NARROW else _with_breaks(shown[number - 1])
        yield f'<span class="{"ln hl" if number in highlighted else "ln"}"{style}>{line}\n</span>'


def _with_breaks(html: str) -> str:
    """Return a line that phones can break before dots and after other signs, but not in short brackets."""
    return _BREAKS.sub(_with_break, html)


def _with_break(found: re.Match[str]) -> str:
    shown = found[0]
    sign = shown[0]
    if sign == ".":
        return f"<wbr>{shown}" if _may_part(found) else shown
    if len(shown) == 1:
        return f"{shown}<wbr>"
    if _is_element(shown) and len(text := unescape(_MARKUP.sub("", shown))) <= TOGETHER:
        return f'<span class="unit">{shown}</span>' if WRAPS.search(text) else shown
    breaks = "<wbr>" if _BREAKS_AFTER.match(found.string, found.start()) else ""
    return f"{sign}{breaks}{_with_breaks(shown[1:])}"


def _is_element(html: str) -> bool:
    """Whether every tag in the HTML is closed in it; the tags of tokens are not inside each other."""
    first = html.find("<")
    return first < 0 or (html[first + 1] != "/" and html.count("<") == 2 * html.count("</"))


def _may_part(dot: re.Match[str]) -> bool:
    """Whether a line may break before a dot: after a bracket, or in a long name."""
    html, at = dot.string, dot.start()
    if html[at - 1 : at] in (")", "]"):
        return True
    before, after = _NAME_PART.match(html[max(0, at - _NAME) : at][::-1]), _NAME_PART.match(html, at)
    return len(before[0] if before else "") + len(after[0] if after else "") > _NAME


def _spans(pieces: Iterable[tuple[str, str]]) -> str:
    names, texts = zip(*pieces, strict=True)
    # Escaping all texts together saves 1% of a build; none contains NUL.
    escaped = escape("\0".join(texts), quote=False).split("\0")
    return "".join([_span(name, html) if name else html for name, html in zip(names, escaped, strict=True)])


def _span(name: str, html: str) -> str:
    if "\n" not in html:
        return f'<span class="{name}">{html}</span>' if html.strip() else html
    return "\n".join(
        [f'<span class="{name}">{line}</span>' if line.strip() else line for line in html.split("\n")]
    )
