"""The stages in order: find, compile, identify, write."""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Collection as Container
from dataclasses import dataclass, replace
from pathlib import Path

from ptcards.building.cache import Cache
from ptcards.building.compiled import FLEETING, CompiledCollection, Progress, compile_collections
from ptcards.building.manifest import Outcome, file_digest, remember
from ptcards.building.observing import lock_digest, observe
from ptcards.building.outputs import DEFAULT_FORMATS, output_paths, write_outputs
from ptcards.building.shelf import Shelf
from ptcards.building.versions import versions
from ptcards.collection import Collection, find_collections, shown, slug
from ptcards.diagnostics import Diagnostic, Location, has_errors, warning
from ptcards.files import NoSuchSourceError, replacing, safe_name
from ptcards.files import locked as lock_folders
from ptcards.identity.changes import Changes
from ptcards.identity.lock import VERSION, Lock, lock_lines, read_lock
from ptcards.identity.recognised import list_recognised
from ptcards.identity.resolve import Identities, identify, locked_differences, no_clock, read_clock
from ptcards.notetypes import NoteType, note_types
from ptcards.writers.apkg import replaces_everything


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How to build: where to, in which formats, and what may change.

    `cache` is a file for rows of earlier builds, `manifest` one for what this build rested on; `processes` may compile at once.
    """

    output: Path
    formats: Container[str] = DEFAULT_FORMATS
    locked: bool = False
    refresh: bool = False
    cache: Path | None = None
    manifest: Path | None = None
    processes: int = 1


@dataclass(frozen=True, slots=True)
class Built:
    """What a build of one collection did: it made `outputs`, of that many notes and cards.

    `written` says whether any of them, or the lock, is other than before. `out_of_date` says, with `locked`, what the lock lacks;
    nothing was written then. `recognised` are the lines about notes that were taken for published ones by likeness,
    `lock_created` whether this was the first build.
    """

    collection: Collection
    changes: Changes
    notes: int = 0
    cards: int = 0
    outputs: tuple[Path, ...] = ()
    written: bool = False
    out_of_date: tuple[str, ...] = ()
    recognised: tuple[str, ...] = ()
    lock_created: bool = False

    @property
    def summary(self) -> tuple[str, str]:
        """What was built and where it is, in words."""
        *others, last = (shown(output.absolute()) for output in self.outputs)
        name = self.collection.config.name
        what = f"{name}: {_count(self.notes, 'note')}, {_count(self.cards, 'card')}"
        return what, f"{', '.join(others)} and {last}" if others else last


@dataclass(frozen=True, slots=True)
class _Plan:
    """A collection ready to be written; `lock_digest` is that of the lock to write."""

    compiled: CompiledCollection
    identities: Identities
    note_types: tuple[NoteType, ...]
    type_hashes: Mapping[str, str]
    lock_before: Lock
    lock_digest: str
    out_of_date: tuple[str, ...]


def build(
    paths: Sequence[Path],
    options: BuildOptions,
    *,
    waiting: Callable[[Path], None],
    progress: Progress,
    stage: Callable[[str], None] = lambda _: None,
    tell: Callable[[str], None] = lambda _: None,
) -> tuple[tuple[Built, ...], list[Diagnostic]]:
    """Compile collections: all of them, or with an error in any none.

    `waiting` is called with a folder that another build holds, `progress` with notes compiled and notes in all, `stage` with
    what begins, `tell` with why the cache is of no use.

    Raises:
        NoSuchSourceError: a path is not there, holds no sources, or two collections want one output.
        ClockError: SOURCE_DATE_EPOCH is no time.
        OutputError: an output cannot be written; those not yet written are as they were.

    """
    stage("find")
    collections, _ = _find(paths)
    folders = [collection.root for collection in collections if collection.configured]
    with lock_folders(*folders, options.output, waiting=waiting), Shelf() as shelf:
        # What was saved while another build had the folders counts: of two, the later one writes the newer text.
        collections, said = _find(paths)
        stage("compile")
        cache = Cache(options.cache, versions(), tell)
        compiled, parsing, rendering = compile_collections(
            collections, cache, shelf, processes=options.processes, progress=progress
        )
        cache.close()
        said += parsing
        # An author wants all mistakes at once: nothing is written, but everything was looked at.
        if has_errors(said):
            return (), _without_ignored(compiled, said + rendering)
        return _publish(paths, compiled, options, said + rendering, stage)


def _find(paths: Sequence[Path]) -> tuple[Sequence[Collection], list[Diagnostic]]:
    """Find the collections, whose outputs must have names of their own."""
    collections, said = find_collections(paths, read=False)
    names = [output_name(collection) for collection in collections]
    if twin := next((name for name in names if names.count(name) > 1), ""):
        message = f"two collections would both be written to `{twin}`: give one another `name`, or build them into two folders with -o"
        raise NoSuchSourceError(message)
    return collections, said


def _publish(
    paths: Sequence[Path],
    compiled: Sequence[CompiledCollection],
    options: BuildOptions,
    said: list[Diagnostic],
    stage: Callable[[str], None],
) -> tuple[tuple[Built, ...], list[Diagnostic]]:
    """Find out who is who, and write locks and outputs; `said` is what compiling them gave."""
    stage("identify")
    plans = []
    about: list[Diagnostic] = []
    for each in compiled:
        plan, found = _plan(each, options)
        about += found
        if plan is not None:
            plans.append(plan)
    diagnostics = _without_ignored(compiled, said + about)
    if has_errors(diagnostics):
        return (), diagnostics
    if any(plan.out_of_date for plan in plans):
        return tuple(_unwritten(plan) for plan in plans), diagnostics
    locks = [not options.locked and _write_lock(plan) for plan in plans]
    built = tuple(
        _write(plan, options, stage, lock_written=written) for plan, written in zip(plans, locks, strict=True)
    )
    if options.manifest and not options.refresh:
        stage("remember")
        _remember(options.manifest, paths, plans, built, said)
    return built, diagnostics


def output_name(collection: Collection) -> str:
    """Name the outputs of a collection, without ending: the slug of its name, with the stems of a selection."""
    name = safe_name("-".join([slug(collection.config.name), *(slug(stem) for stem in collection.selection)]))
    return f"{name}-deck" if replaces_everything(f"{name}.apkg") else name


def _plan(compiled: CompiledCollection, options: BuildOptions) -> tuple[_Plan | None, list[Diagnostic]]:
    """Find out who is who in one collection."""
    collection = compiled.collection
    config = collection.config
    file = collection.root / "deck.lock"
    before: Lock | None = Lock(config.id)
    diagnostics: list[Diagnostic] = []
    if collection.configured:
        before, diagnostics = read_lock(file, shown=shown(file), collection_id=config.id)
    else:
        diagnostics = [_no_lock(collection)]
    if before is None:
        return None, diagnostics
    types = note_types(config.id, config.name, config.css)
    hashes = {note_type.key: note_type.digest for note_type in types}
    stale: tuple[str, ...] = ()
    if options.locked and collection.configured:
        stale = locked_differences(compiled.gists, before, type_hashes=hashes, selected=collection.selected)
    identities, found = identify(
        compiled.gists,
        before,
        type_hashes=hashes,
        clock=no_clock if stale else read_clock,  # what is out of date is not written
        refresh=options.refresh,
        selected=collection.selected,
    )
    # A lock of an older version in which nothing else changed is the lock that was read, and its file stays as it is.
    is_kept = identities.lock is before and before.version < VERSION
    digest = file_digest(file) if is_kept else lock_digest(identities.lock)
    return _Plan(compiled, identities, types, hashes, before, digest, stale), diagnostics + found


def _no_lock(collection: Collection) -> Diagnostic:
    place = Location(collection.sources[0].path, 1)
    message = "without a `deck.toml` nothing remembers these notes: a reworded question becomes a new note"
    return warning(
        place, "no-deck-toml", message, "run `ptcards init` in this folder before you share the deck"
    )


def _without_ignored(
    compiled: Sequence[CompiledCollection], diagnostics: list[Diagnostic]
) -> list[Diagnostic]:
    """Leave out what collections and notes ignore."""
    if not diagnostics:
        return []
    from ptcards.ignores import silence  # noqa: PLC0415 - brings all rules, and mostly there is nothing to say

    for each in compiled:
        diagnostics, _ = silence(each.collection, each.gists, diagnostics)
    return diagnostics


def _unwritten(plan: _Plan) -> Built:
    return Built(
        plan.compiled.collection,
        plan.identities.changes,
        out_of_date=plan.out_of_date,
        recognised=_recognised(plan),
    )


def _recognised(plan: _Plan) -> tuple[str, ...]:
    return tuple(list_recognised(plan.identities.recognised, plan.identities.respelt))


def _write_lock(plan: _Plan) -> bool:
    """Write the lock if it changed, and say so."""
    collection = plan.compiled.collection
    path = collection.root / "deck.lock"
    # Compared with the file: of two merged branches it may hold several lines of a note, which reading folds.
    changed = collection.configured and (plan.lock_before.new or plan.lock_digest != file_digest(path))
    if changed:
        with replacing(path) as file:
            file.writelines(line.encode() for line in lock_lines(plan.identities.lock))
    return changed


def _write(plan: _Plan, options: BuildOptions, stage: Callable[[str], None], *, lock_written: bool) -> Built:
    compiled, identities = plan.compiled, plan.identities
    outputs = output_paths(options.output, output_name(compiled.collection), options.formats)
    written = write_outputs(outputs, compiled, identities, plan.note_types, stage)
    notes, cards = compiled.count()
    paths = tuple(outputs.values())
    return Built(
        compiled.collection,
        identities.changes,
        notes,
        cards,
        paths,
        lock_written or written,
        recognised=_recognised(plan),
        lock_created=lock_written and plan.lock_before.new,
    )


def _remember(
    file: Path,
    paths: Sequence[Path],
    plans: Sequence[_Plan],
    built: Sequence[Built],
    said: list[Diagnostic],
) -> None:
    """Keep what the same build would say next time, when the lock knows all that this one put there."""
    about: list[Diagnostic] = []
    for plan in plans:
        if plan.compiled.collection.selected is None:
            continue  # of notes that the lock knows as they are, all of them, there is nothing to say
        lock = replace(plan.identities.lock, new=False)
        again, found = identify(
            plan.compiled.gists,
            lock,
            type_hashes=plan.type_hashes,
            clock=no_clock,
            refresh=False,
            selected=plan.compiled.collection.selected,
        )
        if again.changes or (again.guids, again.mods) != (plan.identities.guids, plan.identities.mods):
            return
        about += found
    diagnostics = _without_ignored([plan.compiled for plan in plans], said + about)
    if has_errors(diagnostics) or any(each.rule in FLEETING for each in said):
        return
    locks = [plan.lock_digest for plan in plans]
    outputs = [output for each in built for output in each.outputs]
    facts = observe(paths, [plan.compiled for plan in plans], locks, outputs)
    if facts is not None:
        remember(file, facts, Outcome(tuple(diagnostics), tuple(each.summary for each in built)))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
