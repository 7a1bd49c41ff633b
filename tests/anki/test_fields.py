"""The thirteen fields of every kind of note.

The texts are plain words, because rendering is tested elsewhere.
"""

import re
from pathlib import Path

import pytest

from handmade import EARLIER, a_note, choice, media_file
from ptcards.anki.built_in_notetypes import FIELDS, our_type
from ptcards.anki.cards import card_ordinals
from ptcards.anki.fields import anchor, render, render_note
from ptcards.diagnostics import Diagnostic, error
from ptcards.notes import Identified, Kind, Note
from ptcards.notes.rendered import RenderedNote


def fields(note: Note) -> dict[str, str]:
    """Render a note, check that it has no problems, and return the fields that are not empty."""
    rendered, diagnostics = render_note(Identified(note, "0aB3xK9pQ2z", EARLIER))
    assert diagnostics == []
    return {name: field for name, field in zip(FIELDS, rendered.fields, strict=True) if field}


def faults(note: Note) -> list[Diagnostic]:
    return render_note(Identified(note, "0aB3xK9pQ2z", EARLIER))[1]


ALWAYS = {"Topic": "Autograd", "GUID": "0aB3xK9pQ2z"}


def test_what_is_not_a_field_is_carried_along() -> None:
    note = a_note("Why?", "So.", tags=("autograd", "difficulty::easy"))
    rendered, _ = render_note(Identified(note, "0aB3xK9pQ2z", EARLIER))
    assert rendered == RenderedNote(
        guid="0aB3xK9pQ2z",
        mod=EARLIER,
        deck="PyTorch::Autograd",
        note_type="qa",
        fields=rendered.fields,
        tags=("autograd", "difficulty::easy"),
        media=(),
    )


def test_a_basic_note_fills_question_answer_and_sections() -> None:
    note = a_note(
        "Why?",
        "So.",
        question="Given this.",
        hint="Think.",
        details="More.",
        sources="A book.",
        difficulty="hard",
    )
    assert fields(note) == {
        "Question": '<p class="heading">Why?</p>\n<p>Given this.</p>',
        "Answer": "<p>So.</p>",
        "Hint": "<p>Think.</p>",
        "Details": "<p>More.</p>",
        "Sources": "<p>A book.</p>",
        "Difficulty": "hard",
        **ALWAYS,
    }


def test_a_reversed_note_is_flagged() -> None:
    assert fields(a_note("Why?", "So.", kind=Kind.REVERSED)) == {
        "Question": '<p class="heading">Why?</p>',
        "Answer": "<p>So.</p>",
        "Reversed": "1",
        **ALWAYS,
    }


def test_a_typed_text_is_text_and_not_html() -> None:
    assert fields(a_note("Type it", "It compares.", kind=Kind.TYPED, typed="x[0] < y & [sound:a]")) == {
        "Question": '<p class="heading">Type it</p>',
        "Answer": "<p>It compares.</p>",
        "Typed": "x[0] &lt; y &amp; &#91;sound:a]",
        **ALWAYS,
    }


def test_a_single_choice_shows_options_in_front_and_marks_them_behind() -> None:
    options = (choice("One", "No."), choice("Two", right=True))
    note = a_note("Which?", "Because.", kind=Kind.CHOICE, choices=options, question="Of these.")
    assert fields(note) == {
        "Question": '<p class="heading">Which?</p>\n<p>Of these.</p>',
        "Choices": '<ol class="choices" type="A">\n<li><p>One</p></li>\n<li><p>Two</p></li>\n</ol>',
        "Answer": (
            '<ol class="choices" type="A">\n'
            '<li class="wrong"><span class="mark">✗ wrong</span><p>One</p><div class="comment"><p>No.</p></div></li>\n'
            '<li class="right"><span class="mark">✓ right</span><p>Two</p></li>\n'
            "</ol>\n<p>Because.</p>"
        ),
        **ALWAYS,
    }


def test_a_choice_of_several_says_so() -> None:
    options = (choice("One", right=True), choice("Two", right=True), choice("Three"))
    shown = fields(a_note("Which?", kind=Kind.CHOICE, choices=options))
    assert shown["Choices"].startswith(
        '<p class="choose">Select all that apply.</p>\n<ol class="choices" type="A">'
    )
    assert shown["Answer"].count('class="right"') == 2
    assert shown["Answer"].endswith("</ol>")


def test_a_cloze_has_its_deletions_in_the_answer_alone() -> None:
    note = a_note(
        "Fill in `{{c1::this}}`", "The {{c1::graph}} runs.", kind=Kind.CLOZE, details="Not `{{c2::here}}`."
    )
    rendered, diagnostics = render_note(Identified(note, "g", EARLIER))
    assert diagnostics == []
    assert rendered.note_type == "cloze"
    assert rendered.fields[FIELDS.index("Answer")] == "<p>The {{c1::graph}} runs.</p>"
    assert [name for name, field in zip(FIELDS, rendered.fields, strict=True) if "{{c" in field] == ["Answer"]
    assert card_ordinals(our_type("cloze"), rendered.fields) == (0,)


def test_a_cloze_asked_in_prose_keeps_deletions_in_code_literal() -> None:
    note = a_note("Fill in", "The {{c1::graph}}, not `{{c2::x}}`.", kind=Kind.CLOZE)
    rendered, _ = render_note(Identified(note, "g", EARLIER))
    assert card_ordinals(our_type("cloze"), rendered.fields) == (0,)


def test_a_cloze_of_that_kind_is_asked_in_code_too() -> None:
    markdown = "The {{c1::graph}}.\n\n```python\nloss.{{c2::backward}}()\n```"
    note = a_note("Fill in", markdown, kind=Kind.CLOZE)._replace(code_deletions=True)
    rendered, _ = render_note(Identified(note, "g", EARLIER))
    assert card_ordinals(our_type("cloze"), rendered.fields) == (0, 1)


def test_a_note_that_takes_too_long_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ptcards.anki.fields.NOTE_SECONDS", 0.001)
    note = a_note("Why?", "[" * 50_000)
    rendered, diagnostics = render(note)
    assert rendered == ("",) * len(FIELDS)
    assert diagnostics == [
        error(
            note.location,
            "note-too-slow",
            "this note takes longer than 0.001 seconds to render",
            "shorten the note, or split it into several",
        )
    ]


def test_the_ids_of_footnotes_tell_notes_apart_before_their_guids_are_known() -> None:
    why, what = a_note("Why?", "So[^1].\n\n[^1]: Really."), a_note("What?", "That[^1].\n\n[^1]: Really.")
    found = [re.findall(r'id="([^"]+)"', "".join(render(note)[0])) for note in (why, what)]
    assert found == [[f"{anchor(note)}-answer-{which}1" for which in ("fnref", "fn")] for note in (why, what)]
    assert len({anchor(why), anchor(what), anchor(why._replace(deck="PyTorch"))}) == 3


def test_topic_is_text() -> None:
    assert (
        fields(a_note("Why?", "So.", deck="PyTorch::<b> & [sound:x]"))["Topic"]
        == "&lt;b&gt; &amp; &#91;sound:x]"
    )


def test_media_are_shown_by_their_name_in_anki(tmp_path: Path) -> None:
    plan = media_file(tmp_path / "plan.svg", b"<svg/>")
    shown = fields(a_note("Why?", "![The plan](plan.svg)", media=(plan,)))["Answer"]
    assert f'src="{plan.name}"' in shown
    assert 'src="plan.svg"' not in shown


@pytest.mark.parametrize(
    ("note", "message", "help_text"),
    [
        (
            a_note("<br>", "So."),
            "the question shows nothing, so Anki makes no card",
            "write the question after the `##`",
        ),
        (
            a_note("Why?", "<br>", kind=Kind.REVERSED),
            "the answer shows nothing, so Anki makes no reversed card",
            "write an answer, or set `kind=basic`",
        ),
        (
            a_note("Why?", "Nothing is asked.", kind=Kind.CLOZE),
            "no deletion is left in the text, so Anki makes no card",
            "mark the text to recall: `{{c1::text}}`",
        ),
    ],
    ids=["question", "reversed", "cloze"],
)
def test_a_note_that_would_lack_a_card_is_an_error(note: Note, message: str, help_text: str) -> None:
    assert [found for found in faults(note) if found.rule == "no-card"] == [
        error(note.location, "no-card", message, help_text)
    ]


def test_a_list_of_sources_shows_the_server_and_the_end_of_long_addresses() -> None:
    addresses = {
        "https://docs.pytorch.org/docs/stable/generated/torch.nn.Dropout.html": "docs.pytorch.org › torch.nn.Dropout",
        "https://www.example.org/a/rather/long/path/to/a/page/": "example.org › page",
        "https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place": "docs.pytorch.org › in-place",
        "https://openreview.net/attachments/forum?id=B1ckMDqlg": "openreview.net › forum?id=B1ckMDqlg",
        "https://arxiv.org/abs/1706.03762": "https://arxiv.org/abs/1706.03762",
        "https://a-server-with-a-very-long-name.example.org/": "https://a-server-with-a-very-long-name.example.org/",
    }
    listed = "\n".join(f"- <{address}>" for address in addresses)
    shown, _ = render(a_note("Q?", listed, sources=f"{listed}\n- [x]({next(iter(addresses))})"))
    links = re.compile(r'<a href="([^"]*)">([^<]*)</a>')
    assert links.findall(shown[FIELDS.index("Sources")]) == [*addresses.items(), (next(iter(addresses)), "x")]
    assert links.findall(shown[FIELDS.index("Answer")]) == [(each, each) for each in addresses]


def test_a_long_name_in_code_can_break_between_its_words() -> None:
    name = "torch.nn.functional.scaled_dot_product_attention(query)"
    shown, _ = render(a_note(f"What does `{name}` do?", f"`{name}` and `torch.add(x)`"))
    breaks = "torch<wbr>.nn<wbr>.functional<wbr>.scaled_<wbr>dot_<wbr>product_<wbr>attention(query)"
    assert shown[:2] == (
        f'<p class="heading">What does <code>{breaks}</code> do?</p>',
        f"<p><code>{breaks}</code> and <code>torch.add(x)</code></p>",
    )


def test_a_long_name_in_a_link_can_break_between_its_words() -> None:
    links = "[torch.nn.Module.register_hook](https://x.org) and [torch.add (a page)](https://x.org) <https://x.org/a_long_name.html>"
    shown, _ = render(a_note("Q?", links))
    assert shown[1] == (
        '<p><a href="https://x.org">torch<wbr>.nn<wbr>.Module<wbr>.register_<wbr>hook</a> and '
        '<a href="https://x.org">torch.add (a page)</a> '
        '<a href="https://x.org/a_long_name.html">https://x.org/a_long_name.html</a></p>'
    )


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("(3, 4)", "⟦(3, 4)⟧"),
        ("x.view(2, -1)[:, 0]", "x.view⟦(2, -1)⟧⟦[:, 0]⟧"),
        ("torch.zeros((3, 4))", "torch.zeros⟦((3, 4))⟧"),
        ("[(1, 2), 3]", "⟦[(1, 2), 3]⟧"),
        ("f(batch, (3, 4), last)", "f(batch, ⟦(3, 4)⟧, last)"),
        ("(123, 45678)", "⟦(123, 45678)⟧"),
        ("(1234, 45678)", "(1234, 45678)"),
        ("step() and x[0]", "step() and x[0]"),
        ("(3, 4", "(3, 4"),
        ("{'a': 1} & [n-k]", "⟦{'a': 1}⟧ &amp; ⟦[n-k]⟧"),
    ],
)
def test_a_short_bracket_in_code_stays_on_one_line(code: str, shown: str) -> None:
    fields, _ = render(a_note(f"What is `{code}`?", f"`{code}`"))
    html = [re.sub(r'<span class="unit">(.*?)</span>', r"⟦\1⟧", field) for field in fields[:2]]
    assert html == [
        f'<p class="heading">What is <code>{shown}</code>?</p>',
        f"<p><code>{shown}</code></p>",
    ]


def test_a_long_name_in_code_of_a_cloze_keeps_its_deletions() -> None:
    text = "`torch.nn.functional.{{c1::scaled_dot_product_attention}}` and `&lt;not_an_entity_but_code_that_is_long>`"
    shown, _ = render(a_note("Q", text, kind=Kind.CLOZE)._replace(code_deletions=True))
    assert shown[1] == (
        "<p><code>torch.nn.functional.{{c1::scaled_<wbr>dot_<wbr>product_<wbr>attention}}</code> and "
        "<code>&amp;lt;not_<wbr>an_<wbr>entity_<wbr>but_<wbr>code_<wbr>that_<wbr>is_<wbr>long&gt;</code></p>"
    )
