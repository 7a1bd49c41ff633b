"""Turns sources into cache entries: each source is read once, parsed, and turned into what a command needs.

A source may be saved in the meantime, so the digest always belongs to the content that was last read.
"""

import hashlib
import marshal
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from ptcards.cache import Cache, Entry, digest_of
from ptcards.diagnostics import Diagnostic, Location, may_be_kept
from ptcards.files import SourceChangedError
from ptcards.identity.hashes import NoteSummary
from ptcards.notes import Note
from ptcards.packing import CachePart, plain, typed, unpack
from ptcards.processes import in_processes, pieces
from ptcards.source.collection import Collection, CollectionFacts
from ptcards.source.media import MediaFolder, MediaRecorder, Reference
from ptcards.source.recipes import ByNote, Making, Recipe, by_note
from ptcards.source.source import ParsedSource, Source, decode_source, read_source
from ptcards.workspace.cached_source import CachedSource, ReadResult, Shown, SourceTask

T = TypeVar("T")
_NOWHERE = Location("", 1)

Progress = Callable[[str, int, int], None]
"""Called with the name of a step, the number of parts done, and the total.

While waiting, it is called repeatedly.
"""


NOTES = CachePart("notes", ByNote[Note])
"""The notes of a source; their keys are known only after all sources have been read."""
DRAFTS = CachePart("drafts", list[Note])
"""The drafts of a source, which no output contains."""

_Rest = tuple[ParsedSource, Shown]
_HEAD = CachePart("head", tuple[bytes, Any])
"""Everything else of a source: its digest and plain form."""


class _Made(NamedTuple):
    """What was made from a source, and whether to keep it; `keys` are those of all parts.

    The last entry is the head. If the source could not be read, there are no entries.
    """

    problems: Sequence[Diagnostic]
    digest: str
    keys: dict[str, bytes]
    entries: list[Entry]
    keep: bool


def _make_notes(making: Making) -> tuple[Sequence[object], Sequence[Diagnostic]]:
    parsed = making.parsed
    return [by_note(parsed, parsed.notes), list(parsed.draft_notes)], parsed.diagnostics


_NOTES = Recipe((NOTES, DRAFTS), _make_notes)
"""The recipe that comes first in a task."""


def source_task(
    collection: Collection, source: Source, recipes: tuple[Recipe, ...], *, texts: bool = True
) -> SourceTask:
    """Return the task for a source of a collection; without `texts`, notes are only made on demand."""
    facts = CollectionFacts.of(collection)
    about = (str(facts.root), *facts[1:], str(source.file), source.path, source.name, source.settings)
    recipes = (_NOTES, *recipes)
    slots = tuple(digest_of(about, recipe.about) for recipe in recipes)
    return SourceTask(facts, source, recipes, slots, texts=texts)


def read_all(
    cache: Cache, tasks: Sequence[SourceTask], *, processes: int, progress: Progress
) -> Iterator[ReadResult]:
    """Yield the result of each task, after making what the cache lacks."""
    folders = _Folders()
    looked_up: list[ReadResult | SourceTask] = []
    for task in tasks:
        progress("Reading", len(looked_up), len(tasks))
        looked_up.append(_look_up(cache, task, folders))
    missing = [each for each in looked_up if isinstance(each, SourceTask)]
    made = iter(list(_make_missing(cache, missing, folders, processes, progress)))
    for each in looked_up:
        yield next(made) if isinstance(each, SourceTask) else each


def make_again(cache: Cache, cached: CachedSource, part: CachePart[T]) -> T:
    """Return a part of a source, after remaking its entries for this process.

    Raises SourceChangedError if the source, or a file that it shows, is no longer as it was read.
    """
    (made,) = _make([cached.task._replace(texts=True)], _Folders())
    cache.put(made.entries, keep=False)
    if made.keys != cached.keys:
        raise SourceChangedError(_changed(cached, _result(cached.task, made).cached))
    value: T = unpack(next(entry.packed for entry in made.entries if entry.part == part.name), part.kind)
    return value


def _changed(was: CachedSource, now: CachedSource | None) -> str:
    """Return what changed since a source was read: its path, or the address of a file that it shows."""
    if now is None or now.digest != was.digest:
        return was.source.path
    pairs = zip(was.shown, now.shown, strict=False)
    return next((before[0] for before, after in pairs if before != after), was.source.path)


def notes_in(task: SourceTask, content: bytes) -> tuple[Sequence[NoteSummary], bool]:
    """Return the notes that a source would have with this content; none if it cannot be read.

    Also return whether they depend on nothing else: cards may be left out because of a file that is missing.
    """
    from ptcards.readers.parser import parse_source  # noqa: PLC0415 - heavy, and not needed if nothing changed

    read = decode_source(task.source, content)
    if read.source is None:
        return (), True
    media = MediaRecorder(MediaFolder(task.facts.root))
    return parse_source(task.facts, read.source, media).summaries, not media.found


def _guess_notes(text: str) -> int:
    """Return an estimate of the number of notes in a source, without parsing it."""
    return text.count("\n## ") + text.startswith("## ")


class _Folders(dict[Path, MediaFolder]):
    def __missing__(self, root: Path) -> MediaFolder:
        self[root] = MediaFolder(root)
        return self[root]


@cache
def _own_folders() -> _Folders:
    """Return the media folders that a pool process has read."""
    return _Folders()


def _look_up(cache: Cache, task: SourceTask, folders: _Folders) -> ReadResult | SourceTask:
    """Return what the cache knows about a source, or the task to make its entries if any is missing."""
    read = read_source(task.source)
    if read.source is None:
        return ReadResult(read.problems, None)
    head_key = _head_key(task, read.digest)
    if head := cache.get(head_key, _HEAD):
        (parsed, shown), keys = typed(head[1], _Rest), _keys(task, head_key, head[0])
        if _are_current(shown, task.source, folders[task.facts.root]) and cache.has(_made(task, keys)):
            return ReadResult(read.problems, CachedSource(task, parsed, shown, read.digest, keys))
    before = tuple(
        cache.last(slot, recipe.parts[0])
        for recipe, slot in zip(task.recipes[1:], task.slots[1:], strict=True)
    )
    return task._replace(before=(None, *before), notes=_guess_notes(read.source.text))


def _are_current(shown: Shown, source: Source, media: MediaFolder) -> bool:
    """Whether a source's addresses still lead to the same files; false if one led to an error."""
    return all(
        media.find(source.file, Reference(address, _NOWHERE, 1, optional)) == (was, [])
        for address, optional, was in shown
    )


def _keys(task: SourceTask, head_key: bytes, head_digest: bytes) -> dict[str, bytes]:
    """Return the key of each part.

    It depends on the head, because the text alone does not say which files exist and what they contain.
    """
    recipes = zip(task.recipes, task.slots, strict=True)
    keys = {
        part.name: _digest(slot, head_key, head_digest) for recipe, slot in recipes for part in recipe.parts
    }
    return {**keys, _HEAD.name: head_key}


def _made(task: SourceTask, keys: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """Return the keys of the parts that a task makes."""
    without = () if task.texts else {part.name for part in _NOTES.parts}
    return {name: key for name, key in keys.items() if name not in without}


def _head_key(task: SourceTask, digest: str) -> bytes:
    return _digest(task.slots[0], digest.encode())


def _digest(*contents: bytes) -> bytes:
    return hashlib.sha256(b"".join(contents)).digest()


def _make_missing(
    cache: Cache, tasks: Sequence[SourceTask], folders: _Folders, processes: int, progress: Progress
) -> Iterator[ReadResult]:
    """Make the entries of sources, in several processes if worthwhile, and yield the results."""
    if tasks:
        # Before any process is forked, so that each of them has it.
        import ptcards.readers.parser  # noqa: F401, PLC0415 - heavy, and not needed if nothing changed

    batches = list(pieces(tasks, lambda task: task.notes))
    total = sum(task.notes for task in tasks)
    done = 0

    def waiting() -> None:
        progress("Compiling", done, total)

    with closing(_make_batches(batches, folders, processes, total, waiting)) as results:
        for batch, made in zip(batches, results, strict=True):
            for keep in (True, False):
                cache.put([entry for each in made if each.keep is keep for entry in each.entries], keep=keep)
            yield from map(_result, batch, made)
            done += sum(task.notes for task in batch)
            waiting()


def _make_batches(
    batches: Sequence[Sequence[SourceTask]],
    folders: _Folders,
    processes: int,
    notes: int,
    waiting: Callable[[], None],
) -> Generator[list[_Made]]:
    done = 0
    for batch in batches[:1]:  # before the fork, so that the processes have its modules, lexers and rules
        waiting()
        yield _make(batch, folders)
    rest = batches[1:]
    # Close it promptly: it owns a process pool.
    with closing(
        in_processes(_make_there, rest, processes=processes, notes=notes, waiting=waiting)
    ) as results:
        for _, made in results:
            done += 1
            yield made
    for batch in rest[done:]:
        waiting()
        yield _make(batch, folders)


def _result(task: SourceTask, made: _Made) -> ReadResult:
    """Return the result of a source with the entries that were made."""
    if not made.entries:
        return ReadResult(made.problems, None)
    _, rest = unpack(made.entries[-1].packed, _HEAD.kind)
    parsed, shown = typed(rest, _Rest)
    cached = CachedSource(task._replace(before=()), parsed, shown, made.digest, made.keys)
    return ReadResult(made.problems, cached)


def _make_there(batch: Sequence[SourceTask]) -> list[_Made]:
    return _make(batch, _own_folders())


def _make(batch: Sequence[SourceTask], folders: _Folders) -> list[_Made]:
    return [_make_one(task, folders[task.facts.root]) for task in batch]


def _make_one(task: SourceTask, folder: MediaFolder) -> _Made:
    """Read and parse a source, and make everything requested from it."""
    from ptcards.readers.parser import parse_source  # noqa: PLC0415 - see `_make_missing`

    read = read_source(task.source)
    if read.source is None:
        return _Made(read.problems, "", {}, [], keep=False)
    media = MediaRecorder(folder)
    parsed = parse_source(task.facts, read.source, media)
    found = dict(media.found)
    shown = tuple((*address, file) for address, file in found.items())
    rest = plain((parsed._replace(notes=(), draft_notes=()), shown), _Rest)
    # Version 2 of the format does not tell which values are the same object.
    rest_digest = _digest(marshal.dumps(rest, 2))
    keys = _keys(task, _head_key(task, read.digest), rest_digest)
    entries, wanted = [], _made(task, keys)
    diagnostics: list[Diagnostic] = []
    before = task.before or (None,) * len(task.recipes)
    for recipe, slot, last in zip(task.recipes, task.slots, before, strict=True):
        made_last = unpack(last, recipe.parts[0].kind) if last else None
        values, problems = recipe.make(
            Making(task.facts, read.source, parsed, media, recipe.about, made_last)
        )
        diagnostics += problems
        entries += [
            Entry.of(keys[part.name], part, slot, value)
            for part, value in zip(recipe.parts, values, strict=True)
            if part.name in wanted
        ]
    entries.append(Entry.of(keys[_HEAD.name], _HEAD, task.slots[0], (rest_digest, rest)))
    # The head does not know files that only a fixed text would show.
    is_complete = media.found == found
    return _Made(read.problems, read.digest, keys, entries, keep=is_complete and may_be_kept(diagnostics))
