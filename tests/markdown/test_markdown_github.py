"""Compares cards with GitHub's own engine and CommonMark's examples, and tries hostile inputs."""

import json
import random
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gfm.dom import dom, github_html
from gfm.hostile import HOSTILE
from ptcards.markdown.deadline import deadline
from ptcards.markdown.render import render
from ptcards.markdown.render_inlines import Cloze
from ptcards.notes import Text
from ptcards.source.content import MAX_FIELD_BYTES, inspect

SNIPPETS = (Path(__file__).parents[1] / "gfm" / "snippets.md").read_text("utf-8").split("\n.\n")
SPEC_PACKAGE = "markdown-it-py==4.3.0"
"""The source distribution of this package contains the examples of CommonMark 0.31.2 as JSON.

Their licence does not allow a copy here.
"""

SPEC_SAME = 616
"""The number of the 652 examples that look the same in a browser; docs/rendering.md describes the others."""

SPEC_SILENT = {354, 389, 417, 425, 426, 427, 464, 465, 466, 468, 602, 606, 608, 611, 612}
"""Examples that differ without a diagnostic; all are as on GitHub."""


HANG_SECONDS = 10
"""Seconds.

On a slow machine, too, an input takes longer only if the time grows with the square of its length.
"""


def ours(markdown: str) -> tuple[str, set[str]]:
    """Render a text whose files all exist; return the HTML and the rules that report something."""
    text = Text(markdown, "f.md")
    content = inspect(text)
    names = {each.address: each.address for each in content.references if not each.optional}
    html, diagnostics = render(text, names=names, prefix="p")
    return html, {each.rule for each in (*content.diagnostics, *diagnostics)}


@pytest.mark.parametrize(
    ("markdown", "verdict"),
    [pytest.param(*SNIPPETS[n + 1 : n + 3], id=SNIPPETS[n].strip()) for n in range(0, len(SNIPPETS) - 2, 3)],
)
def test_a_snippet_is_as_on_github_or_named(markdown: str, verdict: str) -> None:
    html, rules = ours(markdown)
    same = ["same"] if dom(html) == dom(github_html(markdown)) else []
    assert " ".join(same + sorted(rules)) == verdict


def test_nearly_all_snippets_are_as_on_github_and_no_difference_is_silent() -> None:
    verdicts = [verdict.split() for verdict in SNIPPETS[2::3]]
    assert len(verdicts) >= 120
    assert all(verdicts)
    assert sum("same" in verdict for verdict in verdicts) / len(verdicts) >= 0.95


BLOCKS = (
    "- ", "- ", "* ", "> ", "1. ", "2) ", "    ", "  ", "\t", "\n", "\n", "\n\n", "\n```\n", "\n~~~\n", "\n***\n",
    "\n# ", "---", "===", "\n|a|b|\n|-|-|\n", "|", "\n<div>\n", "\n</div>\n", "<!--", "-->", "[a]: http://q.r/b\n",
    '[b]:\n<http://q.r/c d> "t\nu"\n', "[^1]: ", "[^1]", "[ ] ", "\n- ", "\n    ", "\n> ", "\n  - ",
)  # fmt: skip
INLINES = (
    "*", "**", "_", "__", "~", "~~", "`", "``", "\\", "[", "]", "(", ")", "![", "](http://x.y)", "](z.png)", "[a]", "[b]",
    "<b>", "</b>", "<http://a.b>", "http://a.b/c", "www.a.b", "m@n.op", "&amp;", "&", "<", "a", "b", "word", "x y", " ",
    "  \n", ".", ",", "!", "\n", "\\*", "<i>", "</i>", '"', "'", "→", "|", "https://d.e?f=g&h",
)  # fmt: skip


def assert_same_or_named(markdown: str) -> None:
    html, rules = ours(markdown)
    assert rules or dom(html) == dom(github_html(markdown)), (markdown, html, github_html(markdown))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(INLINES), min_size=1, max_size=14).map("".join))
def test_inline_markdown_is_as_on_github_or_named(markdown: str) -> None:
    assert_same_or_named(markdown)


@settings(max_examples=250, deadline=None)
@given(st.lists(st.sampled_from(BLOCKS + INLINES), min_size=1, max_size=16).map("".join))
def test_markdown_is_as_on_github_or_named(markdown: str) -> None:
    assert_same_or_named(markdown)


ODD = (
    "{{c1::",
    "}}",
    "::",
    "$",
    "$$",
    "```math\n",
    "\x00",
    "\x02",
    "\x1f",
    "<T>",
    "<script>",
    "<details>",
    "\\(",
    "[sound:",
    "{",
    "é\u0301",
)


def assert_nothing_is_lost(random_source: random.Random) -> None:
    """Fail if text before and after any random text is not shown."""
    body = "".join(random_source.choice(BLOCKS + INLINES + ODD) for _ in range(random_source.randint(1, 25)))
    markdown = f"before\n\n{body}\n\nafter"
    text = Text(markdown)
    content = inspect(text)
    html, _ = render(text, names={}, prefix="p", cloze=random_source.choice(list(Cloze)))
    rules = {each.rule for each in content.diagnostics}
    assert html.startswith("<p>before</p>"), (markdown, html)
    hidden = {"unclosed-comment", "unfinished-tag"} & rules
    assert "after" in html or hidden, (markdown, html)


def test_no_text_is_lost() -> None:
    source = random.Random(2026)
    for _ in range(1_500):
        assert_nothing_is_lost(source)


@pytest.mark.slow
def test_no_text_is_lost_in_many_more() -> None:
    source = random.Random(2027)
    for _ in range(5_000):
        assert_nothing_is_lost(source)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_input_is_done_in_time(name: str) -> None:
    """The input has a sixteenth of a field's maximum size, which is fast enough for every run."""
    text = Text(HOSTILE[name](MAX_FIELD_BYTES // 16))
    with deadline(HANG_SECONDS):
        inspect(text)
        render(text, names={}, prefix="p", cloze=Cloze.CODE)


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_input_of_full_length_is_done_in_time(name: str) -> None:
    text = Text(HOSTILE[name](MAX_FIELD_BYTES - 100))
    with deadline(HANG_SECONDS):
        inspect(text)
        render(text, names={}, prefix="p", cloze=Cloze.CODE)


@pytest.mark.slow
def test_the_examples_of_commonmark_are_the_same_or_named(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "-q",
        "--no-deps",
        "--no-binary",
        ":all:",
        "-d",
        str(tmp_path),
        SPEC_PACKAGE,
    ]
    subprocess.run(command, check=True, capture_output=True)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as sources:
        name = next(name for name in sources.getnames() if re.search(r"/commonmark\.json$", name))
        member = sources.extractfile(name)
        assert member is not None
        examples = json.load(member)
    same, silent = 0, set()
    for example in examples:
        html, rules = ours(example["markdown"])
        if dom(html, relative_links=False) == dom(example["html"], relative_links=False):
            same += 1
        elif not rules - {"relative-link"}:
            silent.add(example["example"])
    assert (same, len(examples), silent) == (SPEC_SAME, 652, SPEC_SILENT)
