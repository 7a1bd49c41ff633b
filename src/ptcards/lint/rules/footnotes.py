"""Footnotes."""

from ptcards.lint.registry import Rule


class FootnoteInHeading(Rule, severity="error"):
    """A heading refers to a footnote.

    Why: the heading is the question, and a card has no place for a footnote to its question.

    For instance:

        ## What is Adam?[^1]

    Fix: move the reference into the text below.
    """


class UnknownFootnote(Rule, severity="warning"):
    """A note refers to a footnote that is not defined in its file.

    Why: the card shows the reference literally, as `[^1]`.

    For instance:

        Adam is the default.[^1]

    Fix: define the footnote anywhere in the file. If the text is not meant as a footnote, put it in
    backticks.

        [^1]: Kingma and Ba, 2015.
    """


class UnusedFootnote(Rule, severity="warning"):
    """A footnote is defined, but nothing refers to it.

    Why: neither GitHub nor the card shows it, so its text is lost.

    For instance:

        [^adam]: Kingma and Ba, 2015.

    Fix: add a reference to it, or remove it.

        Adam is the default.[^adam]
    """
