"""A complete build: reads the sources, identifies their notes and writes the outputs."""

import hashlib
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Collection as Container
from contextlib import contextmanager
from dataclasses import replace
from itertools import compress
from pathlib import Path
from typing import NamedTuple, TypeVar

from ptcards.diagnostics import (
    Diagnostic,
    Location,
    Trait,
    WrongUseError,
    counted,
    errors_in,
    has_errors,
    may_be_kept,
    warning,
)
from ptcards.diagnostics.suggest import did_you_mean, one_of
from ptcards.files import Replacing, locked, replacing, replacing_together
from ptcards.files.inputs import file_digest, shown
from ptcards.files.output_folder import output_folder
from ptcards.identity.advice import list_recognised
from ptcards.identity.changes import Changes, in_parts
from ptcards.identity.history import History, compare_with_history
from ptcards.identity.lock import Lock, format_lock
from ptcards.identity.resolve import (
    Identities,
    identify,
    locked_differences,
    lost_notes,
    no_clock,
    read_clock,
)
from ptcards.notes.notetypes import NoteType
from ptcards.notes.rendered import Row
from ptcards.source.assembly import Owners
from ptcards.source.collection import Collection, find_roots
from ptcards.source.config import EditionConfig
from ptcards.source.editions import ALL_NOTES, WHOLE, EditionChoice
from ptcards.source.media import look_media
from ptcards.workspace import Contents, ReadOptions, Workspace
from ptcards.workspace.entries import Progress
from ptcards.writers import DEFAULTS, BuildSummary
from ptcards.writers.outputs import Edition, output_name, output_paths, refuse_same_output, write_outputs
from ptcards.writers.rows import CSV, FIELDS, RENDERED, rows

T = TypeVar("T")


class BuildOptions(NamedTuple):
    """How to build: the folder for the outputs, the formats, the editions and what may change.

    Without an `output` folder, each collection has its own (`output_folder`). With `dry_run`, nothing is
    written; with `accept`, many notes may be retired together.
    """

    output: Path | None
    formats: Container[str] = DEFAULTS
    locked: bool = False
    refresh: bool = False
    new_lock: bool = False
    dry_run: bool = False
    accept: bool = False
    editions: EditionChoice = ALL_NOTES


class Built(NamedTuple):
    """What a build of an edition did: its `outputs`, and the number of notes and cards.

    `written` is true if an output or the lock changed. With `locked`, `out_of_date` lists what the lock
    lacks; if it lacks anything, nothing was written.
    """

    collection: Collection
    changes: Changes
    notes: int = 0
    cards: int = 0
    outputs: tuple[Path, ...] = ()
    written: bool = False
    out_of_date: tuple[str, ...] = ()
    recognised: tuple[str, ...] = ()
    lock_written: bool = False
    lock_created: bool = False
    left_out: int = 0
    drafts: int = 0
    edition: str = ""

    def summary(self) -> BuildSummary:
        """Return what a build says about the collection."""
        name = ", ".join(filter(None, (self.collection.config.name, self.edition)))
        what = f"{name}: {counted(self.notes, 'note')}, {counted(self.cards, 'card')}"
        less = [counted(self.drafts, "draft")] if self.drafts else []
        less += [f"{self.left_out:,} left out"] if self.left_out else []
        if count := self.collection.not_read.unexpected:
            less.append(f"{counted(count, 'file')} not read: check -v")
        what += f" ({', '.join(less)})" if less else ""
        outputs = [shown(file.absolute()) for file in self.outputs]
        lock = self.collection.root / "deck.lock"
        is_pushed = self.collection.configured and not self.edition
        pushed = (self.collection.config.id, str(lock)) if is_pushed else ("", "")
        return BuildSummary(what, outputs, pushed)

    def learners_see(self) -> Iterable[tuple[str, str]]:
        """Return what changes for learners, in the form of `in_parts`; empty without a lock."""
        return in_parts(self.changes) if self.collection.configured and self.written else ()


class Plan(NamedTuple):
    """A collection with its notes identified; `lock` is the content of the lock to write."""

    contents: Contents
    before: Lock
    identities: Identities
    note_types: tuple[NoteType, ...]
    lock: bytes
    out_of_date: tuple[str, ...]

    @property
    def recognised(self) -> tuple[str, ...]:
        """The lines about notes that were matched with published ones by likeness."""
        return tuple(list_recognised(self.identities.recognised, self.identities.respelt))

    @property
    def lock_digest(self) -> str:
        """The digest of the lock to write."""
        return hashlib.sha256(self.lock).hexdigest()

    @property
    def lock_file(self) -> Path:
        """The path of the lock, whether it exists or not."""
        return self.contents.collection.root / "deck.lock"

    def unwritten(self) -> Built:
        """Return the result for a lock that is out of date: nothing is written."""
        changes, stale = self.identities.changes, self.out_of_date
        return Built(self.contents.collection, changes, out_of_date=stale, recognised=self.recognised)

    def editions(self, options: BuildOptions) -> list[EditionConfig]:
        """Return the editions to build: those with notes, or else the complete collection."""
        wanted = options.editions.among(self.contents.collection.config.editions)
        return [each for each in wanted if self.contents.count(each)] or [
            each for each in wanted if each is WHOLE
        ]

    def all_built(self, options: BuildOptions, changed: Container[Path] = ()) -> Iterator[Built]:
        """Yield the result for each edition; only the first says what changes for learners."""
        changes = self.identities.changes
        for edition in self.editions(options):
            yield self.built(options, changed, edition)._replace(changes=changes)
            changes = Changes()

    def built(
        self, options: BuildOptions, changed: Container[Path] = (), edition: EditionConfig = WHOLE
    ) -> Built:
        """Return the result of a build that wrote the `changed` files."""
        collection, outputs = self.contents.collection, tuple(self.outputs(options, edition).values())
        is_whole, language = edition is WHOLE, edition.language
        parts = self.contents.parts(RENDERED)
        cards = (
            (part.cards for each, part in parts if each.source.settings.translation == language)
            if is_whole or language
            else (len(row.ordinals) for _, _, row in self.rows(edition))
        )
        return Built(
            collection,
            self.identities.changes,
            notes=self.contents.count(edition),
            cards=sum(cards),
            outputs=outputs,
            written=any(path in changed for path in (self.lock_file, *outputs)),
            recognised=self.recognised,
            lock_written=self.lock_file in changed,
            lock_created=self.lock_file in changed and self.before.new,
            left_out=sum(1 for _ in self.contents.left_out) if is_whole else 0,
            drafts=self.contents.draft_count if is_whole else 0,
            edition=edition.name,
        )

    def folder(self, options: BuildOptions) -> Path:
        """Return the folder for the outputs."""
        return options.output or output_folder(self.contents.collection.root)

    def outputs(self, options: BuildOptions, edition: EditionConfig = WHOLE) -> dict[str, Path]:
        """Return the files to write, by format."""
        name = output_name(self.contents.collection, edition)
        return output_paths(self.folder(options), name, options.formats)

    def edition(self, progress: Progress, which: EditionConfig = WHOLE) -> Edition:
        """Return the requested notes for publishing; `progress` is called with the number written so far."""
        identities, collection = self.identities, self.contents.collection
        mods = (mod for each in self.contents.selected for mod in identities.mods[each.span])
        return Edition(
            replace(collection.config, language=which.language or collection.config.language),
            [(kind, identities.types[kind.key]) for kind in self.note_types],
            self.contents.decks,
            max(mods, default=1),
            lambda: self._counted(self.rows(which), which, progress),
            lambda: self._counted(self._csv_rows(which), which, progress),
            look_media(collection.root, collection.config.css, collection.config.note_types),
            title=which.title,
        )

    def _counted(self, notes: Iterable[T], edition: EditionConfig, progress: Progress) -> Iterator[T]:
        count = self.contents.count(edition)
        for number, note in enumerate(notes):
            if not number % 100:
                progress("Writing", number, count)
            yield note

    def keys(self) -> Iterator[str]:
        """Yield the keys of the requested notes, in the order of `rows`."""
        for each, now in self.contents.in_order():
            yield from compress(self.contents.keys[each.span], now)

    def rows(self, edition: EditionConfig | None = None) -> Iterator[tuple[str, int, Row]]:
        """Yield the GUID, time and row of each requested note, in the order of new cards."""
        guids, mods = self.identities.guids, self.identities.mods
        for each, now in self.contents.in_order(edition):
            positions = range(each.span.start, each.span.stop)
            kept = zip(positions, self.contents.by_note(each, FIELDS), strict=True)
            rows = (each.row.numbered(self.identities.numbers(position)) for position, each in kept)
            yield from compress(zip(guids[each.span], mods[each.span], rows, strict=True), now)

    def stored(self) -> Iterator[tuple[str, str, int, tuple[str, ...], str, Row]]:
        """Yield the GUID, key, time, field names, stored text and row of each requested note."""
        names = {note_type.key: note_type.field_names for note_type in self.note_types}
        for key, (guid, mod, row) in zip(self.keys(), self.rows(), strict=True):
            # Anki stores text in this form.
            text = unicodedata.normalize("NFC", row.fields(guid))
            yield guid, key, mod, names[row.note_type], text, row

    def _csv_rows(self, edition: EditionConfig) -> Iterator[tuple[str, str, str]]:
        guids, keys = self.identities.guids, self.contents.keys
        for each, now in self.contents.in_order(edition):
            part = self.contents.by_note(each, CSV)
            yield from compress(zip(guids[each.span], keys[each.span], part, strict=True), now)


def identify_all(workspace: Workspace, options: BuildOptions) -> tuple[list[Plan], list[Diagnostic]]:
    """Return a plan for each collection with a usable lock, and diagnostics."""
    plans = []
    diagnostics: list[Diagnostic] = []
    for contents in workspace.contents:
        before, found = contents.published.lock()
        diagnostics += found if contents.collection.configured else [_no_lock(contents.collection)]
        if before is None:
            continue
        # A locked build changes nothing, so releases after HEAD do not matter: it may be the build of a tag.
        history = contents.published.history.until_head() if options.locked else contents.published.history
        known = compare_with_history(before, history, new_lock=options.new_lock)
        plan, found = _plan(contents, before, history, options)
        plans.append(plan)
        diagnostics += [*known, *found, *_lost(plan, options)]
    return plans, diagnostics


def _plan(
    contents: Contents, before: Lock, history: History, options: BuildOptions
) -> tuple[Plan, list[Diagnostic]]:
    """Return the plan for one collection, with its notes identified."""
    collection, types = contents.collection, contents.note_types
    known = {note_type.key: note_type.lock_columns for note_type in types if note_type.is_own}
    hashes = {note_type.key: note_type.digest for note_type in types}
    locked = options.locked and collection.configured
    identities, diagnostics = identify(
        contents.summaries,
        before,
        type_hashes=hashes,
        clock=no_clock if locked else read_clock,  # anything that needs a time is out of date
        # A new lock that drops notes on purpose gives every note a new time, which distinguishes it from a
        # lock that lost notes by accident.
        refresh=options.refresh or (options.new_lock and bool(history.missing(before))),
        selected=collection.selected,
        history=history,
        anki_types=known,
        content_in=contents.content_in,
        earlier=contents.committed,
        foreign=contents.foreign.keys(),
    )
    stale = locked_differences(identities, contents.summaries, before, history) if locked else ()
    lock = format_lock(identities.lock).encode()
    return Plan(contents, before, identities, types, lock, stale), diagnostics


def _lost(plan: Plan, options: BuildOptions) -> Iterator[Diagnostic]:
    """Yield errors about notes that would be retired although nobody deleted them."""
    contents, retired = plan.contents, plan.identities.changes.retired
    if contents.foreign and retired:
        yield from lost_notes(
            retired, contents.left_out, plan.before, contents.sources[0].place, accept=options.accept
        )


def _no_lock(collection: Collection) -> Diagnostic:
    sources = collection.sources
    folder = Location(shown(collection.root), 1, 0)
    place = folder if len(sources) > 1 else Location(sources[0].path, 1)
    message = "without a `deck.toml`, reworded questions become new notes"
    return warning(
        place, "no-deck-toml", message, "run `ptcards init` in this folder before you share the deck"
    )


def write_lock(plan: Plan, options: BuildOptions, write: Replacing = replacing) -> None:
    """Write the lock if it changed."""
    # Compare with the file: after a merge it may have several lines for a note, which reading merges.
    wanted = plan.contents.collection.configured and not options.locked
    if wanted and plan.lock_digest != file_digest(plan.lock_file):
        with write(plan.lock_file) as file:
            file.write(plan.lock)


def write_all(
    plans: Sequence[Plan], options: BuildOptions, stage: Callable[[str], None], progress: Progress
) -> tuple[Built, ...]:
    """Write the locks and outputs of collections, or change nothing if one cannot be written.

    A lock replaces the old one before any output does: if the process is killed in between, the lock may know
    notes that no package contains, but never the reverse.
    """
    with replacing_together() as files:
        for plan in plans:
            write_lock(plan, options, files.replacing)
        for plan in plans:
            for each in plan.editions(options):
                outputs, edition = plan.outputs(options, each), plan.edition(progress, each)
                write_outputs(outputs, edition, files.replacing, stage)
        changed = {path for _, path in files.waiting}
    return tuple(built for plan in plans for built in plan.all_built(options, changed))


def _refuse_missing(plans: Sequence[Plan], options: BuildOptions) -> None:
    """Raise WrongUseError if an edition or tag was asked for that no collection has."""
    choice, contents = options.editions, [plan.contents for plan in plans]
    known = [edition.name for each in contents for edition in each.collection.config.editions]
    define = "add a table `[[editions]]` to `deck.toml`"
    if choice.every and not known:
        raise WrongUseError("there are no editions", define)
    for name in choice.names:
        if name not in known:
            raise WrongUseError(f"there is no edition `{name}`", one_of(name, known) if known else define)
    for tag in choice.tags:
        if not any(each.count(EditionConfig(tags=(tag,))) for each in contents):
            tags = sorted({each for one in contents for note in one.summaries for each in note.tags})
            raise WrongUseError(f"no note has the tag `{tag}`", did_you_mean(tag, tags))
    if not any(plan.editions(options) for plan in plans):
        message = "none of these files has a note of the edition"
        fix = "correct it in `deck.toml`, or name the collection's folder instead of files in it"
        raise WrongUseError(message, fix)


class Judged(NamedTuple):
    """What was read, with a plan for each collection; there are none if the sources have errors.

    `of_sources` contains the diagnostics of the sources and `of_identity` those of identity, both without
    the ignored ones.
    """

    workspace: Workspace
    plans: Sequence[Plan]
    of_sources: list[Diagnostic]
    of_identity: list[Diagnostic]

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """All diagnostics."""
        return self.of_sources + self.of_identity

    def next_time(self, *, lock_written: bool) -> list[Diagnostic] | None:
        """Return what the same build would report next time, or None if that is unknown."""
        if not may_be_kept(self.diagnostics):
            return None
        if not lock_written:
            return self.diagnostics
        # The lock now matches every note, so identity would report nothing.
        is_whole = all(plan.contents.collection.selected is None for plan in self.plans)
        return self.of_sources if is_whole else None

    def write(
        self, options: BuildOptions, progress: Progress, stage: Callable[[str], None] = lambda _: None
    ) -> tuple[Built, ...]:
        """Write the locks and outputs of all collections, or nothing if any has an error or is out of date.

        `stage` is called with the name of each stage. Raises OutputError if an output cannot be written; the
        remaining ones are unchanged. Raises WrongUseError if there is no such edition, or it has no notes.
        """
        if has_errors(self.diagnostics):
            return ()
        _refuse_missing(self.plans, options)
        if any(plan.out_of_date for plan in self.plans):
            return tuple(plan.unwritten() for plan in self.plans)
        if options.dry_run:
            built = (each for plan in self.plans for each in plan.all_built(options))
            return tuple(each._replace(written=True) for each in built)
        return write_all(self.plans, options, stage, progress)


@contextmanager
def prepared(
    paths: Sequence[Path],
    options: BuildOptions,
    reading: ReadOptions,
    *,
    waiting: Callable[[Path], None],
    stage: Callable[[str], None] = lambda _: None,
) -> Iterator[Judged]:
    """Yield collections with their notes identified; their folders stay locked until the block ends.

    `waiting` is called with a folder that another build has locked, `stage` with the name of each stage.

    Raises:
        NoSuchSourceError: a path does not exist or has no sources, or two collections have the same output.
        SourceChangedError: a source was saved while the build ran.
        ClockError: SOURCE_DATE_EPOCH is not a time.

    """
    outputs = {options.output or output_folder(path) for path in paths} if options.formats else set()
    # Read only after locking, so that of two builds, the later one writes the newer text.
    with locked(*([] if options.dry_run else [*find_roots(paths), *outputs]), waiting=waiting):
        stage("read")
        workspace = Workspace.read(paths, reading, lambda collection: (rows(collection.config.note_types),))
        if options.formats:
            collections = [each.collection for each in workspace.contents]
            refuse_same_output(collections, options.output, options.editions)
        of_sources = workspace.diagnostics
        # Check everything even after an error, because authors want to see all mistakes together.
        broken = errors_in(of_sources)
        of_sources += _of_rendering(workspace, broken)
        stage("identify")
        reading.progress("Comparing", 0, 0)
        readable = all(contents.collection.sources for contents in workspace.contents)
        plans, of_identity = identify_all(workspace, options) if readable or not broken else ([], [])
        if broken:
            plans, of_identity = [], errors_in(of_identity)
        yield Judged(workspace, plans, workspace.heeded(of_sources), workspace.heeded(of_identity))


def _of_rendering(workspace: Workspace, broken: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield what rendering reports; a note with an error makes no card because of that error."""
    notes = (note for contents in workspace.contents if broken for note in contents.all_summaries)
    owners = Owners(notes)
    wrong = {note.location for each in broken if (note := owners.find(each.location))}
    for contents in workspace.contents:
        for _, part in contents.parts(RENDERED):
            for each in part.diagnostics:
                if Trait.FOLLOWS not in each.traits or each.location not in wrong:
                    yield each
