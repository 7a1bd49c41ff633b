"""One unfinished note does not hold up the others."""

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran

_TOML = 'name = "D"\nid = "i"\n'
_GOOD = "## What is A?\n\nA is the first letter.\n"
_UNFINISHED = {
    "no-answer": "## TODO\n",
    "missing-media": "## What is shown here?\n\n![A cat](cat.png)\n",
    "remote-media": "## What is shown here?\n\n![A cat](https://example.org/cat.png)\n",
    "unknown-tag": "## What is this?\n\nThe <branch> of it.\n",
    "second-output": "## What does it print?\n\n```python\nprint(1)\n```\n\n```output\n1\n```\n\n```output\n1\n```\n",
    "no-right-option": "## Which is it?\n\n- [ ] a\n- [ ] b\n",
}


@pytest.mark.parametrize("rule", _UNFINISHED)
def test_a_note_with_an_error_can_be_left_out(
    ptcards: Callable[..., Ran], write: Callable[..., Path], rule: str
) -> None:
    folder = write({"deck.toml": _TOML, "a.md": f"{_GOOD}\n{_UNFINISHED[rule]}"})
    refused = ptcards("build", folder)
    assert (refused.status, f"error[{rule}]" in refused.err) == (1, True)
    way = "; --skip-broken leaves out notes with an error" in refused.err
    assert way == (rule in ("no-answer", "missing-media", "remote-media"))
    ran = ptcards("build", folder, "--skip-broken")
    assert (ran.status, f"warning[left-out] 1 card left out: `{rule}`" in ran.err) == (0, True), ran.err
    assert "D: 1 note, 1 card (1 left out)" in ran.err
    only = write({"b/deck.toml": _TOML, "b/a.md": _GOOD}) / "b"
    assert ptcards("build", only).status == 0
    locks = [(each / "deck.lock").read_text("utf-8").split("\n")[3:] for each in (folder, only)]
    assert [line.split("\t")[0] for line in locks[0]] == [line.split("\t")[0] for line in locks[1]]


def test_a_published_note_is_never_left_out(ptcards: Callable[..., Ran], write: Callable[..., Path]) -> None:
    second = "## What is B?\n<!-- card: id=b -->\n\nB is the second letter.\n"
    folder = write({"deck.toml": _TOML, "a.md": f"{_GOOD}\n{second}"})
    assert ptcards("build", folder).status == 0
    before = (folder / "deck.lock").read_bytes()
    (folder / "a.md").write_text(f"{_GOOD}\n## Which letter is B?\n<!-- card: id=b -->\n", "utf-8")
    ran = ptcards("build", folder, "--skip-broken")
    assert (ran.status, (folder / "deck.lock").read_bytes()) == (1, before)
    assert "error[published-draft] a published note has an error, so it cannot be left out" in ran.err


def test_an_error_that_misreads_the_rest_of_a_file_leaves_nothing_out(
    ptcards: Callable[..., Ran], write: Callable[..., Path]
) -> None:
    folder = write({"deck.toml": _TOML, "a.md": f"{_GOOD}\n```python\nx\n\n## What is B?\n\nThe second.\n"})
    ran = ptcards("build", folder, "--skip-broken")
    assert (ran.status, "error[unclosed-fence]" in ran.err, "left-out" in ran.err) == (1, True, False)


@pytest.mark.parametrize("rule", ["no-answer", "missing-media", "remote-media"])
def test_the_help_names_drafts_which_hold_up_no_build(
    ptcards: Callable[..., Ran], write: Callable[..., Path], rule: str
) -> None:
    heading, _, rest = _UNFINISHED[rule].partition("\n")
    folder = write({"deck.toml": _TOML, "a.md": f"{_GOOD}\n{heading}\n{rest}"})
    assert "`<!-- card: draft -->`" in ptcards("check", folder).out
    (folder / "a.md").write_text(f"{_GOOD}\n{heading}\n<!-- card: draft -->\n{rest}", "utf-8")
    checked, built = ptcards("check", folder), ptcards("build", folder)
    assert (checked.status, f"warning[{rule}]" in checked.out, built.status) == (0, True, 0)
    assert "D: 1 note, 1 card (1 draft)" in built.err
