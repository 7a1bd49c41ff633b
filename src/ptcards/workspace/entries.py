"""Turns sources into cache entries: each source is read once, parsed, and turned into what a command needs.

A source may be saved in the meantime, so the digest always belongs to the content that was last read.
"""

import hashlib
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ptcards.cache import Cache, Entry, digest_of, pack, unpack
from ptcards.diagnostics import Diagnostic, Location, may_be_kept
from ptcards.files import SourceChangedError
from ptcards.identity.hashes import NoteSummary
from ptcards.notes.marshalling import plain_note
from ptcards.processes import in_processes, pieces
from ptcards.source.collection import Collection, CollectionFacts
from ptcards.source.media import MediaFolder, MediaRecorder, Reference
from ptcards.source.parser import parse_source
from ptcards.source.recipes import Making, Recipe, by_note
from ptcards.source.source import Source, decode_source, read_source
from ptcards.workspace.head import Head, Known, SourceTask, head_of, plain_head

_NOWHERE = Location("", 1)

Progress = Callable[[str, int, int], None]
"""Called with the name of a step, the number of parts done, and the total.

While waiting, it is called repeatedly.
"""


class _Made(NamedTuple):
    """What was made from a source, and whether to keep it.

    The last entry is the head. If the source could not be read, there are no entries.
    """

    problems: Sequence[Diagnostic]
    digest: str
    entries: list[Entry]
    keep: bool

    @property
    def keys(self) -> dict[str, bytes]:
        """The key of each part."""
        return {entry.part: entry.key for entry in self.entries}


def _make_notes(making: Making) -> tuple[Sequence[object], Sequence[Diagnostic]]:
    parsed = making.parsed
    return [by_note(parsed, map(plain_note, parsed.notes))], parsed.diagnostics


NOTES = Recipe(("notes",), _make_notes)
"""The recipe that every command needs; it comes first in a task."""


def source_task(collection: Collection, source: Source, recipes: tuple[Recipe, ...]) -> SourceTask:
    """Return the task for a source of a collection."""
    facts = CollectionFacts.of(collection)
    about = (str(facts.root), *facts[1:], str(source.file), source.path, source.name, source.settings)
    return SourceTask(facts, source, recipes, tuple(digest_of(about, recipe.about) for recipe in recipes))


def read_all(
    cache: Cache, tasks: Sequence[SourceTask], *, processes: int, progress: Progress
) -> Iterator[tuple[SourceTask, Known]]:
    """Yield each task with its source's head, after making what the cache lacks."""
    folders = _Folders()
    looked_up: list[tuple[SourceTask, Known | None]] = []
    for task in tasks:
        progress("Reading", len(looked_up), len(tasks))
        looked_up.append(_look_up(cache, task, folders))
    missing = [task for task, known in looked_up if known is None]
    made = iter(list(_make_missing(cache, missing, folders, processes, progress)))
    for task, known in looked_up:
        yield task._replace(before=()), known or next(made)


def make_again(cache: Cache, task: SourceTask, known: Known) -> None:
    """Remake the entries of a source for this process.

    Raises SourceChangedError if the source, or a file that it shows, is no longer as it was read.
    """
    (made,) = _make([task], _Folders())
    cache.put(made.entries, keep=False)
    if made.keys != known.keys:
        raise SourceChangedError(_changed(task.source, known, made))


def _changed(source: Source, known: Known, made: _Made) -> str:
    """Return what changed since a source was read: its path, or the address of a file that it shows."""
    now = _known_of(made).head
    if made.digest != known.digest or known.head is None or now is None:
        return source.path
    return next(
        (was[0] for was, new in zip(known.head.media, now.media, strict=False) if was != new), source.path
    )


def notes_in(task: SourceTask, content: bytes) -> tuple[Sequence[NoteSummary], bool]:
    """Return the notes that a source would have with this content; none if it cannot be read.

    Also return whether they depend on nothing else: cards may be left out because of a file that is missing.
    """
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


def _look_up(cache: Cache, task: SourceTask, folders: _Folders) -> tuple[SourceTask, Known | None]:
    """Return a task with what the cache knows about its source.

    If any entry is missing, it returns `None`, with a task that can make the entries.
    """
    read = read_source(task.source)
    if read.source is None:
        return task, Known(None, read.problems, "", {})
    head_key = _head_key(task, read.digest)
    found = cache.get(head_key, "head")
    if found is not None:
        digest, plain = found
        head, keys = head_of(plain), _keys(task, head_key, digest)
        if _are_current(head, task.source, folders[task.facts.root]) and cache.has(keys):
            return task, Known(head, read.problems, read.digest, keys)
    before = tuple(
        cache.last(slot, recipe.parts[0])
        for recipe, slot in zip(task.recipes[1:], task.slots[1:], strict=True)
    )
    return task._replace(before=(None, *before), notes=_guess_notes(read.source.text)), None


def _are_current(head: Head, source: Source, media: MediaFolder) -> bool:
    """Whether a source's addresses still lead to the same files; false if one led to an error."""
    return all(
        media.find(source.file, Reference(address, _NOWHERE, 1, optional)) == (was, [])
        for address, optional, was in head.media
    )


def _keys(task: SourceTask, head_key: bytes, head_digest: bytes) -> dict[str, bytes]:
    """Return the key of each part.

    It depends on the head, because the text alone does not say which files exist and what they contain.
    """
    recipes = zip(task.recipes, task.slots, strict=True)
    keys = {part: _digest(slot, head_key, head_digest) for recipe, slot in recipes for part in recipe.parts}
    return {**keys, "head": head_key}


def _head_key(task: SourceTask, digest: str) -> bytes:
    return _digest(task.slots[0], digest.encode())


def _digest(*contents: bytes) -> bytes:
    return hashlib.sha256(b"".join(contents)).digest()


def _make_missing(
    cache: Cache, tasks: Sequence[SourceTask], folders: _Folders, processes: int, progress: Progress
) -> Iterator[Known]:
    """Make the entries of sources, in several processes if worthwhile, and yield what is then known."""
    batches = list(pieces(tasks, lambda task: task.notes))
    total = sum(task.notes for task in tasks)
    done = 0

    def waiting() -> None:
        progress("Compiling", done, total)

    with closing(_make_batches(batches, folders, processes, total, waiting)) as results:
        for batch, made in zip(batches, results, strict=True):
            for keep in (True, False):
                cache.put([entry for each in made if each.keep is keep for entry in each.entries], keep=keep)
            yield from map(_known_of, made)
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
    # Close it promptly: it owns a process pool.
    with closing(
        in_processes(_make_there, batches, processes=processes, notes=notes, waiting=waiting)
    ) as results:
        for _, made in results:
            done += 1
            yield made
    for batch in batches[done:]:
        waiting()
        yield _make(batch, folders)


def _known_of(made: _Made) -> Known:
    head = head_of(unpack(made.entries[-1].packed)[1]) if made.entries else None
    return Known(head, made.problems, made.digest, made.keys)


def _make_there(batch: Sequence[SourceTask]) -> list[_Made]:
    return _make(batch, _own_folders())


def _make(batch: Sequence[SourceTask], folders: _Folders) -> list[_Made]:
    return [_make_one(task, folders[task.facts.root]) for task in batch]


def _make_one(task: SourceTask, folder: MediaFolder) -> _Made:
    """Read and parse a source, and make everything requested from it."""
    read = read_source(task.source)
    if read.source is None:
        return _Made(read.problems, "", [], keep=False)
    media = MediaRecorder(folder)
    parsed = parse_source(task.facts, read.source, media)
    found = dict(media.found)
    head = plain_head(parsed, found)
    head_digest = _digest(repr(head).encode("utf-8", "surrogatepass"))
    keys = _keys(task, _head_key(task, read.digest), head_digest)
    entries = []
    diagnostics: list[Diagnostic] = []
    before = task.before or (None,) * len(task.recipes)
    for recipe, slot, last in zip(task.recipes, task.slots, before, strict=True):
        made_last = unpack(last) if last else None
        values, problems = recipe.make(
            Making(task.facts, read.source, parsed, media, recipe.about, made_last)
        )
        diagnostics += problems
        entries += [
            Entry(keys[part], part, slot, pack(value))
            for part, value in zip(recipe.parts, values, strict=True)
        ]
    entries.append(Entry(keys["head"], "head", task.slots[0], pack((head_digest, head))))
    # The head does not know files that only a fixed text would show.
    is_complete = media.found == found
    return _Made(read.problems, read.digest, entries, keep=is_complete and may_be_kept(diagnostics))
