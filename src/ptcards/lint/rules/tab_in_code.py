from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Draft, Edit, Rule, replace_code
from ptcards.source.code import PYTHON, same_meaning, without_deletions

WANTED = frozenset({"make", "makefile", "go", "golang", "tsv", "diff", "output", "text", "txt", "console"})
"""Languages in which a tab has a meaning, and printed text."""


class TabInCode(Rule, severity="warning"):
    """A line of code is indented with a tab.

    Why: a card shows a tab eight columns wide, twice as wide as in most editors, and a learner who copies the
    code mixes tabs and spaces. Languages that use tabs (Makefile, Go) are left alone, and so is printed text.
    `--fix` replaces tabs with four spaces where that does not change what the Python code means.

    For instance:

        for batch in loader:
        ⇥loss = step(batch)

    Fix: indent with spaces.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the first tab of the first such line in each block."""
        for code in note.codes:
            if code.language in WANTED:
                continue
            for row, line in enumerate(code.block.lines):
                indent = line.text[: len(line.text) - len(line.text.lstrip())]
                if "\t" in indent:
                    place = code.locate(row, indent.index("\t") + 1)
                    yield self.report(place, "a tab in the indentation", "indent with four spaces")
                    break

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Replace tabs with four spaces where that does not change what the Python code means."""
        for code in draft.codes:
            if code.language in PYTHON and "\t" in code.source:
                rows = [_without_tabs(row) for row in code.rows]
                if same_meaning(without_deletions(code.source), without_deletions("\n".join(rows))):
                    yield from replace_code(code, rows)


def _without_tabs(line: str) -> str:
    rest = line.lstrip(" \t")
    return line[: len(line) - len(rest)].replace("\t", "    ") + rest
