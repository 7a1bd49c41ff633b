"""Writes the lock of an imported collection, which keeps its notes under the GUIDs that learners have."""

from collections.abc import Iterable
from pathlib import Path

from ptcards.identity.lock import Lock, Record, TypeRecord, format_lock
from ptcards.identity.lock_reading import read_lock
from ptcards.importing.drafts import Origin
from ptcards.importing.package import Package
from ptcards.importing.problems import damaged
from ptcards.workspace import Contents


def write_lock(folder: Path, contents: Contents, origins: Iterable[Origin | None], package: Package) -> None:
    """Write `deck.lock` for the notes of a collection, in their order, that came with a package.

    Notes without an origin are new to everybody: the first build records them. Raises NotImportableError if
    no lock can hold what the package says.
    """
    records = [
        Record(origin.guid, origin.mod, live=True, fingerprint=summary.fingerprint, nid=str(origin.nid))
        for summary, origin in zip(contents.summaries, origins, strict=True)
        if origin is not None
    ]
    newest = max(record.mod for record in records)
    known = package.database.note_types
    types = [
        TypeRecord(
            each.key,
            max(1, known[each.id].mod) if each.id in known else newest,
            each.digest,
            *each.lock_columns,
        )
        for each in contents.note_types
    ]
    lock = Lock(contents.collection.config.id, tuple(types), tuple(records))
    file = folder / "deck.lock"
    file.write_text(format_lock(lock), "utf-8", newline="\n")
    # Values from a package become lines of the lock: none may become two lines, or one that no build can
    # read.
    read, _ = read_lock(file, shown="", collection_id=lock.collection_id)
    if read is None or {*read.records} != {*records} or {*read.types} != {*types}:
        raise damaged(package.path, "a GUID, a time or an id is not one that Anki writes")
