"""Where the note types of a collection are: in its own folder, or beside the settings that it shares."""

from contextlib import suppress
from pathlib import Path

from ptcards.diagnostics import Location
from ptcards.files.inputs import InputError, shown
from ptcards.files.toml import extended_file
from ptcards.source.own_notetypes import FOLDER, OWN_PREFIX


def note_type_folder(root: Path, key: str) -> Path:
    """Return the folder of one of the collection's own note types, which it may share with others."""
    name = key.removeprefix(OWN_PREFIX)
    with suppress(InputError):
        shared = None if (root / FOLDER / name).is_dir() else extended_file(root / "deck.toml")
        if shared and (shared.parent / FOLDER / name).is_dir():
            return shared.parent / FOLDER / name
    return root / FOLDER / name


def type_place(root: Path, key: str) -> Location:
    """Return where one of the collection's own note types is defined."""
    return Location(shown(note_type_folder(root, key) / "notetype.json"), 1)
