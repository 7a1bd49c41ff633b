"""Every shortcut has the same result as the code that it replaces."""

import inspect

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handmade import a_note
from ptcards.lint.note import read
from ptcards.lint.registry import all_rules

PHRASES = (
    "Nowadays",
    "currently",
    "no support",
    "as of now",
    "in recent versions",
    "2.13",
    "the previous question",
    "see card 3",
    "as we have seen before",
    "Also",
    "moreover",
    "[sound:a.mp3]",
    "[latex]",
    "[[type:Answer]]",
    "[the manual][docs]",
    "[a][b]",
    "`x[0][a]`",
    "$a$",
    "**now**",
    "{{443}}",
    "#tcp",
    "İ",
    ".",
    "?",
    "! ",
    "- ",
    "|",
)
PROSE_RULES = [name for name, rule in all_rules().items() if ".prose" in inspect.getsource(type(rule))]
texts = st.lists(
    st.tuples(st.sampled_from(PHRASES), st.sampled_from((" ", "\n", "\n\n", ""))), max_size=12
).map(lambda pieces: "".join(phrase + gap for phrase, gap in pieces))


@pytest.mark.parametrize("name", PROSE_RULES)
@settings(deadline=None, max_examples=150)
@given(heading=texts, question=texts, answer=texts)
def test_a_rule_that_finds_nothing_in_the_prose_finds_nothing_in_its_parts(
    name: str, heading: str, question: str, answer: str
) -> None:
    rule = all_rules()[name]
    note = a_note(heading.replace("\n", " "), answer, question=question, details=answer)
    quick, long = read(note)[0], read(note)[0]
    # Every rule finds something here, so every part is read.
    long.__dict__["prose"] = "[sound:a.mp3] the next card\nAlso nowadays, [a][b] {{443}} #tcp **b `c | d $x^2"
    assert list(rule.check(quick)) == list(rule.check(long))


@pytest.mark.parametrize("name", PROSE_RULES)
def test_the_prose_that_stands_for_all_makes_every_rule_look(name: str) -> None:
    rule = all_rules()[name]
    said = "It is so nowadays. Nothing [sound:a.mp3] is on the previous card, see [a][b]. Also x. Also y. Also z. {{443}} #tcp\n\n$x^2\n\n**b\n\n`c\n\n| d | e |\n| f | g |"
    quick, blind = read(a_note("Why?", said))[0], read(a_note("Why?", said))[0]
    blind.__dict__["prose"] = ""
    assert {found.rule for found in rule.check(quick)} == {name}
    assert list(rule.check(blind)) == []
