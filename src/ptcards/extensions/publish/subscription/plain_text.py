r"""Fields as text for windows that cannot draw formulas: `\sqrt{x^2}` is √(x²), `\ce{H2O}` is H₂O.

Where Unicode has no letter for a script, each of its letters is followed by a mark: `K_b` is `Kb` and `LOW`.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from html.entities import html5
from itertools import takewhile

from ptcards.anki.chemistry import without_mhchem
from ptcards.extensions.desktop.merge.html_tree import CELL, Element, join_cells, parse_html, visible
from ptcards.extensions.desktop.merge.item_lists import with_plain_list

_ALERTS = {"note": "ⓘ", "tip": "ⓘ", "important": "❗", "warning": "⚠", "caution": "⚠"}
_CODE = re.compile(r"(?<!<pre>)<code>(.*?)</code>")
_INNER = r"((?:\\[^()[\]]|[^\\]){0,5000}?)"
_FORMULA = re.compile(rf"\\\({_INNER}\\\)|\\\[{_INNER}\\\]", re.DOTALL)
_DELETION = re.compile(r"(?s)\{\{c[0-9,]+::((?:(?!::|\}\}|\{\{c).)+)(::(?:(?!\}\}|\{\{c).)*)?\}\}")
_SCRIPT_DELETION = re.compile(r"(?s)(?<=[_^])" + _DELETION.pattern.removeprefix("(?s)"))
_PIECE = re.compile(r"\\(?:[A-Za-z]+\*?|.)|\s+|.", re.DOTALL)
_ENVIRONMENT = re.compile(
    r"\\(?:(begin)|end)\s*\{\w*?(matrix)?\*?\}(?:\{[lcr|]+\})?|(?<=\\\\)\[[-\d. a-z]+\]"
)
_SOLID = re.compile(
    r"(?:[∂∇] ?)?[^\W_]+[′″°]*|[0-9]+[.,][0-9]+|[^\W_]*\([^()]*\)|\[[^][]*\][₀-₉⁰-⁹¹²³]*|.", re.DOTALL
)
"""Matches what needs no brackets in a fraction or below a root."""
_SCRIPTS = {
    mark: dict(zip(pairs[::2], pairs[1::2], strict=True))
    for mark, pairs in (
        ("^", "0⁰1¹2²3³4⁴5⁵6⁶7⁷8⁸9⁹+⁺-⁻−⁻=⁼(⁽)⁾nⁿiⁱaᵃbᵇcᶜdᵈeᵉfᶠgᵍhʰjʲkᵏlˡmᵐoᵒpᵖrʳsˢtᵗuᵘvᵛxˣyʸzᶻTᵀ∘°′′**,,"),
        ("_", "0₀1₁2₂3₃4₄5₅6₆7₇8₈9₉+₊-₋−₋=₌(₍)₎aₐeₑhₕiᵢjⱼkₖlₗmₘnₙoₒpₚrᵣsₛtₜuᵤvᵥxₓβᵦγᵧρᵨφᵩχᵪ,,"),
    )
}
"""Superscripts and subscripts, each after its letter."""
INDENT = "\u2003"
"""Precedes the mark of an item for each list that it is in but the first."""
LOW, HIGH, BOLD, ITALIC, UNDERLINED = MARKS = "\x11\x12\x16\x17\x18"
"""What follows each letter of a subscript or superscript that Unicode lacks, or of words that look so."""
_SCRIPTED = re.compile(f"((?:[^{LOW}{HIGH}]{LOW})+|(?:[^{LOW}{HIGH}]{HIGH})+)")
_LOOKS = {"b": BOLD, "strong": BOLD, "th": BOLD, "i": ITALIC, "em": ITALIC, "u": UNDERLINED}
_LOOSE = re.compile(r"(?<=[\w)\]⁺⁻°′∇\x11\x12]) ?([·+=≈→⇌⟶]) ?(?=[\w(\[√−])")
"""Matches signs between two parts, which have blanks around them."""
_TIGHT = re.compile(
    r"(?<=[,;]) *;| (?=[)\],;.])|(?<=[(\[]) |(?<=[Δ∂∇/]) (?=\w)|(?:(?<=\A−)|(?<=[(\[]−)|(?<=[=;] −)) "
)
"""Matches blanks where none should be."""
_FACTOR = re.compile(r"\x1c([^\x1c\x1d]*)\x1d\s*(?=[^\W\d_]|[(\[\x1c\x1e])")
"""Matches a fraction before what it multiplies; marks around fractions and words are white space."""
_WORD_EDGE = re.compile(
    r"(?<=[\w)\]\x11\x12])\x1f?\x1e|\x1f(?=[^\W_²³¹\u1d2c-\u1dbf\u2070-\u209f](?![\x11\x12]))|([\x1e\x1f])"
)
_WIDE = "\x19"  # a wide blank, which is not white space until the end
_BOND = "\x1a"  # `{=}`, which has no blanks around it
_ROOTS = {"": "√", "2": "√", "3": "∛", "4": "∜"}
_ACCENTS = {"vec": "\u20d7", "hat": "\u0302", "bar": "\u0304", "tilde": "\u0303", "dot": "\u0307"}
_ACCENTS |= {"ddot": "\u0308", "widehat": "\u0302", "widetilde": "\u0303", "overline": "\u0305"}
_ACCENTS |= {"underline": "\u0332", "not": "\u0338"}
_ALPHABETS = {"mathbb": "opf;", "mathcal": "scr;", "mathscr": "scr;", "mathfrak": "fr;"}
_BEFORE_BRACKETS = frozenset("left right middle big Big bigg Bigg bigl bigr Bigl Bigr".split())
_SIGNS = {"to": "→", "gets": "←", "implies": "⟹", "cdot": "·", "circ": "∘", "infty": "∞", "partial": "∂"}
_SIGNS |= {"neq": "≠", "exists": "∃", "neg": "¬", "lnot": "¬", "land": "∧", "lor": "∨", "degree": "°"}
_SIGNS |= {"lVert": "‖", "rVert": "‖", "|": "‖", "lvert": "|", "rvert": "|", "star": "⋆", "setminus": "∖"}
_SIGNS |= dict.fromkeys(("dots", "ldots", "cdots", "vdots"), "…")
_SIGNS |= dict.fromkeys((",", ";", ":", " ", ">"), " ") | {"\\": "; ", "!": ""}
_SIGNS |= {"quad": _WIDE, "qquad": "; "}
_SIGNS |= dict.fromkeys("cancel boxed underbrace overbrace bm mbox limits nolimits displaystyle".split(), "")
_SIGNS |= {each: each for each in ("deg", "lg", "Pr", "sup")}  # which mean something else in HTML


def as_lines(html: str, most: int, media: Mapping[str, str] | None = None, *, marked: bool = False) -> str:
    """Return this many characters of a field as lines: one for an item, an option or the row of a table.

    Each item and alert begins with its mark, and what `media` show is said in its place. If `marked`, so is
    what is bold, in italics or underlined; see also `readable`.
    """
    tree = parse_html(with_plain_list(html)[:most])
    # What ends with `\3` or begins with `\4` shares a line with its neighbour; `\5` is the indent of an item.
    for each in [*tree.inside()][::-1]:
        if each.tag in ("ol", "ul"):
            _mark_items(each)
        elif "footnote-ref" in each.classes:
            each.children = [f"[{each.text()}]"]  # a superscript would be an exponent after a unit
        elif each.tag in ("sub", "sup") and (text := each.text()):
            each.children = [_script("^" if each.tag == "sup" else "_", text)]
        elif "markdown-alert-title" in each.classes:  # it is English in every deck
            each.children = [f"{_ALERTS.get(each.text().strip().casefold(), '')}\3"]
        elif "mark" in each.classes or "footnote-backref" in each.classes:
            each.children = [f"{each.text().strip()[:1]}\3".removeprefix("↩\3")]
        elif shown := (media or {}).get(each.attributes.get("src", "")):
            each.tag, each.children = "p", [f"[{shown}]"]
        elif "comment" in each.classes:
            each.children.insert(0, "\4")
    if marked:
        _mark_letters(tree, "")
    join_cells(tree)
    text = re.sub("\n\4\n?", " — ", re.sub("\3\n?", " ", visible(tree)))
    return readable(text.replace("\5", INDENT), marked=marked)


def _mark_items(listed: Element) -> None:
    """Put the mark of each item of a list before it, and an indent before those of the lists inside."""
    start = listed.attributes.get("start", "")[:9]
    for number, item in enumerate(listed.elements, int(start) if start.isdecimal() else 1):
        if item.classes not in (["right"], ["wrong"]):
            is_numbered = listed.tag == "ol" and "choices" not in listed.classes
            item.children.insert(0, f"{number}.\3" if is_numbered else "•\3")
        for inner in item.inside():
            if inner.tag == "li":
                inner.children.insert(0, "\5")


def _mark_letters(element: Element, marks: str) -> None:
    """Put marks behind each letter of an element, but not in clozes and formulas, which are read later."""
    marks = "".join(sorted({*marks, *_LOOKS.get(element.tag, "")}))
    for number, child in enumerate(element.children):
        if isinstance(child, Element):
            _mark_letters(child, marks)
        elif marks and "{{" not in child and "\\" not in child:
            element.children[number] = re.sub(rf"[^\s\0-\x1f][{MARKS}]*", rf"\g<0>{marks}", child)


def as_read(html: str) -> str:
    """Return rendered HTML as it is read, marked, with code in backticks and each list in one line."""
    lines = as_lines(_CODE.sub(r"`\1`", html), 2 * len(html), marked=True)
    return written(re.sub(rf"\n{INDENT}*(?=(?:•|\d+\.) )", " ", lines))


def written(text: str) -> str:
    """Return a text with `_…` or `^…` for each script that has to be drawn, and `|` between cells."""
    return _SCRIPTED.sub(
        lambda found: f"{'_^'[found[0][1] == HIGH]}{_bracketed(found[0][::2])}", looking_alike(text)
    ).replace(CELL, "|")


def looking_alike(text: str) -> str:
    """Return a text without the marks of what is bold, in italics or underlined."""
    return re.sub(f"[{BOLD}{ITALIC}{UNDERLINED}]", "", text)


def readable(text: str, *, marked: bool = False) -> str:
    r"""Return a text of a field with its formulas, and the words of its clozes, as they are read.

    If `marked`, brackets are around the words of a cloze and its hint, so that another gap or hint is a
    difference, and marks of direction around a formula, which runs from the left in every text.
    """
    gap = r"[\1]" if marked else r"\1"

    def formula(found: re.Match[str]) -> str:
        tex = found[1] or found[2] or ""
        shown = _plain(_DELETION.sub(gap, _SCRIPT_DELETION.sub(f"{{{gap}}}", tex)))
        return f"\u2066{shown}\u2069" if marked else shown

    def deletion(found: re.Match[str]) -> str:
        hint = f" ({found[2][2:]})" if marked and found[2] else ""
        return f"[{found[1]}{hint}]" if marked else found[1]

    return _DELETION.sub(deletion, _FORMULA.sub(formula, text))


def _plain(tex: str) -> str:
    try:
        text = _ENVIRONMENT.sub(
            lambda edge: "()"[not edge[1]] if edge[2] else " ", without_mhchem(tex) or tex
        )
        shown = _read(each[0] for each in _PIECE.finditer(text))
    except RecursionError:
        return tex
    shown = _WORD_EDGE.sub(lambda edge: "" if edge[1] else " ", _FACTOR.sub(r" (\1) ", shown))
    shown = " ".join(unicodedata.normalize("NFC", shown).split())
    shown = _TIGHT.sub("", _LOOSE.sub(r" \1 ", shown)).replace(_BOND, "=")
    return re.sub(f" *{_WIDE}[ {_WIDE}]*", "\u2003", shown).strip()


def _read(pieces: Iterator[str], end: str = "") -> str:
    """Return what there is up to a closing bracket."""
    return "".join(_one(piece, pieces) for piece in takewhile(end.__ne__, pieces))


def _one(piece: str, pieces: Iterator[str]) -> str:
    """Return what a piece means, with the arguments that follow it."""
    if piece == "{":
        return _BOND if (inner := _read(pieces, "}")) == "=" else inner
    if piece in _SCRIPTS:
        return _script(piece, _argument(pieces).strip())
    if piece[0] != "\\":
        return {"&": " ", "~": " ", "-": "−", "}": ""}.get(piece, piece)
    name = piece[1:].rstrip("*")
    if name in _ACCENTS:
        return "".join(letter + _ACCENTS[name] for letter in _argument(pieces).strip())
    if name in _ALPHABETS:
        return "".join(html5.get(letter + _ALPHABETS[name], letter) for letter in _argument(pieces))
    if name in _BEFORE_BRACKETS:
        return _argument(pieces).removeprefix(".")
    if name.startswith(("text", "math", "operatorname")):  # the font of what follows
        return _argument(pieces)
    shown = _structure(name, pieces) or _SIGNS.get(name, html5.get(f"{name};", name))
    return f"\x1e{name}\x1f" if shown == name and len(name) > 1 else shown


def _structure(name: str, pieces: Iterator[str]) -> str:
    """Return a fraction, a root or an arrow with words, or an empty string for another command."""
    if name in ("frac", "dfrac", "tfrac", "cfrac"):
        above, below = _bracketed(_argument(pieces)), _bracketed(_argument(pieces))
        return f" {above}/{below} " if f"{above}{below}".isdigit() else f"\x1c{above}/{below}\x1d"
    if name == "binom":
        return f"C({_argument(pieces)}, {_argument(pieces)})"
    if name == "sqrt":
        degree, inner = _with_option(pieces)
        shown = _bracketed(inner)
        is_clear = shown.isascii() or len(shown) == 1 or shown[0] == "("
        return (_ROOTS.get(degree) or _script("^", degree) + "√") + (shown if is_clear else f"({shown})")
    if name.startswith("x") and (arrow := html5.get(f"{name[1:]};")):
        below, above = _with_option(pieces)
        said = ", ".join(filter(None, (above, below)))
        return f" {arrow} ({said}) " if said else f" {arrow} "
    return ""


def _argument(pieces: Iterator[str]) -> str:
    piece = next((each for each in pieces if not each.isspace()), "")
    return _one(piece, pieces) if piece else ""


def _with_option(pieces: Iterator[str]) -> tuple[str, str]:
    """Return the argument in square brackets, if there is one, and the other."""
    first = _argument(pieces)
    return (_read(pieces, "]"), _argument(pieces)) if first == "[" else ("", first)


def _bracketed(text: str) -> str:
    text = text.strip()
    return text if not text or _SOLID.fullmatch(text) else f"({text})"


def _script(mark: str, text: str) -> str:
    """Return a superscript or subscript, with a mark after each letter if Unicode lacks one of them."""
    letters = _SCRIPTS[mark]
    if all(each in letters for each in text.replace(" ", "")):
        return "".join(letters.get(each, "") for each in text)
    if "{{" in text or "\\" in text:  # a cloze or a formula, which is read afterwards
        return f"{mark}({text})"
    return "".join(letter + (LOW if mark == "_" else HIGH) for letter in written(text))
