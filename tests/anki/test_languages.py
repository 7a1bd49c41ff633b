"""Cards in five languages, built from files and rendered by a real Anki: their direction and their words."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from anki_backend import import_package, learner, sides
from card_pages import HOSTS, Side, open_everything, page
from conftest import Ran
from ptcards.notes.labels import labels_of

from playwright.sync_api import Page  # isort: skip - after `card_pages`, which skips the tests if Chromium is missing

__all__ = ["page"]

pytestmark = pytest.mark.browser

Ptcards = Callable[..., Ran]
Write = Callable[[dict[str, str | bytes]], Path]

SENTENCES = {
    "ar": "HTTP هو بروتوكول لنقل النصوص.",
    "he": "HTTP הוא פרוטוקול להעברת טקסט.",
    "fa": "HTTP یک پروتکل برای انتقال متن است.",
    "de": "HTTP ist ein Protokoll, das Texte überträgt.",
    "ja": "HTTPは文書を転送するプロトコルです。",
}
"""A sentence in each language, which begins with a word of another one."""
DIRECTIONS = {"ar": "rtl", "he": "rtl", "fa": "rtl", "de": "ltr", "ja": "ltr"}
BLOCKS = """{s} **{s}**, *{s}*, ~~{s}~~, `code`, <kbd>Ctrl</kbd>, $x^2$, [{s}](https://example.org).[^{n}]

- {s}
  - {s}

    ```python
    x = 1
    ```

1. {s}
2. {s}

- [x] {s}
- [ ] {s}

| {s} | {s} |
|---|--:|
| {s} | 2 |

> {s}

> [!NOTE]
> {s}

> [!TIP]
> {s}

> [!IMPORTANT]
> {s}

> [!WARNING]
> {s}

> [!CAUTION]
> {s}

$$x^2$$

<details><summary>{s}</summary>

{s}

</details>

---

#### {s}

```python title="train.py"
x = 1
```

```output
1
```

[^{n}]: {s}
"""
"""Every block of docs/markdown.md."""
NOTES = """## {s} 1
<!-- card: kind=basic{said} -->

{blocks1}

### Hint

{s}

### Details

{blocks2}

### Sources

- {s}

## {s} 2
<!-- card: kind=choice{said} -->

- [x] {s}1
    - {s}
- [ ] {s}2
    - {s}

{s}

## {s} 3
<!-- card: kind=choice{said} -->

- [x] {s}1
- [x] {s}2
- [ ] {s}3

## {s} 4
<!-- card: kind=typed{said} -->

{s}

## {s} 5
<!-- card: kind=reversed{said} -->

{s}

## {s} 6
<!-- card: kind=cloze{said} -->

{{{{c1::HTTP}}}} {s}

## {{{{c1::HTTP}}}} {s} 7
<!-- card: kind=cloze{said} -->

{s}
"""
"""Notes of every kind; where a card begins with a deletion, its first word is on one side only."""


def written(write: Write, language: str, way: str) -> Path:
    """Write a collection that sets its language in one of three ways."""
    sentence = SENTENCES[language]
    toml = 'name = "D"\nid = "d"\nreport = "https://example.org/{guid}"\n'
    toml += f'language = "{language}"\n' if way == "deck" else ""
    matter = f"---\ndifficulty: hard\n{f'language: {language}' if way == 'file' else ''}\n---\n\n"
    first, second = (BLOCKS.format(s=sentence, n=n) for n in (1, 2))
    said = f" language={language}" if way == "card" else ""
    return write(
        {
            "deck.toml": toml,
            "a.md": matter + NOTES.format(s=sentence, said=said, blocks1=first, blocks2=second),
        }
    )


def shown(root: Path, ptcards: Ptcards, typed: str = "x") -> list[Side]:
    """Build a collection, and return every side of its cards as a real Anki shows them."""
    ran = ptcards("build", root, "-o", root / "build")
    assert (ran.status, ran.err.count("error")) == (0, 0), ran.err
    found = []
    with learner(root / "anki") as collection:
        import_package(collection, root / "build" / "d.apkg")
        for identity in sorted(collection.find_cards("")):
            card = collection.get_card(identity)
            compared = collection.compare_answer(card.note()["Typed"], typed)
            for name, html in zip(("front", "back"), sides(card), strict=True):
                box = (
                    "<center><input type=text id=typeans></center>"
                    if name == "front"
                    else f"<div>{compared}</div>"
                )
                css = card.note_type()["css"]
                found.append(
                    Side(f"{card.template()['name']} {name}", css, html.replace("[[type:Typed]]", box))
                )
    return found


DIRECTED = """() => [...new Set([...document.querySelectorAll(".ptc, .ptc *")]
  .filter((each) => !each.closest("code:not(#typeans), pre, kbd, figcaption, mjx-container, math"))
  .map((each) => getComputedStyle(each).direction))]"""
"""The directions of all elements of a card but code and formulas."""


OPTIONS = """() => [...document.querySelectorAll(".choices > li")].map((each) => {
  const { left, width } = each.getBoundingClientRect(), letter = getComputedStyle(each, "::before").left;
  return [left, width, letter]; })"""


@pytest.mark.parametrize(
    ("deck", "text"), [("", "ar"), ("de", "ar"), ("ar", "ar"), ("", "de"), ("ar", "de")], ids="/".join
)
def test_options_stay_where_they_are_when_the_card_turns(
    page: Page, write: Write, ptcards: Ptcards, deck: str, text: str
) -> None:
    """Nobody has to declare a language for it, and options may be in another one than the question."""
    word = {"ar": "الرباط", "de": "Rabat"}[text]
    toml = 'name = "D"\nid = "d"\n' + (f'language = "{deck}"\n' if deck else "")
    options = f"- [x] {word}\n- [ ] {word}2\n\n"
    root = write(
        {"deck.toml": toml, "a.md": f"# A\n\n## ما عاصمة المغرب؟\n\n{options}## Which?\n\n{options}"}
    )
    places = []
    for side in shown(root, ptcards):
        page.set_content(side.page(HOSTS[0], night=False))
        places.append(page.evaluate(OPTIONS))
    assert [places[0], places[2]] == [places[1], places[3]]
    assert [len(each) for each in places] == [2] * 4


WORDS = """() => { const words = [];
  for (const [name, pseudo] of [[".chip:last-child", "::before"], [".options", "::before"], [".typed:has(input)", "::before"],
      ["a.hint", "::after"], [".details > summary > span", "::after"], [".sources", "::before"], [".report a", "::after"],
      [".mark", "::after"], [".markdown-alert-title", "::after"]])
    for (const each of document.querySelectorAll(`.ptc ${name}`)) {
      const { content } = getComputedStyle(each, pseudo);
      const word = /^"/.test(content) ? content.replace(/" "/g, "").slice(1, -1) : each.textContent;
      words.push(word.replace(/[\\u2068\\u2069✓✗]/g, "").trim());
    }
  return words; }"""


@pytest.mark.parametrize("way", ["deck", "file", "card"])
@pytest.mark.parametrize("language", SENTENCES)
def test_a_card_has_the_direction_and_the_words_of_its_language_on_both_sides(
    page: Page, write: Write, ptcards: Ptcards, language: str, way: str
) -> None:
    directions: list[str] = []
    words: list[str] = []
    sides = shown(written(write, language, way), ptcards)
    for side in sides:
        page.set_content(side.page(HOSTS[0], night=False))
        open_everything(page)
        directions += page.evaluate(DIRECTED)
        words += page.evaluate(WORDS)
    labels = labels_of(language)
    names = "choose choose_one type_answer hint details listed_sources report right wrong difficulty_hard"
    alerts = [f"alert_{name}" for name in ("note", "tip", "important", "warning", "caution")]
    assert (len(sides), {*directions}) == (16, {DIRECTIONS[language]})
    assert {*words} == {labels[name] for name in (*names.split(), *alerts)}


def test_each_side_of_a_reversed_note_may_have_its_language(
    page: Page, write: Write, ptcards: Ptcards
) -> None:
    """The words on the card are in the deck's."""
    toml = 'name = "D"\nid = "d"\nlanguage = "de"\n'
    text = "---\nlanguage: ar, fr\n---\n\n## كتاب\n<!-- card: kind=reversed -->\n\nLivre.\n\n### Details\n\nDas Buch.\n"
    found = []
    for side in shown(write({"deck.toml": toml, "a.md": text}), ptcards):
        page.set_content(side.page(HOSTS[0], night=False))
        found.append(
            page.evaluate(
                """[...document.querySelectorAll(":is(.ptc p, summary > span)")].map((each) => [each.closest("[lang]").lang,
                getComputedStyle(each).direction, getComputedStyle(each, "::after").content])"""
            )
        )
    question, answer, details = ["ar", "rtl", "none"], ["fr", "ltr", "none"], ["de", "ltr", "none"]
    summary = ["de", "ltr", "none"]
    back = [summary, details]
    assert found == [[question], [question, answer, *back], [answer], [answer, question, *back]]


def test_a_language_in_a_card_comment_counts_for_its_note_alone(write: Write, ptcards: Ptcards) -> None:
    """It wins over that of the file, and advice on English wording is for notes in English."""
    said = "---\nlanguage: fr\n---\n\n"
    note = "## Explain {}.\n{}\n\nSo.\n\n"
    text = said + note.format("one", "") + note.format("two", "<!-- card: language=en -->")
    root = write({"deck.toml": 'name = "D"\nid = "d"\nlanguage = "de"\n', "a.md": text})
    ran = ptcards("check", root, "--format", "concise", "--select", "vague-question")
    lines = re.findall(r"a\.md:(\d+):", ran.out)
    assert lines == ["10"]


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ("de", ""),
        ("de,ar", ""),
        ('"de, ar"', ""),
        ("german", "`german`"),
        ("de,ar,fr", "`de,ar,fr`"),
        ("de,x", "`de,x`"),
    ],
)
def test_a_card_comment_takes_one_language_or_two(
    write: Write, ptcards: Ptcards, value: str, error: str
) -> None:
    text = f"## What?\n<!-- card: language={value} -->\n\nThat.\n"
    ran = ptcards(
        "check", write({"deck.toml": 'name = "D"\nid = "d"\n', "a.md": text}), "--format", "concise"
    )
    line = f"a.md:2:21: error[wrong-value] {error} is not a language code"
    assert [each.partition(" (")[0] for each in ran.out.splitlines() if "error[" in each] == [line] * bool(
        error
    )
