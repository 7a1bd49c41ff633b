"""Imports the notes of an Anki package, and the descriptions of its decks."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from pathlib import Path

from ptcards.anki.cards import card_ordinals, show_deletions
from ptcards.diagnostics import Diagnostic
from ptcards.extensions.importing.drafts import Draft, LeftOutNote
from ptcards.extensions.importing.html_to_markdown import (
    LONGEST,
    address_of,
    as_text,
    has_latex,
    latex_pictures,
    to_markdown,
)
from ptcards.extensions.importing.package import (
    Package,
    PackageDeck,
    PackageNote,
    PackageNoteType,
    files_named,
    open_package,
)
from ptcards.extensions.importing.package_notes import (
    HIDDEN,
    AdoptedNotes,
    ConvertedNotes,
    Maker,
    default_type,
    hides_pictures,
    is_of,
    is_own,
    own_draft,
    plain_names,
    title_of,
    type_names,
    write_note_types,
)
from ptcards.extensions.importing.problems import damaged, quoted, remark
from ptcards.extensions.importing.scope import Scope, scope_of
from ptcards.extensions.importing.write import (
    PLAINEST,
    Descriptions,
    ImportReport,
    Made,
    Origin,
    Request,
    check_target,
    write_collection,
    write_lock,
)
from ptcards.files.temporary import temporary_folder
from ptcards.identity.lock_reading import is_recordable
from ptcards.markdown.fences import is_active
from ptcards.notes.rendered import IN_ORDER, LICENSE, VERSION
from ptcards.source.config import names_html
from ptcards.source.own_notetypes import MOST, OWN_PREFIX, read_note_types
from ptcards.workspace import Contents
from ptcards.workspace.entries import Progress

_ADDED = re.compile(
    rf"(?:(?:\A|\n\n)(?:{re.escape(IN_ORDER)}|{LICENSE}(?P<license>[^\n]+)"
    rf"|{VERSION}\S+ \([-0-9]{{10}}\)\.(?: \[What is new\]\([^\n]*\))?))+\Z"
)
"""Matches what builds and releases add to a description."""
_STRUCTURE = re.compile(r"^ {0,3}(?:#|[-=]+[ \t]*$)|<!--", re.MULTILINE)
"""Text that has a meaning in a source but not in a description."""


def descriptions_of(package: Package, scope: Scope, *, fresh: bool) -> Descriptions:
    """Return the descriptions of the decks in a scope, without formatting if the import is `fresh`."""
    descriptions = Descriptions()
    for deck in package.database.decks.values():
        if (deck.name not in scope and not scope.is_parent(deck.name)) or not deck.description.strip():
            continue
        name = scope.renamed(deck.name)
        if name == scope.name:
            _add_root(descriptions, deck, fresh=fresh)
        else:
            text, is_changed = _below(deck)
            # Otherwise it would become a card comment.
            descriptions.below[name] = text.replace("<!--", "<!&#45;-")
            descriptions.changed += is_changed
    return descriptions


def _add_root(found: Descriptions, deck: PackageDeck, *, fresh: bool) -> None:
    if deck.is_markdown:
        if added := _ADDED.search(deck.description):
            found.license = added["license"] or ""
        found.root = _ADDED.sub("", deck.description)
    else:
        text, is_changed = _markdown(deck.description)
        found.root = text if fresh or not is_changed else ""
    if names_html(found.root):  # `deck.toml` would read it as a file name
        found.root, found.html = "", escape(found.root)
    elif not (found.root or deck.is_markdown):
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
    if (exact := to_markdown(html, {})).markdown and exact.is_whole:
        return exact.markdown, False
    converted = to_markdown(html, {}, exact=False)
    return as_text(html) if converted.markdown is None else converted.markdown, True


_MAX_FIELD = 1 << 20
"""The maximum number of characters in a field."""
_STEP = 100
"""The number of notes between two progress reports."""


def import_package(request: Request, progress: Progress) -> tuple[ImportReport, list[Diagnostic]]:
    """Write a package's notes as a new collection.

    Raises:
        NotImportableError: nothing was written.
        OutputError: a file cannot be written.

    """
    if request.folder is not None and not request.dry_run:
        check_target(request.folder)
    with open_package(request.file) as package:
        scope = scope_of(package, request.decks, request.name)
        settings = request.settings(package.path, scope.name)
        supply = PackageNotes(package, scope, progress, fresh=request.fresh, collection_id=settings.id)
        extra = default_type(supply.names)
        settings = replace(settings, about=supply.descriptions, extra=extra, types=supply.types)
        return write_collection(supply, settings, request)


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
        self._twice: frozenset[str] = frozenset() if fresh else package.database.guids_twice()
        self._count_types()
        note_types = [package.database.note_types[number] for number in self.report.note_types]
        is_ours = bool(note_types) and all(is_of(note_type, collection_id) for note_type in note_types)
        masked = [each for each in note_types if hides_pictures(each) and not each.is_occlusion]
        self._unusable = {each.id: HIDDEN for each in masked} if fresh else {}
        """the reasons why the notes of a note type are left out, by the note type's id"""
        if not (fresh or is_ours):
            self._unusable = unusable_types(note_types)
        for number in self._unusable:
            del self.report.note_types[number]
        note_types = [each for each in note_types if each.id not in self._unusable]
        self.adopted = () if fresh or is_ours else tuple(note_types)
        self.names = type_names(self.adopted)
        self.report.other_id = any(map(is_own, self.adopted))
        templates = [template for note_type in self.adopted for template in note_type.templates]
        self.report.scripts = sum(is_active(each.front + each.back) for each in templates)
        if is_ours or (fresh and all(map(is_own, note_types))):
            self._places = plain_names(package.media)
        self.types = self._types_of_decks()
        self.addresses = {name: address_of(place) for name, place in self._places.items()}
        self.descriptions = descriptions_of(package, scope, fresh=fresh)

    def _maker(self) -> Maker:
        """Return what makes the drafts, which may not be the same twice."""
        if self.fresh:
            return ConvertedNotes(self.addresses).draft
        if self.adopted:
            return AdoptedNotes(self.addresses, self.names).draft
        return partial(own_draft, self.addresses)

    def _count_types(self) -> None:
        package = self.package
        for (deck, number), count in sorted(package.database.counts.items(), key=lambda each: each[0][1]):
            if deck and deck not in self.scope:
                continue
            note_type = package.database.note_types.get(number)
            if note_type is None:
                raise damaged(package.path, "a note has no note type")
            if not note_type.fields or not note_type.templates:
                raise damaged(package.path, f"{quoted(note_type.name)} has no fields or no templates")
            sizes = (len(note_type.fields), len(note_type.templates))
            self.report.note_types.setdefault(number, Made(note_type.name, *sizes)).notes += count
            self.report.notes += count

    def _types_of_decks(self) -> Mapping[str, str]:
        """Return the only note type of decks, by its name in the sources, if the collection has several."""
        found: dict[str, set[str]] = defaultdict(set)
        for deck, number in self.package.database.counts if len(self.names) > 1 else ():
            if deck and deck in self.scope and number in self.names:
                found[self.scope.renamed(deck)].add(self.names[number])
        return {deck: next(iter(types)) for deck, types in found.items() if len(types) == 1}

    def drafts(self, fallback: Mapping[int, int]) -> Iterator[Draft | LeftOutNote]:
        """Yield the notes to write."""
        make = self._maker()
        self.origins.clear()
        self._missing.clear()
        if self.descriptions.changed:
            self.report.lost["description of a deck"] = self.descriptions.changed
        wanted = (note for note in self.package.database.notes() if not note.deck or note.deck in self.scope)
        for done, note in enumerate(wanted):
            if done % _STEP == 0:
                self.progress("Converting", done, self.report.notes)
            yield self._draft(note, make, fallback.get(note.id, 0))

    def _draft(self, note: PackageNote, make: Maker, fallback: int) -> Draft | LeftOutNote:
        note_type = self.package.database.note_types[note.note_type]
        draft = self._cause(note, note_type, fallback) or make(note, note_type, fallback)
        if isinstance(draft, str):
            return LeftOutNote(draft, "", title_of(note), len(note.ordinals))
        if (longest := max(map(len, note.fields))) > LONGEST:
            message = f"{quoted(draft.title)} has a field of {longest >> 10} KB"
            fix = "split the note into several"
            self.diagnostics.append(remark(self.package.path, "field-too-large", message, fix))
        draft.deck = self.scope.renamed(note.deck)
        if note.is_apart:
            self.report.apart.append(draft.title)
        if not self.fresh:
            self.origins[note.id] = Origin(note.guid, max(1, note.mod), note.id, draft.numbers)
        for html in note.fields:
            self._show(html, draft.title)
            if has_latex(html):
                numbers = [ordinal + 1 for ordinal in note.ordinals] if note_type.is_cloze else []
                self._named.update(self._latex_files(numbers, html))
        if draft.deck in self.types:  # its file says so
            draft.settings = {**draft.settings, "type": ""}
        self._count_cards(note, note_type, draft)
        return draft

    def _count_cards(self, note: PackageNote, note_type: PackageNoteType, draft: Draft) -> None:
        """Count the cards that learners get or lose, although the note is written."""
        if not self.fresh:
            made = card_ordinals(note_type, note.fields)
            self.report.more_cards += len({*made} - {*note.ordinals})
        elif not note_type.is_cloze:
            kept = 2 if draft.settings["kind"] == "reversed" else 1
            self.report.fewer_cards[note_type.name] += max(0, len(note.ordinals) - kept)

    def _cause(self, note: PackageNote, note_type: PackageNoteType, fallback: int) -> str:
        """Return the reason why a note is left out, or an empty string."""
        if not note.deck:
            return "without a card"
        if cause := self._unusable.get(note_type.id):
            return cause
        if note.guid in self._twice:
            return "that share a GUID with another note"
        if not self.fresh and not is_recordable(note.guid, max(1, note.mod), note.id):
            return "with a GUID, a time or an id that no lock can contain"
        if max(map(len, note.fields)) > _MAX_FIELD:
            return f"with a field of over {_MAX_FIELD >> 20} MB"
        if not self.fresh and not card_ordinals(note_type, note.fields):
            return "whose cards are all empty"
        return "that no source can contain" if fallback > PLAINEST else ""

    def _latex_files(self, numbers: Iterable[int], html: str) -> Iterator[str]:
        """Yield the pictures of the LaTeX in a field, on all cards of a cloze; learners may lack LaTeX."""
        sides = [show_deletions(html, each, blank=blank) for each in numbers for blank in (True, False)]
        for side in (html, *sides):
            names = (f"{stem}.{suffix}" for stem in latex_pictures(side) for suffix in ("png", "svg"))
            yield from (name for name in names if name in self.package.media)

    def _show(self, html: str, title: str) -> None:
        """Record the files that a field shows, and which of them the package lacks."""
        for name, is_there in files_named(html, self.package.media):
            if is_there:
                self._named.add(name)
            else:
                self._missing.setdefault(name, title)

    def write_files(self, folder: Path) -> None:
        """Write the media files that notes use and those that templates may use."""
        for note_type in self.adopted:
            sides = (template.front + template.back for template in note_type.templates)
            for html in (note_type.css, *sides):
                self._show(html, f"the note type {note_type.name}")
            self._named.update(name for name in self.package.media if name.startswith("_"))
        for name in sorted(self._named):
            file = folder / self._places[name]
            file.parent.mkdir(exist_ok=True, parents=True)
            if not file.exists():
                self.package.archive.write(self.package.media[name], file)
        if self._missing:
            name, title = next(iter(self._missing.items()))
            count = len(self._missing)
            files = f"{quoted(name)} is" if count == 1 else f"{count:,} files, the first {quoted(name)}, are"
            message = f"{files} missing from the package (used by {quoted(title)})"
            fix = "add what is missing in Anki, then export the deck again"
            self.diagnostics.append(remark(self.package.path, "missing-media", message, fix))
        if self.adopted and not (folder / "notetypes").exists():
            write_note_types(self.adopted, folder)

    def finish(self, folder: Path, contents: Contents, keys: Iterable[int | None]) -> None:
        """Write the lock, so that learners keep their reviews."""
        if self.fresh:
            return
        origins = [self.origins[key] for key in keys if key is not None]
        write_lock(folder, contents, origins, self.package)


def unusable_types(note_types: Sequence[PackageNoteType]) -> dict[int, str]:
    """Return the ids of the note types that no collection can have, and why their notes are left out."""
    with temporary_folder("import") as folder:
        names = write_note_types(note_types, folder)
        found, _, diagnostics = read_note_types(folder, "")
    usable = {each.key.removeprefix(OWN_PREFIX) for each in found}
    unusable = {}
    for note_type in note_types:
        name = names[note_type.id]
        if name not in usable or note_type.id < 1:
            said = (each.message for each in diagnostics if f"/{name}/" in each.location.path)
            why = next(said, "its id is invalid" if name in usable else f"there are more than {MOST}")
            unusable[note_type.id] = f"of the note type {quoted(note_type.name)}, which cannot be kept: {why}"
    return unusable
