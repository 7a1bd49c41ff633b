"""The differences between two locks: how an update affects people who already have the notes."""

from collections import Counter
from collections.abc import Callable, Container, Iterator
from typing import NamedTuple

from ptcards.identity.heading_likeness import squash
from ptcards.identity.lock import Fingerprint, Lock, Record, TypeRecord, deck_key, guid_as_id
from ptcards.notes import topic_of


class Pair(NamedTuple):
    """The records of a note before and after an update."""

    before: Record
    after: Record


class Changes(NamedTuple):
    """What changes for learners; each tuple is sorted by GUID.

    A note can be in several: `reworded` notes are `changed` notes with a new question, `moved` notes are now
    in another deck (if that is all, they are not `changed`), and `returned` notes were retired before.
    `stamped` notes are sent again with unchanged text. `switched` notes have a new note type, so the old note
    is also `retired` and the new one also `new` (or `returned`). `types` are the note types whose templates
    or CSS changed, in their current state.
    """

    new: tuple[Record, ...] = ()
    changed: tuple[Pair, ...] = ()
    reworded: tuple[Pair, ...] = ()
    moved: tuple[Pair, ...] = ()
    retired: tuple[Record, ...] = ()
    returned: tuple[Pair, ...] = ()
    stamped: tuple[Pair, ...] = ()
    switched: tuple[Pair, ...] = ()
    types: tuple[TypeRecord, ...] = ()

    @property
    def recognised(self) -> tuple[Pair, ...]:
        """The `reworded` notes that were matched by similarity, without an id to confirm the match.

        Notes that differ only in typography do not count.
        """
        return tuple(pair for pair in self.reworded if not _is_named(pair) and not _is_respelt(pair))

    def __bool__(self) -> bool:
        return any(
            (self.new, self.changed, self.moved, self.retired, self.returned, self.stamped, self.types)
        )


def is_unedited(record: Record, said: Fingerprint, content_in: Callable[[str], str]) -> bool:
    """Whether a note, which now has the fingerprint `said`, has the text that its record has.

    The deck is part of the content hash, but a move is not an edit. So `content_in` returns the note's
    content hash in a deck; it is only called with a recorded deck whose last level differs.
    """

    def is_same(deck: str, content: str) -> bool:
        is_there = topic_of(deck) == topic_of(said.deck)
        return content == (said.content if is_there else content_in(deck))

    before = record.fingerprint
    recorded = record.merged or ((before.deck, before.content),)
    return before.content == said.content or all(is_same(*each) for each in recorded)


def compare(before: Lock, after: Lock, unedited: Container[str] = frozenset()) -> Changes:
    """Return what changed between two locks of a collection; notes that are live in neither do not count.

    `unedited` are the GUIDs of notes whose content hashes only differ because they moved.
    """

    def is_changed(pair: Pair) -> bool:
        one, other = pair.before.fingerprint, pair.after.fingerprint
        return one.content != other.content and pair.after.guid not in unedited

    old = {record.guid: record for record in before.records}
    now = [record for record in after.records if record.live]
    guids = {record.guid for record in now}
    new = tuple(record for record in now if record.guid not in old)
    different = [record for record in now if old.get(record.guid) is not record]
    pairs = [Pair(old[record.guid], record) for record in different if record.guid in old]
    returned = tuple(pair for pair in pairs if not pair.before.live)
    retired = tuple(record for record in before.records if record.live and record.guid not in guids)
    types = {kind.name: kind.hash for kind in before.types}
    return Changes(
        new=new,
        changed=tuple(pair for pair in pairs if is_changed(pair)),
        reworded=tuple(p for p in pairs if p.before.fingerprint.question != p.after.fingerprint.question),
        moved=tuple(pair for pair in pairs if is_moved(pair)),
        retired=retired,
        returned=returned,
        stamped=tuple(p for p in pairs if not is_changed(p) and p.before.mod != p.after.mod),
        switched=tuple(_switched(retired, (*new, *(pair.after for pair in returned)))),
        types=tuple(kind for kind in after.types if types.get(kind.name, kind.hash) != kind.hash),
    )


def in_short(changes: Changes) -> str:
    """Return the changes in one line: `2 new, 5 changed (1 reworded), 3 moved, 1 retired`."""
    return ", ".join(words for _, words in in_parts(changes)) or "nothing changed"


def in_parts(changes: Changes) -> Iterator[tuple[str, str]]:
    """Yield the sign (`+`, `~`, `−` or none) and the text of each kind of change that occurs."""
    changed = f"{len(changes.changed)} changed"
    if changes.reworded:
        changed += f" ({len(changes.reworded)} reworded)"
    parts = [
        (changes.new, "+", f"{len(changes.new)} new"),
        (changes.changed, "~", changed),
        (changes.moved, "", f"{len(changes.moved)} moved"),
        (changes.retired, "−", f"{len(changes.retired)} retired"),
        (changes.returned, "+", f"{len(changes.returned)} back"),
        (changes.stamped, "~", f"{len(changes.stamped)} sent again"),
        (changes.types, "", "new look"),
    ]
    yield from ((sign, words) for some, sign, words in parts if some)


def is_moved(pair: Pair) -> bool:
    """Whether a note is in another deck; Anki compares deck names case-insensitively."""
    return deck_key(pair.before.fingerprint.deck) != deck_key(pair.after.fingerprint.deck)


def _is_named(pair: Pair) -> bool:
    """Whether an id from the author confirms that it is the same note."""
    before, after = pair.before.fingerprint.id.casefold(), pair.after.fingerprint.id
    return bool(after) and after.casefold() in (before, guid_as_id(pair.after.guid).casefold())


def _is_respelt(pair: Pair) -> bool:
    return squash(pair.before.fingerprint.heading) == squash(pair.after.fingerprint.heading)


def _switched(retired: tuple[Record, ...], arrived: tuple[Record, ...]) -> Iterator[Pair]:
    """Yield each retired note with the new one of another type that has its id, or its deck and question."""
    keys: dict[tuple[str, ...], Record] = {}
    counts: Counter[tuple[str, ...]] = Counter()
    for record in retired:
        for key in _names(record.fingerprint):
            keys[key] = record
            counts[key] += 1
    for record in arrived:
        for key in _names(record.fingerprint):
            before = keys.get(key)
            if before and counts[key] == 1 and before.fingerprint.note_type != record.fingerprint.note_type:
                yield Pair(before, record)
                break


def _names(said: Fingerprint) -> Iterator[tuple[str, ...]]:
    if said.id:
        yield ("id", said.id.casefold())
    yield ("question", deck_key(said.deck), said.question)
