"""`ptcards find --twins` lists the notes that are the most alike, and most of what a reader calls twins."""

import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from ptcards.search import NoteText
from ptcards.search.twins import closest, words_in

Run = Callable[..., Ran]
Write = Callable[..., Path]
HERE = Path(__file__).parent


def note(key: str, question: str, answer: str, *unlike: str) -> NoteText:
    return NoteText("a.md", 1, key, "", question, answer, draft=False, unlike=unlike)


def worded(notes: list[NoteText]) -> dict[NoteText, dict[str, int]]:
    return {each: words_in(each.question, each.answer) for each in notes}


def pairs(notes: list[NoteText], most: int = 500, key: str = "") -> list[tuple[str, str]]:
    of = [each for each in notes if each.key == key]
    return [(one.key, other.key) for _, (one, other), _ in closest(worded(notes), most, of)]


def test_most_pairs_that_a_reader_calls_twins_are_among_the_first() -> None:
    """The pairs were found by reading the 754 notes that the PyTorch deck had on 23 November 2026."""
    notes = [note(*each) for each in json.loads(lzma.decompress((HERE / "deck.json.xz").read_bytes()))]
    read = {tuple(line.split("\t")[:2]) for line in (HERE / "twins.tsv").read_text("utf-8").splitlines()}
    found = pairs(notes)
    seen = [sum(tuple(sorted(pair)) in read for pair in found[:most]) for most in (100, 500)]
    assert (len(notes), len(read), seen) == (754, 66, [29, 48])


TCP = "It carries a stream of bytes, resends lost packets, and keeps their order."


def test_equal_words_count_by_how_rare_they_are() -> None:
    notes = [
        note("tcp", "What is TCP?", TCP),
        note("udp", "What is UDP?", "It carries single packets, which may be lost."),
        note("stream", "Which protocol carries a stream?", f"TCP. {TCP}"),
        note("dns", "What is DNS?", "It is the book of names."),
    ]
    (first,) = closest(worded(notes), 1)
    assert (first.notes[0].key, first.notes[1].key) == ("tcp", "stream")
    assert first.shared[:4] == ("stream", "carries", "their", "tcp")
    assert pairs(notes, key="dns") == [("tcp", "dns"), ("udp", "dns")]


def test_code_and_formulas_do_not_count() -> None:
    code = "```python\nmodel = build_model(layers, heads)\nmodel.fit(samples)\n```\n\n$$\\sum_i x_i$$"
    notes = [note("a", "How is it built?", code), note("b", "Which one fits?", code)]
    assert pairs(notes) == []


def test_words_without_spaces_are_compared_by_pairs_of_characters() -> None:
    notes = [
        note("a", "梯度是什么？", "损失函数对参数的偏导数组成的向量。"),
        note("b", "偏导数组成的向量叫什么？", "损失函数的梯度。"),
        note("c", "什么是张量？", "多维数组。"),
    ]
    assert pairs(notes) == [("a", "b")]


def test_a_pair_that_is_said_to_be_unlike_is_left_out() -> None:
    notes = [
        note("a", "What is TCP?", TCP),
        note("b", "Define TCP.", TCP, "a"),
        note("c", "What does TCP do?", TCP),
    ]
    assert pairs(notes) == [("a", "c"), ("b", "c")]


FILES = {
    "deck.toml": 'name = "A"\nid = "a"\n',
    "one.md": f"## What is TCP?\n\n{TCP}\n\n## What is UDP?\n\nA protocol for short messages.\n",
    "two.md": f"## Define TCP.\n\n{TCP}\n\n## Who made it?\n\nA.\n",
}


def test_the_command_lists_pairs_with_their_keys(ptcards: Run, write: Write) -> None:
    folder = write(FILES)
    shown = (
        "one.md:1: What is TCP?\ntwo.md:1: Define TCP.\n"
        "    88% alike: their, tcp, stream, resends, packets, order, of, lost\n    keys: what-is-tcp and define-tcp\n\n"
    )
    assert ptcards("find", "--twins", "--in", folder) == Ran(0, shown, "")
    assert ptcards("find", "--twins", "define-tcp", "--in", folder) == Ran(0, shown, "")
    assert ptcards("find", "--twins", "what-is-udp", "--in", folder) == Ran(
        1, "", "no other note is like `what-is-udp`\n"
    )
    assert ptcards("find", "--twins", "define-tpc", "--in", folder) == Ran(
        2, "", "error: there is no note `define-tpc`\nhelp: did you mean `define-tcp`?\n"
    )
    found = json.loads(ptcards("find", "--twins", "--format", "json", "--in", folder).out)["pairs"]
    assert [[each["key"] for each in pair["notes"]] for pair in found] == [["what-is-tcp", "define-tcp"]]
    two = f"## Define TCP.\n<!-- card: unlike=what-is-tcp -->\n\n{TCP}\n"
    write({**FILES, "two.md": two})
    assert ptcards("find", "--twins", "--in", folder) == Ran(1, "", "no two notes are alike\n")
    assert ptcards("check", folder).status == 0


def test_the_pairs_of_one_note_are_those_of_the_list() -> None:
    notes = [note(*each) for each in json.loads(lzma.decompress((HERE / "deck.json.xz").read_bytes()))]
    found = closest(worded(notes), len(notes) ** 2)
    for one in notes[::25]:
        assert closest(worded(notes), len(notes), [one]) == [each for each in found if one in each.notes]


def test_after_an_edit_the_list_is_as_if_nothing_were_kept(
    ptcards: Run, write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    draft = f"## What is a stream?\n<!-- card: draft -->\n\n{TCP}\n\n"
    edits = [
        FILES,
        {**FILES, "two.md": FILES["two.md"].replace("lost", "late")},
        {**FILES, "one.md": draft + FILES["one.md"]},
        {**FILES, "one.md": FILES["one.md"].replace("What is TCP", "Why TCP")},
    ]
    kept, fresh = [], []
    for number, files in enumerate(edits):
        folder = write(files)
        command = ("find", "--twins", "--format", "json", "--in", folder)
        kept.append(ptcards(*command))
        with monkeypatch.context() as patch:
            patch.setenv("XDG_CACHE_HOME", str(tmp_path / f"cache{number}"))
            fresh.append(ptcards(*command))
    assert kept == fresh
    assert [len(json.loads(each.out)["pairs"]) for each in kept] == [1, 1, 3, 1]
