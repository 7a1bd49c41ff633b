"""Alerts, tables, and content that is too large for a card."""

from ptcards.lint.registry import Rule


class FieldTooLarge(Rule, severity="error or warning"):
    """A field has more than 64 KB of text.

    Why: this is far more than a card can show, and rendering so much Markdown could take minutes. In an
    imported package, such a field only causes a warning, but a field of more than 1 MB prevents the import.

    For instance:

        an answer that contains a log of 5,000 lines

    Fix: split the note, or shorten the text.
    """


class NestedTooDeep(Rule, severity="error"):
    """Lists and quotes are nested more than fifty levels deep.

    Why: no card can show so many levels. They are most likely a slip, or an attack on whoever builds the
    deck.

    For instance:

        > > > > > > > > …

    Fix: remove levels of nesting.
    """


class NoteTooSlow(Rule, severity="error"):
    """A note takes longer than two seconds to render.

    Why: for some texts, the rendering time grows with the square of the length, and a single note should not
    hold up a build.

    For instance:

        ## Which of these?

        (60,000 opening brackets)

    Fix: shorten the note, or split it into several.
    """


class TableRowTooLong(Rule, severity="warning"):
    r"""A row of a table has more cells than the table has columns.

    Why: GitHub and the card both drop the extra cells. Usually, a `|` inside a cell is not escaped.

    For instance:

        | code     | means |
        | -------- | ----- |
        | `a | b`  | or    |

    Fix: write `\|` inside a cell, even in backticks.

        | `a \| b` | or    |
    """


class UnknownAlert(Rule, severity="warning"):
    """A quote begins with an unknown alert.

    Why: GitHub and the card support only NOTE, TIP, IMPORTANT, WARNING and CAUTION, and show any other word
    as text.

    For instance:

        > [!INFO]
        > It is fast.

    Fix: use one of the five alerts.

        > [!NOTE]
        > It is fast.
    """
