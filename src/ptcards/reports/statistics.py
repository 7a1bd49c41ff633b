"""A summary of many findings: a table by rule."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from ptcards.diagnostics import Diagnostic, counted
from ptcards.reports.layout import Look, paint, visible, wrap

_FILES = 3
"""How many files with the most findings to name."""


def table(found: Sequence[Diagnostic], look: Look) -> list[str]:
    """Return a line for the files with the most findings, then one per rule: count, name and worst file."""
    by_rule = sorted(found, key=lambda each: (each.severity, each.rule))
    rows = [(key, list(some)) for key, some in groupby(by_rule, key=lambda each: (each.severity, each.rule))]
    rows.sort(key=lambda row: (-len(row[1]), row[0][1]))
    widest = max((len(f"{severity}[{rule}]") for (severity, rule), _ in rows), default=0)
    lines = [wrap(f"{len(found)} findings, {_most(found)}", look.columns, hang=2)]
    for (severity, rule), some in rows:
        name = f"{severity}[{rule}]"
        gap = " " * (widest - len(name))
        text = f"{len(some):6}  {paint(name, severity, color=look.color)}{gap}  {_worst(some)}"
        lines.append(wrap(text, look.columns, hang=8))
    return lines


def _most(found: Sequence[Diagnostic]) -> str:
    """Return the files with the most findings, worst first."""
    counts = Counter(each.location.path for each in found).most_common()
    named = ", ".join(f"{visible(path)} ({count})" for path, count in counts[:_FILES])
    others = len(counts) - _FILES
    more = f" and {counted(others, 'more file')}" if others > 0 else ""
    return f"most in {named}{more}" if len(counts) > 1 else f"all in {visible(counts[0][0])}"


def _worst(found: Sequence[Diagnostic]) -> str:
    (path, count), *others = Counter(each.location.path for each in found).most_common()
    return f"{visible(path)} ({count})" if others else visible(path)
