"""The shape of a formula in MathML: its signs and their places, whatever the elements that put them there."""

import re
from xml.etree.ElementTree import Element, fromstring

_BETWEEN = {"msub": "_", "msup": "^", "munder": "__", "mover": "^^"}
_BOTH = {"msubsup": ("_", "^"), "munderover": ("__", "^^"), "mmultiscripts": ("", "_", "^")}
_ALIKE = str.maketrans("∙⋅·→←↔⇌−-μ\u2126", "•••⟶⟵⟷⇋‐‐µΩ")

_ARROWS = {"↽‐^^{‐⇀}": "⇋", "↽^^{‐⇀}": "⥂", "↽‐^^{⇀}": "⥄", "⟵^^{⟶}": "⇄"}
"""Arrows that mhchem puts together, and those that are one sign."""


def shape(mathml: str) -> str:
    """Return the signs of a formula in order, with what is below (`_`) and above (`^`) them.

    Spaces, and what is there only to take up room, are left out; letters in italics follow a `/`.
    """
    text = _of(fromstring(re.sub(r' xmlns="[^"]*"', "", mathml)))
    for several, one in _ARROWS.items():
        text = text.replace(several, one)
    # What is above an arrow may be inside what is below it.
    return re.sub(r"(\^\^\{(?:[^{}]|\{[^{}]*\})*\})(__\{(?:[^{}]|\{[^{}]*\})*\})", r"\2\1", text)


def _of(element: Element, variant: str = "") -> str:
    tag = element.tag
    variant = element.get("mathvariant", variant)
    if tag in ("mphantom", "mspace"):
        return ""
    if tag in ("mi", "mn", "mo", "mtext", "ms"):
        text = re.sub(r"[\s\u2061-\u2064]", "", element.text or "")
        is_italic = tag == "mi" and len(text) == 1 and variant in ("", "italic") and text.isalpha()
        return ("/" + text if is_italic else text).translate(_ALIKE)
    parts = [_of(each, variant) for each in element]
    if tag in _BETWEEN:
        return parts[0] + _at(_BETWEEN[tag], parts[1])
    if tag in _BOTH:
        return parts[0] + "".join(map(_at, _BOTH[tag], parts[1:]))
    if tag == "mfrac":
        return f"({parts[0]}÷{parts[1]})"
    return "".join(parts)


def _at(mark: str, text: str) -> str:
    return f"{mark}{{{text}}}" if text else ""
