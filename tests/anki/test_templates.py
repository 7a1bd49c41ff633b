"""Which cards Anki makes from arbitrary card templates."""

import os
import random
from collections import defaultdict
from pathlib import Path

import pytest
from anki.collection import Collection

from anki_backend import learner
from ptcards.anki.cards import card_ordinals
from ptcards.notes.notetypes import (
    Field,
    FieldTag,
    NoteType,
    Template,
    TemplateError,
    TemplateSection,
    parse_template,
)

NAMES = ("Word", "Reading", "Some notes", "Audio 2")
VALUES = ("", " ", "<br>", "&nbsp;", "a", "<div></div>", "{{c1::b}}", "{{c3::b}} {{c1::c}}")
TYPES = int(os.environ.get("PTCARDS_TEMPLATES", "25"))


def test_a_template_is_text_fields_and_sections() -> None:
    assert parse_template(
        "a{{ Word }}<!-- {{#x}} -->{{#Reading}}{{text:hint:Reading}}{{/ Reading }}{{^Word}}b{{/Word}}"
    ) == (
        "a",
        FieldTag("Word", (), 1),
        "<!-- {{#x}} -->",
        TemplateSection("Reading", False, (FieldTag("Reading", ("hint", "text"), 38),), 26),
        TemplateSection("Word", True, ("b",), 73),
    )


@pytest.mark.parametrize(
    ("template", "message", "offset"),
    [
        ("a{{#Word}}b", "the section `Word` is not closed", 1),
        ("{{#Word}}b{{/Reading}}", "`{{/Reading}}` does not close an open section", 10),
        ("b{{/Word}}", "`{{/Word}}` does not close an open section", 1),
        ("{{#A}}" * 3000 + "{{/A}}" * 3000, "sections are nested more than 100 deep", 600),
    ],
)
def test_a_section_that_does_not_fit_is_an_error_with_its_place(
    template: str, message: str, offset: int
) -> None:
    with pytest.raises(TemplateError) as found:
        parse_template(template)
    assert (str(found.value), found.value.offset) == (message, offset)


def _front(chance: random.Random, depth: int = 0) -> str:
    parts = []
    for _ in range(chance.randint(1, 3)):
        name = chance.choice(NAMES)
        inner = _front(chance, depth + 1) if depth < 2 else "x"
        parts.append(
            chance.choice(
                [
                    *(
                        "text ",
                        f"{{{{{name}}}}}",
                        f"{{{{ text:{name} }}}}",
                        f"{{{{hint:{name}}}}}",
                        "{{Tags}}",
                    ),
                    *(
                        f"<!-- {{{{{name}}}}} -->",
                        f"{{{{{{{name}}}}}}}",
                        f"{{{{type:{name}}}}}",
                        "{ {{FrontSide}}",
                    ),
                    *[f"{{{{#{name}}}}}{inner}{{{{/{name}}}}}", f"{{{{^{name}}}}}{inner}{{{{/{name}}}}}"] * 3,
                ]
            )
        )
    return "".join(parts)


def _note_type(chance: random.Random, number: int) -> NoteType:
    if is_cloze := number % 5 == 0:
        fronts = ["{{cloze:Word}}" + _front(chance)]
    else:
        # Anki does not accept a template without a field, or two equal ones.
        fronts = [
            f"{n}{_front(chance)}{{{{#Word}}}}{{{{^Word}}}}{{{{Word}}}}{{{{/Word}}}}{{{{/Word}}}}"
            for n in range(chance.randint(1, 3))
        ]
    return NoteType(
        key="x-any",
        id=0,
        name=f"Type {number}",
        fields=tuple(map(Field, NAMES)),
        templates=tuple(Template(f"Card {n}", None, front, "back") for n, front in enumerate(fronts)),
        css="",
        is_cloze=is_cloze,
    )


def _add(collection: Collection, note_type: NoteType) -> None:
    made = collection.models.new(note_type.name)
    made["type"] = int(note_type.is_cloze)
    for name in note_type.field_names:
        collection.models.add_field(made, collection.models.new_field(name))
    for each in note_type.templates:
        template = collection.models.new_template(each.name)
        template["qfmt"] = each.front
        template["afmt"] = "{{cloze:Word}}" if note_type.is_cloze else "{{Word}}"
        collection.models.add_template(made, template)
    collection.models.add_dict(made)


def test_the_cards_of_random_templates_are_ankis(tmp_path: Path) -> None:
    """Each note is added to a real collection, with note types whose fronts combine everything relevant."""
    chance = random.Random(22)
    ours: dict[int, set[int]] = {}
    theirs: dict[int, set[int]] = defaultdict(set)
    with learner(tmp_path / "anki") as collection:
        for number in range(TYPES):
            note_type = _note_type(chance, number)
            _add(collection, note_type)
            model = collection.models.by_name(note_type.name)
            assert model is not None
            for _ in range(12):
                note = collection.new_note(model)
                note.fields = [chance.choice(VALUES) for _ in NAMES]
                collection.add_note(note, collection.decks.id_for_name("Any"))
                ours[note.id] = set(card_ordinals(note_type, note.fields))
        # Anki never adds a note without a card, and reports the card that it had to create as empty.
        empty = {card for note in collection._backend.get_empty_cards().notes for card in note.card_ids}
        for identity in collection.find_cards(""):
            if identity not in empty:
                card = collection.get_card(identity)
                theirs[card.nid].add(card.ord)
        assert {note: theirs[note] for note in ours} == ours
        assert len({frozenset(ordinals) for ordinals in ours.values()}) > 6
