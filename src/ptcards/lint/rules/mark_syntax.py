import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.passage import Passage
from ptcards.lint.registry import Draft, Edit, Rule

_MARK = re.compile(r"(?<![\w=!<>])==(?=[^\s=])(?P<inside>[^=\n]+)(?<=\S)==(?![\w=])")


class MarkSyntax(Rule, severity="warning"):
    """Text is marked with `==`, which GitHub does not support.

    Why: the card would show the equals signs.

    For instance:

        It is ==fast==.

    Fix: write `<mark>`. `--fix` does so.

        It is <mark>fast</mark>.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each piece of marked text."""
        for passage, found in _marks(note):
            written = passage.raw[found.start() : found.end()]
            inside = passage.raw[found.start("inside") : found.end("inside")]
            fix = f"write `<mark>{inside}</mark>`"
            yield self.report(
                passage.locate(found.start()), f"`{written}` is shown literally", fix, len(written)
            )

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Write `<mark>` if the text is on one line."""
        for note in draft.notes:
            for passage, found in _marks(note):
                written = passage.raw[found.start() : found.end()]
                place = passage.locate(found.start())
                yield Edit(place.line, place.column, written, f"<mark>{written[2:-2]}</mark>")


def _marks(note: Reading) -> Iterator[tuple[Passage, re.Match[str]]]:
    if "==" in note.prose:
        for passage in note.passages:
            for found in _MARK.finditer(passage.plain):
                yield passage, found
