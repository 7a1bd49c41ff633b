"""Packages that the running Anki exports: copies of decks, and GUIDs of notes that have no GUID field."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from ptcards.files.temporary import temporary_folder
from ptcards.notes.notetypes import NoteType
from ptcards.push.anki import ActionError, Anki, AnkiError
from ptcards.push.values import Ours, Theirs, TheirType


def export_decks(anki: Anki, cards: Sequence[int], folder: Path, name: str) -> list[Path]:
    """Save the top-level decks of these cards as `NAME-0.apkg` and so on, and return the files.

    Raises:
        AnkiError: Anki cannot save a deck.

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
    """Save a deck as this file, and return whether it worked: a sandboxed Anki cannot write to our folders.

    Raises:
        AnkiError: Anki does not answer.

    """
    with suppress(ActionError):
        anki.ask("exportPackage", deck=deck, path=str(file), includeSched=with_reviews)
    return file.is_file()


def export_notes(anki: Anki, note_types: Iterable[int], folder: Path) -> list[Path]:
    """Save the top-level decks of all notes of these note types, given by id, and return the files.

    Raises:
        AnkiError: Anki does not answer or cannot save a deck.

    """
    query = " OR ".join(f"mid:{number}" for number in note_types)
    return export_decks(anki, anki.ask("findCards", query=query), folder, "reviews")


_AT_ONCE = 2000
"""The maximum number of notes in one search."""


def read_guids(
    anki: Anki, note_types: Sequence[NoteType], types: Mapping[str, TheirType], known: Mapping[int, str]
) -> dict[int, str]:
    """Return the GUIDs, by note id, of notes that have no GUID field, except the `known` ones.

    Raises:
        AnkiError: Anki does not export the notes.

    """
    hidden = [types[each.key].id for each in note_types if not each.guid_field and each.key in types]
    if not hidden:
        return {}
    nids = anki.ask("findNotes", query=" OR ".join(f"mid:{number}" for number in hidden))
    unknown = [nid for nid in nids if nid not in known]
    asked = exported_guids(anki, unknown) if unknown else {}
    return {nid: known.get(nid) or asked[nid] for nid in nids if nid in known or nid in asked}


def exported_guids(anki: Anki, nids: Sequence[int]) -> dict[int, str]:
    """Return the GUIDs of notes by their ids, and those of other notes in the same decks.

    Raises:
        AnkiError: Anki does not export the notes.

    """
    from ptcards.importing.package import open_package  # noqa: PLC0415 - heavy, and rarely needed
    from ptcards.importing.problems import NotImportableError  # noqa: PLC0415 - as above

    found: dict[int, str] = {}
    with temporary_folder("push") as folder:
        for number, deck in enumerate(_decks_with(anki, nids)):
            file = folder / f"{number}.apkg"
            if not export_deck(anki, deck, file, with_reviews=False):
                message = f"Anki did not export `{deck}`: its notes cannot be told apart"
                raise AnkiError(message, "run `ptcards build`, and import the package by hand: File › Import")
            try:
                with open_package(file, deck) as package:
                    found |= package.database.guids()
            except NotImportableError as failure:
                message = f"Anki exported `{deck}`, but not as a package"
                raise AnkiError(message, "run Tools › Check Database in Anki, then push again") from failure
    return found


def _decks_with(anki: Anki, nids: Sequence[int]) -> list[str]:
    """Return decks that together contain these notes; none is a subdeck of another."""
    cards: list[int] = []
    for start in range(0, len(nids), _AT_ONCE):
        some = ",".join(map(str, nids[start : start + _AT_ONCE]))
        cards += anki.ask("findCards", query=f"nid:{some}")
    decks: list[str] = []
    for deck in sorted(anki.ask("getDecks", cards=cards)):
        if not any(deck.startswith(f"{above}::") for above in decks):
            decks.append(deck)
    return decks


def with_guids(anki: Anki, new: Iterable[Ours], read: Sequence[Theirs]) -> Iterator[Theirs]:
    """Yield newly added notes with their GUIDs, which are found by content or through an export.

    Raises:
        AnkiError: Anki does not export the notes.

    """
    waiting: dict[tuple[str, ...], deque[str]] = defaultdict(deque)
    for note in new:
        waiting[note.fields].append(note.guid)
    # Ids are in the order of the package, which distinguishes notes with the same fields.
    left = []
    for each in sorted(read, key=lambda note: note.nid):
        if guids := waiting[each.fields]:
            yield each._replace(guid=guids.popleft())
        else:
            left.append(each)
    if left:
        asked = exported_guids(anki, [each.nid for each in left])
        yield from (each._replace(guid=asked[each.nid]) for each in left if each.nid in asked)
