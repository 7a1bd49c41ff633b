"""Card comments: where they are and how they are written."""

from ptcards.lint.registry import Rule


class MalformedCardComment(Rule, severity="error"):
    """A card comment cannot be read.

    Why: settings that are not understood would be silently ignored.

    For instance:

        <!-- card: id=no-grad difficulty: easy -->

    Fix: write `key=value`; put a value with spaces in quotes. Nothing else may be on the comment's last line.

        <!-- card: id=no-grad difficulty=easy -->
    """


class MisplacedCardComment(Rule, severity="error"):
    """A card comment is in a place where it does not count.

    Why: it is the first thing below its `##` heading, alone and in column 1. Anywhere else it would be
    silently ignored.

    For instance:

        <!-- card: id=no-grad -->
        ## Why does evaluation run under `torch.no_grad()`?

    Fix: move it to the line below the heading, one comment for one note.

        ## Why does evaluation run under `torch.no_grad()`?
        <!-- card: id=no-grad -->
    """


class MisspeltCardComment(Rule, severity="error"):
    """A comment looks like a card comment but is not one.

    Why: it would be dropped like any other comment, and its settings with it.

    For instance:

        <!-- cards: id=no-grad -->

    Fix: write `<!-- card:`.

        <!-- card: id=no-grad -->
    """


class SkipWithKeys(Rule, severity="error"):
    """A card comment says `skip` and sets something.

    Why: what is skipped is no note, so the other keys would mean nothing; one of the two is a mistake.

    For instance:

        ## Background
        <!-- card: skip difficulty=easy -->

    Fix: delete the other keys, or delete `skip`.

        ## Background
        <!-- card: skip -->
    """
