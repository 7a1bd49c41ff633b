"""`ptcards init --agents` writes what models need to know, and leaves everything else in AGENTS.md alone."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from conftest import Ran
from ptcards.cli import COMMANDS, main
from ptcards.lint.registry import all_messages

Run = Callable[..., Ran]
Write = Callable[..., Path]

TOML = 'name = "Deck"\nid = "i"\n'
NOTE = "## What is a leaf?\n\nA tensor that no operation made.\n"
BEGIN, END = "<!-- ptcards: begin -->\n", "<!-- ptcards: end -->\n"


def agents(ptcards: Run, folder: Path) -> str:
    """Return AGENTS.md after `init --agents`, and check that a second run changes nothing."""
    assert ptcards("init", folder, "--agents").status == 0
    text = (folder / "AGENTS.md").read_bytes().decode()
    assert ptcards("init", folder, "--agents").err.endswith("nothing to do: `AGENTS.md` is up to date\n")
    assert (folder / "AGENTS.md").read_bytes().decode() == text
    return text


def section(text: str, title: str) -> list[str]:
    """Return the lines of a section that are not empty."""
    return [line for line in text.partition(f"## {title}\n")[2].partition("\n## ")[0].splitlines() if line]


@pytest.mark.extensions
def test_a_plain_collection_gets_the_format_the_rules_and_the_commands(ptcards: Run, write: Write) -> None:
    text = agents(ptcards, write({"deck.toml": TOML, "a.md": NOTE}))
    assert text.startswith(f"{BEGIN}# Deck\n")
    assert text.endswith(END)
    assert len(text.splitlines()) <= 120
    assert [line for line in text.splitlines() if line.startswith("## ")][-2:] == [
        "## What `ptcards add` refuses",
        "## How to add notes",
    ]
    named = re.findall(r"^- `([a-z-]+)`: ", text, re.MULTILINE)
    assert {*named} - {*all_messages()} == set()
    assert "vague-question" in named
    assert "missing-id" not in named
    commands = {line.split()[1] for line in re.findall(r"`(ptcards [^`]*)`", text)}
    assert commands == {"add", "check", "explain", "find"}
    assert commands - COMMANDS.keys() == set()


@pytest.mark.extensions
def test_the_example_is_a_draft_that_add_takes(ptcards: Run, write: Write) -> None:
    folder = write({"deck.toml": f'{TOML}[add]\nrequire = ["sources"]\n', "a.md": NOTE})
    example = agents(ptcards, folder).split("```markdown\n")[1].split("```\n")[0]
    ran = CliRunner().invoke(main, ["add", "-", "--draft", "--to", str(folder / "a.md")], input=example)
    assert (ran.exit_code, (folder / "a.md").read_text("utf-8")) == (0, f"{NOTE}\n{example}")


def test_settings_and_rules_of_the_collection_are_said(ptcards: Run, write: Write) -> None:
    text = agents(
        ptcards,
        write(
            {
                "deck.toml": 'name = "Karten"\nid = "i"\nlanguage = "de"\ntags = ["a"]\n'
                'dialects = [{ files = ["vault/**"], dialect = "obsidian" }]\n'
                '[add]\nrequire = ["sources", "details"]\n'
                '[check]\nenable = ["missing-id"]\nignore = ["mark-syntax"]\nlimits = { code-lines = 40 }\n',
                "a.md": "## Was ist ein Blatt?\n\nEin Tensor.\n",
            }
        ),
    )
    assert section(text, "What this collection asks for") == [
        "- Write in the language `de`.",
        "- `ptcards add` refuses a note without `### Sources`, `### Details`.",
        "- Every note gets the tags `a`; do not repeat them.",
        "- Files that match `vault/**` are read as `obsidian`: add nothing there.",
    ]
    refused = section(text, "What `ptcards add` refuses")
    assert "- `code-lines`: A block of code does not fit on a screen (the limit is 40)." in refused
    assert "- `missing-id`: A note has no id." in refused
    # The collection ignores the first, and the second is about English.
    assert [line for line in refused if line.startswith(("- `mark-syntax`", "- `vague-question`"))] == []


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_only_our_part_is_updated(line_end: str, ptcards: Run, write: Write) -> None:
    folder = write({"deck.toml": TOML, "a.md": NOTE, "AGENTS.md": f"# Mine{line_end}{line_end}Be kind."})
    first = agents(ptcards, folder)
    assert first.startswith(
        f"# Mine{line_end}{line_end}Be kind.{line_end}{line_end}{BEGIN.strip()}{line_end}"
    )
    assert first.count("\n") == first.count(line_end)
    (folder / "AGENTS.md").write_bytes(f"{first}Below.{line_end}".encode())
    write({"deck.toml": TOML.replace("Deck", "Other")})
    assert ptcards("init", folder, "--agents").err == "Updated AGENTS.md\n"
    after = (folder / "AGENTS.md").read_bytes().decode()
    assert after == f"{first}Below.{line_end}".replace("# Deck", "# Other")


@pytest.mark.parametrize("text", [BEGIN, END, END + BEGIN, BEGIN + BEGIN + END + END])
def test_broken_marks_are_left_to_the_author(text: str, ptcards: Run, write: Write) -> None:
    folder = write({"deck.toml": TOML, "a.md": NOTE, "AGENTS.md": text})
    ran = ptcards("init", folder, "--agents")
    assert (ran.status, (folder / "AGENTS.md").read_text("utf-8")) == (2, text)
    assert "delete all of these marks" in ran.err


def test_broken_settings_are_reported_and_nothing_is_written(ptcards: Run, write: Write) -> None:
    folder = write({"deck.toml": f"{TOML}tags = 3\n", "a.md": NOTE})
    assert ptcards("init", folder, "--agents").status == 2
    assert not (folder / "AGENTS.md").exists()


def test_the_file_is_no_source_unless_it_is_named(ptcards: Run, write: Write) -> None:
    folder = write({"deck.toml": TOML, "a.md": NOTE})
    agents(ptcards, folder)
    assert ptcards("check", folder).err == "Checked 1 note: nothing to report\n"
    assert "not read: AGENTS.md: it is for models" in ptcards("check", folder, "-v").err
    write(
        {
            "deck.toml": f'{TOML}include = ["AGENTS.md"]\n',
            "AGENTS.md": "## What is a view?\n\nA tensor that shares storage.\n",
        }
    )
    assert ptcards("check", folder).err == "Checked 2 notes: nothing to report\n"
