import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule
from ptcards.markdown.inlines import SpanKind
from ptcards.notes import Kind

_FEW = 8
"""Words of an answer that is little more than the term."""
_SHORTEST = 3
"""Characters; `x` or `0` in a question gives nothing away."""
_CHOOSES = re.compile(r"\bor\b|\bwhich\b|^(?:is|are|do|does|did|can|will|should)\b", re.IGNORECASE)


class AnswerInQuestion(Rule, severity="warning"):
    """The question gives its own answer away.

    Why: the card is always answered and nothing is ever recalled; its schedule grows on a lie. Prompts have
    to be effortful (Matuschak, How to write good prompts, https://andymatuschak.org/prompts/).

    For instance:

        ## How does `optimizer.zero_grad()` clear the gradients?

        `optimizer.zero_grad()`

    Fix: ask without the words of the answer.

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
                message = f"`{term}` is the answer already"
                yield self.report(place, message, "ask without the words of the answer", len(term))


def _terms(note: Reading) -> list[str]:
    """Return the terms that answer the note; none if there is more to the answer."""
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
                for span in passage.all_spans
                if span.kind is SpanKind.DELETION
            ]
            return list(dict.fromkeys(hidden))
        case _:
            return []
