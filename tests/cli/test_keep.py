"""`ptcards keep` gives reworded notes the ids of published ones, so that learners keep their reviews."""

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from identity_release import Maintainer, studying
from terminal import type_session
from test_completion import offered

GRAPH = "## What is a leaf of a graph?\n\nA tensor.\n\n"
FREE = "## Who frees the graph?\n\nNobody, at first.\n\n"
BEFORE = f"# Autograd\n\n{GRAPH}{FREE}"
TREE = "## What is a leaf in a big graph?\n\nEvery tensor that you made.\n\n"
AFTER = f"# Autograd\n\n{TREE}{FREE}"
KEY = "what-is-a-leaf-in-a-big-graph"
LISTED = f"""\
cards/autograd.md:3: {KEY}
  question: What is a leaf [-of-] {{+in+}} a {{+big+}} graph?
  answer: [-A tensor.-]{{+Every tensor that you made.+}}
"""
HOW = "to keep the reviews of a note: `ptcards keep KEY`; of all: `ptcards keep --all`\n"


@pytest.fixture
def author(tmp_path: Path, ptcards: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> Maintainer:
    monkeypatch.chdir(tmp_path)
    author = Maintainer(tmp_path / "cards", ptcards)
    author.write(autograd=BEFORE).publish("v1")
    author.write(autograd=AFTER)
    return author


def guid_in(author: Maintainer, heading: str) -> str:
    """Return the GUID of the live note with a heading."""
    lines = (author.folder / "deck.lock").read_text("utf-8").splitlines()
    (guid,) = (line.split("\t")[1] for line in lines if f"\t{heading}" in line and "\tlive\t" in line)
    return guid


def with_id(text: str, heading: str, guid: str) -> str:
    return text.replace(f"{heading}\n", f"{heading}\n<!-- card: id={guid} -->\n", 1)


def test_a_pair_is_listed_with_its_changed_words_marked(author: Maintainer) -> None:
    ran = author.run("keep")
    assert (ran.status, ran.out, ran.err) == (0, LISTED, HOW)
    assert (author.folder / "autograd.md").read_text("utf-8") == AFTER


@pytest.mark.parametrize("is_built", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("names", [[KEY], ["cards", KEY], ["--all"]], ids=["key", "folder", "all"])
def test_the_id_is_written_before_or_after_a_build(
    author: Maintainer, names: list[str], is_built: bool, tmp_path: Path
) -> None:
    old = guid_in(author, "What is a leaf of a graph?")
    with studying(tmp_path / "anki") as learner:
        learner.get(tmp_path / "build" / "pytorch.apkg")
        studied = learner.study()
        if is_built:
            author.build("cards")
        ran = author.run("keep", *names)
        assert (ran.status, ran.out, ran.err.splitlines()) == (
            0,
            "",
            [f"Wrote `id={old}` to cards/autograd.md:3", "Next: ptcards build"],
        )
        written = (author.folder / "autograd.md").read_text("utf-8")
        assert written == with_id(AFTER, "## What is a leaf in a big graph?", old)
        learner.get(author.build("cards"))
        assert learner.progress == studied
        assert ">What is a leaf in a big graph?<" in learner.questions[old]
    assert author.rules == (["revived-note"] if is_built else [])
    ran = author.run("keep")
    assert (ran.status, ran.out, ran.err) == (0, "", "no new note resembles one that is gone since `v1`\n")


def test_a_pair_is_found_in_a_clone_that_was_built_elsewhere(author: Maintainer) -> None:
    author.publish()
    author.git("clone", "-q", ".", "clone")
    ran = author.run("keep", "clone/cards")
    assert ran.out == LISTED.replace("cards/", "clone/cards/")


def test_a_released_stand_in_is_not_listed(author: Maintainer) -> None:
    author.publish("v2", date=1)
    assert author.run("keep").err == "no new note resembles one that is gone since `v2`\n"


def test_a_note_that_was_built_since_the_release_is_listed_until_the_next_build(author: Maintainer) -> None:
    """This is also what the build asks about."""
    draft = "## Does a hook see the gradient of a leaf?\n\nYes, before it is added.\n\n"
    author.write(autograd=BEFORE + draft).build("cards")
    reworded = "## Does a hook see the gradient of a leaf tensor?\n\nIt does.\n\n"
    author.write(autograd=BEFORE + reworded)
    assert author.run("keep").out.splitlines() == [
        "cards/autograd.md:11: does-a-hook-see-the-gradient-of-a-leaf-tensor",
        "  question: Does a hook see the gradient of a [-leaf?-] {+leaf tensor?+}",
        "  answer: changed",
    ]


def test_without_git_the_lock_is_compared_until_the_next_build(
    tmp_path: Path, ptcards: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    author = Maintainer(tmp_path / "cards", ptcards)
    author.write(autograd=BEFORE).build("cards")
    author.write(autograd=AFTER)
    remark = "no release in git: compared with `deck.lock`, which only works until the next build\n"
    ran = author.run("keep")
    assert (ran.status, ran.out, ran.err) == (
        0,
        f"cards/autograd.md:3: {KEY}\n  question: What is a leaf [-of-] {{+in+}} a {{+big+}} graph?\n  answer: changed\n",
        remark + HOW,
    )
    author.build("cards")
    ran = author.run("keep")
    assert (ran.out, ran.err) == ("", f"{remark}no new note resembles one that is gone since `deck.lock`\n")


def test_an_unchanged_answer_is_named(author: Maintainer) -> None:
    text = BEFORE.replace("What is a leaf of a graph?", "In a graph, what do we call a node that `you` made?")
    author.write(autograd=text)
    assert author.run("keep").out.splitlines()[2:] == ["  answer: unchanged"]


def test_the_messages_of_build_name_the_command(author: Maintainer) -> None:
    old = guid_in(author, "What is a leaf of a graph?")
    author.build("cards")
    assert (
        f"help: if this is the same note, run `ptcards keep` or add `id={old}` to its card comment to keep the "
        "reviews; if not, do nothing"
    ) in author.said


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("<!-- card: difficulty=easy -->", "<!-- card: difficulty=easy id=OLD -->"),
        ("<!-- card: id=big-leaf tags=a -->", "<!-- card: id=OLD tags=a -->"),
        ('<!-- card: id="big-leaf" -->', '<!-- card: id="OLD" -->'),
        ("<!-- card:\n  tags=a\n-->", "<!-- card:\n  tags=a\n id=OLD -->"),
        ("\n<!-- card: tags=a -->", "\n<!-- card: tags=a id=OLD -->"),
    ],
)
def test_an_id_joins_what_is_in_the_card_comment(author: Maintainer, comment: str, expected: str) -> None:
    old = guid_in(author, "What is a leaf of a graph?")
    heading = "## What is a leaf in a big graph?\n"
    author.write(autograd=AFTER.replace(heading, f"{heading}{comment}\n"))
    assert author.run("keep", "--all").status == 0
    written = (author.folder / "autograd.md").read_text("utf-8")
    assert written == AFTER.replace(heading, f"{heading}{expected.replace('OLD', old)}\n")
    author.build("cards")
    assert guid_in(author, "What is a leaf in a big graph?") == old


def test_all_other_bytes_of_the_file_stay(author: Maintainer) -> None:
    old = guid_in(author, "What is a leaf of a graph?")
    file = author.folder / "autograd.md"
    file.write_bytes(b"\xef\xbb\xbf" + AFTER.replace("\n", "\r\n").encode())
    assert author.run("keep", KEY).status == 0
    expected = with_id(AFTER, "## What is a leaf in a big graph?", old).replace("\n", "\r\n")
    assert file.read_bytes() == b"\xef\xbb\xbf" + expected.encode()


ONE, OTHER = (f"## What is a leaf of a plant {place}?\n\nGreen {place}.\n\n" for place in ("here", "there"))


def test_a_note_that_resembles_several_is_named_with_the_id_of_one(author: Maintainer) -> None:
    author.write(autograd=f"# Autograd\n\n{ONE}{OTHER}{FREE}").publish("v2", date=1)
    here, there = sorted(
        guid_in(author, f"What is a leaf of a plant {place}?") for place in ("here", "there")
    )
    author.write(autograd=f"# Autograd\n\n## What is a leaf of a plant?\n\nA part of it.\n\n{FREE}")
    key = "what-is-a-leaf-of-a-plant"
    assert {line for line in author.run("keep").out.splitlines() if line.startswith("cards/")} == {
        f"cards/autograd.md:3: {key}={guid}" for guid in (here, there)
    }
    ran = author.run("keep", key)
    assert (ran.status, ran.err.splitlines()) == (
        2,
        [
            f"error: `{key}` resembles several notes that are gone",
            f"help: name one: `{key}={here}` or `{key}={there}`",
        ],
    )
    ran = author.run("keep", "--all")
    assert (ran.status, ran.err) == (
        1,
        "1 note left, where several fit: name the right ones as `ptcards keep` lists them\n",
    )
    assert author.run("keep", f"{key}={there}").status == 0
    author.build("cards")
    assert guid_in(author, "What is a leaf of a plant?") == there


def test_two_notes_cannot_be_the_same_one(author: Maintainer) -> None:
    twin = "## What is a leaf in a small graph?\n\nSome tensor that you made.\n\n"
    author.write(autograd=AFTER + twin)
    assert author.run("keep").out.splitlines() == [
        f"cards/autograd.md:3: {KEY}",
        "  or cards/autograd.md:11: only one of them can keep the reviews",
        *LISTED.splitlines()[1:],
        "cards/autograd.md:11: what-is-a-leaf-in-a-small-graph",
        "  or cards/autograd.md:3: only one of them can keep the reviews",
        "  question: What is a leaf [-of-] {+in+} a {+small+} graph?",
        "  answer: [-A tensor.-]{+Some tensor that you made.+}",
    ]
    ran = author.run("keep", "--all")
    left = "2 notes left, where several fit: name the right ones as `ptcards keep` lists them\n"
    assert (ran.status, ran.err) == (1, left)
    ran = author.run("keep", KEY, "what-is-a-leaf-in-a-small-graph")
    assert (ran.status, ran.err.splitlines()) == (
        2,
        [
            f"error: `{KEY}` and `what-is-a-leaf-in-a-small-graph` would be the same note",
            "help: name only one of them",
        ],
    )
    assert (author.folder / "autograd.md").read_text("utf-8") == AFTER + twin


def test_an_unknown_name_is_an_error(author: Maintainer) -> None:
    ran = author.run("keep", "who-frees-the-graph")
    assert (ran.status, ran.err.splitlines()) == (
        2,
        [
            "error: `who-frees-the-graph` is not a new note that resembles one that is gone",
            "help: run `ptcards keep` to list these notes",
        ],
    )


def test_a_comment_that_only_looks_like_one_is_left_alone(author: Maintainer) -> None:
    old = guid_in(author, "What is a leaf of a graph?")
    fenced = AFTER.replace("Every tensor that you made.", "~~~html\n<!-- card: tags=a -->\n~~~\n\nA tensor.")
    author.write(autograd=fenced)
    ran = author.run("keep", KEY)
    assert (ran.status, ran.err) == (
        1,
        f"left unchanged: cards/autograd.md:3: add `id={old}` to its card comment\n",
    )
    assert (author.folder / "autograd.md").read_text("utf-8") == fenced


def test_errors_in_the_sources_are_reported_instead(author: Maintainer) -> None:
    author.write(autograd=AFTER + "## Empty?\n")
    ran = author.run("keep", KEY)
    assert (ran.status, "error[no-answer]" in ran.err) == (1, True)


def test_the_keys_of_listed_notes_are_completed(author: Maintainer) -> None:
    assert offered("ptcards keep wh", author.root) == [f"plain,{KEY}"]


# Notes for other programs


@pytest.mark.parametrize("is_built", [False, True], ids=["before", "after"])
@pytest.mark.extensions
def test_for_another_programs_notes_lines_for_the_lock_are_printed(
    tmp_path: Path, ptcards: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch, is_built: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    author = Maintainer(tmp_path / "cards", ptcards)
    author.write(autograd="Q: What is a leaf of a graph?\nA: A tensor.\n\nQ: Who?\nA: Nobody.\n")
    with (author.folder / "deck.toml").open("a", encoding="utf-8") as settings:
        settings.write('dialect = "qa"\n')
    package = author.publish("v1")
    old = guid_in(author, "What is a leaf of a graph?")
    source = author.folder / "autograd.md"
    source.write_text(
        "Q: What is a leaf in a big graph?\nA: Every tensor that you made.\n\nQ: Who?\nA: Nobody.\n"
    )
    with studying(tmp_path / "anki") as learner:
        learner.get(package)
        studied = learner.study()
        before = source.read_bytes()
        if is_built:
            author.build("cards")
            assert (
                "run `ptcards keep`, which prints a line for `deck.lock`, to keep the reviews" in author.said
            )
        ran = author.run("keep", "--all")
        assert (ran.status, ran.err) == (
            0,
            "ptcards does not change other programs' notes: add these lines to `deck.lock`, then build\n",
        )
        with (author.folder / "deck.lock").open("a", encoding="utf-8") as lock:
            lock.write(ran.out)
        learner.get(author.build("cards"))
        assert (learner.progress, author.rules, source.read_bytes()) == (studied, [], before)
        assert ">What is a leaf in a big graph?<" in learner.questions[old]
    assert guid_in(author, "What is a leaf in a big graph?") == old
    assert author.run("keep").err == "no new note resembles one that is gone since `v1`\n"


# On a terminal


def in_terminal(author: Maintainer, typed: str) -> str:
    return type_session([({}, ["keep"])], columns=80, folder=author.root, env={}, typed=typed)


@pytest.mark.parametrize(
    ("typed", "is_written"),
    [
        pytest.param("y\n", True, id="yes"),
        pytest.param("n\n", False, id="no"),
        pytest.param("perhaps\n\ny\n", True, id="asked again"),
        pytest.param("\x04", False, id="end of input"),
    ],
)
def test_on_a_terminal_each_pair_is_a_question(author: Maintainer, typed: str, is_written: bool) -> None:
    shown = in_terminal(author, typed)
    assert "the same note? [y/n]: " in shown
    assert ("interrupted\nexit status 130" in shown) == (typed == "\x04")
    again = "type `y` or `n`; Ctrl-C ends the questions and writes nothing\nthe same note? [y/n]: "
    assert (shown.count(again), "Error" in shown) == (2 * ("perhaps" in typed), False)
    written = (author.folder / "autograd.md").read_text("utf-8")
    old = guid_in(author, "What is a leaf of a graph?")
    assert written == (with_id(AFTER, "## What is a leaf in a big graph?", old) if is_written else AFTER)


def test_differences_are_wrapped_at_words(author: Maintainer) -> None:
    keep = ["keep", "--color", "never"]
    shown = type_session([({}, keep)], columns=40, folder=author.root, env={}, typed="n\n")
    assert shown.partition("\nthe same note?")[0].removeprefix("n\n") == (
        "$ ptcards keep --color never\n"
        f"cards/autograd.md:3: {KEY}\n"
        "  question: What is a leaf [-of-] {+in+}\n"
        "  a {+big+} graph?\n"
        "  answer: [-A tensor.-]{+Every tensor\n"
        "  that you made.+}"
    )


def test_a_note_that_is_one_is_not_compared_with_the_others(author: Maintainer) -> None:
    author.write(autograd=f"# Autograd\n\n{ONE}{OTHER}{FREE}").publish("v2", date=1)
    author.write(autograd=f"# Autograd\n\n## What is a leaf of a plant?\n\nA part of it.\n\n{FREE}")
    assert in_terminal(author, "y\n").count("the same note? [y/n]: ") == 1
    author.write(autograd=f"# Autograd\n\n## What is a leaf of a plant?\n\nA part of it.\n\n{FREE}")
    assert in_terminal(author, "n\nn\n").count("the same note? [y/n]: ") == 2
