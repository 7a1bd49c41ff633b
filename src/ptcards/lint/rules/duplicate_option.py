from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule


class DuplicateOption(Rule, severity="error"):
    """Two options of a choice are the same.

    Why: the learner cannot tell which of the two to pick.

    For instance:

        - [ ] `torch.int64`
        - [x] `torch.int64`

    Fix: change one, or remove it.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each later copy."""
        seen: dict[str, int] = {}
        for number, choice in enumerate(note.note.choices, 1):
            text = " ".join(choice.text.markdown.split())
            if text and (first := seen.setdefault(text, number)) != number:
                message = f"this option is the same as option {first}"
                length = len(choice.text.markdown.partition("\n")[0])
                yield self.report(choice.text.location(), message, "change one, or remove it", length)
