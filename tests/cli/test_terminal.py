"""Exact terminal output: `terminal/*.txt` contain a session at three widths, and one in colour.

The commands run in a pseudo-terminal. `pytest --update` writes the sessions: check the result.
"""

import os
import re
from pathlib import Path

import pytest

from ptcards.diagnostics.layout import width_of
from terminal import type_session, without_progress

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="there are no pseudo-terminals"),
]

SESSIONS = Path(__file__).parents[1] / "terminal"

FIRST = "# Wide\n\n## What does autograd record?\n<!-- card: id=a -->\n\nThe operations, because it goes back over them.\n"
BAD = """\
# Wide

## Explain autograd.
<!-- card: id=b dificulty=easy -->

It records what is computed, and 何か何か何か何か何か何か何か何か List<T> is not what <script> is meant to be.
"""
MANY = "# Many\n\n" + "".join(
    f"## Explain number {n}.\n\nIt is in [the text](text-{n}.md), which is long enough.\n\n"
    for n in range(26)
)

# Files to write before a command, and the command.
SESSION: tuple[tuple[dict[str, str], tuple[str, ...]], ...] = (
    ({}, ("init", "my deck")),
    ({}, ("build", "my deck")),
    ({}, ("build", "my deck")),
    ({}, ("check", "my deck")),
    ({"my deck/bad.md": BAD}, ("check", "my deck")),
    ({}, ("check", "my deck", "-q")),
    ({}, ("build", "my deck")),
    ({"my deck/bad.md": FIRST, "my deck/first-steps.md": ""}, ("build", "my deck", "--dry-run")),
    ({}, ("build", "my deck", "--format", "csv")),
    ({"my deck/many.md": MANY}, ("check", "my deck")),
    ({}, ("check", "my deck", "--select", "relative-link", "--statistics")),
    ({}, ("check", "my deck", "--select", "relativ-link")),
    ({}, ("check", "your deck")),
    ({}, ("check", "--stric")),
    ({}, ("build", "my deck", "--format", "pdf")),
    ({}, ("keep",)),
    ({}, ("import", "my deck/build/my-deck.csv", "deck")),
    ({}, ("import", "my deck/build/my-deck.apkg", "-o", "deck")),
    ({}, ("reviews", "my deck")),
    ({}, ("import", "--help")),
    ({}, ("--help",)),
    ({}, ("new",)),
    ({}, ("watch",)),
    ({}, ("explain", "vague-question")),
    ({}, ("explain", "unknown-key")),
)


@pytest.mark.parametrize("name", ["60", "80", "120", "80 in colour"])
@pytest.mark.extensions
def test_a_session_is_shown_to_the_letter(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    columns, _, color = name.partition(" ")
    env = {} if color else {"NO_COLOR": "1"}
    text = _plain(type_session(SESSION, columns=int(columns), folder=tmp_path, env=env))
    file = SESSIONS / f"{name}.txt"
    if request.config.getoption("--update"):
        file.write_text(text, "utf-8")
    assert file.read_text("utf-8") == text


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_no_line_of_a_session_is_wider_than_its_terminal_but_addresses(columns: int) -> None:
    lines = (SESSIONS / f"{columns}.txt").read_text("utf-8").split("\n")
    wide = [line for line in lines if width_of(line) > columns and not line.startswith("$ ")]
    assert [line for line in wide if "https://" not in line] == []


def _plain(text: str) -> str:
    """Return output without the progress line, and with times and sizes normalised as in other tests."""
    text = without_progress(text)
    text = re.sub(r"(?<=  )\d+ kB\b", "1 kB", text)
    return re.sub(r"\b\d+\.\d\d s\b", "0.00 s", text.replace("\x1b", "␛"))
