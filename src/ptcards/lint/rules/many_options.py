from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule


class ManyOptions(Rule, severity="warning", limits={"many-options": 5}):
    """A choice has many options.

    Why: three options are enough. Learners read longer lists without thinking, and the last options are
    mostly padding (Haladyna, Downing and Rodriguez 2002, A review of multiple-choice item-writing guidelines,
    https://doi.org/10.1207/S15324818AME1503_5). More than `many-options` (5) options are a warning.

    For instance:

        - [ ] `sum`
        - [x] `mean`
        - [ ] … five more

    Fix: keep the plausible options.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the first option beyond the limit."""
        choices, limit = note.note.choices, self.limits["many-options"]
        if len(choices) > limit:
            message = f"{len(choices)} options, more than {limit}"
            yield self.report(choices[limit].text.location(), message, "keep the plausible ones")
