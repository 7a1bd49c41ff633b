"""The cards of a simulated author.

Questions have several forms and random subjects, answers have random words. Three answers in a hundred are
short, as in real lists.
"""

import random
import re
from dataclasses import dataclass, replace

from ptcards.identity.hashes import SHORTEST
from ptcards.identity.heading_likeness import squash
from ptcards.notes import Note, Text

NAMES = "torch.add view() DataLoader no_grad Adam float16 CUDA SGD einsum() nn.Linear bfloat16 TorchScript".split()
PLAIN = "momentum dampening gradient kernel stride padding dropout batch epoch loss buffer shard".split()
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
    (
        "What limits {0} in practice?",
        "In practice, what limits {0}?",
        "What is the limit of {0} in practice?",
    ),
    (
        "What is the usual amount of {0} for {1}?",
        "How much {0} is usual for {1}?",
        "For {1}, how much {0} do you usually need?",
    ),
    ("{0}", "What is {0}?", "Explain {0}."),
)
FILLERS = ("exactly", "usually", "really", "today")
SHORT = ("True.", "float32", "A new tensor.", "It raises an error.")


@dataclass(frozen=True)
class Card:
    """A card and its identity; `form` and `subjects` are the parts of its question."""

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
        return replace(self, note=self.note._replace(heading=Text(question)))

    def answers(self, answer: str) -> "Card":
        return replace(self, note=self.note._replace(answer=Text(answer)))


class Texts:
    """Texts that an author may write, chosen by `chance`."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.chance = random.Random(seed)

    def _otherwise(self, card: Card) -> str:
        """Return a reworded question. Half of the rewordings add or remove a word, as in real lists."""
        if self.chance.random() < 0.5:
            *words, last = card.question.split()
            fewer = [word for word in words if word not in FILLERS]
            return " ".join([*(fewer if fewer != words else [*words, self.chance.choice(FILLERS)]), last])
        forms = [form.format(*card.subjects) for form in QUESTIONS[card.form]]
        return self.chance.choice([form for form in forms if squash(form) != squash(card.question)])

    def _is_form(self, card: Card, form: str) -> bool:
        return squash(form.format(*card.subjects)) == squash(card.question)

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
        """Return an answer with up to a third of its words changed; a short answer gets a few more."""
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
