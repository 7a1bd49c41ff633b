"""Choices, which are written as task lists, and their options."""

import re
from collections.abc import Iterator

from ptcards.lint.registry import Draft, Edit, Rule

_ODD_BOX = re.compile(r"(?:[-+*]|\d{1,9}[.)])[ \t]+(?P<box>\[ *+(?P<mark>[xX]?) *+\])(?=[ \t])")
"""The start of a list item with a box; the box may contain any number of spaces."""


class ChoiceAndCloze(Rule, severity="error"):
    """A note has both a task list and cloze deletions.

    Why: a task list makes the note a choice, and deletions make it a cloze; it cannot be both.

    For instance:

        - [x] The {{c1::optimizer}} steps.

    Fix: write two notes. If the list or the deletions are meant as plain text, set the kind.

        <!-- card: kind=choice -->
    """


class ChoiceWithAnswer(Rule, severity="error"):
    """A choice has an `### Answer` section.

    Why: the marked options are the answer, and the text after them is the explanation. A choice has no place
    for a third text.

    For instance:

        - [x] `optimizer.zero_grad()`

        ### Answer

        It clears the gradients.

    Fix: delete the line `### Answer`.
    """


class EmptyOption(Rule, severity="error"):
    """An option has no text.

    Why: the learner would see a letter with nothing after it.

    For instance:

        - [ ]

    Fix: write the text after the box, or delete the item.
    """


class NoOptions(Rule, severity="error"):
    """A note with `kind=choice` has no options.

    Why: the options must be a task list at the top level of the note.

    For instance:

        <!-- card: kind=choice -->

        - `loss.backward()`
        - `optimizer.zero_grad()`

    Fix: give each item a box.

        - [ ] `loss.backward()`
        - [x] `optimizer.zero_grad()`
    """


class NoRightOption(Rule, severity="error"):
    """No option is marked as right.

    Why: the back of the card would mark every option as wrong.

    For instance:

        - [ ] `loss.backward()`
        - [ ] `optimizer.zero_grad()`

    Fix: mark each right option with `[x]`. If the list is not a choice, set `kind=basic`.
    """


class OptionCount(Rule, severity="error"):
    """A choice has fewer than two options, or more than ten.

    Why: one option is not a choice, and more than ten do not fit on a phone.

    For instance:

        - [x] `optimizer.zero_grad()`

    Fix: add or merge options. If the list is not a choice, set `kind=basic`.
    """


class OptionWithoutBox(Rule, severity="error"):
    """A list item among the options has no box.

    Why: it is unclear whether the item is right, wrong or not an option at all.

    For instance:

        - [ ] `loss.backward()`
        - `optimizer.zero_grad()`

    Fix: begin each option with `[ ]` or `[x]`. `--fix` corrects boxes such as `[]`.
    """

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Correct boxes without a space or with too many."""
        for each in draft.found(self.name):
            line, column = each.location.line, each.location.column
            if box := _ODD_BOX.match(draft.lines[line - 1], column - 1):
                mark = box["mark"] or " "
                yield Edit(line, box.start("box") + 1, box["box"], f"[{mark}]")


class SecondBox(Rule, severity="warning"):
    r"""A line of an unchecked option contains `[x]`, so GitHub shows the option as checked.

    Why: readers on GitHub would see something different from the card.

    For instance:

        - [ ] `x` is written as [x]

    Fix: write `\[x]`.

        - [ ] `x` is written as \[x]
    """


class SecondOptionList(Rule, severity="error"):
    """A choice has two task lists.

    Why: a card can have only one list of options.

    For instance:

        two task lists with a paragraph between them

    Fix: merge the lists, or write two notes. If they are not options, set `kind=basic`.
    """
