"""Two options of a choice are the same.

Why: one of them is marked right or wrong, and the learner cannot know which.

For instance:

    - [ ] `torch.int64`
    - [x] `torch.int64`

Fix: change one, or delete it.
"""

from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic, error
from ptcards.lint.note import Limits, Reading


def check(note: Reading, _limits: Limits) -> Iterator[Diagnostic]:
    """Point at each later copy."""
    seen: dict[str, int] = {}
    for number, choice in enumerate(note.note.choices, 1):
        text = " ".join(choice.text.markdown.split())
        if text and (first := seen.setdefault(text, number)) != number:
            message = f"this option is the same as option {first}"
            length = len(choice.text.markdown.partition("\n")[0])
            yield error(
                choice.text.location(), "duplicate-option", message, "change one, or delete it", length
            )
