"""Formulas: what we report is what Anki's MathJax refuses."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptcards.anki.tex import TexMistake, definitions_of, problems_in
from ptcards.markdown.tex_commands import tex_commands

COMMAND, GROUP, ARGUMENT = TexMistake.COMMAND, TexMistake.GROUP, TexMistake.ARGUMENT
VERDICTS = json.loads((Path(__file__).parents[1] / "tex_verdicts.json").read_text("utf-8"))
"""MathJax's verdict on each formula, written by bench/mathjax.py."""
NOT_REPORTED = {
    # Labels are shared by all formulas of the card that Anki shows; a note cannot know them.
    r"\label{a}\label{a}",
    # Each row may have one tag, and what ends a row depends on the environments nested in it.
    r"\begin{align}a\tag{1}\tag{2}\end{align}",
    # MathJax counts the cells of this environment only.
    r"\begin{numcases}{x}a&b&c\end{numcases}",
    # What is in `\ce` follows mhchem's own grammar, in which TeX begins and ends anywhere.
    r"\ce{A ->[\foo] B}",
    # The arguments of a command that the note defines are not counted: another formula may redefine it.
    r"\def\a#1{#1}\a",
}  # fmt: skip
_GIVEN = {
    "m": "{a}",
    "a": "{a}",
    "t": "{a}",
    "s": "{a}",
    "d": "(",
    "e": "(",
    "l": "{1em}",
    "o": "",
    "O": "",
    "*": "",
    "?": "",
}
_PIECES = (
    "{", "}", "[", "]", "\\", "^", "_", "&", "#", "%", "'", "\n", " ", "a", "$", "é", "\\frac", "\\sqrt[", "\\left(", "\\right)", "\\middle|",
    "\\begin{matrix}", "\\end{matrix}", "\\begin{array}", "\\begin{x}", "\\text{", "\\over", "\\limits", "\\hline", "\\\\[", "\\def\\a", "\\let",
    "\\newcommand{\\b}", "\\require{x}", "\\verb|", "\\hspace{", "\\big", "\\raise", "\\alhpa", "\\ce{", "\\root", "\\of", "}%{", "\\frac%{",
)  # fmt: skip


def _found(tex: str) -> list[tuple[TexMistake, str]]:
    return [
        (each.mistake, tex[each.start : each.start + each.length])
        for each in problems_in(tex, definitions_of(tex))
    ]


@pytest.mark.parametrize("tex", VERDICTS)
def test_what_mathjax_refuses_is_reported(tex: str) -> None:
    assert bool(_found(tex)) == (VERDICTS[tex] != "ok" and tex not in NOT_REPORTED)


def test_no_command_of_mathjax_is_reported() -> None:
    refused = {}
    for name, (letters, properties) in tex_commands().commands.items():
        call = f"\\{name} " + "".join(_GIVEN[each] for each in letters)
        if letters != "?" and properties != "l":
            around = "\\begin{align} a \\\\ %s a \\end{align}" if "e" in properties else "%s a"
            if found := _found(around % call):
                refused[name] = found
    assert refused == {}


def test_the_first_mistake_ends_a_formula_and_unknown_names_before_it_are_all_reported() -> None:
    assert _found(r"\alhpa + \frac{1 + \frc") == [(COMMAND, r"\alhpa"), (GROUP, "{")]
    assert _found(r"\alhpa + \frc{1}{2} + \alhpa + x^") == [
        (COMMAND, r"\alhpa"),
        (COMMAND, r"\frc"),
        (ARGUMENT, "^"),
    ]


def test_a_name_may_be_defined_in_another_formula_of_the_note() -> None:
    defined = definitions_of(
        r"\newcommand{\RR}{\mathbb{R}} \DeclareMathOperator*{\argmax}{arg\,max} \def\a#1{#1}"
    )
    assert problems_in(r"\RR^n + \argmax_x \a{b}", defined) == []


def test_physics_is_known_after_it_is_required() -> None:
    assert _found(r"\require{physics} \dv{x} + \ip") == []
    assert _found(r"\dv{x}") == [(COMMAND, r"\dv")]


def test_a_package_that_anki_does_not_contain_would_come_from_the_network() -> None:
    tex = r"\require{siunitx} x"
    (problem,) = problems_in(tex, definitions_of(tex))
    assert problem == (
        COMMAND,
        0,
        len(r"\require{siunitx}"),
        "Anki's MathJax would load `siunitx` from the network",
        r"remove `\require`, and write it without the package",
    )


@given(st.lists(st.sampled_from(_PIECES), max_size=40).map("".join))
def test_any_text_is_read_and_each_problem_is_inside_it(tex: str) -> None:
    for problem in problems_in(tex, definitions_of(tex)):
        assert 0 <= problem.start < problem.start + problem.length <= len(tex)


@pytest.mark.parametrize(
    "piece",
    [
        *_PIECES,
        "{}",
        "{a}",
        "\\left(\\right)",
        "\\frac{}{}",
        "x^{",
        "\\sqrt[]{}",
        "\\a{\\a",
        "{%\n}",
        "\\sqrt[{",
    ],
)
def test_a_long_formula_of_any_repetition_is_read(piece: str) -> None:
    tex = piece * (20_000 // len(piece))
    assert len(problems_in(tex, definitions_of(tex))) <= 21
    deep = "{" * 8_000 + piece + "}" * 8_000
    assert len(problems_in(deep, definitions_of(deep))) <= 21
    brackets = "\\sqrt[{" * 3_000 + piece + "}]{}" * 3_000
    assert len(problems_in(brackets, definitions_of(brackets))) <= 21
