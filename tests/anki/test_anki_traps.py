"""Common problems between Markdown and cards. Each goes through the renderer, a package and the real Anki."""

from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from anki.collection import Collection

from anki_backend import assert_healthy, cards_of, import_package, learner, sides
from handmade import EARLIER, a_note, package
from ptcards.anki.fields import render_note
from ptcards.notes import Identified, Kind, Note

TABLE = "| a | b |\n|---|---|\n| `x\\|y` | <kbd>z</kbd> |"
TRAPS = {
    "dollars": (
        "```bash\necho $HOME $PATH $5\n```\n\nIt costs `$HOME` and $5 or $6.",
        ["echo $HOME $PATH $5"],
    ),
    "comments": (
        "```python\n# a comment\nx = 1  # another\n## two\n```",
        ["# a comment\nx = 1  # another\n## two"],
    ),
    "rules": ("```yaml\n---\na: 1\n---\n```", ["---\na: 1\n---"]),
    "percent": ('```python\nprint("%d %%" % 5)\n%timeit x\n```', ['print("%d %%" % 5)\n%timeit x']),
    "colons": ("```text\n:::\na::b ::: c\n```", [":::\na::b ::: c"]),
    "braces": (
        "```jinja\n{{ name }} {{#if}} {{c1::no cloze}} {{FrontSide}} <% x %>\n```",
        ["{{ name }} {{#if}} {{c1::no cloze}} {{FrontSide}} <% x %>"],
    ),
    "angles": (
        "```cpp\nstd::vector<int> a; // <b>bold</b> &amp; \n```",
        ["std::vector<int> a; // <b>bold</b> &amp; "],
    ),
    "brackets": (
        "```text\n[sound:a.mp3] [$]x[/$] [latex]y[/latex] [[type:Typed]] [anki:play:q:0]\n```",
        ["[sound:a.mp3] [$]x[/$] [latex]y[/latex] [[type:Typed]] [anki:play:q:0]"],
    ),
    "list": ("1. First:\n\n   ```python\n   if x:\n       y()\n   ```\n\n2. Second", ["if x:\n    y()"]),
    "quotes": ("```python\nprint(\"a 'b' & c\", '\\n')\n```", ["print(\"a 'b' & c\", '\\n')"]),
    "mathjax": ('```python\nre.match(r"\\(x\\) \\[y\\]", s)\n```', ['re.match(r"\\(x\\) \\[y\\]", s)']),
    "backslashes": ("```python\np = 'C:\\\\new'  # \\\\\n```", ["p = 'C:\\\\new'  # \\\\"]),
    "tabs": ("```make\nall:\n\techo $@\n```", ["all:\n\techo $@"]),
}
CLOZE_TRAPS = {
    "cloze-braces": ("{{c1::`{'a': {'b': 1}}`}}", "{'a': {'b': 1}}"),
    "cloze-colons": ("{{c1::`std::vector`}}", "std::vector"),
    "cloze-math": ("{{c1::$x_{a_{1}}$}}", "\\(x_{a_{1}}\\)"),
}


class Codes(HTMLParser):
    """Collects the text of each `<pre>`."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.deep = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag == "pre":
            self.deep += 1
            self.found.append("")

    def handle_endtag(self, tag: str) -> None:
        self.deep -= tag == "pre"

    def handle_data(self, data: str) -> None:
        if self.deep:
            self.found[-1] += data


class Texts(HTMLParser):
    """Collects all text."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(data)


def codes(html: str) -> list[str]:
    parser = Codes()
    parser.feed(html)
    return [text.removesuffix("\n") for text in parser.found]


def a_trap(key: str, markdown: str, kind: Kind = Kind.BASIC) -> Note:
    return a_note(f"What about {key}?", markdown, kind=kind, key=key)


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    folder = tmp_path_factory.mktemp("traps")
    notes = [a_trap(key, markdown) for key, (markdown, _) in TRAPS.items()]
    notes += [a_trap(key, markdown, Kind.CLOZE) for key, (markdown, _) in CLOZE_TRAPS.items()]
    notes += [
        a_trap("math", "Both $a_1 * b_2 < c_3$ and\n\n$$\\sum_i x_i * y_i \\\\ z_1$$"),
        a_trap("table", TABLE),
    ]
    rendered = [render_note(Identified(note, note.key, EARLIER)) for note in notes]
    assert [found for _, diagnostics in rendered for found in diagnostics] == []
    with learner(folder / "anki") as opened:
        import_package(opened, package(folder / "a.apkg", [note for note, _ in rendered]))
        assert_healthy(opened)
        yield opened


@pytest.mark.parametrize("key", TRAPS)
def test_code_arrives_as_it_was_written(collection: Collection, key: str) -> None:
    (card,) = cards_of(collection, key)
    assert codes(sides(card)[1]) == TRAPS[key][1]


@pytest.mark.parametrize("key", CLOZE_TRAPS)
def test_a_deletion_ends_where_the_author_ended_it(collection: Collection, key: str) -> None:
    (card,) = cards_of(collection, key)
    front, back = sides(card)
    parser = Texts()
    parser.feed(back.partition("<hr id=answer>")[2].partition('<div class="guid">')[0])
    assert "".join(parser.found).strip() == CLOZE_TRAPS[key][1]
    assert '<span class="cloze"' in front
    assert ">[...]</span>" in front


def test_math_reaches_mathjax_untouched(collection: Collection) -> None:
    (card,) = cards_of(collection, "math")
    parser = Texts()
    parser.feed(sides(card)[1])
    text = "".join(parser.found)
    assert "\\(a_1 * b_2 < c_3\\)" in text
    assert "\\[\\sum_i x_i * y_i \\\\ z_1\\]" in text


def test_a_bar_in_code_does_not_end_a_table_cell(collection: Collection) -> None:
    (card,) = cards_of(collection, "table")
    back = sides(card)[1]
    assert back.count("<td") == 2
    assert ">x|y</code>" in back
    assert "<kbd>z</kbd>" in back


def test_colours_are_classes_and_never_styles(collection: Collection) -> None:
    (card,) = cards_of(collection, "comments")
    back = sides(card)[1]
    assert '<span class="' in back.partition("<pre")[2]
    assert "color" not in back
