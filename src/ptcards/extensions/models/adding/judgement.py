"""What a check of a collection does not look for: how notes to add affect those that are there already."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location, error, errors_in
from ptcards.extensions.models.adding.insertion import GIVEN, EditedSource
from ptcards.identity.hashes import NoteSummary
from ptcards.identity.lock import Lock, as_id, guid_as_id
from ptcards.identity.match import match
from ptcards.identity.resolve import published_drafts
from ptcards.lint.edited_text import TextEdit
from ptcards.notes import Note
from ptcards.readers.parser import parse_source
from ptcards.source.assembly import check_draft_links
from ptcards.source.collection import CollectionFacts
from ptcards.source.media import MediaFolder
from ptcards.source.source import ParsedSource, decode_source
from ptcards.workspace import Contents


class ParsedEdit(NamedTuple):
    """A source with notes to add, as it would be read; `problems` are those of its text."""

    edit: EditedSource
    parsed: ParsedSource
    problems: Sequence[Diagnostic]

    def is_added(self, location: Location) -> bool:
        """Whether something in the source comes from the text."""
        return self.edit.number(location.line) > 0

    def given(self, location: Location) -> Location:
        """Return where something in the source is in the text, or in the file as it is now."""
        number = self.edit.number(location.line)
        if number:
            return location._replace(path=GIVEN, line=number)
        return location._replace(line=self.edit.old_line(location.line))

    def in_source(self, found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
        """Yield the findings about lines of the text that are in this source, at their lines there."""
        lines = {number: n for n, number in reversed([*enumerate(self.edit.numbers, 1)])}
        for each in found:
            if each.location.path == GIVEN and each.location.line in lines:
                place = Location(self.edit.source.path, lines[each.location.line], each.location.column)
                yield replace(each, location=place)

    def given_edit(self, edit: TextEdit) -> TextEdit | None:
        """Return an edit of the source as one of the text, or `None` if it is elsewhere."""
        is_to_line_end = edit.end_column == 1 and edit.end_line > edit.line
        touched = range(edit.line, edit.end_line + 1 - is_to_line_end)
        numbers = [self.edit.number(line) for line in touched]
        if numbers != [*range(numbers[0], numbers[0] + len(numbers))] or not numbers[0]:
            return None
        return edit._replace(line=numbers[0], end_line=numbers[-1] + is_to_line_end)

    @property
    def notes(self) -> list[Note]:
        """The notes and drafts to add, in order."""
        return [note for note in self.parsed.all_notes if self.is_added(note.location)]

    def added(self, summaries: Iterable[NoteSummary]) -> list[NoteSummary]:
        """Return those of the source's summaries that are to be added, with their locations in the text."""
        return [
            summary._replace(
                location=self.given(summary.location),
                id_place=summary.id_place and self.given(summary.id_place),
            )
            for summary in summaries
            if self.is_added(summary.location)
        ]


def parse(contents: Contents, edit: EditedSource) -> ParsedEdit:
    """Return a source with notes to add as it would be read."""
    read = decode_source(edit.source, edit.content)
    if read.source is None:
        return ParsedEdit(edit, ParsedSource((), (), (), ()), read.problems)
    facts = CollectionFacts.of(contents.collection)._replace(lone=False)
    source = edit.source._replace(text=read.source.text)
    return ParsedEdit(edit, parse_source(facts, source, MediaFolder(contents.collection.root)), read.problems)


def lacking_sections(sections: Sequence[str], notes: Iterable[Note]) -> Iterator[Diagnostic]:
    """Yield an error for each required section that a note lacks."""
    for note in notes:
        own = {name.casefold(): text for name, text in note.fields}
        for section in sections:
            if not (own.get(section) if note.own_type else getattr(note, section)):
                name = section.capitalize()
                message = f"this note has no section `{name}`, which `[add]` requires"
                fix = f"add `### {name}` to the note"
                yield error(note.location, "required-section", message, fix, 2)


def changed_notes(edit: ParsedEdit) -> Iterator[Diagnostic]:
    """Yield an error if the notes of the file would differ, or would have new errors."""
    old = edit.edit.old
    place = Location(GIVEN, next(number for number in edit.edit.numbers if number > 0))
    fix = "close every fence and comment, and give links and footnotes labels of their own"
    before = old.parsed if old else ParsedSource((), (), (), ())
    for was, now in (
        (before.summaries, edit.parsed.summaries),
        (before.draft_summaries, edit.parsed.draft_summaries),
    ):
        left = [each for each in now if not edit.is_added(each.location)]
        pairs = zip_longest(was, left)
        changed = next(((one or was[-1]).location for one, other in pairs if not _is_same(one, other)), None)
        if changed:
            message = f"these notes would change the note at {changed}"
            yield error(place, "changes-other-notes", message, fix)
            return
    known = Counter(each.rule for each in errors_in(before.diagnostics))
    for each in errors_in(edit.parsed.diagnostics):
        if not edit.is_added(each.location):
            if not known[each.rule]:
                yield replace(each, location=edit.given(each.location))
            known[each.rule] -= 1


def _is_same(one: NoteSummary | None, other: NoteSummary | None) -> bool:
    return bool(one and other and one.fingerprint == other.fingerprint and one.ignore == other.ignore)


def links_to_drafts(contents: Contents, edits: Sequence[ParsedEdit]) -> Iterator[Diagnostic]:
    """Yield an error for each link to a draft that is added, and for each link that is added to a draft."""
    before = {source.source.name: source.parsed for source in contents.sources}
    by_name = {edit.edit.source.name: edit for edit in edits}
    to_added, to_others = [], []
    for name, parsed in (before | {name: edit.parsed for name, edit in by_name.items()}).items():
        links, drafts = parsed.anchor_links, parsed.draft_summaries
        added: tuple[NoteSummary, ...] = ()
        if edit := by_name.get(name):
            links = tuple(link._replace(place=edit.given(link.place)) for link in links)
            added = tuple(edit.added(drafts))
            drafts = before[name].draft_summaries if name in before else ()
        new = tuple(link for link in links if link.place.path == GIVEN)
        to_added.append((name, parsed._replace(draft_summaries=added, anchor_links=links)))
        to_others.append((name, parsed._replace(draft_summaries=drafts, anchor_links=new)))
    yield from check_draft_links(to_added)
    yield from check_draft_links(to_others)


def lost_identities(contents: Contents, edits: Sequence[ParsedEdit], lock: Lock) -> Iterator[Diagnostic]:
    """Yield errors about used ids, and about notes that would lose their identity."""
    notes = [summary for edit in edits for summary in edit.added(edit.parsed.summaries)]
    drafts = [summary for edit in edits for summary in edit.added(edit.parsed.draft_summaries)]
    yield from _used_ids([*notes, *drafts], contents, lock)
    together = [*contents.summaries, *notes]
    yield from published_drafts(together, drafts, lock)
    if notes:
        before, after = (match(each, lock.records).found for each in (contents.summaries, together))
        takers = {record.guid: together[position] for position, record in after.items()}
        for position, record in before.items():
            if after.get(position) is not record:
                message = f"this would take over the reviews of the note at {together[position].location}"
                fix = "leave it out, or run `ptcards build` first"
                yield error(takers.get(record.guid, notes[0]).location, "takes-reviews", message, fix, 2)


def _used_ids(new: Iterable[NoteSummary], contents: Contents, lock: Lock) -> Iterator[Diagnostic]:
    used: Mapping[str, str] = {
        name.casefold(): "a published note" if record.live else "a retired note"
        for record in lock.records
        for name in (as_id(record), record.fingerprint.id, guid_as_id(record.guid))
        if name
    }
    known = {summary.fingerprint.id.casefold() for summary in contents.all_summaries}
    for summary in new:
        name = summary.fingerprint.id
        # The ids of notes in the sources are reported as duplicates.
        if name and name.casefold() in used and name.casefold() not in known:
            message = f"`{name}` is the id of {used[name.casefold()]}"
            fix = "use an id that has never been used, or none"
            yield error(summary.id_place or summary.location, "used-id", message, fix, len(name))
