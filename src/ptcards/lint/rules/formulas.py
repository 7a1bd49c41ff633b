"""Formulas."""

from ptcards.lint.registry import Rule


class UnbalancedMath(Rule, severity="warning"):
    r"""A formula has unbalanced braces.

    Why: MathJax, which renders formulas in Anki, rejects the complete formula, and the card shows its source.

    For instance:

        $\frac{1}{n$

    Fix: close the open braces. Write `\{` for a brace that should be visible.

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
