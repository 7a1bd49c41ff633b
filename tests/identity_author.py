"""An author who edits as authors do, and learners who import: who is who, and what arrives, over many releases.

The kinds of edits and their mix are those of real question lists: of 2,937 rewordings there 1,455 changed typography only, 963
left the answer as it was, 519 edited it, too. Besides there are what goes wrong in matching: siblings in the place of a card,
cards split and merged, brought back, releases reverted, branches merged by union, locks lost. Texts are made of words at random;
three answers in a hundred are short, as there.
"""

import random
import re
import subprocess
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from identity_notes import COLLECTION, TYPES, note
from ptcards.identity.hashes import Gist, gist
from ptcards.identity.headings import squash
from ptcards.identity.history import NO_HISTORY, History, compare_with_history
from ptcards.identity.lock import Lock, format_lock, read_lock
from ptcards.identity.resolve import identify
from ptcards.identity.sketch import SHORTEST
from ptcards.notes import Note, Text

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
EVENTS = {"release": 30, "revert": 2, "merge_branch": 3, "lose_lock": 2, "release_after_a_clock_fell_back": 2}
NAMES = "torch.add view() DataLoader no_grad Adam float16 CUDA SGD einsum() nn.Linear bfloat16 TorchScript".split()  # noqa: SIM905
PLAIN = "momentum dampening gradient kernel stride padding dropout batch epoch loss buffer shard".split()  # noqa: SIM905
_TEXT = """
after all arrays before bound built called cards change checks clear close code copies costs data deep each
early ends error fast field first float frees graph grows half hides holds index inner keeps large later
layer leaves lists loads local long loop makes marks maths memory model moves names needs never nodes once
only order outer pages parts passes plain points prints quick reads real rows runs saves scale seeds sends
shape share short shown sizes slow small sorts space split starts state steps stops store strict sums takes
tests text third times tree trust turns twice types under units until upper uses values waits whole width
wide words work writes wrong zero batch cells drops edges flags gates hooks items joins keys links masks
norms ops pools queue ranks slots tasks users views warps axes bytes chunks depth events floors guards heads
inputs jumps knots limits meters
"""
WORDS = tuple(_TEXT.split())
QUESTIONS = (
    ("What does {0} do in {1} code?", "What is {0} for in {1} code?", "What is the use of {0} in {1} code?"),
    (
        "Why is {0} slower than {1} here?",
        "Why does {0} take longer here than {1}?",
        "Why is {0} here slower than {1}?",
    ),
    (
        "When should you prefer {0} over {1}?",
        "When is {0} to be preferred over {1}?",
        "When would you prefer {0} over {1}?",
    ),
    (
        "How do {0} and {1} work together?",
        "How does {0} work together with {1}?",
        "How do {0} and {1} fit together?",
    ),
    (
        "What happens to {0} if {1} is zero?",
        "If {1} is zero, what happens to {0}?",
        "What happens to {0} when {1} is zero?",
    ),
    (
        "What is the default value of {0} with {1}?",
        "What is the default of {0} with {1}?",
        "With {1}, what is the default value of {0}?",
    ),
)
FILLERS = ("exactly", "usually", "really", "today")
SHORT = ("True.", "float32", "A new tensor.", "It raises an error.")


@dataclass(frozen=True)
class Card:
    """A card and who it is; `form` and `subjects` are what its question is made of."""

    who: int
    form: int
    subjects: tuple[str, str]
    note: Note

    @property
    def question(self) -> str:
        return self.note.heading.markdown

    @property
    def answer(self) -> str:
        return self.note.answer.markdown

    def asks(self, question: str) -> "Card":
        return replace(self, note=replace(self.note, heading=Text(question)))

    def answers(self, answer: str) -> "Card":
        return replace(self, note=replace(self.note, answer=Text(answer)))


@dataclass
class Commit:
    cards: list[Card]
    lock: Lock
    owners: dict[str, int]


@dataclass
class Tally:
    """What was published and what went wrong; `faults` are the worst, in words."""

    releases: int = 0
    published: int = 0
    faults: list[str] = field(default_factory=list)
    undelivered: int = 0
    told_wrong: int = 0
    needless_told: int = 0
    needless_untold: int = 0
    needless_untold_both: int = 0
    rewordings: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)
    untold: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Tally") -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


class Simulation:
    """One collection over its life."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.chance = random.Random(seed)
        self.file = folder / "deck.lock"
        self.cards: list[Card] = []
        self.retired: list[Card] = []
        self.lock = Lock(COLLECTION, shown="cards/deck.lock")
        self.commits: list[Commit] = []
        self.was: dict[int, Card] = {}
        """cards as they were last published"""
        self.guids: dict[int, str] = {}
        self.owners: dict[str, int] = {}
        self.heard: dict[int, str] = {}
        """what the author was told of a card on a branch"""
        self.learners: tuple[dict[str, tuple[int, str]], ...] = ({}, {})
        """by GUID: the time and the content that a learner has; one takes every update, one every third"""
        self.now = 1_000_000
        self.born = 0
        self.edited: Counter[int] = Counter()
        """how often a card was edited since the last release"""
        self.kinds: dict[int, str] = {}
        self.tally = Tally()
        self._gists: dict[tuple[str, str, str, str], Gist] = {}

    def run(self, releases: int = 10) -> Tally:
        for _ in range(self.chance.randrange(12, 25)):
            self.add()
        self.release()
        for event in self.chance.choices(list(EVENTS), list(EVENTS.values()), k=releases):
            getattr(self, event)()
        return self.tally

    # What an author does to cards.

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
        """Delete a card, and write one that asks the same of another thing: with its answer, or another."""
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
        """Move an answer to a new card, and answer the old question anew."""
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
            if self._is_free(old.question, old.note.deck):
                self.cards.append(replace(old, note=replace(old.note, id="")))

    def move(self) -> None:
        place = self._pick()
        card = self.cards[place]
        self._replace(place, replace(card, note=replace(card.note, deck=self._deck())))

    # What happens between releases.

    def release(self) -> None:
        self.edit()
        self._publish()

    def release_after_a_clock_fell_back(self) -> None:
        self.now -= self.chance.randrange(100_000)
        self.release()

    def revert(self) -> None:
        """`git revert` the last release."""
        if len(self.commits) > 1:
            before = self.commits[-2]
            self.retired += [
                card for card in self.cards if card.who not in {each.who for each in before.cards}
            ]
            self.cards, self.lock = list(before.cards), before.lock
            self.owners |= before.owners  # a GUID that went to another card, as the author was told, is back
            self._forget()
            self.retired = [
                card for card in self.retired if card.who not in {each.who for each in self.cards}
            ]
            self.commits.append(Commit(list(self.cards), self.lock, dict(self.owners)))
            self._publish()

    def lose_lock(self) -> None:
        """Delete the lock, and do what the error says."""
        self.edit()
        lost = Lock(COLLECTION, shown="cards/deck.lock")
        said = [each.rule for each in compare_with_history(lost, self._history()) if each.rule == "lost-lock"]
        assert said == ["lost-lock"]
        self.lock = self.commits[-1].lock
        self._publish()

    def merge_branch(self) -> None:
        """Edit and build on a branch and on the main line, and merge: the locks by union."""
        base = Commit(list(self.cards), self.lock, dict(self.owners))
        gone = list(self.retired)
        self.edit()
        _, _, told = self._build()
        heard = {self.cards[position].who: said for position, said in told.items()}
        branch = Commit(list(self.cards), self.lock, dict(self.owners))
        self.cards, self.lock, self.retired = list(base.cards), base.lock, gone
        self._forget()
        self.release()
        self.lock = self._union(base.lock, branch.lock)
        first = {card.who: card for card in base.cards}
        theirs = {card.who: card for card in branch.cards}
        merged = [theirs.get(card.who, card) if card == first.get(card.who) else card for card in self.cards]
        here = {card.who for card in merged} | first.keys()
        merged += [card for card in branch.cards if card.who not in here]
        places = Counter((squash(card.question), card.note.deck) for card in merged)
        if max(places.values()) == 1:
            self.cards = merged
        self.heard = heard
        self._publish()

    # What ptcards makes of it, and what learners get.

    def _build(self, history: History = NO_HISTORY) -> tuple[list[str], list[int], dict[int, str]]:
        """Return GUIDs, times, and how the author was told of a card, by position."""
        self.now += self.chance.randrange(1, 1000)
        gists = [self._gist(card, line) for line, card in enumerate(self.cards, 1)]
        found, diagnostics = identify(
            gists,
            self.lock,
            type_hashes=TYPES,
            clock=lambda: self.now,
            refresh=False,
            selected=None,
            history=history,
        )
        self.file.write_text(format_lock(found.lock))
        lock, problems = read_lock(self.file, shown="cards/deck.lock", collection_id=COLLECTION)
        assert (problems, lock is None) == ([], False)
        assert lock is not None
        self.lock = lock
        told = {each.location.line - 1: "listed" for each in found.recognised}
        told |= {
            each.location.line - 1: each.help for each in diagnostics if each.location.path == "cards/a.md"
        }
        return list(found.guids), list(found.mods), told

    def _publish(self) -> None:
        guids, mods, told = self._build(self._history())
        if self._answer_questions(told):
            guids, mods, again = self._build(self._history())
            told |= again
        assert len(set(guids)) == len(guids)
        self.tally.releases += 1
        self.tally.published += len(guids)
        for position, (card, guid) in enumerate(zip(self.cards, guids, strict=True)):
            said = told.get(position) or self.heard.get(card.who, "")
            self._judge(card, guid, said, now=dict(zip(guids, self.cards, strict=True)))
        contents = [self._gist(card).imprint.content for card in self.cards]
        for number, learner in enumerate(self.learners):
            if number == 0 or self.tally.releases % 3 == 0:
                for guid, mod, content in zip(guids, mods, contents, strict=True):
                    if guid not in learner or mod > learner[guid][0]:
                        learner[guid] = (mod, content)
                    self.tally.undelivered += learner[guid][1] != content
        self.commits.append(Commit(list(self.cards), self.lock, dict(self.owners)))
        self._forget()

    def _answer_questions(self, told: dict[int, str]) -> bool:
        """Paste the id that was named, of every other card that is truly the old one; whether there was any."""
        has_answered = False
        for position, said in told.items():
            card = self.cards[position]
            guid = self.guids.get(card.who, "")
            if guid and f"`id={guid}`" in said and self.chance.random() < 0.5:
                self.cards[position] = replace(card, note=replace(card.note, id=guid))
                has_answered = True
        return has_answered

    def _judge(self, card: Card, guid: str, said: str, *, now: dict[str, Card]) -> None:
        """Hold the GUID of a card against the reference; `said` is what the author was told of it."""
        tally = self.tally
        is_new = guid not in self.owners
        owner = self.owners.get(guid, card.who)
        if card.who != owner:
            tally.told_wrong += bool(said)
            tally.faults += [] if said else [f"{self.was.get(owner)} -> {card}"]
        before, was = self.guids.get(card.who), self.was.get(card.who)
        if was is not None and before is not None:
            kind = self.kinds.get(card.who, "")
            if kind and self.edited[card.who] == 1 and was.question != card.question:
                tally.rewordings[kind] += 1
                tally.asked[kind] += "id=" in said
                tally.untold[kind] += before != guid and not said
            if before != guid and is_new:
                has_both = was.question != card.question and was.answer != card.answer
                is_told = bool(said) or before in now  # of the card that took its place the author was told
                tally.needless_told += is_told
                tally.needless_untold += not is_told and not has_both
                tally.needless_untold_both += not is_told and has_both
        self.guids[card.who] = guid
        self.owners[guid] = card.who
        self.was[card.who] = card

    def _gist(self, card: Card, line: int = 1) -> Gist:
        """Return what a note is known by, each made once, and where it is."""
        said = card.note
        key = (said.deck, card.question, card.answer, said.id)
        known = self._gists.get(key)
        if known is None:
            known = self._gists[key] = gist(said)
        place = known.location._replace(line=line)
        return known._replace(location=place, id_place=place)

    def _history(self) -> History:
        """Return what git would know."""
        if not self.commits:
            return NO_HISTORY
        times: dict[str, int] = {}
        types: dict[str, int] = {}
        for commit in self.commits:
            for record in commit.lock.records:
                times[record.guid] = max(record.mod, times.get(record.guid, 0))
            for kind in commit.lock.types:
                types[kind.name] = max(kind.mod, types.get(kind.name, 0))
        head = frozenset(record.guid for record in self.commits[-1].lock.records)
        return History("c0ffee0", head, frozenset(times), times, types, is_in_head=True)

    def _union(self, base: Lock, theirs: Lock) -> Lock:
        files = [self.file.with_name(name) for name in ("ours", "base", "theirs")]
        for file, lock in zip(files, (self.lock, base, theirs), strict=True):
            file.write_text(format_lock(lock))
        merged = subprocess.run(
            ["git", "merge-file", "-p", "--union", *files], check=True, capture_output=True, text=True
        )
        self.file.write_text(merged.stdout)
        merged_lock, _ = read_lock(self.file, shown="cards/deck.lock", collection_id=COLLECTION)
        return merged_lock or self.lock  # an id of two notes is an error, and either side will do

    def _forget(self) -> None:
        self.heard = {}
        self.edited.clear()
        self.kinds.clear()

    # Texts.

    def _insert(
        self, question: str, answer: str, form: int, subjects: tuple[str, str], deck: str = ""
    ) -> bool:
        deck = deck or self._deck()
        if not self._is_free(question, deck):
            return False
        self.born += 1
        new = note(question, answer, deck=deck)
        self.cards.insert(self.chance.randrange(len(self.cards) + 1), Card(self.born, form, subjects, new))
        return True

    def _replace(self, place: int, card: Card) -> bool:
        others = [each for number, each in enumerate(self.cards) if number != place]
        if not self._is_free(card.question, card.note.deck, others):
            return False
        self.cards[place] = card
        self.edited[card.who] += 1
        return True

    def _is_free(self, question: str, deck: str, cards: list[Card] | None = None) -> bool:
        """Whether nothing asks that in the deck, now or in the last release: else nobody could tell who is who."""
        ours = self.cards if cards is None else cards
        before = self.was.values() if cards is None else ()
        return all(
            squash(each.question) != squash(question) or each.note.deck != deck for each in (*ours, *before)
        )

    def _otherwise(self, card: Card) -> str:
        """Return a question in other words: half of the time a word more or less, as often as in real lists."""
        if self.chance.random() < 0.5:
            *words, last = card.question.split()
            fewer = [word for word in words if word not in FILLERS]
            return " ".join([*(fewer if fewer != words else [*words, self.chance.choice(FILLERS)]), last])
        forms = [form.format(*card.subjects) for form in QUESTIONS[card.form]]
        return self.chance.choice([form for form in forms if squash(form) != squash(card.question)])

    def _is_form(self, card: Card, form: str) -> bool:
        return squash(form.format(*card.subjects)) == squash(card.question)

    def _pick(self) -> int:
        return self.chance.randrange(len(self.cards))

    def _deck(self) -> str:
        return self.chance.choice(("P::Autograd", "P::Autograd", "P::Tensors"))

    def _subjects(self) -> tuple[str, str]:
        one, other = self.chance.sample(NAMES + PLAIN, 2)
        return (one, other)

    def _answer(self) -> str:
        if self.chance.random() < 0.03:
            return self.chance.choice(SHORT)
        return " ".join(self.chance.choices(WORDS, k=self.chance.randrange(8, 40))) + "."

    def _edited(self, answer: str) -> str:
        """Change up to a third of the words; a short answer gets a few more."""
        words = answer.split()
        if len(words) < SHORTEST:
            return f"{answer} {' '.join(self.chance.choices(WORDS, k=2))}"
        for _ in range(max(1, round(len(words) * self.chance.uniform(0.03, 0.33)))):
            words[self.chance.randrange(len(words))] = self.chance.choice(WORDS)
        return " ".join(words)

    def _respelt(self, question: str) -> str:
        first = question[0].lower() if question[0].isupper() else question[0].upper()
        bare = question.replace("`", "")
        ways = (
            first + question[1:],
            question.removesuffix("?") if question.endswith("?") else f"{question}?",
            bare if bare != question else re.sub(r"(\S+\(\)|\w+\.\w+)", r"`\1`", question),
        )
        return self.chance.choice([way for way in ways if way != question])


@dataclass(frozen=True)
class Shares:
    """What came of the rewordings that were a card's only edit in a release, in per cent."""

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
        return self.asked <= 6 and self.asked_over_typography <= 1 and self.untold <= 0.5


def simulate(seeds: range) -> Tally:
    """Return what came of a simulation for each seed."""
    tally = Tally()
    with TemporaryDirectory() as folder:
        for seed in seeds:
            tally.add(Simulation(seed, Path(folder)).run())
    return tally
