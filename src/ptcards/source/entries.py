"""Sources to entries of the cache: each is read once, parsed, and made into what a command asks for.

What was read is what was made: a source may be saved meanwhile, so the digest comes from whoever read it
last.
"""

import hashlib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ptcards.cache import Cache, Entry, Recipe, digest_of, pack, unpack
from ptcards.diagnostics import Diagnostic, Location, as_json, from_json, may_be_kept
from ptcards.identity.hashes import Gist, gist_of, plain_gist
from ptcards.notes import Media, media_of, plain_media, plain_note
from ptcards.processes import guess_notes, in_processes, pieces
from ptcards.source.assembly import DeckText, Ignored, MediaUse
from ptcards.source.collection import Collection, Source, read_source
from ptcards.source.config import Config
from ptcards.source.findings import Reference
from ptcards.source.media import MediaFolder
from ptcards.source.parser import ParsedSource, parse_source

_NOWHERE = Location("", 1)

Progress = Callable[[int, int], None]


class Job(NamedTuple):
    """A source, and what to make of it.

    `collection` is what entries may rest on, `slots` are those of the recipes, `before` what each made last,
    packed, `notes` about how many notes there are.
    """

    collection: Collection
    source: Source
    recipes: tuple[Recipe, ...]
    slots: tuple[bytes, ...]
    before: tuple[bytes | None, ...] = ()
    notes: int = 0


class Head(NamedTuple):
    """All of a source but its texts.

    `media` are addresses of files, as written, whether it is no error if there is none, and what was found; `uses` are
    the files that notes show, `ignored` the rules that they ignore.
    """

    gists: list[Gist]
    decks: list[DeckText]
    diagnostics: list[Diagnostic]
    media: list[tuple[str, bool, Media | None]]
    uses: list[MediaUse]
    ignored: list[Ignored]


class Known(NamedTuple):
    """What reading a source gave.

    `head` is None if the source could not be read, `digest` that of its content; `keys` lead from each part
    to its entry.
    """

    head: Head | None
    problems: Sequence[Diagnostic]
    digest: str
    keys: Mapping[str, bytes]


class _Made(NamedTuple):
    """What was made of a source, and whether to keep it; the last entry is the head, none if it was not read."""

    problems: Sequence[Diagnostic]
    digest: str
    entries: list[Entry]
    keep: bool


def _make_notes(
    _source: Source, parsed: ParsedSource, _about: object, _before: object
) -> tuple[Sequence[object], Sequence[Diagnostic]]:
    return [[plain_note(note) for note in parsed.notes]], parsed.diagnostics


NOTES = Recipe(("notes",), _make_notes)
"""What every command asks for; it comes first among the recipes of a job."""


def job_of(collection: Collection, source: Source, recipes: tuple[Recipe, ...]) -> Job:
    """Return the job to make entries of a source; of its collection they rest on root, name and tags."""
    config = Config(name=collection.config.name, tags=collection.config.tags)
    # Whether a source is the only one decides what its decks are called.
    some = (Source(collection.root, "", ""),) * min(2, len(collection.sources))
    stub = Collection(collection.root, config, collection.configured, some, None, ())
    about = (
        str(stub.root),
        stub.configured,
        len(some),
        config.name,
        config.tags,
        str(source.file),
        source.path,
        source.name,
    )
    return Job(stub, source, recipes, tuple(digest_of(about, recipe.about) for recipe in recipes))


def read_all(
    cache: Cache, jobs: Sequence[Job], *, processes: int, progress: Progress
) -> Iterator[tuple[Job, Known]]:
    """Yield each job with what is known of its source, once what the cache lacks is made.

    `progress` is called with notes that were made and notes to make.
    """
    folders = _Folders()
    looked_up = [_look_up(cache, job, folders) for job in jobs]
    missing = [job for job, known in looked_up if known is None]
    made = iter(list(_make_missing(cache, missing, folders, processes, progress)))
    for job, known in looked_up:
        yield job._replace(before=()), known or next(made)


def make_again(cache: Cache, job: Job, digest: str) -> bool:
    """Make the entries of a source again, for this process; whether its content still has the `digest`."""
    (made,) = _make([job], _Folders())
    cache.put(made.entries, keep=False)
    return made.digest == digest


class _Folders(dict[Path, MediaFolder]):
    def __missing__(self, root: Path) -> MediaFolder:
        self[root] = MediaFolder(root)
        return self[root]


@cache
def _own_folders() -> _Folders:
    """Return the media that a process of a pool has read."""
    return _Folders()


def _look_up(cache: Cache, job: Job, folders: _Folders) -> tuple[Job, Known | None]:
    """Return what is known of a source; None if any of its entries is missing, with the job to make them."""
    read = read_source(job.source)
    if read.source is None:
        return job, Known(None, read.problems, "", {})
    keys = _keys(job, read.digest)
    if all(cache.has(key, part) for part, key in keys.items()):
        packed = cache.get(keys["head"], "head")
        head = packed and _head_of(packed)
        if head and _are_current(head, job.source, folders[job.collection.root]):
            return job, Known(head, read.problems, read.digest, keys)
    before = tuple(
        cache.last(slot, each.parts[0]) for each, slot in zip(job.recipes[1:], job.slots[1:], strict=True)
    )
    return job._replace(before=(None, *before), notes=guess_notes(read.source.text)), None


def _are_current(head: Head, source: Source, media: MediaFolder) -> bool:
    """Whether a source's addresses still lead to the same files; never if one of them led to an error."""
    return all(
        media.find(source.file, Reference(address, _NOWHERE, 1, optional)) == (was, [])
        for address, optional, was in head.media
    )


def _keys(job: Job, digest: str) -> dict[str, bytes]:
    slots = {part: slot for each, slot in zip(job.recipes, job.slots, strict=True) for part in each.parts}
    return {part: _key(slot, digest) for part, slot in (*slots.items(), ("head", job.slots[0]))}


def _key(slot: bytes, digest: str) -> bytes:
    return hashlib.sha256(slot + digest.encode()).digest()


def _make_missing(
    cache: Cache, jobs: Sequence[Job], folders: _Folders, processes: int, progress: Progress
) -> Iterator[Known]:
    """Make the entries of sources, in several processes where that pays."""
    tasks = list(pieces(jobs, lambda job: job.notes))
    total = sum(job.notes for job in jobs)
    done = 0
    with closing(_make_tasks(tasks, folders, processes, total)) as results:
        for task, made in zip(tasks, results, strict=True):
            for keep in (True, False):
                cache.put([entry for each in made if each.keep is keep for entry in each.entries], keep=keep)
            yield from map(_known_of, made)
            done += sum(job.notes for job in task)
            progress(done, total)


def _make_tasks(
    tasks: Sequence[Sequence[Job]], folders: _Folders, processes: int, notes: int
) -> Generator[list[_Made]]:
    done = 0
    # Close it promptly: it owns a process pool.
    with closing(in_processes(_make_there, tasks, processes=processes, notes=notes)) as results:
        for _, made in results:
            done += 1
            yield made
    for task in tasks[done:]:
        yield _make(task, folders)


def _known_of(made: _Made) -> Known:
    head = _head_of(unpack(made.entries[-1].packed)) if made.entries else None
    return Known(head, made.problems, made.digest, {each.part: each.key for each in made.entries})


def _make_there(task: Sequence[Job]) -> list[_Made]:
    return _make(task, _own_folders())


def _make(task: Sequence[Job], folders: _Folders) -> list[_Made]:
    return [_make_one(job, folders[job.collection.root]) for job in task]


def _make_one(job: Job, folder: MediaFolder) -> _Made:
    """Read and parse a source, and make all that is asked of it."""
    read = read_source(job.source)
    if read.source is None:
        return _Made(read.problems, "", [], keep=False)
    media = _Recorder(folder)
    parsed = parse_source(job.collection, read.source, media)
    entries = []
    said: list[Diagnostic] = []
    before = job.before or (None,) * len(job.recipes)
    for recipe, slot, last in zip(job.recipes, job.slots, before, strict=True):
        values, found = recipe.make(read.source, parsed, recipe.about, unpack(last) if last else None)
        said += found
        key = _key(slot, read.digest)
        entries += [
            Entry(key, part, slot, pack(value)) for part, value in zip(recipe.parts, values, strict=True)
        ]
    slot = job.slots[0]
    entries.append(Entry(_key(slot, read.digest), "head", slot, pack(_plain_head(parsed, media.found))))
    return _Made(read.problems, read.digest, entries, keep=may_be_kept(said))


class _Recorder(MediaFolder):
    """Passes searches on, and keeps what was found."""

    def __init__(self, folder: MediaFolder) -> None:
        self._folder = folder
        self.found: dict[tuple[str, bool], Media | None] = {}

    def find(self, source: Path, reference: Reference) -> tuple[Media | None, list[Diagnostic]]:
        found = self._folder.find(source, reference)
        self.found[reference.address, reference.optional and not found[1]] = found[0]
        return found


def _plain_head(parsed: ParsedSource, media: Mapping[tuple[str, bool], Media | None]) -> tuple[object, ...]:
    return (
        [plain_gist(each) for each in parsed.gists],
        [(each.name, tuple(each.place), each.description) for each in parsed.decks],
        [as_json(each) for each in parsed.diagnostics],
        [(*address, found and plain_media(found)) for address, found in media.items()],
        [(*use[:3], tuple(use.place), use.length) for use in parsed.media],
        [(note, rule, tuple(place)) for note, rule, place in parsed.ignored],
    )


def _head_of(plain: tuple[Any, ...]) -> Head:
    gists, decks, diagnostics, media, uses, ignored = plain
    return Head(
        [gist_of(each) for each in gists],
        [DeckText(name, Location(*place), text) for name, place, text in decks],
        [from_json(each) for each in diagnostics],
        [(address, optional, found and media_of(found)) for address, optional, found in media],
        [
            MediaUse(name, digest, file, Location(*place), length)
            for name, digest, file, place, length in uses
        ],
        [Ignored(note, rule, Location(*place)) for note, rule, place in ignored],
    )
