"""Headings that are questions, and those that look like it."""

import re
from collections.abc import Iterator

from ptcards.lint.registry import Draft, Edit, Rule

_GLUED = re.compile(r"#{2,6}(?=[^#\s])")


class EmptyQuestion(Rule, severity="error"):
    """A `##` heading has no words.

    Why: the heading is the question, and Anki makes no card of an empty one.

    For instance:

        ##

    Fix: write the question after the marks, or delete the line.
    """


class HeadingWithoutSpace(Rule, severity="warning"):
    """A line begins with `#` marks but no space follows them, so it is text.

    Why: on GitHub, and here, `##x` is not a heading. A question written like that becomes part of the answer
    above it. `--fix` adds the space.

    For instance:

        ##What is autograd?

    Fix: put a space after the marks, or a backslash in front of them if it is text.

        ## What is autograd?
    """

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Add the space, where the line begins with two marks or more."""
        for each in draft.found(self.name):
            marks = _GLUED.match(draft.lines[each.location.line - 1])
            if marks and each.location.column == 1:
                yield Edit(each.location.line, 1, marks[0], f"{marks[0]} ")


class IndentedHeading(Rule, severity="error"):
    """A heading is indented.

    Why: GitHub shows it as a heading, but structure begins in column 1 here, so that a heading inside a list
    can never start a note.

    For instance:

        Some text.
          ## What is autograd?

    Fix: begin the line with the marks, or indent it by four spaces if it is code.
    """


class TextBeforeHeading(Rule, severity="error"):
    """There is text above the first heading.

    Why: it belongs to no note and to no deck, so it would be lost.

    For instance:

        These notes are about autograd.

        # Autograd

    Fix: move it below the `#` heading, where it describes the deck, or into a comment.
    """


class UnderlinedHeading(Rule, severity="error"):
    """Text is underlined with `---` or `===`.

    Why: GitHub shows it as a heading, and headings are structure here. Often a rule was meant and the blank
    line above it is missing.

    For instance:

        The gradients are summed.
        ---

    Fix: put a blank line above the dashes, or mark the heading with `#`.
    """
