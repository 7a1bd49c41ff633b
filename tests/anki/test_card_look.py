"""Cards of every kind in the pages of Anki's apps do not scroll sideways, and everything is readable."""

import base64
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from card_pages import HOSTS, LOW_CONTRAST, PICTURES_SHOWN, Host, Side, faults, page, sides_of
from handmade import EARLIER, a_note, choice, media_file
from ptcards.anki.built_in_notetypes import note_types
from ptcards.anki.cards import card_sides
from ptcards.anki.fields import render_note
from ptcards.notes import Identified, Kind, Note
from ptcards.notes.rendered import RenderedNote

from playwright.sync_api import Page  # isort: skip - after `card_pages`, which skips the tests if Chromium is missing

__all__ = ["page"]

pytestmark = pytest.mark.browser

CODE = '''```python title="train.py" hl_lines="3"
import torch
def train(model: torch.nn.Module, batches, optimizer, scheduler=None, *, clip: float = 1.0) -> list[float]:
    """Train for an epoch."""
    for inputs, targets in batches:  # each of shape (batch, channels, height, width)
        optimizer.zero_grad(set_to_none=True)
        loss = torch.nn.functional.cross_entropy(model(inputs), targets, label_smoothing=0.1)
    return [f"{loss.item():.3f}", b"\\x00", 1e-3, None, True, lambda x: x ** 2]
```

```output
tensor([[0.1234, 0.5678, 0.9012, 0.3456, 0.7890, 0.1234, 0.5678, 0.9012]])
```

```console
$ pip install --upgrade torch  # a comment
```

```yaml
optimizer: {name: adamw, lr: 3e-4}
```

```diff
- old
+ new
```
'''
PROSE = (
    """Some *emphasis*, **strong**, ~~gone~~, `inline_code(with, arguments)`, <kbd>Ctrl</kbd>, a
[link](https://pytorch.org) and `a_very_long_identifier_that_never_ends_and_has_no_place_to_break_at_all_really`.

"""
    + "Pneumono" * 12
    + """

1. one
2. two
   - nested

> a quote

> [!NOTE]
> Know this.

> [!TIP]
> Do this.

> [!IMPORTANT]
> Mind this.

> [!WARNING]
> Not this.

> [!CAUTION]
> Never this.

| operation | in place | allocates | keeps the graph | and a column more |
|---|:-:|---|--:|---|
| `torch.add(a, b)` | no | yes, a new tensor of the broadcast shape | yes | `https://docs.pytorch.org/docs/stable/generated/torch.add.html` |

- [x] done
- [ ] to do

A footnote[^1].

[^1]: At the end.

---

#### A small heading

<details><summary>More</summary>Folded.</details>

"""
)


def notes(folder: Path) -> list[Note]:
    wide = (
        b'<svg xmlns="http://www.w3.org/2000/svg" width="2400" height="300"><path d="M0 0h2400v300z"/></svg>'
    )
    plan = media_file(folder / "plan.svg", wide)
    tall = media_file(
        folder / "tall.svg", b'<svg xmlns="http://www.w3.org/2000/svg" width="90" height="9000"/>'
    )
    twins = [
        media_file(folder / name, b'<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="9"/>' % width)
        for name, width in (("plot.svg", 10), ("plot.dark.svg", 20))
    ]
    header, rule, row = "".join(f"| column {n} " for n in range(30)), "|---" * 30, "| `torch.float32` " * 30
    options = (
        choice("`loss.backward()`", "It adds to them.\n\nAlways."),
        choice("Setting every gradient to nothing with `optimizer.zero_grad(set_to_none=True)`", right=True),
        choice("A block\n\n" + CODE),
    )
    return [
        a_note(
            "What does this long question ask, with `torch.nn.functional.scaled_dot_product_attention` in it?",
            PROSE + CODE,
            question=CODE,
            hint="Think of `backward()`.\n\n" + CODE,
            details=PROSE,
            sources="- <https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html>",
            difficulty="medium",
            key="basic",
            deck="PyTorch::A topic with a name that is rather long for a chip on a small phone",
        ),
        a_note(
            "Donau­dampf­schiff" + "fahrts" * 40,
            "A" * 200 + "\n\n![tall](tall.svg)\n\n" + "\n".join((header, rule, *[row] * 40)),
            question=("Is this a question of two hundred characters, as some have it? " * 4)[:200],
            key="huge",
            media=(tall,),
        ),
        a_note(
            "Media",
            "![The plan](plan.svg)",
            kind=Kind.REVERSED,
            difficulty="easy",
            key="reversed",
            media=(plan,),
        ),
        a_note(
            "Which method moves a tensor?",
            "It copies when it must.",
            kind=Kind.TYPED,
            typed="tensor.to(device)" * 4,
            difficulty="hard",
            key="typed",
        ),
        a_note(
            "Which?", "They accumulate.", kind=Kind.CHOICE, choices=options, key="choice", difficulty="easy"
        ),
        a_note(
            "Cloze",
            "The {{c1::computational graph::a structure}} is walked in {{c1::`reverse`}}, by `{{c2::backward()}}`.",
            kind=Kind.CLOZE,
            key="cloze",
        ),
        a_note(
            "What does this print?",
            "```output\nTrue\n```\n\nIt is.",
            question="```python\nprint(1 == 1)\n```",
            key="prediction",
        ),
        a_note("What does it look like?", "![a plot](plot.svg)", media=(*twins,), key="twins"),
        a_note(
            "لماذا يعمل التقييم تحت `torch.no_grad()`؟",
            "لأنه *يوفر* الذاكرة.\n\n- واحد\n- اثنان\n\n" + CODE,
            key="arabic",
        ),
    ]


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> list[Side]:
    folder = tmp_path_factory.mktemp("cards")
    rendered = [render_note(Identified(note, note.key, EARLIER)) for note in notes(folder)]
    assert [found for _, diagnostics in rendered for found in diagnostics] == []
    return sides_of([note for note, _ in rendered], folder, typed="tensor.too(devise)")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("night", [False, True], ids=["day", "night"])
@pytest.mark.parametrize("host", HOSTS, ids=[host.name for host in HOSTS])
def test_every_card_can_be_read_and_never_scrolls_the_page_sideways(
    page: Page, cards: list[Side], host: Host, night: bool
) -> None:
    assert faults(page, cards, host, night=night) == []


def test_a_fault_would_be_found(page: Page) -> None:
    """Both checks detect the faults that they look for."""
    side = Side("bad", "", '<p style="color: #777">grey</p><div style="width: 3000px">wide</div>')
    page.set_viewport_size({"width": 360, "height": 700})
    page.set_content(side.page(HOSTS[0], night=False))
    assert page.evaluate("document.documentElement.scrollWidth") > 3000
    assert page.evaluate(LOW_CONTRAST) == ['<p style="color: #777">grey</p> 4.11']


def test_pictures_lie_on_a_light_ground_at_night(page: Page, cards: list[Side]) -> None:
    side = next(side for side in cards if side.name == "reversed-0-back")
    for host in HOSTS:
        page.set_content(side.page(host, night=True))
        ground = page.evaluate("getComputedStyle(document.querySelector('img')).backgroundColor")
        assert ground == "rgb(255, 255, 255)", host.name


@pytest.mark.parametrize("night", [False, True], ids=["day", "night"])
@pytest.mark.parametrize("host", HOSTS, ids=[host.name for host in HOSTS])
def test_of_a_picture_and_its_dark_twin_one_is_shown(
    page: Page, cards: list[Side], host: Host, night: bool
) -> None:
    side = next(side for side in cards if side.name == "twins-0-back")
    page.set_content(side.page(host, night=night))
    assert page.evaluate(PICTURES_SHOWN) == ["a plot 20" if night else "a plot 10"]


def test_a_dark_twin_lies_on_the_card_itself(page: Page, cards: list[Side]) -> None:
    side = next(side for side in cards if side.name == "twins-0-back")
    page.set_content(side.page(HOSTS[0], night=True))
    ground = page.evaluate("getComputedStyle(document.querySelector('.night-only')).backgroundColor")
    assert ground == "rgba(0, 0, 0, 0)"


def test_right_to_left_text_begins_on_the_right_and_code_on_the_left(page: Page, cards: list[Side]) -> None:
    side = next(side for side in cards if side.name == "arabic-0-back")
    page.set_content(side.page(HOSTS[0], night=False))
    directions = page.evaluate(
        """[".question", ".answer", ".answer pre"].map(name => getComputedStyle(document.querySelector(name)).direction)"""
    )
    assert directions == ["rtl", "rtl", "ltr"]


def test_text_grows_with_the_window_and_code_is_as_wide_as_text(page: Page, cards: list[Side]) -> None:
    side = next(side for side in cards if side.name == "basic-0-back")
    sizes = []
    for width in (390, 1000, 1800):
        page.set_viewport_size({"width": width, "height": 800})
        page.set_content(side.page(HOSTS[0], night=False))
        sizes.append(page.evaluate("getComputedStyle(document.querySelector('.answer')).fontSize"))
    assert sizes == ["16px", "18px", "18px"]
    widths = page.evaluate(
        """[".answer > p:not(:first-child)", ".answer > figure"].map(name =>
        document.querySelector(name).getBoundingClientRect().width / 18)"""
    )
    assert widths == [42, 42]


@pytest.mark.parametrize("width", [360, 390, 768])
def test_code_and_output_have_the_edges_of_text_at_every_width(
    page: Page, cards: list[Side], width: int
) -> None:
    side = next(side for side in cards if side.name == "prediction-0-back")
    page.set_viewport_size({"width": width, "height": 800})
    page.set_content(side.page(next(host for host in HOSTS if host.name == "ankimobile"), night=False))
    heading, code, output = page.evaluate(
        """[".heading", ".question > pre.code", ".answer > pre.output"].map(name => {
        const { left, right } = document.querySelector(name).getBoundingClientRect(); return [left, right]; })"""
    )
    assert (code, output) == (heading, heading)


def test_on_a_phone_code_has_no_label_and_that_of_output_is_inside_its_box(
    page: Page, cards: list[Side]
) -> None:
    side = next(side for side in cards if side.name == "prediction-0-back")
    page.set_viewport_size({"width": 390, "height": 800})
    page.set_content(side.page(next(host for host in HOSTS if host.name == "ankimobile"), night=False))
    code, output, height = page.evaluate(
        """() => {
        const [code, output] = ["pre.code", "pre.output"].map(name => document.querySelector(name));
        const [{ display }, { float, position }] = [code, output].map(each => getComputedStyle(each, "::before"));
        return [display, [float, position],
            output.clientHeight / output.querySelector(".ln").getBoundingClientRect().height]; }"""
    )
    assert (code, output) == ("none", ["right", "static"])
    assert height < 2


def test_the_output_of_a_prediction_outweighs_its_question(page: Page, cards: list[Side]) -> None:
    side = next(side for side in cards if side.name == "prediction-0-back")
    page.set_content(side.page(HOSTS[0], night=False))
    ground, heading, text = page.evaluate(
        """[[".answer > pre.output", "backgroundColor"], [".heading", "color"], [".answer > p", "color"]].map(
        ([name, what]) => getComputedStyle(document.querySelector(name))[what])"""
    )
    assert (ground, heading, text) == ("rgb(235, 250, 239)", "rgb(66, 74, 83)", "rgb(31, 35, 40)")


def test_a_question_alone_is_larger_than_one_with_a_box_and_begins_where_it_does(
    page: Page, cards: list[Side]
) -> None:
    """On the back, it is smaller, but as bold."""
    page.set_viewport_size({"width": 390, "height": 800})
    found = {}
    for name in ("twins-0-front", "twins-0-back", "typed-0-front", "arabic-0-front"):
        page.set_content(next(side for side in cards if side.name == name).page(HOSTS[0], night=False))
        found[name] = page.evaluate(
            """() => { const heading = document.querySelector(".heading");
            const { fontSize, fontWeight } = getComputedStyle(heading);
            return [fontSize, fontWeight, Math.floor(heading.getBoundingClientRect().top)]; }"""
        )
    assert found == {
        "twins-0-front": ["22.4px", "600", 44],
        "twins-0-back": ["16px", "600", 44],
        "typed-0-front": ["18.4px", "600", 44],
        "arabic-0-front": ["22.4px", "600", 44],
    }


def test_an_authors_size_of_headings_counts_on_every_card(page: Page, cards: list[Side]) -> None:
    side = next(side for side in cards if side.name == "twins-0-front")
    own = "<style>.ptc .heading { font-size: 30px }</style>"
    page.set_content(side.page(HOSTS[0], night=False) + own)
    assert page.evaluate("getComputedStyle(document.querySelector('.heading')).fontSize") == "30px"


@pytest.mark.parametrize("lines", [1, 2], ids=["fits", "wraps"])
def test_an_arrow_marks_each_row_of_a_wrapped_line_of_code(page: Page, lines: int) -> None:
    code = f'```python hl_lines="1"\nif x:\n    y = f({"a_long_name, " * (lines * lines)}b)\n```\n'
    rendered, _ = render_note(Identified(a_note("Q?", code), "g", EARLIER))
    answer = rendered.fields[1]
    css = note_types("id", "name", "")[0].css
    page.set_viewport_size({"width": 390, "height": 800})
    page.set_content(
        f'<style>{css}</style><body class="card"><div class="ptc back"><div class="answer">{answer}</div></div>'
    )
    rows = page.evaluate(
        """[...document.querySelectorAll(".ln")].map(line => {
        const arrow = getComputedStyle(line, "::before"), row = parseFloat(getComputedStyle(line).lineHeight);
        return [line.getBoundingClientRect().height / row, parseFloat(arrow.height) / row].map(each => Math.round(each)); })"""
    )
    assert rows == [[1, 0], [lines, lines - 1]]


@pytest.mark.parametrize(
    ("app", "said"),
    [
        ("{ imageOcclusion: { setup() {} } }", []),
        ("{}", ["Dein Anki ist zu alt, um Teile dieses Bildes zu verdecken. Bitte aktualisiere es."]),
    ],
    ids=["now", "old"],
)
def test_an_anki_that_cannot_hide_parts_of_a_picture_says_so(page: Page, app: str, said: list[str]) -> None:
    pictures = note_types("deck", "Deck", "", language="de", occlusions=True)[-1]
    page.set_content(f"<script>anki = {app}</script>{pictures.templates[0].front}")
    assert page.locator("#err:visible").all_inner_texts() == said


OCCLUSION_CSS = """#image-occlusion-container { position: relative; margin: 0 auto; max-height: calc(95vh - 40px) }
#image-occlusion-container img { position: absolute; top: 0; left: 0; width: 100%; height: 100%; max-width: unset; max-height: unset }
#image-occlusion-canvas { position: absolute; top: 0; left: 0; width: 100%; height: 100% }
button { margin: 1em .5em }"""
"""What Anki's own pages say about a picture with boxes."""
BOXES_OF: Any = """async () => {
  const [around, img] = ["container", "container img"].map(each => document.querySelector(`#image-occlusion-${each}`));
  await img.decode();
  around.style.aspectRatio = img.naturalWidth / img.naturalHeight;
  const box = each => (({ left, top, width, height }) => [left, top, width, height].map(Math.round))(each.getBoundingClientRect());
  const toggle = document.querySelector("#toggle");
  const above = toggle ? toggle.getBoundingClientRect().bottom < document.querySelector(".heading").getBoundingClientRect().top : true;
  return [box(img), box(document.querySelector("canvas")), above, document.documentElement.scrollHeight - innerHeight]; }"""


@pytest.mark.parametrize("night", [False, True], ids=["day", "night"])
@pytest.mark.parametrize(
    ("window", "size", "shown"),
    [
        ((900, 560), (500, 300), (500, 300)),
        ((390, 700), (500, 300), (358, 215)),
        ((900, 560), (300, 2000), (60, 403)),
    ],
    ids=["desktop", "phone", "tall"],
)
def test_a_picture_with_boxes_keeps_its_size_and_its_place_on_both_sides(
    page: Page, window: tuple[int, int], size: tuple[int, int], shown: tuple[int, int], night: bool
) -> None:
    """Below it, there is no button to which the back would scroll."""
    drawing = f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}"/>'
    picture = f"data:image/svg+xml;base64,{base64.b64encode(drawing.encode()).decode()}"
    values = {
        "Question": '<p class="heading">What is the name of this part of a cell of an animal?</p>',
        "Occlusion": "{{c1::image-occlusion:rect:left=.1:top=.2:width=.3:height=.4:oi=1}}",
        "Image": f'<img src="{picture}" alt="">',
        "Difficulty": "hard",
    }
    pictures = note_types("deck", "Deck", "", occlusions=True)[-1]
    fields = tuple(values.get(each.name, "") for each in pictures.fields)
    (card,) = card_sides(RenderedNote("g", 1, "Deck::Cells", "occlusion", fields, (), ()), pictures)
    page.set_viewport_size({"width": window[0], "height": window[1]})
    host = replace(HOSTS[0], css=HOSTS[0].css + OCCLUSION_CSS)
    found = []
    for html in (card.front, card.back):
        page.set_content(Side("o", pictures.css, html).page(host, night=night))
        page.evaluate("document.querySelector('#err').hidden = true")
        found.append(page.evaluate(BOXES_OF))
    (img, canvas, is_above, overflow), back = found
    assert back == found[0]
    assert (tuple(img[2:]), canvas, is_above, overflow) == (shown, img, True, 0)
