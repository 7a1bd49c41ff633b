"""Two headings compared: which words count as the same, what names a thing, and what was exchanged."""

import pytest

from ptcards.identity.heading_likeness import Heading, Headings, squash


def is_exchanged(old: str, new: str, *others: str, short_answer: bool = False) -> bool:
    return Headings((old, new, *others)).is_exchanged(old, new, short_answer=short_answer)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("What is a `leaf`, then?", ("what", "is", "a", "leaf", "then")),
        ("„Größe“ — x", ("grösse", "—", "x")),
        ("是 a 猫", ("是", "a", "猫")),
        ("猫と犬", ("猫", "と", "犬")),
        ("( ) … x", ("…", "x")),
        ("", ()),
    ],
)
def test_the_words_of_a_heading(text: str, words: tuple[str, ...]) -> None:
    assert Heading(text).words == words


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("What is `no_grad()` for?", {"no_grad"}),
        ("Why `a b`, not ``c``?", {"a", "b", "c"}),
        ("How is int8 kept?", {"int8"}),
        ("What is torch.add?", {"torch.add"}),
        ("Why x + y?", {"+"}),
        ("Is Adam slow?", {"adam"}),
        ("DataLoader or not?", {"dataloader"}),
        ("Adam is slow. Is it? Yes: Very. (No!) But why.", set()),
        ("It is slow. DataLoader is not.", {"dataloader"}),
        ('"Adam" is slow', set()),
        ('It is "Adam"', {"adam"}),
        ("mp3 is old", {"mp3"}),
    ],
)
def test_what_a_heading_names(text: str, names: set[str]) -> None:
    assert Heading(text).names == names


def test_words_that_tell_nothing_are_names_in_code() -> None:
    assert Heading("What do you have to do for a leaf there?").telling == ("what", "leaf")
    assert Heading("What is `a` in `for i`?").telling == ("what", "a", "in", "for", "i")


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("What is a leaf?", "what is a *leaf*", True),
        ("data-set", "data set", True),
        ("a - b", "a b", False),
        ("leaf", "leaves", False),
        ("?", "!", False),
        ("", "", False),
    ],
)
def test_headings_that_differ_in_typography_alone(one: str, other: str, *, is_same: bool) -> None:
    headings = Headings(())
    assert headings.differ_in_typography_only(one, other) is is_same
    found = (headings.likeness(one, other) == 1.0, headings.shared(one, other) == 1.0)
    assert found == (is_same, is_same)


def test_likeness_minds_the_order_of_words_and_shared_words_do_not() -> None:
    headings = Headings(())
    assert headings.likeness("a b c d", "d a b x") == 0.5
    assert headings.shared("a b c d", "d a b x") == 0.75
    assert headings.shared("a a b", "a c") == 0.4
    assert headings.likeness("a b", "c d") == headings.shared("a b", "c d") == 0.0
    assert headings.shared("?", "x") == 0.0
    assert headings.likeness("data set", "dataset") == headings.shared("data set", "dataset") == 1.0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("use", "uses"),
        ("box", "boxes"),
        ("use", "used"),
        ("add", "added"),
        ("add", "adding"),
        ("fly", "flies"),
        ("what", "which"),
        ("gradient", "gradeint"),
        ("data-set", "dataset"),
        ("colour", "color"),
        ("Is", "is"),
    ],
)
def test_words_that_count_as_the_same(old: str, new: str) -> None:
    assert not is_exchanged(old, new)
    assert not is_exchanged(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("in", "ins"),
        ("use", "useful"),
        ("fly", "flyies"),
        ("gradient", "ogradient"),
        ("layer2", "layer3"),
        ("a+b", "a+bs"),
        ("what", "who"),
        ("mean", "meat"),
        ("bee", "beet"),
    ],
)
def test_words_that_are_different(old: str, new: str) -> None:
    assert is_exchanged(old, new)
    assert is_exchanged(new, old)


def test_a_question_of_three_words_of_which_none_stays_is_another() -> None:
    assert is_exchanged("one two three", "four five six seven eight")
    assert is_exchanged("four five six seven eight", "one two three")
    assert not is_exchanged("one two three four", "five six seven eight")
    assert not is_exchanged("one two three", "three four five six seven")
    # Two characters count as a word, and the odd one as another.
    assert is_exchanged("一二三四五六", "七八九十百千万亿")
    assert is_exchanged("一二三四五", "七八九十百千万亿")
    assert not is_exchanged("一二三四五六七", "八九十百千万亿兆")


def test_two_names_are_exchanged_and_one_that_was_added_is_not() -> None:
    old = "Why is it that Adam is so slow for us in the end?"
    assert is_exchanged(old, "Why is it that Muon is so slow for us in the end?", "Adam", "Muon", "adam muon")
    assert not is_exchanged(old, "Why is it that this optimizer is so slow for us in the end, said Adam?")


@pytest.mark.parametrize(("times", "expected"), [(4, True), (5, False)])
@pytest.mark.parametrize("side", ["old", "new"])
def test_with_a_short_answer_a_word_in_five_headings_tells_which_card_it_is(
    side: str, times: int, *, expected: bool
) -> None:
    """The sentences are long, and their words stand at two places, so that nothing else tells."""
    old, new = "one big sun works today for all", "one big moon shines today for all"
    word = "sun works" if side == "old" else "moon shines"
    others = [f"{word} {number}" for number in range(times)]
    rest = "moon shines" if side == "old" else "sun works"
    assert is_exchanged(old, new, *others, f"{rest} 9", short_answer=True) is expected
    assert not is_exchanged(old, new, *others, f"{rest} 9")


def test_signs_never_tell_with_a_short_answer() -> None:
    old, new = "say … now and then as ever", "say — now and then as ever"
    others = [f"{sign} 0" for sign in "…—"]
    assert not is_exchanged(old, new, *others, short_answer=True)


@pytest.mark.parametrize(
    ("old", "new", "others", "expected"),
    [
        pytest.param("keep plums warm", "keep nuts warm", ["plums", "nuts"], False, id="no sibling"),
        pytest.param(
            "keep plums warm", "keep nuts warm", ["plums", "nuts", "keep figs warm"], True, id="one"
        ),
        pytest.param(
            "keep plums warm", "keep nuts warm", ["plums", "nuts", "keep figs cold"], False, id="ends"
        ),
        pytest.param(
            "keep plums warm", "keep nuts warm", ["plums", "nuts", "hold figs warm"], False, id="starts"
        ),
        pytest.param("plums warm", "nuts warm", ["plums", "nuts", "figs warm"], False, id="one word around"),
        pytest.param(
            "keep plums warm",
            "keep nuts warm",
            ["plums", "nuts", "keep a b c d e f warm"],
            True,
            id="six words",
        ),
        pytest.param(
            "keep plums warm",
            "keep nuts warm",
            ["plums", "nuts", "keep a b c d e f g warm"],
            False,
            id="seven",
        ),
        pytest.param(
            "keep plums warm", "keep nuts warm", ["plums", "nuts", "keep warm"], False, id="nothing there"
        ),
    ],
)
def test_another_heading_with_other_words_in_the_same_place_makes_siblings(
    old: str, new: str, others: list[str], *, expected: bool
) -> None:
    assert is_exchanged(old, new, *others) is expected


@pytest.mark.parametrize(
    ("old", "new", "others", "expected"),
    [
        pytest.param("keep plums warm", "keep nuts warm", [], True, id="both are in no other"),
        pytest.param("keep plums warm", "keep nuts warm", ["plums"], False, id="the old one is elsewhere"),
        pytest.param("keep plums warm", "keep nuts warm", ["nuts"], False, id="the new one is elsewhere"),
        pytest.param("keep old plums warm", "keep good nuts warm", ["old nuts"], True, id="a word of each"),
        pytest.param("为什么要梯度呢", "为什么要张量呢", [], True, id="characters"),
        pytest.param("为什么要梯度呢", "为什么要张量呢", ["度梯", "量张"], True, id="not in this order"),
        pytest.param(
            "为什么要梯度呢", "为什么要张量呢", ["有梯度吗"], False, id="the old ones are elsewhere"
        ),
        pytest.param(
            "为什么要梯度呢", "为什么要张量呢", ["有张量吗"], False, id="the new ones are elsewhere"
        ),
    ],
)
def test_a_place_whose_words_are_in_no_other_heading_was_exchanged(
    old: str, new: str, others: list[str], *, expected: bool
) -> None:
    assert is_exchanged(old, new, *others) is expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param("keep a big plum tree warm", "keep one small nut bush warm", False, id="four words"),
        pytest.param("keep big plum trees warm", "keep small nut bushes warm", True, id="three"),
        pytest.param("keep plums warm", "keep warm", False, id="nothing instead"),
        pytest.param("plums keep us warm today", "nuts keep us cold today", False, id="two places"),
        pytest.param("为什么一二三四五六呢", "为什么七八九十百千呢", True, id="six characters"),
        pytest.param("为什么一二三四五六七八呢", "为什么九十百千万亿兆京呢", False, id="eight"),
    ],
)
def test_siblings_differ_in_one_place_of_at_most_three_words(old: str, new: str, *, expected: bool) -> None:
    assert is_exchanged(old, new) is expected


def test_spaces_and_marks_within_words_are_no_exchange() -> None:
    assert not is_exchanged("Is the data set big?", "Is the dataset big?")
    assert squash("A-b `c`?") == "abc"
