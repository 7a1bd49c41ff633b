"""The rule `questions-below`."""

from collections.abc import Callable
from pathlib import Path

from conftest import Ran
from rules import table

test_advice = table(
    (
        "## Cells\n\n### What is a cell?\n\nThe smallest.\n\n### What is a nucleus? ⭐️\n\nIts core.\n",
        ["1:1+2 warning: 2 question headings are part of this answer"],
    ),
    (
        "## Cells\n\n**What is a cell?**\n\nA.\n\n**2. Why?** ⭐️\n\nB.\n\n**What else?**\n\nC.\n",
        ["1:1+2 warning: 3 questions in bold are part of this answer"],
    ),
    (
        "## Cells\n\n#### 1) What is a cell? [[src](https://a.org/b)]\n\nThe smallest.\n\n#### 2) Why? [a](b.md) [c](d.md)\n\nSo.\n",
        ["1:1+2 warning: 2 question headings are part of this answer"],
    ),
    # A single one may be intended.
    (
        "## Cells\n\nMany.\n\n### Why so many?\n\nThey divide.\n\n### Growth\n\nSlow.\n\n**Really?**\n\nYes.\n",
        [],
    ),
)


def test_a_build_says_it_too(ptcards: Callable[..., Ran], write: Callable[..., Path]) -> None:
    below = "## Cells\n\n### What is a cell?\n\nThe smallest.\n\n### What is a nucleus?\n\nIts core.\n"
    folder = write({"deck.toml": 'name = "D"\nid = "i"\n', "a.md": below})
    said = "warning[questions-below] 2 question headings are part of this answer"
    for options in ((), ("--refresh",)):
        assert said in ptcards("build", folder, "-o", folder / "out", *options).err
    write({"a.md": below.replace("Cells\n", "Cells\n<!-- card: ignore=questions-below -->\n", 1)})
    assert said not in ptcards("build", folder, "-o", folder / "out").err
