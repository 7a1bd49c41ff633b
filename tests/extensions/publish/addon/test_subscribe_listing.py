"""The list of an update, in the real Anki: each part that *Update* applies has a line."""

import time
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import pytest

from addon.listing import (
    LINES,
    ListedLine,
    MarkedWords,
    lines_of,
    marked_words,
    side_by_side,
    what_changes,
)
from anki_backend import learner
from following import Author, Follower, geo_type
from ptcards.extensions.desktop.merge.plan import PushPlan
from ptcards.extensions.publish.subscription.update import Counts, DeckUpdate, title_of
from ptcards.notes.notetypes import Field, Template

STAYS = {
    # what an update is made from, and what it is the first look at
    "source", "subscription", "is_first", "plan", "types", "fields", "here", "since", "own", "in_place", "blocked",
    # what stays as the learner has it, which the window says in sentences
    "left_alone", "left_out", "dangers", "stays", "gone", "look_conflicts", "look_kept", "file_conflicts",
    # what the subscription remembers afterwards
    "after", "adopted",
    # what only a push has
    "filtered", "replaced", "carriers", "deletes",
}  # fmt: skip
"""The fields of an update and its plan that change nothing in a collection."""


@pytest.fixture
def author(tmp_path: Path) -> Author:
    author = Author(tmp_path / "dist", descriptions={"Geo": "First"}, media={"_logo.png": b"1"})
    for number in range(3):
        author.put(f"n{number}", f"Question {number}", f"Answer {number}", tags="geo")
    author.put("moved", "Where is it?", "There", deck="Geo::One", tags="geo")
    author.put("stays", "Who stays?", "I", deck="Geo::One", tags="geo")
    author.put("other", "What else?", "Nothing", deck="Geo::Old", tags="geo")
    author.put("back", "Who is back?", "I", tags="geo")
    return author


@pytest.fixture
def anna(tmp_path: Path, author: Author) -> Iterator[Follower]:
    with learner(tmp_path / "anna") as col:
        anna = Follower(col, author, tmp_path / "work.apkg")
        anna.update(author.release("1"))
        yield anna


def lines(anna: Follower, author: Author, most: int = 300) -> list[tuple[str, ...]]:
    """Return the kind, title, field and text of each line of the next release."""
    update = anna.look(author.release("2"))
    return [said(each) for each in lines_of(update, most)]


def said(line: ListedLine) -> tuple[str, ...]:
    text = "".join(f"{{{mark}{text}}}" if mark else text for mark, text in line.words)
    return tuple(filter(None, (line.kind, line.title, line.field, text)))


def test_each_part_of_an_update_has_lines() -> None:
    """A new field of an update or its plan belongs either here or in the list."""
    known = {each.name for kind in (DeckUpdate, PushPlan) for each in fields(kind)}
    assert known == STAYS | {*LINES}


def everything_changes(author: Author) -> None:
    author.put("n0", "Question 0", "Better answer 0")
    author.put("n1", tags="europe")
    author.put("new", "What is new?", "This", deck="Geo::New::Here")
    author.put("moved", deck="Geo::Two")
    author.put("other", deck="Geo::Renamed")
    author.drop("n2")
    author.descriptions["Geo"] = "Second"
    author.media["_logo.png"] = b"2"
    author.note_type = replace(author.note_type, css=".card { color: red }")
    author.type_mod += 100


def test_what_an_update_applies_is_listed_with_its_name(author: Author, anna: Follower) -> None:
    author.drop("back")
    anna.update(author.release("1.1"))
    author.put("back", "Who is back?", "I", tags="geo")
    everything_changes(author)
    update = anna.look(author.release("2"))
    assert {part for part, content in update.parts.items() if content} == {*LINES}
    found = [*lines_of(update, 300)]
    assert {each.part for each in found} == {*LINES}
    assert [said(each) for each in found] == [
        ("deck", "Geo::Old → Geo::Renamed"),
        ("layout", "Geo"),
        ("file", "_logo.png"),
        ("description", "Geo"),
        ("words", "Question 0", "Back", "{-Answer} {+Better answer} 0"),
        ("tags", "Question 1", "{++europe} {-−geo}"),
        ("moved", "Where is it?", "Geo::One → Geo::Two"),
        ("back", "Who is back?"),
        ("new", "What is new?", "New › Here"),
        ("retired", "Question 2"),
    ]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("It is <b>so</b>.", "It is <i>so</i>.", [("formatting",)]),
        ("It is so.", "It<br>is so.", [("formatting",)]),
        ('A<img src="a.png">', 'A<img src="b.png">', [("picture", "{-a.png} {+b.png}")]),
        ("A", 'A<img src="b.png">', [("picture", "{+b.png}")]),
        ("A", 'A<img alt="A cell" src="b.png">', [("picture", "{+A cell}")]),
        (
            '<img src="a.png" alt="A cell">',
            '<img src="b.png" alt="A cell">',
            [("picture", "{-A cell} {+A cell: \x1a}")],
        ),
        (
            '<img src="a-0123abcd.png">',
            '<img src="a-4567cdef.png">',
            [("picture", "{-a.png} {+a.png: \x1a}")],
        ),
        ('A<img src="a.png">', 'B<img src="a.png">', [("words", "{-A} {+B}")]),
        ("A [sound:a.mp3]", "A", [("words", "A{- [sound:a.mp3]}"), ("picture", "{-a.mp3}")]),
        ('<a href="x">A</a>', '<a href="y">A</a>', [("link", "{-x} {+y}")]),
        ("\\(x\\)", "\\(y\\)", [("words", "{-\u2066x\u2069} {+\u2066y\u2069}")]),
        ("{{c1::A}} or {{c2::B}}", "{{c1::A}} or {{c2::C}}", [("words", "[A] or [{-B} {+C}]")]),
        ("\\(\\ce{H2O}\\)", "\\(\\ce{H2S}\\)", [("words", "{-\u2066H₂O\u2069} {+\u2066H₂S\u2069}")]),
        (
            "<table><tr><td>a</td><td>b</td></tr></table>",
            "<table><tr><td>a</td><td>c</td></tr></table>",
            [("words", "\u2068a\u2069 \x15 \u2068{-b} {+c}\u2069")],
        ),
        (
            '<p class="markdown-alert-title">Warning</p><p>Hot.</p>',
            '<p class="markdown-alert-title">Warning</p><p>Cold.</p>',
            [("words", "⚠ {-Hot} {+Cold}.")],
        ),
    ],
)
def test_a_difference_that_no_word_shows_has_a_name(
    author: Author, anna: Follower, before: str, after: str, expected: list[tuple[str, ...]]
) -> None:
    author.put("n0", "Question 0", before)
    anna.update(author.release("1.1"))
    author.put("n0", "Question 0", after)
    assert lines(anna, author) == [(kind, "Question 0", "Back", *words) for kind, *words in expected]


def test_the_title_of_a_cloze_is_its_text_as_it_is_read() -> None:
    assert (
        title_of(["", "The pH is {{c1::9.25::a number}}, \\(\\mathrm{p}K\\).<br>So."])
        == "The pH is 9.25, pK."
    )
    assert title_of(["<p>What is H<sub>2</sub>O?</p><p>So?</p>"]) == "What is H₂O?"
    shape = "{{c1::image-occlusion:rect:left=.1}}"
    assert (title_of([shape, '<img src="a.png">', "Name it"]), title_of([""])) == ("Name it", "")


def test_each_option_of_a_choice_is_a_line_with_its_mark_and_comment() -> None:
    html = (
        '<ol class="choices" type="A">\n<li class="wrong"><span class="mark">✗ falsch</span>'
        '<p>Zellkern</p>\n<div class="comment"><p>Er speichert die DNA.</p></div></li>\n'
        '<li class="right"><span class="mark">✓ richtig</span><p>Ribosom</p></li>\n</ol>\n<p>Es liest.</p>'
    )
    words = marked_words(html, html.replace("DNA", "DNA sicher"))
    assert said(ListedLine("", "", "", "", tuple(words))) == (
        "✗ Zellkern — Er speichert die DNA{+ sicher}.\n✓ Ribosom\nEs liest.",
    )


def test_another_number_of_an_item_is_no_difference() -> None:
    def items(*texts: str) -> str:
        return f"<ol>{''.join(f'<li>{each}</li>' for each in texts)}</ol>"

    assert [*marked_words(items("Wait", "Read"), items("Look", "Wait", "Read on"))] == [
        MarkedWords("+", "1. Look"),
        MarkedWords("", "\n2. Wait\n3. Read"),
        MarkedWords("+", " on"),
    ]
    assert [*marked_words(items("Fill it"), items("Pour it"))] == [
        MarkedWords("", "1. "),
        MarkedWords("-", "Fill"),
        MarkedWords("", " "),
        MarkedWords("+", "Pour"),
        MarkedWords("", " it"),
    ]
    assert [*marked_words(items("One", "Two", "Three"), items("One", "Three"))] == [
        MarkedWords("", "1. One"),
        MarkedWords("-", "\n2. Two"),
        MarkedWords("", "\n2. Three"),
    ]


def test_a_long_title_ends_with_a_word() -> None:
    assert title_of(["word " * 39]) == ("word " * 39).strip()
    assert title_of(["word " * 40]) == "word " * 39 + "…"
    assert title_of(["sevens " * 30]) == "sevens " * 28 + "…"
    assert title_of(["什么是 " + "词" * 210]) == "什么是 " + "词" * 194 + " …"


def test_a_change_of_an_option_is_listed_once(tmp_path: Path) -> None:
    fields = (Field("Question", 11), Field("Answer", 12), Field("Choices", 13))
    card = Template("Card 1", 21, "{{Question}}", "{{Answer}}")
    author = Author(tmp_path / "dist", note_type=geo_type(fields=fields, templates=(card,)))
    author.put("n0", "Question 0", "✓ one", "one")
    author.put("n1", "Question 1", "✓ one", "one")
    with learner(tmp_path / "anna") as col:
        anna = Follower(col, author, tmp_path / "work.apkg")
        anna.update(author.release("1"))
        anna.edit("n1", Answer="✓ mine")
        author.put("n0", "Question 0", "✓ two", "two")
        author.put("n1", "Question 1", "✓ two", "two")
        assert lines(anna, author) == [
            ("yours", "Question 1", "Answer", "✓{~ mine}"),
            ("authors", "Question 1", "Answer", "✓{~ two}"),
            ("words", "Question 1", "Choices", "{-one} {+two}"),
            ("words", "Question 0", "Answer", "✓ {-one} {+two}"),
        ]


def test_a_text_that_stays_is_next_to_the_one_that_waits(author: Author, anna: Follower) -> None:
    anna.edit("n0", Back="My own words")
    author.put("n0", "Question 0", "The best words")
    assert lines(anna, author) == [
        ("yours", "Question 0", "Back", "{~My own} words"),
        ("authors", "Question 0", "Back", "{~The best} words"),
    ]


def test_a_note_that_was_removed_and_edited_is_said_to_stay(author: Author, anna: Follower) -> None:
    anna.edit("n0", Back="Mine")
    author.drop("n0")
    author.drop("n1")
    assert lines(anna, author) == [("retired", "Question 1"), ("retired_kept", "Question 0")]


def test_a_part_with_many_notes_does_not_hide_the_others(author: Author, anna: Follower) -> None:
    for number in range(9):
        author.put(f"many{number}", f"Many {number}", "x")
    author.drop("n0")
    assert lines(anna, author, 2) == [
        ("new", "Many 0"),
        ("new", "Many 1"),
        ("only_first", "2"),
        ("retired", "Question 0"),
    ]


def test_deleted_and_moved_notes_are_only_counted_if_the_release_touches_them(
    author: Author, anna: Follower
) -> None:
    anna.delete("n0")
    anna.move("n1", "Mine")
    author.put("n2", "Question 2", "Better")
    second = author.release("2")
    assert anna.look(second).counts == Counts(changed=1)
    anna.update(second)
    author.put("n0", "Question 0", "Better")
    author.put("n1", deck="Geo::Two")
    assert anna.look(author.release("3")).counts == Counts(gone=1, stays=1)


def test_an_empty_update_has_no_line_and_every_other_one_has(author: Author, anna: Follower) -> None:
    update = anna.look(author.release("2"))
    assert (update.is_empty, [*lines_of(update, 300)]) == (True, [])


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("My own", "The best singer", "{-My own} {+The best singer}"),
        ("best", "The best", "{+The} best"),
        ("The best", "best", "{-The} best"),
        ("a b c", "a c", "a{- b} c"),
        ("Nest", "Nests and homes", "{-Nest} {+Nests and homes}"),
        ("2.1", "2.2", "{-2.1} {+2.2}"),
        ("ΔH = −57.6 kJ", "ΔH = −57.1 kJ", "ΔH = {-−57.6} {+−57.1} kJ"),
        ("1,721 of ٣٫١٤, 5", "1,722 of ٣٫١٥, 5", "{-1,721} {+1,722} of {-٣٫١٤} {+٣٫١٥}, 5"),
        ("5-8. In v1.2", "5-9. In v1.3", "5-{-8} {+9}. In {-v1.2} {+v1.3}"),
        ("same", "<b>same</b>", ""),
        (r"\(E = a - b\).", r"\(E = c - d\).", "{-\u2066E = a − b\u2069} {+\u2066E = c − d\u2069}."),
        ("كَتَبَ الطالبُ", "كَتَبَتِ الطالبُ", "{-كَتَبَ} {+كَتَبَتِ} الطالبُ"),
        ("שָׁלוֹם לָךְ, אָב", "שָׁלוֹם לָכֶם, אָב", "שָׁלוֹם {-לָךְ} {+לָכֶם}, אָב"),
        ("हिन्दी में। अब", "हिन्दू में। कब", "{-हिन्दी} {+हिन्दू} में। {-अब} {+कब}"),
        ("می‌روم.", "می‌شوم.", "{-می‌روم} {+می‌شوم}."),
        ("The café is old", "The cafés is old", "The {-café} {+cafés} is old"),
        ("q̄ = 2", "q̂ = 2", "{-q̄} {+q̂} = 2"),
        ("café in", "café <b>in</b>", ""),
    ],
)
def test_a_blank_is_between_old_and_new_words(before: str, after: str, expected: str) -> None:
    assert said(ListedLine("", "", "", "", tuple(marked_words(before, after)))) == (
        (expected,) if expected else ()
    )


def test_two_texts_side_by_side_mark_what_differs() -> None:
    assert [(kind, [*words]) for kind, words in side_by_side('One<img src="a.png">', "<p>One</p>")] == [
        ("yours", [MarkedWords("", "One"), MarkedWords("~", "\n[\x1b: a.png]")]),
        ("authors", [MarkedWords("", "One")]),
    ]
    one, other = '<img alt="A cell" src="a.png">', '<img alt="A cell" src="b.png">'
    assert [*side_by_side(one, f"{one}!")] == [
        ("yours", [MarkedWords("", "[\x1b: A cell]")]),
        ("authors", [MarkedWords("", "[\x1b: A cell]"), MarkedWords("~", "\n!")]),
    ]
    assert [*side_by_side(one, other)] == [
        ("yours", [MarkedWords("", "[\x1b: A cell"), MarkedWords("", "]")]),
        ("authors", [MarkedWords("", "[\x1b: A cell"), MarkedWords("~", ": \x1a"), MarkedWords("", "]")]),
    ]
    one = f"<p>Look:</p>{one}<ul><li>one</li></ul>"
    assert next(side_by_side(one, one)) == ("yours", [MarkedWords("", "Look:\n[\x1b: A cell]\n• one")])
    bold = side_by_side("One <u>tw<i>o</i></u>", "<b>One</b> two")
    assert [(kind, [*words]) for kind, words in bold] == [
        ("yours", [MarkedWords("~", "One t\x18w\x18o\x17\x18")]),
        ("authors", [MarkedWords("~", "O\x16n\x16e\x16 two")]),
        ("alike", []),
    ]
    assert [*marked_words("One <b>two</b>", "One <b>three</b>")][-1] == MarkedWords("+", "three")
    assert next(side_by_side("<b>−3.5 {{c1::a}}</b>", "−3.5 a")) == (
        "yours",
        [MarkedWords("", "−3.5"), MarkedWords("~", " ["), MarkedWords("", "a"), MarkedWords("~", "]")],
    )


def test_two_texts_that_share_few_words_are_marked_from_the_first_difference_to_the_last() -> None:
    mine, authors = "It is the end of my words.", "Nobody knows how a tensor keeps the data."
    assert [(kind, [*words]) for kind, words in side_by_side(mine, authors)] == [
        ("yours", [MarkedWords("~", mine[:-1]), MarkedWords("", ".")]),
        ("authors", [MarkedWords("~", authors[:-1]), MarkedWords("", ".")]),
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["a"] * 1_500, ["a", "b"] * 750),
        ([str(number) for number in range(1_500)], [str(number) for number in range(1_500, 0, -1)]),
        (["<div>"] * 500_000, ["<i>x"] * 500_000),
    ],
    ids=["few words", "turned round", "elements"],
)
def test_no_text_is_compared_for_long(before: list[str], after: list[str]) -> None:
    """A list has hundreds of them. Some took half a minute each."""
    begin = time.process_time()
    assert [*what_changes(" ".join(before), " ".join(after))]
    assert time.process_time() - begin < 0.5


def test_a_change_beyond_what_is_compared_is_shown_as_one() -> None:
    long = "word " * 10_000
    assert [*what_changes(long + "one", long + "two")] == [("words", (MarkedWords("~", "…"),))]
    assert [*what_changes(f"<b>{long}</b>"[:20_000], f"<i>{long}</i>"[:20_000])] == [("formatting", ())]


def test_a_new_hint_of_a_gap_is_a_difference_of_words() -> None:
    assert [*what_changes("The {{c1::heart}} beats", "The {{c1::heart::an organ}} beats")] == [
        (
            "words",
            [
                MarkedWords("", "The [heart"),
                MarkedWords("+", " (an organ)"),
                MarkedWords("", "] beats"),
            ],
        )
    ]


def test_no_part_of_a_formula_turns_the_rest_of_a_shortened_text() -> None:
    text = f"{'word ' * 9}\\(a + b + c\\)."
    found = next(marked_words(f"{text * 3} one", f"{text * 3} two"))
    assert found.text == f"{'word ' * 9}\u2066a\u2069 … {'word ' * 7}\u2066a + b + c\u2069."


def test_two_changes_far_apart_are_marked_one_by_one() -> None:
    middle = " ".join(f"word{number}" for number in range(40))
    assert [*marked_words(f"Old {middle} end.", f"New {middle} close.")] == [
        MarkedWords("-", "Old"),
        MarkedWords("", " "),
        MarkedWords("+", "New"),
        MarkedWords("", f" {middle[: middle.index(' word8')]} … {middle[middle.index('word33') :]}"),
        MarkedWords("", " "),
        MarkedWords("-", "end"),
        MarkedWords("", " "),
        MarkedWords("+", "close"),
        MarkedWords("", "."),
    ]
