"""The cards of a note as the page shows them."""

from collections.abc import Sequence

from ptcards.anki.mathml import with_math
from ptcards.anki.render import render_note
from ptcards.anki.sides import card_sides
from ptcards.diagnostics import Diagnostic
from ptcards.notes import Identified
from ptcards.notes.notetypes import NoteType

Sides = list[dict[str, object]]


def sides_of(note: Identified, types: Sequence[NoteType]) -> tuple[Sides, list[Diagnostic]]:
    """Return each card of a note with both sides, formulas as MathML, and problems with the rendering.

    Empty if its note type is missing, which is an error in its source.
    """
    note_type = next((each for each in types if each.key == note.note.note_type), None)
    if note_type is None:
        return [], []
    rendered, found = render_note(note, types)
    sides: Sides = [
        {
            "name": each.template,
            **({"deletion": each.ordinal + 1} if note_type.is_cloze else {}),
            "body": each.body_class,
            "front": with_math(each.front),
            "back": with_math(each.back),
            **({"css": note_type.css} if note_type.is_own else {}),
        }
        for each in card_sides(rendered, note_type)
    ]
    return sides, found
