"""Renders diagnostics for people (`text`), editors (`concise`) and GitHub (`github`).

The caller chooses the colours, the width and the destination.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, zip_longest
from operator import itemgetter
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args

from ptcards.diagnostics import Diagnostic, Location, Severity, Trait, counted
from ptcards.diagnostics.layout import PLAIN, Terminal, paint, visible, visible_char, width_of, wrap

TAB = 4
"""Columns between tab stops in a shown source line."""
_ELLIPSIS = "…"
_FIX = "[fix]"
"""Marks what `check --fix` can fix."""


def excerpt(source: str, column: int, length: int, room: int) -> tuple[str, str]:
    """Return a source line in at most `room` columns, and the carets below it.

    Column 0 means the complete line.
    """
    if not column:  # the complete line
        column, length = len(source) - len(source.lstrip()) + 1, len(source.strip())
    start = min(column - 1, len(source))
    # A line may be megabytes long. A character takes at least one column, so nothing that fits is cut here.
    skipped = max(0, start - room)
    near = source[skipped : start + room + 1]
    cells = _cells(near)
    start -= skipped
    if start == len(cells):
        cells.append(" ")  # for the caret after the last character
    end = max(start + 1, min(start + length, len(cells)))
    widths = list(map(width_of, cells))
    if len(near) == len(source) and sum(widths) <= room:
        first, last = 0, len(cells)
    else:
        first, last = _window(widths, start, end, room - 2 * len(_ELLIPSIS))
    before = _ELLIPSIS * (skipped + first > 0)
    after = _ELLIPSIS * (skipped + last < len(source))
    indent = width_of(before + "".join(cells[first:start]))
    carets = max(1, width_of("".join(cells[start : min(end, last)])))
    return before + "".join(cells[first:last]) + after, " " * indent + "^" * carets


def _cells(text: str) -> list[str]:
    """Return the text that shows each character; a tab extends to the next stop."""
    cells: list[str] = []
    at = 0
    for char in text:
        cells.append(" " * (TAB - at % TAB) if char == "\t" else visible_char(char))
        at += width_of(cells[-1])
    return cells


def _window(widths: Sequence[int], start: int, end: int, room: int) -> tuple[int, int]:
    """Return the range to show in `room` columns, centred on the marked part if it is far along."""
    before = sum(widths[:start])
    first, last = (0 if before <= room // 4 else start), start
    room -= before if first == 0 else 0
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


Format = Literal["text", "concise", "github"]
FORMATS: tuple[Format, ...] = get_args(Format)

_WORST_FILES = 3
"""How many files to name: those with the most findings."""

LONGEST = 2000
"""How many columns of a source line to show outside a terminal: a huge line would fill the disk."""
MANY = 4
"""If there are at least this many equal diagnostics, they are shown once with a list of locations."""
FEW = 3
"""A first report shows so many findings with their source lines; it folds more."""
SHOWN = 2
"""How many findings of a rule a folded report shows."""
ROOM = 10
"""How many lines of a folded report are above its count, unless there are more errors.

With the count and what commands say below it, this is half a screen.
"""
_LONG_HELP = 200
"""Help with more characters, such as a list of all keys, is printed once in a report for people."""

SourceLine = Callable[[Location], str | None]

_NO_DIFFS: Mapping[Diagnostic, str] = MappingProxyType({})


class _Extras(NamedTuple):
    """What a report for people adds: differences, a mark for findings that can be fixed, and what was.

    `listing` returns how to list all findings of a rule.
    """

    diffs: Mapping[Diagnostic, str]
    fixable: Container[tuple[Location, str]] = ()
    fixed: int = 0
    listing: Callable[[str], str] = "-v".format

    def can_fix(self, each: Diagnostic) -> bool:
        """Whether a finding is marked as fixable."""
        return (each.location, each.rule) in self.fixable


_ORDER = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.HINT: 2}


def render(
    diagnostics: Iterable[Diagnostic],
    *,
    format: Format,  # noqa: A002 - the option's name
    source_line: SourceLine,
    terminal: Terminal = PLAIN,
    diffs: Mapping[Diagnostic, str] = _NO_DIFFS,
    fixable: Container[tuple[Location, str]] = (),
    fixed: int = 0,
    listing: Callable[[str], str] = "-v".format,
) -> str:
    """Return diagnostics as text, sorted by location, with their count at the end.

    For people (`text`), errors come last, where a terminal still shows them, but a `short` report begins with
    them, and is folded if there are more than `FEW` findings. `source_line` returns the line
    at a location, without its line end, or None if there is none. Those at the
    `fixable` places and rules are marked in `text` and `concise`. Only `text` uses `source_line`, the unified
    `diffs` of some diagnostics, how to list all findings of a rule (`listing`), and every setting in
    `terminal`. The text ends with a line feed, or is empty.
    """
    found = sorted(diagnostics, key=by_place)
    extras = _Extras(diffs, fixable, fixed, listing)
    match format:
        case "text" if terminal.short and len(found) > FEW:
            return _folded(found, extras, terminal)
        case "text":
            return _full(found, source_line, extras, terminal)
        case "concise":
            return _lines(
                [
                    *(
                        _headline(each, terminal, is_fixable=extras.can_fix(each), is_exact=True)
                        for each in found
                    ),
                    *_count(found, terminal),
                ]
            )
        case "github":
            return _lines([*(_github(diagnostic) for diagnostic in found), *_count(found, PLAIN)])


def summary(diagnostics: Iterable[Diagnostic], *, color: bool = False) -> str:
    """Return the counts as text, such as "2 errors, 1 warning"; empty if there are none."""
    counts = Counter(diagnostic.severity for diagnostic in diagnostics)
    return ", ".join(
        paint(f"{n} {severity}{'s' * (n != 1)}", severity, color=color)
        for severity in Severity
        if (n := counts[severity])
    )


def by_place(each: Diagnostic) -> tuple[Location, int, str, str]:
    """Return what reports are sorted by."""
    return each.location, _ORDER[each.severity], each.rule, each.message


def _lines(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _count(found: Sequence[Diagnostic], terminal: Terminal, fixed: int = 0) -> list[str]:
    done = f"{paint('Fixed', 'done', color=terminal.color)} {counted(fixed, 'finding')}; left: " * bool(fixed)
    return [f"{done}{summary(found, color=terminal.color)}"] if found else []


def _headline(each: Diagnostic, terminal: Terminal, *, is_fixable: bool, is_exact: bool = False) -> str:
    color = terminal.color
    path, line, column = each.location
    # Editors take only a place with a line and a column.
    where = f"{path}:{line}:{max(column, 1)}" if is_exact else str(each.location)
    place = paint(visible(where), "path", color=color)
    rule = paint(f"{each.severity}[{each.rule}]", each.severity, color=color)
    mark = f" {paint(_FIX, 'fix', color=color)}" if is_fixable else ""
    return f"{place}: {rule}{mark} {visible(each.message)}"


def statistics(
    diagnostics: Iterable[Diagnostic],
    terminal: Terminal = PLAIN,
    fixable: Container[tuple[Location, str]] = (),
) -> str:
    """Return how often each rule reported something, and where most often; empty if there is nothing.

    A rule is marked if any of its findings is at the `fixable` places.
    """
    found = sorted(diagnostics, key=by_place)
    if not found:
        return ""
    heading = wrap(f"{len(found)} findings, {_most(found)}", terminal.columns, hang=2)
    rows = _rows(found, _Extras(_NO_DIFFS, fixable), terminal)
    return _lines([heading, *rows, "", *_count(found, terminal)])


def _full(found: Sequence[Diagnostic], source_line: SourceLine, extras: "_Extras", terminal: Terminal) -> str:
    found = sorted(found, key=_by_use if terminal.short else lambda each: -_ORDER[each.severity])
    groups: dict[tuple[object, ...], list[Diagnostic]] = {}
    for diagnostic in found:
        groups.setdefault(_group(diagnostic, extras), []).append(diagnostic)
    blocks: list[str] = []
    explained: dict[str, Location] = {}
    firsts = [each for each in found if _is_first(each, groups[_group(each, extras)])]
    for _, some in groupby(firsts, key=lambda each: _line_of(each, groups[_group(each, extras)], extras)):
        diagnostic, *beside = some
        group = groups[_group(diagnostic, extras)]
        others = group[1:] if len(group) >= MANY else []
        heads = (_headline(each, terminal, is_fixable=extras.can_fix(each)) for each in (diagnostic, *beside))
        diff = _diff(extras.diffs.get(diagnostic, ""), color=terminal.color)
        first = explained.setdefault(diagnostic.help, diagnostic.location)
        is_said = len(diagnostic.help) > _LONG_HELP and first != diagnostic.location
        each = replace(diagnostic, help=f"see the help for {first} above") if is_said else diagnostic
        block = _block([each, *beside], others, source_line, diff, terminal)
        blocks.append(_lines([*(wrap(head, terminal.columns, hang=4) for head in heads), *block]))
    return "\n".join([*blocks, *map("{}\n".format, _count(found, terminal, extras.fixed))])


def _folded(found: Sequence[Diagnostic], extras: "_Extras", terminal: Terminal) -> str:
    """Return the most useful findings in a few lines: errors, then warnings, then how many others there are.

    What is about many cards comes first, and errors always have their place and help. Hints are only counted,
    and warnings as soon as there is no room.
    """
    rules: dict[tuple[str, str], list[Diagnostic]] = {}
    for each in sorted(found, key=_by_use):
        rules.setdefault((each.severity, each.rule), []).append(each)
    lines: list[str] = []
    others: list[Diagnostic] = []
    for left, ((severity, _), some) in zip(range(len(rules))[::-1], rules.items(), strict=True):
        block = _brief(some, extras, terminal)
        fits = len(lines) + len(block) + left + bool(others) <= ROOM
        is_shown = severity == Severity.ERROR or Trait.MANY in some[0].traits
        if is_shown or (fits and severity != Severity.HINT):
            lines += block
        else:
            others += some
    lines += _rows(others, extras, terminal, most=max(2, ROOM - len(lines)))
    last = f"{_count(found, terminal, extras.fixed)[0]}: -v shows them with their lines"
    return _lines([*lines, wrap(last, terminal.columns)])


def _by_use(each: Diagnostic) -> tuple[bool, int, bool]:
    """Return what a first report is sorted by; what is about many cards may explain the errors."""
    return Trait.MANY not in each.traits, _ORDER[each.severity], Trait.TASTE in each.traits


def _brief(some: Sequence[Diagnostic], extras: "_Extras", terminal: Terminal) -> list[str]:
    """Return the first findings of a rule without their source lines, and how to see the others."""
    texts: list[tuple[str, int]] = []
    for each, before in zip(some[:SHOWN], (None, *some), strict=False):
        texts.append((_headline(each, terminal, is_fixable=extras.can_fix(each)), 4))
        if each.help and (before is None or before.help != each.help):
            texts.append((f"  = {paint('help:', 'help', color=terminal.color)} {visible(each.help)}", 10))
    if (more := len(some) - SHOWN) > 0:
        texts.append((f"  and {more} more like this: {extras.listing(some[0].rule)}", 4))
    return [line for text, hang in texts for line in wrap(text, terminal.columns, hang=hang).split("\n")]


def _group(each: Diagnostic, extras: "_Extras") -> tuple[object, ...]:
    diff = extras.diffs.get(each, "")
    return each.severity, each.rule, each.message, each.help, diff, extras.can_fix(each)


def _is_first(each: Diagnostic, group: Sequence[Diagnostic]) -> bool:
    """Whether a finding has a block, and is not only listed as another place of the first one."""
    return len(group) < MANY or each is group[0]


def _line_of(each: Diagnostic, group: Sequence[Diagnostic], extras: "_Extras") -> tuple[object, ...]:
    """Return what findings next to each other share if one block shows them, with their line once."""
    alone = each if len(group) >= MANY or each in extras.diffs else None
    return each.location[:2], each.rule, each.severity, each.help, alone


def _underlined(source: str, some: Sequence[Diagnostic], room: int) -> Iterator[tuple[str, str]]:
    """Yield a source line and the carets of these findings; each part of a long line has its own."""
    views = (excerpt(source, each.location.column, each.length, room) for each in some)
    for shown, rows in groupby(views, key=itemgetter(0)):
        columns = zip_longest(*(carets for _, carets in rows), fillvalue=" ")
        yield shown, "".join("^" if "^" in column else " " for column in columns)


def _diff(diff: str, *, color: bool) -> list[str]:
    """Return the lines of a unified diff, without the header of a hunk that is the only one."""
    lines = [line for line in diff.split("\n") if line]
    hunks = [line for line in lines if line.startswith("@@")]
    return [
        paint(visible(line), line[0], color=color and line[0] in "+-@") for line in lines if [line] != hunks
    ]


def _block(
    some: Sequence[Diagnostic],
    others: Sequence[Diagnostic],
    source_line: SourceLine,
    diff: Sequence[str],
    terminal: Terminal,
) -> list[str]:
    """Return what is below the headlines: the line of the source, the help, the other places and a diff."""
    each = some[0]
    number = str(each.location.line)
    margin = " " * len(number)

    def gutter(left: str, mark: str) -> str:
        return paint(f"{left} {mark}", "gutter", color=terminal.color)

    lines: list[str] = []
    source = None if each.location.is_file else source_line(each.location)
    if source is not None:
        room = terminal.columns - len(f"{number} | ") if terminal.columns else LONGEST
        lines.append(gutter(margin, "|"))
        for shown, carets in _underlined(source, some, room):
            lines += [
                f"{gutter(number, '|')} {shown}".rstrip(),
                f"{gutter(margin, '|')} {paint(carets, each.severity, color=terminal.color)}",
            ]
    if each.help:
        word = paint("help:", "help", color=terminal.color)
        text = f"{gutter(margin, '=')} {word} {visible(each.help)}"
        lines.append(wrap(text, terminal.columns, hang=len(f"{margin} = help: ")))
    if others:
        text = f"{gutter(margin, '=')} also at {', '.join(visible(str(each.location)) for each in others)}"
        lines.append(wrap(text, terminal.columns, hang=len(f"{margin} = ")))
    return [*lines, *(f"{gutter(margin, '|')} {line}".rstrip() for line in diff)]


def _github(each: Diagnostic) -> str:
    """Return a workflow command.

    The escapes are those of the runner (actions/toolkit, `command.ts`): `%`, CR and LF everywhere, `:` and
    `,` in properties. GitHub calls hints notices.
    """

    def data(text: str) -> str:
        return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")

    def value(text: str) -> str:
        return data(visible(text)).replace(":", "%3A").replace(",", "%2C")

    place = each.location
    level = "notice" if each.severity is Severity.HINT else each.severity
    columns = f"col={place.column},endColumn={place.column + each.length - 1}," if place.column else ""
    message = visible(each.message) + (f"\nhelp: {visible(each.help)}" if each.help else "")
    return (
        f"::{level} file={value(place.path)},line={place.line},{columns}"
        f"title={value(each.rule)}::{data(message)}"
    )


def _rows(
    found: Sequence[Diagnostic], extras: "_Extras", terminal: Terminal, *, most: int | None = None
) -> list[str]:
    """Return a line per rule, the worst first: how often it reported something, its name, and where.

    If there are more than `most` rules, the last ones share a line.
    """
    by_rule = sorted(found, key=lambda each: (each.severity, each.rule))
    rows = [(key, list(some)) for key, some in groupby(by_rule, key=lambda each: (each.severity, each.rule))]
    rows.sort(key=lambda row: (_ORDER[row[0][0]], -len(row[1]), row[0][1]))
    last = rows[most - 1 :] if most and len(rows) > most else []
    rows = rows[: len(rows) - len(last)]
    marks = {key: f" {_FIX}" * any(map(extras.can_fix, some)) for key, some in rows}
    widest = max((len(f"{key[0]}[{key[1]}]{mark}") for key, mark in marks.items()), default=0)
    lines = []
    for (severity, rule), some in rows:
        name, mark = f"{severity}[{rule}]", marks[severity, rule]
        gap = " " * (widest - len(name) - len(mark))
        shown = paint(name, severity, color=terminal.color)
        shown += paint(mark, "fix", color=terminal.color and mark != "")
        text = f"{len(some):6}  {shown}{gap}  {_worst(some)}"
        lines.append(wrap(text, terminal.columns, hang=8))
    if last:
        lines.append(f"{sum(len(some) for _, some in last):6}  of {counted(len(last), 'other rule')}")
    return lines


def _most(found: Sequence[Diagnostic]) -> str:
    """Return the files with the most findings, worst first."""
    counts = Counter(diagnostic.location.path for diagnostic in found).most_common()
    named = ", ".join(f"{visible(path)} ({count})" for path, count in counts[:_WORST_FILES])
    others = len(counts) - _WORST_FILES
    more = f" and {counted(others, 'more file')}" if others > 0 else ""
    return f"most in {named}{more}" if len(counts) > 1 else f"all in {visible(counts[0][0])}"


def _worst(found: Sequence[Diagnostic]) -> str:
    (path, count), *others = Counter(diagnostic.location.path for diagnostic in found).most_common()
    return f"{visible(path)} ({count})" if others else visible(str(found[0].location))
