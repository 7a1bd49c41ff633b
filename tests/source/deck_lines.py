"""Texts with `#` lines in all positions, and where their words belong according to GitHub's parser."""

import itertools
import json
import random
import re
import sqlite3
import zipfile
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import cmarkgfm
from cmarkgfm.cmark import Options

from ptcards.anki.built_in_notetypes import FIELDS
from scorecard.command import ptcards

_OPTIONS = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_SOURCEPOS
_HEADINGS = ("# {}", "# {} {}", "#\t{}", "# {} #", "# `{}`", "# {}:", "#  {}  ", "# **{}** {}", "# {}\\")
_LINES = (
    *_HEADINGS, *_HEADINGS,
    "#{}", "#!/{}", "\\# {}", "#", "# ", " # {}", "   # {}", "    # {}", "\t# {}", "####### {}", "#### {}",
    "> # {}", "> {}\n# {}", "> {}\n>\n> # {}", "- # {}", "1. # {}", "- {}\n# {}", "- {}\n  # {}", "- {}\n\n  # {}\n\n  {}",
    "1. {}\n\n   ```\n   # {}\n   ```", "- ```\n  # {}\n  ```\n- {}",
    "```\n# {}\n```", "~~~\n# {}\n\n# {}\n~~~", "```python\n{}\n# {}\n```", "````\n```\n# {}\n```\n````",
    "<div>\n# {}\n</div>", "<div>\n\n# {}\n\n</div>", "<pre>\n# {}\n\n# {}\n</pre>", "<!-- a remark -->\n# {}",
    "| {} | {} |\n| - | - |\n| {} | {} |\n# {}", "{}\n===", "{}\n---", "***\n# {}\n***", "---\n# {}",
    "{} = 1\n# {}\n{}()", "{} = 1\n\n# {}\n{}()", "{} = 1\n# {}\n\n{}()", "def {}():\n    # {}\n    return {}\n\n# {}\n\n{}()",
    "    {} = 1\n# {}", "$$\n# {}\n$$", "### {}\n# {}", "#### {}\n\n# {}", "### Hint\n\n{}\n# {}", "### Answer\n\n# {}\n\n{}",
    "{}  \n# {}", "{}\\\n# {}", "`{}\n# {}`", "**{}\n# {}**", "[{}\n# {}](https://example.org)", "# [{}](https://example.org)",
    "# {}\n\n{}\n\n## {}?\n\n{}", "# {}\n## {}?\n\n{}", "{}\n# {}\n\n## {}?\n\n{}", "# {}\n# {}\n\n## {}?\n\n{}",
    "{}", "{} {}", "## {}?\n\n{}", "## {}?\n{}", "- {}\n- {}", "{}[^{}]", "<b>{}</b>",
)  # fmt: skip
_FIRST = (
    "",
    "",
    "# {}\n\n",
    "# {}\n",
    "# {}\n\n{}\n\n",
    "\ufeff",
    "---\ntags: [a] # tags\n# none\n---\n",
    "\n\n",
    "## {}?\n# {}\n\n",
)
_ENDS = ("\n", "\n", "\n", "\r\n", "\r")
_BETWEEN = ("\n", "\n\n", "\n\n", "\n \n", "\n\t\n", "\n\n\n")
_WORD = re.compile(r"w\d+x\d+x")


@dataclass(frozen=True)
class Sorted:
    """The content of a text, divided by its headings.

    It has the words of each note and deck, and the lines that cut off an answer without a message.
    """

    notes: frozenset[frozenset[str]]
    decks: frozenset[frozenset[str]]
    unclear: frozenset[int]


def a_text(source: random.Random, number: int) -> str:
    """Return a source with some `#` lines; each of its words is unique."""
    words = (f"w{number}x{count}x" for count in itertools.count())
    lines = source.sample(_LINES, 8)
    parts = [source.choice(_FIRST), source.choice(("## {}?\n\n{}\n\n", "## {}?\n\n{}\n\n", ""))]
    for _ in range(source.randint(1, 8)):
        parts += [source.choice(lines), source.choice(_BETWEEN)]
    parts += source.choice(("", "\n\n## {}?\n\n{}\n", "\n{}"))
    text = re.sub(r"\{\}", lambda _: next(words), "".join(parts).rstrip("\n" * source.randrange(2)))
    return text.replace("\n", source.choice(_ENDS))


def sort_words(text: str) -> Sorted:
    """Return the words of a text by the headings that GitHub's parser finds in column 1."""
    text = re.sub(r"\r\n?", "\n", text.removeprefix("\ufeff"))
    text = re.sub(r"\A---\n.*?\n---\n", lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)
    lines = text.split("\n")
    html = cmarkgfm.github_flavored_markdown_to_html(text, options=_OPTIONS)
    found = [
        (int(line), int(level)) for level, line in re.findall(r'<h([12]) data-sourcepos="(\d+):1-', html)
    ]
    headings = [(line, level) for line, level in found if lines[line - 1].startswith("#")]
    words: dict[int, set[frozenset[str]]] = {1: set(), 2: set()}
    unclear = set()
    for place, (line, level) in enumerate(headings):
        following = headings[place + 1 :]
        end = following[0][0] - 1 if following else len(lines)
        words[level].add(frozenset(_WORD.findall("\n".join(lines[line - 1 : end]))))
        is_below_note = any(other == 2 for _, other in headings[:place])
        is_set_off = not any(each.strip() for each in (*lines[line - 2 : line - 1], *lines[line : line + 1]))
        has_note = bool(following) and following[0][1] == 2
        if level == 1 and is_below_note and not (is_set_off and has_note):
            unclear.add(line)
    return Sorted(frozenset(words[2]), frozenset(words[1]), frozenset(unclear))


def misplaced(folder: Path, texts: list[str]) -> tuple[int, list[str]]:
    """Build these texts; return how many were published, and which lost words without a message."""
    (folder / "deck.toml").write_text('name = "D"\nid = "d"\n', "utf-8")
    for number, text in enumerate(texts):
        (folder / f"{number}.md").write_bytes(text.encode())
    refused = set()
    unclear: dict[int, set[int]] = {}
    for said in json.loads(ptcards("check", folder, "--format", "json").out)["findings"]:
        number = int(Path(said["path"]).stem)
        if said["severity"] == "error":
            refused.add(number)
        elif said["rule"] == "deck-in-answer":
            unclear.setdefault(number, set()).add(said["line"])
    for number in refused:
        (folder / f"{number}.md").unlink()
    ran = ptcards("build", folder, "-o", folder / "out", "--format", "apkg")
    if ran.status:
        return 0, [ran.err]
    notes, decks = _published(folder / "out" / "d.apkg")
    published = [number for number in range(len(texts)) if number not in refused]
    lost = []
    for number in published:
        expected = sort_words(texts[number])
        is_named = expected.unclear == frozenset(unclear.get(number, ()))
        if not (is_named and expected.notes <= notes and expected.decks <= decks):
            lost.append(texts[number])
    return len(published), lost


def _published(package: Path) -> tuple[set[frozenset[str]], set[frozenset[str]]]:
    """Return the words of each note in a package, and those in the name and description of each deck."""
    with zipfile.ZipFile(package) as archive, closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(archive.read("collection.anki2"))
        rows = [row[0].split("\x1f") for row in connection.execute("SELECT flds FROM notes")]
        (decks,) = connection.execute("SELECT decks FROM col").fetchone()
    named = [f"{deck['name']} {deck['desc']}" for deck in json.loads(decks).values()]
    # The topic is the name of the deck.
    topic = FIELDS.index("Topic")
    return _words(" ".join((*row[:topic], *row[topic + 1 :])) for row in rows), _words(named)


def _words(texts: Iterable[str]) -> set[frozenset[str]]:
    return {frozenset(_WORD.findall(text)) for text in texts}
