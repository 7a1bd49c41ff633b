"""Decks for benchmarks: the same notes on every run, in the dialects of several tools.

    python bench/decks.py FOLDER [NOTES] [SHAPE] [DIALECT]

The shape `mixed` is short notes: two thirds with a code block, some tables, math, lists, choice, cloze.
`real` is what long-lived collections look like: links, tables, math, several languages, answers of several
paragraphs, hints, details, sources.
"""

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PER_FILE = 50
FILES_PER_FOLDER = 40

_NOUNS = (
    "tensor gradient kernel buffer stream thread socket index cursor channel shard replica cache queue "
    "token vertex matrix "
    "optimizer scheduler parameter batch epoch tokenizer embedding pointer iterator generator closure "
    "decorator module"
).split()
_VERBS = (
    "allocates copies shares releases locks orders sorts hashes maps reduces broadcasts caches flushes "
    "merges splits traverses "
    "initialises normalises truncates quantises"
).split()
_PLAIN = (
    "because the memory layout of a view stays as it was when another dimension is added and every later "
    "call sees the same "
    "values until somebody asks for a copy which costs time that nobody expects in an inner loop so "
    "measure it first"
).split()

_CODE = {
    "python": """\
import torch
from collections import defaultdict


class {Noun}Store:
    \"\"\"Keeps each {noun} by its name.\"\"\"

    def __init__(self, size: int = {n}) -> None:
        self.items: dict[str, list[int]] = defaultdict(list)
        self.size = size  # never grows

    def add(self, key: str, value: int) -> bool:
        if len(self.items[key]) >= self.size:
            raise ValueError(f"too many: {{key!r}} {n}")
        self.items[key].append(value * {m} + 0x{n:x})
        return True


x = torch.arange({n}, dtype=torch.float32).reshape(-1, 1)
print([round(float(v), 2) for v in x[:{m}] if v % 2 == 0])
""",
    "bash": """\
set -euo pipefail
for name in "${{files[@]}}"; do
    grep -c '{noun}' "$name" | sort -n | head -n {m}
done
export {NOUN}_HOME=/opt/{noun}/{n}
""",
    "sql": """\
SELECT t.{noun}_id, count(*) AS n, avg(t.price) AS mean
FROM {noun}s AS t
LEFT JOIN orders AS o ON o.{noun}_id = t.{noun}_id
WHERE t.created > '2024-01-{m:02}' AND t.kind IN ('a', 'b')
GROUP BY 1 HAVING count(*) > {n}
ORDER BY mean DESC;
""",
    "javascript": """\
const {noun} = async (items, limit = {n}) => {{
  const seen = new Map();
  for (const item of items.slice(0, limit)) {{
    seen.set(item.id, (seen.get(item.id) ?? 0) + {m});
  }}
  return [...seen].filter(([, n]) => n > 1).map(([id]) => `${{id}}!`);
}};
""",
    "cpp": """\
#include <vector>
template <typename T>
T sum_{noun}(const std::vector<T>& values) {{
    T total{{}};
    for (const auto& value : values) total += value * {n};  // no overflow check
    return total;
}}
""",
    "yaml": """\
{noun}:
  image: "registry/{noun}:{n}"
  replicas: {m}
  env: [A, B]
""",
    "rust": """\
fn {noun}(items: &[u64]) -> Option<u64> {{
    items.iter().filter(|&&x| x > {n}).map(|x| x * {m}).max()
}}
""",
}
_MIXED_LANGUAGES = ("python",) * 8 + ("bash", "sql", "javascript")
_REAL_LANGUAGES = ("python",) * 4 + tuple(_CODE)


@dataclass(frozen=True, slots=True)
class Item:
    """A note that every tool can express, as Markdown for both sides; `extra` is for ptcards only."""

    question: str
    answer: str
    identity: str
    extra: str = ""


def items(notes: int, shape: str) -> Iterator[Item]:
    """Yield notes; `shape` is `mixed` or `real`."""
    dice = random.Random(7)  # noqa: S311 - the same notes each time
    make = {"mixed": _mixed, "real": _real}[shape]
    for number in range(notes):
        yield make(dice, number)


def write_deck(folder: Path, notes: int, shape: str = "mixed", dialect: str = "ptcards") -> None:
    """Write a deck in the dialect `ptcards`, `ankdown` or `mdankideck` (which needs one flat folder)."""
    waiting = items(notes, shape)
    folder.mkdir(parents=True)
    if dialect == "ptcards":
        (folder / "deck.toml").write_text('name = "Bench"\nid = "bench"\n', "utf-8")
    for number, first in enumerate(range(0, notes, PER_FILE)):
        topic = folder if dialect == "mdankideck" else folder / f"topic-{number // FILES_PER_FOLDER:03}"
        topic.mkdir(exist_ok=True)
        content = [next(waiting) for _ in range(min(PER_FILE, notes - first))]
        (topic / f"part-{number:04}.md").write_text(_file(number, content, dialect), "utf-8")


def _file(number: int, content: list[Item], dialect: str) -> str:
    if dialect == "ankdown":
        return "\n---\n\n".join(f"{item.question}\n\n%\n\n{item.answer}\n" for item in content)
    if dialect == "mdankideck":
        notes = "".join(f"## {item.question}\n\n{item.answer}\n\n" for item in content)
    else:
        notes = "".join(
            f"## {item.question}\n<!-- card: id={item.identity} -->\n\n{item.answer}\n\n{item.extra}"
            for item in content
        )
    return f"# Part {number}\n\n{notes}"


def _mixed(dice: random.Random, number: int) -> Item:
    noun, verb = dice.choice(_NOUNS), dice.choice(_VERBS)
    question = f"Why does `{noun}_{number}` say that it *{verb}* the {dice.choice(_NOUNS)} number {number}?"
    if dice.random() < 0.08:
        options = "".join(
            f"- [{'x' if n == 1 else ' '}] `{dice.choice(_NOUNS)}_{n}` {_words(dice, 4)}\n" for n in range(4)
        )
        return Item(question, f"{options}\n{_sentence(dice)}", f"note-{number}")
    parts = [_paragraph(dice)]
    if dice.random() < 0.06:
        parts.append(f"The {noun} {verb} the {{{{c1::{dice.choice(_NOUNS)}}}}} when {_words(dice, 5)}.")
    if dice.random() < 0.72:
        parts.append(_code(dice, _MIXED_LANGUAGES))
    if dice.random() < 0.25:
        parts.append(_list(dice))
    if dice.random() < 0.1:
        parts.append(_table(dice, 3))
    if dice.random() < 0.12:
        parts.append(_math(dice))
    return Item(question, "\n\n".join(parts), f"note-{number}")


def _real(dice: random.Random, number: int) -> Item:
    noun, verb = dice.choice(_NOUNS), dice.choice(_VERBS)
    question = (
        f"What happens in case {number} when **one {noun}** {verb} the {dice.choice(_NOUNS)} "
        f"({_words(dice, 3)})?"
    )
    parts = [_paragraph(dice)]
    for _ in range(dice.randint(0, 4)):
        form = dice.choices((_paragraph, _linked, _list, _nested, _quote), (5, 4, 3, 2, 1))[0]
        parts.append(form(dice))
    if dice.random() < 0.6:
        parts += [_code(dice, _REAL_LANGUAGES), _sentence(dice)]
    if dice.random() < 0.2:
        parts.append(_code(dice, _REAL_LANGUAGES))
    if dice.random() < 0.25:
        parts.append(_table(dice, dice.randint(3, 8)))
    if dice.random() < 0.3:
        parts += [f"With $n$ or $O(n^{dice.randint(2, 9)})$ {_words(dice, 6)}:", _math(dice)]
    if dice.random() < 0.1:
        parts.append("```text\n" + "\n".join(f"{n} {_words(dice, 3)}" for n in range(4)) + "\n```")
    extra = f"### Hint\n\n{_sentence(dice)}\n\n" if dice.random() < 0.3 else ""
    extra += f"### Details\n\n{_linked(dice)}\n\n{_list(dice)}\n\n" if dice.random() < 0.4 else ""
    extra += f"### Sources\n\n- <https://docs.example.org/{noun}/{number}>\n\n"
    return Item(question, "\n\n".join(parts), f"note-{number}", extra)


def _words(dice: random.Random, count: int) -> str:
    return " ".join(dice.choices(_PLAIN, k=count))


def _sentence(dice: random.Random) -> str:
    return f"A {dice.choice(_NOUNS)} {dice.choice(_VERBS)} {_words(dice, dice.randint(5, 14))}."


def _paragraph(dice: random.Random) -> str:
    marked = (
        f"It **{dice.choice(_VERBS)}** `{dice.choice(_NOUNS)}.{dice.choice(_NOUNS)}()` {_words(dice, 6)}."
    )
    return "\n".join([_sentence(dice), marked, _sentence(dice)])


def _linked(dice: random.Random) -> str:
    noun = dice.choice(_NOUNS)
    link = f'[the *{noun}* page](https://docs.example.org/{noun}/{dice.randint(1, 99)} "read it")'
    return (
        f"{_sentence(dice)} See {link}, or <https://example.org/{noun}>, or https://example.com/{noun}?a=1."
    )


def _list(dice: random.Random) -> str:
    return "\n".join(f"- {_sentence(dice)} `{dice.choice(_NOUNS)}`" for _ in range(dice.randint(3, 5)))


def _nested(dice: random.Random) -> str:
    return "\n".join(
        f"{n}. **{dice.choice(_NOUNS)}**: {_words(dice, 6)}\n   - {_words(dice, 5)}\n   - "
        f"`{dice.choice(_NOUNS)}`"
        for n in range(1, 4)
    )


def _quote(dice: random.Random) -> str:
    return f"> **Note**\n> {_sentence(dice)}\n> {_sentence(dice)}"


def _table(dice: random.Random, rows: int) -> str:
    lines = ["| name | what it does | cost |", "|---|:---|---:|"]
    lines += [
        f"| `{dice.choice(_NOUNS)}` | {dice.choice(_VERBS)} {_words(dice, 3)} | {dice.randint(1, 999)} |"
        for _ in range(rows)
    ]
    return "\n".join(lines)


def _math(dice: random.Random) -> str:
    n = dice.randint(2, 99)
    return (
        f"$$\n\\frac{{\\partial L}}{{\\partial w_{{{n}}}}} = \\sum_{{i=1}}^{{{n}}} (x_i - \\bar{{x}})^2\n$$"
    )


def _code(dice: random.Random, languages: tuple[str, ...]) -> str:
    language, noun = dice.choice(languages), dice.choice(_NOUNS)
    n, m = dice.randint(2, 5000), dice.randint(1, 28)
    code = _CODE[language].format(noun=noun, Noun=noun.title(), NOUN=noun.upper(), n=n, m=m)
    lines = code.split("\n")
    # Snippets on cards are mostly short.
    if language == "python" and dice.random() < 0.6:
        lines = lines[-4:] if dice.random() < 0.5 else lines[4:10]
    return f"```{language}\n" + "\n".join(lines).strip("\n") + "\n```"


if __name__ == "__main__":
    _arguments = [*sys.argv[1:], "", "", ""]
    write_deck(
        Path(_arguments[0]), int(_arguments[1] or 1000), _arguments[2] or "mixed", _arguments[3] or "ptcards"
    )
