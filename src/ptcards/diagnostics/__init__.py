"""What an author should know about a source, as values and never as exceptions.

Every stage that reads an author's text returns a list of diagnostics with its result; `render` shows them.
Only a command that cannot be carried out as it was given is an exception.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

FLEETING = frozenset({"code-too-slow", "far-future-clock", "lock-ahead-of-clock", "restored-lock"})
"""Rules that another run might not report: they depend on the clock, on git or on the load of the machine."""

IGNORABLE = frozenset({"hint-in-code", "smart-quotes-in-code"})
"""Rules whose errors may be ignored, because the cards are what the author wrote."""

MISLEADING = frozenset({"field-too-large", "line-left-of-fence", "unclosed-comment", "unclosed-fence"})
"""Errors after which advice on the note would be wrong, because the parser misreads it, or too slow."""


class WrongUseError(Exception):
    """A command cannot be carried out as it was given, with exit status 2; `help` may say what to do."""

    def __init__(self, message: str, help: str = "") -> None:  # noqa: A002 - the word that authors see
        super().__init__(message)
        self.help = help


class Severity(StrEnum):
    """The severity of a diagnostic: an error stops a build, and a warning fails `--strict`."""

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"


class Location(NamedTuple):
    """A place in a file.

    `path` is the path to show, relative to the working folder for files below it. `line` and `column` count
    from 1 in the *file*; column 0 means the complete line, or in line 1 the complete file or folder.
    """

    path: str
    line: int
    column: int = 1

    @property
    def is_file(self) -> bool:
        """Whether it is a complete file or folder."""
        return (self.line, self.column) == (1, 0)

    def __str__(self) -> str:
        if self.is_file:
            return self.path
        return f"{self.path}:{self.line}:{self.column}" if self.column else f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding: where it is, its rule, what is wrong (`message`) and what to do (`help`).

    The message is lower case without a full stop, with the author's words in backticks; the fix is in `help`,
    never in the message. `length` is the number of characters that the caret line underlines. `key` is the
    setting of a note that seems to be missing because of this, or empty.
    """

    location: Location
    rule: str
    severity: Severity
    message: str
    help: str
    length: int = 1
    key: str = field(default="", compare=False)


def error(
    location: Location,
    rule: str,
    message: str,
    help: str,  # noqa: A002 - the word that authors see
    length: int = 1,
) -> Diagnostic:
    """Return a diagnostic that stops the build."""
    return Diagnostic(location, rule, Severity.ERROR, message, help, length)


def warning(
    location: Location,
    rule: str,
    message: str,
    help: str,  # noqa: A002 - the word that authors see
    length: int = 1,
) -> Diagnostic:
    """Return a diagnostic that only fails `--strict`."""
    return Diagnostic(location, rule, Severity.WARNING, message, help, length)


def hint(
    location: Location,
    rule: str,
    message: str,
    help: str,  # noqa: A002 - the word that authors see
    length: int = 1,
) -> Diagnostic:
    """Return a diagnostic that fails nothing."""
    return Diagnostic(location, rule, Severity.HINT, message, help, length)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun for messages: `1 note`, `1,200 notes`."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def errors_in(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the diagnostics that stop a build."""
    return [diagnostic for diagnostic in diagnostics if diagnostic.severity is Severity.ERROR]


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether any of these stops a build."""
    return bool(errors_in(diagnostics))


def may_be_kept(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether a result with these diagnostics may be cached: later runs would report the same."""
    return not any(
        diagnostic.severity is Severity.ERROR or diagnostic.rule in FLEETING for diagnostic in diagnostics
    )


def counted_by_severity(diagnostics: Iterable[Diagnostic]) -> dict[str, int]:
    """Return the number of diagnostics of each severity in the form that programs use."""
    counts = Counter(diagnostic.severity for diagnostic in diagnostics)
    return {f"{severity}s": counts[severity] for severity in Severity}


def as_json(each: Diagnostic) -> dict[str, Any]:
    """Return a diagnostic in the form that programs use."""
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
