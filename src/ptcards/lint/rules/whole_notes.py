"""Notes as a whole."""

from ptcards.lint.registry import Rule


class DuplicateId(Rule, severity="error"):
    """Two notes have the same id.

    Why: an id is a note's identity. With two, an update would reach one of them and leave the other stale, so
    which keeps the reviews would be left to chance. Case does not matter.

    For instance:

        <!-- card: id=eval-no-grad -->     copied along with a note

    Fix: give the newer of the two another id; the one already published keeps its own.
    """


class DuplicateQuestion(Rule, severity="error"):
    """A deck asks the same question twice.

    Why: the learner answers it twice, and without ids nothing tells the two notes apart.

    For instance:

        ## What does this print?
        ## What does this print?

    Fix: reword one of them, or delete it. What is above `### Answer` belongs to the question, so two pieces
    of code under equal headings are two questions.
    """


class NoAnswer(Rule, severity="error"):
    """A question has no answer.

    Why: the back of the card would be empty.

    For instance:

        ## What is autograd?

        ## What is a leaf tensor?

    Fix: write the answer below the heading, or delete the heading.
    """


class NoCard(Rule, severity="error"):
    """A note would make no card in Anki.

    Why: Anki makes a card only if its front shows something; a note without cards is in no deck and cannot be
    found.

    For instance:

        a question that is only a comment

    Fix: see the message: the question, the answer or the deletions are missing.
    """


class TypedAnswerNotPlain(Rule, severity="error"):
    """A note with `kind=typed` does not begin its answer with a text that can be typed.

    Why: Anki compares what is typed letter by letter, so it has to be one line without formatting.

    For instance:

        The call is **`torch.cat`**.

    Fix: begin with a paragraph of its own, one line of text or one code span; the explanation follows.

        `torch.cat`

        It joins tensors along a dimension that exists.
    """
