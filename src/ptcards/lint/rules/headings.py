"""The headings of notes, and lines that look like headings."""

import re
from collections.abc import Iterator

from ptcards.lint.registry import Draft, Edit, Rule

_GLUED = re.compile(r"#{2,6}(?=[^#\s])")


class EmptyQuestion(Rule, severity="error"):
    """A `##` heading is empty.

    Why: the heading is the question, and Anki makes no card from an empty one.

    For instance:

        ##

    Fix: write the question after `##`, or delete the line.
    """


class HeadingWithoutSpace(Rule, severity="warning"):
    """A line begins with `#` but has no space after it, so it is text.

    Why: `##x` is not a heading, either in ptcards or on GitHub. A question written like this becomes part of
    the answer above it. `--fix` adds the space.

    For instance:

        ##What is autograd?

    Fix: add a space after the marks. If the line is text, put a backslash in front of it.

        ## What is autograd?
    """

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Add the space to lines that begin with two or more marks."""
        for each in draft.found(self.name):
            marks = _GLUED.match(draft.lines[each.location.line - 1])
            if marks and each.location.column == 1:
                yield Edit(each.location.line, 1, marks[0], f"{marks[0]} ")


class IndentedHeading(Rule, severity="error"):
    """A heading is indented.

    Why: GitHub shows it as a heading, but ptcards requires headings to begin in column 1, so that a heading
    inside a list can never start a note.

    For instance:

        Some text.
          ## What is autograd?

    Fix: remove the spaces before the `#` marks. If the line is code, indent it by four spaces.
    """


class TextBeforeHeading(Rule, severity="error"):
    """There is text above the first heading.

    Why: the text belongs to neither a note nor a deck, so it would be lost.

    For instance:

        These notes are about autograd.

        # Autograd

    Fix: move the text below the `#` heading, where it describes the deck, or turn it into a comment.
    """


class UnderlinedHeading(Rule, severity="error"):
    """Text is underlined with `---` or `===`.

    Why: GitHub shows such text as a heading, and ptcards would have to treat it as one. Often, a horizontal
    rule was intended, and the blank line above it is missing.

    For instance:

        The gradients are summed.
        ---

    Fix: put a blank line above the dashes, or mark the heading with `#`.
    """
