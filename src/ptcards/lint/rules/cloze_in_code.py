from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule
from ptcards.markdown.deletions import OPENING
from ptcards.notes import Kind


class ClozeInCode(Rule, severity="warning"):
    """Deletions in code are shown literally.

    Why: `{{c1::…}}` in code is taken literally so that you can write notes about templates; only `kind=cloze`
    turns it into a deletion.

    For instance:

        ## Complete the training step.

        ```python
        loss.{{c1::backward}}()
        ```

    Fix: set the kind. If the braces are intended, ignore this rule in the card comment.

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
                    fix = "set `kind=cloze` in the card comment, or `ignore=cloze-in-code` if intended"
                    message = "a deletion in code is shown literally"
                    yield self.report(code.locate(row, found.start() + 1), message, fix, len(found[0]))
                    return
