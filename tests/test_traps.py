"""What other tools get wrong: the classic traps, from Markdown through the command line into the real Anki."""

import html
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from anki_backend import Collection, assert_healthy, import_package, learner, notes_by_guid, sides
from conftest import Ran

Run = Callable[..., Ran]
Write = Callable[[dict[str, str | bytes]], Path]

TOML = 'name = "Traps"\nid = "traps"\n'


@pytest.fixture
def answer(ptcards: Run, write: Write, tmp_path: Path) -> Callable[[str], str]:
    """Build one note with this Markdown as its answer, import it, and give the back of its first card, below the line."""

    def build(markdown: str) -> str:
        root = write({"deck.toml": TOML, "a.md": f"## Q?\n\n{markdown}\n"})
        assert ptcards("build", root, "-o", root / "out", "-q") == Ran(0, "", "")
        with learner(tmp_path / "anki") as collection:
            assert import_package(collection, root / "out" / "traps.apkg") == {"new": 1}
            assert_healthy(collection)
            return _back(collection).split("answer>", 1)[1]

    return build


def _back(collection: Collection) -> str:
    (note,) = notes_by_guid(collection).values()
    return sides(note.cards()[0])[1]


def _text(markup: str) -> str:
    """Give what a reader sees of HTML, without the GUID."""
    markup = re.sub(r'<(\w+) class="guid".*?</\1>', "", markup, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]*>", "", markup)).strip()


CODE = [
    'echo "$HOME" $PATH',
    "# a comment\nx = 1  # another",
    "---\nkey: value\n---",
    "print('%s %d' % (a, b))",
    "::: warning\n:::",
    "{{ jinja }} {{c1::no deletion}} {% if x %}",
    "<b>bold</b> List<int> a && b < c",
    "x = \"double\" + 'single' & y",
    "[sound:no.mp3] [$]x[/$] [[type:Typed]] [latex]x[/latex]",
    r"r'\(x\)' + r'\[y\]'",
]


@pytest.mark.parametrize("code", CODE)
def test_code_reaches_the_card_as_it_was_written(code: str, answer: Callable[[str], str]) -> None:
    assert _text(answer(f"```text\n{code}\n```")) == code


@pytest.mark.parametrize("code", [line for line in CODE if "\n" not in line])
def test_inline_code_too(code: str, answer: Callable[[str], str]) -> None:
    assert _text(answer(f"Use `{code}`.")) == f"Use {code}."


def test_highlighted_code_keeps_its_text_and_has_classes_for_colours(answer: Callable[[str], str]) -> None:
    back = answer('```python\nprint("$HOME")  # {{c1::x}}\n```')
    assert _text(back) == 'print("$HOME")  # {{c1::x}}'
    assert re.search(r'<span class="[a-z0-9]+">print</span>', back)
    assert 'style="color' not in back


def test_math_with_underscores_and_less_than_is_left_to_mathjax(answer: Callable[[str], str]) -> None:
    back = answer("Let $a_1<b_2$ and *so* on: $$x_i * y_j$$ costs $5 or $6.")
    assert _text(back) == r"Let \(a_1<b_2\) and so on: \[x_i * y_j\] costs $5 or $6."
    assert r"\(a_1&lt;b_2\)" in back


def test_code_in_a_numbered_list_stays_in_the_list(answer: Callable[[str], str]) -> None:
    back = answer("1. First\n\n   ```text\n   x\n   ```\n\n2. Second")
    assert re.sub(r"<pre.*?</pre>", "CODE", back, flags=re.DOTALL).count("<ol") == 1
    assert back.index("<pre") < back.index("Second")


def test_a_pipe_in_code_in_a_table_is_one_cell(answer: Callable[[str], str]) -> None:
    back = answer("| a | b |\n|---|---|\n| `x\\|y` | 2 |")
    assert re.findall(r"<td[^>]*>(.*?)</td>", back) == ["<code>x|y</code>", "2"]


def test_quotes_and_ampersands_stay(answer: Callable[[str], str]) -> None:
    assert _text(answer("\"a\" & 'b' &amp; &lt;c&gt; R&D")) == "\"a\" & 'b' & <c> R&D"


def test_a_rule_inside_an_answer_ends_nothing(answer: Callable[[str], str]) -> None:
    assert _text(answer("Above\n\n---\n\nbelow %s ::: {{ x }}")).split() == [
        "Above",
        "below",
        "%s",
        ":::",
        "{{",
        "x",
        "}}",
    ]
