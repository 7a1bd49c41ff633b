"""Each rule with an error about a text says what it protects, and spares an innocent text."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ptcards.diagnostics import Severity, errors_in
from ptcards.lint.check import check, check_text
from ptcards.lint.registry import all_messages

ROOMS = ("blocks", "kinds", "links", "notes", "foreign_syntax")
ELSEWHERE = frozenset({"duplicate-id", "duplicate-question", "link-to-draft", "media-name-clash"})
"""Errors about several notes or files: of two equal notes, an update reaches only one."""
MEDIA = frozenset(
    {
        "ambiguous-media",
        "empty-media",
        "media-too-large",
        "missing-media",
        "picture-size",
        "remote-media",
        "unsafe-media",
    }
)
"""Errors about files, which no text alone draws."""
_ASK = "## What is it?\n\n"
INNOCENT = {
    "box-outside": "- 90% 30% 18% 6%: so\n",
    "choice-and-cloze": "- [x] buy `{{c1::milk}}`\n- [ ] buy bread\n",
    "choice-with-answer": "- [x] buy milk\n\n### Answer\n\nIt is a list.\n",
    "deletion-number": "Write `{{c0::x}}`.\n",
    "deletion-outside-text": "It is {{c1::so}}.\n\n### Details\n\nWrite `{{c2::x}}`.\n",
    "duplicate-option": "- one\n- one\n",
    "empty-deletion": "Write `{{c1::}}`.\n",
    "empty-item": "- one\n-\n",
    "empty-option": "- one\n- two\n",
    "empty-question": "It is `##`.\n",
    "empty-section": "It is so.\n\n###x\n",
    "field-too-large": "word " * 12_000 + "\n",
    "forbidden-tag": "Use `<script>`.\n",
    "hint-in-code": "```cpp\nstd::move(x);\n```\n",
    "indented-heading": "It is:\n\n    # a comment\n",
    "item-count": "- one\n",
    "line-left-of-fence": "- It is:\n\n  ```\n  x\n  ```\n\nMore.\n",
    "malformed-deletion": "In maths, {c} is a set.\n",
    "nested-deletion": "It is {{c1::one}} and {{c2::two}}.\n",
    "nested-too-deep": "> " * 9 + "x\n",
    "no-answer": "![](https://example.org/x.html)\n".replace("![]", "[x]"),
    "no-card": "It is so.\n",
    "no-deletion": "It is `{{c1::x}}`.\n",
    "no-list": "It is so.\n",
    "no-picture": "- 12% 30% 18% 6%: so\n",
    "no-place": "- so\n- 40% 55%: no\n",
    "no-options": "- one\n- two\n",
    "no-right-option": "- [ ] buy milk\n",
    "note-too-slow": "((((((((((x))))))))))\n",
    "option-count": "- [ ] buy milk\n",
    "option-without-box": "- one\n- two\n",
    "path-with-spaces": "See [my notes](<https://example.org/a b>).\n",
    "second-option-list": "- one\n\nor\n\n- two\n",
    "section-twice": "It is so.\n\n#### Details\n\nx\n\n#### Details\n\ny\n",
    "stray-tag": "Write `</b>`.\n",
    "typed-answer-not-plain": "**It** is so.\n",
    "unclosed-comment": "Write `<!--`.\n",
    "unclosed-deletion": "Write `{{c1::x`.\n",
    "unclosed-fence": "```\nx\n```\n",
    "unclosed-tag": "It is 1 < 2 and 3 > 2.\n",
    "underlined-heading": "It is so.\n\n---\n\nMore.\n",
    "unfinished-tag": "It is a < b.\n",
    "unknown-tag": "See <https://example.org> and `List<T>`.\n",
    "unsafe-attribute": '<span title="x">It</span> is so.\n',
    "wiki-embed": "Write `![[x.png]]`.\n",
}
_NOTE = f"{_ASK}It is so.\n"
FOLDERS: dict[str, dict[str, str | bytes]] = {
    "bad-deck-name": {"a.md": f"# C++ (std)\n\n{_NOTE}"},
    "bad-tag": {"a.md": f"---\ntags: [c++, a/b, ünï]\n---\n\n{_NOTE}"},
    "broken-deck-toml": {"deck.toml": '# a = = b\nname = "x # y"\nid = "i"\n', "a.md": _NOTE},
    "broken-front-matter": {"a.md": f"---\ntitle: It is [x]\ndate: 2024-01-01\n---\n\n{_NOTE}"},
    "conflict-marker": {"a.md": f"{_ASK}```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n```\n"},
    "deck-name-clash": {"a/one.md": _NOTE, "A/README.md": "# A\n", "b/One.md": "## Why?\n\nIt is so.\n"},
    "deck-too-deep": {f"{'d/' * 8}a.md": _NOTE},
    "description-twice": {
        "a.md": f"# A\n\nAbout it.\n\n{_NOTE}",
        "b.md": "# B\n\nAbout it.\n\n# A\n\n## Why?\n\nSo.\n",
    },
    "dialect-option": {"deck.toml": 'name = "X"\nid = "i"\n[qa]\nanswer-ends = "card"\n', "a.md": _NOTE},
    "empty-deck": {"a.md": f"{_ASK}#so\n"},
    "foreign-format": {"a.md": f"{_ASK}Q: so, and A: it is.\n"},
    "key-twice": {"a.md": f"---\ntags: [x]\ntag: x\n---\n\n{_NOTE}"},
    "left-out": {"a.md": f"{_ASK}<!-- card: draft -->\n\n{_NOTE.replace('it', 'this')}"},
    "malformed-card-comment": {"a.md": f"{_ASK}<!-- cards are made of paper -->\nIt is so.\n"},
    "malformed-id": {"a.md": f"{_ASK}<!-- card: id=a.b-c_1 -->\n\nIt is so.\n"},
    "misplaced-card-comment": {"a.md": f"{_ASK}It is so.\n<!-- a card: it is -->\n"},
    "misspelt-card-comment": {"a.md": f"{_ASK}<!-- cars: x -->\n\nIt is so.\n"},
    "nested-collection": {"a.md": _NOTE, "other/deck.md": "## Why?\n\nSo.\n"},
    "no-notes": {"a.md": _NOTE, "b.md": "Prose.\n"},
    "not-utf8": {"a.md": f"\ufeff{_NOTE}".encode()},
    "outside-collection": {"a.md": f"{_ASK}[It](../b.md)\n"},
    "skip-with-keys": {"a.md": f"{_NOTE}\n## Why?\n<!-- card: skip -->\n"},
    "smart-quotes-in-code": {"a.md": f"{_ASK}```text\n“so”\n```\n"},
    "second-output": {"a.md": f"{_ASK}```python\nprint(1)\n```\n\n```output\n1\n```\n\n```text\n1\n```\n"},
    "source-too-large": {"a.md": _ASK + "It is so.\n" * 500},
    "unclosed-front-matter": {"a.md": f"\n---\n\n{_NOTE}"},
    "unknown-difficulty": {"a.md": f"---\nlevel: hard\n---\n\n{_NOTE}"},
    "unknown-key": {"a.md": f"---\nauthor: me\naliases: []\n---\n\n{_NOTE}"},
    "unknown-kind": {"a.md": f"{_ASK}It is a kind=x.\n"},
    "wrong-value": {"a.md": f"---\ncssclass: 3\n---\n\n{_NOTE}"},
}
"""Innocent folders for the errors about files, their names and their settings."""
_PROTECTED = re.compile(
    r"card|note|deck|answer|question|learner|Anki|review|text|browser|code|right|rest|deletion|option|picture|phone",
    re.IGNORECASE,
)


def _of_texts() -> list[str]:
    return [
        name
        for name, rule in all_messages().items()
        if Severity.ERROR in rule.severities and type(rule).__module__.rpartition(".")[2] in ROOMS
    ]


@pytest.mark.parametrize("name", sorted({*_of_texts()} - ELSEWHERE - MEDIA))
def test_an_innocent_text_has_no_error(tmp_path: Path, name: str) -> None:
    checked = check_text(tmp_path / "a.md", (_ASK + INNOCENT[name]).encode())
    assert [each.rule for each in errors_in(checked.diagnostics)] == []


@pytest.mark.parametrize("name", FOLDERS)
def test_an_innocent_folder_has_no_error(write: Callable[..., Path], name: str) -> None:
    assert name in all_messages()
    found = check([write({"deck.toml": 'name = "X"\nid = "i"\n', **FOLDERS[name]})])[1]
    assert [(each.rule, each.message) for each in errors_in(found)] == []


@pytest.mark.parametrize("name", _of_texts())
def test_the_rule_says_what_it_protects(name: str) -> None:
    (why,) = re.findall(r"\n\nWhy: (.*?)\n\n", all_messages()[name].text, re.DOTALL)
    assert _PROTECTED.search(why), why
