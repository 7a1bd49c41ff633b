"""The settings in `[check]`, and the `ignore` key of notes."""

from ptcards.lint.registry import Rule


class UnknownLimit(Rule, severity="error"):
    """`[check.limits]` in `deck.toml` sets a limit that does not exist.

    Why: the rule would silently keep its default limit. `ptcards explain RULE` shows the limits of a rule.

    For instance:

        [check.limits]
        answer-word = 80

    Fix: correct the name; the message suggests the nearest one.

        [check.limits]
        answer-words = 80
    """


class UnknownRule(Rule, severity="error"):
    """`ignore` or `enable` names a rule that does not exist.

    Why: nothing would be ignored or enabled, and nobody would notice. `ptcards explain` lists all rules.

    For instance:

        <!-- card: ignore=answer-length -->

    Fix: correct the name; the message suggests the nearest one.

        <!-- card: ignore=answer-words -->
    """


class UnusedIgnore(Rule, severity="warning"):
    """An `ignore` silences nothing.

    Why: it is no longer needed, or never was, and would hide the next problem of that kind. Errors cannot be
    ignored.

    For instance:

        <!-- card: id=what-is-autograd ignore=answer-words -->

        An answer of ten words.

    Fix: delete it.
    """
