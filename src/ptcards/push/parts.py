"""Shows changed fields of notes word by word, as `ptcards diff` does."""

from collections.abc import Iterator

from ptcards.diagnostics.layout import Look, visible
from ptcards.diff.report import part_lines
from ptcards.diff.update import ChangedPart
from ptcards.diff.words import word_diff
from ptcards.importing.html import parse_html
from ptcards.importing.html import visible as visible_text
from ptcards.push.compare import Change
from ptcards.push.plan import PushPlan


def field_lines(name: str, before: str, after: str, look: Look) -> list[str]:
    """Return how the text of a field changes; both texts are HTML, and either may come from Anki."""
    old, new = (_text(html) for html in (before, after))
    said = word_diff(old, new) if old != new else "the same text, formatted differently"
    return part_lines(ChangedPart(name, said), look)


def plan_lines(plan: PushPlan, look: Look) -> Iterator[str]:
    """Yield what changes in notes that are in Anki, and what would change if conflicts were resolved."""
    for change in plan.changes:
        ours, theirs = change.ours, change.theirs
        places = sorted((*change.written, *change.conflicts, *change.reversals))
        if places:
            yield from ("", ours.key)
        for place in places:
            name = ours.names[place] + _mark(change, place)
            for line in field_lines(name, theirs.fields[place], ours.fields[place], look):
                yield f"  {line}"


def _mark(change: Change, place: int) -> str:
    if place in change.conflicts:
        return " (conflict)"
    return " (earlier text)" if place in change.reversals else ""


def _text(html: str) -> str:
    """Return the visible text of a field; text from Anki may contain control characters."""
    lines = visible_text(parse_html(html)).split("\n")
    return "\n".join(line if line.isprintable() else visible(line) for line in lines)
