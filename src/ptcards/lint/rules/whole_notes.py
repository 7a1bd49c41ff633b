"""Notes as a whole: their ids, questions and answers."""

from ptcards.lint.registry import Rule


class DuplicateId(Rule, severity="error"):
    """Two notes have the same id.

    Why: an id is a note's identity. If two notes share an id, an update reaches only one of them, and chance
    decides which one keeps the reviews. Ids that differ only in case count as the same.

    For instance:

        <!-- card: id=eval-no-grad -->     copied together with a note

    Fix: give the newer note another id, so that the published note keeps its own.
    """


class DuplicateQuestion(Rule, severity="error"):
    """A deck asks the same question twice.

    Why: learners answer the question twice, and without ids, ptcards cannot tell the two notes apart.

    For instance:

        ## What does this print?
        ## What does this print?

    Fix: reword one of the notes, or remove it. Everything above `### Answer` belongs to the question, so the
    same heading with different code is a different question.
    """


class NoAnswer(Rule, severity="error"):
    """A question has no answer.

    Why: the back of the card would be empty.

    For instance:

        ## What is autograd?

        ## What is a leaf tensor?

    Fix: write the answer below the heading, or remove the heading.
    """


class NoCard(Rule, severity="error"):
    """A note would not produce any card in Anki.

    Why: Anki only makes a card if its front shows something. A note without cards does not appear in any
    deck.

    For instance:

        a question that is only a comment

    Fix: add the part that the message names: the question, the answer or a deletion.
    """


class TypedAnswerNotPlain(Rule, severity="error"):
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
