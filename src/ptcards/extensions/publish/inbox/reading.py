"""Reads what others sent: files with suggestions, packages, and the open Anki."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from ptcards.compile import BuildOptions, Plan, prepared
from ptcards.diagnostics import Diagnostic, Location, has_errors, warning
from ptcards.extensions.desktop.push import CollectionPush, PushOptions, compared
from ptcards.extensions.desktop.push.ankiconnect import Anki
from ptcards.extensions.desktop.push.pull import clear_flags, edits_of, marked_notes
from ptcards.extensions.importing.package import open_package
from ptcards.extensions.importing.problems import NotImportableError
from ptcards.extensions.importing.write_back import FieldEdit
from ptcards.extensions.publish.inbox import EntryState, InboxCollection, InboxEntry, edits_name, marks_name
from ptcards.extensions.publish.inbox.packages import OtherNote, PublishedTexts, read_differences
from ptcards.extensions.publish.inbox.suggestions import Sender, SentEdits, read_suggestions
from ptcards.extensions.publish.subscription.feed import (
    MAX_FEED_BYTES,
    BrokenFeedError,
    Feed,
    NewerFeedError,
    read_feed,
)
from ptcards.files import NoSuchSourceError, replacing
from ptcards.files.inputs import InputError, read_input, shown
from ptcards.files.output_folder import FEED, output_folder
from ptcards.workspace import ReadOptions

_PACKAGES = (".apkg", ".colpkg")
_ANKI = Sender("Anki")


@dataclass(slots=True)
class Inbox:
    """A collection, what others sent for it, and what is wrong with that.

    There is no collection if its sources have errors. `diagnostics` are about both, and `complaints` about
    what others sent. `status` is 2 if a file is none of those that an inbox reads; `rejected` is the file
    that remembers rejected entries.
    """

    collection: InboxCollection | None
    entries: list[InboxEntry] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    status: int = 0
    rejected: Path = Path()
    complaints: list[Diagnostic] = field(default_factory=list)

    def reject(self, entries: Sequence[InboxEntry]) -> None:
        """Remember entries, so that they are not listed again.

        Raises:
            OutputError: the file cannot be written.

        """
        if entries:
            names = {*_names_in(self.rejected), *(entry.whole_name for entry in entries)}
            with replacing(self.rejected) as stream:
                stream.writelines(f"{name}\n".encode() for name in sorted(names))


def _names_in(file: Path) -> frozenset[str]:
    """Return the names of the rejected entries, one on each line; none if the file is unreadable."""
    with suppress(OSError, UnicodeDecodeError):
        return frozenset(file.read_text("utf-8").split())
    return frozenset()


@contextmanager
def open_inbox(
    source: Path, files: Sequence[Path], anki: Anki | None, state: Path, reading: ReadOptions
) -> Iterator[Inbox]:
    """Yield the inbox of the collection in `source`: what is in files, and in an open Anki.

    Raises:
        AnkiError: Anki is not running or refused a request.
        NoSuchSourceError: there is no collection with a `deck.toml`.
        SourceChangedError: a source was saved meanwhile.

    """
    with ExitStack() as opened:
        plans: Sequence[Plan]
        push: CollectionPush | None = None
        if anki is None:
            options = BuildOptions(None, (), dry_run=True)
            found = opened.enter_context(prepared([source], options, reading, waiting=lambda _: None))
            diagnostics, plans = found.diagnostics, found.plans
        else:
            asked = PushOptions(state=state, dry_run=True, pulls=True)
            compared_with = compared([source], asked, anki, reading, waiting=lambda _: None)
            there = opened.enter_context(compared_with)
            diagnostics, push = there.diagnostics, next(iter(there.collections), None)
            plans = tuple(each.built for each in there.collections)
        if has_errors(diagnostics) or not plans:
            yield Inbox(None, diagnostics=list(diagnostics))
            return
        if len(plans) > 1 or not plans[0].contents.collection.configured:
            message = f"`{shown(source.absolute())}` is not the folder of one collection with a `deck.toml`"
            raise NoSuchSourceError(message)
        of_anki = (push.media_content, push.remember_pulled) if push else ()
        collection = InboxCollection(plans[0], *of_anki)
        rejected = state / "inbox" / f"{collection.id}.txt"
        inbox = Inbox(collection, diagnostics=list(diagnostics), rejected=rejected)
        entries = collection.judge(*_read_files(files, inbox, collection))
        if anki and push:
            anki_state, plan = push.plan()
            marks = marked_notes(anki, anki_state, push.built.note_types)
            owners = owner_entries(collection, list(edits_of(push.identified, plan)), marks)
            entries = collection.listed([*entries, *owners])
        names = _names_in(rejected)
        inbox.entries = [entry for entry in entries if entry.whole_name not in names]
        inbox.diagnostics += inbox.complaints
        yield inbox


def remove_flags(source: Path, anki: Anki, state: Path, reading: ReadOptions, guids: Container[str]) -> int:
    """Remove the red flags of notes in the open Anki, and return from how many cards."""
    asked = PushOptions(state=state, dry_run=True)
    with compared([source], asked, anki, reading, waiting=lambda _: None) as there:
        plans = ((push.plan()[0], push.built.note_types) for push in there.collections)
        return sum(clear_flags(anki, *plan, guids) for plan in plans)


def _read_files(
    files: Iterable[Path], inbox: Inbox, collection: InboxCollection
) -> tuple[list[SentEdits], list[OtherNote]]:
    """Return the suggestions and the new notes in files, which are suggestions, issues and packages."""
    suggestions: list[SentEdits] = []
    new: list[OtherNote] = []
    known: PublishedTexts | None = None
    for file in files:
        if file.suffix.lower() not in _PACKAGES:
            found, complaints = read_suggestions(file, collection.id)
            suggestions += found
            inbox.complaints += complaints
            inbox.status = inbox.status or (0 if found or not complaints else 2)
            continue
        known = known or published_texts(collection)
        try:
            with open_package(file) as package:
                found, others, elsewhere = read_differences(
                    package, Sender(file.name), collection.ours, known
                )
        except NotImportableError as failure:
            inbox.complaints += failure.diagnostics
            inbox.status = failure.status
            continue
        suggestions += found
        new += others
        if elsewhere and not (found or others):
            place = Location(shown(file.absolute()), 1, 0)
            message = f"{elsewhere:,} notes are in other decks, and nothing of this collection was changed"
            inbox.complaints.append(warning(place, "other-decks", message, "name another package"))
    return suggestions, new


def published_texts(collection: InboxCollection) -> PublishedTexts:
    """Return what is known about published notes, from the lock, its history in git, and the last release."""
    plan, contents = collection.plan, collection.plan.contents
    mods: dict[str, set[int]] = {}
    for record in plan.before.records:
        mods.setdefault(record.guid, set()).add(record.mod)
    for guid, publications in contents.published.publications().items():
        mods.setdefault(guid, set()).update(mod for mod, _ in publications)
    file = output_folder(contents.collection.root, "dist") / FEED
    digests: Mapping[str, tuple[frozenset[str], ...]] = {}
    with suppress(InputError, BrokenFeedError, NewerFeedError):
        digests = _digests(read_feed(read_input(file, file.parent, MAX_FEED_BYTES)))
    return PublishedTexts({guid: frozenset(each) for guid, each in mods.items()}, digests)


def _digests(feed: Feed) -> dict[str, tuple[frozenset[str], ...]]:
    """Return the digests of each field of the notes whose every publication is known."""
    found = {}
    for guid, publications in feed.notes.items():
        live = [each.digests for each in publications if each.is_live]
        texts = [each.split(" ") for each in live if each is not None]
        if texts and len(texts) == len(live):
            most = max(map(len, texts))
            padded = [each + [""] * (most - len(each)) for each in texts]
            found[guid] = tuple(map(frozenset, zip(*padded, strict=True)))
    return found


def owner_entries(
    collection: InboxCollection, edits: Sequence[FieldEdit], marks: Mapping[str, tuple[str, ...]]
) -> Iterator[InboxEntry]:
    """Yield an entry for each edit in the open Anki, as `pull` lists them, and for each marked note."""
    for edit in edits:
        name, state = edits_name(edit.guid, {edit.name: edit.theirs}), EntryState.of_edits(edit.reason)
        bare = edit._replace(reason="")
        yield InboxEntry(name, edit.guid, state, (_ANKI,), edit.note, (bare,), reason=edit.reason)
    notes = collection.notes(marks.keys())
    for guid, those in marks.items():
        if guid in notes:
            name = marks_name(guid, those)
            yield InboxEntry(name, guid, EntryState.MARK, (_ANKI,), notes[guid], marks=those)
