"""Imports the notes of an Anki package, and the descriptions of its decks."""

import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from itertools import islice
from pathlib import Path

from ptcards.anki.cards import card_ordinals
from ptcards.diagnostics import Diagnostic, counted
from ptcards.files.inputs import MAX_TEMPLATE_BYTES
from ptcards.importing.drafts import Draft, LeftOutNote, Origin
from ptcards.importing.html_to_markdown import LONGEST, Likeness, address_of, as_text, to_markdown
from ptcards.importing.package import (
    Package,
    PackageDeck,
    PackageNote,
    PackageNoteType,
    Scope,
    open_package,
    scope_of,
)
from ptcards.importing.package_notes import (
    AdoptedNotes,
    ConvertedNotes,
    Maker,
    OwnNotes,
    default_type,
    is_of,
    plain_names,
    title_of,
    write_note_types,
)
from ptcards.importing.problems import damaged, quoted, refuse, remark
from ptcards.importing.write import (
    PLAINEST,
    CollectionSettings,
    ImportReport,
    Made,
    Request,
    check_target,
    write_collection,
    write_lock,
)
from ptcards.markdown.fences import is_active
from ptcards.notes.notetypes import NoteType as OwnNoteType
from ptcards.source.config import names_html
from ptcards.source.own_notetypes import MOST, too_large
from ptcards.workspace import Contents
from ptcards.workspace.entries import Progress

_LICENSE = re.compile(r"(?:\A|\n\n)License: ([^\n]+)\Z")
_STRUCTURE = re.compile(r"^ {0,3}(?:#|[-=]+[ \t]*$)|<!--", re.MULTILINE)
"""Text that has a meaning in a source but not in a description."""


@dataclass(slots=True)
class Descriptions:
    """The descriptions of a new collection and of the decks in it.

    `root` is Markdown. If Markdown cannot express the description, `html` is used instead. `below` contains
    the descriptions of the other decks in Markdown; `changed` counts those that lost formatting.
    """

    root: str = ""
    html: str = ""
    license: str = ""
    below: dict[str, str] = field(default_factory=dict)
    changed: int = 0


def descriptions_of(package: Package, scope: Scope, *, fresh: bool) -> Descriptions:
    """Return the descriptions of the decks in a scope, without formatting if the import is `fresh`."""
    descriptions = Descriptions()
    for deck in package.database.decks.values():
        is_asked_for = deck.name in scope or scope.deck.startswith(f"{deck.name}::")
        if not is_asked_for or not deck.description.strip():
            continue
        name = scope.renamed(deck.name)
        if name == scope.name:
            _add_root(descriptions, deck, fresh=fresh)
        else:
            text, is_changed = _below(deck)
            descriptions.below[name] = text.replace(
                "<!--", "<!&#45;-"
            )  # otherwise it would become a card comment
            descriptions.changed += is_changed
    return descriptions


def _add_root(found: Descriptions, deck: PackageDeck, *, fresh: bool) -> None:
    if deck.is_markdown:
        if license_line := _LICENSE.search(deck.description):
            found.license = license_line[1]
        found.root = _LICENSE.sub("", deck.description)
    else:
        text, is_changed = _markdown(deck.description)
        found.root = text if fresh or not is_changed else ""
    if names_html(found.root):  # `deck.toml` would read it as a file name
        found.root, found.html = "", escape(found.root)
    elif not found.root and not found.license:
        found.html = deck.description


def _below(deck: PackageDeck) -> tuple[str, bool]:
    """Return a deck's description as the text below its heading, and whether it lost formatting."""
    if not deck.is_markdown:
        return _markdown(deck.description)
    is_changed = _STRUCTURE.search(deck.description) is not None
    lines = escape(deck.description, quote=False).replace("\n", "<br>")
    return as_text(lines) if is_changed else deck.description, is_changed


def _markdown(html: str) -> tuple[str, bool]:
    """Return an HTML description as Markdown without files, and whether it lost formatting."""
    if (exact := to_markdown(html, {})).markdown and exact.likeness is Likeness.ALL:
        return exact.markdown, False
    converted = to_markdown(html, {}, exact=False)
    return as_text(html) if converted.markdown is None else converted.markdown, True


_MAX_FIELD = 1 << 20
_STEP = 100
"""The number of notes between two progress reports."""


def import_package(request: Request, progress: Progress) -> tuple[ImportReport, list[Diagnostic]]:
    """Write a package's notes as a new collection.

    Raises:
        NotImportableError: nothing was written.
        OutputError: a file cannot be written.

    """
    if request.folder is not None:
        check_target(request.folder)
    with open_package(request.file) as package:
        scope = scope_of(package, request.deck, request.name)
        collection_id = request.id or secrets.token_hex(4)
        supply = PackageNotes(package, scope, progress, fresh=request.fresh, collection_id=collection_id)
        about = supply.descriptions
        extra = default_type(supply.adopted)
        settings = CollectionSettings(scope.name, collection_id, about.root, about.html, about.license, extra)
        target = request.target(scope.name)
        return write_collection(supply, settings, target, descriptions=about.below, dry_run=request.dry_run)


class PackageNotes:
    """The notes of a package within a scope, either adopted or fresh."""

    def __init__(
        self, package: Package, scope: Scope, progress: Progress, *, fresh: bool, collection_id: str
    ) -> None:
        self.package = package
        self.scope = scope
        self.progress = progress
        self.fresh = fresh
        self.report = ImportReport(package.path, package.format, "fresh" if fresh else "adopted")
        self.report.media = len(package.media)
        self.diagnostics: list[Diagnostic] = []
        self._named: set[str] = set()
        self._missing: dict[str, str] = {}
        """files that the package lacks, each with the first note that uses it"""
        self.origins: dict[int, Origin] = {}
        self._places = {name: f"media/{name}" for name in package.media}
        self._count_types()
        if not fresh:
            self._check_guids()
        note_types = [package.database.note_types[number] for number in self.report.note_types]
        self.adopted = () if fresh else tuple(note_types)
        self._types = {note_type.id: _as_ours(note_type) for note_type in self.adopted}
        if self.adopted and all(is_of(note_type, collection_id) for note_type in note_types):
            self._places, self.adopted = plain_names(package.media), ()
            self._make: Callable[[], Maker] = lambda: OwnNotes(self.addresses)
        elif fresh:
            self._make = lambda: ConvertedNotes(self.addresses)
        else:
            self._make = lambda: AdoptedNotes(self.addresses, note_types)
            self._check_templates()
            templates = [template for note_type in note_types for template in note_type.templates]
            self.report.scripts = sum(is_active(each.front + each.back) for each in templates)
        self.addresses = {name: address_of(place) for name, place in self._places.items()}
        self.descriptions = descriptions_of(package, scope, fresh=fresh)

    def _count_types(self) -> None:
        package = self.package
        for (deck, number), count in sorted(package.database.counts.items(), key=lambda each: each[0][1]):
            if deck and deck not in self.scope:
                continue
            note_type = package.database.note_types.get(number)
            if note_type is None:
                raise damaged(package.path, "a note has no note type")
            if not all(1 <= len(each) <= MOST for each in (note_type.fields, note_type.templates)):
                message = f"{quoted(note_type.name)} must have 1 to {MOST} fields and templates"
                raise damaged(package.path, message)
            if note_type.is_occlusion:
                message = f"{counted(count, 'image-occlusion note')} cannot be imported"
                fix = "use `--deck NAME` to import only decks without such notes"
                raise refuse(package.path, "image-occlusion", message, fix, status=1)
            sizes = (len(note_type.fields), len(note_type.templates))
            self.report.note_types.setdefault(number, Made(note_type.name, *sizes)).notes += count
            self.report.notes += count

    def _check_guids(self) -> None:
        """Raise NotImportableError if two notes share a GUID: one would get the reviews of both."""
        twice = self.package.database.guid_twice()
        if twice is None:
            return
        notes = (note for note in self.package.database.notes() if note.guid == twice)
        message = f"{' and '.join(quoted(title_of(note)) for note in islice(notes, 2))} share a GUID"
        fix = "delete one of them in Anki, or add `--fresh`"
        raise refuse(self.package.path, "guid-twice", message, fix, status=1)

    def _check_templates(self) -> None:
        """Raise NotImportableError for a template that no collection can have."""
        for note_type in self.adopted:
            for template in note_type.templates:
                size = max(len(side.encode()) for side in (template.front, template.back))
                if size > MAX_TEMPLATE_BYTES:
                    message = f"{quoted(template.name)} of {quoted(note_type.name)} {too_large(size)}"
                    fix = "shorten it in Anki: Tools › Manage Note Types › Cards"
                    raise refuse(self.package.path, "template-too-large", message, fix, status=1)

    def drafts(self, fallback: Mapping[int, int]) -> Iterator[Draft | LeftOutNote]:
        """Yield the notes to write."""
        maker = self._make()
        self.origins.clear()
        self._missing.clear()
        if self.descriptions.changed:
            self.report.lost["description of a deck"] = self.descriptions.changed
        for done, note in enumerate(self.in_scope()):
            if done % _STEP == 0:
                self.progress("Converting", done, self.report.notes)
            yield self._draft(note, maker, fallback)

    def in_scope(self) -> Iterator[PackageNote]:
        """Yield the notes to import."""
        return (note for note in self.package.database.notes() if not note.deck or note.deck in self.scope)

    def _draft(self, note: PackageNote, maker: Maker, fallback: Mapping[int, int]) -> Draft | LeftOutNote:
        title = title_of(note)
        self._check_size(note, title)
        note_type = self.package.database.note_types[note.note_type]
        draft = self._cause(note, fallback) or maker.draft(note, note_type, fallback.get(note.id, 0))
        if isinstance(draft, str):
            return LeftOutNote(draft, "", title)
        self.note_down(note, draft)
        return draft

    def _cause(self, note: PackageNote, fallback: Mapping[int, int]) -> str:
        """Return the reason why a note is left out, or an empty string."""
        if not note.deck:
            return "without a card"
        if (note_type := self._types.get(note.note_type)) and not card_ordinals(note_type, note.fields):
            return "whose cards are all empty"
        return "that no source can contain" if fallback.get(note.id, 0) > PLAINEST else ""

    def note_down(self, note: PackageNote, draft: Draft) -> None:
        """Add a note to its deck; record the files that it shows and what identifies it for learners."""
        draft.deck = self.scope.renamed(note.deck)
        if note.is_apart:
            self.report.apart.append(draft.title)
        if draft.origin:
            self.origins[note.id] = draft.origin
        for html in note.fields:
            self._show(html, draft.title)

    def _show(self, html: str, title: str) -> None:
        """Record the files that a field shows, and which of them the package lacks."""
        for name, is_there in self.package.named(html):
            if is_there:
                self._named.add(name)
            else:
                self._missing.setdefault(name, title)

    def _check_size(self, note: PackageNote, title: str) -> None:
        longest = max(map(len, note.fields), default=0)
        if longest > _MAX_FIELD:
            message = f"{quoted(title)} has a field of {longest >> 20} MB"
            raise refuse(self.package.path, "field-too-large", message, "shorten the field in Anki", status=1)
        if longest > LONGEST:
            message = f"{quoted(title)} has a field of {longest >> 10} KB"
            fix = "split the note into several"
            self.diagnostics.append(remark(self.package.path, "field-too-large", message, fix))

    def write_files(self, folder: Path) -> None:
        """Write the media files that notes use and those that templates may use."""
        for note_type in self.adopted:
            for html in (
                note_type.css,
                *(template.front + template.back for template in note_type.templates),
            ):
                self._show(html, f"the note type {note_type.name}")
            self._named.update(name for name in self.package.media if name.startswith("_"))
        for name in sorted(self._named):
            file = folder / self._places[name]
            file.parent.mkdir(exist_ok=True, parents=True)
            if not file.exists():
                self.package.write_media(name, file)
        if self._missing:
            name, title = next(iter(self._missing.items()))
            count = len(self._missing)
            files = f"{quoted(name)} is" if count == 1 else f"{count:,} files, the first {quoted(name)}, are"
            message, fix = (
                f"{files} missing from the package (used by {quoted(title)})",
                "add what is missing in Anki, then export the deck again",
            )
            self.diagnostics.append(remark(self.package.path, "missing-media", message, fix))
        if self.adopted and not (folder / "notetypes").exists():
            write_note_types(self.adopted, folder)

    def finish(self, folder: Path, contents: Contents, keys: Iterable[int | None]) -> None:
        """Write the lock, so that learners keep their reviews."""
        if self.fresh:
            return
        keys = list(keys)
        if None in keys:
            raise damaged(self.package.path, "two notes cannot be distinguished")
        write_lock(folder, contents, [self.origins.get(key) for key in keys if key is not None], self.package)


def _as_ours(each: PackageNoteType) -> OwnNoteType:
    """Return a package's note type in the form that a collection uses."""
    return OwnNoteType(
        "", each.id, each.name, each.fields, each.templates, each.css, each.is_cloze, extras=each.extras
    )
