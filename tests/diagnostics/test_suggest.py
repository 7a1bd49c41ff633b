"""Suggestions after "did you mean"."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptcards.diagnostics.suggest import (
    did_you_mean,
    slip_among,
    slip_of,
    suggest,
    suggest_file,
)

KINDS = ("basic", "reversed", "typed", "choice", "cloze")


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("choise", "choice"),
        ("revers", "reversed"),
        ("CLOZE", "cloze"),
        ("type", "typed"),
        ("quiz", None),
        ("hoice", "choice"),
        ("epyt", None),
        ("", None),
    ],
)
def test_the_nearest_known_word_is_suggested(word: str, near: str | None) -> None:
    assert suggest(word, KINDS) == near


def test_a_word_with_another_first_letter_has_to_share_more() -> None:
    assert suggest("nope", ["open", "find"]) is None
    assert suggest("opne", ["open", "find"]) == "open"
    assert suggest("uild", ["build"]) == "build"
    assert suggest("lint", ["hint"]) == "hint"


def test_two_letters_that_are_swapped_are_one_slip() -> None:
    assert suggest("frca", ["frak", "frac", "tfrac"]) == "frac"


def test_between_equally_near_words_the_common_one_is_suggested() -> None:
    assert suggest("frap", ["frak", "frac"]) == "frak"
    assert suggest("frap", ["frak", "frac"], common=["frac"]) == "frac"


def test_a_word_twice_as_long_has_to_begin_with_it() -> None:
    assert suggest("nosuch", ["no-such-deck"]) is None
    assert suggest("normal", ["normalizes"]) == "normalizes"
    assert suggest("bmatirx", ["bar", "bmod"]) is None
    assert suggest("fraction", ["frac"]) == "frac"


def test_a_suffix_does_not_make_file_names_similar() -> None:
    files = ["rope.svg", "strides.png", "Strides.svg"]
    assert suggest_file("none.svg", files) is None
    assert suggest_file("a.svg", ["b.svg"]) is None
    assert suggest_file("ropes.svg", files) == "rope.svg"
    assert suggest_file("rope.png", files) == "rope.svg"
    assert suggest_file("stride.png", files) == "strides.png"


def test_the_order_of_the_known_words_does_not_matter() -> None:
    assert suggest("ab", ["ax", "ay"]) == suggest("ab", ["ay", "ax"])


def test_the_case_decides_between_words_that_differ_in_nothing_else() -> None:
    assert suggest("bmatirx", ["Bmatrix", "bmatrix"]) == "bmatrix"
    assert suggest("Bmatirx", ["Bmatrix", "bmatrix"]) == "Bmatrix"


def test_the_known_word_keeps_its_own_spelling() -> None:
    assert suggest("runtimeerror", {"RuntimeError", "TypeError"}) == "RuntimeError"


def test_help_falls_back_to_what_the_caller_says() -> None:
    assert did_you_mean("choise", KINDS, "use a kind") == "did you mean `choice`?"
    assert did_you_mean("quiz", KINDS, "use a kind") == "use a kind"


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("Source", "Sources"),
        ("detials", "Details"),
        ("HINTS", "Hint"),
        ("Resources", None),  # another word
        ("Anwser and more", None),
        ("", None),
    ],
)
def test_only_a_slip_is_corrected_without_asking(word: str, meant: str | None) -> None:
    assert slip_among(word, ("Answer", "Hint", "Details", "Sources")) == meant


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("eazy", "easy"),
        ("EASY", "easy"),
        ("hrad", "hard"),
        ("meduim", "medium"),
        ("lard", None),  # another first letter
        ("eas", "easy"),
        ("had", "hard"),
        ("beginner", None),
    ],
)
def test_one_slip_in_one_of_few_words_is_corrected(word: str, meant: str | None) -> None:
    assert slip_among(word, ("easy", "medium", "hard")) == meant


def test_a_slip_that_leads_to_two_words_is_not_corrected() -> None:
    assert slip_among("bart", ("bare", "bars")) is None


_LETTERS = st.sampled_from("abcdefgh")
_HALVES = st.text(_LETTERS, min_size=4, max_size=6)
_SLIPS = st.tuples(st.sampled_from(("add", "drop", "change", "swap")), st.integers(0, 2), _LETTERS)


def slipped(word: str, slip: tuple[str, int, str]) -> str:
    kind, at, letter = slip
    begin, one, other, end = word[:at], word[at], word[at + 1], word[at + 2 :]
    middle = {"add": letter + one + other, "drop": other, "change": letter + other, "swap": other + one}
    return begin + middle[kind] + end


@given(_HALVES, _HALVES, _SLIPS, _SLIPS)
def test_any_two_slips_in_a_long_word_are_recognised(
    one: str, other: str, first: tuple[str, int, str], second: tuple[str, int, str]
) -> None:
    assert slip_of(slipped(one, first) + slipped(other, second), (one + other,)) == one + other
