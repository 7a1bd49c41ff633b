"""The classic traps again, from a Markdown file through the command line into the real Anki."""

import html
import re
from collections.abc import Callable
from pathlib import Path

from anki_backend import assert_healthy, import_package, learner, notes_by_guid, sides
from conftest import Ran

CODE = (
    'echo "$HOME" $PATH',
    "# a comment",
    "---",
    "print('%s %d' % (a, b))",
    "::: warning",
    "{{ jinja }} {{c1::no deletion}} {% if x %}",
    "<b>bold</b> List<int> a && b < c",
    "x = \"double\" + 'single' & y",
    "[sound:no.mp3] [$]x[/$] [[type:Typed]] [latex]x[/latex]",
    r"r'\(x\)' + r'\[y\]'",
)
TEXT = {
    "Let $a_1<b_2$ and *so* on: $$x_i * y_j$$ costs $5 or $6.": r"Let \(a_1<b_2\) and so on: \[x_i * y_j\] costs $5 or $6.",
    "\"a\" & 'b' &amp; &lt;c&gt; R&D": "\"a\" & 'b' & <c> R&D",
    "Above\n\n---\n\nbelow %s ::: {{ x }}": "Above\n\nbelow %s ::: {{ x }}",
    "1. First\n\n   ```text\n   x | y\n   ```\n\n2. Second": "First\nx | y\n\nSecond",
}


def _text(markup: str) -> str:
    """Return the visible text of HTML, without repeated empty lines."""
    lines = html.unescape(re.sub(r"<[^>]*>", "", markup)).strip()
    return re.sub(r"\n{2,}", "\n\n", lines)


def test_what_an_author_writes_is_what_a_learner_reads(
    ptcards: Callable[..., Ran], write: Callable[[dict[str, str | bytes]], Path], tmp_path: Path
) -> None:
    expected = {f"```text\n{code}\n```": code for code in CODE}
    expected |= {f"Use `{code}`.": f"Use {code}." for code in CODE}
    expected |= TEXT
    notes = "".join(
        f"## Question {n}?\n<!-- card: id=q{n} -->\n\n{markdown}\n\n" for n, markdown in enumerate(expected)
    )
    root = write({"deck.toml": 'name = "Traps"\nid = "traps"\n', "traps.md": notes})
    assert ptcards("build", root, "-o", root / "out", "-q") == Ran(0, "", "")
    with learner(tmp_path / "anki") as collection:
        assert import_package(collection, root / "out" / "traps.apkg") == {"new": len(expected)}
        assert_healthy(collection)
        in_anki = sorted(notes_by_guid(collection).values(), key=lambda note: note.id)
        answers = [re.split(r"<hr id=\"?answer\"?>", sides(note.cards()[0])[1])[1] for note in in_anki]
    answers = [re.sub(r'<(\w+) class="guid".*?</\1>', "", answer, flags=re.DOTALL) for answer in answers]
    assert [_text(answer) for answer in answers] == list(expected.values())
