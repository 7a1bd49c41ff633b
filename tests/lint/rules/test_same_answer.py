"""The rule `same-answer`."""

from collections.abc import Callable
from pathlib import Path

from conftest import Ran
from rules import table

LONG = "A tensor that no recorded operation produced."

test_advice = table(
    # Short answers, other answers, and the same question twice, which is an error of its own.
    ("## Is a leaf a tensor?\n\nTrue.\n\n## Is a node one?\n\nTrue.\n", []),
    ("## How many are there?\n\n**42**\n\n## What is six times seven?\n\n**42**\n", []),
    ("## Is it fast?\n\nIt depends.\n\n## Is it exact?\n\nIt depends.\n", []),
    (f"## What is a leaf?\n\n{LONG}\n\n## What is a root?\n\n{LONG} Or not.\n", []),
    (
        f"## What is a leaf?\n\n{LONG}\n\n## What is a node?\n<!-- card: unlike=what-is-a-leaf -->\n\n{LONG}\n",
        [],
    ),
    # White space and case do not count.
    (
        f"## What is a leaf?\n\n{LONG}\n\n## What do you call it?\n\n{LONG.replace(' ', chr(10)).upper()}\n",
        [
            "5:4+20 warning: the answer is the same as that of the note at a.md:1:1",
        ],
    ),
    (
        {"a.md": f"# A\n\n## What is a leaf?\n\n{LONG}\n", "b.md": f"# B\n\n## Define it.\n\n{LONG}\n"},
        ["3:4+10 warning: the answer is the same as that of the note at a.md:3:1"],
    ),
    (
        (
            "## What does it print?\n\nThis:\n\n```python\nf(1)\n```\n\n```output\n1 2 3\n4 5 6\n```\n\n"
            "## What is on the screen?\n\nThat:\n\n```python\nf(2)\n```\n\n```output\n1 2 3\n4 5 6\n```\n"
        ),
        ["14:4+22 warning: the output is the same as that of the note at a.md:1:1"],
    ),
)


def test_collections_that_are_checked_together_are_compared_too_but_only_with_hints(
    write: Callable[..., Path], ptcards: Callable[..., Ran]
) -> None:
    folder = write(
        {
            "a/deck.toml": 'name = "A"\nid = "a"\n',
            "a/a.md": f"## What is a leaf?\n\n{LONG}\n\n## Is it one?\n\nTrue.\n",
            "b/deck.toml": 'name = "B"\nid = "b"\n',
            "b/b.md": f"## Define a leaf.\n\n{LONG}\n\n## Is it two?\n\nTrue.\n",
            "b/c.md": f"## Define a node.\n\n{LONG}\n",
        }
    )
    within = "b/c.md:1:4: warning[same-answer] the answer is the same as that of the note at b/b.md:1:1"
    across = "b/b.md:1:4: hint[same-answer] the answer is the same as that of the note at a/a.md:1:1"

    def lines(*sources: str) -> list[str]:
        ran = ptcards(
            "check", *(folder / each for each in sources), "--select", "same-answer", "--format", "concise"
        )
        return [line.replace(f"{folder}/", "") for line in ran.out.splitlines() if ":" in line]

    for _ in range(2):  # the second time from the cache
        assert lines("b") == [within]
        assert lines("a", "b") == [across, within]
        assert lines("a", "b/c.md") == [within]
    (folder / "a/a.md").write_text("## What is a leaf?\n\nOne.\n", "utf-8")
    assert lines("a", "b") == [within]
