"""`order` in `deck.toml`: the positions of new cards in the real Anki, and the order of all other outputs."""

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from anki.collection import Collection

from anki_backend import assert_healthy, import_package, import_text, learner
from conftest import Ran
from ptcards.extensions.preview.preview_cards import Preview
from ptcards.workspace import ReadOptions
from pushing import World, anki, query, shared, world

__all__ = ["anki", "shared", "world"]

Run = Callable[..., Ran]
Write = Callable[[dict[str, str | bytes]], Path]

TOML = 'name = "D"\nid = "d"\n'
ORDER = 'order = ["Tensors", "Autograd", "Tensors::Views"]\n'
FILES: dict[str, str | bytes] = {
    "deck.toml": TOML,
    "architectures.md": "# Architectures\n\n## Net?\n\n1\n\n# Autograd\n\n## Tape?\n\n2\n",
    "autograd.md": "# Autograd\n\n## Hook?\n\n3\n\n## Leaf?\n\n{{c1::One}} and {{c2::two}}.\n",
    "plain.md": "---\ndeck: ''\n---\n## Root?\n\n4\n",
    "tensors.md": "# Tensors\n\n## Tensor?\n\n5\n\n## Stride?\n\n6\n",
    "tensors/views.md": "# Views\n\n## View?\n\n7\n",
    "tensors/more.md": "# More\n\n## More?\n\n8\n",
}
AS_WRITTEN = ["Net?", "Tape?", "Hook?", "Leaf?", "Root?", "Tensor?", "Stride?", "More?", "View?"]
IN_ORDER = ["Tensor?", "Stride?", "More?", "Tape?", "Hook?", "Leaf?", "View?", "Net?", "Root?"]


@pytest.fixture
def built(write: Write, ptcards: Run) -> Path:
    """Return a collection with an order, and all its outputs in `out`."""
    root = write(FILES | {"deck.toml": TOML + ORDER})
    formats = [word for name in ("apkg", "csv", "html", "anki-csv") for word in ("--format", name)]
    assert ptcards("build", root, "-o", root / "out", *formats).status == 0
    return root


def short(question: str) -> str:
    """Return a question without its tags."""
    return re.sub("<.*?>", "", question)


def positions(collection: Collection) -> list[tuple[int, str]]:
    """Return the position and the question of each new card."""
    cards = map(collection.get_card, collection.find_cards("is:new", order="c.due, c.ord"))
    return [(card.due, short(card.note().fields[0])) for card in cards]


def numbered(questions: list[str]) -> list[tuple[int, str]]:
    """Return the positions that an import gives the cards; the cloze note has two."""
    places = list(enumerate(questions, 1))
    return [each for each in places for _ in range(1 + (each[1] == "Leaf?"))]


def test_positions_run_through_the_whole_collection_in_source_order(
    write: Write, ptcards: Run, tmp_path: Path
) -> None:
    root = write(FILES)
    ptcards("build", root, "-o", root / "out")
    with learner(tmp_path / "anki") as collection:
        import_package(collection, root / "out/d.apkg")
        assert positions(collection) == numbered(AS_WRITTEN)
        assert_healthy(collection)


def test_an_order_decides_the_positions_of_new_cards(built: Path, tmp_path: Path) -> None:
    with learner(tmp_path / "anki") as collection:
        import_package(collection, built / "out/d.apkg")
        assert positions(collection) == numbered(IN_ORDER)
        assert_healthy(collection)


def test_a_learner_who_gathers_by_position_meets_the_decks_in_order(built: Path, tmp_path: Path) -> None:
    with learner(tmp_path / "anki") as collection:
        import_package(collection, built / "out/d.apkg")
        root = collection.decks.id_for_name("D")
        assert root is not None
        assert "New card gather order › Ascending position" in collection.decks.get(root)["desc"]
        collection.decks.set_current(root)
        seen = {}
        for order in ("DECK", "LOWEST_POSITION"):
            preset = collection.decks.config_dict_for_deck_id(root)
            preset["newGatherPriority"] = {"DECK": 0, "LOWEST_POSITION": 1}[order]
            preset["newSortOrder"] = 1  # as gathered
            preset["new"]["perDay"] = 4
            collection.decks.update_config(preset)
            queue = collection.sched.get_queued_cards(fetch_limit=4).cards
            notes = [collection.get_note(each.card.note_id) for each in queue]
            seen[order] = [short(note.fields[0]) for note in notes]
        assert seen == {"DECK": ["Root?", "Net?", "Tape?", "Hook?"], "LOWEST_POSITION": IN_ORDER[:4]}


def test_the_positions_of_cards_that_learners_have_stay(built: Path, ptcards: Run, tmp_path: Path) -> None:
    with learner(tmp_path / "anki") as collection:
        import_package(collection, built / "out/d.apkg")
        before = positions(collection)
        (built / "deck.toml").write_text(TOML + 'order = ["Architectures"]\n')
        lock = (built / "deck.lock").read_bytes()
        ran = ptcards("build", built, "-o", built / "out")
        assert (ran.status, (built / "deck.lock").read_bytes()) == (0, lock)
        assert import_package(collection, built / "out/d.apkg") == {"duplicate": 9}
        assert positions(collection) == before
        assert_healthy(collection)


def test_every_other_output_has_the_same_order(built: Path) -> None:
    rows = list(csv.DictReader(io.StringIO((built / "out/d.csv").read_text("utf-8-sig"))))
    assert [row["question"] for row in rows] == IN_ORDER
    data = re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', (built / "out/d.html").read_text("utf-8"))
    assert data
    page = json.loads(data[1])
    assert [short(fields[0]) for *_, fields, _ in page["notes"]] == IN_ORDER
    shown = Preview([built], ReadOptions()).read(identified=False)
    cards = {card.id: card.note for card in shown.cards}
    assert [cards[each].title for each in shown.order] == IN_ORDER


def test_the_file_for_ankis_csv_import_has_the_order_too(built: Path, tmp_path: Path) -> None:
    with learner(tmp_path / "anki") as collection:
        import_package(collection, built / "out/d.apkg")
        collection.remove_notes(collection.find_notes(""))
        import_text(collection, built / "out/d.anki.csv")
        # The root and each parent come before their subdecks, or Anki would add them a second time.
        assert positions(collection) == numbered(["Root?", *IN_ORDER[:-1]])


def test_a_name_that_no_deck_has_is_reported(write: Write, ptcards: Run) -> None:
    order = 'order = ["Tensor", "Tensors::Views", "D::Autograd", "zzz"]\n'
    root = write(FILES | {"deck.toml": TOML + order})
    ran = ptcards("check", root, "--select", "no-such-deck")
    fixes = {
        "D::Autograd": "did you mean `Autograd`?",
        "Tensor": "did you mean `Tensors`?",
        "zzz": "name a deck below `D`, or remove the name",
    }
    found = {
        order.index(f'"{name}"')
        + 2: f"warning[no-such-deck] `order` names `{name}`, but no deck has this name\n"
        f"  |\n3 | {order}  | {' ' * order.index(name)}{'^' * len(name)}\n  = help: {fix}\n\n"
        for name, fix in fixes.items()
    }
    shown = [f"deck.toml:3:{column}: {found[column]}" for column in sorted(found)]
    assert ran == Ran(0, "".join(shown) + "3 warnings\n", "")


def test_a_push_adds_new_cards_in_order(world: World) -> None:
    (world.folder / "deck.toml").write_text('name = "Mini"\nid = "abcdef12"\norder = ["Beta", "Alpha"]\n')
    world.write("a.md", "Alpha", "a0: first", "a1: second")
    world.write("b.md", "Beta", "b0: first")
    assert world.push().status == 0
    found = {key: world.do("card", query(key))[2] for key in ("a0", "a1", "b0")}
    assert sorted(found, key=lambda key: found[key]) == ["b0", "a0", "a1"]
