"""Draws how ptcards works, for docs/how-it-works.md: wide and for phones, by day and at night."""

from pathlib import Path
from typing import NamedTuple

IMAGES = Path(__file__).parent.parent / "docs" / "img"
TITLE = "ptcards build makes a package of your text and deck.lock, which learners import or follow"
DAY = {"ink": "#0b2447", "text": "#424a53", "fill": "#edf4fd", "edge": "#80b8f0", "line": "#0969da"}
NIGHT = {"ink": "#f0f6fc", "text": "#b6bec8", "fill": "#14202f", "edge": "#35577d", "line": "#80b8f0"}


class Box(NamedTuple):
    """A box with a title, and lines below it."""

    x: int
    y: int
    width: int
    title: str
    lines: tuple[str, ...]

    def drawn(self) -> str:
        """Return its elements."""
        middle, height = self.x + self.width / 2, 44 + 20 * len(self.lines)
        rect = f'<rect x="{self.x}" y="{self.y}" width="{self.width}" height="{height}" rx="8"/>\n'
        title = f'<text class="title" x="{middle}" y="{self.y + 27}">{self.title}</text>\n'
        rows = (
            f'<text x="{middle}" y="{self.y + 50 + 20 * n}">{line}</text>\n'
            for n, line in enumerate(self.lines)
        )
        return rect + title + "".join(rows)


class Arrow(NamedTuple):
    """An arrow, or one with two heads, with its words and their place; the second word is below the arrow."""

    path: str
    x: int
    y: int
    words: tuple[str, ...] = ()
    both: bool = False
    anchor: str = "middle"

    def drawn(self) -> str:
        """Return its elements."""
        start = ' marker-start="url(#head)"' if self.both else ""
        rows = (
            f'<text x="{self.x}" y="{self.y + 36 * n}" text-anchor="{self.anchor}">{line}</text>\n'
            for n, line in enumerate(self.words)
        )
        return f'<path d="{self.path}"{start} marker-end="url(#head)"/>\n' + "".join(rows)


TEXT = ("Your text", ("deck.toml, autograd.md, …", "## question, and its answer"))
LOCK = ("deck.lock", ("the GUID of each note",))
PACKAGE = ("The package", ("build/pytorch.apkg", "notes with their GUIDs"))
ANKI = ("A learner’s Anki", ("same GUID, same note:", "new text, old reviews"))
WIDE = (
    Box(5, 10, 225, *TEXT),
    Box(310, 10, 187, *PACKAGE),
    Box(577, 10, 200, *ANKI),
    Box(174, 140, 190, *LOCK),
    Arrow("M232 52H304", 269, 38, ("build",)),
    Arrow("M269 64V134", 0, 0, both=True),
    Arrow("M499 52H571", 535, 38, ("import", "or follow")),
)
NARROW = (
    Box(5, 5, 330, *TEXT),
    Box(5, 210, 330, *PACKAGE),
    Box(5, 365, 330, *ANKI),
    Box(150, 115, 185, *LOCK),
    Arrow("M75 91V204", 65, 152, ("build",), anchor="end"),
    Arrow("M87 147H144", 0, 0, both=True),
    Arrow("M75 296V359", 90, 332, ("import, or follow",), anchor="start"),
)


def drawing(parts: tuple[Box | Arrow, ...], width: int, height: int, colours: dict[str, str]) -> str:
    """Return an SVG of boxes and arrows."""
    rules = (
        "text{{font:15px -apple-system,'Segoe UI',Roboto,'Noto Sans',Ubuntu,sans-serif;fill:{text}}}"
        ".box text{{text-anchor:middle}}.title{{font-weight:700;font-size:17px;fill:{ink}}}"
        "rect{{fill:{fill};stroke:{edge};stroke-width:1.5}}path{{fill:none;stroke:{line};stroke-width:2}}"
        "marker path{{fill:{line};stroke:none}}"
    ).format(**colours)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">\n<title>{TITLE}</title>\n<style>{rules}</style>\n'
        '<marker id="head" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="5" markerHeight="5" '
        'orient="auto-start-reverse"><path d="M0 0L8 4L0 8z"/></marker>\n'
        '<g class="box">\n'
        + "".join(part.drawn() for part in parts if isinstance(part, Box))
        + "</g>\n"
        + "".join(part.drawn() for part in parts if isinstance(part, Arrow))
        + "</svg>\n"
    )


if __name__ == "__main__":
    for ending, colours in (("", DAY), (".dark", NIGHT)):
        (IMAGES / f"model{ending}.svg").write_text(drawing(WIDE, 782, 212, colours), "utf-8")
        (IMAGES / f"model.narrow{ending}.svg").write_text(drawing(NARROW, 340, 454, colours), "utf-8")
