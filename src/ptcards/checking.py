"""All that is to be said about collections without building them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ptcards.checks import check_source, check_together
from ptcards.collection import Collection, Source, shown
from ptcards.config import CheckConfig
from ptcards.diagnostics import Diagnostic, Location, Severity
from ptcards.identity.hashes import Gist
from ptcards.identity.lock import read_lock
from ptcards.identity.recognised import warn_of_recognised
from ptcards.identity.resolve import identify, read_clock
from ptcards.ignores import check_settings
from ptcards.loading import Parsed, load
from ptcards.notes import Deck, Kind, Note
from ptcards.parsing.media import MediaFolder
from ptcards.parsing.parser import ParsedSource, assemble, parse_source
from ptcards.processes import guess_notes, in_processes, pieces
from ptcards.reading import Reading, read
from ptcards.rules import all_rules
from ptcards.workspace import Owners, silence

COMMON = frozenset(
    "bash c c++ console cpp css cuda diff docker dockerfile go haskell html ini java javascript js json julia kotlin latex "  # noqa: SIM905 - fifty quoted words are hard to read
    "lua make markdown math matlab md none output perl php plain plaintext powershell py pycon python python3 r ruby rust scala "
    "sh shell sql swift tex text toml ts txt typescript xml yaml".split()
) | {""}
"""Languages that the renderer surely knows."""


_ASTRAY = frozenset({"line-left-of-fence", "unclosed-comment", "unclosed-fence"})
"""Errors after which a note's code and text are not what the author means: advice on it would lead astray."""


@dataclass(frozen=True, slots=True)
class _Task:
    """Sources to look into; of the sources in `collection`, workers only need to know whether there are several."""

    collection: Collection
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class _Looked:
    """A source parsed, and what is to be said about it without knowing the others."""

    parsed: ParsedSource
    advice: list[Diagnostic]


def check(paths: Sequence[Path], *, processes: int = 1) -> tuple[tuple[Parsed, ...], list[Diagnostic]]:
    """Say everything about the selected sources that parser, rules and lock have to say; nothing is written.

    A large collection is shared out to so many `processes`.

    Raises NoSuchSourceError for a path that is not there, ClockError if SOURCE_DATE_EPOCH is no time.
    """
    looked: dict[Path, list[_Looked]] = {}

    def parse(collection: Collection) -> tuple[tuple[Note, ...], tuple[Deck, ...], list[Diagnostic]]:
        looked[collection.root] = list(_look_into(collection, processes))
        return assemble(collection, [each.parsed for each in looked[collection.root]])

    loaded, diagnostics = load(paths, parse)
    broken = [each for each in diagnostics if each.severity is Severity.ERROR]
    for parsed in loaded:
        diagnostics += _check_collection(parsed, looked[parsed.collection.root], broken)
    for parsed in loaded:
        diagnostics, used = silence(parsed.collection, parsed.notes, diagnostics)
        diagnostics += check_settings(parsed, all_rules(), used)
    return loaded, diagnostics


def _look_into(collection: Collection, processes: int) -> Iterator[_Looked]:
    """Look into the sources of a collection, in several processes where that pays."""
    counted = replace(collection, sources=tuple(replace(each, text="") for each in collection.sources[:2]))
    tasks = [
        _Task(counted, tuple(piece))
        for piece in pieces(collection.sources, lambda source: guess_notes(source.text))
    ]
    notes = sum(guess_notes(source.text) for source in collection.sources)
    done = 0
    for _, looked in in_processes(_look, tasks, processes=processes, notes=notes):
        yield from looked
        done += 1
    media = MediaFolder(collection.root)
    for task in tasks[done:]:
        yield from _look_at(task, media)


def _look(task: _Task) -> list[_Looked]:
    """Do a task in a process of its own."""
    return list(_look_at(task, MediaFolder(task.collection.root)))


def _look_at(task: _Task, media: MediaFolder) -> Iterator[_Looked]:
    for source in task.sources:
        parsed = parse_source(task.collection, source, media)
        selected = task.collection.is_selected(source.path)
        advice = _advise(task.collection.config.check, source, parsed) if selected else []
        yield _Looked(parsed, advice)


def _advise(config: CheckConfig, source: Source, parsed: ParsedSource) -> list[Diagnostic]:
    """Advise on a source by itself."""
    wrong = _find_wrong(parsed.notes, parsed.diagnostics)
    readings = []
    found: list[Diagnostic] = []
    for note in parsed.notes:
        rules = wrong.get(note.location, frozenset())
        if rules & _ASTRAY:
            continue
        reading, problems = read(note)
        readings.append(reading)
        found += problems
        found += _render_if_doubtful(reading, sound=not rules)
    found += check_source(readings, source.path, source.text, limits=config.limits, enable=config.enable)
    return found


def _find_wrong(notes: Sequence[Note], diagnostics: Iterable[Diagnostic]) -> dict[Location, frozenset[str]]:
    """Give the rules of the errors in each note that has some, by the note's place."""
    owners = Owners(notes)
    wrong: dict[Location, frozenset[str]] = {}
    for each in diagnostics:
        note = owners.find(each.location) if each.severity is Severity.ERROR else None
        if note is not None:
            wrong[note.location] = wrong.get(note.location, frozenset()) | {each.rule}
    return wrong


def _check_collection(
    parsed: Parsed, looked: Sequence[_Looked], broken: Sequence[Diagnostic]
) -> list[Diagnostic]:
    """Advise on a collection whose sources were `looked` into; `broken` are the errors that parsing it gave."""
    collection, config = parsed.collection, parsed.collection.config.check
    wrong = _find_wrong(parsed.notes, broken)
    notes = [note for note in parsed.notes if not wrong.get(note.location, frozenset()) & _ASTRAY]
    together = check_together(
        notes, selected=collection.is_selected, limits=config.limits, enable=config.enable
    )
    lines = {(each.location.path, each.location.line) for each in broken}
    # What is wrong with a line comes before how it could be better.
    found = [
        each
        for each in (*(said for one in looked for said in one.advice), *together)
        if each.severity is not Severity.HINT or (each.location.path, each.location.line) not in lines
    ]
    return found + _ask_lock(collection, [gist for one in looked for gist in one.parsed.gists])


def _render_if_doubtful(reading: Reading, *, sound: bool) -> list[Diagnostic]:
    """Render a note with a language that is seldom seen, or of which hardly anything can be seen.

    Whether a language has colours, and whether Anki makes a note's cards, shows only then. Of a note that is not `sound`, because it has
    errors, only the first is worth saying.
    """
    note, heading, answer = reading.note, reading.heading, reading.part("answer")
    blank = note.kind is not Kind.CLOZE and not heading.words and not reading.part("question").blocks
    blank_answer = note.kind is Kind.REVERSED and not answer.words and not answer.codes
    seldom = any(code.language not in COMMON for code in reading.codes)
    if not note.heading or not (blank or blank_answer or seldom):
        return []
    from ptcards.rendering.fields import render  # noqa: PLC0415 - heavy, and hardly ever needed

    found = render(note)[1]
    return [each for each in found if sound or each.rule == "unknown-language"]


def _ask_lock(collection: Collection, gists: Sequence[Gist]) -> list[Diagnostic]:
    """Say what the next build will say about who is who; that it begins a lock is its own news."""
    if not collection.configured:
        return []
    file = collection.root / "deck.lock"
    lock, diagnostics = read_lock(file, shown=shown(file), collection_id=collection.config.id)
    if lock is None or lock.new or not gists:
        return diagnostics
    identities, found = identify(
        gists, lock, type_hashes={}, clock=read_clock, refresh=False, selected=collection.selected
    )
    return [*diagnostics, *found, *warn_of_recognised(identities.recognised)]
