"""Notes that hide parts of a picture pass through an import and a build."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import genanki
import pytest
from anki.collection import Collection

import owner
from anki_backend import assert_healthy, import_package, learner, notes_by_guid
from conftest import Ran
from desktop import anki_of
from made_pictures import png
from packages import FORMATS, PICTURE, Exported, add, export

Run = Callable[..., Ran]

SHAPES = (
    "{{c1::image-occlusion:rect:left=.1:top=.2:width=.3:height=.4:oi=1}}<br>"
    "{{c2::image-occlusion:ellipse:left=.5:top=.5:rx=.1:ry=.05:angle=15}}<br>"
    "{{c2::image-occlusion:polygon:points=.1,.2 .3,.4 .5,.1:oi=1}}<br>"
    "{{c0::image-occlusion:text:left=.05:top=.9:text=A\\:b:scale=1:fs=.04}}<br>"
)
KEPT = ("type", "css", "latexPre", "originalStockKind")
ENHANCED = (
    *("ID (hidden)", "Header", "Image", "Question Mask", "Footer", "Remarks", "Sources", "Extra 1"),
    *("Extra 2", "Answer Mask", "Original Mask"),
)


def _fill(collection: Collection) -> None:
    collection._backend.add_image_occlusion_notetype()
    models = collection.models
    models._clear_cache()
    for name in ("heart 1.png", "h1-ao-Q.svg", "h1-ao-A.svg", "h1-ao-O.svg"):
        collection.media.write_data(name, PICTURE)
    occlusion, picture = "Image Occlusion", '<img src="heart 1.png">'
    add(collection, occlusion, "Body", SHAPES, picture, "The <b>heart</b>", "Look & learn", "mine", tags="a")
    add(collection, occlusion, "Body::Heart", SHAPES.replace("c2", "c1"), picture)
    enhanced = models.new("Image Occlusion Enhanced")
    for name in ENHANCED:
        models.add_field(enhanced, models.new_field(name))
    template = models.new_template("IO Card")
    template["qfmt"] = "{{#Image}}<div id=io-overlay>{{Question Mask}}</div>{{Image}}{{/Image}}"
    template["afmt"] = "{{#Image}}<div id=io-overlay>{{Answer Mask}}</div>{{Image}}{{/Image}}"
    models.add_template(enhanced, template)
    models.add(enhanced)
    masks = [f'<img src="h1-ao-{side}.svg" />' for side in "QAO"]
    fields = ["h1-ao-1", "Heart", picture, masks[0], *[""] * 5, *masks[1:]]
    add(collection, "Image Occlusion Enhanced", "Body", *fields)
    add(collection, "Basic", "Body", "Front", "Back")


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    return export(tmp_path_factory.mktemp("occlusions"), _fill)


@pytest.fixture
def rebuilt(ptcards: Run, tmp_path: Path, exported: Exported) -> Path:
    """Return the package that a build makes from an untouched import."""
    return _rebuild(ptcards, exported.packages["anki21b"], tmp_path)


def _rebuild(ptcards: Run, package: Path, folder: Path) -> Path:
    ran = ptcards("import", package, folder / "body")
    assert (ran.status, "left out" in ran.out) == (0, False)
    assert ptcards("build", folder / "body", "-o", folder).status == 0
    return folder / "body.apkg"


def _types(collection: Collection) -> dict[int, Any]:
    """Return what an import keeps of each note type, by its id."""
    return {
        each["id"]: (
            {name: each[name] for name in KEPT},
            [(field["name"], field["tag"], field["preventDeletion"], field["id"]) for field in each["flds"]],
            [(card["name"], card["qfmt"], card["afmt"], card["id"]) for card in each["tmpls"]],
        )
        for each in collection.models.all()
        if collection.models.use_count(each)
    }


@pytest.mark.parametrize("form", FORMATS)
def test_they_are_duplicates_for_learners_and_the_same_for_new_ones(
    ptcards: Run, tmp_path: Path, exported: Exported, form: str
) -> None:
    package = _rebuild(ptcards, exported.packages[form], tmp_path)
    with learner(exported.profile) as collection:
        types, fields = _types(collection), {g: n.fields for g, n in notes_by_guid(collection).items()}
        shapes = owner.occlusions(collection)
    assert [len(each["shapes"]) for each in shapes.values()] == [3, 2]
    with learner(tmp_path / "old") as collection:
        assert import_package(collection, exported.packages["anki21"]) == {"new": 4}
        assert import_package(collection, package) == {"duplicate": 4}
    with learner(tmp_path / "new") as collection:
        assert import_package(collection, package) == {"new": 4}
        ours = {guid: note.fields for guid, note in notes_by_guid(collection).items()}
        assert {guid: ours[guid] for guid in shapes} == {guid: fields[guid] for guid in shapes}
        assert owner.occlusions(collection) == shapes
        assert _types(collection) == types
        assert_healthy(collection)


@pytest.mark.slow
@pytest.mark.parametrize(
    "version", ["24.11", "25.2.7", "25.9.2", ""], ids=["24.11", "25.2.7", "25.9.2", "now"]
)
def test_each_version_of_anki_reads_the_same_shapes(
    version: str, tmp_path: Path, exported: Exported, rebuilt: Path
) -> None:
    seen = []
    for name, package in (("theirs", exported.packages["anki21"]), ("ours", rebuilt)):
        (tmp_path / name).mkdir()
        anki = anki_of(version, tmp_path / name, tmp_path / "anki")
        try:
            assert anki.do("import_by_hand", str(package)) == {"new": 4}
            seen.append(anki.do("occlusions"))
        finally:
            anki.quit()
    assert seen[0] == seen[1]
    assert sorted(len(each["shapes"]) for each in seen[0].values()) == [2, 3]


def test_their_headings_are_the_texts_or_the_names_of_the_pictures(
    ptcards: Run, tmp_path: Path, exported: Exported
) -> None:
    assert ptcards("import", exported.packages["anki21b"], tmp_path / "body").status == 0
    text = "".join(file.read_text("utf-8") for file in sorted((tmp_path / "body").glob("*.md")))
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## The heart",
        "## h1-ao-1",
        "## Front",
        "## heart 1.png",
    ]
    assert f"### Occlusion\n\n```{{=html}}\n{SHAPES}\n```\n" in text


def test_an_edit_reaches_learners_with_the_shapes(
    ptcards: Run, tmp_path: Path, exported: Exported, rebuilt: Path
) -> None:
    source = tmp_path / "body" / "body.md"
    source.write_text(source.read_text("utf-8").replace("left=.1:top=.2", "left=.11:top=.2", 1), "utf-8")
    assert ptcards("build", tmp_path / "body", "-o", tmp_path).status == 0
    with learner(tmp_path / "old") as collection:
        import_package(collection, exported.packages["anki21"])
        assert import_package(collection, rebuilt) == {"updated": 1, "duplicate": 3}
        assert [len(each["shapes"]) for each in owner.occlusions(collection).values()] == [3, 2]
        assert "left=.11" in "".join(note.fields[0] for note in notes_by_guid(collection).values())


def test_a_new_deck_leaves_them_out_by_name(ptcards: Run, tmp_path: Path, exported: Exported) -> None:
    ran = ptcards("import", exported.packages["anki21b"], tmp_path / "body", "--fresh")
    assert ran.status == 0
    assert ran.out.partition("\n\n")[2] == (
        "read     4  notes of the deck that you import\n"
        "written  1  notes as Markdown\n"
        "left out 3  that hide parts of a picture, which only keeps its note type without `--fresh` (4 cards)\n"
        "            The heart\n"
        "            heart 1.png\n"
        "            h1-ao-1\n"
    )


RECTANGLES = "".join(
    SHAPES.split("<br>", maxsplit=1)[0].replace("c1", f"c{n}").replace("left=.1", f"left=.{n}") + "<br>"
    for n in (1, 3)
)
ROUND = "{{c2::image-occlusion:ellipse:left=.5:top=.5:rx=.1:ry=.05:oi=1}}<br>"


def test_a_new_deck_has_pictures_with_boxes_if_all_shapes_fit(ptcards: Run, tmp_path: Path) -> None:
    def fill(collection: Collection) -> None:
        collection._backend.add_image_occlusion_notetype()
        collection.models._clear_cache()
        collection.media.write_data("heart 1.png", PICTURE)
        fields = RECTANGLES + ROUND, '<img src="heart 1.png">', "The <b>heart</b>", "Look &amp; learn", "mine"
        add(collection, "Image Occlusion", "Body", *fields, tags="a")
        add(collection, "Image Occlusion", "Body", RECTANGLES.replace(":oi=1", ""), fields[1])

    package = export(tmp_path, fill).packages["anki21b"]
    assert ptcards("import", package, tmp_path / "body", "--fresh").status == 0
    text = next((tmp_path / "body").glob("*.md")).read_text("utf-8")
    assert text.partition("## ")[2] == (
        "The **heart**\n<!-- card: kind=occlusion tags=a -->\n\n![](media/heart%201.png)\n\n"
        "- 10% 20% 30% 40%: Box 1\n- 30% 20% 30% 40%: Box 3\n- (50% 50% 20% 10%): Box 2\n\n"
        "### Details\n\nLook & learn\n\n**Comments** mine\n\n"
        "## heart 1.png\n<!-- card: kind=occlusion hide=one -->\n\n![](media/heart%201.png)\n\n"
        "- 10% 20% 30% 40%: Box 1\n- 30% 20% 30% 40%: Box 3\n"
    )
    assert ptcards("build", tmp_path / "body", "-o", tmp_path).status == 0


def test_a_package_of_2anki_has_the_boxes_that_were_drawn_there(ptcards: Run, tmp_path: Path) -> None:
    """2anki writes a note type of its own, without Anki's mark, and a line end after each box."""
    shapes = (
        "{{c1::image-occlusion:rect:left=0:top=.25:width=.5:height=.125:oi=1}}<br>\n"
        "{{c2::image-occlusion:ellipse:left=.6:top=0:rx=.2:ry=.05:oi=1}}<br>"
    )
    grouped = shapes.replace("c2", "c1")
    polygon = "{{c1::image-occlusion:polygon:left=.1:top=.1:points=.1,.1 .5,.1 .3,.4:oi=1}}<br>"

    shown = (
        "{{Header}}{{cloze:Occlusion}}<div id=image-occlusion-container>{{Image}}"
        "<canvas id=image-occlusion-canvas></canvas></div><script>anki.imageOcclusion.setup()</script>"
    )
    names = ("Occlusion", "Image", "Header", "Back Extra", "Comments")
    made = genanki.Model(
        1234567890,
        "Image Occlusion",
        fields=[{"name": name} for name in names],
        templates=[{"name": "IO", "qfmt": shown, "afmt": shown}],
        model_type=genanki.Model.CLOZE,
    )
    deck = genanki.Deck(1234567891, "Maps")
    for field in (shapes, shapes.replace(":oi=1", ""), grouped, polygon):
        header = "" if field == shapes else f"Map {len(field)}"
        deck.add_note(genanki.Note(made, [field, '<img src="map.png">', header, "", ""]))
    (tmp_path / "map.png").write_bytes(PICTURE)
    package = tmp_path / "theirs.apkg"
    genanki.Package(deck, [tmp_path / "map.png"]).write_to_file(package)
    ran = ptcards("import", package, tmp_path / "maps", "--fresh")
    assert ran.status == 0
    assert "left out 2  that hide parts of a picture" in ran.out
    text = next((tmp_path / "maps").glob("*.md")).read_text("utf-8")
    listed = "![](media/map.png)\n\n- 0% 25% 50% 12.5%: Box 1\n- (60% 0% 40% 10%): Box 2\n"
    assert text.partition("## ")[2] == (
        f"## map.png\n<!-- card: kind=occlusion -->\n\n{listed}\n"[3:]
        + f"## Map {len(shapes) - 10}\n<!-- card: kind=occlusion hide=one -->\n\n{listed}"
    )
    assert ptcards("import", package, tmp_path / "kept").status == 0
    assert ptcards("build", tmp_path / "kept", "-o", tmp_path).status == 0
    with learner(tmp_path / "old") as collection:
        assert import_package(collection, package) == {"new": 4}
        assert import_package(collection, tmp_path / "maps.apkg") == {"duplicate": 4}


SOURCE = """\
# Body

## Name the parts.
<!-- card: kind=occlusion -->

What is this?

### Answer

![The heart](media/heart.png)

1. 12% 30% 18% 6%: *Aorta*
   - with the arch
2. (40% 55% 10% 8%): Left ventricle

It beats.

### Details

More.
"""


def test_our_own_package_becomes_the_same_source_with_the_same_numbers(ptcards: Run, tmp_path: Path) -> None:
    cards = tmp_path / "cards"
    (cards / "media").mkdir(parents=True)
    (cards / "deck.toml").write_text('name = "Body"\nid = "6f0c2c0e"\n')
    (cards / "media" / "heart.png").write_bytes(png(80, 60))
    gone = "2. 1% 1% 5% 5%: Gone\n3. (40%"
    (cards / "body.md").write_text(SOURCE.replace("2. (40%", gone))
    assert ptcards("build", cards, "-o", tmp_path / "a").status == 0
    (cards / "body.md").write_text(SOURCE)
    assert ptcards("build", cards, "-o", tmp_path / "b").status == 0
    ran = ptcards("import", tmp_path / "b" / "body.apkg", tmp_path / "again", "--id", "6f0c2c0e")
    assert ran.status == 0
    text = next((tmp_path / "again").glob("*.md")).read_text("utf-8")
    assert re.sub(" id=[0-9A-Za-z]{11}", "", text.partition("## ")[2]) == SOURCE.partition("## ")[2]
    assert ptcards("build", tmp_path / "again", "-o", tmp_path / "c").status == 0
    with learner(tmp_path / "anki") as collection:
        assert import_package(collection, tmp_path / "b" / "body.apkg") == {"new": 1}
        assert import_package(collection, tmp_path / "c" / "body.apkg") == {"duplicate": 1}
        (found,) = owner.occlusions(collection).values()
        assert [shapes[0][0] for shapes in found["shapes"]] == [1, 3]
