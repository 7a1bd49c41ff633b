"""HTML files made for tests: every kind of note, and notes full of attacks."""

from pathlib import Path

import xss
from handmade import COLLECTION_ID, a_note, choice, rendered
from ptcards.anki.built_in_notetypes import note_types
from ptcards.anki.fields import render_note
from ptcards.notes import Identified, Kind, Note
from ptcards.notes.rendered import RenderedNote
from ptcards.source.config import Config
from ptcards.writers.html import write_html

CONFIG = Config(name="My deck", id=COLLECTION_ID, license="CC BY 4.0")


def written(path: Path, notes: list[RenderedNote], *, config: Config = CONFIG, version: str = "") -> Path:
    types = note_types(config.id, config.name, config.css, config.report, own=config.note_types)
    write_html(path=path, config=config, note_types=types, notes=notes, version=version)
    return path


def render_all(*notes: Note) -> list[RenderedNote]:
    return [render_note(Identified(note, f"guid{n}", 1))[0] for n, note in enumerate(notes)]


def every_kind() -> list[RenderedNote]:
    options = (choice("one", "because", right=True), choice("`two`"), choice("three"))
    several = (choice("yes", right=True), choice("no"), choice("also", right=True))
    return render_all(
        a_note(
            "What is `x`?",
            "It is $x < y$.\n\n```python\nx = {{y}}\n    deep = 1\n```\n\n| a | b |\n|--:|---|\n| 1 | 2 |",
            hint="A *hint*.",
            details="More.",
            sources="- [docs](https://example.org/a?b=1&c=2)",
            difficulty="hard",
            tags=("red", "green"),
        ),
        a_note("Term", "Meaning", kind=Kind.REVERSED, deck="PyTorch::Autograd::Deep", difficulty="easy"),
        a_note("Type it", "More.", kind=Kind.TYPED, typed="a < b", deck="PyTorch::Tensors"),
        a_note("Which?", "Why.", kind=Kind.CHOICE, choices=options, deck="PyTorch::Tensors", tags=("red",)),
        a_note("Which ones?", kind=Kind.CHOICE, choices=several, deck="PyTorch::Tensors", difficulty="easy"),
        a_note("Fill in", "{{c1::one::h}} and {{c2::two}}", kind=Kind.CLOZE, deck="PyTorch::Tensors"),
        a_note("מהו גרדיאנט?", "וקטור הנגזרות.", deck="PyTorch::עברית"),
    )


def hostile_notes() -> list[RenderedNote]:
    """Return notes with each attack in every part that a page can show."""
    names = ("Question", "Answer", "Hint", "Details", "Sources", "Topic", "Difficulty", "Typed", "Choices")
    notes = []
    for number, attack in enumerate(xss.CORPUS):
        fields = dict.fromkeys(names, f"<p>{number}</p>{attack}")
        if number % 3:
            fields |= {"Choices": "", "Typed": ""}
        note_type = "qa"
        if number % 5 == 0:
            note_type = "cloze"
            fields["Answer"] = f"{{{{c1::{attack}::{attack}}}}}"
        notes.append(
            rendered(
                f"g{number}",
                fields,
                note_type=note_type,
                deck=f"A::{attack}",
                tags=(attack.replace(" ", "/"),),
            )
        )
    return notes


HOSTILE = Config(name=xss.SCRIPTS[-3], id="</script><script>", license=xss.HANDLERS[0], css=xss.CSS)
