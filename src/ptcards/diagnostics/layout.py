"""Text for a terminal: safe characters, widths, line breaks and colours."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

_COLORS = {
    "error": "1;31",
    "warning": "1;33",
    "hint": "1;36",
    "done": "1;32",
    "path": "1",
    "match": "1;36",
    "gutter": "1;94",
    "help": "1;32",
    "heading": "1;32",
    "command": "1;36",
    "placeholder": "36",
    "next": "1",
    "fix": "36",
    "-": "31",
    "−": "31",
    "": "0",
    "~": "33",
    "+": "32",
    "@": "36",
}
_SEQUENCE = re.compile(r"\x1b\[[0-9;]*m")


class Terminal(NamedTuple):
    """How a text should look.

    `columns` and `rows` are None outside a terminal. `short` folds long reports and cuts long differences;
    `-v` shows the rest.
    """

    color: bool = False
    columns: int | None = None
    rows: int | None = None
    short: bool = False


PLAIN = Terminal()


def limited(
    items: Sequence[str], most: int | None, more: Callable[[int], str], *, slack: int = 0
) -> list[str]:
    """Return the first `most` items (or all, without a limit), and what `more` says about those cut off.

    Nothing is cut off to save only `slack` lines.
    """
    left = 0 if most is None else len(items) - most
    return [*items[:most], more(left)] if left > slack else list(items)


class ReportSection(NamedTuple):
    """A part of a report: its label, what stands beside and below it, and a remark on the first line."""

    label: str
    lines: Sequence[str]
    remark: str = ""


def section_lines(
    sections: Iterable[ReportSection], width: int, *, remark_at: int = 0, columns: int | None = None
) -> Iterator[str]:
    """Yield the lines of sections, with the labels in a column of `width`.

    Remarks are in a column that begins after `remark_at`, unless a line is longer; one that does not fit in
    `columns` is below its line.
    """
    for label, (first, *more), remark in sections:
        line = f"{label:<{width}} {first}" if first else label.rstrip()
        beside = f"{line:<{remark_at}}   ({remark})" if remark else line
        if columns is None or not remark or width_of(beside) <= columns:
            yield beside
        else:
            yield from (line, f"{'':{width}} ({remark})")
        yield from (f"{'':{width}} {each}" for each in more)


def paint(text: str, part: str, *, color: bool) -> str:
    """Return a text in the colour of a part (a severity, `path`, `help`, …), or unchanged without colour."""
    return f"\x1b[{_COLORS[part]}m{text}\x1b[0m" if color and text else text


def visible(text: str) -> str:
    """Return a text that is safe to print on one line of a terminal.

    Control characters, line ends, lone surrogates and the invisible characters that reorder text
    (https://trojansource.codes) are shown as pictures or code points; tabs are left for the caller to expand.
    """
    return "".join(map(visible_char, text))


def visible_char(char: str) -> str:
    """Return the visible form of one character; see `visible`."""
    if " " <= char <= "~" or char == "\t":
        return char
    if char < " ":
        return chr(0x2400 + ord(char))
    if char == "\x7f":
        return "\u2421"
    # The joiner keeps emoji together; every other format character is invisible or reorders the line.
    if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and char != "\u200d":
        return f"<U+{ord(char):04X}>"
    return char


def width_of(shown: str) -> int:
    """Return the width of a printable text in columns; colours take none."""
    plain = _SEQUENCE.sub("", shown) if "\x1b" in shown else shown
    if plain.isascii():
        return len(plain)
    from wcwidth import width  # noqa: PLC0415 - most text is ASCII

    return width(plain, control_codes="ignore")


def wrap(text: str, columns: int | None, *, hang: int = 0) -> str:
    """Return prose wrapped at spaces, with later lines indented by `hang`; unchanged without `columns`.

    A word wider than a line is not broken: it is a path or an address that somebody may copy.
    """
    if columns is None or width_of(text) <= columns:
        return text
    lines = []
    start = len(text) - len(text.lstrip(" "))
    line, used = text[:start], start
    for word in _words(text[start:], columns - hang):
        needed = width_of(word)
        if used + needed > columns and line.strip():
            lines.append(line.rstrip(" "))
            line, used = " " * hang, hang
        line, used = f"{line}{word} ", used + needed + 1
    return "\n".join([*lines, line[:-1]])


def _words(text: str, room: int) -> Iterator[str]:
    """Yield the words of a text; text in backticks, perhaps a command to copy, counts as one if it fits."""
    held = ""
    for word in text.split(" "):
        held = f"{held} {word}" if held else word
        if held.count("`") % 2 and width_of(held) < room:
            continue
        yield held
        held = ""
    if held:
        yield held


def reflow(markdown: str, columns: int | None) -> str:
    """Return Markdown with its paragraphs wrapped; lists and tables keep their lines, long code is cut."""
    if columns is None:
        return markdown
    blocks = re.split(r"\n{2,}", markdown.rstrip("\n"))
    return "\n\n".join(_reflowed(block, columns) for block in blocks) + "\n"


def _cut(line: str, columns: int) -> str:
    """Return a line in at most so many columns, with an ellipsis if it was longer."""
    from wcwidth import clip  # noqa: PLC0415 - only for lines that are too long

    return line if width_of(line) <= columns else f"{clip(line, 0, columns - 1)}…"


def _reflowed(block: str, columns: int) -> str:
    if block.startswith("    "):
        return "\n".join(_cut(line, columns) for line in block.split("\n"))
    if re.match(r"[-*|] ?", block):
        return "\n".join(wrap(line, columns, hang=2) for line in block.split("\n"))
    return wrap(" ".join(block.split("\n")), columns)
