from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule


class QuestionWords(Rule, severity="warning", limits={"question-words": 25, "question-characters": 200}):
    """The question is long.

    Why: learners read it hundreds of times, and come to recognise a long question by its shape instead of
    understanding it. "Optimize wording", rule 12 of Wozniak's Twenty rules
    (https://www.supermemo.com/en/blog/twenty-rules-of-formulating-knowledge). More than `question-words` (25)
    words or `question-characters` (200) characters in the heading is a warning.

    For instance:

        ## When you have trained a model on a GPU for a long time and then want to go on with the training
           on another machine that has no GPU at all, what do you have to do when you load the checkpoint
           from the disk again?

    Fix: limit the heading to the question itself. Describe the situation below it, above `### Answer`.

        ## How do you load a GPU checkpoint on a machine without a GPU?
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the heading."""
        words, characters = note.heading.words, len(note.heading.raw)
        if words > self.limits["question-words"]:
            size = f"{words} words, more than {self.limits['question-words']}"
        elif characters > self.limits["question-characters"]:
            size = f"{characters} characters, more than {self.limits['question-characters']}"
        else:
            return
        fix = "shorten it, or describe the situation below it, above `### Answer`"
        yield self.report(note.heading.locate(), f"a question of {size}", fix, characters)
