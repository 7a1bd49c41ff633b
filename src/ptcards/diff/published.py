"""What an earlier version published: its lock, or what its sources would have published, and its notes."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from ptcards.diagnostics import Diagnostic, has_errors
from ptcards.diff.old import NoOldError, Old
from ptcards.files import NoSuchSourceError
from ptcards.identity.hashes import Summary
from ptcards.identity.history import NO_HISTORY, History
from ptcards.identity.lock import Lock
from ptcards.identity.lock_reading import read_lock
from ptcards.identity.resolve import identify
from ptcards.notes import Note
from ptcards.workspace import Contents, Workspace


def usable_lock(workspace: Workspace) -> tuple[Lock | None, list[Diagnostic]]:
    """Return the lock of the first collection; if its sources or its lock have errors, `None` and the errors.

    Raises NoOldError if there is no collection.
    """
    contents, diagnostics = workspace.contents[0], workspace.diagnostics
    if has_errors(diagnostics):
        return None, diagnostics
    if not contents.collection.configured:
        message = "without a `deck.toml`, there is no record of what was published: run `ptcards init`"
        raise NoOldError(message)
    lock, found = contents.lock()
    return (None if has_errors(found) else lock), found


def identified(
    contents: Contents, lock: Lock, hashes: Mapping[str, str], history: History = NO_HISTORY
) -> tuple[dict[str, Note], Lock]:
    """Return notes by GUID, and the lock that a build would write, ignoring times."""
    found, _ = identify(
        contents.summaries, lock, type_hashes=hashes, history=history, content_in=contents.content_in
    )
    return dict(zip(found.guids, contents.notes, strict=True)), found.lock


def read_old_lock(old: Old, collection_id: str) -> Lock:
    """Return what was published, from the lock of that time.

    Without one, return the lock that its sources would have produced.
    """
    lock, found = read_lock(
        old.folder / "deck.lock", shown=f"{old.name}:deck.lock", collection_id=collection_id
    )
    if lock is None:
        message = f"{found[0].location}: {found[0].message}"
        raise NoOldError(message)
    if not lock.new:
        return lock
    try:
        (contents, *_) = Workspace.read([old.folder]).contents
    except NoSuchSourceError as failure:
        message = f"`{old.name}` contains neither a `deck.lock` nor sources"
        raise NoOldError(message) from failure
    return identified(contents, lock, {})[1]


class OldSources:
    """The sources of an earlier version, which are read when they are first needed."""

    def __init__(self, old: Old) -> None:
        self._old = old

    @cached_property
    def _contents(self) -> Contents | None:
        try:
            return Workspace.read([self._old.folder]).contents[0]
        except NoSuchSourceError:
            return None

    def notes(self, lock: Lock) -> dict[str, Note]:
        """Return the notes by GUID."""
        hashes = {kind.name: kind.hash for kind in lock.types}
        return identified(self._contents, lock, hashes)[0] if self._contents else {}

    def summaries(self, name: str) -> Sequence[Summary]:
        """Return the notes of a source, by its path below the collection's root, in order."""
        if self._contents is None:
            return ()
        sources = (each for each in self._contents.sources if each.source.name == name)
        return next((self._contents.summaries[each.span] for each in sources), ())
