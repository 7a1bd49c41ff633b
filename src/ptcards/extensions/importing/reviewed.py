"""Imports Markdown whose notes learners already have from a package, and keeps their reviews.

Note types, GUIDs and times come from the package, and texts from the Markdown.
"""

import re
import secrets
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from ptcards.anki.fields import render
from ptcards.diagnostics import Diagnostic
from ptcards.extensions.importing.drafts import Draft, LeftOutNote, Origin, Questions, Texts, code_span
from ptcards.extensions.importing.from_markdown import MarkdownNotes, read_markdown
from ptcards.extensions.importing.from_package import PackageNotes
from ptcards.extensions.importing.html_to_markdown import with_plain_math
from ptcards.extensions.importing.package import PackageNote, PackageNoteType, open_package, scope_of
from ptcards.extensions.importing.package_notes import AdoptedNotes, is_own, roles_of, title_of
from ptcards.extensions.importing.problems import refuse
from ptcards.extensions.importing.write import (
    CollectionSettings,
    ImportReport,
    Request,
    check_target,
    write_collection,
    write_lock,
)
from ptcards.notes import Kind, Note
from ptcards.notes.closings import with_hidden_text
from ptcards.notes.html_tree import parse_html, visible
from ptcards.workspace import Contents
from ptcards.workspace.entries import Progress

_DELETION = re.compile(r"\{\{c\d+::")
_NAMES = {
    "hint": ("hint",),
    "details": ("details", "extra", "back extra", "notes", "explanation"),
    "sources": ("sources", "source"),
}
"""The names that other note types use for fields that correspond to parts of our notes."""

_Front = tuple[bool, str]
"""The visible text of a card's front without white space, and whether it is a cloze."""


def import_reviewed(
    request: Request, dialect: str, progress: Progress
) -> tuple[ImportReport, list[Diagnostic]]:
    """Write another program's Markdown as a new collection that keeps the reviews of a package's learners.

    Raises:
        NotImportableError: nothing was written.
        OutputError: a file cannot be written.

    """
    assert request.reviews_from is not None  # noqa: S101 - callers ensure this
    if request.folder is not None and not request.dry_run:
        check_target(request.folder)
    read = read_markdown(request.file, dialect, progress)
    with open_package(request.reviews_from) as package:
        scope = scope_of(package, request.decks, request.name)
        collection_id = request.id or secrets.token_hex(4)
        notes = PackageNotes(package, scope, progress, fresh=False, collection_id=collection_id)
        supply = _ReviewedNotes(MarkdownNotes(read, scope.name, package.media), notes)
        settings = CollectionSettings(scope.name, collection_id)
        target = request.target(scope.name)
        return write_collection(supply, settings, target, descriptions={}, dry_run=request.dry_run)


class _ReviewedNotes:
    """The notes of the Markdown; those that are also in the package get its GUIDs."""

    def __init__(self, markdown: MarkdownNotes, package: PackageNotes) -> None:
        self._markdown, self._package = markdown, package
        self.report, self.diagnostics = markdown.report, package.diagnostics
        self.report.outcome = "adopted"
        self._types = package.package.database.note_types
        if any(is_own(note_type) for note_type in package.adopted):
            message = "ptcards built this package from a collection with another id"
            fix = "add `--id` with the `id` from the `deck.toml` that the package was built from"
            raise refuse(package.package.path, "no-match", message, fix, status=1)
        self._partners, self._missing = self._matched()
        if not self._partners:
            message = "none of its cards has the same front as a note in the Markdown"
            fix = "leave out `--reviews-from`, or name the package that learners have"
            raise refuse(package.package.path, "no-match", message, fix, status=1)
        used = Counter(partner.note_type for partner, _ in self._partners.values())
        self.report.matched = len(self._partners)
        self.report.note_types = {
            number: made for number, made in package.report.note_types.items() if number in used
        }
        for number, made in self.report.note_types.items():
            made.notes = used[number]
        self._is_ours = not package.adopted
        package.adopted = tuple(note_type for note_type in package.adopted if note_type.id in used)

    def _matched(self) -> tuple[dict[int, tuple[PackageNote, int]], list[str]]:
        """Return the package's note for each key, and the titles of the package's other notes.

        Each note comes with the number of the front that matched.
        """
        fronts: dict[_Front, set[tuple[int, int]]] = defaultdict(set)
        for key, note in enumerate(self._markdown.notes):
            for number, front in enumerate(_fronts(note)):
                fronts[front].add((key, number))
        theirs = defaultdict(list)
        missing = []
        for each in self._package.in_scope():
            front = _front_of(each, self._types[each.note_type])
            if each.deck and front[1] and front in fronts:
                theirs[front].append(each)
            else:
                missing.append(title_of(each))
        found: dict[int, tuple[PackageNote, int]] = {}
        for front, some in theirs.items():
            # If there are two candidates, it is unknown which one is meant.
            key, number = min(fronts[front])
            if len(some) == len(fronts[front]) == 1 and key not in found:
                found[key] = (some[0], number)
            else:
                missing += map(title_of, some)
        return found, missing

    def drafts(self, fallback: Mapping[int, int]) -> Iterator[Draft | LeftOutNote]:
        """Yield the notes of the Markdown, then those that are not in it or could not be read."""
        maker = AdoptedNotes(self._package.addresses, self._package.adopted)
        questions = Questions()
        for key, note in enumerate(self._markdown.notes):
            how = fallback.get(key, 0)
            if key in self._partners and not self._is_ours:
                yield self._known(key, note, maker, how)
                continue
            draft = self._markdown.draft(key, note, how, questions)
            if isinstance(draft, Draft):
                self._name(draft)
            yield draft
        yield from self._markdown.unread()
        for title in self._missing:
            yield LeftOutNote("not in the Markdown, or more than once: learners keep them", "", title)

    def _name(self, draft: Draft) -> None:
        """Record which note of the package this is, or that it is new to learners."""
        if draft.key in self._partners:
            partner, _ = self._partners[draft.key]
            draft.origin = Origin(partner.guid, max(1, partner.mod), partner.id)
            self._package.note_down(replace(partner, fields=()), draft)
        else:
            draft.changed = "new to learners: not in the package, or more than once"

    def _known(self, key: int, note: Note, maker: AdoptedNotes, fallback: int) -> Draft | LeftOutNote:
        """Return a note under the GUID that learners have."""
        partner, number = self._partners[key]
        place = f"{note.location.path}:{note.location.line}"
        note_type = self._types[partner.note_type]
        texts = self._texts(note, note_type, with_options=number > 0) if fallback == 0 else {}
        draft = maker.draft(partner, note_type, max(0, fallback - 1), texts)
        if isinstance(draft, str) or fallback > 2:
            return LeftOutNote("that ptcards' format cannot express", place, note.title)
        if fallback:
            draft.changed = "with the text of the package: ptcards' format cannot express the Markdown"
        draft.settings = {**draft.settings, "type": maker.names[note_type.id]}
        draft.key, draft.place = key, place
        # Files that only the replaced texts use are not needed.
        kept = [
            html
            for field, html in zip(note_type.fields, partner.fields, strict=True)
            if field.name not in texts
        ]
        self._package.note_down(replace(partner, fields=tuple(kept)), draft)
        return draft

    def _texts(self, note: Note, note_type: PackageNoteType, *, with_options: bool) -> dict[str, str]:
        """Return the Markdown's texts by the names of the note type's fields."""
        roles = roles_of(note_type)
        names = [field.name for field in note_type.fields]
        texts = Texts(*self._markdown.addresses(note))
        front, back = _sides(note, texts, with_options=with_options)
        found: dict[str, str] = {}
        rest = []
        for part, wanted in _NAMES.items():
            text = texts.of(getattr(note, part).markdown)
            field = next((names[each] for each in roles.others if names[each].casefold() in wanted), "")
            if text and field:
                found[field] = text
            elif text:
                rest.append(text)
        found[names[roles.question]] = "\n\n".join(
            filter(None, [front, *(rest if note_type.is_cloze else ())])
        )
        if not note_type.is_cloze:
            found[names[roles.answer]] = "\n\n".join(filter(None, [back, *rest]))
        return found

    def write_files(self, folder: Path) -> None:
        """Write the note types and the media files that the notes use."""
        self._markdown.write_files(folder)
        self._package.write_files(folder)

    def finish(self, folder: Path, contents: Contents, keys: Iterable[int | None]) -> None:
        """Write the lock, so that learners keep their reviews."""
        partners = [self._partners.get(key) if key is not None else None for key in keys]
        origins = [self._package.origins.get(partner[0].id) if partner else None for partner in partners]
        write_lock(folder, contents, origins, self._package.package)


def _fronts(note: Note) -> Iterator[_Front]:
    """Yield the texts that may be on the front of a note's card, with options where other tools put them."""
    fields, _ = render(note)
    question, answer, choices, *_ = fields
    if note.kind is Kind.CLOZE:
        yield True, _squashed(f"{question}\n{answer}")
        return
    yield False, _squashed(question)
    if note.choices:
        yield False, _squashed(f"{question}\n{choices}")


def _front_of(note: PackageNote, note_type: PackageNoteType) -> _Front:
    front = note.fields[roles_of(note_type).question]
    if is_own(note_type):
        question, answer, *_ = note.fields
        front = f"{question}\n{answer}" if note_type.is_cloze else question
    return note_type.is_cloze, _squashed(with_plain_math(front))


def _squashed(html: str) -> str:
    """Return the visible text of HTML without white space, with the hidden text in place of each deletion."""
    text = with_hidden_text(visible(parse_html(html)), _DELETION, on_one_line=False)
    return "".join(text.split())


def _sides(note: Note, texts: Texts, *, with_options: bool) -> tuple[str, str]:
    """Return the front and back of a note as Markdown; the front of a cloze is its complete text."""
    parts = [*texts.of(note.heading.markdown).split("\n", 1), texts.of(note.question.markdown)]
    answer = texts.of(note.answer.markdown)
    if note.kind is Kind.CLOZE:
        return _paragraphs([*parts, answer]), ""
    options = [
        (choice.correct, f"- {texts.of(choice.text.markdown)}".replace("\n", "\n  "))
        for choice in note.choices
    ]
    if with_options:
        parts.append("\n".join(option for _, option in options))
    right = "\n".join(option for is_right, option in options if is_right)
    return _paragraphs(parts), _paragraphs([right, code_span(note.typed) if note.typed else "", answer])


def _paragraphs(texts: Iterable[str]) -> str:
    return "\n\n".join(filter(None, texts))
