import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.diagnostics.suggest import did_you_mean
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule

_KNOWN = frozenset(
    "CD align alignat aligned alignedat array bsmallmatrix bmatrix cases crampedsubarray dcases drcases "  # noqa: SIM905 - forty quoted words are hard to read
    "eqnarray equation flalign "
    "gather gathered lgathered math matrix multline multlined numcases pmatrix prooftree psmallmatrix "
    "rcases rgathered smallmatrix "
    "split spreadlines subarray subnumcases vmatrix vsmallmatrix Bmatrix Bsmallmatrix Vmatrix Vsmallmatrix "
    "displaymath "
    "xalignat xxalignat empheq".split()
)


class UnknownMathEnvironment(Rule, severity="warning"):
    r"""A formula uses an environment that MathJax does not know.

    Why: MathJax, which renders formulas in Anki, rejects the formula, and the card shows its source. It
    knows the environments of amsmath and mathtools
    (https://docs.mathjax.org/en/latest/input/tex/macros/index.html).

    For instance:

        \begin{bmatirx} 1 & 0 \\ 0 & 1 \end{bmatirx}

    Fix: correct the name.

        \begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix}
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the name."""
        for formula in note.formulas:
            for found in re.finditer(r"\\begin\s*\{([^{}]*)\}", formula.source):
                name = found[1].strip()
                if name.removesuffix("*") not in _KNOWN:
                    fix = did_you_mean(
                        name, _KNOWN, "use one of amsmath's, such as `aligned`, `cases` or `bmatrix`"
                    )
                    message = f"MathJax does not know the environment `{name}`"
                    yield self.report(formula.locate(found.start(1)), message, fix, len(found[1]))
