"""Checks `[check]` in `deck.toml` and `ignore` in notes for unknown names and useless entries."""

import re
from collections.abc import Iterable, Iterator, Mapping

from ptcards.diagnostics import Diagnostic, Location, Severity, error, hint, warning
from ptcards.diagnostics.suggest import did_you_mean
from ptcards.files.inputs import read_to_show
from ptcards.files.names import shown
from ptcards.files.toml import key_place
from ptcards.identity.hashes import Summary
from ptcards.lint.registry import Rule
from ptcards.notes.labels import labelled, languages
from ptcards.workspace import Contents


def check_settings(
    contents: Contents, rules: Mapping[str, Rule], used: frozenset[tuple[Summary | str | None, str]]
) -> Iterator[Diagnostic]:
    """Yield diagnostics for a language without labels, unknown rules and limits, and useless ignores."""
    config = contents.collection.config.check
    yield from _unlabelled(contents)
    limits = {name for rule in rules.values() for name in rule.limits}
    for name in config.limits:
        if name not in limits:
            fix = did_you_mean(name, limits, "run `ptcards explain RULE` to see the limits of a rule")
            place = _in_toml(contents, "check.limits", name)
            yield error(place, "unknown-limit", f"no rule has a limit `{name}`", fix, len(name))
    for name in config.enable:
        if name not in rules:
            yield _unknown_rule(_in_list(contents, "enable", name), name, rules)
    for note, name, place in _ignored(contents):
        if name not in rules:
            yield _unknown_rule(place, name, rules)
        elif set(rules[name].severities) == {Severity.ERROR}:
            message = f"`{name}` is an error and cannot be ignored"
            yield warning(place, "unused-ignore", message, f"remove `{name}`, and fix the error", len(name))
        elif (note, name) not in used and not rules[name].elsewhere:
            yield warning(
                place, "unused-ignore", f"ignoring `{name}` has no effect", f"remove `{name}`", len(name)
            )


def _unlabelled(contents: Contents) -> Iterator[Diagnostic]:
    """Yield a hint if there are no labels in the deck's language."""
    language = contents.collection.config.language
    if language and not labelled(language):
        known = ", ".join(f"`{each}`" for each in languages())
        message = f"there are no labels in `{language}`, so cards show English ones"
        place = _in_toml(contents, "", "language")
        yield hint(place, "no-labels", message, f"ignore this if English is fine; labels exist in {known}", 8)


def _ignored(contents: Contents) -> Iterator[tuple[Summary | str | None, str, Location]]:
    """Yield the note or pattern that ignores a rule, the name of the rule, and the location.

    Ignored rules in `deck.toml` are included only if the entire collection is checked.
    """
    config = contents.collection.config.check
    if contents.collection.selected is None:
        for name in config.ignore:
            yield None, name, _in_list(contents, "ignore", name)
        for pattern, names in config.per_file_ignores.items():
            for name in names:
                yield pattern, name, _in_list(contents, name=name, key="per-file-ignores")
    for each in contents.selected:
        for ignored in each.head.ignored:
            yield each.head.summaries[ignored.note], ignored.rule, ignored.place


def _in_toml(contents: Contents, table: str, key: str) -> Location:
    file = contents.collection.root / "deck.toml"
    return key_place(file, shown(file), table, key)


def _in_list(contents: Contents, key: str, name: str) -> Location:
    """Return the location of a rule's name in a list of `[check]`."""
    place = _in_toml(contents, "check", key)
    root = contents.collection.root
    lines = read_to_show(root / "deck.toml", root).split("\n")
    for number, line in enumerate(lines[place.line - 1 :], place.line):
        if found := re.search(rf"""(?<=["']){re.escape(name)}(?=["'])""", line):
            return Location(place.path, number, found.start() + 1)
    return place


def _unknown_rule(place: Location, name: str, rules: Iterable[str]) -> Diagnostic:
    fix = did_you_mean(name, rules, "run `ptcards explain` to list the rules")
    return error(place, "unknown-rule", f"there is no rule `{name}`", fix, len(name))
