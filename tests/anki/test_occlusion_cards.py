"""The cards of a picture with boxes, rendered by a real Anki and by us."""

from collections.abc import Callable
from pathlib import Path

from anki_backend import cards_of, import_package, learner, notes_by_guid, sides
from conftest import Ran
from made_pictures import png
from ptcards.anki.built_in_notetypes import note_types
from ptcards.anki.cards import card_sides, show_deletions
from ptcards.anki.occlusion import shape_attributes
from ptcards.notes.rendered import RenderedNote

SOURCE = """# Body

## Name the *parts* of the heart.
<!-- card: kind=occlusion difficulty=hard -->

![The heart](heart.png)

- 12% 0% 18% 6%: Aorta
- (40.5% 55% 10% 8%): Left `{{c1::ventricle}}`

It has four chambers.

### Details

More.
"""
NATIVE = (
    "{{c1::image-occlusion:rect:left=.1:top=.2:width=.3:height=.4:angle=5:fill=#fff:oi=1:zz=4}}<br>"
    "{{c2::image-occlusion:polygon:points=.1,.2 .3,.4 .5,.1:oi=1}}{{c3::image-occlusion:star:left=.1}}"
    "{{c4::image-occlusion:}}{{c5::image-occlusion}}{{c7::image-occlusion:rect:top=.1}} tail}}"
    "{{c8::image-occlusion:rect:top=.1::hint}}"
)


def test_our_own_renderer_shows_what_anki_shows(tmp_path: Path, ptcards: Callable[..., Ran]) -> None:
    deck = tmp_path / "deck"
    deck.mkdir()
    (deck / "deck.toml").write_text('name = "Body"\nid = "6f0c2c0e"\n')
    (deck / "heart.md").write_text(SOURCE)
    (deck / "heart.png").write_bytes(png(80, 60))
    assert ptcards("build", deck, "-o", tmp_path).status == 0
    with learner(tmp_path / "anki") as collection:
        assert import_package(collection, tmp_path / "body.apkg") == {"new": 1}
        ((guid, note),) = notes_by_guid(collection).items()
        anki = [side for card in cards_of(collection, guid) for side in sides(card)]
        fields = dict(note.items())
        tags = tuple(note.tags)
        deck_name = collection.decks.name(note.cards()[0].did)
    assert fields["Occlusion"] == (
        "{{c1::image-occlusion:rect:left=.12:top=.0000:width=.18:height=.06:oi=1}}<br>"
        "{{c2::image-occlusion:ellipse:left=.405:top=.55:rx=.05:ry=.04:oi=1}}<br>"
    )
    assert fields["Answer"] == (
        '<ul class="labels">\n<li>Aorta</li>\n<li>Left <code>{&#123;c1::ventricle}}</code></li>\n</ul>\n'
        "<p>It has four chambers.</p>"
    )
    rendered = RenderedNote(guid, 1, deck_name, "occlusion", tuple(fields.values()), tags, ())
    types = {each.key: each for each in note_types("6f0c2c0e", "Body", "", occlusions=True)}
    ours = [side for card in card_sides(rendered, types["occlusion"]) for side in (card.front, card.back)]
    assert ours == anki


def test_any_shape_of_anki_is_on_our_card_as_on_its_own(tmp_path: Path) -> None:
    with learner(tmp_path / "anki") as collection:
        collection._backend.add_image_occlusion_notetype()
        collection.models._clear_cache()
        note = collection.new_note(collection.models.by_name("Image Occlusion"))
        note.fields[:2] = [NATIVE, '<img src="a.png">']
        collection.add_note(note, collection.decks.id_for_name("Default"))
        for card in note.cards():
            for side, is_blank in zip(sides(card), (True, False), strict=True):
                shown = side.partition('<div style="display: none">')[2].partition("</div>\n")[0]
                assert show_deletions(NATIVE, card.ord + 1, blank=is_blank) == shown


def test_a_value_of_a_shape_cannot_leave_its_attribute() -> None:
    assert shape_attributes('image-occlusion:rect:left="><b>') == (
        'data-shape="rect" data-left="&quot;&gt;&lt;b&gt;" '
    )
