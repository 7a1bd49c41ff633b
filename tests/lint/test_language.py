"""In notes in languages other than English, advice on wording is silent, and words are counted."""

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from ptcards.lint.registry import all_rules

Write = Callable[[dict[str, str]], Path]
Run = Callable[..., Ran]

GERMAN = """## Was bedeutet TCP?

Das Protokoll, das die Pakete in der richtigen Reihenfolge und ohne Verlust zustellt, solange beide Seiten miteinander reden.

## Nenne drei Eigenschaften einer Verbindung!

Sie wird aufgebaut, sie wird bestätigt und sie wird am Ende wieder abgebaut, wobei jede Seite die andere hören muss.
"""

ENGLISH = {rule.name for rule in all_rules().values() if rule.english}


def said(ran: Ran) -> list[str]:
    """Return the distinct rules that a check reports."""
    return sorted({line.split("[")[1].split("]")[0] for line in ran.out.splitlines() if "[" in line})


@pytest.mark.parametrize(
    "files",
    [
        {"deck.toml": 'name = "D"\nid = "d"\nlanguage = "de"\n', "a.md": GERMAN},
        {"deck.toml": 'name = "D"\nid = "d"\n', "a.md": f"---\nlanguage: de-AT\n---\n{GERMAN}"},
    ],
)
def test_a_language_that_is_set_decides(write: Write, ptcards: Run, files: dict[str, str]) -> None:
    assert said(ptcards("check", write(files), "--format", "concise")) == []


def test_without_a_language_notes_are_taken_for_english(write: Write, ptcards: Run) -> None:
    root = write({"deck.toml": 'name = "D"\nid = "d"\n', "a.md": GERMAN})
    assert {*said(ptcards("check", root, "--format", "concise"))} & ENGLISH == {
        "nothing-asked",
        "yes-no-question",
    }


def test_a_language_must_be_a_code(write: Write, ptcards: Run) -> None:
    root = write({"deck.toml": 'name = "D"\nid = "d"\nlanguage = "German"\n', "a.md": GERMAN})
    assert "wrong-value" in said(ptcards("check", root, "--format", "concise"))


def test_two_characters_count_as_a_word_where_words_have_no_spaces(write: Write, ptcards: Run) -> None:
    answer = "损失函数对参数的导数向量。" * 12
    root = write(
        {
            "deck.toml": 'name = "D"\nid = "d"\nlanguage = "zh-Hans"\n',
            "a.md": f"## 什么是梯度？\n\n{answer}\n",
        }
    )
    ran = ptcards("check", root, "--format", "concise")
    assert [line.split("] ")[1] for line in ran.out.splitlines() if "answer-words" in line] == [
        "the answer has 72 words, more than 60"
    ]
