"""References to something outside the card, and missing sources."""

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
    # The lookahead keeps the regular expression from trying the long list at every word.
    rf"\b(?=\w+ (?:above|below)\b){_THING} (?:above|below)\b|\b(?:do|does|will|would) this (?:print|return"
    rf"|output|raise|give|show|evaluate)\b",
    re.IGNORECASE,
)


class DanglingReference(Rule, severity="warning", english=True):
    """The question refers to code, a picture or text that it does not show.

    Why: cards come one at a time, in any order, and the question side shows only the heading and what is
    above `### Answer`. Everything below is hidden until the learner reveals the answer.

    For instance:

        ## What does this code print?

        ```python
        print(torch.ones(2).sum())
        ```

    Fix: add the line `### Answer` below the code, so that the code belongs to the question.
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
            "add the line `### Answer` below the code or table, so that the question shows it"
            if hidden
            else "show it between the heading and `### Answer`, or name it"
        )
        place = note.heading.locate(found.start())
        message = f"the question shows nothing that `{found[0]}` could refer to"
        yield self.report(place, message, fix, len(found[0]))


class NoSource(Rule, severity="hint", off=True):
    """A note names no source.

    This rule is off unless `enable` names it, because authors who write from their own knowledge have no
    sources.

    Why: learners want to look up answers that they doubt, and maintainers need the sources to update answers.
    "Provide sources" is rule 18 of Wozniak's Twenty rules
    (https://www.supermemo.com/en/blog/twenty-rules-of-formulating-knowledge).

    For instance:

        ## What dtype does `torch.tensor([1, 2])` have?

        `torch.int64`: Python integers become 64-bit integers.

    Fix: add a `### Sources` section, or a link anywhere in the note.

        ### Sources

        - <https://docs.pytorch.org/docs/stable/generated/torch.tensor.html>
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the heading of a note without a source."""
        if not note.part("sources").blocks and not any("://" in part.text.markdown for part in note.parts):
            fix = "add `### Sources` with a link"
            yield self.report_passage(note.heading, "this note names no source", fix)


_ELSEWHERE = re.compile(
    r"\b(?:previous|preceding|next|following|earlier) (?:questions?|cards?|notes?|answers?|chapters?)\b"
    r"|\b(?:see|in) (?:question|card|note) (?:#|no\. ?)?\d+"
    r"|\bas (?:we |i |already |just |was |is |has |have |been )*(?:mentioned|discussed|described|explained"
    r"|shown|noted|said|seen) "
    r"(?:earlier|before|previously)\b",
    re.IGNORECASE,
)
_ELSEWHERE_IN_LOWER_CASE = re.compile(_ELSEWHERE.pattern)  # twice as fast as ignoring case


class RefersElsewhere(Rule, severity="warning", english=True):
    """The text refers to another note.

    Why: cards come one at a time, in an order that Anki chooses, so there is no previous question.

    For instance:

        As in the previous question, the gradient is `None`.

    Fix: repeat what the card needs, or name what you mean.

        A non-leaf tensor does not keep its gradient: `grad` is `None`.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the words that refer to something that is not on the card."""
        if not _ELSEWHERE_IN_LOWER_CASE.search(note.prose.lower()):
            return
        for passage in note.passages:
            for found in _ELSEWHERE.finditer(passage.plain):
                fix = "repeat it here, or name what you mean"
                message = f"`{' '.join(found[0].split())}` refers to something that is not on this card"
                yield self.report(passage.locate(found.start()), message, fix, len(found[0]))


_NOW = re.compile(
    r"\b(?:nowadays|these days|as of now|at the moment|at present|recently|the (?:latest|newest"
    r"|most recent) (?:version|release)s?|"
    r"in (?:recent|newer|the latest|the newest) (?:version|release)s?|"
    r"currently (?=only|supports?|does|do|there|no\b|not\b|limited|experimental|in beta|a prototype"
    r"|recommended|supported|"
    r"unsupported|available|under|the (?:default|only|best|latest|most)))\b",
    re.IGNORECASE,
)
_NOW_IN_LOWER_CASE = re.compile(_NOW.pattern)  # twice as fast as ignoring case
_SENTENCE = re.compile(r"[^.!?]*(?:[.!?](?!\s)[^.!?]*)*", re.DOTALL)


class UndatedFact(Rule, severity="hint", english=True):
    """The text refers to the present without naming a date or a version.

    Why: learners review a card for years. "Date stamping" is rule 19 of Wozniak's Twenty rules
    (https://www.supermemo.com/en/blog/twenty-rules-of-formulating-knowledge). Sentences that contain a number
    are skipped, because they probably name the version or the year.

    For instance:

        Currently, complex numbers are not supported.

    Fix: name the version or the year.

        In PyTorch 2.13, complex numbers are not supported.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the words that will go out of date."""
        if not _NOW_IN_LOWER_CASE.search(note.prose.lower()):
            return
        for passage in note.passages:
            for sentence in _SENTENCE.finditer(passage.plain):
                found = _NOW.search(sentence[0])
                if found and not re.search(r"\d", passage.raw[sentence.start() : sentence.end()]):
                    words = " ".join(found[0].split())
                    place = passage.locate(sentence.start() + found.start())
                    message = f"`{words}` will go out of date"
                    yield self.report(place, message, "name the version or the year", len(words))
