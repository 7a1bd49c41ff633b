"""One HTML file to study and print without Anki.

The file contains the page in `study/` and, as data, every card; no part of a card is in the page's own
markup. A policy in the page allows its own script and style, by their hashes, and forbids all requests. The
cards are rendered from the note types' templates (`anki.cards`) and shown with their CSS.
"""

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import resources
from pathlib import Path
from urllib.parse import quote

from ptcards.anki.built_in_notetypes import FIELDS
from ptcards.anki.cards import card_sides
from ptcards.anki.mathml import with_math
from ptcards.files import Replacing, replacing
from ptcards.markdown.deadline import NOTE_SECONDS, DeadlineError, within
from ptcards.markdown.render import render
from ptcards.notes import Text, plain_name
from ptcards.notes.labels import ENGLISH, interface, labels_of
from ptcards.notes.notetypes import NoteType
from ptcards.notes.rendered import Media, RenderedNote
from ptcards.source.config import Config
from ptcards.source.media import media_content

_SLOT = re.compile(r"\{\{(\w+)\}\}")
# Text that ends or hides the rest of a script element, whatever its type
# (https://html.spec.whatwg.org/multipage/scripting.html#restrictions-for-contents-of-script-elements).
_SCRIPT_UNSAFE = re.compile(r"<(?=!|script)", re.IGNORECASE)


def study_files(names: Iterable[str]) -> str:
    """Return the joined contents of these files of the study page; other pages use some of them too."""
    folder = resources.files(__name__.rpartition(".")[0]).joinpath("study")
    return "".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)


ICON = "data:image/svg+xml," + quote(study_files(["icon.svg"]).strip(), safe="/ =:'")
"""The icon of all pages, as an address."""


def fill_page(
    body: str, *, style: str, script: str, data: object, parts: Mapping[str, str], beside: str = ""
) -> str:
    """Return a page with this body, with each `{{name}}` replaced by a part, which is HTML.

    The head needs the parts `lang` and `title`, and may have `meta`. The other slots are `{{style}}`,
    `{{script}}`, `{{policy}}`, and `{{data}}`, which becomes JSON. `beside` is what the policy also allows.
    """
    policy = (
        f"default-src 'none'; script-src {_source(script)}; style-src {_source(style)}; "
        f"img-src data:; media-src data:; font-src data:; {beside}base-uri 'none'; form-action 'none'"
    )
    slots = {"meta": "", "icon": ICON, **parts}
    slots |= {"policy": policy, "style": style, "data": _script_json(data), "script": script}
    # In one pass, so that braces in the data stay data.
    return _SLOT.sub(lambda slot: slots[slot[1]], study_files(["head.html"]) + body)


def _source(text: str) -> str:
    """Return a policy's entry for an inline script or style: a hash of its content."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _script_json(data: object) -> str:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return _SCRIPT_UNSAFE.sub(r"\\u003c", text.replace("</", r"<\/"))


_STYLES = ("page.css",)
_SCRIPTS = tuple(
    (
        "common.js fsrs.js record.js copies.js progress.js boxes.js cards.js sheet.js filters.js queue.js "
        "answers.js study.js exam.js charts.js statistics.js list.js swipe.js keys.js history.js page.js"
    ).split()
)
_FIRST_MARK = 0x0E
"""Control characters from here on represent the fields; fields never contain them
(`markdown.escaping.clean`).
"""
_MARKS = 13
"""The number of fields with a mark: all fields of the built-in note types. `cards.js` relies on it."""
_HINT_ID = re.compile(r"\bhint[0-9a-f]{16}\b")
_HIDDEN = frozenset({"Reversed", "Extra 1", "Extra 2", "Occlusion"})
_PLACES = {name: place for place, name in enumerate(FIELDS)}
_MEDIA_TYPES = {
    ".avif": "image/avif",
    ".bmp": "image/bmp",
    ".gif": "image/gif",
    ".ico": "image/x-icon",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
    ".aac": "audio/aac",
    ".flac": "audio/flac",
    ".m4a": "audio/mp4",
    ".mp3": "audio/mpeg",
    ".oga": "audio/ogg",
    ".ogg": "audio/ogg",
    ".opus": "audio/ogg",
    ".wav": "audio/wav",
    ".mov": "video/quicktime",
    ".mp4": "video/mp4",
    ".ogv": "video/ogg",
    ".webm": "video/webm",
}


def write_html(
    *,
    path: Path,
    config: Config,
    note_types: Sequence[NoteType],
    notes: Sequence[RenderedNote],
    look_media: Iterable[Media] = (),
    title: str = "",
    package: str = "",
    version: str = "",
    write: Replacing = replacing,
) -> None:
    """Write the notes of a version, in the order of the sources, into one self-contained page.

    The bytes are the same for the same notes. `title` replaces the name of the deck. `package` is the address
    of a release's package: a released page offers it, and uses the worker and manifest beside it
    (`release.site`).

    Raises:
        OutputError: the file cannot be written, or a media file has changed since the sources were read.

    """
    config = replace(config, name=title or config.name)
    words = {**interface("study"), **labels_of(config.language)}
    media = {item.name: item for note in notes for item in note.media}
    data = {
        "id": config.id,
        "words": words,
        "slug": path.stem,
        "package": package,
        **card_data(config, note_types, notes, {**media, **{each.name: each for each in look_media}}, path),
        **({"report": config.report, "version": version} if config.report else {}),
    }
    page = fill_page(
        study_files(["page.html"]),
        style=study_files(_STYLES),
        script=study_files(_SCRIPTS),
        data=data,
        parts={
            **{name: html.escape(word) for name, word in words.items()},
            "lang": config.language or ENGLISH,
            "title": html.escape(config.name),
            "meta": page_meta(config),
        },
        beside="worker-src 'self'; manifest-src 'self'; " if package else "",
    )
    with write(path) as file:
        file.write(page.encode())


def card_data(
    config: Config,
    note_types: Sequence[NoteType],
    notes: Sequence[RenderedNote],
    media: Mapping[str, Media],
    path: Path,
) -> dict[str, object]:
    """Return the data with which `study/cards.js` shows these notes on the page at `path`.

    `media` contains the files to include, by their names; without its file, a picture shows its description.
    Raises OutputError if a file has changed since the sources were read.
    """
    return {
        "name": config.name,
        "license": config.license,
        "about": _about(config),
        "own": study_files(["card.css", "maths.css"]),
        "css": next((note_type.css for note_type in note_types), ""),
        "looks": [note_type.css for note_type in _with_own_look(note_types, notes)],
        "media": {name: data_address(name, media_content(media[name], path)) for name in sorted(media)},
        **_tables(note_types, notes, config.language),
    }


def _about(config: Config) -> str:
    """Return the collection's description as HTML, which may be anything: the page cleans it."""
    if config.description_html:
        return config.description_html
    try:
        text = Text(config.description)
        about = within(NOTE_SECONDS, render, text, names={}, prefix="about", plain_code=True)[0]
        return with_math(about, config.language)
    except DeadlineError:
        return f"<p>{html.escape(config.description)}</p>"


def page_meta(config: Config) -> str:
    """Return what other sites show about a page to which they link (https://ogp.me)."""
    first = config.description.strip().partition("\n\n")[0]
    about = {"og:type": "website", "og:title": config.name, "og:description": first}
    return "".join(
        f'<meta property="{name}" content="{html.escape(text)}">\n' for name, text in about.items() if text
    )


def data_address(name: str, content: bytes) -> str:
    """Return the content of a media file as an address."""
    kind = _MEDIA_TYPES.get(Path(name).suffix.lower(), "application/octet-stream")
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def _with_own_look(note_types: Sequence[NoteType], notes: Sequence[RenderedNote]) -> list[NoteType]:
    """Return the collection's own note types that any note uses."""
    used = {note.note_type for note in notes}
    return [note_type for note_type in note_types if note_type.is_own and note_type.key in used]


def _tables(
    note_types: Sequence[NoteType], notes: Sequence[RenderedNote], language: str
) -> dict[str, object]:
    """Return the page's tables: repeated values are stored once, and rows refer to them by position.

    A note is `[GUID, deck, kind, difficulty, tags, fields, cards]`, followed by an index into `looks` if its
    note type has its own appearance; a card is `[ordinal, front, back]`. Front and back are indexes into
    `shells`, in which the character `_FIRST_MARK + n` represents the note's field n; maths is already MathML.
    A cloze's fields are without the marks of deletions, as the page lists and searches them.
    """
    types = {note_type.key: note_type for note_type in note_types}
    looks = {note_type.key: [place] for place, note_type in enumerate(_with_own_look(note_types, notes))}
    decks: dict[str, int] = {}
    tags: dict[str, int] = {}
    shells: dict[str, int] = {}
    rows = []
    for note in notes:
        note_type = types[note.note_type]
        # The page knows the fields of a question by their places; an occlusion has them in another order.
        by_name = dict(zip(note_type.field_names, note.fields, strict=True))
        names = note_type.field_names
        if not note_type.is_own:
            names = tuple(sorted(names, key=lambda name: _PLACES.get(name, _MARKS)))
        read = partial(plain_name, on_one_line=False) if note_type.is_cloze else str
        fields = [
            "" if name in _HIDDEN else with_math(read(field), language)
            for name, field in ((name, by_name[name]) for name in names)
        ]
        cards = [
            [
                side.ordinal,
                *(_place(shells, _shell(text, fields, language)) for text in (side.front, side.back)),
            ]
            for side in card_sides(note, note_type)
        ]
        # Fields of the collection's own note types have no meaning here, whatever their names.
        by_name = {} if note_type.is_own else by_name
        tagged = [_place(tags, tag) for tag in note.tags]
        rows.append(
            [
                *(
                    note.guid,
                    _place(decks, note.deck),
                    _kind(note_type, by_name),
                    by_name.get("Difficulty", ""),
                ),
                *(tagged, _trimmed(fields), cards, *looks.get(note.note_type, ())),
            ]
        )
    return {"decks": list(decks), "tags": list(tags), "shells": list(shells), "notes": rows}


def _place(table: dict[str, int], value: str) -> int:
    return table.setdefault(value, len(table))


def _shell(side: str, fields: Sequence[str], language: str) -> str:
    """Return a side with marks for complete fields, the longest first, because one may contain another."""
    side = with_math(side, language)
    for number in sorted(range(min(len(fields), _MARKS)), key=lambda number: -len(fields[number])):
        if fields[number]:
            side = side.replace(fields[number], chr(_FIRST_MARK + number))
    # Anki connects a hint's link to its text by an id that differs between notes; the page goes by their
    # order.
    return _HINT_ID.sub("hint", side)


def _kind(note_type: NoteType, fields: Mapping[str, str]) -> str:
    """Return the kind, derived from the filled fields, as in the templates."""
    if note_type.is_cloze:
        return "cloze"
    return next(
        (name.lower() for name in ("Reversed", "Typed") if fields.get(name)),
        "choice" if fields.get("Choices") else "basic",
    )


def _trimmed(fields: list[str]) -> list[str]:
    while fields and not fields[-1]:
        fields.pop()
    return fields
