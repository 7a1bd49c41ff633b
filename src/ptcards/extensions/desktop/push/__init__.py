"""Pushes collections into the Anki that is open on this computer.

A push builds the collection, compares it with Anki, and writes what is safe.
"""

import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ptcards.compile import BuildOptions, Built, Plan, prepared, write_lock
from ptcards.diagnostics import Diagnostic, WrongUseError, counted, has_errors
from ptcards.extensions.desktop.merge.compare import (
    AnkiState,
    Change,
    Ours,
    Overrides,
    Publications,
    PushRecord,
    Retired,
    Theirs,
)
from ptcards.extensions.desktop.merge.plan import Move, PushPlan, Sources, plan_push
from ptcards.extensions.desktop.merge.texts import digest
from ptcards.extensions.desktop.push.ankiconnect import (
    Anki,
    AnkiError,
    ChangedMeanwhileError,
    Profile,
    TypingError,
)
from ptcards.extensions.desktop.push.apply import back_up, carry_out
from ptcards.extensions.desktop.push.pulled import pulled_edit, with_pulled, without_discarded
from ptcards.extensions.desktop.push.reading import look_of, read_found, read_media, read_retired, read_types
from ptcards.extensions.desktop.push.record import (
    descriptions_after,
    files_after,
    is_taken,
    looks_after,
    read_record,
    record_after,
    record_file,
    write_record,
)
from ptcards.files import NoSuchSourceError, locked
from ptcards.files.inputs import file_digest
from ptcards.files.temporary import sweep
from ptcards.notes.rendered import Media
from ptcards.workspace import ReadOptions

if TYPE_CHECKING:
    from ptcards.extensions.importing.write_back import FieldEdit, IdentifiedNotes

_NO_OVERRIDES = Overrides()
_QUIET = 5.0
"""Seconds without an edit in Anki after which nobody is taken to type there."""


@dataclass(frozen=True, slots=True)
class PushOptions:
    """How to push: the required `profile` (any if empty) and the unsafe changes to allow.

    With `dry_run`, nothing is written, except to the record if `pulls` is true. With `yields`, nothing is
    written while somebody types in Anki.
    """

    state: Path
    overrides: Overrides = _NO_OVERRIDES
    delete_retired: bool = False
    dry_run: bool = False
    profile: str = ""
    locked: bool = False
    pulls: bool = False
    yields: bool = False

    @property
    def build(self) -> BuildOptions:
        """The build options of a push, without outputs."""
        return BuildOptions(Path(), (), locked=self.locked, dry_run=self.dry_run)


@dataclass(frozen=True, slots=True)
class Pushed:
    """What a push of one collection did or, with `dry_run`, would do.

    `left_out` lists new notes that Anki did not accept, `overtaken` notes that were edited in Anki before
    they could be written, `twice` notes that Anki has more than once, and `extended` note types with
    additional fields or templates. `is_first` is true if no earlier push to this Anki is known.
    """

    name: str
    profile: str
    plan: PushPlan
    built: Built
    seconds: float = 0
    left_out: tuple[Ours, ...] = ()
    overtaken: tuple[Ours, ...] = ()
    twice: tuple[str, ...] = ()
    extended: tuple[str, ...] = ()
    backups: tuple[Path, ...] = ()
    is_first: bool = False


class CollectionPush:
    """The push of one collection: its `contents`, and the GUIDs of all its notes in order."""

    def __init__(self, built: Plan, options: PushOptions, anki: Anki, profile: Profile) -> None:
        self._begun = time.monotonic()
        self.built, self.contents, self.guids = built, built.contents, built.identities.guids
        self._options, self._anki, self._profile = options, anki, profile
        self._config = built.contents.collection.config
        self._ours = [Ours(*each) for each in built.stored()]
        self._edition = built.edition(lambda *_: None)
        self._types = [kind for kind, _ in self._edition.note_types]
        self._files = _files(self._edition.look_media, self._ours)
        self._sources = Sources(
            self._ours,
            {kind.key: look_of(kind) for kind in self._types},
            {deck.name: digest(deck.description) for deck in self._edition.decks},
            {name: media.digest for name, media in self._files.items()},
        )
        self._file = record_file(options.state, self._config.id, profile.media_folder)
        push_record = read_record(self._file)
        self._is_first = push_record is None
        self._memory = push_record or PushRecord()

    @property
    def identified(self) -> "IdentifiedNotes":
        """The notes of the collection, and the lock as the push would write it."""
        from ptcards.extensions.importing.write_back import IdentifiedNotes  # noqa: PLC0415 - heavy, and rarely needed

        return IdentifiedNotes(self.contents, self.guids, self.built.identities.lock, self.built.before)

    def media_content(self, name: str) -> bytes:
        """Return the content of a media file in Anki, or nothing if Anki lacks it.

        Raises:
            AnkiError: Anki does not answer.

        """
        return read_media(self._anki, Path(self._profile.media_folder), name)

    def remember_pulled(self, edits: Iterable["FieldEdit"]) -> None:
        """Record that edits in Anki are in the Markdown now.

        The Markdown may say the same in another way, or be edited further: that is not a conflict while it
        contains what was pulled.

        Raises:
            OutputError: the record cannot be written.

        """
        pulled = [
            (edit.guid, edit.place, pulled_edit(edit.ours, edit.theirs, edit.received or edit.theirs))
            for edit in edits
        ]
        if pulled:
            self._memory = with_pulled(self._memory, pulled)
            write_record(self._file, self._memory)

    def run(self, confirm: Callable[[Sequence[Retired]], bool]) -> Pushed:
        """Compare with Anki and write what is safe; do both again if a note was edited in Anki meanwhile."""
        try:
            pushed = self._run(confirm)
        except ChangedMeanwhileError:
            pushed = self._run(confirm)
        return replace(pushed, seconds=time.monotonic() - self._begun)

    def _run(self, confirm: Callable[[Sequence[Retired]], bool]) -> Pushed:
        anki_state, plan = self.plan()
        pushed = Pushed(
            self._config.name,
            self._profile.name,
            plan,
            self.built.built(self._options.build),
            twice=anki_state.twice,
            extended=tuple(theirs.name for theirs in anki_state.types.values() if theirs.extended),
            is_first=self._is_first,
        )
        if self._options.dry_run:
            return pushed
        if self._options.delete_retired and (some := [each for each in plan.retired if each.is_clean]):
            plan = replace(plan, deletes=confirm(some))
        # The lock comes first: the next push would add a note in Anki again if the lock did not contain it.
        write_lock(self.built, self._options.build)
        there, backups = self._write(plan, anki_state)
        pushed = replace(
            pushed,
            plan=plan,
            left_out=tuple(note for note in plan.new if note.guid not in there),
            overtaken=tuple(update.ours for update in plan.updates if not _has_arrived(update, there)),
            backups=tuple(backups),
        )
        self._remember(plan, anki_state, there)
        return pushed

    def plan(self) -> tuple[AnkiState, PushPlan]:
        """Return the state of Anki, and what a push would do."""
        lock = self.built.identities.lock
        anki_state = read_found(self._anki, self._sources, self._types, self._memory, lock)
        known = _publications(self.built, anki_state, self._memory)
        retired: Iterable[Retired] = ()
        if self.built.contents.collection.selected is None:
            retired = read_retired(self._anki, anki_state, lock.records, self._memory, known)
        return anki_state, plan_push(
            self._sources,
            anki_state,
            without_discarded(self._memory, self._ours),
            self._options.overrides,
            known=known,
            retired=sorted(
                retired, key=lambda each: (each.record.fingerprint.deck, each.record.fingerprint.heading)
            ),
        )

    def _write(self, plan: PushPlan, found: AnkiState) -> tuple[Mapping[str, Theirs], list[Path]]:
        backups: list[Path] = []
        if not plan:
            return {}, backups
        lost = [card for deletion in plan.deletions for card in deletion.theirs.cards]
        if self._options.overrides.overwrite:
            lost += [card for update in plan.updates if not update.in_package for card in update.theirs.cards]
        if plan.replaced:
            query = " OR ".join(f"mid:{their_type.id}" for their_type in found.types.values())
            lost += self._anki.ask("findCards", query=query)
        if self._anki.profile() != self._profile:
            message = "another profile was opened in Anki during the push"
            raise AnkiError(message, "open the profile that you want, then push again")
        if self._options.yields and self._is_typing(found.mods):
            raise TypingError("somebody types in Anki", "wait until all is saved")
        folder = self._options.state / "push" / "backups"
        if lost:
            backups = back_up(self._anki, lost, folder, self._config.id)
        files = [self._files[name] for name in plan.files]
        return carry_out(self._anki, plan, found, self._edition, files), backups

    def _is_typing(self, mods: Mapping[int, int]) -> bool:
        """Whether a note was edited in Anki in the last seconds; `mods` are the times of our notes there.

        Anki's editor saves at each pause of 0.6 seconds, and AnkiConnect does not say more about it.
        """
        others = [nid for nid in self._anki.ask("findNotes", query="edited:1") if nid not in mods]
        times = self._anki.times(others)
        ours = {(base.nid, abs(base.mod)) for base in self._memory.notes.values()}
        now = time.time()  # a computer whose clock is wrong may have left notes from the future
        return any(
            abs(now - mod) < _QUIET and (nid, mod) not in ours for nid, mod in {**times, **mods}.items()
        )

    def _remember(self, plan: PushPlan, found: AnkiState, there: Mapping[str, Theirs]) -> None:
        types = found.types
        if plan.looks or plan.brings_types(types):
            types = read_types(self._anki, self._types)
        is_whole = self.contents.collection.selected is None
        notes = record_after(self._memory, self._ours, plan, there)
        ours = {base.nid for base in notes.values()}
        memory = PushRecord(
            notes,
            looks_after(self._memory, plan, self._sources.looks, types),
            descriptions_after(self._memory, plan, self._sources.descriptions),
            file_digest(self.built.lock_file) if is_whole else self._memory.lock,
            {nid: guid for nid, guid in found.guids.items() if nid not in ours},
            files_after(self._memory, plan, self._files.values()),
        )
        if memory != self._memory or self._is_first:
            write_record(self._file, memory)


def _files(look_media: Iterable[Media], notes: Iterable[Ours]) -> dict[str, Media]:
    """Return the files whose names in Anki do not depend on their content, keyed by name.

    Only files in notes of our own note types have names that depend on the content.
    """
    media = (media for note in notes if note.row.after is None for media in note.row.media)
    return {unicodedata.normalize("NFC", each.name): each for each in (*look_media, *media)}


def _has_arrived(change: Change, there: Mapping[str, Theirs]) -> bool:
    """Whether Anki has the written content of a note, either unchanged or as Anki rewrote it."""
    theirs = there.get(change.ours.guid)
    return theirs is not None and (
        is_taken(change, theirs)
        or all(theirs.fields[place] == change.text(place) for place in change.written)
    )


def _publications(built: Plan, found: AnkiState, memory: PushRecord) -> dict[str, Publications]:
    """Return when and in which decks the notes that were read were published.

    This comes from the lock and, if necessary, its history.
    """
    mods: dict[str, set[int]] = {guid: set() for guid in found.notes}
    decks: dict[str, set[str]] = {guid: set() for guid in found.notes}
    for lock in (built.before, built.identities.lock):
        for record in lock.records:
            if record.guid in mods:
                mods[record.guid].add(record.mod)
                decks[record.guid].add(record.fingerprint.deck)
    if any(
        theirs.mod not in mods[guid] and (guid not in memory.notes or memory.notes[guid].mod != theirs.mod)
        for guid, theirs in found.notes.items()
    ) or any(guid not in memory.notes and note.nid in found.away for guid, note in found.notes.items()):
        published = built.contents.published.publications()
        for guid, some in mods.items():
            some |= {mod for mod, _ in published.get(guid, ())}
            decks[guid] |= {deck for _, deck in published.get(guid, ())}
    return {guid: Publications(frozenset(some), frozenset(decks[guid])) for guid, some in mods.items()}


class Compared(NamedTuple):
    """The collections to push; empty if the sources have errors.

    `stale` lists the builds that `--locked` forbids.
    """

    collections: tuple[CollectionPush, ...]
    stale: tuple[Built, ...]
    diagnostics: list[Diagnostic]


@contextmanager
def compared(
    paths: Sequence[Path],
    options: PushOptions,
    anki: Anki,
    reading: ReadOptions,
    *,
    waiting: Callable[[Path], None],
) -> Iterator[Compared]:
    """Wait for Anki, read the sources, and yield the collections.

    Other builds cannot use their folders until the block ends. Raises the same errors as `push`.
    """
    profile = anki.wait()
    if options.profile not in ("", profile.name):
        message = (
            f'profile "{profile.name}" is open, not "{options.profile}": switch in Anki (File › '
            "Switch Profile)"
        )
        raise WrongUseError(message)
    sweep("push")  # what interrupted pushes left in the temporary folder
    folder = options.state / "push"
    # The record is locked against other pushes on this computer, unless it is only read.
    is_written = options.pulls or not options.dry_run
    if is_written:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (
        locked(*([folder] if is_written else []), waiting=waiting),
        prepared(paths, options.build, reading, waiting=waiting) as found,
    ):
        if has_errors(found.diagnostics):
            yield Compared((), (), found.diagnostics)
            return
        for contents in found.workspace.contents:
            if not contents.collection.configured:
                message = f"`{contents.collection.root}` has no `deck.toml`: run `ptcards init` there first"
                raise NoSuchSourceError(message)
        stale = tuple(plan.unwritten() for plan in found.plans if plan.out_of_date)
        plans = () if stale else found.plans
        reading.progress("Comparing", 0, 0)
        pushes = tuple(CollectionPush(plan, options, anki, profile) for plan in plans)
        yield Compared(pushes, stale, found.diagnostics)


def push(
    paths: Sequence[Path],
    options: PushOptions,
    anki: Anki,
    reading: ReadOptions,
    *,
    waiting: Callable[[Path], None],
    confirm: Callable[[Sequence[Retired]], bool],
) -> tuple[tuple[Pushed, ...], tuple[Built, ...], list[Diagnostic]]:
    """Push collections; return what was done, the builds that `--locked` forbids, and the diagnostics.

    `confirm` is called before retired notes are deleted.

    Raises:
        AnkiError: Anki is not running or refused a request.
        WrongUseError: another profile is open.
        NoSuchSourceError: a path does not exist or is not in a collection.
        SourceChangedError: a source was saved during the push.
        ClockError: SOURCE_DATE_EPOCH is not a valid time.
        OutputError: the lock or the record cannot be written.

    """
    with compared(paths, options, anki, reading, waiting=waiting) as found:
        pushed = tuple(collection.run(confirm) for collection in found.collections)
        return pushed, found.stale, found.diagnostics


def in_short(pushed: Pushed, *, dry_run: bool) -> str:
    """Return a one-sentence summary of the push."""
    plan = pushed.plan
    if not plan:
        return "nothing to push"
    count = _what(plan, len(plan.new) + len(plan.updates) - len(pushed.left_out))
    if dry_run:
        return f"would push {count}; nothing was written"
    undo = "; Ctrl-Z in Anki undoes it" if plan.package else ""
    return f"pushed {count} in {pushed.seconds:.2f} s{undo}"


def _what(plan: PushPlan, notes: int) -> str:
    """Return what was pushed: the number of notes or, if it is zero, the first other kind of change."""
    others = {
        count_cards(plan.moves): len(plan.moves),
        "the styling": len(plan.looks),
        counted(len(plan.files), "file"): len(plan.files),
        "deck descriptions": len(plan.carriers),
        counted(len(plan.deletions), "deletion"): len(plan.deletions),
    }
    return next((said for said, number in others.items() if number and not notes), counted(notes, "note"))


def count_cards(moves: Sequence[Move]) -> str:
    """Return how many cards there are, in words."""
    return counted(sum(len(move.cards) for move in moves), "card")
