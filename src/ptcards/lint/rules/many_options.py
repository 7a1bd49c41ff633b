"""A choice has many options.

Why: three options are enough; more are read, not thought about, and the last ones are mostly padding (Haladyna, Downing and
Rodriguez 2002, A review of multiple-choice item-writing guidelines, https://doi.org/10.1207/S15324818AME1503_5). More than
`many-options` (5) is a warning.

For instance:

    - [ ] `sum`
    - [x] `mean`
    - [ ] … five more

Fix: keep the options that a learner could believe.
"""

from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic, warning
from ptcards.lint.note import Limits, Reading

LIMITS = {"many-options": 5}


def check(note: Reading, limits: Limits) -> Iterator[Diagnostic]:
    """Point at the first option too many."""
    choices, limit = note.note.choices, limits["many-options"]
    if len(choices) > limit:
        message = f"{len(choices)} options, more than {limit}"
        yield warning(
            choices[limit].text.location(), "many-options", message, "keep those that a learner could believe"
        )
