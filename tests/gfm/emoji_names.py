"""Writes the emoji that GitHub shows for names such as `:tada:`, from the list that GitHub publishes.

The list is db/emoji.json of https://github.com/github/gemoji, at its tag v4.1.0 (MIT licence):

    python tests/gfm/emoji_names.py emoji.json
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main(source: Path) -> None:
    """Write the names in alphabetical order; GitHub's own pictures (`:octocat:`) have no character."""
    emoji = {name: each["emoji"] for each in json.loads(source.read_bytes()) for name in each["aliases"]}
    text = json.dumps(emoji, ensure_ascii=False, indent=0, sort_keys=True)
    (ROOT / "src/ptcards/lint/emoji.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
