"""Pictures with boxes of the Obsidian plugin Decks become our own."""

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from made_pictures import png
from ptcards.notes import Box
from ptcards.workspace import Workspace

Write = Callable[[dict[str, str]], Path]
Run = Callable[..., Ran]

TOML = 'name = "D"\nid = "d"\ndialect = "obsidian"\n'
HEART = """# Anatomy

## The *parts* ==of== the heart #anatomy

```decks-occlusion
image: "[[heart 1.png|300]]"
version: 2
masks:
  - id: m1
    x: 12
    y: 30.25
    w: 18
    h: 6.000000000000001
    answer: The ==aorta==, $x^2$
  - id: m2
    x: 60
    y: .5
    w: 1
    h: 1
    answer: |-
      Left
      ventricle
  - {id: m3, x: 40, y: 0.5, w: 1, h: 1, answer: ""}
```
"""


def block(image: str = "[[heart 1.png]]", masks: str = "[{x: 1, y: 2, w: 3, h: 4, answer: A}]") -> str:
    return f"```decks-occlusion\nimage: {image}\nmasks: {masks}\n```\n"


def vault(write: Write, text: str, toml: str = TOML) -> Path:
    root = write({"deck.toml": toml, "a.md": text})
    (root / "img").mkdir(exist_ok=True)
    (root / "img" / "heart 1.png").write_bytes(png(80, 60))
    return root


def notes_of(root: Path) -> list[tuple[str, str, str, str]]:
    """Return deck, kind, question and answer of each note."""
    (contents,) = Workspace.read([root]).contents
    return [(each.deck, each.kind, each.title, each.answer.markdown) for each in contents.notes]


def left_out(ran: Ran) -> list[str]:
    return [line for line in ran.out.splitlines() if "[left-out]" in line]


def test_a_block_is_a_picture_with_boxes_below_its_heading_and_needs_no_tag(write: Write) -> None:
    (contents,) = Workspace.read([vault(write, HEART)]).contents
    (note,) = contents.notes
    assert (note.deck, note.kind, note.heading.markdown, note.location.line) == (
        "D",
        "occlusion",
        "The *parts* <mark>of</mark> the heart",
        3,
    )
    assert note.answer.markdown == (
        "![](wiki:heart%201.png)\n\n- 12% 30.25% 18% 6%: The <mark>aorta</mark>, $x^2$\n"
        "- 60% 0.5% 1% 1%: Left ventricle\n- 40% 0.5% 1% 1%: Box 3"
    )
    assert [note.answer.location(line).line for line in (0, 2, 3, 4)] == [6, 9, 15, 23]
    assert [each.markdown for each in note.items] == [
        "The <mark>aorta</mark>, $x^2$",
        "Left ventricle",
        "Box 3",
    ]
    assert note.occlusion
    assert note.occlusion.boxes == (
        Box(1200, 3025, 1800, 600),
        Box(6000, 50, 100, 100),
        Box(4000, 50, 100, 100),
    )
    assert (note.occlusion.hides_all, note.occlusion.size) == (True, (80, 60))


@pytest.mark.parametrize(
    "image",
    [
        "[[heart 1.png]]",
        '"[[heart 1.png]]"',
        "'![[img/heart 1.png|200]]'",
        "'![x](img/heart%201.png)'",
        "heart 1.png",
        "[[heart 1.png|200]]",
    ],
)
def test_a_picture_is_found_as_the_plugin_finds_it(write: Write, image: str) -> None:
    ((_, _, _, answer),) = notes_of(vault(write, f"# Heart\n\n{block(image)}"))
    name = "img/heart%201.png" if "img/" in image else "heart%201.png"
    assert answer == f"![](wiki:{name})\n\n- 1% 2% 3% 4%: A"


def test_blocks_and_other_cards_of_a_file_do_not_disturb_each_other(write: Write) -> None:
    text = (
        f"#flashcards/one\n\n## Heart\n\n{block()}\nA::b\n\n#flashcards/two\n\nC\n?\nD\n\n"
        f"### Again\n{block().replace('```', '~~~')}E::f\n"
    )
    picture = "![](wiki:heart%201.png)\n\n- 1% 2% 3% 4%: A"
    assert notes_of(vault(write, text)) == [
        ("D::one", "occlusion", "Heart", picture),
        ("D::one", "basic", "A", "b"),
        ("D::two", "basic", "C", "D"),
        ("D::two", "occlusion", "Again", picture),
        ("D::two", "basic", "E", "f"),
    ]
    assert [title for _, _, title, _ in notes_of(vault(write, text.replace("#flashcards", "#no")))] == [
        "Heart",
        "Again",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (block("[["), "a.md:3:1: warning[left-out] 1 card left out: its block is not YAML"),
        (
            "```decks-occlusion\nx\n```\n",
            "a.md:3:1: warning[left-out] 1 card left out: its block has no picture or no boxes",
        ),
        (
            block(masks=""),
            "a.md:3:1: warning[left-out] 1 card left out: its block has no picture or no boxes",
        ),
        (block(masks="[a]"), "a.md:5:1: warning[left-out] 1 card left out: `no-place`"),
        (
            block(masks="[{x: nan, y: 1, w: 1, h: 1}]"),
            "a.md:5:1: warning[left-out] 1 card left out: `no-place`",
        ),
        (block(masks="[{x: 1, y: 1, w: 1}]"), "a.md:5:1: warning[left-out] 1 card left out: `no-place`"),
        (
            block(masks="[{x: 1, y: 100, w: 1, h: 2}]"),
            "a.md:5:1: warning[left-out] 1 card left out: `box-outside`",
        ),
    ],
)
def test_a_block_that_cannot_be_read_is_left_out_with_the_reason(
    write: Write, ptcards: Run, text: str, said: str
) -> None:
    root = vault(write, f"# Heart\n\n{text}\n# Other\n\n{block()}")
    ran = ptcards("check", root, "--format", "concise")
    assert (ran.status, left_out(ran)) == (0, [said])
    (root / "a.md").write_text(f"{block()}\n# Other\n\n{block()}")
    assert left_out(ptcards("check", root, "--format", "concise")) == [
        "a.md:1:1: warning[left-out] 1 card left out: no question"
    ]


@pytest.mark.parametrize(
    ("mask", "place"),
    [
        ("x: 12.5, y: 30, w: 18, h: 9.5", "12.5% 30% 18% 9.5%"),
        ("x: '12.5', y: .5, w: 1e1, h: 66.66666", "12.5% 0.5% 10% 66.67%"),
        ("x: 60, y: 50, w: -30, h: -20", "30% 30% 30% 20%"),
        ("x: -10, y: 90, w: 30, h: 30", "0% 90% 30% 10%"),
        ("x: 20, y: 20, w: 0, h: 0.2", "20% 20% 1% 1%"),
    ],
)
def test_a_box_is_where_the_plugin_shows_it(write: Write, mask: str, place: str) -> None:
    ((*_, answer),) = notes_of(vault(write, f"# Heart\n\n{block(masks=f'[{{{mask}, answer: A}}]')}"))
    assert answer.partition("\n\n")[2] == f"- {place}: A"


def test_the_text_of_a_box_has_no_character_that_a_file_cannot_have(write: Write) -> None:
    masks = '[{x: 1, y: 2, w: 3, h: 4, answer: "a\\0b\\ud800 c\\nd"}]'
    assert notes_of(vault(write, f"# Heart\n\n{block(masks=masks)}"))[0][3].endswith("4%: ab c d")


def test_an_import_writes_blocks_as_pictures_with_boxes(write: Write, ptcards: Run, tmp_path: Path) -> None:
    root = vault(write, f"# Heart\n\n{block()}")
    ran = ptcards("import", root, tmp_path / "new", "--from", "obsidian")
    assert ran.status == 0, ran.err
    (file,) = [each for each in (tmp_path / "new").glob("*.md") if "Heart" in each.read_text()]
    assert file.read_text().partition("## ")[2] == (
        "Heart\n<!-- card: kind=occlusion -->\n\n![](media/heart%201.png)\n\n- 1% 2% 3% 4%: A\n"
    )
    assert ptcards("build", tmp_path / "new", "-o", tmp_path / "out").status == 0


def test_blocks_in_our_own_format_are_named_with_what_reads_them(write: Write, ptcards: Run) -> None:
    root = vault(write, f"## What?\n\n{block()}", 'name = "D"\nid = "d"\n')
    said = "unread-cards] 1 file contains 1 picture with boxes of Decks that is not read"
    assert said in ptcards("check", root, "--format", "concise").out
