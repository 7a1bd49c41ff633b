"""Formulas and their TeX."""

import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.diagnostics.suggest import did_you_mean
from ptcards.lint.note import Passage, Reading
from ptcards.lint.registry import LineEdit, Rule, SourceToFix
from ptcards.markdown.tree import SpanKind


class UnbalancedMath(Rule, severity="warning"):
    r"""A formula has unbalanced braces.

    Why: MathJax, which renders formulas in Anki, rejects the entire formula, and the card shows its source.

    For instance:

        $\frac{1}{n$

    Fix: balance the braces. Write `\{` for a brace that should be visible.

        $\frac{1}{n}$
    """


class UnclosedMath(Rule, severity="warning"):
    r"""A `$$` is not closed in its paragraph.

    Why: the card shows the two dollar signs and the formula as text.

    For instance:

        $$ L = -\log p

    Fix: close it in the same paragraph, or write `\$\$` for two dollar signs.

        $$ L = -\log p $$
    """


_TEX = re.compile(r"\\[A-Za-z]+|[_^=]")
_CLOSING = {r"\(": r"\)", r"\[": r"\]"}


class TexDelimiters(Rule, severity="warning"):
    r"""A formula is written between `\(` and `\)` or `\[` and `\]`.

    Why: in Markdown, a backslash before a bracket only removes the bracket's special meaning, so GitHub and
    the card show a formula such as `\(x_1\)` as the text `(x_1)`.

    For instance:

        The loss is \(L = -\log p\).

    Fix: write the formula between dollar signs.

        The loss is $L = -\log p$.

    `--fix` does this if the formula is on one line.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each formula between escaped brackets."""
        for passage in note.passages:
            for start, end, formula in _formulas(passage):
                message = f"`{passage.raw[start : start + 2]}` does not begin a formula in Markdown"
                yield self.report(passage.locate(start), message, f"write `{formula}`", end - start)

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Write dollar signs around each formula that is on one line and contains none."""
        for note in draft.notes:
            for passage in note.passages:
                for start, end, formula in _formulas(passage):
                    written = passage.raw[start:end]
                    if not re.search(r"[\n$`]", written):
                        place = passage.locate(start)
                        yield LineEdit(place.line, place.column, written, formula)


def _formulas(passage: Passage) -> Iterator[tuple[int, int, str]]:
    """Yield the start and end of each formula between escaped brackets, and the formula as Markdown."""
    opening = None
    for span in (span for span in passage.all_spans if span.kind is SpanKind.TEXT):
        mark = passage.raw[span.start : span.end]
        if mark in _CLOSING:
            opening = span
        elif opening and mark == _CLOSING[passage.raw[opening.start : opening.end]]:
            inside = passage.raw[opening.end : span.start]
            if mark == r"\)" or _TEX.search(inside):
                dollars = "$" if mark == r"\)" else "$$"
                yield opening.start, span.end, f"{dollars}{' '.join(inside.split())}{dollars}"
            opening = None


_KNOWN = frozenset(
    "CD align alignat aligned alignedat array bsmallmatrix bmatrix cases crampedsubarray dcases drcases "
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
        """Report the name of each unknown environment."""
        for formula in note.formulas:
            for found in re.finditer(r"\\begin\s*\{([^{}]*)\}", formula.source):
                name = found[1].strip()
                if name.removesuffix("*") not in _KNOWN:
                    fix = did_you_mean(
                        name, _KNOWN, "use one of amsmath's, such as `aligned`, `cases` or `bmatrix`"
                    )
                    message = f"MathJax does not know the environment `{name}`"
                    yield self.report(formula.locate(found.start(1)), message, fix, len(found[1]))


_MARK = re.compile(r"\\\\|\\(?P<begin>begin|end)\s*\{(?P<name>[^{}]*)\}|\\(?:left|right)(?![A-Za-z])")


class UnpairedMath(Rule, severity="warning"):
    r"""A formula has `\left` without `\right`, or `\begin` without `\end`.

    Why: MathJax, which renders formulas in Anki, rejects the entire formula, and the card shows its source.

    For instance:

        $\left( \frac{1}{n} )$

    Fix: add the missing half; `\left.` and `\right.` are invisible.

        $\left( \frac{1}{n} \right)$
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each mark without a partner."""
        for formula in note.formulas:
            for start, mark, partner in _unpaired(formula.source):
                message = f"`{mark}` without `{partner}` in a formula"
                yield self.report(formula.locate(start), message, f"add `{partner}`", len(mark))


def _unpaired(source: str) -> Iterator[tuple[int, str, str]]:
    r"""Yield the offset, mark and missing partner of each unpaired mark; `\\` is a line break, not a mark."""
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
