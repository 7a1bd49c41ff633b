from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule
from ptcards.markdown.blocks import BlockKind

_FIX = "ask for parts of it, group the items, or move some below `### Details`"


class ListItems(Rule, severity="warning or hint", limits={"list-items": 7, "list-items-hint": 5}):
    """The answer is a long list.

    Why: lists are the hardest thing to recall, and one forgotten item fails the card. "Avoid sets" and
    "avoid enumerations", rules 9 and 10 of Wozniak's Twenty rules
    (https://www.supermemo.com/en/blog/twenty-rules-of-formulating-knowledge). More than `list-items` (7)
    items is a warning, more than `list-items-hint` (5) a hint; lists below `### Details` do not count.

    For instance:

        ## Which steps does a training loop have?

        1. get a batch
        2. … nine more

    Fix: ask for parts of the list, turn it into a cloze, or group the items under three or four headings.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the first item of each list that is too long."""
        answer = note.part("answer")
        for block in answer.blocks:
            items = len(block.children)
            if block.kind is BlockKind.LIST and (exceeded := self.exceeded(items)):
                limit, severity = exceeded
                place = answer.text.location(block.start, block.column)
                message = f"a list of {items} items, more than {limit}"
                yield self.report(place, message, _FIX, severity=severity)
