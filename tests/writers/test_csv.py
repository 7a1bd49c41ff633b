"""The CSV for people, read with csv and pandas."""

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Ran
from handmade import a_note, choice
from ptcards.notes import Kind, Note
from ptcards.writers.csv import COLUMNS, csv_rest, write_csv

SHARING = Path(__file__).parents[2] / "docs" / "sharing.md"
HOSTILE = (
    'a "quoted", b; c\t| # $HOME %d --- ::: {{ x }} <b>\n\n```python\n# comment, here\nList<int>\n```\n= 1'
)


def written(tmp_path: Path, *notes: Note) -> bytes:
    rows = [(f"guid{n}", note.key, csv_rest(note)) for n, note in enumerate(notes)]
    write_csv(path=tmp_path / "a.csv", rows=rows)
    return (tmp_path / "a.csv").read_bytes()


def unmarked(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return rows without the marks that keep spreadsheets from running cells."""
    return [{name: cell.removeprefix("'") for name, cell in row.items()} for row in rows]


def read(content: bytes) -> list[dict[str, str]]:
    text = content.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def test_the_columns_are_a_contract() -> None:
    assert ",".join(COLUMNS) == (
        "guid,key,deck,kind,difficulty,tags,question,answer,hint,details,choices,sources"
    )


def test_a_basic_note_is_written_as_it_stands_in_the_source(tmp_path: Path) -> None:
    note = a_note(
        "Why `no_grad`?",
        "It stops *autograd*.",
        question="```python\nx\n```",
        hint="Think.",
        details="More.",
        sources="- <https://pytorch.org>",
        difficulty="easy",
        tags=("autograd", "difficulty::easy"),
        key="no-grad",
    )
    assert read(written(tmp_path, note)) == [
        {
            "guid": "guid0",
            "key": "no-grad",
            "deck": "PyTorch::Autograd",
            "kind": "basic",
            "difficulty": "easy",
            "tags": "autograd difficulty::easy",
            "question": "Why `no_grad`?\n\n```python\nx\n```",
            "answer": "It stops *autograd*.",
            "hint": "Think.",
            "details": "More.",
            "choices": "",
            "sources": "'- <https://pytorch.org>",
        }
    ]


def test_bytes_are_those_excel_wants(tmp_path: Path) -> None:
    content = written(tmp_path, a_note("Größe?", "a\nb"))
    assert (
        content
        == (
            "\ufeff" + ",".join(f'"{name}"' for name in COLUMNS) + "\r\n"
            '"guid0","a-note","PyTorch::Autograd","basic","","","Größe?","a\nb","","","",""\r\n'
        ).encode()
    )


def test_a_choice_has_its_task_list_and_answers_with_the_right_options(tmp_path: Path) -> None:
    note = a_note(
        "Which clear gradients?",
        "They accumulate.\n\nSo clear them.",
        kind=Kind.CHOICE,
        choices=(
            choice("`backward()`", "It adds."),
            choice("`zero_grad()`", right=True),
            choice(
                "Setting `.grad`:\n\n```python\np.grad = None\n```", "- Works.\n- Since ever.", right=True
            ),
        ),
    )
    (row,) = read(written(tmp_path, note))
    assert row["choices"] == (
        "'- [ ] `backward()`\n"
        "    - It adds.\n"
        "- [x] `zero_grad()`\n"
        "- [x] Setting `.grad`:\n\n    ```python\n    p.grad = None\n    ```\n"
        "    - Works.\n    - Since ever."
    )
    assert row["answer"] == (
        "`zero_grad()`\nSetting `.grad`:\n\n```python\np.grad = None\n```\n\nThey accumulate.\n\nSo clear them."
    )


def test_a_typed_answer_begins_with_the_text_to_type(tmp_path: Path) -> None:
    rows = read(
        written(
            tmp_path,
            a_note("Which call?", "It moves.", kind=Kind.TYPED, typed="x.to()"),
            a_note("Which?", kind=Kind.TYPED, typed="x"),
        )
    )
    assert [row["answer"] for row in rows] == ["x.to()\n\nIt moves.", "x"]


def test_a_cloze_keeps_its_deletions(tmp_path: Path) -> None:
    (row,) = read(written(tmp_path, a_note("Fill in", "{{c1::x::hint}}", kind=Kind.CLOZE)))
    assert (row["kind"], row["answer"]) == ("cloze", "{{c1::x::hint}}")


def test_pandas_and_csv_read_every_cell_back(tmp_path: Path) -> None:
    notes = [
        a_note(f"{n} {HOSTILE}", HOSTILE, details=HOSTILE, key=key)
        for n, key in enumerate(["NA", "null", "007"])
    ]
    rows = read(written(tmp_path, *notes))
    assert [(row["key"], row["question"], row["details"]) for row in rows] == [
        (note.key, note.heading.markdown, HOSTILE) for note in notes
    ]
    frame = pd.read_csv(tmp_path / "a.csv", dtype=str, keep_default_na=False)
    assert frame.to_dict("records") == rows


FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)", "\tx", "'=1+1", "''")


def test_cells_that_a_spreadsheet_would_run_are_marked_as_text(tmp_path: Path) -> None:
    cells = (*FORMULAS, "1", "x=1", " =1", "\n=1")
    rows = read(written(tmp_path, *(a_note(cell, cell, key=cell, deck=cell) for cell in cells)))
    marked = [f"'{cell}" if cell in FORMULAS else cell for cell in cells]
    assert [[row[name] for name in ("key", "deck", "question", "answer")] for row in rows] == [
        [cell] * 4 for cell in marked
    ]


def test_the_example_of_the_docs_brings_the_markdown_back(
    write: Callable[..., Path], ptcards: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [f"~~~text\n{cell}\n~~~" for cell in FORMULAS] + [
        "=SUM(A1:A9)",
        "- a\n- b",
        "+ a",
        "@a",
        "'quoted'",
        "''",
    ]
    notes = "".join(f"## Question {n}?\n\n{answer}\n\n" for n, answer in enumerate(answers))
    folder = write({"cards/deck.toml": 'name = "PyTorch"\nid = "i"\n', "cards/a.md": notes})
    assert ptcards("build", folder / "cards", "-o", folder / "build").status == 0
    monkeypatch.chdir(folder)
    (example,) = re.findall(r"```python\n(import pandas.*?)```", SHARING.read_text("utf-8"), re.DOTALL)
    found: dict[str, Any] = {}
    exec(example, found)  # the example is what is tested
    assert list(found["cards"]["answer"]) == answers


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs"])), min_size=1, max_size=4
    )
)
def test_any_text_comes_back(tmp_path_factory: pytest.TempPathFactory, answers: list[str]) -> None:
    path = tmp_path_factory.mktemp("csv")
    rows = unmarked(read(written(path, *(a_note("q", answer) for answer in answers))))
    assert [row["answer"] for row in rows] == answers
