"""`ptcards draw` with the real programs, those on PATH: sixty diagrams, of which ten are hostile.

It is run by hand, because the programs are large. d2 and vl2svg start slowly where they run in JavaScript.
"""

import re
from collections.abc import Callable
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest

from conftest import Ran
from ptcards.extensions.drawing import tools
from ptcards.files.programs import find_program
from ptcards.markdown.blocks import scan
from ptcards.markdown.fences import alt_of, drawing_of
from ptcards.source.code_blocks import fences_in

pytestmark = pytest.mark.desktop

Ptcards = Callable[..., Ran]
DIAGRAMS = Path(__file__).parent / "diagrams"
PATIENT = 300
COLOURED = (
    "digraph { a [style=filled]",
    "digraph { a [color=red",
    "a: { style.fill",
    "#text(fill: red)",
    "firebrick",
)


def _fixtures(name: str) -> list[tuple[str, str, str]]:
    """Return the place of each diagram in a file, the name of its picture, and its description."""
    fences = fences_in(scan((DIAGRAMS / name).read_text("utf-8")))
    return [
        (f"{name}:{each.start + 1}", drawing_of(each).rpartition("/")[2], alt_of(each)) for each in fences
    ]


def _draw(ptcards: Ptcards, folder: Path, name: str) -> Ran:
    (folder / "deck.toml").write_text('name = "D"\nid = "d"\n')
    (folder / name).write_bytes((DIAGRAMS / name).read_bytes())
    return ptcards("draw", folder / name)


@pytest.mark.parametrize("language", tools.TOOLS)
def test_ten_diagrams_of_each_language_are_drawn_by_day_and_at_night_unless_they_have_colours(
    language: str, ptcards: Ptcards, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tools.TOOLS[language].program
    if not find_program(program):
        pytest.skip(f"`{program}` is not on PATH")
    monkeypatch.setattr(tools, "SECONDS", PATIENT)
    ran = _draw(ptcards, tmp_path, f"{language}.md")
    assert (ran.status, ran.err.count("\ndrew ") + ran.err.startswith("drew ")) == (0, 10)
    fixtures = _fixtures(f"{language}.md")
    text = (DIAGRAMS / f"{language}.md").read_text("utf-8")
    day = {name for _, name, _ in fixtures}
    found = {file.name: fromstring(file.read_text("utf-8")) for file in (tmp_path / "img/drawn").iterdir()}
    assert day <= found.keys()
    assert len(found) == 20 - sum(text.count(each) for each in COLOURED)
    sizes = [float(re.sub("[a-z]+", "", root.get("width", ""))) for root in found.values()]
    assert all(5 < size < 2000 for size in sizes)


def test_ten_hostile_diagrams_are_drawn_without_what_is_hostile_or_refused_at_their_place(
    ptcards: Ptcards, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = [tool.program for tool in tools.TOOLS.values() if not find_program(tool.program)]
    if missing:
        pytest.skip(f"not on PATH: {', '.join(missing)}")
    monkeypatch.setattr(tools, "SECONDS", PATIENT)
    ran = _draw(ptcards, tmp_path, "hostile.md")
    fixtures = _fixtures("hostile.md")
    assert len(fixtures) == 10
    for place, name, expected in fixtures:
        if expected == "drawn":
            drawing = (tmp_path / "img/drawn" / name).read_text("utf-8")
            assert (
                re.findall("(?i)script:|foreignObject|onerror|example[.]org/|@import|<script", drawing) == []
            )
        else:
            assert re.search(rf"^{place}:1: error\[{expected}", ran.err.replace("`", ""), re.MULTILINE), place
