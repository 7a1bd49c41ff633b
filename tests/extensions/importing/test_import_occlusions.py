"""Notes that hide parts of a picture pass through an import and a build."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from anki.collection import Collection

import owner
from anki_backend import assert_healthy, import_package, learner, notes_by_guid
from conftest import Ran
from desktop import anki_of
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
