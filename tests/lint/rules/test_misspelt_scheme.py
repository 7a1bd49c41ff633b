"""The rule `misspelt-scheme`, and its fix."""

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from ptcards.markdown.links import with_right_scheme


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("htp://x.org/a", "http://x.org/a"),
        ("htps://x.org", "https://x.org"),
        ("httsp://x.org", "https://x.org"),
        ("http//x.org", "http://x.org"),
        ("https:/x.org", "https://x.org"),
        ("https:x.org", "https://x.org"),
        ("https;//x.org", "https://x.org"),
        ("https:///x.org", "https://x.org"),
        ("ttps://x.org?a=b#c", "https://x.org?a=b#c"),
        ("https://x.org", ""),
        ("HTTP://x.org", ""),
        ("http://localhost", ""),
        ("http/intro.md", ""),
        ("https.md", ""),
        ("ftp://x.org", ""),
        ("http-basics.md", ""),
    ],
)
def test_a_slip_in_the_scheme_is_corrected(written: str, right: str) -> None:
    assert with_right_scheme(written) == right


def test_the_fix_corrects_the_link(ptcards: Callable[..., Ran], write: Callable[..., Path]) -> None:
    text = "## What is it?\n\nSee [x](htp://x.org) and [y](https:/y.org).\n\n<!-- none -->\n"
    folder = write({"deck.toml": 'name = "D"\nid = "i"\n', "a.md": text})
    first = "a.md:3:5: warning[misspelt-scheme] [fix] `htp://x.org` does not begin with `http://`"
    assert ptcards("check", folder, "--format", "concise").out.splitlines()[0] == first
    assert ptcards("check", folder, "--fix", "--select", "misspelt-scheme").status == 0
    right = text.replace("htp:", "http:").replace("https:/", "https://")
    assert (folder / "a.md").read_text() == right
