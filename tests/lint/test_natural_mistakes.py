"""Mistakes that people make in their first hour, and what `check --fix` does about them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran

TOP = "## What is it?\n"

# by name: the source, and its content after the fix, or `None` if only the author can fix it
MISTAKES: dict[str, tuple[str, str | None]] = {
    "tex": (f"{TOP}\nThe rate \\(a\\).\n", f"{TOP}\nThe rate $a$.\n"),
    "colon": (f"{TOP}\nPort {{{{c2:22}}}}.\n", f"{TOP}\nPort {{{{c2::22}}}}.\n"),
    "section": (f"{TOP}\nThat.\n\n### Source\n\n- here\n", f"{TOP}\nThat.\n\n### Sources\n\n- here\n"),
    "kind": (f"{TOP}<!-- card: kind=reverse -->\n\nThat.\n", f"{TOP}<!-- card: kind=reversed -->\n\nThat.\n"),
    "spaces": (
        f"{TOP}<!-- card: kind = typed difficulty= easy -->\n\nthat\n",
        f"{TOP}<!-- card: kind=typed difficulty=easy -->\n\nthat\n",
    ),
    "box": (f"{TOP}\n- [] one\n- [x] two\n", f"{TOP}\n- [ ] one\n- [x] two\n"),
    "elsewhere": (f"{TOP}\n![A plot](plot.png)\n", f"{TOP}\n![A plot](img/plot.png)\n"),
    "front": (f"---\ntag: [net]\n---\n{TOP}\nThat.\n", f"---\ntags: [net]\n---\n{TOP}\nThat.\n"),
    "difficulty": (
        f"{TOP}<!-- card: difficulty=meduim -->\n\nThat.\n",
        f"{TOP}<!-- card: difficulty=medium -->\n\nThat.\n",
    ),
    "key": (
        f"{TOP}<!-- card: dificulty=easy -->\n\nThat.\n",
        f"{TOP}<!-- card: difficulty=easy -->\n\nThat.\n",
    ),
    "glued": (f"{TOP}\nThat.\n\n##What else?\n\nThis.\n", f"{TOP}\nThat.\n\n## What else?\n\nThis.\n"),
    "link": (f"{TOP}\nOver [[UDP|udp]].\n", f"{TOP}\nOver udp.\n"),
    "mark": (f"{TOP}\nIt is ==fast==.\n", f"{TOP}\nIt is <mark>fast</mark>.\n"),
    "emoji": (f"{TOP}\nIt works :tada:\n", f"{TOP}\nIt works 🎉\n"),
    "comment": (f"{TOP}\nThat. %%check%%\n", f"{TOP}\nThat. <!-- check -->\n"),
    "block": (f"{TOP}\nThat. ^37066d\n", f"{TOP}\nThat.\n"),
    "screenshot": (
        f"{TOP}\n![](Screenshot 2024-01-02 at 10.11.12.png)\n",
        f"{TOP}\n![](<Screenshot 2024-01-02 at 10.11.12.png>)\n",
    ),
    "embed": (f"{TOP}\n![[plot.png]]\n", f"{TOP}\n![](img/plot.png)\n"),
    "setting": (f"{TOP}\nkind: typed\n\nthat\n", f"{TOP}\n<!-- card: kind=typed -->\n\nthat\n"),
    "tags": (f"{TOP}Tags: net tcp\n\nThat.\n", f"{TOP}<!-- card: tags=net,tcp -->\n\nThat.\n"),
    "quotes": (f"{TOP}\n```python\nprint(“a”)\n```\n", f'{TOP}\n```python\nprint("a")\n```\n'),
    "tab": (f"{TOP}\n```python\nif x:\n\ty()\n```\n", f"{TOP}\n```python\nif x:\n    y()\n```\n"),
    "fence": (f"{TOP}\n```\nimport torch\nx = 1\n```\n", f"{TOP}\n```python\nimport torch\nx = 1\n```\n"),
    "end": (f"{TOP}\nThat.\n\n\n", f"{TOP}\nThat.\n"),
    "deletion": (f"{TOP}\nPort {{{{443}}}}.\n", None),
    "hashtag": ("## What is it? #tcp\n\nThat.\n", None),
    "footnote": (f"{TOP}\nThat.[^1]\n", None),
    "answerless": (TOP, None),
}


@pytest.mark.extensions
def test_what_people_write_is_fixed_where_that_is_certain(
    write: Callable[..., Path], ptcards: Callable[..., Ran]
) -> None:
    files = {
        f"{name}.md": before.replace("What is it?", f"What is {name}?")
        for name, (before, _) in MISTAKES.items()
    }
    wanted = {
        name: (after or before).replace("What is it?", f"What is {name}?")
        for name, (before, after) in MISTAKES.items()
    }
    root = write(
        {
            **files,
            "deck.toml": '\ufeffname = "D"\r\nid = "d"\r\nexlude = ["x/**"]\r\n\r\n[chek]\r\nignre = ["no-source"]\r\n',
            "img/plot.png": "png",
            "Screenshot 2024-01-02 at 10.11.12.png": "png",
        }
    )
    ran = ptcards("check", root, "--fix")
    assert {name: (root / f"{name}.md").read_text() for name in MISTAKES} == wanted
    assert (root / "deck.toml").read_bytes().decode() == (
        '\ufeffname = "D"\r\nid = "d"\r\nexclude = ["x/**"]\r\n\r\n[check]\r\nignore = ["no-source"]\r\n'
    )
    assert sum(after is not None for _, after in MISTAKES.values()) == 24
    assert (
        sum(line.startswith("Fixed") for line in ran.err.splitlines()) == 26
    )  # 24 sources, deck.toml, the sum
