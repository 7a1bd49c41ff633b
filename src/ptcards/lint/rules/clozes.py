"""Clozes and their deletions."""

import re
from collections.abc import Iterator

from ptcards.lint.registry import Draft, Edit, Rule

_NEARLY = re.compile(r"(?P<opening>\{\{[cC](?P<number>[1-9][0-9]?)::?)(?=[^\s{}:][^{}:]*\}\})")
"""A deletion whose opening lacks a colon or has a capital letter, and is otherwise correct."""


class DeletionNumber(Rule, severity="error"):
    """A deletion has a number that Anki does not accept.

    Why: each number becomes a card. Anki counts from 1, and a single enormous number makes it reject the
    whole import.

    For instance:

        {{c0::autograd}}

    Fix: use numbers from 1 to 99.

        {{c1::autograd}}
    """


class DeletionOutsideText(Rule, severity="error"):
    """A deletion is in the heading or in a section.

    Why: Anki only asks for deletions in one field, the note's text. Elsewhere the card would show the braces.

    For instance:

        ### Details

        It is {{c2::fast}}.

    Fix: move it into the note's text, or write it in backticks to show it.
    """


class EmptyDeletion(Rule, severity="error"):
    """A deletion has no text.

    Why: Anki makes no card from it.

    For instance:

        {{c1::}}

    Fix: write the text to recall.

        {{c1::autograd}}
    """


class MalformedDeletion(Rule, severity="error"):
    """Something looks like a deletion but is not one.

    Why: Anki only understands `{{c1::text}}` and `{{c1::text::hint}}`; it shows anything else with the
    braces.

    For instance:

        {{c1:autograd}}

    Fix: write it in full, or put it in backticks if it is not meant as a deletion. `--fix` completes `{{c1:`.

        {{c1::autograd}}
    """

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Complete an opening that lacks a colon or has a capital letter."""
        for each in draft.found(self.name):
            line, column = each.location.line, each.location.column
            if found := _NEARLY.match(draft.lines[line - 1], column - 1):
                yield Edit(line, column, found["opening"], f"{{{{c{found['number']}::")


class NestedDeletion(Rule, severity="error"):
    """A deletion is inside another deletion.

    Why: Anki clients disagree about what this means, and the library that writes the package makes too few
    cards from it.

    For instance:

        {{c1::the {{c2::autograd}} engine}}

    Fix: put the deletions one after the other; those with the same number are asked together.

        {{c1::the}} {{c2::autograd}} {{c1::engine}}
    """


class NoDeletion(Rule, severity="error"):
    """A cloze has no deletion.

    Why: there is nothing to ask, so Anki makes no card from it.

    For instance:

        <!-- card: kind=cloze -->

        Autograd records operations.

    Fix: mark the text to recall.

        {{c1::Autograd}} records operations.
    """


class UnclosedDeletion(Rule, severity="error"):
    """A deletion is not closed.

    Why: a deletion ends at the first `}}` in its paragraph, list item or cell where the braces inside are
    balanced. Without one, Anki shows the braces.

    For instance:

        {{c1::autograd} records operations.

    Fix: close it with `}}`.

        {{c1::autograd}} records operations.
    """
