"""Each rule with an error about a text says what it protects, and spares an innocent text."""

import re
from pathlib import Path

import pytest

from ptcards.diagnostics import Severity, errors_in
from ptcards.lint.check import check_text
from ptcards.lint.registry import all_rules

ROOMS = ("blocks", "kinds", "links", "notes", "foreign_syntax")
ELSEWHERE = frozenset({"duplicate-id", "duplicate-question", "link-to-draft", "media-name-clash"})
"""Errors about several notes or files: of two equal notes, an update reaches only one."""
MEDIA = frozenset({"empty-media", "media-too-large", "missing-media", "remote-media", "unsafe-media"})
"""Errors about files, which no text alone draws."""
_ASK = "## What is it?\n\n"
INNOCENT = {
    "choice-and-cloze": "- [x] buy `{{c1::milk}}`\n- [ ] buy bread\n",
    "choice-with-answer": "- [x] buy milk\n\n### Answer\n\nIt is a list.\n",
    "deletion-number": "Write `{{c0::x}}`.\n",
    "deletion-outside-text": "It is {{c1::so}}.\n\n### Details\n\nWrite `{{c2::x}}`.\n",
    "duplicate-option": "- one\n- one\n",
    "empty-deletion": "Write `{{c1::}}`.\n",
    "empty-option": "- one\n- two\n",
    "empty-question": "It is `##`.\n",
    "empty-section": "It is so.\n\n###x\n",
    "field-too-large": "word " * 12_000 + "\n",
    "forbidden-tag": "Use `<script>`.\n",
    "hint-in-code": "```cpp\nstd::move(x);\n```\n",
    "indented-heading": "It is:\n\n    # a comment\n",
    "line-left-of-fence": "- It is:\n\n  ```\n  x\n  ```\n\nMore.\n",
    "malformed-deletion": "In maths, {c} is a set.\n",
    "nested-deletion": "It is {{c1::one}} and {{c2::two}}.\n",
    "nested-too-deep": "> " * 9 + "x\n",
    "no-answer": "![](https://example.org/x.html)\n".replace("![]", "[x]"),
    "no-card": "It is so.\n",
    "no-deletion": "It is `{{c1::x}}`.\n",
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
_PROTECTED = re.compile(
    r"card|note|deck|answer|question|learner|Anki|review|text|browser|code|right|rest|deletion|option|picture|phone",
    re.IGNORECASE,
)


def _of_texts() -> list[str]:
    return [
        name
        for name, rule in all_rules().items()
        if Severity.ERROR in rule.severities and type(rule).__module__.rpartition(".")[2] in ROOMS
    ]


@pytest.mark.parametrize("name", sorted({*_of_texts()} - ELSEWHERE - MEDIA))
def test_an_innocent_text_has_no_error(tmp_path: Path, name: str) -> None:
    checked = check_text(tmp_path / "a.md", (_ASK + INNOCENT[name]).encode())
    assert [each.rule for each in errors_in(checked.diagnostics)] == []


@pytest.mark.parametrize("name", _of_texts())
def test_the_rule_says_what_it_protects(name: str) -> None:
    (why,) = re.findall(r"\n\nWhy: (.*?)\n\n", all_rules()[name].text, re.DOTALL)
    assert _PROTECTED.search(why), why
