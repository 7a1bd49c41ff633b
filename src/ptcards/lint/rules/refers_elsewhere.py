import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule

_ELSEWHERE = re.compile(
    r"\b(?:previous|preceding|next|following|earlier) (?:questions?|cards?|notes?|answers?|chapters?)\b"
    r"|\b(?:see|in) (?:question|card|note) (?:#|no\. ?)?\d+"
    r"|\bas (?:we |i |already |just |was |is |has |have |been )*(?:mentioned|discussed|described|explained"
    r"|shown|noted|said|seen) "
    r"(?:earlier|before|previously)\b",
    re.IGNORECASE,
)


class RefersElsewhere(Rule, severity="warning", english=True):
    """The text refers to another note.

    Why: cards come one at a time, in an order that Anki chooses, so there is no previous question.

    For instance:

        As in the previous question, the gradient is `None`.

    Fix: repeat it, or name what you mean.

        A non-leaf tensor does not keep its gradient: `grad` is `None`.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the words that refer to something not on the card."""
        if not _ELSEWHERE.search(note.prose):
            return
        for passage in note.passages:
            for found in _ELSEWHERE.finditer(passage.plain):
                fix = "repeat it here, or name what you mean; cards come in any order"
                message = f"`{' '.join(found[0].split())}` is not on this card"
                yield self.report(passage.locate(found.start()), message, fix, len(found[0]))
