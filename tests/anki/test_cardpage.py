"""The sides of a card, compared with the real Anki's own renderer."""

import functools
import re
from pathlib import Path

import pytest
from anki.collection import Collection
from hypothesis import given, settings
from hypothesis import strategies as st

from anki_backend import cards_of, import_package, learner, sides
from handmade import COLLECTION_ID, a_note, choice, media_file, package, rendered
from ptcards.anki.built_in_notetypes import FIELDS, note_types
from ptcards.anki.cards import CardSides, card_sides, show_deletions
from ptcards.anki.fields import render_note
from ptcards.anki.mathml import with_math
from ptcards.notes import Identified, Kind
from ptcards.notes.rendered import RenderedNote

TYPES = {each.key: each for each in note_types(COLLECTION_ID, "PyTorch", "")}
BOX = '<center><input type=text id=typeans aria-label="Your answer"></center>'

CLOZES = (
    "{{c1::one <b>two</b>::h&quot;int}} y {{c2::z {{c1::nested}} w}} {{c3::}} {{c1,2::both}}",
    r"\(a {{c1::b}} c\) {{c1::\(x<b>y</b> &lt; \frac{1}{2}\)}} \[ a <i>x</i>\] {{c2::é 漢 ☃ ~_-.'}}",
    "{{c1::a<p>b</p>::h}}\n<pre>a &lt; b {{c2::q &#58;}}</pre> }} {{c4::open {{C1::x}} {{c0::z}}",
    "{{c1::a::}} {{c1::b::h::k}} {{c1::x {{c2::y::in}} z::out}} {{c3::never closed",
    "{{c99999::q}} {{c::x}} {{c1,::y}} {{c1::two\nlines}} {{c2::<img src='x.png'>}}",
    "".join(f"{{{{c{n}::{n}" for n in range(1, 11)) + "}}" * 10,
)


def anki_sides(collection: Collection, note: RenderedNote) -> tuple[CardSides, ...]:
    """Return a note's cards rendered by Anki, with nothing typed as an answer."""
    compared = collection.compare_answer(note.fields[FIELDS.index("Typed")], "")
    shown = []
    for card in cards_of(collection, note.guid):
        front, back = sides(card)
        front, back = (
            front.replace("[[type:Typed]]", BOX),
            back.replace("[[type:Typed]]", compared),
        )
        shown.append(CardSides(card.ord, card.template()["name"], front, back))
    return tuple(shown)


def without_hint_ids(cards: tuple[CardSides, ...]) -> tuple[CardSides, ...]:
    """Return cards without the generated names that connect a hint's link to its text."""

    def masked(html: str) -> str:
        return re.sub(r"hint[0-9a-f]{16}", "hint#", html)

    return tuple(
        CardSides(each.ordinal, each.template, masked(each.front), masked(each.back)) for each in cards
    )


def assert_like_anki(notes: list[RenderedNote], folder: Path) -> None:
    with learner(folder / "anki") as collection:
        import_package(collection, package(folder / "a.apkg", notes))
        for note in notes:
            expected = anki_sides(collection, note)
            assert expected != ()
            assert without_hint_ids(card_sides(note, TYPES[note.note_type])) == without_hint_ids(expected)


def test_every_kind_and_side_is_rendered_as_by_anki(tmp_path: Path) -> None:
    picture = media_file(tmp_path / "a.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>")
    options = (choice("one", "because", right=True), choice("`two`"), choice("three", right=True))
    every = functools.partial(
        a_note,
        hint="A *hint* with `code`.",
        details="More:\n\n```python\nx = {{y}}\n```",
        sources="- [docs](https://example.org/a?b=1&c=2)",
        difficulty="hard",
    )
    written = [
        every(
            "What is `x`?",
            "It is {{not}} a field.\n\n![a](a.svg)",
            media=(picture,),
        ),
        every(
            "Term",
            "Meaning",
            kind=Kind.REVERSED,
        ),
        every(
            "Type it: \\(x < y\\)",
            "More.",
            kind=Kind.TYPED,
            typed="a < b & \"c\" 'd' [x]",
        ),
        every(
            "Which?",
            "Why.",
            kind=Kind.CHOICE,
            choices=options,
        ),
        every("Fill in", "{{c1::one::h}} and `{{c2::std::vector}}` and \\({{c1::x}}\\)", kind=Kind.CLOZE),
        a_note("Bare?", "Yes."),
        a_note("Only a question?"),
    ]
    notes = [render_note(Identified(note, f"guid{n}", 1))[0] for n, note in enumerate(written)]
    assert_like_anki(notes, tmp_path)


def test_deletions_are_shown_as_by_anki(tmp_path: Path) -> None:
    notes = [
        rendered(
            f"k{n}", {"Question": "Q {{c1::not here}}", "Answer": cloze, "Hint": " h\n"}, note_type="cloze"
        )
        for n, cloze in enumerate(CLOZES)
    ]
    assert_like_anki(notes, tmp_path)


def test_blank_fields_open_no_section(tmp_path: Path) -> None:
    blank = {
        "Question": "Q",
        "Answer": "A",
        "Hint": " <br> ",
        "Details": "<div></div>\n",
        "Sources": "<p></p>",
    }
    assert_like_anki(
        [rendered("b", blank), rendered("c", {"Question": "Q", "Answer": "{{Question}} {{#Hint}}"})], tmp_path
    )


PIECES = st.sampled_from(
    [
        "{{c1::",
        "{{c2::",
        "{{c1,2::",
        "{{c::",
        "}}",
        "::",
        "a",
        " ",
        "<b>",
        "</b>",
        "\\(",
        "\\)",
        "\n",
        "{{C1::",
        "é",
    ]
)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.lists(st.lists(PIECES, max_size=12).map("".join), min_size=30, max_size=30))
def test_any_mixture_of_marks_is_shown_as_by_anki(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    # The first deletion, which ends before the rest, gives every note a card.
    notes = [
        rendered(f"k{n}", {"Answer": "{{c1::x}} " + text}, note_type="cloze") for n, text in enumerate(texts)
    ]
    assert_like_anki(notes, tmp_path_factory.mktemp("mixture"))


def test_a_card_without_its_deletion_shows_nothing() -> None:
    assert show_deletions("{{c1::a}} b", 2, blank=True) == ""


def test_math_becomes_mathml() -> None:
    assert with_math(r"<p>\(x &lt; 1\)</p>") == (
        '<p><math xmlns="http://www.w3.org/1998/Math/MathML" display="inline"><mrow><mi>x</mi><mo lspace="0.278em" rspace="0.278em">&lt;</mo><mn>1</mn></mrow></math></p>'
    )
    assert 'display="block"' in with_math(r"\[\sum_{i=1}^n i\]")


@pytest.mark.parametrize(
    "tex",
    [
        r"\ce{A\bond{~}B}",
        r"\pu{3 $m$}",
        r"a + \cancelto{0}{x}",
        r"\require{cancel} x",
        r"\set{x}",
        r"\begin{CD} A @&gt;&gt;&gt; B \end{CD}",
        r"\begin{alignat}{1} a &amp; b \end{alignat}",
        r"\genfrac{}{}{0pt}{}{a}{b}",
    ],
)
def test_a_formula_that_only_mathjax_draws_is_shown_as_its_source_in_a_box(tex: str) -> None:
    shown = f'<p><span class="formula-source"><code>{tex}</code> <small>formula (source)</small></span></p>'
    assert with_math(rf"<p>\({tex}\)</p>") == shown
    assert with_math(rf"<p>\[{tex}\]</p>") == shown


def test_a_formula_that_is_shown_as_its_source_says_so_in_the_language_of_the_note() -> None:
    """One side of a note in two languages does not count."""
    box = r'<span class="formula-source"><code>\set{{3}}</code> <small>{}</small></span>'
    tex, german = r"\(\set{3}\)", box.format("Formel (Quelltext)")
    assert with_math(f'{tex}<div lang="ja" dir="ltr">{tex}</div><div lang="fr">{tex}</div>', "de") == (
        f'{german}<div lang="ja" dir="ltr">{german}</div><div lang="fr">{box.format("formule (source)")}</div>'
    )


@pytest.mark.parametrize(
    ("environment", "alike"),
    [("aligned", "align*"), ("dcases", "cases"), ("gathered", "matrix"), ("psmallmatrix", "pmatrix")],
)
def test_environments_that_look_the_same_are_shown_alike(environment: str, alike: str) -> None:
    tex = r"\[\begin{%s} a &amp;= b \\ c &amp;= d \end{%s}\]"
    shown = with_math(tex % (environment, environment))
    assert shown == with_math(tex % (alike, alike))
    assert shown.count("<mtr>") == 2


def test_a_command_that_mathjax_does_not_know_is_shown_by_its_name() -> None:
    assert with_math(r"\(\alhpa\)") == (
        '<math xmlns="http://www.w3.org/1998/Math/MathML" display="inline"><mrow><mi>\\alhpa</mi></mrow></math>'
    )


@pytest.mark.parametrize(
    "html",
    [
        r"<code>r'\(x\)'</code>",
        r"<pre><code>\[<span>x</span>\]</code></pre>",
        r'<a title="\(x\)">a</a>',
        r"<!-- \(x\) -->",
        r"\(unclosed",
        r"\(a<b>b</b>\)",
        r"\(x^\)",
        r"\(\begin{matrix} a \\ b\)",
        r"\(\)",
    ],
)
def test_what_is_no_math_stays_as_it_is(html: str) -> None:
    assert with_math(html) == html


@pytest.mark.parametrize(
    "tex",
    [
        r"\text{&lt;img src=x onerror=alert(1)&gt;}",
        r"\text{&amp;lt;img src=x onerror=alert(1)&amp;gt;}",
        r"\href{javascript:alert(1)}{x}",
        r"\style{background:url(https://example.org)}{x}",
        r"\class{ptc}{x}",
        r"\color{red\" onclick=\"alert(1)}{x}",
    ],
)
def test_math_brings_no_markup_of_its_own(tex: str) -> None:
    shown = with_math(rf"\({tex}\)")
    assert not re.search(r"<img|\shref=|\sstyle=|\sclass=|\sonclick=\"", shown)
