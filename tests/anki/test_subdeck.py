"""The chip with the name of the deck, which Anki inserts without escaping it."""

from collections.abc import Callable
from pathlib import Path

import html5lib
import pytest

from anki_backend import cards_of, deck_counts, import_package, learner, notes_by_guid, sides
from conftest import Ran
from handmade import COLLECTION_ID, package, rendered
from ptcards.anki.built_in_notetypes import note_types
from ptcards.anki.cards import card_sides
from ptcards.extensions.preview.preview_cards import Preview
from ptcards.workspace import ReadOptions, Workspace

LITERAL = ("Autograd", "R & D", "AT&T", "a < b", "1<2", "<3", "x > y", "[links]", "{{Question}}", "'\"")
OTHER = (
    *(
        "Arc<T>",
        "a <-> b",
        "<script>",
        "</div>",
        "a<!b",
        "<!-- a",
        "<?php",
        "a &amp; b",
        "&#60;b>",
        "&copy 2026",
    ),
    *("[sound:a.mp3]", "[$]x[/$]", "[latex]", "[[type:Question]]"),
)


def shows_deck(*decks: str) -> set[bool]:
    """Return whether the sides of the built-in note types show the deck; all agree."""
    types = note_types(COLLECTION_ID, "PyTorch", "", decks=decks)
    return {
        "{{text:Subdeck}}" in side for each in types for t in each.templates for side in (t.front, t.back)
    }


@pytest.mark.parametrize("level", LITERAL)
def test_the_name_of_a_deck_is_shown_as_it_is(level: str, tmp_path: Path) -> None:
    assert shows_deck("A", f"A<b>::{level}") == {True}
    note = rendered("guid", {"Question": "q"}, deck=f"PyTorch::{level}")
    with learner(tmp_path / "anki") as collection:
        import_package(collection, package(tmp_path / "a.apkg", [note]))
        shown = [sides(cards_of(collection, "guid")[0])[0]]
    qa, _ = note_types(COLLECTION_ID, "PyTorch", "")
    shown += [side.front for side in card_sides(note, qa)]
    for front in shown:
        (chip,) = html5lib.parseFragment(front, namespaceHTMLElements=False).findall(
            ".//div[@class='chips']/span"
        )
        assert (chip.text, list(chip)) == (level, [])


@pytest.mark.parametrize("level", OTHER)
def test_if_anki_would_not_show_a_name_as_it_is_no_card_shows_its_deck(level: str) -> None:
    assert shows_deck("A::b", f"A::{level}", "A::c") == {False}
    assert shows_deck(f"{level}::b") == {True}


def test_a_deck_of_a_learner_hides_no_card(tmp_path: Path) -> None:
    """Cards also stay in a deck that the author has renamed since."""
    with learner(tmp_path / "anki") as collection:
        import_package(collection, package(tmp_path / "a.apkg", [rendered("guid", {"Question": "q"})]))
        (card,) = cards_of(collection, "guid")
        collection.set_deck([card.id], collection.decks.id("Mine::<script>"))
        chips = '<div class="chips" dir="auto"><span class="chip topic"></span></div>'
        assert chips in sides(cards_of(collection, "guid")[0])[0]


SOURCES = {
    "deck.toml": 'name = "Code"\nid = "abcdef12"\nreport = "https://example.org/{guid}"\n',
    "a.md": "# Plain\n\n## What is plain?\n\nThis.\n",
    "b.md": "# `Arc<T>`\n\n## What is shared?\n<!-- card: difficulty=hard -->\n\nAn `Arc`.\n",
    "c.md": "# `<script>`\n\n## What runs?\n\nA script.\n",
}


def test_cards_of_a_collection_with_tags_as_decks_are_the_same_in_anki_and_in_the_preview(
    write: Callable[..., Path], ptcards: Callable[..., Ran], tmp_path: Path
) -> None:
    write({f"code/{name}": text for name, text in SOURCES.items()})
    assert ptcards("build", tmp_path / "code", "-o", tmp_path / "build").status == 0
    preview = Preview([tmp_path / "code"], ReadOptions())
    read = preview.read(identified=True)
    seen = sorted(
        (str(side["front"]), str(side["back"])) for card in read.order for side in preview.sides(card)
    )
    with learner(tmp_path / "anki") as collection:
        import_package(collection, tmp_path / "build/code.apkg")
        assert deck_counts(collection) == {
            "Code": 0,
            "Code::<script>": 1,
            "Code::Arc<T>": 1,
            "Code::Plain": 1,
        }
        cards = [card for guid in notes_by_guid(collection) for card in cards_of(collection, guid)]
        assert sorted(map(sides, cards)) == seen
    for (front, back), question in zip(
        seen, ("What is plain?", "What runs?", "What is shared?"), strict=True
    ):
        assert ("topic" in front, "topic" in back) == (False, False)
        assert (f'<p class="heading">{question}</p>' in front, '<div class="report">' in back) == (True, True)


def test_a_part_of_a_collection_has_the_templates_of_all_of_it(
    write: Callable[..., Path], ptcards: Callable[..., Ran], tmp_path: Path
) -> None:
    write({f"code/{name}": text for name, text in SOURCES.items()})
    assert ptcards("build", tmp_path / "code", "-o", tmp_path / "build").status == 0
    before = (tmp_path / "code/deck.lock").read_text()
    assert ptcards("build", tmp_path / "code/a.md", "-o", tmp_path / "build").status == 0
    assert (tmp_path / "code/deck.lock").read_text() == before
    (part,) = Workspace.read([tmp_path / "code/a.md"]).contents
    (whole,) = Workspace.read([tmp_path / "code"]).contents
    assert part.note_types == whole.note_types


def test_the_chip_comes_and_goes_with_such_a_deck(
    write: Callable[..., Path], ptcards: Callable[..., Ran], tmp_path: Path
) -> None:
    write({f"code/{name}": SOURCES[name] for name in ("deck.toml", "a.md")})
    types = []
    for text in ("# Arcs\n", SOURCES["b.md"].partition("\n")[0] + "\n", "# Arcs\n"):
        write({"code/b.md": text + SOURCES["b.md"].partition("\n")[2]})
        ran = ptcards("build", tmp_path / "code", "-o", tmp_path / "build")
        types.append(
            ("new look" in ran.err, Workspace.read([tmp_path / "code"]).contents[0].note_types[0].digest)
        )
    assert [is_new for is_new, _ in types] == [False, True, True]
    assert (types[0][1] == types[2][1], types[0][1] == types[1][1]) == (True, False)
