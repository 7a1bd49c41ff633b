"""The deck in docs/note-types.md is built as written, and matches the page."""

import re
from collections.abc import Callable
from pathlib import Path

from anki_backend import assert_healthy, cards_of, import_package, learner, notes_by_guid, sides
from conftest import Ran

PAGE = Path(__file__).parent.parent / "docs" / "note-types.md"


def deck(folder: Path) -> Path:
    """Write the deck of the page."""
    page = PAGE.read_text("utf-8")
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


def test_the_deck_of_the_page_is_what_anki_shows(tmp_path: Path, ptcards: Callable[..., Ran]) -> None:
    ran = ptcards("build", deck(tmp_path / "japanese"), "-o", tmp_path, "--format", "apkg")
    assert (ran.status, "Built Japanese: 2 notes, 4 cards" in ran.err) == (0, True), ran.err
    with learner(tmp_path / "anki") as collection:
        assert import_package(collection, tmp_path / "japanese.apkg") == {"new": 2}
        assert_healthy(collection)
        notes = {note.fields[0]: note for note in notes_by_guid(collection).values()}
        assert {word: note.fields for word, note in notes.items()} == {
            "猫": ["猫", "cat", "ねこ", "[sound:neko.mp3]", "<strong>猫</strong>がいる。"],
            "犬": ["犬", "dog", "", "", ""],
        }
        recognise, recall = cards_of(collection, notes["犬"].guid)
        assert sides(recognise) == (
            '<div class="word">犬</div>\n\n',
            '<div class="word">犬</div>\n\n\n<hr id="answer">\n\n<div>dog</div>\n\n',
        )
        assert sides(recall)[0] == "<div>dog</div>\n"
        assert (Path(collection.media.dir()) / "neko.mp3").read_bytes() == b"miaow"
