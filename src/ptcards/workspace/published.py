"""What learners have of a collection: its lock, and what git knows about the lock."""

from collections.abc import Callable, Container, Sequence
from functools import cached_property, partial
from typing import TypeVar

from ptcards.cache import Cache, Entry, digest_of, refs_digest
from ptcards.diagnostics import Diagnostic, Location
from ptcards.files.inputs import shown
from ptcards.identity.hashes import NoteSummary
from ptcards.identity.history import NO_HISTORY, History, Publications, read_history, read_publications
from ptcards.identity.lock import Lock
from ptcards.identity.lock_reading import read_lock
from ptcards.identity.resolve import check_frozen, check_lost_types, identify, published_drafts
from ptcards.notes.notetypes import NoteType
from ptcards.packing import CachePart
from ptcards.source.assembly import PublishedId
from ptcards.source.collection import Collection
from ptcards.source.note_type_folders import note_type_folder, type_place
from ptcards.source.own_notetypes import OWN_PREFIX

T = TypeVar("T")

_HISTORY = CachePart("history", History)
_PUBLICATIONS = CachePart("publications", Publications)


class PublishedNotes:
    """What learners have of a collection that now has these notes and drafts; `broken` notes are left out."""

    def __init__(
        self,
        collection: Collection,
        summaries: Sequence[NoteSummary],
        drafts: Sequence[NoteSummary],
        *,
        types: Callable[[], tuple[NoteType, ...]],
        broken: Callable[[], Container[Location]],
        cache: Cache,
    ) -> None:
        self._collection = collection
        self._summaries = summaries
        self._drafts = drafts
        self._types = types
        self._broken = broken
        self._cache = cache

    def lock(self) -> tuple[Lock | None, list[Diagnostic]]:
        """Return the contents of `deck.lock` (empty for a plain folder), or None if they cannot be used.

        Without an id, which is an error in `deck.toml`, nothing can be said about the lock.
        """
        config = self._collection.config
        if not self._collection.configured:
            return Lock(config.id), []
        if not config.id:
            return None, []
        file = self._collection.root / "deck.lock"
        notes = (summary.fingerprint for summary in self._summaries)
        lock, diagnostics = read_lock(file, shown=shown(file), collection_id=config.id, known=notes)
        if lock is not None:
            diagnostics = [*diagnostics, *check_lost_types(lock, self._lost_types(lock))]
            drafts = published_drafts(self._summaries, self._drafts, lock, self._broken())
            diagnostics += [each for each in drafts if self._collection.is_selected(each.location.path)]
        if lock is not None and config.note_types:
            adopted = {note_type.key for note_type in config.note_types if note_type.id}
            diagnostics = [
                *diagnostics,
                *check_frozen(
                    lock, self._types(), partial(type_place, self._collection.root), adopted=adopted
                ),
            ]
        return lock, diagnostics

    def ids(self) -> set[PublishedId]:
        """Return the notes that `deck.lock` says learners have."""
        lock, _ = self.lock()
        return (
            {PublishedId.of(record.fingerprint) for record in lock.records if record.live} if lock else set()
        )

    def guids(self, lock: Lock | None = None) -> tuple[str, ...]:
        """Return the GUIDs that a build with this lock would give the notes, in order.

        The default is `deck.lock`, or an empty lock if that cannot be read. Without an id in `deck.toml`, the
        GUIDs are empty.
        """
        if not self._collection.config.id:
            return ("",) * len(self._summaries)
        lock = lock or self.lock()[0] or Lock(self._collection.config.id)
        return identify(self._summaries, lock)[0].guids

    def _lost_types(self, lock: Lock) -> dict[str, str]:
        """Return the keys of the lock's own note types that have no folder, with the missing folders."""
        config = self._collection.config
        there = {note_type.key for note_type in config.note_types} | {
            OWN_PREFIX + broken_type for broken_type in config.broken_types
        }
        folders = (
            (type_record.name, note_type_folder(self._collection.root, type_record.name))
            for type_record in lock.types
            if type_record.anki_id
        )
        return {name: f"{shown(folder)}/" for name, folder in folders if name not in there}

    @cached_property
    def refs(self) -> str:
        """A digest of git's commits and tags, as they were on first use."""
        return refs_digest(str(self._collection.root))

    @cached_property
    def history(self) -> History:
        """What git knew about `deck.lock` on first use; nothing for a plain folder."""
        file = self._collection.root / "deck.lock"
        if not self._collection.configured or not self.refs:
            return NO_HISTORY
        return read_history(file, *self._kept_by_refs(_HISTORY))

    def publications(self) -> Publications:
        """Return everything that `deck.lock` ever recorded about each GUID; empty for a plain folder."""
        if not self._collection.configured or not self.refs:
            return {}
        file = self._collection.root / "deck.lock"
        return read_publications(file, *self._kept_by_refs(_PUBLICATIONS))

    def _kept_by_refs(
        self, part: CachePart[T]
    ) -> tuple[Callable[[bytes], T | None], Callable[[bytes, T], None]]:
        """Return functions that recall and remember git's answer for its current commits and tags."""
        file = str(self._collection.root / "deck.lock")

        def recall(refs: bytes) -> T | None:
            return self._cache.get(digest_of(part.name, file, refs), part)

        def remember(refs: bytes, made: T) -> None:
            key, slot = digest_of(part.name, file, refs), digest_of(part.name, file)
            self._cache.put([Entry.of(key, part, slot, made)])

        return recall, remember
