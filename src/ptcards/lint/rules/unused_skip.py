from ptcards.lint.registry import Rule


class UnusedSkip(Rule, severity="warning"):
    """A card comment skips a heading that is not a card.

    Why: with `cards = "marked"` only marked headings are cards, so there is nothing to skip.

    For instance:

        ## Background
        <!-- card: skip -->

    Fix: delete the comment.
    """
