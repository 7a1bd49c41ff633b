r"""Maths without a script: turns `\(…\)` and `\[…\]` in a card's HTML into MathML, which browsers render.

Anki's apps use MathJax for the same formulas. As in MathJax, formulas in code are skipped, and a formula may
contain single line breaks.
"""

import functools
import html as entities
import re
from xml.etree.ElementTree import Element, tostring

from latex2mathml import exceptions
from latex2mathml.converter import Converter

_SKIPPED = ("code", "pre", "script", "style", "textarea", "svg", "math")
_PIECE = re.compile(
    rf"<!--.*?-->|<({'|'.join(_SKIPPED)})\b[^>]*>.*?</\1\s*>"
    r"|\\\((?P<inline>(?:[^<]|<br ?/?>)*?)\\\)|\\\[(?P<block>(?:[^<]|<br ?/?>)*?)\\\]"
    r"|</?[A-Za-z](?:[^>\"']|\"[^\"]*\"|'[^']*')*>",
    re.DOTALL | re.IGNORECASE,
)
_BREAK = re.compile(r"<br ?/?>", re.IGNORECASE)
# Formulas need no links or styles from the card's author, but MathML would apply them.
_UNWANTED = ("href", "style", "class", "id")
_REFUSALS = (
    exceptions.DenominatorNotFoundError,
    exceptions.DoubleSubscriptsError,
    exceptions.DoubleSuperscriptsError,
    exceptions.ExtraLeftOrMissingRightError,
    exceptions.InvalidAlignmentError,
    exceptions.InvalidStyleForGenfracError,
    exceptions.InvalidWidthError,
    exceptions.LimitsMustFollowMathOperatorError,
    exceptions.MissingEndError,
    exceptions.MissingSuperScriptOrSubscriptError,
    exceptions.NoAvailableTokensError,
    exceptions.NumeratorNotFoundError,
    # The library raises these errors for some invalid TeX.
    AttributeError,
    IndexError,
    KeyError,
    RecursionError,
    StopIteration,
    RuntimeError,
    TypeError,
    ValueError,
)
_LONGEST = 5000


def with_math(html: str) -> str:
    """Return a side of a card with maths as MathML; invalid TeX stays as written."""
    if "\\(" not in html and "\\[" not in html:
        return html
    return _PIECE.sub(_replaced, html)


def _replaced(match: re.Match[str]) -> str:
    tex, display = (match["inline"], "inline") if match["inline"] is not None else (match["block"], "block")
    if tex is None:
        return match[0]
    return _mathml(entities.unescape(_BREAK.sub(" ", tex)).strip(), display) or match[0]


@functools.lru_cache(maxsize=4096)
def _mathml(tex: str, display: str) -> str:
    """Return TeX as MathML, or an empty string if it is invalid."""
    if not tex or len(tex) > _LONGEST:
        return ""
    try:
        tree = Converter(display=display).convert_to_element(tex)
    except _REFUSALS:
        return ""
    for element in tree.iter():
        _clean(element)
    return tostring(tree, encoding="unicode")


def _clean(element: Element) -> None:
    # The library writes characters as entities into an element's text, so they would be escaped twice.
    element.text = entities.unescape(element.text or "") or None
    element.tail = entities.unescape(element.tail or "") or None
    for name in _UNWANTED:
        element.attrib.pop(name, None)
