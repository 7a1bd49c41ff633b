"""`ptcards push` to the real Anki backend: what it writes, keeps and asks."""

import re
import shutil
import signal
import subprocess
import threading
import time
import zipfile
from collections.abc import Callable, Sequence
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

from ankiconnect import RESET, WRITING, Gone, RefusedError
from conftest import Ran
from pushing import DIALOG, NOTHING, TOML, World, anki, pushed, query, shared, world

__all__ = ["anki", "pushed", "shared", "world"]


def test_a_first_push_brings_everything_and_a_second_one_has_nothing_to_do(world: World) -> None:
    world.write("a.md", "Alpha", "a0: first", "a1: second")
    dry = world.push("--dry-run")
    plan = 'Anki: profile "User 1"\n+ 2 new            Mini::Alpha: a0 a1\n'
    assert dry == Ran(0, plan, "would push 2 notes; nothing was written\n")
    assert not (world.folder / "deck.lock").exists()
    done = "pushed 2 notes in 0.00 s; Ctrl-Z in Anki undoes it\n"
    assert world.push() == Ran(0, plan, done + DIALOG)
    assert world.answers() == {"a0": "first", "a1": "second"}
    world.anki.asked.clear()
    assert world.push() == Ran(0, *NOTHING)
    assert not {"importPackage", "updateNoteFields", "addTags", "changeDeck"} & {*world.anki.asked}
    world.do("check")


def test_a_push_sends_few_requests_because_each_takes_anki_up_to_25_ms(pushed: World) -> None:
    def requests() -> int:
        pushed.anki.requests = 0
        assert pushed.push().status == 0
        return pushed.anki.requests

    assert requests() == 3
    pushed.write("a.md", "Alpha", "a0: second", *(f"a{n}: first {n}" for n in range(1, 10)))
    assert requests() == 6
    pushed.edit("b1", Hint="mine")
    assert requests() == 4


def test_edits_here_and_in_anki_meet_field_by_field(pushed: World) -> None:
    pushed.do("study", query("a4"), days="7")
    pushed.do("study", query("a9"))
    pushed.do("suspend", query("a5"))
    cards = [pushed.do("card", query(f"a{n}")) for n in (4, 5)]
    pushed.edit("a1", Answer="mine")
    pushed.edit("a2", Hint="mine")
    pushed.edit("a3", tags="mine leech")
    pushed.edit("b1", Answer="mine")
    pushed.do("remove", query("b3"))
    changed = {0, 1, 2, 3, 4, 5}
    notes = [f"a{n}: {'second' if n in changed else 'first'} {n}" for n in (0, 1, 2, 3, 4, 5, 6, 7)]
    pushed.write("a.md", "Alpha", *notes, "n0: new")
    pushed.write("b.md", "Beta", *(f"b{n}: first {n}" for n in range(4)), "a8: second 8")
    assert pushed.push() == Ran(
        1,
        'Anki: profile "User 1"\n'
        "+ 1 new            Mini::Alpha: n0\n"
        "~ 6 changed        a0 a2 a3 a4 a5 a8        (a2, a3: merged with your edits)\n"
        "> 1 card moved     a8: Mini::Alpha → Mini::Beta\n"
        "= 1 kept           b1                       (edited in Anki, not here)\n"
        "- 1 deleted by you b3                       (--restore brings it back)\n"
        "! 1 retired        a9, 1 review             (--delete-retired)\n"
        "x 1 conflict       a1: Answer changed in Anki and here   (--overwrite takes the text from the sources)\n",
        "pushed 7 notes in 0.00 s; Ctrl-Z in Anki undoes it\n",
    )
    kept = {f"a{n}": f"first {n}" for n in (6, 7, 9)} | {f"b{n}": f"first {n}" for n in (0, 2)}
    ours = {f"a{n}": f"second {n}" for n in (0, 2, 3, 4, 5, 8)} | {"n0": "new"}
    assert pushed.answers() == dict(sorted({**kept, **ours, "a1": "mine", "b1": "mine"}.items()))
    assert pushed.note("a2")["Hint"] == "mine"
    assert {*pushed.note("a3").tags} >= {"mine", "leech"}
    assert [pushed.do("card", query(f"a{n}")) for n in (4, 5)] == cards
    assert pushed.do("decks") == {"Mini": 0, "Mini::Alpha": 10, "Mini::Beta": 4}
    again = pushed.push()
    assert again.err == "nothing to push\n"
    assert [line[:18] for line in again.out.splitlines()[1:]] == [
        "= 2 kept          ",
        "- 1 deleted by you",
        "! 1 retired       ",
        "x 1 conflict      ",
    ]
    pushed.do("check")


def test_a_tag_that_its_owner_removed_in_anki_stays_away_until_the_author_adds_it_again(world: World) -> None:
    def write(tags: str, answer: str = "first") -> None:
        text = f"# Alpha\n\n## What is a0?\n<!-- card: id=a0 tags={tags} -->\n\n{answer}\n"
        (world.folder / "a.md").write_text(text, "utf-8")

    write("base,keep")
    world.push()
    world.edit("a0", tags="-base mine")
    absent = "= 1 without a tag  a0: base                 (removed in Anki)\n"
    assert world.push() == Ran(0, f'Anki: profile "User 1"\n{absent}', "nothing to push\n")
    write("base,keep", "second")
    assert world.push().out == (
        'Anki: profile "User 1"\n'
        "~ 1 changed        a0                       (a0: merged with your edits)\n"
        f"{absent}"
    )
    assert world.note("a0").tags == ["keep", "mine"]
    write("keep", "second")
    assert world.push().err == "nothing to push\n"
    write("base,keep", "second")
    assert (
        world.push().out
        == 'Anki: profile "User 1"\n~ 1 changed        a0                       (a0: merged with your edits)\n'
    )
    assert world.note("a0").tags == ["base", "keep", "mine"]


def test_each_change_is_shown_word_by_word_if_asked(pushed: World) -> None:
    pushed.edit("a1", Answer="mine\u202e", Hint="mine")
    pushed.edit("b1", Hint="mine")
    pushed.write("a.md", "Alpha", "a0: second 0", "a1: second 1", *(f"a{n}: first {n}" for n in range(2, 10)))
    assert pushed.push("--dry-run", "-v").out == (
        'Anki: profile "User 1"\n'
        "~ 1 changed        a0\n"
        "= 1 kept           b1                       (edited in Anki, not here)\n"
        "x 1 conflict       a1: Answer changed in Anki and here   (--overwrite takes the text from the sources)\n"
        "\na0\n  Answer: [-first-]{+second+} 0\n"
        "\na1\n  Answer (conflict): [-mine<U+202E>-]{+second 1+}\n"
    )


def test_of_two_notes_with_one_guid_that_which_was_pushed_is_updated(pushed: World) -> None:
    (note,) = pushed.do("read", query("a1"))
    pushed.do("add", "Mini", [*note["fields"].values()], "Mini::Alpha")
    pushed.write("a.md", "Alpha", "a0: first 0", "a1: second 1", *(f"a{n}: first {n}" for n in range(2, 10)))
    ran = pushed.push()
    assert (ran.status, ran.err.splitlines()[0]) == (
        0,
        f"warning: Anki has several notes with the GUID `{note['guid']}`: only one is updated",
    )
    answers = [each["fields"]["Answer"] for each in pushed.do("read", query("a1"))]
    assert sorted(answers) == ["<p>first 1</p>", "<p>second 1</p>"]


def test_a_package_that_anki_refuses_is_to_be_imported_by_hand(pushed: World) -> None:
    def refuse(action: str, _: dict[str, Any]) -> None:
        if action == "importPackage":
            message = "the disk is full"
            raise RefusedError(message)

    pushed.anki.before = refuse
    pushed.write("b.md", "Beta", *(f"b{n}: second {n}" for n in range(4)))
    assert pushed.push() == Ran(
        1,
        "",
        "error: Anki refused: the disk is full\n"
        "help: run `ptcards build`, and import the package by hand: File › Import\n",
    )


def test_a_merge_in_the_second_of_the_build_keeps_the_edit_for_ever(
    pushed: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    pushed.edit("a2", Hint="mine")
    pushed.edit("a3", tags="mine")
    pushed.write("a.md", "Alpha", *(f"a{n}: second {n}" for n in range(10)))
    # The lock then has the time that Anki gives to merged notes.
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert pushed.push().status == 0
    shutil.rmtree(pushed.folder.parent / "state")  # as if the push had been killed before it wrote its record
    assert pushed.push().status == 1
    assert (pushed.note("a2")["Hint"], pushed.note("a3").tags) == ("mine", ["mine"])


def test_an_edit_in_the_second_of_a_push_is_never_overwritten(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    keys = [f"a{n}" for n in range(50)]
    world.write("a.md", "Alpha", *(f"{key}: first" for key in keys))
    seconds: list[int] = []
    world.anki.before = lambda action, _: (
        seconds.append(int(time.time())) if action == "importPackage" else None
    )
    assert world.push().status == 0
    world.write("a.md", "Alpha", *(f"{key}: second" for key in keys))
    time.sleep(-time.time() % 1)  # so that the build and the import can be in the same second
    assert world.push().status == 0
    # The earliest second that an edit after the push can have is that of the write.
    for key in keys:
        world.edit(key, Answer="mine")
        world.do("stamp", query(key), seconds[-1])
    world.write("a.md", "Alpha", *(f"{key}: third" for key in keys))
    assert world.push().status == 1
    assert {*world.answers().values()} == {"mine"}


def test_an_edit_in_the_second_of_a_build_is_an_edit(pushed: World, monkeypatch: pytest.MonkeyPatch) -> None:
    second = int(time.time()) - 300
    edits: dict[str, dict[str, Any]] = {
        "a1": {"Answer": "mine"},
        "a2": {"Hint": "mine"},
        "a3": {"tags": "mine"},
    }
    for key, fields in edits.items():
        pushed.edit(key, **fields)
        pushed.do("stamp", query(key), second)
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
        'Anki: profile "User 1"\n~ 1 changed        a1                       (a1: merged with your edits)\n',
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
    # Another computer built in the meantime, so only the lock in git still has the same times as Anki.
    assert pushed.run("build", pushed.folder, "--output", pushed.folder / "build").status == 0
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(time.time()) - 400))
    assert pushed.run("build", pushed.folder, "--output", pushed.folder / "build", "--refresh").status == 0
    assert pushed.push().out == (
        'Anki: profile "User 1"\n'
        "~ 1 changed        a0\n"
        "> 1 card moved     a4: Mini::Alpha → Mini::Beta\n"
        "! 5 retired        a5, 0 reviews            (--delete-retired)\n"
        "                   a6, 0 reviews\n"
        "                   a7, 0 reviews\n"
        "                   a8, 0 reviews\n"
        "                   a9, 0 reviews\n"
        "x 2 conflicts      a1: Answer changed in Anki and here   (--overwrite takes the text from the sources)\n"
        "                   a2: Answer, Hint changed in Anki and here\n"
    )


def test_what_anki_restored_from_a_backup_is_updated_again(pushed: World) -> None:
    backup = pushed.do("rows")
    pushed.write("a.md", "Alpha", *(f"a{n}: second {n}" for n in range(10)))
    assert pushed.push().status == 0
    pushed.do("restore", backup)
    assert pushed.answers()["a3"] == "first 3"
    assert pushed.push().out == 'Anki: profile "User 1"\n~ 10 changed       a0 a1 a2 a3 a4 a5 a6 a7 a8 a9\n'
    assert pushed.push() == Ran(0, *NOTHING)


def test_a_package_of_the_same_build_imported_by_hand_has_nothing_to_do(pushed: World) -> None:
    assert pushed.run("build", pushed.folder, "-o", pushed.folder / "build").status == 0
    assert pushed.do("import_by_hand", str(pushed.folder / "build/mini.apkg")) == {"duplicate": 14}
    assert pushed.push() == Ran(0, *NOTHING)


def test_without_record_and_git_every_older_note_that_differs_is_a_conflict(pushed: World) -> None:
    shutil.rmtree(pushed.folder.parent / "state")
    pushed.write(
        "a.md", "Alpha", *(f"a{n}: second {n}" for n in range(2)), *(f"a{n}: first {n}" for n in range(2, 10))
    )
    assert pushed.run("build", pushed.folder, "-o", pushed.folder / "build").status == 0
    assert pushed.push().out == (
        'Anki: profile "User 1"\n'
        "x 2 conflicts      a0: Answer changed in Anki and here   (--overwrite takes the text from the sources)\n"
        "                   a1: Answer changed in Anki and here\n"
    )


def test_build_says_that_an_anki_that_push_knows_lacks_what_it_built(pushed: World) -> None:
    said = "your Anki does not have this build yet: run `ptcards push`\n"
    build = ("build", pushed.folder, "-o", pushed.folder / "build")
    assert said not in pushed.run(*build).err
    pushed.write("b.md", "Beta", *(f"b{n}: second {n}" for n in range(4)))
    assert pushed.run(*build).err.endswith(said)
    # A build that finds nothing changed is answered from the cache.
    assert pushed.run(*build).err.endswith(said)
    assert pushed.push().status == 0
    assert said not in pushed.run(*build).err


def test_cards_go_where_the_author_moved_them_and_stay_where_their_owner_did(pushed: World) -> None:
    for key in ("a1", "b2"):
        pushed.do("move", query(key), "Elsewhere")
    pushed.do("cram", query("a2"))
    pushed.write("a.md", "Alpha", *(f"a{n}: first {n}" for n in range(3, 10)))
    pushed.write(
        "b.md", "Beta", *(f"b{n}: first {n}" for n in range(4)), *(f"a{n}: first {n}" for n in range(3))
    )
    assert pushed.push().out == (
        'Anki: profile "User 1"\n'
        "> 1 card moved     a0: Mini::Alpha → Mini::Beta\n"
        "> 1 card held      a2: Cram → Mini::Beta    (in a filtered deck: push again when it is empty)\n"
        "= 2 cards stay     b2 a1: Elsewhere → Mini::Beta   (moved in Anki; --move moves them back)\n"
    )
    pushed.do("empty_cram")
    assert pushed.push().out.splitlines()[1] == "> 1 card moved     a2: Mini::Alpha → Mini::Beta"
    assert pushed.push("--move").out.splitlines()[1:] == ["> 2 cards moved    b2 a1: Elsewhere → Mini::Beta"]
    assert pushed.push() == Ran(0, *NOTHING)
    assert pushed.do("decks") == {
        "Elsewhere": 0,
        "Cram": 0,
        "Mini": 0,
        "Mini::Alpha": 7,
        "Mini::Beta": 7,
    }


def test_notes_that_are_gone_come_back_and_retired_ones_go_only_if_asked(pushed: World) -> None:
    pushed.do("remove", query("b0"))
    pushed.do("study", query("a0"))
    pushed.edit("a1", Answer="mine")
    pushed.write("a.md", "Alpha", *(f"a{n}: first {n}" for n in range(2, 10)))
    retired = (
        "! 2 retired        a0, 1 review             (--delete-retired)\n                   a1, 0 reviews"
    )
    assert pushed.push().out.endswith(f"{retired}\n")
    assert pushed.push("--delete-retired") == Ran(
        2,
        "",
        "error: `--delete-retired` would delete 1 retired note with 1 review, but cannot ask without a terminal\nhelp: add `--yes`\n",
    )
    assert pushed.push("--delete-retired", "--yes", "--restore").out == (
        'Anki: profile "User 1"\n'
        "+ 1 new            Mini::Beta: b0\n"
        "- 1 deleted        a0, 1 review\n"
        "! 1 retired        a1, 0 reviews            (edited in Anki: delete it there)\n"
    )
    assert [*pushed.answers()] == [f"a{n}" for n in range(1, 10)] + [f"b{n}" for n in range(4)]


def test_a_field_that_was_added_to_the_note_type_is_not_an_edit_of_retired_notes(pushed: World) -> None:
    pushed.do("add_field", "Mine")
    pushed.do("stamp", "", int(time.time()))
    pushed.write("a.md", "Alpha", *(f"a{n}: first {n}" for n in range(1, 10)))
    said = pushed.push().out
    assert said.endswith("! 1 retired        a0, 0 reviews            (--delete-retired)\n")
    assert pushed.push("--delete-retired", "--yes").out.endswith("- 1 deleted        a0, 0 reviews\n")
    assert "a0" not in pushed.answers()


def test_after_every_write_anki_refreshes_its_windows_before_they_are_read_again(pushed: World) -> None:
    pushed.edit("a1", Hint="mine")
    pushed.write("a.md", "Alpha", *(f"a{n}: second {n}" for n in range(9)), "n0: new")
    pushed.write("b.md", "Beta", *(f"b{n}: first {n}" for n in range(3)))
    asked: list[tuple[str, dict[str, Any]]] = []
    pushed.anki.before = lambda action, parameters: asked.append((action, parameters))
    assert pushed.push("--delete-retired", "--yes").status == 0
    written = [each[0] for each in asked if each[0] in WRITING]
    steps = ("updateNoteFields", "deleteNotes", "importPackage")
    assert written == [each for step in steps for each in (step, "addTags")]
    after = asked[[*map(itemgetter(0), asked)].index("importPackage") + 1 :]
    assert (after[0], {action for action, _ in after[1:]}) == (RESET, {"findNotes", "notesInfo"})


def test_windows_are_refreshed_even_if_anki_refuses_the_package(pushed: World) -> None:
    def refuse(action: str, _: dict[str, Any]) -> None:
        if action == "importPackage":
            raise RefusedError(action)

    pushed.anki.before = refuse
    pushed.edit("a1", Hint="mine")
    pushed.write("a.md", "Alpha", *(f"a{n}: second {n}" for n in range(10)))
    assert pushed.push().status == 1
    assert [each for each in pushed.anki.asked if each in WRITING][-2:] == ["importPackage", "addTags"]


def test_windows_are_refreshed_even_if_the_push_is_interrupted(pushed: World) -> None:
    def interrupt(action: str, _: dict[str, Any]) -> None:
        if action == "importPackage":
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    pushed.anki.before = interrupt
    pushed.edit("a1", Hint="mine")
    pushed.write("a.md", "Alpha", *(f"a{n}: second {n}" for n in range(10)))
    # A shell's background jobs ignore Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert pushed.push() == Ran(130, "", "interrupted\n")
    finally:
        signal.signal(signal.SIGINT, before)
    assert [each for each in pushed.anki.asked if each in WRITING][-2:] == ["importPackage", "addTags"]


def test_an_earlier_text_of_ours_in_anki_is_a_reversal_and_not_an_edit(
    pushed: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(name: str) -> None:
        pushed.write(
            "a.md", "Alpha", f"a1: {name}", *(f"a{n}: first {n}" for n in range(2, 10)), "a0: first 0"
        )

    later(pushed, monkeypatch, [lambda: write("second"), lambda: write("third")])
    # A window that was open in Anki saves all fields of the note, one of them edited.
    pushed.edit("a1", Answer="<p>first 1</p>", Hint="mine")
    said = "x 1 reversal       a1: Answer has an earlier text in Anki   (--overwrite takes the text from the sources)"
    for text in ("third", "fourth"):
        write(text)
        ran = pushed.push()
        assert (ran.status, ran.out.splitlines()[1:], pushed.note("a1")["Answer"]) == (
            1,
            [said],
            "<p>first 1</p>",
        )
    ran = pushed.run("pull", pushed.folder, "--write")
    left = "Answer: Anki has an earlier text of the Markdown (`ptcards push --overwrite` replaces it)"
    assert (ran.status, ran.err) == (
        1,
        f"left unchanged: deck/a.md:3: {left}\nWrote 1 of 2 edits into the Markdown\n",
    )
    assert "fourth" in (pushed.folder / "a.md").read_text()
    assert pushed.push("--overwrite").status == 0
    assert (pushed.note("a1")["Answer"], pushed.note("a1")["Hint"]) == ("<p>fourth</p>", "mine")
    assert pushed.push() == Ran(0, *NOTHING)


def later(pushed: World, monkeypatch: pytest.MonkeyPatch, saves: Sequence[Callable[[], None]]) -> None:
    """Push each save with a later time."""
    for number, save in enumerate(saves):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(time.time()) - 400 + 10 * number))
        save()
        assert pushed.push().status == 0


def test_the_last_five_earlier_texts_count_and_empty_ones_never(
    pushed: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    rest = [f"a{n}: first {n}" for n in range(10) if n != 1]
    hint = "first 1\n\n### Hint\n\n"
    texts = [f"a1: {hint}hint {n}" for n in range(6)] + ["a1: last", f"a1: {hint}hint 7"]
    saves = [partial(pushed.write, "a.md", "Alpha", text, *rest) for text in texts]
    later(pushed, monkeypatch, saves)
    seen = {}
    for text in ("", "hint 0", "hint 1", "hint 2", "hint 5"):
        pushed.edit("a1", Hint=f"<p>{text}</p>" if text else "")
        seen[text] = pushed.push().out.splitlines()[1][:10]
    assert seen == {
        "": "= 1 kept  ",
        "hint 0": "= 1 kept  ",
        "hint 1": "x 1 revers",
        "hint 2": "x 1 revers",
        "hint 5": "x 1 revers",
    }


def test_fields_and_templates_that_learners_added_keep_what_is_in_them(pushed: World) -> None:
    pushed.do("add_field", "Mnemonic")
    pushed.edit("a1", Mnemonic="mine")
    pushed.write("a.md", "Alpha", *(f"a{n}: second {n}" for n in range(10)), "n0: new")
    ran = pushed.push()
    assert ran.err.startswith(
        "warning: you added fields or templates to note type `Mini`: its notes are updated one by one\n"
    )
    assert (ran.status, pushed.note("a1")["Answer"], pushed.note("a1")["Mnemonic"]) == (
        0,
        "<p>second 1</p>",
        "mine",
    )
    assert [each for each in pushed.do("note_types") if each.startswith("Mini")] == ["Mini"]
    assert pushed.push().err.endswith("nothing to push\n")


def test_a_note_type_that_lacks_a_field_is_refused_before_anything_is_written(pushed: World) -> None:
    pushed.do("rename_field", "Hint", "Tip")
    pushed.anki.asked.clear()
    assert pushed.push() == Ran(
        1,
        "",
        "error: note-type-differs: `Mini` in Anki lacks the field `Hint`\n"
        "help: restore what is missing, under the same name: Tools › Manage Note Types\n",
    )
    assert "importPackage" not in pushed.anki.asked


def test_a_look_goes_to_anki_unless_it_was_edited_there(pushed: World) -> None:
    (pushed.folder / "own.css").write_text(".mine { color: red }\n")
    (pushed.folder / "deck.toml").write_text(TOML + 'css = "own.css"\n')
    assert pushed.push().out == 'Anki: profile "User 1"\n~ new styling      qa\n'
    assert pushed.do("css").endswith(".mine { color: red }\n")
    assert pushed.push() == Ran(0, *NOTHING)
    pushed.do("set_css", "theirs")
    pushed.write("b.md", "Beta", *(f"b{n}: second {n}" for n in range(4)))
    ran = pushed.push()
    assert (ran.status, ran.out.splitlines()[1:]) == (
        0,
        [
            "~ 4 changed        b0 b1 b2 b3",
            "= styling kept     qa                       (edited in Anki, not here)",
        ],
    )
    # What only its owner edited is no conflict, and stays.
    kept = "= styling kept     qa                       (edited in Anki, not here)\n"
    assert pushed.push("--overwrite") == Ran(0, NOTHING[0] + kept, NOTHING[1])
    (pushed.folder / "own.css").write_text(".mine { color: blue }\n")
    ran = pushed.push()
    assert (ran.status, pushed.do("css")) == (1, "theirs")
    assert ran.out.splitlines()[1:] == [
        "x 1 conflict       styling of qa changed in Anki and here   (--overwrite takes the text from the sources)"
    ]
    ran = pushed.push("--overwrite")
    assert (ran.status, pushed.do("css").splitlines()[-1]) == (0, ".mine { color: blue }")
    (backup,) = (pushed.folder.parent / "state/ptcards/push/backups").iterdir()
    assert ran.err == (
        f"saved a copy with all reviews: state/ptcards/push/backups/{backup.name}\n"
        "pushed the styling in 0.00 s; Ctrl-Z in Anki undoes it\n"
    )
    with zipfile.ZipFile(backup) as package:
        assert b"theirs" in package.read("collection.anki21")
    assert pushed.push() == Ran(0, *NOTHING)


def test_a_picture_that_changed_under_its_name_is_the_new_one_in_anki(world: World) -> None:
    picture = world.folder / "a.png"
    picture.write_bytes(b"first")
    world.write("a.md", "Alpha", "a0: ![a](a.png)", "a1: ![a](a.png)")
    assert world.push().status == 0
    world.edit("a1", Hint="mine")
    picture.write_bytes(b"second")
    assert world.push().out.splitlines()[1:] == [
        "~ 2 changed        a0 a1                    (a1: merged with your edits)"
    ]
    for key in ("a0", "a1"):
        (name,) = re.findall('src="(.*?)"', world.note(key)["Answer"])
        assert world.do("media_content", name) == "second"
    assert world.push().out.splitlines()[1:] == [
        "= 1 kept           a1                       (edited in Anki, not here)"
    ]


def test_a_package_that_anki_cannot_open_goes_among_its_media(world: World) -> None:
    paths: list[str] = []

    def refuse_the_first(action: str, parameters: dict[str, Any]) -> None:
        if action == "importPackage":
            paths.append(parameters["path"])
            if len(paths) == 1:
                # This is Anki's answer about a path that does not exist.
                said = world.anki.anki.handle(
                    {"action": action, "version": 6, "params": {"path": f"{paths[0]}.not"}}
                )
                raise RefusedError(said["error"].replace(".not", ""))

    world.anki.before = refuse_the_first
    world.write("a.md", "Alpha", "a0: first")
    assert world.push().status == 0
    assert (world.answers(), Path(paths[1]).exists()) == ({"a0": "first"}, False)
    assert Path(paths[1]).name == "_ptcards-push.apkg"


@pytest.mark.parametrize(
    "step", ["changeDeck", "updateNoteFields", "deleteNotes", "importPackage", "notesInfo"]
)
def test_a_push_that_ends_anywhere_is_finished_by_the_next(pushed: World, step: str) -> None:
    pushed.edit("a1", Hint="mine")
    pushed.write("a.md", "Alpha", *(f"a{n}: second {n}" for n in range(1, 9)), "n0: new")
    pushed.write("b.md", "Beta", *(f"b{n}: first {n}" for n in range(4)), "a9: first 9")

    def end(action: str, _: dict[str, Any]) -> None:
        if action == step and "changeDeck" in pushed.anki.asked:
            raise Gone

    pushed.anki.before = end
    arguments = ("--delete-retired", "--yes")
    assert pushed.push(*arguments).status != 0
    pushed.anki.before = lambda *_: None
    assert pushed.push(*arguments).status == 0
    rest = {f"b{n}": f"first {n}" for n in range(4)} | {"n0": "new", "a9": "first 9"}
    assert pushed.answers() == dict(sorted((rest | {f"a{n}": f"second {n}" for n in range(1, 9)}).items()))
    assert (pushed.note("a1")["Hint"], pushed.do("decks")["Mini::Beta"]) == ("mine", 5)
    kept = "= 1 kept           a1                       (edited in Anki, not here)\n"
    assert pushed.push(*arguments) == Ran(0, NOTHING[0] + kept, NOTHING[1])
