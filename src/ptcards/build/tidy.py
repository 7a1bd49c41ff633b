"""What a build does about the folder of its outputs: it hides new files from git and names old ones."""

from collections.abc import Container, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ptcards.files import replacing
from ptcards.files.git import GitError, Repository, ignore_files
from ptcards.source.collection import Collection
from ptcards.workspace import Contents
from ptcards.writers import ENDINGS
from ptcards.writers.outputs import output_name, output_paths

_ENDINGS = tuple(f".{ending}" for ending in ENDINGS.values())


def hide_from_git(collection: Collection, folder: Path) -> None:
    """Write `.gitignore` into a collection's own output folder if git would show it as untracked.

    A folder with other files, or with any file that git tracks, stays as it is. Hold the folder's lock.
    Raises OutputError if the file cannot be written.
    """
    if not collection.configured or not ignore_files(folder):
        return
    names = [each.name for each in folder.iterdir()]
    others = [name for name in names if not name.startswith(".") and not name.endswith(_ENDINGS)]
    if ".gitignore" in names or others:
        return
    with suppress(GitError):
        known, untracked = Repository(folder).seen()
        if not known and any(not name.startswith(".") for name in untracked):
            with replacing(folder / ".gitignore") as file:
                file.write(b"*\n")


def earlier_outputs(contents: Contents, folder: Path, outputs: Container[Path]) -> Iterator[Path]:
    """Yield files in a folder that are named after an earlier name of the collection.

    `outputs` are the files that a build writes. Without a `deck.toml` or git, nothing is known about earlier
    names.
    """
    collection = contents.collection
    if not folder.is_dir() or not collection.configured:
        return
    found = {each for each in folder.iterdir() if each.name.endswith(_ENDINGS) and each not in outputs}
    # Git is only asked if there is a file that could be one.
    names = contents.earlier_names() if found else ()
    stem, *others = (_whole(collection, name) for name in (collection.config.name, *names))
    for other in dict.fromkeys(each for each in others if each != stem):
        yield from (file for file in output_paths(folder, other, ENDINGS).values() if file in found)


def _whole(collection: Collection, name: str) -> str:
    """Return the name of the outputs of a complete collection if it is called `name`."""
    return output_name(replace(collection, config=replace(collection.config, name=name), selection=()))
