"""Releases of the real command, with the built-in note types, in the Anki of somebody who follows them."""

import re
import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from addon.collection import differences
from addon.listing import lines_of
from anki_backend import assert_healthy, import_package, learner
from following import ADDRESS, Follower
from made_pictures import png
from ptcards.extensions.publish.release.feed import append, format_feed
from ptcards.extensions.publish.release.published import read_package_file, read_published
from ptcards.extensions.publish.subscription.feed import read_feed
from ptcards.extensions.publish.subscription.package import read_package
from ptcards.extensions.publish.subscription.update import Counts, FeedSource
from releasing import Publisher, publisher

__all__ = ["publisher"]

WHY = "## Why `no_grad`?\n\nIt saves memory.\n\n"
LEAF = "## What is a leaf?\n\nA tensor. It has no history.\n\n"
HOOK = "## What is a hook?\n\nA function.\n\n"
CLOZE = "## Grad\n\nThe gradient is in {{`grad`}}.\n\n"


@dataclass
class Deck:
    """What a publisher has released."""

    publisher: Publisher
    id: str = "6f0c2c0e"

    @property
    def file(self) -> Path:
        return self.publisher.package

    def release(self, version: str, *arguments: str, **sources: str) -> FeedSource:
        self.publisher.write(**sources)
        self.publisher.publish_release(version, *arguments, date=int(float(version) * 100_000))
        return self.source

    @property
    def source(self) -> FeedSource:
        feed = read_feed((self.publisher.dist / "deck.json").read_bytes())
        return FeedSource(ADDRESS, feed, read_package(self.file))

    def render_again(self, before: FeedSource) -> FeedSource:
        """Let another renderer write the newest package: all texts differ, and no time does."""
        file = self.file
        with zipfile.ZipFile(file) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        with closing(sqlite3.connect(":memory:")) as database:
            database.deserialize(members["collection.anki2"])
            database.execute("update notes set flds = replace(flds, '<p>', '<p dir=\"auto\">')")
            database.commit()
            members["collection.anki2"] = database.serialize()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in members.items():
                archive.writestr(name, content)
        newest = self.source.feed.newest
        feed = append(before.feed, newest.version, newest.time, read_published(file))
        feed = replace(feed, package=read_package_file(file, file.name))
        (self.publisher.dist / "deck.json").write_bytes(format_feed(feed))
        return self.source


@pytest.fixture
def deck(publisher: Publisher) -> Deck:
    return Deck(publisher)


@pytest.fixture
def anna(tmp_path: Path, deck: Deck) -> Iterator[Follower]:
    with learner(tmp_path / "anna") as col:
        yield Follower(col, deck, tmp_path / "work.apkg")


def guid_of(source: FeedSource, text: str) -> str:
    return next(guid for guid, note in source.package.notes.items() if text in note.text)


def texts(anna: Follower) -> list[tuple[str, str, int]]:
    assert anna.col.db
    return [tuple(row) for row in anna.col.db.all("select guid, flds, mod from notes order by id")]


@pytest.mark.slow
def test_releases_of_the_real_command_arrive(deck: Deck, anna: Follower) -> None:
    first = deck.release("1.0", "--first", autograd=f"# Autograd\n\n{WHY}{LEAF}{HOOK}{CLOZE}")
    assert anna.update(first).update.counts == Counts(new=4)
    leaf, hook, why = (guid_of(first, text) for text in ("leaf", "hook", "no_grad"))
    anna.edit(leaf, Hint="mine")
    anna.edit(hook, Answer="mine")
    better = LEAF.replace("A tensor.", "A tensor that you made.")
    second = deck.release(
        "1.1",
        autograd=f"# Autograd\n\n{better}{HOOK.replace('A function.', 'A callable.')}{CLOZE}",
        optim=f"# Optim\n\n{WHY}## What is a step?\n\nOne.\n",
    )
    update = anna.look(second)
    assert update.counts == Counts(new=1, merged=1, moved=1, conflicts=1)
    assert [each.kind for each in lines_of(update, 9) if each.field] == ["yours", "authors", "words", "new"]
    assert update.dangers == ()
    anna.update(second)
    note = anna.col.get_note(anna.nid(leaf))
    assert ("that you made" in note["Answer"], note["Hint"]) == (True, "mine")
    assert (anna.fields(hook)[1], anna.decks(why)) == ("mine", ["PyTorch::Optim"])
    assert anna.subscription.waiting == {hook: (1001,)}
    assert anna.look(second).is_empty
    assert_healthy(anna.col)


@pytest.mark.slow
def test_another_renderer_and_then_a_renamed_deck_write_no_field(deck: Deck, anna: Follower) -> None:
    """The field `Topic` follows the deck, and is no text of the author's."""
    sources = f"{WHY}{LEAF}{HOOK}{CLOZE}"
    first = deck.release("1.0", "--first", autograd=f"# Autograd\n\n{sources}")
    anna.update(first)
    hook = guid_of(first, "hook")
    anna.edit(hook, Hint="mine")
    before = texts(anna)
    deck.release("1.1", autograd=f"# Autograd\n\n{sources}")
    second = deck.render_again(first)
    assert (second.feed.newest.changed, second.package.notes != first.package.notes) == (0, True)
    update = anna.look(second)
    assert (update.counts, {*update.descriptions}) == (Counts(), {"PyTorch"})  # it names the version
    anna.update(second)
    deck.release("1.2", autograd=f"# Autodiff\n\n{sources}")
    third = deck.render_again(second)
    update = anna.look(third)
    assert (update.counts, update.renamed) == (Counts(), {"PyTorch::Autograd": "PyTorch::Autodiff"})
    anna.update(third)
    assert (texts(anna), anna.decks(hook)) == (before, ["PyTorch::Autodiff"])
    assert anna.look(third).is_empty


@pytest.mark.slow
def test_a_deck_with_earlier_locks_in_git_is_followed(deck: Deck, anna: Follower) -> None:
    """Release 0 has only times and decks: an untouched note is updated, and what else differs waits."""
    publisher = deck.publisher
    publisher.write(autograd=f"# Autograd\n\n{WHY}{LEAF}{HOOK}")
    old = publisher.publish("v0.9")
    import_package(anna.col, old)
    first = deck.release(
        "1.0",
        "--first",
        autograd=f"# Autograd\n\n{WHY}{LEAF.replace('A tensor', 'The tensor')}{HOOK.replace('A function', 'The function')}",
    )
    leaf, hook = guid_of(first, "leaf"), guid_of(first, "hook")
    anna.edit(hook, Answer="mine")
    update = anna.look(first)
    assert (update.here, update.counts) == (3, Counts(changed=1, conflicts=1))
    anna.update(first)
    assert ("The tensor" in anna.fields(leaf)[1], anna.fields(hook)[1]) == (True, "mine")
    assert anna.subscription.waiting == {hook: (1001,)}


@pytest.mark.slow
def test_a_follower_of_a_sequence_keeps_the_cards_of_its_items(deck: Deck, anna: Follower) -> None:
    steps = "## Steps?\n<!-- card: kind=sequence before=1 -->\n\n"
    first = deck.release("1.0", "--first", loop=f"# Loop\n\n{steps}5. forward\n6. backward\n7. step\n")
    anna.update(first)
    guid = guid_of(first, "Steps?")
    before = {card.ord: card.id for card in anna.col.get_note(anna.nid(guid)).cards()}
    second = deck.release("1.1", loop=f"# Loop\n\n{steps}5. clear\n6. forward\n7. step it\n8. log\n")
    update = anna.look(second)
    assert (update.counts, update.dangers) == (Counts(changed=1), ())
    anna.update(second)
    note = anna.col.get_note(anna.nid(guid))
    assert re.findall(r"\{\{c(\d+)::(\w[\w ]*)\}\}", note["Answer"]) == [
        ("4", "clear"),
        ("1", "forward"),
        ("3", "step it"),
        ("5", "log"),
    ]
    after = {card.ord: card.id for card in note.cards()}
    assert (after | before, sorted(after.keys() - before.keys())) == (after, [3, 4])
    assert anna.look(second).is_empty
    anna.edit(guid, Hint="mine")
    assert anna.look(second).is_empty


STEPS = "# Loop\n\n## Steps?\n<!-- card: kind={} -->\n\nSo:\n\n"


def listed(anna: Follower, guid: str) -> list[tuple[int, str]]:
    answer = anna.col.get_note(anna.nid(guid))["Answer"]
    return [(int(number), text) for number, text in re.findall(r"\{\{c(\d+)::([^{}]+)\}\}", answer)]


def schedules(anna: Follower, guid: str) -> dict[int, int]:
    """Return the interval of each card of a note by the number of its item."""
    return {card.ord + 1: card.ivl for card in anna.cards(guid)}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sequence", "sequence before=1", "set"])
def test_items_that_the_author_and_a_learner_changed_are_merged(
    deck: Deck, anna: Follower, kind: str
) -> None:
    head = STEPS.format(kind)
    first = deck.release("1.0", "--first", loop=f"{head}1. forward\n2. backward\n3. step\n4. log\n")
    anna.update(first)
    guid = guid_of(first, "Steps?")
    for card in anna.cards(guid):
        card.type, card.queue, card.ivl, card.reps = 2, 2, 10 * (card.ord + 1), 3
        anna.col.update_card(card)
    answer = anna.col.get_note(anna.nid(guid))["Answer"]
    anna.edit(guid, Answer=answer.replace("backward", "my <b>backward</b>").replace("So:", "Mine:"))
    second = deck.release(
        "1.1", loop=f"{head}1. clear all gradients\n2. log\n3. forward\n4. backward\n5. step it\n6. repeat\n"
    )
    update = anna.look(second)
    assert (update.counts, update.dangers) == (Counts(merged=1), ())
    (line,) = (each for each in lines_of(update, 9) if each.field)
    assert (line.kind, line.field) == ("words", "Answer")
    assert [each.text.strip() for each in line.words if each.mark == "-"] == ["log"]
    assert not [each for each in line.words if "backward" in each.text and each.mark]
    anna.update(second)
    assert listed(anna, guid) == [
        (5, "clear all gradients"),
        (4, "log"),
        (1, "forward"),
        (2, "my <b>backward</b>"),
        (3, "step it"),
        (6, "repeat"),
    ]
    assert "Mine:" in anna.fields(guid)[1]
    assert schedules(anna, guid) == {1: 10, 2: 20, 3: 30, 4: 40, 5: 0, 6: 0}
    assert (anna.look(second).is_empty, anna.subscription.waiting) == (True, {})
    anna.edit(guid, Answer=anna.fields(guid)[1].replace("{{c6::repeat}}", "{{c6::repeat it}}"))
    third = deck.release(
        "1.2",
        loop=f"{head}1. clear all gradients\n2. forward\n3. backwards, too\n4. step it\n5. repeat\n6. save\n",
    )
    assert anna.update(third).update.counts == Counts(conflicts=1)
    assert listed(anna, guid) == [
        (5, "clear all gradients"),
        (1, "forward"),
        (2, "my <b>backward</b>"),
        (3, "step it"),
        (6, "repeat it"),
        (7, "save"),
    ]
    assert schedules(anna, guid) == {1: 10, 2: 20, 3: 30, 4: 40, 5: 0, 6: 0, 7: 0}
    assert [*anna.subscription.waiting] == [guid]
    (difference,) = (each for each in differences(anna.col, third) if each.waits)
    assert (difference.field, "backwards, too" in difference.authors) == ("Answer", True)
    assert anna.look(third).is_empty


@pytest.mark.slow
def test_a_new_item_never_gets_the_card_of_one_that_a_learner_added(deck: Deck, anna: Follower) -> None:
    head = STEPS.format("set")
    first = deck.release("1.0", "--first", loop=f"{head}- forward\n- backward\n")
    anna.update(first)
    guid = guid_of(first, "Steps?")
    anna.edit(guid, Answer=anna.fields(guid)[1].replace("</div>", "{{c3::mine}}<br></div>"))
    second = deck.release("1.1", loop=f"{head}- forward\n- backward\n- step\n")
    assert anna.update(second).update.counts == Counts(conflicts=1)
    assert listed(anna, guid) == [(1, "forward"), (2, "backward"), (3, "mine")]
    assert [*anna.subscription.waiting] == [guid]


@pytest.mark.slow
def test_a_follower_of_a_picture_with_boxes_gets_a_note_type_of_image_occlusions(
    deck: Deck, anna: Follower
) -> None:
    heart = "# Heart\n\n## Name the parts.\n<!-- card: kind=occlusion -->\n\n![](heart.png)\n\n- 12% 30% 18% 6%: Aorta\n"
    deck.publisher.write(heart=heart)
    (deck.publisher.folder / "heart.png").write_bytes(png(80, 60))
    first = deck.release("1.0", "--first", heart=heart)
    (picture,) = first.package.media
    update = anna.update(first).update
    assert (update.counts, update.dangers, update.plan.looks) == (Counts(new=1), (), ())
    nid = anna.nid(guid_of(first, "Name the parts."))
    assert boxes_in_editor(anna, nid) == [picture, "rect", "Name the parts."]
    assert anna.look(first).is_empty

    second = deck.release("1.1", heart=f"{heart}- 40% 55% 10% 8%: Ventricle\n")
    update = anna.look(second)
    assert (update.counts, update.dangers, update.plan.looks) == (Counts(changed=1), (), ())
    anna.update(second)
    assert boxes_in_editor(anna, nid) == [picture, "rect", "rect", "Name the parts."]
    assert anna.look(second).is_empty
    assert_healthy(anna.col)


def boxes_in_editor(anna: Follower, nid: int) -> list[str]:
    """Return the picture, the shapes and the header that Anki's editor of image occlusions shows."""
    model = anna.col.get_note(nid).note_type()
    assert model
    kept = [(each["tag"], each["preventDeletion"]) for each in model["flds"][:5]]
    assert (model["originalStockKind"], kept) == (6, [(number, True) for number in range(5)])
    assert [each["tag"] for each in model["flds"][5:]] == [None] * (len(model["flds"]) - 5)
    shown = anna.col._backend.get_image_occlusion_note(nid).note
    shapes = [shape.shape for each in shown.occlusions for shape in each.shapes]
    return [shown.image_file_name, *shapes, re.sub("<[^>]*>", "", shown.header)]
