"""Anki on this computer: pushes collections into it, pulls edits from it, and reads its reviews."""

import os
from collections.abc import Iterator
from pathlib import Path

COMMANDS = {
    "Anki": {
        "push": "Push a collection into a running Anki.",
        "pull": "List edits made in Anki, and write them into the Markdown.",
        "reviews": "Show what learners' reviews say about the notes.",
    },
}


def after_build(collection_id: str, lock: str) -> Iterator[str]:
    """Yield a reminder if ptcards has pushed to an Anki collection that lacks this build."""
    from ptcards.files import state_folder  # noqa: PLC0415 - heavier than --help

    folder = state_folder(os.environ)
    records = sorted((folder / "push").glob(f"{collection_id}-*.json")) if lock and folder else []
    if not records:
        return
    from ptcards.extensions.desktop.push.record import is_behind  # noqa: PLC0415 - rarely needed
    from ptcards.files.inputs import file_digest  # noqa: PLC0415

    if is_behind(records, file_digest(Path(lock))):
        yield "your Anki does not have this build yet: run `ptcards push`"
