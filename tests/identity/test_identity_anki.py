"""An author's changes, and their effects on a learner who studies the deck in the real Anki.

Each test publishes twice with the real command and imports both into one learner's collection, whose cards
all have reviews; the schedule and the review log are compared completely.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pygments.lexer import Lexer
from pygments.lexers.python import PythonLexer
from pygments.token import String, _TokenType

from anki_backend import assert_healthy, import_package
from identity_notes import with_digits
from identity_release import FIRST_DAY, Author, Learner, author, studying
from ptcards.cache import versions
from ptcards.identity.lock_reading import read_lock

__all__ = ["author"]

WHY = "## Why `no_grad`?\n\nIt saves memory and time, since no graph is recorded.\n\n"
LEAF = "## What is a leaf?\n\n```python\nimport torch\n```\n\n"
HOOK = "## What is a hook?\n\nA function that is called on the way back.\n\n"
AUTOGRAD = f"# Autograd\n\n{WHY}{LEAF}{HOOK}"
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c6360f8cf00000301010018dd8db0"
    "0000000049454e44ae426082"
)


@pytest.fixture
def anki(tmp_path: Path) -> Iterator[Learner]:
    with studying(tmp_path / "anki") as learner:
        yield learner
        assert_healthy(learner.collection)


def in_another_process(folder: Path, output: Path, **environment: str) -> Path:
    """Build in a fresh process; return the package."""
    command = [sys.executable, "-m", "ptcards", "build", str(folder), "-o", str(output)]
    subprocess.run(command, env=os.environ | environment, check=True, capture_output=True)
    return output / "pytorch.apkg"


# A learner's reviews


def test_reviews_at_the_end_of_a_second_leave_nothing_to_repair(
    author: Author, anki: Learner, monkeypatch: pytest.MonkeyPatch
) -> None:
    anki.get(author.write(autograd=AUTOGRAD).build())
    monkeypatch.setattr("anki.scheduler.v3.int_time", lambda _: FIRST_DAY * 1000 + 999)
    anki.study()
    assert_healthy(anki.collection)


# No change


def test_a_rebuild_on_another_machine_gives_the_same_files_and_updates_nothing(
    author: Author, anki: Learner, tmp_path: Path
) -> None:
    first = author.write(autograd=AUTOGRAD).build()
    anki.get(first)
    studied = anki.study()
    shutil.copytree(author.folder, tmp_path / "elsewhere" / "pt")
    second = in_another_process(
        tmp_path / "elsewhere" / "pt",
        tmp_path / "elsewhere" / "out",
        PYTHONHASHSEED="7",
        TZ="Pacific/Auckland",
        LC_ALL="C",
    )
    assert second.read_bytes() == first.read_bytes()
    assert second.with_suffix(".csv").read_bytes() == first.with_suffix(".csv").read_bytes()
    assert (tmp_path / "elsewhere/pt/deck.lock").read_bytes() == (author.folder / "deck.lock").read_bytes()
    assert anki.get(second) == {"duplicate": 3}
    assert anki.progress == studied


def test_a_pygments_that_reads_code_in_another_way_updates_nothing(
    author: Author,
    anki: Learner,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    first = author.write(autograd=AUTOGRAD).build()
    anki.get(first)
    studied = anki.study()
    before = first.read_bytes()

    def get_tokens(_lexer: Lexer, text: str) -> Iterator[tuple[_TokenType, str]]:
        yield String, f"{text}\n"

    monkeypatch.setattr(PythonLexer, "get_tokens", get_tokens)
    upgraded = tmp_path_factory.mktemp("upgraded")
    (upgraded / "pygments-99.0.dist-info").mkdir()
    monkeypatch.syspath_prepend(upgraded)
    versions.cache_clear()  # as in the next process
    second = author.build()
    versions.cache_clear()
    assert second.read_bytes() != before
    assert anki.get(second) == {"duplicate": 3}
    assert anki.progress == studied


def test_refresh_sends_a_fixed_rendering_to_everybody(author: Author, anki: Learner) -> None:
    anki.get(author.write(autograd=AUTOGRAD).build())
    studied = anki.study()
    assert anki.get(author.build(author.folder, "--refresh")) == {"updated": 3}
    assert anki.progress == studied


# A single edit


@pytest.mark.parametrize(
    "edited",
    [
        pytest.param(WHY.replace("memory and", "memory, time and power and"), id="answer"),
        pytest.param(WHY.replace("\n\n", "\n<!-- card: tags=memory -->\n\n", 1), id="tags"),
        pytest.param(WHY.replace("\n\n", "\n<!-- card: difficulty=hard -->\n\n", 1), id="difficulty"),
    ],
)
def test_one_edit_updates_one_note_and_keeps_reviews_and_the_learners_own_work(
    author: Author, anki: Learner, edited: str
) -> None:
    anki.get(author.write(autograd=AUTOGRAD).build())
    studied = anki.study()
    guids = author.guids
    anki.add_tag(guids["What is a leaf?"], "mine")
    anki.edit(guids["What is a hook?"], "Answer", "my own words")
    second = author.write(autograd=AUTOGRAD.replace(WHY, edited)).build()
    assert anki.get(second) == {"updated": 1, "duplicate": 2}
    assert anki.progress == studied
    assert author.guids == guids
    assert anki.collection.find_notes("tag:mine") != []
    assert anki.field(guids["What is a hook?"], "Answer") == "my own words"


def test_a_changed_picture_updates_the_notes_that_show_it_and_no_other(author: Author, anki: Learner) -> None:
    pictured = AUTOGRAD.replace("recorded.", "recorded.\n\n![a graph](graph.png)")
    pictured = pictured.replace("way back.", 'way back: <img src="graph.png" alt="a graph">')
    author.write(autograd=pictured)
    (author.folder / "graph.png").write_bytes(PNG)
    anki.get(author.build())
    studied = anki.study()
    leaf = author.guids["What is a leaf?"]
    anki.add_tag(leaf, "mine")
    anki.edit(leaf, "Answer", "my own words")
    (author.folder / "graph.png").write_bytes(PNG + b"\0")
    assert anki.get(author.build()) == {"updated": 2, "duplicate": 1}
    assert anki.progress == studied
    assert anki.collection.find_notes("tag:mine") != []
    assert anki.field(leaf, "Answer") == "my own words"
    assert list(anki.collection.media.check().missing) == []


# Rewording


@pytest.mark.parametrize("card", ["", "<!-- card: id=why -->\n\n"])
def test_a_reworded_question_is_the_same_note(author: Author, anki: Learner, card: str) -> None:
    old = WHY.replace("\n\n", f"\n{card or chr(10)}", 1)
    anki.get(author.write(autograd=AUTOGRAD.replace(WHY, old)).build())
    studied = anki.study()
    new = old.replace("Why `no_grad`?", "Why do you need `no_grad` here?")
    second = author.write(autograd=AUTOGRAD.replace(WHY, new)).build()
    assert anki.get(second) == {"updated": 1, "duplicate": 2}
    assert anki.progress == studied
    assert "</code> here?" in str(anki.questions.values())
    assert "1 changed (1 reworded)" in author.said


def test_reworded_and_rewritten_is_a_new_note_until_the_author_says_otherwise(
    author: Author, anki: Learner
) -> None:
    old = "## What is a leaf of a graph?\n\nA tensor.\n\n"
    sibling = "## What is a leaf of a tree?\n\nGreen.\n\n"
    new = "## What is a leaf of a graph, exactly?\n\nWhat you made yourself.\n\n"
    anki.get(author.write(autograd=f"# Autograd\n\n{old}{sibling}").build())
    studied = anki.study()
    guid = author.guids["What is a leaf of a graph?"]
    second = author.write(autograd=f"# Autograd\n\n{new}{sibling}").build()
    assert author.rules == ["maybe-reworded"]
    assert "autograd.md:3:4: warning[maybe-reworded] this note is new to learners" in author.said
    assert "resembles one that is gone: `What is a leaf of a graph?`" in author.said
    assert f"add `id={guid}` to its card comment" in author.said
    assert anki.get(second) == {"new": 1, "duplicate": 1}
    assert {g: p for g, p in anki.progress.items() if g in studied} == studied
    cured = new.replace("?\n", f"?\n<!-- card: id={guid} -->\n")
    assert anki.get(author.write(autograd=f"# Autograd\n\n{cured}{sibling}").build()) == {
        "updated": 1,
        "duplicate": 1,
    }
    assert "exactly" in anki.questions[guid]
    assert anki.progress[guid] == studied[guid]


def test_of_several_notes_that_are_gone_the_author_is_told_all_that_a_new_one_may_be(
    author: Author, anki: Learner
) -> None:
    graph = "## What is a leaf of a graph?\n\nA tensor.\n\n"
    tree = "## What is a leaf of a tree?\n\nGreen.\n\n"
    anki.get(author.write(autograd=f"# Autograd\n\n{graph}{tree}{WHY}").build())
    studied = anki.study()
    guids = author.guids
    new = "## What is a leaf of a computation?\n\nWhat you made yourself.\n\n"
    second = author.write(autograd=f"# Autograd\n\n{new}{WHY}").build()
    assert author.rules == ["maybe-reworded"]
    for question in ("What is a leaf of a graph?", "What is a leaf of a tree?"):
        assert f"`id={guids[question]}`" in author.said
        assert f"`{question}`" in author.said
    assert anki.get(second) == {"new": 1, "duplicate": 1}
    assert {guid: place for guid, place in anki.progress.items() if guid in studied} == studied


def test_an_old_wording_asked_again_is_a_separate_note(author: Author, anki: Learner) -> None:
    anki.get(author.write(autograd=AUTOGRAD).build())
    studied = anki.study()
    reworded = WHY.replace("Why `no_grad`?", "What good is inference without gradients?")
    author.write(autograd=AUTOGRAD.replace(WHY, reworded)).build()
    asked_again = "## Why `no_grad`?\n\nAsk your teacher.\n\n"
    third = author.write(autograd=AUTOGRAD.replace(WHY, reworded) + asked_again).build()
    assert anki.get(third) == {"new": 1, "updated": 1, "duplicate": 2}
    assert {guid: place for guid, place in anki.progress.items() if guid in studied} == studied
    assert len(set(author.guids.values())) == 4


def test_the_same_question_in_two_decks_is_two_notes(author: Author, anki: Learner) -> None:
    other = "# Optim\n\n## What is a hook?\n\nSomething to call before a step.\n"
    anki.get(author.write(autograd=AUTOGRAD, optim=other).build())
    studied = anki.study()
    assert len(studied) == 4
    edited = AUTOGRAD.replace("on the way back", "backwards"), other.replace("before", "after")
    assert anki.get(author.write(autograd=edited[0], optim=edited[1]).build()) == {
        "updated": 2,
        "duplicate": 2,
    }
    assert anki.progress == studied


# Order, files, decks


def test_swapping_inserting_and_deleting_notes_gives_no_schedule_to_another(
    author: Author, anki: Learner
) -> None:
    anki.get(author.write(autograd=AUTOGRAD).build())
    studied = anki.study()
    questions = anki.questions
    new = "## What is a node?\n\nA step of the graph.\n\n"
    second = author.write(autograd=f"# Autograd\n\n{HOOK}{new}{WHY}").build()
    assert anki.get(second) == {"new": 1, "duplicate": 2}
    assert {guid: place for guid, place in anki.progress.items() if guid in studied} == studied
    assert {guid: text for guid, text in anki.questions.items() if guid in studied} == questions


def test_renaming_a_file_with_a_heading_changes_nothing(author: Author, anki: Learner) -> None:
    anki.get(author.write(autograd=AUTOGRAD).build())
    studied = anki.study()
    assert anki.get(author.write(gradients=AUTOGRAD).build()) == {"duplicate": 3}
    assert anki.progress == studied


def test_splitting_a_file_makes_no_second_notes(author: Author, anki: Learner) -> None:
    anki.get(author.write(autograd=AUTOGRAD).build())
    studied = anki.study()
    second = author.write(autograd=f"# Autograd\n\n{WHY}", graphs=f"# Graphs\n\n{LEAF}{HOOK}").build()
    assert anki.get(second) == {"duplicate": 3}
    assert anki.progress == studied


def test_a_note_moved_to_another_deck_stays_with_its_schedule_where_the_learner_has_it(
    author: Author, anki: Learner
) -> None:
    anki.get(author.write(autograd=AUTOGRAD, optim="# Optim\n\n## What is a step?\n\nOne.\n").build())
    studied = anki.study()
    moved = f"# Optim\n\n## What is a step?\n\nOne.\n\n{HOOK}"
    second = author.write(autograd=AUTOGRAD.replace(HOOK, ""), optim=moved).build()
    assert author.rules == ["moved-notes"]
    assert "1 note moved from `PyTorch::Autograd` to `PyTorch::Optim`" in author.said
    assert anki.get(second) == {"duplicate": 4}
    assert anki.progress == studied


def test_a_note_moved_while_its_question_is_asked_again_gives_its_schedule_to_neither_without_the_author(
    author: Author, anki: Learner
) -> None:
    """The moved note could also be a copy, whose original got another answer."""
    optim = "# Optim\n\n## What is a step?\n\nOne.\n\n"
    anki.get(author.write(autograd=AUTOGRAD, optim=optim).build())
    studied = anki.study()
    guid = author.guids["What is a hook?"]
    asked_again = "## What is a hook?\n\nBent metal.\n\n"
    second = author.write(autograd=AUTOGRAD.replace(HOOK, asked_again), optim=optim + HOOK).build()
    assert author.rules == ["maybe-reworded", "maybe-reworded"]
    assert author.said.count(f"add `id={guid}` to its card comment") == 2
    assert anki.get(second) == {"new": 2, "duplicate": 3}
    assert {guid: place for guid, place in anki.progress.items() if guid in studied} == studied
    settled = HOOK.replace("?\n", f"?\n<!-- card: id={guid} -->\n")
    third = author.write(autograd=AUTOGRAD.replace(HOOK, asked_again), optim=optim + settled).build()
    assert anki.get(third) == {"duplicate": 5}
    assert anki.progress[guid] == studied[guid]
    assert "called on the way back" in anki.field(guid, "Answer")


def test_answers_that_are_swapped_stay_with_their_questions(author: Author, anki: Learner) -> None:
    why, hook = WHY.partition("\n\n")[2], HOOK.partition("\n\n")[2]
    anki.get(author.write(autograd=AUTOGRAD).build())
    studied = anki.study()
    questions = anki.questions
    swapped = f"# Autograd\n\n## Why `no_grad`?\n\n{hook}{LEAF}## What is a hook?\n\n{why}"
    assert anki.get(author.write(autograd=swapped).build()) == {"updated": 2, "duplicate": 1}
    assert anki.progress == studied
    assert anki.questions == questions


@pytest.mark.parametrize("heading", ["# Autograd\n\n", ""])
def test_a_renamed_deck_is_told_and_moved_with_the_search_that_diff_prints(
    author: Author, anki: Learner, heading: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A heading is changed, or a file without a heading is renamed."""
    monkeypatch.chdir(author.folder.parent)
    notes = f"{WHY}{LEAF}{HOOK}"
    optim = "# Optim\n\n## What is a step?\n\nOne.\n"
    anki.get(author.write(autograd=heading + notes, optim=optim).build())
    anki.study()
    schedules, guids = anki.schedules, author.guids
    shutil.copytree(author.folder, author.folder.parent / "last")
    second = author.write(gradients=heading.replace("Autograd", "Gradients") + notes, optim=optim).build()
    assert author.rules == ["moved-notes"]
    assert "3 notes moved from `PyTorch::Autograd` to `PyTorch::Gradients`" in author.said
    assert anki.get(second) == {"duplicate": 4}
    assert set(anki.decks()) == {"PyTorch::Autograd", "PyTorch::Optim"}
    (search,) = searches(author, "last")
    assert anki.move(search, "PyTorch::Gradients") == sorted(set(guids.values()) - {guids["What is a step?"]})
    assert set(anki.decks()) == {"PyTorch::Gradients", "PyTorch::Optim"}
    assert anki.schedules == schedules


@pytest.mark.parametrize("renames_first", [True, False])
def test_a_learner_who_renames_the_deck_first_as_diff_says_gets_no_second_one(
    author: Author, anki: Learner, monkeypatch: pytest.MonkeyPatch, *, renames_first: bool
) -> None:
    monkeypatch.chdir(author.folder.parent)
    optim = "# Optim\n\n## What is a step?\n\nOne.\n"
    anki.get(author.write(autograd=f"# Autograd\n\n{WHY}{LEAF}", optim=optim).build())
    anki.study()
    schedules = anki.schedules
    shutil.copytree(author.folder, author.folder.parent / "last")
    second = author.write(autograd=f"# 02 Autograd\n\n{WHY}{LEAF}{HOOK}", optim=optim).build()
    ran = author.run("diff", "last")
    steps = [line.strip() for line in ran.out.splitlines() if "before importing" in line]
    assert steps == ["before importing, rename PyTorch::Autograd to PyTorch::02 Autograd in Anki"]
    assert "Moved" not in ran.out
    if renames_first:
        anki.rename_deck("PyTorch::Autograd", "PyTorch::02 Autograd")
    assert anki.get(second) == {"new": 1, "duplicate": 3}
    assert {deck: len(guids) for deck, guids in anki.decks().items()} == (
        {"PyTorch::02 Autograd": 3, "PyTorch::Optim": 1}
        if renames_first
        else {"PyTorch::02 Autograd": 1, "PyTorch::Autograd": 2, "PyTorch::Optim": 1}
    )
    assert {guid: each for guid, each in anki.schedules.items() if guid in schedules} == schedules


def searches(author: Author, old: str) -> list[str]:
    """Return the searches that `ptcards diff` prints."""
    ran = author.run("diff", old)
    assert ran.status == 0, ran.err
    return [line.strip() for line in ran.out.splitlines() if line.strip().startswith(('"GUID:', '"deck:'))]


def test_ids_for_every_note_update_none(author: Author, anki: Learner) -> None:
    anki.get(author.write(autograd=AUTOGRAD).build())
    studied = anki.study()
    anki.add_tag(author.guids["What is a leaf?"], "mine")
    named = AUTOGRAD
    for id_, text in (("why", WHY), ("leaf", LEAF), ("hook", HOOK)):
        named = named.replace(text, text.replace("\n\n", f"\n<!-- card: id={id_} -->\n\n", 1))
    assert anki.get(author.write(autograd=named).build()) == {"duplicate": 3}
    assert "Built PyTorch: 3 notes, 3 cards in 0.00 s\n  build/" in author.said
    assert anki.progress == studied


# Kinds


def test_a_change_of_kind_is_an_update_in_place_and_only_reversed_adds_a_card(
    author: Author, anki: Learner
) -> None:
    head = "# Kinds\n\n## Which dtype is the default?\n"
    kinds = {
        "basic": f"{head}\n`float32`\n\nUnless you set another.\n",
        "choice": f"{head}\n- [ ] `float64`\n- [x] `float32`\n\nUnless you set another.\n",
        "typed": f"{head}<!-- card: kind=typed -->\n\n`float32`\n\nUnless you set another.\n",
        "reversed": f"{head}<!-- card: kind=reversed -->\n\n`float32`\n",
    }
    anki.get(author.write(kinds=kinds["basic"]).build())
    studied = anki.study()
    ((guid, before),) = studied.items()
    for kind in ("choice", "typed", "basic"):
        assert anki.get(author.write(kinds=kinds[kind]).build()) == {"updated": 1}
        assert anki.progress == studied
    assert anki.get(author.write(kinds=kinds["reversed"]).build()) == {"updated": 1}
    assert anki.progress[guid][:1] == before
    assert len(anki.progress[guid]) == 2


def test_basic_to_cloze_is_a_new_note_and_the_author_is_warned(author: Author, anki: Learner) -> None:
    anki.get(author.write(autograd=AUTOGRAD).build())
    studied = anki.study()
    cloze = HOOK.replace("A function", "A {{c1::function}}")
    second = author.write(autograd=AUTOGRAD.replace(HOOK, cloze)).build()
    assert author.rules == ["note-type-changed"]
    assert "\n  +1 new, −1 retired\n" in author.said
    assert anki.get(second) == {"new": 1, "duplicate": 2}
    assert {guid: place for guid, place in anki.progress.items() if guid in studied} == studied


def test_cloze_to_basic_is_a_new_note_and_back_is_the_first_again(author: Author, anki: Learner) -> None:
    cloze = HOOK.replace("A function", "A {{c1::function}}")
    anki.get(author.write(autograd=AUTOGRAD.replace(HOOK, cloze)).build())
    studied = anki.study()
    guid = author.guids["What is a hook?"]
    second = author.write(autograd=AUTOGRAD).build()
    assert author.rules == ["note-type-changed"]
    assert anki.get(second) == {"new": 1, "duplicate": 2}
    assert {guid: place for guid, place in anki.progress.items() if guid in studied} == studied
    third = author.write(autograd=AUTOGRAD.replace(HOOK, cloze)).build()
    assert author.guids["What is a hook?"] == guid
    assert anki.get(third) == {"duplicate": 3}
    assert {guid: place for guid, place in anki.progress.items() if guid in studied} == studied


def test_reversed_to_basic_leaves_the_second_card_and_its_reviews_to_the_learner(
    author: Author, anki: Learner
) -> None:
    both = HOOK.replace("?\n", "?\n<!-- card: kind=reversed -->\n")
    anki.get(author.write(autograd=AUTOGRAD.replace(HOOK, both)).build())
    studied = anki.study()
    guid = author.guids["What is a hook?"]
    assert len(studied[guid]) == 2
    assert anki.get(author.write(autograd=AUTOGRAD).build()) == {"updated": 1, "duplicate": 2}
    assert anki.progress == studied
    assert anki.get(author.write(autograd=AUTOGRAD.replace(HOOK, both)).build()) == {
        "updated": 1,
        "duplicate": 2,
    }
    assert anki.progress == studied


# Appearance


def schema(anki: Learner) -> int:
    """Return the time of the last change of note types that needs a full sync."""
    assert anki.collection.db is not None
    return int(anki.collection.db.scalar("select scm from col"))


def css(anki: Learner) -> str:
    found = anki.collection.models.by_name("PyTorch")
    assert found is not None
    return str(found["css"])


def test_changed_css_updates_the_note_type_and_no_note(author: Author, anki: Learner) -> None:
    anki.get(author.write(autograd=AUTOGRAD).build())
    studied = anki.study()
    before = schema(anki)
    (author.folder / "deck.toml").write_text('name = "PyTorch"\nid = "6f0c2c0e"\ncss = "own.css"\n')
    (author.folder / "own.css").write_text(".card { color: purple; }")
    assert anki.get(author.build()) == {"duplicate": 3}
    assert "purple" in css(anki)
    assert schema(anki) == before
    assert anki.progress == studied
    assert "new look" in author.said


def test_a_changed_template_updates_the_note_type_and_no_note(
    author: Author, anki: Learner, tmp_path: Path
) -> None:
    """Change the package as a later version of ptcards would."""
    anki.get(author.write(autograd=AUTOGRAD).build())
    studied = anki.study()
    before = schema(anki)
    later = tmp_path / "later"
    shutil.copytree(Path(__file__).parents[2] / "src" / "ptcards", later / "ptcards")
    template = later / "ptcards" / "anki" / "question.back.html"
    template.write_text(template.read_text() + "<i>later</i>")
    package = in_another_process(
        author.folder, tmp_path / "out", PYTHONPATH=str(later), SOURCE_DATE_EPOCH=str(FIRST_DAY + 9 * 86_400)
    )
    assert anki.get(package) == {"duplicate": 3}
    found = anki.collection.models.by_name("PyTorch")
    assert found is not None
    assert found["tmpls"][0]["afmt"].endswith("<i>later</i>")
    assert schema(anki) == before
    assert anki.progress == studied


# Removed and brought back


def test_a_removed_note_stays_with_the_learner_and_comes_back_under_its_guid(
    author: Author, anki: Learner
) -> None:
    anki.get(author.write(autograd=AUTOGRAD).build())
    studied = anki.study()
    guid = author.guids["What is a hook?"]
    assert anki.get(author.write(autograd=AUTOGRAD.replace(HOOK, "")).build()) == {"duplicate": 2}
    assert "1 retired" in author.said
    assert anki.progress == studied
    back = HOOK.replace("on the way back", "backwards")
    assert anki.get(author.write(autograd=AUTOGRAD.replace(HOOK, back)).build()) == {
        "updated": 1,
        "duplicate": 2,
    }
    assert author.guids["What is a hook?"] == guid
    assert "~1 changed, +1 back" in author.said
    assert anki.progress == studied
    assert "backwards" in anki.field(guid, "Answer")


def test_building_one_file_changes_and_retires_nothing_else(author: Author, anki: Learner) -> None:
    optim = "# Optim\n\n## What is a step?\n\nOne.\n\n## What is an epoch?\n\nMany.\n"
    anki.get(author.write(autograd=AUTOGRAD, optim=optim).build())
    studied = anki.study()
    lock = (author.folder / "deck.lock").read_text()
    author.write(autograd=AUTOGRAD.replace("memory", "power"), optim=optim.partition("## What is an e")[0])
    package = author.build(author.folder / "autograd.md")
    assert package.name == "pytorch-autograd.apkg"
    assert anki.get(package) == {"updated": 1, "duplicate": 2}
    assert anki.progress == studied
    after = (author.folder / "deck.lock").read_text()
    assert len(set(lock.splitlines()) ^ set(after.splitlines())) == 2
    assert "retired" not in after


# Names


def test_a_renamed_collection_leaves_cards_where_they_are_and_the_author_is_told(
    author: Author, anki: Learner
) -> None:
    anki.get(author.write(autograd=AUTOGRAD).build())
    studied = anki.study()
    (author.folder / "deck.toml").write_text('name = "Torch"\nid = "6f0c2c0e"\n')
    second = author.build()
    assert author.rules == ["renamed-collection"]
    assert "now called `Torch`; learners know it as `PyTorch`" in author.said
    assert anki.get(second) == {"duplicate": 3}
    assert anki.progress == studied
    assert set(anki.decks()) == {"PyTorch::Autograd"}


def renamed(author: Author) -> Path:
    """Publish under another name, with one more note."""
    shutil.copytree(author.folder, author.folder.parent / "last")
    author.name = "Torch"
    return author.write(autograd=f"{AUTOGRAD}## What is a node?\n\nA step.\n").build()


def test_a_learner_who_renames_the_deck_first_gets_new_cards_beside_the_old(
    author: Author, anki: Learner
) -> None:
    """Follow the advice that the warning asks authors to pass on to learners."""
    anki.get(author.write(autograd=AUTOGRAD).build())
    studied = anki.study()
    second = renamed(author)
    deck = anki.collection.decks.id_for_name("PyTorch")
    assert deck is not None
    anki.collection.decks.rename(deck, "Torch")
    assert anki.get(second) == {"new": 1, "duplicate": 3}
    assert {deck: len(guids) for deck, guids in anki.decks().items()} == {"Torch::Autograd": 4}
    assert {guid: place for guid, place in anki.progress.items() if guid in studied} == studied


def test_a_learner_who_imported_a_renamed_collection_gets_all_cards_together_with_the_search_that_diff_prints(
    author: Author, anki: Learner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(author.folder.parent)
    anki.get(author.write(autograd=AUTOGRAD).build())
    anki.study()
    schedules = anki.schedules
    assert anki.get(renamed(author)) == {"new": 1, "duplicate": 3}
    assert {deck: len(guids) for deck, guids in anki.decks().items()} == {
        "PyTorch::Autograd": 3,
        "Torch::Autograd": 1,
    }
    (search,) = searches(author, "last")
    assert anki.move(search, "Torch::Autograd") == sorted(schedules)
    assert set(anki.decks()) == {"Torch::Autograd"}
    assert {guid: place for guid, place in anki.schedules.items() if guid in schedules} == schedules


# Learners' changes


def test_what_a_learner_did_with_cards_survives_an_update_of_their_notes(
    author: Author, anki: Learner
) -> None:
    anki.get(author.write(autograd=AUTOGRAD).build())
    anki.study()
    why, leaf, hook = (
        anki.collection.find_cards(f'"GUID:{author.guids[question]}"')[0]
        for question in ("Why `no_grad`?", "What is a leaf?", "What is a hook?")
    )
    anki.collection.sched.suspend_cards([why])
    anki.collection.set_user_flag_for_cards(3, [leaf])
    anki.collection.set_deck([hook], anki.collection.decks.id("My own"))
    studied = anki.progress
    edited = AUTOGRAD.replace("memory and", "memory,").replace("import torch", "import os")
    package = author.write(autograd=edited.replace("way back", "way")).build()
    assert anki.get(package) == {"updated": 3}
    assert anki.progress == studied
    assert anki.collection.get_card(leaf).user_flag() == 3
    assert anki.decks().keys() == {"PyTorch::Autograd", "My own"}


def test_a_note_that_a_learner_deleted_comes_back_as_new(author: Author, anki: Learner) -> None:
    anki.get(author.write(autograd=AUTOGRAD).build())
    anki.study()
    guid = author.guids["What is a leaf?"]
    anki.collection.remove_notes(list(anki.collection.find_notes(f'"GUID:{guid}"')))
    kept = anki.progress
    assert anki.get(author.build()) == {"new": 1, "duplicate": 2}
    assert {g: cards for g, cards in anki.progress.items() if g != guid} == kept
    assert list(anki.collection.find_cards("is:new")) != []


def test_cards_of_a_deck_that_a_learner_renamed_stay_there_and_new_ones_come_under_the_authors_name(
    author: Author, anki: Learner
) -> None:
    anki.get(author.write(autograd=AUTOGRAD).build())
    studied = anki.study()
    deck = anki.collection.decks.id_for_name("PyTorch")
    assert deck is not None
    anki.collection.decks.rename(deck, "Mine")
    package = author.write(autograd=f"{AUTOGRAD}## What is a node?\n\nA step.\n").build()
    assert anki.get(package) == {"new": 1, "duplicate": 3}
    assert {guid: place for guid, place in anki.progress.items() if guid in studied} == studied
    assert {deck: len(guids) for deck, guids in anki.decks().items()} == {
        "Mine::Autograd": 3,
        "PyTorch::Autograd": 1,
    }


# Times


def test_times_increase_though_the_clock_goes_back_or_stands(author: Author, anki: Learner) -> None:
    anki.get(author.write(autograd=AUTOGRAD).build(now=FIRST_DAY))
    studied = anki.study()
    for number, now in enumerate((FIRST_DAY, FIRST_DAY, FIRST_DAY - 400 * 86_400)):
        edited = AUTOGRAD.replace("memory and", f"memory, {number} and")
        assert anki.get(author.write(autograd=edited).build(now=now)) == {"updated": 1, "duplicate": 2}
    assert anki.progress == studied
    assert author.rules == ["lock-ahead-of-clock"]


# Branches


def git(folder: Path, *arguments: str) -> str:
    settings = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    environment = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    command = ["git", "-C", str(folder), *settings, *arguments]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def test_two_branches_merge_without_a_conflict_and_nothing_is_lost(author: Author, anki: Learner) -> None:
    author.write(autograd=AUTOGRAD, optim="# Optim\n\n## What is a step?\n\nOne.\n")
    (author.folder / ".gitattributes").write_text("deck.lock merge=union\n")
    anki.get(author.build())
    studied = anki.study()
    base = author.guids
    git(author.folder, "init", "-q")
    git(author.folder, "add", ".")
    git(author.folder, "commit", "-qm", "base")
    git(author.folder, "checkout", "-qb", "theirs")
    optim = "# Optim\n\n## What is a step?\n\nTwo.\n\n## What is an epoch?\n\nMany.\n"
    author.write(autograd=AUTOGRAD.replace(HOOK, ""), optim=optim).build()
    theirs = author.guids
    git(author.folder, "commit", "-qam", "theirs")
    git(author.folder, "checkout", "-q", "main")
    edited = AUTOGRAD.replace("memory and", "memory, power and")
    mine = f"{edited}## What is a node?\n\nA step.\n"
    author.write(autograd=mine, optim="# Optim\n\n## What is a step?\n\nOne.\n").build()
    ours = author.guids
    git(author.folder, "commit", "-qam", "ours")
    subprocess.run(
        [
            "git",
            "-C",
            str(author.folder),
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "merge",
            "-q",
            "theirs",
        ],
        check=False,
        capture_output=True,
    )
    merged = mine.replace(HOOK, "")
    package = author.write(autograd=merged, optim=optim).build()
    assert author.guids == {
        question: guid for question, guid in (base | theirs | ours).items() if question != "What is a hook?"
    }
    assert anki.get(package) == {"new": 2, "updated": 2, "duplicate": 1}
    assert {guid: place for guid, place in anki.progress.items() if guid in studied} == studied
    lock, problems = read_lock(author.folder / "deck.lock", shown="", collection_id="6f0c2c0e")
    assert problems == []
    assert lock is not None
    assert {r.guid for r in lock.records} == {*base.values(), *theirs.values(), *ours.values()}


def test_a_build_folds_what_a_merge_left_in_the_lock(author: Author) -> None:
    author.write(autograd=AUTOGRAD).build()
    lock = author.folder / "deck.lock"
    clean = lock.read_text()
    lock.write_text(clean + with_digits(clean.partition("\n")[2].replace("\tlive", "\tretired")))
    author.build()
    assert lock.read_text() == clean


# A lost lock, and the order of writes


def test_without_the_lock_notes_keep_guids_that_can_be_derived(author: Author, anki: Learner) -> None:
    anki.get(author.write(autograd=AUTOGRAD).build())
    studied = anki.study()
    reworded = AUTOGRAD.replace("Why `no_grad`?", "What good is inference without gradients?")
    author.write(autograd=reworded).build()
    (author.folder / "deck.lock").unlink()
    package = author.build()
    assert author.said.splitlines()[0] == "Created deck.lock (commit it)"
    assert anki.get(package) == {"new": 1, "updated": 2}
    assert {guid: place for guid, place in anki.progress.items() if guid in studied} == studied


def test_a_build_that_fails_after_the_lock_is_repaired_by_the_next(author: Author, anki: Learner) -> None:
    (author.folder.parent / "blocked" / "pytorch.apkg").mkdir(parents=True)
    author.write(autograd=AUTOGRAD)
    environment = {"SOURCE_DATE_EPOCH": str(FIRST_DAY)}
    failed = author.run("build", author.folder, "-o", author.folder.parent / "blocked", env=environment)
    assert failed.status == 1
    lock = (author.folder / "deck.lock").read_text()
    package = author.build()
    assert (author.folder / "deck.lock").read_text() == lock
    assert anki.get(package) == {"new": 3}


@pytest.mark.slow
def test_builds_killed_at_any_moment_are_repaired_by_the_next(
    author: Author, anki: Learner, tmp_path: Path
) -> None:
    author.write(autograd=AUTOGRAD)
    command = [sys.executable, "-m", "ptcards", "build", str(author.folder), "-o", str(tmp_path / "build")]
    for wait in (0.0, 0.01):
        build = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while build.poll() is None and not (author.folder / "deck.lock").exists():
            time.sleep(0.001)
        time.sleep(wait)
        build.kill()
        build.wait()
    assert anki.get(author.build()) == {"new": 3}
    assert author.guids == {
        question: guid for question, guid in author.guids.items() if guid in anki.questions
    }
    assert [file.name for file in author.folder.iterdir() if file.name.startswith(".ptcards")] == []


@pytest.mark.slow
def test_two_builds_at_once_agree(author: Author, anki: Learner, tmp_path: Path) -> None:
    author.write(autograd=AUTOGRAD)
    command = [sys.executable, "-m", "ptcards", "build", str(author.folder), "-o", str(tmp_path / "build")]
    both = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for _ in range(2)]
    assert [build.wait() for build in both] == [0, 0]
    lock = (author.folder / "deck.lock").read_text()
    assert anki.get(author.build()) == {"new": 3}
    assert (author.folder / "deck.lock").read_text() == lock


def test_a_field_that_a_learner_added_keeps_updates_out_until_note_types_are_merged(
    author: Author, anki: Learner
) -> None:
    anki.get(author.write(autograd=AUTOGRAD).build())
    models = anki.collection.models
    note_type = models.by_name("PyTorch")
    assert note_type is not None
    models.add_field(note_type, models.new_field("Mine"))
    models.update_dict(note_type)
    guids = author.guids
    why, leaf = guids["Why `no_grad`?"], guids["What is a leaf?"]
    anki.edit(why, "Mine", "about why")
    anki.edit(leaf, "Mine", "about leaves")
    before = anki.study()
    # A release that is newer than the learner's edit of today.
    update = author.write(autograd=AUTOGRAD.replace("saves memory", "saves much memory")).build(
        now=int(time.time()) + 86_400
    )
    assert anki.get(update) == {"conflicting": 3}
    assert "saves memory" in anki.field(why, "Answer")
    assert anki.field(why, "Mine") == "about why"
    assert import_package(anki.collection, update, merge_note_types=True) == {"updated": 1, "duplicate": 2}
    assert "saves much memory" in anki.field(why, "Answer")
    assert (anki.field(why, "Mine"), anki.field(leaf, "Mine")) == ("", "about leaves")
    assert anki.progress == before


def test_a_learner_who_removes_the_field_misses_releases_and_one_who_merges_note_types_does_not(
    author: Author, anki: Learner
) -> None:
    models, now = anki.collection.models, int(time.time())
    anki.get(author.write(autograd=AUTOGRAD).build(now=now - 90))
    note_type = models.by_name("PyTorch")
    assert note_type is not None
    models.add_field(note_type, models.new_field("Mine"))
    models.update_dict(note_type)
    assert anki.collection.db is not None
    anki.collection.db.execute("UPDATE notes SET mod = ?", now - 60)  # the field was added a minute ago
    release = author.write(autograd=AUTOGRAD.replace("saves memory", "saves much memory")).build(now=now - 30)
    assert anki.get(release) == {"conflicting": 3}
    merged = import_package(anki.collection, release, merge_note_types=True)
    assert (merged, "saves much memory" in anki.field(author.guids["Why `no_grad`?"], "Answer")) == (
        {"updated": 1, "duplicate": 2},
        True,
    )
    # Without the field, the note type is the author's again, but Anki has given every note the present time.
    note_type = models.by_name("PyTorch")
    assert note_type is not None
    models.remove_field(note_type, note_type["flds"][-1])
    models.update_dict(note_type)
    release = author.write(autograd=AUTOGRAD.replace("saves memory", "saves most memory")).build(now=now - 20)
    assert anki.get(release) == {"duplicate": 3}
    assert "saves much memory" in anki.field(author.guids["Why `no_grad`?"], "Answer")
