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


@pytest.mark.parametrize("form", ["Size of {}?", "keep {} warm", "{} winter sleep"])
def test_two_words_around_the_place_where_they_differ_are_enough_for_siblings(form: str) -> None:
    others = [note(form.format(name), f"That is about {name}.") for name in ("plums", "grapes", "nuts")]
    others += [note("What do apples have that pears lack?", "A taste."), note("Apples, or pears?", "Both.")]
    first = release(note(form.format("apples"), LONG), *others)
    second, _ = build(first.lock, note(form.format("pears"), LONG), *others)
    assert second.notes[0].guid != first.notes[0].guid


def test_a_common_word_names_no_other_thing() -> None:
    names = ("rain", "snow", "fog", "hail", "wind", "frost")
    others = [note(f"When is it that {name} works?", f"At {name}.") for name in names]
    others += [note(f"How long {name} functions without us?", f"For {name}.") for name in names]
    first = release(note("Say when sun works today", "Never."), *others)
    second, found = build(first.lock, note("Say when sun functions today", "Never."), *others)
    assert (second.notes[0].guid, found) == (first.notes[0].guid, [])
