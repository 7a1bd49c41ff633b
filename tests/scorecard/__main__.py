"""`python -m scorecard` measures, prints the table and, with `--write`, stores it in docs/reliability.md.

The folder `tests/` must be on the path; `make scorecard` takes care of that.
"""

import argparse
import os
import sys

from scorecard.rows import MEASUREMENTS
from scorecard.running import measured
from scorecard.table import Entry, line, write_page

SEED = 2026


def main() -> int:
    """Measure the requested rows; return 1 if one misses its bar."""
    asked = _arguments()
    chosen = [
        measurement
        for measurement in MEASUREMENTS
        if (not asked.row or asked.row & {row.number for row in measurement.rows})
        and (asked.long or asked.row or not measurement.only_long)
    ]
    if not chosen:
        sys.exit("there is no such row")
    entries: list[Entry] = []
    for measurement, results, seconds in measured(chosen, long=asked.long, seed=asked.seed, jobs=asked.jobs):
        for row, result in zip(measurement.rows, results, strict=True):
            entries.append(Entry(row, result, long=asked.long, seed=asked.seed))
            sys.stdout.write(f"{line(entries[-1])}  ({seconds:.0f} s)\n")
            sys.stdout.writelines(f"      {detail}\n" for detail in result.details[:20])
            sys.stdout.flush()
            if asked.write:
                write_page(entries[-1:])
    failed = [entry.row.number for entry in entries if entry.result.holds is False]
    unknown = [entry.row.number for entry in entries if entry.result.holds is None]
    held = len(entries) - len(failed) - len(unknown)
    sys.stdout.write(f"{held} of {len(entries)} rows hold; failed: {failed}; not measured: {unknown}\n")
    return 1 if failed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scorecard", description=__doc__)
    parser.add_argument("--long", action="store_true", help="the long form: minutes to hours")
    parser.add_argument("--row", type=int, action="append", help="only this row; may be repeated")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--write", action="store_true", help="write the figures into docs/reliability.md")
    asked = parser.parse_args()
    asked.row = set(asked.row or ())
    return asked


if __name__ == "__main__":
    sys.exit(main())
