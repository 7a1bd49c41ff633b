"""Which cards Anki makes of a note: its own rule, told from the fields alone.

Read from Anki's behaviour and compared with it in the tests. genanki's rule differs (`<br>` is something to it and nothing
to Anki, nested deletions lose a card), and the importer never adds a card that a package lacks.
"""

import re
from collections.abc import Sequence

from ptcards.anki.cloze_filter import ANKIS_MARK, ankis_numbers
from ptcards.anki.notetypes import FIELDS
from ptcards.markdown.deletions import numbers
from ptcards.notes import Kind, Note

_QUESTION, _ANSWER, _REVERSED = (FIELDS.index(name) for name in ("Question", "Answer", "Reversed"))
_BLANK = re.compile(r"(?:[ \t\n\v\f\r]|</?(?:br|div) ?/?>)*", re.IGNORECASE)
_LAST_ORDINAL = 499


def is_blank(field: str) -> bool:
    """Say whether Anki takes a field's HTML for empty: white space, `<br>` and `<div>` are nothing."""
    return _BLANK.fullmatch(field) is not None


def card_ordinals(note_type: str, fields: Sequence[str]) -> tuple[int, ...]:
    """Say which cards Anki makes of a note of the type `qa` or `cloze`: their ordinals, ascending.

    `qa`: 0 for Question, 1 for Reversed. `cloze`: the numbers of the deletions less one, whichever field they are in
    (measured; the template shows but one field, so a deletion elsewhere would make a card that asks nothing).
    """
    if note_type == "cloze":
        return tuple(sorted({min(number - 1, _LAST_ORDINAL) for number in _deletions(fields)}))
    shown = (
        not is_blank(fields[_QUESTION]),
        not is_blank(fields[_REVERSED]) and not is_blank(fields[_ANSWER]),
    )
    return tuple(ordinal for ordinal, is_shown in enumerate(shown) if is_shown)


def cards_of(note: Note) -> set[int]:
    """Return what tells the cards of a note apart, from its source: the numbers of its deletions, or its two sides."""
    if note.kind is Kind.CLOZE:
        return numbers(note.answer.markdown)
    return {0, 1} if note.kind is Kind.REVERSED else {0}


def _deletions(fields: Sequence[str]) -> set[int]:
    """Find the numbers of the deletions that are closed, and not inside one that is not."""
    found: set[int] = set()
    for field in fields:
        open_ones: list[set[int]] = [set()]
        for mark in ANKIS_MARK.finditer(field):
            if mark[1]:
                if known := {*ankis_numbers(mark[1])}:
                    open_ones.append(known)
            elif len(open_ones) > 1:
                closed = open_ones.pop()
                open_ones[-1] |= closed
        found |= open_ones[0]
    return found - {0}
