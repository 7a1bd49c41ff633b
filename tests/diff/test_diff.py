"""`ptcards diff`: the real command on real git repositories, and its searches in the real Anki."""

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Ran
from identity_release import AUTOGRAD, HOOK, LEAF, WHY, Maintainer, author, studying
from ptcards.diff.update_report import search
from ptcards.diff.words import MOST_WORDS, word_diff
from terminal import type_session

__all__ = ["author"]

STEP = "## What is a step?\n\nOne.\n\n"
SET = "<!-- card: kind=set -->\n\n"
OPTIM = f"# Optim\n\n{STEP}"
NOTHING = "PyTorch, since {}: nothing changed\n\nnext version: none: learners will notice nothing\n"


def everything(author: Maintainer) -> dict[str, str]:
    """Publish, then make every kind of change; return the earlier GUIDs."""
    author.write(autograd=AUTOGRAD + "## Which way?\n\nBack.\n", optim=OPTIM).publish("v1.0")
    guids = author.guids
    why = WHY.replace("Why `no_grad`?", "What is the use of `no_grad`?")
    leaf = "## What is a leaf?\n<!-- card: tags=graph -->\n\nA tensor that\nyou made.\n\n"
    optim = OPTIM + HOOK + "## What is an epoch?\n<!-- card: kind=reversed -->\n\nA round.\n"
    author.write(autograd=f"# Autograd\n\n{why}{leaf}## Which way?\n\n{{{{c1::Back}}}}.\n", optim=optim)
    return guids


def test_of_many_notes_ten_of_each_kind_are_listed_with_the_summary_at_the_end(author: Maintainer) -> None:
    """`-v` lists all, and so do release notes; one more than ten is listed, too."""

    def notes(count: int, answer: str) -> str:
        return "# Optim\n\n" + "".join(f"## Step {n}?\n\n{answer} {n}.\n\n" for n in range(count))

    author.write(optim=notes(20, "Yes")).publish("v1.0")
    author.write(optim=notes(20, "No"), more=notes(11, "New").replace("Step", "Hop"))
    said = author.diff().splitlines()
    listed = [line.split("?")[0].strip() for line in said if line.startswith("    ") and "?  (" in line]
    assert listed == [*(f"Hop {n}" for n in range(11)), *(f"Step {n}" for n in range(10))]
    summary = "PyTorch, since v1.0: 11 new, 20 changed"
    assert [said[0], *said[-5:]] == [
        summary,
        *("  … and 10 more (-v lists them)", "", summary, ""),
        "next version: minor: notes or cards are added, retired or moved",
    ]
    for options in (("-v",), ("--format", "markdown")):
        assert len(re.findall("(?:Step|Hop) [0-9]+[?]", author.diff(*options))) == 31


def test_everything_that_can_change_is_told_with_what_anki_does(author: Maintainer) -> None:
    guids = everything(author)
    assert (
        author.diff()
        == f"""\
PyTorch, since v1.0: 2 new, 2 changed (1 reworded), 1 moved, 1 retired

New (2)
  Anki adds them.

  PyTorch::Autograd
    Which way?  (cards/autograd.md:13)

  PyTorch::Optim
    What is an epoch?  (cards/optim.md:11)

Reworded (1)
  The same notes, reworded. Anki updates them in place: reviews stay. A learner's own changes to them, including tags, are replaced.

  PyTorch::Autograd
    What is the use of `no_grad`?  (cards/autograd.md:3)
      recognised as "Why `no_grad`?" (same answer)
      question: [-Why-]{{+What is the use of+}} `no_grad`?

  a different card? restore `deck.lock`, give the card its own id and build again

Changed (1)
  Anki updates them in place: reviews stay. A learner's own changes to them, including tags, are replaced.

  PyTorch::Autograd
    What is a leaf?  (cards/autograd.md:7)
      answer: A [-tensor.-] {{+tensor that
        you made.+}}
      tags: {{+graph+}}

Moved (1)
  Anki does not move cards on an update: current learners keep them where they are; new learners get the new deck. A move alone changes nothing else: learners' own edits and tags stay.

  PyTorch::Optim
    What is a hook?  (cards/optim.md:7)
      was in PyTorch::Autograd

  To move them to PyTorch::Optim: paste this into Anki's browser, select all, and choose Change Deck.
    "GUID:{guids["What is a hook?"]}"

Retired (1)
  These notes were removed or are skipped. Learners keep them, because an update deletes nothing, but the notes are no longer updated.

  PyTorch::Autograd
    Which way?

  To delete or suspend them: paste this into Anki's browser and select all.
    "GUID:{guids["Which way?"]}"

Changed between question and cloze (1)
  Anki cannot turn one into the other: learners get a new note and start again. They keep the old one, without updates.

  PyTorch::Autograd
    Which way?  (cards/autograd.md:13)

next version: minor: notes or cards are added, retired or moved
"""
    )


def test_programs_get_an_update_as_json_and_an_exit_status(author: Maintainer) -> None:
    guids = everything(author)
    ran = author.run("diff", "--format", "json", "--exit-code")
    autograd, optim = "PyTorch::Autograd", "PyTorch::Optim"

    def note(question: str, deck: str, line: int | None, guid: str = "") -> dict[str, object]:
        path = f"cards/{deck[9:].lower()}.md" if line else None
        guid = guid or guids[question]
        return {"guid": guid, "deck": deck, "question": question, "path": path, "line": line}

    document = json.loads(ran.out)
    new = {each["question"]: each["guid"] for each in document["new"]}
    why = note("What is the use of `no_grad`?", autograd, 3, guids["Why `no_grad`?"])
    parts = [{"name": "question", "diff": "[-Why-]{+What is the use of+} `no_grad`?"}]
    leaf = [
        {"name": "answer", "diff": "A [-tensor.-] {+tensor that\nyou made.+}"},
        {"name": "tags", "diff": "{+graph+}"},
    ]
    hook = note("What is a hook?", optim, 7)
    assert (ran.status, ran.err) == (1, "")
    kinds = document.pop("kinds")
    assert [(each["title"], each["count"], each["steps"]) for each in kinds] == [
        ("New", 2, []),
        ("Reworded", 1, []),
        ("Changed", 1, []),
        ("Moved", 1, []),
        ("Retired", 1, []),
        ("Changed between question and cloze", 1, []),
    ]
    text = author.diff()
    assert [each["effect"] for each in kinds if each["effect"] not in text] == []
    assert {
        key: sorted(value, key=str) if isinstance(value, list) else value for key, value in document.items()
    } == {
        "version": 1,
        "name": "PyTorch",
        "renamed": "",
        "renamed_decks": [],
        "since": "v1.0",
        "step": "minor",
        "summary": "2 new, 2 changed (1 reworded), 1 moved, 1 retired",
        "next": "minor: notes or cards are added, retired or moved",
        "new": sorted(
            [
                note("Which way?", autograd, 13, new["Which way?"]),
                note("What is an epoch?", optim, 11, new["What is an epoch?"]),
            ],
            key=str,
        ),
        "changed": sorted(
            [
                why | {"cards": "", "parts": parts, "reworded": True},
                note("What is a leaf?", autograd, 7) | {"cards": "", "parts": leaf, "reworded": False},
            ],
            key=str,
        ),
        "moved": [hook | {"from": autograd}],
        "retired": [note("Which way?", autograd, None)],
        "returned": [],
        "sent_again": [],
        "new_look": False,
        "remarks": [],
    }
    author.build()
    author.git("add", "-A")
    author.git("commit", "-qm", "next")
    assert author.run("diff", "HEAD", "--format", "json", "--exit-code").status == 0


def test_release_notes_can_be_published_as_they_are(author: Maintainer) -> None:
    guids = everything(author)
    assert (
        author.diff("--format", "markdown")
        == f"""\
## PyTorch: changes since v1.0

2 new, 2 changed (1 reworded), 1 moved, 1 retired. This is a minor update.

### New (2)

Anki adds them.

**PyTorch::Autograd**

- Which way?

**PyTorch::Optim**

- What is an epoch?

### Reworded (1)

The same notes, reworded. Anki updates them in place: reviews stay. A learner's own changes to them, including tags, are replaced.

**PyTorch::Autograd**

- What is the use of `no_grad`?

  ```text
  question: [-Why-]{{+What is the use of+}} `no_grad`?
  ```

### Changed (1)

Anki updates them in place: reviews stay. A learner's own changes to them, including tags, are replaced.

**PyTorch::Autograd**

- What is a leaf?

  ```text
  answer: A [-tensor.-] {{+tensor that
    you made.+}}
  tags: {{+graph+}}
  ```

### Moved (1)

Anki does not move cards on an update: current learners keep them where they are; new learners get the new deck. A move alone changes nothing else: learners' own edits and tags stay.

**PyTorch::Optim**

- What is a hook? (was in PyTorch::Autograd)

To move them to PyTorch::Optim: paste this into Anki's browser, select all, and choose Change Deck.

```text
"GUID:{guids["What is a hook?"]}"
```

### Retired (1)

These notes were removed or are skipped. Learners keep them, because an update deletes nothing, but the notes are no longer updated.

**PyTorch::Autograd**

- Which way?

To delete or suspend them: paste this into Anki's browser and select all.

```text
"GUID:{guids["Which way?"]}"
```

### Changed between question and cloze (1)

Anki cannot turn one into the other: learners get a new note and start again. They keep the old one, without updates.

**PyTorch::Autograd**

- Which way?

### Learners' own fields

Learners who added a field to the note type get this update if they turn on *Merge note types* in the import dialog. This empties their field in updated notes.
"""
    )


def test_nothing_changed_is_said_so(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD).publish("v1.0")
    assert author.diff() == NOTHING.format("v1.0")
    assert author.diff("--format", "markdown") == "## PyTorch: changes since v1.0\n\nNothing changed.\n"


def test_a_diff_says_the_same_after_the_build_and_writes_nothing(author: Maintainer) -> None:
    everything(author)
    lock = (author.folder / "deck.lock").read_bytes()
    before = author.diff()
    assert (author.folder / "deck.lock").read_bytes() == lock
    author.build()
    assert author.diff() == before
    assert "\n  +2 new, ~2 changed (1 reworded), 1 moved, −1 retired\n" in author.said


def test_drafts_that_were_built_and_deleted_are_not_told(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD).publish("v1.0")
    author.write(autograd=AUTOGRAD + "## A draft?\n\nYes.\n").build()
    author.write(autograd=AUTOGRAD).build()
    assert "A draft?" not in (author.folder / "deck.lock").read_text()
    assert author.diff() == NOTHING.format("v1.0")


def test_a_paragraph_wrapped_again_is_told_as_such(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD).publish("v1.0")
    author.write(autograd=AUTOGRAD.replace("memory and", "memory\nand"))
    assert "      answer: only white space\n" in author.diff()


def test_the_language_of_a_note_is_a_part_of_it(author: Maintainer) -> None:
    choice = "# Autograd\n\n## Why?\n\n- [x] So.\n- [ ] Otherwise.\n"
    author.write(autograd=choice).publish("v1.0")
    author.write(autograd=f"---\nlanguage: de\n---\n{choice}")
    assert author.diff().split("\n\n")[2] == (
        "  PyTorch::Autograd\n    Why?  (cards/autograd.md:6)\n      language: {+de+}"
    )


def test_a_note_that_lost_its_reviews_long_before_the_release_can_still_be_restored(
    author: Maintainer,
) -> None:
    author.write(autograd=AUTOGRAD).publish("v1.0")
    guid = author.guids["What is a leaf?"]
    rewritten = AUTOGRAD.replace(LEAF, "## What is a leaf node?\n\nNot a result.\n\n")
    for text in (rewritten, rewritten.replace("result", "product")):
        author.write(autograd=text).build()
    ran = author.run("diff")
    assert first_line(ran.out) == "PyTorch, since v1.0: 1 new, 1 retired"
    assert "cards/autograd.md:7:4: warning[maybe-reworded]" in ran.err
    assert f"add `id={guid}` to its card comment" in ran.err
    author.write(autograd=text.replace("node?\n", f"node?\n<!-- card: id={guid} -->\n"))
    assert first_line(author.diff()) == "PyTorch, since v1.0: 1 changed (1 reworded)"


@pytest.mark.skipif(os.name == "nt", reason="there are no pseudo-terminals")
def test_a_terminal_shows_what_learners_get_before_what_is_doubtful_about_it(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD).publish("v1.0")
    guid = author.guids["What is a leaf?"]
    shutil.copytree(author.folder, author.root / "last", ignore=lambda *_: {"deck.lock"})
    author.write(autograd=AUTOGRAD.replace(LEAF, "## What is a leaf node?\n\nNot a result.\n\n"))
    shown = type_session([({}, ["diff", "last"])], columns=200, folder=author.root, env={"NO_COLOR": "1"})
    assert (
        shown
        == f"""\
$ ptcards diff last
PyTorch, since last: 1 new, 1 retired

New (1)
  Anki adds them.

  PyTorch::Autograd
    What is a leaf node?  (cards/autograd.md:7)

Retired (1)
  These notes were removed or are skipped. Learners keep them, because an update deletes nothing, but the notes are no longer updated.

  PyTorch::Autograd
    What is a leaf?

  To delete or suspend them: paste this into Anki's browser and select all.
    "GUID:{guid}"

next version: minor: notes or cards are added, retired or moved

cards/autograd.md:7:4: warning[maybe-reworded] this note is new to learners, but resembles one that is gone: `What is a leaf?`
  |
7 | ## What is a leaf node?
  |    ^^^^^^^^^^^^^^^^^^^^
  = help: if this is the same note, run `ptcards keep` or add `id={guid}` to its card comment to keep the reviews; if not, do nothing

1 warning
hint: `last` has no `deck.lock`: GUIDs are derived from its sources, so notes that were reworded or moved earlier count as new and retired
exit status 0

"""
    )


def test_a_long_difference_is_cut(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD).publish("v1.0")
    lines = "\n".join(f"- {number}" for number in range(30))
    author.write(autograd=AUTOGRAD.replace("A tensor.", lines))
    assert "        - 19\n        … (10 more lines)\n" in author.diff()
    assert "        - 28\n        - 29" in author.diff("-v")


def test_colours_mark_words_that_went_and_came(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD).publish("v1.0")
    author.write(autograd=AUTOGRAD.replace("A tensor.", "A matrix."))
    out = author.diff("--color", "always")
    assert "answer: A \x1b[31m[-tensor.-]\x1b[0m \x1b[32m{+matrix.+}\x1b[0m\n" in out


def test_a_broken_lock_of_the_old_state_is_wrong_usage(author: Maintainer, tmp_path: Path) -> None:
    author.write(autograd=AUTOGRAD).build()
    shutil.copytree(author.folder, tmp_path / "last")
    (tmp_path / "last" / "deck.lock").write_text("garbage\n")
    ran = author.run("diff", "last")
    message = "last:deck.lock:1:1: the lock does not start with `ptcards-lock`"
    assert (ran.status, ran.err.splitlines()[-1]) == (2, f"error: {message}")


# The last publication


def first_line(out: str) -> str:
    return out.partition("\n")[0]


def test_the_newest_tag_that_holds_the_collection_is_the_default(author: Maintainer) -> None:
    author.write(autograd=f"# Autograd\n\n{WHY}").publish("v9", date=1)
    author.write(autograd=f"# Autograd\n\n{WHY}{LEAF}").publish("v10", date=2)
    author.write(autograd=AUTOGRAD).publish(date=3)
    author.git("rm", "-rq", "cards")
    author.git("commit", "-qm", "gone", date=4)
    author.git("tag", "without")
    author.git("revert", "--no-edit", "HEAD", date=5)
    assert first_line(author.diff()) == "PyTorch, since v10: 1 new"


def test_a_tag_of_another_branch_is_no_release_of_this_one(author: Maintainer) -> None:
    author.write(autograd=f"# Autograd\n\n{WHY}").publish("v1", date=1)
    author.git("checkout", "-qb", "experiment")
    author.write(autograd=AUTOGRAD).publish("experimental", date=2)
    author.git("checkout", "-q", "-")
    assert author.diff() == NOTHING.format("v1")


def test_without_tags_head_is_the_default(author: Maintainer) -> None:
    author.write(autograd=f"# Autograd\n\n{WHY}").publish()
    author.write(autograd=AUTOGRAD)
    assert first_line(author.diff()) == "PyTorch, since HEAD: 2 new"


def test_a_collection_is_found_where_it_was_in_its_time(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD).publish("v1")
    author.git("mv", "cards", "elsewhere")
    author.git("commit", "-qm", "move")
    author.git("tag", "v2")
    author.git("mv", "elsewhere", "cards")
    author.git("commit", "-qm", "back")
    assert author.diff("v2") == NOTHING.format("v2")


def test_a_folder_serves_as_old(author: Maintainer, tmp_path: Path) -> None:
    author.write(autograd=f"# Autograd\n\n{WHY}").build()
    shutil.copytree(author.folder, tmp_path / "last" / "release")
    author.write(autograd=AUTOGRAD)
    assert first_line(author.diff("last/release")) == "PyTorch, since last/release: 2 new"
    assert first_line(author.diff("last")) == "PyTorch, since last: 2 new"


def test_a_collection_is_named_like_in_other_commands(author: Maintainer, tmp_path: Path) -> None:
    author.write(autograd=f"# Autograd\n\n{WHY}").publish("v1")
    author.publish("v2")
    shutil.copytree(author.folder, tmp_path / "last")
    author.write(autograd=AUTOGRAD)
    assert first_line(author.diff("cards")) == "PyTorch, since v2: 2 new"
    assert first_line(author.diff("cards", "v1")) == "PyTorch, since v1: 2 new"
    assert first_line(author.diff("cards", "last")) == "PyTorch, since last: 2 new"
    (tmp_path / "cards").rename(tmp_path / "deck")
    assert first_line(author.diff("deck", "last")) == "PyTorch, since last: 2 new"
    assert first_line(author.diff("deck")) == "PyTorch, since v2: 2 new"


def test_a_collection_inside_another_is_named(author: Maintainer, tmp_path: Path) -> None:
    author.write(autograd=f"# Autograd\n\n{WHY}").build()
    assert author.run("init", "mine").status == 0
    assert author.run("build", "mine").status == 0
    author.git("init", "-q")
    author.git("add", "-A")
    author.git("commit", "-qm", "first")
    (tmp_path / "mine" / "more.md").write_text(LEAF)
    assert first_line(author.diff("mine")) == "Mine, since HEAD: 1 new"


def test_an_old_state_without_a_lock_is_derived(author: Maintainer, tmp_path: Path) -> None:
    author.write(autograd=AUTOGRAD).build()
    shutil.copytree(author.folder, tmp_path / "last", ignore=lambda *_: {"deck.lock"})
    ran = author.run("diff", "last")
    assert ran.out == NOTHING.format("last")
    assert ran.err == (
        "hint: `last` has no `deck.lock`: GUIDs are derived from its sources, so notes that were reworded or "
        "moved earlier count as new and retired\n"
    )


def test_an_old_state_without_a_lock_and_sources_is_wrong_usage(author: Maintainer, tmp_path: Path) -> None:
    author.write(autograd=AUTOGRAD).build()
    (tmp_path / "last").mkdir()
    shutil.copy(author.folder / "deck.toml", tmp_path / "last")
    ran = author.run("diff", "last")
    assert (ran.status, ran.err.splitlines()[-1]) == (
        2,
        "error: `last` contains neither a `deck.lock` nor sources",
    )


def test_a_lock_that_forgot_what_was_published_is_told(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD).build()
    reworded = AUTOGRAD.replace("Why `no_grad`?", "Why do you need `no_grad` here?")
    author.write(autograd=reworded).publish("v1")
    lock = author.folder / "deck.lock"
    published = lock.read_text()
    lock.unlink()
    cure = (
        ": restore the lock of `v1` before you build; otherwise, learners get reworded or moved "
        "notes a second time\n"
    )
    ran = author.run("diff")
    assert first_line(ran.out) == "PyTorch, since v1: 1 new, 1 retired, 2 sent again"
    assert ran.err == f"hint: `cards/deck.lock` lacks 1 note that `v1` has{cure}"
    author.build("cards", "--new-lock")
    assert author.run("diff").err == f"hint: `cards/deck.lock` lacks 1 note that `v1` has{cure}"
    lock.write_text(published)
    assert author.diff() == NOTHING.format("v1")
    author.write(autograd=AUTOGRAD).build()
    lock.unlink()
    author.build("cards", "--new-lock")
    author.publish("v2", date=1)
    lock.unlink()
    assert (
        author.run("diff").err
        == f"hint: `cards/deck.lock` is missing, but `v2` has one{cure.replace('v1', 'v2')}"
    )


def test_a_shallow_clone_says_how_to_get_older_releases(
    author: Maintainer, tmp_path: Path, ptcards: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    author.write(autograd=f"# Autograd\n\n{WHY}").publish("v1")
    author.write(autograd=AUTOGRAD).publish()
    author.git("clone", "-q", "--depth", "1", author.root.as_uri(), str(tmp_path / "clone"))
    monkeypatch.chdir(tmp_path / "clone")
    cure = "this clone is shallow: `git fetch --unshallow --tags` fetches older releases"
    ran = ptcards("diff")
    assert (ran.out, ran.err) == (
        NOTHING.format("HEAD"),
        f"hint: no tag contains the collection, but {cure}\n",
    )
    ran = ptcards("diff", "v1")
    assert ran.status == 2
    assert ran.err.splitlines()[-1] == f"error: `v1` is neither a folder nor a git revision; {cure}"
    author.git("-C", "clone", "fetch", "-q", "--unshallow", "--tags")
    assert first_line(ptcards("diff").out) == "PyTorch, since v1: 2 new"


def test_what_is_not_committed_counts(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD).publish("v1")
    author.write(autograd=AUTOGRAD + "## A draft?\n\nYes.\n")
    assert first_line(author.diff("HEAD")) == "PyTorch, since HEAD: 1 new"


def test_a_commit_serves_as_old(author: Maintainer) -> None:
    author.write(autograd=f"# Autograd\n\n{WHY}").publish()
    commit = author.git("rev-parse", "--short", "HEAD").strip()
    author.write(autograd=AUTOGRAD).publish("v1")
    assert first_line(author.diff(commit)) == f"PyTorch, since {commit}: 2 new"
    assert first_line(author.diff("v1~1")) == "PyTorch, since v1~1: 2 new"


def test_pictures_of_the_old_state_are_read_too(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD.replace("recorded.", "recorded.\n\n![g](g.svg)"))
    (author.folder / "g.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    author.publish("v1")
    (author.folder / "g.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg' width='9'/>")
    assert "      answer: a different file at g.svg\n" in author.diff()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "`cards` is not in a git repository"),
        (("v1",), "`cards` is not in a git repository"),
    ],
)
def test_without_git_a_folder_is_needed(
    author: Maintainer, arguments: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(author.root.parent))
    author.write(autograd=AUTOGRAD).build()
    ran = author.run("diff", *arguments)
    assert (ran.status, ran.out) == (2, "")
    help_ = "help: name a folder that contains the last release"
    assert ran.err.splitlines()[-2:] == [f"error: {message}", help_]


def test_what_is_not_there_is_wrong_usage(author: Maintainer, tmp_path: Path) -> None:
    author.write(autograd=AUTOGRAD).publish("v1")
    (tmp_path / "empty").mkdir()
    for old, said in {
        "v01": ["`v01` is neither a folder nor a git revision", "help: did you mean `v1`?"],
        "--all": ["`--all` is neither a folder nor a git revision", "help: use one of `v1`"],
        "empty": ["`empty` does not contain an older copy of this collection"],
    }.items():
        ran = author.run("diff", "--", old)
        assert (ran.status, f"error: {said[0]}", *said[1:]) == (2, *ran.err.splitlines()[-len(said) :])
    (author.folder / "deck.toml").write_text('name = "PyTorch"\nid = "another"\n')
    (author.folder / "deck.lock").unlink()
    ran = author.run("diff", "v1")
    message = "the collection with the id `another` is not in `v1`"
    assert (ran.status, ran.err.splitlines()[-1]) == (2, f"error: {message}")
    ran = author.run("diff")
    message = "the collection with the id `another` is not in `HEAD`: commit it with its `deck.lock`, then edit and compare"
    assert (ran.status, ran.err.splitlines()[-1]) == (2, f"error: {message}")


def test_a_misspelt_folder_is_no_version(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD).publish("v1")
    assert author.run("diff", "crads", "v1").err.splitlines() == [
        "error: no such folder: `crads`",
        "help: a folder is compared with one earlier version: `ptcards diff cards v1`",
    ]


def test_a_repository_without_a_commit_has_nothing_to_compare_with(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD).build()
    author.git("init", "-q")
    ran = author.run("diff")
    assert (ran.status, ran.err.splitlines()[-2:]) == (
        2,
        [
            "error: nothing is committed yet",
            "help: commit the deck, or name a folder that contains the last release",
        ],
    )


def test_a_folder_that_is_no_collection_has_no_past(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD)
    (author.folder / "deck.toml").unlink()
    ran = author.run("diff")
    message = "error: without a `deck.toml`, there is no record of what was published"
    assert (ran.status, ran.err.splitlines()[-2:]) == (2, [message, "help: run `ptcards init`"])


def test_mistakes_in_the_sources_come_first(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD).publish("v1")
    author.write(autograd=f"{AUTOGRAD}## Empty?\n")
    ran = author.run("diff")
    assert (ran.status, ran.out) == (1, "")
    assert "error[" in ran.err


def test_a_broken_lock_exits_with_2(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD).publish("v1")
    with (author.folder / "deck.lock").open("a") as file:
        file.write("<<<<<<< HEAD\n")
    ran = author.run("diff")
    assert (ran.status, ran.out) == (2, "")
    assert "error[damaged-lock] the lock contains a merge conflict" in ran.err


# Major, minor and patch


def step(author: Maintainer) -> str:
    return author.diff().rpartition("next version: ")[2].partition(":")[0]


def test_a_renamed_collection_is_major(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD).publish("v1")
    (author.folder / "deck.toml").write_text('name = "Torch"\nid = "6f0c2c0e"\n')
    assert (
        author.diff()
        == """\
Torch, since v1: 3 moved, new look

Renamed
  The collection is now called Torch. Learners' cards stay in PyTorch, but new ones go to Torch. To keep them together, rename the deck PyTorch to Torch in Anki before importing.

  To move the cards of PyTorch::Autograd to Torch::Autograd after importing: paste this into Anki's browser, select all, and choose Change Deck.
    "deck:PyTorch::Autograd" -"deck:PyTorch::Autograd::*"

New look
  Anki replaces templates and CSS, including a learner's own changes to them; reviews stay.

next version: major: learners must do something to keep their decks together
"""
    )


def test_what_learners_with_their_own_fields_do_is_shown_with_verbose(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD).publish("v1")
    author.write(autograd=AUTOGRAD, optim=OPTIM)
    advice = (
        "\n\nLearners who added a field of their own turn on “Merge note types” in Anki's import dialog, "
        "which empties that field in updated notes.\n\nnext version: "
    )
    assert author.diff("-v") == author.diff().replace("\n\nnext version: ", advice)


def test_a_renamed_deck_is_major(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD, optim=OPTIM).publish("v1")
    author.write(autograd=AUTOGRAD.replace("# Autograd", "# Gradients"), optim=OPTIM)
    assert step(author) == "major"


def test_a_renamed_deck_is_told_with_the_name_to_use_in_anki(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD, optim=OPTIM).publish("v1")
    author.write(autograd=AUTOGRAD.replace("# Autograd", "# 02 Autograd"), optim=OPTIM)
    assert (
        author.diff()
        == """\
PyTorch, since v1: 3 moved

Renamed decks
  Learners' cards stay in the old decks, but new ones go to the new decks. To keep them together:
    before importing, rename PyTorch::Autograd to PyTorch::02 Autograd in Anki

  To move the cards of PyTorch::Autograd to PyTorch::02 Autograd after importing: paste this into Anki's browser, select all, and choose Change Deck.
    "deck:PyTorch::Autograd" -"deck:PyTorch::Autograd::*"

next version: major: learners must do something to keep their decks together
"""
    )
    assert """\
To keep them together:

- before importing, rename PyTorch::Autograd to PyTorch::02 Autograd in Anki

To move""" in author.diff("--format", "markdown")
    assert json.loads(author.diff("--format", "json"))["renamed_decks"] == [
        {"from": "PyTorch::Autograd", "to": "PyTorch::02 Autograd"}
    ]


def test_cards_that_moved_twice_are_searched_wherever_a_learner_has_them(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD, optim=OPTIM).publish("v1")
    author.write(autograd=AUTOGRAD.replace("# Autograd", "# Gradients"), optim=OPTIM).publish("v2")
    (author.folder / "deck.toml").write_text('name = "Torch"\nid = "6f0c2c0e"\n')
    first, second = [line.strip() for line in author.diff().splitlines() if '"' in line]
    guids = {guid for question, guid in author.guids.items() if question != "What is a step?"}
    assert set(first.split(" OR ")) == {f'"GUID:{guid}"' for guid in guids}
    assert second == '"deck:PyTorch::Optim" -"deck:PyTorch::Optim::*"'


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"a": "A", "b": "B"}, {"a": "B", "b": "A"}, {}),
        ({"a": "A", "b": "B"}, {"a": "C", "b": "C"}, {}),
        ({"a": "A", "b": "B"}, {"a": "B", "b": "B"}, {}),
        ({"a": "A", "b": "A"}, {"a": "B", "b": "C"}, {}),
        ({"a": "A", "b": "A"}, {"a": "A", "b": "C"}, {}),
        ({"a": "A", "b": "A"}, {"a": "C"}, {"A": "C"}),
        ({"a": "A", "b": "A::X"}, {"a": "C", "b": "C::X"}, {"A": "C"}),
        ({"a": "A", "b": "A::X"}, {"a": "C", "b": "A::X"}, {}),
        ({"a": "A", "b": "A::X"}, {"a": "A", "b": "A::Y"}, {"A::X": "A::Y"}),
        ({"a": "A", "b": "B"}, {"a": "01 A", "b": "02 B"}, {"A": "01 A", "B": "02 B"}),
    ],
)
def test_a_deck_is_renamed_only_if_that_puts_all_its_cards_in_place(
    before: dict[str, str], after: dict[str, str], expected: dict[str, str], author: Maintainer
) -> None:
    def texts(decks: dict[str, str]) -> dict[str, str]:
        notes = {"a": "## What is a leaf?\n<!-- card: id=a -->\n\nA tensor.\n", "b": HOOK}
        return {name: f"---\ndeck: {deck}\n---\n{notes[name]}" for name, deck in decks.items()}

    author.write(**texts(before)).publish("v1")
    author.write(**texts(after))
    found = json.loads(author.diff("--format", "json"))["renamed_decks"]
    assert found == [{"from": f"PyTorch::{old}", "to": f"PyTorch::{new}"} for old, new in expected.items()]


@pytest.mark.parametrize(
    ("autograd", "optim", "expected"),
    [
        (AUTOGRAD.replace("memory and", "memory,"), OPTIM, "patch"),
        (AUTOGRAD, OPTIM + "## What is an epoch?\n\nA round.\n", "minor"),
        (AUTOGRAD.replace(HOOK, ""), OPTIM, "minor"),
        (AUTOGRAD.replace(HOOK, ""), OPTIM + HOOK, "minor"),
    ],
)
def test_texts_are_a_patch_and_notes_that_come_go_or_move_are_minor(
    author: Maintainer, autograd: str, optim: str, expected: str
) -> None:
    author.write(autograd=AUTOGRAD, optim=OPTIM).publish("v1")
    author.write(autograd=autograd, optim=optim)
    assert step(author) == expected


def test_a_note_sent_again_is_a_patch(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD).publish("v1")
    author.build(author.folder, "--refresh")
    assert first_line(author.diff()) == "PyTorch, since v1: 3 sent again"
    assert step(author) == "patch"


def test_a_note_that_is_back_is_told(author: Maintainer) -> None:
    author.write(autograd=AUTOGRAD).build()
    author.write(autograd=AUTOGRAD.replace(HOOK, "")).publish("v1")
    author.write(autograd=AUTOGRAD)
    assert first_line(author.diff()) == "PyTorch, since v1: 1 back"
    assert step(author) == "minor"


# Cards


@pytest.mark.parametrize(
    ("old", "new", "remark"),
    [
        ("\n{{c1::A}} and {{c2::B}}.", "\n{{c1::A}} and {{c2::B}} and {{c3::C}}.", "adds a card"),
        (
            "\n{{c1::A}} and {{c2::B}}.",
            "\n{{c1::A}} and B.",
            "a card left empty until the learner runs Tools > Empty Cards",
        ),
        (f"{SET}- A\n- B", f"{SET}- C\n- A\n- B", "adds a card"),
        (f"{SET}- A\n- B", f"{SET}- B", "a card left empty until the learner runs Tools > Empty Cards"),
    ],
)
def test_cards_that_come_or_are_left_empty_are_told_and_are_minor(
    author: Maintainer, old: str, new: str, remark: str
) -> None:
    author.write(autograd=f"# A\n\n## Which?\n{old}\n").publish("v1")
    author.write(autograd=f"# A\n\n## Which?\n{new}\n")
    assert f"(cards/autograd.md:3)\n      {remark}\n" in author.diff()
    assert step(author) == "minor"


def test_a_list_whose_items_are_moved_and_reworded_is_a_patch(author: Maintainer) -> None:
    begin = f"# A\n\n## Which?\n{SET}"
    author.write(autograd=f"{begin}- The first thing of all\n- B\n- C\n").publish("v1")
    author.write(autograd=f"{begin}- B\n- C\n- The first thing of all things\n")
    assert step(author) == "patch"


# Searches


def test_a_search_finds_exactly_its_notes_in_ankis_browser(author: Maintainer, tmp_path: Path) -> None:
    package = author.write(autograd=AUTOGRAD, optim=OPTIM).publish("v1")
    guids = author.guids
    author.write(autograd=f"# Autograd\n\n{WHY}", optim=OPTIM)
    with studying(tmp_path / "anki") as learner:
        learner.get(package)
        (line,) = (line.strip() for line in author.diff().splitlines() if "GUID:" in line)
        found = {learner.collection.get_note(note).guid for note in learner.collection.find_notes(line)}
        assert found == {guids["What is a hook?"], guids["What is a leaf?"]}


def test_a_search_names_300_notes_at_most() -> None:
    lines = search([f"{number:011}" for number in range(601)])
    assert [line.count("GUID:") for line in lines] == [300, 300, 1]
    assert lines[2] == '"GUID:00000000600"'


# Words


@pytest.mark.parametrize(
    ("old", "new", "diff"),
    [
        ("", "All new.", "{+All new.+}"),
        ("All gone.", "", "[-All gone.-]"),
        ("It saves memory.", "It saves much memory.", "It saves {+much+} memory."),
        ("It saves memory.", "It costs memory.", "It [-saves-] {+costs+} memory."),
        ("one\ntwo\nthree", "one\ntwo\n3", "[-three-]{+3+}"),
        ("one\ntwo\nthree", "1\ntwo\n3", "[-one-]{+1+}\n…\n[-three-]{+3+}"),
        ("wrapped at one place", "wrapped\nat one place", "wrapped\nat one place"),
    ],
)
def test_words_that_went_and_came_are_marked(old: str, new: str, diff: str) -> None:
    assert word_diff(old, new) == diff


def test_a_passage_too_long_for_single_words_is_shown_whole() -> None:
    old, new = ("a " * MOST_WORDS + "end"), ("b " * MOST_WORDS + "end")
    assert word_diff(old, new) == f"[-{old}-]\n{{+{new}+}}"


sentences = st.lists(st.sampled_from("abcd"), max_size=12)


@settings(deadline=None, max_examples=100)
@given(sentences, sentences)
def test_both_texts_can_be_read_out_of_a_diff(old: list[str], new: list[str]) -> None:
    diff = word_diff(" ".join(old), " ".join(new))
    before = re.sub(r"\{\+.*?\+\}", "", diff).replace("[-", "").replace("-]", "")
    after = re.sub(r"\[-.*?-\]", "", diff).replace("{+", "").replace("+}", "")
    assert (before.split(), after.split()) == (([], []) if old == new else (old, new))
