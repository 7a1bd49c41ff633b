"""Every rule by name: what it means, why, an example, the fix.

The texts of the rules in `rules/` are their modules' docstrings; those of parser, renderer, lock and `verify` stand in
`explanations/`, as `## name`, a line with the severities, and the text.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from ptcards.diagnostics import Severity
from ptcards.lint.registry import checks

_FIRST_LINES = """\
# Rules

What `ptcards check` and the other commands can say about a collection. `ptcards explain RULE` prints the same texts.
An error stops a build, a warning stops `ptcards check --strict`, a hint stops nothing. Warnings and hints are silenced
for a collection with `[check] ignore` in `deck.toml`, for a note with `ignore=` in its card comment.
"""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: `text` is Markdown, its first paragraph says in one sentence what is wrong.

    `limits` are its numbers by name, which `[check.limits]` overrides; an `off` one runs only if `enable` names it.
    """

    name: str
    severities: tuple[Severity, ...]
    text: str
    limits: Mapping[str, int]
    off: bool

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

    @property
    def severity(self) -> str:
        """The severities in words."""
        return " or ".join(self.severities) + (", off" if self.off else "")


@cache
def all_rules() -> Mapping[str, Rule]:
    """Read all rules, sorted by name."""
    rules = [
        Rule(check.name, check.severities, check.text.strip(), check.limits, check.off) for check in checks()
    ]
    for file in files("ptcards").joinpath("explanations").iterdir():
        for section in re.split(r"^## ", file.read_text("utf-8"), flags=re.MULTILINE)[1:]:
            name, severities, text = section.split("\n", 2)
            rules.append(Rule(name, tuple(map(Severity, severities.split())), text.strip(), {}, off=False))
    return MappingProxyType({rule.name: rule for rule in sorted(rules, key=lambda rule: rule.name)})


def rules_page() -> str:
    """Write the page about all rules, `docs/rules.md`."""
    rules = all_rules().values()
    table = ["| rule | | |", "| --- | --- | --- |"]
    table += [f"| [`{rule.name}`](#{rule.name}) | {rule.severity} | {rule.summary} |" for rule in rules]
    sections = [f"## `{rule.name}`\n\n{rule.severity}\n\n{rule.explanation}" for rule in rules]
    return "\n".join([_FIRST_LINES, *table, "", *sections])
