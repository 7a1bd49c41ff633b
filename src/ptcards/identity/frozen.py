"""Checks note types that learners already have.

Anki only updates their notes while id, fields and templates stay the same.
"""

from collections.abc import Callable, Container, Iterator, Sequence

from ptcards.diagnostics import Diagnostic, Location, error, warning
from ptcards.identity.lock import Lock
from ptcards.notes.notetypes import NoteType


def check_frozen(
    lock: Lock,
    note_types: Sequence[NoteType],
    place: Callable[[str], Location],
    *,
    adopted: Container[str],
) -> Iterator[Diagnostic]:
    """Yield an error for each note type that Anki would consider different from the one in the lock.

    `place` returns the location of a note type. The `adopted` ones came with a deck, so learners may have
    them in other decks too: then a change in appearance is a warning.
    """
    known = {each.name: each for each in lock.types}
    for each in note_types:
        record = known.get(each.key)
        if record is None or not record.anki_id:
            continue
        if record.anki_id != each.id:
            message = f"the note type `{each.name}` has a different id in `deck.lock`, {record.anki_id}"
            fix = f'write `"id": {record.anki_id}`'
        elif each.shape and record.hash[len(each.digest) - len(each.shape) :] not in ("", each.shape):
            message = f"the fields, templates or kind of `{each.name}` differ from what learners have"
            fix = f"restore them; if nobody has the deck, delete the line `type {each.key}` in `deck.lock`"
        elif each.key in adopted and record.hash != each.digest:
            message = f"the new styling of `{each.name}` affects all decks that use it"
            fix = "if learners have other decks with this note type, keep its styling"
            yield warning(place(each.key), "shared-look", message, fix)
            continue
        else:
            continue
        yield error(place(each.key), "frozen-note-type", message, fix)
