"""The place and syntax of card comments."""

from ptcards.lint.registry import Rule


class MalformedCardComment(Rule, severity="error"):
    """A card comment cannot be read.

    Why: its settings would be silently ignored.

    For instance:

        <!-- card: id=no-grad difficulty: easy -->

    Fix: write `key=value`, with quotes around a value that contains spaces. Nothing else may follow the
    comment on its last line.

        <!-- card: id=no-grad difficulty=easy -->
    """


class MisplacedCardComment(Rule, severity="error"):
    """A card comment is in a place where it has no effect.

    Why: it must be the first thing below its `##` heading, alone and in column 1. Anywhere else it would be
    silently ignored.

    For instance:

        <!-- card: id=no-grad -->
        ## Why does evaluation run under `torch.no_grad()`?

    Fix: move it to the line below the heading. Each note can have only one card comment.

        ## Why does evaluation run under `torch.no_grad()`?
        <!-- card: id=no-grad -->
    """


class MisspeltCardComment(Rule, severity="error"):
    """A comment looks like a card comment but is not one.

    Why: it would be dropped like any other comment, along with its settings.

    For instance:

        <!-- cards: id=no-grad -->

    Fix: write `<!-- card:`.

        <!-- card: id=no-grad -->
    """


class SkipWithKeys(Rule, severity="error"):
    """A card comment combines `skip` with other keys.

    Why: a skipped heading is not a note, so the other keys would have no effect. Either they or `skip` must
    be a mistake.

    For instance:

        ## Background
        <!-- card: skip difficulty=easy -->

    Fix: remove the other keys, or remove `skip`.

        ## Background
        <!-- card: skip -->
    """


class UnusedSkip(Rule, severity="warning"):
    """A card comment skips a heading that would not become a card anyway.

    Why: with `cards = "marked"`, only marked headings become cards, so there is nothing to skip.

    For instance:

        ## Background
        <!-- card: skip -->

    Fix: delete the comment.
    """
