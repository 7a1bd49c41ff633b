"""Complete notes: their ids, questions and answers."""

from ptcards.lint.registry import Rule


class DuplicateId(Rule, severity="error"):
    """Two notes have the same id.

    Why: an id is a note's identity. If two notes share one, an update reaches only one of them, and chance
    decides which keeps the reviews. Ids that differ only in case are the same.

    For instance:

        <!-- card: id=eval-no-grad -->     copied along with a note

    Fix: give the newer one another id; the published one keeps its own.
    """


class DuplicateQuestion(Rule, severity="error"):
    """A deck asks the same question twice.

    Why: learners answer it twice, and without ids the two notes cannot be distinguished.

    For instance:

        ## What does this print?
        ## What does this print?

    Fix: reword one of them, or remove it. What is above `### Answer` belongs to the question, so the same
    heading with different code makes a different question.
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

    Fix: add what is missing according to the message: the question, the answer or a deletion.
    """


class TypedAnswerNotPlain(Rule, severity="error"):
    """A note with `kind=typed` does not begin its answer with text that can be typed.

    Why: Anki compares what the learner types letter by letter, so it must be one line without formatting.

    For instance:

        The call is **`torch.cat`**.

    Fix: begin with a separate paragraph that is one line of text or one code span, and put the explanation
    after it.

        `torch.cat`

        It joins tensors along an existing dimension.
    """
