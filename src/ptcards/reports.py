"""Renderings of diagnostics: for people, for editors, for programs and for GitHub.

Text in, text out: whether colour is on, and where the text goes, is the caller's business.
"""

import json
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, get_args

from ptcards.diagnostics import Diagnostic, Location, Severity, as_json

Format = Literal["full", "concise", "json", "github"]
FORMATS: tuple[Format, ...] = get_args(Format)

SCHEMA = 1
"""Version of the JSON: raised when a key changes its meaning or goes, not when one is added."""

TAB = 4
"""Columns between tab stops in a shown source line."""
WIDEST = 120
"""Columns of a source line that are shown; of a longer line the part around the caret."""
MANY = 4
"""From so many on, equal diagnostics are shown once, with a list of their places."""

SourceLine = Callable[[Location], str | None]

_NO_DIFFS: Mapping[Diagnostic, str] = MappingProxyType({})

_COLORS = {
    Severity.ERROR: "1;31",
    Severity.WARNING: "1;33",
    Severity.HINT: "1;36",
    "path": "1",
    "gutter": "34",
    "help": "1;32",
    "-": "31",
    "+": "32",
}
_ORDER = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.HINT: 2}


def render(
    diagnostics: Iterable[Diagnostic],
    *,
    format: Format,  # noqa: A002 - the option's name
    source_line: SourceLine,
    color: bool,
    diffs: Mapping[Diagnostic, str] = _NO_DIFFS,
) -> str:
    """Show diagnostics sorted by place, with their count at the end.

    `source_line` gives the line of the file at a location, without its end, or None where there is none; only
    `full` asks for it, and only `full` shows the unified `diffs` that some have. The text ends with a line feed, or
    is empty (never for `json`).
    """
    found = sorted(diagnostics, key=_by_place)
    match format:
        case "full":
            return _full(found, source_line, diffs, color=color)
        case "concise":
            return _lines([*(_headline(each, color=color) for each in found), *_count(found)])
        case "json":
            return _json(found)
        case "github":
            return _lines([*(_github(each) for each in found), *_count(found)])


def summary(diagnostics: Iterable[Diagnostic]) -> str:
    """Count diagnostics in words: "2 errors, 1 warning"; empty if there are none."""
    counts = Counter(each.severity for each in diagnostics)
    return ", ".join(f"{n} {severity}{'s' * (n != 1)}" for severity in Severity if (n := counts[severity]))


def visible(text: str) -> str:
    """Make a text safe to print on one line of a terminal.

    Control characters, line ends, lone surrogates and the invisible characters that reorder text
    (https://trojansource.codes) are shown by picture or code point; a tab stays for the caller to expand.
    """
    return "".join(_visible(char) for char in text)


def _by_place(each: Diagnostic) -> tuple[Location, int, str, str]:
    return each.location, _ORDER[each.severity], each.rule, each.message


def _lines(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _count(found: Sequence[Diagnostic]) -> list[str]:
    return [summary(found)] if found else []


def _paint(text: str, part: Severity | str, *, color: bool) -> str:
    return f"\x1b[{_COLORS[part]}m{text}\x1b[0m" if color and text else text


def _headline(each: Diagnostic, *, color: bool) -> str:
    place = _paint(visible(str(each.location)), "path", color=color)
    rule = _paint(f"{each.severity}[{each.rule}]", each.severity, color=color)
    return f"{place}: {rule} {visible(each.message)}"


def _full(
    found: Sequence[Diagnostic], source_line: SourceLine, diffs: Mapping[Diagnostic, str], *, color: bool
) -> str:
    groups: dict[tuple[str, ...], list[Diagnostic]] = {}
    for each in found:
        groups.setdefault(_group(each, diffs), []).append(each)
    blocks = []
    for each in found:
        group = groups[_group(each, diffs)]
        if len(group) < MANY or each is group[0]:
            others = group[1:] if len(group) >= MANY else []
            lines = _block(each, others, source_line, color=color)
            blocks.append(_lines([*lines, *_diff(diffs.get(each, ""), color=color)]))
    return "\n".join([*blocks, *(f"{line}\n" for line in _count(found))])


def _group(each: Diagnostic, diffs: Mapping[Diagnostic, str]) -> tuple[str, ...]:
    return each.severity, each.rule, each.message, each.help, diffs.get(each, "")


def _diff(diff: str, *, color: bool) -> list[str]:
    return [
        _paint(visible(line), line[0], color=color and line[0] in "+-") for line in diff.split("\n") if line
    ]


def _block(
    each: Diagnostic, others: Sequence[Diagnostic], source_line: SourceLine, *, color: bool
) -> list[str]:
    number = str(each.location.line)
    margin = " " * len(number)

    def gutter(left: str, mark: str) -> str:
        return _paint(f"{left} {mark}", "gutter", color=color)

    lines = [_headline(each, color=color)]
    source = source_line(each.location)
    if source is not None:
        shown, carets = _excerpt(source, each.location.column, each.length)
        lines += [
            gutter(margin, "|"),
            f"{gutter(number, '|')} {shown}".rstrip(),
            f"{gutter(margin, '|')} {_paint(carets, each.severity, color=color)}",
        ]
    if each.help:
        lines.append(f"{gutter(margin, '=')} {_paint('help:', 'help', color=color)} {visible(each.help)}")
    if others:
        places = ", ".join(visible(str(other.location)) for other in others)
        lines.append(f"{gutter(margin, '=')} the same {len(others)} times more: {places}")
    return lines


def _excerpt(source: str, column: int, length: int) -> tuple[str, str]:
    """Make a source line printable, and the line of carets that stands under `length` characters from `column`."""
    start = min(column - 1, len(source))
    # A character takes a column or more, so what is cut here could not be shown; a line may be megabytes long.
    skipped = max(0, start - WIDEST)
    near = source[skipped : start + WIDEST + 1]
    cells: list[str] = []
    at = 0
    for char in near:
        cells.append(" " * (TAB - at % TAB) if char == "\t" else _visible(char))
        at += _width(cells[-1])
    start -= skipped
    end = max(start + 1, min(start + length, len(cells)))
    widths = [_width(cell) for cell in cells]
    first, last = _window(widths, start, end)
    before = "…" * (skipped + first > 0)
    after = "…" * (skipped + last < len(source))
    indent = len(before) + sum(widths[first:start])
    carets = max(1, sum(widths[start : min(end, last)]))
    return before + "".join(cells[first:last]) + after, " " * indent + "^" * carets


def _window(widths: Sequence[int], start: int, end: int) -> tuple[int, int]:
    """Choose the characters to show: all if they fit, else `WIDEST` columns, the marked ones in the middle."""
    if sum(widths) <= WIDEST:
        return 0, len(widths)
    first, last, room = start, start, WIDEST
    while last < min(end, len(widths)) and widths[last] <= room:
        room -= widths[last]
        last += 1
    growing = True
    while growing:
        growing = False
        if first > 0 and widths[first - 1] <= room:
            first, room, growing = first - 1, room - widths[first - 1], True
        if last < len(widths) and widths[last] <= room:
            room, last, growing = room - widths[last], last + 1, True
    return first, last


def _visible(char: str) -> str:
    if " " <= char <= "~" or char == "\t":
        return char
    if char < " ":
        return chr(0x2400 + ord(char))
    if char == "\x7f":
        return "\u2421"
    # The joiner holds emoji together; every other format character is invisible or reorders the line.
    if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and char != "\u200d":
        return f"<U+{ord(char):04X}>"
    return char


def _width(shown: str) -> int:
    """Count the terminal columns of a printable text (Unicode Standard Annex 11)."""
    if shown.isascii():
        return len(shown)
    return sum(
        0
        if unicodedata.combining(char) or unicodedata.category(char) in {"Mn", "Me", "Cf"}
        else 1 + (unicodedata.east_asian_width(char) in {"W", "F"})
        for char in shown
    )


def _json(found: Sequence[Diagnostic]) -> str:
    counts = Counter(each.severity for each in found)
    report = {
        "version": SCHEMA,
        "counts": {f"{severity}s": counts[severity] for severity in Severity},
        "diagnostics": [as_json(each) for each in found],
    }
    return json.dumps(report, indent=2) + "\n"


def _github(each: Diagnostic) -> str:
    """Write a workflow command.

    Escapes are those of the runner (actions/toolkit, `command.ts`): `%`, CR and LF everywhere, `:` and `,` in
    properties. GitHub knows no hints; its word for them is notice.
    """

    def data(text: str) -> str:
        return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")

    def value(text: str) -> str:
        return data(visible(text)).replace(":", "%3A").replace(",", "%2C")

    place = each.location
    level = "notice" if each.severity is Severity.HINT else each.severity
    end = place.column + each.length - 1
    message = visible(each.message) + (f"\nhelp: {visible(each.help)}" if each.help else "")
    return (
        f"::{level} file={value(place.path)},line={place.line},col={place.column},endColumn={end},"
        f"title={value(each.rule)}::{data(message)}"
    )
