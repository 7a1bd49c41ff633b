"""The notes in the pictures of README.md and docs/, and a digest of everything that affects their look.

The scripts that draw cards and windows store the digests next to the pictures. A test compares them.
"""

import hashlib
import json
import re
from collections.abc import Container, Mapping
from pathlib import Path

from addon.texts import ENGLISH, texts_in

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "img"
DIGESTS = IMAGES / "cards.json"
EXAMPLE = re.compile(r"^````markdown\n(?P<source>.*?)^````\n.*?img/card\.webp", re.MULTILINE | re.DOTALL)
SHOWN: Mapping[str, str] = {
    "card": "",
    "choice": "grad-accumulate-predict",
    "math": "adam-vs-adamw",
    "prediction": "weight-used-twice-predict",
    "cloze": "conv2d-weight-shape",
    "study": "grad-accumulate-predict",
    "serve": "adam-vs-adamw",
    "boxes": "",
    "reviews": "",
    "vocabulary": "",
    "subscribe-list": "",
    "subscribe-changes": "",
}
"""The key of the note that a picture shows; empty for a note that is not from the PyTorch deck."""

_CHEAT_SHEET = re.compile(
    r"^(`{3,4})markdown\n(?P<source>.*?)^\1\n.*?\(img/(?P<name>cheat-[a-z]+)\.webp#", re.MULTILINE | re.DOTALL
)
CHEAT_SHEET: Mapping[str, str] = {
    match["name"]: match["source"]
    for match in _CHEAT_SHEET.finditer((ROOT / "docs" / "cheat-sheet.md").read_text("utf-8"))
}
"""The examples of docs/cheat-sheet.md, by the name of the picture that shows each of them by day."""
SUN = tuple(ROOT / "examples" / "sky" / "img" / f"sun-layers{ending}.svg" for ending in ("", ".dark"))
"""The picture of the example with boxes, by day and at night."""
PICTURES = (*SHOWN, *CHEAT_SHEET)

_STUDY = "src/ptcards/writers/study"
_PAGES = {
    "study": tuple(f"{_STUDY}/{name}" for name in ("page.css", "head.html", "page.html", "card.css")),
    "serve": (
        "src/ptcards/extensions/preview/page/app.css",
        "src/ptcards/extensions/preview/page/index.html",
    ),
    "boxes": (
        "examples/sky/sun-and-stars.md",
        "examples/sky/img/sun-layers.svg",
        "src/ptcards/extensions/preview/page/app.css",
        "src/ptcards/extensions/preview/page/index.html",
    ),
    "reviews": (
        f"{_STUDY}/head.html",
        "src/ptcards/extensions/desktop/reviews/page/page.css",
        "src/ptcards/extensions/desktop/reviews/page/page.html",
    ),
}
IN_ANKI = ("subscribe-list", "subscribe-changes")
"""The pictures of windows of the add-on, in a desktop Anki."""
_WINDOWS = tuple(
    f"addon/{name}.py" for name in ("windows", "update_window", "changes_window", "suggestion_window")
)
_LOOK = ("src/ptcards/anki/card.css", "src/ptcards/anki/code.css", "src/ptcards/anki/question.back.html")


def example() -> str:
    """Return the note that docs/format.md shows, as Markdown."""
    found = EXAMPLE.search((ROOT / "docs" / "format.md").read_text("utf-8"))
    assert found
    return found["source"]


def source_of(key: str) -> str:
    """Return the lines of a note of the PyTorch deck."""
    for file in sorted((ROOT / "cards").glob("*.md")):
        notes = re.split(r"^(?=## )", file.read_text("utf-8"), flags=re.MULTILINE)
        for note in notes[1:]:
            if re.search(rf"^<!-- card: id={re.escape(key)}[ -]", note, re.MULTILINE):
                return note.rstrip()
    message = f"no note {key}"
    raise LookupError(message)


def write_vocabulary(folder: Path) -> Path:
    """Write the deck of docs/note-types.md."""
    page = (ROOT / "docs" / "note-types.md").read_text("utf-8")
    note_type = folder / "notetypes" / "vocabulary"
    note_type.mkdir(parents=True)
    for name, text in re.findall(r"`(\w+\.(?:front|back)\.html)`:\n\n```html\n(.*?)```\n", page, re.DOTALL):
        (note_type / name).write_text(text, "utf-8")
    for name, language in (("notetype.json", "json"), ("style.css", "css")):
        (text,) = re.findall(rf"^```{language}\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
        (note_type / name).write_text(text, "utf-8")
    (source,) = re.findall(r"^```markdown\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    (folder / "animals.md").write_text(source, "utf-8")
    (folder / "deck.toml").write_text('name = "Japanese"\nid = "6f0c2c0e"\n', "utf-8")
    (folder / "media").mkdir()
    (folder / "media" / "neko.mp3").write_bytes(b"miaow")
    return folder


def _source(picture: str) -> str:
    """Return the source of what a picture shows; the reviews in `reviews` are made up."""
    if picture in CHEAT_SHEET:
        return CHEAT_SHEET[picture]
    if key := SHOWN[picture]:
        return source_of(key)
    if picture == "vocabulary":
        page = (ROOT / "docs" / "note-types.md").read_text("utf-8")
        return "\n".join(re.findall(r"^```\w+\n.*?^```$", page, re.DOTALL | re.MULTILINE))
    return example() if picture == "card" else ""


def digest(picture: str) -> str:
    """Return a digest of the note that a picture shows, and of the CSS and pages that it is shown in."""
    files = _WINDOWS if picture in IN_ANKI else (*_LOOK, *_PAGES.get(picture, ()))
    parts = [_source(picture), *((ROOT / name).read_text("utf-8") for name in files)]
    if picture in IN_ANKI:
        parts.append(json.dumps(texts_in(ENGLISH)))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def record(drawn: Container[str]) -> None:
    """Store the digests of pictures that were just drawn."""
    known = recorded() if DIGESTS.exists() else {}
    digests = {name: digest(name) if name in drawn else known.get(name, "") for name in PICTURES}
    DIGESTS.write_text(json.dumps(digests, indent=2) + "\n", "utf-8")


def recorded() -> dict[str, str]:
    """Return the digests from when the pictures were drawn."""
    found: dict[str, str] = json.loads(DIGESTS.read_text("utf-8"))
    return found
