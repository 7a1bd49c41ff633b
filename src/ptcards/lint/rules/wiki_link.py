import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.passage import Passage
from ptcards.lint.registry import Draft, Edit, Rule
from ptcards.source.readers.wiki import link_text

_LINK = re.compile(r"(?<!!)\[\[[^\[\]\n]+\]\]")


class WikiLink(Rule, severity="warning"):
    """A link is written in the syntax of Obsidian and wikis.

    Why: double brackets have no meaning in Markdown, so the card shows them.

    For instance:

        It runs over [[UDP|udp]].

    Fix: write only the text, because there is no page that a card could link to. `--fix` does so.

        It runs over udp.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each link."""
        for passage, written, at in _links(note):
            message = f"`{written}` is shown literally"
            fix = f"write `{link_text(written[2:-2])}`"
            yield self.report(passage.locate(at), message, fix, len(written))

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Write the text of each link."""
        for note in draft.notes:
            for passage, written, at in _links(note):
                place = passage.locate(at)
                yield Edit(place.line, place.column, written, link_text(written[2:-2]))


def _links(note: Reading) -> Iterator[tuple[Passage, str, int]]:
    """Yield each link as it is written and where it begins in its passage."""
    if "[[" in note.prose:
        for passage in note.passages:
            for found in _LINK.finditer(passage.plain):
                yield passage, passage.raw[found.start() : found.end()], found.start()
