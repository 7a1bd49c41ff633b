"""Advice on notes: one rule, one module, found by being here.

A rule's name is that of its module with dashes, what it does and why stands in the docstring, which `ptcards explain`
prints. The module has `check(note, limits)`, called with each note, `check_all(notes, limits)`, called once with all
notes of the collection, or `check_text(path, text)`, called with each source; they yield diagnostics. `LIMITS` holds its numbers, which `[check.limits]` in `deck.toml`
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
from ptcards.reading import Limits, Reading


@dataclass(frozen=True, slots=True)
class Check:
    """A rule of this package; its functions are None where the module lacks them."""

    name: str
    text: str
    severities: tuple[Severity, ...]
    limits: Limits
    off: bool
    check: Callable[[Reading, Limits], Iterator[Diagnostic]] | None
    check_all: Callable[[Sequence[Reading], Limits], Iterator[Diagnostic]] | None
    check_text: Callable[[str, str], Iterator[Diagnostic]] | None


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
        check_text=getattr(module, "check_text", None),
    )


def default_limits() -> dict[str, int]:
    """Give the numbers of all rules, by name."""
    return {name: limit for check in checks() for name, limit in check.limits.items()}


def check_notes(
    notes: Sequence[Reading],
    texts: Mapping[str, str],
    *,
    selected: Callable[[str], bool],
    limits: Mapping[str, int],
    enable: Sequence[str],
) -> list[Diagnostic]:
    """Run all rules that are on over the notes of a collection; only those in selected paths are reported.

    `texts` are the sources by path, as their notes' places count them; `limits` overrides the defaults.
    """
    found: list[Diagnostic] = []
    chosen = [note for note in notes if selected(note.note.location.path)]
    for check in checks():
        if check.off and check.name not in enable:
            continue
        own = {name: limits.get(name, default) for name, default in check.limits.items()}
        if check.check is not None:
            for note in chosen:
                found += check.check(note, own)
        if check.check_text is not None:
            for path, text in texts.items():
                found += check.check_text(path, text) if selected(path) else ()
        if check.check_all is not None:
            found += (each for each in check.check_all(notes, own) if selected(each.location.path))
    return found
