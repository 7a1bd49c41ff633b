"""Everything that can be reported about collections without building them."""

import os
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ptcards.cache import Cache
from ptcards.diagnostics import (
    Diagnostic,
    Location,
    Severity,
    as_json,
    from_json,
    hint,
    may_be_kept,
)
from ptcards.files.inputs import find_root, is_collection
from ptcards.identity.history import compare_with_history
from ptcards.identity.outcome import warn_of_recognised
from ptcards.identity.refusals import lost_notes
from ptcards.identity.resolve import identify, read_clock
from ptcards.lint.fixes import State, as_it_is, fixed, fixing_rules
from ptcards.lint.language import is_english
from ptcards.lint.note import Reading
from ptcards.lint.overview import Overview, make_overviews, overviews
from ptcards.lint.registry import Rule, all_rules
from ptcards.lint.settings import check_settings
from ptcards.notes import Kind
from ptcards.source.assembly import assemble
from ptcards.source.collection import Collection
from ptcards.source.config import CheckConfig, plain_config, read_config
from ptcards.source.entries import Progress, Recipe
from ptcards.source.media import MediaFolder
from ptcards.source.parser import parse_source
from ptcards.source.parts import ParsedSource
from ptcards.source.readers.registry import OWN
from ptcards.source.reading import Readings
from ptcards.source.silence import Ignoring, Owners, silence
from ptcards.source.source import Source, decode_source, shown
from ptcards.workspace import Contents, Workspace

COMMON = frozenset(
    "bash c c++ console cpp css cuda diff docker dockerfile go haskell html ini java "  # noqa: SIM905 - fifty quoted words are hard to read
    "javascript js json julia kotlin latex lua make markdown math matlab md none output perl php plain "
    "plaintext "
    "powershell py pycon python python3 r ruby rust scala sh shell sql swift tex text toml ts txt "
    "typescript xml "
    "yaml".split()
) | {""}
"""Languages that the renderer certainly knows."""


_MISLEADING = frozenset({"line-left-of-fence", "unclosed-comment", "unclosed-fence"})
"""After these errors, code and text are not what the author means, so advice on them would be wrong."""


class Checked(NamedTuple):
    """The findings in some notes; `fixable` counts by path and rule how many of them `--fix` would fix."""

    contents: tuple[Contents, ...]
    diagnostics: list[Diagnostic]
    notes: int
    fixable: Mapping[tuple[str, str], int]


def check(
    paths: Sequence[Path],
    cache: Cache,
    *,
    question: Sequence[object] = (),
    processes: int = 1,
    dialect: str = "",
    progress: Progress = lambda *_: None,
    enable: Sequence[str] = (),
) -> Checked:
    """Return what the parser, the rules and the lock report about the selected sources; writes nothing.

    The cache stores the answer under `question`, if there is one. `progress` is called now and then; an
    exception from it ends the check. `enable` turns on rules that are off by default.

    Raises NoSuchSourceError for a path that does not exist, and ClockError if SOURCE_DATE_EPOCH is not a
    time.
    """
    workspace = Workspace.read(
        paths,
        cache,
        lambda collection: (
            Recipe(("advice", "fixable"), _make_advice, _enabling(collection.config.check, enable)),
            Recipe(("overviews",), make_overviews),
        ),
        processes=processes,
        progress=progress,
        dialect=dialect,
    )
    diagnostics = workspace.diagnostics
    # Before locks are read: if one changes after this point, the answer is not stored.
    facts = workspace.facts() if question and may_be_kept(diagnostics) else None
    broken = [each for each in diagnostics if each.severity is Severity.ERROR]
    for contents in workspace.contents:
        progress("Comparing", 0, 0)
        diagnostics += _check_together(contents, broken, enable)
    for contents in workspace.contents:
        diagnostics, used = silence(contents.collection, contents.summaries, diagnostics)
        diagnostics += check_settings(contents, all_rules(), used)
    fixable: dict[tuple[str, str], int] = {
        (read.source.path, rule): count
        for contents in workspace.contents
        for read, counts in contents.parts("fixable")
        for rule, count in counts
    }
    count = sum(contents.count for contents in workspace.contents)
    if facts is not None and may_be_kept(diagnostics):
        cache.remember(question, facts, [list(map(as_json, diagnostics)), count, fixable])
    return Checked(workspace.contents, diagnostics, count, fixable)


def check_text(path: Path, content: bytes, *, enable: Sequence[str] = ()) -> Checked:
    """Return what there is to report about a source with this content instead of its file's."""
    file = Path(os.path.abspath(path))  # noqa: PTH100 - a link stays the place the author named
    root = find_root(file)
    configured = is_collection(root)
    folder = root if configured else file.parent
    toml = folder / "deck.toml"
    config = read_config(toml, shown(toml))[0] if configured else plain_config(file.stem)
    name = file.relative_to(folder).as_posix()
    read = decode_source(Source(file, shown(file), name, reading=Readings(folder, config).of(name)), content)
    if read.source is None:
        return Checked((), list(read.problems), 0, {})
    # Listed twice, as if there were several sources: the name of a single source is not a level of its deck.
    collection = Collection(folder, config, configured, (read.source, read.source), None, ())
    parsed = parse_source(collection, read.source, MediaFolder(folder))
    found = [*read.problems, *assemble(collection, [parsed])[2]]
    advice = _advise(_enabling(config.check, enable), as_it_is(collection, read.source, parsed))
    kept, _ = silence(collection, parsed.summaries, [*found, *_unless_wrong(advice, found)])
    return Checked((), kept, len(parsed.notes), {})


def _make_advice(
    collection: Collection, source: Source, parsed: ParsedSource, config: CheckConfig, _before: object
) -> tuple[Sequence[object], Sequence[Diagnostic]]:
    """Return the advice on a source on its own, and how much of what was found there `--fix` would fix."""
    state = as_it_is(collection, source, parsed)
    found = _advise(config, state)
    before = Counter(each.rule for each in (*parsed.diagnostics, *found))
    rules = before.keys() & fixing_rules() if parsed.dialect == OWN else frozenset[str]()
    after = fixed(state, rules) if rules else state
    left = before
    if after is not state:
        left = Counter(each.rule for each in (*after.parsed.diagnostics, *_advise(config, after, before)))
    return [list(map(as_json, found)), sorted((before - left).items())], found


def _enabling(config: CheckConfig, names: Sequence[str]) -> CheckConfig:
    return replace(config, enable=tuple(dict.fromkeys((*config.enable, *names))))


def _advise(config: CheckConfig, state: State, only: Container[str] | None = None) -> list[Diagnostic]:
    """Return the advice on a source on its own; if `only` names rules, no other rules run."""
    notes = []
    found: list[Diagnostic] = []
    for reading, problems, rules in _sound(state):
        notes.append(reading)
        found += problems
        found += _render_if_doubtful(reading, sound=not rules)
    language = state.parsed.language
    english = is_english(language, notes)
    found += check_source(notes, state.source.path, state.source.text, config, english=english, only=only)
    if notes and not english and not language:
        message = "this looks like a language other than English"
        fix = (
            'write `language = "de"`, or whichever it is, in `deck.toml` or `language: de` in the '
            "front matter"
        )
        found.append(hint(state.parsed.notes[0].location, "language-not-set", message, fix, 2))
    return found


def _sound(state: State) -> Iterator[tuple[Reading, list[Diagnostic], frozenset[str]]]:
    """Yield each note to advise on, the problems found while reading it, and the rules of its errors."""
    wrong = _find_wrong(state.parsed.notes, state.parsed.diagnostics)
    for reading, problems in state.readings:
        rules = wrong.get(reading.note.location, frozenset())
        # Nobody knows what the fields of a custom note type ask, so its notes get no advice.
        if not reading.note.own_type and not rules & _MISLEADING:
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
    """Yield the advice of enabled rules on a source; `text` counts places as its notes do."""
    for rule in _rules(config):
        if (rule.english and not english) or (only is not None and rule.name not in only):
            continue
        # Most rules do not look at single notes, and there are many of both.
        if type(rule).check is not Rule.check:
            for note in notes:
                yield from rule.check(note)
        yield from rule.check_text(path, text)


def check_together(
    notes: Sequence[Overview], config: CheckConfig, *, selected: Callable[[str], bool]
) -> Iterator[Diagnostic]:
    """Yield the advice of enabled rules on all notes of a collection, in selected paths."""
    for rule in _rules(config):
        yield from (each for each in rule.check_all(notes) if selected(each.location.path))


def _once(advice: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return advice in which each diagnostic about the complete collection appears only once."""
    about = [each for each in advice if each.rule == "language-not-set"]
    return [each for each in advice if each.rule != "language-not-set"] + about[:1]


def _rules(config: CheckConfig) -> Iterator[Rule]:
    """Yield the enabled rules, with the collection's limits."""
    for rule in all_rules().values():
        if not rule.off or rule.name in config.enable:
            yield type(rule)(config.limits)


def _find_wrong(
    notes: Iterable[Ignoring], diagnostics: Iterable[Diagnostic]
) -> dict[Location, frozenset[str]]:
    """Return the rules of the errors in each note that has any, by the location of the note."""
    owners = Owners(notes)
    wrong: dict[Location, frozenset[str]] = {}
    for each in diagnostics:
        note = owners.find(each.location) if each.severity is Severity.ERROR else None
        if note is not None:
            wrong[note.location] = wrong.get(note.location, frozenset()) | {each.rule}
    return wrong


def _check_together(
    contents: Contents, broken: Sequence[Diagnostic], enable: Sequence[str]
) -> list[Diagnostic]:
    """Return the advice on a collection; `broken` are the errors found while reading it."""
    collection = contents.collection
    config = _enabling(collection.config.check, enable)
    wrong = _find_wrong(contents.summaries, broken)
    own = {each.key for each in collection.config.note_types}
    others = {each.location for each in contents.summaries if each.fingerprint.note_type in own}
    notes = [
        note
        for note in overviews(contents)
        if note.location not in others and not wrong.get(note.location, frozenset()) & _MISLEADING
    ]
    together = check_together(notes, config, selected=collection.is_selected)
    alone = _once([from_json(each) for _, advice in contents.parts("advice") for each in advice])
    return [*_unless_wrong((*alone, *together), broken), *_ask_lock(contents)]


def _unless_wrong(advice: Iterable[Diagnostic], broken: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield advice without hints on lines that have errors: errors come before improvements."""
    lines = {each.location[:2] for each in broken if each.severity is Severity.ERROR}
    return (each for each in advice if each.severity is not Severity.HINT or each.location[:2] not in lines)


def _render_if_doubtful(reading: Reading, *, sound: bool) -> list[Diagnostic]:
    """Return what rendering reports about a note in a rare language, or with barely any visible content.

    Only rendering shows whether a language has colours, and whether Anki makes cards of a note. A note that
    is not `sound` has errors already, so only the first problem is reported.
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


def _ask_lock(contents: Contents) -> list[Diagnostic]:
    """Return what the next build will report about identities, except that it creates a lock."""
    lock, diagnostics = contents.lock()
    if lock is None:
        return diagnostics
    history = contents.history()
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
    )
    retired = identities.changes.retired
    if contents.is_foreign and retired:
        found += lost_notes(retired, contents.left_out, lock, contents.sources[0].place)
    return [*diagnostics, *found, *warn_of_recognised(identities.recognised)]
