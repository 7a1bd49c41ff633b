"""Finds cards in a collection that are not read, and the format that their sources seem to have."""

import json
import os
import posixpath
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path

from ptcards.diagnostics import Diagnostic, Location, Trait, counted, error, hint, warning
from ptcards.extensions.dialects.formats import package_from
from ptcards.files.inputs import shown
from ptcards.files.programs import in_shell
from ptcards.source.collection import Collection, is_logseq
from ptcards.source.dialects import OWN, is_dialect, settings_for
from ptcards.source.source import Evidence, Source, count_of
from ptcards.workspace.cached_source import CachedSource

_FOREIGN = "foreign:"
_FEW_TAGS = 3
_warning = partial(warning, traits=Trait.MANY)
_MOST_OTHERS = 4


def unread_cards(
    collection: Collection, looked: Sequence[CachedSource], *, notes: int = 0
) -> Iterator[Diagnostic]:
    """Yield diagnostics about cards that are not read; an error if no source contains a note.

    `notes` is the number of notes that a first look does not read.
    """
    own = (source for source in looked if source.parsed.dialect == OWN)
    guesses = (evidence for source in own for evidence in source.parsed.evidence)
    foreign = [evidence for evidence in guesses if evidence.dialect.startswith(_FOREIGN)]
    for dialect in dict.fromkeys(evidence.dialect for evidence in foreign):
        yield _foreign([evidence for evidence in foreign if evidence.dialect == dialect])
    is_empty = not notes and not any(each.parsed.all_summaries for each in looked)
    if is_empty and not foreign and is_logseq(collection.root):
        fix = f"{package_from('Logseq')}, and run `ptcards import` on it"
        place = Location(shown(collection.root), 1, 0)
        yield error(place, "foreign-format", "this looks like Logseq: it has `logseq/config.edn`", fix)
    elif foreign or not all(is_dialect(each.parsed.dialect) for each in looked):
        return
    elif is_empty:
        if looked and (found := _instead(collection, looked)):
            yield replace(found, traits=Trait.NO_NOTES)
    elif notes or any(each.parsed.summaries for each in looked):
        yield from (_unread(collection, group) for group in _missed_by_dialect(looked))


def other_cards(collection: Collection, looked: Sequence[CachedSource]) -> Iterator[Diagnostic]:
    """Yield warnings about cards in other dialects than the one that `unread_cards` names for all sources."""
    best = most_likely(looked)
    groups = _missed_by_dialect(looked)
    for group in sorted(groups, key=lambda each: -sum(guess.count for _, guess in each))[:_MOST_OTHERS]:
        guess = group[0][1]
        is_named = best and (guess.dialect, guess.lacks is None) == (best.dialect, best.lacks is None)
        if not is_named and not guess.dialect.startswith(_FOREIGN):
            yield _unread(collection, group)


def _foreign(found: Sequence[Evidence]) -> Diagnostic:
    tool = found[0].dialect.removeprefix(_FOREIGN)
    count = count_of(sum(evidence.count for evidence in found), found[0].what)
    where = f" in {len(found):,} files" if len(found) > 1 else ""
    fix = f"{package_from(tool)}, and run `ptcards import` on it"
    place = min(evidence.place for evidence in found)
    return error(place, "foreign-format", f"this looks like {tool}: {count}{where}", fix)


def _missed_by_dialect(looked: Sequence[CachedSource]) -> list[list[tuple[CachedSource, Evidence]]]:
    """Return the best guess for each source that certainly has other cards, or seems to and has no notes."""
    missed = [
        (each, best)
        for each in looked
        if (best := _best(each))
        and (not each.parsed.all_summaries or (best.sure and each.parsed.dialect == OWN))
    ]
    return [list(group) for _, group in groupby(sorted(missed, key=_by_dialect), key=_by_dialect)]


def _best(looked: CachedSource) -> Evidence | None:
    return max(looked.parsed.evidence, key=lambda one: (one.sure, one.count), default=None)


def _by_dialect(missed: tuple[CachedSource, Evidence]) -> tuple[str, str, bool]:
    looked, evidence = missed
    return looked.parsed.dialect, evidence.dialect, evidence.lacks is not None


def most_likely(looked: Sequence[CachedSource]) -> Evidence | None:
    """Return the first guess of the dialect that is most certain and has the most cards."""
    counts = Counter[tuple[str, bool]]()
    guesses = [guess for source in looked for guess in source.parsed.evidence]
    for guess in guesses:
        counts[guess.dialect, guess.lacks is None] += guess.count
    return max(
        guesses,
        key=lambda one: (one.sure, not one.way_out, counts[one.dialect, one.lacks is None]),
        default=None,
    )


def _instead(collection: Collection, looked: Sequence[CachedSource]) -> Diagnostic | None:
    """Return an error that says what the sources have instead of notes, or `None` if that is unknown."""
    files = counted(len(looked), "file")
    best = most_likely(looked)
    if best and best.lacks is not None:
        bests = ((each, _best(each)) for each in looked)
        untagged = [(each, guess) for each, guess in bests if guess and guess.lacks is not None]
        return _untagged(collection, untagged, f"no notes in {files}, but ", error, "no-notes")
    if best is None or any(not card.doubtful for each in looked for card in each.parsed.left_out):
        return None
    guesses = (each for source in looked for each in source.parsed.evidence if each.lacks is None)
    same = [evidence for evidence in guesses if evidence.dialect == best.dialect]
    count = sum(evidence.count for evidence in same)
    where = "" if len(looked) == 1 else f" in {len(same):,} of them"
    look = "" if best.sure else "what looks like "
    message = f"no notes in {files}, but {look}{count_of(count, best.what)}{where}"
    place = min(evidence.place for evidence in same)
    return error(place, "no-notes", message, _fix(collection, best, looked[0].source))


def _untagged(
    collection: Collection,
    missed: Sequence[tuple[CachedSource, Evidence]],
    before: str,
    make: Callable[[Location, str, str, str], Diagnostic],
    rule: str,
) -> Diagnostic:
    """Return a diagnostic about cards that are not read because their sources have none of the tags."""
    first = min((evidence for _, evidence in missed), key=lambda each: each.place)
    count = count_of(sum(evidence.count for _, evidence in missed), first.what)
    tags = Counter(tag for _, evidence in missed for tag in evidence.lacks or ())
    common = [f"{tag} ({number:,})" for tag, number in tags.most_common(_FEW_TAGS)]
    setting = json.dumps([tag for tag, _ in tags.most_common(1)] or ["#flashcards"], ensure_ascii=False)
    start = "" if collection.configured else "run `ptcards init`; "
    have = f"these files have {', '.join(common)}: " if common else "add a tag to these files, and "
    name = first.dialect
    fix = f"{start}{have}write `[{name}]` with `tags = {setting}` in `deck.toml`"
    message = f"{before}{count} in {counted(len(missed), 'file')}"
    return make(first.place, rule, message, fix)


def _unread(collection: Collection, missed: Sequence[tuple[CachedSource, Evidence]]) -> Diagnostic:
    first = min((evidence for _, evidence in missed), key=lambda each: each.place)
    source, dialect = missed[0][0].source, missed[0][0].parsed.dialect
    if first.lacks is not None:
        return _untagged(collection, missed, "", _warning, "unread-cards")
    count = sum(evidence.count for _, evidence in missed)
    folder = posixpath.commonpath([posixpath.dirname(each.source.name) for each, _ in missed])
    pattern = source.name if len(missed) == 1 else posixpath.join(folder, "**")
    what = f"{'' if first.sure else 'what looks like '}{count_of(count, first.what)}"
    level = _level_fix(first)
    if dialect != OWN:
        message = f"no `{dialect}` cards in {counted(len(missed), 'file')}, but {what}"
        fix = first.way_out or level or f"set {settings_for(first.dialect)} for `{pattern}` in `deck.toml`"
        return _warning(first.place, "wrong-dialect", message, fix)
    files = "1 file contains" if len(missed) == 1 else f"{len(missed):,} files contain"
    message = f"{files} {what} that {'is' if count == 1 else 'are'} not read"
    if pattern == "**" or first.way_out:
        return _warning(first.place, "unread-cards", message, _fix(collection, first, source))
    start = "" if collection.configured else "run `ptcards init`, and "
    files = f'`files = ["{pattern}"]`, {settings_for(first.dialect)}'
    fix = f'{start}add to `deck.toml`: `[[dialects]]` with {files}; or `exclude = ["{pattern}"]`'
    return _warning(first.place, "unread-cards", message, level or fix)


def _level_fix(evidence: Evidence) -> str:
    """Return the setting for questions at another heading level, or an empty string."""
    name, _, level = evidence.dialect.partition(" ")
    in_front = f"write `{name} = {level}` in `deck.toml`, or `{name}: {level}` in the front matter"
    return in_front if level else ""


def _fix(collection: Collection, evidence: Evidence, source: Source) -> str:
    """Return how the cards are read where they are, and how they are written as our own."""
    if evidence.way_out:
        return evidence.way_out
    if level := _level_fix(evidence):
        return level
    whole = len(collection.sources) > 1
    where = in_shell(shown(collection.root) if whole or collection.configured else source.path)
    rewrite = f"`ptcards import {where} {_beside(collection.root)} --from {evidence.dialect}` to rewrite them"
    settings = settings_for(evidence.dialect)
    if not collection.configured:
        return f"run `ptcards build --dialect {evidence.dialect} {where}`, or {rewrite}"
    if ":" in evidence.dialect:
        return f'add to `deck.toml`: `[[dialects]]` with `files = ["**"]`, {settings}; or run {rewrite}'
    return f"write {settings} in `deck.toml`, or run {rewrite}"


def _beside(root: Path) -> str:
    """Return a folder to create, outside the notes, because collections do not nest."""
    is_inside = Path.cwd().is_relative_to(root)
    return f"{os.path.relpath(root.parent)}/my-deck" if is_inside else "my-deck"


def more_advice(looked: Sequence[CachedSource]) -> Iterator[Diagnostic]:
    """Yield what else is to be said about sources that were read."""
    schedules = [(each.source.path, *each.parsed.schedules) for each in looked if each.parsed.schedules[0]]
    if schedules:
        path, _, line = schedules[0]
        count = sum(each for _, each, _ in schedules)
        cards = "1 card has" if count == 1 else f"{count:,} cards have"
        message = f"{cards} a schedule; Anki starts them as new"
        fix = "no action needed: the schedules stay where they are"
        yield hint(Location(path, line), "schedule-dropped", message, fix)
