import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule
from ptcards.notes import Kind


class ClozeCount(Rule, severity="hint", limits={"cloze-count": 5}):
    """A cloze makes many cards.

    Why: cards made from the same text give each other away, and every one of them has to be reviewed. More
    than `cloze-count` (5) numbers in one note is a hint. "Cloze deletion is easy and effective" (rule 5 of
    Wozniak's Twenty rules, https://www.supermemo.com/en/blog/twenty-rules-of-formulating-knowledge), but only
    for one thing at a time.

    For instance:

        {{c1::a}} {{c2::b}} {{c3::c}} {{c4::d}} {{c5::e}} {{c6::f}}

    Fix: split the text, or give the same number to deletions that belong together.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the heading."""
        if note.note.kind is not Kind.CLOZE:
            return
        count = len(set(re.findall(r"\{\{c(\d+)::", note.note.answer.markdown)))
        if count > self.limits["cloze-count"]:
            message = f"{count} cards from one text, more than {self.limits['cloze-count']}"
            fix = "split the text, or give the same number to deletions that belong together"
            yield self.report_passage(note.heading, message, fix)
