"""Notes as a whole: their ids, questions, answers, headings and sections."""

import re
from collections.abc import Iterator

from ptcards.diagnostics import Severity
from ptcards.diagnostics.suggest import slip_among
from ptcards.lint.message import Message
from ptcards.lint.registry import LineEdit, Rule, SourceToFix
from ptcards.source.sections import SECTIONS


class DuplicateId(Message, severity="error"):
    """Two notes have the same id.

    Why: an id is a note's identity. If two notes share an id, an update reaches only one of them, and chance
    decides which one keeps the reviews. Ids that differ only in case count as the same.

    For instance, if it was copied together with a note:

        <!-- card: id=eval-no-grad -->

    Fix: give the newer note another id, so that the published note keeps its own.

        <!-- card: id=eval-mode -->
    """


class DuplicateQuestion(Message, severity="error"):
    """A deck asks the same question twice.

    Why: learners answer the question twice, and without ids, ptcards cannot tell the two notes apart.

    For instance:

        ## What does this print?
        ## What does this print?

    Fix: reword one of the notes, or remove it. Everything above `### Answer` belongs to the question, so the
    same heading with different code is a different question.

        ## What does `torch.ones(2)` print?
        ## What does `torch.zeros(2)` print?
    """


class NoAnswer(Message, severity="error"):
    """A question has no answer.

    Why: the back of the card would be empty.

    For instance:

        ## What is autograd?

        ## What is a leaf tensor?

    Fix: write the answer below the heading. To decide later, write `<!-- card: draft -->`, which
    leaves the note out, or run `ptcards build --skip-broken`.

        ## What is autograd?

        It records operations, and computes their gradients.
    """


class NoCard(Message, severity="error"):
    """A note would not produce any card in Anki.

    Why: Anki only makes a card if its front shows something. A note without cards does not appear in any
    deck.

    When:

        a question that is only a comment

    Fix: add the part that the message names: the question, the answer or a deletion.
    """


class TypedAnswerNotPlain(Message, severity="error"):
    """The answer of a note with `kind=typed` does not begin with text that can be typed.

    Why: Anki compares this text letter by letter with what the learner types, so it must be one line without
    formatting.

    For instance:

        The call is **`torch.cat`**.

    Fix: begin with a paragraph that consists of one line of text or one code span, and put the explanation
    after it.

        `torch.cat`

        It joins tensors along an existing dimension.
    """


_GLUED = re.compile(r"#{2,6}(?=[^#\s])")


class EmptyQuestion(Message, severity="error"):
    """A `##` heading is empty.

    Why: the heading is the question, and Anki makes no card from an empty one.

    For instance:

        ##

    Fix: write the question after `##`, or delete the line.

        ## What is autograd?
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

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Add the space to lines that begin with two or more marks."""
        for diagnostic in draft.found(self.name):
            marks = _GLUED.match(draft.lines[diagnostic.location.line - 1])
            if marks and diagnostic.location.column == 1:
                yield LineEdit(diagnostic.location.line, 1, marks[0], f"{marks[0]} ")


class IndentedHeading(Rule, severity="error or warning"):
    """A heading is indented.

    Why: GitHub shows it as a heading, and so does ptcards, but the line may have been meant as code or as
    part of a list. `--fix` removes the spaces. An indented `#` is an error, because it starts a deck: the
    text below it would be on no card.

    For instance:

        Some text.
          ## What is autograd?

    Fix: remove the spaces before the `#` marks. If the line is code, indent it by four spaces.

        Some text.

        ## What is autograd?
    """

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Remove the spaces."""
        for found in draft.found(self.name):
            if found.severity is Severity.WARNING:
                yield LineEdit(found.location.line, 1, " " * (found.location.column - 1), "")


class TextBeforeHeading(Message, severity="warning"):
    """There is text above the first heading.

    Why: the text belongs to neither a note nor a deck, so no card shows it.

    For instance:

        These notes are about autograd.

        # Autograd

    Fix: move the text below the `#` heading, where it describes the deck, or turn it into a comment.

        # Autograd

        These notes are about autograd.
    """


class UnderlinedHeading(Message, severity="error"):
    """Text is underlined with `---` or `===`.

    Why: GitHub shows such text as a heading, and ptcards would have to treat it as one. Often, a horizontal
    rule was intended, and the blank line above it is missing.

    For instance:

        The gradients are summed.
        ---

    Fix: put a blank line above the dashes, or mark the heading with `#`.

        The gradients are summed.

        ---
    """


class EmptySection(Message, severity="error"):
    """A `###` heading is empty.

    Why: ptcards identifies the four sections by name. A heading without a name is most likely a slip.

    For instance:

        ###

    Fix: write `### Answer`, `### Hint`, `### Details` or `### Sources`, or delete the line.

        ### Details
    """


class HeadingAfterSection(Message, severity="warning"):
    """A `###` heading follows `### Hint`, `### Details` or `### Sources`.

    Why: these sections come last, so the heading and the text below it become part of the section.

    For instance:

        ### Hint

        Think of the graph.

        ### How it works

    Fix: if it belongs to the section, write `####`; otherwise move it above the sections.

        ### Hint

        Think of the graph.

        #### How it works
    """


class MisspeltSection(Rule, severity="warning"):
    """A `###` heading looks like a misspelt section name, so it is part of the answer.

    Why: only `### Answer`, `### Hint`, `### Details` and `### Sources` are sections; any other heading stays
    in the text, as on GitHub. The names of the sections are English, even if the notes are in another
    language.

    For instance:

        ### Source

    Fix: correct the name, or write `####` if it is meant as text. `--fix` corrects obvious slips.

        ### Sources
    """

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Write the section name that was clearly intended."""
        for diagnostic in draft.found(self.name):
            marks, _, name = draft.marked(diagnostic).partition(" ")
            near = slip_among(name, SECTIONS)
            yield from draft.replace(diagnostic, near and f"{marks} {near}")


class SectionTwice(Message, severity="error"):
    """A note has the same section twice.

    Why: a section fills one field of the note, and ptcards does not know in which order to join the two
    texts.

    For instance:

        ### Details

        One thing.

        ### Details

        Another thing.

    Fix: merge them into one section.

        ### Details

        One thing.

        Another thing.
    """
