"""Writes a new collection from the notes that a reader supplies, and reports what was read and left out.

The result is read back. Notes that differ are written again in a plainer form. The collection is written to a
temporary folder beside its destination, and moved there when it is complete.
"""

import json
import os
import secrets
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from ptcards.diagnostics import Diagnostic, Location, counted, errors_in
from ptcards.diagnostics.layout import ReportSection, limited, section_lines
from ptcards.extensions.importing.drafts import Draft, LeftOutNote, usable_tag
from ptcards.extensions.importing.package import Package
from ptcards.extensions.importing.problems import NotImportableError, damaged, quoted, refuse
from ptcards.files import OutputError, reason_of
from ptcards.files.git import FILES_FOR_GIT
from ptcards.files.inputs import open_regular, shown, slug
from ptcards.files.names import safe_name
from ptcards.files.temporary import folder_beside, temporary_folder
from ptcards.identity.items import given_items
from ptcards.identity.lock import Lock, Record, TypeRecord, format_lock
from ptcards.identity.lock_reading import read_lock
from ptcards.processes import usable_processors
from ptcards.source.assembly import Owners
from ptcards.source.valid_names import MAX_DECK_LEVELS, is_ankis, is_deck_level
from ptcards.workspace import Contents, ReadOptions, Workspace
from ptcards.writers.rows import RENDERED, rows

MOST_NOTES = 1000
_MOST_SIZE = 1 << 20
"""The maximum number of characters in a file.

Editors are slow with longer files, and GitHub does not show them.
"""

_HTML = "description.html"
_NO_LICENSE = '# license = "CC BY 4.0"  # before you share the deck, write what its author allows'


@dataclass(slots=True)
class Descriptions:
    """The descriptions of a new collection and of the decks in it.

    `root` is the collection's own description, or `html` if Markdown cannot express it. An empty `license` is
    unknown. `below` has those of decks, by name; `changed` is the number of them that lost formatting.
    """

    root: str = ""
    html: str = ""
    license: str = ""
    below: dict[str, str] = field(default_factory=dict)
    changed: int = 0


@dataclass(frozen=True, slots=True)
class CollectionSettings:
    """The settings of a new collection; `types` are those of decks in which all notes have the same type."""

    name: str
    id: str
    about: Descriptions = field(default_factory=Descriptions)
    extra: str = ""
    types: Mapping[str, str] = field(default_factory=dict)

    def toml(self) -> str:
        """Return the text of `deck.toml`."""
        lines = [
            f"name = {_quoted(self.name)}",
            f"id = {_quoted(self.id)}  # identifies this collection in Anki; never change it",
        ]
        description, license_ = _HTML if self.about.html else self.about.root, self.about.license
        lines += [f"description = {_quoted(description)}"] if description else []
        lines += [f"license = {_quoted(license_)}" if license_ else _NO_LICENSE]
        return "\n".join(lines) + "\n" + self.extra


def _quoted(text: str) -> str:
    """Return a text quoted for both TOML and YAML."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


@dataclass(slots=True)
class _Part:
    """A source that is being written: its text so far, and its notes by their first lines."""

    file: Path
    texts: list[str] = field(default_factory=list)
    notes: dict[int, int] = field(default_factory=dict)
    lines: int = 0
    size: int = 0

    @property
    def is_full(self) -> bool:
        """Whether the next note must go into another file."""
        return len(self.notes) >= MOST_NOTES or self.size >= _MOST_SIZE

    def add(self, text: str) -> None:
        """Add text to the end."""
        self.texts.append(text)
        self.lines += text.count("\n")
        self.size += len(text)

    def write(self) -> None:
        """Write the text to the file."""
        self.file.write_text("".join(self.texts), "utf-8", newline="\n")
        self.texts.clear()


@dataclass(slots=True)
class Pages:
    """The sources in a folder; `places` maps each file to its notes by their first lines."""

    folder: Path
    settings: CollectionSettings
    places: dict[str, Mapping[int, int]] = field(default_factory=dict)
    _parts: dict[str, list[_Part]] = field(default_factory=dict)

    def write(self, drafts: Iterable[Draft]) -> None:
        """Write each note to a file of its deck."""
        for draft in drafts:
            part = self._part(draft.deck)
            part.add("\n")
            part.notes[part.lines + 1] = draft.key
            part.add(draft.markdown())
        for name, part in self._named():
            if part.texts:
                part.write()
            part.file.rename(self.folder / name)
            self.places[name] = part.notes
        (self.folder / "deck.toml").write_text(self.settings.toml(), "utf-8", newline="\n")
        if html := self.settings.about.html:
            (self.folder / _HTML).write_text(html, "utf-8", newline="")
        for name, line in FILES_FOR_GIT.items():
            (self.folder / name).write_text(f"{line}\n", "utf-8", newline="\n")

    def key(self, place: Location) -> int | None:
        """Return the key of the note that begins at a location, or `None` if none does."""
        return self.places.get(Path(place.path).name, {}).get(place.line)

    def _part(self, deck: str) -> _Part:
        """Return the file for the next note of a deck."""
        parts = self._parts.setdefault(deck, [])
        if parts and parts[-1].is_full:
            parts[-1].write()
        if not parts or parts[-1].is_full:
            number = sum(map(len, self._parts.values()))
            parts.append(_Part(self.folder / f".{number}.md"))
            parts[-1].add(self._head(deck, is_first=len(parts) == 1))
        return parts[-1]

    def _named(self) -> Iterator[tuple[str, _Part]]:
        """Yield each file with its name: the last level of its deck, with higher levels if necessary."""
        taken = {"readme", "media", "build"}
        numbers: Counter[str] = Counter()
        for deck, parts in self._parts.items():
            names = _names(deck.split("::")[-MAX_DECK_LEVELS:], numbers)
            found = next(stems for name in names if not taken.intersection(stems := _stems(name, len(parts))))
            taken.update(found)
            yield from ((f"{stem}.md", part) for stem, part in zip(found, parts, strict=True))

    def _head(self, deck: str, *, is_first: bool) -> str:
        """Return the text above the notes of a deck; only its first file includes the description."""
        note_type = self.settings.types.get(deck, "")
        head = f"---\ndeck: {_quoted(deck.partition('::')[2])}\n"
        head += f"type: {_quoted(note_type)}\n---\n" if note_type else "---\n"
        if is_first and (description := self.settings.about.below.get(deck)):
            head += f"\n# {deck.rpartition('::')[2]}\n\n{description}\n"
        return head


def _names(levels: Sequence[str], numbers: Counter[str]) -> Iterator[str]:
    """Yield names for a deck: from the last of its levels to all below the first, then with new numbers."""
    for depth in range(1, max(2, len(levels))):
        yield slug(" ".join(levels[-depth:]))
    name = slug(" ".join(levels[1:] or levels))
    while True:
        numbers[name] += 1
        yield f"{name}-{numbers[name] + 1}"


def _stems(name: str, count: int) -> list[str]:
    """Return the file names for one deck, numbered so that they sort in order."""
    width = len(str(count))
    names = [name] if count == 1 else [f"{name}-{number:0{width}}" for number in range(1, count + 1)]
    return [safe_name(each) for each in names]


def read_back(pages: Pages, options: ReadOptions) -> tuple[Contents, set[int], list[Diagnostic]]:
    """Return the collection as written, the keys of the notes with errors, and all other errors."""
    workspace = Workspace.read(
        [pages.folder],
        options,
        # Errors that would stop a build are included.
        lambda collection: (rows(collection.config.note_types),),
    )
    (contents,) = workspace.contents
    rendered = (each for _, part in contents.parts(RENDERED) for each in part.diagnostics)
    owners = Owners(contents.summaries)
    wrong: set[int] = set()
    others: list[Diagnostic] = []
    for diagnostic in errors_in((*workspace.diagnostics, *rendered)):
        owner = owners.find(diagnostic.location)
        key = pages.key(owner.location) if owner else None
        if key is None:
            others.append(diagnostic)
        else:
            wrong.add(key)
    return contents, wrong, others


class Origin(NamedTuple):
    """What identifies a note for learners of the old deck; `numbers` are those of its items."""

    guid: str
    mod: int
    nid: int
    numbers: tuple[int, ...]


def write_lock(folder: Path, contents: Contents, origins: Iterable[Origin], package: Package) -> None:
    """Write `deck.lock` for the notes of a collection that came with a package, in their order.

    Raises NotImportableError if a value from the package does not fit into a lock.
    """
    records = [
        Record(
            origin.guid,
            origin.mod,
            live=True,
            fingerprint=summary.fingerprint,
            nid=str(origin.nid),
            items=given_items(summary.items, origin.numbers),
        )
        for summary, origin in zip(contents.summaries, origins, strict=True)
    ]
    newest = max(record.mod for record in records)
    known = package.database.note_types
    types = [
        TypeRecord(
            note_type.key,
            max(1, known[note_type.id].mod) if note_type.id in known else newest,
            note_type.digest,
            *note_type.lock_columns,
        )
        for note_type in contents.note_types
    ]
    lock = Lock(contents.collection.config.id, tuple(types), tuple(records))
    file = folder / "deck.lock"
    file.write_text(format_lock(lock), "utf-8", newline="\n")
    # Values from a package become lines of the lock. None may break a line in two or make the lock
    # unreadable.
    read, _ = read_lock(file, shown="", collection_id=lock.collection_id)
    if read is None or {*read.records} != {*records} or {*read.types} != {*types}:
        raise damaged(package.path, "a GUID, a time or an id is invalid")


_SHOWN = 20
"""The maximum number of notes in a list; the others are only counted."""


@dataclass(slots=True)
class Made:
    """A note type: its size and its number of notes."""

    name: str
    fields: int
    templates: int
    notes: int = 0


@dataclass(slots=True)
class ImportReport:
    """What an import did; `outcome` is `adopted` or `fresh`."""

    file: str
    format: str
    outcome: str
    folder: str = ""
    dry_run: bool = False
    notes: int = 0
    media: int = 0
    note_types: dict[int, Made] = field(default_factory=dict)
    scripts: int = 0
    """the number of adopted templates with scripts"""
    decks: Counter[str] = field(default_factory=Counter)
    files: int = 0
    markdown: int = 0
    verbatim: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    tags: Counter[str] = field(default_factory=Counter)
    """the tags that were rewritten or left out, except those that Anki manages itself"""
    left_out: list[LeftOutNote] = field(default_factory=list)
    changed: list[LeftOutNote] = field(default_factory=list)
    apart: list[str] = field(default_factory=list)
    """notes whose cards are in several decks"""
    more_cards: int = 0
    """cards that the package lacks, although Anki makes them from its notes"""
    fewer_cards: Counter[str] = field(default_factory=Counter)
    """cards of notes that keep fewer templates, by the names of their note types"""
    columns: str = ""
    """how the columns of a table were found, unless by their names"""
    other_id: bool = False
    """whether ptcards built the package, from a collection with another id"""

    @property
    def written(self) -> int:
        """The number of notes that were written."""
        return sum(self.decks.values())


_LOST = "without formatting that Markdown lacks"

_LABEL = 8
"""The width of the column of labels."""


def lines(report: ImportReport, *, verbose: bool) -> Iterator[str]:
    """Yield the lines of the report for people; with `verbose`, also how each field was written."""
    media = f", {counted(report.media, 'media file')}" if report.media else ""
    yield f"Read {report.file}: {counted(report.notes, 'note')}{media} ({report.format})"
    if report.columns:
        yield from section_lines([ReportSection("columns", [report.columns])], _LABEL)
    for note_type in report.note_types.values():
        what = (
            f"{counted(note_type.fields, 'field')}, {counted(note_type.templates, 'template')}, "
            f"{counted(note_type.notes, 'note')}"
        )
        done = "Kept" if report.outcome == "adopted" else "Converted"
        yield f"{done} the note type {note_type.name}: {what}"
    sections = (ReportSection(label, [text]) for label, text in _sections(report, verbose=verbose) if text)
    yield from section_lines(sections, _LABEL)
    verb = "Would write" if report.dry_run else "Wrote"
    lock = f", deck.lock with their {report.written:,} GUIDs" if report.outcome == "adopted" else ""
    written = f"{counted(report.written, 'note')} in {counted(report.files, 'file')}"
    yield f"{verb} {report.folder}/: {written}{lock}"
    yield from _table(report)


def _sections(report: ImportReport, *, verbose: bool) -> Iterator[tuple[str, str]]:
    """Yield what is said of notes, fields, tags and cards, each with its label; it may be nothing."""
    if report.scripts:
        yield "scripts", f"in {counted(report.scripts, 'template')}: they only run in Anki"
    yield "decks", _listed(report.decks, "note")
    yield "fields", _about_fields(report, verbose=verbose)
    yield "tags", "; ".join(_about_tags(report.tags))
    if report.more_cards:
        yield "cards", f"{report.more_cards:,} more, which Anki makes and the package lacks"
    if fewer := +report.fewer_cards:
        left = f"{fewer.total():,} fewer, as notes keep only their first template: {_listed(fewer)}"
        yield "cards", left
    if report.apart:
        notes = counted(len(report.apart), "note")
        yield "apart", f"{notes} with cards in several decks, each written to the deck of its first card"


def _about_fields(report: ImportReport, *, verbose: bool) -> str:
    """Return how the fields were written; without `verbose`, only how many lost their formatting."""
    if verbose and (report.markdown or report.verbatim or report.lost):
        verbatim = (
            f", {report.verbatim.total():,} as HTML: {_listed(report.verbatim)}" if report.verbatim else ""
        )
        lost = f", {report.lost.total():,} {_LOST}: {_listed(report.lost)}" if report.lost else ""
        return f"{report.markdown:,} as Markdown{verbatim}{lost}"
    return f"{report.lost.total():,} {_LOST} (-v lists them)" if report.lost else ""


def _about_tags(tags: Counter[str]) -> Iterator[str]:
    """Yield how many tags were rewritten and left out, each with the most frequent one as an example."""
    rewritten = Counter({tag: count for tag, count in tags.items() if usable_tag(tag)})
    if rewritten:
        tag, _ = _by_count(rewritten)[0]
        yield f"{rewritten.total():,} rewritten, such as {quoted(tag)} as {quoted(usable_tag(tag))}"
    if left_out := tags - rewritten:
        yield f"{left_out.total():,} left out, such as {quoted(_by_count(left_out)[0][0])}"


def _table(report: ImportReport) -> Iterator[str]:
    """Yield the numbers of notes read, written, changed and left out, and list the last two groups.

    Nothing is listed if all notes were written as they were.
    """
    if not (report.changed or report.left_out):
        return
    rows: list[tuple[str, int, str, list[str]]] = [
        ("read", report.notes, "notes of the deck that you import", []),
        ("written", report.written, "notes as Markdown", []),
    ]
    for name, left_outs in (("changed", report.changed), ("left out", report.left_out)):
        for cause in dict.fromkeys(left_out.cause for left_out in left_outs):
            those = [left_out for left_out in left_outs if left_out.cause == cause]
            cards = sum(left_out.cards for left_out in those)
            with_cards = f"{cause} ({counted(cards, 'card')})" if cards else cause
            rows.append((name, len(those), with_cards, _listing(those)))
    width = max(len(f"{count:,}") for _, count, *_ in rows)
    yield ""
    yield from section_lines(
        (
            ReportSection(f"{name:<{_LABEL}} {count:>{width},} ", [cause, *below])
            for name, count, cause, below in rows
        ),
        _LABEL + 2 + width,
    )


def _listing(found: Sequence[LeftOutNote]) -> list[str]:
    """Return one line for each note, with its place."""
    width = max(len(left_out.place) for left_out in found[:_SHOWN])
    lines = [
        f"{left_out.place:<{width}}  {left_out.title}" if width else left_out.title for left_out in found
    ]
    return limited(lines, _SHOWN, "and {:,} more: add `--format json`".format)


def as_json(report: ImportReport) -> dict[str, Any]:
    """Return the report for programs."""
    names = ("file", "format", "outcome", "folder", "dry_run", "scripts", "decks", "columns", "apart")
    return {
        **{name: getattr(report, name) for name in names},
        "read": {"notes": report.notes, "media": report.media},
        "written": {"notes": report.written, "files": report.files},
        "note_types": list(map(asdict, report.note_types.values())),
        "fields": {"markdown": report.markdown, "verbatim": report.verbatim, "without_look": report.lost},
        "cards": {"more": report.more_cards, "fewer": dict(+report.fewer_cards)},
        "tags": [
            {"tag": tag, "written": usable_tag(tag), "count": count} for tag, count in _by_count(report.tags)
        ],
        "left_out": [_entry(left_out) | {"cards": left_out.cards} for left_out in report.left_out],
        "changed": [_entry(left_out) for left_out in report.changed],
    }


def _entry(each: LeftOutNote) -> dict[str, Any]:
    return {"cause": each.cause, "place": each.place, "note": each.title}


def _listed(counts: Counter[str], first_unit: str = "") -> str:
    """Return names with their counts, the largest first; only the first count has a unit."""
    named = [
        f"{name} ({counted(number, first_unit) if first_unit and n == 0 else f'{number:,}'})"
        for n, (name, number) in enumerate(_by_count(counts))
    ]
    return ", ".join(limited(named, 6, "{} more".format))


def _by_count(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda each: (-each[1], each[0]))


PLAINEST = 1
"""The plainest way to write a note. A note that cannot be read back even then is left out."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to import, and how; empty values are derived from the input."""

    file: Path
    folder: Path | None = None
    decks: tuple[str, ...] = ()
    name: str = ""
    id: str = ""
    fresh: bool = False
    dry_run: bool = False
    columns: tuple[str, ...] = ()
    """the names of a table's columns, in order"""

    def settings(self, path: str, name: str) -> CollectionSettings:
        """Return the settings of a collection with this name; raises NotImportableError if it is unusable."""
        if not is_deck_level(name):
            message = f"{quoted(name)} cannot be the name of a collection"
            raise refuse(path, "bad-deck-name", message, "choose another name with `--name NAME`")
        return CollectionSettings(name, self.id or secrets.token_hex(4))


class NoteSource(Protocol):
    """A source of notes; `diagnostics` are about the input as a whole."""

    report: ImportReport
    diagnostics: list[Diagnostic]

    def drafts(self, fallback: Mapping[int, int]) -> Iterator[Draft | LeftOutNote]:
        """Yield all notes from the start; those whose keys are in `fallback` are written more plainly."""

    def write_files(self, folder: Path) -> None:
        """Write the media files that the notes use."""

    def finish(self, folder: Path, contents: Contents, keys: Iterable[int | None], /) -> None:
        """Write what depends on the sources, once they are read back; `keys` are the keys of their notes."""


def write_collection(
    supply: NoteSource, settings: CollectionSettings, request: Request
) -> tuple[ImportReport, list[Diagnostic]]:
    """Write all notes of a supply to a new or empty folder.

    Raises NotImportableError if nothing was written.
    """
    first, target = supply.report, request.folder or Path.cwd() / slug(settings.name)
    if not request.dry_run:
        check_target(target)
    first.folder, first.dry_run = shown(target.absolute()), request.dry_run
    place = temporary_folder("import") if request.dry_run else new_folder(target)
    with place as folder, ReadOptions(processes=usable_processors()) as options:
        fallback: dict[int, int] = {}
        while True:
            pages = Pages(folder, settings)
            # Nothing stays of the attempt before.
            report = supply.report = deepcopy(first)
            supply.diagnostics.clear()
            for file in folder.glob("*.md"):
                file.unlink()
            pages.write(_counted(supply.drafts(fallback), report))
            supply.write_files(folder)
            if not report.written:
                raise _nothing(report)
            contents, wrong, others = read_back(pages, options)
            if others:
                raise NotImportableError(
                    *(_about(report.file, folder, diagnostic) for diagnostic in others), status=1
                )
            keys = [pages.key(summary.location) for summary in contents.summaries]
            misread = (key for key in _misread(pages, contents, keys) if fallback.get(key, 0) <= PLAINEST)
            again = wrong or [*misread]
            if not again:
                break
            for key in again:
                fallback[key] = fallback.get(key, 0) + 1
        if None in keys or len(keys) != report.written:
            message = f"{report.written:,} notes were written, but {len(keys):,} were read back"
            raise refuse(
                report.file, "no-notes", message, "remove headings from the fields of the notes", status=1
            )
        supply.finish(folder, contents, keys)
        report.files = len(pages.places)
    return report, supply.diagnostics


def _misread(pages: Pages, contents: Contents, keys: Sequence[int | None]) -> set[int]:
    """Return the keys of notes that were not read back, or read back as several notes."""
    written = {key for places in pages.places.values() for key in places.values()}
    wrong = written - set(keys)
    for summary, key in zip(contents.summaries, keys, strict=True):
        if key is None:
            places = pages.places.get(Path(summary.location.path).name, {})
            above = max((line for line in places if line < summary.location.line), default=None)
            wrong |= {places[above]} if above is not None else set()
    return wrong


def _nothing(report: ImportReport) -> NotImportableError:
    """Return the error for an input without any importable note."""
    causes = Counter(left_out.cause for left_out in report.left_out).most_common(2)
    if not causes:
        message, fix = "no cards were found", "omit `--from` to detect the dialect"
        return refuse(report.file, "no-notes", message, fix, status=1)
    listed = ", ".join(f"{count:,} {cause}" for cause, count in causes)
    first = report.left_out[0]
    fix = f"fix {first.place or quoted(first.title)} first"
    return refuse(report.file, "no-notes", f"no note can be imported: {listed}", fix, status=1)


def _counted(notes: Iterable[Draft | LeftOutNote], report: ImportReport) -> Iterator[Draft]:
    """Yield the notes to write, and count all notes in the report."""
    for note in notes:
        if isinstance(note, LeftOutNote):
            report.left_out.append(note)
            continue
        report.decks[note.deck] += 1
        report.markdown += len(note.written)
        report.verbatim.update(note.verbatim)
        report.lost.update(note.lost)
        report.tags.update(tag for tag in note.tags if usable_tag(tag) != tag and not is_ankis(tag))
        if note.changed:
            report.changed.append(LeftOutNote(note.changed, note.place, note.title))
        yield note


def _about(path: str, folder: Path, each: Diagnostic) -> Diagnostic:
    """Return a diagnostic about the working folder as one about the imported file."""
    message = each.message.replace(shown(folder), path)
    return replace(each, location=each.location._replace(path=path, line=1, column=0), message=message)


def check_target(target: Path) -> None:
    """Raise NotImportableError if a folder is not empty."""
    if os.path.lexists(target) and not (target.is_dir() and not any(target.iterdir())):
        message = "the new collection needs an empty folder"
        fix = "name a folder that does not exist yet, after the file to import"
        raise refuse(shown(target), "not-empty", message, fix)


def copy_media(file: Path, target: Path) -> None:
    """Copy a media file to a new collection, unless an earlier attempt did."""
    target.parent.mkdir(exist_ok=True, parents=True)
    if not target.exists():
        with open_regular(file) as stream, target.open("wb") as copy:
            shutil.copyfileobj(stream, copy)


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """Yield a working folder, which becomes `target` when the block ends without an error.

    Raises:
        OutputError: a file cannot be written.

    """
    try:
        with folder_beside(target, "import") as folder:
            yield folder
            for file in filter(Path.is_file, folder.rglob("*")):
                with file.open("r+b") as written:  # Windows flushes only what may be written
                    os.fsync(written.fileno())
            if target.is_dir():
                target.rmdir()
            folder.rename(target)
    except OSError as failure:
        raise OutputError(target, reason_of(failure)) from failure
