"""An error stops a build, so only what breaks a card, a deck or a learner's reviews is one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran

_TOML = 'name = "D"\nid = "i"\n'
_ASK = "## What is it?\n\nIt is this:\n\n"


def _fence(code: str, language: str = "python") -> str:
    return f"{_ASK}```{language}\n{code}\n```\n"


_BLOCKS = (
    (">>> 1 + 1\n2", "set the language to `pycon`, which is for sessions with `>>>`"),
    ("def f(x: int) -> str:", "add a line with `...`, indented, below it"),
    ("class A:", "add a line with `...`, indented, below it"),
    ('print "hello"', "set the language to `python2`"),
    ("cdef int x = 1", "set the language to `cython`"),
    ("Traceback (most recent call last):\n  File 'x'\nE: x", "set the language to `pytb`"),
    *(
        (code, "correct the code, or set the language to `text` if it is not a complete program")
        for code in (
            "else:\n    pass",
            "for <item> in <iterable>:\n    pass",
            "len?",
            "1 + 1  -> 2",
            "p := partition(A, lo, hi)",
            "if x = 3:\n    pass",
        )
    ),
)


@pytest.mark.parametrize(("code", "fix"), _BLOCKS)
def test_code_that_does_not_parse_is_a_warning_that_says_what_it_may_be(
    ptcards: Callable[..., Ran], write: Callable[..., Path], code: str, fix: str
) -> None:
    folder = write({"deck.toml": _TOML, "a.md": _fence(code)})
    ran = ptcards("check", folder, "--select", "broken-python")
    helps = [line.strip() for line in ran.out.splitlines() if "= help:" in line]
    assert (ran.status, helps, ptcards("check", "--strict", folder).status) == (0, [f"= help: {fix}"], 1)
    assert ptcards("build", folder).status == 0


def test_an_indented_excerpt_is_parsed_without_its_indentation(
    ptcards: Callable[..., Ran], write: Callable[..., Path]
) -> None:
    folder = write({"deck.toml": _TOML, "a.md": _fence("    return x + 1"), "b.md": _fence("    return x +")})
    ran = ptcards("check", folder, "--select", "broken-python", "--format", "concise")
    assert [line.partition(": ")[0].rpartition("/")[2] for line in ran.out.splitlines()] == [
        "b.md:6:15",
        "1 warning",
    ]


INNOCENT = {
    "text-before-heading": f"Notes of week 1.\n\n# T\n\n{_ASK}x\n",
    "heading-after-section": f"{_ASK}x\n\n### Details\n\ny\n\n### Proof\n\nz\n",
    "option-count": "## What is it?\n\n- [x] buy milk\n",
    "output-without-code": _fence("12", "output"),
    "session-without-prompt": _fence("1", "pycon"),
    "no-run-without-reason": _fence("x = 1", "python no-run"),
    "conflict-marker": _fence("<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x", "text"),
    "footnote-in-heading": "## What is it?[^1]\n\nIt.\n\n[^1]: A.\n",
    "unsafe-link": f"{_ASK}[x](file:///a.pdf) z\n",
    "indented-heading": " ## What is it?\n\nThis is it.\n",
}


@pytest.mark.parametrize("rule", INNOCENT)
def test_what_breaks_no_card_stops_no_build(
    ptcards: Callable[..., Ran], write: Callable[..., Path], rule: str
) -> None:
    folder = write({"deck.toml": _TOML, "a.md": INNOCENT[rule]})
    ran = ptcards("check", folder, "--select", rule)
    built = ptcards("build", folder)
    assert (ran.status, f"warning[{rule}]" in ran.out, built.status) == (0, True, 0), built.err


def test_a_block_of_code_may_show_a_merge_on_its_card(
    ptcards: Callable[..., Ran], write: Callable[..., Path]
) -> None:
    folder = write({"deck.toml": _TOML, "a.md": INNOCENT["conflict-marker"]})
    assert ptcards("build", folder, "--format", "csv", "-o", folder / "out").status == 0
    (table,) = (folder / "out").glob("*.csv")
    assert "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x" in table.read_text("utf-8").replace("&lt;", "<").replace(
        "&gt;", ">"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "## What is x?\n\nIf a<b and b>c then it is so.\n",
            "## What is x?\n\nIf a&lt;b and b>c then it is so.\n",
        ),
        ("## What is x?\n\nRun `git` on <branch> now.\n", "## What is x?\n\nRun `git` on &lt;branch> now.\n"),
        (
            f"---\ntags: [machine learning, exam]\n---\n\n{_ASK}x\n",
            f"---\ntags: [machine-learning, exam]\n---\n\n{_ASK}x\n",
        ),
        (f"# std::move\n\n{_ASK}x\n", f"# std move\n\n{_ASK}x\n"),
        (f"  {_ASK}x\n", f"{_ASK}x\n"),
    ],
)
def test_a_certain_cure_is_applied(
    ptcards: Callable[..., Ran], write: Callable[..., Path], before: str, after: str
) -> None:
    folder = write({"deck.toml": _TOML, "a.md": before})
    ran = ptcards("check", "--fix", folder)
    assert ((folder / "a.md").read_text("utf-8"), ran.status) == (after, 0), ran.out
    assert ptcards("build", folder).status == 0


def test_a_tag_that_may_be_meant_is_not_changed(
    ptcards: Callable[..., Ran], write: Callable[..., Path]
) -> None:
    text = f"{_ASK}It is <b>bold.\n\n<details open>\n\nMore.\n"
    folder = write({"deck.toml": _TOML, "a.md": text})
    ptcards("check", "--fix", folder)
    assert (folder / "a.md").read_text("utf-8") == text


def test_a_rule_below_a_paragraph_has_one_error(
    ptcards: Callable[..., Ran], write: Callable[..., Path]
) -> None:
    folder = write({"deck.toml": _TOML, "a.md": "## What is it?\n\nA paragraph\n---\n\nmore\n"})
    ran = ptcards("check", folder, "--format", "concise")
    assert [line.split()[1] for line in ran.out.splitlines()[:-1]] == ["error[underlined-heading]"]


def test_a_key_of_another_program_that_begins_like_ours_is_named_and_stays(
    ptcards: Callable[..., Ran], write: Callable[..., Path]
) -> None:
    text = "---\nlang: de\n---\n\n## Was ist das?\n\nDas ist es, weil es das ist.\n"
    folder = write({"deck.toml": _TOML, "a.md": text})
    ran = ptcards("check", folder, "--fix")
    assert "warning[misspelt-key] unknown key `lang` in the front matter is ignored" in ran.out
    assert "did you mean `language`?" in ran.out
    assert (folder / "a.md").read_text("utf-8").startswith("---\nlang: de\n")


@pytest.mark.parametrize(("word", "meant"), [("prevew", "serve"), ("biuld", "build"), ("watch", "serve")])
def test_a_command_is_suggested_by_what_it_is_called_elsewhere(
    ptcards: Callable[..., Ran], word: str, meant: str
) -> None:
    ran = ptcards(word)
    assert (ran.status, ran.err.splitlines()[-1]) == (2, f"help: did you mean `{meant}`?")
