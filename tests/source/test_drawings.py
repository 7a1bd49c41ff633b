"""Diagrams that are written as text, with and without their drawings."""

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

from conftest import Ran
from ptcards.anki.fields import render
from ptcards.workspace import ReadOptions, Workspace

Ptcards = Callable[..., Ran]
Write = Callable[[dict[str, str | bytes]], Path]

TOML = 'name = "D"\nid = "d"\n'
ASKED = "## What follows?\n\n"
DOT = "graph { a -- b }"
SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>'
NIGHT = SVG + "\n"


def name_of(language: str, text: str, *, dark: bool = False) -> str:
    digest = hashlib.sha256(f"{language}\0{text}".encode()).hexdigest()[:16]
    return f"img/drawn/{digest}{'.dark' if dark else ''}.svg"


def in_anki(name: str, content: str) -> str:
    """Return the name of a picture in Anki."""
    path = Path(name)
    return f"{path.stem}-{hashlib.sha256(content.encode()).hexdigest()[:8]}{path.suffix}"


def fence(language: str, text: str, words: str = "") -> str:
    return f"```{language}{words}\n{text}\n```\n"


def read(root: Path) -> tuple[str, list[str], list[str]]:
    """Return the answer of the first note, the names of its media, and what was reported."""
    workspace = Workspace.read([root], ReadOptions())
    (contents,) = workspace.contents
    fields, _ = render(contents.notes[0])
    reported = [f"{each.location} {each.rule}: {each.message}" for each in workspace.diagnostics]
    return (
        fields[1],
        [media.name for media in contents.notes[0].media],
        [each.replace(f"{root.as_posix()}/", "") for each in reported],
    )


def test_a_diagram_with_a_drawing_is_its_picture_by_day_and_at_night(write: Write) -> None:
    day, night = name_of("dot", DOT), name_of("dot", DOT, dark=True)
    root = write({
        "deck.toml": TOML,
        "sub/a.md": ASKED + fence("dot", DOT, ' alt="a & b" title="A line"'),
        day: SVG,
        night: NIGHT,
    })  # fmt: skip
    one, two = in_anki(day, SVG), in_anki(night, NIGHT)
    pictures = [
        f'<img alt="a &amp; b" class="{when}" src="{name}" title="A line">'
        for when, name in (("day-only", one), ("night-only", two))
    ]
    assert read(root) == (
        f"<p>{''.join(pictures)}</p>",
        [two, one],
        [],
    )


def test_a_picture_without_a_dark_version_is_shown_in_both_modes(write: Write) -> None:
    chart = "flowchart LR\n  accTitle: From A to B\n  A --> B"
    day = name_of("mermaid", chart)
    root = write({"deck.toml": TOML, "a.md": ASKED + fence("mermaid", chart), day: SVG})
    name = in_anki(day, SVG)
    assert read(root) == (f'<p><img alt="From A to B" src="{name}"></p>', [name], [])


def test_the_picture_depends_on_the_text_and_not_on_its_place(write: Write) -> None:
    day = name_of("dot", DOT)
    item = f"- Like this:\n\n  ```dot\n  {DOT}\n  ```\n"
    root = write({"deck.toml": TOML, "sub/sub/b.md": f"# Other\n\n{ASKED}{item}", day: SVG})
    answer, media, reported = read(root)
    assert (f'src="{in_anki(day, SVG)}"' in answer, media, reported) == (True, [in_anki(day, SVG)], [])


def test_a_diagram_whose_text_changed_is_code_and_is_reported(write: Write) -> None:
    root = write({"deck.toml": TOML, "a.md": ASKED + fence("d2", "a -> b"), name_of("d2", "a -> c"): SVG})
    answer, media, reported = read(root)
    assert (answer.startswith('<pre class="code" data-lang="d2">'), media, reported) == (
        True,
        [],
        ["a.md:3:1 not-drawn: this `d2` block has no drawing, so the card shows its source"],
    )


def test_a_block_that_says_so_is_code_even_if_there_is_a_drawing(write: Write) -> None:
    words = ' no-run="shows the syntax"'
    root = write({"deck.toml": TOML, "a.md": ASKED + fence("dot", DOT, words), name_of("dot", DOT): SVG})
    answer, media, reported = read(root)
    assert (answer.startswith("<pre"), media, reported) == (True, [], [])


def test_a_deletion_in_a_diagram_is_asked(write: Write) -> None:
    text = "graph { a -- {{c1::b}} }"
    asked = "## ?\n<!-- card: kind=cloze -->\n\n" + fence("dot", text)
    root = write({"deck.toml": TOML, "a.md": asked, name_of("dot", text): SVG})
    answer, media, reported = read(root)
    assert ("{{c1::" in answer, "<img" in answer, media, reported) == (True, False, [], [])


def test_a_build_notices_a_new_drawing_a_changed_one_and_its_dark_version(
    ptcards: Ptcards, write: Write
) -> None:
    root = write({"deck.toml": TOML, "a.md": f"{ASKED}A line.\n\n" + fence("dot", DOT)})
    lines = []
    for change in (None, (False, SVG), (False, NIGHT), (True, SVG), None):
        if change:
            file = root / name_of("dot", DOT, dark=change[0])
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(change[1])
        ran = ptcards("build", root)
        assert ran.status == 0
        lines.append(re.findall("^  ([+~]1 .*)$", ran.err, re.MULTILINE))
    assert lines == [["+1 new"], ["~1 changed"], ["~1 changed"], ["~1 changed"], []]


def test_a_drawing_outside_the_collection_is_refused(write: Write, tmp_path: Path) -> None:
    day = name_of("dot", DOT)
    root = write({"in/deck.toml": TOML, "in/a.md": ASKED + fence("dot", DOT), "out.svg": SVG}) / "in"
    (root / day).parent.mkdir(parents=True)
    (root / day).symlink_to(tmp_path / "out.svg")
    answer, media, reported = read(root)
    assert (answer.startswith("<pre"), media, reported) == (
        True,
        [],
        [f"a.md:3:1 unsafe-media: `@/{day}` is outside the collection"],
    )
