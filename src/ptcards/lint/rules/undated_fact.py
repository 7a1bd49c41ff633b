import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule

_NOW = re.compile(
    r"\b(?:nowadays|these days|as of now|at the moment|at present|recently|the (?:latest|newest"
    r"|most recent) (?:version|release)s?|"
    r"in (?:recent|newer|the latest|the newest) (?:version|release)s?|"
    r"currently (?=only|supports?|does|do|there|no\b|not\b|limited|experimental|in beta|a prototype"
    r"|recommended|supported|"
    r"unsupported|available|under|the (?:default|only|best|latest|most)))\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.!?]*(?:[.!?](?!\s)[^.!?]*)*", re.DOTALL)


class UndatedFact(Rule, severity="hint", english=True):
    """The text refers to the present without naming a date or a version.

    Why: learners review a card for years. "Date stamping", rule 19 of Wozniak's Twenty rules
    (https://www.supermemo.com/en/blog/twenty-rules-of-formulating-knowledge). A sentence that contains a
    number is left alone, because it probably names the version or the year.

    For instance:

        Currently, complex numbers are not supported.

    Fix: name the version or the year.

        In PyTorch 2.13, complex numbers are not supported.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the words that will go out of date."""
        if not _NOW.search(note.prose):
            return
        for passage in note.passages:
            for sentence in _SENTENCE.finditer(passage.plain):
                found = _NOW.search(sentence[0])
                if found and not re.search(r"\d", passage.raw[sentence.start() : sentence.end()]):
                    words = " ".join(found[0].split())
                    place = passage.locate(sentence.start() + found.start())
                    message = f"`{words}`: when is that?"
                    yield self.report(place, message, "name the version or the year", len(words))
