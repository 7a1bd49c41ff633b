"""The content of media files, as it was when the sources were read."""

import hashlib
from pathlib import Path

from ptcards.files import OutputError
from ptcards.files.inputs import MAX_MEDIA_BYTES, InputError, read_input
from ptcards.notes import Media


def media_content(media: Media, output: Path) -> bytes:
    """Read a media file that must still be the one the notes name.

    Raises:
        OutputError: it cannot be read, or its content has changed; `output` is what cannot be written then.

    """
    try:
        # Where it leads does not matter here: only the content that was read before is taken.
        content = read_input(media.file, Path(media.file.anchor), MAX_MEDIA_BYTES)
    except InputError as failure:
        raise OutputError(output, f"`{media.file}` {failure.reason.lower()}") from failure
    if hashlib.sha256(content).hexdigest() != media.digest:
        raise OutputError(output, f"`{media.file}` changed during the build; build again")
    return content
