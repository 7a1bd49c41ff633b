"""A package with sequences becomes the sources that it was made of, and its items keep their numbers."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from ptcards.extensions.desktop.merge.item_lists import find_list

SOURCE = """\
# Net

## How does TCP open a connection?
<!-- card: id=tcp kind=sequence -->

Three segments:

1. `SYN`
2. SYN-ACK with $a_{1}$
3. ACK

They take one round trip.

## Poem
<!-- card: id=poem kind=sequence before=1 -->

- Two roads
- diverged
- in a wood

## Layers
<!-- card: id=layers kind=set -->

Which are there?

### Answer

- Link

  ```python
  print({"a": {}})
  ```

- Internet
"""


def built(ptcards: Callable[..., Ran], folder: Path, output: Path) -> str:
    ran = ptcards("build", folder, "-o", output, "--format", "apkg", "--format", "anki-csv")
    assert ran.status == 0, ran.err
    return next(output.glob("*.anki.csv")).read_text("utf-8")


def items(folder: Path) -> list[str]:
    lock = (folder / "deck.lock").read_text("utf-8")
    return re.findall(r"^item\t\w+\t\d+\tlive\t\d+\t.*$", lock, re.MULTILINE)


def test_an_imported_sequence_is_the_same_list_with_the_same_numbers(
    tmp_path: Path, ptcards: Callable[..., Ran]
) -> None:
    cards = tmp_path / "cards"
    cards.mkdir()
    (cards / "deck.toml").write_text('name = "Net"\nid = "6f0c2c0e"\n')
    (cards / "net.md").write_text(SOURCE.replace("- diverged\n", "- gone\n- diverged\n"))
    built(ptcards, cards, tmp_path / "first")
    (cards / "net.md").write_text(SOURCE)
    before = built(ptcards, cards, tmp_path / "second")
    ran = ptcards("import", tmp_path / "second" / "net.apkg", tmp_path / "imported", "--id", "6f0c2c0e")
    assert ran.status == 0, ran.err
    (source,) = (tmp_path / "imported").glob("*.md")
    _, mark, notes = source.read_text().partition("## ")
    expected = re.sub(" id=[a-z]+", "", SOURCE).partition("\n\n")[2]
    assert re.sub(" id=[0-9A-Za-z]{11}", "", mark + notes) == expected
    after = built(ptcards, tmp_path / "imported", tmp_path / "third")
    assert re.findall(r"\{\{c\d+::", after) == re.findall(r"\{\{c\d+::", before)
    assert len(items(tmp_path / "imported")) == len(items(cards)) == 8


def test_a_fresh_import_of_a_package_of_ptcards_is_written_as_its_author_wrote_it(
    tmp_path: Path, ptcards: Callable[..., Ran]
) -> None:
    cards = tmp_path / "cards"
    cards.mkdir()
    (cards / "deck.toml").write_text('name = "Net"\nid = "6f0c2c0e"\n')
    others = "\n## Which?\n\n- [x] this\n- [ ] that\n\n## Name it\n<!-- card: kind=typed -->\n\n`SYN`\n\n## Same\n\nOne?\n\n### Answer\n\nYes.\n\n## Same\n\nTwo?\n\n### Answer\n\nNo.\n\n## Basic\n<!-- card: kind=cloze -->\n\nThe {{c1::first}}.\n"
    text = re.sub(" ?id=[a-z]+", "", SOURCE) + others
    (cards / "net.md").write_text(text)
    built(ptcards, cards, tmp_path / "first")
    ran = ptcards("import", tmp_path / "first" / "net.apkg", tmp_path / "imported", "--fresh")
    assert ran.status == 0, ran.err
    (source,) = (tmp_path / "imported").glob("*.md")
    _, mark, notes = source.read_text().partition("## ")
    assert mark + notes == text.partition("\n\n")[2]
    assert not (tmp_path / "imported" / "deck.lock").exists()


@pytest.mark.parametrize(
    ("field", "found"),
    [
        (
            '<p>a</p>\n<div class="sequence numbered" style="counter-reset:item 4">\n{{c2::x}}<br>\n{{c1::y}}<br>\n</div>\nb',
            ("sequence", 0, (2, 1), '<p>a</p>\n<ol start="5">\n<li>x</li>\n<li>y</li>\n</ol>\nb'),
        ),
        (
            '<div class="sequence near">{{c1::}}{{c2::}}{{c1::x}}<br>{{c4::}}{{c2::y}}<br>{{c4::z}}</div>',
            ("sequence", 1, (1, 2, 4), "<ul>\n<li>x</li>\n<li>y</li>\n<li>z</li>\n</ul>"),
        ),
        (
            '<div class="set"><div>{{c3::<div>x</div>}}</div></div>',
            ("set", 0, (3,), "<ul>\n<li><div>x</div></li>\n</ul>"),
        ),
        ('<div class="set">{{c3::x}} and</div>', None),
        ('<div class="set">{{c3::x', None),
        ("{{c3::x}}", None),
    ],
)
def test_a_list_is_found_in_a_field(field: str, found: tuple[object, ...] | None) -> None:
    listed = find_list(field)
    assert (listed and (listed.kind, listed.before, listed.numbers, listed.plain)) == found
