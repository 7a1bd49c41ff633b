"""The real Anki: opens collections, imports packages and text, and reads the results."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from anki.collection import (
    Card,
    Collection,
    ImportAnkiPackageOptions,
    ImportAnkiPackageRequest,
    ImportCsvRequest,
    Note,
)
from anki.import_export_pb2 import ImportAnkiPackageUpdateCondition
from anki.scheduler_pb2 import CardAnswer

if TYPE_CHECKING:
    from anki.cards import CardId  # it can only be imported after `anki.collection`

OUTCOMES = (
    "new",
    "updated",
    "duplicate",
    "conflicting",
    "first_field_match",
    "missing_notetype",
    "missing_deck",
)


@contextmanager
def learner(folder: Path) -> Iterator[Collection]:
    """Open the collection of a learner whose profile is `folder`, which is created if missing."""
    folder.mkdir(exist_ok=True)
    collection = Collection(str(folder / "collection.anki2"))
    try:
        yield collection
    finally:
        collection.close()


def import_package(
    collection: Collection, package: Path, *, merge_note_types: bool = False, is_always: bool = False
) -> dict[str, int]:
    """Import with the default options of the desktop's dialog, or overwrite notes always.

    Return how many notes were new, updated and so on.
    """
    if_newer = ImportAnkiPackageUpdateCondition.IMPORT_ANKI_PACKAGE_UPDATE_CONDITION_IF_NEWER
    always = ImportAnkiPackageUpdateCondition.IMPORT_ANKI_PACKAGE_UPDATE_CONDITION_ALWAYS
    options = ImportAnkiPackageOptions(
        update_notes=always if is_always else if_newer,
        update_notetypes=if_newer,
        merge_notetypes=merge_note_types,
    )
    request = ImportAnkiPackageRequest(package_path=str(package), options=options)
    log = collection.import_anki_package(request).log
    # Python caches the note types, and the backend does not report changes.
    collection.models._clear_cache()
    return {outcome: len(getattr(log, outcome)) for outcome in OUTCOMES if getattr(log, outcome)}


def import_text(collection: Collection, file: Path) -> dict[str, int]:
    """Import a CSV file with the default options of the desktop's dialog.

    Return how many rows were new, updated and so on.
    """
    metadata = collection.get_csv_metadata(str(file), None)
    log = collection.import_csv(ImportCsvRequest(path=str(file), metadata=metadata)).log
    return {outcome: len(getattr(log, outcome)) for outcome in OUTCOMES if getattr(log, outcome)}


def answer(
    collection: Collection, card_id: "CardId", rating: CardAnswer.Rating.ValueType, *, seconds: float = 0
) -> None:
    """Study a card as in the reviewer, and answer after some seconds."""
    assert collection.db is not None
    card = collection.get_card(card_id)
    card.timer_started = time.time() - seconds
    states = collection._backend.get_scheduling_states(card_id)
    given = collection.sched.build_answer(card=card, states=states, rating=rating)
    # Anki moves a second review of one millisecond, perhaps into the next second. Check Database then repairs
    # the card, which still has the time of the answer.
    while collection.db.scalar("SELECT 1 FROM revlog WHERE id = ?", given.answered_at_millis):
        given.answered_at_millis += 1
    collection.sched.answer_card(given)


def notes_by_guid(collection: Collection) -> dict[str, Note]:
    return {note.guid: note for note in map(collection.get_note, collection.find_notes(""))}


def cards_of(collection: Collection, guid: str) -> list[Card]:
    """Return the cards of a note in the order of their templates or deletion numbers."""
    return sorted(notes_by_guid(collection)[guid].cards(), key=lambda card: card.ord)


def sides(card: Card) -> tuple[str, str]:
    """Return the front and back of a card as the reviewer gets it, without the CSS."""
    output = card.render_output(reload=True)
    return output.question_text, output.answer_text


def deck_counts(collection: Collection) -> dict[str, int]:
    """Return the number of cards in each deck by its full name, without subdecks."""
    decks = collection.decks.all_names_and_ids(skip_empty_default=True)
    return {deck.name: collection.decks.card_count(deck.id, include_subdecks=False) for deck in decks}


def assert_healthy(collection: Collection) -> None:
    """Fail if Check Database finds something to repair, or Empty Cards finds something to delete."""
    report, is_ok = collection.fix_integrity()
    assert is_ok, report
    assert list(collection._backend.get_empty_cards().notes) == []
