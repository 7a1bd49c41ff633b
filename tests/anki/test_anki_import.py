"""What the real Anki does with a package: the first import, updates, and a learner's own edits."""

from pathlib import Path

import pytest
from anki.collection import Collection

from anki_backend import assert_healthy, cards_of, deck_counts, import_package, learner, notes_by_guid, sides
from handmade import EARLIER, LATER, a_note, media_file, package, rendered
from ptcards.anki.built_in_notetypes import FIELDS
from ptcards.anki.fields import render_note
from ptcards.notes import Identified
from ptcards.notes.rendered import Media, RenderedNote

BASIC = rendered("basic", {"Question": "q1", "Answer": "a1"}, tags=("autograd", "difficulty::easy"))
REVERSED = rendered("reversed", {"Question": "q2", "Answer": "a2", "Reversed": "1"})
TYPED = rendered(
    "typed", {"Question": "q3", "Typed": "x&lt;y", "Answer": "why"}, deck="PyTorch::Tensors::Shapes"
)
CHOICE = rendered(
    "choice", {"Question": "q4", "Choices": "<ol><li>o</li></ol>", "Answer": "<ol><li>✓</li></ol>"}
)
CLOZE = rendered(
    "cloze", {"Question": "q5", "Answer": "{{c1::a}} {{c3::b::h}}"}, note_type="cloze", deck="PyTorch::Loss"
)
ALL = [BASIC, REVERSED, TYPED, CHOICE, CLOZE]


def edited(note: RenderedNote, **fields: str) -> RenderedNote:
    filled = dict(zip(FIELDS, note.fields, strict=True)) | fields
    return rendered(note.guid, filled, mod=LATER, deck=note.deck, note_type=note.note_type, tags=note.tags)


def add_tag(collection: Collection, guid: str, tag: str) -> None:
    note = notes_by_guid(collection)[guid]
    note.add_tag(tag)
    collection.update_note(note)


def schema(collection: Collection) -> int:
    """Return the time of the last change of note types that forces a full sync."""
    return int(collection.db.scalar("select scm from col"))


def test_a_first_import_brings_everything(tmp_path: Path) -> None:
    path = package(tmp_path / "a.apkg", ALL, decks={"PyTorch": "About *all*", "PyTorch::Loss": "About loss"})
    with learner(tmp_path / "anki") as collection:
        assert import_package(collection, path) == {"new": 5}
        assert_healthy(collection)
        assert deck_counts(collection) == {
            "PyTorch": 0,
            "PyTorch::Autograd": 4,
            "PyTorch::Loss": 2,
            "PyTorch::Tensors": 0,
            "PyTorch::Tensors::Shapes": 1,
        }
        notes = notes_by_guid(collection)
        assert {guid: tuple(note.fields) for guid, note in notes.items()} == {
            note.guid: note.fields for note in ALL
        }
        assert {guid: note.mod for guid, note in notes.items()} == dict.fromkeys(notes, EARLIER)
        assert notes["basic"].tags == ["autograd", "difficulty::easy"]
        assert {guid: [card.ord for card in cards_of(collection, guid)] for guid in notes} == {
            "basic": [0],
            "reversed": [0, 1],
            "typed": [0],
            "choice": [0],
            "cloze": [0, 2],
        }
        descriptions = {
            name: collection.decks.get(collection.decks.id_for_name(name))
            for name in ("PyTorch", "PyTorch::Loss")
        }
        assert {name: (deck["desc"], deck["md"]) for name, deck in descriptions.items() if deck} == {
            "PyTorch": ("About *all*", True),
            "PyTorch::Loss": ("About loss", True),
        }


def test_new_cards_come_in_the_order_of_the_sources(tmp_path: Path) -> None:
    guids = ["zulu", "alpha", "mike", "bravo"]
    path = package(tmp_path / "a.apkg", [rendered(guid, {"Question": guid}) for guid in guids])
    with learner(tmp_path / "anki") as collection:
        import_package(collection, path)
        ordered = [collection.get_card(card).note().guid for card in collection.find_cards("", order="c.due")]
        assert ordered == guids


def test_the_same_package_again_changes_nothing(tmp_path: Path) -> None:
    path = package(tmp_path / "a.apkg", ALL)
    with learner(tmp_path / "anki") as collection:
        import_package(collection, path)
        add_tag(collection, "basic", "mine")
        assert import_package(collection, path) == {"duplicate": 5}
        assert notes_by_guid(collection)["basic"].tags == ["autograd", "difficulty::easy", "mine"]
        assert_healthy(collection)


def test_one_edit_is_one_update_and_a_learners_work_elsewhere_is_kept(tmp_path: Path) -> None:
    first = package(tmp_path / "1.apkg", ALL)
    second = package(tmp_path / "2.apkg", [edited(BASIC, Answer="better"), *ALL[1:]])
    with learner(tmp_path / "anki") as collection:
        import_package(collection, first)
        add_tag(collection, "reversed", "mine")
        (card,) = cards_of(collection, "basic")
        collection.sched.set_due_date([card.id], "7")
        due = collection.get_card(card.id).due
        assert import_package(collection, second) == {"updated": 1, "duplicate": 4}
        notes = notes_by_guid(collection)
        assert notes["basic"]["Answer"] == "better"
        assert notes["basic"].mod == LATER
        assert notes["reversed"].tags == ["mine"]
        assert collection.get_card(card.id).due == due
        assert_healthy(collection)


def test_a_change_of_kind_is_an_ordinary_update(tmp_path: Path) -> None:
    first = package(tmp_path / "1.apkg", ALL)
    second = package(tmp_path / "2.apkg", [edited(BASIC, Reversed="1"), edited(TYPED, Typed="", Choices="c")])
    with learner(tmp_path / "anki") as collection:
        import_package(collection, first)
        assert import_package(collection, second) == {"updated": 2}
        assert [card.ord for card in cards_of(collection, "basic")] == [0, 1]
        assert_healthy(collection)


def test_a_new_look_reaches_learners_without_touching_notes(tmp_path: Path) -> None:
    first = package(tmp_path / "1.apkg", ALL)
    second = package(tmp_path / "2.apkg", ALL, css=".card { color: red }", name="Torch", types_mod=LATER)
    with learner(tmp_path / "anki") as collection:
        import_package(collection, first)
        before = schema(collection)
        assert import_package(collection, second) == {"duplicate": 5}
        models = {
            model.name: collection.models.get(model.id) for model in collection.models.all_names_and_ids()
        }
        assert {"Torch", "Torch (cloze)"} <= models.keys()
        assert not {"PyTorch", "PyTorch (cloze)"} & models.keys()
        assert all("color: red" in models[name]["css"] for name in ("Torch", "Torch (cloze)"))
        assert schema(collection) == before


def test_media_arrive_and_a_changed_picture_reaches_those_who_have_the_old_one(tmp_path: Path) -> None:
    old = media_file(tmp_path / "plan.svg", b"<svg/>")
    new = media_file(tmp_path / "plan2.svg", b"<svg> </svg>")

    def note(media: Media, mod: int) -> RenderedNote:
        return rendered("m", {"Question": f'<img src="{media.name}">'}, mod=mod, media=(media,))

    with learner(tmp_path / "anki") as collection:
        import_package(collection, package(tmp_path / "1.apkg", [note(old, EARLIER)]))
        import_package(collection, package(tmp_path / "2.apkg", [note(new, LATER)]))
        folder = Path(collection.media.dir())
        assert {file.name: file.read_bytes() for file in folder.iterdir()} == {
            old.name: b"<svg/>",
            new.name: b"<svg> </svg>",
        }
        assert list(collection.media.check().missing) == []
        assert new.name in sides(cards_of(collection, "m")[0])[0]


def test_a_picture_and_its_dark_twin_both_arrive(tmp_path: Path) -> None:
    twins = tuple(
        media_file(tmp_path / name, content)
        for name, content in (("plan.svg", b"<svg/>"), ("plan.dark.svg", b"<svg> </svg>"))
    )
    note, _ = render_note(Identified(a_note("What?", "![a plan](plan.svg)", media=twins), "m", EARLIER))
    with learner(tmp_path / "anki") as collection:
        import_package(collection, package(tmp_path / "a.apkg", [note]))
        check = collection.media.check()
        assert (list(check.missing), list(check.unused)) == ([], [])
        stored = {file.name: file.read_bytes() for file in Path(collection.media.dir()).iterdir()}
        assert stored == {twins[0].name: b"<svg/>", twins[1].name: b"<svg> </svg>"}


def test_an_older_package_undoes_nothing(tmp_path: Path) -> None:
    older = package(tmp_path / "1.apkg", ALL)
    newer = package(tmp_path / "2.apkg", [edited(BASIC, Answer="better"), *ALL[1:]])
    with learner(tmp_path / "anki") as collection:
        import_package(collection, newer)
        assert import_package(collection, older) == {"duplicate": 5}
        assert notes_by_guid(collection)["basic"]["Answer"] == "better"


RULE = "<hr id=answer>"


def question(html: str, direction: str = "") -> str:
    return f'<div class="question"{direction}>{html}</div>'


def shown_answer(html: str, direction: str = ' dir="auto"') -> str:
    return f'<div class="answer"{direction}>{html}</div>'


TYPE_BOX = '<div class="typed">[[type:Typed]]</div>'
CLOZE_FRONT = shown_answer(
    '<span class="cloze-inactive" data-ordinal="1">a</span> '
    '<span class="cloze" data-cloze="b" data-ordinal="3">[h]</span>'
)
CLOZE_BACK = shown_answer(
    '<span class="cloze-inactive" data-ordinal="1">a</span> <span class="cloze" data-ordinal="3">b</span>'
)
OPTIONS = '<div class="options"><ol><li>o</li></ol></div>'
MARKED = shown_answer("<ol><li>✓</li></ol>", "")
ASKED = '<div class="answer asked">a2</div>'


@pytest.mark.parametrize(
    ("guid", "ordinal", "front", "back"),
    [
        ("basic", 0, [question("q1")], [question("q1"), RULE, shown_answer("a1")]),
        ("reversed", 0, [question("q2")], [question("q2"), RULE, shown_answer("a2")]),
        ("reversed", 1, [ASKED], [ASKED, RULE, question("q2", ' dir="auto"')]),
        ("typed", 0, [question("q3"), TYPE_BOX], [question("q3"), RULE, TYPE_BOX, shown_answer("why")]),
        ("choice", 0, [question("q4"), OPTIONS], [question("q4"), RULE, MARKED]),
        ("cloze", 2, [question("q5"), CLOZE_FRONT], [question("q5"), RULE, CLOZE_BACK]),
    ],
)
def test_a_card_of_every_kind_shows_its_fields_in_order(
    tmp_path: Path, guid: str, ordinal: int, front: list[str], back: list[str]
) -> None:
    with learner(tmp_path / "anki") as collection:
        import_package(collection, package(tmp_path / "a.apkg", ALL))
        card = next(card for card in cards_of(collection, guid) if card.ord == ordinal)
        topic = notes_by_guid(collection)[guid]["Topic"]
        shown = [" ".join(side.split()) for side in sides(card)]
    chips = f'<div class="chips" dir="auto"><span class="chip topic">{topic}</span></div>'
    behind = "ptc" if back[0] == ASKED else "ptc back"
    assert shown == [
        " ".join([f'<div class="{name}" dir="auto">', chips, *parts, "</div>"])
        for name, parts in (("ptc", front), (behind, back))
    ]


def test_optional_parts_stand_where_they_belong(tmp_path: Path) -> None:
    note = rendered(
        "g",
        {"Question": "q", "Answer": "a", "Hint": "h", "Details": "d", "Sources": "s", "Difficulty": "hard"},
    )
    with learner(tmp_path / "anki") as collection:
        import_package(collection, package(tmp_path / "a.apkg", [note]))
        front, back = sides(cards_of(collection, "g")[0])
    assert '<span class="chip hard"></span>' in front
    assert '<a class=hint href="#"' in front
    assert "class=hint" not in back
    assert (
        '<details class="details"><summary class="tappable"><span>Details</span></summary><div dir="auto">d</div></details>\n'
        '<div class="sources" dir="auto">s</div>\n</div>'
    ) in back
    assert "details" not in front


def test_what_is_typed_is_compared_with_the_text_and_not_with_its_html(tmp_path: Path) -> None:
    with learner(tmp_path / "anki") as collection:
        import_package(collection, package(tmp_path / "a.apkg", ALL))
        expected = notes_by_guid(collection)["typed"]["Typed"]
        assert collection.compare_answer(expected, "x<y") == (
            "<code id=typeans><span class=typeGood>x&lt;y</span></code>"
        )


def test_the_browser_shows_question_and_answer_without_chips(tmp_path: Path) -> None:
    with learner(tmp_path / "anki") as collection:
        import_package(collection, package(tmp_path / "a.apkg", ALL))
        collection.set_browser_card_columns(["question", "answer", "noteFld"])
        cards = [cards_of(collection, guid)[-1].id for guid in ("basic", "reversed", "cloze")]
        rows = [[cell[0] for cell in collection.browser_row_for_id(card)[0]] for card in cards]
        assert rows == [["q1", "a1", "q1"], ["a2", "q2", "q2"], ["a [h]", "a b", "q5"]]
