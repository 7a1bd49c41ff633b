"""The table, on the terminal and in docs/reliability.md."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from scorecard.row import Result, Row

PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"
_BEGIN = "<!-- written by `make scorecard` -->\n"
_SHORT = "short form: "
_END = "<!-- end of what is written -->\n"
_HEAD = "| row | what is measured | bar | result |\n|---|---|---|---|\n"


@dataclass(frozen=True, slots=True)
class Entry:
    """A row with its result, form and seed."""

    row: Row
    result: Result
    long: bool
    seed: int


def line(entry: Entry) -> str:
    """Return a row for the terminal."""
    verdict = {True: "ok", False: "FAILED", None: "not measured"}[entry.result.holds]
    row = entry.row
    return (
        f"{row.number:>3}  {verdict:<12}  {row.figure}\n     bar:  {row.bar}\n     ours: {entry.result.ours}"
    )


def write_page(entries: Iterable[Entry]) -> None:
    """Write the figures into the page; a figure of the long form is only replaced by another one."""
    before, _, rest = PAGE.read_text("utf-8").partition(_BEGIN)
    table, _, after = rest.partition(_END)
    rows = {int(match[1]): match[0] for match in re.finditer(r"^\| (\d+) \|.*\n", table, re.MULTILINE)}
    for entry in entries:
        kept = rows.get(entry.row.number, "")
        if entry.long or not kept or _SHORT in kept:
            rows[entry.row.number] = _table_line(entry)
    content = "".join(rows[number] for number in sorted(rows))
    PAGE.write_text(f"{before}{_BEGIN}{_HEAD}{content}{_END}{after}", "utf-8")


def _table_line(entry: Entry) -> str:
    row = entry.row
    verdict = {True: "", False: "**missed:** ", None: "**not measured:** "}[entry.result.holds]
    form = "" if entry.long else _SHORT
    ours = entry.result.ours.replace("; ", "<br>")
    cells = (str(row.number), row.figure, row.bar, f"{verdict}{form}{ours}")
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |\n"
