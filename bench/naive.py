"""The script that people would otherwise write, with `markdown.markdown()` and genanki.

    python bench/naive.py FOLDER OUTPUT.apkg

It reads only the decks that `bench/decks.py` writes, and has no lock, no diagnostics and no kinds.
"""

import re
import sys
from pathlib import Path

import genanki
import markdown

MODEL = genanki.Model(
    1_700_000_001,
    "Naive",
    fields=[{"name": "Question"}, {"name": "Answer"}],
    templates=[{"name": "Card", "qfmt": "{{Question}}", "afmt": "{{FrontSide}}<hr id=answer>{{Answer}}"}],
)


def main(folder: Path, output: Path) -> None:
    """Build one package from a folder of Markdown files."""
    decks = []
    for number, file in enumerate(sorted(folder.rglob("*.md"))):
        title, *notes = re.split(r"^## ", file.read_text("utf-8"), flags=re.MULTILINE)
        name = title.strip("# \n")
        deck = genanki.Deck(1_700_000_002 + number, f"Bench::{file.parent.name}::{name}")
        for note in notes:
            question, _, answer = note.partition("\n")
            deck.add_note(genanki.Note(MODEL, [_html(question), _html(answer)]))
        decks.append(deck)
    genanki.Package(decks).write_to_file(output)


def _html(text: str) -> str:
    return markdown.markdown(text, extensions=["extra", "codehilite", "sane_lists"])


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
