"""Reads the content of media files, which must not have changed since the sources were read."""

import hashlib
from pathlib import Path

from ptcards.files import OutputError
from ptcards.files.inputs import MAX_MEDIA_BYTES, InputError, read_input
from ptcards.notes import Media


def media_content(media: Media, output: Path) -> bytes:
    """Return the content of a media file, which must still be the one that the notes show.

    Raises:
        OutputError: it cannot be read, or its content has changed, so `output` cannot be written.



    """
    try:
        # Its target does not matter here, because the content must be the same as before.
        content = read_input(media.file, Path(media.file.anchor), MAX_MEDIA_BYTES)
    except InputError as failure:
        raise OutputError(output, f"`{media.file}` {failure.reason.lower()}") from failure
    if hashlib.sha256(content).hexdigest() != media.digest:
        raise OutputError(output, f"`{media.file}` changed during the build; build again")
    return content
