"""An update as a value: what was published, what would be published now, and the differences."""

import posixpath
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from operator import attrgetter
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from ptcards.anki.cards import cards_of
from ptcards.anki.fields import render_note
from ptcards.diagnostics import Diagnostic, Trait, WrongUseError, counted, has_errors
from ptcards.diagnostics.suggest import one_of
from ptcards.diff.changed_cards import ChangedNote
from ptcards.diff.words import ChangedPart, word_diff
from ptcards.files import NoSuchSourceError
from ptcards.files.git import File, GitError, NoRepositoryError, Repository
from ptcards.files.inputs import MAX_MEDIA_BYTES, MAX_TOML_BYTES
from ptcards.files.limits import parse_toml
from ptcards.files.temporary import temporary_folder
from ptcards.files.toml import read_toml
from ptcards.identity.changes import Changes, Pair, compare, is_unedited
from ptcards.identity.hashes import NoteSummary, content_hash
from ptcards.identity.history import NO_HISTORY, PUBLISHED_LATER, History
from ptcards.identity.items import live_numbers
from ptcards.identity.lock import Lock, deck_key
from ptcards.identity.lock_reading import read_lock
from ptcards.identity.resolve import identify
from ptcards.notes import TEXTS, Identified, Kind, Note, Text
from ptcards.notes.notetypes import NoteType
from ptcards.source.own_notetypes import FOLDER
from ptcards.workspace import Contents, Workspace

_SHALLOW = "this clone is shallow: `git fetch --unshallow --tags` fetches older releases"
_NO_COPY = "does not contain an older copy of this collection"
_NAME_IT = "name a folder that contains the last release"
_UNCOMMITTED = ": commit it with its `deck.lock`, then edit and compare"
_MOST_BYTES = 4 << 30
_FEW_TAGS = 5
"""The maximum size of a collection in bytes, including pictures."""


class NoOldError(WrongUseError):
    """There is nothing to compare with; a usage error with exit status 2."""


class NoReleaseError(NoOldError):
    """Nothing was published that git knows of."""


@dataclass(frozen=True)
class Old:
    """An earlier version of a collection: its folder, name (a tag, a revision or a path) and id.

    `remark` says why this may be the wrong version to compare with, or is empty. The sources are read when
    they are first needed.
    """

    folder: Path
    name: str
    id: str
    remark: str = ""

    @cached_property
    def _contents(self) -> Contents | None:
        try:
            return Workspace.read([self.folder]).contents[0]
        except NoSuchSourceError:
            return None

    @cached_property
    def lock(self) -> Lock:
        """What was published, from the lock of that time.

        Without one, it is the lock that the sources would have produced.
        """
        file = self.folder / "deck.lock"
        lock, wrong = read_lock(file, shown=f"{self.name}:deck.lock", collection_id=self.id)
        if lock is None:
            raise NoOldError(f"{wrong[0].location}: {wrong[0].message}")
        if not lock.new:
            return lock
        if self._contents is None:
            raise NoOldError(f"`{self.name}` contains neither a `deck.lock` nor sources")
        return identified(self._contents, lock, {})[1]

    def identified(self) -> tuple[dict[str, Note], Lock]:
        """Return the notes by GUID, and the lock that a build would have written."""
        hashes = {kind.name: kind.hash for kind in self.lock.types}
        return identified(self._contents, self.lock, hashes) if self._contents else ({}, self.lock)

    def summaries(self, name: str) -> Sequence[NoteSummary]:
        """Return the notes of a source, by its path below the collection's root, in order."""
        if self._contents is None:
            return ()
        sources = (source for source in self._contents.sources if source.source.name == name)
        return next((self._contents.summaries[source.span] for source in sources), ())


@contextmanager
def find_old(root: Path, collection_id: str, old: str | None) -> Iterator[Old]:
    """Yield the collection `collection_id`, now in `root`, as it was in `old`: a folder or a git revision.

    None means the newest tag that contains the collection, or HEAD. The folder exists until the block ends.

    Raises:
        NoOldError: there is no git, no such revision or folder, or no such collection in it.

    """
    is_folder = old is not None and Path(old).is_dir()
    if old is not None and is_folder and (found := _in_folder(Path(old), collection_id)):
        yield Old(found, old, collection_id)
        return
    try:
        repository = Repository(root)
        name, commit = _release(repository, collection_id) if old is None else (old, repository.commit(old))
        cure = f"; {_SHALLOW}" if repository.is_shallow else ""
        if commit is None:
            what = _NO_COPY if is_folder else f"is neither a folder nor a git revision{cure}"
            message = f"`{old}` {what}"
            tags = [] if is_folder or cure else repository.tags()[:_FEW_TAGS]
            raise NoOldError(message, one_of(old or "", tags) if tags else "")
        settings = _settings(repository, commit, collection_id)
        if settings is None:
            advice = _UNCOMMITTED if old is None else ""
            raise NoReleaseError(f"the collection with the id `{collection_id}` is not in `{name}`{advice}")
        with temporary_folder("diff") as temporary:
            shared = _shared(repository, commit, settings)
            folder = temporary / settings.parent if shared else temporary
            files = repository.files(commit)
            _copy(repository, files, settings.parent, folder)
            if shared:
                # Beside what is shared may be other collections, whose notes do not matter here.
                some = (file for file in files if _may_be_shared(file.path))
                _copy(repository, some, shared.parent, temporary / shared.parent)
                (temporary / ".git").touch()  # the repository ends here, as it did there
            is_stopgap = old is None and name == "HEAD"
            remark = f"no tag contains the collection, but {_SHALLOW}" if is_stopgap and cure else ""
            yield Old(folder, name, collection_id, remark)
    except NoRepositoryError as failure:
        raise NoReleaseError(f"`{root}` is not in a git repository", _NAME_IT) from failure
    except GitError as failure:
        raise NoOldError(str(failure), _NAME_IT) from failure


def is_copy(folder: Path, root: Path) -> bool:
    """Whether a folder contains another copy of the collection in `root`."""
    settings = root / "deck.toml"
    document = read_toml(settings, str(settings))[1] or {}
    same = folder.resolve() == root.resolve()
    return not same and "id" in document and _in_folder(folder, str(document["id"])) is not None


def _in_folder(folder: Path, collection_id: str) -> Path | None:
    for settings in (folder / "deck.toml", *sorted(folder.rglob("deck.toml"))):
        document = read_toml(settings, str(settings))[1]
        if document and document.get("id") == collection_id:
            return settings.parent
    return None


def _id_in(toml: bytes) -> object:
    try:
        return parse_toml(toml.decode("utf-8-sig")).get("id")
    except (ValueError, RecursionError):
        return None


def _release(repository: Repository, collection_id: str) -> tuple[str, str]:
    """Return the newest tag before HEAD that contains the collection, or HEAD, with its commit."""
    head = repository.commit("HEAD")
    if head is None:
        raise NoReleaseError("nothing is committed yet", f"commit the deck, or {_NAME_IT}")
    for tag in repository.tags():
        commit = repository.commit(f"refs/tags/{tag}")
        if commit and _settings(repository, commit, collection_id):
            return tag, commit
    return "HEAD", head


def _settings(repository: Repository, commit: str, collection_id: str) -> PurePosixPath | None:
    """Return the path of the collection's `deck.toml` in a commit: the current path, or wherever it was."""
    here = repository.prefix / "deck.toml"
    named = [file for file in repository.files(commit) if file.path.name == "deck.toml"]
    files = [file for file in named if file.size <= MAX_TOML_BYTES]
    files.sort(key=lambda file: file.path != here)
    contents = zip(files, repository.contents(files), strict=True)
    return next((file.path for file, toml in contents if _id_in(toml) == collection_id), None)


def _shared(repository: Repository, commit: str, settings: PurePosixPath) -> PurePosixPath | None:
    """Return the path in a repository of the file that a committed `deck.toml` extends, if it extends one."""
    (toml,) = repository.contents([file for file in repository.files(commit) if file.path == settings])
    extends = parse_toml(toml.decode("utf-8-sig")).get("extends")
    return PurePosixPath(posixpath.normpath(settings.parent / extends)) if isinstance(extends, str) else None


def _may_be_shared(path: PurePosixPath) -> bool:
    return path.suffix in (".toml", ".css", ".tex", ".html") or FOLDER in path.parts


def _copy(repository: Repository, some: Iterable[File], folder: PurePosixPath, into: Path) -> None:
    """Write those of some files that are in a folder as they were committed.

    Files too large for a source or a picture are left out.
    """
    files = [file for file in some if file.size <= MAX_MEDIA_BYTES and file.path.is_relative_to(folder)]
    if sum(file.size for file in files) > _MOST_BYTES:
        raise GitError(f"the collection was larger than {_MOST_BYTES >> 30} GB")
    for file, content in zip(files, repository.contents(files), strict=True):
        copy = into / file.path.relative_to(folder)
        try:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)
        except (OSError, ValueError) as failure:
            raise GitError(f"`{file.path}` cannot be written: {failure}") from failure


def usable_lock(workspace: Workspace) -> tuple[Lock | None, list[Diagnostic]]:
    """Return the lock of the first collection; if its sources or its lock have errors, `None` and the errors.

    Raises NoOldError if there is no collection.
    """
    contents, diagnostics = workspace.contents[0], workspace.diagnostics
    if has_errors(diagnostics):
        return None, diagnostics
    if not contents.collection.configured:
        message = "without a `deck.toml`, there is no record of what was published"
        raise NoReleaseError(message, "run `ptcards init`")
    lock, found = contents.published.lock()
    return (None if has_errors(found) else lock), found


def identified(
    contents: Contents, lock: Lock, hashes: Mapping[str, str], history: History = NO_HISTORY
) -> tuple[dict[str, Note], Lock]:
    """Return notes by GUID, and the lock that a build would write, ignoring times."""
    identities, _ = identify(
        contents.summaries, lock, type_hashes=hashes, history=history, content_in=contents.content_in
    )
    return dict(zip(identities.guids, contents.notes, strict=True)), identities.lock


def renamed_decks(changes: Changes, after: Mapping[str, Note]) -> dict[str, str]:
    """Return the new names of decks by their old names; `after` contains the notes now, by GUID.

    A deck is renamed if all its notes that are left are now in one deck, which is new. Renaming it in Anki
    must be right for its subdecks too, and those that this renames are not returned.
    """
    targets = _targets(changes)
    old = {key: name for key, (name, _) in targets.items()}
    published = _published(changes, after) | old.keys()
    kept = {deck_key(note.deck) for note in after.values()}
    new = [deck_key(deck) for _, decks in targets.values() for deck in decks]
    renames = {}
    for key, (_, decks) in targets.items():
        to = next(iter(decks))
        if len(decks) == 1 and key not in kept and new.count(deck_key(to)) == 1:
            renames[key] = to
    renames = {key: to for key, to in renames.items() if deck_key(to) not in published}
    new_keys = {key: deck_key(to) for key, to in renames.items()}

    def takes_all_along(key: str) -> bool:
        below = (other for other in published if other.startswith(f"{key}::"))
        return all(new_keys.get(each) == new_keys[key] + each.removeprefix(key) for each in below)

    right = {key: to for key, to in renames.items() if takes_all_along(key)}
    implied = {other for key in right for other in right if other.startswith(f"{key}::")}
    return {old[key]: to for key, to in sorted(right.items()) if key not in implied}


def follows_its_deck(pair: Pair, renames: Mapping[str, str]) -> bool:
    """Whether a moved note is where renaming these decks (new names by old names) puts it."""
    before, after = (f"{deck_key(record.fingerprint.deck)}::" for record in pair)
    return any(
        before.startswith(f"{deck_key(old)}::") and after.startswith(f"{deck_key(new)}::")
        for old, new in renames.items()
    )


def _targets(changes: Changes) -> dict[str, tuple[str, dict[str, None]]]:
    """Return, for each deck that notes left, its name and the decks in which they are now."""
    names: dict[str, str] = {}
    targets: dict[str, dict[str, None]] = defaultdict(dict)
    for before, now in changes.moved:
        key = deck_key(before.fingerprint.deck)
        names.setdefault(key, before.fingerprint.deck)
        targets[key][now.fingerprint.deck] = None
    return {key: (names[key], decks) for key, decks in targets.items()}


def _published(changes: Changes, after: Mapping[str, Note]) -> set[str]:
    """Return the keys of the decks that learners may have, except those that notes only left."""
    moved = {pair.after.guid for pair in changes.moved}
    fresh = {record.guid for record in changes.new}
    back = [pair.before for pair in changes.returned]
    stayed = {note.deck for guid, note in after.items() if guid not in moved | fresh}
    gone = {record.fingerprint.deck for record in (*changes.retired, *back)}
    return {deck_key(deck) for deck in stayed | gone}


Step = Literal["major", "minor", "patch", "none"]


@dataclass(frozen=True, slots=True)
class Update:
    """How an update of the collection `name` affects people who have what was published at `since`.

    `before` and `after` contain the notes in the old and the new sources, by GUID. `renamed` is the
    collection's old name if it has changed, otherwise empty. `remarks` are for the author, not for release
    notes. `wandered` are the GUIDs of moved notes that had moved before. `is_followed` if learners may
    follow the collection with the add-on, which keeps their edits. The numbers are those of the items of
    lists, in order, by GUID.
    """

    name: str
    since: str
    changes: Changes
    before: Mapping[str, Note]
    after: Mapping[str, Note]
    note_types: Mapping[str, NoteType]
    renamed: str
    remarks: tuple[str, ...]
    wandered: frozenset[str] = frozenset()
    is_followed: bool = False
    numbers_before: Mapping[str, Sequence[int]] = field(default_factory=dict)
    numbers_after: Mapping[str, Sequence[int]] = field(default_factory=dict)

    @property
    def step(self) -> Step:
        """The version step: major if learners must act, minor if notes or cards come or go, else patch."""
        changes = self.changes
        if self.renamed or any(self._lost_its_deck(pair) for pair in changes.moved):
            return "major"
        if changes.new or changes.retired or changes.returned or changes.moved:
            return "minor"
        if any(map(self.cards, changes.changed)):
            return "minor"
        return "patch" if changes else "none"

    def parts(self, pair: Pair) -> tuple[ChangedPart, ...]:
        """Return the changed parts of a note's text; empty if the old sources do not contain the note."""
        old, new = self.before.get(pair.before.guid), self.after.get(pair.after.guid)
        return tuple(changed_parts(old, new)) if old and new else ()

    def versions(self) -> Iterator[tuple[str, Note | None, Note]]:
        """Yield the GUID of each changed or new note, with its old version (`None` if new) and its new one.

        Changed notes come first, and then the order is that of the sources. Notes whose text is the same are
        left out, and those that the old sources do not contain.
        """
        changed = (pair for pair in (*self.changes.changed, *self.changes.returned) if self.parts(pair))
        olds = {pair.after.guid: self.before[pair.before.guid] for pair in changed}
        fresh = [record.guid for record in self.changes.new]
        for some in (olds, fresh):
            for guid in sorted(some, key=lambda each: self.after[each].location):
                yield guid, olds.get(guid), self.after[guid]

    def others(self) -> Iterator[tuple[str, Note | None, Note | None]]:
        """Yield all other notes, with `None` for the version that is missing or says the same.

        Those that moved or are sent again come first, then the retired ones that the old sources contain.
        """
        told = {guid for guid, *_ in self.versions()}
        changes = self.changes
        kept = (*changes.changed, *changes.returned, *changes.moved, *changes.stamped)
        for guid in dict.fromkeys(pair.after.guid for pair in kept):
            if guid not in told:
                yield guid, None, self.after[guid]
        for record in changes.retired:
            if record.guid in self.before:
                yield record.guid, self.before[record.guid], None

    def rendered(
        self, versions: Iterable[tuple[str, Note | None, Note | None]], note_types: Sequence[NoteType]
    ) -> Iterator[ChangedNote]:
        """Yield notes as they were and are published.

        One whose note type is gone cannot be shown as it was before.
        """
        known = {note_type.key for note_type in note_types}
        for guid, *notes in versions:
            before, now = (
                render_note(Identified(note, guid, 0), note_types)[0].numbered(numbers.get(guid, ()))
                if note and note.note_type in known
                else None
                for note, numbers in zip(notes, (self.numbers_before, self.numbers_after), strict=True)
            )
            if note := notes[1] or notes[0]:
                yield ChangedNote(guid, note, before, now)

    def cards(self, pair: Pair) -> str:
        """Return what happens to a note's cards, if their number changes."""
        old, new = self.before.get(pair.before.guid), self.after.get(pair.after.guid)
        if not old or not new:
            return ""
        had, has = (
            {*live_numbers(record.items)} or cards_of(note, self.note_types)
            for record, note in zip(pair, (old, new), strict=True)
        )
        come, gone = len(has - had), len(had - has)
        words = [f"adds {_count(come)}"] if come else []
        words += [f"{_count(gone)} left empty until the learner runs Tools > Empty Cards"] if gone else []
        return ", ".join(words)

    @property
    def renamed_decks(self) -> dict[str, str]:
        """The new names of renamed decks by their old names; none if the collection itself is renamed."""
        return {} if self.renamed else renamed_decks(self.changes, self.after)

    def _lost_its_deck(self, pair: Pair) -> bool:
        """Whether a note moved because its deck was renamed: nothing is left in the old one."""
        decks = {note.deck.casefold() for note in self.after.values()}
        return pair.before.fingerprint.deck.casefold() not in decks


def find_update(workspace: Workspace, old: str | None) -> tuple[Update | None, list[Diagnostic]]:
    """Return what `open_update` yields; the pictures of old notes may be gone."""
    with open_update(workspace, old) as found:
        return found


@contextmanager
def open_update(workspace: Workspace, old: str | None) -> Iterator[tuple[Update | None, list[Diagnostic]]]:
    """Yield how the collection of a workspace differs from its last publication, with diagnostics.

    The pictures of old notes exist until the block ends.

    `old` is the folder or git revision of that publication, or None to find it. If the sources or the lock
    have errors, the update is None; otherwise, the diagnostics are about notes that would be new to learners
    but may be reworded published ones.

    Raises:
        NoOldError: there is nothing to compare with, or no collection.

    """
    contents = workspace.contents[0]
    config = contents.collection.config
    lock, diagnostics = usable_lock(workspace)
    if lock is None:
        yield None, diagnostics
        return
    history = contents.published.history
    hashes = {kind.key: kind.digest for kind in contents.note_types}
    after, now = identified(contents, lock, hashes, history)
    with find_old(contents.collection.root, config.id, old) as place:
        then = place.lock
        changes = compare(then, now, set(_unedited(then, now, after)))
        # The old texts are only needed to show what changed in them, and what is gone.
        is_shown = changes.changed or changes.returned or changes.retired
        before, was = place.identified() if is_shown else ({}, then)
        untold = _maybe_known(contents, place, hashes)
        if then.new:
            # The times of publication are unknown.
            changes = changes._replace(stamped=())
        fresh = {after[record.guid].heading_place for record in changes.new}
        fresh |= {item.location for note in contents.summaries for item in note.items}
        yield (
            Update(
                config.name,
                place.name,
                changes,
                before,
                after,
                {note_type.key: note_type for note_type in contents.note_types if note_type.is_own},
                _renamed(then, config.name),
                (*_remarks(place, lock, now, history), *_about_times(place, lock, changes)),
                frozenset(_wandered(contents, changes.moved)),
                bool(config.release.url),
                _numbers(was),
                _numbers(now),
            ),
            [diagnostic for diagnostic in untold if diagnostic.location in fresh],
        )


def _numbers(lock: Lock) -> dict[str, tuple[int, ...]]:
    return {record.guid: live_numbers(record.items) for record in lock.records if record.items}


def _unedited(then: Lock, now: Lock, after: Mapping[str, Note]) -> Iterator[str]:
    """Yield the GUIDs of notes that have the text that they had, perhaps in another deck."""
    said = {record.guid: record.fingerprint for record in now.records}
    for record in then.records:
        note = after.get(record.guid)
        if note and is_unedited(record, said[record.guid], partial(content_hash, note)):
            yield record.guid


def _remarks(old: Old, lock: Lock, now: Lock, history: History) -> Iterator[str]:
    """Yield what makes the comparison less reliable; `now` is what a build would turn `lock` into."""
    then = old.lock
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


def _maybe_known(contents: Contents, old: Old, hashes: Mapping[str, str]) -> list[Diagnostic]:
    """Return diagnostics about notes that may be published ones.

    A build also reported them, but perhaps long ago or on another machine.
    """
    names = {source.source.path: source.source.name for source in contents.sources}
    _, diagnostics = identify(
        contents.summaries, old.lock, type_hashes=hashes, earlier=lambda path: old.summaries(names[path])
    )
    return [diagnostic for diagnostic in diagnostics if Trait.QUESTION in diagnostic.traits]


def _wandered(contents: Contents, moved: Sequence[Pair]) -> Iterator[str]:
    """Yield the GUIDs of moved notes that the history of the lock knows in a third deck."""
    published = contents.published.publications() if moved else {}
    for pair in moved:
        decks = {deck_key(deck) for _, deck in published.get(pair.after.guid, ())}
        if decks - {deck_key(record.fingerprint.deck) for record in pair}:
            yield pair.after.guid


def _renamed(before: Lock, name: str) -> str:
    roots = {record.fingerprint.deck.partition("::")[0] for record in before.records if record.live}
    same = {root.casefold() for root in roots} & {name.casefold()}
    return "" if same or len(roots) != 1 else roots.pop()


_NOT_TEXTS = frozenset({"deck", "id", "key", "own_type", "typed"})
"""Parts of a note that learners do not see, or that are reported elsewhere: `typed` is part of the answer."""


def changed_parts(old: Note, new: Note) -> Iterator[ChangedPart]:
    """Yield the parts of a note that differ between two versions."""
    as_written, as_shown = attrgetter("markdown"), attrgetter("shown")
    old_texts, new_texts = (_texts(note, as_written) for note in (old, new))
    old_shown, new_shown = (_texts(note, as_shown) for note in (old, new))
    shown_before = {media.written: media.digest for media in old.media}
    redrawn = defaultdict[str, list[str]](list)
    for media in new.media:
        if shown_before.get(media.written, media.digest) != media.digest:
            for name in [name for name, text in new_texts.items() if media.written in text] or ["media"]:
                redrawn[name].append(f"a different file at {media.written}")
    for name in old_texts | new_texts | redrawn:
        before, after = old_texts.get(name, ""), new_texts.get(name, "")
        said = redrawn[name]
        if before != after:
            is_rewrapped = before.split() == after.split()
            said.insert(0, "only white space" if is_rewrapped else word_diff(before, after))
        elif (before := old_shown.get(name, "")) != (after := new_shown.get(name, "")):
            said.insert(0, f"by a macro\n{word_diff(before, after)}")
        if said:
            yield ChangedPart("question" if name == "heading" else name, "\n".join(said))
    for name in Note._fields:
        before, after = (_setting(note, name) for note in (old, new))
        if isinstance(after, str) and name not in _NOT_TEXTS and before != after:
            yield ChangedPart(name, word_diff(before, after))


def _texts(note: Note, read: Callable[[Text], str]) -> dict[str, str]:
    """Return the texts of a note by name; `read` returns a text as written, or as learners see it."""
    options = [
        f"- [{'x' if choice.correct else ' '}] {read(choice.text)}"
        + (f"\n    - {read(choice.comment)}" if choice.comment else "")
        for choice in note.choices
    ]
    answer = "\n\n".join(filter(None, ("\n".join(options), note.typed, read(note.answer))))
    texts = {name: read(getattr(note, name)) for name in TEXTS} | {"answer": answer}
    if note.kind is Kind.CLOZE and not note.heading:  # it is the first paragraph of the text
        texts["heading"], _, texts["answer"] = answer.partition("\n\n")
    return texts | {name: read(text) for name, text in note.fields}


def _setting(note: Note, name: str) -> Any:
    """Return a part of a note as its author wrote it; the difficulty has its own tag."""
    match name:
        case "tags":
            return " ".join(sorted(set(note.tags) - {f"difficulty::{note.difficulty}"}))
        case "before":
            return str(note.before or "all")
        case _:
            return getattr(note, name)


def _count(cards: int) -> str:
    return "a card" if cards == 1 else f"{cards} cards"
