from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule

_NOTICED = 20
"""A difference from the mean of fewer characters is too small to notice."""


class LongestOption(Rule, severity="hint", limits={"longest-option": 150}):
    """The right option is much longer than the wrong ones.

    Why: authors tend to make the right option exact and the wrong ones short, and learners notice. "Keep the
    length of choices about equal" is one of the rules of Haladyna, Downing and Rodriguez 2002
    (https://doi.org/10.1207/S15324818AME1503_5). A right option longer than `longest-option` (150) % of the
    others' mean length is a hint.

    For instance:

        - [ ] It is faster
        - [x] It stops autograd from recording the operations, so intermediate results need no memory
        - [ ] It is exact

    Fix: move the explanation below the list, or give the wrong options as much detail.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the right option of a single choice."""
        lengths = [len(choice.text.markdown.partition("\n")[0]) for choice in note.note.choices]
        right = [number for number, choice in enumerate(note.note.choices) if choice.correct]
        if len(right) != 1 or len(lengths) < 3:
            return
        longest = lengths.pop(right[0])
        mean = sum(lengths) / len(lengths)
        if longest > max(mean * self.limits["longest-option"] / 100, mean + _NOTICED):
            place = note.note.choices[right[0]].text.location()
            message = f"the right option has {longest} characters, the others {mean:.0f} on average"
            fix = "move the explanation below the options, or give the others as much detail"
            yield self.report(place, message, fix, longest)
