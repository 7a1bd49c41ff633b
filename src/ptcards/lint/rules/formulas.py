"""Formulas and their TeX."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ptcards.anki.tex import TexMistake, unknown_names_in
from ptcards.diagnostics import Diagnostic
from ptcards.lint.message import Message
from ptcards.lint.note import FILLER, Passage, Reading
from ptcards.lint.registry import LineEdit, Rule, SourceToFix
from ptcards.markdown.tree import SpanKind
from ptcards.notes import Macro

_DOLLARS = re.compile(r"\\.|\$+")
_BEGUN = re.compile(
    r"\$(?:(?:[A-Za-z]{1,2}(?![A-Za-z])|[-\d+*/=<>|()\[\],.']) ?){0,40}?"
    r"(?:\\[A-Za-z]{2}|\^[\w{\\(+*-]|_\{|(?<=[A-Za-z])_\w(?!\w))"
)
"""Matches a dollar sign and short words up to TeX. Prices and names such as `$HOME_DIR` have none."""
_ENDED = re.compile(r"\\[A-Za-z]{2}|[\w)}]\^[\w{\\]|[\w)}]_\{")
_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3}")
_SYMBOL = re.compile(r"\\[A-Za-z]{2}|[\^_]|(?<![A-Za-z])[A-Za-z](?![A-Za-z])")


class UnclosedMath(Message, severity="warning"):
    r"""A `$$` is not closed in its paragraph.

    Why: the card shows the two dollar signs and the formula as text.

    For instance:

        $$ L = -\log p

    Fix: close it in the same paragraph, or write `\$\$` for two dollar signs.

        $$ L = -\log p $$
    """


class LoneDollar(Rule, severity="warning"):
    r"""A formula in single dollar signs is shown as text: one is missing, or there are spaces inside.

    Why: GitHub and the card show the dollar signs and the TeX. A formula ends in the paragraph where it
    begins, without a space after the first `$` or before the second, and no digit follows. A `$` is only
    reported if TeX is next to it, so prices and names of variables are not.

    For instance:

        The loss is $L = -\log p for a class with probability $ p $.

    Fix: close it in the same paragraph, without spaces inside, or write `\$` for a dollar sign.

        The loss is $L = -\log p$ for a class with probability $p$.

    `--fix` removes the spaces.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report dollar signs that were meant for formulas."""
        for passage in note.passages if "$" in note.prose else ():
            for start, end in _lone_dollars(passage):
                formula = passage.raw[start:end]
                message = "a `$` without a partner is shown as text"
                fix = "close the formula with `$` in the same paragraph, or write `\\$`"
                if end - start > 1:
                    message = "a formula with spaces inside its dollar signs is shown as text"
                    fix = f"write `${' '.join(formula[1:-1].split())}$`"
                yield self.report(passage.locate(start), message, fix, end - start)

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Remove the spaces inside dollar signs that are on one line."""
        for passage in (each for note in draft.notes if "$" in note.prose for each in note.passages):
            for start, end in _lone_dollars(passage):
                written, place = passage.raw[start:end], passage.locate(start)
                if end - start > 1 and "\n" not in written:
                    yield LineEdit(place.line, place.column, written, f"${written[1:-1].strip()}$")


def _lone_dollars(passage: Passage) -> Iterator[tuple[int, int]]:
    """Yield the start and end of dollar signs that were meant for formulas, with two and what is inside."""
    text = passage.plain
    found = [each.start() for each in _DOLLARS.finditer(text) if each[0] == "$"]
    before = paired = closing = -1
    for start, after in pairwise([*found, len(text)]):
        if start == paired:
            continue
        if _is_spaced(text, start, after):
            paired = after
            yield start, after + 1
        elif _BEGUN.match(text, start) or (
            start != closing
            and _ENDED.search(text, max(before, text.rfind(" ", before + 1, start)) + 1, start)
        ):
            closing = after
            yield start, start + 1
        before = start


def _is_spaced(text: str, start: int, end: int) -> bool:
    """Whether there is a formula with spaces inside between two dollar signs."""
    inside = text[start + 1 : end]
    return (
        end < len(text)
        and text[start - 1 : start].strip(" ([{\"'") == ""
        and inside != inside.strip()
        and FILLER not in inside
        and _SYMBOL.search(inside) is not None
        and not _WORD.search(inside)
    )


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
    spans = passage.all_spans if "\\" in passage.raw else ()
    for span in (span for span in spans if span.kind is SpanKind.TEXT):
        mark = passage.raw[span.start : span.end]
        if mark in _CLOSING:
            opening = span
        elif opening and mark == _CLOSING[passage.raw[opening.start : opening.end]]:
            inside = passage.raw[opening.end : span.start]
            if mark == r"\)" or _TEX.search(inside):
                dollars = "$" if mark == r"\)" else "$$"
                yield opening.start, span.end, f"{dollars}{' '.join(inside.split())}{dollars}"
            opening = None


def _refused(rule: Rule, note: Reading, mistake: TexMistake) -> Iterator[Diagnostic]:
    """Yield what MathJax refuses because of one kind of mistake."""
    for formula, problem in note.tex_problems:
        if problem.mistake is mistake:
            place = formula.locate(problem.start)
            yield rule.report(place, problem.message, problem.fix, problem.length)


def _unknown_in_macros(rule: Rule, macros: Sequence[Macro], mistake: TexMistake) -> Iterator[Diagnostic]:
    """Yield unknown names of one kind in the definitions of macros."""
    places = {macro.name: macro.place for macro in macros}
    for name, problem in unknown_names_in({macro.name: macro.body for macro in macros}):
        if problem.mistake is mistake:
            yield rule.report(places[name], f"{problem.message}, in `\\{name}`", problem.fix)


class BrokenMacro(Message, severity="error or warning"):
    r"""A macro for formulas is defined wrongly, or cannot be used as it is in a formula.

    Why: a build expands macros, so that formulas are plain TeX on every device. It never guesses a
    definition. A macro may not use itself, `\require` a package, link to `javascript:`, or make a formula
    more than 10 kB longer.

    For instance, with the formula `$\norm$` in a note:

        \newcommand{\norm}[1]{\left\| #1 \right\|}

    Fix: correct the definition in the file that `[math] macros` names, or give the macro its arguments.

        $\norm{x}$
    """


class UnknownTexCommand(Rule, severity="warning"):
    r"""A formula uses a command that MathJax does not know.

    Why: MathJax, which renders formulas in Anki, shows the name of the command in red. It knows the commands
    of amsmath, mathtools, mhchem and others
    (https://docs.mathjax.org/en/v3.2/input/tex/macros/index.html). A package that Anki does not contain, as
    in `\require{foo}`, would be loaded from the network.

    For instance:

        $\alhpa + \frc{1}{2}$

    Fix: correct the name. Write `\operatorname{name}` for the name of a function.

        $\alpha + \frac{1}{2}$
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each unknown command."""
        yield from _refused(self, note, TexMistake.COMMAND)

    def check_macros(self, macros: Sequence[Macro]) -> Iterator[Diagnostic]:
        """Report each unknown command in a definition."""
        yield from _unknown_in_macros(self, macros, TexMistake.COMMAND)


class UnknownMathEnvironment(Rule, severity="warning"):
    r"""A formula uses an environment that MathJax does not know.

    Why: MathJax, which renders formulas in Anki, rejects the formula, and the card shows its source. It
    knows the environments of amsmath and mathtools
    (https://docs.mathjax.org/en/v3.2/input/tex/macros/index.html).

    For instance:

        \begin{bmatirx} 1 & 0 \\ 0 & 1 \end{bmatirx}

    Fix: correct the name.

        \begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix}
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each unknown environment."""
        yield from _refused(self, note, TexMistake.ENVIRONMENT)

    def check_macros(self, macros: Sequence[Macro]) -> Iterator[Diagnostic]:
        """Report each unknown environment in a definition."""
        yield from _unknown_in_macros(self, macros, TexMistake.ENVIRONMENT)


class TexGroup(Rule, severity="warning"):
    r"""A group in a formula is not closed, or has no beginning.

    Why: MathJax, which renders formulas in Anki, rejects the entire formula, and the card shows its source.
    Groups are braces, `\left` with `\right`, and `\begin` with `\end`. `&` and `\hline` are only allowed in
    an environment for alignment, and `\tag` not in `aligned`, `gathered` or `split`.

    For instance:

        $\left( \frac{1}{n )$

    Fix: add the missing half. `\left.` and `\right.` are invisible; write `\{` for a brace that should be
    visible.

        $\left( \frac{1}{n} \right)$
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report a group without its partner."""
        yield from _refused(self, note, TexMistake.GROUP)


class TexArguments(Rule, severity="warning"):
    r"""A command in a formula lacks an argument, or has the wrong one.

    Why: MathJax, which renders formulas in Anki, rejects the entire formula, and the card shows its source.

    For instance:

        $x^2^3 + \frac{1}$

    Fix: add the argument, in braces unless it is one character; put what has two exponents in braces.

        ${x^2}^3 + \frac{1}{n}$
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report an argument that is missing or wrong."""
        yield from _refused(self, note, TexMistake.ARGUMENT)
