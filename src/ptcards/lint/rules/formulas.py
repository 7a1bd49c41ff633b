"""Formulas."""

from ptcards.lint.registry import Rule


class UnbalancedMath(Rule, severity="warning"):
    r"""A formula has more `{` than `}`, or fewer.

    Why: MathJax, which shows formulas in Anki, refuses the whole formula then, and the card shows its source.

    For instance:

        $\frac{1}{n$

    Fix: close what is open; a brace that is to be seen is written `\{`.

        $\frac{1}{n}$
    """


class UnclosedMath(Rule, severity="warning"):
    r"""A `$$` has no partner in its paragraph.

    Why: the card shows two dollars, and the formula as text.

    For instance:

        $$ L = -\log p

    Fix: close it in the same paragraph, or write `\$\$` if dollars are meant.

        $$ L = -\log p $$
    """
