"""What a learner is shown of a deck before they follow it, from a package that the real writer wrote."""

from pathlib import Path

from addon.introduction import Introduction, introduce, said
from following import Author
from ptcards.extensions.publish.subscription.package import Description

LONG = "A word. " * 60


def test_a_deck_is_what_its_author_says_with_its_licence_topics_and_first_cards(tmp_path: Path) -> None:
    lines = (
        "Rivers and **seas**, see [the map](https://geo.example/map):",
        "- many with $\\ce{H2O}$, for $5 or $6\n- of `each`",
        "[Course page](https://geo.example/course)",
        "To learn in this order: Options › New card gather order › Ascending position.",
        "License: CC BY 4.0, https://creativecommons.org/licenses/by/4.0/",
        "Version 1.0 (2025-11-22). [What is new](https://geo.example/deck/#v=1.0)",
    )
    author = Author(tmp_path, descriptions={"Geo": "\n\n".join(lines)})
    author.put(
        "a", "Which rivers?", "<ol><li>The <b>Nile</b><li>The Rhine</ol><pre>x</pre>", deck="Geo::Rivers"
    )
    author.put("b", "Which is second?", "The Amazon.", deck="Geo::Rivers")
    author.put("c", "What is {{c1::a sea}}?", LONG, deck="Geo::Seas::Salt")
    assert introduce(author.release("1.0")) == Introduction(
        "Rivers and seas, see the map:\n• many with H₂O, for $5 or $6\n• of each",
        "CC BY 4.0, https://creativecommons.org/licenses/by/4.0/",
        2,
        (
            ("Which rivers?", "1. The Nile\n2. The Rhine"),
            ("What is a sea?", f"{'A word. ' * 24}A word. …"),
        ),
    )


def test_a_deck_without_description_and_answers_is_introduced_too(tmp_path: Path) -> None:
    author = Author(tmp_path)
    author.put("a", "Alone", "")
    assert introduce(author.release("1.0")) == Introduction("", "", 1, ())


def test_what_a_description_says_is_the_same_in_the_next_release() -> None:
    texts = (
        "Rivers.\n\nVersion 1.0 (2025-11-22).",
        "Rivers.\n\nVersion 1.1 (2025-12-01). [What is new](https://geo.example/deck/#v=1.1)",
    )
    assert [said(Description(each, is_markdown=True)) for each in texts] == [["Rivers."]] * 2
    html = '<p>Rivers.</p><p>Version 1.1 (2025-12-01). <a href="https://geo.example/">What is new</a></p>'
    assert said(Description(html, is_markdown=False)) == ["Rivers."]
    assert said(Description("Version 2 is easier.\n\nLicense: CC0", is_markdown=True)) == [
        "Version 2 is easier.",
        "License: CC0",
    ]
