"""Note types that an author writes.

These tests cover their identity from the first build on, the content of fields, and when a build starts
again.
"""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from anki_backend import assert_healthy, import_package, learner, notes_by_guid, sides
from conftest import Ran
from ptcards.anki.cards import card_sides
from ptcards.anki.fields import render
from ptcards.notes.notetypes import Template
from ptcards.notes.rendered import RenderedNote
from ptcards.source.code_blocks import find_code
from ptcards.workspace import Workspace

Ptcards = Callable[..., Ran]
CLOZE = {
    "name": "Gap",
    "kind": "cloze",
    "fields": ["Text", "Extra"],
    "templates": [{"name": "Gap", "file": "gap"}],
}
SOURCE = """## The {{c1::cat}} and the {{c2::dog}}.
<!-- card: type=gap -->

Not `code`.

## In code
<!-- card: type=gap -->

### Text

```python
x = {{c1::1}}
```

### Extra

```{=html}
<b
  title='&quot;é'>\t{{c3::x}}</b>  `
```

Then **text**.

## What is a cat?

An animal.
"""


@pytest.fixture
def deck(tmp_path: Path) -> Path:
    gap = tmp_path / "deck" / "notetypes" / "gap"
    gap.mkdir(parents=True)
    (gap / "notetype.json").write_text(json.dumps(CLOZE), "utf-8")
    (gap / "gap.front.html").write_text("{{cloze:Text}}", "utf-8")
    (gap / "gap.back.html").write_text("{{cloze:Text}}<hr>{{Extra}}", "utf-8")
    (tmp_path / "deck" / "deck.toml").write_text('name = "Deck"\nid = "6f0c2c0e"\n', "utf-8")
    (tmp_path / "deck" / "a.md").write_text(SOURCE, "utf-8")
    return tmp_path / "deck"


def build(ptcards: Ptcards, deck: Path) -> Path:
    ran = ptcards("build", deck, "-o", deck.parent / "build")
    assert ran.status == 0, ran.err
    return deck.parent / "build" / "deck.apkg"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"fields": ["Te\ud800xt"]}, "`Te<U+D800>xt` cannot be the name of a field"),
        ({"templates": [{"name": "\ud800", "file": "gap"}]}, "`<U+D800>` cannot be the name of a template"),
        ({"templates": [{"name": "a\x07", "file": "gap"}]}, "`a␇` cannot be the name of a template"),
        ({"templates": [{"name": " ", "file": "gap"}]}, "` ` cannot be the name of a template"),
        (
            {"templates": [{"name": "Gap", "file": "gap", "browser_front": "\ud800"}]},
            "a template for the browser must be text",
        ),
        (
            {"templates": [{"name": "Gap", "file": "Gap 1"}]},
            "`file` of `Gap` is not a valid file name",
        ),
        (
            {"templates": [{"name": name, "file": "gap"} for name in ("Gap", "Again")]},
            "two templates use the files `gap`",
        ),
    ],
)
def test_names_that_cannot_be_used_are_errors(
    deck: Path, ptcards: Ptcards, change: dict[str, object], message: str
) -> None:
    (deck / "notetypes" / "gap" / "notetype.json").write_text(json.dumps(CLOZE | change))
    ran = ptcards("build", deck, "-o", deck.parent / "build")
    assert (ran.status, f"error[broken-note-type] {message}" in ran.err) == (1, True), ran.err


def test_a_note_may_have_any_cards_of_its_note_type(deck: Path, tmp_path: Path, ptcards: Ptcards) -> None:
    place = deck / "notetypes" / "place"
    place.mkdir()
    templates = [{"name": name, "file": name.lower()} for name in ("Capital", "Map")]
    fields = ["Country", "Capital", "Map"]
    (place / "notetype.json").write_text(
        json.dumps({"name": "Place", "fields": fields, "templates": templates})
    )
    for name in ("Capital", "Map"):
        (place / f"{name.lower()}.front.html").write_text(f"{{{{#{name}}}}}{{{{{name}}}}}{{{{/{name}}}}}")
        (place / f"{name.lower()}.back.html").write_text("{{Country}}")
    shutil.rmtree(deck / "notetypes" / "gap")
    (deck / "a.md").write_text(
        "---\ntype: place\n---\n\n## Pacific\n\n### Map\n\na map\n\n## Chad\n\nN'Djamena\n"
    )
    with learner(tmp_path / "anki") as collection:
        assert import_package(collection, build(ptcards, deck)) == {"new": 2}
        notes = notes_by_guid(collection).values()
        assert {note["Country"]: [card.ord for card in note.cards()] for note in notes} == {
            "Pacific": [1],
            "Chad": [0],
        }
        assert_healthy(collection)


def test_a_cloze_note_type_has_a_card_for_each_number_and_passes_html_on(
    deck: Path, tmp_path: Path, ptcards: Ptcards
) -> None:
    package = build(ptcards, deck)
    with learner(tmp_path / "anki") as collection:
        assert import_package(collection, package) == {"new": 3}
        assert_healthy(collection)
        gaps = {
            note.fields[0]: (note.fields[1], [card.ord for card in note.cards()])
            for note in notes_by_guid(collection).values()
            if note.note_type()["name"] == "Gap"
        }
        code = "<pre><code>x = {{c1::1}}</code></pre>"
        assert gaps == {
            "The {{c1::cat}} and the {{c2::dog}}.": ("Not <code>code</code>.", [0, 1]),
            code: ("<b\n  title='&quot;é'>\t{{c3::x}}</b>  `\n<p>Then <strong>text</strong>.</p>", [0, 2]),
        }
        (first,) = [note for note in notes_by_guid(collection).values() if note.fields[0].startswith("The")]
        assert "[...]" in sides(first.cards()[0])[0]


def test_a_missing_folder_stops_the_build_and_no_note_is_retired(deck: Path, ptcards: Ptcards) -> None:
    (deck / "a.md").write_text("---\ntype: gap\n---\n\n## The {{c1::cat}}.\n\n## The {{c1::dog}}.\n", "utf-8")
    build(ptcards, deck)
    lock = (deck / "deck.lock").read_bytes()
    (deck / "notetypes").rename(deck / "note-types")
    ran = ptcards("build", deck)
    lost = "the note type of 2 published notes, `deck/notetypes/gap/`, is missing"
    assert (ran.status, f"error[note-type-lost] {lost}" in ran.err) == (2, True)
    assert (deck / "deck.lock").read_bytes() == lock


def test_its_id_follows_from_the_collection_and_stays_in_the_lock(deck: Path, ptcards: Ptcards) -> None:
    build(ptcards, deck)
    lines = (deck / "deck.lock").read_text("utf-8").splitlines()
    (written,) = [line.split("\t") for line in lines if line.startswith("type\tx-")]
    assert (written[1], len(written[3]), written[4:-1]) == ("x-gap", 24, ["1200306456983", "Gap"])
    assert sum("\tx-gap\t" in line for line in lines if line.startswith("note\t")) == 2
    ran = ptcards("build", deck, "-o", deck.parent / "build", "--locked")
    assert ran.status == 0


def test_a_learner_gets_the_files_that_a_look_names(deck: Path, tmp_path: Path, ptcards: Ptcards) -> None:
    (deck / "media").mkdir()
    (deck / "media" / "_gap.woff2").write_bytes(b"font")
    (deck / "notetypes" / "gap" / "style.css").write_text(
        '@font-face { src: url("_gap.woff2"), url(_no.png) }'
    )
    with learner(tmp_path / "anki") as collection:
        import_package(collection, build(ptcards, deck))
        folder = Path(collection.media.dir())
        assert {file.name: file.read_bytes() for file in folder.iterdir()} == {"_gap.woff2": b"font"}


def test_a_build_begins_again_when_a_file_of_a_note_type_changes(deck: Path, ptcards: Ptcards) -> None:
    packages = [build(ptcards, deck).read_bytes()]
    packages.append(build(ptcards, deck).read_bytes())
    (deck / "notetypes" / "gap" / "style.css").write_text(".card { color: red }\n", "utf-8")
    packages.append(build(ptcards, deck).read_bytes())
    (deck / "notetypes" / "gap" / "gap.back.html").write_text("{{cloze:Text}}", "utf-8")
    packages.append(build(ptcards, deck).read_bytes())
    (deck / "notetypes" / "gap" / "gap.front.html").unlink()
    ran = ptcards("build", deck, "-o", deck.parent / "build")
    assert (len(set(packages)), packages[0] == packages[1], ran.status) == (3, True, 1)
    assert "error[missing-template]" in ran.err


def test_a_template_of_over_256_kb_is_an_error(deck: Path, ptcards: Ptcards) -> None:
    file = deck / "notetypes" / "gap" / "gap.back.html"
    template = "{{cloze:Text}}<!-- "
    file.write_text(template + "x" * ((256 << 10) - len(template)), "utf-8")
    assert ptcards("check", deck).status == 0
    file.write_text(template + "x" * (300 << 10), "utf-8")
    ran = ptcards("build", deck, "-o", deck.parent / "build")
    said = "error[template-too-large] `gap.back.html` has 300 KB, and a template at most 256 KB"
    assert (ran.status, said in ran.err) == (1, True)


def test_its_code_is_run_without_the_marks_of_deletions(deck: Path) -> None:
    (contents,) = Workspace.read([deck]).contents
    found = [find_code(note) for note in contents.notes]
    assert [[block.code for block in code.blocks] for code, _ in found] == [[], ["x = 1"], []]


def test_its_code_may_be_broken_which_is_only_a_warning(deck: Path, ptcards: Ptcards) -> None:
    (deck / "a.md").write_text(SOURCE.replace("x = {{c1::1}}", "x = = {{c1::1}}"), "utf-8")
    warned = "a.md:12:5: warning[broken-python] this is not valid Python "
    built, checked = (
        ptcards(*words) for words in (("build", deck, "-o", deck.parent / "b"), ("check", deck))
    )
    assert (built.status, warned in built.err, checked.status, warned in checked.out) == (0, False, 0, True)


def test_a_note_that_no_front_shows_is_an_error_of_the_build(deck: Path, ptcards: Ptcards) -> None:
    (deck / "a.md").write_text("## No gap\n<!-- card: type=gap -->\n\nNone.\n", "utf-8")
    ran = ptcards("build", deck, "-o", deck.parent / "build")
    assert (ran.status, "deck/a.md:1:1: error[no-card]" in ran.err) == (1, True)


def test_diff_tells_which_field_changed(
    deck: Path, tmp_path: Path, ptcards: Ptcards, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(ptcards, deck)
    shutil.copytree(deck, tmp_path / "old")
    (deck / "a.md").write_text(SOURCE.replace("Not `code`", "No `code`"), "utf-8")
    monkeypatch.chdir(deck)
    ran = ptcards("diff", tmp_path / "old")
    assert (ran.status, "Extra: [-Not-]{+No+} `code`." in ran.out) == (0, True), ran.out


def test_a_note_type_outside_the_collection_is_not_read(tmp_path: Path, deck: Path, ptcards: Ptcards) -> None:
    shutil.move(deck / "notetypes" / "gap", tmp_path / "gap")
    (deck / "notetypes" / "gap").symlink_to(tmp_path / "gap")
    ran = ptcards("build", deck)
    assert (ran.status, "is outside the collection" in ran.err) == (1, True)


def test_a_side_that_grows_without_bounds_says_so(deck: Path) -> None:
    (note_type,) = (each for each in Workspace.read([deck]).contents[0].note_types if each.is_own)
    said = "<div>this side shows over 8 MB of fields</div>"
    note = RenderedNote("g", 1, "D", note_type.key, ("{{c1::x}}" + "y" * 1000, ""), (), ())
    shown = []
    for times in (40_000, 1000):
        template = Template("Gap", None, "{{cloze:Text}}" * times, "{{FrontSide}}" * 1000)
        (card,) = card_sides(note, replace(note_type, templates=(template,)))
        shown.append((card.front == said, card.back == said))
    assert shown == [(True, False), (False, True)]


def test_deletions_in_deletions_do_not_fill_the_memory(deck: Path) -> None:
    (note_type,) = (each for each in Workspace.read([deck]).contents[0].note_types if each.is_own)
    field = "{{c1::" * 10 + "-" * 1000 + "}}" * 10
    (card,) = card_sides(RenderedNote("g", 1, "D", note_type.key, (field, ""), (), ()), note_type)
    said = "a deletion takes over 1 MB: each one around it makes it longer"
    assert (card.front, len(card.back) < 10_000) == (f"<div>{said}</div>", True)


def test_with_our_style_code_has_its_classes(deck: Path) -> None:
    (deck / "notetypes" / "gap" / "style.css").write_text('@import "ptcards";', "utf-8")
    (contents,) = Workspace.read([deck]).contents
    (note,) = (each for each in contents.notes if each.heading.markdown == "In code")
    fields, _ = render(note, contents.note_types)
    assert fields[0] == (
        '<pre class="code" data-lang="python"><code><span class="ln">'
        'x = {{c1::<span class="mi">1</span>}}\n</span></code></pre>'
    )
