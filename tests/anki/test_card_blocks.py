"""One card with every block of docs/markdown.md, on one page, at five widths: a column with one left edge."""

import io
import re
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from card_pages import HOSTS, Side, open_everything, page, sides_of
from handmade import EARLIER, a_note, choice, media_file
from ptcards.anki.built_in_notetypes import note_types
from ptcards.anki.cards import card_sides
from ptcards.anki.fields import render_note
from ptcards.anki.mathml import with_math
from ptcards.notes import Identified, Kind, Note

from PIL import Image, ImageStat, ImageChops  # isort: skip
from playwright.sync_api import Page  # isort: skip - after `card_pages`, which skips the tests if Chromium is missing

__all__ = ["page"]

pytestmark = pytest.mark.browser

WIDTHS = (320, 390, 768, 1000, 1440)
DESKTOP, OLD_PHONE = HOSTS[0], HOSTS[1]
PHONE = next(host for host in HOSTS if host.name == "ankimobile")
CODE = """```python hl_lines="2"
for x in batches:  # each of shape (batch, channels)
    y = x.to("cuda", non_blocking=True)
```
"""
EVERY_BLOCK = f"""A paragraph with **strong**, *emphasis*, ~~struck~~, `code`, <kbd>Ctrl</kbd>, H<sub>2</sub>O and a\\
line break, a [link](https://example.org), <https://example.org/a/rather/long/address/of/a/page.html>.[^1]

- item
  - nested

    ```python
    x = 1
    ```

1. first
2. second

- [x] done
- [ ] to do

| a | b |
|---|--:|
| 1 | 2 |

| operation | in place | allocates a tensor | keeps the graph |
|---|---|---|---|
| `torch.add(a, b)` | no | yes | yes, and this is long |

| operation | in place | allocates | keeps the graph | and one more column | and a last one, which is wide |
|---|---|---|---|---|---|
| `torch.add(a, b)` | no | yes, a new tensor of the broadcast shape | yes | `torch.float32` | `torch.nn.functional` |

> A quote

> [!NOTE]
> Know.

> [!TIP]
> Do.

> [!IMPORTANT]
> Mind.

> [!WARNING]
> Beware.

> [!CAUTION]
> Never.

$$x^2$$

```math
y^2
```

![A plot](plot.svg)

![A wide plot](wide.svg)

![A word](word.mp3)

<details><summary>More</summary>

Folded.

</details>

---

#### A small heading

{CODE}
```output
tensor([0.1, 0.2])
```

```python title="train.py" hl_lines="1"
loss.backward()
```

```text hl_lines="1"
no label
```

    indented = True

```python hl_lines="1"
loss = torch.nn.functional.cross_entropy(model(inputs), targets, label_smoothing=0.1)
```

[^1]: A footnote.
"""


def show_back(page: Page, answer: str, host: Any = DESKTOP, *, night: bool = False) -> None:
    """Show the back of a card with this answer."""
    rendered, _ = render_note(Identified(a_note("Q?", answer, key="q"), "q", EARLIER))
    (note_type, _) = note_types("d", "D", "")
    (card,) = card_sides(rendered, note_type)
    page.set_content(Side("q", note_type.css, card.back).page(host, night=night))


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> list[Side]:
    folder = tmp_path_factory.mktemp("cards")
    drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="40"/>'
    media = (
        media_file(folder / "plot.svg", drawing.format(300).encode()),
        media_file(folder / "wide.svg", drawing.format(2400).encode()),
        media_file(folder / "word.mp3", b"miaow"),
    )
    shown: dict[str, Any] = {
        "question": CODE,
        "details": EVERY_BLOCK,
        "sources": "- <https://example.org/a/b.html>",
        "media": media,
    }
    notes = [
        a_note("What is every block?", EVERY_BLOCK, key="every", difficulty="hard", **shown),
        a_note("Was ist jeder Block?", EVERY_BLOCK, key="foreign", **shown)._replace(language="de"),
        a_note("لماذا؟", f"لأنه يوفر الذاكرة\n\n{EVERY_BLOCK}", key="arabic", **shown),
        a_note("What does it print?", f"```output\nTrue\n```\n\n{EVERY_BLOCK}", key="prediction", **shown),
    ]
    rendered = [render_note(Identified(note, note.key, EARLIER)) for note in notes]
    assert [found for _, diagnostics in rendered for found in diagnostics] == []
    return [side for side in sides_of([note for note, _ in rendered], folder) if side.name.endswith("-back")]


FAULTS: Any = """() => {
  const root = document.documentElement, found = [];
  const called = (each) => `${each.tagName.toLowerCase()}.${each.className} ${each.textContent.trim().slice(0, 30)}`;
  const tenths = (...values) => values.map((each) => Math.round(10 * each) / 10).join(" and ");
  const edges = (each) => {
    const { left, right } = each.getBoundingClientRect();
    return [left, right];
  };
  const isShown = (each) => each.checkVisibility() && each.getBoundingClientRect().width > 0;
  const hasMargin = (each) => each.matches("table") && innerWidth >= 736 &&
    each.clientWidth > each.parentElement.clientWidth - parseFloat(getComputedStyle(each.parentElement).paddingInlineStart);
  const missing = root.scrollWidth - root.clientWidth;
  if (missing > 0) found.push(`the page is ${missing} px too wide`);

  for (const part of document.querySelectorAll(".question, .answer, .details > div")) {
    const isRtl = getComputedStyle(part).direction === "rtl", start = isRtl ? 1 : 0;
    const inner = part.querySelector(":scope > [lang]:only-child") || part;
    const blocks = [...inner.children].filter(isShown);
    const starts = blocks.map((each) => edges(each)[start]), column = starts[0];
    blocks.forEach((each, n) => {
      if (!hasMargin(each) && Math.abs(starts[n] - column) > 1)
        found.push(`${tenths(starts[n] - column)} px off the column: ${called(each)}`);
    });
  }

  for (const each of document.querySelectorAll(".ptc *")) {
    const around = each.parentElement, scrolling = around.closest("pre, table, mjx-container");
    const isCut = scrolling && getComputedStyle(scrolling).overflowX !== "visible";
    if (isCut || hasMargin(each) || each.matches(".hl") || !isShown(each)) continue;
    const [left, right] = edges(each), { left: from, right: to } = around.getBoundingClientRect();
    const off = Math.max(from - left, right - to);
    if (off > 1) found.push(`${tenths(off)} px outside ${called(around)}: ${called(each)}`);
  }

  for (const line of document.querySelectorAll("pre .hl")) {
    const block = line.closest("pre"), { left, right } = line.getBoundingClientRect();
    const from = block.getBoundingClientRect().left + block.clientLeft;
    const off = [left - from, from + Math.max(block.scrollWidth, block.clientWidth) - right];
    if (off.some((each) => Math.abs(each) > 1))
      found.push(`a marked line is ${tenths(...off)} px inside ${called(block)}`);
  }
  return found;
}"""
"""What is wrong on a page: blocks off the column, elements outside their parents, and marked lines that do
not go from one edge of their box to the other."""


@pytest.mark.parametrize("host", [DESKTOP, OLD_PHONE], ids=["desktop", "mobile"])
def test_every_block_is_in_one_column_and_inside_its_box(page: Page, sides: list[Side], host: Any) -> None:
    found = []
    for side in sides:
        page.set_content(side.page(host, night=False))
        open_everything(page)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            found += [f"{side.name} at {width}: {fault}" for fault in page.evaluate(FAULTS)]
    assert found == []


MATHJAX = """<style>mjx-container[jax="CHTML"][display="true"] { display: block; text-align: center; margin: 1em 0 }
</style><mjx-container jax="CHTML" display="true"><mjx-math>x</mjx-math></mjx-container>"""


@pytest.mark.parametrize("width", WIDTHS)
def test_formulas_and_pictures_begin_where_text_does(page: Page, sides: list[Side], width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    side = with_math(sides[0].html).replace("<math", MATHJAX + "<math", 1)
    page.set_content(replace(sides[0], html=side).page(DESKTOP, night=False))
    starts = page.evaluate(
        """["p:first-child", "p:has(> math[display=block])", "mjx-math", "math[display=block] mi", "img"].map(name =>
        Math.round(document.querySelector(`.answer ${name}`).getBoundingClientRect().left))"""
    )
    assert starts == [starts[0]] * 5


def test_a_formula_that_is_wider_than_text_and_its_margins_scrolls_in_them(page: Page) -> None:
    rendered, _ = render_note(Identified(a_note("Q?", f"$${'x + ' * 99}x$$", key="q"), "q", EARLIER))
    (note_type, _) = note_types("d", "D", "")
    (card,) = card_sides(rendered, note_type)
    found = {}
    for width in (*WIDTHS, 900):
        page.set_viewport_size({"width": width, "height": 800})
        page.set_content(Side("q", note_type.css, with_math(card.back)).page(DESKTOP, night=False))
        found[width] = page.evaluate(
            """() => { const [formula, column] = ["math", "#answer"].map(name => document.querySelector(name));
            const [one, other] = [formula, column].map(each => each.getBoundingClientRect());
            return [Math.round(one.left - other.left), Math.round(one.right - other.right), formula.scrollWidth > formula.clientWidth]; }"""
        )
    text = [0, 0, True]
    assert found == {
        320: text,
        390: text,
        768: [-14, 14, True],
        900: [-65, 65, True],
        1000: [-104, 104, True],
        1440: [-252, 252, True],
    }


def test_a_line_of_80_characters_fits_from_a_tablet_up(page: Page) -> None:
    rendered, _ = render_note(
        Identified(a_note("Q?", f"```python\nx\n{'x' * 80}\n```\n", key="q"), "q", EARLIER)
    )
    (note_type, _) = note_types("d", "D", "")
    (card,) = card_sides(rendered, note_type)
    page.set_content(Side("q", note_type.css, card.back).page(DESKTOP, night=False))
    scrolls = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        scrolls[width] = page.evaluate(
            "(each => each.scrollWidth > each.clientWidth)(document.querySelector('pre'))"
        )
    assert scrolls == dict.fromkeys(WIDTHS, False)


@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_a_formula_with_an_invisible_letter_beyond_its_width_does_not_scroll(
    page: Page, direction: str
) -> None:
    """An index of mhchem belongs to a letter in a box without a width."""
    letter = '<span style="display: inline-block; width: 0"><span style="display: inline-block; width: 8px">'
    drawn = f' style="display: inline-block">x{letter}&nbsp;</span></span><'
    (note_type, _) = note_types("d", "D", "")
    html = f'<div class="ptc" dir="{direction}"><div class="answer"><p>{MATHJAX.replace(">x<", drawn)}</p></div></div>'
    page.set_content(Side("q", note_type.css, html).page(DESKTOP, night=False))
    found = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        found[width] = page.evaluate(
            """(side) => { const [text, formula, drawn] = ["p", "mjx-container", "mjx-math"].map(name => document.querySelector(name));
            return [formula.scrollWidth - formula.clientWidth, text.getBoundingClientRect()[side] - drawn.getBoundingClientRect()[side]]; }""",
            "left" if direction == "ltr" else "right",
        )
    assert found == {width: [0, 0] for width in WIDTHS}


@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_a_formula_in_a_line_does_not_scroll_for_an_invisible_letter_or_a_wide_accent(
    page: Page, direction: str
) -> None:
    phantom = '<mjx-mphantom style="display: inline-block; width: 17px">&nbsp;</mjx-mphantom>'
    letter = f'<mjx-block style="display: inline-block; width: 0">{phantom}</mjx-block>'
    accent = '<mjx-mo style="display: inline-block; width: 0; text-indent: -2px">&#8407;&#8407;</mjx-mo>'
    (note_type, _) = note_types("d", "D", "")
    formulas = "".join(
        f'<p><mjx-container jax="CHTML"><mjx-math style="display: inline-block">{"<mjx-mi>x</mjx-mi>" * 12}{end}'
        "</mjx-math></mjx-container> and words.</p>"
        for end in (letter, accent)
    )
    table = f"<table><tr><td>{formulas.partition('</p>')[0].removeprefix('<p>')}</td></tr></table>"
    html = f'<div class="ptc" dir="{direction}"><div class="answer">{formulas}{table}</div></div>'
    page.set_content(Side("q", note_type.css, html).page(DESKTOP, night=False))
    found = page.evaluate(
        "[...document.querySelectorAll('mjx-math')].map(e => e.scrollWidth - e.clientWidth)"
    )
    assert found == [0, 0, 0]


@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_of_a_formula_that_scrolls_the_beginning_is_in_sight(page: Page, direction: str) -> None:
    wide = MATHJAX.replace(">x<", ' style="display: inline-block; width: 900px">x<')
    (note_type, _) = note_types("d", "D", "")
    html = f'<div class="ptc"><div class="answer" dir="{direction}"><p>{wide}</p></div></div>'
    page.set_viewport_size({"width": 390, "height": 800})
    page.set_content(Side("q", note_type.css, html).page(DESKTOP, night=False))
    edges = """[...document.querySelectorAll("p, mjx-math")].map(each => each.getBoundingClientRect().left)"""
    column, begin = page.evaluate(edges)
    assert begin == column


@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_a_long_formula_in_a_line_scrolls_from_its_beginning_on_the_line(page: Page, direction: str) -> None:
    def formula(signs: int) -> str:
        sign = '<mjx-mi style="display: inline-block; width: 30px; text-align: left">x</mjx-mi>'
        inside = f'<mjx-math style="display: inline-block">{sign * signs}</mjx-math>'
        return f'<mjx-container jax="CHTML">{inside}</mjx-container>'

    (note_type, _) = note_types("d", "D", "")
    html = f'<div class="ptc" dir="{direction}"><div class="answer"><p>{formula(1)}, {formula(40)}.</p></div></div>'
    page.set_viewport_size({"width": 390, "height": 800})
    page.set_content(Side("q", note_type.css, html).page(DESKTOP, night=False))
    found = page.evaluate(
        """() => { const long = document.querySelectorAll("mjx-math")[1], text = document.querySelector("p");
        const after = document.createRange();
        after.selectNodeContents(text.lastChild);
        const [first, column, stop] = [long.firstChild, text, after].map(each => each.getBoundingClientRect());
        return [document.documentElement.scrollWidth, long.scrollWidth > long.clientWidth, first.left >= column.left,
          Math.abs(stop.bottom - first.bottom) < 8,
          Math.round(column.height / parseFloat(getComputedStyle(text).lineHeight))]; }"""
    )
    assert found == [390, True, True, True, 2]


def test_the_number_of_a_formula_is_where_text_ends(page: Page) -> None:
    """MathJax gives a formula with `\\tag` all the room that there is, and its number the end of that."""
    numbered = MATHJAX.replace("<mjx-container", '<mjx-container width="full"')
    (note_type, _) = note_types("d", "D", "")
    html = f'<div class="ptc"><div class="answer"><p>{numbered}</p></div></div>'
    page.set_viewport_size({"width": 1000, "height": 800})
    page.set_content(Side("q", note_type.css, html).page(DESKTOP, night=False))
    widths = page.evaluate("['p', 'mjx-container'].map(each => document.querySelector(each).clientWidth)")
    assert widths == [widths[0]] * 2


FORMULA = r"""Before.

$$\beta \hat{g}^2 + \frac{\hat{m}_t}{\sqrt{\hat{v}_t} + \varepsilon}$$

$$\beta_1 f(g^2)$$

After.
"""


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("night", [False, True], ids=["day", "night"])
def test_a_formula_that_fits_is_whole_and_has_no_shadow(page: Page, width: int, night: bool) -> None:
    """It looks as it would without a box that scrolls, and takes no more height than its line."""
    rendered, _ = render_note(Identified(a_note("Q?", FORMULA, key="q"), "q", EARLIER))
    (note_type, _) = note_types("d", "D", "")
    (card,) = card_sides(rendered, note_type)
    page.set_viewport_size({"width": width, "height": 800})
    page.set_content(Side("q", note_type.css, with_math(card.back)).page(DESKTOP, night=night))
    looks, heights = [], []
    for without in ("", "overflow: visible !important; background: none !important"):
        page.add_style_tag(content=f".ptc math[display=block] {{ {without} }}")
        looks.append(Image.open(io.BytesIO(page.screenshot())).convert("L"))
        heights.append(page.evaluate("document.querySelector('.answer').getBoundingClientRect().height"))
    page.add_style_tag(content=".ptc math[display=block] { margin: 0; padding: 0 }")
    heights.append(page.evaluate("document.querySelector('.answer').getBoundingClientRect().height"))
    assert ImageChops.difference(*looks).point(lambda off: off > 2).getbbox() is None
    assert heights == [heights[0]] * 3


SCROLLING = "f(model(inputs), targets, reduction='mean', label_smoothing=0.1), " * 2
BLOCKS_THAT_SCROLL = f"""```output
{SCROLLING}
```

```python
{SCROLLING}
```

```output
{SCROLLING}
```

<pre>{SCROLLING}</pre>

```python
x = 1
```
"""
EDGES: Any = """(to) => [...document.querySelectorAll(".answer pre")].map((each) => {
  each.scrollLeft = to;
  const { left, right, bottom } = each.getBoundingClientRect();
  return [[left + 8, bottom - 4], [right - 5, bottom - 4], [left + 40, bottom - 4]];
})"""
"""Scrolls each block, and returns three places without text: near its edges, and elsewhere."""


@pytest.mark.parametrize("night", [False, True], ids=["day", "night"])
def test_code_has_a_shadow_at_an_edge_behind_which_there_is_more(page: Page, night: bool) -> None:
    page.set_viewport_size({"width": 768, "height": 800})
    show_back(page, BLOCKS_THAT_SCROLL, night=night)
    found = []
    for to in (0, 100, 9999):
        edges = page.evaluate(EDGES, to)
        shot = Image.open(io.BytesIO(page.screenshot())).convert("L")
        shades = [[shot.tobytes()[round(y) * shot.width + round(x)] for x, y in each] for each in edges]
        found.append([[left < middle - 1, right < middle - 1] for left, right, middle in shades])
    fits = [[False, False]]
    assert found == [[[False, True]] * 4 + fits, [[True, True]] * 4 + fits, [[True, False]] * 4 + fits]


LABELS: Any = """(to) => [...document.querySelectorAll(".answer pre")].map((each) => {
  each.scrollLeft = to;
  const { top, right } = each.getBoundingClientRect(), line = each.querySelector(".ln");
  const begins = line.getBoundingClientRect().top - top - parseFloat(getComputedStyle(each).paddingTop);
  return [right, top, begins > 10];
})"""
"""Scrolls each block, and returns its corner, and whether its first line is below the language."""


@pytest.mark.parametrize(
    ("first", "marked", "below"),
    [("x = 1", "", False), (SCROLLING, "", True), ("x = 1", ' hl_lines="1"', True)],
    ids=["short", "long", "marked"],
)
def test_the_language_of_code_stays_in_its_corner_and_covers_nothing(
    page: Page, first: str, marked: str, below: bool
) -> None:
    answer = f"```python{marked}\n{first}\n{SCROLLING}\n```\n"
    page.set_viewport_size({"width": 768, "height": 800})
    show_back(page, answer)
    shown = []
    for code in ("/**/", ".ln, .ln * { color: transparent !important }"):
        page.add_style_tag(content=code)
        for to in (0, 100, 9999):
            ((right, top, is_below),) = page.evaluate(LABELS, to)
            assert is_below == below
            shot = Image.open(io.BytesIO(page.screenshot())).convert("L")
            shown.append(shot.crop((round(right) - 53, round(top) + 5, round(right) - 16, round(top) + 25)))
    # Letters move by parts of a pixel; code below the label would change much more.
    changed = [ImageStat.Stat(ImageChops.difference(each, shown[0])).mean[0] for each in shown]
    assert max(changed) < 3
    assert len(set(shown[0].tobytes())) > 10


def test_on_a_phone_50_columns_of_code_fit_in_the_answer_and_its_details(page: Page) -> None:
    code = "```python\nx\n{}\n```\n"
    answer, details = (code.format("x" * columns) for columns in (50, 51))
    rendered, _ = render_note(Identified(a_note("Q?", answer, details=answer + details), "q", EARLIER))
    (note_type, _) = note_types("d", "D", "")
    (card,) = card_sides(rendered, note_type)
    page.set_viewport_size({"width": 390, "height": 800})
    page.set_content(Side("q", note_type.css, card.back).page(PHONE, night=False))
    open_everything(page)
    rows = page.evaluate(
        """[...document.querySelectorAll(".ln:last-child")].map(line =>
        Math.round(line.getBoundingClientRect().height / parseFloat(getComputedStyle(line).lineHeight)))"""
    )
    assert rows == [1, 1, 2]


@pytest.mark.parametrize("code", ["", "```python\nx = 1\n```\n\n"], ids=["prediction", "output"])
@pytest.mark.parametrize("length", [20, 33, 40])
def test_on_a_phone_the_label_of_output_breaks_no_line_that_fits(page: Page, code: str, length: int) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    show_back(page, f"{code}```output\n{'(1, 2), ' * (length // 8)}{'x' * (length % 8)}\n```\n", PHONE)
    rows = page.evaluate(
        """() => { const line = document.querySelector("pre.output .ln");
        return line.getBoundingClientRect().height / parseFloat(getComputedStyle(line).lineHeight); }"""
    )
    assert round(rows) == 1


@pytest.mark.parametrize("night", [False, True], ids=["day", "night"])
def test_the_shadow_of_code_is_whole_beside_the_language_and_through_marked_lines(
    page: Page, night: bool
) -> None:
    answer = f'```python hl_lines="2"\nx = 1\n{SCROLLING}\ny = 2\n```\n'
    page.set_viewport_size({"width": 768, "height": 800})
    show_back(page, answer, night=night)
    page.add_style_tag(content=".ln, .ln * { color: transparent !important }")
    left, right, top, bottom = page.evaluate(
        """(({ left, right, top, bottom }) => [left, right, top, bottom].map(Math.round))(
        document.querySelector(".answer pre").getBoundingClientRect())"""
    )
    shot = Image.open(io.BytesIO(page.screenshot())).convert("L").crop((left, top, right, bottom))
    width, shades = shot.width, shot.tobytes()
    rows = range(12, shot.height - 12)
    darker = [shades[row * width + width // 2] - shades[row * width + width - 4] for row in rows]
    assert min(darker) > 0.5 * max(darker)


def test_the_columns_of_formulas_are_aligned(page: Page) -> None:
    formula = with_math(r"\[\begin{aligned} a &= b \\ \log c &= \log d \end{aligned}\]")
    (note_type, _) = note_types("d", "D", "")
    page.set_content(Side("q", note_type.css, f'<div class="ptc">{formula}</div>').page(DESKTOP, night=False))
    ends, starts = page.evaluate(
        """() => { const cells = [...document.querySelectorAll("mtd")].map(each => [...each.children].map(
          part => part.getBoundingClientRect()).filter(box => box.width));
        const column = (number, edge) => cells.filter((_, at) => at % 2 === number).map(edge);
        return [column(0, each => each.at(-1).right), column(1, each => each[0].left)]; }"""
    )
    assert [max(each) - min(each) < 2 for each in (ends, starts)] == [True, True]


def test_formulas_without_mathjax_have_an_installed_font_for_maths(page: Page, sides: list[Side]) -> None:
    html = with_math(sides[0].html)
    page.set_content(replace(sides[0], html=html).page(DESKTOP, night=False))
    font = page.evaluate("getComputedStyle(document.querySelector('math mi')).fontFamily")
    assert font == (
        '"STIX Two Math", "Latin Modern Math", "Cambria Math", "Libertinus Math", "TeX Gyre Termes Math", '
        '"DejaVu Math TeX Gyre", "Noto Sans Math", math'
    )


def test_a_table_has_rules_between_its_rows_only_and_no_chip_around_code(
    page: Page, sides: list[Side]
) -> None:
    page.set_viewport_size({"width": 1000, "height": 800})
    page.set_content(sides[0].page(DESKTOP, night=False))
    widths, radius, chips = page.evaluate(
        """() => {
        const style = (each) => getComputedStyle(each), all = (name) => [...document.querySelectorAll(`.answer ${name}`)];
        const sides = ["Top", "Right", "Bottom", "Left"];
        return [
            all("table:first-of-type tr").map(row => sides.map(side => style(row.cells[0])[`border${side}Width`]).join(" ")),
            style(all("table")[0]).borderTopLeftRadius,
            all("td > code:only-child").map(each => style(each).backgroundColor)]; }"""
    )
    assert widths == ["0px 0px 1px 0px", "0px 0px 0px 0px"]
    assert radius == "9px"
    assert set(chips) == {"rgba(0, 0, 0, 0)"}


WIDE_TABLES = """| optimizer | memory per parameter | Gradientenabstieg | needs `requires_grad` | typical lr |
|---|--:|---|:-:|---|
| AdamW | 8 bytes | ja | often | 3e-4, and less for a model that is large |

| 演算 | インプレース | 割り当てる | グラフを保持する | 備考 |
|---|---|---|---|---|
| 加算 | いいえ | はい、新しいテンソルを割り当てます | はい | なし |
"""
BROKEN_WORDS: Any = """() => { const broken = [], range = document.createRange();
  for (const cell of document.querySelectorAll("th, td")) {
    const text = cell.firstChild.nodeValue;
    for (const { 0: word, index } of cell.matches("th") || text.length < 6 ? text.matchAll(/\\S+/g) : []) {
      range.setStart(cell.firstChild, index);
      range.setEnd(cell.firstChild, index + word.length);
      if (range.getClientRects().length > 1) broken.push(word);
    }
  }
  return broken; }"""
"""The words of headings and of short cells that have more than one line."""


@pytest.mark.parametrize("host", [DESKTOP, OLD_PHONE], ids=["desktop", "mobile"])
def test_a_table_of_five_columns_scrolls_and_breaks_no_word(page: Page, host: Any) -> None:
    show_back(page, WIDE_TABLES, host)
    found, scrolls = {}, {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        found[width] = page.evaluate(BROKEN_WORDS)
        scrolls[width] = page.evaluate(TABLE_SCROLLS)
    assert found == {width: [] for width in WIDTHS}
    assert scrolls == {width: [width < 500] * 2 for width in WIDTHS}


SHORT_CELLS = """| Gestaltungsrecht | Norm | Bereich | Grund erforderlich? | Frist | Wirkung | Rückabwicklung |
|---|---|:-:|---|---|---|---|
| Rücktritt | §§ 323, 346 ff. | 3.1–4.4 | ja, Pflichtverletzung | keine (§ 218) | wandelt in Rückgewährschuldverhältnis um | § 346 BGB |
"""
HAS_WIDER_CELLS = "(each => parseFloat(each.minWidth) > 6 * parseFloat(each.fontSize))(getComputedStyle(document.querySelector('td')))"
TABLE_SCROLLS = "[...document.querySelectorAll('table')].map(each => each.scrollWidth > each.clientWidth)"


@pytest.mark.parametrize("width", WIDTHS[:4])
def test_figures_and_short_cells_of_a_table_that_scrolls_anyway_are_whole(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    show_back(page, SHORT_CELLS)
    page.wait_for_function(HAS_WIDER_CELLS)
    assert page.evaluate(TABLE_SCROLLS) == [True]
    rows = [page.evaluate(LINES_OF, f"td:nth-child({number})") for number in (2, 3, 5)]
    assert [[each.strip() for each in cell] for cell in rows] == [
        ["§§ 323,", "346 ff."],
        ["3.1–4.4"],
        ["keine", "(§ 218)"],
    ]


def test_a_table_that_fits_when_its_formulas_are_drawn_does_not_scroll(page: Page) -> None:
    """Before, it has their TeX, which is wider."""
    (note_type, _) = note_types("d", "D", "")
    columns = "<td>one or two words of text</td>" * 7
    html = f'<div class="ptc"><div class="answer"><table><tr>{columns}<td>{"x" * 60}</td></tr></table></div></div>'
    page.set_viewport_size({"width": 768, "height": 800})
    page.set_content(Side("q", note_type.css, html).page(DESKTOP, night=False))
    page.wait_for_function(HAS_WIDER_CELLS)
    page.evaluate(
        "document.querySelector('td:last-child').innerHTML = '<mjx-container jax=CHTML>x</mjx-container>'"
    )
    page.wait_for_function(f"!{TABLE_SCROLLS}[0]")


def test_an_address_with_an_arabic_path_is_read_from_left_to_right(page: Page) -> None:
    address = "https://ar.wikipedia.org/wiki/ضوء"
    (note_type, _) = note_types("d", "D", "")
    html = f'<div class="ptc" dir="rtl"><div class="answer"><p>هنا <a href="{address}">{address}</a></p></div></div>'
    page.set_content(Side("q", note_type.css, html).page(DESKTOP, night=False))
    ends = page.evaluate(
        """(() => { const { firstChild: text } = document.querySelector("a"), range = document.createRange();
        return [0, text.length - 1].map(at => { range.setStart(text, at); range.setEnd(text, at + 1);
          return range.getBoundingClientRect().x; }); })()"""
    )
    assert ends == sorted(ends)


def test_text_beside_a_long_formula_has_two_words_on_a_line(page: Page) -> None:
    (note_type, _) = note_types("d", "D", "")
    signs = "<mjx-mi>MnO</mjx-mi>" * 12
    drawn = f'<mjx-container style="white-space: nowrap"><mjx-math>{signs}</mjx-math></mjx-container>'
    cells = f'<td>{drawn}</td><td style="text-align: right">+1.51</td><td>strong oxidising agent in acid</td>'
    html = f'<div class="ptc"><div class="answer"><table><tr>{cells}</tr></table></div></div>'
    page.set_viewport_size({"width": 390, "height": 800})
    page.set_content(Side("q", note_type.css, html).page(DESKTOP, night=False))
    lines = [each.strip() for each in page.evaluate(LINES_OF, "td:last-child")]
    assert lines == ["strong oxidising", "agent in acid"]


def test_fractions_in_the_rows_of_a_formula_do_not_touch(page: Page) -> None:
    (note_type, _) = note_types("d", "D", "")
    cells = "".join(
        f'<mjx-mtd style="padding-bottom: 0.15em">{inside}</mjx-mtd>'
        for inside in ('<mjx-frac type="d">x</mjx-frac>', "y")
    )
    rows = f"<mjx-mtable><mjx-itable>{f'<mjx-mtr>{cells}</mjx-mtr>' * 2}</mjx-itable></mjx-mtable>"
    drawn = f'<mjx-container jax="CHTML" display="true"><mjx-math>{rows}</mjx-math></mjx-container>'
    page.set_content(Side("q", note_type.css, f'<div class="ptc">{drawn}</div>').page(DESKTOP, night=False))
    room = page.evaluate(
        """[...document.querySelectorAll("mjx-mtd")].map(getComputedStyle).map(({ paddingBottom, fontSize }) =>
        Math.round(100 * parseFloat(paddingBottom) / parseFloat(fontSize)))"""
    )
    assert room == [45, 15, 15, 15]


def test_a_short_bracket_in_code_is_on_one_line_at_every_width(page: Page) -> None:
    rendered, _ = render_note(
        Identified(a_note("What is the shape of `x.view(3, 4)`?", key="q"), "q", EARLIER)
    )
    (note_type, _) = note_types("d", "D", "")
    (card,) = card_sides(rendered, note_type)
    page.set_content(Side("q", note_type.css, card.front).page(OLD_PHONE, night=False))
    lines, around = set(), set()
    for width in range(150, 500, 5):
        page.set_viewport_size({"width": width, "height": 800})
        unit, heading = page.evaluate(
            """[".unit", ".heading"].map(name => { const range = document.createRange();
            range.selectNodeContents(document.querySelector(name));
            return new Set([...range.getClientRects()].map(each => Math.round(each.bottom / 10))).size })"""
        )
        lines.add(unit)
        around.add(heading)
    assert lines == {1}
    assert len(around) > 2


def test_no_line_of_text_is_higher_for_an_index(page: Page) -> None:
    heights = []
    for text in ("one\\\ntwo", "H<sub>2</sub>O<sup>3</sup>\\\ntwo[^1]\n\n[^1]: x"):
        show_back(page, text)
        heights.append(page.evaluate("document.querySelector('.answer > p').getBoundingClientRect().height"))
    assert heights == [heights[0]] * 2


@pytest.mark.parametrize("night", [False, True], ids=["day", "night"])
def test_a_box_with_a_tick_is_not_pale(page: Page, sides: list[Side], night: bool) -> None:
    page.set_viewport_size({"width": 1000, "height": 800})
    page.set_content(sides[0].page(DESKTOP, night=night))
    boxes = page.evaluate(
        """[...document.querySelectorAll(".answer input")].map(each => {
        const { appearance, backgroundColor, fontSize } = getComputedStyle(each);
        return [appearance, backgroundColor, fontSize]; })"""
    )
    blue = "rgb(88, 166, 255)" if night else "rgb(9, 105, 218)"
    assert boxes == [["none", blue, "15.3px"], ["none", "rgba(0, 0, 0, 0)", "15.3px"]]


def test_on_a_phone_text_and_code_take_less_height(page: Page, sides: list[Side]) -> None:
    found = []
    for width in (390, 768):
        page.set_viewport_size({"width": width, "height": 844})
        page.set_content(sides[0].page(OLD_PHONE, night=False))
        found.append(
            page.evaluate(
                """[".answer li", ".answer > pre.code .ln"].map(name => {
                const { fontSize, lineHeight } = getComputedStyle(document.querySelector(name));
                return [fontSize, lineHeight].map(each => Number(parseFloat(each).toFixed(1))); })"""
            )
        )
    assert found == [[[16, 24], [11.5, 16.4]], [[16.8, 26.1], [14.1, 20.5]]]


LINES_OF = """(name) => { const lines = [], range = document.createRange(), part = document.querySelector(name);
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  let top = null;
  while (walker.nextNode()) for (let at = 0; at < walker.currentNode.data.length; at += 1) {
    range.setStart(walker.currentNode, at);
    range.setEnd(walker.currentNode, at + 1);
    const here = Math.round(range.getBoundingClientRect().top);
    if (here !== top) lines.push("");
    lines.push(lines.pop() + walker.currentNode.data[at]);
    top = here;
  }
  return lines; }"""


def test_a_long_name_breaks_between_its_words_and_leaves_no_short_part(page: Page) -> None:
    """In a column narrower than that of most phones, it may also break after its first part or bracket."""
    begins = set()
    for words in range(8):
        answer = f"{'word ' * words}`torch.nn.functional.scaled_dot_product_attention(query)`"
        show_back(page, answer, HOSTS[3])
        for width in range(260, 440, 12):
            page.set_viewport_size({"width": width, "height": 800})
            begins |= {(width < 376, line) for line in page.evaluate(LINES_OF, ".answer code")[1:]}
    parts = (".functional", ".scaled_", "dot_", "product_", "attention(")
    assert {line for _, line in begins if not line.startswith((*parts, ".nn", "query)"))} == set()
    assert {line for narrow, line in begins if not narrow and not line.startswith(parts)} == set()


def test_code_that_is_unfolded_in_an_answer_is_not_close_to_its_summary(page: Page) -> None:
    show_back(
        page, "<details open><summary>Set-up</summary>\n\n```python\nx = 1\n```\n\n</details>", HOSTS[3]
    )
    gap = page.evaluate(
        """["summary", "pre"].map((each) => document.querySelector(each).getBoundingClientRect())
        .reduce((above, below) => below.top - above.bottom)"""
    )
    assert gap > 5


def test_a_chain_of_calls_breaks_before_a_dot_and_not_inside_a_short_call(page: Page) -> None:
    begins = set()
    for words in range(8):
        show_back(page, f"{'word ' * words}`x.t().contiguous().view(6).clone()`", HOSTS[3])
        for width in range(260, 440, 12):
            page.set_viewport_size({"width": width, "height": 800})
            begins.update(page.evaluate(LINES_OF, ".answer code")[1:])
    assert {
        line for line in begins if not line.startswith((".t()", ".contiguous()", ".view(6)", ".clone()"))
    } == set()


@pytest.mark.parametrize("host", [DESKTOP, OLD_PHONE], ids=["desktop", "mobile"])
def test_a_link_to_a_source_breaks_between_the_words_of_its_name(page: Page, host: Any) -> None:
    name = "torch.autograd.function.FunctionCtx.save_for_backward"
    rendered, _ = render_note(
        Identified(a_note("Q?", sources=f"- [{name}](https://x.org)", key="q"), "q", EARLIER)
    )
    (note_type, _) = note_types("d", "D", "")
    (card,) = card_sides(rendered, note_type)
    page.set_content(Side("q", note_type.css, card.back).page(host, night=False))
    lines = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        lines[width] = page.evaluate(LINES_OF, ".sources a")
    assert {width: "".join(each) for width, each in lines.items()} == dict.fromkeys(WIDTHS, name)
    assert {width: len(each) for width, each in lines.items() if width > 390} == dict.fromkeys(WIDTHS[2:], 1)
    # Where a line ends depends on the version of Chromium, but it is never inside a word.
    inside = [
        end for each in lines.values() for end, start in pairwise(each) if end[-1] != "_" and start[0] != "."
    ]
    assert inside == []


WORDS_SHOWN = """() => ["::before of .chip:last-child", "::before of .options", "::after of a.hint", "::before of .sources"]
  .map((each) => each.split(" of ")).map(([part, of]) => [document.querySelector(of), part])
  .map(([of, part]) => of ? getComputedStyle(of, part).content.replace(/^none$/, "").replace(/^"|" "|"$/g, "") : "")"""


@pytest.mark.parametrize(
    ("deck", "note", "words"),
    [
        ("", "", ["easy", "\u2068Choose one.\u2069", "", "\u2068Sources:\u2069 "]),
        ("de", "", ["leicht", "\u2068Wählen Sie eine Antwort.\u2069", "Hinweis", "\u2068Quellen:\u2069 "]),
        ("de", "sv", ["easy", "\u2068Choose one.\u2069", "", "\u2068Sources:\u2069 "]),
        ("", "zh-CN", ["简单", "\u2068请选择一个选项。\u2069", "提示", "\u2068来源：\u2069 "]),
        ("", "zh-TW", ["easy", "\u2068Choose one.\u2069", "", "\u2068Sources:\u2069 "]),
    ],
)
def test_a_card_shows_words_in_the_language_of_its_note(
    page: Page, deck: str, note: str, words: list[str]
) -> None:
    options = (choice("one", right=True), choice("two"))
    written = a_note(
        "Q?", kind=Kind.CHOICE, choices=options, hint="h", sources="- RFC 1", difficulty="easy", key="words"
    )
    rendered, _ = render_note(Identified(written._replace(language=note), "words", EARLIER))
    (note_type, _) = note_types("d", "D", "", language=deck)
    (card,) = card_sides(rendered, note_type)
    page.set_content(Side("words", note_type.css, card.front + card.back).page(DESKTOP, night=False))
    assert page.evaluate(WORDS_SHOWN) == words


@pytest.mark.parametrize("deck", ["", "de"])
def test_a_card_says_that_an_answer_is_to_be_typed_where_there_is_a_box(page: Page, deck: str) -> None:
    """By default, AnkiDroid asks for it below the card, in words of its own."""
    written = a_note("Q?", kind=Kind.TYPED, typed="A", key="q")
    (note_type, _) = note_types("d", "D", "", language=deck)
    (card,) = card_sides(render_note(Identified(written, "q", EARLIER))[0], note_type)
    box = re.search("<input[^>]*>", card.front)
    assert box
    said = []
    for html in (
        card.front,
        card.front.replace(box[0], "<span id=typeans class=typePrompt>........</span>"),
        card.back,
    ):
        page.set_content(Side("q", note_type.css, html).page(DESKTOP, night=False))
        said.append(page.evaluate("getComputedStyle(document.querySelector('.typed'), '::before').content"))
    word = {"": "Type the answer.", "de": "Geben Sie die Antwort ein."}[deck]
    assert said == [f'"\u2068{word}\u2069"', "none", "none"]


def test_players_are_dark_at_night_and_a_wide_table_fades_where_there_is_more(
    page: Page, sides: list[Side]
) -> None:
    shown = []
    for night in (False, True):
        page.set_content(sides[0].page(OLD_PHONE, night=night))
        shown.append(page.evaluate("getComputedStyle(document.querySelector('audio')).colorScheme"))
    assert shown == ["normal", "dark"]
    fades = page.locator("table").first.evaluate(
        """async (table) => { const fades = []; table.style.maxWidth = "4em";
        for (const part of [0, 0.5, 1]) {
          table.scrollLeft = part * (table.scrollWidth - table.clientWidth);
          for (let n = 0; n < 3; n += 1) await new Promise(requestAnimationFrame);
          fades.push(5 * Math.round(parseFloat(getComputedStyle(table).maskPosition) / 5));
        }
        return fades }"""
    )
    assert fades == [100, 50, 0]


def test_only_the_right_options_are_marked(page: Page) -> None:
    """Nobody chooses an option in Anki, so there is no wrong choice."""
    options = (choice("one", right=True), choice("two"), choice("three"))
    rendered, _ = render_note(
        Identified(a_note("Which?", kind=Kind.CHOICE, choices=options, key="mark"), "q", EARLIER)
    )
    (note_type, _) = note_types("d", "D", "")
    (card,) = card_sides(rendered, note_type)
    page.set_content(Side("q", note_type.css, card.back).page(DESKTOP, night=False))
    assert page.locator(".mark:visible").all_inner_texts() == ["✓ right"]


def test_the_mark_of_an_option_moves_none_of_its_text(page: Page) -> None:
    options = (choice("`tensor.add_(1)`", "Because.", right=True), choice("two"))
    written = a_note("Which?", kind=Kind.CHOICE, choices=options, key="mark")
    rendered, _ = render_note(Identified(written, "mark", EARLIER))
    (note_type, _) = note_types("d", "D", "")
    (card,) = card_sides(rendered, note_type)
    widths = []
    for side in (card.front, card.back):
        page.set_viewport_size({"width": 320, "height": 800})
        page.set_content(Side("mark", note_type.css, side).page(OLD_PHONE, night=False))
        widths.append(page.locator(".choices p").first.evaluate("each => each.getClientRects()[0].width"))
    assert widths[0] == widths[1] > 200
    top = page.locator(".right code").evaluate("each => each.getBoundingClientRect().top")
    assert page.locator(".right > .mark").evaluate("each => each.getBoundingClientRect().bottom") < top


CLOZES_IN_CODE = """```python
m_hat = m / {{c1::(1 - b1**t)}}
v_hat = v / {{c1::(1 - b2**t)}}
```
"""


@pytest.mark.parametrize("width", WIDTHS)
def test_a_deletion_in_code_covers_no_line_next_to_it(page: Page, width: int) -> None:
    written = a_note("Q?", CLOZES_IN_CODE, kind=Kind.CLOZE, key="q")._replace(code_deletions=True)
    rendered, _ = render_note(Identified(written, "q", EARLIER))
    (_, note_type) = note_types("d", "D", "")
    (card,) = card_sides(rendered, note_type)
    page.set_viewport_size({"width": width, "height": 800})
    higher = []
    for html in (card.front, card.back):
        page.set_content(Side("q", note_type.css, html).page(DESKTOP, night=False))
        higher += page.evaluate(
            """[...document.querySelectorAll(".cloze")].map((each) => [each, each.closest(".ln")].map((box) =>
            box.getBoundingClientRect().height)).map(([deletion, line]) => deletion > line + 0.5)"""
        )
    assert higher == [False] * 4


def test_a_deletion_of_code_leaves_no_empty_part_on_the_line_before_it(page: Page) -> None:
    written = a_note(
        "Q?", "A full copy on each rank. {{c1::`Partial()`}}: to be reduced.", kind=Kind.CLOZE, key="q"
    )
    rendered, _ = render_note(Identified(written, "q", EARLIER))
    (_, note_type) = note_types("d", "D", "")
    (card,) = card_sides(rendered, note_type)
    page.set_content(Side("q", note_type.css, card.back).page(OLD_PHONE, night=False))
    parts, lines = set(), set()
    for width in range(200, 390):
        page.set_viewport_size({"width": width, "height": 800})
        boxes, height = page.evaluate(
            "[document.querySelector('.cloze').getClientRects().length, document.querySelector('.answer').clientHeight]"
        )
        parts.add(boxes)
        lines.add(height)
    assert parts == {1}
    assert len(lines) > 1


@pytest.mark.parametrize("side", ["front", "back"])
def test_code_in_two_lines_of_a_question_does_not_touch(page: Page, side: str) -> None:
    rendered, _ = render_note(
        Identified(
            a_note("What is `a_name` " + "or `another_name` " * 12 + "?", "Yes.", key="q"), "q", EARLIER
        )
    )
    (note_type, _) = note_types("d", "D", "")
    (card,) = card_sides(rendered, note_type)
    page.set_content(Side("q", note_type.css, getattr(card, side)).page(OLD_PHONE, night=False))
    gaps = []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        lines = page.evaluate(
            """[...document.querySelectorAll(".heading code")].flatMap(each => [...each.getClientRects()])
            .map(({ top, bottom }) => [top, bottom])"""
        )
        gaps += [other[0] - one[1] for one, other in pairwise(sorted(lines)) if other[0] > one[0] + 9]
    assert len(gaps) > 10
    assert min(gaps) > 0


@pytest.mark.parametrize("language", ["", "de"])
def test_a_question_with_deletions_looks_as_a_heading_and_stays_in_its_place(
    page: Page, language: str
) -> None:
    written = a_note("", "The {{c1::gradient}} adds up.\n\nIt is in `x.grad`.", kind=Kind.CLOZE, key="q")
    rendered, _ = render_note(Identified(written._replace(language=language), "q", EARLIER))
    (_, note_type) = note_types("d", "D", "")
    (card,) = card_sides(rendered, note_type)
    page.set_viewport_size({"width": 1000, "height": 800})
    found = []
    for html in (card.front, card.back):
        page.set_content(Side("q", note_type.css, html).page(DESKTOP, night=False))
        found.append(
            page.evaluate(
                """[...document.querySelectorAll(".answer p")].map((each) => [getComputedStyle(each), each.getBoundingClientRect()])
                .map(([{ fontSize, fontWeight }, { left, top }]) => [fontSize, fontWeight, Math.round(left), Math.round(top)])"""
            )
        )
    assert [each[:3] for each in found[0]] == [["20.7px", "600", 122], ["18px", "400", 122]]
    assert found[1] == found[0]


def test_a_question_has_lines_of_equal_length_on_the_front_and_full_ones_on_the_back(page: Page) -> None:
    rendered, _ = render_note(Identified(a_note(" ".join(["word"] * 20) + "?", key="q"), "q", EARLIER))
    (note_type, _) = note_types("d", "D", "")
    (card,) = card_sides(rendered, note_type)
    page.set_viewport_size({"width": 1000, "height": 800})
    lines = []
    for html in (card.front, card.back):
        page.set_content(Side("q", note_type.css, html).page(DESKTOP, night=False))
        lines.append([len(each.split()) for each in page.evaluate(LINES_OF, ".heading")])
    front, back = lines  # how many words fit depends on the version of Chromium
    assert [min(len(front), len(back)) > 1, max(front) - min(front) < 3, back[0] - back[-1] > 4] == [True] * 3


@pytest.mark.parametrize(("width", "room"), [(390, 9), (1000, 14)])
def test_a_question_is_not_close_to_its_topic(page: Page, sides: list[Side], width: int, room: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.set_content(sides[0].page(OLD_PHONE, night=False))
    topic, question = page.evaluate(
        """[".chips", ".heading"].map((each) => document.querySelector(each).getBoundingClientRect())
        .map(({ top, bottom }, n) => n ? top : bottom)"""
    )
    assert int(question - topic) == room


def test_a_bracket_far_to_the_right_in_code_fits_the_smallest_phone(page: Page) -> None:
    code = f"```python\nprint(-F.cross_entropy(logits[row, :n],\n{' ' * 27}ids[row, 1:n], reduction='sum'))\n```\n"
    page.set_viewport_size({"width": 320, "height": 800})
    show_back(page, code, OLD_PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == 320


def _code_on_a_phone(page: Page, code: str) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    show_back(page, code, PHONE)


def test_on_a_phone_46_columns_fit_and_output_begins_in_the_column_of_its_code(page: Page) -> None:
    line = "1234567890" * 4 + "123456"
    _code_on_a_phone(page, f"Text.\n\n```python\n{line}\n```\n\n```output\n1\n{line}\n```\n")
    (left, rows), _, output = page.evaluate(
        """[...document.querySelectorAll(".ln")].map((line) => { const range = document.createRange();
        range.selectNodeContents(line); const { left, height } = range.getBoundingClientRect();
        return [Math.round(left), Math.round(height / 17)]; })"""
    )
    assert rows == 1
    assert output == [left, rows]


@pytest.mark.parametrize(
    "answer",
    [
        f"```output\n{'1234567890' * 4}123456\n```\n",
        "```python\n# one H100\nx = 1\n```\n",
    ],
    ids=["output alone", "comment in the first line"],
)
def test_on_a_phone_a_line_that_fits_does_not_wrap(page: Page, answer: str) -> None:
    _code_on_a_phone(page, answer)
    tops = page.evaluate(
        """(line => { const range = document.createRange(); range.selectNodeContents(line);
        return [...range.getClientRects()].map(each => Math.round(each.top)); })(document.querySelector(".ln"))"""
    )
    assert max(tops) - min(tops) < 5


def test_on_a_phone_a_number_that_is_longer_than_a_row_breaks(page: Page) -> None:
    _code_on_a_phone(page, f"```python\nx = 0.{'1' * 60}\ny = {'2' * 60}\n```\n")
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_on_a_phone_no_row_of_code_begins_inside_a_number_or_with_an_argument_without_its_name(
    page: Page,
) -> None:
    calls = [f"layer = nn.LayerNorm({'1' * n}, eps=1e-8, dtype=torch.float16)" for n in range(10, 24)]
    _code_on_a_phone(page, "```python\n" + "\n".join(calls) + "\n```\n")
    rows = [row.strip() for row in page.evaluate(LINES_OF, "pre.code > code")]
    assert len(rows) > 14
    assert [row for row in rows if row.endswith(("=", "-"))] == []


VERY_WIDE_TABLE = """| optimizer | memory per parameter | Gradientenabstieg | needs `requires_grad` | typical lr | remarks |
|---|--:|---|:-:|---|---|
| AdamW | 8 bytes | ja, mit Momenten | often | 3e-4, and less | for a model that is large |
"""


@pytest.mark.parametrize("language", ["", "de", "ar"])
def test_a_table_that_is_wider_than_text_has_the_margins(page: Page, language: str) -> None:
    """Then neither it nor the page scrolls."""
    written = a_note("Q?", VERY_WIDE_TABLE, key="q")._replace(language=language)
    (note_type, _) = note_types("d", "D", "")
    (card,) = card_sides(render_note(Identified(written, "q", EARLIER))[0], note_type)
    page.set_content(Side("q", note_type.css, card.back).page(DESKTOP, night=False))
    page.add_style_tag(content="* { font-family: monospace !important }")  # as wide on each machine
    found = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        found[width] = page.evaluate(
            """() => { const [table, column] = ["table", "#answer"].map(name => document.querySelector(name));
            const [one, other] = [table, column].map(each => each.getBoundingClientRect()), root = document.documentElement;
            return [one.width > other.width + 1, table.scrollWidth > table.clientWidth, root.scrollWidth - root.clientWidth]; }"""
        )
    scrolls, grows = [False, True, 0], [True, False, 0]
    assert found == {320: scrolls, 390: scrolls, 768: [True, True, 0], 1000: grows, 1440: grows}


@pytest.mark.parametrize("language", ["de", "ar"])
@pytest.mark.parametrize("element", ["table", "math"])
def test_a_table_or_formula_that_needs_both_margins_has_them_but_not_in_an_option(
    page: Page, language: str, element: str
) -> None:
    """The column is 756 pixels wide; there are 252, 14 times the size of letters, on each side."""
    page.set_viewport_size({"width": 1440, "height": 800})
    (note_type, _) = note_types("d", "D", "")
    (card,) = card_sides(
        render_note(
            Identified(a_note("Q?", "- a\n\nb\n", key="q")._replace(language=language), "q", EARLIER)
        )[0],
        note_type,
    )
    page.set_content(Side("q", note_type.css, card.back).page(DESKTOP, night=False))
    found = page.evaluate(
        """([element, sizes]) => { const column = document.querySelector("#answer").getBoundingClientRect();
        const ends = getComputedStyle(document.querySelector(".answer")).direction === "rtl" ? [-1, "right", "left"] : [1, "left", "right"];
        const inside = size => element === "table" ? `<td style="padding: 0"><div style="width: ${size}px">a`
            : `<mspace width="${size}px" height="9px"/>`;
        document.querySelector(".answer p").insertAdjacentHTML("afterend", '<ul class="choices"><li>c</li></ul>');
        return [".answer div > p", "li", ".choices > li"].map(place => sizes.map(size => {
            const parent = document.querySelector(place), [sign, start, end] = ends;
            const from = parent.getBoundingClientRect()[start];
            parent.insertAdjacentHTML("beforeend", `<${element} display="block">${inside(size)}</${element}>`);
            const box = parent.lastChild.getBoundingClientRect(), { scrollWidth, clientWidth } = parent.lastChild;
            parent.lastChild.remove();
            return [sign * (box[start] - from), sign * (box[end] - column[end]), scrollWidth > clientWidth].map(Number).map(Math.round);
        })) }""",
        [element, (200, 800, 1008, 1100, 1260, 2000)],
    )
    indent = 29
    assert found == [
        [[0, -556, 0], [0, 44, 0], [0, 252, 0], [-92, 252, 0], [-252, 252, 0], [-252, 252, 1]],
        [[0, indent + size - 756, 0] for size in (200, 800)] + [[0, 252, 1]] * 4,
        [[46, -510, 0], *[[46, -15, 1]] * 5],
    ]


STRONG_IN_BOLD = "## no\n\nThis is **strong**.\n\n| **much** | a |\n|---|---|\n| **little** | b |\n"


def test_strong_text_in_bold_text_has_a_line(page: Page) -> None:
    (note_type, cloze_type) = note_types("d", "D", "")
    shown = []
    for note, kind in (
        (a_note("Which is **not** one?", STRONG_IN_BOLD, key="q"), note_type),
        (a_note("", "It is **not** {{c1::one}}.\n\nNo, **never**.", kind=Kind.CLOZE, key="q"), cloze_type),
    ):
        (card,) = card_sides(render_note(Identified(note, "q", EARLIER))[0], kind)
        page.set_content(Side("q", kind.css, card.back).page(DESKTOP, night=False))
        lined = """[...document.querySelectorAll("strong")].filter((each) =>
            getComputedStyle(each).textDecorationLine === "underline").map((each) => each.textContent)"""
        shown.append(page.evaluate(lined))
    assert shown == [["not", "much"], ["not"]]


def test_a_sentence_whose_gap_is_in_a_formula_is_as_bold_as_one_with_a_gap_between_words(page: Page) -> None:
    text = r"It is {{c1::one}}, so $x = {{c2::1}}$."
    weights = []
    for markdown in (text, text.replace("{{c1::one}}", "one")):
        note = a_note("", f"{markdown}\n\nNo.", kind=Kind.CLOZE, key="q")
        (_, cloze_type) = note_types("d", "D", "")
        for card in card_sides(render_note(Identified(note, "q", EARLIER))[0], cloze_type):
            for html in (card.front, card.back):
                page.set_content(Side("q", cloze_type.css, with_math(html)).page(DESKTOP, night=False))
                weight = "[...document.querySelectorAll('.answer p')].map(each => getComputedStyle(each).fontWeight)"
                weights.append(page.evaluate(weight))
    assert weights == [["600", "400"]] * 6


@pytest.mark.parametrize("language", ["", "de"])
@pytest.mark.parametrize("definition", ["Like $x$.", "Like x."])
def test_a_definition_that_asks_for_its_term_looks_as_a_question(
    page: Page, definition: str, language: str
) -> None:
    """On the front and, smaller and paler, on the back; with and without a formula."""
    written = a_note("Term", definition, kind=Kind.REVERSED, key="q")._replace(language=language)
    (note_type, _) = note_types("d", "D", "")
    question, asked = card_sides(render_note(Identified(written, "q", EARLIER))[0], note_type)
    page.set_viewport_size({"width": 1000, "height": 800})
    looks = []
    for card, name in ((question, ".heading"), (asked, ".answer p")):
        for html in (card.front, card.back):
            page.set_content(Side("q", note_type.css, with_math(html)).page(DESKTOP, night=False))
            looks.append(
                page.evaluate(
                    """(name) => { const { fontSize, fontWeight, color, textWrap } = getComputedStyle(document.querySelector(name));
                    return [fontSize, fontWeight, color, textWrap]; }""",
                    name,
                )
            )
    assert (
        looks
        == [
            ["25.2px", "600", "rgb(31, 35, 40)", "balance"],
            ["18px", "600", "rgb(66, 74, 83)", "pretty"],
        ]
        * 2
    )


@pytest.mark.parametrize(
    ("language", "looks"),
    [
        ("ja", ["normal", "dot", "over"]),
        ("zh-Hans", ["normal", "dot", "under"]),
        ("de", ["italic", "none", "over"]),
        ("", ["italic", "none", "over"]),
    ],
)
def test_emphasis_in_east_asian_languages_is_dots_and_does_not_slant(
    page: Page, language: str, looks: list[str]
) -> None:
    written = a_note("これは*重要*か", "*これ*。", key="q")._replace(context="章", language=language)
    (note_type, _) = note_types("d", "D", "")
    (card,) = card_sides(render_note(Identified(written, "q", EARLIER))[0], note_type)
    page.set_content(Side("q", note_type.css, card.back).page(DESKTOP, night=False))
    found = page.evaluate(
        """[...document.querySelectorAll("em")].map((each) => getComputedStyle(each)).map((style) =>
        [style.fontStyle, style.textEmphasisStyle.replace("filled ", ""), style.textEmphasisPosition])"""
    )
    style, _, place = looks
    assert found == [[style, "none", place], looks, looks]


@pytest.mark.parametrize(
    ("language", "text", "looks"),
    [
        ("ar", "*الخلية*.", ["none", "rgb(122, 69, 209)"]),
        ("he", "*תא*.", ["none", "rgb(122, 69, 209)"]),
        ("de", "*Zelle*.", ["auto", "rgb(31, 35, 40)"]),
    ],
)
def test_emphasis_from_right_to_left_is_a_colour_and_does_not_slant(
    page: Page, language: str, text: str, looks: list[str]
) -> None:
    written = a_note("Q?", text, key="q")._replace(language=language)
    (note_type, _) = note_types("d", "D", "", language=language)
    (card,) = card_sides(render_note(Identified(written, "q", EARLIER))[0], note_type)
    page.set_content(Side("q", note_type.css, card.back).page(DESKTOP, night=False))
    found = "(({ fontSynthesisStyle, color }) => [fontSynthesisStyle, color])(getComputedStyle(document.querySelector('em')))"
    assert page.evaluate(found) == looks


def test_lines_before_a_gap_stay_when_it_is_filled(page: Page) -> None:
    text = (
        "The rates of the forward and the reverse reaction are {{c1::exactly equal to each other}} at last."
    )
    written = a_note("", text, kind=Kind.CLOZE, key="q")
    (_, note_type) = note_types("d", "D", "")
    (card,) = card_sides(render_note(Identified(written, "q", EARLIER))[0], note_type)
    page.set_viewport_size({"width": 390, "height": 800})
    found = []
    for side in (card.front, card.back):
        page.set_content(Side("q", note_type.css, side).page(PHONE, night=False))
        found.append(
            page.evaluate(
                """() => { const range = document.createRange(), text = document.querySelector(".cloze").previousSibling;
                range.selectNodeContents(text);
                return [...range.getClientRects()].map(({ left, right }) => [Math.round(left), Math.round(right)]); }"""
            )
        )
    assert found[0] == found[1]


@pytest.mark.parametrize(("language", "hyphens"), [("", "manual"), ("de", "auto")])
def test_on_a_phone_long_words_of_a_known_language_may_have_hyphens(
    page: Page, language: str, hyphens: str
) -> None:
    written = a_note("Was?", "Kapitänsgesellschaft `code`\n\n- eins", sources="- <https://x.org>", key="q")
    (note_type, _) = note_types("d", "D", "", language=language)
    (card,) = card_sides(render_note(Identified(written, "q", EARLIER))[0], note_type)
    page.set_content(Side("q", note_type.css, card.back).page(PHONE, night=False))
    found = {}
    for width in (390, 768):
        page.set_viewport_size({"width": width, "height": 800})
        found[width] = page.evaluate(
            """[".heading", ".answer li", ".answer code", ".sources a"].map((each) =>
            getComputedStyle(document.querySelector(each)).hyphens)"""
        )
    assert found == {390: [hyphens, hyphens, "manual", "manual"], 768: ["manual"] * 4}


def test_a_comma_is_near_to_the_gap_before_it(page: Page) -> None:
    written = a_note("Q?", "A {{c1::scalar}}, and so.", kind=Kind.CLOZE, key="q")
    (_, note_type) = note_types("d", "D", "")
    (card,) = card_sides(render_note(Identified(written, "q", EARLIER))[0], note_type)
    page.set_content(Side("q", note_type.css, card.back).page(DESKTOP, night=False))
    room = page.evaluate(
        """() => { const range = document.createRange(), gap = document.querySelector(".cloze"), comma = gap.nextSibling;
        range.setStart(gap.firstChild, 0); range.setEnd(gap.firstChild, 6);
        const end = range.getBoundingClientRect().right;
        range.setStart(comma, 0); range.setEnd(comma, 1);
        return (range.getBoundingClientRect().left - end) / parseFloat(getComputedStyle(gap).fontSize); }"""
    )
    assert 0 < room < 0.15


def _back_of_first_card(written: Note, key: str = "cloze") -> Side:
    rendered, _ = render_note(Identified(written, "q", EARLIER))
    (note_type,) = (each for each in note_types("d", "D", "") if each.key == key)
    return Side("q", note_type.css, with_math(card_sides(rendered, note_type)[0].back))


@pytest.mark.parametrize("width", [390, 1000])
def test_a_gap_with_words_and_a_formula_flows_in_its_sentence(page: Page, width: int) -> None:
    words = (
        "a solution of a weak acid such as $x$ and its base, which holds the pH when a little acid is added"
    )
    side = _back_of_first_card(
        a_note("", f"A buffer is {{{{c1::{words}}}}} to it.", kind=Kind.CLOZE, key="q")
    )
    page.set_viewport_size({"width": width, "height": 800})
    page.set_content(side.page(DESKTOP, night=False))
    first, *others = page.evaluate(LINES_OF, ".answer p")
    assert first.startswith("A buffer is a solution of")
    assert len(others) > 0


@pytest.mark.parametrize("night", [False, True], ids=["day", "night"])
def test_ground_and_line_of_a_gap_are_as_low_as_a_fraction_in_it(page: Page, night: bool) -> None:
    """The line is below each of two fractions, one alone in its gap, and not across them."""
    gaps = r"A {{c1::$\frac{\bar x}{y}$}}, {{c1::or $\frac{\bar x}{y}$ of it}}, and {{c1::$x$}}."
    side = _back_of_first_card(a_note("Q?", gaps, kind=Kind.CLOZE, key="q"))
    page.set_viewport_size({"width": 1000, "height": 800})
    page.set_content(side.page(DESKTOP, night=night))
    page.add_style_tag(content="math { color: transparent !important }")
    boxes = page.evaluate(
        "[...document.querySelectorAll('math')].map(each => each.getBoundingClientRect()).map(({ left, right, bottom }) => [left, right, bottom])"
    )
    shot = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    blue, ground = ((88, 166, 255), (27, 42, 63)) if night else ((9, 105, 218), (238, 246, 255))
    found = []
    for left, right, bottom in boxes[:2]:
        column = [shot.getpixel((round((left + right) / 2), round(bottom) + n)) for n in range(-8, 2)]
        found.append((column.count(blue), column.count(ground), column[-3] == ground, column[-1] == blue))
    assert found == [(2, 8, True, True)] * 2
