"""What a rule is, and all of them: `rules/` has one file for each, or for a family about one construct.

To add a rule, write its class there. What parser, lock or `verify` find they report themselves, under the
rule's name: the class then only explains it. Advice is found by the class itself, in `check`, `check_all` or
`check_text`. What has one certain cure is fixed by its `fix`.
"""

import pkgutil
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from inspect import cleandoc
from types import MappingProxyType

from ptcards.diagnostics import Diagnostic, Location, Severity
from ptcards.lint import rules
from ptcards.lint.note import Code, Passage, Reading
from ptcards.notes import Note
from ptcards.source.collection import Source

_NO_LIMITS: Mapping[str, int] = MappingProxyType({})

_FIRST_LINES = """\
# Rules

What `ptcards check` and the other commands report about a collection. `ptcards explain RULE` prints the same texts.
An error stops a build, a warning stops `ptcards check --strict`, a hint stops nothing. Warnings and hints are silenced
for a collection with `[check] ignore` in `deck.toml`, for a note with `ignore=` in its card comment.
"""


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace `old`, which is in a line (from 1) at a column (from 1); with `new` None the line goes."""

    line: int
    column: int
    old: str
    new: str | None


def replace_code(code: Code, rows: Iterable[str]) -> Iterator[Edit]:
    """Yield the edits that make a block of code of these rows."""
    for row, (before, after) in enumerate(zip(code.rows, rows, strict=True)):
        if before != after:
            place = code.locate(row)
            yield Edit(place.line, place.column, before, after)


@dataclass(frozen=True, slots=True)
class Draft:
    """A source that is being fixed: lines without their ends, notes, and what the parser reports."""

    lines: Sequence[str]
    notes: Sequence[Reading]
    diagnostics: Sequence[Diagnostic]
    source: Source

    @property
    def codes(self) -> Iterator[Code]:
        """All blocks of code."""
        return (code for note in self.notes for code in note.codes)

    def found(self, rule: str) -> Iterator[Diagnostic]:
        """Yield what the parser reported under a rule."""
        return (each for each in self.diagnostics if each.rule == rule)

    def marked(self, each: Diagnostic) -> str:
        """Return what a finding underlines."""
        start = each.location.column - 1
        return self.lines[each.location.line - 1][start : start + each.length]

    def replace(self, each: Diagnostic, new: str | None) -> Iterator[Edit]:
        """Yield the edit that writes `new` in place of what a finding underlines; none without it."""
        if new is not None:
            yield Edit(each.location.line, each.location.column, self.marked(each), new)


class Rule:
    """A rule, which its docstring explains; the first paragraph says in one sentence what is wrong.

    The name comes from that of the class: `ManyOptions` is `many-options`. `severity` is `error`, `warning`,
    `hint`, or two of them with ` or ` in between. `limits` are its numbers by name, which `[check.limits]` in
    `deck.toml` overrides. A rule that is `off` runs only if `[check] enable` names it. One that only commands
    other than `check` report is `elsewhere`: `check` does not call its `ignore` unused. An `english` one is about English
    wording: it is silent on notes in another language.
    """

    name: str
    severities: tuple[Severity, ...]
    limits: Mapping[str, int]
    off: bool
    elsewhere: bool
    english: bool

    def __init_subclass__(
        cls,
        *,
        severity: str,
        limits: Mapping[str, int] = _NO_LIMITS,
        off: bool = False,
        elsewhere: bool = False,
        english: bool = False,
    ) -> None:
        super().__init_subclass__()
        cls.name = re.sub(r"(?<=.)(?=[A-Z])", "-", cls.__name__).lower()
        cls.severities = tuple(map(Severity, severity.split(" or ")))
        cls.limits, cls.off, cls.elsewhere, cls.english = limits, off, elsewhere, english

    def __init__(self, limits: Mapping[str, int] = _NO_LIMITS) -> None:
        self.limits = {name: limits.get(name, default) for name, default in self.limits.items()}

    def check(self, _note: Reading, /) -> Iterable[Diagnostic]:
        """Advise on a note."""
        return ()

    def check_all(self, _notes: Sequence[Note], /) -> Iterable[Diagnostic]:
        """Advise on all notes of a collection together."""
        return ()

    def check_text(self, _path: str, _text: str, /) -> Iterable[Diagnostic]:
        """Advise on the text of a source."""
        return ()

    def fix(self, _draft: Draft, /) -> Iterable[Edit]:
        """Yield edits that leave the rule nothing to report, where there is only one cure."""
        return ()

    def exceeded(self, number: int) -> tuple[int, Severity] | None:
        """Return the limit that a number exceeds, the rule's own or that for hints, and how grave that is."""
        for name, severity in ((self.name, Severity.WARNING), (f"{self.name}-hint", Severity.HINT)):
            if number > self.limits[name]:
                return self.limits[name], severity
        return None

    def report(
        self, place: Location, message: str, fix: str, length: int = 1, *, severity: Severity | None = None
    ) -> Diagnostic:
        """Return a diagnostic of this rule, of its only or gravest severity unless told otherwise."""
        return Diagnostic(place, self.name, severity or self.severities[0], message, fix, length)

    def report_passage(self, passage: Passage, message: str, fix: str) -> Diagnostic:
        """Return a diagnostic about all of a passage, such as a heading."""
        return self.report(passage.locate(), message, fix, len(passage.raw))

    @property
    def severity(self) -> str:
        """The severities in words."""
        return " or ".join(self.severities) + (", off" if self.off else "")

    @property
    def text(self) -> str:
        """What is wrong, why, an example and the fix, in Markdown."""
        return cleandoc(self.__doc__ or "")

    @property
    def summary(self) -> str:
        """The first sentence, without its full stop."""
        return " ".join(self.text.partition("\n\n")[0].split()).removesuffix(".")

    @property
    def explanation(self) -> str:
        """The text, and how the limits are set."""
        if not self.limits:
            return f"{self.text}\n"
        limits = "".join(f"    {name} = {limit}\n" for name, limit in self.limits.items())
        return f"{self.text}\n\nLimits, in `deck.toml`:\n\n    [check.limits]\n{limits}"


@cache
def all_rules() -> Mapping[str, Rule]:
    """Import all rules; return them by name, in the order of their names."""
    for module in pkgutil.iter_modules(rules.__path__):
        import_module(f"{rules.__name__}.{module.name}")
    found = sorted((rule() for rule in Rule.__subclasses__()), key=lambda rule: rule.name)
    return MappingProxyType({rule.name: rule for rule in found})


def rules_page() -> str:
    """Return the page about all rules, `docs/rules.md`."""
    found = all_rules().values()
    table = ["| rule | | |", "| --- | --- | --- |"]
    table += [f"| [`{rule.name}`](#{rule.name}) | {rule.severity} | {rule.summary} |" for rule in found]
    sections = [f"## `{rule.name}`\n\n{rule.severity}\n\n{rule.explanation}" for rule in found]
    return "\n".join([_FIRST_LINES, *table, "", *sections])
