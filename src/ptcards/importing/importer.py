"""A package into a new collection: read, converted, written, and read back before it counts."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from ptcards.cache import Cache
from ptcards.diagnostics import Diagnostic
from ptcards.importing.drafts import Draft
from ptcards.importing.folder import check_target, new_folder
from ptcards.importing.fresh import Fresh, title_of
from ptcards.importing.markdown import LONGEST, as_markdown
from ptcards.importing.package import Package, open_package
from ptcards.importing.pages import Pages, Settings, read_back
from ptcards.importing.problems import NotImportableError, damaged, quoted, refuse, remark
from ptcards.importing.report import Made, Report
from ptcards.importing.scope import Scope, scope_of
from ptcards.importing.values import Note, NoteType
from ptcards.names import slug
from ptcards.source.collection import shown

_MAX_FIELD = 1 << 20
_LAST = 2
"""How plainly a note is written at most: one that does not read back even then is left out."""
_STEP = 100
"""Notes after which progress is told."""

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Request:
    """What to import, and how; what is empty is found out."""

    file: Path
    folder: Path | None = None
    deck: str = ""
    name: str = ""
    id: str = ""
    fresh: bool = False
    dry_run: bool = False


class Maker(Protocol):
    """What becomes of the notes of a package."""

    outcome: str

    def draft(self, note: Note, note_type: NoteType, plainness: int) -> Draft | None:
        """Return a note as it is written, more plainly the higher `plainness` is; None if it cannot be."""


def import_package(request: Request, progress: Progress) -> tuple[Report, list[Diagnostic]]:
    """Write a package's notes as a new collection.

    Raises:
        NotImportableError: nothing was written.
        OutputError: the disk refuses.

    """
    if request.folder is not None:
        check_target(request.folder)
    with open_package(request.file, shown(request.file.absolute())) as package:
        scope = scope_of(package, request.deck, request.name)
        target = request.folder or Path.cwd() / slug(scope.name)
        check_target(target)
        with new_folder(target, dry_run=request.dry_run) as folder:
            work = _Import(package, scope, Fresh(package.media), folder, progress)
            work.report.folder = shown(target.absolute())
            work.report.dry_run = request.dry_run
            work.run(request.id or secrets.token_hex(4))
            return work.report, work.diagnostics


@dataclass
class _Import:
    """One import into a folder; `report` and `diagnostics` are what is to be said of it."""

    package: Package
    scope: Scope
    maker: Maker
    folder: Path
    progress: Progress
    diagnostics: list[Diagnostic] = field(default_factory=list)
    plainness: dict[int, int] = field(default_factory=dict)
    """of notes that did not read back"""

    def __post_init__(self) -> None:
        package = self.package
        self.report = Report(package.path, package.format, self.maker.outcome)
        self.named: set[str] = set()
        for (deck, number), count in package.database.counts().items():
            if deck and deck not in self.scope:
                continue
            note_type = package.database.note_types.get(number)
            if note_type is None:
                raise damaged(package.path, "a note has no note type")
            if note_type.is_occlusion:
                message = f"{count:,} notes are pictures with hidden parts (image occlusion)"
                fix = "import decks without them, with `--deck NAME`"
                raise refuse(package.path, "image-occlusion", message, fix, status=1)
            sizes = (len(note_type.fields), len(note_type.templates))
            self.report.note_types.setdefault(number, Made(note_type.name, *sizes)).notes += count
            self.report.notes += count
        self.report.media = len(package.media)

    def run(self, collection_id: str) -> None:
        """Write everything."""
        descriptions = dict(self._descriptions())
        settings = Settings(self.scope.name, collection_id, descriptions.pop(self.scope.name, ""))
        while True:
            pages = Pages(self.folder, settings, descriptions)
            self._reset()
            pages.write(self._drafts())
            for name in sorted(self.named):
                self._write_media(name)
            with closing(Cache(None)) as cache:
                _, wrong, others = read_back(pages, cache)
            if others or not self.report.written:
                raise self._refusal(others)
            if not wrong:
                break
            for key in wrong:
                self.plainness[key] = self.plainness.get(key, 0) + 1
        self.report.files = len(pages.places)

    def _refusal(self, others: list[Diagnostic]) -> NotImportableError:
        if not others:
            return refuse(
                self.package.path,
                "no-notes",
                "no note can be imported",
                "see `ptcards import --dry-run`",
                status=1,
            )
        told = [
            replace(each, location=each.location._replace(path=self.package.path, line=1, column=0))
            for each in others
        ]
        return NotImportableError(*told, status=1)

    def _reset(self) -> None:
        """Forget what an earlier round said and wrote."""
        report = self.report
        for each in (
            report.decks,
            report.verbatim,
            report.lost,
            report.left_out,
            report.changed,
            report.apart,
        ):
            each.clear()
        report.markdown = 0
        self.diagnostics.clear()
        for file in self.folder.glob("*.md"):
            file.unlink()

    def _descriptions(self) -> Iterator[tuple[str, str]]:
        """Yield the decks that have a description, with it."""
        for deck in self.package.database.decks.values():
            if deck.description.strip() and (
                deck.name in self.scope or self.scope.deck.startswith(f"{deck.name}::")
            ):
                yield self.scope.renamed(deck.name), as_markdown(deck.description)

    def _drafts(self) -> Iterator[Draft]:
        """Yield the notes to write, and count them."""
        report, asked = self.report, dict[tuple[str, str, str], list[str]]()
        for number, note in enumerate(self.package.database.notes()):
            if number % _STEP == 0:
                self.progress("Converting", number, report.notes)
            if note.deck and note.deck not in self.scope:
                continue
            title = title_of(note)
            plainness = self.plainness.get(note.id, 0)
            cause = "without a card" if not note.deck else ""
            if not cause and plainness > _LAST:
                cause = "that no source can hold"
            self._check_size(note, title)
            note_type = self.package.database.note_types[note.note_type]
            draft = None if cause else self.maker.draft(note, note_type, plainness)
            if draft is None:
                report.left_out.append((cause or "without a question or an answer", "", title))
                continue
            draft.deck = self.scope.renamed(note.deck)
            if not self._is_new(draft, asked):
                continue
            self._count(draft, note)
            yield draft

    def _is_new(self, draft: Draft, asked: dict[tuple[str, str, str], list[str]]) -> bool:
        """Whether no other note is the same; one that asks the same as another gets a number."""
        bodies = asked.setdefault(draft.asked, [])
        if draft.body in bodies:
            self.report.left_out.append(("that are in their deck twice", "", draft.title))
            return False
        bodies.append(draft.body)
        if len(bodies) > 1:
            draft.heading += f" ({len(bodies)})"
            self.report.changed.append(("with a number, for another asks the same", "", draft.title))
        return True

    def _count(self, draft: Draft, note: Note) -> None:
        report = self.report
        report.decks[draft.deck] += 1
        report.markdown += len(draft.written)
        report.verbatim.update(draft.verbatim)
        report.lost.update(draft.lost)
        if note.is_apart:
            report.apart.append(draft.title)
        for html in note.fields:
            self.named.update(self.package.named(html))

    def _check_size(self, note: Note, title: str) -> None:
        longest = max(map(len, note.fields), default=0)
        if longest > _MAX_FIELD:
            message = f"{quoted(title)} has a field of {longest >> 20} MB"
            raise refuse(self.package.path, "field-too-large", message, "shorten it in Anki", status=1)
        if longest > LONGEST:
            message = f"{quoted(title)} has a field of {longest >> 10} KB"
            self.diagnostics.append(
                remark(self.package.path, "field-too-large", message, "cut it into several notes")
            )

    def _write_media(self, name: str) -> None:
        folder = self.folder / "media"
        folder.mkdir(exist_ok=True)
        if not (folder / name).exists():
            self.package.write_media(name, folder / name)
