"""Checks collections: reports everything that can be found without building them."""

import os
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from ptcards.diagnostics import (
    Diagnostic,
    Location,
    Severity,
    Trait,
    errors_in,
    warning,
)
from ptcards.diagnostics.render import by_place
from ptcards.diagnostics.suggest import did_you_mean
from ptcards.files.inputs import find_root, is_collection, shown
from ptcards.files.toml import item_place, key_place
from ptcards.identity.advice import warn_of_recognised
from ptcards.identity.hashes import NoteSummary
from ptcards.identity.history import compare_with_history
from ptcards.identity.resolve import identify, lost_notes, read_clock
from ptcards.lint import CheckAnswer
from ptcards.lint.edited_text import edits_of
from ptcards.lint.fixes import (
    State,
    find_wrong,
    fixable_keys,
    fixed,
    fixing_rules,
)
from ptcards.lint.message import Message
from ptcards.lint.note import OVERVIEWS, Overview, Reading, make_overviews, overview_of, with_fields
from ptcards.lint.registry import Rule, all_messages, all_rules, near_rules
from ptcards.lint.report import attach
from ptcards.lint.rules.decks import SameAnswer
from ptcards.lint.rules.settings import UnknownKey
from ptcards.notes import Kind
from ptcards.packing import CachePart
from ptcards.readers.parser import parse_source
from ptcards.source.assembly import assemble, silence
from ptcards.source.collection import Collection, CollectionFacts, SettingsByFile
from ptcards.source.config import CheckConfig, plain_config, read_config
from ptcards.source.dialects import OWN
from ptcards.source.media import MediaFolder
from ptcards.source.recipes import Making, Recipe
from ptcards.source.source import ParsedSource, Source, decode_source
from ptcards.workspace import Contents, ReadOptions, Workspace
from ptcards.workspace.entries import Progress

COMMON = frozenset(
    """
    bash c c++ console cpp css cuda diff docker dockerfile go haskell html ini java javascript js json
    julia kotlin latex lua make markdown math matlab md none output perl php plain plaintext
    powershell py pycon python python3 r ruby rust scala sh shell sql swift tex text toml ts txt
    typescript xml yaml
    """.split()
) | {""}
"""Languages that the renderer is known to support."""


_ADVICE = CachePart("advice", list[Diagnostic])
_FIXABLE = CachePart("fixable", list[tuple[str, int, int]])
"""The rule, the line and the column of each finding that `--fix` would fix."""


def make_advice(making: Making) -> tuple[Sequence[object], Sequence[Diagnostic]]:
    """Return the advice on a single source, and which findings `--fix` would fix."""
    parsed, config = making.parsed, making.about
    if parsed.seems_foreign:
        return [[], []], []
    state = State(making.facts, making.source, parsed, making.media)
    looked = _look(state)
    diagnostics = _advise(config, state, looked)
    before = Counter(diagnostic.rule for diagnostic in (*parsed.diagnostics, *diagnostics))
    rules = before.keys() & fixing_rules() if parsed.dialect == OWN else frozenset[str]()
    after = fixed(state, rules) if rules else state
    left = before
    if after is not state:
        # If only blank lines at the end are gone, the notes are the same.
        looked = looked if after.parsed is parsed else _look(after)
        advised = _advise(config, after, looked, before)
        left = Counter(diagnostic.rule for diagnostic in (*after.parsed.diagnostics, *advised))
    return [
        diagnostics,
        _gone_after([*parsed.diagnostics, *diagnostics], before, left, state, after),
    ], diagnostics


def _gone_after(
    found: Sequence[Diagnostic], before: Counter[str], left: Counter[str], state: State, after: State
) -> list[tuple[str, int, int]]:
    """Return the rule and the place of the findings that are gone `after` fixing."""
    gone = before - left
    some = {rule for rule in gone if left[rule]}
    fixed_ones = {each for each in found if each.rule in gone.keys() - some}
    if some:
        ordered = sorted(found, key=by_place)
        fixing = attach(ordered, {state.source.path: edits_of(state.source.text, after.rounds)})
        fixed_ones.update(ordered[number] for number in fixing if ordered[number].rule in some)
        places = {each.location for each in fixed_ones}  # two findings there have one cause
        fixed_ones.update(each for each in found if each.rule in some and each.location in places)
    return sorted((each.rule, each.location.line, each.location.column) for each in fixed_ones)


def enabling(config: CheckConfig, names: Sequence[str]) -> CheckConfig:
    """Return the settings with these rules enabled as well."""
    return replace(config, enable=tuple(dict.fromkeys((*config.enable, *names))))


def advise(config: CheckConfig, state: State) -> list[Diagnostic]:
    """Return the advice on a single source."""
    return _advise(config, state, _look(state))


class _Looked(NamedTuple):
    """What the advice on a source depends on: its notes that get advice.

    `problems` were found while reading and rendering these notes. `others` have the collection's own note
    types.
    """

    notes: list[Reading]
    others: list[Reading]
    problems: list[Diagnostic]


def _look(state: State) -> _Looked:
    notes = []
    diagnostics = [each for read, found in state.readings if read.note.own_type for each in found]
    for reading, problems, is_sound in state.advised:
        notes.append(reading)
        diagnostics += problems
        diagnostics += _render_if_doubtful(reading, sound=is_sound)
    others = [with_fields(reading) for reading, _ in state.readings if reading.note.own_type]
    return _Looked(notes, others, diagnostics)


def _advise(
    config: CheckConfig, state: State, looked: _Looked, only: Container[str] | None = None
) -> list[Diagnostic]:
    """Return the advice on a single source; if `only` is given, no other rules run."""
    notes, others, problems = looked
    source, english = state.source, is_english(state.parsed.language)
    # How a file of another program ends is no business of ours.
    text = source.text if state.parsed.dialect == OWN else ""
    found = check_source(notes, source.path, text, config, others=others, english=english, only=only)
    return [*problems, *found]


def is_english(language: str) -> bool:
    """Whether rules about English wording apply to notes in this language; without one, they do."""
    return language.partition("-")[0] in ("", "en")


def check_source(
    notes: Sequence[Reading],
    path: str,
    text: str,
    config: CheckConfig,
    *,
    others: Sequence[Reading] = (),
    english: bool = True,
    only: Container[str] | None = None,
) -> Iterator[Diagnostic]:
    """Yield what the enabled rules find in the notes and the text of a source.

    The notes in `others` have the collection's own note types.
    """
    every = {False: notes, True: [*notes, *others]}
    in_english = {
        own_types: [n for n in some if (is_english(n.note.language) if n.note.language else english)]
        for own_types, some in every.items()
    }
    for rule in enabled_rules(config, only):
        # Most rules do not override `check`, and calling it for every note takes time.
        if type(rule).check is not Rule.check:
            some = in_english if rule.english else every
            yield from chain.from_iterable(map(rule.check, some[rule.own_types]))
        if english or not rule.english:
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
    return tuple(type(rule)(limited) for rule in all_rules().values() if not rule.off or rule.name in enable)


def unless_wrong(advice: Iterable[Diagnostic], broken: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield the advice, but no hints on lines that have errors: authors should fix errors first.

    Hints of rules with a fix are kept, because `--fix` does not wait for the errors and counts what it fixes.
    """
    lines = {diagnostic.location[:2] for diagnostic in broken if diagnostic.severity is Severity.ERROR}
    return (
        diagnostic
        for diagnostic in advice
        if diagnostic.severity is not Severity.HINT
        or diagnostic.location[:2] not in lines
        or diagnostic.rule in fixing_rules()
    )


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
    from ptcards.anki.fields import render  # noqa: PLC0415 - heavy, and rarely needed

    diagnostics = render(note)[1]
    return [
        diagnostic
        for diagnostic in diagnostics
        if sound or (diagnostic.severity is Severity.WARNING and Trait.FLEETING not in diagnostic.traits)
    ]


def check_settings(
    contents: Contents, rules: Mapping[str, Message], used: frozenset[tuple[NoteSummary | str | None, str]]
) -> Iterator[Diagnostic]:
    """Yield diagnostics for unknown rules and limits, and useless ignores."""
    config = contents.collection.config.check
    limits = {name for rule in rules.values() for name in rule.limits}
    for name in config.limits:
        if name not in limits:
            fix = did_you_mean(name, limits, "run `ptcards explain RULE` to see the limits of a rule")
            place = _in_toml(contents, "check.limits", name)
            yield warning(place, "unknown-limit", f"no rule has a limit `{name}`", fix, len(name))
    for name in config.enable:
        if name not in rules:
            yield _unknown_rule(_in_list(contents, "enable", name), name)
    yield from check_ignores(_ignored(contents), rules, used)


def check_ignores(
    ignored: Iterable[tuple[NoteSummary | str | None, str, Location]],
    rules: Mapping[str, Message],
    used: frozenset[tuple[NoteSummary | str | None, str]],
) -> Iterator[Diagnostic]:
    """Yield diagnostics for ignored rules that do not exist, that are errors, or that report nothing.

    Each comes with the note or pattern that ignores it, and its location; `used` is what `silence` returns.
    """
    for note, name, place in ignored:
        if name not in rules:
            yield _unknown_rule(place, name)
        elif set(rules[name].severities) == {Severity.ERROR}:
            message = f"`{name}` is an error and cannot be ignored"
            yield warning(place, "unused-ignore", message, f"remove `{name}`, and fix the error", len(name))
        elif (note, name) not in used and not rules[name].elsewhere:
            yield warning(
                place, "unused-ignore", f"ignoring `{name}` has no effect", f"remove `{name}`", len(name)
            )


def _ignored(contents: Contents) -> Iterator[tuple[NoteSummary | str | None, str, Location]]:
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
        for ignored in each.parsed.ignored:
            yield each.parsed.all_summaries[ignored.note], ignored.rule, ignored.place


def _in_toml(contents: Contents, table: str, key: str) -> Location:
    file = contents.collection.root / "deck.toml"
    return key_place(file, shown(file), table, key)


def _in_list(contents: Contents, key: str, name: str) -> Location:
    """Return the location of a rule's name in a list of `[check]`."""
    file = contents.collection.root / "deck.toml"
    return item_place(file, shown(file), "check", key, name)


def _unknown_rule(place: Location, name: str) -> Diagnostic:
    return warning(place, "unknown-rule", f"there is no rule `{name}`", near_rules(name), len(name))


class Checked(NamedTuple):
    """The result of a check: the collections, and the `answer`, which contains the diagnostics too."""

    contents: tuple[Contents, ...]
    diagnostics: list[Diagnostic]
    answer: CheckAnswer

    def to_fix(self, is_wanted: Callable[[str], bool] = lambda _: True) -> Mapping[str, Counter[str]]:
        """Return how many findings `--fix` would fix, by path and rule, of the rules that are wanted."""
        fixable = frozenset(self.answer.fixable)
        found: dict[str, Counter[str]] = {}
        for each in self.diagnostics:
            if (each.location, each.rule) in fixable and is_wanted(each.rule):
                found.setdefault(each.location.path, Counter())[each.rule] += 1
        return found


def check(
    paths: Sequence[Path], options: ReadOptions | None = None, *, enable: Sequence[str] = ()
) -> Checked:
    """Return what the parser, the rules and the lock report about the selected sources.

    No file of the collection is changed. `enable` turns on rules that are off by default.

    Raises NoSuchSourceError for a path that does not exist, and ClockError if SOURCE_DATE_EPOCH is not a
    time.
    """
    options = options or ReadOptions()
    return judge(read_advised(paths, options, enable), options.progress, enable)


def read_advised(paths: Sequence[Path], options: ReadOptions, enable: Sequence[str] = ()) -> Workspace:
    """Return collections with the advice on each source, for `judge`. Raises the same errors as `check`."""
    all_rules()  # forked processes need not import them again
    return Workspace.read(
        paths,
        options,
        lambda collection: (
            Recipe((_ADVICE, _FIXABLE), make_advice, enabling(collection.config.check, enable)),
            Recipe((OVERVIEWS,), make_overviews),
        ),
    )


def judge(workspace: Workspace, progress: Progress, enable: Sequence[str] = ()) -> Checked:
    """Return what there is to report about collections, without what they ignore."""
    diagnostics = workspace.diagnostics
    broken = errors_in(diagnostics)
    notes = [_comparable(contents, broken) for contents in workspace.contents]
    for contents, own in zip(workspace.contents, notes, strict=True):
        config = enabling(contents.collection.config.check, enable)
        diagnostics += _check_together(contents, own, config, broken, progress)
    if len(notes) > 1:
        requested = {each.source.path for contents in workspace.contents for each in contents.selected}
        across = SameAnswer().check_across(notes)
        diagnostics += unless_wrong((each for each in across if each.location.path in requested), broken)
    for contents in workspace.contents:
        diagnostics, used = silence(contents.collection, contents.all_summaries, diagnostics)
        diagnostics = _once(diagnostics)
        diagnostics += check_settings(contents, all_messages(), used)
    answer = CheckAnswer(
        diagnostics,
        sum(contents.count() for contents in workspace.contents),
        _all_fixable(workspace, diagnostics),
        sum(contents.collection.not_read.unexpected for contents in workspace.contents),
        sum(contents.draft_count for contents in workspace.contents),
    )
    return Checked(workspace.contents, diagnostics, answer)


def _all_fixable(workspace: Workspace, diagnostics: Sequence[Diagnostic]) -> list[tuple[Location, str]]:
    """Return the places and rules of the findings in sources and settings that `--fix` would fix."""
    fixable = [
        (Location(read.source.path, line, column), rule)
        for contents in workspace.contents
        for read, places in contents.parts(_FIXABLE)
        for rule, line, column in places
    ]
    for toml in {contents.collection.root / "deck.toml" for contents in workspace.contents}:
        path = shown(toml)
        wrong = {each.location for each in diagnostics if each.location.path == path}
        fixable += [(place, UnknownKey.name) for place in fixable_keys(toml) if place in wrong]
    return fixable


class CheckedText(NamedTuple):
    """The result of checking a text as a source of a collection; the text has the notes of `parsed`.

    `source` and `parsed` are missing if it cannot be read.
    """

    diagnostics: list[Diagnostic]
    collection: Collection
    source: Source | None
    parsed: ParsedSource | None

    @property
    def notes(self) -> int:
        """The number of notes."""
        return len(self.parsed.notes) if self.parsed else 0

    @property
    def drafts(self) -> int:
        """The number of drafts."""
        return len(self.parsed.draft_notes) if self.parsed else 0


def check_text(path: Path, content: bytes, *, enable: Sequence[str] = ()) -> CheckedText:
    """Return the findings in a source as if its file had this content."""
    file = Path(os.path.abspath(path))  # noqa: PTH100 - a symbolic link keeps the path that the author gave
    root = find_root(file)
    configured = is_collection(root)
    folder = root if configured else file.parent
    toml = folder / "deck.toml"
    config = read_config(toml, shown(toml))[0] if configured else plain_config(file.stem)
    name = file.relative_to(folder).as_posix()
    read = decode_source(
        Source(file, shown(file), name, settings=SettingsByFile(folder, config).of(name)), content
    )
    collection = Collection(folder, config, configured, (read.source,) if read.source else (), None, ())
    if read.source is None:
        return CheckedText(list(read.problems), collection, None, None)
    # The name of a collection's only source is not a deck level, so the source is read as one of several.
    facts = CollectionFacts.of(collection)._replace(lone=False)
    media = MediaFolder(folder)
    parsed = parse_source(facts, read.source, media)
    diagnostics = [*read.problems, *assemble([parsed])[1]]
    advice = advise(enabling(config.check, enable), State(facts, read.source, parsed, media))
    kept, _ = silence(collection, parsed.all_summaries, [*diagnostics, *unless_wrong(advice, diagnostics)])
    return CheckedText(_once(kept), collection, read.source, parsed)


def check_together(
    notes: Sequence[Overview],
    config: CheckConfig,
    *,
    selected: Callable[[str], bool],
    progress: Progress = lambda *_: None,
) -> Iterator[Diagnostic]:
    """Yield what the enabled rules find in selected paths by comparing all notes of a collection."""
    rules = [rule for rule in enabled_rules(config) if type(rule).check_all is not Rule.check_all]
    for number, rule in enumerate(rules):
        progress("Comparing", number, len(rules))
        yield from (diagnostic for diagnostic in rule.check_all(notes) if selected(diagnostic.location.path))


def _comparable(contents: Contents, broken: Sequence[Diagnostic]) -> list[Overview]:
    """Return the notes of a collection to compare, without misleading ones and those of its own types."""
    wrong = find_wrong(contents.all_summaries, broken)
    own = {note_type.key for note_type in contents.collection.config.note_types}
    others = {summary.location for summary in contents.all_summaries if summary.fingerprint.note_type in own}
    return [
        note
        for note in overviews(contents)
        if note.location not in others and Trait.MISLEADING not in wrong.get(note.location, Trait.NONE)
    ]


def _check_together(
    contents: Contents,
    notes: Sequence[Overview],
    config: CheckConfig,
    broken: Sequence[Diagnostic],
    progress: Progress,
) -> list[Diagnostic]:
    """Return the advice on a collection; `broken` contains the errors found while reading it."""
    collection = contents.collection
    together = check_together(notes, config, selected=collection.is_selected, progress=progress)
    macros = collection.config.macros
    of_macros = (found for rule in enabled_rules(config) for found in rule.check_macros(macros))
    alone = [each for _, advice in contents.parts(_ADVICE) for each in advice]
    return [*unless_wrong((*of_macros, *alone, *together), broken), *_ask_lock(contents)]


def _once(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return the diagnostics with only the gravest of each file for rules that are `once`.

    This comes after ignoring, so that the next one appears when an author ignores the first.
    """
    once = {name for name, rule in all_rules().items() if rule.once}
    groups: dict[tuple[str, str], list[Diagnostic]] = {}
    for each in diagnostics:
        if each.rule in once:
            groups.setdefault((each.location.path, each.rule), []).append(each)
    firsts = []
    for group in groups.values():
        first = min(group, key=lambda each: (each.severity is Severity.HINT, by_place(each)))
        more = f" ({len(group) - 1:,} more in this file)" if group[1:] else ""
        firsts.append(replace(first, message=first.message + more))
    return [each for each in diagnostics if each.rule not in once] + firsts


def _ask_lock(contents: Contents) -> list[Diagnostic]:
    """Return what the next build would report about identities, except that it would create a lock."""
    lock, diagnostics = contents.published.lock()
    if lock is None:
        return diagnostics
    history = contents.published.history
    diagnostics += compare_with_history(lock, history)
    if lock.new or not contents.summaries:
        return diagnostics
    selected = contents.collection.selected
    identities, found = identify(
        contents.summaries,
        lock,
        clock=read_clock,
        selected=selected,
        history=history,
        earlier=contents.committed,
        foreign=contents.foreign.keys(),
    )
    retired = identities.changes.retired
    if contents.foreign and retired:
        found += lost_notes(retired, contents.left_out, lock, contents.sources[0].place)
    return [*diagnostics, *found, *warn_of_recognised(identities.recognised)]


def overviews(contents: Contents) -> Iterator[Overview]:
    """Yield the overview of each note of a collection, and then of each draft."""
    for source in contents.sources:
        if contents.collection.is_selected(source.source.path):
            for number, found in enumerate(contents.by_note(source, OVERVIEWS), source.start):
                yield found._replace(key=contents.keys[number])
        else:
            yield from map(overview_of, contents.notes_of(source))
    # Last, because rules report the later one of two notes.
    for source in contents.sources:
        yield from map(overview_of, contents.drafts_of(source))
