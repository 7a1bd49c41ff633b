"""What an author should know about a source, as values and never as exceptions.

Every stage that reads an author's text returns a list of diagnostics with its result; `render` shows them.
Only a command that cannot be carried out as it was given is an exception.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Flag, StrEnum, auto
from functools import partial
from typing import Any, NamedTuple, Self


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

    @classmethod
    def within(cls, path: str, text: str, offset: int) -> Self:
        """Return the place of a character of a file's text."""
        return cls(path, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))

    @property
    def is_file(self) -> bool:
        """Whether it is a complete file or folder."""
        return (self.line, self.column) == (1, 0)

    def __str__(self) -> str:
        if self.is_file:
            return self.path
        return f"{self.path}:{self.line}:{self.column}" if self.column else f"{self.path}:{self.line}"


class Trait(Flag):
    """What commands need to know about a diagnostic besides its rule and its severity."""

    NONE = 0
    FLEETING = auto()
    """Another run might not report it: it depends on the clock, on git or on the load of the machine."""
    IGNORABLE = auto()
    """It may be ignored although it is an error, because the cards are what the author wrote."""
    MISLEADING = auto()
    """Because of it, advice on the note would be wrong or too slow."""
    FOLLOWS = auto()
    """Any other error on its line explains it."""
    OWN_FORMAT = auto()
    """It does not apply to sources clearly written for another program."""
    UNFINISHED = auto()
    """It is about a note that its author has not finished."""
    TASTE = auto()
    """It is about how a card is written, which is right without this advice."""
    STRAY_TEXT = auto()
    """It is about text that belongs to no note."""
    NO_NOTES = auto()
    """There are no notes."""
    MANY = auto()
    """It is about many cards, perhaps most of them, so no table hides it."""
    QUESTION = auto()
    """It asks whether a note is one that learners have."""
    FOR_LEARNERS = auto()
    """It only matters to those who publish a deck."""
    MERGE = auto()
    """A merge in git is not finished."""
    RELATIVE = auto()
    """It underlines a link to another place in the collection."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding: where it is, its rule, what is wrong (`message`) and what to do (`help`).

    The message is lower case without a full stop, with the author's words in backticks; the fix is in `help`,
    never in the message. `length` is the number of characters that the caret line underlines.
    """

    location: Location
    rule: str
    severity: Severity
    message: str
    help: str
    length: int = 1
    traits: Trait = field(default=Trait.NONE, compare=False)


def _report(  # noqa: PLR0917 - the severity is given below
    severity: Severity,
    location: Location,
    rule: str,
    message: str,
    help: str,  # noqa: A002 - the word that authors see
    length: int = 1,
    *,
    traits: Trait = Trait.NONE,
) -> Diagnostic:
    return Diagnostic(location, rule, severity, message, help, length, traits)


error = partial(_report, Severity.ERROR)
"""Returns a diagnostic that stops the build."""
warning = partial(_report, Severity.WARNING)
"""Returns a diagnostic that only fails `--strict`."""
hint = partial(_report, Severity.HINT)
"""Returns a diagnostic that fails nothing."""


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
        diagnostic.severity is Severity.ERROR or Trait.FLEETING in diagnostic.traits
        for diagnostic in diagnostics
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
