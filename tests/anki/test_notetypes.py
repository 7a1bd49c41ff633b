"""Parts of note types that can never change: names, order and ids of fields and templates."""

import random
import re
from collections import defaultdict
from pathlib import Path

import pytest

from anki_backend import import_package, learner
from handmade import COLLECTION_ID, package, rendered
from ptcards.anki.built_in_notetypes import FIELDS, note_types, our_type
from ptcards.anki.cards import card_ordinals, is_blank

QA, CLOZE = note_types(COLLECTION_ID, "PyTorch", "")


def test_the_field_list_is_frozen() -> None:
    assert FIELDS == (
        "Question",
        "Answer",
        "Choices",
        "Typed",
        "Reversed",
        "Hint",
        "Details",
        "Sources",
        "Topic",
        "Difficulty",
        "GUID",
        "Extra 1",
        "Extra 2",
    )


def test_names_and_ids_are_frozen() -> None:
    assert [
        (note_type.key, note_type.id, note_type.name, tuple(field.id for field in note_type.fields))
        for note_type in (QA, CLOZE)
    ] == [
        ("qa", 1_109_866_063_483, "PyTorch", tuple(range(1000, 1013))),
        ("cloze", 1_046_283_370_881, "PyTorch (cloze)", tuple(range(2000, 2013))),
    ]
    assert [
        (template.name, template.id, template.browser_front, template.browser_back)
        for note_type in (QA, CLOZE)
        for template in note_type.templates
    ] == [
        ("Question", 501, "{{Question}}", "{{Answer}}"),
        ("Reversed", 502, "{{Answer}}", "{{Question}}"),
        ("Cloze", 503, "{{cloze:Answer}}", "{{cloze:Answer}}"),
    ]


def test_ids_depend_on_the_collections_id_alone() -> None:
    renamed = note_types(COLLECTION_ID, "Torch", "p {}")
    other = note_types("another", "PyTorch", "")
    assert [note_type.id for note_type in renamed] == [QA.id, CLOZE.id]
    assert len({note_type.id for note_type in (QA, CLOZE, *other)}) == 4


def test_the_digest_moves_with_the_look_and_the_name() -> None:
    assert re.fullmatch("[0-9a-f]{12}", QA.digest)
    assert QA.digest == note_types("another", "PyTorch", "")[0].digest
    digests = {
        QA.digest,
        CLOZE.digest,
        note_types(COLLECTION_ID, "Torch", "")[0].digest,
        note_types(COLLECTION_ID, "PyTorch", "p {}")[0].digest,
        note_types(COLLECTION_ID, "PyTorch", "", "https://example.org/{guid}")[0].digest,
    }
    assert len(digests) == 5


def test_a_back_links_to_where_mistakes_are_reported_if_the_deck_says_where() -> None:
    address = "https://example.org/new?title={guid}&label=card"
    link = (
        '<div class="report"><a href="https://example.org/new?title={{GUID}}&amp;label=card">'
        "Report a mistake</a></div>"
    )
    for note_type in note_types(COLLECTION_ID, "PyTorch", "", address):
        for template in note_type.templates:
            assert (template.back.count(link), template.front.count("report")) == (1, 0)
    for template in (*QA.templates, *CLOZE.templates):
        assert "report" not in template.back


def test_a_link_for_reports_leaves_out_what_templates_cannot_know() -> None:
    address = "https://example.org/new?n={guid}&v={version}&q={question}&d={deck}"
    for note_type in note_types(COLLECTION_ID, "PyTorch", "", address):
        for template in note_type.templates:
            assert 'href="https://example.org/new?n={{GUID}}&amp;v=&amp;q=&amp;d="' in template.back


def test_the_authors_css_comes_last() -> None:
    assert note_types(COLLECTION_ID, "PyTorch", ".card { --ptc-text: red }")[1].css.endswith(
        "\n.card { --ptc-text: red }"
    )


def test_nothing_is_fetched_and_nothing_runs() -> None:
    for part in [QA.css, *(side for t in (*QA.templates, *CLOZE.templates) for side in (t.front, t.back))]:
        own = re.sub(r'url\("data:image/svg\+xml,%3Csvg [^"]*"\)', "", part)  # the icons of alerts
        assert re.findall(r"(?i)script|\bon\w+=|javascript:|@import|url\(|https?:", own) == []


def test_the_line_that_anki_scrolls_to_stands_on_every_back_and_no_front() -> None:
    for template in (*QA.templates, *CLOZE.templates):
        assert template.back.count("<hr id=answer>") == 1
        assert template.front.count("<hr") == 0


def test_blank_fields_are_those_anki_takes_for_empty() -> None:
    assert [html for html in ("", " \n", "<br>", "<BR/><div> </div>", "<br />") if not is_blank(html)] == []
    assert [html for html in ("&nbsp;", "<p></p>", "\xa0", "<br x>", "<hr>", "0") if is_blank(html)] == []


FRAGMENTS = [
    *[
        "",
        " ",
        "\n",
        "\t",
        "\xa0",
        "&nbsp;",
        "a",
        "<br>",
        "<br/>",
        "<br  />",
        "</br>",
        "<BR />",
        "<div>",
        "</div>",
    ],
    *[
        "<div >",
        "<div a>",
        "<p>",
        "<p></p>",
        "<!-- c -->",
        "<img>",
        "{{c1::",
        "{{c2::",
        "{{c12::",
        "}}",
        "}",
        "{",
    ],
    *["{{c3::x}}", "{{c0::x}}", "{{c07::", "{{c::", "{{c1,3::", "{{c65536::", "{{c1,65536::", "::", "{{c,::"],
]


@pytest.mark.slow
def test_our_card_rule_is_ankis(tmp_path: Path) -> None:
    """The fields are random combinations of relevant fragments; each note is added to a real collection."""
    chance = random.Random(20)
    seed = [rendered("g1", {"Question": "q"}), rendered("g2", {"Answer": "{{c1::a}}"}, note_type="cloze")]
    with learner(tmp_path / "anki") as collection:
        import_package(collection, package(tmp_path / "a.apkg", seed))
        ours = {}
        for turn in range(1500):
            key, name = chance.choice([("qa", "PyTorch"), ("cloze", "PyTorch (cloze)")])
            model = collection.models.by_name(name)
            assert model is not None
            note = collection.new_note(model)
            for field in chance.sample(["Question", "Answer", "Reversed", "Typed", "Choices"], 3):
                note[field] = "".join(chance.choices(FRAGMENTS, k=chance.randint(0, 5)))
            note["Topic"] = f"Topic {turn}"
            collection.add_note(note, collection.decks.id_for_name("PyTorch"))
            ours[note.id] = set(card_ordinals(our_type(key), note.fields))
        # Anki never adds a note without a card, and reports the card that it had to create as empty.
        empty = {card for note in collection._backend.get_empty_cards().notes for card in note.card_ids}
        theirs = defaultdict(set)
        for identity in collection.find_cards(""):
            if identity not in empty:
                card = collection.get_card(identity)
                theirs[card.nid].add(card.ord)
        assert {note: theirs[note] for note in ours} == ours
        assert len({frozenset(ordinals) for ordinals in ours.values()}) > 6
