"""Suggestions after "did you mean"."""

import pytest

from ptcards.diagnostics.suggest import did_you_mean, suggest, surely

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
    assert surely(word, ("Answer", "Hint", "Details", "Sources")) == meant


def test_between_two_near_words_nothing_is_sure() -> None:
    assert surely("colr", ("color", "colour")) is None
