"""Packages of decks that the open Anki saves, with schedules and reviews."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from ptcards.push.anki import ActionError, Anki, AnkiError


def export_decks(anki: Anki, cards: Sequence[int], folder: Path, name: str) -> list[Path]:
    """Save the top decks of these cards as `NAME-0.apkg` and so on, and return the files.

    Raises:
        AnkiError: Anki cannot save one.

    """
    made = []
    roots = {deck.partition("::")[0] for deck in anki.ask("getDecks", cards=list(cards))} if cards else ()
    for number, root in enumerate(sorted(roots)):
        file = folder / f"{name}-{number}.apkg"
        if not export_deck(anki, root, file, with_reviews=True):
            message = f"Anki did not save a copy of the deck `{root}`"
            raise AnkiError(message, "export it by hand: File › Export, with scheduling information")
        made.append(file)
    return made


def export_deck(anki: Anki, deck: str, file: Path, *, with_reviews: bool) -> bool:
    """Return whether Anki saved a deck in a file: one in a sandbox does not see our folders.

    Raises:
        AnkiError: Anki does not answer.

    """
    with suppress(ActionError):
        anki.ask("exportPackage", deck=deck, path=str(file), includeSched=with_reviews)
    return file.is_file()


def export_notes(anki: Anki, note_types: Iterable[int], folder: Path) -> list[Path]:
    """Save the top decks of all notes of these note types, named by their ids, and return the files.

    Raises:
        AnkiError: Anki does not answer, or cannot save one.

    """
    query = " OR ".join(f"mid:{number}" for number in note_types)
    return export_decks(anki, anki.ask("findCards", query=query), folder, "reviews")
