"""A side of a card alone in a document, as in Anki: the preview has it in frames, `diff --pictures` draws it.

The document is `frame/card.html`. What a card contains may be a stranger's: the document has an origin of its
own (`_POLICY`), runs only its script, and fetches nothing.
"""

import secrets
from collections.abc import Mapping, Sequence
from importlib import resources

from ptcards.anki.cards import card_sides
from ptcards.anki.mathml import with_math
from ptcards.notes.notetypes import NoteType
from ptcards.notes.rendered import RenderedNote
from ptcards.source.collection import Collection
from ptcards.source.media import look_media
from ptcards.source.own_notetypes import LOOK_FILE
from ptcards.writers.html import data_address, study_files

_POLICY = (
    "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'unsafe-inline'; img-src blob: data:; "
    "media-src blob: data:; font-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self' {around}; sandbox allow-scripts"
)
"""Authors may write `style=`, as in Anki."""

FramedCard = Mapping[str, object]
"""A card for the document: both sides, with formulas as MathML, and how it looks."""


def card_frame(script: str = "", style: str = "", around: str = "") -> tuple[str, str]:
    """Return the document and its policy, which must be in a header.

    `script` and `style` are added to its own, and the pages of `around`, sources of CSP, may also have it in
    a frame. Its function `show` expects an object like `side` in `stage.js`.
    """
    nonce = secrets.token_urlsafe(16)
    folder = resources.files(__name__.rpartition(".")[0]).joinpath("frame")
    html, own = (folder.joinpath(name).read_text("utf-8") for name in ("card.html", "card.js"))
    parts = {
        "nonce": nonce,
        "style": study_files(["changes.css", "maths.css"]) + style,
        # A document with an origin of its own could not load its script from here.
        "script": study_files(["boxes.js", "changes.js"]) + own + script,
    }
    for name, part in parts.items():
        html = html.replace(f"{{{{{name}}}}}", part)
    return html, _POLICY.replace("{nonce}", nonce).replace("{around}", around)


def frame_css(collection: Collection, note_types: Sequence[NoteType]) -> str:
    """Return the style of a collection's cards, with the files that it names in it: cards fetch nothing."""
    look = look_media(collection.root, collection.config.css, ())
    files = {media.name: data_address(media.name, media.file.read_bytes()) for media in look}
    return LOOK_FILE.sub(lambda found: files.get(found[0], found[0]), note_types[0].css)


def framed_cards(
    note: RenderedNote, note_types: Sequence[NoteType], language: str
) -> Mapping[int, FramedCard]:
    """Return the cards of a note for the document by ordinal; `language` is that of the note, or empty."""
    note_type = next(each for each in note_types if each.key == note.note_type)
    return {
        card.ordinal: {
            "name": card.template,
            **({"deletion": card.ordinal + 1} if note_type.is_cloze else {}),
            "body": card.body_class,
            "front": with_math(card.front, language, marked=True),
            "back": with_math(card.back, language, marked=True),
            **({"css": note_type.css} if note_type.is_own else {}),
        }
        for card in card_sides(note, note_type)
    }
