"""Decks of all kinds: our format, our own note types, an adopted package, each dialect."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import adopted
from building import build
from ptcards.compile import BuildOptions
from ptcards.workspace import ReadOptions

_PICTURE = b"\x89PNG\r\n\x1a\n"
_TOML = 'name = "Mini"\nid = "m1"\nlicense = "MIT"\n'
_OWN = """\
# Alpha

## What is a *leaf* tensor?
<!-- card: id=leaf -->

One that you created, with `requires_grad`:

```python title="leaf.py"
x = torch.ones(3)
y = x * 2  # not a leaf
```

See ![a leaf](leaf.png) and the area $x^2 + 1$ of it.

### Hint

Think of **graphs**. They have leaves.

## What is a view?
<!-- card: id=view -->

Shares its data with __another__ tensor:

* no copy is made
* the same storage, see [the docs][docs]
  1. read them
  2. read them again

[docs]: https://example.org/view

> [!NOTE]
> A view is
> cheap.

### Details

| method | copies the data |
|---|---|
| `view` | no, it never copies |
| `clone` | yes, *always* |

### Sources

The documentation of tensors.

## The sky is {{c1::blue}} and the grass {{c2::green::colour}}.
<!-- card: id=sky -->

Because of $\\lambda$ and light.

## Which of these share their memory?
<!-- card: id=share -->

- [x] `view` and its relatives
- [ ] `clone` of a tensor
  - it copies the data
- [x] a *slice* of it

The first one, as the documentation says.

## What does this print?
<!-- card: id=print -->

```python
print(1 + 1)
```

### Answer

It prints this:

```output
2
```

Numbers are added.[^1]

[^1]: As in mathematics.

## What is the reverse of a push?
<!-- card: id=push kind=reversed -->

A pull.

## Type the name of the identity function
<!-- card: id=type kind=typed -->

`nn.Identity`

It returns its input.
"""
_GERMAN = """\
---
language: de
tags: [old]
---

# Beta

## Was ist ein Blatt?
<!-- card: id=blatt -->

Ein Tensor,
den man selbst angelegt hat.

- [x] ja
- [ ] nein

## Was kostet es?

Zwei Euro \\* Menge, also $$2 m$$ im Ganzen.
Mehr nicht.
"""
_TYPES = """\
## hund
<!-- card: type=word id=hund -->

dog, an *animal* that barks

### Example

Der Hund bellt laut. Er heißt Rex.

## katze
<!-- card: type=word id=katze -->

cat

- has whiskers
- says meow
"""
_OBSIDIAN = """\
---
tags: [flashcards/net]
---
# Networks

What is SYN::the first packet of a *connection*
MAC:::the hardware address
- Port :: a number, see [[Ports#Well known|the list]]
<!--SR:!2024-08-16,51,230-->

The handshake
of TCP
?
SYN, then **SYN-ACK**, then ACK
- in this order
- always three packets %%check this%%

The first ==packet== was sent in ==1969==^[year], on a Friday.

What prints it?
?
```python
print("sent")
```
It was sent $n^2$ times.
"""
_DETAILS = {
    "heading": """\
# Questions

###### 1. What's the output?

```javascript
console.log(name);
```

- A: `Lydia` and `undefined`
- B: `Lydia` and `ReferenceError`
- C: nothing at all

<details><summary><b>Answer</b></summary>
<p>

#### Answer: B

Within the function, we first declare the variable. It is *not* yet known.

</p>
</details>

---

###### 2. What is a closure?

<details><summary><b>Answer</b></summary>
<p>

A function with its scope. It remembers
the variables around it.

| a | b |
|---|---|
| one | two |

</p>
</details>
""",
    "summary": """\
# Git

<details>
<summary>What is a <b>branch</b> of Git?</summary><br>

A movable pointer to a commit. See [the book](https://example.org/book).

* It is cheap
* It moves with each commit

</details>

<details>
<summary>How do you undo a commit?</summary><br><b>

`git revert COMMIT` makes a new one.
</b></details>
""",
    "bold": """\
## Models

**What is regression? 👶**

Models for a number. The line is $y = ax + b$ here.

<br/>

**What is overfitting? ⭐️**

The model knows the training data by heart:

- it is too large
- it was trained for too long
""",
    "item": """\
1. ### What is JavaScript

    A language of the web. It runs in the browser:

    ```javascript
    var object = new Object();
    ```

    And it runs on servers.

    **[⬆ Back to Top](#table-of-contents)**

2. ### What is a prototype chain

    An object links to another object.

    1. **First:** the object itself
    2. **Then:** its prototype
""",
}
_QA = """\
Q: What is the capital of France?
A: Paris, on the Seine. It has many *museums*.

Q: List the parts of speech.
A: These are some:

- nouns
- verbs and adverbs

C: Speech is [produced] in [Broca's] area of the brain.

Q: Area of a circle?
A: It is $\\pi r^2$, as `area(r)` says.
"""
_NOTES = """\
TARGET DECK: Other

START
Basic
What is a moat?
Back: A ditch full of water. It protects the castle.
Tags: castle
<!--ID: 1685112345679-->
END

START
Cloze
The sky is {{c1::blue}} in the morning.
Extra: by day and in summer
END

STARTI [Basic] the first word Back: yes, that one ENDI
"""
_WORD = {
    "name": "Word",
    "fields": ["Word", "Meaning", "Example"],
    "templates": [{"name": "Card", "file": "card"}],
}


def _with_files(files: Mapping[str, str], settings: str = "") -> Callable[[Path], object]:
    def write(folder: Path) -> None:
        folder.mkdir(parents=True)
        (folder / "deck.toml").write_text(_TOML + settings)
        (folder / "leaf.png").write_bytes(_PICTURE)
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(text.encode())

    return write


def _dialect(text: str, settings: str) -> Callable[[Path], object]:
    return _with_files({"a.md": text}, settings)


_LISTS = """\
# Alpha

## How does TCP open a connection?
<!-- card: id=tcp kind=sequence -->

It takes *three* segments:

3. `SYN` asks for a connection, with a number
4. SYN-ACK answers it. It has $a_1$ and another number

   - the second number is new
   - the first one grows
5. ACK ends it; see [the standard](https://example.org/rfc)

They take one round trip. Nothing is sent before.

## What does the poem say of the wood?
<!-- card: id=poem kind=sequence before=2 -->

- Two roads diverged in a *yellow* wood,
- and sorry I could not travel both
- and be one traveller, long I stood
- and looked down one as far as I could
- to where it bent in the undergrowth;

## Which layers does the Internet have?
<!-- card: id=layers kind=set -->

- The link layer moves frames

  ```python
  print({"a": {}})
  ```

- The Internet layer moves packets[^1]
- Transport, with ports and *streams*

[^1]: As the standard says.
"""


def _lists(folder: Path) -> None:
    """Write lists whose items have other numbers than their places."""
    lines = [
        line
        for line in _LISTS.splitlines(keepends=True)
        if not line.startswith(("4.", "- and be", "- The link"))
    ]
    _with_files({"a.md": "".join(lines)})(folder)
    with ReadOptions.of_user(lambda _: None) as reading:
        build([folder], BuildOptions(folder / "out"), reading, waiting=lambda _: None)
    (folder / "a.md").write_text(_LISTS)


_WORDS = {
    "a.md": _TYPES,
    "notetypes/word/notetype.json": json.dumps(_WORD),
    "notetypes/word/card.front.html": "{{Word}}",
    "notetypes/word/card.back.html": "{{Word}}<hr>{{Meaning}}{{Example}}",
}
DECKS: Mapping[str, Callable[[Path], object]] = MappingProxyType(
    {
        "own format": _with_files({"a.md": _OWN}),
        "another language": _with_files({"a.md": _GERMAN.replace("\n", "\r\n")}),
        "own note types": _with_files(_WORDS),
        "lists": _lists,
        "adopted package": adopted.imported,
        "obsidian": _dialect(_OBSIDIAN, 'dialect = "obsidian"\n'),
        **{
            f"details:{shape}": _dialect(
                text, f'[[dialects]]\nfiles = ["**"]\ndialect = "details"\nquestion = "{shape}"\n'
            )
            for shape, text in _DETAILS.items()
        },
        "qa": _dialect(_QA, 'dialect = "qa"\n'),
        "qa with START": _dialect(_NOTES, 'dialect = "qa"\n'),
    }
)
"""Functions that write each kind of deck into a folder that does not exist yet."""
