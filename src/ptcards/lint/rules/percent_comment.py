import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.passage import Passage
from ptcards.lint.registry import Draft, Edit, Rule

_COMMENT = re.compile(r"%%(?P<inside>[^%\n]+)%%")


class PercentComment(Rule, severity="warning"):
    """A comment is written between `%%`, as in Obsidian.

    Why: GitHub does not support such comments, so learners would see it.

    For instance:

        It is fast. %%check this%%

    Fix: write it as HTML. `--fix` does so.

        It is fast. <!-- check this -->
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each comment."""
        for passage, found in _comments(note):
            written = passage.raw[found.start() : found.end()]
            fix = f"write `{_html(written)}`, or remove it"
            yield self.report(
                passage.locate(found.start()), f"`{written}` is shown literally", fix, len(written)
            )

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Write each comment as HTML, if HTML allows its text."""
        for note in draft.notes:
            for passage, found in _comments(note):
                written = passage.raw[found.start() : found.end()]
                place = passage.locate(found.start())
                if "--" not in written and ">" not in written:
                    yield Edit(place.line, place.column, written, _html(written))


def _html(written: str) -> str:
    return f"<!-- {written[2:-2].strip()} -->"


def _comments(note: Reading) -> Iterator[tuple[Passage, re.Match[str]]]:
    if "%%" in note.prose:
        for passage in note.passages:
            for found in _COMMENT.finditer(passage.plain):
                yield passage, found
