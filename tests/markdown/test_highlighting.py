"""Code blocks: readable colours, lines, languages, limits."""

import re
from importlib.resources import files

import pytest
from pygments.style import Style
from pygments.token import STANDARD_TYPES, Token

from colours import contrast
from ptcards.diagnostics import Diagnostic, Location, warning
from ptcards.markdown.code import meant_language, token_class
from ptcards.markdown.render import render
from ptcards.markdown.render_inlines import Cloze
from ptcards.markdown.styles import MARKER, Day, Night, token_css
from ptcards.notes import Text

CODE_CSS = (files("ptcards.anki") / "code.css").read_text("utf-8")
DAY = ("#f6f8fa", "#ffffff", "#f8ecc6")
NIGHT = ("#282c31", "#1e1e1e", "#2c2c2c", "#282c31", "#000000", "#362f20")
"""The backgrounds of code: its own, the card's, the apps', and lines marked with `hl_lines`."""


def rendered(markdown: str) -> tuple[str, list[Diagnostic]]:
    return render(Text(markdown, "f.md"), names={}, prefix="p")


@pytest.mark.parametrize(("style", "pages"), [(Day, DAY), (Night, NIGHT)], ids=["day", "night"])
def test_every_token_can_be_read(style: type[Style], pages: tuple[str, ...]) -> None:
    faint = {
        (STANDARD_TYPES[kind], page, round(contrast(f"#{style.style_for_token(kind)['color']}", page), 2))
        for kind in STANDARD_TYPES
        for page in pages
    }
    assert {each for each in faint if each[2] < 4.5} == set()


def test_the_pages_of_the_test_are_those_of_the_style_sheet() -> None:
    grounds = re.findall(r"--ptc-code-page: (#\w+);", CODE_CSS)
    marks = re.findall(r"--ptc-code-marked: rgb\((\d+) (\d+) (\d+) / (\d+)%\);", CODE_CSS)
    marked = []
    for ground, (*colour, alpha) in zip(grounds, marks, strict=True):
        pairs = zip(bytes.fromhex(ground[1:]), map(int, colour), strict=True)
        shares = [(below * (100 - int(alpha)) + above * int(alpha)) / 100 for below, above in pairs]
        marked.append("#" + bytes(map(round, shares)).hex())
    assert [*grounds, *marked] == [DAY[0], NIGHT[0], DAY[2], NIGHT[5]]


def test_the_style_sheet_has_the_colours_of_the_styles() -> None:
    """If this fails after a change of colours, run `python -m ptcards.markdown.styles`."""
    assert CODE_CSS.partition(MARKER)[2] == "\n" + token_css()


def test_every_class_that_a_token_can_have_is_in_the_style_sheet() -> None:
    used = {token_class(kind) for kind in STANDARD_TYPES} - {""}
    assert used == set(re.findall(r"\.(\w+)", "".join(re.findall(r"pre\.code (.*) \{", token_css()))))
    assert token_class(Token.Name.Function.Unheard.Of) == "nf"


def test_day_and_night_colour_the_same_tokens() -> None:
    def coloured(style: type[Style]) -> set[str]:
        plain = style.style_for_token(Token)["color"]
        return {
            name for kind, name in STANDARD_TYPES.items() if style.style_for_token(kind)["color"] != plain
        }

    assert coloured(Day) == coloured(Night)


def test_code_is_kept_to_the_letter() -> None:
    source = '\n\n  def f(x):\t# a\n\n\n    return """<b>\n  &amp;"""\n  '
    html, _ = rendered(f"```python\n{source}\n```")
    shown = re.sub(r"<[^>]+>", "", html).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    assert shown == source + "\n"


@pytest.mark.parametrize("language", ["python", "text"])
def test_blank_lines_at_the_end_of_code_stay_and_change_no_colours(language: str) -> None:
    short, _ = rendered(f"```{language}\nx = 1\n```")
    long, _ = rendered(f"```{language}\nx = 1\n\n\n```")
    blank = '<span class="ln">\n</span>'
    assert long == short.replace("</code>", f"{blank}{blank}</code>")


def test_each_line_is_an_element_that_knows_its_indentation() -> None:
    html, _ = rendered("```python\nif x:\n\ty = '''\n      z'''\n```")
    assert re.findall(r'<span class="ln"(?: style="--i:(\d+)")?>', html) == ["", "4", "6"]
    assert html.count("\n</span>") == 3


def test_a_long_line_may_break_between_names_and_nowhere_else() -> None:
    line = "    loss = torch.nn.functional.cross_entropy(model(x), y, weight=w[0], label_smoothing=0.1)  # e.g. a=b"
    html, _ = rendered(f"```python\n{line}\nx = torch.add(a)\n```")
    parts = re.sub(r"<(?!wbr)[^>]*>", "", html).split("\n")[0].split("<wbr>")
    assert parts == [
        "    loss = torch", ".nn", ".functional", ".cross_entropy(", "model(x), y, weight=w[0], label_smoothing=0.1)  # e.g. a=b",
    ]  # fmt: skip
    assert "".join(parts) == line


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ('state["t"] = torch.zeros(size, 3 * dim, dtype=torch.bool)', 'state["t"] = torch.zeros(|size, 3 * dim, dtype=torch.bool)'),
        ("x = self.qkv(x).view(B, T, 3, H, C // H).unbind(0)", "x = self.qkv(x)|.view(|B, T, 3, H, C // H)|.unbind(0)"),
        ("mean = images.mean((2, 3), keepdim=True)[0, -1]", "mean = images.mean(⟦(2, 3)⟧, keepdim=True)⟦[0, -1]⟧"),
        ("names = f(g(x)(y)) or {'a': 1} or [[1, 2], [3]]", "names = f(g(x)(y)) or ⟦{'a': 1}⟧ or [⟦[1, 2]⟧, [3]]"),
        ("a = optimizer.state_dict()['param_groups'][0]['lr']", "a = optimizer.state_dict()[|'param_groups'][0]['lr']"),
    ],
)  # fmt: skip
def test_a_short_bracket_stays_together_and_a_chain_breaks_before_its_dots(line: str, shown: str) -> None:
    html, _ = rendered(f"```python\n{line}\n```")
    marked = re.sub(r'<span class="unit">((?:<span[^>]*>[^<]*</span>|[^<])*)</span>', r"⟦\1⟧", html)
    assert re.sub(r"<[^>]*>", "", marked.replace("<wbr>", "|")).replace("&#x27;", "'").strip() == shown


def test_a_deletion_in_a_short_bracket_is_complete() -> None:
    line = "result = torch.add({{c1::(1, 2)}}, other_input_of_the_layer, ({{c2::3, 4}}))"
    text = Text(f"```python\n{line}\n```", "f.md")
    html, _ = render(text, names={}, prefix="p", cloze=Cloze.CODE)
    one, other = re.findall(r"\{\{(c\d::.*?)\}\}", html)
    assert (one[:23], one[-15:]) == ('c1::<span class="unit">', "</span>)</span>")
    assert re.sub("<[^>]*>", "", other) == "c2::3, 4"


def test_a_short_line_has_no_places_to_break() -> None:
    html, _ = rendered("```python\nx = torch.add(a, b=c[d])\n```")
    assert "<wbr>" not in html


@pytest.mark.parametrize(
    "text", ["(" * 40, "a == b, " * 6, "f() " * 10, "x = [[1, 2]] " * 3, "1.5 " * 10, "a ... " * 8]
)
def test_no_line_breaks_where_that_would_part_what_belongs_together(text: str) -> None:
    html, _ = rendered(f"```text\n{text}\n```")
    parts = re.sub(r"<(?!wbr)[^>]*>", "", html).strip().split("<wbr>")
    assert [part for part in parts[1:] if part[0] in ")]},= "] == []


def test_an_unknown_language_is_plain_with_a_suggestion() -> None:
    html, found = rendered("text\n\n```pyton\nx = 1\n```")
    assert found == [
        warning(
            Location("f.md", 3, 1),
            "unknown-language",
            "no colours for the language `pyton`",
            "did you mean `python`?",
            8,
        )
    ]
    assert 'data-lang="pyton"><code><span class="ln">x = 1' in html


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("pyton", "python"),
        ("typscript", "typescript"),
        ("haskel", "haskell"),
        ("consol", "console"),
        ("pycon", None),
        ("jsonl", None),
        ("gradle", None),
    ],
)
def test_of_equally_near_languages_the_one_that_people_write_is_meant(
    written: str, meant: str | None
) -> None:
    assert meant_language(written) == meant
    [*found] = rendered(f"```{written}\nx\n```")[1]
    assert not meant or [each.help for each in found] == [f"did you mean `{meant}`?"]


@pytest.mark.parametrize(
    ("language", "label"),
    [
        ("py", "python"),
        ("python3", "python"),
        ("Python", "python"),
        ("sh", "bash"),
        ("output", "output"),
        ("text", None),
        ("", None),
        ("mermaid", "mermaid"),
    ],
)
def test_the_label_is_the_languages_usual_name(language: str, label: str | None) -> None:
    html, found = rendered(f"```{language}\nx\n```")
    assert (re.findall('data-lang="(.*?)"', html), found) == ([label] if label else [], [])


def test_code_that_takes_too_long_to_colour_is_plain_with_a_warning() -> None:
    """Pygments needs time quadratic in this text's length, far more than its limit."""
    html, found = rendered("```csharp\n" + "a\n" * 10_000 + "```")
    assert [(each.rule, each.location) for each in found] == [("code-too-slow", Location("f.md", 1, 1))]
    assert html.count('<span class="ln">a\n</span>') == 10_000


def test_run_words_are_not_shown() -> None:
    html, found = rendered('```python no-run="needs a GPU" raises=ValueError\nx\n```')
    assert (html, found) == (
        '<pre class="code" data-lang="python"><code><span class="ln">x\n</span></code></pre>',
        [],
    )
