from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule
from ptcards.markdown.deletions import OPENING
from ptcards.notes import Kind


class ClozeInCode(Rule, severity="warning"):
    """Deletions in code are shown as they are written.

    Why: `{{c1::…}}` in code is literal, so that notes about templates can be written; only `kind=cloze` makes
    deletions of it.

    For instance:

        ## Complete the training step.

        ```python
        loss.{{c1::backward}}()
        ```

    Fix: set the kind. Where the braces are meant, ignore this rule in the card comment.

        ## Complete the training step.
        <!-- card: kind=cloze -->
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the first one."""
        if note.note.kind is Kind.CLOZE:
            return
        for code in note.part("answer").codes:
            for row, line in enumerate(code.block.lines):
                if found := OPENING.search(line.text):
                    fix = "set `kind=cloze` in the card comment, or `ignore=cloze-in-code` if it is meant so"
                    message = "a deletion in code is shown as it is written"
                    yield self.report(code.locate(row, found.start() + 1), message, fix, len(found[0]))
                    return
