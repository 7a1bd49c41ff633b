"""The space between the parts of a formula, as TeX sets it.

Browsers space each operator alike wherever it is: a sign as a difference, a subscript as a line. TeX gives
each part a class, and each pair of neighbours a space (The TeXbook, chapter 18).
"""

from enum import Enum, auto
from typing import Final
from xml.etree.ElementTree import Element


class _Class(Enum):
    ORDINARY = auto()
    OPERATOR = auto()
    BINARY = auto()
    RELATION = auto()
    OPENING = auto()
    CLOSING = auto()
    PUNCTUATION = auto()
    INNER = auto()


_SIZES = {"0": 0, "1": 3, "2": 4, "3": 5}
"""None, a thin, a medium and a thick space, in eighteenths of an em."""
# Those in brackets are left out in scripts; what has a star does not occur, because a sign is not a binary.
_SPACES = (
    "       Ord Op  Bin Rel Open Close Punct Inner",
    "Ord    0   1   (2) (3) 0    0     0     (1)",
    "Op     1   1   *   (3) 0    0     0     (1)",
    "Bin    (2) (2) *   *   (2)  *     *     (2)",
    "Rel    (3) (3) *   0   (3)  0     0     (3)",
    "Open   0   0   *   0   0    0     0     0",
    "Close  0   1   (2) (3) 0    0     0     (1)",
    "Punct  (1) (1) *   (1) (1)  (1)   (1)   (1)",
    "Inner  (1) 1   (2) (3) (1)  0     0     (1)",
)
_ROWS = frozenset({"math", "mrow", "mtd", "msqrt", "mstyle", "mpadded", "mphantom"})
_SCRIPTED = frozenset({"msub", "msup", "msubsup", "munder", "mover", "munderover"})
_LIMITS = {"msub": "munder", "msup": "mover", "msubsup": "munderover"}
_NAMES = frozenset(
    (
        "arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf limsup "
        "ln log max min Pr sec sin sinh sup tan tanh"
    ).split()
)
_SIGNS: Final = {
    **dict.fromkeys("+-−±∓×·⋅∗*∘÷∩∪⊙⊕⊗∖∧∨", _Class.BINARY),
    "mod": _Class.BINARY,
    **dict.fromkeys("=<>≤≥≠≈∼≃≅≡∝≪≫∈∉⊂⊆⊃⊇∣∥←→↔⇐⇒⇔↦⟶⟵⟹", _Class.RELATION),
    **dict.fromkeys("([{⟨⌊⌈", _Class.OPENING),
    **dict.fromkeys(")]}⟩⌋⌉", _Class.CLOSING),
    **dict.fromkeys(",;", _Class.PUNCTUATION),
    **dict.fromkeys("∑∏∐∫∬∭∮⋃⋂⨁⨂", _Class.OPERATOR),
    **dict.fromkeys("/|‖∞!∇∂∀∃¬⊤⊥…⋯", _Class.ORDINARY),
}
_WITH_LIMITS = frozenset("∑∏∐⋃⋂⨁⨂") | frozenset("det gcd inf lim liminf limsup max min Pr sup".split())
"""In a display, the scripts of these are below and above them."""
_BEFORE_A_SIGN = frozenset(
    {_Class.BINARY, _Class.OPERATOR, _Class.RELATION, _Class.OPENING, _Class.PUNCTUATION, None}
)
"""After these, and at the beginning, `−` is a sign and not a difference."""
_AFTER_A_SIGN = frozenset({_Class.RELATION, _Class.CLOSING, _Class.PUNCTUATION, None})


def place_limits(formula: Element) -> None:
    """Put the limits of sums and the like below and above them in a display, in brackets too."""
    if formula.tag in ("mfrac", "mtd"):
        return
    is_sign = formula.tag in _LIMITS and formula[0].tag != "mtext"  # `min` may also be minutes
    if is_sign and (formula[0].text in _WITH_LIMITS or formula[0].get("movablelimits")):
        formula.tag = _LIMITS[formula.tag]
    for child in formula[:1] if formula.tag in _SCRIPTED else formula:
        place_limits(child)


def space(formula: Element) -> None:
    """Set the space around all operators of a formula that this module knows."""
    _space(formula, 0 if formula.get("display") == "block" else 1)


def _space(element: Element, level: int) -> None:
    """Space an element's content; the level is 0 in a display, 1 in text, and 2 in scripts."""
    if element.tag == "mstyle" and (style := element.get("displaystyle")):
        level = 0 if style == "true" else 1
    if element.tag == "mtable":
        level = 0 if element.get("displaystyle") == "true" else max(level, 1)
    for number, child in enumerate(element):
        is_script = (element.tag in _SCRIPTED or element.tag == "mroot") and number > 0
        _space(child, 2 if is_script else min(level + (element.tag == "mfrac"), 2))
    if element.tag in _ROWS:
        _space_row(element, in_script=level == 2)


def _space_row(row: Element, *, in_script: bool) -> None:
    parts = [child for child in row if child.tag != "mspace"]
    classes = _settled([_class_of(part) for part in parts])
    for part, kind in zip(parts, classes, strict=True):
        if kind and (core := _core(part)).tag == "mo":
            core.set("lspace", "0em")
            core.set("rspace", "0em")
    for number in range(1, len(parts)):
        before, after = classes[number - 1 : number + 1]
        if before and after and (size := _gap(before, after, in_script=in_script)):
            _put(row, parts[number - 1], parts[number], f"{size / 18:.3f}em")


def _put(row: Element, before: Element, after: Element, width: str) -> None:
    if after.tag == "mo":
        after.set("lspace", width)
    elif before.tag == "mo":
        before.set("rspace", width)
    else:
        row.insert(list(row).index(after), Element("mspace", {"width": width}))


def _core(part: Element) -> Element:
    return _core(part[0]) if part.tag in _SCRIPTED and len(part) else part


def _class_of(part: Element) -> _Class | None:
    """Return the class of a part, `None` for an operator that is not known."""
    core = _core(part)
    text = core.text or ""
    if core.tag == "mo":
        if core.get("fence") == "true" and (form := core.get("form")):
            return _Class.OPENING if form == "prefix" else _Class.CLOSING
        return _SIGNS.get(text, _Class.OPERATOR if text.isalpha() and text.isascii() else None)
    if core.tag == "mi" and text in _NAMES:
        return _Class.OPERATOR
    if core.tag == "mi" and text in {"⌊", "⌈", "⌋", "⌉"}:
        return _SIGNS[text]
    is_fenced = core.tag == "mrow" and len(core) > 0 and core[0].get("fence") == "true"
    return _Class.INNER if core.tag == "mfrac" or is_fenced else _Class.ORDINARY


def _settled(classes: list[_Class | None]) -> list[_Class | None]:
    """Return the classes, with signs as ordinary parts."""
    settled: list[_Class | None] = []
    for number, kind in enumerate(classes):
        before = settled[-1] if settled else None
        after = classes[number + 1] if number + 1 < len(classes) else None
        is_sign = kind is _Class.BINARY and (before in _BEFORE_A_SIGN or after in _AFTER_A_SIGN)
        settled.append(_Class.ORDINARY if is_sign else kind)
    return settled


def _gap(before: _Class, after: _Class, *, in_script: bool) -> int:
    """Return the space between two neighbours, in eighteenths of an em."""
    size = _SPACES[before.value].split()[after.value]
    return 0 if in_script and "(" in size else _SIZES[size.strip("()")]
