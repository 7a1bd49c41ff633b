"""What can run a program or ask a server when a card is shown is named, and nothing else is."""

import pytest

from ptcards.extensions.publish.subscription.package import AnkiNoteType, AnkiTemplate
from ptcards.extensions.publish.subscription.safety import (
    Danger,
    Threat,
    find_dangers,
    in_css,
    in_html,
    in_layout,
)
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
        "<p style='background:url(/*x*/https://evil.example/x)'>x</p>",
        "[sound:https://evil.example/x.mp3]",
        "<style>@import '//evil.example/x'</style>",
    ],
)
def test_the_server_is_named(attack: str) -> None:
    assert Threat("network", "evil.example") in in_html(attack)


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


def test_all_sides_of_a_note_type_are_searched() -> None:
    evil = "<script>x</script>"
    assert in_layout(layout()) == frozenset()
    assert [bool(in_layout(each)) for each in (layout(CSS), layout(front=evil), layout(back=evil))] == [
        True
    ] * 3


def test_only_what_is_new_is_a_danger() -> None:
    script, other = "<script>one</script>", "<script>two</script>"
    picture = "<img src='https://pictures.example/a.png'>"
    assert find_dangers([(script, ""), (picture, ""), ("x", "")], [], []) == (
        Danger("program", 1, ()),
        Danger("network", 1, ()),
    )
    assert (
        find_dangers([(script, script), (picture, picture)], [(layout(back=script), layout(back=script))], [])
        == ()
    )
    assert find_dangers([(script + other, script)], [(layout(back=other), layout(back=script))], []) == (
        Danger("program", 1, ("Geo",)),
    )
    # A server that the deck already uses is not new, but another one is.
    assert find_dangers([(picture, "")], [], ["<img src='https://pictures.example/b.png'>"]) == ()
    assert find_dangers([(picture, "")], [], ["<img src='https://other.example/b.png'>"]) == (
        Danger("network", 1, ()),
    )


def test_large_texts_are_searched_quickly() -> None:
    """Each would take hours with an expression that tries again from every place."""
    for piece in ("/*", "<", "< on", "<!--", "<a ", "url(", "&", "[sound:", '<a class="'):
        text = piece * (300_000 // len(piece))
        in_html(text)
        list(in_css(text))
