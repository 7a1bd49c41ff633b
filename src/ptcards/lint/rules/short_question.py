from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule
from ptcards.notes import Kind


class ShortQuestion(Rule, severity="hint", limits={"short-question": 3}, english=True):
    """The question is so short that it has no context.

    Why: among a thousand cards on other topics, "Shape?" can mean anything. "Context cues", rule 16 of
    Wozniak's Twenty rules (https://www.supermemo.com/en/blog/twenty-rules-of-formulating-knowledge). Fewer
    than `short-question` (3) words is a hint, unless there is something below the heading that belongs to the
    question.

    For instance:

        ## Broadcasting?

    Fix: say what you want to know about it.

        ## When can two shapes be broadcast?
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the heading."""
        alone = not note.part("question").blocks and note.note.kind is not Kind.CLOZE
        # Another rule reports headings that ask nothing; scripts without spaces have no words to count.
        asks = note.heading.raw.endswith("?") and note.heading.raw.isascii()
        if alone and asks and note.heading.words < self.limits["short-question"]:
            words = f"{note.heading.words} word{'s' * (note.heading.words != 1)}"
            fix = "say what is asked, so that the card makes sense on its own"
            yield self.report_passage(note.heading, f"a question of {words}", fix)
