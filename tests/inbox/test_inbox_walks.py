"""Random edits of learners: an accepted one gives exactly the learner's field, any other says why not."""

import random
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ptcards.compile import BuildOptions, build, prepared
from ptcards.inbox import EntryState, InboxCollection
from ptcards.inbox.suggestions import Sender, SentEdits
from ptcards.merge.compare import is_same_html
from ptcards.workspace import ReadOptions

TOML = 'name = "Mini"\nid = "m1"\nlicense = "MIT"\n'
SOURCE = """\
# Alpha

## What is a *leaf* tensor?
<!-- card: id=leaf -->

One that you created, with `requires_grad`:

```python
x = torch.ones(3)
y = x * 2
```

### Hint

Think of **graphs**.

## What is a view?
<!-- card: id=view -->

Shares its data:

- no copy
- the same storage, see [docs](https://example.org)

### Details

| method | copies |
|---|---|
| `view` | no |
| `clone` | yes |

## The sky is {{c1::blue}} and the grass {{c2::green}}.
<!-- card: id=sky -->

Because of $\\lambda$ and light.

## Which share memory?
<!-- card: id=share -->

- [x] `view`
- [ ] `clone`
  - it copies

The first.

## What is the reverse of a push?
<!-- card: id=push kind=reversed -->

A pull.

## Type the name of the identity function
<!-- card: id=type kind=typed -->

`nn.Identity`

It returns its input.
"""
FIELDS = ("Question", "Answer", "Choices", "Typed", "Hint", "Details", "Sources")
WORDS = (
    "shares",
    "a",
    "the *new* one",
    "2 < 3",
    "x_y_z",
    "# sharp",
    "end.",
    "{{c1::typed}}",
    "`tick",
    "1. one",
)


@contextmanager
def inbox(root: Path) -> Iterator[InboxCollection]:
    """Yield the collection in a folder."""
    options = BuildOptions(None, (), dry_run=True)
    with (
        ReadOptions.of_user(lambda _: None) as reading,
        prepared([root], options, reading, waiting=lambda _: None) as found,
    ):
        yield InboxCollection(found.plans[0])


def texts(root: Path) -> dict[str, tuple[str, ...]]:
    """Return the fields of all notes by GUID."""
    with inbox(root) as collection:
        return {guid: note.fields for guid, note in collection.ours.items()}


def edited(html: str, dice: random.Random) -> tuple[str, str]:
    """Return HTML with one edit as Anki's editor makes it, and the kind of edit."""
    words = list(
        re.finditer(r"(?<=[>\s])[A-Za-z]+(?=[\s<.,:])", re.sub(r"<pre.*?</pre>", "", html, flags=re.DOTALL))
    )
    kind = dice.choice(("word", "word", "word", "bold", "line", "paragraph", "gone", "colour", "script"))
    escaped = dice.choice(WORDS).replace("&", "&amp;").replace("<", "&lt;")
    if kind == "gone":
        return "", kind
    if not words or kind in ("line", "paragraph", "script"):
        added = {"line": f"<div>{escaped}</div>", "script": "<script>alert(1)</script>"}.get(
            kind, f"<p>{escaped}</p>"
        )
        return html + added, kind if kind != "word" else "paragraph"
    word = dice.choice(words)[0]
    new = {
        "word": escaped,
        "bold": f"<b>{word}</b>",
        "colour": f'<span style="color: red">{word}</span>',
    }[kind]
    return re.sub(rf"(?<=[>\s]){word}(?=[\s<.,:])", lambda _: new, html, count=1), kind


def walk(root: Path, steps: int, seed: int) -> tuple[Counter[str], Counter[str]]:
    """Apply random edits of learners; return how many of each kind came, and how many were written."""
    dice = random.Random(seed)
    came: Counter[str] = Counter()
    written: Counter[str] = Counter()
    for _ in range(steps):
        (root / "a.md").write_text(SOURCE)
        before = texts(root)
        guid = dice.choice(sorted(before))
        with inbox(root) as collection:
            ours = collection.ours[guid]
            place = dice.choice([n for n, text in enumerate(ours.fields) if text and ours.names[n] in FIELDS])
            is_, kind = edited(ours.fields[place], dice)
            sent = SentEdits(guid, {ours.names[place]: (ours.fields[place], is_)}, Sender("test"))
            (entry,) = collection.judge([sent])
            came[kind] += 1
            if entry.state is EntryState.ALREADY:
                assert is_same_html(ours.fields[place], is_)
                continue
            left = collection.accept([entry], force=True)
        after = texts(root)
        if left:
            assert left[0].reason
            assert (after, (root / "a.md").read_text()) == (before, SOURCE)
            continue
        written[kind] += 1
        assert after.keys() == before.keys()
        for other, fields in before.items():
            expected = [
                is_ if (other, number) == (guid, place) else text for number, text in enumerate(fields)
            ]
            assert all(map(is_same_html, after[other], expected)), (seed, kind, is_)
    return came, written


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a built collection with notes of every kind."""
    (tmp_path / "deck.toml").write_text(TOML)
    (tmp_path / "a.md").write_text(SOURCE)
    with ReadOptions.of_user(lambda _: None) as reading:
        built, found = build([tmp_path], BuildOptions(tmp_path / "out"), reading, waiting=lambda _: None)
    assert (len(built), [each for each in found if each.severity == "error"]) == (1, [])
    return tmp_path


@pytest.mark.slow
def test_random_edits_are_written_exactly_or_left_with_a_reason(root: Path) -> None:
    came, written = walk(root, 200, random.randrange(1 << 30))
    assert written["script"] == 0
    # Options of a choice are in two fields, so their edits are left.
    assert written["word"] + written["bold"] >= 0.6 * (came["word"] + came["bold"])
