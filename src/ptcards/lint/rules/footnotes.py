"""Footnotes."""

from ptcards.lint.registry import Rule


class FootnoteInHeading(Rule, severity="error"):
    """A heading refers to a footnote.

    Why: the heading is the question, and the card has no place for a footnote to it.

    For instance:

        ## What is Adam?[^1]

    Fix: move the reference into the text below.
    """


class UnknownFootnote(Rule, severity="warning"):
    """A footnote is not defined in the file.

    Why: the card shows it literally, as `[^1]`.

    For instance:

        Adam is the default.[^1]

    Fix: define it anywhere in the file, or put it in backticks if it is not meant as a footnote.

        [^1]: Kingma and Ba, 2015.
    """


class UnusedFootnote(Rule, severity="warning"):
    """A footnote is defined but nothing refers to it.

    Why: neither GitHub nor the card shows it, so its text is lost.

    For instance:

        [^adam]: Kingma and Ba, 2015.

    Fix: refer to it where it belongs, or remove it.

        Adam is the default.[^adam]
    """
