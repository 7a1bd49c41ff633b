import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule
from ptcards.notes import Kind

_FEW = 8
"""An answer of this many words or fewer is little more than the term."""
_SHORTEST = 3
"""Characters. Shorter terms, such as `x` or `0`, give nothing away."""
_CHOOSES = re.compile(r"\bor\b|\bwhich\b|^(?:is|are|do|does|did|can|will|should)\b", re.IGNORECASE)


class AnswerInQuestion(Rule, severity="warning"):
    """The question gives away its own answer.

    Why: the learner gets the card right every time without recalling anything, so Anki shows it less and less
    often. Prompts should take effort (Matuschak, How to write good prompts,
    https://andymatuschak.org/prompts/).

    For instance:

        ## How does `optimizer.zero_grad()` clear the gradients?

        `optimizer.zero_grad()`

    Fix: ask without using the words of the answer.

        ## Which call clears the gradients of all parameters?
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the answer's term in the heading."""
        if _CHOOSES.search(note.heading.plain):
            return
        for term in _terms(note):
            if len(term) < _SHORTEST:
                continue
            found = re.search(rf"(?<![\w.]){re.escape(term)}(?![\w.(])", note.heading.raw, re.IGNORECASE)
            if found:
                place = note.heading.locate(found.start())
                message = f"`{term}` is already the answer"
                yield self.report(place, message, "ask without using the words of the answer", len(term))


def _terms(note: Reading) -> list[str]:
    """Return the terms that answer the note, or none if the answer says more than that."""
    answer = note.part("answer")
    match note.note.kind:
        case Kind.TYPED:
            return [note.note.typed]
        case Kind.BASIC if answer.words <= _FEW and not answer.codes:
            codes = {code for passage in answer.passages for code in passage.codes}
            return [*codes] if len(codes) == 1 else []
        case Kind.CLOZE:
            hidden = [
                passage.raw[span.inner : span.inner_end].strip("`* ")
                for passage in answer.passages
                for span in passage.hidden
            ]
            return list(dict.fromkeys(hidden))
        case _:
            return []
