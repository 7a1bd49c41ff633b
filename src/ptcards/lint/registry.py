"""The base class of rules, and the registry of all rules.

To add a rule, write its class in a file in `rules/`; related rules share a file. The parser, the lock and
`verify` report problems under a rule's name themselves, so the classes of these rules only explain them. The
class of any other rule looks for problems in `check`, `check_all`, `check_macros` or `check_text`. If a
problem has exactly one safe fix, implement `fix`.
"""

import pkgutil
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from inspect import cleandoc
from types import MappingProxyType
from typing import Any

from ptcards.diagnostics import Diagnostic, Location, Severity
from ptcards.diagnostics.suggest import near_names, slip_among
from ptcards.lint import rules
from ptcards.lint.note import Code, Overview, Passage, Reading
from ptcards.notes import Macro
from ptcards.source.source import Source

_NO_LIMITS: Mapping[str, int] = MappingProxyType({})

_INDENT = re.compile(r"^ {4}", re.MULTILINE)
_EXAMPLE = re.compile(r"^ {4}.*(?:\n+ {4}.*)*", re.MULTILINE)


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


@dataclass(frozen=True, slots=True)
class SourceToFix:
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


class Rule:
    """A rule; its docstring is the explanation, which begins with one sentence about what is wrong.

    The name comes from the class: `ManyOptions` is `many-options`. `severity` is `error`, `warning` or
    `hint`, or several of them joined by ` or `. `limits` maps names to default values, which `[check.limits]`
    in `deck.toml` overrides. A rule that is `off` runs only if `[check] enable` names it. A rule is
    `elsewhere` if only commands other than `check` report it; `check` then never reports its `ignore` as
    unused. An `english` rule is about English wording, and skips notes in other languages. Only
    rules for `own_types` look at notes with the collection's own note types. A rule that is
    `once` has at most one finding per file, with the number of the others.
    """

    name: str
    severities: tuple[Severity, ...]
    limits: Mapping[str, int]
    off: bool
    elsewhere: bool
    english: bool
    own_types: bool
    once: bool

    def __init_subclass__(
        cls,
        *,
        severity: str,
        limits: Mapping[str, int] = _NO_LIMITS,
        off: bool = False,
        elsewhere: bool = False,
        english: bool = False,
        own_types: bool = False,
        once: bool = False,
    ) -> None:
        super().__init_subclass__()
        if (limits or off or english) and "fix" in cls.__dict__:
            message = "`check --fix` applies fixes everywhere, so a rule with a fix cannot be off or limited"
            raise TypeError(message)
        cls.name = re.sub(r"(?<=.)(?=[A-Z])", "-", cls.__name__).lower()
        cls.severities = tuple(map(Severity, severity.split(" or ")))
        cls.limits, cls.off, cls.elsewhere, cls.english = limits, off, elsewhere, english
        cls.own_types, cls.once = own_types, once

    def __init__(self, limits: Mapping[str, int] = _NO_LIMITS) -> None:
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
        for name, severity in ((self.name, Severity.WARNING), (f"{self.name}-hint", Severity.HINT)):
            if number > self.limits[name]:
                return self.limits[name], severity
        return None

    def report(
        self, place: Location, message: str, fix: str, length: int = 1, *, severity: Severity | None = None
    ) -> Diagnostic:
        """Return a diagnostic of this rule, by default with its most serious severity."""
        assert place.path, f"a finding of {self.name} has no file"  # noqa: S101 - nobody could find it
        return Diagnostic(place, self.name, severity or self.severities[0], message, fix, length)

    def report_passage(self, passage: Passage, message: str, fix: str) -> Diagnostic:
        """Return a diagnostic about an entire passage, such as a heading."""
        return self.report(passage.locate(), message, fix, len(passage.raw))

    def report_heading(self, note: Overview, message: str, fix: str) -> Diagnostic:
        """Return a diagnostic about a note's heading."""
        return self.report(note.heading, message, fix, note.length)

    @property
    def severity(self) -> str:
        """The severities as text, followed by `off` if the rule is off by default."""
        return " or ".join(self.severities) + (", off" if self.off else "")

    @property
    def topic(self) -> str:
        """What the rule is about: the name of its file as words."""
        return type(self).__module__.rpartition(".")[2].replace("_", " ").capitalize()

    @property
    def has_fix(self) -> bool:
        """Whether `check --fix` can fix what it reports, in at least some cases."""
        return type(self).fix is not Rule.fix

    @property
    def text(self) -> str:
        """The explanation in Markdown: the problem, the reason, an example and the fix."""
        return cleandoc(self.__doc__ or "")

    @property
    def summary(self) -> str:
        """The first paragraph, without the full stop."""
        return " ".join(self.text.partition("\n\n")[0].split()).removesuffix(".")

    @property
    def wrong(self) -> str:
        """The example of what is wrong, or words that say when it happens."""
        return self._example("For instance") or self._example("When:")

    @property
    def right(self) -> str:
        """The example with the fix, or nothing if words describe the fix."""
        return self._example("Fix:")

    def _example(self, head: str) -> str:
        """Return the first example below a head, without its indentation."""
        found = _EXAMPLE.search(self.text.partition(f"\n\n{head}")[2].partition("\n\nFix:")[0])
        return _INDENT.sub("", found[0]) if found else ""

    @property
    def explanation(self) -> str:
        """The text, followed by how to set the limits."""
        if not self.limits:
            return f"{self.text}\n"
        limits = "".join(f"    {name} = {limit}\n" for name, limit in self.limits.items())
        return f"{self.text}\n\nLimits, in `deck.toml`:\n\n    [check.limits]\n{limits}"


_MOST_NEAR = 5
"""How many rules are named in the answer to an unknown one."""


@cache
def all_rules() -> Mapping[str, Rule]:
    """Return all rules by name, in alphabetical order; importing their modules registers them."""
    for module in pkgutil.iter_modules(rules.__path__):
        import_module(f"{rules.__name__}.{module.name}")
    found = sorted((rule() for rule in Rule.__subclasses__()), key=lambda rule: rule.name)
    return MappingProxyType({rule.name: rule for rule in found})


def near_rules(name: str) -> str:
    """Return the help for an unknown rule: the rules that may be meant."""
    *others, last = [f"`{each}`" for each in near_names(name, all_rules())[:_MOST_NEAR]] or [""]
    if not last:
        return "run `ptcards explain` to list the rules"
    return f"did you mean {', '.join(others)} or {last}?" if others else f"did you mean {last}?"


def rules_as_json(rules: Iterable[Rule]) -> dict[str, Any]:
    """Return rules in the form of `docs/schemas/rules.json`."""
    return {"version": 1, "rules": [_rule_as_json(rule) for rule in rules]}


def _rule_as_json(rule: Rule) -> dict[str, Any]:
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
