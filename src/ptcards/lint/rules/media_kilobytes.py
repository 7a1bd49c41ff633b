from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule


class MediaKilobytes(Rule, severity="warning", limits={"media-kilobytes": 2048}):
    """A media file is large.

    Why: every learner downloads it, it takes up space on phones, and AnkiWeb rejects files over 100 MB. A
    file of more than `media-kilobytes` (2048) KB is a warning.

    For instance:

        ![The loss](loss.png)        (a screenshot of 6 MB)

    Fix: scale it down or compress it. A diagram is smallest as an SVG, or as a PNG with few colours.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report where the note names the file."""
        for media in note.note.media:
            size = media.file.stat().st_size // 1024
            if size <= self.limits["media-kilobytes"]:
                continue
            places = (
                passage.locate(passage.raw.index(media.written))
                for passage in note.passages
                if media.written in passage.raw
            )
            message = f"`{media.written}` has {size} KB, more than {self.limits['media-kilobytes']}"
            fix = "scale it down or compress it"
            yield self.report(next(places, note.note.location), message, fix, len(media.written))
