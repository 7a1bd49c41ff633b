"""Collects notes for the readers of Obsidian's dialects, and rewrites their lines in GitHub's Markdown."""

from collections.abc import Sequence

from ptcards.notes import LeftOut, Text
from ptcards.source.attributes import Attributes
from ptcards.source.config import ID
from ptcards.source.parts import DeckPart, Found, Page, Parts
from ptcards.source.readers.comments import MARK, outside_comments
from ptcards.source.readers.lines import Cut, text_of
from ptcards.source.readers.wiki import Rewritten, embed_dropped, rewrite


class Cards:
    """The notes found in a source so far; `seen` are its lines without code."""

    def __init__(self, page: Page, seen: list[str | None]) -> None:
        self.page = page
        self.seen = seen
        self.notes: list[Parts] = []
        self.found = Found()
        self._has_comments = MARK in page.text.markdown
        self._decks: dict[tuple[str, ...], DeckPart] = {}

    def complete(self) -> Found:
        """Return everything that was found."""
        self.found.notes = self.notes
        self.found.decks = list(self._decks.values())
        return self.found

    def deck(self, levels: tuple[str, ...], at: int, *, replaces: bool = False) -> DeckPart:
        """Return the deck with these levels; `at` is the line that first names it."""
        if levels not in self._decks:
            self._decks[levels] = DeckPart(levels, self.page.text.location(at), replaces=replaces)
        return self._decks[levels]

    def leave_out(self, at: int, cause: str, heading: str = "") -> None:
        """Report that the card on a line cannot be a note."""
        self.found.left_out.append(LeftOut(self.page.text.location(at), heading, cause))

    def text(self, cuts: Sequence[Cut]) -> Text:
        """Return pieces of lines as a text in GitHub's Markdown."""
        return text_of(self.page, [self.rewritten(cut) for cut in self.shown(cuts)])

    def shown(self, cuts: Sequence[Cut]) -> list[Cut]:
        """Return pieces of lines without the comments that fill or span lines."""
        if not self._has_comments:
            return list(cuts)
        lines = [cut.text for cut in cuts]
        parts = outside_comments(lines, [self.seen_of(cut) for cut in cuts], to_end=True)
        return [
            cut._replace(text=cut.text[start:end], column=cut.column + start)
            for cut, (start, end) in zip(cuts, parts, strict=True)
            if end > start or not cut.text
        ]

    def rewritten(self, cut: Cut) -> Cut:
        """Return a piece of a line in GitHub's Markdown, and report what it loses."""
        made = self._rewrite(cut)
        self.report_lost(made, cut.at)
        return cut if made.text == cut.text else Cut(made.text, cut.at, 0)

    def report_lost(self, made: Rewritten, at: int) -> None:
        """Report the embedded notes that were removed from a line."""
        for lost in made.lost:
            self.found.diagnostics.append(embed_dropped(self.page.text.location(at), lost))

    def seen_of(self, cut: Cut) -> str | None:
        """Return a piece of a line without its code, or `None` if all of it is code."""
        seen = self.seen[cut.at]
        return None if seen is None else seen[cut.column - 1 : cut.column - 1 + len(cut.text)]

    def block_id(self, cuts: Sequence[Cut]) -> str:
        """Return the block id at the end of the last piece, or an empty string."""
        last = next((cut for cut in reversed(cuts) if cut.text.strip()), None)
        return self._rewrite(last).block_id if last else ""

    def _rewrite(self, cut: Cut) -> Rewritten:
        return rewrite(cut.text, self.seen_of(cut) if cut.column else cut.text)


def named(prefix: str, name: str) -> Attributes:
    """Return the settings of a card; its id is the name with the prefix, unless that is not a valid id."""
    written = f"{prefix}-{name}" if name else ""
    return Attributes(id=written if ID.fullmatch(written) else "")
