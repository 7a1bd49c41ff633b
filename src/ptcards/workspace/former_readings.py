"""Decides how to read the sources that the first versions of ptcards left out, or read with other settings.

In a published collection, such a source stays as it was until `include` names it, so that an update of
ptcards changes nothing for learners. If `deck.lock` has notes that only the new reading finds, the collection
was published in this way, and the new reading stays.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location, counted, warning
from ptcards.files.inputs import shown
from ptcards.identity.lock import Fingerprint
from ptcards.identity.lock_reading import read_lock
from ptcards.source.collection import Collection, FormerReading
from ptcards.source.dialects import VAULT
from ptcards.source.source import Source
from ptcards.workspace.cached_source import ReadResult

_FEW = 3
"""The maximum number of files to name one by one; more are named by patterns."""


class Decision(NamedTuple):
    """A collection with the sources that are read, their results, and warnings about the other reading."""

    collection: Collection
    results: Sequence[ReadResult]
    diagnostics: Sequence[Diagnostic]


class _Doubtful(NamedTuple):
    """A source with two readings; the former one is `None` if the source was not read.

    `stays` is true if the former one applies.
    """

    source: Source
    former: FormerReading
    now: ReadResult
    before: ReadResult | None
    stays: bool


def decide(
    collection: Collection,
    results: Sequence[ReadResult],
    read: Callable[[Sequence[Source]], Iterator[ReadResult]],
) -> Decision:
    """Return a collection with its sources as they are read; `read` reads sources with other settings."""
    if not collection.former:
        return Decision(collection, results, ())
    kept: list[tuple[Source, ReadResult]] = []
    doubtful = {each.source.name: each for each in _doubtful(collection, results, read)}
    for source, result in zip(collection.sources, results, strict=True):
        each = doubtful.get(source.name)
        if each is None or not each.stays:
            kept.append((source, result))
        elif each.before and each.former.settings:
            kept.append((replace(source, settings=each.former.settings), each.before))
    asked_for = [each for each in doubtful.values() if collection.is_selected(each.source.path)]
    unread = [each for each in asked_for if each.stays and not each.before and _cards(each.now)]
    left = [each.source.file for each in doubtful.values() if each.stays and not each.before]
    reasons = {each.source.name: f"{_words(_cards(each.now))} not in `deck.lock`" for each in unread}
    return Decision(
        replace(
            collection,
            sources=tuple(source for source, _ in kept),
            former={name: each.former for name, each in doubtful.items() if each.stays},
            not_read=collection.not_read.with_others(reasons, left),
        ),
        [result for _, result in kept],
        [*_report_unread(unread), *_report_vaults(collection, asked_for)],
    )


def _doubtful(
    collection: Collection,
    results: Sequence[ReadResult],
    read: Callable[[Sequence[Source]], Iterator[ReadResult]],
) -> Iterator[_Doubtful]:
    others = {
        source.name: replace(source, settings=former.settings)
        for source in collection.sources
        if (former := collection.former.get(source.name)) and former.settings
    }
    earlier = dict(zip(others, read([*others.values()]), strict=True))
    pairs = list(zip(collection.sources, results, strict=True))
    sure = [result for source, result in pairs if source.name not in collection.former]
    published = _published(collection)
    unexplained = _unexplained(published or (), [*sure, *earlier.values()])
    for source, now in pairs:
        if former := collection.former.get(source.name):
            before = earlier.get(source.name)
            is_same = before is not None and _contents(before) == _contents(now)
            is_published = any(not unexplained.isdisjoint(_all_marks(note)) for note in _fingerprints(now))
            stays = published is None or (bool(published) and not is_published)
            yield _Doubtful(source, former, now, before, stays and not is_same)


def _published(collection: Collection) -> Sequence[Fingerprint] | None:
    """Return the notes that a collection has or had, or `None` if its lock cannot be used.

    A retired note counts, so that a file which lost its only note is still read when the note comes back.
    """
    if not collection.configured:
        return ()
    lock, _ = read_lock(collection.root / "deck.lock", shown="", collection_id=collection.config.id)
    return [record.fingerprint for record in lock.records] if lock else None


def _unexplained(published: Iterable[Fingerprint], former: Iterable[ReadResult]) -> set[tuple[str, str, str]]:
    """Return the marks of the published notes that the former readings of all sources do not have."""
    there = {mark for result in former for note in _fingerprints(result) for mark in _marks(note)}
    left = (note for note in published if there.isdisjoint(_marks(note)))
    return {mark for note in left for mark in _all_marks(note)}


def _marks(note: Fingerprint) -> Iterator[tuple[str, str, str]]:
    """Yield what probably no other note has: the question, and the id."""
    yield "question", note.note_type, note.question
    if note.id:
        yield "id", "", note.id


def _all_marks(note: Fingerprint) -> Iterator[tuple[str, str, str]]:
    """Yield also what stays if a question is reworded."""
    yield from _marks(note)
    yield "answer", note.note_type, note.answer


def _fingerprints(result: ReadResult) -> Sequence[Fingerprint]:
    return [each.fingerprint for each in result.cached.parsed.summaries] if result.cached else ()


def _contents(result: ReadResult) -> Counter[tuple[str, str]]:
    """Return what learners see of each note, with its deck."""
    return Counter((note.content, note.deck) for note in _fingerprints(result))


def _cards(result: ReadResult) -> int:
    parsed = result.cached.parsed if result.cached else None
    return len(parsed.summaries) + len(parsed.left_out) if parsed else 0


def _words(cards: int) -> str:
    return f"its {counted(cards, 'card')} {'is' if cards == 1 else 'are'}"


def _report_unread(unread: Sequence[_Doubtful]) -> Iterator[Diagnostic]:
    """Yield a warning about files that are not read because the deck was published without them."""
    if not unread:
        return
    count = sum(_cards(each.now) for each in unread)
    files, verb = counted(len(unread), "file"), "is" if len(unread) == 1 else "are"
    patterns = json.dumps(list(_patterns([each.source.name for each in unread])), ensure_ascii=False)
    message = f"{files} with {counted(count, 'card')} {verb} not read: `deck.lock` has none of them"
    fix = f"write `include = {patterns}` in `deck.toml` to add the cards, or `exclude = {patterns}`"
    yield warning(Location(unread[0].source.path, 1), "unread-file", message, fix)


def _patterns(names: Sequence[str]) -> Iterator[str]:
    """Yield patterns that match these files, whose names usually leave them out."""
    if len(names) <= _FEW:
        yield from names
        return
    for name in names:
        *folders, file = name.split("/")
        first = next(
            (n for n, folder in enumerate(folders) if folder.startswith("_") or folder == "build"), None
        )
        if first is not None:
            yield f"{'/'.join(folders[: first + 1])}/**"
        else:
            yield f"**/{'_*.md' if file.startswith('_') else file}"


def _report_vaults(collection: Collection, doubtful: Sequence[_Doubtful]) -> Iterator[Diagnostic]:
    """Yield a warning about each vault inside another one whose settings would give other cards."""
    changed = [
        (each.former.vault, each, count)
        for each in doubtful
        if each.before and each.former.vault and (count := _difference(each.before, each.now))
    ]
    for vault, group in groupby(sorted(changed, key=lambda one: one[:1]), key=lambda one: one[0]):
        inner = list(group)
        cards = counted(sum(count for _, _, count in inner), "card")
        files = counted(len(inner), "file")
        yield _report_vault(
            collection, vault, f"{cards} in {files}", stays=any(each.stays for _, each, _ in inner)
        )


def _difference(before: ReadResult, now: ReadResult) -> int:
    """Return the number of cards that two readings of a source do not have in common."""
    one, other = _contents(before), _contents(now)
    notes = max((one - other).total(), (other - one).total())
    return notes or abs(_cards(before) - _cards(now))


def _report_vault(collection: Collection, vault: Path, cards: str, *, stays: bool) -> Diagnostic:
    place = Location(shown(vault / VAULT), 1, 0)
    pattern = f"{vault.relative_to(collection.root).as_posix()}/**"
    if stays:
        message = f"this vault still decides for {cards}, which the vault around it reads otherwise"
        fix = f'write `include = ["{pattern}"]` in `deck.toml` to let the outer vault decide'
    else:
        message = f"the vault around this one decides, which changes {cards}"
        fix = f'if that is wrong, set the options in `[[dialects]]` with `files = ["{pattern}"]`'
    return warning(place, "other-vault", message, fix)
