"""Reverted, restored, lost and ignored locks, in real git repositories and in the real Anki."""

import re
from pathlib import Path

import pytest

from identity_release import AUTOGRAD, FIRST_DAY, HOOK, LEAF, Maintainer, author, studying

__all__ = ["author"]

WRONG = AUTOGRAD.replace("saves memory and time", "saves nothing")
RESTORED = "cards/deck.lock:1:1: hint[restored-lock] 1 note published after this lock was written"
STALE = "error: `deck.lock` is out of date"
FIX = "help: build without `--locked`, then commit `deck.lock`"


def heads(output: str) -> list[str]:
    """Return the first line of each diagnostic."""
    return [line for line in output.splitlines() if re.match("cards/deck.lock.*[a-z]+\\[", line)]


def revert(author: Maintainer) -> None:
    author.git("revert", "--no-edit", "HEAD")


# Times


def test_a_reverted_release_reaches_learners(author: Maintainer, tmp_path: Path) -> None:
    with studying(tmp_path / "anki") as learner:
        learner.get(author.write(autograd=AUTOGRAD).publish("v1"))
        guid = author.guids["Why `no_grad`?"]
        text = learner.field(guid, "Answer")
        studied = learner.study()
        learner.get(author.write(autograd=WRONG).publish("v2"))
        assert "saves nothing" in learner.field(guid, "Answer")
        revert(author)
        ran = author.run("diff", "v2")
        assert (
            ran.err
            == "hint: 1 note published after this lock was written; learners will get their current text\n"
        )
        assert ran.out.splitlines()[0] == "PyTorch, since v2: 1 changed"
        package = author.build(now=FIRST_DAY)  # the clock is also behind
        assert heads(author.said) == [RESTORED]
        assert learner.get(package) == {"updated": 1, "duplicate": 2}
        assert learner.field(guid, "Answer") == text
        assert learner.progress == studied
    assert author.run("build", "cards").err.startswith("Unchanged PyTorch")


def test_check_says_that_a_lock_was_restored_and_a_locked_build_fails(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD).publish()
    author.write(autograd=WRONG).publish()
    revert(author)
    assert heads(author.run("check").out) == [RESTORED]
    ran = author.attempt("cards", "--locked")
    assert (ran.status, ran.err.splitlines()[-3:]) == (
        1,
        [STALE, "  cards/deck.lock: 1 note published after this lock was written", FIX],
    )


def test_diff_and_build_say_the_same_about_a_reverted_release_that_added_a_note(
    author: Maintainer, tmp_path: Path
) -> None:
    """What they say is true: nothing has to be done, now or when the note comes back."""
    with studying(tmp_path / "anki") as learner:
        author.write(autograd=AUTOGRAD).publish("v1")
        more = "## Which way?\n\nBack, from the loss to the leaves.\n"
        learner.get(author.write(autograd=WRONG + more).publish("v2", date=1))
        added = author.guids["Which way?"]
        studied = learner.study()
        revert(author)
        ran = author.run("diff")
        assert ran.err == (
            "hint: `cards/deck.lock` was reverted to a state before `v2`; no action needed: learners keep 1 note "
            "without updates, and get the current text of 1 note\n"
        )
        assert ran.out.splitlines()[0] == "PyTorch, since v2: 1 changed, 1 retired"
        learner.get(author.publish("v3", date=2))
        assert (heads(author.said), "no action needed" in author.said) == ([RESTORED], True)
        assert author.run("diff", "v2").err == (
            "hint: `cards/deck.lock` was reverted to a state before `v2`; no action needed: learners keep 1 note "
            "without updates\n"
        )
        learner.get(author.write(autograd=AUTOGRAD + more).publish("v4", date=3))
        assert (heads(author.said), author.guids["Which way?"]) == ([], added)
        assert learner.progress == studied


def test_an_older_release_that_was_checked_out_is_built_as_it_was(author: Maintainer) -> None:
    """Its lock is right, so times in later tags do not matter if nothing may change."""
    package = author.write(autograd=AUTOGRAD).publish("v1")
    first = package.read_bytes()
    author.write(autograd=WRONG).publish("v2", date=1)
    author.git("checkout", "-q", "v1")
    author.attempt("cards", "--locked")
    assert (heads(author.said), author.said.splitlines()[0]) == (
        [],
        "Built PyTorch: 3 notes, 3 cards in 0.00 s",
    )
    assert package.read_bytes() == first
    assert heads(author.run("check", "cards").out) == [RESTORED]


def test_a_damaged_lock_is_restored_with_the_command_in_the_help(author: Maintainer) -> None:
    """Before the damage is committed, and after, in two commits of which the second has another note."""
    author.write(autograd=AUTOGRAD).publish("v1")
    lock = author.folder / "deck.lock"
    intact, guids = lock.read_text(), author.guids
    last = author.git("log", "-n", "1", "--format=%h").strip()
    lock.write_text(intact + "note\tdamage\n")
    assert _cure(author) == "restore the lock with `git checkout HEAD -- cards/deck.lock`, and build again"
    lock.write_text(intact)
    author.write(autograd=AUTOGRAD + "\n## What is more?\n\nIt.\n").build()
    lock.write_text(lock.read_text() + "note\tdamage\n")
    author.git("commit", "-qam", "damaged")
    lock.write_text(lock.read_text() + "more\tdamage\n")
    author.git("commit", "-qam", "worse")
    restore = f"git checkout {last} -- cards/deck.lock"
    assert _cure(author) == (
        f"the last commit has this problem, too: restore the lock with `{restore}`, commit it, and build again; "
        "GUIDs of later notes are derived again"
    )
    author.git(*restore.split()[1:])
    assert lock.read_text() == intact
    author.git("commit", "-qm", "restored")
    author.build()
    assert guids.items() < author.guids.items()


def _cure(author: Maintainer) -> str:
    """Return the help of all findings about a damaged lock."""
    out = author.run("check", "cards").out
    (found,) = set(re.findall("error\\[damaged-lock].*?= help: ([^\n]*)", out, re.DOTALL))
    return str(found)


def test_a_time_that_only_a_tag_knows_counts(author: Maintainer) -> None:
    """Release from a branch that is never merged."""
    author.write(autograd=AUTOGRAD).publish()
    author.git("checkout", "-qb", "release")
    author.write(autograd=WRONG).publish("v1")
    author.git("checkout", "-q", "-")
    author.build(now=FIRST_DAY)
    assert heads(author.said) == [RESTORED]


def test_a_tag_that_comes_later_counts_though_no_file_changed(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD).publish()
    author.git("checkout", "-qb", "release")
    author.write(autograd=WRONG).publish()
    author.git("checkout", "-q", "-")
    for _ in range(2):
        author.build("cards")
        assert heads(author.said + author.run("check", "cards").out) == []
    author.git("tag", "v1", "release")
    assert heads(author.run("check", "cards").out) == [RESTORED]
    author.build("cards")
    assert heads(author.said) == [RESTORED]


def test_without_git_diff_says_whom_anki_will_skip(author: Maintainer, tmp_path: Path) -> None:
    author.write(autograd=AUTOGRAD).build()
    lock = (author.folder / "deck.lock").read_bytes()
    author.write(autograd=WRONG).build()
    author.folder.rename(tmp_path / "last")
    author.write(autograd=AUTOGRAD)
    (author.folder / "deck.lock").write_bytes(lock)
    assert author.run("diff", "last").err == (
        "hint: `cards/deck.lock` is older than `last`: Anki will skip 1 note; "
        "`ptcards build --refresh` sends every note again\n"
    )
    author.build("cards", "--refresh")
    assert author.run("diff", "last").err == ""


# Lost locks


def test_a_lock_that_git_has_is_asked_for_until_it_is_back(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD).publish()
    commit = author.git("rev-parse", "--short", "HEAD").strip()
    lock = author.folder / "deck.lock"
    published = lock.read_bytes()
    lock.unlink()
    expected = [f"cards/deck.lock:1:1: error[lost-lock] `deck.lock` is missing, but commit {commit} has it"]
    command = f"git checkout {commit} -- cards/deck.lock"
    for name in ("build", "check"):
        ran = author.run(name, "cards")
        assert (ran.status, heads(ran.out + ran.err)) == (2, expected)
        assert f"`{command}` and build again" in ran.out + ran.err
    assert not lock.exists()
    author.git(*command.split()[1:])
    assert lock.read_bytes() == published
    author.build("cards", "--locked")


def test_a_lock_that_was_deleted_in_a_commit_is_asked_for_too(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD).publish()
    commit = author.git("rev-parse", "--short", "HEAD").strip()
    author.git("rm", "-q", "cards/deck.lock")
    author.git("commit", "-qm", "gone")
    ran = author.run("build", "cards")
    assert (ran.status, heads(ran.err)) == (
        2,
        [f"cards/deck.lock:1:1: error[lost-lock] `deck.lock` is missing, but commit {commit} has it"],
    )


def test_a_lock_that_lacks_notes_of_the_last_commit_is_an_error(author: Maintainer) -> None:
    author.write(autograd=f"# Autograd\n\n{LEAF}").publish()
    older = (author.folder / "deck.lock").read_bytes()
    author.write(autograd=AUTOGRAD).publish()
    commit = author.git("rev-parse", "--short", "HEAD").strip()
    (author.folder / "deck.lock").write_bytes(older)
    ran = author.run("build", "cards")
    assert (ran.status, heads(ran.err)) == (
        2,
        [f"cards/deck.lock:1:1: error[lost-notes] `deck.lock` lacks 2 notes that commit {commit} has"],
    )
    assert (author.folder / "deck.lock").read_bytes() == older


def test_a_new_lock_can_be_begun_on_purpose_and_counts_all_as_changed(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD).publish()
    (author.folder / "deck.lock").unlink()
    author.build("cards", "--new-lock", now=FIRST_DAY)
    assert author.said.splitlines()[0] == "Created deck.lock (commit it)"
    mods = [line.split("\t")[3] for line in (author.folder / "deck.lock").read_text().splitlines()[-3:]]
    assert mods == [str(FIRST_DAY + 86_401)] * 3  # a second after the published note


@pytest.mark.parametrize("is_lost", [True, False], ids=["lost", "shortened"])
def test_a_lock_that_was_begun_on_purpose_lacks_nothing(author: Maintainer, *, is_lost: bool) -> None:
    author.write(autograd=AUTOGRAD.replace(HOOK, "")).publish()
    older = (author.folder / "deck.lock").read_bytes()
    author.write(autograd=AUTOGRAD).publish()
    author.write(autograd=AUTOGRAD.replace(HOOK, "")).publish()
    (author.folder / "deck.lock").write_bytes(older)
    if is_lost:
        (author.folder / "deck.lock").unlink()
    author.build("cards", "--new-lock", now=FIRST_DAY)
    assert (author.folder / "deck.lock").read_text().count("\nnote\t") == 2
    author.build("cards")
    assert heads(author.said) == []
    author.write(autograd=f"# Autograd\n\n{LEAF}").build("cards")
    assert heads(author.said + author.run("check").out) == []
    author.publish()
    author.build("cards")
    assert heads(author.said) == []


# Drafts


def test_a_note_that_was_never_committed_is_forgotten_when_it_goes(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD).publish()
    lock = author.folder / "deck.lock"
    published = lock.read_bytes()
    author.write(autograd=AUTOGRAD + "## Which way?\n\nBack.\n").build("cards")
    author.write(autograd=AUTOGRAD).build("cards")
    assert lock.read_bytes() == published


def test_without_a_committed_lock_no_note_is_forgotten(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD + "## Which way?\n\nBack.\n").build("cards")
    author.write(autograd=AUTOGRAD).build("cards")
    assert (author.folder / "deck.lock").read_text().count("\tretired\t") == 1


def test_a_committed_note_is_never_forgotten(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD).publish()
    author.write(autograd=AUTOGRAD.replace(HOOK, "")).publish()
    author.build("cards")
    assert (author.folder / "deck.lock").read_text().count("\tretired\t") == 1


# Ignored


IGNORED = ["cards/deck.lock:1:1: error[ignored-lock] git ignores `deck.lock`"]


def ignored(author: Maintainer) -> list[tuple[int, list[str]]]:
    """Return what `check` and `build` report about the lock."""
    ran = author.run("check"), author.attempt("cards")
    return [(each.status, heads(each.out + each.err)) for each in ran]


def test_a_lock_that_git_ignores_is_an_error(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD)
    author.git("init", "-q")
    (author.root / ".gitignore").write_text("*.lock\n")
    assert ignored(author) == [(2, IGNORED)] * 2
    assert not (author.folder / "deck.lock").exists()
    (author.root / ".gitignore").write_text("*.lock\n!deck.lock\n")
    assert ignored(author) == [(0, [])] * 2


def test_an_ignored_lock_in_gits_index_is_fine_until_it_is_removed_there(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD).publish()
    (author.root / ".gitignore").write_text("deck.lock\n")
    assert ignored(author) == [(0, [])] * 2
    author.git("rm", "-q", "--cached", "cards/deck.lock")
    assert ignored(author) == [(2, IGNORED)] * 2
    author.git("commit", "-qm", "without the lock")
    assert ignored(author) == [(2, IGNORED)] * 2
    author.git("add", "--force", "cards/deck.lock")
    assert ignored(author) == [(0, [])] * 2


def test_a_clones_own_list_of_ignored_files_counts_as_soon_as_it_changes(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD)
    author.git("init", "-q")
    assert ignored(author) == [(0, [])] * 2
    (author.root / ".git/info/exclude").write_text("deck.lock\n")
    assert ignored(author) == [(2, IGNORED)] * 2


def test_an_ignored_lock_is_an_error_in_a_shallow_clone(author: Maintainer, tmp_path: Path) -> None:
    author.write(autograd=AUTOGRAD).publish()
    author.git("rm", "-q", "--cached", "cards/deck.lock")
    (author.root / ".gitignore").write_text("deck.lock\n")
    author.git("add", ".gitignore")
    author.git("commit", "-qm", "without the lock")
    author.git("clone", "-q", "--depth", "1", f"file://{tmp_path}", "clone")
    ran = author.run("check", "clone/cards")
    assert (ran.status, [line.split("] ")[0] for line in ran.out.splitlines() if "ignored" in line]) == (
        2,
        ["clone/cards/deck.lock:1:1: error[ignored-lock"],
    )


# Shallow clones


def test_a_shallow_clone_does_not_know_older_times(author: Maintainer, tmp_path: Path) -> None:
    author.write(autograd=AUTOGRAD).publish()
    author.write(autograd=WRONG).publish()
    revert(author)
    author.git("clone", "-q", "--depth", "1", f"file://{tmp_path}", "clone")
    assert "restored-lock" not in author.run("check", "clone/cards").out
    assert author.attempt("clone/cards", "--locked").status == 0


@pytest.mark.parametrize("name", ["build", "check"])
def test_a_shallow_clone_still_has_the_last_lock(author: Maintainer, tmp_path: Path, name: str) -> None:
    author.write(autograd=f"# Autograd\n\n{LEAF}").publish()
    older = (author.folder / "deck.lock").read_bytes()
    author.write(autograd=AUTOGRAD).publish()
    author.git("clone", "-q", "--depth", "1", f"file://{tmp_path}", "clone")
    commit = author.git("-C", "clone", "rev-parse", "--short", "HEAD").strip()
    lock = tmp_path / "clone" / "cards" / "deck.lock"
    lock.unlink()
    ran = author.run(name, "clone/cards")
    place = "clone/cards/deck.lock:1:1: error"
    lost = f"{place}[lost-lock] `deck.lock` is missing, but commit {commit} has it"
    assert (ran.status, lost in (ran.out + ran.err).splitlines()) == (2, True)
    lock.write_bytes(older)
    ran = author.run(name, "clone/cards")
    lost = f"{place}[lost-notes] `deck.lock` lacks 2 notes that commit {commit} has"
    assert (ran.status, lost in (ran.out + ran.err).splitlines()) == (2, True)


def test_a_shallow_clone_forgets_no_note(author: Maintainer, tmp_path: Path) -> None:
    """It cannot tell which notes were never committed."""
    author.write(autograd=AUTOGRAD).publish()
    author.git("clone", "-q", "--depth", "1", f"file://{tmp_path}", "clone")
    source = tmp_path / "clone" / "cards" / "autograd.md"
    source.write_text(AUTOGRAD + "## Which way?\n\nBack.\n", "utf-8")
    author.build("clone/cards")
    source.write_text(AUTOGRAD, "utf-8")
    author.build("clone/cards")
    assert (tmp_path / "clone" / "cards" / "deck.lock").read_text("utf-8").count("\tretired\t") == 1
