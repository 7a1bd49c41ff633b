"""The deck in docs/note-types.md can be built as written, and matches what the page says about it."""

from collections.abc import Callable
from pathlib import Path

from anki_backend import assert_healthy, cards_of, import_package, learner, notes_by_guid, sides
from conftest import Ran
from shown_pictures import write_vocabulary


def test_the_deck_of_the_page_is_what_anki_shows(tmp_path: Path, ptcards: Callable[..., Ran]) -> None:
    ran = ptcards("build", write_vocabulary(tmp_path / "japanese"), "-o", tmp_path, "--format", "apkg")
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
