"""What `diff` advises learners who added a field to the note type, in three versions of the real Anki."""

import shutil
import time
from pathlib import Path

import pytest

from desktop import AnkiProcess, anki_of
from pushing import Run, empty_deck

RELEASES = {"r1": ("first", "first"), "r2": ("second", "first"), "r3": ("third", "second")}
"""The answers of the two notes in each release."""
BUILT = {"r1": 300, "r2": 100, "r3": 50}
"""How many seconds ago each release was built."""


@pytest.fixture
def releases(tmp_path: Path, ptcards: Run, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return the package of each release; only notes that changed have a new time."""
    now, folder = int(time.time()), empty_deck(tmp_path)
    for name, answers in RELEASES.items():
        monkeypatch.setenv("SOURCE_DATE_EPOCH", str(now - BUILT[name]))
        notes = (f"## What is a{n}?\n<!-- card: id=a{n} -->\n\n{each}\n" for n, each in enumerate(answers))
        (folder / "a.md").write_text("\n".join(["# Alpha\n", *notes]))
        assert ptcards("build", folder).status == 0
        shutil.copy(folder / "build/mini.apkg", tmp_path / f"{name}.apkg")
    return {name: str(tmp_path / f"{name}.apkg") for name in RELEASES}


def seen(anki: AnkiProcess) -> dict[str, tuple[str, str]]:
    """Return the answer and the learner's own field of each note."""
    fields = [note["fields"] for note in anki.do("read")]
    return {each["Question"][-7:-5]: (each["Answer"], each.get("Mine", "no field")) for each in fields}


def add_own_field(anki: AnkiProcess, release: str) -> None:
    """Import a release and fill a new field, 200 seconds ago."""
    assert anki.do("import_by_hand", release) == {"new": 2}
    anki.do("add_field", "Mine")
    for key in ("a0", "a1"):
        anki.do("edit", f'"Question:*{key}*"', {"Mine": "own"})
    anki.do("stamp", "", int(time.time()) - 200)


@pytest.mark.slow
@pytest.mark.parametrize("version", ["24.11", "25.9.2", ""], ids=["24.11", "25.9.2", "newest"])
def test_learners_with_a_field_of_their_own_get_updates_if_they_merge_and_not_if_they_remove_it(
    version: str, releases: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "keeps").mkdir()
    anki = anki_of(version, tmp_path / "keeps", tmp_path / "anki")
    try:
        add_own_field(anki, releases["r1"])
        assert anki.do("import_by_hand", releases["r2"]) == {"conflicting": 2}
        assert seen(anki) == {"a0": ("<p>first</p>", "own"), "a1": ("<p>first</p>", "own")}
        assert anki.do("import_by_hand", releases["r2"], merge_note_types=True)["updated"] == 1
        assert seen(anki) == {"a0": ("<p>second</p>", ""), "a1": ("<p>first</p>", "own")}
        # Anki 24.11 gives updated notes the time of the import, which was before the next release.
        anki.do("stamp", "", int(time.time()) - 80)
        assert anki.do("import_by_hand", releases["r3"], merge_note_types=True)["updated"] == 2
        assert seen(anki) == {"a0": ("<p>third</p>", ""), "a1": ("<p>second</p>", "")}
        anki.do("check")
    finally:
        anki.quit()
    (tmp_path / "removes").mkdir()
    anki = anki_of(version, tmp_path / "removes", tmp_path / "anki")
    try:
        add_own_field(anki, releases["r1"])
        anki.do("remove_field", "Mine")
        for name in ("r2", "r3"):
            assert anki.do("import_by_hand", releases[name]) == {"duplicate": 2}
        assert seen(anki) == {"a0": ("<p>first</p>", "no field"), "a1": ("<p>first</p>", "no field")}
    finally:
        anki.quit()
