"""An author who edits the boxes of a picture: draws, moves, resizes, relabels, deletes and reorders them.

Each box has a number of its own, so that a test can tell whether a card is on the right one.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count

LABELS = "Rib|Rib|Rib|Left ventricle|Right ventricle|Left atrium|Right atrium|Aorta|Vein|Valve|Node|Septum|Apex".split(
    "|"
)


@dataclass(frozen=True)
class DrawnBox:
    """A box on a picture, in percent, and which one it is."""

    left: float
    top: float
    width: float
    height: float
    label: str
    origin: int

    @property
    def line(self) -> str:
        return f"- {self.left:g}% {self.top:g}% {self.width:g}% {self.height:g}%: {self.label}\n"


@dataclass
class Illustrator:
    """Somebody who edits the boxes of one picture; two boxes may have the same label."""

    chance: random.Random
    boxes: list[DrawnBox] = field(default_factory=list)
    seen: set[tuple[float, float]] = field(default_factory=set)
    """the corners of all boxes: one that was deleted would be the same box again"""
    origins: Iterator[int] = field(default_factory=count)

    def begin(self) -> None:
        for _ in range(self.chance.randint(3, 8)):
            self.draw()

    def edit(self) -> str:
        """Make one random edit that the boxes allow; return its name."""
        kinds = [self.draw, self.move, self.move, self.resize, self.relabel, self.delete, self.reorder]
        while not (kind := self.chance.choice(kinds))():
            pass
        return kind.__name__

    def _corner(self) -> tuple[float, float]:
        while (
            corner := (self.chance.randint(0, 7000) / 100, self.chance.randint(0, 7000) / 100)
        ) in self.seen:
            pass
        self.seen.add(corner)
        return corner

    def draw(self) -> bool:
        label = self.chance.choice(LABELS)
        if len(self.boxes) > 12 or (label != "Rib" and label in {box.label for box in self.boxes}):
            return False
        place = self.chance.randint(0, len(self.boxes))
        size = self.chance.randint(2, 25), self.chance.randint(2, 25)
        self.boxes.insert(place, DrawnBox(*self._corner(), *size, label, next(self.origins)))
        return True

    def _replace(self, **new: float | str) -> bool:
        place = self.chance.randrange(len(self.boxes))
        self.boxes[place] = replace(self.boxes[place], **new)  # type: ignore[arg-type]  # its own parts
        return True

    def move(self) -> bool:
        left, top = self._corner()
        return self._replace(left=left, top=top)

    def resize(self) -> bool:
        return self._replace(width=self.chance.randint(2, 2900) / 100)

    def relabel(self) -> bool:
        return self._replace(label=self.chance.choice(["Thing", "Bone", "Muscle", "Nerve"]))

    def delete(self) -> bool:
        if len(self.boxes) > 2:
            self.boxes.pop(self.chance.randrange(len(self.boxes)))
            return True
        return False

    def reorder(self) -> bool:
        self.chance.shuffle(self.boxes)
        return True
