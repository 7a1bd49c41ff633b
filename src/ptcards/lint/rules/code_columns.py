from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule
from ptcards.source.code import without_deletions


class CodeColumns(Rule, severity="warning", limits={"code-columns": 60}):
    """A line of code is wider than a phone can show.

    Why: a phone shows 35 to 39 columns of code and a desktop card 78. Wider lines wrap, and wrapped code is
    hard to read at a glance. A line wider than `code-columns` (60) is a warning; each block gets only one, at
    its widest line.

    For instance:

        loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=4, pin_memory=True)

    Fix: break the line, or leave out what the question is not about.

        loader = DataLoader(dataset, batch_size=64, shuffle=True)
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the part of each block's widest line that is beyond the limit."""
        limit = self.limits["code-columns"]
        for code in note.codes:
            lines = [row.expandtabs(4) for row in code.rows]
            widths = [len(without_deletions(line)) if len(line) > limit else 0 for line in lines]
            if (width := max(widths, default=0)) <= limit:
                continue
            row = widths.index(width)
            count = sum(each > limit for each in widths)
            others = f", and {count - 1} more like it" if count > 1 else ""
            length = len(code.rows[row])
            message = f"a line of {width} columns, more than {limit}{others}"
            fix = "break the line, or leave out what is not asked; it wraps on a phone"
            place = code.locate(row, min(limit, length - 1) + 1)
            yield self.report(place, message, fix, max(length - limit, 1))
