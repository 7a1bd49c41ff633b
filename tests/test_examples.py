"""The decks in `examples/` are complete, well formed, and imported into the real Anki."""

import shutil
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from anki_backend import assert_healthy, deck_counts, import_package, learner, notes_by_guid
from conftest import Ran
from ptcards.workspace import Workspace

SKY = Path(__file__).parent.parent / "examples" / "sky"

Run = Callable[..., Ran]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a copy of the deck, so that a build cannot change the lock that is committed."""
    return Path(shutil.copytree(SKY, tmp_path / "sky"))


def test_check_has_nothing_to_say_about_the_sky(ptcards: Run, copy: Path) -> None:
    assert ptcards("check", copy, "--strict") == Ran(0, "", "Checked 41 notes: nothing to report\n")


def test_anki_has_the_decks_and_cards_that_the_readme_of_the_sky_counts(
    ptcards: Run, copy: Path, tmp_path: Path
) -> None:
    ran = ptcards("build", copy, "--locked", "-o", tmp_path, "--format", "apkg")
    assert (ran.status, "Built The sky: 41 notes, 80 cards" in ran.err) == (0, True), ran.err
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in (SKY / "README.md").read_text("utf-8").splitlines()
        if line.startswith(("| 1 ", "| 2 ", "| 3 ", "| 4 "))
    ]
    with learner(tmp_path / "anki") as collection:
        assert import_package(collection, tmp_path / "the-sky.apkg") == {"new": 41}
        assert_healthy(collection)
        assert {f"The sky::{name}": int(cards) for name, _, cards, _ in rows} == {
            deck: cards for deck, cards in deck_counts(collection).items() if cards
        }
        notes: dict[str, int] = {}
        for note in notes_by_guid(collection).values():
            deck = collection.decks.name(note.cards()[0].did)
            notes[deck] = notes.get(deck, 0) + 1
        assert {f"The sky::{name}": int(count) for name, count, _, _ in rows} == notes
        media = {file.name for file in Path(collection.media.dir()).iterdir()}
        assert {file.name for file in (SKY / "media").iterdir()} <= media


def test_sounds_of_the_sky_are_small() -> None:
    """A phone downloads a deck with its sounds."""
    sounds = sorted((SKY / "media").iterdir())
    assert (len(sounds), [each.name for each in sounds if each.stat().st_size > 15_000]) == (12, [])


def test_every_question_about_the_sky_names_its_source() -> None:
    (contents,) = Workspace.read([SKY]).contents
    assert [note.id for note in contents.notes if not note.own_type and not note.sources.markdown] == []


def test_each_drawing_of_the_sky_has_a_dark_version_with_the_same_texts() -> None:
    drawings = {file.name: _texts(file) for file in (SKY / "img").iterdir()}
    light = {name: texts for name, texts in drawings.items() if not name.endswith(".dark.svg")}
    assert {
        name.replace(".dark", ""): texts for name, texts in drawings.items() if name not in light
    } == light
    assert len(light) == 5


def _texts(drawing: Path) -> tuple[str, ...]:
    """Return the size of a drawing and all that can be read in it."""
    svg = ET.parse(drawing).getroot()
    return svg.attrib["viewBox"], *(text.strip() for text in svg.itertext() if text.strip())
