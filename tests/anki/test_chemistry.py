"""Chemistry and units in MathML are those of MathJax's own mhchem."""

import html
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mathml_shape import shape
from ptcards.anki.chemistry import without_mhchem
from ptcards.anki.mathml import with_math

FORMULAS = json.loads((Path(__file__).parents[1] / "chemistry.json").read_text("utf-8"))
"""The examples of mhchem's manual and of schoolbooks, each with its shape, written by bench/mathjax.py."""
SHOWN_AS_SOURCE = {
    # MathJax draws these bonds from rules, for which MathML has no sign.
    r"\ce{A\bond{~}B\bond{~-}C}",
    r"\ce{A\bond{~--}B\bond{~=}C\bond{-~-}D}",
    # Maths above an arrow is mostly in `$`.
    r"\ce{A ->M[x^2] B}",
}
_PIECES = (
    *"AHnxiv2 3^_{}$()[]+-=#.*,'/\\",
    *(
        "->",
        "<=>",
        r"\ce{",
        r"\text{",
        r"\bond{",
        r"\frac{",
        "^{",
        "_{",
        "H2O",
        r"\Delta ",
        "e3",
        "//",
        "1/2",
        "(g)",
    ),
)


def _shown(tex: str) -> str:
    return with_math(rf"\[{html.escape(tex, quote=False)}\]")


@pytest.mark.parametrize("tex", FORMULAS)
def test_a_formula_has_the_shape_that_mhchem_gives_it(tex: str) -> None:
    shown = _shown(tex)
    if tex in SHOWN_AS_SOURCE:
        assert "formula (source)" in shown
    else:
        assert shape(shown) == FORMULAS[tex]


@pytest.mark.parametrize(
    "tex",
    [r"\ce{\color{red}{H}}", r"\ce{A % c}", r"\ce H", r"\pu{5 $x$}", r"\pu{1 m//s//s}"],
)
def test_what_only_mhchem_knows_is_not_guessed(tex: str) -> None:
    assert without_mhchem(tex) == ""


def test_other_tex_stays_as_it_is() -> None:
    assert without_mhchem(r"\frac{a}{b} + \cedilla \\ x") == r"\frac{a}{b} + \cedilla \\ x"


@given(st.sampled_from((r"\ce{", r"\pu{")), st.lists(st.sampled_from(_PIECES), max_size=40).map("".join))
def test_any_text_is_read_or_refused(call: str, text: str) -> None:
    assert "\\pu" not in without_mhchem(f"{call}{text}}}")


@pytest.mark.parametrize("piece", [*_PIECES, "{}", "{a}", "$a$", "A^", "->[", "2e", "[{", "v ", "1 m "])
def test_a_long_formula_of_any_repetition_is_read_or_refused(piece: str) -> None:
    for call in (r"\ce{", r"\pu{"):
        assert "\\pu" not in without_mhchem(call + piece * (5000 // len(piece)) + "}")


def test_a_charge_is_beside_the_count_and_words_above_an_arrow_are_apart() -> None:
    assert without_mhchem(r"\ce{MnO4-}") == r"{\text{MnO}_{4}{}^{-}}"
    assert without_mhchem(r"\ce{^{14}_6C}") == r"{{}^{14}_{6}\text{C}}"
    assert without_mhchem(r"\ce{Fe, Zn}") == r"{\text{Fe}{,}\;\text{Zn}}"


def test_a_cancelled_term_stays_a_formula() -> None:
    shown = _shown(r"\frac{\cancel{a} b}{\bcancel{a} \xcancel{c}}")
    strikes = ("updiagonalstrike", "downdiagonalstrike", "updiagonalstrike downdiagonalstrike")
    assert [shown.count(f'notation="{strike}"') for strike in strikes] == [1, 1, 1]


def test_what_is_above_an_arrow_has_room_beside_it() -> None:
    """The library asks for more width than there is, which no browser understands."""
    above = '<mrow><mspace width="0.5em" /><mrow><mi>a</mi></mrow><mspace width="0.5em" /></mrow>'
    assert above in _shown(r"\xrightarrow{a}")
    assert re.findall("<mo[^>]*>.</mo>", _shown(r"\xrightarrow{a} \ce{<=>[b]}")) == [
        *('<mo stretchy="false" lspace="0em" rspace="0em">⟶</mo>', '<mo stretchy="false">⇌</mo>'),
    ]


def test_the_numbers_of_an_isotope_are_aligned_at_its_sign() -> None:
    numbers = "<mrow /><mprescripts /><mrow><mn>92</mn></mrow><mrow><mn>235</mn></mrow>"
    assert f"<mmultiscripts>{numbers}</mmultiscripts><mtext>U</mtext>" in _shown(r"\ce{^{235}_{92}U}")


def test_greek_capitals_are_upright_and_other_letters_are_not() -> None:
    assert shape(_shown(r"\Delta x + \Omega_\alpha")) == "Δ/x+Ω_{/α}"


def test_a_unit_with_the_name_of_a_function_keeps_its_exponent_above_it() -> None:
    assert shape(_shown(r"\text{min}^2 \min_x")) == "min^{2}min__{/x}"
