"""`ptcards explain`: explains a rule."""

import json
import re
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import click

from ptcards.cli.messages import CommandError, common_options, complete_rules, format_option, terminal
from ptcards.diagnostics.layout import Terminal, paint, reflow, width_of, wrap

if TYPE_CHECKING:
    from ptcards.lint.message import Message

_NARROWEST = 40
"""The minimum number of columns for a summary next to the name of its rule."""


@click.command()
@click.argument(
    "rule",
    required=False,
    metavar="[RULE]",
    shell_complete=complete_rules,
    help="The name in brackets in a message.",
)
@format_option("text", "json", help="Output format: for people or for programs.")
@common_options
def command(rule: str | None, form: str) -> None:
    """Explain a rule: the problem, the reason, an example and the fix. Without RULE, list all rules."""
    from ptcards.lint.registry import all_messages, near_rules, rules_as_json  # noqa: PLC0415 - heavier than --help

    rules, there = all_messages(), terminal(err=False)
    if rule is not None and rule not in rules:
        raise CommandError(f"there is no rule `{rule}`", near_rules(rule))
    if form == "json":
        found = rules.values() if rule is None else [rules[rule]]
        click.echo(json.dumps(rules_as_json(found), indent=2))
        return
    if rule is None:
        _list_rules([*rules.values()])
        return
    name = paint(rule, "path", color=there.color)
    text = _painted(reflow(rules[rule].explanation, there.columns), color=there.color)
    severity = paint(rules[rule].severity, rules[rule].severities[0], color=there.color)
    click.echo(f"{name} ({severity})\n\n{text}", nl=False, color=True)


def _painted(explanation: str, *, color: bool) -> str:
    """Return an explanation with its labels in bold, and the mistake and its cure in their colours."""
    parts = re.split(r"^(Why:|For instance[:,]|When:|Fix:)", explanation, flags=re.MULTILINE)
    painted = parts[0]
    for label, text in zip(parts[1::2], parts[2::2], strict=True):
        code = {"For instance": "-", "Fix": "+"}.get(label[:-1], "")
        lines = [
            paint(line, code, color=color and bool(code)) if line.startswith("    ") else line
            for line in text.split("\n")
        ]
        painted += paint(label, "path", color=color) + "\n".join(lines)
    return painted


def _list_rules(rules: Sequence["Message"]) -> None:
    """Print these rules by topic, each with its severity and what is wrong."""
    there = terminal(err=False)
    topics = groupby(sorted(rules, key=lambda rule: rule.topic), key=lambda rule: rule.topic)
    widest = max(len(rule.name) for rule in rules)
    for topic, some in topics:
        click.echo(paint(topic, "heading", color=there.color), color=True)
        for each in some:
            click.echo(_listed(each, widest=widest, terminal=there), color=True)
        click.echo()
    click.echo(wrap("[fix]: `ptcards check --fix` can fix it", there.columns, hang=2))


def _listed(rule: "Message", *, widest: int, terminal: Terminal) -> str:
    """Return a rule's entry in the list, on one line if it fits and otherwise on two."""
    name = paint(f"{rule.name:{widest}}", "path", color=terminal.color)
    before = f"  {name}  {paint(rule.severity, rule.severities[0], color=terminal.color)}"
    mark = f"{paint('[fix]', 'fix', color=terminal.color)} " if rule.has_fix else ""
    hang = widest + len("    error or warning  ")
    if terminal.columns is None or terminal.columns >= hang + _NARROWEST:
        gap = " " * max(2, hang - width_of(before))
        return wrap(f"{before}{gap}{mark}{rule.summary}", terminal.columns, hang=hang)
    return f"{before}\n{wrap(f'      {mark}{rule.summary}', terminal.columns, hang=6)}"
