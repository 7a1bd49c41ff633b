"""The edits that authors make to cards, with the frequencies in real question lists.

Of 2,937 rewordings in these lists, 1,455 only changed typography, 963 did not change the answer, and 519
changed it too.
"""

from collections import Counter
from dataclasses import replace
from functools import lru_cache

from author_texts import NAMES, PLAIN, QUESTIONS, Card, Texts
from identity_notes import note
from ptcards.identity.heading_likeness import squash

REWORDINGS = {"typography": 1455, "same answer": 963, "answer edited": 519}
EDITS = {
    "reword": 30,
    "add": 6,
    "edit_answer": 10,
    "delete": 3,
    "replace_by_sibling": 5,
    "split": 2,
    "merge": 2,
    "bring_back": 3,
    "move": 2,
}

_plain = lru_cache(10_000)(squash)


class Author(Texts):
    """The cards of a collection, and an author who edits them."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.cards: list[Card] = []
        self.retired: list[Card] = []
        self.published: dict[int, Card] = {}
        """cards as they were last published"""
        self.askers: dict[tuple[str, str], int] = {}
        """the card that first asked a question in a deck"""
        self.born = 0
        self.edited: Counter[int] = Counter()
        """how often a card was edited since the last release"""
        self.kinds: dict[int, str] = {}
        """how a card was reworded"""

    def edit(self) -> None:
        for name in self.chance.choices(list(EDITS), list(EDITS.values()), k=self.chance.randrange(1, 5)):
            getattr(self, name)()

    def add(self) -> None:
        form, subjects = self.chance.randrange(len(QUESTIONS)), self._subjects()
        self._insert(QUESTIONS[form][0].format(*subjects), self._answer(), form, subjects)

    def reword(self) -> None:
        place = self._pick()
        card = self.cards[place]
        kind = self.chance.choices(list(REWORDINGS), list(REWORDINGS.values()))[0]
        if kind == "typography":
            changed = card.asks(self._respelt(card.question))
        else:
            changed = card.asks(self._otherwise(card))
        if kind == "answer edited":
            changed = changed.answers(self._edited(card.answer))
        if self._replace(place, changed):
            self.kinds[card.who] = kind

    def edit_answer(self) -> None:
        place = self._pick()
        self._replace(place, self.cards[place].answers(self._edited(self.cards[place].answer)))

    def delete(self) -> None:
        if len(self.cards) > 5:
            self.retired.append(self.cards.pop(self._pick()))

    def replace_by_sibling(self) -> None:
        """Delete a card, and ask the same about another subject, with the same or a new answer."""
        place = self._pick()
        old = self.cards.pop(place)
        self.retired.append(old)
        subjects = (
            self.chance.choice([each for each in NAMES + PLAIN if each not in old.subjects]),
            old.subjects[1],
        )
        answer = old.answer if self.chance.random() < 0.6 else self._answer()
        forms = (form for form in QUESTIONS[old.form] if self._is_form(old, form))
        question = next(forms, QUESTIONS[old.form][0]).format(*subjects)
        if not self._insert(question, answer, old.form, subjects, deck=old.note.deck):
            self.cards.insert(place, self.retired.pop())

    def split(self) -> None:
        """Move an answer to a new card, and give the old question another answer."""
        place = self._pick()
        old = self.cards[place]
        form, subjects = self.chance.randrange(len(QUESTIONS)), self._subjects()
        if self._insert(QUESTIONS[form][0].format(*subjects), old.answer, form, subjects, deck=old.note.deck):
            self._replace(place, old.answers(self._answer()))

    def merge(self) -> None:
        """Answer two questions on one card."""
        if len(self.cards) > 5:
            gone = self.cards.pop(self._pick())
            self.retired.append(gone)
            place = self._pick()
            self._replace(place, self.cards[place].answers(f"{self.cards[place].answer} {gone.answer}"))

    def bring_back(self) -> None:
        if self.retired:
            old = self.retired.pop(self.chance.randrange(len(self.retired)))
            if self._is_free(old.question, old.note.deck, old.who):
                self.cards.append(replace(old, note=old.note._replace(id="")))

    def move(self) -> None:
        place = self._pick()
        card = self.cards[place]
        self._replace(place, replace(card, note=card.note._replace(deck=self._deck())))

    def _insert(
        self, question: str, answer: str, form: int, subjects: tuple[str, str], deck: str = ""
    ) -> bool:
        deck = deck or self._deck()
        if not self._is_free(question, deck, self.born + 1):
            return False
        self.born += 1
        new = note(question, answer, deck=deck)
        self.cards.insert(self.chance.randrange(len(self.cards) + 1), Card(self.born, form, subjects, new))
        return True

    def _replace(self, place: int, card: Card) -> bool:
        others = [each for number, each in enumerate(self.cards) if number != place]
        if not self._is_free(card.question, card.note.deck, card.who, others):
            return False
        self.cards[place] = card
        self.edited[card.who] += 1
        return True

    def _is_free(self, question: str, deck: str, who: int, cards: list[Card] | None = None) -> bool:
        """Whether a card may ask this question: no other card of the deck ever did.

        Otherwise, nobody could know which card is which.
        """
        key = (_plain(question), deck)
        ours = self.cards if cards is None else cards
        before = self.published.values() if cards is None else ()
        is_free = self.askers.get(key, who) == who and all(
            (_plain(each.question), each.note.deck) != key for each in (*ours, *before)
        )
        if is_free:
            self.askers[key] = who
        return is_free

    def _pick(self) -> int:
        return self.chance.randrange(len(self.cards))
