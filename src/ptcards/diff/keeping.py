"""Finds new notes that may be published ones, and gives them the ids with which learners keep their reviews.

The sources are compared with the newest publication in git, so it does not matter whether there has been a
build since. Without git, only `deck.lock` shows what was published, and the next build changes it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location, Severity
from ptcards.diff.update import NoOldError, Old, changed_parts, find_old, usable_lock
from ptcards.diff.words import ChangedPart, word_diff
from ptcards.identity.lock import ItemRecord, Lock, Record, as_id, item_line, record_line
from ptcards.identity.resolve import Identities, identify
from ptcards.notes import Note
from ptcards.readers.parser import parse_lines
from ptcards.source.attributes import Lines, with_setting
from ptcards.source.dialects import OWN
from ptcards.source.source import ParsedSource, joined, rewrite, split_lines
from ptcards.workspace import Contents, Workspace
from ptcards.workspace.cached_source import CachedSource
from ptcards.workspace.translations import Translation, find_translations


class NotePair(NamedTuple):
    """A new note, and a published one that it may be.

    `position`, `key` and `guid` are those of the new note; `old` is the published note, if its sources are
    known, and `record` what was published.
    """

    position: int
    key: str
    guid: str
    note: Note
    record: Record
    old: Note | None
    has_same_answer: bool

    @property
    def id(self) -> str:
        """The `id=` with which the new note is the published one."""
        return as_id(self.record)

    @property
    def setting(self) -> "Setting":
        """The same as a setting to write."""
        return Setting(self.position, self.note.location, "id", self.id)

    @property
    def parts(self) -> Sequence[ChangedPart]:
        """The parts of the published note and of the new one, with changed words marked."""
        answer = (ChangedPart("answer", "unchanged"),) if self.has_same_answer else ()
        if self.old is not None:
            return (*changed_parts(self.old, self.note), *answer)
        question = word_diff(self.record.fingerprint.heading, self.note.title)
        return (ChangedPart("question", question), *(answer or [ChangedPart("answer", "changed")]))


class ItemPair(NamedTuple):
    """A new item of a list, and a published one that it may be.

    `name` is the note's key with the item's place in the list, and with the number of the published one if
    there are several. With `lines` in the lock, the item is the published one.
    """

    name: str
    location: Location
    record: ItemRecord
    text: str
    lines: str

    @property
    def part(self) -> ChangedPart:
        """The texts of both, with changed words marked; boxes may have the same label."""
        same = self.text if self.record.text == self.text else ""
        return ChangedPart("item", same or word_diff(self.record.text, self.text))


class Keeping(NamedTuple):
    """The pairs of a collection, and of the items of lists, in the order of its sources.

    `since` is the publication that the sources were compared with, or empty if that was only the lock.
    """

    contents: Contents
    lock: Lock
    pairs: tuple[NotePair, ...]
    items: tuple[ItemPair, ...]
    since: str

    def is_foreign(self, pair: NotePair) -> bool:
        """Whether the new note is written for another program, so that ptcards does not change its file."""
        parsed = self.contents.source_of(pair.position).parsed
        return parsed.dialect != OWN or parsed.seems_foreign


def find_pairs(workspace: Workspace) -> tuple[Keeping | None, list[Diagnostic]]:
    """Return the new notes of a collection that may be published ones, with diagnostics.

    If the sources or the lock have errors, the result is None.

    Raises NoOldError if there is no collection.
    """
    contents = workspace.contents[0]
    lock, diagnostics = usable_lock(workspace)
    if lock is None:
        return None, diagnostics
    try:
        with find_old(contents.collection.root, contents.collection.config.id, None) as place:
            return _keeping(contents, lock, place), []
    except NoOldError:
        return _keeping(contents, lock, None), []


def _keeping(contents: Contents, lock: Lock, old: Old | None) -> Keeping:
    """Return the pairs with what was published, and those that the next build would ask about."""
    then = old.lock if old else lock
    hashes = {kind.key: kind.digest for kind in contents.note_types}
    history = contents.published.history
    names = {source.source.path: source.source.name for source in contents.sources}
    earlier = (lambda path: old.summaries(names[path])) if old else contents.committed
    identities, _ = identify(
        contents.summaries, lock, type_hashes=hashes, history=history, earlier=contents.committed
    )
    compared, _ = identify(contents.summaries, then, type_hashes=hashes, earlier=earlier)
    pairs = tuple(_pairs(contents, identities, compared, then, old))
    items = tuple(_item_pairs(contents, identities, compared, lock))
    return Keeping(contents, lock, pairs, items, old.name if old else "")


def _item_pairs(
    contents: Contents, identities: Identities, compared: Identities, lock: Lock
) -> Iterator[ItemPair]:
    """Yield the pairs of items."""
    known = {record.guid: record.items for record in lock.records if record.items}
    for position, numbering in identities.items.items():
        note, guid = contents.summaries[position], identities.guids[position]
        then = compared.items[position].doubtful if compared.guids[position] == guid else ()
        found = {doubt.position: doubt.records for doubt in (*numbering.doubtful, *then)}
        for place, records in sorted(found.items()):
            item = note.items[place]
            after = numbering.numbers[place - 1] if place else 0
            stand_in = [
                each._replace(live=False)
                for each in known.get(guid, ())
                if each.number == numbering.numbers[place]
            ]
            for record in records:
                if record.number in numbering.numbers:  # an earlier build, or a line in the lock, says so
                    continue
                name = f"{contents.keys[position]}/{place + 1}"
                same = record._replace(live=True, after=after, hash=item.hash, text=item.text)
                yield ItemPair(
                    f"{name}={record.number}" if len(records) > 1 else name,
                    item.location,
                    record,
                    item.text,
                    "".join(item_line(guid, each) for each in (same, *stand_in)),
                )


def _pairs(
    contents: Contents, identities: Identities, compared: Identities, then: Lock, old: Old | None
) -> Iterator[NotePair]:
    """Yield the pairs of notes."""
    live = {record.guid for record in then.records if record.live}
    # If the lock already knows the note under a published GUID, an earlier build recognised it.
    new = [
        resemblance
        for resemblance in compared.resemblances
        if identities.guids[resemblance.position] not in live
    ]
    resembling: dict[int, dict[str, Record]] = {}
    for position, records, *_ in (*new, *identities.resemblances):
        resembling.setdefault(position, {}).update({record.guid: record for record in records})
    held = {*identities.guids}
    notes = old.identified()[0] if old and resembling else {}
    for position in sorted(resembling):
        for guid, record in resembling[position].items():
            if guid not in held:
                yield NotePair(
                    position,
                    contents.keys[position],
                    identities.guids[position],
                    contents.notes[position],
                    record,
                    notes.get(guid),
                    record.fingerprint.answer == contents.summaries[position].fingerprint.answer,
                )


class Setting(NamedTuple):
    """A setting to write into the card comment of the note at a position in its collection."""

    position: int
    location: Location
    key: str
    value: str

    def __str__(self) -> str:
        return f"{self.key}={self.value}"


def translated(contents: Contents) -> Iterator[tuple[Translation, Setting]]:
    """Yield the translations, each with the setting which says that it says what its original says now."""
    for each in find_translations(contents.sources, contents.keys):
        if each.original:
            yield each, Setting(each.position, each.note.location, "translated", each.digest)


def write_settings(contents: Contents, settings: Iterable[Setting]) -> tuple[list[Setting], list[Setting]]:
    """Write settings into card comments; return those that were written, and those left.

    Raises OutputError if a file cannot be written; earlier files stay changed.
    """
    written: list[Setting] = []
    left: list[Setting] = []
    by_source: dict[str, list[Setting]] = {}
    for each in settings:
        by_source.setdefault(contents.source_of(each.position).source.path, []).append(each)
    for some in by_source.values():
        done = _write_source(contents, some)
        written += done
        left += [each for each in some if each not in done]
    return written, left


def _write_source(contents: Contents, settings: Sequence[Setting]) -> Sequence[Setting]:
    """Write settings of one source; return those that were written."""
    read = contents.source_of(settings[0].position)
    written: list[Setting] = []

    def change(content: bytes) -> bytes:
        lines = split_lines(content)
        # Edits are made from the bottom up, so that the locations above remain valid.
        for each in sorted(settings, key=lambda each: -each.position):
            changed = _with(contents, read, lines, each)
            if changed is not None:
                written.append(each)
                lines = changed
        return joined(content, lines)

    rewrite(read.source.file, read.source.root, change)
    return written[::-1]


def _with(contents: Contents, read: CachedSource, lines: Lines, setting: Setting) -> Lines | None:
    """Return the lines with a setting, or `None` if that would change anything else."""
    old = parse_lines(contents.collection, read.source, lines)
    number = setting.position - read.start
    heading = contents.summaries[setting.position].fingerprint.heading
    if len(old.notes) != len(read.parsed.summaries) or old.summaries[number].fingerprint.heading != heading:
        return None  # the file was saved in the meantime
    headings = [note.location.line for note in old.notes[number:]]
    end = next((line for line in headings if line > headings[0]), len(lines) + 1) - 1
    changed = with_setting(lines, headings[0], end, setting.key, setting.value)
    new = parse_lines(contents.collection, read.source, changed)
    wanted = [summary.fingerprint for summary in old.summaries]
    if setting.key == "id":
        wanted[number] = wanted[number]._replace(id=setting.value)
    is_same = [summary.fingerprint for summary in new.summaries] == wanted and _errors(new) == _errors(old)
    return changed if is_same else None


def _errors(parsed: ParsedSource) -> int:
    return sum(diagnostic.severity is Severity.ERROR for diagnostic in parsed.diagnostics)


def lock_lines(keeping: Keeping, pairs: Iterable[NotePair]) -> Iterator[str]:
    """Yield lines that make notes the published ones if they are added to the lock.

    Each has a newer time than the lines that are there, so it replaces them. The content in it is still the
    old one: the next build finds that it changed, and gives it the time of the build.
    """
    times: Mapping[str, int] = {record.guid: record.mod for record in keeping.lock.records}
    live = {record.guid: record for record in keeping.lock.records if record.live}
    for pair in pairs:
        old = pair.record
        fingerprint = keeping.contents.summaries[pair.position].fingerprint
        newer = max(old.mod, times.get(old.guid, 0)) + 1
        yield record_line(
            old._replace(
                mod=newer, live=True, fingerprint=fingerprint._replace(content=old.fingerprint.content)
            )
        )
        if stand_in := live.get(pair.guid):
            yield record_line(stand_in._replace(mod=stand_in.mod + 1, live=False))
