"""The settings of `[check]` and the `ignore` of notes: names that no rule has, and what has no use."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ptcards.collection import shown
from ptcards.config import key_place
from ptcards.diagnostics import Diagnostic, Location, Severity, error, warning
from ptcards.inputs import read_to_show
from ptcards.loading import Parsed
from ptcards.notes import Note
from ptcards.rules import Rule
from ptcards.suggest import did_you_mean

ELSEWHERE = frozenset({"code-too-slow", "code-warning", "no-deck-toml"})
"""Warnings and hints that only other commands than `check` give: whether they are ignored in vain cannot be seen here."""

_SEARCHED = 20
"""Lines below a heading in which its card comment is looked for."""


def check_settings(
    parsed: Parsed, rules: Mapping[str, Rule], used: frozenset[tuple[Note | None, str]]
) -> Iterator[Diagnostic]:
    """Report names that no rule or limit has, and ignores without use."""
    config = parsed.collection.config.check
    limits = {name for rule in rules.values() for name in rule.limits}
    for name in config.limits:
        if name not in limits:
            fix = did_you_mean(name, limits, "`ptcards explain RULE` names the limits of a rule")
            place = _in_toml(parsed, "check.limits", name)
            yield error(place, "unknown-limit", f"no rule has a limit `{name}`", fix, len(name))
    for name in config.enable:
        if name not in rules:
            yield _unknown_rule(_in_list(parsed, "enable", name), name, rules)
    for note, name, place in _ignored(parsed):
        if name not in rules:
            yield _unknown_rule(place, name, rules)
        elif set(rules[name].severities) == {Severity.ERROR}:
            message = f"`{name}` is an error and cannot be ignored"
            yield warning(
                place, "unused-ignore", message, "delete it here, and mend what it names", len(name)
            )
        elif (note, name) not in used and name not in ELSEWHERE:
            yield warning(place, "unused-ignore", f"`{name}` has nothing to ignore", "delete it", len(name))


def _ignored(parsed: Parsed) -> Iterator[tuple[Note | None, str, Location]]:
    """Give each ignored rule with the note that ignores it and where; the collection's own only if all of it is checked."""
    if parsed.collection.selected is None:
        for name in parsed.collection.config.check.ignore:
            yield None, name, _in_list(parsed, "ignore", name)
    sources = {source.path: source for source in parsed.collection.sources}
    for note in parsed.selected_notes:
        if note.ignore:
            start = note.location.line - 1
            lines = sources[note.location.path].text.split("\n")[start : start + _SEARCHED]
            for name in note.ignore:
                yield note, name, _in_comment(note.location, lines, name)


def _in_toml(parsed: Parsed, table: str, key: str) -> Location:
    file = parsed.collection.root / "deck.toml"
    return key_place(file, shown(file), table, key)


def _in_list(parsed: Parsed, key: str, name: str) -> Location:
    """Find a rule's name in a list of `[check]`."""
    place = _in_toml(parsed, "check", key)
    root = parsed.collection.root
    lines = read_to_show(root / "deck.toml", root).split("\n")
    for number, line in enumerate(lines[place.line - 1 :], place.line):
        if found := re.search(rf"""(?<=["']){re.escape(name)}(?=["'])""", line):
            return Location(place.path, number, found.start() + 1)
    return place


def _in_comment(heading: Location, lines: Sequence[str], name: str) -> Location:
    """Find a rule's name behind `ignore=` below a heading."""
    seen = False
    for number, line in enumerate(lines):
        start = line.find("ignore=")
        seen = seen or start >= 0
        if seen and (
            found := re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])").search(line, max(start, 0))
        ):
            return Location(heading.path, heading.line + number, found.start() + 1)
    return heading


def _unknown_rule(place: Location, name: str, rules: Iterable[str]) -> Diagnostic:
    fix = did_you_mean(name, rules, "`ptcards explain` lists the rules")
    return error(place, "unknown-rule", f"there is no rule `{name}`", fix, len(name))
