"""Writes edited fields back into the Markdown.

An edit is only written if the new Markdown renders to exactly the edited field and nothing else changes.
"""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import unified_diff
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from ptcards.anki.built_in_notetypes import find_type
from ptcards.anki.fields import render
from ptcards.diagnostics import Diagnostic, Location, errors_in
from ptcards.extensions.desktop.merge.html_tree import Element, Node, as_html, parse_html, visible
from ptcards.extensions.desktop.merge.item_lists import find_list
from ptcards.extensions.desktop.merge.texts import is_empty_html, is_same_html
from ptcards.extensions.importing.html_likeness import SOUND
from ptcards.extensions.importing.html_to_markdown import looks_without_markdown, markdown_attempts
from ptcards.extensions.importing.kept_words import with_kept_lines, with_words
from ptcards.extensions.importing.meant import as_meant, as_written, comparable
from ptcards.extensions.importing.note_texts import (
    PARTS,
    SAME_OPTIONS,
    is_heading,
    line_of,
    parts_of,
    places_of,
    replaced,
    replaced_lines,
    text_of,
    with_difficulty,
    with_question,
    with_section,
    with_typed,
    without_section,
)
from ptcards.extensions.importing.occlusions import numbers_after, with_edited_boxes
from ptcards.files import locked, replacing_together
from ptcards.files.git import GitError, Repository
from ptcards.files.inputs import MAX_SOURCE_BYTES, InputError, file_digest, read_input, real_path
from ptcards.identity.hashes import ItemSummary, NoteSummary
from ptcards.identity.items import given_items, number_items
from ptcards.identity.lock import Fingerprint, Lock, Record, format_lock
from ptcards.identity.lock_reading import read_lock
from ptcards.identity.resolve import identify
from ptcards.markdown.deadline import NOTE_SECONDS, DeadlineError, within
from ptcards.markdown.fences import alt_of
from ptcards.markdown.links import VIDEO
from ptcards.markdown.macros import expand, uses_macros
from ptcards.notes import DIFFICULTIES, Kind, Note, Text
from ptcards.notes.rendered import Media
from ptcards.readers.parser import parse_source
from ptcards.source.assembly import check_duplicates, silence
from ptcards.source.attributes import Lines
from ptcards.source.code_blocks import code_problems, diagrams_in
from ptcards.source.collection import CollectionFacts
from ptcards.source.content import inspect
from ptcards.source.dialects import OWN
from ptcards.source.media import FOLDER, MediaFolder, media_name, save_media
from ptcards.source.source import ParsedSource, joined, split_lines
from ptcards.workspace import Contents
from ptcards.workspace.cached_source import CachedSource

_COMMAND = re.compile(r"\\([A-Za-z]+)")
_FORMULA = re.compile(r"\\[(\[](.*?)\\[)\]]", re.DOTALL)
_INDENT = re.compile(r"^ {2,}", re.MULTILINE)
_TAG = re.compile(r"<[^<>]*>")


class FieldEdit(NamedTuple):
    """A field that somebody edited, as HTML from the sources and as edited.

    `place` is the number of the field in its note type. `reason` explains why the edit cannot be written; it
    is empty if nothing is known to prevent it. `added` are files to save in the collection, which `theirs`
    shows under the names that they get from us; `received` is then the field as edited.
    """

    note: Note
    guid: str
    place: int
    name: str
    ours: str
    theirs: str
    reason: str = ""
    added: tuple[Media, ...] = ()
    received: str = ""

    @property
    def location(self) -> Location:
        """The location of the note."""
        return self.note.location


_NEEDED = {"Question": "a question", "Answer": "an answer"}
_WRITTEN = {*PARTS, *SAME_OPTIONS, "Typed", "Occlusion", "Image"}
"""The fields whose text comes from the Markdown."""
CHANGED_HERE = "it also changed here"
UNCOMMITTED = "its file has uncommitted changes (`--force`)"
CHANGED = "its file changed meanwhile"


def would_not_build(errors: Sequence[Diagnostic]) -> str:
    """Return why an edit with which a build would stop is not written."""
    return f"a build would refuse it: {errors[0].location}: {errors[0].message}"


BUILD_FIRST = "build the collection first"
SIMILAR = "its GUID cannot be kept: the deck has a similar note"
TOGETHER = "another field of the note cannot be written"


@dataclass(frozen=True, slots=True)
class IdentifiedNotes:
    """The contents of a collection with the GUIDs of all its notes, and the lock that gives these GUIDs.

    `written` is the lock as it is on the disk. `edited` has, for each source that was edited since it was
    read, the number of its first note, and what identifies its notes now.
    """

    contents: Contents
    guids: Sequence[str]
    lock: Lock
    written: Lock
    edited: tuple[tuple[int, Sequence[NoteSummary]], ...] = ()

    @property
    def lock_file(self) -> Path:
        """The path of the lock, whether it exists or not."""
        return self.contents.collection.root / "deck.lock"

    def summaries(self, start: int, parsed: ParsedSource) -> list[NoteSummary]:
        """Return what identifies all notes if a source, whose first note has the number `start`, is this."""
        found = list(self.contents.summaries)
        for first, some in (*self.edited, (start, parsed.summaries)):
            found[first : first + len(some)] = some
        return found

    def keeps_guids(self, summaries: Sequence[NoteSummary]) -> bool:
        """Whether all notes keep their GUIDs, in the lock as a build would write it and as it is.

        The next build starts from the lock on the disk, which does not know what changed since.
        """
        if identify(summaries, self.lock)[0].guids != tuple(self.guids):
            return False
        now = identify(summaries, self.written)[0].guids
        others = {guid for pair in zip(self.guids, now, strict=True) if pair[0] != pair[1] for guid in pair}
        return others.isdisjoint(record.guid for record in self.written.records)

    def build_errors(
        self,
        parsed: ParsedSource,
        summaries: Iterable[NoteSummary],
        changed: Iterable[Note],
        found: Iterable[Diagnostic],
    ) -> list[Diagnostic]:
        """Return the errors with which a build would stop if a source were this.

        `summaries` are those of all notes then, and `found` is what rendering its `changed` notes found.
        """
        contents, is_own = self.contents, parsed.dialect == OWN
        found = [
            *parsed.diagnostics,
            *found,
            *(each for note in changed for each in code_problems(note, is_own=is_own)[1]),
            *check_duplicates([*summaries, *contents.draft_summaries], contents.foreign.keys()),
        ]
        return errors_in(silence(contents.collection, parsed.all_summaries, found)[0])

    def renewed(self, guid: str, said: Fingerprint) -> "IdentifiedNotes":
        """Return the notes with locks that recognise a note by another text.

        The content in the lock stays the published one, so the next build finds that it changed.
        """
        return self._with_record(
            guid,
            lambda old: old._replace(fingerprint=said._replace(content=old.fingerprint.content)),
        )

    def with_items(
        self, guid: str, items: Sequence[ItemSummary], numbers: Sequence[int]
    ) -> "IdentifiedNotes":
        """Return the notes with locks that give the items of a note the numbers that they have in Anki."""

        def numbered(record: Record) -> Record:
            """Return the record itself if it gives these numbers anyway; it does not know new items."""
            known = {each.number for each in record.items}
            wanted = [number if number in known else 0 for number in numbers]
            now = number_items(items, record.items).numbers
            is_given = all(number in (0, same) for number, same in zip(wanted, now, strict=False))
            return record if is_given else record._replace(items=given_items(items, wanted, record.items))

        return self._with_record(guid, numbered)

    def _with_record(self, guid: str, change: Callable[[Record], Record]) -> "IdentifiedNotes":
        lock, written = (
            each._replace(records=tuple([change(old) if old.guid == guid else old for old in each.records]))
            for each in (self.lock, self.written)
        )
        return replace(self, lock=lock, written=written)

    def parse(self, source: CachedSource, lines: Lines, added: Iterable[Media] = ()) -> ParsedSource:
        """Return what is parsed from a source if it has these lines, and the collection the `added` files."""
        collection = self.contents.collection
        changed = source.source._replace(text="\n".join(line for line, _ in lines))
        return parse_source(CollectionFacts.of(collection), changed, MediaFolder(collection.root, added))


Files = Callable[[str], bytes]
"""Returns the content of a media file where the edits were made, or nothing if it is not there."""


def no_files(_: str) -> bytes:
    """Return nothing: no files are known."""
    return b""


def write_edits(
    notes: IdentifiedNotes,
    edits: Iterable[Sequence[FieldEdit]],
    *,
    force: bool,
    dry_run: bool = False,
    files: Files = no_files,
    remember: Callable[[Sequence[FieldEdit]], None] = lambda _: None,
) -> list[FieldEdit]:
    """Write edits into the sources where possible; return the others with their reasons.

    Edits of one sequence belong to one note, and are written together or not at all. A file with uncommitted
    changes is left alone unless `force` is true. With `dry_run`, nothing is written. Of the files that a
    written edit shows, those that the note does not show yet are saved in `media/`. If a published note would
    not be recognised by its new text, `deck.lock` gets that text together with the source. After each source,
    `remember` is called with the edits that were written.

    Raises:
        OutputError: a file cannot be written; earlier ones were.

    """
    left: list[FieldEdit] = []
    by_path: dict[str, list[Sequence[FieldEdit]]] = defaultdict(list)
    for group in edits:
        reason = next((edit.reason for edit in group if edit.reason), "")
        if reason:
            left += [edit if edit.reason else edit._replace(reason=reason) for edit in group]
        elif group:
            by_path[group[0].location.path].append(group)
    on_disk = notes.written
    for source in notes.contents.selected:
        some = by_path.get(source.source.path, [])
        if some and not force and is_uncommitted(source.source.file):
            left += [edit._replace(reason=UNCOMMITTED) for group in some for edit in group]
        elif some:
            edits_of_source = _SourceEdits(notes, source, files)
            left += edits_of_source.write(some, on_disk if dry_run else notes.written, dry_run=dry_run)
            notes = edits_of_source.notes
            remember(edits_of_source.written)
    return left


def markdown_difference(notes: IdentifiedNotes, edits: Sequence[FieldEdit]) -> list[str]:
    """Return the lines of a unified difference that edits of one note make in its source.

    There are none if its file changed meanwhile or cannot be read.
    """
    path = edits[0].location.path
    source = next(each for each in notes.contents.selected if each.source.path == path)
    with suppress(InputError):
        content = read_input(source.source.file, source.source.root, MAX_SOURCE_BYTES)
        if sha256(content).hexdigest() == source.digest:
            before = split_lines(content)
            after, *_ = _SourceEdits(notes, source, no_files).with_all(before, [edits])
            # Nothing follows the last line end.
            old, new = ([line + end for line, end in lines if line or end] for lines in (before, after))
            return [line.rstrip("\r\n") for line in unified_diff(old, new, path, path)]
    return []


class _SourceEdits:
    """The edits of one source. Each edit is tried, and kept if it changes nothing else.

    `written` are the edits that were written, with the files that they added.
    """

    def __init__(self, notes: IdentifiedNotes, source: CachedSource, files: Files) -> None:
        self.notes, self._source, self._files = notes, source, files
        self.written: list[FieldEdit] = []
        self._rendered = ""
        self._added: dict[Media, bytes] = {}
        self._reason = ""
        self._can_write_lock = False

    def write(
        self, groups: Sequence[Sequence[FieldEdit]], on_disk: Lock, *, dry_run: bool
    ) -> list[FieldEdit]:
        """Write edits where possible, or only try with `dry_run`; return the others.

        `notes` are then those with the edits. The lock is only renewed if it is still `on_disk`.
        """
        before, file, lock_file = self.notes, self._source.source.file, self.notes.lock_file
        groups = [[self._with_files(edit) for edit in group] for group in groups]
        with suppress(InputError, UnicodeDecodeError):
            real = real_path(file, self._source.source.root)
            with locked(*dict.fromkeys((real.parent, lock_file.parent)), waiting=lambda _: None):
                lock, _ = read_lock(
                    lock_file, shown=before.written.shown, collection_id=before.written.collection_id
                )
                self._can_write_lock = lock == on_disk
                content = read_input(real, real.parent, MAX_SOURCE_BYTES)
                if sha256(content).hexdigest() == self._source.digest:
                    lines, written, failures = self.with_all(split_lines(content), groups)
                    if not dry_run:
                        # Files come first, so that the Markdown never shows one that is missing.
                        for media in {media for edit in written for media in edit.added}:
                            root = self.notes.contents.collection.root
                            save_media(root, media.file.name, self._added[media])
                        changed = {real: joined(content, lines)}
                        if self.notes.written != before.written:
                            changed[lock_file] = format_lock(self.notes.written).encode()
                        replace_files(changed)
                        self.written = written
                    edited = (*self.notes.edited, (self._source.start, self._parse(lines).summaries))
                    self.notes = replace(self.notes, edited=edited)
                    return list(_left(groups, failures))
        return [edit._replace(reason=CHANGED) for group in groups for edit in group]

    def _with_files(self, edit: FieldEdit) -> FieldEdit:
        """Return an edit with the files that its note does not show yet."""
        folder = self._source.source.file.parent
        root = self.notes.contents.collection.root
        tree = parse_html(edit.theirs)
        names: dict[str, str] = {}
        added: list[Media] = []
        for old in unknown_files(edit):
            content = self._files(old)
            digest = sha256(content).hexdigest()
            path = os.path.relpath(root / FOLDER / media_name(Path(old), digest), folder)
            file = Path(os.path.normpath(folder / path))  # as the parser finds it
            is_source = file.suffix.lower() in (".md", ".toml", ".lock")  # it would be read as one
            if content and not is_source and file_digest(file) in ("", digest):
                media = Media(quote(path.replace(os.sep, "/")), file, digest, media_name(file, digest))
                self._added[media] = content
                added.append(media)
                names[old] = media.name
        if added:
            _rename_files(tree, names, edit.note)
            shown = as_html(tree.children)
            edit = edit._replace(theirs=shown, added=tuple(added), received=edit.theirs)
        return edit

    def with_all(
        self, lines: Lines, groups: Sequence[Sequence[FieldEdit]]
    ) -> tuple[Lines, list[FieldEdit], Mapping[int, FieldEdit]]:
        """Return the lines with all possible groups of edits, and these edits with the fields that they make.

        Also return of each other group an impossible edit, which has the reason.
        """
        # Edits are made from the bottom up, so that the locations above remain valid.
        order = [(edit, number) for number, group in enumerate(groups) for edit in group]
        order.sort(key=lambda each: _line(each[0]), reverse=True)
        failures: dict[int, FieldEdit] = {}
        before = self.notes
        while True:
            self.notes = before
            changed = lines
            written: dict[tuple[str, int], FieldEdit] = {}
            for edit, number in order:
                if number in failures:
                    continue
                attempt = self._with(changed, edit, written)
                if attempt is not None:
                    changed = attempt
                    # What is rendered has no numbers yet, and boxes are known by them.
                    rendered = edit.theirs if edit.name == "Occlusion" else self._rendered
                    now = edit._replace(theirs=rendered, received=edit.received or edit.theirs)
                    written[edit.guid, edit.place] = now
                    continue
                failures[number] = edit._replace(reason=self._reason or _why_not(edit))
                if len(groups[number]) > 1:  # start again without this group, of which a part may be written
                    break
            else:
                return changed, [*written.values()], failures

    def _with(
        self, lines: Lines, edit: FieldEdit, written: Mapping[tuple[str, int], FieldEdit]
    ) -> Lines | None:
        """Return the lines with an edit, or `None` if that is impossible or would change anything else.

        `written` are the fields that were already written, by GUID and place.
        """
        self._reason, self._rendered = "", edit.theirs
        before = self._parse(lines)
        if written and edit.name in SAME_OPTIONS and self._has(before, edit):
            return lines  # the edit of the other field with the same options was the same
        attempts: list[Lines] = [lines]
        for attempt in _attempts(lines, edit):
            if attempt not in attempts:
                attempts.append(attempt)
                if self._does_only(before, attempt, edit, written):
                    return attempt
        return None

    def _has(self, parsed: ParsedSource, edit: FieldEdit) -> bool:
        """Whether a source has an edit already."""
        note = parsed.notes[self.notes.guids.index(edit.guid) - self._source.start]
        return _is_same(render(note, self.notes.contents.note_types)[0][edit.place], edit.theirs)

    def _does_only(
        self, old: ParsedSource, after: Lines, edit: FieldEdit, written: Mapping[tuple[str, int], FieldEdit]
    ) -> bool:
        """Whether an edit makes one field equal to Anki's and changes nothing else, including identities.

        The options of a choice are in two fields: if an edit of one changes an option, the other may follow.
        """
        new = self._parse(after)
        if len(old.notes) != len(new.notes):
            return False
        own = self.notes.contents.note_types
        changed: dict[str, Note] = {}
        problems: list[Diagnostic] = []
        for number, (one, other) in enumerate(zip(old.notes, new.notes, strict=True)):
            if one == other:
                continue
            guid = self.notes.guids[self._source.start + number]
            fields, found = render(other, own)
            before = _with_options_of(other, one) if guid == edit.guid and edit.name in SAME_OPTIONS else one
            # The labels of boxes are in another field, which follows.
            labels = find_type(other.note_type, own).field_names.index("Answer") if other.occlusion else -1
            if edit.name == "Occlusion" and labels >= 0:
                fields = (*fields[:labels], render(before, own)[0][labels], *fields[labels + 1 :])
            known = {**written, (edit.guid, edit.place): edit}
            expected = [
                known[guid, place].theirs if (guid, place) in known else text
                for place, text in enumerate(render(before, own)[0])
            ]
            if _facts(one) != _facts(other) or not all(map(_is_same, fields, expected)):
                return False
            if _macro_uses(one) - _macro_uses(other) or _loses_a_diagram(one, other):
                return False
            changed[guid] = other
            problems += found
            self._rendered = fields[edit.place] if guid == edit.guid else self._rendered
        if edit.guid not in changed:
            return False
        summaries = self.notes.summaries(self._source.start, new)
        if errors := self.notes.build_errors(new, summaries, changed.values(), problems):
            self._reason = would_not_build(errors)
            return False
        return self._keeps_guids(new, edit)

    def _parse(self, lines: Lines) -> ParsedSource:
        return self.notes.parse(self._source, lines, self._added)

    def _keeps_guids(self, parsed: ParsedSource, edit: FieldEdit) -> bool:
        """Whether all notes keep their GUIDs, perhaps with a lock that knows an edited one's new text."""
        summaries, guid = self.notes.summaries(self._source.start, parsed), edit.guid
        notes, found = self.notes, find_list(edit.theirs)
        numbers = found.numbers if found else numbers_after(edit.ours, edit.theirs)
        own = summaries[notes.guids.index(guid)]
        if self._can_write_lock and numbers:
            notes = notes.with_items(guid, own.items, numbers)
        is_published = any(record.guid == guid for record in notes.written.records)
        attempts = [notes]
        if self._can_write_lock and is_published:
            attempts.append(notes.renewed(guid, own.fingerprint))
        for attempt in attempts:
            if attempt.keeps_guids(summaries):
                self.notes = attempt
                return True
        self._reason = SIMILAR if is_published else BUILD_FIRST
        return False


def replace_files(contents: Mapping[Path, bytes]) -> None:
    """Replace the contents of files: all of them or, if one cannot be written, none."""
    with replacing_together() as replacements:
        for file, content in contents.items():
            with replacements.replacing(file) as stream:
                stream.write(content)


def _left(groups: Sequence[Sequence[FieldEdit]], failures: Mapping[int, FieldEdit]) -> Iterator[FieldEdit]:
    """Yield all edits of the groups that cannot be written, with their reasons."""
    for number in sorted(failures):
        for edit in groups[number]:
            failed = failures[number]
            yield failed if edit.place == failed.place else edit._replace(reason=TOGETHER)


def _with_options_of(other: Note, note: Note) -> Note:
    """Return a note with the texts of the options of another one, which may have other media."""
    if len(other.choices) != len(note.choices):
        return note
    pairs = zip(note.choices, other.choices, strict=True)
    options = tuple(own._replace(text=theirs.text) for own, theirs in pairs)
    return note._replace(choices=options, media=(*note.media, *other.media))


def _facts(note: Note) -> tuple[object, ...]:
    """Return what no field shows but matters to learners: which cards it has, and where they are."""
    tags = [tag for tag in note.tags if tag != f"difficulty::{note.difficulty}"]
    return note.note_type, note.kind, note.deck, tags, note.id


def _macro_uses(note: Note) -> Counter[str]:
    """Return how often a note uses each macro."""
    names = {macro.name for macro in note.macros}
    return Counter(
        name for text in note.all_texts for name in _COMMAND.findall(text.markdown) if name in names
    )


def _loses_a_diagram(one: Note, other: Note) -> bool:
    """Whether the picture of a diagram in one note is a mere picture in the other."""
    before, after = (Counter(address for *_, address in diagrams_in(note.all_texts)) for note in (one, other))
    return any(media.written in before - after for media in other.media)


def _is_same(one: str, other: str) -> bool:
    """Whether two fields mean the same."""
    return one == other or is_same_html(comparable(one), comparable(other))


def _line(edit: FieldEdit) -> tuple[int, int]:
    """Return the sort key of an edit, which is its place in the source."""
    return line_of(edit.note, edit.name), edit.place


def _attempts(lines: Lines, edit: FieldEdit) -> Iterator[Lines]:
    """Yield the lines with an edit, without checking how they render."""
    if edit.name == "Occlusion":
        yield from with_edited_boxes(lines, edit.note, edit.ours, edit.theirs)
        return
    edit = edit._replace(ours=as_written(edit.ours), theirs=as_written(edit.theirs))
    note, text = edit.note, text_of(edit.note, edit.name)
    if edit.name == "Difficulty":
        yield with_difficulty(lines, note, visible(parse_html(edit.theirs)))
    elif is_empty_html(edit.theirs):
        yield from without_section(lines, text, edit.name) if text else ()
    elif edit.name == "Typed" and note.typed:
        yield from with_typed(lines, note, visible(parse_html(as_meant(edit.theirs))))
        yield from _with_own_words(lines, edit)
    elif edit.ours:
        yield from _with_own_words(lines, edit)
        before, after = (parts_of(note, edit.name, html) for html in (edit.ours, edit.theirs))
        changes = [
            (text, old, new) for (text, old), (_, new) in zip(before, after, strict=False) if old != new
        ]
        yield from _with_texts(lines, edit, changes)
    else:
        for markdown in _markdown(edit, edit.theirs):
            yield from with_section(lines, note, edit.name, markdown)


def _with_own_words(lines: Lines, edit: FieldEdit) -> Iterator[Lines]:
    """Yield the lines with only those words changed that an edit changes."""
    pairs = [*zip(_markdown(edit, edit.ours), _markdown(edit, edit.theirs), strict=False)]
    if _TAG.findall(edit.ours) == _TAG.findall(edit.theirs):  # The text may be HTML in the Markdown too.
        pairs.append((edit.ours, edit.theirs))
    if any(line.startswith("\t") for line, _ in lines):
        pairs = [*((_with_tabs(before), _with_tabs(after)) for before, after in pairs), *pairs]
    for first, end in dict.fromkeys(places_of(edit.note, edit.name)):
        own = "\n".join(line for line, _ in lines[first - 1 : end])
        for before, after in dict.fromkeys(pairs):
            for from_next in (False, True):
                with suppress(DeadlineError):
                    changed = within(NOTE_SECONDS, with_words, own, before, after, from_next=from_next)
                    if changed not in (None, own):
                        yield replaced_lines(lines, first - 1, end, changed.split("\n"))


def _with_tabs(markdown: str) -> str:
    """Return Markdown whose lines are indented with tabs."""
    return _INDENT.sub(lambda found: "\t" * (len(found[0]) // 2), markdown)


def _with_texts(lines: Lines, edit: FieldEdit, changes: Sequence[tuple[Text, str, str]]) -> Iterator[Lines]:
    """Yield the lines with new texts; each has its old and its new HTML, and the last text comes first."""
    if not changes:
        yield lines
        return
    (text, old, new), *others = changes
    note = edit.note
    usual = next(iter(_markdown(edit, old)), "")
    attempts = [each for each in _markdown(edit, new) if each]
    kept = [with_kept_lines(text.markdown, usual, each) for each in attempts]
    back = [_with_diagrams(text, _with_macros(note, text, each)) for each in kept]
    for markdown in dict.fromkeys([*back, *kept, *attempts]):
        is_first = is_heading(note, text)
        above, mark, below = markdown.partition("\n\n") if is_first else (markdown, "", "")
        for changed in replaced(lines, text, above, is_heading=is_first):
            for each in with_question(changed, note, below) if mark else [changed]:
                yield from _with_texts(each, edit, others)


def _with_diagrams(text: Text, markdown: str) -> str:
    """Return new Markdown with the diagrams of the old text as its author wrote them."""
    for _, fence, address in diagrams_in([text]):
        written = f"{fence.marker}{fence.info}\n{fence.text}\n{fence.marker}"
        markdown = markdown.replace(f"![{alt_of(fence)}]({address})", written)
    return markdown


def _with_macros(note: Note, text: Text, markdown: str) -> str:
    """Return new Markdown with the formulas of the old text as its author wrote them, with macros."""
    for tex, expanded in _formulas_with_macros(note, text):
        markdown = markdown.replace(f"${expanded}$", f"${tex}$")
    return markdown


def _formulas_with_macros(note: Note, text: Text) -> Iterator[tuple[str, str]]:
    """Yield each formula of a text that uses macros, as written and expanded."""
    macros = {macro.name: macro for macro in note.macros} if text.expanded else {}
    for place in inspect(text, heading=text is note.heading).formulas if macros else ():
        if uses_macros(place.tex, macros):
            yield place.tex, expand(place.tex, macros, deletions=note.kind is Kind.CLOZE).tex


def _markdown(edit: FieldEdit, html: str) -> Sequence[str]:
    media = {each.name: each.written for each in (*edit.note.media, *edit.added)}
    return markdown_attempts(html, media, is_cloze=edit.note.kind is Kind.CLOZE)


def unknown_files(edit: FieldEdit) -> Sequence[str]:
    """Return the names of the files that an edit shows and its note does not."""
    names = {media.name for media in (*edit.note.media, *edit.added)}
    tree = parse_html(edit.theirs)
    shown = [each.attributes.get("src", "") for each in tree.inside()] + SOUND.findall(tree.text())
    return [each for each in dict.fromkeys(shown) if each and each not in names and "//" not in each]


def _rename_files(element: Element, names: Mapping[str, str], note: Note) -> None:
    """Show files under their new names, in all of an element."""
    for each in (element, *element.inside()):
        if (src := each.attributes.get("src", "")) in names:
            each.attributes["src"] = names[src]
        each.children = [part for child in each.children for part in _with_players(child, names, note)]


def _with_players(node: Node, names: Mapping[str, str], note: Note) -> Iterator[Node]:
    """Yield a node with renamed sounds, which our own note types play with an element."""
    parts = SOUND.split(node) if isinstance(node, str) else [node]
    for number, part in enumerate(parts):
        if number % 2 == 0 or not isinstance(part, str):
            yield part
        elif note.own_type or part not in names:
            yield f"[sound:{names.get(part, part)}]"
        else:
            tag = "video" if names[part].rpartition(".")[2].lower() in VIDEO else "audio"
            yield Element(tag, {"controls": "", "src": names[part]})


def _why_not(edit: FieldEdit) -> str:
    """Return why no Markdown was found for an edit."""
    if missing := next(iter(unknown_files(edit)), ""):
        return f"`{missing}` is not in the collection: save it there and refer to it"
    if is_empty_html(edit.theirs) and edit.name in _NEEDED:
        return f"a note needs {_NEEDED[edit.name]}"
    if edit.name == "Difficulty":
        return f"a difficulty is one of `{'`, `'.join(DIFFICULTIES)}`"
    if not edit.note.own_type and edit.name not in _WRITTEN:
        return "this field has no text in the Markdown: it is yours"
    return _changed_formula(edit) or _changed_look(edit) or "no Markdown renders to exactly that"


def _changed_formula(edit: FieldEdit) -> str:
    formulas = {found.strip() for found in _FORMULA.findall(parse_html(edit.theirs).text())}
    for text, _ in parts_of(edit.note, edit.name, edit.ours):
        for tex, expanded in _formulas_with_macros(edit.note, text):
            if expanded.strip() not in formulas:
                return f"it changes the formula `${tex[:40]}$`, which uses a macro: edit the Markdown"
    return ""


def _changed_look(edit: FieldEdit) -> str:
    media = {each.name: each.written for each in (*edit.note.media, *edit.added)}
    before, after = (looks_without_markdown(html, media) for html in (edit.ours, edit.theirs))
    if look := next((each for each in after if each not in before), ""):
        return f"Markdown has nothing that looks like {look}"
    if edit.note.choices and edit.name in SAME_OPTIONS:
        return "the options are different in its fields Answer and Choices, or their marks changed"
    return "the Markdown says the same already" if _is_same(edit.ours, edit.theirs) else ""


def is_uncommitted(file: Path) -> bool:
    """Whether a file in a repository differs from its last commit."""
    with suppress(GitError, OSError):
        committed = Repository(file.parent).content("HEAD", file.name)
        return committed is None or committed.splitlines() != file.read_bytes().splitlines()
    return False
