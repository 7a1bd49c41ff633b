"""`ptcards reviews` reports what learners' reviews show about notes.

Learners study with Anki's own scheduler, and the figures are compared with its statistics.
"""

import base64
import hashlib
import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from anki.collection import Collection
from anki.scheduler_pb2 import CardAnswer
from click.testing import CliRunner

from anki_backend import import_package, learner, notes_by_guid
from ankiconnect import anki_connect
from conftest import Ran
from handmade import a_note, choice
from packages import a_database, as_oldest, write_zip
from ptcards.cli import main
from ptcards.diagnostics import Location
from ptcards.extensions.desktop.reviews import (
    Figures,
    Reviewed,
    ReviewSummary,
    reason_for,
    similar_failures,
    studied,
)
from ptcards.extensions.desktop.reviews.review_report import as_html, as_values
from ptcards.notes import Kind, Note, Text
from ptcards.notes.labels import interface
from ptcards.notes.rendered import Media
from ptcards.workspace import ReadOptions, Workspace
from pushing import World, anki, pushed, query, shared, world
from studying import export, future_due, study, true_retention

__all__ = ["anki", "pushed", "shared", "world"]

Run = Callable[..., Ran]
TOML = 'name = "Mini"\nid = "abcdef12"\n'
LONG = " ".join(f"word{n}" for n in range(41))
SOURCE = f"""\
# Alpha

## What is a0?

{LONG}

## What is a1?

Short.

## What is a2?

Never asked.

# Beta

## What is b0?

Fine.

## What is b1?
<!-- card: id=slow -->

Slow.
"""
FORMATS = ("anki2", "anki21", "anki21b", "colpkg")


@pytest.fixture(scope="module")
def decks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create a deck in `cards/`, Anna's packages in all formats, an earlier one of hers, and one of Ben's."""
    folder = tmp_path_factory.mktemp("reviews")
    (folder / "cards").mkdir()
    (folder / "cards/deck.toml").write_text(TOML)
    (folder / "cards/a.md").write_text(SOURCE)
    built = CliRunner().invoke(main, ["build", str(folder / "cards"), "-o", str(folder)])
    assert built.exit_code == 0, built.output
    with learner(folder / "anna") as anna:
        anna.set_config("fsrs", True)
        import_package(anna, folder / "mini.apkg")
        export(anna, folder / "unstudied.apkg", scheduling=False)
        study(anna, "a0", CardAnswer.AGAIN, CardAnswer.AGAIN, CardAnswer.GOOD)
        export(anna, folder / "earlier.apkg")
        study(anna, "a0", CardAnswer.AGAIN, CardAnswer.AGAIN, new=False)
        study(anna, "b1", *[CardAnswer.GOOD] * 4, CardAnswer.HARD, seconds=45)
        study(anna, "b0", CardAnswer.GOOD)
        expected = {
            "guids": {
                guid: note.fields[0][len('<p class="heading">') : -4]
                for guid, note in notes_by_guid(anna).items()
            },
            "kept": true_retention(anna),
            "due": future_due(anna),
            "difficulty": {key: _difficulty(anna, key) for key in ("a0", "b0", "b1")},
        }
        (folder / "expected.json").write_text(json.dumps(expected))
        export(anna, folder / "deck-anki21b.apkg")
        export(anna, folder / "deck-anki21.apkg", legacy=True)
        as_oldest(folder / "deck-anki21.apkg", folder / "deck-anki2.apkg")
        anna.export_collection_package(str(folder / "deck-colpkg.apkg"), include_media=True, legacy=False)
    with learner(folder / "ben") as ben:
        import_package(ben, folder / "mini.apkg")
        study(ben, "a0", CardAnswer.GOOD, CardAnswer.AGAIN)
        study(ben, "a1", CardAnswer.GOOD)
        tag_as_leech(ben, "a0")
        export(ben, folder / "ben.apkg")
    return folder


def _difficulty(collection: Collection, key: str) -> float:
    """Return the difficulty that Anki's window about a card shows, from 0 to 1."""
    (note,) = (each for each in notes_by_guid(collection).values() if f" {key}?" in each.fields[0])
    state = collection.get_card(note.cards()[0].id).memory_state
    assert state is not None
    return float(round((state.difficulty - 1) / 9, 4))


def tag_as_leech(collection: Collection, key: str) -> None:
    (note,) = (each for each in notes_by_guid(collection).values() if f" {key}?" in each.fields[0])
    note.add_tag("leech")
    collection.update_note(note)


@pytest.fixture
def reviews(decks: Path, monkeypatch: pytest.MonkeyPatch, ptcards: Run) -> Callable[..., Ran]:
    """Run `ptcards reviews` next to the deck and the packages."""
    monkeypatch.chdir(decks)
    return lambda *arguments: ptcards("reviews", *arguments)


LINE = f"{LONG[:73]}…"
A0 = f"cards/a.md:3: What is a0?\n  answer: {LINE}\n  fails 4 of 5 times; 41 words to recall: split it\n"
B1 = "cards/a.md:21: What is b1?\n  answer: Slow.\n  takes 45 s; add a hint, or ask more precisely\n"


@pytest.mark.parametrize("form", FORMATS)
def test_the_notes_that_fail_come_first_whatever_the_format_of_the_package(
    reviews: Run, decks: Path, form: str
) -> None:
    shares = json.loads((decks / "expected.json").read_text())["difficulty"]
    a0, b0, b1 = (f"difficulty {100 * shares[key]:.0f}%" for key in ("a0", "b0", "b1"))
    expected = (
        "Mini: 11 reviews of 3 of 5 notes, true retention 64%\n\n"
        f"{A0}  retention 20%, 5 reviews, 4 lapses, 7 s, {a0}\n\n"
        f"{B1}  retention 100%, 5 reviews, 0 lapses, 45 s, {b1}\n"
    )
    b0 = f"\ncards/a.md:17: What is b0?\n  answer: Fine.\n  retention 100%, 1 review, 0 lapses, 7 s, {b0}\n"
    assert reviews(f"deck-{form}.apkg") == Ran(0, expected, "")
    assert reviews(f"deck-{form}.apkg", "-v") == Ran(0, expected + b0, "")


def test_programs_get_every_note_and_the_figures_are_those_of_anki(reviews: Run, decks: Path) -> None:
    expected = json.loads((decks / "expected.json").read_text())
    (count, failed), shares = expected["kept"], expected["difficulty"]
    ran = reviews("deck-anki21b.apkg", "--format", "json")
    found = json.loads(ran.out)
    assert {each.pop("guid"): each["question"] for each in found["notes"]} == expected["guids"]
    assert [each.pop("answer") for each in found["notes"]] == [
        LINE,
        "Slow.",
        "Fine.",
        "Short.",
        "Never asked.",
    ]
    assert [each.pop("key") for each in found["notes"]] == [
        "what-is-a0",
        "slow",
        "what-is-b0",
        "what-is-a1",
        "what-is-a2",
    ]
    assert found == {
        "name": "Mini",
        "packages": 1,
        "reviews": count,
        "failed": failed,
        "retention": 0.6364,
        "decks": [
            {"deck": "Mini::Alpha", "reviews": 5, "failed": 4, "retention": 0.2},
            {"deck": "Mini::Beta", "reviews": 6, "failed": 0, "retention": 1.0},
        ],
        "forecast": [expected["due"].get(str(day), 0) for day in range(30)],
        "notes": [
            _entry(
                "a0",
                3,
                **_figures(5, 4, 7.0, shares["a0"]),
                lapses=4,
                reason="fails 4 of 5 times; 41 words to recall: split it",
            ),
            _entry(
                "b1",
                21,
                **_figures(5, 0, 45.0, shares["b1"]),
                reason="takes 45 s; add a hint, or ask more precisely",
            ),
            _entry("b0", 17, **_figures(1, 0, 7.0, shares["b0"])),
            _entry("a1", 7),
            _entry("a2", 11),
        ],
    }
    assert ran.err == ""


def _entry(key: str, line: int, **given: Any) -> dict[str, Any]:
    """Return a note as the JSON report shows it, without reviews except for the given values."""
    return {
        "deck": "Mini::Alpha" if key.startswith("a") else "Mini::Beta",
        "question": f"What is {key}?",
        "path": "cards/a.md",
        "line": line,
        "lapses": 0,
        "leech": False,
        "reason": "",
        **_figures(0, 0, None, None),
        **given,
    }


def _figures(reviews: int, failed: int, seconds: float | None, difficulty: float | None) -> dict[str, Any]:
    return {
        "reviews": reviews,
        "failed": failed,
        "retention": round(1 - failed / reviews, 4) if reviews else None,
        "median_seconds": seconds,
        "fsrs_difficulty": difficulty,
    }


def test_reviews_of_several_learners_are_added_up_and_an_earlier_export_counts_once(reviews: Run) -> None:
    anna, both = reviews("deck-anki21b.apkg"), reviews("ben.apkg", "deck-anki21b.apkg")
    assert both.out.splitlines()[:6] == [
        "Mini: 14 reviews of 4 of 5 notes, true retention 64%",
        "",
        "cards/a.md:3: What is a0?",
        f"  answer: {LINE}",
        "  fails 5 of 7 times; 41 words to recall: split it",
        both.out.splitlines()[5],
    ]
    assert both.out.splitlines()[5].startswith("  retention 29%, 7 reviews, 5 lapses, 7 s, difficulty ")
    assert both.out.splitlines()[5].endswith("%, leech")
    assert reviews("deck-anki21.apkg", "earlier.apkg", "deck-anki21b.apkg", "earlier.apkg") == anna


def test_the_open_anki_is_asked_by_a_copy_that_is_gone_afterwards(
    reviews: Run, decks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "state").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "state"))
    monkeypatch.setattr("tempfile.tempdir", None)
    with anki_connect(decks / "anna") as anki:
        monkeypatch.setenv("PTCARDS_ANKI_URL", anki.url)
        before = anki.col.mod
        assert reviews() == reviews("deck-anki21b.apkg")
        assert {*anki.asked} == {
            "getActiveProfile",
            "getMediaDirPath",
            "findCards",
            "getDecks",
            "exportPackage",
        }
        assert anki.col.mod == before
    assert list((tmp_path / "state").iterdir()) == []
    (tmp_path / "empty").mkdir()
    with anki_connect(tmp_path / "empty") as anki:
        monkeypatch.setenv("PTCARDS_ANKI_URL", anki.url)
        help_text = "run `ptcards push`, or import the package that `ptcards build` writes"
        assert reviews() == Ran(1, "", f"error: Anki has no notes of this collection\nhelp: {help_text}\n")
    refused = reviews()
    assert (refused.status, refused.out) == (1, "")
    assert refused.err.startswith("error: nothing answers at 127.0.0.1:")


def test_an_anki_that_was_pushed_to_says_what_its_reviews_say(
    pushed: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    pushed.do("study", query("a0"), days="0")
    pushed.do("study", query("a0"))
    monkeypatch.chdir(pushed.folder)
    assert pushed.run("reviews", "-v") == Ran(
        0,
        "Mini: 1 review of 1 of 14 notes, true retention 100%\n"
        "nothing to fix: no note with 5 reviews or more fails often\n\n"
        "a.md:3: What is a0?\n  answer: first 0\n  retention 100%, 1 review, 0 lapses, 0 s\n",
        "",
    )


def test_packages_without_reviews_of_these_notes_are_named(
    reviews: Run, decks: Path, write: Callable[..., Path], ptcards: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "warning[no-reviews] no reviews in the package\n  = help: export the deck again with scheduling information\n\n1 warning\n"
    assert reviews("unstudied.apkg") == Ran(1, "Mini: no reviews yet\n", f"unstudied.apkg: {said}")
    some = reviews("unstudied.apkg", "ben.apkg")
    assert (some.status, some.err) == (0, f"unstudied.apkg: {said}")
    folder = write(
        {"other/deck.toml": 'name = "Other"\nid = "other123"\n', "other/a.md": "## What is it?\n\nIt.\n"}
    )
    monkeypatch.chdir(folder / "other")
    assert ptcards("reviews", decks / "ben.apkg") == Ran(
        1,
        "Other: no reviews yet\n",
        f"{decks}/ben.apkg: warning[no-reviews] no reviews of notes in these sources\n"
        "  = help: run the command in the folder of the deck that was studied\n\n1 warning\n",
    )


LOG = "CREATE TABLE revlog (id INTEGER PRIMARY KEY, cid, usn, ease, ivl, lastIvl, factor, time, type)"
SCHEDULES = (
    "ALTER TABLE col ADD COLUMN crt DEFAULT 0",
    "ALTER TABLE col ADD COLUMN mod DEFAULT 0",
    *(
        f"ALTER TABLE cards ADD COLUMN {name} DEFAULT 0"
        for name in ("lapses", "type", "queue", "due", "odue", "data")
    ),
)


@pytest.mark.parametrize(
    ("statements", "said"),
    [
        ((), "its database cannot be read (no such column: crt)"),
        (
            (*SCHEDULES, "UPDATE cards SET lapses = 'x'"),
            "card 1 has values of the wrong type, or no note",
        ),
        ((*SCHEDULES, "UPDATE cards SET nid = 9"), "card 1 has values of the wrong type, or no note"),
        ((*SCHEDULES, "UPDATE col SET mod = 'x'"), "its database was not written by Anki"),
        (
            (*SCHEDULES, LOG, "INSERT INTO revlog VALUES (5, 1, 0, 3, 1, 'x', 0, 7000, 1)"),
            "the review log of card 1 has values of the wrong type",
        ),
        ((*SCHEDULES, "CREATE VIEW RevLog AS SELECT 1 AS cid"), "`RevLog` is not a table"),
        ((*SCHEDULES, LOG[:-1] + ", more AS (hex(zeroblob(9))))"), "`revlog` has computed columns"),
    ],
)
def test_damaged_and_hostile_packages_are_refused(
    reviews: Run, tmp_path: Path, statements: tuple[str, ...], said: str
) -> None:
    file = write_zip(tmp_path / "deck.apkg", {"collection.anki2": a_database(tmp_path, *statements)})
    ran = reviews(file)
    assert (ran.status, ran.out, ran.err.partition("\n")[0]) == (
        2,
        "",
        f"deck.apkg: error[damaged-package] the package is damaged: {said}",
    )


def test_odd_data_of_a_card_and_answers_to_cards_that_are_gone_do_no_harm(
    reviews: Run, tmp_path: Path
) -> None:
    guid = json.loads(reviews("ben.apkg", "--format", "json").out)["notes"][0]["guid"]
    log = [
        f"INSERT INTO revlog VALUES ({n}, {card}, 0, 3, 4, 4, 0, 7000, 1)"
        for n, card in ((5, 1), (6, -3), (7, 8))
    ]
    odd = [f"UPDATE notes SET guid = '{guid}'", "UPDATE cards SET type = 2, due = 5, lapses = -4"]
    expected = None
    for data in ("", "{", "7", '{"d": "x"}', '{"d": 11}', '{"d": NaN}', "{}"):
        database = a_database(tmp_path, *SCHEDULES, LOG, *log, *odd, f"UPDATE cards SET data = '{data}'")
        ran = reviews(write_zip(tmp_path / "deck.apkg", {"collection.anki2": database}), "--format", "json")
        assert ran.status == 0
        expected = expected or ran.out
        assert ran.out == expected
    first = json.loads(expected or "")["notes"][0]
    assert (first["reviews"], first["lapses"], first["fsrs_difficulty"]) == (1, 0, None)


def test_a_mistake_in_the_sources_comes_before_the_reviews(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, ptcards: Run, decks: Path
) -> None:
    monkeypatch.chdir(
        write({"cards/deck.toml": TOML, "cards/a.md": "## What is a0?\n<!-- card: kind=odd -->\n\nIt.\n"})
    )
    ran = ptcards("reviews", decks / "ben.apkg")
    assert (ran.status, ran.out, ran.err.partition("\n")[0]) == (
        1,
        "",
        "cards/a.md:2:17: error[unknown-kind] unknown kind `odd`",
    )
    assert ptcards("reviews", "none.apkg").status == 2


def test_any_review_log_gives_the_true_retention_of_ankis_own_statistics(
    reviews: Run, decks: Path, tmp_path: Path
) -> None:
    choose = random.Random(7)
    with learner(tmp_path / "profile") as collection:
        import_package(collection, decks / "mini.apkg")
        cards = list(collection.find_cards(""))
        rows = [
            (
                1_700_000_000_000 + number,
                choose.choice(cards),
                choose.randrange(5),
                choose.choice((-90_000, -86_400, -86_399, -600, 0, 1, 2, 20, 21, 90)),
                choose.choice((0, 0, 2500)),
                choose.randrange(6),
            )
            for number in range(600)
        ]
        collection.db.executemany("INSERT INTO revlog VALUES (?, ?, 0, ?, 1, ?, ?, 5000, ?)", rows)
        expected = true_retention(collection)
        export(collection, tmp_path / "odd.apkg")
    found = json.loads(reviews(tmp_path / "odd.apkg", "--format", "json").out)
    assert (found["reviews"], found["failed"]) == expected
    assert expected[0] > 100 < sum(each["reviews"] for each in found["notes"])


FAILING = Figures(reviews=10, failed=4, lapses=4, seconds=8.0)


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        (Figures(reviews=4, failed=4), ""),
        (Figures(reviews=5, failed=1), ""),
        (Figures(reviews=5, failed=2), "fails 2 of 5 times"),
        (Figures(reviews=100, failed=20), ""),
        (Figures(reviews=100, failed=21), "fails 21 of 100 times"),
        (Figures(reviews=90, failed=9, lapses=9, is_leech=True), "a leech with 9 lapses"),
        (Figures(reviews=9, seconds=29.9), ""),
        (Figures(reviews=9, seconds=30.0), "takes 30 s"),
    ],
)
def test_a_note_has_a_reason_from_five_reviews_on(figures: Figures, said: str) -> None:
    assert reason_for(a_note("What?", "It."), figures) == (
        said and f"{said}; add a hint, or ask more precisely"
    )


@pytest.mark.parametrize(
    ("note", "advice"),
    [
        (a_note("What?", "word " * 25), "25 words to recall: split it"),
        (a_note("What?", f"```text\n{'word ' * 30}\n```"), "add a hint, or ask more precisely"),
        (a_note("How?", "```text\n" + "x\n" * 8 + "```"), "8 lines of code to recall: ask for one of them"),
        (a_note("What?", "word " * 24, hint="One."), "ask more precisely"),
        (a_note("word " * 20, "It.", question="word " * 20), "40 words to read: shorten the question"),
        (
            a_note("", f"So {{{{c1::{'word ' * 31}}}}} and {{{{c2::this::word word}}}}.", kind=Kind.CLOZE),
            "31 words to recall: split it",
        ),
        (
            a_note("", f"{'word ' * 60} {{{{c1::this}}}}.", kind=Kind.CLOZE),
            "give the deletion a hint: `{{c1::text::hint}}`",
        ),
        (
            a_note("", "word {{c1::this::a hint}}.", kind=Kind.CLOZE),
            "ask more precisely",
        ),
        (a_note("What?", "- one\n- two\n3. three"), "3 items to recall: ask for one of them"),
        (a_note("What?", "It is. It was."), "2 sentences to recall: move what is not asked to `### Details`"),
        (
            a_note("Wie?", "Durch zwei Erklärungen (z. B. Art. 20 Abs. 3, §§ 145 ff. BGB), vgl. dort."),
            "add a hint, or ask more precisely",
        ),
        (a_note("What?", "E.g. by an offer, i.e. a promise."), "add a hint, or ask more precisely"),
        (
            a_note("What?", kind=Kind.CHOICE, choices=(choice("Yes.", right=True), choice("No."))),
            "1 wrong option without a comment: say why",
        ),
        (
            a_note("What?", kind=Kind.CHOICE, choices=(choice("Yes.", right=True), choice("No.", "It is."))),
            "make the wrong options easier to tell from the right one",
        ),
        (
            a_note("What?", kind=Kind.CHOICE, choices=(*[choice("Yes.", right=True)] * 3, choice("No."))),
            "3 right options: ask for one",
        ),
        (
            a_note("What?", kind=Kind.CHOICE, choices=(choice("Yes.", right=True), *[choice("No.")] * 5)),
            "6 options: leave out the weakest",
        ),
    ],
)
def test_the_advice_comes_from_the_text(note: Note, advice: str) -> None:
    assert reason_for(note, FAILING) == f"fails 4 of 10 times; {advice}"


@pytest.mark.parametrize(
    ("kind", "by_card", "advice"),
    [
        (
            Kind.REVERSED,
            {0: (5, 0), 1: (5, 4)},
            "the reversed card fails 4 of 5 times, the rest 0 of 5: use `kind=basic`",
        ),
        (
            Kind.REVERSED,
            {0: (6, 3), 1: (4, 1)},
            "the first card fails 3 of 6 times, the rest 1 of 4: ask more precisely",
        ),
        (Kind.REVERSED, {0: (5, 2), 1: (5, 2)}, "add a hint, or ask more precisely"),
        (Kind.REVERSED, {0: (6, 0), 1: (4, 4)}, "add a hint, or ask more precisely"),
        (
            Kind.CLOZE,
            {0: (5, 0), 2: (5, 4)},
            "c3 fails 4 of 5 times, the rest 0 of 5: give it a hint, or a note of its own",
        ),
        (
            Kind.CLOZE,
            {0: (5, 4), 2: (5, 0)},
            "c1 fails 4 of 5 times, the rest 0 of 5: give it a note of its own",
        ),
        (Kind.CLOZE, {0: (4, 2), 2: (6, 2)}, "c1 fails most, 2 of 4 times: give it a note of its own"),
        (
            Kind.CLOZE,
            {0: (7, 2), 2: (3, 2)},
            "c3 fails most, 2 of 3 times: give it a hint, or a note of its own",
        ),
        (Kind.SEQUENCE, {0: (4, 2), 7: (3, 2)}, "item 3 fails most, 2 of 3 times: add a hint, or divide it"),
        (
            Kind.SET,
            {0: (5, 0), 8: (5, 4)},
            "item 2 fails 4 of 5 times, the rest 0 of 5: add a hint, or divide it",
        ),
        (
            Kind.SET,
            {0: (5, 0), 4: (5, 4)},
            "c5 fails 4 of 5 times, the rest 0 of 5: add a hint, or divide it",
        ),
    ],
)
def test_the_card_that_fails_more_often_than_the_others_is_named(
    kind: Kind, by_card: dict[int, tuple[int, int]], advice: str
) -> None:
    answer = {Kind.CLOZE: "{{c1::a::x}} {{c3::b}}", Kind.REVERSED: "It."}.get(kind, "- a\n- b\n- c")
    note = a_note("What?", answer, kind=kind)._replace(items=tuple(map(Text, "abc")))
    figures = Figures(10, 4, by_card=by_card)
    assert reason_for(note, figures, numbers=(1, 9, 8)) == f"fails 4 of 10 times; {advice}"


def test_the_items_of_a_list_have_the_numbers_of_their_cards(
    write: Callable[..., Path], ptcards: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "## What?\n<!-- card: kind=set -->\n\n- alpha\n- beta\n"
    monkeypatch.chdir(write({"deck.toml": TOML, "a.md": source}))
    assert ptcards("build", ".").status == 0
    Path("a.md").write_text(source.replace("- alpha", "- gamma\n- alpha"))
    assert ptcards("build", ".").status == 0
    with ReadOptions() as options:
        found, wrong = studied(Workspace.read([Path()], options))
    assert (found and [*found.numbers.values()], wrong) == ([(3, 1, 2)], [])


def test_the_advice_for_a_slow_note_names_no_card_if_none_fails() -> None:
    figures = Figures(10, 0, seconds=31, by_card={0: (5, 0), 1: (5, 0)})
    note = a_note("What?", "{{c1::a::x}} {{c2::b}}", kind=Kind.CLOZE)
    hint = "give the deletion a hint: `{{c1::text::hint}}`"
    assert reason_for(note, figures) == "takes 31 s; ask more precisely"
    assert reason_for(note._replace(answer=Text("{{c1::a}}")), figures) == f"takes 31 s; {hint}"


def test_the_more_similar_of_two_questions_that_fail_is_named() -> None:
    questions = ("What is a cat?", "What is a black cat?", "What is a dog?", "What is a cat?")
    notes = {str(n): a_note(question, "It.") for n, question in enumerate(questions)}
    figures = {**dict.fromkeys(notes, FAILING), "3": Figures()}
    assert similar_failures(notes, figures) == {"0": notes["1"], "1": notes["0"]}
    assert similar_failures(notes, {**figures, "0": Figures(9)}) == {}
    assert reason_for(notes["1"], FAILING, notes["0"]) == (
        "fails 4 of 10 times; easily confused with cards/a.md:1: ask both so that they differ"
    )


def _read_texts(notes: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield where the page leads for each note with reviews, and what it says of it."""
    for each in notes:
        if each["reason"]:
            read = {"a0": LONG, "b1": "Slow."}[each["question"][-3:-1]]
            texts = {"question": each["question"], "answer": read}
            said = {name: {"text": text, "lang": "", "dir": "auto"} for name, text in texts.items()}
            yield f"{each['path']}:{each['line']}", {**each, **said}
        elif each["reviews"]:
            yield "", {name: each[name] for name in ("reviews", "retention", "median_seconds")}


def test_the_page_in_html_has_the_figures_of_the_json_and_allows_nothing_but_its_own_script(
    reviews: Run,
) -> None:
    page = reviews("ben.apkg", "deck-anki21b.apkg", "--format", "html").out
    report = json.loads(reviews("ben.apkg", "deck-anki21b.apkg", "--format", "json").out)
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    shown = json.loads(data)
    for each, (read, said) in zip(shown["notes"], _read_texts(report["notes"]), strict=True):
        assert re.sub(r"^vscode://file/.*/cards/", "cards/", each.pop("open", "")) == read
        assert each == said
    limits = {"often": 0.2, "slow": 30, "fewest": 5, "language": "", "dir": "auto"}
    expected = {**report, "notes": shown["notes"], "count": 5, "words": dict(interface("reviews")), **limits}
    assert shown == expected
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    (script,) = re.findall(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (script, style)]
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{hashes[0]}'; style-src 'sha256-{hashes[1]}'; "
        "img-src data:; media-src data:; font-src data:; base-uri 'none'; form-action 'none'"
    )


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"$\ce{H2O}$ or $x^2$", "\u2066H₂O\u2069 or \u2066x²\u2069"),
        ("A call costs ($5)/$6, not $7.", "A call costs ($5)/$6, not $7."),
        (r"\$5 and \$6", "$5 and $6"),
        ("`$a$` and $b_1$", "`$a$` and \u2066b₁\u2069"),
        (
            "**One** [link](https://a.example):\n\n1. first &amp; `a`\n2. second",
            "One link: 1. first & `a` 2. second",
        ),
        ("In order:\n\n- a\n\n- b\n    - c\n\nEnd.", "In order: • a • b • c\nEnd."),
        ("One.\n\n> [!NOTE]\n> Two.", "One.\nⓘ Two."),
        ("$x$ is so.\n\n![A triangle](a.svg)", "\u2066x\u2069 is so."),
        (
            "| ion | looks |\n|---|---|\n| a | white |",
            "\u2068ion\u2069 | \u2068looks\u2069\n\u2068a\u2069 | \u2068white\u2069",
        ),
        ("```python\nx = 1\n\nprint(x)\n```", "x = 1\n\nprint(x)"),
        ("word " * 99, ("word " * 80)),
    ],
)
def test_the_page_shows_an_answer_as_a_reader_sees_it(written: str, read: str) -> None:
    picture = Media("a.svg", Path("a.svg"), "0", "a.svg")
    note = a_note("What?", written, media=(picture,))._replace(
        location=Location("cards/a.md", 3), language="de,ar"
    )
    reviewed = Reviewed("a", note, Figures(10, 5, 5, 7.5), "fails; split it")
    page = as_html(ReviewSummary("Mini", 1, (reviewed, replace(reviewed, reason="")), "fr"))
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    first, second = json.loads(data)["notes"]
    assert first["question"] == {"text": "What?", "lang": "de", "dir": "auto"}
    assert first["answer"] == {"text": read, "lang": "ar", "dir": "rtl"}
    assert second == {"reviews": 10, "retention": 0.5, "median_seconds": 7.5}


@pytest.mark.parametrize(
    ("note", "line", "asked", "read"),
    [
        (
            a_note(
                "Buffers",
                "An {{c1::acid}} and its {{c2::base::what?}}: $\\ce{ {{c3::H2O}} }$.",
                kind=Kind.CLOZE,
            ),
            "An acid and its base: $\\ce{ H2O }$.",
            "Buffers",
            "An [acid] and its [base (what?)]: \u2066[H₂O]\u2069.",
        ),
        (
            a_note("", "It is {{c1::$\\ce{HSO4-}$::an ion}}.\nA {{c2::base}}.", kind=Kind.CLOZE),
            "",
            "It is [\u2066HSO₄⁻\u2069 (an ion)]. A [base].",
            "",
        ),
        (a_note("An {{c1::acid}}.", "More.", kind=Kind.CLOZE), "More.", "An [acid].", "More."),
        (
            a_note("Which?", choices=(choice("`a`", right=True), choice("b"), choice("c\nd", right=True))),
            "`a` · c · d",
            "Which?",
            "`a` · c d",
        ),
    ],
)
def test_the_page_marks_the_gaps_of_a_cloze_and_has_all_right_options_of_a_choice(
    note: Note, line: str, asked: str, read: str
) -> None:
    summary = ReviewSummary("Mini", 1, (Reviewed("a", note, Figures(10, 5, 5, 7.5), "fails; split it"),))
    (data,) = re.findall(r'id="data">(.*?)</script>', as_html(summary), re.DOTALL)
    shown = json.loads(data)["notes"][0]
    answer = as_values(summary)["notes"][0]["answer"]
    assert (answer, shown["question"]["text"], shown["answer"]["text"]) == (line, asked, read)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("299792458 m/s", "\u2066299792458 m/s\u2069"),
        ("من 0.5 إلى 25 °C", "من 0.5 إلى \u206625 °C\u2069"),
        ("نحو 3 × 10⁸ m·s⁻¹.", "نحو \u20663 × 10⁸ m·s⁻¹\u2069."),
        ("في 2015 HTTP 2 هو", "في 2015 HTTP 2 هو"),
    ],
)
def test_a_number_in_a_text_from_right_to_left_stays_before_its_unit(written: str, read: str) -> None:
    reviewed = Reviewed("a", a_note("HTTP ما هو؟", written), Figures(10, 5, 5, 7.5), "fails; split it")
    page = as_html(ReviewSummary("HTTP لنا", 1, (reviewed,), "ar"))
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    (note,) = json.loads(data)["notes"]
    assert note["question"] == {"text": "HTTP ما هو؟", "lang": "ar", "dir": "rtl"}
    assert note["answer"] == {"text": read, "lang": "ar", "dir": "rtl"}
    assert (json.loads(data)["dir"], "Reviews: \u2067HTTP لنا\u2069" in page) == ("rtl", True)


def test_the_page_of_the_command_names_every_key_of_its_json(reviews: Run) -> None:
    page = (Path(__file__).parents[4] / "docs/reviews.md").read_text("utf-8")
    named = re.findall(r"`(\w+)`", page.partition("## For programs")[2])
    report = json.loads(reviews("ben.apkg", "--format", "json").out)
    assert {*report, *report["decks"][0], *report["notes"][0]} - {*named} == set()
