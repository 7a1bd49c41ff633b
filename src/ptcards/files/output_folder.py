"""Where the outputs of a collection go."""

import os
from pathlib import Path

from ptcards.files import OutputError
from ptcards.files.inputs import OutsideError, find_root, is_collection, real_path

FEED = "deck.json"
"""The feed in the folder of a release."""
RELEASE_NOTES = "notes.md"
"""The release notes next to a feed, which are not a source although they are Markdown."""
_PROJECT = (".git", "pyproject.toml")
"""The folder of a project contains one of these."""


def output_folder(source: Path, name: str = "build") -> Path:
    """Return the folder for the outputs of the collection that a source or folder belongs to.

    Called `name`, it is next to `deck.toml` or, if the collection is a project's folder `cards`, next to that
    folder. Without a `deck.toml`, it is in the current folder.

    Raises OutputError if it is a link to another place: a clone could contain a link unknown to the user.
    """
    # `resolve` would follow links.
    root = find_root(Path(os.path.abspath(source)))  # noqa: PTH100
    folder = _folder_around(root) if is_collection(root) else Path()
    output = folder / name
    try:
        real_path(output, folder)
    except OutsideError as failure:
        reason = "it links to a place outside this folder; choose a folder with `-o`"
        raise OutputError(output, reason) from failure
    return output


def _folder_around(root: Path) -> Path:
    """Return the project around a collection's folder `cards`, or else the collection's folder."""
    # The result must not depend on the way to the folder, which may be a link.
    real = Path(os.path.realpath(root))
    is_in_project = real.name == "cards" and any(os.path.lexists(real.parent / name) for name in _PROJECT)
    return real.parent if is_in_project else root
