import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule

_MARK = re.compile(r"\\\\|\\(?P<begin>begin|end)\s*\{(?P<name>[^{}]*)\}|\\(?:left|right)(?![A-Za-z])")


class UnpairedMath(Rule, severity="warning"):
    r"""A formula has `\left` without `\right`, or `\begin` without `\end`.

    Why: MathJax, which renders formulas in Anki, rejects the complete formula, and the card shows its source.

    For instance:

        $\left( \frac{1}{n} )$

    Fix: add the missing one; `\left.` and `\right.` are invisible.

        $\left( \frac{1}{n} \right)$
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each mark without a partner."""
        for formula in note.formulas:
            for start, mark, partner in _unpaired(formula.source):
                message = f"`{mark}` without `{partner}` in a formula"
                yield self.report(formula.locate(start), message, f"add `{partner}`", len(mark))


def _unpaired(source: str) -> Iterator[tuple[int, str, str]]:
    r"""Yield marks without a partner as offset, mark and partner; `\\` is a line end, not a mark."""
    opened: list[tuple[int, str, str]] = []
    for found in _MARK.finditer(source):
        mark = found[0]
        if found["begin"]:
            mark = rf"\{found['begin']}{{{found['name'].strip()}}}"
        if mark == r"\left" or found["begin"] == "begin":
            partner = r"\right" if mark == r"\left" else mark.replace("begin", "end", 1)
            opened.append((found.start(), mark, partner))
        elif opened and opened[-1][2] == mark:
            opened.pop()
        elif mark != r"\\":
            partner = r"\left" if mark == r"\right" else mark.replace("end", "begin", 1)
            yield found.start(), mark, partner
    yield from opened
