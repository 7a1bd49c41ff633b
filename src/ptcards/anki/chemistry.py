r"""Chemistry and units without mhchem: turns its `\ce` and `\pu` into ordinary TeX.

This covers what most formulas need: elements, counts, charges, isotopes, arrows, states, bonds, text and
maths (https://mhchem.github.io/MathJax-mhchem). Tests compare the result with that of MathJax's own mhchem.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from typing import NoReturn

_GROUP = reduce(lambda inner, _: rf"(?>(?:\\[\s\S]|[^{{}}\\]|\{{{inner}\}})*)", range(4), r"[^{}]*+")
"""Matches what is in braces, with up to four pairs inside one another."""
_CALL = re.compile(rf"\\(?P<name>ce|pu)(?![A-Za-z])\s*(?:\{{(?P<inner>{_GROUP})\}})?")
_NUMBER = r"(?:\d+(?:[.,]\d+)?|\.\d+)"
_LETTER = r"(?!iPr|pH)[a-z](?=\s*[A-Z]|-[A-Z])"
_SHARED = (
    r"(?P<text>(?:\\(?:text|mathrm))?\{[^{}\\$]*\})|(?P<math>\$[^$]*\$)|(?P<letters>[^\W\d_]+|[°∼]|\([a-z]+\))"
    r"|(?P<command>\\[A-Za-z]++(?:\s*\{\}|(?!\s*\{)\s*))"
)
_SIDE = rf"(?:[^\[\]{{}}]|\{{{_GROUP}\}})*"
_CHARGE = r"(?:\+|[-−](?=[\s_{},;)\]/]|\\\}|\([a-z]+\)|$))"
_PART = (
    rf"(?P<wall>\s*\|\|?\s*)|(?P<space>\s+)|(?P<arrow>(?:<-->|<<=>|<=>>|<->|<=>|->|<-|[→⟶⇌])(?!M\[)(?:[CT]?\[{_SIDE}\]){{0,2}})"
    rf"|(?P<script>[_^](?:\{{{_GROUP}\}}|\$[^$]*\$|\d*{_CHARGE}|-?\d+|[a-z]\+|[A-Za-z]|\.+|\*|\\[A-Za-z]+))"
    rf"|(?P<accent>\\(?:bar|hat|tilde|vec|dot|overline)\s*\{{{_GROUP}\}})"
    rf"|(?P<bond>\\bond\{{[^{{}}]*\}}|\#|\.\.\.)|(?P<nested>\\ce\s*\{{{_GROUP}\}}|\\frac\{{{_GROUP}\}}\{{{_GROUP}\}})"
    rf"|{_SHARED}|(?P<closing>[)\]]|\\\}})|(?P<opening>[(\[]|\\\{{)|(?P<sign>[-−+±=,;/])|(?P<dot>[*.])"
)
_FIRST = re.compile(
    rf"(?P<fall>(?:\([v^]\)|[v^])(?=[\s,;)\]]|$))"
    rf"|(?P<amount>\(\d+/\d+\)|(?:\d+|[a-z])/\d+|{_NUMBER}(?:{_LETTER})?|{_LETTER})|{_PART}"
)
"""Matches the next part at the beginning of a term."""
_NEXT = re.compile(rf"(?P<charge>{_CHARGE})|(?P<count>\d+)|(?P<primes>'+)|(?P<line>[-−=](?!>))|{_PART}")
"""Matches the next part after one that may have scripts."""
_IN_SCRIPT = re.compile(
    rf"(?P<variable>(?!\Ai(?:,|\Z))[a-z](?![^\W\d_]))|{_SHARED}|{_NUMBER}|(?P<sign>[-−+*,()/='.\s])"
)
_ARROWS = {"->": "⟶", "→": "⟶", "<-": "⟵", "<->": "⟷", "<-->": "⇄", "<=>": "⇌", "<=>>": "⥂", "<<=>": "⥄"}
_WIDE = {"⟶": "rightarrow", "⟵": "leftarrow", "⟷": "leftrightarrow", "⇌": "rightleftharpoons"}
_BONDS = {"-": "{-}", "=": "{=}", "#": r"{\equiv}", "...": r"{\cdot}" * 3, "....": r"{\cdot}" * 4}
_BONDS |= {"1": "{-}", "2": "{=}", "3": r"{\equiv}", "->": r"{\rightarrow}", "<-": r"{\leftarrow}"}
_WITH_SCRIPTS = ("letters", "text", "math", "command", "nested", "accent", "closing")
_NUMBERS = re.compile(
    rf"(?:(?:\\pm|\\times|\+-|[-−+±])?\s*{_NUMBER}?(?:\(\d+\))?(?:[eE][-+]?\d+|\^-?\d+)?\s*)*"
)
_UNIT = re.compile(
    r"(?P<name>[^\W\d_]+|°C?|\d+(?:\.\d+)?|\\(?:mu|Omega|ohm|degree|%)(?![A-Za-z])\s*|\{[^{}\\$]*\})"
    r"(?:\^?(?P<power>-?\d+)|\^\{(?P<braced>-?\d+)\})?|(?P<sign>\s*[*./()]\s*|\s+)"
)
_SIGNS = {"*": "∗", ".": r"\bullet ", "'": r"\prime "}
_NAMED = {"°C": r"{}^{\circ}\text{C}", r"\ohm": r"\Omega ", r"\degree": "°", "": r"\,"}
_NAMED |= dict.fromkeys("*.", r"\cdot ")


class _UnknownError(Exception):
    """What only mhchem knows."""


def without_mhchem(tex: str) -> str:
    r"""Return TeX without `\ce` and `\pu`, or an empty string if only mhchem knows what is in them."""
    try:
        return _expanded(tex)
    except (_UnknownError, RecursionError):
        return ""


def _expanded(tex: str) -> str:
    def read(call: re.Match[str]) -> str:
        inner = call["inner"] or _refuse()
        return f"{{{_read(inner) if call['name'] == 'ce' else _quantity(inner)}}}"

    return _CALL.sub(read, tex)


def _refuse() -> NoReturn:
    raise _UnknownError


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield the matches that make up a text, if each begins where the one before it ends."""
    at = 0
    while at < len(text):
        yield (found := pattern.match(text, at) or _refuse())
        at = found.end()


def _read(text: str) -> str:
    r"""Return the TeX of what is in `\ce`."""
    text = re.sub(r"\\ca(?![A-Za-z])\s*", "∼", text.replace(r"\pm ", "±"))
    parts: list[str] = []
    scripts: str | None = None  # those of the last part; `None` at the beginning of a term
    at = 0
    while at < len(text):
        found = (_FIRST if scripts is None else _NEXT).match(text, at) or _refuse()
        kind, part, at = str(found.lastgroup), found[0], found.end()
        if kind == "space":
            parts += [r"\ "] if scripts is not None else []
            scripts = None
        elif kind in _SCRIPTS:
            mark, tex = _SCRIPTS[kind](part)
            if scripts is None or mark in scripts or (kind == "count" and scripts):
                parts.append("{}")
                scripts = ""
            elif scripts == "_" and parts[-2] != "{}":  # a charge is beside the count, except an isotope's
                parts.append("{}")
            parts.append(f"{mark}{{{tex}}}")
            scripts += mark
        else:
            if kind in ("arrow", "bond", "sign", "dot") and parts[-1:] == [r"\ "]:
                parts.pop()
            is_list = part == "," and text[at : at + 1].isspace()
            parts.append(r"{,}\;" if is_list else _PARTS[kind](part) if kind in _PARTS else part)
            scripts = "" if kind in _WITH_SCRIPTS else None
    return "".join(parts)


def _amount(part: str) -> str:
    above, _, below = part.partition("/")
    return rf"\tfrac{{{above}}}{{{below}}}\," if below and part[0] != "(" else rf"{part}\,"


def _arrow(part: str) -> str:
    sign = _ARROWS.get(name := re.split(r"[CT]?\[", part, maxsplit=1)[0], name)
    sides = re.findall(rf"([CT]?)\[({_SIDE})\]", part)
    if not sides:
        return rf"\;\text{{{sign}}}\;"
    above, *below = [_text(f"{{{side}}}") if kind == "T" else _read(side) for kind, side in sides]
    if sign not in _WIDE:
        return rf"\;\overset{{{above}}}{{\underset{{{''.join(below)}}}{{\text{{{sign}}}}}}}\;"
    return rf"\;\x{_WIDE[sign]}{'[' * bool(below)}{''.join(below)}{']' * bool(below)}{{{above}}}\;"


def _text(part: str) -> str:
    inner = part.partition("{")[2][:-1]
    return rf"\text{{{inner}}}" if inner else "{}"


def _nested(part: str) -> str:
    return re.sub(rf"\{{({_GROUP})\}}", lambda inner: f"{{{_read(inner[1])}}}", part.removeprefix(r"\ce"))


def _script(part: str) -> tuple[str, str]:
    mark, text = part[0], part[2:-1] if part[1] == "{" else part[1:]
    if (mark, text) == ("^", "x"):
        return mark, r"\times"
    read = [(str(each.lastgroup), each[0]) for each in _matches(_IN_SCRIPT, text)]
    return mark, "".join(
        _PARTS[kind](part) if kind in _PARTS else _SIGNS.get(part, part) for kind, part in read
    )


_SCRIPTS: Mapping[str, Callable[[str], tuple[str, str]]] = {
    "charge": lambda part: ("^", part),
    "count": lambda part: ("_", part),
    "primes": lambda part: ("^", r"\prime " * len(part)),
    "script": _script,
}
_PARTS: Mapping[str, Callable[[str], str]] = {
    "fall": lambda part: r"\text{↓}" if "v" in part else r"\text{↑}",
    "amount": _amount,
    "arrow": _arrow,
    "bond": lambda part: _BONDS.get(part.removeprefix(r"\bond").strip("{}")) or _refuse(),
    "line": lambda part: f"{{{part}}}",
    "dot": lambda _: r"\cdot ",
    "nested": _nested,
    "accent": _expanded,
    "wall": lambda part: re.sub(r"\s+", r"\\ ", part),
    "text": _text,
    "math": lambda part: f"{{{_expanded(part[1:-1])}}}",
    "letters": lambda part: rf"\text{{{part}}}",
    "command": lambda part: f"{part.removesuffix('{}').strip()} ",
}


def _quantity(text: str) -> str:
    r"""Return the TeX of what is in `\pu`: numbers, then units."""
    numbers = _NUMBERS.match(text) or _refuse()
    above, *below = [_units(each.strip()) for each in text[numbers.end() :].split("//")]
    number = re.sub(
        r"(?<![\d.,])\d{5,40}(?!\d)", lambda n: f"{int(n[0]):,}".replace(",", r"\,"), numbers[0].strip()
    )
    number = re.sub(r"(?<=\d),(?=\d)", "{,}", re.sub(r"\^(-?\d+)", r"^{\1}", number)).replace("+-", r"\pm ")
    number = re.sub(r"(?<=[\d)])(?=e)", r"\\cdot ", re.sub(r"(?<=[\d)])(?=E)", r"\\times ", number))
    number = re.sub(r"[eE]([-+]?\d+)", r"10^{\1}", number)
    unit = rf"\frac{{{above}}}{{{''.join(below)}}}" if len(below) == 1 else above if not below else _refuse()
    return number + (r"\," if number and unit else "") + unit


def _units(text: str) -> str:
    made = ""
    for found in _matches(_UNIT, text):
        part = (found["name"] or found["sign"]).strip()
        plain = part.strip("{}")
        made += _NAMED.get(part, rf"\text{{{plain}}}" if plain[:1].isalpha() else f"{part} ")
        made += f"^{{{power}}}" if (power := found["power"] or found["braced"]) else ""
    return made
