"""`ptcards find` finds notes by words, keys and GUIDs, the best first."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran, runner
from ptcards.search import MOST, ranges_of
from terminal import type_session

Run = Callable[..., Ran]
Write = Callable[..., Path]
Session = list[tuple[dict[str, str], tuple[str, ...]]]

FILES = {
    "deck.toml": 'name = "A"\nid = "a"\n',
    "one.md": "## What is a leaf?\n\nA tensor that no operation made.\n\n"
    "## What is a view?\n<!-- card: id=view -->\n\nA tensor that shares its storage, also in a LEAFLET.\n\n"
    "## Which is true?\n\nOf a gradient:\n\n- [x] it is a Größe\n- [ ] it is a number\n",
    "two.md": "# Two\n\n## {{c1::Autograd}} records operations.\n",
}


def found(ptcards: Run, folder: Path, *words: str) -> list[str]:
    """Return the lines that a search prints, the first time and from the cache."""
    first = ptcards("find", *words, "--in", folder)
    assert ptcards("find", *words, "--in", folder) == first
    assert first.status == int(not first.out)
    return first.out.splitlines()


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (["leaf"], ["one.md:1: What is a leaf?", "one.md:5: What is a view?"]),
        (["LEAF", "storage"], ["one.md:5: What is a view?"]),
        (["shares", "leaf", "nowhere"], ["one.md:5: What is a view?"]),
        (["view"], ["one.md:5: What is a view?"]),
        (["what-is-a-leaf"], ["one.md:1: What is a leaf?"]),
        (["gradient"], ["one.md:10: Which is true?"]),
        (["GRÖSSE"], ["one.md:10: Which is true?"]),
        (["Gro\u0308ße"], ["one.md:10: Which is true?"]),
        (["autograd"], ["two.md:3: Autograd records operations."]),
        (["leaf shares"], ["one.md:5: What is a view?"]),
        (["(", "]"], []),
        (["nowhere"], []),
    ],
)
def test_words_find_notes(words: list[str], lines: list[str], ptcards: Run, write: Write) -> None:
    assert found(ptcards, write(FILES), *words) == lines


@pytest.mark.parametrize("words", [["cross", "entropy"], ["cross entropy"], ["Cross-Entropy"]])
def test_words_may_be_quoted_together_or_have_a_hyphen(words: list[str], ptcards: Run, write: Write) -> None:
    folder = write({"loss.md": "## What is cross entropy?\n\nIt.\n\n## What is the cross-entropy?\n\nIt.\n"})
    notes = ["loss.md:1: What is cross entropy?", "loss.md:5: What is the cross-entropy?"]
    assert found(ptcards, folder, *words) == notes


def test_a_guid_comes_first_and_programs_get_everything(ptcards: Run, write: Write) -> None:
    folder = write(FILES)
    (leaf,) = json.loads(ptcards("find", "operation", "made", "--in", folder, "--format", "json").out)[
        "notes"
    ]
    assert leaf == {
        "path": "one.md",
        "line": 1,
        "key": "what-is-a-leaf",
        "guid": leaf["guid"],
        "question": "What is a leaf?",
        "answer": "A tensor that no operation made.",
        "draft": False,
        "unlike": [],
    }
    assert found(ptcards, folder, leaf["guid"]) == ["one.md:1: What is a leaf?"]


def test_drafts_are_found_without_a_guid(ptcards: Run, write: Write) -> None:
    folder = write({**FILES, "new.md": "## What is a draft?\n<!-- card: draft -->\n\nIt.\n"})
    (draft,) = json.loads(ptcards("find", "draft", "--in", folder, "--format", "json").out)["notes"]
    assert draft == {
        "path": "new.md",
        "line": 1,
        "key": "what-is-a-draft",
        "guid": "",
        "question": "What is a draft?",
        "answer": "It.",
        "draft": True,
        "unlike": [],
    }


def test_nothing_and_too_much_are_said_on_standard_error(ptcards: Run, write: Write) -> None:
    folder = write({**FILES, "many.md": "".join(f"## What is term{n}?\n\nIt.\n\n" for n in range(MOST + 2))})
    assert ptcards("find", "nowhere", "--in", folder) == Ran(1, "", "no note has any of these words\n")
    everything = "".join(f"many.md:{4 * n + 1}: What is term{n}?\n" for n in range(MOST + 2))
    assert ptcards("find", "term", "--in", folder) == Ran(0, everything, "")
    report = json.loads(ptcards("find", "term", "--in", folder, "--format", "json").out)
    assert (report["version"], report["count"], len(report["notes"])) == (1, MOST + 2, MOST)
    assert ptcards("find", "  ", "--in", folder).status == 2


def test_a_part_of_a_collection_can_be_searched(ptcards: Run, write: Write) -> None:
    folder = write({**FILES, "more/three.md": "## What is a leaf node?\n\nIt.\n"})
    assert ptcards("find", "leaf", "--in", folder / "more").out == "more/three.md:1: What is a leaf node?\n"


def test_a_saved_file_is_read_again(ptcards: Run, write: Write) -> None:
    folder = write(FILES)
    assert found(ptcards, folder, "leaf", "tensor") == [
        "one.md:1: What is a leaf?",
        "one.md:5: What is a view?",
    ]
    write({"one.md": "## What is a tensor leaf?\n\nIt.\n"})
    assert found(ptcards, folder, "leaf", "tensor") == ["one.md:1: What is a tensor leaf?"]


def test_errors_may_hide_notes(ptcards: Run, write: Write) -> None:
    folder = write({**FILES, "bad.md": "## What is a leaf node?\n"})
    ran = ptcards("find", "leaf", "node", "--in", folder)
    assert ran.err == "notes may be missing: the sources have 1 error; run `ptcards check .`\n"


LONG = (
    "## What is a leaf, and why does a tensor that some operation of autograd has made never be one?\n\nIt.\n"
)


def test_on_a_terminal_titles_are_in_a_column_and_words_are_marked(write: Write) -> None:
    folder = write({**FILES, "more/three.md": LONG})
    session: Session = [({}, ("find", "leaf")), ({}, ("find", "leaf", "--color", "never"))]
    shown = type_session(session, columns=50, folder=folder, env={})
    coloured, plain, _ = shown.split("exit status 0\n\n")
    assert coloured == (
        "$ ptcards find leaf\n"
        "\x1b[1mmore/three.md:1:\x1b[0m What is a \x1b[1;36mleaf\x1b[0m, and why does a\n"
        "                 tensor that some operation of\n"
        "                 autograd has made never be one?\n"
        "\x1b[1mone.md:1:\x1b[0m        What is a \x1b[1;36mleaf\x1b[0m?\n"
        "\x1b[1mone.md:5:\x1b[0m        What is a view?\n"
        "                 \x1b[1;94m|\x1b[0m …s storage, also in a \x1b[1;36mLEAF\x1b[0mLET.\n"
    )
    assert plain == re.sub(r"\x1b\[[0-9;]*m", "", coloured).replace("leaf\n", "leaf --color never\n", 1)


@pytest.mark.parametrize(
    ("words", "below"),
    [
        (("up", "e"), ""),
        (("up", "x "), "| x\n"),
        (("up", "caf\u00e9"), "| Foo caf\u00e9\n"),
        (("up", "fo"), "| Foo caf\u00e9\n"),
    ],
)
def test_the_line_below_a_title_has_a_word_as_it_is_shown(
    words: tuple[str, ...], below: str, write: Write
) -> None:
    """An accent written as a letter and a mark is one letter, and a line's last spaces are not shown."""
    folder = write({"a.md": "## What is up?\n\nFoo cafe\u0301\nx \n"})
    shown = type_session([({}, ("find", *words, "--color", "never"))], columns=50, folder=folder, env={})
    indent = " " * len("a.md:1: ")
    listed = "a.md:1: What is up?\n" + (f"{indent}{below}" if below else "")
    assert shown.split("\n", 1)[1] == f"{listed}exit status 0\n\n"


def test_a_long_path_leaves_room_for_the_title(write: Write) -> None:
    folder = write({**FILES, "a folder with a long name/three.md": LONG})
    session: Session = [({}, ("find", "leaf", "autograd", "--color", "never"))]
    shown = type_session(session, columns=50, folder=folder, env={})
    assert shown == (
        "$ ptcards find leaf autograd --color never\n"
        "a folder with a long name/three.md:1: What is a\n"
        "                    leaf, and why does a tensor\n"
        "                    that some operation of\n"
        "                    autograd has made never be\n"
        "                    one?\n"
        "exit status 0\n\n"
    )


def test_a_terminal_gets_a_screenful_and_what_lists_all(write: Write) -> None:
    notes = "".join(f"## What is term{n}?\n\nIt is word {n}.\n\n" for n in range(40))
    folder = write({**FILES, "many.md": notes})
    session: Session = [({}, ("find", words, "--in", ".", "--color", "never")) for words in ("term", "word")]
    screens = type_session(session, columns=80, folder=folder, env={}).split("exit status 0\n\n")
    assert screens == [
        "$ ptcards find term --in . --color never\n"
        + "".join(f"{f'many.md:{4 * n + 1}:':11} What is term{n}?\n" for n in range(20))
        + "and 20 more notes; add a word to find fewer, or list all with\n"
        "  `ptcards find term --in . | less`\n",
        "$ ptcards find word --in . --color never\n"
        + "".join(
            f"{f'many.md:{4 * n + 1}:':11} What is term{n}?\n{'':11} | It is word {n}.\n" for n in range(10)
        )
        + "and 30 more notes; add a word to find fewer, or list all with\n"
        "  `ptcards find word --in . | less`\n",
        "",
    ]


def test_from_another_folder_the_paths_lead_to_the_files(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write({**FILES, "more/three.md": "## What is a leaf node?\n\nIt.\n"})
    ptcards = runner(Path("/not/left/out"))
    monkeypatch.chdir(folder)
    assert ptcards("find", "node").out == "more/three.md:1: What is a leaf node?\n"
    monkeypatch.chdir(folder / "more")
    assert ptcards("find", "node", "--in", "..").out == "three.md:1: What is a leaf node?\n"
    assert ptcards("find", "view", "--in", "..").out == f"{folder}/one.md:5: What is a view?\n"


@pytest.mark.parametrize(
    ("text", "words", "marked"),
    [
        ("A leaf, no LEAFLET", ["leaf"], ["leaf", "LEAF"]),
        ("A leaflet", ["leaf", "leaflet"], ["leaflet"]),
        ("Die Größe", ["GRÖSSE"], ["Größe"]),
        ("aßb", ["as", "sb"], ["aß", "b"]),
        ("a.b", [".", " "], ["."]),
        ("A cross-entropy", ["cross", "entropy"], ["cross", "entropy"]),
        ("Cross-entropy, cross entropy", ["cross-entropy"], ["Cross-entropy", "cross entropy"]),
        ("a", [" "], []),
    ],
)
def test_words_are_marked_as_they_were_found(text: str, words: list[str], marked: list[str]) -> None:
    assert [text[start:end] for start, end in ranges_of(text, words)] == marked


@pytest.mark.parametrize(
    ("words", "suggested"),
    [
        (["tesnor"], "; did you mean `tensor`?"),
        (["tesnor leef"], "; did you mean `tensor leaf`?"),
        (["xyzzy", "Storrage"], "; did you mean `storage`?"),
        (["xyzzy"], ""),
    ],
)
def test_misspelt_words_are_corrected_with_those_of_the_notes(
    words: list[str], suggested: str, ptcards: Run, write: Write
) -> None:
    ran = ptcards("find", *words, "--in", write(FILES))
    assert ran == Ran(1, "", f"no note has any of these words{suggested}\n")


def test_a_table_has_all_that_were_found_as_text(ptcards: Run, write: Write) -> None:
    folder = write({"deck.toml": FILES["deck.toml"], "one.md": '## =1+1 is a "leaf"?\n\nOne,\n\ntwo.\n'})
    ran = ptcards("find", "leaf", "--in", folder, "--format", "csv")
    (note,) = json.loads(ptcards("find", "leaf", "--in", folder, "--format", "json").out)["notes"]
    assert ran == Ran(
        0,
        '\ufeff"path","line","key","guid","question","answer"\n'
        f'"one.md","1","{note["key"]}","{note["guid"]}","\'=1+1 is a ""leaf""?","One,\n\ntwo."\n',
        "",
    )


def test_pairs_are_not_rows_of_a_table(ptcards: Run, write: Write) -> None:
    ran = ptcards("find", "--twins", "--in", write(FILES), "--format", "csv")
    said = "error: `--twins` lists pairs, which are not rows: use `--format json`\n"
    assert (ran.status, ran.err[-len(said) :]) == (2, said)
