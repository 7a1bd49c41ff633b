"""An update as a value: what was published, what would be published now, and the differences."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, NamedTuple

from ptcards.anki.cards import cards_of
from ptcards.diagnostics import Diagnostic, counted
from ptcards.diff.old import Old, find_old
from ptcards.diff.published import OldSources, identified, read_old_lock, usable_lock
from ptcards.diff.renames import renamed_decks
from ptcards.diff.words import word_diff
from ptcards.identity.changes import Changes, Pair, compare, is_unedited
from ptcards.identity.hashes import content_hash
from ptcards.identity.history import PUBLISHED_LATER, History
from ptcards.identity.lock import Lock
from ptcards.identity.resolve import identify
from ptcards.notes import Note
from ptcards.notes.notetypes import NoteType
from ptcards.workspace import Contents, Workspace

Step = Literal["major", "minor", "patch", "none"]


class ChangedPart(NamedTuple):
    """A changed part of a note, with removed and added words marked."""

    name: str
    diff: str


@dataclass(frozen=True, slots=True)
class Update:
    """How an update of the collection `name` affects people who have what was published at `since`.

    `before` and `after` contain the notes in the old and the new sources, by GUID. `renamed` is the
    collection's old name if it has changed, otherwise empty. `remarks` are for the author, not for release
    notes.
    """

    name: str
    since: str
    changes: Changes
    before: Mapping[str, Note]
    after: Mapping[str, Note]
    note_types: Mapping[str, NoteType]
    renamed: str
    remarks: tuple[str, ...]

    @property
    def step(self) -> Step:
        """The version step: major if learners must act, minor if notes come or go, otherwise patch."""
        changes = self.changes
        if self.renamed or any(self._lost_its_deck(pair) for pair in changes.moved):
            return "major"
        if changes.new or changes.retired or changes.returned or changes.moved:
            return "minor"
        return "patch" if changes else "none"

    def parts(self, pair: Pair) -> tuple[ChangedPart, ...]:
        """Return the changed parts of a note's text; empty if the old sources do not contain the note."""
        old, new = self.before.get(pair.before.guid), self.after.get(pair.after.guid)
        return tuple(changed_parts(old, new)) if old and new else ()

    def cards(self, pair: Pair) -> str:
        """Return what happens to a note's cards, if their number changes."""
        old, new = self.before.get(pair.before.guid), self.after.get(pair.after.guid)
        if not old or not new:
            return ""
        had, has = (cards_of(note, self.note_types) for note in (old, new))
        come, gone = len(has - had), len(had - has)
        return ", ".join(
            words
            for count, words in (
                (come, f"adds {_count(come)}"),
                (gone, f"{_count(gone)} left empty until the learner runs Tools > Empty Cards"),
            )
            if count
        )

    @property
    def renamed_decks(self) -> dict[str, str]:
        """The new names of renamed decks by their old names; none if the collection itself is renamed."""
        return {} if self.renamed else renamed_decks(self.changes, self.after)

    def _lost_its_deck(self, pair: Pair) -> bool:
        """Whether a note moved because its deck was renamed: nothing is left in the old one."""
        decks = {note.deck.casefold() for note in self.after.values()}
        return pair.before.fingerprint.deck.casefold() not in decks


def find_update(workspace: Workspace, old: str | None) -> tuple[Update | None, list[Diagnostic]]:
    """Return how the collection of a workspace differs from its last publication, with diagnostics.

    `old` is the folder or git revision of that publication, or None to find it. If the sources or the lock
    have errors, the update is None; otherwise, the diagnostics are about notes that would be new to learners
    but may be reworded published ones.

    Raises:
        NoOldError: there is nothing to compare with, or no collection.

    """
    contents = workspace.contents[0]
    config = contents.collection.config
    lock, found = usable_lock(workspace)
    if lock is None:
        return None, found
    history = contents.history()
    hashes = {kind.key: kind.digest for kind in contents.note_types}
    after, now = identified(contents, lock, hashes, history)
    with find_old(contents.collection.root, config.id, old) as place:
        then = read_old_lock(place, config.id)
        changes = compare(then, now, set(_unedited(then, now, after)))
        sources = OldSources(place)
        # The old texts are only needed to show what changed in them.
        before = sources.notes(then) if changes.changed or changes.returned else {}
        untold = _maybe_known(contents, then, hashes, sources)
    if then.new:
        # The times of publication are unknown.
        changes = replace(changes, stamped=())
    fresh = {after[record.guid].location for record in changes.new}
    return (
        Update(
            config.name,
            place.name,
            changes,
            before,
            after,
            {each.key: each for each in contents.note_types if each.is_own},
            _renamed(then, config.name),
            (*_remarks(place, then, lock, now, history), *_about_times(place, lock, changes)),
        ),
        [each for each in untold if each.location in fresh],
    )


def _unedited(then: Lock, now: Lock, after: Mapping[str, Note]) -> Iterator[str]:
    """Yield the GUIDs of notes that have the text that they had, perhaps in another deck."""
    said = {record.guid: record.fingerprint for record in now.records}
    for record in then.records:
        note = after.get(record.guid)
        if note and is_unedited(record, said[record.guid], partial(content_hash, note)):
            yield record.guid


def _remarks(old: Old, then: Lock, lock: Lock, now: Lock, history: History) -> Iterator[str]:
    """Yield what makes the comparison less reliable; `now` is what a build would turn `lock` into."""
    if old.remark:
        yield old.remark
    later = history.later(lock)
    if then.new:
        yield (
            f"`{old.name}` has no `deck.lock`: GUIDs are derived from its sources, "
            "so notes that were reworded or moved earlier count as new and retired"
        )
    guids = {record.guid for record in now.records}
    forgotten = {record.guid for record in then.records if record.guid not in guids and not then.new}
    if forgotten and history.took_back(forgotten):
        yield (
            f"`{lock.shown}` was reverted to a state before `{old.name}`; no action needed: learners keep "
            f"{counted(len(forgotten), 'note')} without updates"
            + (f", and get the current text of {counted(len(later), 'note')}" if later else "")
        )
        return
    if (lock.new or forgotten) and not then.new:
        has = f"`{old.name}` has"
        count = counted(len(forgotten), "note")
        what = f"lacks {count} that {has}" if forgotten else f"is missing, but {has} one"
        yield (
            f"`{lock.shown}` {what}: restore the lock of `{old.name}` before you build; "
            "otherwise, learners get reworded or moved notes a second time"
        )
    if later:
        yield f"{counted(len(later), 'note')} {PUBLISHED_LATER}; learners will get their current text"


def _about_times(old: Old, lock: Lock, changes: Changes) -> Iterator[str]:
    """Yield a remark about notes that Anki will skip, because it only accepts a note that is newer."""
    written = {record.guid: record for record in lock.records}
    late = [
        after
        for before, after in (*changes.changed, *changes.stamped)
        if after.mod <= before.mod and written.get(after.guid) == after
    ]
    if late:
        yield (
            f"`{lock.shown}` is older than `{old.name}`: Anki will skip {counted(len(late), 'note')}; "
            "`ptcards build --refresh` sends every note again"
        )


def _maybe_known(
    contents: Contents, then: Lock, hashes: Mapping[str, str], old: "OldSources"
) -> list[Diagnostic]:
    """Return diagnostics about notes that may be published ones.

    A build also reported them, but perhaps long ago or on another machine.
    """
    names = {each.source.path: each.source.name for each in contents.sources}
    _, found = identify(
        contents.summaries, then, type_hashes=hashes, earlier=lambda path: old.summaries(names[path])
    )
    return [each for each in found if each.rule in {"maybe-reworded", "changed-id", "possible-pair"}]


def _renamed(before: Lock, name: str) -> str:
    roots = {record.fingerprint.deck.partition("::")[0] for record in before.records if record.live}
    same = {root.casefold() for root in roots} & {name.casefold()}
    return "" if same or len(roots) != 1 else roots.pop()


def changed_parts(old: Note, new: Note) -> Iterator[ChangedPart]:
    """Yield the parts of a note that differ between two versions."""
    texts = [
        (name, *(_markdown(note, name) for note in (old, new)))
        for name in ("heading", "question", "answer", "hint", "details", "sources")
    ]
    names = dict.fromkeys(name for note in (old, new) for name, _ in note.fields)
    fields = [{name: text.markdown for name, text in note.fields} for note in (old, new)]
    texts += [(name, *(each.get(name, "") for each in fields)) for name in names]
    for name, before, after in texts:
        if before != after:
            is_rewrapped = before.split() == after.split()
            diff = "only white space" if is_rewrapped else word_diff(before, after)
            yield ChangedPart("question" if name == "heading" else name, diff)
    for name, before, after in (
        ("kind", old.kind.value, new.kind.value),
        ("difficulty", old.difficulty, new.difficulty),
        ("tags", _tags(old), _tags(new)),
        ("context", old.context, new.context),
        ("language", old.language, new.language),
        ("labels", old.labels, new.labels),
    ):
        if before != after:
            yield ChangedPart(name, word_diff(before, after))
    shown_before = {media.written: media.digest for media in old.media}
    for media in new.media:
        if shown_before.get(media.written, media.digest) != media.digest:
            yield ChangedPart("media", f"a different file at {media.written}")


def _markdown(note: Note, part: str) -> str:
    if part != "answer":
        text: str = getattr(note, part).markdown
        return text
    options = [
        f"- [{'x' if choice.correct else ' '}] {choice.text.markdown}"
        + (f"\n    - {choice.comment.markdown}" if choice.comment else "")
        for choice in note.choices
    ]
    return "\n\n".join(filter(None, ("\n".join(options), note.typed, note.answer.markdown)))


def _tags(note: Note) -> str:
    """Return the tags that the author wrote; the difficulty has its own tag."""
    return " ".join(sorted(set(note.tags) - {f"difficulty::{note.difficulty}"}))


def _count(cards: int) -> str:
    return "a card" if cards == 1 else f"{cards} cards"
