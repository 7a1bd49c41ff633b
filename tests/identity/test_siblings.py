"""Cards about different subjects that read alike: none takes the reviews of another.

In each case, an author replaces a card by its sibling, with the same answer or with nearly the same one.
"""

from itertools import product

import pytest

from identity_notes import build, note, release

LONG = "It sums what came in before, and passes the mean on to whatever comes next."
EDITED = "It sums what came in before, and passes the mean on to everything that comes next."
ANSWERS = {
    "same": (LONG, LONG),
    "edited": (LONG, EDITED),
    "short": ("Never.", "Never."),
    "grown": ("Never.", "Never. That is all."),
}
FORMS = {
    ("{}", "What does {} return?", "Why is {} slower than the rest here?"): (
        ("torch.add", "torch.mul"),
        ("`Adam`", "`SGD`"),
        ("int8", "int16"),
        ("CUDA", "ROCm"),
    ),
    ("{}", "a {}", "What is the default value of the {}?"): (
        ("momentum", "dampening"),
        ("stack", "queue"),
        ("gradient", "jacobian"),
        ("learning rate", "weight decay"),
    ),
    ("{}", "Was bedeutet {}?", "Wann sagt man {} statt eines anderen Wortes?"): (
        ("laufen", "rennen"),
        ("schön", "hübsch"),
        ("der Hund", "die Katze"),
        ("Schlüssel", "Brücke"),
    ),
    ("{}", "什么是{}?", "为什么需要{}?"): (
        ("梯度", "张量"),
        ("动量", "阻尼"),
        ("梯度下降", "反向传播"),
        ("学习率", "权重衰减"),
    ),
}
"""Questions, and the subjects of siblings."""
DECKS = ("alone", "among others", "among siblings")


@pytest.mark.parametrize("deck", DECKS)
@pytest.mark.parametrize("kind", ANSWERS)
@pytest.mark.parametrize(
    ("form", "old", "new"),
    [(form, *pair) for forms, pairs in FORMS.items() for form, pair in product(forms, pairs)],
)
def test_a_sibling_does_not_take_the_reviews(form: str, old: str, new: str, kind: str, deck: str) -> None:
    others = [note("Where is it used?", "Everywhere, so far."), note("Who wrote it?", "A student.")]
    if deck == "alone":
        others = []
    elif deck == "among siblings":
        others += [note(form.format(name), f"That is about {name}.") for name in ("Alice", "Bob", "Eve")]
    was, now = ANSWERS[kind]
    first = release(note(form.format(old), was), *others)
    second, _ = build(first.lock, note(form.format(new), now), *others)
    assert second.notes[0].guid != first.notes[0].guid
