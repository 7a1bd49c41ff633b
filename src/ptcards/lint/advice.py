"""Advice on a single source: what the enabled rules find in its notes, and what `--fix` would fix."""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from ptcards.diagnostics import (
    Diagnostic,
    Location,
    Severity,
    as_json,
    hint,
)
from ptcards.lint.fixes import State, as_it_is, fixed, fixing_rules
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule, all_rules
from ptcards.notes import Kind
from ptcards.source.config import CheckConfig
from ptcards.source.parts import seems_foreign
from ptcards.source.readers.registry import OWN
from ptcards.source.recipes import Making
from ptcards.source.silence import Ignoring, Owners

COMMON = frozenset(
    "bash c c++ console cpp css cuda diff docker dockerfile go haskell html ini java "
    "javascript js json julia kotlin latex lua make markdown math matlab md none output perl php plain "
    "plaintext "
    "powershell py pycon python python3 r ruby rust scala sh shell sql swift tex text toml ts txt "
    "typescript xml "
    "yaml".split()
) | {""}
"""Languages that the renderer is known to support."""


MISLEADING = frozenset({"field-too-large", "line-left-of-fence", "unclosed-comment", "unclosed-fence"})
"""Errors after which advice on the note would be wrong, because the parser misreads it, or too slow."""

_FEWEST = 100
"""The language of a text with fewer words than this is unclear."""
_FEWEST_DIFFERENT = 30
"""The language of a text with fewer distinct words than this is unclear."""
_MOST = 1000
"""The number of words to examine."""
_PERCENT = 10
"""The minimum percentage of `_ENGLISH` words: English texts have over 20%, most others under 9%."""
_WORD = re.compile(r"[^\W\d_]+")
_ENGLISH = frozenset(
    _WORD.findall(
        "a an and are as at be by can do does for from has have how if in is it its not "
        "of on only or than that the this to what when which why with you"
    )
)


def make_advice(making: Making) -> tuple[Sequence[object], Sequence[Diagnostic]]:
    """Return the advice on a single source, and how many findings of each rule `--fix` would fix."""
    parsed, config = making.parsed, making.about
    if seems_foreign(parsed.dialect, parsed.notes, parsed.evidence):
        return [[], []], []
    state = as_it_is(making.around, making.source, parsed, making.media)
    looked = _look(state)
    found = _advise(config, state, looked)
    before = Counter(each.rule for each in (*parsed.diagnostics, *found))
    rules = before.keys() & fixing_rules() if parsed.dialect == OWN else frozenset[str]()
    after = fixed(state, rules) if rules else state
    left = before
    if after is not state:
        # If only blank lines at the end are gone, the notes are the same.
        looked = looked if after.parsed is parsed else _look(after)
        advised = _advise(config, after, looked, before)
        left = Counter(each.rule for each in (*after.parsed.diagnostics, *advised))
    return [list(map(as_json, found)), sorted((before - left).items())], found


def enabling(config: CheckConfig, names: Sequence[str]) -> CheckConfig:
    """Return the settings with these rules enabled as well."""
    return replace(config, enable=tuple(dict.fromkeys((*config.enable, *names))))


def advise(config: CheckConfig, state: State) -> list[Diagnostic]:
    """Return the advice on a single source."""
    return _advise(config, state, _look(state))


class _Looked(NamedTuple):
    """What the advice on a source depends on: its notes that get advice, and whether they are in English.

    `problems` were found while reading and rendering these notes.
    """

    notes: list[Reading]
    problems: list[Diagnostic]
    english: bool


def _look(state: State) -> _Looked:
    notes = []
    found: list[Diagnostic] = []
    for reading, problems, rules in _sound(state):
        notes.append(reading)
        found += problems
        found += _render_if_doubtful(reading, sound=not rules)
    return _Looked(notes, found, is_english(state.parsed.language, notes))


def _advise(
    config: CheckConfig, state: State, looked: _Looked, only: Container[str] | None = None
) -> list[Diagnostic]:
    """Return the advice on a single source; if `only` is given, no other rules run."""
    notes, problems, english = looked
    source, language = state.source, state.parsed.language
    found = [*problems, *check_source(notes, source.path, source.text, config, english=english, only=only)]
    if notes and not english and not language:
        message = "this looks like a language other than English"
        fix = (
            'set the language, such as `language = "de"` in `deck.toml` or `language: de` in the front matter'
        )
        found.append(hint(state.parsed.notes[0].location, "language-not-set", message, fix, 2))
    return found


def _sound(state: State) -> Iterator[tuple[Reading, list[Diagnostic], frozenset[str]]]:
    """Yield each note that gets advice, the problems found while reading it, and its errors' rules."""
    wrong = find_wrong(state.parsed.notes, state.parsed.diagnostics)
    for reading, problems in state.readings:
        rules = wrong.get(reading.note.location, frozenset())
        # The rules do not know the purpose of a custom note type's fields, so its notes get no advice.
        if not reading.note.own_type and not rules & MISLEADING:
            yield reading, problems, rules


def check_source(
    notes: Sequence[Reading],
    path: str,
    text: str,
    config: CheckConfig,
    *,
    english: bool = True,
    only: Container[str] | None = None,
) -> Iterator[Diagnostic]:
    """Yield what the enabled rules find in the notes and the text of a source."""
    for rule in enabled_rules(config, only):
        if rule.english and not english:
            continue
        # Most rules do not override `check`, and calling it for every note takes time.
        if type(rule).check is not Rule.check:
            for note in notes:
                yield from rule.check(note)
        yield from rule.check_text(path, text)


def enabled_rules(config: CheckConfig, only: Container[str] | None = None) -> Iterator[Rule]:
    """Yield the enabled rules, with the collection's limits; if `only` is given, yield no others."""
    for rule in _rules(config.enable, tuple(config.limits.items())):
        if only is None or rule.name in only:
            yield rule


@lru_cache(maxsize=8)
def _rules(enable: tuple[str, ...], limits: tuple[tuple[str, int], ...]) -> tuple[Rule, ...]:
    """Return the enabled rules; they are cached because every source asks for them."""
    limited = dict(limits)
    return tuple(type(each)(limited) for each in all_rules().values() if not each.off or each.name in enable)


def find_wrong(
    notes: Iterable[Ignoring], diagnostics: Iterable[Diagnostic]
) -> dict[Location, frozenset[str]]:
    """Return the locations of the notes that have errors, mapped to the rules that report these errors."""
    owners = Owners(notes)
    wrong: dict[Location, frozenset[str]] = {}
    for each in diagnostics:
        note = owners.find(each.location) if each.severity is Severity.ERROR else None
        if note is not None:
            wrong[note.location] = wrong.get(note.location, frozenset()) | {each.rule}
    return wrong


def unless_wrong(advice: Iterable[Diagnostic], broken: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield the advice, but no hints on lines that have errors: authors should fix errors first."""
    lines = {each.location[:2] for each in broken if each.severity is Severity.ERROR}
    return (each for each in advice if each.severity is not Severity.HINT or each.location[:2] not in lines)


def _render_if_doubtful(reading: Reading, *, sound: bool) -> list[Diagnostic]:
    """Return what rendering reports about a note with code in a rare language, or with barely any content.

    Only rendering shows whether code in a language can be coloured, and whether Anki makes cards from a note.
    A note that is not `sound` has errors already, so only unknown languages are reported for it.
    """
    note, heading, answer = reading.note, reading.heading, reading.part("answer")
    blank = note.kind is not Kind.CLOZE and not heading.words and not reading.part("question").blocks
    blank_answer = note.kind is Kind.REVERSED and not answer.words and not answer.codes
    seldom = any(code.language not in COMMON for code in reading.codes)
    if not note.heading or not (blank or blank_answer or seldom):
        return []
    from ptcards.anki.render import render  # noqa: PLC0415 - heavy, and rarely needed

    found = render(note)[1]
    return [each for each in found if sound or each.rule == "unknown-language"]


def is_english(language: str, notes: Sequence[Reading]) -> bool:
    """Whether the notes are in English, according to `language` or, if it is empty, to their words."""
    if language:
        return language.partition("-")[0] == "en"
    words = _first_words(notes)
    known = sum(word in _ENGLISH for word in words)
    is_little = len(words) < _FEWEST or len({*words}) < _FEWEST_DIFFERENT
    return is_little or known * 100 >= len(words) * _PERCENT


def _first_words(notes: Iterable[Reading]) -> list[str]:
    words: list[str] = []
    for note in notes:
        words += _WORD.findall(note.prose.casefold())
        if len(words) >= _MOST:
            break
    return words
