"""The space between the parts of a formula on the study page is that of TeX."""

import re
from xml.etree.ElementTree import Element, fromstring

import pytest

from ptcards.anki.mathml import with_math

ROWS = ("math", "mrow", "mtd", "msqrt")
EIGHTEENTHS = {"3": "0.167em", "4": "0.222em", "5": "0.278em"}


def spaced(tex: str) -> str:
    """Return the parts of a formula's rows with the spaces between them, in eighteenths of an em."""
    tree = fromstring(re.sub(' xmlns="[^"]*"', "", with_math(f"\\({tex}\\)")))
    sizes = {width: size for size, width in EIGHTEENTHS.items()} | {"0em": "", None: "?"}

    def read(element: Element) -> str:
        if element.tag == "mspace":
            return sizes[element.get("width")]
        text = "".join(map(read, element)) or element.text or ""
        if element.tag == "mo":
            return f"{sizes[element.get('lspace')]}{text}{sizes[element.get('rspace')]}"
        return text

    return read(tree)


@pytest.mark.parametrize(
    ("tex", "shown"),
    [
        ("a+b=c", "a4+4b5=5c"),
        ("a=-b", "a5=5−b"),
        ("(-a, b)", "(−a,3b)"),
        ("-a", "−a"),
        (r"[0, \infty)", "[0,3∞)"),
        ("a/b", "a/b"),
        ("x_{t-1}", "xt−1"),
        (r"e^{\ln b}", "eln3b"),
        (r"y\log p", "y3log3p"),
        (r"\log(p)", "log(p)"),
        (r"\max(a, b)", "max(a,3b)"),
        (r"m = \max_i x_i", "m5=5maxi3xi"),
        (r"\|w\|^2", "‖w‖2"),
        (r"2|P|/(|P|+|T|)", "2|P|/(|P|4+4|T|)"),
        (r"f(x)_i = 1", "f(x)i5=51"),
        (r"p \mid q", "p5∣5q"),
        (r"1{,}000", "1,000"),
        (r"\sqrt{-x}", "−x"),
        (r"a \le b", "a5≤5b"),
        (r"a \rightsquigarrow b", "a?⇝?b"),
    ],
)
def test_neighbours_have_the_space_that_tex_gives_them(tex: str, shown: str) -> None:
    assert spaced(tex) == shown


@pytest.mark.parametrize(
    ("tex", "shown"),
    [
        (r"\left(\sum_i^n x\right)", "munderover"),
        (r"\max_i x", "munder"),
        (r"\operatorname*{argmax}_i x", "munder"),
        (r"\operatorname{soft}_i x", "msub"),
        (r"\int_0^1 x", "msubsup"),
        (r"\sum\nolimits_i x", "msub"),
        (r"\frac{\sum_i x}{2}", "msub"),
        (r"e^{\max_i x}", "msup msub"),
    ],
)
def test_the_limits_of_sums_in_a_display_are_below_and_above_them(tex: str, shown: str) -> None:
    found = re.findall(r"<(munder|mover|munderover|msub|msup|msubsup)>", with_math(f"\\[{tex}\\]"))
    assert " ".join(found) == shown
    assert "munder" not in with_math(f"\\({tex}\\)")
