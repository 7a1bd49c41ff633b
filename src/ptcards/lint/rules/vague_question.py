import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule
from ptcards.notes import Kind

_VAGUE = re.compile(
    r"(?:please )?(?:tell (?:me|us)|talk|say something)(?: more)? about|what (?:do you know|can you (?:say"
    r"|tell(?: \w+)?)) about"
    r"|what about|how about|(?:can you )?(?:explain|describe|discuss|elaborate)\b(?! how| why| what| when"
    r"| which| where| whether)",
    re.IGNORECASE,
)
_POINTED = re.compile(
    r"\b(?:how|why|when|which|whether|differ\w*|relat\w*|step|steps|cause[sd]?|effect)\b", re.IGNORECASE
)


class VagueQuestion(Rule, severity="warning", english=True):
    """The question names a topic instead of asking something about it.

    Why: a vague question has no right answer and no right length, so learners grade a feeling. "Optimize
    wording", rule 12 of Wozniak's Twenty rules
    (https://www.supermemo.com/en/blog/twenty-rules-of-formulating-knowledge); "precise", Matuschak, How to
    write good prompts (https://andymatuschak.org/prompts/).

    For instance:

        ## Explain the optimizer.

    Fix: ask for one thing that can be right or wrong.

        ## Why does an optimizer need the parameters when you create it?
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the words that ask for nothing in particular."""
        found = _VAGUE.match(note.heading.plain)
        if not found or note.note.kind is Kind.CLOZE:
            return
        if not _POINTED.search(note.heading.plain, found.end()):
            words = found[0].strip()
            message = f"`{words}` does not say what to answer"
            fix = "ask for one thing: why, how, which, what happens when"
            yield self.report(note.heading.locate(), message, fix, len(words))
