"""`check --format json`: findings with their notes and fixes, which another program can apply."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import jsonschema
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from conftest import Ran, read_cases
from edits import with_edits
from ptcards import __version__
from ptcards.cli import main
from ptcards.files import NoSuchSourceError
from ptcards.lint.edited_text import EditedText, edits_of
from ptcards.lint.registry import LineEdit, all_messages
from ptcards.source.collection import find_collections
from test_bad import FILES, _files

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs" / "schemas" / "check.json").read_text("utf-8"))
FOREIGN = Path(__file__).with_name("apply_edits.py")

Run = Callable[..., Ran]
Write = Callable[..., Path]

TOML = 'name = "Deck"\nid = "i"\n'
LAST = "It has data.\n\n\n"
SOURCE = "## What is a leaf?\n\nA tensor.\n\n```\nimport torch\nx = 1\n```\n\nIt has data.\n\n### Source\n\n- here\n\n\n"


def report(ptcards: Run, *arguments: str | Path) -> dict[str, object]:
    """Return the report of a check, which has the form of the schema."""
    found: dict[str, object] = json.loads(ptcards("check", *arguments, "--format", "json").out)
    jsonschema.validate(found, SCHEMA)
    return found


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_a_finding_names_its_note_and_its_edits(ptcards: Run, write: Write) -> None:
    folder = write(
        {
            "deck.toml": TOML,
            "a.md": "## What is a leaf?\n\nA tensor.\n\n```\nimport torch\nx = 1\n```\n\nIt has data.\n",
        }
    )
    found = report(ptcards, folder)
    rule = all_messages()["fence-without-language"]
    assert found == {
        "version": 1,
        "counts": {"errors": 0, "warnings": 1, "hints": 0},
        "findings": [
            {
                "path": "a.md",
                "line": 5,
                "column": 1,
                "end": 4,
                "rule": rule.name,
                "severity": "warning",
                "message": "this code block has no language",
                "help": "add a language such as `python`, `output` or `text` after the opening fence",
                "key": "what-is-a-leaf",
                "guid": "pdTBKZViJJo",
                "fixes": [
                    {
                        "description": "add a language such as `python`, `output` or `text` after the opening fence",
                        "edits": [
                            {"line": 5, "column": 1, "end_line": 5, "end_column": 4, "text": "```python"}
                        ],
                    }
                ],
            }
        ],
    }
    explained = json.loads(ptcards("check", folder, "--format", "json", "--explain").out)
    jsonschema.validate(explained, SCHEMA)
    assert [each.pop("explain") for each in explained["findings"]] == [rule.explanation]
    assert explained == found


def test_sarif_has_the_rules_the_findings_and_the_fixes(ptcards: Run, write: Write) -> None:
    folder = write({"deck.toml": TOML, "a b.md": f"## What is a leaf?\n\nA tensor.\n\n{LAST}"})
    found = json.loads(ptcards("check", folder, "--format", "sarif").out)
    assert found == {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "ptcards",
                        "version": __version__,
                        "rules": [
                            {
                                "id": "closing-blank-lines",
                                "shortDescription": {"text": all_messages()["closing-blank-lines"].summary},
                                "help": {"text": all_messages()["closing-blank-lines"].explanation},
                            }
                        ],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [
                    {
                        "ruleId": "closing-blank-lines",
                        "ruleIndex": 0,
                        "level": "note",
                        "message": {"text": "2 blank lines at the end of the file: delete them"},
                        "locations": [
                            {
                                "physicalLocation": {
                                    "artifactLocation": {"uri": "a%20b.md"},
                                    "region": {
                                        "startLine": 6,
                                        "startColumn": 1,
                                        "endLine": 6,
                                        "endColumn": 2,
                                    },
                                }
                            }
                        ],
                        "fixes": [
                            {
                                "description": {"text": "delete them"},
                                "artifactChanges": [
                                    {
                                        "artifactLocation": {"uri": "a%20b.md"},
                                        "replacements": [
                                            {
                                                "deletedRegion": {
                                                    "startLine": 6,
                                                    "startColumn": 1,
                                                    "endLine": 8,
                                                    "endColumn": 1,
                                                },
                                                "insertedContent": {"text": ""},
                                            }
                                        ],
                                    }
                                ],
                            }
                        ],
                    }
                ],
            }
        ],
    }


def test_explain_needs_a_format_with_room_for_it(ptcards: Run, write: Write) -> None:
    ran = ptcards("check", write({"deck.toml": TOML, "a.md": SOURCE}), "--explain")
    assert (ran.status, ran.err.splitlines()[-1]) == (2, "error: `--explain` only adds to `--format json`")


def test_a_finding_above_the_notes_has_no_note(ptcards: Run, write: Write) -> None:
    found = report(ptcards, write({"deck.toml": f'{TOML}langauge = "de"\n', "a.md": SOURCE}))
    assert found["findings"][-1] == {  # type: ignore[index] # JSON
        "path": "deck.toml",
        "line": 3,
        "column": 1,
        "end": 9,
        "rule": "unknown-key",
        "severity": "error",
        "message": "unknown key `langauge`",
        "help": "did you mean `language`?",
        "key": None,
        "guid": None,
        "fixes": [
            {
                "description": "did you mean `language`?",
                "edits": [{"line": 3, "column": 1, "end_line": 3, "end_column": 9, "text": "language"}],
            }
        ],
    }


def test_fixes_follow_select_and_ignore(ptcards: Run, write: Write) -> None:
    folder = write({"deck.toml": TOML, "a.md": SOURCE})

    def fixed(*options: str) -> list[str]:
        found = report(ptcards, folder, *options)
        return [each["rule"] for each in found["findings"] if each["fixes"]]  # type: ignore[attr-defined] # JSON

    assert fixed() == ["fence-without-language", "misspelt-section", "closing-blank-lines"]
    assert fixed("--select", "misspelt-section") == ["misspelt-section"]
    assert fixed("--ignore", "misspelt-section") == ["fence-without-language", "closing-blank-lines"]


def test_standard_input_has_fixes_and_keys_but_no_guids(write: Write) -> None:
    write({"deck.toml": TOML, "a.md": "## Another?\n\nIt.\n"})
    ran = CliRunner().invoke(main, ["check", "-", "--format", "json"], input=SOURCE.encode())
    found = json.loads(ran.stdout)
    jsonschema.validate(found, SCHEMA)
    assert [(each["rule"], each["key"], each["guid"], len(each["fixes"])) for each in found["findings"]] == [
        ("fence-without-language", "what-is-a-leaf", None, 1),
        ("misspelt-section", "what-is-a-leaf", None, 1),
        ("closing-blank-lines", "what-is-a-leaf", None, 1),
    ]


def test_notes_of_other_programs_have_no_fixes(ptcards: Run, write: Write) -> None:
    folder = write(
        {"deck.toml": f'{TOML}dialect = "obsidian"\n', "a.md": "What is a leaf?::A tensor.\n\n\n\n"}
    )
    found = report(ptcards, folder)
    assert [each["fixes"] for each in found["findings"]] == [[]] * len(found["findings"])  # type: ignore[arg-type,attr-defined] # JSON


def _corpus(*, has_deck: bool) -> Iterator[dict[str, bytes]]:
    """Yield the files of each input in the case files, then if wanted the deck of this repository."""
    for name in FILES:
        for case in read_cases(f"../bad/{name}"):
            yield {
                path: content.encode() if isinstance(content, str) else content
                for path, content in _files(case.source).items()
            }
    for name in ("parse", "render"):
        for case in read_cases(name):
            yield {"deck.toml": TOML.encode(), "a.md": case.source.encode()}
    if has_deck:
        yield {
            file.name: file.read_bytes()
            for file in sorted((ROOT / "cards").iterdir())
            if file.suffix in (".md", ".toml")
        }


def _texts(folder: Path) -> dict[str, bytes]:
    files = (file for file in sorted(folder.rglob("*")) if file.suffix in (".md", ".toml"))
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"], ids=["lf", "crlf-with-mark"])
def test_another_program_changes_what_fix_changes(
    line_end: bytes, ptcards: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program changes all files, and `--fix` changes copies of them."""
    mark = b"\xef\xbb\xbf" if line_end == b"\r\n" else b""
    monkeypatch.chdir(tmp_path)
    folders = []
    # The deck of this repository takes half of the time, so it is only there with one kind of line ends.
    for number, files in enumerate(_corpus(has_deck=not mark)):
        for name, content in files.items():
            file = Path("edited", str(number), name)
            file.parent.mkdir(parents=True, exist_ok=True)
            is_text = name.endswith(".md") and b"\r" not in content and not content.startswith(b"\xef")
            file.write_bytes(mark + content.replace(b"\n", line_end) if is_text else content)
        with suppress(NoSuchSourceError):
            find_collections([Path("edited", str(number))], read=False)
            folders.append(str(number))
    shutil.copytree("edited", "fixed")
    before = _texts(Path("edited"))
    found = report(ptcards, *(Path("edited", folder) for folder in folders))
    subprocess.run([sys.executable, FOREIGN], input=json.dumps(found), text=True, check=True)
    ptcards("check", "--fix", *(Path("fixed", folder) for folder in folders))
    after = _texts(Path("fixed"))
    assert _texts(Path("edited")) == after
    assert len(folders) > 350
    assert sum(before[name] != after[name] for name in before) > 20


def test_edits_of_edits_are_edits_of_the_file() -> None:
    rounds = [
        [LineEdit(1, 3, "c", "C\nD", "first"), LineEdit(2, 1, "", "- ", "second")],
        [LineEdit(1, 1, "ab", "", "third"), LineEdit(2, 1, "Dd", "E", "fourth")],
        [LineEdit(4, 1, "", None, "fifth")],
    ]
    assert [tuple(edit) for edit in edits_of("abcd\r\nx\r\n", rounds)] == [
        (1, 1, 1, 5, "C\r\nE", ("first", "fourth", "third")),
        (2, 1, 2, 1, "- ", ("second",)),
    ]


def test_what_later_rounds_undo_is_no_edit() -> None:
    rounds = [[LineEdit(1, 1, "a", "b", "first")], [LineEdit(1, 1, "b", "a", "second")]]
    assert edits_of("a\n", rounds) == ()


LINES = st.lists(st.sampled_from(["", "a", "bc", "def"]), min_size=1, max_size=5)


@given(LINES, st.sampled_from(["\n", "\r\n", "\r"]), st.lists(st.randoms(use_true_random=False), max_size=4))
def test_random_rounds_have_the_same_effect_as_their_edits(
    lines: list[str], line_end: str, chances: list[Random]
) -> None:
    text = line_end.join(lines)
    edited = EditedText(text)
    for chance in chances:
        rows = edited.text.split(line_end)
        edits = []
        for number, row in enumerate(rows, 1):
            column = chance.randint(1, len(row) + 1)
            old = row[column - 1 : column - 1 + chance.randint(0, 2)]
            new = chance.choice(["", "x", "y\nz", None])
            if chance.random() < 0.5:
                edits.append(LineEdit(number, column, old, new, "rule"))
        edited.apply(edits)
    assert with_edits(text, edited.edits()) == edited.text
