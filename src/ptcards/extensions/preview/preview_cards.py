"""The cards that the preview shows: those of the selected sources, read again when they change."""

import hashlib
import html
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from ptcards.anki.fields import render_note
from ptcards.diagnostics import Diagnostic, Location, Trait, errors_in
from ptcards.extensions.preview.boxes import boxes_of
from ptcards.extensions.preview.last_fix import LastFix
from ptcards.extensions.preview.problems import Problem, problems
from ptcards.extensions.publish.subscription.suggestion import filled
from ptcards.files import NoMarkdownError
from ptcards.notes import TEXTS, Identified, Note, Run, Text
from ptcards.notes.notetypes import NoteType
from ptcards.search.reading import text_of
from ptcards.source.assembly import Owners, silence
from ptcards.source.collection import find_roots
from ptcards.workspace import Contents, ReadOptions, Workspace
from ptcards.workspace.entries import NOTES
from ptcards.writers.card_frame import FramedCard, frame_css, framed_cards

_CODE = re.compile(r"^[ \t>]*(?:```|~~~)[ \t]*(?:python|py|python3|pycon)\b", re.MULTILINE | re.IGNORECASE)
"""The languages of code that `verify` can run."""
_ON_BOTH_SIDES = ("heading", "question", "hint", "topic", "difficulty", "kind")

Sides = Sequence[FramedCard]


@dataclass(frozen=True, slots=True)
class PreviewNote:
    """A note in the preview; `stale` marks the last good version from a source that now has errors.

    `content` is the note without its location, so that equal content is rendered once.
    """

    id: str
    collection: int
    note: Note
    content: Note
    stale: bool = False
    draft: bool = False

    def as_json(self) -> dict[str, object]:
        """Return the data that the page's list needs."""
        note = self.note
        return {
            "key": note.key,
            "path": note.location.path,
            "file": str(Path(note.location.path).absolute()),
            "line": note.location.line,
            "deck": note.deck,
            "kind": note.own_type.removeprefix("x-") or note.kind,
            "difficulty": note.difficulty,
            "tags": note.tags,
            "question": " ".join(note.title.split()),
            "texts": text_of(note, "", draft=self.draft),
            "words": len(note.answer.markdown.split()),
            "sourced": bool(note.sources),
            "code": bool(
                _CODE.search(f"{note.question.markdown}\n{note.answer.markdown}\n{note.details.markdown}")
            ),
            "collection": self.collection,
            "stale": self.stale,
            "draft": self.draft,
            "media": {media.name: str(media.file) for media in note.media},
            "boxes": boxes_of(note),
        }

    def differs(self, before: "PreviewNote | None") -> bool:
        """Whether the content differs from `before`, rather than only the location."""
        return self is not before and (before is None or before.content != self.content)

    def changed_side(self, before: "PreviewNote | None") -> str:
        """Return the first side, `front` or `back`, that shows a change; empty for a new note."""
        if before is None:
            return ""
        if self.note.kind.is_cloze:
            return "front"
        new, old = self.content, before.content
        is_front = any(getattr(new, name) != getattr(old, name) for name in _ON_BOTH_SIDES)
        is_option = [choice.text for choice in new.choices] != [choice.text for choice in old.choices]
        is_first = new.fields[:1] != old.fields[:1]
        return "front" if is_front or is_option or is_first else "back"


def without_place(note: Note) -> Note:
    """Return the note without its key, as if it began in line 1 of a file without a name."""
    up = note.location.line - 1
    texts: dict[str, Any] = {name: _moved(getattr(note, name), up) for name in TEXTS}
    choices = tuple(
        choice._replace(text=_moved(choice.text, up), comment=_moved(choice.comment, up))
        for choice in note.choices
    )
    fields = tuple((name, _moved(text, up)) for name, text in note.fields)
    return note._replace(location=Location("", 1), key="", choices=choices, fields=fields, **texts)


def _moved(text: Text, up: int) -> Text:
    if not text:
        return Text()  # an empty text has no location, so it cannot move
    runs = tuple(Run(run.index, run.line - up, run.column) for run in text.runs)
    return Text(text.markdown, "", runs)


class LastGood:
    """Keeps the last good notes of every source."""

    def __init__(self) -> None:
        self._good: dict[str, list[PreviewNote]] = {}
        self._were_good: set[str] = set()

    def all(self) -> list[PreviewNote]:
        """Return all last good notes, marked as if every source were broken now."""
        return [replace(note, stale=True) for good in self._good.values() for note in good]

    def repair(self, fresh: list[PreviewNote], broken: Sequence[Location]) -> list[PreviewNote]:
        """Return the `fresh` notes, with the last good ones for sources that have errors at `broken`."""
        by_path: dict[str, list[PreviewNote]] = {}
        for note in fresh:
            by_path.setdefault(note.note.location.path, []).append(note)
        places: dict[str, list[Location]] = {}
        for place in broken:
            places.setdefault(place.path, []).append(place)
        # A source that cannot be read has no notes, but keeps its position among the others.
        order = [path for path in self._good if path in by_path or path in places] if places else []
        good: dict[str, list[PreviewNote]] = {}
        for path in dict.fromkeys((*order, *by_path)):
            new = by_path.get(path, [])
            wrong = _wrong(new, places.get(path, []))
            old = [each for each in self._good.get(path, []) if each.id in self._were_good]
            if None not in wrong:
                self._were_good |= {each.id for each in new if each.note.location not in wrong}
            good[path] = _mixed(old, new, wrong) if old and wrong else new
        self._good = good
        return [card for cards in good.values() for card in cards]


def _wrong(notes: Sequence[PreviewNote], broken: Sequence[Location]) -> set[Location | None]:
    """Return where a source's notes with errors begin; `None` stands for the complete source.

    An error above all notes affects the complete source.
    """
    if not broken:
        return set()
    owners = Owners(each.note for each in notes)
    return {note.location if note else None for note in map(owners.find, broken)}


def _mixed(
    old: Sequence[PreviewNote], new: Sequence[PreviewNote], wrong: Collection[Location | None]
) -> list[PreviewNote]:
    """Return a source's last good notes merged with its new ones, of which those at `wrong` have errors.

    Missing notes are kept, because an open fence may have swallowed them. One whose place a note with errors
    has taken is its last good version: its question was reworded.
    """
    if None in wrong:
        return [replace(each, stale=True) for each in old]
    known = {each.id: each for each in old}
    present = {each.id for each in new}
    behind: dict[str, list[PreviewNote]] = {}  # missing notes, by the last note before them that is present
    last = ""
    for each in old:
        last = each.id if each.id in present else last
        if each.id not in present:
            behind.setdefault(last, []).append(replace(each, stale=True))
    mixed, last = [], ""
    for each in new:
        last = each.id if each.id in known else last
        good = known.get(each.id)
        if each.note.location not in wrong:
            mixed.append(each)
        elif good:
            mixed.append(replace(good, stale=True))
        else:
            mixed.append(behind[last].pop(0) if behind.get(last) else each)
    return [*behind.get("", []), *(card for each in mixed for card in (each, *behind.get(each.id, [])))]


def sides_of(note: Identified, types: Sequence[NoteType]) -> tuple[Sides, list[Diagnostic]]:
    """Return both sides of each card of a note, and the problems found.

    Returns nothing if the note type is missing, because that is an error in the source.
    """
    if all(each.key != note.note.note_type for each in types):
        return [], []
    rendered, diagnostics = render_note(note, types)
    return [*framed_cards(rendered, types, note.note.language).values()], diagnostics


_REPORT_LINK = '<div class="report"><a href="'
_VERSION = "preview"
"""Stands for the version in reports: what is shown is not released yet."""


def with_report(back: str, address: str, note: Note, guid: str) -> str:
    """Return the back of a card with a complete address in its link for reports, if it has one."""
    above, begin, below = back.rpartition(_REPORT_LINK)
    complete = filled(address, guid=guid, version=_VERSION, question=note.title, deck=note.deck)
    _, quote, rest = below.partition('"')
    return f"{above}{begin}{html.escape(complete)}{quote}{rest}" if begin else back


_RENDERED_AT_ONCE = 20
"""The number of changed notes to render before they are requested."""


class Refresh(NamedTuple):
    """The result of reading the sources: the `order` of all cards, and the `cards` that changed.

    `edited` are the cards whose content changed (not only the location), each with the side that shows the
    change. `sides` are renderings that the page will need immediately.
    """

    names: tuple[str, ...]
    css: tuple[str, ...]
    roots: tuple[str, ...]
    edited: Mapping[str, str]
    sides: Mapping[str, Sides]
    order: tuple[str, ...] = ()
    cards: tuple[PreviewNote, ...] = ()
    problems: tuple[Problem, ...] = ()


class Preview:
    """The cards of some sources; caches what was read and rendered for as long as it is shown."""

    def __init__(self, paths: Sequence[Path], options: ReadOptions) -> None:
        self.paths = paths
        self.options = options
        self._contents: tuple[Contents, ...] = ()
        self._ids: dict[str, str] = {}
        self._guids: dict[str, str] = {}
        self._shown: dict[str, PreviewNote] = {}
        self._last_good = LastGood()
        self.last_fix = LastFix()
        self._read: dict[Path, tuple[object, Sequence[tuple[Note, bool]]]] = {}
        """the notes and drafts of each source, with everything that they depend on"""
        self._rendered: dict[str, tuple[Note, str, Sequence[NoteType], Sides, list[Diagnostic]]] = {}
        self._usable: tuple[Contents, ...] = ()
        """the collections when their settings were last without errors"""
        self._css: tuple[str, ...] = ()

    @property
    def lacks_guids(self) -> bool:
        """Whether the GUID of any note on the page has yet to be looked up."""
        return any(not note.draft and card not in self._guids for card, note in self._shown.items())

    def read(self, *, identified: bool) -> Refresh:
        """Return the result of reading the sources again; unchanged ones come from the cache.

        With `identified`, identities are also resolved with the lock, which takes longer. Raises
        NoSuchSourceError like `Workspace.read`.
        """
        try:
            workspace = Workspace.read(self.paths, self.options)
        except NoMarkdownError:
            return self._empty()
        self._contents = workspace.contents
        diagnostics = workspace.diagnostics
        cards: list[PreviewNote] = []
        for number, contents in enumerate(workspace.contents):
            diagnostics, _ = silence(contents.collection, contents.all_summaries, diagnostics)
            fresh = self._with_ids(self._notes(contents), number)
            if identified:
                notes = (card for card in fresh if not card.draft)
                guids = zip(notes, contents.published.guids(), strict=True)
                self._guids |= {card.id: guid for card, guid in guids if guid}
            cards += [note for note in fresh if contents.collection.is_selected(note.note.location.path)]
        there = {source.source.file for contents in workspace.contents for source in contents.sources}
        self._read = {file: read for file, read in self._read.items() if file in there}
        return self._update(cards, diagnostics)

    def _empty(self) -> Refresh:
        """Forget all cards; return only the folders in which to create the first file."""
        self._shown, self._usable, self._last_good = {}, (), LastGood()
        roots = find_roots(self.paths)
        return Refresh(tuple(root.name for root in roots), (), tuple(map(str, roots)), {}, {})

    def sides(self, card: str) -> Sides:
        """Return both sides of each card of a note.

        Returns nothing if the note is no longer shown.
        """
        note = self._shown.get(card)
        if note is None:
            return []
        sides, contents = self._render(note)[0], self._contents_of(note)
        if not contents or not contents.collection.config.report:
            return sides
        address = contents.collection.config.report
        about = address, note.note, "" if note.draft else self._guids.get(card, "")
        return [{**side, "back": with_report(str(side["back"]), *about)} for side in sides]

    def _notes(self, contents: Contents) -> list[tuple[Note, bool]]:
        """Return the notes of a collection, each with whether it is a draft.

        The notes of an unchanged source remain the same objects.
        """
        notes: list[tuple[Note, bool]] = []
        for source in contents.sources:
            keys = contents.keys[source.span]
            about = (source.keys[NOTES.name], keys, contents.draft_keys_of(source))
            before, read = self._read.get(source.source.file, (None, ()))
            if before != about:
                drafts = [(draft, True) for draft in contents.drafts_of(source)]
                all_notes = [*((note, False) for note in contents.notes_of(source)), *drafts]
                read = sorted(all_notes, key=lambda each: each[0].location) if drafts else all_notes
                self._read[source.source.file] = about, read
            notes += read
        return notes

    def _with_ids(self, notes: Sequence[tuple[Note, bool]], number: int) -> list[PreviewNote]:
        """Return the notes of a collection with ids for the page; unchanged notes remain the same objects."""
        taken: set[str] = set()
        named = []
        for note, is_draft in notes:
            name = f"{note.location.path}\0{note.key}"
            while name in taken:
                name += "+"
            taken.add(name)
            card = self._ids.get(name) or hashlib.sha256(name.encode()).hexdigest()[:16]
            self._ids[name] = card
            before = self._shown.get(card)
            if before and not before.stale and (before.note, before.draft) == (note, is_draft):
                named.append(before)
            else:
                named.append(PreviewNote(card, number, note, without_place(note), draft=is_draft))
        return named

    def _update(self, fresh: list[PreviewNote], diagnostics: list[Diagnostic]) -> Refresh:
        before = self._shown
        if before:
            changed = [note for note in fresh if note.differs(before.get(note.id))]
            diagnostics += [
                diagnostic for note in changed[:_RENDERED_AT_ONCE] for diagnostic in self._render(note)[1]
            ]
        errors = errors_in(diagnostics)
        if any(card.draft for card in fresh):  # a collection with only drafts is not broken
            errors = [each for each in errors if Trait.NO_NOTES not in each.traits]
        broken = [each.location for each in errors]
        broken_toml = any(place.path.endswith(".toml") for place in broken)
        if not broken_toml or not self._usable:
            self._usable = self._contents
            self._css = tuple(frame_css(each.collection, each.note_types) for each in self._contents)
        is_lost = broken_toml and bool(before)
        cards = self._last_good.all() if is_lost else self._last_good.repair(fresh, broken)
        self._shown = {note.id: note for note in sorted(cards, key=self._place)}
        differing = [note for note in cards if before and note.differs(before.get(note.id))]
        edited = {note.id: note.changed_side(before.get(note.id)) for note in differing}
        self._forget()
        return Refresh(
            names=tuple(contents.collection.config.name for contents in self._usable),
            css=self._css,
            roots=tuple(str(contents.collection.root) for contents in self._contents),
            order=tuple(self._shown),
            # For most notes, both are the same object.
            cards=tuple(note for note in cards if note is not (old := before.get(note.id)) and note != old),
            edited=edited,
            sides={card: self.sides(card) for card in list(edited)[:_RENDERED_AT_ONCE]},
            problems=problems(diagnostics),
        )

    def _place(self, card: PreviewNote) -> tuple[int, int]:
        """Return the positions of a card's collection and of its deck."""
        contents = self._contents_of(card)
        return card.collection, contents.order.place(card.note.deck) if contents else 0

    def _contents_of(self, card: PreviewNote) -> Contents | None:
        """Return a card's collection, or `None` if it is new since the settings were without errors."""
        return self._usable[card.collection] if card.collection < len(self._usable) else None

    def _forget(self) -> None:
        """Delete everything about notes that no longer exist, because a preview runs for hours."""
        self._rendered = {card: value for card, value in self._rendered.items() if card in self._shown}
        if len(self._ids) > 2 * len(self._shown) + 1000:
            self._ids = {}
        if len(self._guids) > 2 * len(self._shown) + 1000:
            self._guids = {card: guid for card, guid in self._guids.items() if card in self._shown}

    def _render(self, card: PreviewNote) -> tuple[Sides, list[Diagnostic]]:
        """Return a rendered note and the problems with it; each content is rendered once for each GUID."""
        guid = "" if card.draft else self._guids.get(card.id, "")
        known = self._rendered.get(card.id)
        contents = self._contents_of(card)
        types = contents.note_types if contents else ()
        if known is None or known[:3] != (card.content, guid, types):
            known = self._rendered[card.id] = (
                card.content,
                guid,
                types,
                *sides_of(Identified(card.content, guid, 0), types),
            )
        place = card.note.location
        return known[3], [
            replace(
                each, location=Location(place.path, each.location.line + place.line - 1, each.location.column)
            )
            for each in known[4]
        ]
