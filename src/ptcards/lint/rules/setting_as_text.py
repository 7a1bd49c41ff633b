import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location
from ptcards.lint.note import Reading
from ptcards.lint.registry import Draft, Edit, Rule
from ptcards.markdown.tree import BlockKind
from ptcards.notes import DIFFICULTIES, Kind

_SETTING = re.compile(r"(?P<key>kind|difficulty|tags?)\s*[:=]\s*(?P<value>\S.*)", re.IGNORECASE)
_TAGS = re.compile(r"#?[\w:/-]+(?:[,\s]+#?[\w:/-]+)*")


def _tags(value: str) -> str:
    if not _TAGS.fullmatch(value):
        return ""
    return ",".join(tag.strip("#").replace("/", "::") for tag in re.split(r"[,\s]+", value))


_VALUES: Mapping[str, Callable[[str], str]] = {
    "kind": lambda value: value.lower() if value.lower() in [*Kind] else "",
    "difficulty": lambda value: value.lower() if value.lower() in DIFFICULTIES else "",
    "tags": _tags,
}


class _Setting(NamedTuple):
    """A line that sets something in other programs, and the card comment that does so here."""

    place: Location
    written: str
    comment: str


class SettingAsText(Rule, severity="warning"):
    """The paragraph below a question is a setting, written as text.

    Why: a note's settings belong in its card comment. Written as text, they appear on the card and have no
    effect.

    For instance:

        ## Where does HTTPS listen?

        Tags: net tcp

        On port 443.

    Fix: write the card comment. `--fix` does so.

        ## Where does HTTPS listen?
        <!-- card: tags=net,tcp -->

        On port 443.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the line."""
        if found := _setting(note):
            message = f"`{found.written}` is text here"
            yield self.report(found.place, message, f"write `{found.comment}`", len(found.written))

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Write the card comment in its place."""
        for note in draft.notes:
            if found := _setting(note):
                yield Edit(found.place.line, found.place.column, found.written, found.comment)


def _setting(note: Reading) -> _Setting | None:
    """Return the setting that is all of the first paragraph below a question."""
    first = next((part for part in note.parts if part.name in ("question", "answer")), None)
    block = next(iter(first.blocks), None) if first else None
    if first is None or block is None or block.kind is not BlockKind.PARAGRAPH or len(block.lines) != 1:
        return None
    written = block.lines[0].text.strip()
    found = _SETTING.fullmatch(written)
    if found is None:
        return None
    key = "tags" if found["key"].lower() == "tag" else found["key"].lower()
    value = _VALUES[key](found["value"])
    if not value:
        return None
    place = first.text.location(block.start, block.column)
    return _Setting(place, written, f"<!-- card: {key}={value} -->")
