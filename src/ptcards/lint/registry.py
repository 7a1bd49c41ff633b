"""Advice on notes: one rule, one module, found by being in `rules`.

A rule's name is that of its module with dashes, what it does and why stands in the docstring, which `ptcards explain`
prints. The module has `check(note, limits)`, called with each note, `check_all(notes, limits)`, called once with all
notes of the collection, or `check_text(path, text)`, called with each source; they yield diagnostics. `LIMITS` holds its numbers, which `[check.limits]` in `deck.toml`
overrides; `OFF = True` leaves it out unless `[check] enable` names it.
"""

import pkgutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any

from ptcards.diagnostics import Diagnostic, Severity
from ptcards.lint import rules
from ptcards.lint.note import Limits, Reading
from ptcards.notes import Note


@dataclass(frozen=True, slots=True)
class Check:
    """A rule of this package; its functions are None where the module lacks them."""

    name: str
    text: str
    severities: tuple[Severity, ...]
    limits: Limits
    off: bool
    check: Callable[[Reading, Limits], Iterator[Diagnostic]] | None
    check_all: Callable[[Sequence[Note], Limits], Iterator[Diagnostic]] | None
    check_text: Callable[[str, str], Iterator[Diagnostic]] | None


@cache
def checks() -> tuple[Check, ...]:
    """Import all rules, in the order of their names."""
    names = sorted(module.name for module in pkgutil.iter_modules(rules.__path__))
    return tuple(_check(import_module(f"{rules.__name__}.{name}"), name) for name in names)


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


def check_source(
    notes: Sequence[Reading], path: str, text: str, *, limits: Limits, enable: Sequence[str]
) -> Iterator[Diagnostic]:
    """Run the rules that are on and look at one note or one source; `text` is the source as its notes' places count it.

    `limits` overrides the defaults.
    """
    for check, own in _wanted(limits, enable):
        if check.check is not None:
            for note in notes:
                yield from check.check(note, own)
        if check.check_text is not None:
            yield from check.check_text(path, text)


def check_together(
    notes: Sequence[Note], *, selected: Callable[[str], bool], limits: Limits, enable: Sequence[str]
) -> Iterator[Diagnostic]:
    """Run the rules that are on and look at all notes of a collection; only those in selected paths are reported."""
    for check, own in _wanted(limits, enable):
        if check.check_all is not None:
            yield from (each for each in check.check_all(notes, own) if selected(each.location.path))


def _wanted(limits: Limits, enable: Sequence[str]) -> Iterator[tuple[Check, Limits]]:
    for check in checks():
        if not check.off or check.name in enable:
            yield check, {name: limits.get(name, default) for name, default in check.limits.items()}
