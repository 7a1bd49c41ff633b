"""Adds notes to a collection: all of them after every check, or none.

Nothing here calls a model or decides what is worth learning: whoever wrote the notes, they are compared with
everything that is there and written only if a check of them finds nothing to object to.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ptcards.anki.fields import render
from ptcards.diagnostics import Diagnostic, Location, Severity, WrongUseError, counted, error, errors_in
from ptcards.extensions.models.adding.insertion import (
    GIVEN,
    DeckNotes,
    EditedSource,
    cut_pieces,
    insert,
)
from ptcards.extensions.models.adding.judgement import (
    ParsedEdit,
    changed_notes,
    lacking_sections,
    links_to_drafts,
    lost_identities,
    parse,
)
from ptcards.files import SourceChangedError, locked, replacing_together
from ptcards.files.inputs import MAX_SOURCE_BYTES, InputError, read_input, shown
from ptcards.lint.check import advise, check_ignores, check_together, overviews, unless_wrong
from ptcards.lint.edited_text import TextEdit
from ptcards.lint.fixes import State, fixing_rules, planned_text_edits
from ptcards.lint.note import OVERVIEWS, make_overviews, overview_of
from ptcards.lint.registry import all_messages
from ptcards.lint.report import as_json, make_report
from ptcards.lint.rules.decks import NearDuplicate, QuestionInTwoDecks
from ptcards.markdown.blocks import scan
from ptcards.markdown.tree import BlockKind
from ptcards.search import NoteText
from ptcards.search.reading import text_of, texts_in
from ptcards.search.twins import Twins, closest, words_in
from ptcards.source.assembly import check_decks, check_duplicates, check_media_names, find_keys, silence
from ptcards.source.collection import CollectionFacts, find_roots
from ptcards.source.media import MediaFolder
from ptcards.source.recipes import Recipe
from ptcards.source.source import Source, decode_source
from ptcards.workspace import Contents, ReadOptions, Workspace

__all__ = ["ALIKE", "GIVEN", "AddRequest", "AddedNote", "Addition", "add", "refusing"]

ALIKE = frozenset({NearDuplicate.name, QuestionInTwoDecks.name})
"""Hints that are errors here: each is about a note that is there already. A note can ignore them."""

_NAMED = 0.3
"""How much alike a note and its closest one must be; in a small collection, two often share `what is`."""


@dataclass(frozen=True, slots=True)
class AddRequest:
    """Notes to add to the collection in `root`, as Markdown in UTF-8, and where.

    They go to the end of the file `to`, or of the decks whose headings they have. With `draft`, all of them
    become drafts; with `create`, a missing file is created; more than `most` notes are refused. `file` is
    where the text comes from, if that is a file.
    """

    root: Path
    content: bytes
    to: Path | None = None
    draft: bool = False
    create: bool = False
    most: int | None = None
    file: Path | None = None


class AddedNote(NamedTuple):
    """A note that was added: its texts and its question on one line.

    `closest` is the pair with the note that is the most like it, if one is alike enough.
    """

    text: NoteText
    question: str
    closest: Twins | None

    @property
    def other(self) -> NoteText | None:
        """The closest note."""
        return self.closest and self.closest.notes[self.closest.notes[0] == self.text]

    def as_json(self) -> dict[str, Any]:
        """Return the note for programs."""
        place = {name: getattr(self.text, name) for name in ("key", "path", "line")}
        closest = None
        if self.closest and self.other:
            other = {
                name: getattr(self.other, name) for name in ("key", "path", "line", "question", "answer")
            }
            closest = {**other, "likeness": self.closest.likeness, "shared": self.closest.shared}
        return {**place, "question": self.question, "draft": self.text.draft, "closest": closest}


@dataclass(frozen=True, slots=True)
class Addition:
    """What was added, or why nothing was.

    `findings` have the path `GIVEN` where they are about the notes, and the lines of their text, which are
    `lines`; `edits` fix some of them there. Nothing was written if `is_refused`.
    """

    notes: tuple[AddedNote, ...]
    findings: tuple[Diagnostic, ...]
    lines: tuple[str, ...]
    edits: tuple[TextEdit, ...] = ()

    @property
    def is_refused(self) -> bool:
        """Whether nothing was added, because of the findings."""
        return not self.notes

    def line_at(self, place: Location) -> str | None:
        """Return the line of the text that a finding is about."""
        return self.lines[place.line - 1] if place.path == GIVEN and place.line <= len(self.lines) else None

    def as_json(self) -> dict[str, Any]:
        """Return the result for programs, with findings as in `check --format json`."""
        report = make_report(self.findings, [], {GIVEN: self.edits}, self.line_at)
        return {
            "added": [note.as_json() for note in self.notes],
            "findings": as_json(report)["findings"],
        }


def refusing(findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the findings because of which notes are refused."""
    return [each for each in findings if each.severity is not Severity.HINT]


def add(
    request: AddRequest,
    options: ReadOptions | None = None,
    *,
    waiting: Callable[[Path], None] = lambda _: None,
) -> Addition:
    """Add notes to a collection, or refuse all of them.

    `waiting` is called with a folder that a build has locked.

    Raises:
        WrongUseError: the file or the deck cannot take them.
        NoSuchSourceError: there is no collection, or it has no sources.
        SourceChangedError: a file was saved in the meantime; nothing was written.
        OutputError: a file cannot be written; the remaining ones are unchanged.

    """
    given = Source(Path(GIVEN), GIVEN, GIVEN)
    if len(request.content) > MAX_SOURCE_BYTES:
        too_large = error(Location(GIVEN, 1), "source-too-large", "the text is larger than 16 MB", "split it")
        return Addition((), (too_large,), ())
    read = decode_source(given, request.content)
    text = request.content.decode("utf-8-sig", "replace")
    lines = tuple(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    if read.source is None or errors_in(read.problems):
        return Addition((), read.problems, lines)
    if not find_roots([request.root]):
        message = f"there is no `deck.toml` in `{shown(request.root.absolute())}`"
        raise WrongUseError(message, "run `ptcards init` there")
    # A build, and another `add`, read the collection only after this one has written it.
    with locked(request.root, waiting=waiting):
        contents, broken = _read(request.root, options or ReadOptions())
        _refuse_source(contents, request.file)
        pieces = cut_pieces(read.source.text)
        wrong = [*broken, *_not_notes(pieces)]
        plain = [] if wrong else insert(contents, pieces, request.to, create=request.create)
        if any(len(edit.content) > MAX_SOURCE_BYTES for edit in plain):
            fix = "split the file, or name another one"
            wrong.append(error(Location(GIVEN, 1), "source-too-large", "the file would exceed 16 MB", fix))
        if wrong:
            return Addition((), tuple(wrong), lines)
        edits = [_as_wanted(contents, edit, request) for edit in plain]
        too_many = [*_too_many(edits, request)]
        findings = [*read.problems, *(too_many or (*_not_added(edits, request), *_judge(contents, edits)))]
        fixes = tuple(_fixes(contents, plain, findings))
        if refusing(findings):
            return Addition((), tuple(findings), lines, fixes)
        added = tuple(_added(contents, edits))
        _write([edit.edit for edit in edits], waiting)
    return Addition(added, tuple(findings), lines, fixes)


def _read(root: Path, options: ReadOptions) -> tuple[Contents, list[Diagnostic]]:
    """Return a collection, and the errors in its `deck.toml`, which decides how notes are read."""
    workspace = Workspace.read([root], options, lambda _: (Recipe((OVERVIEWS,), make_overviews),))
    found = errors_in(workspace.diagnostics)
    return workspace.contents[0], [each for each in found if Path(each.location.path).name == "deck.toml"]


def _refuse_source(contents: Contents, file: Path | None) -> None:
    """Raise WrongUseError if the notes come from a source, because they would be compared with themselves."""
    for source in contents.collection.sources if file else ():
        if file and os.path.realpath(file) == os.path.realpath(source.file):
            message = f"`{source.path}` is already part of this collection, and so are its notes"
            raise WrongUseError(
                message, "move it out of the collection, or rename it so that it begins with `_`"
            )


def _not_notes(pieces: Sequence[DeckNotes]) -> Iterator[Diagnostic]:
    """Yield an error for each deck without notes, and for text that is in no note."""
    if not pieces:
        yield error(
            Location(GIVEN, 1), "no-notes", "the text has no notes", "write `## ` before each question"
        )
    for piece in pieces:
        first = piece.lines[0][0] if piece.lines else ""
        if not piece.lines:
            fix = "write `## ` before each question, or remove the heading"
            yield error(piece.place, "no-notes", f"the deck `{piece.title}` has no notes", fix)
        elif not _HEADING.match(first):
            is_front = first.rstrip() == "---" and not piece.title
            message = "front matter belongs to a file" if is_front else "text before the first question"
            fix = "begin with the first question: `## `"
            yield error(Location(GIVEN, piece.lines[0][1]), "text-before-heading", message, fix)


_HEADING = re.compile(r"#{1,6}(?=[ \t]|$)")


def _as_wanted(contents: Contents, edit: EditedSource, request: AddRequest) -> ParsedEdit:
    """Return a source with the notes to add, as drafts if that is wanted and possible."""
    parsed = parse(contents, edit)
    if not request.draft:
        return parsed
    headings = [note.location.line for note in parsed.parsed.notes if parsed.is_added(note.location)]
    drafts = parse(contents, edit.as_drafts(headings))
    return drafts if len(drafts.notes) == len(parsed.notes) else parsed


def _too_many(edits: Sequence[ParsedEdit], request: AddRequest) -> Iterator[Diagnostic]:
    count = sum(len(edit.notes) for edit in edits)
    if request.most is not None and count > request.most:
        message = f"{counted(count, 'note')}, but at most {request.most} at a time"
        yield error(Location(GIVEN, 1), "too-many-notes", message, "add them in several steps")


def _fixes(
    contents: Contents, edits: Sequence[EditedSource], findings: Iterable[Diagnostic]
) -> Iterator[TextEdit]:
    """Yield the edits of the text with which `check --fix` would fix some of the findings."""
    rules = {each.rule for each in findings} & fixing_rules()
    for edit in map(partial(parse, contents), edits if rules else ()):
        content = edit.edit.content
        planned = planned_text_edits(contents.collection, edit.edit.source, edit.parsed, content, rules)
        yield from filter(None, map(edit.given_edit, planned))


def _not_added(edits: Sequence[ParsedEdit], request: AddRequest) -> Iterator[Diagnostic]:
    """Yield an error for each heading that is not the note that it should be."""
    for edit in edits:
        heads = [block for block in scan(edit.edit.text).children if block.kind is BlockKind.HEADING]
        notes = {note.location.line for note in edit.notes}
        level = max((block.level for block in heads if block.start + 1 in notes), default=0)
        is_marked = edit.edit.source.settings.cards == "marked"
        for block in heads:
            place = Location(edit.edit.source.path, block.start + 1)
            is_question = block.level == level or (is_marked and 1 < block.level < level) or not notes
            if is_question and edit.is_added(place) and place.line not in notes:
                fix = "remove `skip` from its card comment, or leave the heading out"
                fix = "mark it as a card, or leave the heading out" if is_marked else fix
                yield error(edit.given(place), "no-notes", "this heading is not a note", fix, block.level)
        for note in edit.parsed.notes if request.draft else ():
            if edit.is_added(note.location):
                fix = "write its card comment on the line below the heading"
                message = "this note cannot be marked as a draft"
                yield error(edit.given(note.location), "misplaced-card-comment", message, fix, 2)


def _judge(contents: Contents, edits: Sequence[ParsedEdit]) -> list[Diagnostic]:
    """Return what every check finds in the notes to add, and how they would affect other notes."""
    lock, about_lock = contents.published.lock()
    found = [*errors_in(about_lock), *links_to_drafts(contents, edits)]
    together = [*_together(contents, edits), *(lost_identities(contents, edits, lock) if lock else ())]
    for edit in edits:
        found += [*changed_notes(edit), *_of_source(contents, edit, together)]
    found = [replace(each, severity=Severity.ERROR) if each.rule in ALIKE else each for each in found]
    return sorted(dict.fromkeys(found), key=lambda each: each.location)


def _of_source(contents: Contents, edit: ParsedEdit, together: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield what all rules find in the notes to add to one source; `together` is from comparing them."""
    collection, parsed = contents.collection, edit.parsed
    source = edit.edit.source._replace(text=edit.edit.text)
    facts, media = CollectionFacts.of(collection)._replace(lone=False), MediaFolder(collection.root)
    read = [*edit.problems, *parsed.diagnostics]
    advice = advise(collection.config.check, State(facts, source, parsed, media))
    if not any(each.severity is Severity.ERROR and edit.is_added(each.location) for each in read):
        advice += [each for note in edit.notes for each in render(note, collection.config.note_types)[1]]
    kept, used = silence(
        collection._replace(sources=(*collection.sources, edit.edit.source)),
        parsed.all_summaries,
        [
            *read,
            *unless_wrong(advice, read),
            *edit.in_source(together),
            *lacking_sections(collection.config.add.require, edit.notes),
        ],
    )
    summaries = parsed.all_summaries
    kept += check_ignores(
        ((summaries[each.note], each.rule, each.place) for each in parsed.ignored), all_messages(), used
    )
    for each in kept:
        if edit.is_added(each.location):
            yield replace(each, location=edit.given(each.location))


def _together(contents: Contents, edits: Sequence[ParsedEdit]) -> list[Diagnostic]:
    """Return what comparing the notes to add with all notes of the collection finds."""
    new = [summary for edit in edits for summary in edit.added(edit.parsed.all_summaries)]
    found = check_duplicates([*contents.all_summaries, *new])
    there = [
        overview._replace(location=edit.given(overview.location), heading=edit.given(overview.heading))
        for edit in edits
        for overview in map(overview_of, edit.notes)
    ]
    found += check_together(
        [*overviews(contents), *there], contents.collection.config.check, selected=lambda path: path == GIVEN
    )
    decks = [deck for source in contents.sources for deck in source.parsed.decks]
    uses = [use for source in contents.sources for use in source.parsed.media]
    for edit in edits:
        new_decks = (deck for deck in edit.parsed.decks if edit.is_added(deck.place))
        decks += [deck._replace(place=edit.given(deck.place)) for deck in new_decks]
        new_uses = (use for use in edit.parsed.media if edit.is_added(use.place))
        uses += [use._replace(place=edit.given(use.place)) for use in new_uses]
    return [*found, *check_decks(decks), *check_media_names(uses)]


def _write(edits: Sequence[EditedSource], waiting: Callable[[Path], None]) -> None:
    """Write the new contents of files, unless one of them has changed; hold the lock of their collection."""
    folders = {Path(os.path.realpath(edit.source.file.parent)) for edit in edits}
    root = Path(os.path.realpath(edits[0].source.root))
    with locked(*folders - {root}, waiting=waiting), replacing_together() as files:
        for edit in edits:
            with files.replacing(edit.source.file) as stream:
                stream.write(edit.content)
        for edit in edits:  # as late as possible
            if _has_changed(edit):
                raise SourceChangedError(edit.source.path)


def _has_changed(edit: EditedSource) -> bool:
    """Whether a file has another content than when it was read, or exists although it was missing."""
    if edit.old is None:
        return os.path.lexists(edit.source.file)
    try:
        return read_input(edit.source.file, edit.source.root, MAX_SOURCE_BYTES) != edit.before
    except InputError:
        return True


def _added(contents: Contents, edits: Sequence[ParsedEdit]) -> Iterator[AddedNote]:
    """Yield the notes to add, with their keys and the notes that are the most like them."""
    parsed = {source.source.name: source.parsed for source in contents.sources}
    parsed |= {edit.edit.source.name: edit.parsed for edit in edits}
    names = sorted(parsed)
    summaries = [each for name in names for each in parsed[name].summaries]
    drafts = [each for name in names for each in parsed[name].draft_summaries]
    keys = find_keys(summaries)
    places = zip([*summaries, *drafts], [*keys, *find_keys(drafts, keys)], strict=True)
    by_place = {summary.location: key for summary, key in places}
    edited = {edit.edit.source.path for edit in edits}  # other lines of these move
    texts = {text: count for text, count in texts_in(contents) if text.path not in edited}
    new: dict[NoteText, str] = {}
    for edit in edits:
        are_drafts = {summary.location for summary in edit.parsed.draft_summaries}
        for note in edit.parsed.all_notes:
            is_draft = note.location in are_drafts
            text = text_of(note._replace(key=by_place[note.location]), "", draft=is_draft)
            texts[text] = words_in(text.question, text.answer)
            if edit.is_added(note.location):
                new[text] = " ".join(note.title.split())
    pairs: dict[NoteText, Twins] = {}
    for pair in closest(texts, len(texts) ** 2, new):
        for text in pair.notes if pair.likeness >= _NAMED else ():
            pairs.setdefault(text, pair)
    for text, question in new.items():
        yield AddedNote(text, question, pairs.get(text))
