"""An author who edits lists: inserts, deletes, moves, rewords, splits, merges and swaps their items.

Each item knows the items that it comes from, so that a test can tell whether a number is on the right one.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count

VERBS = "Compute Zero Update Collect Average Normalise Save Load Shuffle Split Check Log Scale Clip Move Copy".split()
THINGS = (
    "the loss|the gradients|the weights|the batch|the learning rate|the hidden state|the attention scores|"
    "the running mean|the optimizer state|the validation set|the scaler|the logits|the tokens|the model"
).split("|")
PLACES = (
    "|on every step|before the next epoch|on the GPU|for each parameter|of the last layer|with the new batch|"
    "in the training loop|once per epoch|without recording a graph|under `torch.no_grad()`|for 10 epochs"
).split("|")
NAMES = "SYN SYN-ACK ACK FIN `Linear` ReLU Dropout Softmax Physical Network Transport Session `zero_grad()`".split()
EXTRAS = ("again", "first", "as usual", "if needed", "and keep it")
SMALL = {"the": "a", "every": "each", "before": "until", "once": "one time", "new": "next"}


@dataclass(frozen=True)
class Item:
    """An item of a list; `origins` are the items that it is, or was a part of."""

    text: str
    origins: frozenset[int]


@dataclass
class Author:
    """Somebody who edits one list."""

    chance: random.Random
    items: list[Item] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    """the texts of all items: one that was deleted would be the same item again"""
    numbers: Iterator[int] = field(default_factory=count)

    def begin(self) -> None:
        for _ in range(self.chance.randint(3, 9)):
            self.insert()

    def edit(self) -> None:
        """Make one random edit that the list allows."""
        kinds = [
            self.insert,
            self.delete,
            self.move,
            self.reword,
            self.reword,
            self.split,
            self.merge,
            self.swap,
        ]
        while not self.chance.choice(kinds)():
            pass

    def new_text(self) -> str:
        if self.chance.random() < 0.25:
            return self.chance.choice(NAMES)
        words = (self.chance.choice(each) for each in (VERBS, THINGS, PLACES))
        return " ".join(word for word in words if word) + self.chance.choice(("", ".", "."))

    def insert(self) -> bool:
        text = self.new_text()
        if len(self.items) > 30 or text.casefold().rstrip(".") in self.seen:
            return False
        self.seen.add(text.casefold().rstrip("."))
        place = self.chance.randint(0, len(self.items))
        self.items.insert(place, Item(text, frozenset({next(self.numbers)})))
        return True

    def delete(self) -> bool:
        if len(self.items) > 2:
            self.items.pop(self.chance.randrange(len(self.items)))
            return True
        return False

    def move(self) -> bool:
        item = self.items.pop(self.chance.randrange(len(self.items)))
        self.items.insert(self.chance.randint(0, len(self.items)), item)
        return True

    def swap(self) -> bool:
        one, other = self.chance.sample(range(len(self.items)), 2)
        self.items[one], self.items[other] = self.items[other], self.items[one]
        return True

    def reword(self) -> bool:
        place = self.chance.randrange(len(self.items))
        item = self.items[place]
        text = self.chance.choice([self.typo, self.typography, self.extended, self.shortened, self.small])(
            item.text
        )
        if text == item.text or not text or text in {each.text for each in self.items}:
            return False
        self.items[place] = replace(item, text=text)
        return True

    def typo(self, text: str) -> str:
        words = text.split(" ")
        long = [n for n, word in enumerate(words) if len(word) > 4 and word.isalpha()]
        if not long:
            return text
        n = self.chance.choice(long)
        at = self.chance.randrange(1, len(words[n]) - 2)
        word = words[n]
        words[n] = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        return " ".join(words)

    def typography(self, text: str) -> str:
        return self.chance.choice(
            [
                text.rstrip("."),
                f"{text.rstrip('.')}.",
                text.replace("the ", "the *", 1).replace("*", "", 1),
                text.lower(),
            ]
        )

    def extended(self, text: str) -> str:
        return f"{text.rstrip('.')} {self.chance.choice(EXTRAS)}"

    def shortened(self, text: str) -> str:
        words = text.split(" ")
        return " ".join(words[:-1]) if len(words) > 4 else text

    def small(self, text: str) -> str:
        words = text.split(" ")
        if some := [n for n, word in enumerate(words) if word in SMALL]:
            n = self.chance.choice(some)
            words[n] = SMALL[words[n]]
        return " ".join(words)

    def split(self) -> bool:
        place = self.chance.randrange(len(self.items))
        item = self.items[place]
        words = item.text.split(" ")
        if len(words) < 5:
            return False
        at = self.chance.randint(2, len(words) - 2)
        parts = " ".join(words[:at]), " ".join(words[at:]).capitalize()
        if {*parts} & {each.text for each in self.items}:
            return False
        self.items[place : place + 1] = [Item(part, item.origins) for part in parts]
        return True

    def merge(self) -> bool:
        if len(self.items) < 3:
            return False
        place = self.chance.randrange(len(self.items) - 1)
        one, other = self.items[place : place + 2]
        text = f"{one.text.rstrip('.')}, and {other.text[:1].lower()}{other.text[1:]}"
        if len(text) > 150:
            return False
        self.items[place : place + 2] = [Item(text, one.origins | other.origins)]
        return True
