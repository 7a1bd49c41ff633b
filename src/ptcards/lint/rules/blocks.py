"""Alerts, tables, and content that is too much for a card."""

from ptcards.lint.registry import Rule


class FieldTooLarge(Rule, severity="error or warning"):
    """A field has more than 64 KB of text.

    Why: this is far more than a card can show, and slow Markdown in it could hold up a build for minutes.
    In an imported package, such a field is a warning; if it has more than 1 MB, nothing is imported.

    For instance:

        an answer with a log of 5,000 lines

    Fix: split the note, or shorten the text.
    """


class NestedTooDeep(Rule, severity="error"):
    """Lists and quotes are nested more than fifty deep.

    Why: no card can show this. It is most likely a slip, or an attack on whoever builds the deck.

    For instance:

        > > > > > > > > …

    Fix: remove levels of nesting.
    """


class NoteTooSlow(Rule, severity="error"):
    """A note takes longer than two seconds to render.

    Why: rendering time for some texts grows with the square of their length, and a build should not wait for
    them.

    For instance:

        ## Which of these?

        (60,000 opening brackets)

    Fix: shorten the note, or split it into several.
    """


class TableRowTooLong(Rule, severity="warning"):
    r"""A row of a table has more cells than the table has columns.

    Why: GitHub and the card both drop the extra cells. Usually a `|` inside a cell has not been escaped.

    For instance:

        | code     | means |
        | -------- | ----- |
        | `a | b`  | or    |

    Fix: write `\|` inside a cell, even in backticks.

        | `a \| b` | or    |
    """


class UnknownAlert(Rule, severity="warning"):
    """A quote begins with `[!…]`, which is not an alert.

    Why: GitHub and the card support NOTE, TIP, IMPORTANT, WARNING and CAUTION, and show anything else as
    text.

    For instance:

        > [!INFO]
        > It is fast.

    Fix: use one of the five alerts.

        > [!NOTE]
        > It is fast.
    """
