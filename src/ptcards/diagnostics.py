"""What an author should know about a source: values, never exceptions.

Every stage that reads an author's text returns its result together with a list of these.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

FLEETING = frozenset({"code-too-slow", "ignored-lock", "lock-ahead-of-clock", "restored-lock"})
"""Rules that another run may not report: they depend on the clock, on git, or on how busy the machine is."""


class Severity(StrEnum):
    """How much a diagnostic matters: an error stops a build, a warning stops `--strict`."""

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"


class Location(NamedTuple):
    """A place in a file.

    `path` is what the author sees (relative to the working folder where it lies below it),
    `line` and `column` count characters of the *file* from 1; column 0 is the line as a whole.
    """

    path: str
    line: int
    column: int = 1

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}" if self.column else f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding: where, which rule, what is wrong (`message`), what to do (`help`).

    The message is lower case, without a full stop, with the author's words in backticks;
    the cure stands in `help`, never in the message. `length` is how many characters the
    caret line underlines.
    """

    location: Location
    rule: str
    severity: Severity
    message: str
    help: str
    length: int = 1


def error(location: Location, rule: str, message: str, help: str, length: int = 1) -> Diagnostic:  # noqa: A002 - the word authors read
    """Make a diagnostic that stops the build."""
    return Diagnostic(location, rule, Severity.ERROR, message, help, length)


def warning(location: Location, rule: str, message: str, help: str, length: int = 1) -> Diagnostic:  # noqa: A002
    """Make a diagnostic that stops only `--strict`."""
    return Diagnostic(location, rule, Severity.WARNING, message, help, length)


def hint(location: Location, rule: str, message: str, help: str, length: int = 1) -> Diagnostic:  # noqa: A002
    """Make a diagnostic that stops nothing."""
    return Diagnostic(location, rule, Severity.HINT, message, help, length)


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether any of these stops a build."""
    return any(each.severity is Severity.ERROR for each in diagnostics)


def may_be_kept(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether what comes with these diagnostics may be kept for later runs, which would report the same."""
    return not any(each.severity is Severity.ERROR or each.rule in FLEETING for each in diagnostics)


def as_json(each: Diagnostic) -> dict[str, Any]:
    """Return a diagnostic as programs get it, and as the cache keeps it."""
    return {
        "path": each.location.path,
        "line": each.location.line,
        "column": each.location.column,
        "length": each.length,
        "rule": each.rule,
        "severity": each.severity.value,
        "message": each.message,
        "help": each.help,
    }


def from_json(encoded: Mapping[str, Any]) -> Diagnostic:
    """Return the diagnostic that `as_json` encoded."""
    place = Location(encoded["path"], encoded["line"], encoded["column"])
    severity = Severity(encoded["severity"])
    return Diagnostic(
        place, encoded["rule"], severity, encoded["message"], encoded["help"], encoded["length"]
    )
