"""An author who follows every piece of advice, again and again; a learner keeps every review."""

import csv
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from author_edits import Author as Edits
from author_texts import SHORT, Card
from conftest import Ran
from identity_release import Author, Maintainer, studying

HONEST = ("reword", "reword", "reword", "edit_answer", "add", "delete", "bring_back", "move")
"""Edits after which anybody can tell which card is which."""
FACTS = {"moved-notes", "revived-note"}
"""Rules that report what happened, and ask for nothing."""


class Walker(Edits):
    """Cards in files, one for each deck; every third answer is short."""

    def edit(self) -> None:
        for name in self.chance.choices(HONEST, k=self.chance.randrange(1, 4)):
            getattr(self, name)()

    def _answer(self) -> str:
        return self.chance.choice(SHORT) if self.chance.random() < 0.3 else super()._answer()

    @property
    def files(self) -> dict[str, str]:
        return {
            _stem(deck): f"# {deck.partition('::')[2]}\n\n" + "\n".join(map(_written, self._of(_stem(deck))))
            for deck in {card.note.deck for card in self.cards}
        }

    def at(self, stem: str, line: int) -> int:
        """Return the position of the card whose heading is on a line of a file."""
        above = self.files[stem].split("\n")[:line]
        number = sum(text.startswith("## ") for text in above)
        return self.cards.index(self._of(stem)[number - 1])

    def _of(self, stem: str) -> list[Card]:
        return [card for card in self.cards if _stem(card.note.deck) == stem]


def _written(card: Card) -> str:
    comment = f"<!-- card: id={card.note.id} -->\n" if card.note.id else ""
    return f"## {card.question}\n{comment}\n{card.answer}\n"


def _stem(deck: str) -> str:
    return deck.partition("::")[2].lower()


def _published(author: Author) -> dict[tuple[str, str], str]:
    """Return the GUIDs by deck and question: two decks may ask the same question."""
    with (author.folder.parent / "build" / "pytorch.csv").open(encoding="utf-8-sig", newline="") as file:
        return {(_stem(row["deck"]), row["question"]): row["guid"] for row in csv.DictReader(file)}


def _follow(walker: Walker, author: Author, guids: dict[int, str]) -> bool:
    """Write the suggested id to each card if it is the old one; return whether there was any.

    The author pastes the id or runs `ptcards keep`.
    """
    messages = re.finditer(r"^cards/(\w+)\.md:(\d+):.*(?:\n(?!cards/).*)*", author.said, re.MULTILINE)
    places = [(walker.at(found[1], int(found[2])), found[0]) for found in messages]
    published, names = _published(author), []
    for position, said in places:
        card = walker.cards[position]
        first = guids.get(card.who, "")
        if first and f"`id={first}`" in said and card.note.id != first:
            walker.cards[position] = replace(card, note=card.note._replace(id=first))
            names.append(f"{published[_stem(card.note.deck), card.question]}={first}")
    if names and walker.chance.random() < 0.5:
        ran = author.run("keep", author.folder, *names)
        assert ran.status == 0, ran.err
        written = {file.stem: file.read_text("utf-8") for file in author.folder.glob("*.md")}
        assert written == walker.files
    return bool(names)


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_advice_ends_and_no_review_is_lost(seed: int, tmp_path: Path, ptcards: Callable[..., Ran]) -> None:
    walker, author = Walker(seed), Maintainer(tmp_path / "cards", ptcards)
    guids: dict[int, str] = {}
    for _ in range(8):
        walker.add()
    with studying(tmp_path / "anki") as learner:
        for _ in range(4):
            walker.edit()
            package = author.write(**walker.files).build()
            if walker.chance.random() < 0.5:  # the release comes before the advice is followed
                learner.get(package)
                learner.study()
            if _follow(walker, author, guids):
                package = author.write(**walker.files).build()
                assert {*author.rules} <= FACTS, author.said
            author.publish()
            assert author.rules == [], author.said
            learner.get(package)
            learner.study()
            published = _published(author)
            now = {card.who: published[_stem(card.note.deck), card.question] for card in walker.cards}
            guids = now | guids
            assert now == {who: guids[who] for who in now}
            for card in walker.cards:
                assert re.sub("<[^>]*>", "", learner.questions[guids[card.who]]) == card.question.replace(
                    "`", ""
                )
