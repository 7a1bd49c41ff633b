"""A picture has no text for those who cannot see it.

Why: a screen reader says the file name instead, and so does Anki where the file is missing; the list of cards shows
nothing at all.

For instance:

    ![](strides.png)

Fix: say what the picture shows.

    ![A 2×3 tensor and the six numbers of its storage](strides.png)
"""

import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic, hint
from ptcards.reading import FILLER, Limits, Reading

_IMAGE = re.compile(rf"!\[\s*\](?=[{FILLER}\[])|<img\b(?![^>]*\balt\s*=)[^>]*>", re.IGNORECASE)


def check(note: Reading, _limits: Limits) -> Iterator[Diagnostic]:
    """Point at the picture."""
    for passage in note.passages:
        for text, form in ((passage.plain, "!["), (passage.raw, "<")):
            for found in _IMAGE.finditer(text):
                if found[0].startswith(form) and (form == "![" or passage.plain[found.start()] == FILLER):
                    place = passage.locate(found.start())
                    fix = "say what it shows: `![what it shows](file)`"
                    yield hint(place, "image-without-alt", "a picture without a text", fix, len(found[0]))
