"""Choices: task lists and their options."""

import re
from collections.abc import Iterator

from ptcards.lint.registry import Draft, Edit, Rule

_ODD_BOX = re.compile(r"(?:[-+*]|\d{1,9}[.)])[ \t]+(?P<box>\[ *(?P<mark>[xX]?) *\])(?=[ \t])")
"""The beginning of an item with a box, however many spaces are in it."""


class ChoiceAndCloze(Rule, severity="error"):
    """A note has both a task list and deletions.

    Why: a task list makes a note a choice, deletions make it a cloze; it cannot be both.

    For instance:

        - [x] The {{c1::optimizer}} steps.

    Fix: write two notes. If one of the two is meant as plain text, set the kind.

        <!-- card: kind=choice -->
    """


class ChoiceWithAnswer(Rule, severity="error"):
    """A choice has `### Answer`.

    Why: its marked options are the answer, and what follows them is the explanation; a third text would have
    no place.

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

    Fix: write it after the box, or delete the item.
    """


class NoOptions(Rule, severity="error"):
    """A note with `kind=choice` has no options.

    Why: options are a task list at the top level of the text.

    For instance:

        <!-- card: kind=choice -->

        - `loss.backward()`
        - `optimizer.zero_grad()`

    Fix: give each item its box.

        - [ ] `loss.backward()`
        - [x] `optimizer.zero_grad()`
    """


class NoRightOption(Rule, severity="error"):
    """No option is marked as right.

    Why: the back of the card would call every option wrong.

    For instance:

        - [ ] `loss.backward()`
        - [ ] `optimizer.zero_grad()`

    Fix: mark each right option with `[x]`. If the list is not a choice, set `kind=basic`.
    """


class OptionCount(Rule, severity="error"):
    """A choice has fewer than two options, or more than ten.

    Why: one option is not a choice, and more than ten do not fit a phone.

    For instance:

        - [x] `optimizer.zero_grad()`

    Fix: add or join options. If the list is not a choice, set `kind=basic`.
    """


class OptionWithoutBox(Rule, severity="error"):
    """An item among the options has no box.

    Why: it cannot be told whether it is right, wrong or no option at all.

    For instance:

        - [ ] `loss.backward()`
        - `optimizer.zero_grad()`

    Fix: begin each option with `[ ]` or `[x]`. `--fix` completes boxes like `[]`.
    """

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Complete a box that lacks its space or has too many."""
        for each in draft.found(self.name):
            line, column = each.location.line, each.location.column
            if box := _ODD_BOX.match(draft.lines[line - 1], column - 1):
                mark = box["mark"] or " "
                yield Edit(line, box.start("box") + 1, box["box"], f"[{mark}]")


class SecondBox(Rule, severity="warning"):
    r"""A line of an unchecked option has `[x]` in its text, so GitHub shows the option as checked.

    Why: what readers see on GitHub would not be what is on the card.

    For instance:

        - [ ] `x` is written as [x]

    Fix: write `\[x]`.

        - [ ] `x` is written as \[x]
    """


class SecondOptionList(Rule, severity="error"):
    """A choice has two task lists.

    Why: a card has one list of options.

    For instance:

        two task lists with a paragraph between them

    Fix: join the lists, or make two notes. If they are not options, set `kind=basic`.
    """
