from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule
from ptcards.notes import Kind


class BareAnswer(Rule, severity="hint", limits={"bare-answer": 3}, english=True):
    """The answer is a word or two, and nothing explains it.

    Why: "Do not learn if you do not understand"; shared decks "might not make any effort to add background
    information", and others then find them very difficult (Anki manual, Getting started). An answer of at
    most `bare-answer` (3) words, with no reason, code or `### Details`, is a hint.

    For instance:

        ## Which dtype does `torch.tensor([1, 2])` have?

        `torch.int64`

    Fix: add one sentence that says why, or a `### Details` section.

        `torch.int64`: Python integers become 64-bit integers.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the answer."""
        answer = note.part("answer")
        if note.note.kind not in (Kind.BASIC, Kind.REVERSED) or note.part("details").blocks:
            return
        if len(answer.blocks) == 1 and not answer.codes and 0 < answer.words <= self.limits["bare-answer"]:
            fix = "add a sentence that says why, or `### Details`"
            yield self.report(answer.place, "an answer without a reason", fix)
