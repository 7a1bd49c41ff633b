"""The rule `missing-difficulty`."""

from collections.abc import Callable
from pathlib import Path

from conftest import Ran
from rules import table

test_advice = table(
    # A collection that mostly has none.
    ("## A?\n\nYes.\n\n## B?\n<!-- card: difficulty=easy -->\n\nYes.\n\n## C?\n\nNo.\n", []),
    (
        "## A?\n\nYes.\n\n## B?\n<!-- card: difficulty=easy -->\n\nYes.\n",
        ["1:4+2 hint: this note has no difficulty"],
    ),
)


def _notes(name: str, comment: str) -> str:
    """Return a note with a difficulty, and one with this comment on line 7."""
    return "\n".join(
        f"## Why is {name} {number}?\n<!-- card: {settings} ignore=bare-answer -->\n\nYes.\n"
        for number, settings in ((1, "difficulty=easy"), (2, comment))
    )


def test_a_misspelt_difficulty_is_reported_once(
    write: Callable[..., Path], ptcards: Callable[..., Ran]
) -> None:
    folder = write(
        {
            "deck.toml": 'name = "D"\nid = "d"\n',
            "a.md": _notes("a", "difficulty=eazy"),
            "b.md": _notes("b", "dificulty=easy"),
            "c.md": _notes("c", "id=c"),
            "e.md": "---\ndificulty: hard\n---\n\n" + _notes("e", "id=e"),
            "d.md": "---\ndifficulty: hrad\n---\n\n" + _notes("d", "id=d"),
        }
    )
    assert ptcards("check", folder, "--format", "concise").out == (
        "a.md:7:23: error[unknown-difficulty] [fix] unknown difficulty `eazy`\n"
        "b.md:7:12: error[unknown-key] [fix] unknown key `dificulty` in the card comment\n"
        "c.md:6:4: hint[missing-difficulty] this note has no difficulty\n"
        "d.md:2:13: error[unknown-difficulty] [fix] unknown difficulty `hrad`\n"
        "e.md:2:1: warning[misspelt-key] [fix] unknown key `dificulty` in the front matter is ignored\n"
        "3 errors, 1 warning, 1 hint\n"
    )


def test_another_mistake_in_the_card_comment_does_not_hide_that_there_is_no_difficulty(
    write: Callable[..., Path], ptcards: Callable[..., Ran]
) -> None:
    folder = write(
        {
            "deck.toml": 'name = "D"\nid = "d"\n',
            "a.md": _notes("a", "tgs=x"),
            "b.md": "---\ntgas: x\n---\n\n" + _notes("b", "id=b"),
            "c.md": _notes("c", "difficulty="),
        }
    )
    assert ptcards("check", folder, "--format", "concise").out == (
        "a.md:6:4: hint[missing-difficulty] this note has no difficulty\n"
        "a.md:7:12: error[unknown-key] [fix] unknown key `tgs` in the card comment\n"
        "b.md:2:1: warning[misspelt-key] [fix] unknown key `tgas` in the front matter is ignored\n"
        "b.md:10:4: hint[missing-difficulty] this note has no difficulty\n"
        "c.md:7:12: error[wrong-value] `difficulty` has no value\n"
        "2 errors, 1 warning, 2 hints\n"
    )
