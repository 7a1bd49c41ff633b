"""The rule `missing-id`."""

from collections.abc import Callable
from pathlib import Path

from conftest import Ran
from rules import QUESTION, table

test_advice = table(
    # An id.
    ("## Which call clears the gradients?\n<!-- card: id=a -->\n\nYes.\n", []),
    (f"{QUESTION}Yes.\n", ["1:4+32 hint: this note has no id"]),
)


def test_the_id_that_is_proposed_is_valid(
    write: Callable[[dict[str, str]], Path], ptcards: Callable[..., Ran]
) -> None:
    text = "## What is C++?\n\nOne.\n\n## What is C#?\n\nTwo.\n"
    toml = 'name = "D"\nid = "d"\n[check]\nenable = ["missing-id"]\n'
    root = write({"deck.toml": toml, "a.md": text})
    ran = ptcards("check", root)
    ids = [line.split("`")[1] for line in ran.out.splitlines() if "card: id=" in line]
    assert ids == ["<!-- card: id=what-is-c -->", "<!-- card: id=what-is-c.2 -->"]
    for heading, line in zip(("C++?", "C#?"), ids, strict=True):
        text = text.replace(f"{heading}\n", f"{heading}\n{line}\n")
    (root / "a.md").write_text(text)
    ran = ptcards("check", root, "--format", "concise")
    assert (ran.status, "missing-id" in ran.out) == (0, False)
