"""Packages that the open Anki saves of decks, with their schedules and reviews."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from ptcards.push.anki import Anki, AnkiError


def export_decks(anki: Anki, cards: Sequence[int], folder: Path, name: str) -> list[Path]:
    """Save the top decks of these cards as `NAME-0.apkg` and so on, and return the files.

    Raises:
        AnkiError: Anki cannot save one.

    """
    made = []
    roots = {deck.partition("::")[0] for deck in anki.ask("getDecks", cards=list(cards))} if cards else ()
    for number, root in enumerate(sorted(roots)):
        file = folder / f"{name}-{number}.apkg"
        if not anki.ask("exportPackage", deck=root, path=str(file), includeSched=True) or not file.is_file():
            message = f"Anki did not save a copy of the deck `{root}`"
            raise AnkiError(message, "export it by hand: File › Export, with scheduling information")
        made.append(file)
    return made


def export_notes(anki: Anki, note_types: Iterable[int], folder: Path) -> list[Path]:
    """Save the top decks of all notes of these note types, named by their ids, and return the files.

    Raises:
        AnkiError: Anki does not answer, or cannot save one.

    """
    query = " OR ".join(f"mid:{number}" for number in note_types)
    return export_decks(anki, anki.ask("findCards", query=query), folder, "reviews")
