"""The content of media files, as it was when the sources were read."""

import hashlib
from pathlib import Path

from ptcards.files import OutputError
from ptcards.notes import Media


def media_content(media: Media, output: Path) -> bytes:
    """Read a media file that must still be the one the notes name.

    Raises:
        OutputError: it cannot be read, or its content changed meanwhile; `output` is what cannot be written then.

    """
    try:
        content = media.file.read_bytes()
    except OSError as failure:
        reason = f"cannot read `{media.file}`: {(failure.strerror or str(failure)).lower()}"
        raise OutputError(output, reason) from failure
    if hashlib.sha256(content).hexdigest() != media.digest:
        raise OutputError(output, f"`{media.file}` changed during the build; build again")
    return content
