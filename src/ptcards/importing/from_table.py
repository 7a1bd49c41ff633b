"""Imports the rows of a table: Anki's own text export, or any CSV with a header row."""

import csv
import html
import io
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ptcards.diagnostics import Diagnostic
from ptcards.files.inputs import InputError, as_text, in_words, open_regular, read_input, shown
from ptcards.importing.drafts import Draft, LeftOutNote
from ptcards.importing.html_to_markdown import address_of
from ptcards.importing.package import PackageNote, PackageNoteType
from ptcards.importing.package_notes import ConvertedNotes, title_of
from ptcards.importing.problems import quoted, refuse, remark
from ptcards.importing.write import PLAINEST, CollectionSettings, ImportReport, Request, write_collection
from ptcards.notes.notetypes import Field, Template
from ptcards.source.valid_names import is_deck_level

MAX_TABLE_BYTES = 64 << 20
_MAX_CELL = 1 << 20
_LONG_NUMBER = 6
_SEPARATORS = {
    "comma": ",",
    "semicolon": ";",
    "tab": "\t",
    "space": " ",
    "pipe": "|",
    "colon": ":",
}
_ROLES = {
    "question": ("question", "front", "expression"),
    "answer": ("answer", "back", "meaning"),
    "tags": ("tags",),
    "deck": ("deck",),
    "guid": ("guid",),
    "notetype": ("notetype", "note type"),
}


@dataclass
class _Table:
    """The rows of a table with their lines, the roles of its columns, and the names of the others."""

    separator: str
    is_html: bool = False
    deck: str = ""
    tags: str = ""
    roles: dict[str, int] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    rows: list[tuple[int, list[str]]] = field(default_factory=list)

    @property
    def others(self) -> list[int]:
        """The numbers of the columns that are neither question nor answer nor metadata."""
        used = set(self.roles.values())
        return [number for number, name in enumerate(self.names) if number not in used and name]

    @property
    def top(self) -> str:
        """The top-level deck of all rows, or an empty string if there are several."""
        tops = {(self.cell(row, "deck") or self.deck).partition("::")[0] for _, row in self.rows}
        return tops.pop() if len(tops) == 1 else ""

    def cell(self, row: Sequence[str], role: str) -> str:
        """Return a row's cell in the column with this role, or an empty string."""
        number = self.roles.get(role, len(row))
        return row[number] if number < len(row) else ""


def import_table(request: Request) -> tuple[ImportReport, list[Diagnostic]]:
    """Write the rows of a table as a new collection.

    Raises:
        NotImportableError: nothing was written.
        OutputError: a file cannot be written.

    """
    path = shown(request.file.absolute())
    table = _read(request.file, path)
    name = request.name or table.top or in_words(as_text(request.file.stem))
    if not is_deck_level(name):
        message = f"{quoted(name)} cannot be the name of a collection"
        raise refuse(path, "bad-deck-name", message, "choose another name with `--name NAME`")
    settings = CollectionSettings(name, request.id or secrets.token_hex(4))
    supply = _Rows(path, request.file.absolute().parent, table, name)
    return write_collection(supply, settings, request.target(name), descriptions={}, dry_run=request.dry_run)


def _read(file: Path, path: str) -> _Table:
    try:
        text = read_input(file.absolute(), file.absolute().parent, MAX_TABLE_BYTES).decode("utf-8-sig")
    except InputError as failure:
        raise refuse(path, "no-columns", f"the table {failure.reason}", failure.help) from failure
    except UnicodeDecodeError as failure:
        raise refuse(path, "no-columns", "the table is not UTF-8", "save the table as UTF-8") from failure
    table = _Table("," if file.suffix.lower() == ".csv" else "\t")
    lines = text.split("\n")
    height = next((number for number, line in enumerate(lines) if not line.startswith("#")), len(lines))
    csv.field_size_limit(_MAX_CELL)
    for line in lines[:height]:
        _take_header(table, line.strip("\r")[:_MAX_CELL])
    reader = csv.reader(io.StringIO("\n".join(lines[height:]), newline=""), delimiter=table.separator)
    try:
        table.rows = [(height + reader.line_num, row) for row in reader if any(row)]
    except csv.Error as failure:
        message = f"line {height + reader.line_num}: {failure}"
        raise refuse(path, "no-columns", message, "save the table again as CSV") from failure
    if not table.names and table.rows:
        _, table.names = table.rows.pop(0)
    for number, name in enumerate(table.names):
        role = next((role for role, known in _ROLES.items() if name.strip().casefold() in known), "")
        if role:
            table.roles.setdefault(role, number)
    _check(table, path)
    return table


def _take_header(table: _Table, line: str) -> None:
    """Process one of the header lines that Anki writes above a table."""
    key, _, value = line[1:].partition(":")
    match key.strip().casefold():
        case "separator":
            table.separator = _SEPARATORS.get(value.strip().casefold(), value[:1] or table.separator)
        case "html":
            table.is_html = value.strip().casefold() == "true"
        case "deck":
            table.deck = value.strip()
        case "tags":
            table.tags = value.strip()
        case "columns":
            table.names = next(csv.reader(value.splitlines()[:1], delimiter=table.separator), [])
        case "tags column" | "deck column" | "guid column" | "notetype column" as named if (
            value.strip().isdecimal() and len(value) < _LONG_NUMBER
        ):
            table.roles[named.partition(" ")[0]] = int(value) - 1


def _check(table: _Table, path: str) -> None:
    """Raise NotImportableError if it is unclear which column is the question.

    In an export from Anki it is always clear, because the columns have a fixed order.
    """
    if (
        not {"question", "answer"} & table.roles.keys()
        and {"guid", "notetype", "deck", "tags"} & table.roles.keys()
    ):
        width = max((len(row) for _, row in table.rows), default=0)
        if table.names and not any(
            name.casefold() in known for known in _ROLES.values() for name in table.names
        ):
            table.rows.insert(0, (1, table.names))
        free = [number for number in range(width) if number not in table.roles.values()]
        table.roles |= dict(zip(("question", "answer"), free, strict=False))
        table.names = [f"Field {number + 1}" for number in range(width)]
    if "question" not in table.roles or "answer" not in table.roles or not table.rows:
        found = ", ".join(quoted(name) for name in table.names[:6]) or "nothing"
        fix = "name two columns in the first row `question` and `answer`"
        raise refuse(path, "no-columns", f"no columns `question` and `answer`: there are {found}", fix)


class _Rows:
    """The notes of a table."""

    def __init__(self, path: str, folder: Path, table: _Table, name: str) -> None:
        self._path = path
        self._table = table
        self._name = name
        self.diagnostics: list[Diagnostic] = []
        self.report = ImportReport(path, "table", "new")
        self.report.notes = len(table.rows)
        files = (
            file for place in (folder, folder / "media") if place.is_dir() for file in sorted(place.iterdir())
        )
        self._files = {file.name: file for file in files if file.is_file() and not file.is_symlink()}
        self._shown: set[str] = set()
        names = ["question", "answer", *(table.names[number] for number in table.others)]
        self._types = [_note_type(names, is_cloze=is_cloze) for is_cloze in (False, True)]

    def drafts(self, fallback: Mapping[int, int]) -> Iterator[Draft | LeftOutNote]:
        """Yield a note for each row."""
        maker = ConvertedNotes({name: address_of(f"media/{name}") for name in self._files})
        for line, row in self._table.rows:
            fields = self._fields(row)
            is_cloze = "{{c1::" in fields[0]
            levels = self._table.cell(row, "deck") or self._table.deck
            tags = f"{self._table.cell(row, 'tags')} {self._table.tags}".split()
            note = PackageNote(line, "", 0, 0, tuple(tags), fields, self._deck(levels), (0,), is_apart=False)
            weak = fallback.get(line, 0)
            draft = (
                maker.draft(note, self._types[is_cloze], weak)
                if weak <= PLAINEST
                else "that no source can contain"
            )
            place = f"{self._path}:{line}"
            if isinstance(draft, str):
                yield LeftOutNote(draft, place, title_of(note))
                continue
            draft.place = place
            shown = " ".join(cell for cell in fields if "src" in cell or "[sound:" in cell)
            self._shown |= {name for name in self._files if name in shown} if shown else set()
            yield draft

    def _fields(self, row: Sequence[str]) -> tuple[str, ...]:
        """Return the question, the answer and all other fields as HTML."""
        table = self._table
        cells = [table.cell(row, "question"), table.cell(row, "answer")]
        cells += [row[number] if number < len(row) else "" for number in table.others]
        return tuple(
            cell if table.is_html else html.escape(cell, quote=False).replace("\n", "<br>") for cell in cells
        )

    def _deck(self, deck: str) -> str:
        levels = deck.split("::") if deck else []
        return "::".join([self._name, *(levels[1:] if levels[:1] == [self._name] else levels)])

    def write_files(self, folder: Path) -> None:
        """Copy the files next to the table that the rows show."""
        for name in sorted(self._shown):
            target = folder / "media" / name
            target.parent.mkdir(exist_ok=True)
            if not target.exists():
                file = self._files[name]
                with open_regular(file) as stream, target.open("wb") as copy:
                    shutil.copyfileobj(stream, copy)

    def finish(self, *_: object) -> None:
        """Write no lock, because the first build creates it; warn that reviews cannot be kept."""
        has_guids = "guid" in self._table.roles
        message = "a table does not name note types, so " if has_guids else "these notes have no GUIDs: "
        message += "its GUIDs cannot keep reviews" if has_guids else "learners cannot keep their reviews"
        fix = "import the package instead if learners have one"
        self.diagnostics.append(remark(self._path, "no-identity", message, fix))


def _note_type(names: Iterable[str], *, is_cloze: bool) -> PackageNoteType:
    fields = tuple(map(Field, names))
    front = "{{cloze:question}}" if is_cloze else "{{question}}"
    return PackageNoteType(
        id=int(is_cloze),
        name="",
        mod=0,
        is_cloze=is_cloze,
        fields=fields,
        templates=(Template("", None, front, "{{answer}}"),),
        css="",
    )
