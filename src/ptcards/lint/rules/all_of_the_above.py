import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule

_OTHERS = re.compile(
    r"(?:all|none|both|neither|any|either|some) (?:of )?(?:the |these |those )?(?:above|others?|options"
    r"|answers|them|these|those)\b"
    r"|(?:both )?(?:options? )?[a-e] (?:and|or) (?:option )?[b-e]\W*$",
    re.IGNORECASE,
)


class AllOfTheAbove(Rule, severity="warning", english=True):
    """An option refers to the other options.

    Why: a learner who knows that two options are right can pick "all of the above" without thinking about the
    rest. Advice from Haladyna, Downing and Rodriguez 2002 (https://doi.org/10.1207/S15324818AME1503_5).

    For instance:

        - [ ] It saves memory
        - [ ] It saves time
        - [x] All of the above

    Fix: mark every right option with `[x]`; the card then says "select all that apply".
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the option."""
        for choice in note.note.choices:
            if found := _OTHERS.match(choice.text.markdown):
                fix = "mark every right option with `[x]` instead; the card then says so"
                message = f"`{found[0]}` refers to other options"
                yield self.report(choice.text.location(), message, fix, len(found[0]))
