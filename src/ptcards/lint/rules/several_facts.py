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

    Why: each fact deserves its own schedule; together they are repeated as often as the hardest one. See the
    minimum information principle, rule 4 of Wozniak's Twenty rules
    (https://www.supermemo.com/en/blog/twenty-rules-of-formulating-knowledge). An answer with `several-facts`
    (3) or more sentences that begin with "also", "additionally", "moreover" and the like is a hint, and so is
    one with as many `###` headings.

    For instance:

        It saves memory. Also, it is faster. Additionally, it … Moreover, …

    Fix: keep the fact that the question asks for, and write separate notes for the others.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the word or heading that reaches the limit."""
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
                fix = "keep the fact that was asked for; write notes for the others"
                yield self.report(place, "several facts in one answer", fix)
                return
