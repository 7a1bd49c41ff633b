"""Learners who study with Anki's own scheduler, and their exports."""

from pathlib import Path

from anki.collection import Collection, ExportAnkiPackageOptions
from anki.scheduler_pb2 import CardAnswer

from anki_backend import answer, notes_by_guid


def study(
    collection: Collection,
    key: str,
    *ratings: CardAnswer.Rating.ValueType,
    seconds: int = 7,
    new: bool = True,
) -> None:
    """Answer the card of the note that asks for `key`: once if it is `new`, and then whenever it is due."""
    (card,) = (note.cards()[0] for note in notes_by_guid(collection).values() if f" {key}?" in note.fields[0])
    if new:
        answer(collection, card.id, CardAnswer.EASY, seconds=seconds)
    for rating in ratings:
        collection.sched.set_due_date([card.id], "0")
        answer(collection, card.id, rating, seconds=seconds)


def export(collection: Collection, file: Path, *, legacy: bool = False, scheduling: bool = True) -> Path:
    """Export all decks as a package."""
    options = ExportAnkiPackageOptions(
        with_scheduling=scheduling, with_deck_configs=False, with_media=True, legacy=legacy
    )
    collection.export_anki_package(out_path=str(file), options=options, limit=None)
    return file


def true_retention(collection: Collection) -> tuple[int, int]:
    """Return the number of reviews in Anki's own statistics, and how many of them failed."""
    found = collection._backend.graphs(search="", days=0).true_retention.all_time
    failed = found.young_failed + found.mature_failed
    return failed + found.young_passed + found.mature_passed, failed


def future_due(collection: Collection) -> dict[int, int]:
    """Return the number of cards that Anki's own forecast has for each day; overdue ones count for today."""
    found: dict[int, int] = {}
    for day, count in collection._backend.graphs(search="", days=0).future_due.future_due.items():
        found[max(0, day)] = found.get(max(0, day), 0) + count
    return found
