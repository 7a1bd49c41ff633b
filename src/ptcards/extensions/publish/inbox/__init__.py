"""Collects the corrections that others send, and writes those that are accepted into the Markdown."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from hashlib import sha256
from itertools import starmap
from pathlib import Path
from typing import NamedTuple

from ptcards.anki.fields import render
from ptcards.compile import Plan
from ptcards.diagnostics import Location
from ptcards.extensions.desktop.merge.compare import Ours
from ptcards.extensions.desktop.merge.lists import list_digests, merge_lists
from ptcards.extensions.importing.drafts import Draft
from ptcards.extensions.importing.html_to_markdown import LONGEST
from ptcards.extensions.importing.meant import is_same_as_written
from ptcards.extensions.importing.occlusions import without_rounding
from ptcards.extensions.importing.package_notes import AdoptedNotes, ConvertedNotes, is_of, own_draft
from ptcards.extensions.importing.write_back import (
    BUILD_FIRST,
    CHANGED,
    CHANGED_HERE,
    SIMILAR,
    TOGETHER,
    UNCOMMITTED,
    FieldEdit,
    Files,
    IdentifiedNotes,
    is_uncommitted,
    no_files,
    replace_files,
    unknown_files,
    would_not_build,
    write_edits,
)
from ptcards.extensions.publish.inbox.packages import AUTOMATIC, OtherNote
from ptcards.extensions.publish.inbox.suggestions import Sender, SentEdits
from ptcards.files import locked
from ptcards.files.inputs import MAX_SOURCE_BYTES, InputError, file_digest, read_input
from ptcards.identity.hashes import NoteSummary, derive_guid
from ptcards.identity.lock import Record, format_lock, guid_as_id
from ptcards.identity.resolve import identify
from ptcards.notes import Note
from ptcards.notes.notetypes import NoteType
from ptcards.source.dialects import OWN
from ptcards.source.own_notetypes import OWN_PREFIX
from ptcards.source.source import ParsedSource, split_lines
from ptcards.workspace.cached_source import CachedSource

_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""The characters of names: none looks like another."""
SHORTEST_NAME = 4


class EntryState(StrEnum):
    """What can be done with an entry."""

    CLEAN = "clean"
    ALREADY = "already so"
    CHANGED = CHANGED_HERE
    LEFT = "left"
    MARK = "mark"

    @classmethod
    def of_edits(cls, reason: str) -> "EntryState":
        """Return the state of edits that cannot be written for a reason, or can if there is none."""
        return cls.CLEAN if not reason else cls.CHANGED if reason == cls.CHANGED else cls.LEFT


@dataclass(frozen=True, slots=True)
class InboxEntry:
    """Something in the inbox: edits of a note, or marks at it.

    `whole_name` is made from the content, and `name` is its shortest start that no other entry has. `reason`
    says why the edits cannot be written. `other` is a note that the collection lacks; `remark` says what
    happens to it if that is not obvious.
    """

    whole_name: str
    guid: str
    state: EntryState
    senders: tuple[Sender, ...]
    note: Note | None = None
    edits: tuple[FieldEdit, ...] = ()
    marks: tuple[str, ...] = ()
    reason: str = ""
    name: str = ""
    other: OtherNote | None = None
    remark: str = ""

    @property
    def location(self) -> Location | None:
        """The location of the note."""
        return self.note.location if self.note else None

    def left(self, reason: str) -> "InboxEntry":
        """Return the entry as one that cannot be written, with the reason."""
        return replace(self, state=EntryState.LEFT, reason=reason)


def whole_name(*content: object) -> str:
    """Return a long name for the content of an entry, 24 letters and digits."""
    number = int.from_bytes(sha256(json.dumps(content).encode()).digest())
    letters = []
    for _ in range(24):
        number, place = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[place])
    return "".join(letters)


def marks_name(guid: str, marks: Sequence[str], why: str = "") -> str:
    """Return the name of an entry for marks at a note, with the reason that a report gives."""
    return whole_name("marks", guid, marks, why)


def edits_name(guid: str, texts: Mapping[str, str]) -> str:
    """Return the name of an entry that gives fields of a note these texts."""
    return whole_name("edits", guid, sorted(texts.items()))


class InboxCollection:
    """A collection whose inbox is read: its notes by GUID.

    `files` finds the files of the running Anki, and `remember` is called with the edits that were written.
    """

    def __init__(
        self,
        plan: Plan,
        files: Files = no_files,
        remember: Callable[[Iterable[FieldEdit]], None] = lambda _: None,
    ) -> None:
        self.plan, self._files, self._remember = plan, files, remember
        identities = plan.identities
        self.identified = IdentifiedNotes(plan.contents, identities.guids, identities.lock, plan.before)

    @cached_property
    def ours(self) -> Mapping[str, Ours]:
        """The notes by GUID, with their fields."""
        return {note.guid: note for note in starmap(Ours, self.plan.stored())}

    def notes(self, guids: AbstractSet[str]) -> Mapping[str, Note]:
        """Return the notes with these GUIDs."""
        contents = self.plan.contents
        found: dict[str, Note] = {}
        for source in contents.selected:
            here = self.identified.guids[source.span]
            if not guids.isdisjoint(here):
                notes = zip(contents.notes_of(source), here, strict=True)
                found |= {guid: note for note, guid in notes if guid in guids}
        return found

    @property
    def id(self) -> str:
        """The id of the collection."""
        return self.plan.contents.collection.config.id

    def judge(self, suggestions: Iterable[SentEdits], new: Iterable[OtherNote] = ()) -> list[InboxEntry]:
        """Return the entries for suggestions and new notes."""
        suggestions = list(suggestions)
        notes = self.notes({suggestion.guid for suggestion in suggestions})
        entries = [entry for each in suggestions for entry in self._entries(each, notes.get(each.guid))]
        ids = {summary.fingerprint.id.casefold() for summary in self.plan.contents.all_summaries}
        types = {each.id for each in self.plan.contents.note_types}
        for other in new:
            note = other.note
            name = whole_name("new", note.guid, note.fields)
            entry = InboxEntry(name, note.guid, EntryState.CLEAN, (other.sender,), other=other)
            if other.note_type.id not in types:
                entry = replace(entry, remark=_NEW_GUID.format(other.note_type.name))
                if guid_as_id(note.guid).casefold() in ids:
                    entry = replace(entry, state=EntryState.ALREADY, reason=_TAKEN, remark="")
            entries.append(entry)
        return self.listed(entries)

    def listed(self, entries: Iterable[InboxEntry]) -> list[InboxEntry]:
        """Return entries with their names, in the order of the sources; equal ones become one.

        Those that no Markdown can express say so.
        """
        unique: dict[str, InboxEntry] = {}
        for entry in entries:
            before = unique.get(entry.whole_name)
            senders = dict.fromkeys((*(before.senders if before else ()), *entry.senders))
            # One of them may know that the text here did not change.
            best = before if before and before.state is EntryState.CLEAN else entry
            unique[entry.whole_name] = replace(best, senders=tuple(senders))
        return named(sorted(self._tried(list(unique.values())), key=_order))

    def _entries(self, suggestion: SentEdits, note: Note | None) -> Iterator[InboxEntry]:
        guid, senders = suggestion.guid, (suggestion.sender,)
        if suggestion.marks:
            name = marks_name(guid, suggestion.marks, suggestion.sender.why)
            reason = "" if note else _NO_NOTE
            if suggestion.cut:
                reason = f"`{suggestion.cut[0][:40]}` was too long for the issue: ask for the file"
            state = EntryState.LEFT if reason else EntryState.MARK
            yield InboxEntry(name, guid, state, senders, note, marks=suggestion.marks, reason=reason)
        if not suggestion.fields:
            return
        name = edits_name(guid, {field: new for field, (_, new) in suggestion.fields.items()})
        entry = InboxEntry(name, guid, EntryState.CLEAN, senders, note)
        ours = self.ours.get(guid)
        if note is None or ours is None:
            yield entry.left(_NO_NOTE)
            return
        edits, reason = _edits(suggestion, note, ours)
        reason = reason or _missing_file(suggestion, edits)
        state = EntryState.of_edits(reason) if reason or edits else EntryState.ALREADY
        yield replace(entry, edits=tuple(edits), state=state, reason=reason)

    def _tried(self, entries: Sequence[InboxEntry]) -> Iterator[InboxEntry]:
        for entry in entries:
            reason = ""
            if entry.state is EntryState.CLEAN and entry.other:
                reason = NewNotes(self.identified).add(entry.other)
            elif entry.state is EntryState.CLEAN:
                edits, files = [entry.edits], self._files
                left = write_edits(self.identified, edits, force=True, dry_run=True, files=files)
                # The first reason that is given is the same for all fields, or is about another one.
                reason = next((edit.reason for edit in left if edit.reason != TOGETHER), "")
            yield entry.left(reason) if reason else entry

    def held_back(self, entries: Iterable[InboxEntry]) -> list[InboxEntry]:
        """Return the new notes whose file has uncommitted changes, with that as the reason."""
        notes = NewNotes(self.identified)
        return [
            entry.left(UNCOMMITTED)
            for entry in entries
            if entry.other and (source := notes.source_of(entry.other.note.deck))
            if is_uncommitted(source.source.file)
        ]

    def add_new(self, entries: Sequence[InboxEntry]) -> list[InboxEntry]:
        """Write the new notes of entries into the Markdown; return those that are left, with their reasons.

        Raises:
            OutputError: a file cannot be written; nothing changed.

        """
        notes = NewNotes(self.identified)
        reasons = [notes.add(entry.other) if entry.other else "" for entry in entries]
        if not notes.write():
            reasons = [CHANGED] * len(entries)
        return [entry.left(reason) for entry, reason in zip(entries, reasons, strict=True) if reason]

    def accept(self, entries: Sequence[InboxEntry], *, force: bool) -> list[InboxEntry]:
        """Write the edits of entries into the Markdown; return those that are left, with their reasons.

        Raises:
            OutputError: a file cannot be written; earlier ones were.

        """
        left: list[InboxEntry] = []
        chosen: list[InboxEntry] = []
        taken: set[tuple[str, int]] = set()
        for entry in entries:
            places = {(edit.guid, edit.place) for edit in entry.edits}
            if entry.state is not EntryState.CLEAN:
                left.append(replace(entry, reason=entry.reason or _NOTHING[entry.state]))
            elif taken & places:
                left.append(replace(entry, reason="another accepted entry changes the same field"))
            else:
                taken |= places
                chosen.append(entry)
        groups = [entry.edits for entry in chosen]
        edits = write_edits(self.identified, groups, force=force, files=self._files, remember=self._remember)
        reasons = {(edit.guid, edit.place): edit.reason for edit in edits}
        first = ((entry, reasons.get((entry.guid, entry.edits[0].place))) for entry in chosen)
        return [*left, *(entry.left(reason) for entry, reason in first if reason)]


def _edits(suggestion: SentEdits, note: Note, ours: Ours) -> tuple[list[FieldEdit], str]:
    """Return the edits of a note that are not yet so, and why they cannot be written."""
    edits = []
    reasons = []
    for field, (base, suggested) in suggestion.fields.items():
        if field not in ours.names:
            reasons.append(f"its note type has no field `{field[:40]}`")
            continue
        place = ours.names.index(field)
        now = ours.fields[place]
        if max(len(suggested), len(base or "")) > LONGEST:
            reasons.append(f"its field `{field}` is longer than {LONGEST >> 10} kB")
            continue
        both = merge_lists(list_digests(base or ""), now, suggested)
        # If only other items of a list changed here, that is no reason.
        was, new = (now, both.field) if both and not both.waits else (base, suggested)
        new = without_rounding(now if was is None else was, new)
        if not is_same_as_written(now, new):
            edits.append(FieldEdit(note, suggestion.guid, place, field, now, new))
            if was is None or not is_same_as_written(was, now):
                reasons.append(EntryState.CHANGED)
    others = [reason for reason in reasons if reason != EntryState.CHANGED]
    return edits, next(iter((*others, *reasons)), "")


def _missing_file(suggestion: SentEdits, edits: Iterable[FieldEdit]) -> str:
    """Return what to do about a file that edits show and the collection lacks; empty if there is none."""
    name = next((name for edit in edits for name in unknown_files(edit)), "")
    if not name:
        return ""
    if suggestion.in_package:
        return _IN_PACKAGE.format(name)
    who = suggestion.sender.who or f"the sender of {suggestion.sender.where}"
    return f"`{name}` did not come along: ask {who} for it, and put it into the note yourself"


_IN_PACKAGE = "`{}` is only in the package: save it in the collection and refer to it"
_NEW_GUID = (
    "becomes a note of its own: whoever wrote the one of the type `{}` gets it too, and can delete theirs"
)
_TAKEN = "the deck has a note of its own for it"
_NO_NOTE = "the collection has no note with its GUID"
_NOTHING = {
    EntryState.ALREADY: EntryState.ALREADY.value,
    EntryState.MARK: "it has no text: correct the note, then use `--done`",
}


def _order(entry: InboxEntry) -> tuple[str, int, str]:
    """Return the sort key of an entry: its place, or the end for one without a note."""
    if entry.location is None:
        return "\U0010ffff", 0, entry.whole_name
    return entry.location.path, entry.location.line, entry.whole_name


def named(entries: Sequence[InboxEntry]) -> list[InboxEntry]:
    """Return the entries with names: at least four characters, and so many that no two are equal."""
    length = SHORTEST_NAME
    while len({entry.whole_name[:length] for entry in entries}) < len(entries):
        length += 1
    return [replace(entry, name=entry.whole_name[:length]) for entry in entries]


class _Grown(NamedTuple):
    """A source with new notes at its end: its content, what is parsed from it, and the GUIDs of its notes."""

    content: bytes
    parsed: ParsedSource
    guids: tuple[str, ...]


class NewNotes:
    """Notes that are added to a collection. Each is tried, and kept if it is read back as it was sent."""

    def __init__(self, identified: IdentifiedNotes) -> None:
        self._identified = identified
        self._contents = identified.contents
        self._grown: dict[str, _Grown] = {}
        self._lock = identified.written

    def add(self, other: OtherNote) -> str:
        """Add a note to the end of a source; return why that is impossible, or an empty string."""
        source = self.source_of(other.note.deck)
        if self._lock.new or source is None:
            return BUILD_FIRST if source else f"no file ends with its deck `{other.note.deck}`"
        own = next((each for each in self._contents.note_types if each.id == other.note_type.id), None)
        draft = self._draft(other, own)
        if isinstance(draft, str):
            return draft
        before = self._before(source)
        if before is None:
            return CHANGED
        content = _with_note(before.content, draft)
        parsed = self._identified.parse(source, split_lines(content))
        if not self._is_added(before.parsed, parsed, other, own):
            return "no Markdown renders to exactly that"
        note, lock = other.note, self._lock
        if own is not None:
            guid, said = note.guid, parsed.summaries[-1].fingerprint
            record = Record(guid, max(1, note.mod), live=True, fingerprint=said, nid=str(note.id))
            lock = lock._replace(records=(*lock.records, record))
        else:  # Anki never updates a note of another type
            taken = {record.guid for record in lock.records}
            guid = derive_guid(parsed.summaries[-1], lock.collection_id, taken)
        grown = _Grown(content, parsed, (*before.guids, guid))
        summaries, guids = self._identify({**self._grown, source.source.path: grown})
        problems = render(parsed.notes[-1], self._contents.note_types)[1]
        if errors := self._identified.build_errors(parsed, summaries, parsed.notes[-1:], problems):
            return would_not_build(errors)
        if identify(summaries, lock)[0].guids != guids:
            return SIMILAR
        self._grown[source.source.path], self._lock = grown, lock
        return ""

    def write(self) -> bool:
        """Write the sources and the lock together; return whether nothing had changed meanwhile.

        Raises:
            OutputError: a file cannot be written; nothing changed.

        """
        sources = [each for each in self._contents.sources if each.source.path in self._grown]
        files = [(os.path.realpath(each.source.file), each) for each in sources]
        lock_file = self._identified.lock_file
        folders = dict.fromkeys([lock_file.parent, *(Path(file).parent for file, _ in files)])
        with locked(*folders, waiting=lambda _: None):
            if any(file_digest(file) != each.digest for file, each in files):
                return False
            contents = {Path(file): self._grown[each.source.path].content for file, each in files}
            replace_files({**contents, lock_file: format_lock(self._lock).encode()})
        return True

    def source_of(self, deck: str) -> CachedSource | None:
        """Return the last source whose last note is in a deck."""
        ends = (
            source
            for source in reversed(self._contents.selected)
            if source.parsed.dialect == OWN and source.parsed.summaries
            if source.parsed.summaries[-1].fingerprint.deck.casefold() == deck.casefold()
        )
        return next(ends, None)

    def _draft(self, other: OtherNote, own: NoteType | None) -> Draft | str:
        """Return the Markdown of a note, or why none has all of it; `own` is its note type here."""
        note, note_type = other.note, other.note_type
        if other.shown_file:
            return _IN_PACKAGE.format(other.shown_file)
        draft: Draft | str
        if is_of(note_type, self._contents.collection.config.id):
            draft = own_draft({}, note, note_type, 0)
        elif own is not None:
            draft = AdoptedNotes({}, {}).draft(note, note_type, 0)
            if isinstance(draft, Draft):
                draft.settings = {**draft.settings, "type": own.key.removeprefix(OWN_PREFIX)}
        else:
            draft = ConvertedNotes({}).draft(note, note_type, 0)
            if isinstance(draft, Draft):  # by its id, the note is recognised when it is sent again
                draft.settings = {**draft.settings, "id": guid_as_id(note.guid)}
        if isinstance(draft, str):
            return f"a note {draft}"
        # A note of one of our types is compared as it would be rendered.
        if own is None and (draft.lost or draft.verbatim):
            return f"no Markdown renders to exactly its field `{[*draft.lost, *draft.verbatim][0]}`"
        return draft

    def _before(self, source: CachedSource) -> _Grown | None:
        """Return the source with the notes that were added so far; `None` if its file changed."""
        if source.source.path in self._grown:
            return self._grown[source.source.path]
        with suppress(InputError):
            content = read_input(source.source.file, source.source.root, MAX_SOURCE_BYTES)
            if sha256(content).hexdigest() == source.digest:
                guids = tuple(self._identified.guids[source.span])
                return _Grown(content, self._identified.parse(source, split_lines(content)), guids)
        return None

    def _is_added(
        self, before: ParsedSource, after: ParsedSource, other: OtherNote, own: NoteType | None
    ) -> bool:
        """Whether a source has one note more, in the right deck and with the fields that were sent."""
        if len(after.notes) != len(before.notes) + 1:
            return False
        *others, added = after.notes
        if tuple(others) != tuple(before.notes) or added.deck.casefold() != other.note.deck.casefold():
            return False
        fields, _ = render(added, self._contents.note_types)
        names = own.field_names if own else ()
        unwritten = {*AUTOMATIC, own.guid_field if own else ""}
        sent = dict(zip((field.name for field in other.note_type.fields), other.note.fields, strict=True))
        return all(
            is_same_as_written(text, sent.get(name, ""))
            for name, text in zip(names, fields, strict=False)
            if name not in unwritten
        )

    def _identify(self, grown: Mapping[str, _Grown]) -> tuple[Sequence[NoteSummary], tuple[str, ...]]:
        """Return what identifies all notes, the new ones included, and their GUIDs."""
        summaries: list[NoteSummary] = []
        guids: list[str] = []
        for source in self._contents.sources:
            each = grown.get(source.source.path)
            summaries += each.parsed.summaries if each else self._contents.summaries[source.span]
            guids += each.guids if each else self._identified.guids[source.span]
        return summaries, tuple(guids)


def _with_note(content: bytes, draft: Draft) -> bytes:
    """Return the content of a source with a note at its end, in the source's line ends."""
    end = b"\r\n" if b"\r\n" in content else b"\n"
    gap = b"" if not content or content.endswith(end * 2) else end if content.endswith(end) else end * 2
    return content + gap + draft.markdown().rstrip("\n").encode().replace(b"\n", end) + end
