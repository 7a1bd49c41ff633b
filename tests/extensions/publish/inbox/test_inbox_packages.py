"""`ptcards inbox` reads the packages of contributors and learners: edits, new notes and red flags."""

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from anki.collection import Collection
from test_inbox import SOURCE, deck, guid

from anki_backend import import_package, learner, notes_by_guid
from conftest import Ran
from ptcards.identity.lock import guid_as_id
from pushing import Run
from studying import export

__all__ = ["deck"]


@contextmanager
def contributor(package: Path, made: Path) -> Iterator[Collection]:
    """Yield an Anki with a package, which is exported to `made` at the end."""
    with learner(made.parent / made.stem) as collection:
        import_package(collection, package)
        yield collection
        export(collection, made)


def edit(collection: Collection, note: str, **fields: str) -> None:
    """Edit fields of the note with this GUID."""
    found = notes_by_guid(collection)[note]
    for name, text in fields.items():
        found[name] = text
    collection.update_note(found)


def add(collection: Collection, note_type: str, deck_name: str, **fields: str) -> str:
    """Add a note, and return its GUID."""
    model = collection.models.by_name(note_type)
    assert model is not None
    note = collection.new_note(model)
    for name, text in fields.items():
        note[name] = text
    collection.add_note(note, collection.decks.id(deck_name))
    return str(note.guid)


def own_type(collection: Collection) -> str:
    """Return the name of the note type of our basic notes."""
    names = (each.name for each in collection.models.all_names_and_ids())
    return str(next(name for name in names if name.startswith("Mini")))


def commit(folder: Path) -> None:
    """Commit a collection in a repository of its own."""
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-C", str(folder))
    for arguments in (("init", "-q"), ("add", "."), ("commit", "-qm", "first")):
        subprocess.run([*git, *arguments], check=True)


def test_edits_and_flags_of_a_contributor_are_listed(deck: Path, ptcards: Run, tmp_path: Path) -> None:
    with contributor(Path("out/mini.apkg"), tmp_path / "ann.apkg") as collection:
        edit(collection, guid(deck, "view"), Answer="<p>A tensor that <b>shares</b> its data.</p>")
        collection.set_user_flag_for_cards(1, collection.find_cards("Question:*leaf*"))
        collection.tags.bulk_add(collection.find_notes("Question:*leaf*"), "marked")
        add(collection, "Basic", "Mine", Front="private", Back="private")
    listed = ptcards("inbox", "deck", "ann.apkg")
    flag, view = (line.split()[0] for line in listed.out.split("\n") if line[:1].strip())
    assert listed == Ran(
        0,
        f"{flag}  deck/a.md:3: What is a leaf? [red flag, marked]\n"
        "      from ann.apkg\n"
        f"{view}  deck/a.md:8: What is a view?\n"
        "      from ann.apkg\n"
        "      Answer: A tensor that [-copies-] {+shares+} its data.\n",
        "",
    )
    assert ptcards("inbox", "deck", "ann.apkg", "--all-clean").status == 0
    assert (deck / "a.md").read_text() == SOURCE.replace("copies", "**shares**")
    ran = ptcards("inbox", "deck", "ann.apkg", "--accept", flag)
    assert (ran.status, ran.err) == (
        1,
        f"left unchanged: {flag}: deck/a.md:3: it has no text: correct the note, then use `--done`\n",
    )


def test_a_package_that_is_only_older_suggests_nothing(
    deck: Path, ptcards: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with contributor(Path("out/mini.apkg"), tmp_path / "old.apkg"):
        pass
    commit(deck)
    (deck / "a.md").write_text(SOURCE.replace("copies", "shares"))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(time.time()) + 10))
    assert ptcards("build", "deck", "-o", "out").status == 0
    assert ptcards("inbox", "deck", "old.apkg") == Ran(0, "", "nothing is in the inbox\n")
    # Without git, nobody knows whether the older text is an edit, so it is never written.
    shutil.rmtree(deck / ".git")
    ran = ptcards("inbox", "deck", "old.apkg", "--all-clean")
    assert (ran.status, ran.err, "[it also changed here]" in ran.out) == (0, "", True)


NEW_GUID = (
    "becomes a note of its own: whoever wrote the one of the type `Basic` gets it too, and can delete theirs"
)


@pytest.mark.usefixtures("deck")
def test_a_new_note_goes_to_the_end_of_its_deck_and_keeps_its_guid_unless_its_type_is_another(
    ptcards: Run, tmp_path: Path
) -> None:
    with contributor(Path("out/mini.apkg"), tmp_path / "ann.apkg") as collection:
        fields = {"Question": '<p class="heading">What is a stride?</p>', "Answer": "<p>A <b>step</b>.</p>"}
        new = add(collection, own_type(collection), "Mini::Alpha", **fields)
        plain = add(collection, "Basic", "Mini::Alpha", Front="What is <i>dim</i>?", Back="An axis.<br>One.")
        lost = add(collection, "Basic", "Mini::Beta", Front="Nowhere?", Back="No.")
    assert ptcards("inbox", "deck", "ann.apkg").status == 0
    document = json.loads(ptcards("inbox", "deck", "ann.apkg", "--format", "json").out)
    assert {
        each["guid"]: (each["state"], each["reason"], each["remark"]) for each in document["entries"]
    } == {
        new: ("clean", "", ""),
        plain: ("clean", "", NEW_GUID),
        lost: ("left", "no file ends with its deck `Mini::Beta`", NEW_GUID),
    }
    assert f"\n      {NEW_GUID}\n" in ptcards("inbox", "deck", "ann.apkg").out
    ran = ptcards("inbox", "deck", "ann.apkg", "--all-clean")
    assert (ran.status, ran.err) == (0, "Wrote 2 of 2 entries into the Markdown; build, then commit them\n")
    assert ptcards("build", "deck", "-o", "out").status == 0
    with learner(tmp_path / "fresh") as collection:
        import_package(collection, Path("out/mini.apkg"))
        notes = notes_by_guid(collection)
        assert (new in notes, plain in notes) == (True, False)
        assert notes[new]["Answer"] == "<p>A <strong>step</strong>.</p>"
        assert len(notes) == 4
    with learner(tmp_path / "ann") as collection:
        counts = import_package(collection, Path("out/mini.apkg"))
        assert counts.get("new", 0) == 1
    document = json.loads(ptcards("inbox", "deck", "ann.apkg", "--format", "json").out)
    assert {each["guid"]: (each["state"], each["reason"]) for each in document["entries"]} == {
        plain: ("already", "the deck has a note of its own for it"),
        lost: ("left", "no file ends with its deck `Mini::Beta`"),
    }


def test_what_changed_since_it_was_published_is_not_overwritten(
    deck: Path, ptcards: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with contributor(Path("out/mini.apkg"), tmp_path / "ann.apkg") as collection:
        edit(collection, guid(deck, "view"), Answer="<p>A tensor that <b>shares</b> its data.</p>")
    commit(deck)
    (deck / "a.md").write_text(SOURCE.replace("copies", "views"))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(time.time()) + 10))
    assert ptcards("build", "deck", "-o", "out").status == 0
    ran = ptcards("inbox", "deck", "ann.apkg", "--all-clean")
    assert (ran.status, "[it also changed here]" in ran.out) == (0, True)
    assert (deck / "a.md").read_text() == SOURCE.replace("copies", "views")


def test_a_file_with_uncommitted_changes_gets_no_new_note_without_force(
    deck: Path, ptcards: Run, tmp_path: Path
) -> None:
    with contributor(Path("out/mini.apkg"), tmp_path / "ann.apkg") as collection:
        new = add(collection, "Basic", "Mini::Alpha", Front="What is dim?", Back="An axis.")
        edit(collection, guid(deck, "view"), Answer="<p>A tensor that <b>shares</b> its data.</p>")
    commit(deck)
    changed = SOURCE.replace("Think.", "Think twice.")
    (deck / "a.md").write_text(changed)
    ran = ptcards("inbox", "deck", "ann.apkg", "--all-clean")
    note = json.loads(ptcards("inbox", "deck", "ann.apkg", "--format", "json").out)["entries"][-1]["name"]
    assert (ran.status, ran.err) == (
        1,
        f"left unchanged: {note}: its file has uncommitted changes (`--force`)\n",
    )
    # Nobody knows which text was edited, because the note here changed since the last build.
    listed = json.loads(ptcards("inbox", "deck", "ann.apkg", "--format", "json").out)["entries"]
    assert [(each["state"], each["guid"]) for each in listed] == [
        ("changed", guid(deck, "view")),
        ("clean", new),
    ]
    assert (deck / "a.md").read_text() == changed
    (deck / "a.md").write_text(SOURCE)
    # The edit of the same run does not hold back the note.
    ran = ptcards("inbox", "deck", "ann.apkg", "--all-clean")
    assert (ran.status, ran.err) == (0, "Wrote 2 of 2 entries into the Markdown; build, then commit them\n")
    assert f"id={guid_as_id(new)}" in (deck / "a.md").read_text()


@pytest.mark.usefixtures("deck")
def test_a_hundred_thousand_flags_are_one_mark(ptcards: Run, tmp_path: Path) -> None:
    with contributor(Path("out/mini.apkg"), tmp_path / "ann.apkg") as collection:
        assert collection.db is not None
        columns = "did, ord, mod, usn, type, queue, due, ivl, factor, reps, lapses, left, odue, odid, 1, data"
        collection.db.execute(
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 100000) "
            f"INSERT INTO cards SELECT id + 10000000 + x, nid, {columns} FROM n, (SELECT * FROM cards LIMIT 1)"
        )
    ran = ptcards("inbox", "deck", "ann.apkg")
    assert (ran.status, ran.out.count("[red flag]"), len(ran.out) < 1_000) == (0, 1, True)


TYPED = (
    ("Mini", "Plain question one?", "Plain answer, as usual.", "Plain answer, as usual."),
    ("Mini", "A <b>bold</b> one?", "An <b>answer</b>.", "An **answer**."),
    ("Mini", "Two lines?<div>Second</div>", "One<div>two</div>", "Second\n\n### Answer\n\nOne\n\ntwo"),
    ("Mini", "In a list?", "<ul><li>a</li><li>b&nbsp; c</li></ul>", "- a\n- b&nbsp; c"),
    ("Mini (cloze)", "", "The sea is {{c1::blue}}.", ""),
)
"""New notes of the deck's own types as people type them, with the Markdown of each answer."""


def test_new_notes_of_the_deck_s_own_types_are_accepted_as_people_type_them(
    deck: Path, ptcards: Run, tmp_path: Path
) -> None:
    (deck / "b.md").write_text("# Beta\n\n## Grass is {{c1::green}}.\n")
    assert ptcards("build", "deck", "-o", "out").status == 0
    with contributor(Path("out/mini.apkg"), tmp_path / "ann.apkg") as collection:
        guids = [
            add(collection, note_type, "Mini::Alpha", Question=question, Answer=answer)
            for note_type, question, answer, _ in TYPED
        ]
        red = add(collection, "Mini", "Mini::Alpha", Question="Red?", Answer='<i style="color: red">x</i>')
    document = json.loads(ptcards("inbox", "deck", "ann.apkg", "--format", "json").out)
    assert {each["guid"]: (each["state"], each["reason"]) for each in document["entries"]} == {
        **dict.fromkeys(guids, ("clean", "")),
        red: ("left", "no Markdown renders to exactly that"),
    }
    assert ptcards("inbox", "deck", "ann.apkg", "--all-clean").status == 0
    source = (deck / "a.md").read_text()
    assert [markdown in source for *_, markdown in TYPED] == [True] * len(TYPED)
    assert ptcards("build", "deck", "-o", "out").status == 0
    with learner(tmp_path / "ann") as collection:
        assert import_package(collection, Path("out/mini.apkg")).get("new", 0) == 0
    document = json.loads(ptcards("inbox", "deck", "ann.apkg", "--format", "json").out)
    assert [each["guid"] for each in document["entries"]] == [red]
