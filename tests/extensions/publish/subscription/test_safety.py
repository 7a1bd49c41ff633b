"""What can run a program or ask a server when a card is shown is named, and nothing else is."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import pytest

from addon.showing import showing
from ptcards.anki.built_in_notetypes import note_types, our_type
from ptcards.extensions.publish.subscription.dangers import (
    Danger,
    KnownTexts,
    ReleasedFiles,
    ShownNote,
    find_dangers,
)
from ptcards.extensions.publish.subscription.package import AnkiNoteType, AnkiTemplate
from ptcards.extensions.publish.subscription.safety import _HARMLESS, Threat, in_css, in_html, in_layout
from xss import ADDRESSES, CSS, HANDLERS, REQUESTS, SCRIPTS


@pytest.mark.parametrize("attack", [*SCRIPTS, *HANDLERS, *ADDRESSES])
def test_what_runs_a_program_is_named(attack: str) -> None:
    assert "program" in {threat.kind for threat in in_html(f"<p>before</p>{attack}")}


@pytest.mark.parametrize("attack", REQUESTS)
def test_what_asks_a_server_is_named(attack: str) -> None:
    assert in_html(f"before {attack}") != frozenset()


@pytest.mark.parametrize(
    "attack",
    [
        "<img src=//evil.example/x>",
        "<img src='\\\\evil.example\\x'>",
        "<img src='ht\ntps://evil.example/x'>",
        "<p style='background:\\75rl(//evil.example/x)'>x</p>",
        "[sound:https://evil.example/x.mp3]",
        "<style>@import '//evil.example/x'</style>",
    ],
)
def test_the_server_is_named(attack: str) -> None:
    assert Threat("network", "evil.example") in in_html(attack)


@pytest.mark.parametrize(
    "css",
    [
        ".card { background: url(https:evil.example/c) }",
        ".card { background: url(https:/evil.example/c) }",
        '.card { background: url("/\\\n/evil.example/d") }',
        '.card { background: url("https:\\\n//evil.example/d") }',
        '.card { background: url("/\\9 /evil.example/e") }',
        ".card { background: url(\\\\\\\\evil.example/e) }",
        "@import '//evil.example/e';",
        "@\\69mport '//evil.example/e';",
        ".card { background: image-set('//evil.example/e' 1x) }",
        "@font-face { font-family: x; src: url(//evil.example/e) }",
        ".card::after { content: '/*' } .card { background: url(//evil.example/e) } b { content: '*/' }",
        "/* \\*/ .card { background: url(//evil.example/e) } /* */",
    ],
)
def test_a_server_in_css_is_named_however_it_is_written(css: str) -> None:
    assert Threat("network", "evil.example") in {*in_css(css)}


def test_a_comment_in_css_may_not_end_the_style_sheet() -> None:
    assert {*in_css("/* </style><script>alert(1)</script> */")} == {Threat("program", "</style")}


@pytest.mark.parametrize(
    "css",
    [
        ".card::before { content: 'Answer: ' '\\201C' }",
        "@import url('_fonts.css'); /* @import url(https://fonts.example/a.css) */",
        "b { background: url(data:image/png;base64,AAAA//BBBB) }",
        "b { background: url(\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>\") }",
        "/* https://example.org */ b { color: red }",
    ],
)
def test_honest_css_is_not_named(css: str) -> None:
    assert {*in_css(css)} == set()


@pytest.mark.parametrize(
    "front",
    [
        "{{Front}}<{{Back}}>",
        "<scr{{#Front}}{{/Front}}ipt>alert(1)</scr{{#Front}}{{/Front}}ipt>",
        '<img src="{{Back}}">',
        '<div style="{{Back}}">',
        "<b {{Back}}>x</b>",
        "<b title={{Back}}>x</b>",
        "<style>{{Back}}</style>",
        '<a href="{{Back}}">x</a>',
        "<!-- {{ --> <img src='x{{Back}}'>",
        "{{=<% %>=}}<img src='<%Back%>'>",
        "<% <img src='{{Back}}'> %>",
    ],
)
def test_a_field_that_could_complete_a_tag_is_named(front: str) -> None:
    assert {threat.kind for threat in in_layout(layout(front=front))} >= {"program"}


@pytest.mark.parametrize(
    "front",
    [
        '<span class="chip {{Back}}">{{Front}}</span>',
        "{{#Front}}<b>{{hint:Front}}</b>{{/Front}} 1 < 2 {{type:Back}}",
        '<a href="https://dictionary.example/{{text:Front}}">{{Front}}</a>',
    ],
)
def test_honest_layouts_are_not_named(front: str) -> None:
    assert in_layout(layout(front=front)) == frozenset()


@pytest.mark.parametrize(
    ("formula", "kinds"),
    [
        (r"\(\style{background:url(//evil.example/a)}{x}\)", {"network"}),
        (r"\(\bbox[background:url(//evil.example/a)]{x}\)", {"network"}),
        (r"\(\sty<!-- -->le{background:url(//evil.example/a)}{x}\)", {"network"}),
        (r"\(\let\x\style \x{background:url(//evil.example/a)}{x}\)", {"network"}),
        (r"\(\href{javascript:alert(1)}{x}\)", {"program"}),
        (
            r"\(\href{https://example.org}{x} \style{color: red}{y} \bbox[5px, #eee]{x} \require{cancel}\)",
            set(),
        ),
    ],
)
def test_formulas_that_reach_out_of_a_card_are_named(formula: str, kinds: set[str]) -> None:
    assert {threat.kind for threat in in_html(formula)} == kinds


def test_the_css_of_a_note_type_is_searched() -> None:
    assert {threat.kind for threat in in_css(CSS)} == {"network", "program"}
    assert {*in_css("/* https://example.org */ .card { background: url(_paper.png) }")} == set()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain: once = 3, see https://pytorch.org",
        '<p>See <a href="https://pytorch.org/docs">the docs</a>.</p><img src="a-12345678.png" alt="x">',
        '<pre><code><span class="ln" style="--i:4"><span class="n">onclick</span> = 1</span></code></pre>',
        '<a href="https://example.org/?a=1&amp;b=2">x</a> &lt;script&gt; [sound:a.mp3]',
        '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>x</mi></math>',
        "<svg viewBox='0 0 1 1'><rect fill='url(#a)'/></svg>",
    ],
)
def test_honest_texts_are_not_named(text: str) -> None:
    assert in_html(text) == frozenset()


def layout(css: str = "", front: str = "{{Front}}", back: str = "{{Back}}") -> AnkiNoteType:
    templates = (AnkiTemplate(0, "Card 1", front, back, "", ""),)
    return AnkiNoteType(1, "Geo", 0, css, False, ((0, "Front"), (0, "Back")), templates)


@pytest.mark.parametrize("language", ["", "en", "de", "ar", "ja"])
def test_the_layouts_of_every_deck_of_ours_are_harmless(language: str) -> None:
    report = "https://deck.example/report?guid={guid}"
    for each in note_types("deck", "Deck", "", report, language, occlusions=True):
        for template in each.templates:
            assert in_layout(layout(each.css, template.front, template.back)) == frozenset()


@pytest.mark.parametrize(
    ("ours", "changed"),
    [
        ("setup();", "setup(); evil();"),
        ("setup()", "setup(evil)"),
        ("<script>", "<script src='a.js'>"),
        ("</script>", "</script><script>evil()</script>"),
        ("</script>", "evil()</script>"),
        ("<script>", '<p onclick=evil() title="<script>'),
        ("</script>", "</script><img src=x onerror=evil()>"),
        ("hidden = false", "hidden = evil()"),
    ],
)
def test_only_the_very_program_of_pictures_with_boxes_is_harmless(ours: str, changed: str) -> None:
    front = our_type("occlusion").templates[0].front
    found = in_layout(layout(front=front.replace(ours, changed)))
    assert (in_layout(layout(front=front)), "program" in {each.kind for each in found}) == (frozenset(), True)


def test_all_sides_of_a_note_type_are_searched() -> None:
    evil = "<script>x</script>"
    assert in_layout(layout()) == frozenset()
    assert [bool(in_layout(each)) for each in (layout(CSS), layout(front=evil), layout(back=evil))] == [
        True
    ] * 3


def dangers(
    notes: Sequence[tuple[str, str]] = (),
    layouts: Sequence[tuple[AnkiNoteType, AnkiNoteType]] = (),
    known: Sequence[str] = (),
    files: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Danger, ...]:
    """Return the dangers of texts in notes with a harmless layout, each with the text before."""
    of_notes = [tuple(ShownNote(layout(), (text, ""), "") for text in each) for each in notes]
    pairs = [(after, before if before.fields[0] else None) for after, before in of_notes]
    styles = ReleasedFiles(files, {name: text for name, text in files.items() if text})
    with showing() as show:
        return find_dangers(
            pairs, (), layouts, styles, known=KnownTexts(known, [each for _, each in layouts]), show=show
        )


def test_only_what_is_new_is_a_danger() -> None:
    script, other = "<script>one</script>", "<script>two</script>"
    picture = "<img src='https://pictures.example/a.png'>"
    assert dangers([(script, ""), (picture, ""), ("x", "")]) == (
        Danger("program", 1, ()),
        Danger("network", 1, ()),
    )
    same = layout(back=script)
    assert dangers([(script, script), (picture, picture)], [(same, same)]) == ()
    assert dangers([(script + other, script)], [(layout(back=other), same)]) == (
        Danger("program", 1, ("Geo",)),
    )


def test_a_server_is_known_only_if_a_card_loads_something_from_it() -> None:
    picture = "<img src='https://pictures.example/a.png'>"
    assert dangers([(picture, "")], known=["<img src='https://pictures.example/b.png'>"]) == ()
    for text in (
        "<img src='https://other.example/b.png'>",
        "see https://pictures.example/",
        "<a href='https://pictures.example/'>x</a>",
    ):
        assert dangers([(picture, "")], known=[text]) == (Danger("network", 1, ()),)


def test_files_that_become_part_of_a_page_are_judged() -> None:
    assert dangers(files={"_a.css": ".card { background: url(_paper.png) }", "_a.png": ""}) == ()
    assert dangers(files={"_a.css": "@import '//evil.example/b.css'"}) == (
        Danger("network", 0, (), ("_a.css",)),
    )
    assert dangers(files={"_a.js": ""}) == (Danger("program", 0, (), ("_a.js",)),)
    # A frame that the learner allowed shows another page now.
    frame = layout(front="<iframe src='_a.html'></iframe>")
    assert dangers(layouts=[(frame, frame)], files={"_a.html": "", "_b.html": ""}) == (
        Danger("program", 0, (), ("_a.html",)),
    )


def test_a_side_that_anki_calls_blank_needs_no_closer_look() -> None:
    """Nearly every note of ours has one, of a card that Anki does not make."""
    with showing() as show:
        shown = show(ShownNote(layout(front="{{Back}}"), ("x", ""), ""))
    assert ("<a href='https://" in shown, _HARMLESS.sub("", shown).count("<")) == (True, 0)


def test_large_texts_are_searched_quickly() -> None:
    """Each would take hours with an expression that tries again from every place."""
    for piece in ("/*", "<", "< on", "<!--", "<a ", "url(", "&", "[sound:", '<a class="'):
        text = piece * (300_000 // len(piece))
        in_html(text)
        list(in_css(text))


def test_a_long_note_with_many_parts_is_searched() -> None:
    """Each part is at most all fields; only `FrontSide` is the front."""
    parts = layout(front="{{Front}}" * 10, back="{{FrontSide}}" + "{{Back}}" * 29)
    note = ShownNote(parts, ("x" * 9_000, ""), "")
    front, back = 10 * (9 + 9_000), 13 + 29 * 8 + 30 * 9_000
    with showing() as show:
        found = find_dangers(
            [(note, None)], (), (), ReleasedFiles((), {}), known=KnownTexts((), ()), show=show
        )
    assert (note.size, found) == (front + back + front, ())


def test_what_is_too_long_or_tangled_is_not_called_harmless() -> None:
    """One character less is read."""
    longest = "x" * 500_000
    kinds = [
        {each.kind for each in in_html(text)} for text in (longest, longest + "x", "<" * 20, "<!--" * 21)
    ]
    assert kinds == [set(), {"unread"}, set(), {"unread"}]
    broken = layout(front="{{Front}}" + "{{" * 21)
    assert dangers(layouts=[(broken, layout())]) == (Danger("unread", 0, (broken.name,)),)
    assert dangers(layouts=[(broken, broken)]) == ()
