"""Advice on notes: one rule, one module, found by being here.

A rule's name is that of its module with dashes, what it does and why stands in the docstring, which `ptcards explain`
prints. The module has `check(note, limits)`, called with each note, or `check_all(notes, limits)`, called once with all
notes of the collection; both yield diagnostics. `LIMITS` holds its numbers, which `[check.limits]` in `deck.toml`
overrides; `OFF = True` leaves it out unless `[check] enable` names it.
"""

import pkgutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any

from ptcards.diagnostics import Diagnostic, Severity
from ptcards.notes import Note
from ptcards.reading import Limits, Reading, read


@dataclass(frozen=True, slots=True)
class Check:
    """A rule of this package; one of `check` and `check_all` is None."""

    name: str
    text: str
    severities: tuple[Severity, ...]
    limits: Limits
    off: bool
    check: Callable[[Reading, Limits], Iterator[Diagnostic]] | None
    check_all: Callable[[Sequence[Reading], Limits], Iterator[Diagnostic]] | None


@cache
def checks() -> tuple[Check, ...]:
    """Import all rules, in the order of their names."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return tuple(_check(import_module(f"{__name__}.{name}"), name) for name in names)


def _check(module: Any, name: str) -> Check:
    return Check(
        name=name.replace("_", "-"),
        text=module.__doc__,
        # A module imports `error`, `warning` and `hint` only to use them; ruff sees to that.
        severities=tuple(severity for severity in Severity if hasattr(module, severity)),
        limits=MappingProxyType(getattr(module, "LIMITS", {})),
        off=getattr(module, "OFF", False),
        check=getattr(module, "check", None),
        check_all=getattr(module, "check_all", None),
    )


def default_limits() -> dict[str, int]:
    """Give the numbers of all rules, by name."""
    return {name: limit for check in checks() for name, limit in check.limits.items()}


def check_notes(
    notes: Sequence[Note],
    *,
    selected: Callable[[Note], bool],
    limits: Mapping[str, int],
    enable: Sequence[str],
) -> list[Diagnostic]:
    """Run all rules that are on over the notes of a collection; only the selected ones are reported.

    `limits` overrides the defaults.
    """
    found: list[Diagnostic] = []
    readings = []
    for note in notes:
        reading, problems = read(note)
        readings.append(reading)
        found += problems if selected(note) else ()
    chosen = [reading for reading in readings if selected(reading.note)]
    paths = {reading.note.location.path for reading in chosen}
    for check in checks():
        if check.off and check.name not in enable:
            continue
        own = {name: limits.get(name, default) for name, default in check.limits.items()}
        if check.check is not None:
            for reading in chosen:
                found += check.check(reading, own)
        if check.check_all is not None:
            found += (each for each in check.check_all(readings, own) if each.location.path in paths)
    return found
