"""Measures what each rule costs in a first check, in a single process.

    python bench/rules.py DECK

Prints the rules that take more than 1% of the check. What rules share, such as the words of a note, counts
for the rule that needs it first.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path

from ptcards.diagnostics import Diagnostic
from ptcards.lint.check import check
from ptcards.lint.registry import Rule, all_rules

LEAST = 0.01
"""The share of the check from which a rule is in the table."""


def measure(deck: Path) -> tuple[Counter[str], float]:
    """Return the seconds that each rule took, and those of the whole check."""
    seconds: Counter[str] = Counter()
    for rule in all_rules().values():
        for name in ("check", "check_all", "check_text", "check_macros", "fix"):
            if getattr(type(rule), name) is not getattr(Rule, name):
                _measured(type(rule), name, rule.name, seconds)
    begun = time.perf_counter()
    check([deck])
    return seconds, time.perf_counter() - begun


def _measured(kind: type[Rule], method: str, name: str, seconds: Counter[str]) -> None:
    """Make a method of a rule add what it takes to `seconds`."""
    look: Callable[..., Iterable[Diagnostic]] = getattr(kind, method)

    @wraps(look)
    def looked(*given: object) -> list[Diagnostic]:
        begun = time.perf_counter()
        found = list(look(*given))
        seconds[name] += time.perf_counter() - begun
        return found

    setattr(kind, method, looked)


def main() -> None:
    """Print the table for a deck."""
    seconds, whole = measure(Path(sys.argv[1]))
    print(f"| rule | share of a check ({whole:.2f} s) |\n|---|---|")
    for name, took in seconds.most_common():
        if took > LEAST * whole:
            print(f"| {name} | {took / whole:.1%} |")
    print(f"\nAll rules: {seconds.total() / whole:.0%}")


if __name__ == "__main__":
    main()
