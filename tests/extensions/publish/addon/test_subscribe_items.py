"""Random edits of a list by its author and by a learner who follows it in the real Anki."""

import random
import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from test_subscribe_release import Deck, guid_of

from anki_backend import learner
from following import Follower
from ptcards.extensions.desktop.merge.item_lists import find_list
from releasing import Publisher, publisher

__all__ = ["publisher"]

HEAD = "# Loop\n\n## Steps?\n<!-- card: kind={} -->\n\nSo:\n\n"
LETTERS = "bcdfghjklmnprstvz"


@dataclass
class Author:
    """Somebody who edits a list; each item begins with words that no other has."""

    dice: random.Random
    items: list[str] = field(default_factory=list)
    count: int = 0

    def add(self) -> None:
        dice = self.dice
        words = ["".join(dice.choices(LETTERS, k=2)) + "a" + dice.choice(LETTERS) for _ in range(4)]
        self.count += 1
        self.items.insert(dice.randrange(len(self.items) + 1), f"{' '.join(words)} x{self.count}y, as 1")

    def edit(self) -> None:
        """Change the list a little, so that nobody could doubt which item is which."""
        place = self.dice.randrange(len(self.items))
        match self.dice.choice(("add", "reword", "reword", "move", "remove")):
            case "add":
                self.add()
            case "reword":
                text, _, number = self.items[place].rpartition(" ")
                self.items[place] = f"{text} {int(number) + 1}"
            case "move":
                self.items.insert(self.dice.randrange(len(self.items)), self.items.pop(place))
            case _ if len(self.items) > 2:  # remove it
                del self.items[place]
            case _:
                pass


def edited(answer: str, dice: random.Random, number: int) -> str:
    """Return a field after an edit of a learner's; a new item has the given number."""
    found = find_list(answer)
    assert found
    items = list(found.items)
    place = dice.randrange(len(items))
    old, text = items[place]
    match dice.choice(("reword", "reword", "move", "remove", "add")):
        case "reword":
            items[place] = (old, f"<b>my</b> {text}")
        case "move":
            items.insert(dice.randrange(len(items)), items.pop(place))
        case "add":
            items.insert(place, (number, f"<b>mine</b> x{number}y"))
        case _ if len(items) > 2:  # remove it
            del items[place]
        case _:
            pass
    return found._replace(items=tuple(items)).field


def items_of(answer: str) -> dict[int, str]:
    found = find_list(answer)
    assert found
    assert len({*found.numbers}) == len(found.numbers)
    return dict(found.items)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sequence", "sequence before=2", "set"])
def test_no_edit_of_an_item_is_lost_and_no_card_gets_another_item(
    tmp_path: Path, publisher: Publisher, kind: str
) -> None:
    seed = random.randrange(1 << 30)
    dice = random.Random(seed)
    author, deck = Author(dice), Deck(publisher)
    for _ in range(4):
        author.add()
    about: dict[int, str] = {}
    """what the item of each number is about"""
    was: dict[int, str] = {}
    with learner(tmp_path / "anna") as col:
        anna = Follower(col, deck, tmp_path / "work.apkg")
        for step in range(6):
            text = HEAD.format(kind) + "".join(f"1. {each}\n" for each in author.items)
            source = deck.release(f"1.{step}", *(() if step else ("--first",)), loop=text)
            guid = guid_of(source, "Steps?")
            theirs = items_of(anna.fields(guid)[1]) if step else {}
            before = {card.ord + 1: (card.id, card.ivl) for card in anna.cards(guid)} if step else {}
            anna.update(source)
            published, here = items_of(source.package.notes[guid].fields[1]), items_of(anna.fields(guid)[1])
            expected = {
                number: chosen
                for number in was | published | theirs
                for chosen in [(theirs if theirs.get(number) != was.get(number) else published).get(number)]
                if chosen is not None
            }
            assert here == expected, (seed, step)
            for number, item in here.items():
                (what,) = re.findall("x[0-9]+y", item)
                assert about.setdefault(number, what) == what, (seed, step)
            after = {card.ord + 1: (card.id, card.ivl) for card in anna.cards(guid)}
            assert after == after | before, (seed, step)
            assert anna.look(source).is_empty, (seed, step)
            for card in anna.cards(guid):
                card.type, card.queue, card.ivl, card.reps = 2, 2, 10 * (card.ord + 1), 3
                anna.col.update_card(card)
            was = published
            for number in range(dice.randrange(3)):
                answer = edited(anna.fields(guid)[1], dice, 200 + 10 * step + number)
                anna.edit(guid, Answer=answer)
            for _ in range(dice.randrange(1, 4)):
                author.edit()
