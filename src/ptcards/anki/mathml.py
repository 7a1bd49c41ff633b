r"""Maths without a script: turns `\(…\)` and `\[…\]` in a card's HTML into MathML, which browsers render.

Anki's apps use MathJax for the same formulas. As in MathJax, formulas in code are skipped, and a formula may
contain single line breaks. A formula that only MathJax draws is shown as its TeX source in a box.
"""

import functools
import html as entities
import re
from xml.etree.ElementTree import Element, tostring

from latex2mathml import exceptions
from latex2mathml.commands import MATRICES
from latex2mathml.converter import Converter

from ptcards.anki.chemistry import without_mhchem
from ptcards.anki.mathspacing import place_limits, space
from ptcards.anki.tex import TexDefinitions, definitions_of, problems_in
from ptcards.markdown.tex_commands import tex_commands
from ptcards.notes.closings import Closings
from ptcards.notes.labels import labels_of

_SKIPPED = ("code", "pre", "script", "style", "textarea", "svg", "math")
_PIECE = re.compile(
    rf"(?P<comment><!--)|<(?P<skipped>{'|'.join(_SKIPPED)})\b|\\(?P<math>[(\[])|</?[A-Za-z]", re.IGNORECASE
)
"""The start of a comment, of what is skipped, of a formula or of a tag."""
_COMMENT_END = re.compile("-->")
_TAG_END = re.compile(">")
_SKIPPED_ENDS = {name: re.compile(rf"</{name}\s*>", re.IGNORECASE) for name in _SKIPPED}
_MATH_ENDS = {"(": re.compile(r"\\\)"), "[": re.compile(r"\\\]")}
_OTHER_TAG = re.compile("<(?!br ?/?>)", re.IGNORECASE)
"""What no formula contains."""
_REST_OF_TAG = re.compile(r"""(?>(?:[^>"']+|"[^"]*+"|'[^']*+')*)>""")
_LANGUAGE = re.compile(r"\slang=\"?([A-Za-z0-9-]{1,40}+)\"?+(?! dir=)")
"""Matches the language of a card, but not that of one side of a note in two languages."""
_MOST_BROKEN = 100
"""How many tags without an end are searched to the end; of later ones, marks in attributes count."""
_BREAK = re.compile(r"<br ?/?>", re.IGNORECASE)
# Formulas need no links or styles from the card's author, but MathML would apply them.
_UNWANTED = ("href", "style", "class", "id")
_REFUSALS: tuple[type[Exception], ...] = (
    *(each for each in vars(exceptions).values() if isinstance(each, type) and issubclass(each, Exception)),
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
_BEGIN_OR_END = re.compile(r"\\\\|\\(begin|end)\s*\{([^{}]*)\}")
_ALIKE = {
    "aligned": "align*",
    "dcases": "cases",
    "gather": "matrix",
    "gather*": "matrix",
    "gathered": "matrix",
    "eqnarray": "align*",
    "eqnarray*": "align*",
    "psmallmatrix": "pmatrix",
    "bsmallmatrix": "bmatrix",
    "vsmallmatrix": "vmatrix",
}
"""Environments that the library does not know, and those that look the same."""
_LONG = {"→": "⟶", "←": "⟵", "↔": "⟷", "⇒": "⟹", "⇐": "⟸", "⇔": "⟺", "↦": "⟼"}
"""Arrows with text at them: a stretched one may lack its head in Chromium, or lines that join."""
_DRAWN = {"⟶": "", "⟵": " left", "⟷": " both", "⇌": " pair"}
"""Those of them that the style sheet of our pages draws as long as their text."""
_LONE_UPRIGHT = re.compile(r"\\mathrm\s*\{\s*([A-Za-z])\s*\}")
"""A letter that the library would slant, unless it is in two pairs of braces."""
_WITH_ONE_ROW = ("equation", "equation*")
_MARKED = '<span class="ptcards-broken" data-problem="{}">{}</span>'
_SOURCE = '<span class="formula-source"><code>{}</code> <small>{}</small></span>'


def with_math(html: str, language: str = "", *, marked: bool = False) -> str:
    """Return a side of a card with maths as MathML; invalid TeX stays as written.

    What only MathJax draws is shown as its source, and called so in the language of the last `lang` before
    it, or in `language`. With `marked`, what MathJax refuses is in an element with the message of `check`.
    """
    if "\\(" not in html and "\\[" not in html:
        return html
    closings = Closings(html)
    defined = definitions_of(entities.unescape(html)) if marked else None
    shown: list[str] = []
    at = search_at = broken = 0
    while piece := _PIECE.search(html, search_at):
        is_tag = piece.lastgroup is None or piece["skipped"]
        end = _end_of(piece, closings)
        if not end and is_tag and broken < _MOST_BROKEN:
            rest = _REST_OF_TAG.match(html, piece.end())
            end = rest and rest.end()
            broken += not rest
            if end and (found := _LANGUAGE.search(html, piece.end(), end)):
                language = found[1]
        search_at = end or piece.start() + 1
        if end and (mark := piece["math"]):
            shown += html[at : piece.start()], _shown(html[piece.start() : end], mark, language, defined)
            at = end
    return "".join(shown) + html[at:]


def _end_of(piece: re.Match[str], closings: Closings) -> int | None:
    """Return the offset after a comment, a formula or what is skipped; `None` if it does not end."""
    if piece["comment"]:
        return closings.end((_COMMENT_END,), piece.end())
    if name := piece["skipped"]:
        return closings.end((_TAG_END, _SKIPPED_ENDS[name.lower()]), piece.end())
    if mark := piece["math"]:
        closing = closings.find(_MATH_ENDS[mark], piece.end())
        tag = closings.find(_OTHER_TAG, piece.end())
        if closing and not (tag and tag.start() < closing.start()):
            return closing.end()
    return None


def _shown(formula: str, mark: str, language: str, defined: TexDefinitions | None) -> str:
    """Return a formula with its marks as MathML, or unchanged if it is invalid.

    With the definitions of its card, what MathJax refuses is marked.
    """
    tex = entities.unescape(_BREAK.sub(" ", formula[2:-2])).strip()
    shown = _mathml(tex, "inline" if mark == "(" else "block", language) or formula
    problems = problems_in(tex, defined) if defined else []
    return _MARKED.format(entities.escape(problems[0].message), shown) if problems else shown


@functools.lru_cache(maxsize=4096)
def _mathml(tex: str, display: str, language: str) -> str:
    """Return TeX as MathML, or in a box if only MathJax draws it, or an empty string if it is invalid."""
    if not tex or len(tex) > _LONGEST:
        return ""
    source = _BEGIN_OR_END.sub(_alike, _LONE_UPRIGHT.sub(r"\\mathrm{{\1}}", without_mhchem(tex)))
    try:
        tree = Converter(display=display).convert_to_element(source)
    except _REFUSALS:
        tree = None
    if tree is None or _is_incomplete(tree, source):
        if not problems_in(tex, definitions_of(tex)):
            return _SOURCE.format(entities.escape(tex), labels_of(language)["formula_source"])
        if tree is None:
            return ""
    for element in [*tree.iter()]:
        _clean(element)
    if display == "block" and "\\nolimits" not in source:
        place_limits(tree)
    space(tree)
    for element in [each for each in tree.iter("msubsup") if each[0].tag == "mrow" and not len(each[0])]:
        element.tag = "mmultiscripts"  # which aligns the numbers of an isotope at its sign
        element.insert(1, Element("mprescripts"))
    return tostring(tree, encoding="unicode")


def _alike(found: re.Match[str]) -> str:
    """Return the beginning or end of an environment with a name that the library knows."""
    return f"\\{found[1]}{{{_ALIKE.get(found[2], found[2])}}}" if found[1] else found[0]


def _is_incomplete(tree: Element, source: str) -> bool:
    """Whether a tree lacks something that MathJax draws.

    The library shows the names of commands that it does not know, and ignores environments. Chromium ignores
    `menclose`; the style sheet draws its strikes.
    """
    for element in tree.iter():
        text = element.text or ""
        is_name = element.tag != "mtext" and text[:1] == "\\" and text[1:] in tex_commands().commands
        if is_name or (element.tag == "menclose" and "strike" not in element.get("notation", "")):
            return True
    return any(
        found[1] == "begin" and f"\\{found[2]}" not in MATRICES and found[2] not in _WITH_ONE_ROW
        for found in _BEGIN_OR_END.finditer(source)
    )


def _clean(element: Element) -> None:
    # The library writes characters as entities into an element's text, so they would be escaped twice.
    element.text = entities.unescape(element.text or "") or None
    element.tail = entities.unescape(element.tail or "") or None
    for name in _UNWANTED:
        element.attrib.pop(name, None)
    if element.tag == "mi" and "Α" <= (element.text or "") <= "Ω":
        element.attrib.setdefault("mathvariant", "normal")  # browsers slant lone letters, TeX not these
    if element.attrib == {"scriptlevel": "0"} and (arrow := element[0]).tag == "mo":
        sign = entities.unescape(arrow.text or "")
        arrow.text = _LONG.get(sign, sign)
        arrow.set("stretchy", "false")
        if arrow.text in _DRAWN:
            element.set("class", f"ptcards-arrow{_DRAWN[arrow.text]}")
    if element.tag == "mpadded" and element.get("width", "")[:1] == "+":  # browsers would not add it
        element.tag, element.attrib = "mrow", {}
        element[-1].attrib = {"width": "0.5em"}
        element.insert(0, Element("mspace", width="0.5em"))
