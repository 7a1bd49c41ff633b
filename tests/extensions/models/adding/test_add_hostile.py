"""Hostile texts for `ptcards add`: each is refused, or its notes are added and nothing else changes."""

import random
from pathlib import Path

import pytest

from ptcards.diagnostics import WrongUseError
from ptcards.extensions.models.adding import AddRequest, add
from ptcards.files import OutputError
from ptcards.identity.lock import Fingerprint
from ptcards.workspace import Contents, Workspace

TOML = 'name = "Deck"\nid = "abcdefgh"\n'
DECK = """\
---
tags: [core]
---

# Leaves

## What is a [leaf]?
<!-- card: tags=new -->

A tensor that you made[^1], because nothing computed it.

- with a list

> and a quote

[^1]: A note.

# Nodes

## What is a node?
<!-- card: draft -->

An operation, because each has a gradient:

    indented code
"""
LONG = "word " * 20_000
PIECES = (
    "## What is {n}?\n\nIt is {n}, because it is {n} of them.\n",
    "## What is {n}?\n<!-- card: id=n{n} -->\n\nThe answer is {n}, so that it is {n}.\n",
    "## What is {n}?\n<!-- card: draft -->\n\nSo {n} it is, because of {n}.\n",
    "## What is {n}?\n\n```python\nprint({n})\n```\n",
    "## What is {n}?\n\n- [ ] one {n}\n- [x] two {n}\n",
    "## The sky is {{{{c1::{n}}}}}.\n",
    "# Leaves\n",
    "# Other {n}\n",
    "#\n",
    "##\n",
    "```\n",
    "~~~python\n",
    "```\n```\n## A heading {n} in code?\n```\n",
    "<!-- card: skip -->\n",
    "<!-- card: id=n1 -->\n",
    "<!--\n",
    "-->\n",
    "<!-- card: draft\n",
    "---\n",
    "---\ndeck: X\n---\n",
    "===\n",
    "[leaf]: https://example.org\n",
    "[^1]: Another.\n",
    "[^2]: More.\n",
    "<div>\n",
    "<script>alert({n})</script>\n",
    "<details>\n",
    "    ## indented {n}?\n",
    "- ## in a list {n}?\n",
    "> ## in a quote {n}?\n",
    "Title {n}\n---\n",
    "### Answer\n",
    "### Sources\n\nhttps://example.org/{n}\n",
    "$$\n",
    "$`\\frac{{1}}{{{n}}}`$\n",
    "{{{{c1::\n",
    "| a | b |\n|---|\n",
    "![p](../../etc/passwd)\n",
    "<<<<<<< x\n",
    "\r",
    "\x00",
    "\u2028",
    "\ufeff",
    "\\\n",
    "\n\n",
    "text {n}",
    "\t",
)


def read(folder: Path) -> Contents:
    (contents,) = Workspace.read([folder]).contents
    return contents


def notes_of(contents: Contents) -> list[tuple[Fingerprint, bool]]:
    found = [(each.fingerprint, False) for each in contents.summaries]
    return found + [(each.fingerprint, True) for each in contents.draft_summaries]


@pytest.fixture
def deck(tmp_path: Path) -> Path:
    (tmp_path / "deck.toml").write_text(TOML)
    (tmp_path / "a.md").write_text(DECK)
    return tmp_path


def assert_refused_or_right(folder: Path, text: str, *, draft: bool = False, to: str | None = "a.md") -> bool:
    """Add a text; return whether it was added."""
    file = folder / "a.md"
    file.write_text(DECK)
    before = notes_of(read(folder))
    request = AddRequest(
        folder, text.encode("utf-8", "surrogatepass"), folder / to if to else None, draft=draft
    )
    added = add(request)
    if added.is_refused:
        assert added.findings
        assert file.read_text() == DECK
        return False
    after = notes_of(read(folder))
    assert [each for each in after if each in before] == before
    assert len(after) == len(before) + len(added.notes)
    assert sum(is_draft for _, is_draft in after) == 1 + sum(note.text.draft for note in added.notes)
    assert not draft or all(note.text.draft for note in added.notes)
    lines = iter(file.read_text().split("\n"))
    assert all(line in lines for line in DECK.split("\n"))
    return True


@pytest.mark.parametrize("seed", range(4))
def test_random_texts_are_refused_or_right(deck: Path, seed: int) -> None:
    chance = random.Random(f"hostile {seed}")
    count = 0
    for number in range(60):
        # Most texts begin well, because others are refused for their first line.
        few = chance.choice((0, 0, 1, 2, 5))
        pieces = [
            chance.choice(PIECES[:6]),
            *chance.choices(PIECES, k=few),
            *chance.choices(PIECES[:6], k=few // 2),
        ]
        text = chance.choice(("", "\n")).join(
            piece.format(n=seed * 1000 + number * 10 + place) for place, piece in enumerate(pieces)
        )
        count += assert_refused_or_right(deck, text, draft=chance.random() < 0.5)
    assert 5 <= count <= 55


NOTE = "## What is {}?\n\nIt is {}, because it is {} of them.\n"


@pytest.mark.parametrize(
    "text",
    [
        f"## What is {LONG}?\n\nIt is so.\n",
        f"## What is it?\n\n{LONG}\n",
        f"## What is it?\n<!-- card: tags={'x' * 100_000} -->\n\nIt is so.\n",
        f"## What is it?\n\n{'`' * 100_000}\n",
        f"## What is it?\n\n{'[' * 100_000}\n",
        f"## What is it?\n\n{'> ' * 50_000}x\n",
        f"## What is it?\n\n{'<!-- ' * 20_000}\n",
        "#" * 100_000,
        "\n" * 100_000,
        "## What is it?\n" * 5_000,
    ],
    ids=["heading", "answer", "comment", "code", "brackets", "quotes", "comments", "marks", "blank", "same"],
)
def test_long_lines_are_refused_or_right(deck: Path, text: str) -> None:
    assert_refused_or_right(deck, text)


def test_a_text_that_is_too_large_is_refused(deck: Path) -> None:
    assert not assert_refused_or_right(deck, "## What is it?\n\n" + "x" * (16 << 20))


def test_a_file_that_would_be_too_large_is_refused(deck: Path) -> None:
    before = f"# B\n\n## What is b?\n\nIt is so.\n\n<!-- {'x' * ((16 << 20) - 80)} -->\n".encode()
    (deck / "b.md").write_bytes(before)
    added = add(AddRequest(deck, NOTE.format("1", "1", "1").encode(), deck / "b.md"))
    assert [each.rule for each in added.findings] == ["source-too-large"]
    assert (deck / "b.md").read_bytes() == before


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize(("draft", "count"), [(False, 10_000), (True, 2_000)])
def test_thousands_of_notes_are_added(deck: Path, count: int, *, draft: bool) -> None:
    words = (
        "tensor graph leaf node hook tape loss step batch layer weight bias seed epoch model token".split()
    )
    chance = random.Random("many")
    texts = []
    for number in range(count):
        ask, say = " ".join(chance.sample(words, 5)), " ".join(chance.sample(words, 8))
        texts.append(
            f"## What does x{number} do to y{number} and z{number} with {ask}?\n\nIt has {say}, because {number} is so.\n"
        )
    assert assert_refused_or_right(deck, "\n".join(texts), draft=draft)
    contents = read(deck)
    assert (len(contents.summaries), len(contents.draft_summaries)) == (
        (1, count + 1) if draft else (count + 1, 1)
    )


def test_nothing_outside_the_collection_is_written(
    deck: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (deck / "sub").symlink_to(outside)
    text = NOTE.format("1", "1", "1").encode()
    places = ("sub/x.md", "../x.md", str(outside / "x.md"), "x" * 300 + ".md")
    assert add(AddRequest(deck, text, deck / "x\0.md", create=True)).is_refused
    for place in places:
        with pytest.raises((WrongUseError, OutputError)):
            add(AddRequest(deck, text, deck / place, create=True))
    assert list(outside.iterdir()) == []
