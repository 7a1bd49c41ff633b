"""Anki packages to import: from the real Anki, and hand-made ones that must be refused."""

import json
import sqlite3
import tomllib
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from anki.collection import Collection, ExportAnkiPackageOptions

from anki_backend import learner

FORMATS = ("anki2", "anki21", "anki21b", "colpkg")
PICTURE = b"\x89PNG\r\n\x1a\n" + b"0" * 64


@dataclass(frozen=True)
class Exported:
    """The packages of one collection by format, and their profile."""

    packages: Mapping[str, Path]
    profile: Path


def export(folder: Path, fill: Callable[[Collection], None]) -> Exported:
    """Fill a collection and export it in all formats."""
    packages = {name: folder / f"deck-{name}.apkg" for name in FORMATS[:3]}
    packages["colpkg"] = folder / "all.colpkg"
    with learner(folder / "author") as collection:
        fill(collection)
        for name, is_legacy in (("anki21", True), ("anki21b", False)):
            options = ExportAnkiPackageOptions(
                with_scheduling=True, with_deck_configs=False, with_media=True, legacy=is_legacy
            )
            collection.export_anki_package(out_path=str(packages[name]), options=options, limit=None)
        collection.export_collection_package(str(packages["colpkg"]), include_media=True, legacy=False)
    as_oldest(packages["anki21"], packages["anki2"])
    return Exported(packages, folder / "author")


def as_oldest(package: Path, target: Path) -> None:
    """Write a package as other tools do, with a single database under its oldest name."""
    with zipfile.ZipFile(package) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            if name not in ("collection.anki2", "meta"):
                new.writestr(name.replace("collection.anki21", "collection.anki2"), old.read(name))


def add(collection: Collection, note_type: str, deck: str, *fields: str, tags: str = "") -> str:
    """Add a note, and return its GUID."""
    note = collection.new_note(collection.models.by_name(note_type))
    note.fields = [*fields, *[""] * (len(note.fields) - len(fields))]
    note.tags = tags.split()
    collection.add_note(note, collection.decks.id(deck))
    return str(note.guid)


def write_zip(file: Path, members: Mapping[str, bytes]) -> Path:
    """Write a zip file."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file


def a_database(folder: Path, *statements: str, schema: int = 11) -> bytes:
    """Return an empty database of the oldest schema, after running some statements."""
    file = folder / "made.sqlite"
    file.unlink(missing_ok=True)
    fields = [{"name": name, "ord": number} for number, name in enumerate(("Front", "Back"))]
    card = {"name": "Card 1", "ord": 0, "qfmt": "{{Front}}", "afmt": "{{Back}}"}
    model = {"id": 7, "name": "Basic", "mod": 1, "type": 0, "flds": fields, "tmpls": [card], "css": ""}
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE col (ver, models, decks)")
        decks = {"1": {"name": "Default"}, "5": {"name": "Geo"}}
        connection.execute(
            "INSERT INTO col VALUES (?, ?, ?)", (schema, json.dumps({"7": model}), json.dumps(decks))
        )
        connection.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, guid, mid, mod, tags, flds)")
        connection.execute("CREATE TABLE cards (id INTEGER PRIMARY KEY, nid, did, odid, ord)")
        for statement in (*STATEMENTS, *statements):
            connection.execute(statement)
    connection.close()
    return file.read_bytes()


STATEMENTS = (
    "INSERT INTO notes VALUES (1, 'g', 7, 1, '', 'France' || char(31) || 'Paris')",
    "INSERT INTO cards VALUES (1, 1, 5, 0, 0)",
)


def id_of(folder: Path) -> str:
    """Return the id of a collection."""
    return str(tomllib.loads((folder / "deck.toml").read_text("utf-8"))["id"])


def written_files(folder: Path) -> dict[str, bytes]:
    """Return all files of a folder with their contents."""
    files = (file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}
