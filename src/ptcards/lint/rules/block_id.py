import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.passage import Passage
from ptcards.lint.registry import Draft, Edit, Rule

_ID = re.compile(r"(?:(?<=\s)|\A)\^(?=[\w-]*[A-Za-z])[A-Za-z0-9-]{3,}\Z")


class BlockId(Rule, severity="warning"):
    """A paragraph ends with a block id of Obsidian's.

    Why: GitHub does not support block ids, so the card would show it as text.

    For instance:

        A path has a cost. ^37066d

    Fix: delete it. `--fix` does so.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the id of each paragraph that has one."""
        for passage, found in _ids(note):
            message = f"`{found[0]}` is shown literally"
            yield self.report(passage.locate(found.start()), message, "delete it", len(found[0]))

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Delete each id with the space above it."""
        for note in draft.notes:
            for passage, found in _ids(note):
                place = passage.locate(found.start())
                line = draft.lines[place.line - 1]
                if line.strip() == found[0]:
                    yield Edit(place.line, 1, line, None)
                else:
                    start = len(line[: place.column - 1].rstrip())
                    yield Edit(place.line, start + 1, line[start:], "")


def _ids(note: Reading) -> Iterator[tuple[Passage, re.Match[str]]]:
    if "^" in note.prose:
        for passage in note.passages:
            if found := _ID.search(passage.plain):
                yield passage, found
