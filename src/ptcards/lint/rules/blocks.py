"""Alerts, tables, and what is too much for a card."""

from ptcards.lint.registry import Rule


class FieldTooLarge(Rule, severity="error"):
    """A field has more than 64 KB of text.

    Why: it is far more than a card can show, and slow Markdown in it could hold up a build for minutes.

    For instance:

        an answer with a log of 5,000 lines

    Fix: split the note, or cut the text down.
    """


class NestedTooDeep(Rule, severity="error"):
    """More than fifty lists and quotes are nested.

    Why: no card can show that; it is most likely a slip or an attack on whoever builds the deck.

    For instance:

        > > > > > > > > …

    Fix: nest less.
    """


class NoteTooSlow(Rule, severity="error"):
    """A note takes longer than two seconds to render.

    Why: some texts cost a time that grows with the square of their length, and a build should not wait for
    that.

    For instance:

        ## Which of these?

        (60,000 opening brackets)

    Fix: shorten it, or write several notes.
    """


class TableRowTooLong(Rule, severity="warning"):
    r"""A row of a table has more cells than the table has columns.

    Why: GitHub drops the cells that are too many, and so does the card. Most often a `|` inside a cell is not
    escaped.

    For instance:

        | code     | means |
        | -------- | ----- |
        | `a | b`  | or    |

    Fix: write `\|` inside a cell, even in backticks.

        | `a \| b` | or    |
    """


class UnknownAlert(Rule, severity="warning"):
    """A quote begins with `[!…]`, which is not an alert.

    Why: GitHub, and the card, know NOTE, TIP, IMPORTANT, WARNING and CAUTION, and show anything else as text.

    For instance:

        > [!INFO]
        > It is fast.

    Fix: use one of the five.

        > [!NOTE]
        > It is fast.
    """
