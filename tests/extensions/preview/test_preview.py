"""The preview's reader: the last good notes, what counts as an edit, and the GUIDs of a build."""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from conftest import Ran
from handmade import a_note
from identity_release import Maintainer, author
from packages import PICTURE
from ptcards.extensions.preview.preview_cards import Preview, PreviewNote, Refresh
from ptcards.extensions.preview.server import watch
from ptcards.extensions.preview.slow_requests import changed
from ptcards.notes import Kind, Text
from ptcards.workspace import ReadOptions
from serving import KINDS, PATIENCE, write_files

__all__ = ["author"]

NOTES = "".join(f"## Question {n}?\n<!-- card: id=n{n} -->\n\nAnswer {n}.\n\n" for n in range(6))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_files(tmp_path / "kinds", KINDS | {"notes.md": f"# Notes\n\n{NOTES}"})


class Reading:
    """A preview with the page's memory: all cards that it has received."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.preview = Preview([folder], ReadOptions())
        self.cards: dict[str, PreviewNote] = {}
        self.last = self.read(identified=True)

    def read(self, *, identified: bool = False) -> Refresh:
        self.last = self.preview.read(identified=identified)
        self.cards |= {card.id: card for card in self.last.cards}
        return self.last

    def save(self, text: str) -> Refresh:
        (self.folder / "notes.md").write_text(text, encoding="utf-8")
        return self.read()

    def keys(self) -> list[str]:
        """Return the notes of `notes.md` in order; stale ones begin with `~`."""
        shown = (self.cards[card] for card in self.last.order)
        return [
            ("~" if card.stale else "") + card.note.key
            for card in shown
            if "notes.md" in card.note.location.path
        ]


def test_the_list_names_clozes_without_the_marks_of_deletions() -> None:
    note = a_note("A {{c1::view::what}} stores a [query].\n\n[query]: https://example.org", kind=Kind.CLOZE)
    note = note._replace(own_type="x-cloze", fields=(("Text", Text()),))
    assert PreviewNote("id", 0, note, note).as_json()["question"] == "A view stores a [query]."


def test_notes_that_an_open_fence_swallows_stay_in_their_places(folder: Path) -> None:
    reading = Reading(folder)
    reading.save("# Notes\n\n" + NOTES.replace("Answer 2.", "```python"))
    assert reading.keys() == ["n0", "n1", "~n2", "~n3", "~n4", "~n5"]
    reading.save("# Notes\n\n" + NOTES.replace("Answer 2.", "Fixed."))
    assert reading.keys() == ["n0", "n1", "n2", "n3", "n4", "n5"]


def test_a_question_reworded_with_an_error_shows_its_last_good_version(folder: Path) -> None:
    """The new note takes its place, instead of standing beside it, until the error is fixed."""
    reading = Reading(folder)
    text = "# Notes\n\n## Osmosis\n\nWater.\n\n## Diffusion\n\nGas.\n"
    reading.save(text)
    seen = []
    for heading in ("What is a List<T>?", "What is a Set<T>?", "What is a list?"):
        reading.save(text.replace("Osmosis", heading))
        seen.append(reading.keys())
    reading.save(text)
    reading.save(text + "\n## A new List<T>?\n\nNew.\n")
    assert [*seen, reading.keys()] == [
        ["~osmosis", "diffusion"],
        ["~osmosis", "diffusion"],
        ["what-is-a-list", "diffusion"],
        ["osmosis", "diffusion", "a-new-list-t"],
    ]


def test_a_source_that_cannot_be_read_keeps_its_place(folder: Path) -> None:
    reading = Reading(folder)
    before = reading.last.order
    (folder / "autograd.md").write_bytes(b"\xff")
    assert reading.read().order == before
    assert [problem["rule"] for problem in reading.last.problems] == ["not-utf8"]


def test_a_note_that_only_moved_is_told_but_not_as_edited(folder: Path) -> None:
    reading = Reading(folder)
    update = reading.save("# Notes\n\nAbout them.\n\n" + NOTES)
    assert (len(update.cards), update.edited) == (6, {})
    update = reading.save("# Notes\n\nAbout them.\n\n" + NOTES.replace("Answer 3.", "Other."))
    assert [reading.cards[card].note.key for card in update.edited] == ["n3"]
    assert list(update.sides) == list(update.edited)


def test_nothing_is_told_of_a_file_that_was_saved_as_it_was(folder: Path) -> None:
    update = Reading(folder).save(f"# Notes\n\n{NOTES}")
    assert (update.cards, update.edited, update.problems) == ((), {}, ())


def test_a_picture_that_was_replaced_reaches_a_source_that_was_not(folder: Path) -> None:
    (folder / "p.png").write_bytes(PICTURE)
    reading = Reading(folder)
    reading.save("# Notes\n\n## What is it?\n\n![A picture](p.png)\n")
    (name,) = (media.name for card in reading.cards.values() for media in card.note.media)
    (folder / "p.png").write_bytes(PICTURE + b"other")
    update = reading.read()
    (card,) = update.cards
    assert [(media.file.name, media.name == name) for media in card.note.media] == [("p.png", False)]
    assert update.edited == {card.id: "back"}


def test_a_source_that_was_not_touched_loses_a_key_to_another(folder: Path) -> None:
    reading = Reading(folder)
    reading.save("# Notes\n\n## What is it?\n\nThis.\n")
    (folder / "a.md").write_text("# A\n\n## What is it?\n\nThat.\n", "utf-8")
    keys = [(Path(card.note.location.path).name, card.note.key) for card in reading.read().cards]
    assert keys == [("a.md", "what-is-it"), ("notes.md", "what-is-it~2")]


def test_a_card_shows_the_guid_that_a_build_gives(folder: Path, ptcards: Callable[..., Ran]) -> None:
    deck = folder / "deck.toml"
    deck.write_text(f'{deck.read_text("utf-8")}report = "https://example.org/{{guid}}"\n', "utf-8")
    assert ptcards("build", folder, "-o", folder.parent / "out", "-q").status == 0
    lock = (folder / "deck.lock").read_text("utf-8").splitlines()
    guids = {line.split("\t")[1] for line in lock if line.startswith("note")}
    assert len(guids) == 12
    reading = Reading(folder)
    shown = [str(reading.preview.sides(card)[0]["back"]) for card in reading.last.order]
    assert [sum(guid in back for guid in guids) for back in shown] == [1] * 12


def test_the_link_for_reports_is_filled_in(folder: Path) -> None:
    deck = folder / "deck.toml"
    before = deck.read_text("utf-8")
    address = "https://example.org/?n={guid}&v={version}&q={question}&d={deck}"
    deck.write_text(f'{before}report = "{address}"\n', "utf-8")
    (folder / "notes.md").write_text('# N\n\n## Is 1 < 2 & "so"?\n<!-- card: id=i -->\n\nYes.\n', "utf-8")
    reading = Reading(folder)
    (card,) = (each for each in reading.cards.values() if each.note.key == "i")
    back = str(reading.preview.sides(card.id)[0]["back"])
    link = back.partition('<div class="report"><a href="')[2].partition('"')[0]
    guid = link.partition("n=")[2].partition("&")[0]
    question, name = quote('Is 1 < 2 & "so"?', safe=""), quote(card.note.deck, safe="")
    assert link == f"https://example.org/?n={guid}&amp;v=preview&amp;q={question}&amp;d={name}"
    assert guid
    deck.write_text(f'{before}report = "https://example.org/?n={{guid}}&d={{version}}"\n', "utf-8")
    reading.read(identified=True)
    back = str(reading.preview.sides(card.id)[0]["back"])
    assert f'"https://example.org/?n={guid}&amp;d=preview"' in back


def test_a_deck_toml_that_cannot_be_read_gives_no_card_another_guid(folder: Path) -> None:
    deck = folder / "deck.toml"
    toml = f'{deck.read_text("utf-8")}report = "https://example.org/{{guid}}"\n'
    deck.write_text(toml, "utf-8")
    reading = Reading(folder)
    expected = [reading.preview.sides(card) for card in reading.last.order]
    deck.write_text(f"{toml}tags = [a\n", "utf-8")
    reading.read(identified=True)
    assert [reading.preview.sides(card) for card in reading.last.order] == expected
    broken = Reading(folder)
    assert broken.preview.lacks_guids
    deck.write_text(toml, "utf-8")
    broken.read(identified=True)
    assert [broken.preview.sides(card) for card in broken.last.order] == expected


def test_what_is_saved_while_everything_is_read_is_seen(folder: Path) -> None:
    """The first reading of a large collection takes seconds."""
    told: list[Sequence[Path] | None] = []

    async def see_changed(files: Sequence[Path] | None) -> None:
        told.append(files)
        if len(told) == 1:
            write_files(folder, {"notes.md": "# Notes\n\n## Saved?\n\nYes.\n"})
        else:
            raise asyncio.CancelledError

    async def see() -> None:
        async with asyncio.timeout(PATIENCE):
            await watch([folder], see_changed)

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(see())
    assert told == [None, [folder / "notes.md"]]


def test_an_item_is_beside_what_it_was_if_others_were_added_before_it(author: Maintainer) -> None:
    """The preview counts the items, and learners keep the numbers that a build has given them."""
    begin = "# Autograd\n\n## How does a step run?\n<!-- card: kind=sequence id=step -->\n\n"
    author.write(a=f"{begin}1. Clear.\n1. Run.\n1. Update.\n").publish("v1.0")
    author.write(a=f"{begin}1. Clear.\n1. Compute.\n1. Run.\n1. Update it.\n")

    def asked(sides: Any) -> list[str] | None:
        return sides and re.findall('class="cloze"[^>]*>([^<]*)<', str(sides["back"]))

    (card,) = Reading(author.folder).cards
    now = [asked(sides) for sides in Reading(author.folder).preview.sides(card)]
    (found,) = changed([author.folder], ReadOptions())["cards"].values()
    assert now == [["Clear."], ["Compute."], ["Run."], ["Update it."]]
    assert [asked(sides) for sides in found["before"]] == [["Clear."], None, ["Run."], ["Update."]]


@pytest.mark.slow
def test_advice_gives_way_to_whatever_else_is_asked(tmp_path: Path) -> None:
    """Checking everything takes a second, but the next request comes much earlier."""
    notes = "".join(f"## Question {n}?\n\nAnswer {n}.\n\n" for n in range(300))
    folder = write_files(tmp_path / "many", {f"{n}.md": f"# Deck {n}\n\n{notes}" for n in range(4)})
    worker = subprocess.Popen(
        [sys.executable, "-m", "ptcards.extensions.preview.worker", "", "", folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with worker:
        assert worker.stdin
        assert worker.stdout
        requests = [{"do": "check"}, {"do": "read", "identify": False}, {"do": "check"}]
        for content in (json.dumps(each).encode() for each in requests):
            worker.stdin.write(len(content).to_bytes(4) + content)
        worker.stdin.flush()
        lengths = (int.from_bytes(worker.stdout.read(4)) for _ in requests)
        first, second, third = (json.loads(worker.stdout.read(length)) for length in lengths)
        worker.stdin.close()
    assert first == {"interrupted": True}
    assert len(second["order"]) == 1200
    assert [*third] == ["problems", "fixable"]
