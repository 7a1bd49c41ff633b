"""`ptcards push` for the collection's own note types, which have no field for the GUID."""

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from adopted import COUNTRIES, imported, published
from ankiconnect import Door, RefusedError
from pushing import NOTHING, Run, anki, shared

__all__ = ["anki", "shared"]


@pytest.fixture
def deck(tmp_path: Path, anki: Door) -> Path:
    """Return a collection whose notes Anki has imported and reviewed, next to other notes."""
    anki.do("import_by_hand", str(published(tmp_path / "old")))
    anki.do("add", "Ultimate Geography", ["Peru", "Lima", "", ""], "Mine")
    anki.do("study", 'Country:Nauru card:"Flag - Country"')
    return imported(tmp_path / "deck")


def countries(anki: Door) -> dict[str, list[str]]:
    return {each["guid"]: [*each["fields"].values()][:2] for each in anki.do("read")}


def edit(deck: Path, old: str, new: str) -> None:
    file = deck / "capitals.md"
    file.write_text(file.read_text("utf-8").replace(old, new), "utf-8")


def test_notes_that_anki_has_are_updated_and_what_was_edited_there_stays(
    deck: Path, anki: Door, ptcards: Run
) -> None:
    before = countries(anki)
    anki.do("edit", "Country:Japan", {"Country info": "mine"})
    anki.do("edit", "Country:France", {"Capital": "mine"})
    edit(deck, "\nTbilisi\n", "\nთბილისი\n")
    edit(deck, "\nParis\n", "\nLutetia\n")
    edit(deck, "東京 *Tōkyō*", "東京")
    ran = ptcards("push", deck)
    assert ran.status == 1
    assert ran.out == (
        'Anki: profile "User 1"\n'
        "~ 1 changed        same0\n"
        "x 2 conflicts      `France`: Capital changed in Anki and here   (--overwrite takes the text from the sources)\n"
        "                   `Japan`: Capital, Country info changed in Anki and here\n"
    )
    after = before | {"same0": ["Georgia", "თბილისი"], COUNTRIES[0].guid: ["France", "mine"]}
    assert countries(anki) == after
    assert anki.do("card", 'Country:Nauru card:"Flag - Country"')[3] == 1
    anki.asked.clear()
    edit(deck, "\nAtlanta\n", "\nAtlanta, Georgia\n")
    edit(deck, "## Nauru", "## Peru\n<!-- card: id=peru -->\n\nLima\n\n## Nauru")
    assert ptcards("push", deck).out.splitlines()[1:3] == [
        "+ 1 new            Geo::Capitals: peru",
        "~ 1 changed        same1",
    ]
    assert (len(countries(anki)), countries(anki)["same1"]) == (7, ["Georgia", "Atlanta, Georgia"])
    assert ptcards("push", deck).err.endswith(NOTHING[1])
    # The record contains the GUIDs of all notes, so the collection is not exported again.
    assert "exportPackage" not in anki.asked


def test_what_was_edited_in_anki_goes_into_the_markdown(deck: Path, anki: Door, ptcards: Run) -> None:
    assert ptcards("push", deck).status == 0
    text = (deck / "capitals.md").read_text("utf-8")
    anki.do("edit", "Country:France", {"Capital": "<b>Paris</b>", "Country info": "one<br>two"})
    anki.do("edit", "Country:Nauru", {"Flag": ""})
    anki.do("edit", "Capital:Atlanta", {"Capital": "<div>one</div><div><b>two</b> words<br></div>"})
    ran = ptcards("pull", deck, "--write")
    assert (ran.status, ran.err.splitlines()[-1]) == (0, "Wrote 4 of 4 edits into the Markdown")
    assert (deck / "capitals.md").read_text("utf-8") == text.replace("\nParis\n", "\n**Paris**\n").replace(
        "(media/fr%20flag.png)\n", "(media/fr%20flag.png)\n\n### Country info\n\none\\\ntwo\n"
    ).replace("### Flag\n\n![](media/nr.png)\n\n", "").replace("\nAtlanta\n", "\none\n\n**two** words\n")
    assert ptcards("push", deck).out == NOTHING[0]


def test_a_push_warns_of_nothing_that_only_concerns_learners(deck: Path, ptcards: Run) -> None:
    (deck / "notetypes/geo/style.css").write_text(".card { color: red }\n", "utf-8")
    assert "warning[shared-look]" in ptcards("build", deck, "--dry-run").err
    assert "warning" not in ptcards("push", deck).err


def test_what_is_retired_is_found_and_deleted_if_asked(deck: Path, anki: Door, ptcards: Run) -> None:
    text = (deck / "capitals.md").read_text("utf-8")
    (deck / "capitals.md").write_text(text[: text.rindex("## Georgia")], "utf-8")
    ran = ptcards("push", deck, "--delete-retired", "--yes")
    assert ran.out.splitlines()[-1] == "- 1 deleted        same1, 0 reviews"
    assert [each for each in countries(anki) if each.startswith("same")] == ["same0"]
    assert any(fields == ["Peru", "Lima"] for fields in countries(anki).values())


def test_an_anki_that_does_not_tell_whose_notes_are_whose_gets_nothing(
    deck: Path, anki: Door, ptcards: Run
) -> None:
    before = anki.do("rows")

    def refuse(action: str, parameters: dict[str, Any]) -> None:
        if action == "exportPackage":
            message = f"Failed to open '{parameters['path']}'"
            raise RefusedError(message)

    anki.before = refuse
    edit(deck, "\nTbilisi\n", "\nთბილისი\n")
    ran = ptcards("push", deck)
    assert (ran.status, ran.out, "importPackage" in anki.asked) == (1, "", False)
    assert ran.err == (
        "error: Anki did not export `Geo::Capitals`: its notes cannot be told apart\n"
        "help: run `ptcards build`, and import the package by hand: File › Import\n"
    )
    assert anki.do("rows") == before


def test_files_that_only_a_look_names_go_to_anki(deck: Path, anki: Door, ptcards: Run) -> None:
    (deck / "media/_pt.woff2").write_bytes(b"font")
    style = deck / "notetypes/geo/style.css"
    assert ptcards("push", deck).err.endswith(NOTHING[1])
    style.write_text('@font-face { font-family: x; src: url("_pt.woff2") }\n', "utf-8")
    assert ptcards("push", deck).status == 0
    assert "_pt.woff2" in anki.do("media")
    # A note that was deleted in Anki is restored.
    anki.do("forget_media", "_pt.woff2")
    missing = 'Anki: profile "User 1"\n+ 1 file           _pt.woff2\n'
    ran = ptcards("push", deck)
    assert (ran.status, ran.out) == (0, missing)
    assert ran.err.endswith("pushed 1 file in 0.00 s\n")
    assert anki.do("media_content", "_pt.woff2") == "font"
    assert json.loads(ptcards("push", deck, "--format", "json").out)["changed"] == []


def test_a_changed_file_of_a_look_replaces_that_in_anki_unless_somebody_changed_it_there(
    deck: Path, anki: Door, ptcards: Run
) -> None:
    font = deck / "media/_pt.woff2"
    font.write_bytes(b"first")
    assert ptcards("push", deck).status == 0
    (deck / "notetypes/geo/style.css").write_text('@font-face { src: url("_pt.woff2") }\n', "utf-8")
    assert ptcards("push", deck).status == 0
    font.write_bytes(b"second")
    changed = 'Anki: profile "User 1"\n+ 1 file           _pt.woff2\n'
    assert ptcards("push", deck).out == changed
    assert anki.do("media_content", "_pt.woff2") == "second"
    assert ptcards("push", deck).out == NOTHING[0]
    anki.do("set_media", "_pt.woff2", "mine")
    assert ptcards("push", deck).out == NOTHING[0]
    font.write_bytes(b"third")
    ran = ptcards("push", deck)
    assert (ran.status, anki.do("media_content", "_pt.woff2")) == (1, "mine")
    assert ran.out.splitlines()[1:] == [
        "x 1 conflict       file _pt.woff2 changed in Anki and here   (--overwrite takes the text from the sources)"
    ]
    ran = ptcards("push", deck, "--overwrite")
    # The note type is also in a deck of Anki's owner.
    backups = sorted((deck.parent / "state/ptcards/push/backups").iterdir())
    saved = [f"saved a copy with all reviews: state/ptcards/push/backups/{each.name}" for each in backups]
    assert (len(saved), ran.out) == (2, changed)
    assert ran.err.splitlines()[-3:] == [*saved, "pushed 1 file in 0.00 s"]
    for backup in backups:
        with zipfile.ZipFile(backup) as package:
            assert b"mine" in [package.read(name) for name in package.namelist()]
    assert anki.do("media_content", "_pt.woff2") == "third"
    assert [each for each in anki.do("media") if "pt" in each] == ["_pt.woff2"]
    # Another computer pushes the same collection; it has no record, and nothing differs.
    shutil.rmtree(deck.parent / "state")
    assert ptcards("push", deck).out == NOTHING[0]


def test_a_changed_picture_of_a_note_replaces_that_in_anki(deck: Path, anki: Door, ptcards: Run) -> None:
    picture = deck / "media/map.png"
    picture.write_bytes(b"first")
    edit(deck, "東京 *Tōkyō*", "東京 ![](media/map.png)")
    assert "file" not in ptcards("push", deck, "--overwrite").out.replace("profile", "")
    picture.write_bytes(b"second")
    assert ptcards("push", deck).out == 'Anki: profile "User 1"\n+ 1 file           map.png\n'
    assert anki.do("media_content", "map.png") == "second"
    # The text of its note changes with it, and Anki in a sandbox sees other folders.
    picture.write_bytes(b"third")
    edit(deck, "東京 ![]", "京都 ![]")

    def refuse_paths(action: str, parameters: dict[str, Any]) -> None:
        if action == "storeMediaFile" and "path" in parameters:
            raise RefusedError(parameters["path"])

    anki.before = refuse_paths
    assert ptcards("push", deck).out.splitlines()[1:] == [
        "~ 1 changed        `Japan`",
        "+ 1 file           map.png",
    ]
    assert anki.do("media_content", "map.png") == "third"
    assert countries(anki)[COUNTRIES[2].guid][1] == '京都 <img alt="" src="map.png">'
    assert [each for each in anki.do("media") if each.startswith("map")] == ["map.png"]
    assert ptcards("push", deck).out == NOTHING[0]


def test_a_file_arrives_with_a_note_whose_fields_are_merged(deck: Path, anki: Door, ptcards: Run) -> None:
    assert ptcards("push", deck).status == 0
    anki.do("edit", "Country:Japan", {"Country info": "mine"})
    (deck / "media/map.png").write_bytes(b"map")
    edit(deck, "東京 *Tōkyō*", "東京 ![](media/map.png)")
    assert "(`Japan`: merged with your edits)" in ptcards("push", deck).out
    assert "map.png" in anki.do("media")
