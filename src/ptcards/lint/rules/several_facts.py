import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule
from ptcards.markdown.blocks import BlockKind

_ADDS = re.compile(
    r"(?:^|(?<=[.!?]\s))(?:also|additionally|moreover|furthermore|in addition|besides|on top of that)\b",
    re.IGNORECASE | re.MULTILINE,
)


class SeveralFacts(Rule, severity="hint", limits={"several-facts": 3}, english=True):
    """The answer strings several facts together.

    Why: each fact deserves a schedule of its own; together they are repeated as often as the hardest of them.
    The minimum information principle, rule 4 of Wozniak's Twenty rules
    (https://www.supermemo.com/en/blog/twenty-rules-of-formulating-knowledge). A hint from `several-facts` (3)
    sentences on that begin with also, additionally, moreover and the like, and from as many `###` headings on
    inside the answer.

    For instance:

        It saves memory. Also, it is faster. Additionally, it … Moreover, …

    Fix: keep the fact that was asked for, and make notes of the others.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the word or heading that is one too many."""
        answer = note.part("answer")
        places = [
            passage.locate(found.start())
            for passage in (answer.passages if _ADDS.search(note.prose) else ())
            for found in _ADDS.finditer(passage.plain)
        ]
        headings = [
            answer.text.location(block.start, block.column)
            for block in answer.blocks
            if block.kind is BlockKind.HEADING and block.level <= 3
        ]
        for found in (places, headings):
            if len(found) >= self.limits["several-facts"]:
                place = found[self.limits["several-facts"] - 1]
                fix = "keep the fact that was asked for, and make notes of the others"
                yield self.report(place, "several facts in one answer", fix)
                return
