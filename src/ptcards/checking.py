"""All that is to be said about collections without building them."""

from collections.abc import Sequence
from pathlib import Path

from ptcards.checks import check_notes
from ptcards.collection import shown
from ptcards.diagnostics import Diagnostic, Severity
from ptcards.identity.lock import read_lock
from ptcards.identity.resolve import read_clock, resolve
from ptcards.ignores import Owners, check_settings, silence
from ptcards.loading import Parsed, load
from ptcards.notes import Identified, Kind
from ptcards.reading import Reading, read
from ptcards.rules import all_rules

COMMON = frozenset(
    "bash c c++ console cpp css cuda diff docker dockerfile go haskell html ini java javascript js json julia kotlin latex "  # noqa: SIM905 - fifty quoted words are hard to read
    "lua make markdown math matlab md none output perl php plain plaintext powershell py pycon python python3 r ruby rust scala "
    "sh shell sql swift tex text toml ts txt typescript xml yaml".split()
) | {""}
"""Languages that the renderer surely knows."""


_ASTRAY = frozenset({"line-left-of-fence", "unclosed-comment", "unclosed-fence"})
"""Errors after which a note's code and text are not what the author means: advice on it would lead astray."""


def check(paths: Sequence[Path]) -> tuple[tuple[Parsed, ...], list[Diagnostic]]:
    """Say everything about the selected sources that parser, rules and lock have to say; nothing is written.

    Raises NoSuchSourceError for a path that is not there, ClockError if SOURCE_DATE_EPOCH is no time.
    """
    loaded, diagnostics = load(paths)
    broken = [each for each in diagnostics if each.severity is Severity.ERROR]
    for parsed in loaded:
        diagnostics += _check_collection(parsed, broken)
    for parsed in loaded:
        diagnostics, used = silence(parsed.collection, parsed.notes, diagnostics)
        diagnostics += check_settings(parsed, all_rules(), used)
    return loaded, diagnostics


def _check_collection(parsed: Parsed, broken: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Advise on a collection; `broken` are the errors that parsing it gave."""
    collection, config = parsed.collection, parsed.collection.config.check
    owners = Owners(parsed.notes)
    wrong = [(owners.find(each.location), each.rule) for each in broken]
    astray = {note for note, rule in wrong if rule in _ASTRAY}
    faulty = {note for note, _ in wrong}
    readings = []
    found: list[Diagnostic] = []
    for note in parsed.notes:
        if note in astray:
            continue
        reading, problems = read(note)
        readings.append(reading)
        if collection.is_selected(note.location.path):
            found += problems
            found += _render_if_doubtful(reading, sound=note not in faulty)
    texts = {source.path: source.text for source in collection.sources}
    found += check_notes(
        readings, texts, selected=collection.is_selected, limits=config.limits, enable=config.enable
    )
    lines = {(each.location.path, each.location.line) for each in broken}
    # What is wrong with a line comes before how it could be better.
    found = [
        each
        for each in found
        if each.severity is not Severity.HINT or (each.location.path, each.location.line) not in lines
    ]
    return found + _ask_lock(parsed)


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
    from ptcards.rendering.fields import render_note  # noqa: PLC0415 - heavy, and hardly ever needed

    found = render_note(Identified(note, "", 0))[1]
    return [each for each in found if sound or each.rule == "unknown-language"]


def _ask_lock(parsed: Parsed) -> list[Diagnostic]:
    """Say what the next build will say about who is who; that it begins a lock is its own news."""
    collection = parsed.collection
    if not collection.configured:
        return []
    file = collection.root / "deck.lock"
    lock, diagnostics = read_lock(file, shown=shown(file), collection_id=collection.config.id)
    if lock is None or lock.new:
        return diagnostics
    _, found = resolve(
        parsed.notes, lock, type_hashes={}, clock=read_clock, refresh=False, selected=collection.selected
    )
    return diagnostics + found
