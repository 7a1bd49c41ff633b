"""All that is to be said about collections without building them."""

import os
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ptcards.cache import Cache, Recipe
from ptcards.diagnostics import (
    Diagnostic,
    Location,
    Severity,
    as_json,
    from_json,
    hint,
    may_be_kept,
)
from ptcards.identity.history import compare_with_history
from ptcards.identity.lost import lost_notes, many_gone
from ptcards.identity.recognised import warn_of_recognised
from ptcards.identity.resolve import identify, read_clock
from ptcards.inputs import find_root, is_collection
from ptcards.lint.fixes import fixed_source, fixing_rules
from ptcards.lint.language import is_english
from ptcards.lint.note import Reading, read
from ptcards.lint.overview import Overview, make_overviews, overviews
from ptcards.lint.registry import Rule, all_rules
from ptcards.lint.settings import check_settings
from ptcards.notes import Kind
from ptcards.source.collection import Collection, Source, decode_source, shown
from ptcards.source.config import CheckConfig, plain_config, read_config
from ptcards.source.entries import Progress
from ptcards.source.media import MediaFolder
from ptcards.source.parser import ParsedSource, assemble, parse_source
from ptcards.source.readers.registry import OWN
from ptcards.source.reading import Readings
from ptcards.workspace import Contents, Ignoring, Owners, Workspace, silence

COMMON = frozenset(
    "bash c c++ console cpp css cuda diff docker dockerfile go haskell html ini java "  # noqa: SIM905 - fifty quoted words are hard to read
    "javascript js json julia kotlin latex lua make markdown math matlab md none output perl php plain "
    "plaintext "
    "powershell py pycon python python3 r ruby rust scala sh shell sql swift tex text toml ts txt "
    "typescript xml "
    "yaml".split()
) | {""}
"""Languages that the renderer surely knows."""


_MISLEADING = frozenset({"line-left-of-fence", "unclosed-comment", "unclosed-fence"})
"""Errors after which a note's code and text are not what the author means: advice on it would be wrong."""


class Checked(NamedTuple):
    """What was found in how many notes; `fixable` says by path and rule how much of it `--fix` would fix."""

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
    """Return all that parser, rules and lock have to say about the selected sources; nothing is written.

    The cache keeps the answer under the `question`, if there is one. `progress` is called now and then; what
    it raises ends the check. `enable` turns on rules that are off.

    Raises NoSuchSourceError for a path that is not there, ClockError if SOURCE_DATE_EPOCH is no time.
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
    # Before locks are read: one that changes from here on makes the answer count no more.
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
    """Return what there is to say about one source that has this content, whatever its file has."""
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
    # A second one, as in most collections: an only one gives its name to no deck.
    collection = Collection(folder, config, configured, (read.source, read.source), None, ())
    parsed = parse_source(collection, read.source, MediaFolder(folder))
    found = [*read.problems, *assemble(collection, [parsed])[2]]
    advice = _advise(_enabling(config.check, enable), read.source, parsed)
    kept, _ = silence(collection, parsed.summaries, [*found, *_unless_wrong(advice, found)])
    return Checked((), kept, len(parsed.notes), {})


def _make_advice(
    collection: Collection, source: Source, parsed: ParsedSource, config: CheckConfig, _before: object
) -> tuple[Sequence[object], Sequence[Diagnostic]]:
    """Advise on a source by itself, and count what `--fix` would fix of all that was found there."""
    found = _advise(config, source, parsed)
    before = Counter(each.rule for each in (*parsed.diagnostics, *found))
    rules = before.keys() & fixing_rules() if parsed.dialect == OWN else ()
    fixed = fixed_source(collection, source, parsed, rules) if rules else None
    left = _count_rules(config, *fixed, before) if fixed else before
    return [list(map(as_json, found)), sorted((before - left).items())], found


def _count_rules(
    config: CheckConfig, source: Source, parsed: ParsedSource, rules: Container[str]
) -> Counter[str]:
    """Count what is found under some of the rules: the others need not look."""
    found = (*parsed.diagnostics, *_advise(config, source, parsed, rules))
    return Counter(each.rule for each in found)


def _enabling(config: CheckConfig, names: Sequence[str]) -> CheckConfig:
    return replace(config, enable=tuple(dict.fromkeys((*config.enable, *names))))


def _advise(
    config: CheckConfig, source: Source, parsed: ParsedSource, only: Container[str] | None = None
) -> list[Diagnostic]:
    """Advise on a source by itself; of the rules that look at it, `only` these if any are named."""
    wrong = _find_wrong(parsed.notes, parsed.diagnostics)
    readings = []
    found: list[Diagnostic] = []
    # What a field of a note type of the collection's own asks nobody knows: there is no advice on it.
    for note in (each for each in parsed.notes if not each.own_type):
        rules = wrong.get(note.location, frozenset())
        if rules & _MISLEADING:
            continue
        reading, problems = read(note)
        readings.append(reading)
        found += problems
        found += _render_if_doubtful(reading, sound=not rules)
    english = is_english(parsed.language, readings)
    found += check_source(readings, source.path, source.text, config, english=english, only=only)
    if readings and not english and not parsed.language:
        message = "this looks like another language than English"
        fix = (
            'write `language = "de"`, or whichever it is, in `deck.toml` or `language: de` in the '
            "front matter"
        )
        found.append(hint(parsed.notes[0].location, "language-not-set", message, fix, 2))
    return found


def check_source(
    notes: Sequence[Reading],
    path: str,
    text: str,
    config: CheckConfig,
    *,
    english: bool = True,
    only: Container[str] | None = None,
) -> Iterator[Diagnostic]:
    """Yield what the rules that are on advise on a source, whose `text` is as its notes' places count it."""
    for rule in _rules(config):
        if (rule.english and not english) or (only is not None and rule.name not in only):
            continue
        # Most rules have nothing to say about single notes, and there are many of both.
        if type(rule).check is not Rule.check:
            for note in notes:
                yield from rule.check(note)
        yield from rule.check_text(path, text)


def check_together(
    notes: Sequence[Overview], config: CheckConfig, *, selected: Callable[[str], bool]
) -> Iterator[Diagnostic]:
    """Yield what the rules that are on advise on all notes of a collection, in selected paths."""
    for rule in _rules(config):
        yield from (each for each in rule.check_all(notes) if selected(each.location.path))


def _once(advice: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return advice with what is meant for the whole collection once."""
    about = [each for each in advice if each.rule == "language-not-set"]
    return [each for each in advice if each.rule != "language-not-set"] + about[:1]


def _rules(config: CheckConfig) -> Iterator[Rule]:
    """Yield the rules that are on, with the collection's limits."""
    for rule in all_rules().values():
        if not rule.off or rule.name in config.enable:
            yield type(rule)(config.limits)


def _find_wrong(
    notes: Iterable[Ignoring], diagnostics: Iterable[Diagnostic]
) -> dict[Location, frozenset[str]]:
    """Return the rules of the errors in each note that has some, by the note's place."""
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
    """Advise on a collection; `broken` are the errors that reading it gave."""
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
    """Yield advice without hints on lines with errors: what is wrong comes before how it could be better."""
    lines = {each.location[:2] for each in broken if each.severity is Severity.ERROR}
    return (each for each in advice if each.severity is not Severity.HINT or each.location[:2] not in lines)


def _render_if_doubtful(reading: Reading, *, sound: bool) -> list[Diagnostic]:
    """Return what rendering reports of a note with a rare language, or of which barely anything can be seen.

    Whether a language has colours, and whether Anki makes a note's cards, shows only then. Of a note that is
    not `sound`, because it has errors, only the first is worth saying.
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
    """Return what the next build will say about who is who; that it begins a lock is its own news."""
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
        type_hashes={},
        clock=read_clock,
        refresh=False,
        selected=selected,
        history=history,
    )
    retired = identities.changes.retired
    if contents.is_foreign and retired:
        live = sum(record.live for record in lock.records)
        found += lost_notes(retired, contents.absent)
        found += many_gone(retired, live, Location(contents.sources[0].source.path, 1))
    return [*diagnostics, *found, *warn_of_recognised(identities.recognised)]
