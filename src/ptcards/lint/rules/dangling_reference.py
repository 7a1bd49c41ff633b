import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule
from ptcards.notes import Kind

_THING = (
    r"(?:code|snippets?|programs?|scripts?|functions?|loops?|class|classes|modules?|models?|outputs?"
    r"|tables?|pictures?|images?|"
    r"figures?|diagrams?|examples?|blocks?|lines?|expressions?|calls?|statements?|tracebacks?|tensors?"
    r"|options|"
    r"statements|sentences?|listing|two|three|four)"
)
_POINTING = re.compile(
    rf"\b(?:this|these) {_THING}\b|\bthe (?:following|above)\b|\b(?:shown|given|listed) (?:above|below)\b|"
    # The lookahead keeps the long list from being tried at every word.
    rf"\b(?=\w+ (?:above|below)\b){_THING} (?:above|below)\b|\b(?:do|does|will|would) this (?:print|return"
    rf"|output|raise|give|show|evaluate)\b",
    re.IGNORECASE,
)


class DanglingReference(Rule, severity="warning", english=True):
    """The question refers to code, a picture or a text that it does not show.

    Why: cards come one at a time, in any order, and the question side shows only the heading and what is
    above `### Answer`. Everything below is hidden until the learner turns the card.

    For instance:

        ## What does this code print?

        ```python
        print(torch.ones(2).sum())
        ```

    Fix: put `### Answer` below the code, so that the code belongs to the question.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the words that refer to nothing."""
        found = _POINTING.search(note.heading.plain)
        shown = note.part("question").blocks or note.note.kind is Kind.CLOZE or note.heading.codes
        if not found or shown or note.note.choices:
            return
        answer = note.part("answer")
        hidden = any(answer.codes) or any(passage.table for passage in answer.passages)
        fix = (
            "add the line `### Answer` below what it refers to, so that the question shows it"
            if hidden
            else "show it below the heading, above `### Answer`, or name it"
        )
        place = note.heading.locate(found.start())
        message = f"`{found[0]}`: the question shows nothing that this could refer to"
        yield self.report(place, message, fix, len(found[0]))
