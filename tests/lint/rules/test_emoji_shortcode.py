"""The rule `emoji-shortcode`."""

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from rules import QUESTION, table

test_advice = table(
    (
        f"{QUESTION}Done :tada: and (:+1:), **:1st_place_medal:**\n",
        [
            "3:6+6 hint: `:tada:` is an emoji on GitHub and text in Anki",
            "3:18+4 hint: `:+1:` is an emoji on GitHub and text in Anki",
            "3:27+17 hint: `:1st_place_medal:` is an emoji on GitHub and text in Anki",
        ],
    ),
    (
        "## Is it :fire:?\n\n- [x] :white_check_mark:\n- [ ] no\n",
        [
            "1:10+6 hint: `:fire:` is an emoji on GitHub and text in Anki",
            "3:7+18 hint: `:white_check_mark:` is an emoji on GitHub and text in Anki",
        ],
    ),
    # Times, ratios, C++, deletions, names that are not an emoji's, and what is not prose.
    (f"{QUESTION}10:100:20, a:b:c, std::on::x, :nonsense:, :Tada:, ::tada::, \\:tada:\n", []),
    (f"{QUESTION}The {{{{c1::key::top}}}} of {{{{c2::it::up}}}}.\n", []),
    (f'{QUESTION}`:tada:` $:tada:$ <https://example.org/:tada:> <b title=":tada:">b</b>\n', []),
    (f"{QUESTION}```text\n:tada:\n```\n", []),
)


@pytest.mark.extensions
def test_the_fix_writes_the_character(write: Callable[..., Path], ptcards: Callable[..., Ran]) -> None:
    text = "# Deck\n\n## What is it?\n\nDone :tada: :heart: `:tada:`.\n"
    root = write({"deck.toml": 'name = "D"\nid = "i"\n', "a.md": text})
    ptcards("check", "--fix", root)
    assert (root / "a.md").read_text("utf-8") == "# Deck\n\n## What is it?\n\nDone 🎉 ❤️ `:tada:`.\n"
