"""Compares an author's releases with a reference of which card is which."""

from collections import Counter
from dataclasses import dataclass, field

from author_edits import Author
from author_texts import Card


@dataclass
class Tally:
    """What was published and what went wrong; `faults` and `lost` describe errors in words.

    `lost` are notes that became new without need and without a message. `returned` counts others that were
    retired before, and came back with another question and another answer.
    """

    releases: int = 0
    published: int = 0
    faults: list[str] = field(default_factory=list)
    undelivered: int = 0
    told_wrong: int = 0
    needless_told: int = 0
    lost: list[str] = field(default_factory=list)
    returned: int = 0
    rewordings: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)
    untold: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Tally") -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


@dataclass(frozen=True)
class Shares:
    """The results of rewordings that were the only edit of a card in a release, as percentages."""

    asked: float
    asked_over_typography: float
    untold: float

    @classmethod
    def of(cls, tally: Tally) -> "Shares":
        count = tally.rewordings.total()
        return cls(
            100 * tally.asked.total() / count,
            100 * tally.asked["typography"] / tally.rewordings["typography"],
            100 * tally.untold.total() / count,
        )

    @property
    def are_few(self) -> bool:
        return self.asked <= 6 and self.asked_over_typography <= 1 and self.untold == 0


class Judge:
    """The reference: the card of each GUID, and the GUID of each card."""

    def __init__(self, author: Author) -> None:
        self.tally = Tally()
        self.guids: dict[int, str] = {}
        self.owners: dict[str, int] = {}
        self.there: set[int] = set()
        """the cards of the last release"""
        self._author = author

    def judge(self, card: Card, guid: str, said: str, *, now: dict[str, Card]) -> None:
        """Compare the GUID of a card with the reference; `said` is the message about it to the author."""
        author, tally = self._author, self.tally
        was = author.published.get(card.who)
        is_new = guid not in self.owners
        owner = self.owners.get(guid, card.who)
        if card.who != owner:
            tally.told_wrong += bool(said)
            tally.faults += [] if said else [f"{author.seed}: {author.published.get(owner)} -> {card}"]
        before = self.guids.get(card.who)
        # The author was told about this card, or about the one that took its place.
        is_told = bool(said) or before in now
        if was is not None and before is not None:
            kind = author.kinds.get(card.who, "")
            is_other = was.question != card.question and was.answer != card.answer
            is_return = is_other and card.who not in self.there
            if kind and author.edited[card.who] == 1 and was.question != card.question and not is_return:
                tally.rewordings[kind] += 1
                tally.asked[kind] += "id=" in said
                tally.untold[kind] += before != guid and is_new and not is_told
            if before != guid and is_new:
                tally.needless_told += is_told
                tally.returned += is_return and not is_told
                tally.lost += [] if is_told or is_return else [f"{author.seed}: {was} -> {card}"]
        self.guids[card.who] = guid
        self.owners[guid] = card.who
        author.published[card.who] = card
