"""The contents of one collection.

Only the heads of sources are in memory: summaries of notes, decks and diagnostics. Texts and fields stay in
the cache until they are needed.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from ptcards.anki.notetypes import note_types
from ptcards.cache import Cache, Entry, digest_of, pack
from ptcards.cache.facts import refs_digest
from ptcards.diagnostics import Diagnostic, Location, warning
from ptcards.files import CacheError
from ptcards.files.git import GitError, Repository
from ptcards.files.inputs import MAX_SOURCE_BYTES
from ptcards.files.names import shown
from ptcards.files.toml import key_place
from ptcards.identity.hashes import Summary, content_hash, plain_summary, summary_of
from ptcards.identity.history import (
    NO_HISTORY,
    History,
    Publications,
    read_history,
    read_names,
    read_publications,
)
from ptcards.identity.lock import Lock
from ptcards.identity.lock_reading import read_lock
from ptcards.identity.refusals import check_frozen, check_lost_types
from ptcards.identity.resolve import identify
from ptcards.notes import Deck, LeftOut, Note
from ptcards.notes.marshalling import note_of
from ptcards.notes.notetypes import NoteType
from ptcards.source.assembly import check_decks, check_media_names, check_twins, describe, find_keys
from ptcards.source.collection import Collection
from ptcards.source.notetypes import OWN_PREFIX, note_type_folder
from ptcards.source.order import DeckOrder, unknown_decks
from ptcards.source.readers.registry import OWN
from ptcards.workspace.entries import Known, Read, SourceTask, make_again, notes_in
from ptcards.workspace.unread import schedules_dropped, unread_cards, warn_of_left_out

_OF_OUR_FORMAT = frozenset({"text-before-heading", "broken-front-matter"})
"""Rules of our own format, which do not apply to sources clearly written for another program."""


class Contents:
    """All contents of one collection, because identity depends on all its notes.

    `collection` knows which sources were requested. `keys` are the keys of the notes, in the order of
    `summaries`.
    """

    def __init__(
        self, collection: Collection, found: Sequence[tuple[SourceTask, Known]], cache: Cache
    ) -> None:
        self.collection = collection
        self.sources: list[Read] = []
        self.summaries: list[Summary] = []
        self._problems = [
            each
            for task, known in found
            if collection.is_selected(task.source.path)
            for each in known.problems
        ]
        for task, known in found:
            if known.head is not None:
                self.sources.append(Read(task.source, known.head, len(self.summaries), known, task))
                self.summaries += known.head.summaries
        self.keys = find_keys(self.summaries)
        self._deck_texts = [deck for each in self.sources for deck in each.head.decks]
        self._cache = cache
        self._hashed: tuple[Read, Sequence[Note]] | None = None
        """the source whose notes were hashed last, with its notes"""

    @cached_property
    def foreign(self) -> Mapping[str, str]:
        """The dialects of sources written for other programs, by path; they may repeat a question."""
        return {each.source.path: each.head.dialect for each in self.sources if each.head.dialect != OWN}

    @property
    def selected(self) -> list[Read]:
        """The requested sources."""
        return [each for each in self.sources if self.collection.is_selected(each.source.path)]

    @cached_property
    def order(self) -> DeckOrder:
        """The order of the decks."""
        return DeckOrder.of(self.collection.config)

    def in_order(self) -> Iterator[tuple[Read, Sequence[bool]]]:
        """Yield the requested sources in the order of their decks, each with which of its notes come now.

        A source whose decks have several positions comes several times.
        """
        sources: dict[int, list[tuple[Read, Sequence[bool]]]] = {}
        for each in self.selected:
            places = [self.order.place(summary.fingerprint.deck) for summary in each.head.summaries]
            for place in set(places):
                sources.setdefault(place, []).append((each, [other == place for other in places]))
        return (each for place in sorted(sources) for each in sources[place])

    @property
    def left_out(self) -> Iterator[LeftOut]:
        """The cards in the requested sources that are left out."""
        return (each for source in self.selected for each in source.head.left_out)

    @property
    def count(self) -> int:
        """The number of requested notes."""
        return sum(len(each.head.summaries) for each in self.selected)

    @property
    def decks(self) -> tuple[Deck, ...]:
        """All named decks, with their descriptions."""
        return describe(self.collection.config if self.collection.configured else None, self._deck_texts)

    @cached_property
    def note_types(self) -> tuple[NoteType, ...]:
        """The two built-in note types and the collection's own, as learners have them."""
        config = self.collection.config
        return note_types(
            config.id,
            config.name,
            config.css,
            config.report,
            config.language,
            own=config.note_types,
            decks={each.fingerprint.deck for each in self.summaries},
        )

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """All notes, with their texts."""
        return tuple(note for each in self.sources for note in self.notes_of(each))

    @property
    def selected_notes(self) -> tuple[Note, ...]:
        """The requested notes, with their texts."""
        return tuple(note for note in self.notes if self.collection.is_selected(note.location.path))

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Diagnostics from reading and parsing the requested sources."""
        dialects = {each.head.dialect for each in self.selected}
        said = [found for dialect, found in self.collection.unread_plugins if dialect in dialects]
        said += [*self._problems, *(found for each in self.sources for found in each.head.diagnostics)]
        uses = [use for each in self.sources for use in each.head.uses]
        said += [
            *check_decks(self._deck_texts),
            *check_twins(self.summaries, self.foreign.keys()),
            *check_media_names(uses),
        ]
        said += [*self._unused_types(), *self._unknown_decks()]
        unread = list(unread_cards(self.collection, self.selected))
        others = {each.source.path for each in self.selected if each.head.seems_foreign}
        said = [each for each in said if each.rule not in _OF_OUR_FORMAT or each.location.path not in others]
        if any(each.rule == "no-notes" for each in unread):
            said = [each for each in said if each.rule != "text-before-heading"]
        said += [*unread, *schedules_dropped(self.selected)]
        said += [each for source in self.selected for each in warn_of_left_out(source.head.left_out)]
        others = {each.path for each in self.collection.sources if not self.collection.is_selected(each.path)}
        return [each for each in said if each.location.path not in others]

    def notes_of(self, source: Read) -> Iterator[Note]:
        """Yield the notes of one source, with their texts."""
        keys = self.keys[source.span]
        return map(note_of, self.by_note(source, "notes"), keys)

    def by_note(self, source: Read, part: str) -> Iterator[Any]:
        """Yield the value of each note of a source in one of its parts.

        Raises CacheError if the part belongs to other notes; the caller must not write anything then.
        """
        values = self.part(source, part)
        hashes = [each.fingerprint.content for each in source.head.summaries]
        if [content for content, _ in values] != hashes:
            where = shown(self._cache.file) if self._cache.file else "the cache"
            message = f"`{where}` has other notes for `{source.source.path}`: delete it, then run this again"
            raise CacheError(message)
        return (value for _, value in values)

    def source_of(self, position: int) -> Read:
        """Return the source of the note at a position."""
        return self.sources[bisect_right(self.sources, position, key=lambda each: each.start) - 1]

    def content_in(self, position: int, deck: str) -> str:
        """Return the content hash that the note at a position would have in a deck."""
        source = self.source_of(position)
        if self._hashed is None or self._hashed[0] is not source:
            self._hashed = source, tuple(self.notes_of(source))
        return content_hash(self._hashed[1][position - source.start], deck)

    def parts(self, part: str) -> Iterator[tuple[Read, Any]]:
        """Yield a part of each requested source."""
        return ((each, self.part(each, part)) for each in self.selected)

    def part(self, source: Read, part: str) -> Any:
        """Return a part of a source, remaking it if it has vanished.

        Raises SourceChangedError if that is not possible.
        """
        value = self._cache.get(source.known.keys[part], part)
        if value is None:
            make_again(self._cache, source.task, source.known)
            value = self._cache.get(source.known.keys[part], part)
        return value

    def lock(self) -> tuple[Lock | None, list[Diagnostic]]:
        """Return the contents of `deck.lock` (empty for a plain folder), or None if they cannot be used.

        Without an id, which is an error in `deck.toml`, nothing can be said about the lock.
        """
        config = self.collection.config
        if not self.collection.configured:
            return Lock(config.id), []
        if not config.id:
            return None, []
        file = self.collection.root / "deck.lock"
        notes = (each.fingerprint for each in self.summaries)
        lock, found = read_lock(file, shown=shown(file), collection_id=config.id, known=notes)
        if lock is not None:
            found = [*found, *check_lost_types(lock, self._lost_types(lock))]
        if lock is not None and config.note_types:
            adopted = {each.key for each in config.note_types if each.id}
            found = [*found, *check_frozen(lock, self.note_types, self._type_place, adopted=adopted)]
        return lock, found

    def guids(self, lock: Lock | None = None) -> tuple[str, ...]:
        """Return the GUIDs that a build with this lock would give the notes, in order.

        The default is `deck.lock`, or an empty lock if that cannot be read. Without an id in `deck.toml`, the
        GUIDs are empty.
        """
        if not self.collection.config.id:
            return ("",) * len(self.summaries)
        lock = lock or self.lock()[0] or Lock(self.collection.config.id)
        return identify(self.summaries, lock)[0].guids

    def _lost_types(self, lock: Lock) -> dict[str, str]:
        """Return the keys of the lock's own note types that have no folder, with the missing folders."""
        config = self.collection.config
        there = {each.key for each in config.note_types} | {OWN_PREFIX + each for each in config.broken_types}
        folders = (
            (each.name, note_type_folder(self.collection.root, each.name))
            for each in lock.types
            if each.anki_id
        )
        return {name: f"{shown(folder)}/" for name, folder in folders if name not in there}

    def _type_place(self, key: str) -> Location:
        return Location(shown(note_type_folder(self.collection.root, key) / "notetype.json"), 1)

    def _unused_types(self) -> Iterator[Diagnostic]:
        """Yield a warning for each of the collection's own note types that no note has."""
        own = self.collection.config.note_types
        used = {each.fingerprint.note_type for each in self.summaries} if own else set()
        for each in own:
            if each.key not in used:
                message = f"no note has the note type `{each.key.removeprefix(OWN_PREFIX)}`"
                fix = "remove the note type's folder, or set `type=` in a card comment"
                yield warning(self._type_place(each.key), "unused-note-type", message, fix)

    def _unknown_decks(self) -> Iterator[Diagnostic]:
        """Yield a warning for each name in `order` that no deck has, if all sources could be read."""
        config, toml = self.collection.config, self.collection.root / "deck.toml"
        if config.order and len(self.sources) == len(self.collection.sources):
            place = key_place(toml, shown(toml), "", "order")
            yield from unknown_decks(config, (each.name for each in self._deck_texts), place)

    @cached_property
    def refs(self) -> str:
        """A digest of git's commits and tags, as they were on first use."""
        return refs_digest(str(self.collection.root))

    def history(self) -> History:
        """Return what git knew about `deck.lock` on first use; nothing for a plain folder."""
        return self._history

    @cached_property
    def _history(self) -> History:
        file = self.collection.root / "deck.lock"
        if not self.collection.configured or not self.refs:
            return NO_HISTORY
        return read_history(file, *self._kept_by_refs("history"))

    def committed(self, path: str) -> Sequence[Summary]:
        """Return the notes that a source had when `deck.lock` was last committed, in order.

        There are none if git cannot tell.
        """
        source = next(each for each in self.sources if each.source.path == path)
        commit, name = self.history().commit, source.source.name
        try:
            repository = Repository(self.collection.root)
            found = repository.content(commit, name, MAX_SOURCE_BYTES) if commit else None
        except GitError:
            found = None
        if found is None:
            return ()
        key, slot = (digest_of("committed", source.task.slots[0], text) for text in (found, b""))
        if (plain := self._cache.get(key, "committed")) is not None:
            return [summary_of(note) for note in plain]
        notes, may_be_kept = notes_in(source.task, found)
        if may_be_kept:
            self._cache.put([Entry(key, "committed", slot, pack(list(map(plain_summary, notes))))])
        return notes

    def publications(self) -> Publications:
        """Return everything that `deck.lock` ever recorded about each GUID; empty for a plain folder."""
        if not self.collection.configured or not self.refs:
            return {}
        file = self.collection.root / "deck.lock"
        return read_publications(file, *self._kept_by_refs("publications"))

    def earlier_names(self) -> list[str]:
        """Return the other names that the collection had in git; none for a plain folder."""
        if not self.collection.configured or not self.refs:
            return []
        names = read_names(self.collection.root / "deck.toml", *self._kept_by_refs("names"))
        return [name for name in names if name != self.collection.config.name]

    def _kept_by_refs(self, part: str) -> tuple[Callable[[bytes], Any], Callable[[bytes, Any], None]]:
        """Return functions that recall and remember git's answer for its current commits and tags."""
        file = str(self.collection.root / "deck.lock")

        def recall(refs: bytes) -> Any:
            return self._cache.get(digest_of(part, file, refs), part)

        def remember(refs: bytes, said: Any) -> None:
            self._cache.put([Entry(digest_of(part, file, refs), part, digest_of(part, file), pack(said))])

        return recall, remember
