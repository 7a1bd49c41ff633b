"""Draws the content of a terminal as an SVG, with text that is sharp at any size, without embedded fonts."""

import html
import re
from collections.abc import Iterator, Mapping

from ptcards.diagnostics.layout import width_of

_CELL, _LINE, _MARGIN = 8.4, 20, 20
LIGHT = {
    "paper": "#f6f8fa",
    "text": "#1f2937",
    "c31": "#a40e26",
    "c32": "#0f5c2b",
    "c33": "#6b4500",
    "c94": "#0b4fa8",
    "c36": "#0a5560",
}
DARK = {
    "paper": "#1e2030",
    "text": "#d8dcea",
    "c31": "#ff8a95",
    "c32": "#8fd694",
    "c33": "#ffcb6b",
    "c94": "#93a9ff",
    "c36": "#6fd3dd",
}
"""The colours of a terminal by day and at night: `c31` is that of the escape code 31."""
_CODE = re.compile(r"\x1b\[([\d;]*)m")


def picture_of(text: str, title: str, *, always_dark: bool = False) -> str:
    """Return an SVG of text with colour codes, light or dark like its page; `title` is for screen readers."""
    lines = text.rstrip("\n").split("\n")
    columns = max(width_of(_CODE.sub("", line)) for line in lines)
    width, height = round(columns * _CELL + 2 * _MARGIN), len(lines) * _LINE + 2 * _MARGIN
    dark = _rules(DARK)
    look = dark if always_dark else f"{_rules(LIGHT)}@media(prefers-color-scheme:dark){{{dark}}}"
    rows = "".join(_row(line, _MARGIN + 15 + n * _LINE) for n, line in enumerate(lines))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">\n<title>{html.escape(title)}</title>\n'
        "<style>text{font:14px ui-monospace,'JetBrains Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace;"
        f"white-space:pre}}.b{{font-weight:700}}{look}</style>\n"
        f'<rect class="paper" width="{width}" height="{height}" rx="10"/>\n{rows}</svg>\n'
    )


def _rules(colours: Mapping[str, str]) -> str:
    """Return the style of a terminal with these colours."""
    return "".join(
        f"{name if name == 'text' else f'.{name}'}{{fill:{colour}}}" for name, colour in colours.items()
    )


def folded(text: str, columns: int) -> str:
    """Return text with colour codes as a terminal of this width shows it: long lines continue on the next."""
    shown = ""
    for line in text.splitlines(keepends=True):
        column, look = 0, ""
        for n, piece in enumerate(_CODE.split(line)):
            if n % 2:
                code = f"\x1b[{piece}m"
                look = "" if piece in ("", "0") else look + code
                shown += code
                continue
            for character in piece:
                width = width_of(character)
                if character != "\n" and column + width > columns:
                    shown += f"\n{look}"
                    column = 0
                shown += character
                column += width
    return shown


def _row(line: str, y: int) -> str:
    """Return the elements of a line: one per run of characters with the same style, at its column."""
    column, row = 0, ""
    for look, run in _runs(line):
        width = width_of(run)
        if run.strip():
            place = f'x="{_MARGIN + column * _CELL:.1f}" y="{y}" textLength="{width * _CELL:.1f}"'
            row += f"<text {place}{look}>{html.escape(run, quote=False)}</text>\n"
        column += width
    return row


def _runs(line: str) -> Iterator[tuple[str, str]]:
    """Yield the runs of a line, each with the attribute for its style."""
    codes: list[str] = []
    for n, piece in enumerate(_CODE.split(line)):
        if n % 2:
            codes = [] if piece in ("", "0") else codes + piece.split(";")
        elif piece:
            classes = ["b" if code == "1" else f"c{code}" for code in codes]
            yield f' class="{" ".join(classes)}"' if classes else "", piece
