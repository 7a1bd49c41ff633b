"""Creates the folder of a new collection beside its destination, and moves it there when it is complete."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ptcards.files import OutputError
from ptcards.files.temporary import temporary_folder
from ptcards.importing.problems import refuse
from ptcards.source.source import shown


def check_target(target: Path) -> None:
    """Raise NotImportableError if a folder is not empty."""
    if not os.path.lexists(target):
        return
    if target.is_dir() and not any(target.iterdir()):
        return
    message = (
        "this is already a collection" if (target / "deck.toml").exists() else "this is not an empty folder"
    )
    raise refuse(shown(target), "not-empty", message, "name a folder that does not exist yet")


@contextmanager
def new_folder(target: Path, *, dry_run: bool) -> Iterator[Path]:
    """Yield a working folder, which replaces `target` when the block ends, completely or not at all.

    Raises:
        OutputError: a file cannot be written.



    """
    if dry_run:
        with temporary_folder("import") as folder:
            yield folder
        return
    temporary = target.parent / f".ptcards-{os.urandom(8).hex()}.import"
    try:
        try:
            temporary.mkdir(parents=True)
            yield temporary
            for file in temporary.rglob("*"):
                _to_disk(file)
            if target.is_dir():
                target.rmdir()
            temporary.rename(target)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    except OSError as failure:
        raise OutputError(target, (failure.strerror or str(failure)).lower()) from failure


def _to_disk(file: Path) -> None:
    if file.is_file():
        descriptor = os.open(file, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
