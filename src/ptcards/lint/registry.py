"""The base class of rules, and the registry of all messages.

To add a rule, write its class in a file in `rules/`; related rules share a file. The parser and the lock
report problems under a name themselves, so these only have a `Message` with the explanation there; those of
an extension's commands are in its folder `messages/`. A `Rule` looks for problems in `check`, `check_all`,
`check_macros` or `check_text`. If a problem has exactly one safe fix, implement `fix`, even if the parser
reports it.
"""

import pkgutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any, NamedTuple

from ptcards.diagnostics import Diagnostic, Location, Severity, Trait
from ptcards.diagnostics.suggest import did_you_mean, slip_among
from ptcards.extensions import modules
from ptcards.lint import rules
from ptcards.lint.message import NO_LIMITS, Message
from ptcards.lint.note import Code, Overview, Reading
from ptcards.notes import Macro, Note
from ptcards.source.source import Source


@dataclass(frozen=True, slots=True, order=True)
class LineEdit:
    """A change to one line: `new` replaces `old` at a line and column (both from 1).

    If `new` is `None`, the line is deleted. An edit is dropped if the line does not contain `old` at that
    column, so `old` cannot span lines; `new` can, and its lines end like the one that it changes. `rule` is
    the rule that proposed it, set by those who asked; equal edits of two rules are one edit.
    """

    line: int
    column: int
    old: str
    new: str | None
    rule: str = field(default="", compare=False)


def replace_code(code: Code, rows: Iterable[str]) -> Iterator[LineEdit]:
    """Yield the edits that turn the lines of a block of code into `rows`."""
    for row, (before, after) in enumerate(zip(code.rows, rows, strict=True)):
        if before != after:
            place = code.locate(row)
            yield LineEdit(place.line, place.column, before, after)


class SourceToFix(NamedTuple):
    """A source to fix: its lines without line endings, its notes, and the parser's diagnostics."""

    lines: Sequence[str]
    notes: Sequence[Reading]
    diagnostics: Sequence[Diagnostic]
    source: Source

    @property
    def codes(self) -> Iterator[Code]:
        """All blocks of code."""
        return (code for note in self.notes for code in note.codes)

    def found(self, rule: str) -> Iterator[Diagnostic]:
        """Yield the parser's diagnostics for a rule; rules that look at `notes` themselves have none."""
        return (diagnostic for diagnostic in self.diagnostics if diagnostic.rule == rule)

    def marked(self, each: Diagnostic) -> str:
        """Return the text that a diagnostic underlines."""
        start = each.location.column - 1
        return self.lines[each.location.line - 1][start : start + each.length]

    def corrections(self, rule: str, known: Iterable[str]) -> Iterator[LineEdit]:
        """Yield edits that replace what a rule found with the known word that was clearly intended."""
        for diagnostic in self.found(rule):
            yield from self.replace(diagnostic, slip_among(self.marked(diagnostic), known))

    def replace(self, each: Diagnostic, new: str | None) -> Iterator[LineEdit]:
        """Yield an edit that replaces the text a diagnostic underlines, or nothing if `new` is `None`."""
        if new is not None:
            yield LineEdit(each.location.line, each.location.column, self.marked(each), new)


class Rule(Message):
    """A message about what the rule itself looks for, or what it can fix.

    `limits` maps names to default values, which `[check.limits]` in `deck.toml` overrides. A rule that is
    `off` runs only if `[check] enable` names it. An `english` rule is about English wording, and skips notes
    in other languages. Only rules for `own_types` look at notes with the collection's own note types. A rule
    that is `once` has at most one finding per file, with the number of the others. One of `taste` is about
    how a card is written, which is right without the advice.
    """

    own_types: bool
    once: bool
    taste: bool

    def __init_subclass__(
        cls,
        *,
        severity: str,
        limits: Mapping[str, int] = NO_LIMITS,
        off: bool = False,
        english: bool = False,
        own_types: bool = False,
        once: bool = False,
        taste: bool = False,
    ) -> None:
        super().__init_subclass__(severity=severity)
        cls.has_fix = "fix" in cls.__dict__
        if (limits or off or english) and cls.has_fix:
            message = "`check --fix` applies fixes everywhere, so a rule with a fix cannot be off or limited"
            raise TypeError(message)
        cls.limits, cls.off, cls.english = limits, off, english
        cls.own_types, cls.once, cls.taste = own_types, once, taste

    def __init__(self, limits: Mapping[str, int] = NO_LIMITS) -> None:
        self.limits = {name: limits.get(name, default) for name, default in self.limits.items()}

    def check(self, _note: Reading, /) -> Iterable[Diagnostic]:
        """Yield diagnostics about a note."""
        return ()

    def check_all(self, _notes: Sequence[Overview], /) -> Iterable[Diagnostic]:
        """Yield diagnostics that depend on all notes of a collection."""
        return ()

    def check_text(self, _path: str, _text: str, /) -> Iterable[Diagnostic]:
        """Yield diagnostics about the text of a source."""
        return ()

    def check_macros(self, _macros: Sequence[Macro], /) -> Iterable[Diagnostic]:
        """Yield diagnostics about the definitions of a collection's macros for formulas."""
        return ()

    def fix(self, _draft: SourceToFix, /) -> Iterable[LineEdit]:
        """Yield edits that fix the reported problems if only one fix is possible."""
        return ()

    def exceeded(self, number: int) -> tuple[int, Severity] | None:
        """Return the limit that a number exceeds and the severity, or `None` if it exceeds no limit.

        The rule must have two `limits`: its name for warnings, and its name with `-hint` for hints.
        """
        limit, hint = self.limits[self.name], self.limits[f"{self.name}-hint"]
        if number > limit:
            return limit, Severity.WARNING
        return (hint, Severity.HINT) if number > hint else None

    def report(
        self, place: Location, message: str, fix: str, length: int = 1, *, severity: Severity | None = None
    ) -> Diagnostic:
        """Return a diagnostic of this rule, by default with its most serious severity."""
        assert place.path, f"a finding of {self.name} has no file"  # noqa: S101 - nobody could find it
        traits = Trait.TASTE if self.taste else Trait.NONE
        severity = severity or self.severities[0]
        return Diagnostic(place, self.name, severity, message, fix, length, traits=traits)

    def report_question(self, note: Note, message: str, fix: str) -> Diagnostic:
        """Return a diagnostic about a note's heading, or about the text of a cloze that has none."""
        return self.report(note.heading_place, message, fix, note.heading_length)

    def report_heading(self, note: Overview, message: str, fix: str) -> Diagnostic:
        """Return a diagnostic about a note's heading."""
        return self.report(note.heading, message, fix, note.length)


@cache
def all_messages() -> Mapping[str, Message]:
    """Return all messages of the core and of extensions by name, in alphabetical order.

    Importing their modules registers them.
    """
    for package in (rules, *modules("messages")):
        for module in pkgutil.iter_modules(package.__path__):
            import_module(f"{package.__name__}.{module.name}")
    found = (each() for each in (*Message.__subclasses__(), *Rule.__subclasses__()) if each is not Rule)
    return MappingProxyType({each.name: each for each in sorted(found, key=lambda each: each.name)})


@cache
def all_rules() -> Mapping[str, Rule]:
    """Return the messages that are rules, by name, in alphabetical order."""
    return {name: each for name, each in all_messages().items() if isinstance(each, Rule)}


def near_rules(name: str) -> str:
    """Return the help for an unknown rule: the rules that may be meant."""
    return did_you_mean(name, all_messages(), "run `ptcards explain` to list the rules")


def rules_as_json(rules: Iterable[Message]) -> dict[str, Any]:
    """Return rules in the form of `docs/schemas/rules.json`."""
    return {"version": 1, "rules": [_rule_as_json(rule) for rule in rules]}


def _rule_as_json(rule: Message) -> dict[str, Any]:
    return {
        "name": rule.name,
        "severities": [severity.value for severity in rule.severities],
        "on": not rule.off,
        "english": rule.english,
        "fix": rule.has_fix,
        "limits": dict(rule.limits),
        "summary": rule.summary,
        "wrong": rule.wrong,
        "right": rule.right,
        "explanation": rule.explanation,
    }
