"""Packages built by ptcards are converted back to Markdown.

A new build has the same GUIDs, times, tags, decks and fields.
"""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from conftest import Ran
from packages import PICTURE
from ptcards.anki.built_in_notetypes import FIELDS
from ptcards.extensions.importing.package import PackageNote, PackageNoteType, open_package
from ptcards.extensions.importing.package_notes import own_draft, plain_names
from ptcards.notes.notetypes import Field

Run = Callable[..., Ran]

CARDS = Path(__file__).parents[3] / "cards"

SOURCE = """\
---
tags: [all, kinds]
---

# Every kind

## A question with `code` and **bold**?
<!-- card: id=basic difficulty=hard -->

An answer with $x^2$, a [link](https://x.org) and ~~this~~.

> [!NOTE]
> An alert.

| a | b |
|:--|--:|
| 1 | `2|3` |

### Hint

A *hint*.

### Details

1. One
2. Two
   - nested

   ```python title="a.py" hl_lines="2"
   a = 1
   b = [a
        for a in "x"]
   ```

### Sources

- <https://x.org>

## What does this print?

```python
print("a", 1 < 2)
```

### Answer

```output
a True
```

Because.

## dog
<!-- card: kind=reversed -->

Hund

## What is 1 + 1?
<!-- card: kind=typed -->

`2`

It is two.

## Which is right?

- [ ] wrong
    - Why it is wrong.
- [x] `right`
- [x] right, with a list

    - a
    - b

Because of *this*.

## The sky is {{c1::blue::colour}}, the grass is {{c2::green}}.
<!-- card: tags=nature difficulty=easy -->

## A heading above
<!-- card: kind=cloze -->

```python
a = {{c1::1}}
```

and {{c2::text}}

## Pictures?

![alt](img/plot.svg) and ![](img/a.png)
"""


def _notes(package: Path) -> Mapping[str, PackageNote]:
    with open_package(package) as opened:
        return {note.guid: note for note in opened.database.notes()}


def _seen(note: PackageNote) -> tuple[object, ...]:
    return (note.mod, note.tags, note.deck, note.ordinals, note.fields)


@pytest.fixture
def package(ptcards: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the package of a collection with every kind of note, and one topic of the PyTorch deck."""
    folder = tmp_path / "old"
    (folder / "img").mkdir(parents=True)
    (folder / "deck.toml").write_text('name = "All"\nid = "abc"\n')
    (folder / "kinds.md").write_text(SOURCE)
    shutil.copy(CARDS / "torch-compile.md", folder)
    shutil.copytree(CARDS / "img", folder / "img", dirs_exist_ok=True)
    for name, colour in (("plot.svg", "red"), ("plot.dark.svg", "blue")):
        (folder / "img" / name).write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg"><rect fill="{colour}"/></svg>'
        )
    (folder / "img" / "a.png").write_bytes(PICTURE)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert ptcards("build", folder, "-o", folder).status == 0
    return folder / "all.apkg"


def test_our_own_package_makes_the_round_trip(ptcards: Run, tmp_path: Path, package: Path) -> None:
    ran = ptcards("import", package, tmp_path / "new", "--id", "abc")
    kept = "learners keep their reviews: the first build changes nothing for them, and later edits reach everybody"
    assert (ran.status, ran.err) == (0, f"{kept}\nNext: ptcards serve new --open to look at the cards\n")
    assert ptcards("build", tmp_path / "new", "-o", tmp_path / "new").status == 0
    before, after = _notes(package), _notes(tmp_path / "new" / "all.apkg")
    assert {guid: _seen(note) for guid, note in after.items()} == {
        guid: _seen(note) for guid, note in before.items()
    }
    assert len(before) > 20


def test_sources_of_our_own_package_read_as_they_were_written(
    ptcards: Run, tmp_path: Path, package: Path
) -> None:
    assert ptcards("import", package, tmp_path / "new", "--id", "abc").status == 0
    text = (tmp_path / "new" / "every-kind.md").read_text("utf-8")
    ids = {note.fields[0]: guid for guid, note in _notes(package).items()}
    guid = ids['<p class="heading">dog</p>']
    assert f"## dog\n<!-- card: id={guid} kind=reversed tags=all,kinds -->\n\nHund\n" in text
    assert "- [ ] wrong\n  - Why it is wrong.\n- [x] `right`\n" in text
    assert '   ```python hl_lines="2" title="a.py"\n' in text


def test_without_its_id_our_own_package_is_adopted_like_any_other(
    ptcards: Run, tmp_path: Path, package: Path
) -> None:
    ran = ptcards("import", package, tmp_path / "new")
    hint = (
        "hint: ptcards built this package; to get its notes as plain Markdown, use its sources, or add `--id` "
        "with the `id` from their `deck.toml`"
    )
    assert (ran.status, ran.err.splitlines()[1]) == (0, hint)
    assert sorted(each.name for each in (tmp_path / "new" / "notetypes").iterdir()) == ["all", "all-cloze"]


def test_files_lose_their_digest_unless_two_have_one_name() -> None:
    assert plain_names(["a-01234567.png", "a-89abcdef.png", "b.png", "c.dark-01234567.svg"]) == {
        "a-01234567.png": "media/a.png",
        "a-89abcdef.png": "media/2/a.png",
        "b.png": "media/b.png",
        "c.dark-01234567.svg": "media/c.dark.svg",
    }


def test_a_choice_without_options_is_a_question_with_an_answer() -> None:
    note_type = PackageNoteType("", 1, "x", tuple(map(Field, FIELDS)), (), "")
    values = {"Question": '<p class="heading">a?</p>', "Answer": "<p>b</p>", "Choices": "1"}
    fields = tuple(values.get(name, "") for name in FIELDS)
    note = PackageNote(1, "g", 1, 0, (), fields, "x", (0,), is_apart=False)
    draft = own_draft({}, note, note_type, 0)
    assert not isinstance(draft, str)
    assert (draft.heading, draft.body) == ("a?", "b")
