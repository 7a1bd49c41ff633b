"""Editions: parts of a deck with files of their own, between which learners may change."""

import csv
import json
import re
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import pytest
from anki.collection import Collection
from anki.scheduler_pb2 import CardAnswer

from anki_backend import answer, assert_healthy, deck_counts, import_package, learner, notes_by_guid
from conftest import Ran

Write = Callable[[dict[str, str]], Path]
Run = Callable[..., Ran]

SETTINGS = """\
name = "Course"
id = "c0ffee"
license = "MIT"

[[editions]]
name = "short"
title = "The course in two weeks"
tags = ["path::1"]

[[editions]]
name = "later"
decks = ["Autograd"]
not = { tags = ["path::1"] }

[[editions]]
name = "basics"
sources = ["basics/"]
"""


def course(write: Write) -> Path:
    """Return a collection with three editions; two notes are in two of them."""
    return write(
        {
            "deck.toml": SETTINGS,
            "basics/tensors.md": (
                "# Tensors\n\n"
                "## What is a tensor?\n<!-- card: tags=path::1 -->\n\nAn array with a data type.\n\n"
                "## What is a stride?\n<!-- card: tags=path::2 -->\n\nA step in memory.\n"
            ),
            "autograd.md": (
                "# Autograd\n\n"
                "## What is a leaf?\n<!-- card: tags=Path::1::core kind=reversed -->\n\nA tensor without `grad_fn`.\n\n"
                "## What does `backward` do?\n<!-- card: tags=path::10 -->\n\nIt computes gradients.\n"
            ),
        }
    )


def questions(file: Path) -> list[str]:
    """Return the questions in a CSV file, in order."""
    with file.open(encoding="utf-8-sig") as stream:
        return [row["question"] for row in csv.DictReader(stream)]


def test_an_edition_has_the_notes_that_match_each_of_its_keys(write: Write, ptcards: Run) -> None:
    root = course(write)
    assert ptcards("build", root, "--editions", "--format", "csv").err == (
        "Created deck.lock (commit it)\n"
        "Built Course, short: 2 notes, 3 cards in 0.00 s\n"
        "  +4 new\n"
        "  build/course-short.csv  1 kB\n"
        "Built Course, later: 1 note, 1 card in 0.00 s\n"
        "  build/course-later.csv  1 kB\n"
        "Built Course, basics: 2 notes, 2 cards in 0.00 s\n"
        "  build/course-basics.csv  1 kB\n"
    )
    assert {file.stem: questions(file) for file in sorted((root / "build").glob("*.csv"))} == {
        "course-basics": ["What is a tensor?", "What is a stride?"],
        "course-later": ["What does `backward` do?"],
        "course-short": ["What is a leaf?", "What is a tensor?"],
    }


@pytest.mark.parametrize("edition", ["short", "later", "basics"])
def test_a_build_of_an_edition_writes_the_lock_of_all_notes(edition: str, write: Write, ptcards: Run) -> None:
    root = course(write)
    assert ptcards("build", root, "--edition", edition).status == 0
    lock = (root / "deck.lock").read_text("utf-8")
    ptcards("build", root)
    assert (root / "deck.lock").read_text("utf-8") == lock
    assert lock.count("What ") == 4


def test_two_editions_never_have_unlike_texts_for_a_note(write: Write, ptcards: Run, tmp_path: Path) -> None:
    root = course(write)
    for options in (["--editions"], []):
        assert ptcards("build", root, *options).status == 0
    found: dict[str, set[tuple[object, ...]]] = {}
    for package in sorted((root / "build").glob("*.apkg")):
        with learner(tmp_path / package.stem) as collection:
            import_package(collection, package)
            for guid, note in notes_by_guid(collection).items():
                decks = tuple(collection.decks.name(card.did) for card in note.cards())
                found.setdefault(guid, set()).add((note.mod, note.mid, *note.fields, *note.tags, *decks))
    assert [len(found[guid]) for guid in found] == [1, 1, 1, 1]


@pytest.mark.parametrize("order", list(permutations(["course-short", "course", "course-later"])))
def test_a_learner_who_changes_the_edition_keeps_every_review(
    order: tuple[str, ...], write: Write, ptcards: Run, tmp_path: Path
) -> None:
    root = course(write)
    for options in (["--editions"], []):
        assert ptcards("build", root, *options).status == 0
    notes = {"course-short": 2, "course": 4, "course-later": 1}
    with learner(tmp_path / "learner") as collection:
        for package in order:
            before = studied(collection)
            known = set(notes_by_guid(collection))
            outcome = import_package(collection, root / "build" / f"{package}.apkg")
            now = set(notes_by_guid(collection))
            new = {"new": len(now - known)} if now - known else {}
            same = notes[package] - len(now - known)
            assert outcome == new | ({"duplicate": same} if same else {})
            assert studied(collection) == before
            for card in collection.find_cards("is:new"):
                answer(collection, card, CardAnswer.EASY)
        assert_healthy(collection)
        assert collection.card_count() == 5
        assert deck_counts(collection) == {
            "Course": 0,
            "Course::Autograd": 3,
            "Course::Basics": 0,
            "Course::Basics::Tensors": 2,
        }


def studied(collection: Collection) -> dict[int, list[tuple[int, int]]]:
    """Return the state and the reviews of each card that was studied."""
    assert collection.db is not None
    rows = collection.db.all("SELECT cid, c.ivl, c.reps FROM revlog JOIN cards c ON c.id = cid ORDER BY cid")
    return {card: [(interval, reviews)] for card, interval, reviews in rows}


def test_the_study_page_of_an_edition_has_its_title_and_the_id_of_the_deck(
    write: Write, ptcards: Run
) -> None:
    root = course(write)
    assert ptcards("build", root, "--edition", "short", "--edition", "later", "--format", "html").status == 0
    titles = {}
    for name in ("short", "later"):
        page = (root / "build" / f"course-{name}.html").read_text("utf-8")
        data = json.loads(re.findall(r'<script[^>]* id="data"[^>]*>(.*?)</script>', page, re.DOTALL)[0])
        titles[name] = (re.findall("<title>(.*?)</title>", page)[0], data["name"], data["id"], data["decks"])
    assert titles == {
        "short": (
            "The course in two weeks",
            "The course in two weeks",
            "c0ffee",
            ["Course::Autograd", "Course::Basics::Tensors"],
        ),
        "later": ("Course", "Course", "c0ffee", ["Course::Autograd"]),
    }


def test_only_builds_the_notes_with_a_tag(write: Write, ptcards: Run) -> None:
    root = course(write)
    assert ptcards("build", root, "--only", "path::1", "--format", "csv").status == 0
    assert [file.name for file in (root / "build").glob("*.csv")] == ["course-path-1.csv"]
    assert questions(root / "build" / "course-path-1.csv") == ["What is a leaf?", "What is a tensor?"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--edition", "shart"], "error: there is no edition `shart`\nhelp: did you mean `short`?\n"),
        (["--only", "path::3"], "error: no note has the tag `path::3`\nhelp: did you mean `path::2`?\n"),
        (
            ["--editions", "--only", "path::1"],
            "error: `--edition`, `--editions` and `--only` each say what to build: use one of them\n",
        ),
    ],
)
def test_an_edition_that_does_not_exist_is_an_error(
    options: list[str], said: str, write: Write, ptcards: Run
) -> None:
    root = course(write)
    ran = ptcards("build", root, *options)
    assert (ran.status, ran.err[-len(said) :]) == (2, said)
    assert not (root / "build").exists()
    assert not (root / "deck.lock").exists()


def test_a_selection_without_a_note_of_the_edition_is_an_error(write: Write, ptcards: Run) -> None:
    root = course(write)
    assert ptcards("build", root / "autograd.md", "--edition", "basics").err == (
        "error: none of these files has a note of the edition\n"
        "help: correct it in `deck.toml`, or name the collection's folder instead of files in it\n"
    )


def test_a_deck_without_editions_says_how_to_define_one(write: Write, ptcards: Run) -> None:
    root = course(write)
    write({"deck.toml": 'name = "Course"\nid = "c0ffee"\nlicense = "MIT"\n'})
    for options, what in (
        (["--editions"], "there are no editions"),
        (["--edition", "x"], "there is no edition `x`"),
    ):
        assert ptcards("build", root, *options).err == (
            f"error: {what}\nhelp: add a table `[[editions]]` to `deck.toml`\n"
        )


@pytest.mark.parametrize(
    ("entry", "line", "said"),
    [
        (
            'name = "x"\ntag = ["path::1"]',
            8,
            "unknown-key] unknown key `tag` in `[[editions]]`\nhelp: did you mean `tags`?",
        ),
        ('name = "../x"', 7, 'wrong-value] `../x` cannot be in the name of a file\nhelp: write `name = "x"`'),
        (
            'name = "a"',
            7,
            "wrong-value] `a` is the name of another edition or of a language\nhelp: give this edition another name",
        ),
        (
            'tags = ["path::1"]',
            6,
            'missing-key] `name` is missing\nhelp: add `name = "…"`, which the names of its files end with',
        ),
        (
            'name = "x"\ntags = []',
            8,
            'wrong-value] `tags` must be a list of 1 to 100 strings\nhelp: write `tags = ["…", "…"]`',
        ),
        (
            'name = "x"\nnot = { tag = ["a"] }',
            8,
            'wrong-value] `not` must be a table with `tags`, `decks` or `sources`\nhelp: write `not = { tags = ["…"] }`',
        ),
    ],
)
def test_a_mistake_is_reported_in_its_own_entry(
    entry: str, line: int, said: str, write: Write, ptcards: Run
) -> None:
    root = course(write)
    write(
        {
            "deck.toml": 'name = "Course"\nid = "c0ffee"\nlicense = "MIT"\n'
            f'[[editions]]\nname = "a"\n[[editions]]\n{entry}\n[[editions]]\nname = "b"\ntags = ["path"]\n'
        }
    )
    ran = ptcards("check", root)
    column = 3 if "missing-key" in said else 1
    message, _, fix = said.partition("\nhelp: ")
    assert ran.status == 2
    assert f"deck.toml:{line}:{column}: error[{message}\n" in ran.out
    assert f"help: {fix}\n" in ran.out
    assert "\n1 error, " in ran.out


@pytest.mark.parametrize(
    ("keys", "key"), [('tags = ["path::9"]', "tags"), ('not = { decks = ["Basics", "autograd"] }', "not")]
)
def test_an_edition_without_notes_is_a_warning_until_it_is_built(
    keys: str, key: str, write: Write, ptcards: Run
) -> None:
    root = course(write)
    write({"deck.toml": f'{SETTINGS}\n[[editions]]\nname = "x"\n{keys}\n'})
    out = ptcards("check", root).out
    assert out.startswith("deck.toml:20:1: warning[empty-edition] no note is in the edition `x`\n")
    assert f"= help: correct `{key}`, or remove the edition\n" in out
    assert ptcards("build", root).status == 0
    assert ptcards("diff", root, root).status == 0
    assert ptcards("build", root, "--editions").err.count("Built") == 3
    assert ptcards("build", root, "--edition", "x").err.endswith(
        "error: none of these files has a note of the edition\n"
        "help: correct it in `deck.toml`, or name the collection's folder instead of files in it\n"
    )
