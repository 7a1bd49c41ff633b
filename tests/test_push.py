"""`ptcards push` into an Anki: what goes in, what stays, what is asked back. The Anki is the real backend."""

import re
import shutil
import subprocess
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from anki_backend import assert_healthy, deck_counts, import_package
from ankiconnect import AnkiConnect, Gone, RefusedError, anki_connect
from conftest import Ran

Run = Callable[..., Ran]
TOML = 'name = "Mini"\nid = "abcdef12"\n'
NOTHING = 'Anki: profile "User 1"\n', "nothing to push\n"
DIALOG = (
    "Anki's import dialog now proposes *merge note types*, *import learning progress* and *presets*, because AnkiConnect always "
    "imports so; untick them for other decks\n"
)


@dataclass
class World:
    """A collection of two sources and an Anki to push it into."""

    folder: Path
    anki: AnkiConnect
    run: Run

    def write(self, name: str, title: str, *notes: str) -> None:
        """Write a source; a note is `id: answer`."""
        parts = [f"# {title}\n"]
        for note in notes:
            key, _, answer = note.partition(": ")
            parts.append(f"## What is {key}?\n<!-- card: id={key} -->\n\n{answer}\n")
        (self.folder / name).write_text("\n".join(parts), "utf-8")

    def push(self, *arguments: str) -> Ran:
        return self.run("push", self.folder, *arguments)

    def note(self, key: str) -> Any:
        (nid,) = self.anki.col.find_notes(f'"Question:*What is {key}?*"')
        return self.anki.col.get_note(nid)

    def edit(self, key: str, **fields: str) -> None:
        """Edit a note as its owner does in Anki; the clock goes by seconds, and they need longer than one."""
        note = self.note(key)
        for name, value in fields.items():
            if name == "tags":
                note.tags = [*note.tags, *value.split()]
            else:
                note[name] = value
        self.anki.col.update_note(note)
        self.anki.col.db.execute("update notes set mod = mod + 5 where id = ?", note.id)

    def answers(self) -> dict[str, str]:
        notes = map(self.anki.col.get_note, self.anki.col.find_notes(""))
        plain = [[re.sub("</?p>", "", note[name]) for name in ("Question", "Answer")] for note in notes]
        return dict(sorted((question.split()[-1].rstrip("?"), answer) for question, answer in plain))

    def decks(self) -> dict[str, int]:
        return deck_counts(self.anki.col)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ptcards: Run) -> Iterator[World]:
    for name in ("profile", "deck"):
        (tmp_path / name).mkdir()
    (tmp_path / "deck/deck.toml").write_text(TOML)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(time.time()) - 1000))
    with anki_connect(tmp_path / "profile") as anki:
        monkeypatch.setenv("PTCARDS_ANKI_URL", anki.url)
        yield World(tmp_path / "deck", anki, ptcards)


@pytest.fixture
def pushed(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """Return a world whose Anki has ten notes `a0` to `a9` and four `b0` to `b3`.

    The next build is a little later.
    """
    world.write("a.md", "Alpha", *(f"a{n}: first {n}" for n in range(10)))
    world.write("b.md", "Beta", *(f"b{n}: first {n}" for n in range(4)))
    assert world.push().status == 0
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(time.time()) - 500))
    return world


def test_a_first_push_brings_everything_and_a_second_one_has_nothing_to_do(world: World) -> None:
    world.write("a.md", "Alpha", "a0: first", "a1: second")
    dry = world.push("--dry-run")
    plan = 'Anki: profile "User 1"\n+ 2 new            Mini::Alpha: a0 a1\n'
    assert dry == Ran(0, plan, "would push 2 notes; nothing was written\n")
    assert not (world.folder / "deck.lock").exists()
    done = "pushed 2 notes in 0.00 s; Ctrl-Z in Anki takes the package back\n"
    assert world.push() == Ran(0, plan, done + DIALOG)
    assert world.answers() == {"a0": "first", "a1": "second"}
    world.anki.asked.clear()
    assert world.push() == Ran(0, *NOTHING)
    assert not {"importPackage", "updateNoteFields", "addTags", "changeDeck"} & {*world.anki.asked}
    assert_healthy(world.anki.col)


def test_edits_here_and_in_anki_meet_field_by_field(pushed: World) -> None:
    anki = pushed.anki.col
    card = pushed.note("a4").cards()[0]
    anki.sched.set_due_date([card.id], "7")
    pushed.edit("a1", Answer="mine")
    pushed.edit("a2", Hint="mine")
    pushed.edit("a3", tags="mine leech")
    pushed.edit("b1", Answer="mine")
    anki.remove_notes([pushed.note("b3").id])
    changed = {0, 1, 2, 3, 4, 5}
    notes = [f"a{n}: {'second' if n in changed else 'first'} {n}" for n in (0, 1, 2, 3, 4, 5, 6, 7)]
    pushed.write("a.md", "Alpha", *notes, "n0: new")
    pushed.write("b.md", "Beta", *(f"b{n}: first {n}" for n in range(4)), "a8: second 8")
    assert pushed.push() == Ran(
        1,
        'Anki: profile "User 1"\n'
        "+ 1 new            Mini::Alpha: n0\n"
        "~ 6 changed        a0 a2 a3 a4 a5 a8        (a2, a3: yours merged)\n"
        "> 1 card moved     a8: Mini::Alpha → Mini::Beta\n"
        "= 1 yours stays    b1                       (edited in Anki, not here)\n"
        "- 1 deleted by you b3                       (--restore brings it back)\n"
        "! 1 retired        a9, 0 reviews            (--delete-retired)\n"
        "x 1 conflict       a1: Answer changed in Anki and here   (--overwrite takes yours from here)\n",
        "pushed 7 notes in 0.00 s; Ctrl-Z in Anki takes the package back\n",
    )
    kept = {f"a{n}": f"first {n}" for n in (6, 7, 9)} | {f"b{n}": f"first {n}" for n in (0, 2)}
    ours = {f"a{n}": f"second {n}" for n in (0, 2, 3, 4, 5, 8)} | {"n0": "new"}
    assert pushed.answers() == dict(sorted({**kept, **ours, "a1": "mine", "b1": "mine"}.items()))
    assert pushed.note("a2")["Hint"] == "mine"
    assert {*pushed.note("a3").tags} >= {"mine", "leech"}
    assert anki.get_card(card.id).ivl == 7
    assert pushed.decks() == {"Mini": 0, "Mini::Alpha": 10, "Mini::Beta": 4}
    again = pushed.push()
    assert again.err == "nothing to push\n"
    assert [line[:18] for line in again.out.splitlines()[1:]] == [
        "= 2 yours stays   ",
        "- 1 deleted by you",
        "! 1 retired       ",
        "x 1 conflict      ",
    ]
    assert_healthy(anki)


def test_a_merge_in_the_second_of_the_build_keeps_the_edit_for_ever(
    pushed: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    pushed.edit("a2", Hint="mine")
    pushed.edit("a3", tags="mine")
    pushed.write("a.md", "Alpha", *(f"a{n}: second {n}" for n in range(10)))
    # The lock then has the time that Anki gives to what is merged.
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert pushed.push().status == 0
    shutil.rmtree(pushed.folder.parent / "state")  # as if the push had been killed before it wrote its record
    assert pushed.push().status == 1
    assert (pushed.note("a2")["Hint"], pushed.note("a3").tags) == ("mine", ["mine"])


def test_an_edit_in_the_second_of_a_build_is_an_edit(pushed: World, monkeypatch: pytest.MonkeyPatch) -> None:
    second = int(time.time()) - 300
    for key, fields in (("a1", {"Answer": "mine"}), ("a2", {"Hint": "mine"}), ("a3", {"tags": "mine"})):
        pushed.edit(key, **fields)
        pushed.anki.col.db.execute("update notes set mod = ? where id = ?", second, pushed.note(key).id)
    pushed.write("a.md", "Alpha", *(f"a{n}: second {n}" for n in range(10)))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(second))
    for _ in range(2):
        assert pushed.push().status == 1
        assert [pushed.note("a1")["Answer"], pushed.note("a2")["Hint"], pushed.note("a3").tags] == [
            "mine",
            "mine",
            ["mine"],
        ]


def test_what_was_edited_in_both_places_is_overwritten_only_if_asked_and_a_copy_is_saved(
    pushed: World,
) -> None:
    pushed.edit("a1", Answer="mine", Hint="mine too")
    pushed.write("a.md", "Alpha", *(f"a{n}: second {n}" for n in range(10)))
    assert (pushed.push().status, pushed.note("a1")["Answer"]) == (1, "mine")
    ran = pushed.push("--overwrite")
    (backup,) = (pushed.folder.parent / "state/ptcards/push/backups").iterdir()
    assert ran == Ran(
        0,
        'Anki: profile "User 1"\n~ 1 changed        a1                       (a1: yours merged)\n',
        f"saved a copy with all reviews: state/ptcards/push/backups/{backup.name}\npushed 1 note in 0.00 s\n",
    )
    assert (pushed.note("a1")["Answer"], pushed.note("a1")["Hint"]) == ("<p>second 1</p>", "mine too")
    assert zipfile.is_zipfile(backup)


def test_without_a_record_an_edit_is_a_conflict_and_what_the_lock_knows_is_not(
    pushed: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-C", str(pushed.folder))
    for arguments in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "first")):
        subprocess.run([*git, *arguments], check=True)
    pushed.edit("a1", Answer="mine")
    pushed.edit("a2", Hint="mine")
    shutil.rmtree(pushed.folder.parent / "state")
    pushed.write("a.md", "Alpha", *(f"a{n}: second {n}" for n in range(3)), "a3: first 3")
    pushed.write("b.md", "Beta", *(f"b{n}: first {n}" for n in range(4)), "a4: first 4")
    # Another computer built meanwhile: only git's lock still has the times that Anki has.
    assert pushed.run("build", pushed.folder, "--output", pushed.folder / "build").status == 0
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(time.time()) - 400))
    assert pushed.run("build", pushed.folder, "--output", pushed.folder / "build", "--refresh").status == 0
    assert pushed.push().out == (
        'Anki: profile "User 1"\n'
        "~ 2 changed        a0 a4\n"
        "> 1 card moved     a4: Mini::Alpha → Mini::Beta\n"
        "! 5 retired        a5, 0 reviews            (--delete-retired)\n"
        "                   a6, 0 reviews\n"
        "                   a7, 0 reviews\n"
        "                   a8, 0 reviews\n"
        "                   a9, 0 reviews\n"
        "x 2 conflicts      a1: Answer changed in Anki and here   (--overwrite takes yours from here)\n"
        "                   a2: Answer, Hint changed in Anki and here\n"
    )


def test_what_anki_restored_from_a_backup_is_updated_again(pushed: World) -> None:
    notes = {
        nid: pushed.anki.col.db.first("select mod, flds, tags from notes where id=?", nid)
        for nid in pushed.anki.col.find_notes("")
    }
    pushed.write("a.md", "Alpha", *(f"a{n}: second {n}" for n in range(10)))
    assert pushed.push().status == 0
    for nid, (mod, fields, tags) in notes.items():
        pushed.anki.col.db.execute(
            "update notes set mod=?, flds=?, tags=? where id=?", mod, fields, tags, nid
        )
    assert pushed.answers()["a3"] == "first 3"
    assert pushed.push().out == 'Anki: profile "User 1"\n~ 10 changed       a0 a1 a2 a3 a4 a5 a6 a7 a8 a9\n'
    assert pushed.push() == Ran(0, *NOTHING)


def test_a_package_of_the_same_build_imported_by_hand_has_nothing_to_do(pushed: World) -> None:
    assert pushed.run("build", pushed.folder, "-o", pushed.folder / "build").status == 0
    assert import_package(pushed.anki.col, pushed.folder / "build/mini.apkg") == {"duplicate": 14}
    assert pushed.push() == Ran(0, *NOTHING)


def test_without_record_and_git_every_older_note_that_differs_is_a_conflict(pushed: World) -> None:
    shutil.rmtree(pushed.folder.parent / "state")
    pushed.write(
        "a.md", "Alpha", *(f"a{n}: second {n}" for n in range(2)), *(f"a{n}: first {n}" for n in range(2, 10))
    )
    assert pushed.run("build", pushed.folder, "-o", pushed.folder / "build").status == 0
    assert pushed.push().out == (
        'Anki: profile "User 1"\n'
        "x 2 conflicts      a0: Answer changed in Anki and here   (--overwrite takes yours from here)\n"
        "                   a1: Answer changed in Anki and here\n"
    )


def test_build_says_that_an_anki_that_push_knows_lacks_what_it_built(pushed: World) -> None:
    said = "your Anki does not have this yet: run `ptcards push`\n"
    build = ("build", pushed.folder, "-o", pushed.folder / "build")
    assert said not in pushed.run(*build).err
    pushed.write("b.md", "Beta", *(f"b{n}: second {n}" for n in range(4)))
    assert pushed.run(*build).err.endswith(said)
    assert pushed.push().status == 0
    assert said not in pushed.run(*build).err


def test_cards_go_where_the_author_moved_them_and_stay_where_their_owner_did(pushed: World) -> None:
    anki = pushed.anki.col
    for key in ("a1", "b2"):
        anki.set_deck([pushed.note(key).cards()[0].id], anki.decks.id("Elsewhere"))
    filtered = anki.sched.get_or_create_filtered_deck(0)
    filtered.name = "Cram"
    filtered.config.search_terms[0].search = '"Question:*What is a2?*"'
    anki.sched.add_or_update_filtered_deck(filtered)
    pushed.write("a.md", "Alpha", *(f"a{n}: first {n}" for n in range(3, 10)))
    pushed.write(
        "b.md", "Beta", *(f"b{n}: first {n}" for n in range(4)), *(f"a{n}: first {n}" for n in range(3))
    )
    assert pushed.push().out == (
        'Anki: profile "User 1"\n'
        "~ 3 changed        a0 a1 a2\n"
        "> 1 card moved     a0: Mini::Alpha → Mini::Beta\n"
        "> 1 card held      a2: Cram → Mini::Beta    (in a filtered deck: push again when it is empty)\n"
        "= 2 cards stays    b2 a1: Elsewhere → Mini::Beta   (moved in Anki; --move takes them back)\n"
    )
    anki.sched.empty_filtered_deck(anki.decks.id("Cram"))
    assert pushed.push().out.splitlines()[1] == "> 1 card moved     a2: Mini::Alpha → Mini::Beta"
    assert pushed.push("--move").out.splitlines()[1:] == ["> 2 cards moved    b2 a1: Elsewhere → Mini::Beta"]
    assert pushed.push() == Ran(0, *NOTHING)
    assert pushed.decks() == {
        "Elsewhere": 0,
        "Cram": 0,
        "Mini": 0,
        "Mini::Alpha": 7,
        "Mini::Beta": 7,
    }


def test_notes_that_are_gone_come_back_and_retired_ones_go_only_if_asked(pushed: World) -> None:
    anki = pushed.anki.col
    anki.remove_notes([pushed.note("b0").id])
    card = pushed.note("a0").cards()[0]
    card.start_timer()
    anki.sched.answerCard(card, 3)
    pushed.edit("a1", Answer="mine")
    pushed.write("a.md", "Alpha", *(f"a{n}: first {n}" for n in range(2, 10)))
    retired = (
        "! 2 retired        a0, 1 review             (--delete-retired)\n                   a1, 0 reviews"
    )
    assert pushed.push().out.endswith(f"{retired}\n")
    assert pushed.push("--delete-retired") == Ran(
        2,
        "",
        "error: --delete-retired would delete 1 retired note with 1 review, and nobody can be asked\nhelp: add `--yes`\n",
    )
    assert pushed.push("--delete-retired", "--yes", "--restore").out == (
        'Anki: profile "User 1"\n'
        "+ 1 new            Mini::Beta: b0\n"
        "- 1 deleted        a0, 1 review\n"
        "! 1 retired        a1, 0 reviews            (edited in Anki: delete them there)\n"
    )
    assert [*pushed.answers()] == [f"a{n}" for n in range(1, 10)] + [f"b{n}" for n in range(4)]


def test_fields_and_templates_that_learners_added_keep_what_is_in_them(pushed: World) -> None:
    models = pushed.anki.col.models
    model = models.by_name("Mini")
    models.add_field(model, models.new_field("Mnemonic"))
    models.update_dict(model)
    pushed.edit("a1", Mnemonic="mine")
    pushed.write("a.md", "Alpha", *(f"a{n}: second {n}" for n in range(10)), "n0: new")
    ran = pushed.push()
    assert ran.err.startswith(
        "warning: note type `Mini` has fields or templates of yours: notes are updated one by one\n"
    )
    assert (ran.status, pushed.note("a1")["Answer"], pushed.note("a1")["Mnemonic"]) == (
        0,
        "<p>second 1</p>",
        "mine",
    )
    assert [each.name for each in models.all_names_and_ids() if each.name.startswith("Mini")] == ["Mini"]
    assert pushed.push().err.endswith("nothing to push\n")


def test_a_note_type_that_lacks_a_field_is_refused_before_anything_is_written(pushed: World) -> None:
    models = pushed.anki.col.models
    model = models.by_name("Mini")
    models.rename_field(model, model["flds"][5], "Tip")
    models.update_dict(model)
    pushed.anki.asked.clear()
    assert pushed.push() == Ran(
        1,
        "",
        "error: note-type-differs: `Mini` in Anki lacks the field `Hint`\n"
        "help: bring it back under that name in Anki: Tools › Manage Note Types\n",
    )
    assert "importPackage" not in pushed.anki.asked


def test_a_look_goes_to_anki_unless_it_was_edited_there(pushed: World) -> None:
    models = pushed.anki.col.models

    def css() -> str:
        return str(pushed.anki._type("Mini")["css"])

    (pushed.folder / "own.css").write_text(".mine { color: red }\n")
    (pushed.folder / "deck.toml").write_text(TOML + 'css = "own.css"\n')
    assert pushed.push().out == 'Anki: profile "User 1"\n~ new look         qa\n'
    assert css().endswith(".mine { color: red }\n")
    assert pushed.push() == Ran(0, *NOTHING)
    model = pushed.anki._type("Mini")
    model["css"] = "theirs"
    models.update_dict(model)
    pushed.write("b.md", "Beta", *(f"b{n}: second {n}" for n in range(4)))
    ran = pushed.push()
    assert (ran.status, ran.out.splitlines()[1:]) == (
        0,
        [
            "~ 4 changed        b0 b1 b2 b3",
            "= your look stays  qa                       (edited in Anki, not here)",
        ],
    )
    (pushed.folder / "own.css").write_text(".mine { color: blue }\n")
    ran = pushed.push()
    assert (ran.status, css()) == (1, "theirs")
    assert ran.out.splitlines()[1:] == [
        "x 1 conflict       look of qa changed in Anki and here   (--overwrite takes yours from here)"
    ]
    assert (pushed.push("--overwrite").status, css().splitlines()[-1]) == (0, ".mine { color: blue }")
    assert pushed.push() == Ran(0, *NOTHING)


def test_a_package_that_anki_cannot_open_goes_among_its_media(world: World) -> None:
    paths: list[str] = []
    import_package = world.anki.do_importPackage

    def refuse_the_first(path: str) -> bool:
        paths.append(path)
        if len(paths) > 1:
            return import_package(path)
        message = f"Failed to open '{path}': No such file or directory (os error 2)"
        raise RefusedError(message)

    world.anki.do_importPackage = refuse_the_first  # type: ignore[method-assign]
    world.write("a.md", "Alpha", "a0: first")
    assert world.push().status == 0
    assert (world.answers(), Path(paths[1]).exists()) == ({"a0": "first"}, False)
    assert Path(paths[1]) == Path(world.anki.do_getMediaDirPath()) / "_ptcards-push.apkg"


@pytest.mark.parametrize(
    "step", ["changeDeck", "updateNoteFields", "deleteNotes", "importPackage", "notesInfo"]
)
def test_a_push_that_ends_anywhere_is_finished_by_the_next(pushed: World, step: str) -> None:
    pushed.edit("a1", Hint="mine")
    pushed.write("a.md", "Alpha", *(f"a{n}: second {n}" for n in range(1, 9)), "n0: new")
    pushed.write("b.md", "Beta", *(f"b{n}: first {n}" for n in range(4)), "a9: first 9")

    def end(action: str) -> None:
        if action == step and "changeDeck" in pushed.anki.asked:
            raise Gone

    pushed.anki.before = end
    arguments = ("--delete-retired", "--yes")
    assert pushed.push(*arguments).status != 0
    pushed.anki.before = lambda _: None
    assert pushed.push(*arguments).status == 0
    rest = {f"b{n}": f"first {n}" for n in range(4)} | {"n0": "new", "a9": "first 9"}
    assert pushed.answers() == dict(sorted((rest | {f"a{n}": f"second {n}" for n in range(1, 9)}).items()))
    assert (pushed.note("a1")["Hint"], pushed.decks()["Mini::Beta"]) == ("mine", 5)
    kept = "= 1 yours stays    a1                       (edited in Anki, not here)\n"
    assert pushed.push(*arguments) == Ran(0, NOTHING[0] + kept, NOTHING[1])
