"""Imports the rows of a table: Anki's own text export, or any other with two columns or names of columns."""

import csv
import html
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ptcards.anki.cards import is_blank
from ptcards.diagnostics import Diagnostic, Location, counted, warning
from ptcards.extensions.dialects.stock_names import stock_name
from ptcards.extensions.importing.drafts import Draft, LeftOutNote, deck_below
from ptcards.extensions.importing.html_to_markdown import address_of
from ptcards.extensions.importing.package import PackageNote, files_named
from ptcards.extensions.importing.package_notes import ConvertedNotes, Roles, title_of
from ptcards.extensions.importing.problems import quoted, refuse, remark
from ptcards.extensions.importing.write import PLAINEST, ImportReport, Request, copy_media, write_collection
from ptcards.files.inputs import InputError, as_text, in_words, read_input, shown
from ptcards.markdown.tags import ALLOWED, VOID

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
    "question": ("question", "front", "expression", "term", "frage", "pregunta", "pergunta", "问题", "質問"),
    "answer": ("answer", "back", "meaning", "definition", "antwort", "réponse", "respuesta", "resposta"),
    "tags": ("tags",),
    "deck": ("deck",),
    "guid": ("guid",),
    "notetype": ("notetype", "note type"),
}
_MOST_TAGS = 5
_SKIPPED = "-"
"""What `--columns` calls a column that is not read."""
_DELETION = re.compile(r"\{\{c\d+::")
_HTML = re.compile(
    rf"</(?:{'|'.join(ALLOWED)})>|<(?:{'|'.join(ALLOWED & VOID)})\b[^<>]*>|&(?:nbsp|lt|gt|amp|quot);",
    re.IGNORECASE,
)
"""Matches what text rarely contains unless it is HTML."""
_MEDIA_NAME = re.compile(
    r"[^\s/\\<>:*?\"|\[\]]+\.(?:(?P<sound>mp3|wav|ogg|oga|opus|m4a|flac)|png|jpe?g|gif|webp|svg)",
    re.IGNORECASE,
)
"""Matches a cell that is the name of a sound or a picture."""
_OF_NOTION = re.compile(r"[ _-][0-9a-f]{32}(?:_all)?$")
"""Matches what Notion adds to the name of a file that it exports."""


def _role(name: str) -> str:
    """Return the role of a column with this name, or an empty string."""
    name = name.strip().casefold()
    role = next((role for role, known in _ROLES.items() if name in known), "")
    stock = stock_name(name)
    return role or (stock if stock in _ROLES else "")


@dataclass
class _Table:
    """The rows of a table with their lines, the roles of its columns, and the names of the others."""

    separator: str
    is_ankis: bool = False
    """whether Anki wrote it, which names the separator"""
    is_html: bool | None = None
    """whether cells are HTML; None if no header says so"""
    by_position: bool = False
    said: dict[str, str] = field(default_factory=dict)
    """the deck, the tags and the note type of all rows, by their roles"""
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
        tops = {
            (self.cell(row, "deck") or self.said.get("deck", "")).partition("::")[0] for _, row in self.rows
        }
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
    table = _read(request.file, path, request.columns)
    name = request.name or table.top or in_words(_OF_NOTION.sub("", as_text(request.file.stem)))
    settings = request.settings(path, name)
    supply = _Rows(path, request.file.absolute().parent, table, name)
    return write_collection(supply, settings, request)


def _read(file: Path, path: str, columns: Sequence[str]) -> _Table:
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
    table.rows = _rows("\n".join(lines[height:]), height, table, path)
    _name_columns(table, columns)
    _check(table, path)
    return table


def _rows(body: str, height: int, table: _Table, path: str) -> list[tuple[int, list[str]]]:
    """Return the rows of a table with their lines; if it does not name its separator, find out.

    Some programs write quotation marks as they are: if they do not enclose cells, and all lines have the same
    number of columns without them, they mean nothing.
    """
    if table.is_ankis:
        return _parsed(body, height, table.separator, path)
    first = body.lstrip("\r\n").partition("\n")[0]
    tried = (each for each in dict.fromkeys(("\t", table.separator, *"|;:,")) if each in first)
    fitting = (each for each in tried if _has_columns(_parsed(body, height, each, path)))
    table.separator = next(fitting, table.separator)
    found = _parsed(body, height, table.separator, path)
    if not _is_well_quoted(body, table.separator) and any("\n" in cell for _, row in found for cell in row):
        plain = [line.split(table.separator) for line in body.splitlines()]
        numbered = [(height + number, row) for number, row in enumerate(plain, 1) if any(row)]
        if _width(numbered) > 1:
            return numbered
    return found


def _has_columns(rows: Sequence[tuple[int, Sequence[str]]]) -> bool:
    """Whether all rows have the same columns, or the first one names a question and an answer."""
    return _width(rows) > 1 or {"question", "answer"} <= {_role(name) for _, row in rows[:1] for name in row}


def _parsed(body: str, height: int, separator: str, path: str) -> list[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=separator)
    try:
        return [(height + reader.line_num, row) for row in reader if any(row)]
    except csv.Error as failure:
        message = f"line {height + reader.line_num}: {failure}"
        raise refuse(path, "no-columns", message, "save the table again as CSV") from failure


def _is_well_quoted(body: str, separator: str) -> bool:
    """Whether each quotation mark encloses a cell, or is doubled inside one."""
    try:
        for _ in csv.reader(io.StringIO(body, newline=""), delimiter=separator, strict=True):
            pass
    except csv.Error:
        return False
    return True


def _width(rows: Sequence[tuple[int, Sequence[str]]]) -> int:
    """Return the number of columns that all rows have, or 0 if it differs."""
    widths = {len(row) for _, row in rows}
    return widths.pop() if len(widths) == 1 else 0


def _name_columns(table: _Table, columns: Sequence[str]) -> None:
    """Name the columns and find their roles: by their names or, in an order that is clear, by position."""
    is_header = bool(table.rows) and len({_role(name) for name in table.rows[0][1]} - {""}) > 1
    # `korean=question` names a column by what the first row calls it.
    meant = dict(name.split("=", 1) for name in columns if "=" in name)
    if columns:
        table.roles.clear()
    if table.rows and not table.names and (is_header or meant):
        table.names = table.rows.pop(0)[1]
    if columns and not meant:
        table.names = list(columns)
    table.names = [meant.get(name.strip(), name) for name in table.names]
    table.names = ["" if name == _SKIPPED else name for name in table.names]
    for number, name in enumerate(table.names):
        if role := _role(name):
            table.roles.setdefault(role, number)
    width = max((len(row) for _, row in table.rows), default=0)
    is_clear = table.is_ankis or _width(table.rows) == 2 or table.roles.keys() & {"guid", "notetype"}
    if not {"question", "answer"} & table.roles.keys() and is_clear and not columns:
        free = [number for number in range(width) if number not in table.roles.values()]
        table.roles |= dict(zip(("question", "answer"), free, strict=False))
        named = table.names + [""] * (width - len(table.names))
        table.names = [name or f"Field {number + 1}" for number, name in enumerate(named)]
        table.by_position = True


def _take_header(table: _Table, line: str) -> None:
    """Process one of the header lines that Anki writes above a table."""
    key, _, value = line[1:].partition(":")
    value = value.strip().rstrip(",") or value.strip()  # spreadsheets fill the line up with commas
    match key.strip().casefold():
        case "separator":
            table.is_ankis = True
            table.separator = _SEPARATORS.get(value.strip().casefold(), value[:1] or table.separator)
        case "html":
            table.is_html = value.strip().casefold() == "true"
        case "deck" | "tags" | "notetype" as role:
            table.said[role] = value.strip()
        case "columns":
            table.names = next(csv.reader(value.splitlines()[:1], delimiter=table.separator), [])
        case "tags column" | "deck column" | "guid column" | "notetype column" as named if (
            value.strip().isdecimal() and len(value) < _LONG_NUMBER
        ):
            table.roles[named.partition(" ")[0]] = int(value) - 1


def _check(table: _Table, path: str) -> None:
    """Raise NotImportableError if it is unclear which column is the question, or if there are no rows."""
    if "question" in table.roles and "answer" in table.roles and table.rows:
        return
    names = table.names or next((row for _, row in table.rows), [])
    found = ", ".join(quoted(name) for name in names[:6])
    fix = "name them in the first row, or with `--columns question,answer,tags`"
    between = next((name for name, mark in _SEPARATORS.items() if mark == table.separator), "")
    there = f"there are {found}, separated by {between}" if found else "there is nothing"
    raise refuse(path, "no-columns", f"no columns `question` and `answer`: {there}", fix)


class _Rows:
    """The notes of a table."""

    def __init__(self, path: str, folder: Path, table: _Table, name: str) -> None:
        self._path = path
        self._table = table
        self._name = name
        self.diagnostics: list[Diagnostic] = []
        self.report = ImportReport(path, "table", "new")
        self.report.notes = len(table.rows)
        if table.by_position:
            said = (f"{table.roles[role] + 1} is the {role}" for role in ("question", "answer"))
            line, row = table.rows[0]
            first = quoted(table.cell(row, "question"))
            self.report.columns = f"by position: {', '.join(said)}; line {line} is the first note: {first}"
        places = (folder, *(folder / each for each in ("media", "collection.media", "audio", "images")))
        files = (file for place in places if place.is_dir() for file in sorted(place.iterdir()))
        self._files = {file.name: file for file in files if file.is_file() and not file.is_symlink()}
        self._shown: set[str] = set()
        self._missing: dict[str, int] = {}
        """the names of files that are not there, each with the first line that shows it"""

    def drafts(self, fallback: Mapping[int, int]) -> Iterator[Draft | LeftOutNote]:
        """Yield a note for each row."""
        maker = ConvertedNotes({name: address_of(f"media/{name}") for name in self._files})
        self._missing.clear()
        for line, row in self._table.rows:
            fields = self._fields(row, line)
            kind = self._kind(row, fields)
            deck = self._table.cell(row, "deck") or self._table.said.get("deck", "")
            deck = deck_below(self._name, deck, shares_top=deck.partition("::")[0] == self._name)
            tags = f"{self._table.cell(row, 'tags')} {self._table.said.get('tags', '')}".split()
            note = PackageNote(line, "", 0, 0, tuple(tags), fields, deck, (0,), is_apart=False)
            draft = self._draft(note, kind, maker, fallback.get(line, 0))
            place = f"{self._path}:{line}"
            if isinstance(draft, str):
                yield LeftOutNote(draft, place, title_of(note))
                continue
            draft.place = place
            for name, is_there in (each for cell in fields for each in files_named(cell, self._files)):
                if is_there:
                    self._shown.add(name)
                else:
                    self._missing.setdefault(name, line)
            yield draft

    def _kind(self, row: Sequence[str], fields: Sequence[str]) -> str:
        """Return the kind of a row's note, by what Anki calls its note type."""
        written = self._table.cell(row, "notetype").strip() or self._table.said.get("notetype", "")
        kind = stock_name(written)
        if "::image-occlusion:" in fields[0]:
            return "occlusion"
        is_known = kind in ("basic", "reversed", "optional", "typed", "cloze", "occlusion")
        return kind if is_known else "cloze" if _DELETION.search(fields[0]) else "basic"

    def _draft(self, note: PackageNote, kind: str, maker: ConvertedNotes, fallback: int) -> Draft | str:
        if kind == "occlusion":
            return "that hide parts of a picture: only a package keeps them"
        if fallback > PLAINEST:
            return "that no source can contain"
        others = range(1 if kind == "cloze" else 2, len(note.fields))
        if kind == "optional":  # its third field says whether it is reversed
            others = others[1:]
            kind = "basic" if all(map(is_blank, note.fields[2:3])) else "reversed"
        names = ["question", "Extra", *(self._table.names[number] for number in self._table.others)]
        roles = Roles(0, 0 if kind == "cloze" else 1, tuple(others), "" if kind == "basic" else kind)
        return maker.written(note, names, roles, fallback)

    def _fields(self, row: Sequence[str], line: int) -> tuple[str, ...]:
        """Return the question, the answer and all other fields as HTML."""
        table = self._table
        cells = [table.cell(row, "question"), table.cell(row, "answer")]
        cells += [row[number] if number < len(row) else "" for number in table.others]
        return tuple(
            cell
            if table.is_html
            else self._shown_file(cell, line) or html.escape(cell, quote=False).replace("\n", "<br>")
            for cell in cells
        )

    def _shown_file(self, cell: str, line: int) -> str:
        """Return the sound or the picture that a cell names, or an empty string for other cells."""
        found = _MEDIA_NAME.fullmatch(cell.strip())
        if not found:
            return ""
        if found[0] not in self._files:
            self._missing.setdefault(found[0], line)
            return ""
        return f"[sound:{found[0]}]" if found["sound"] else f'<img src="{html.escape(found[0])}">'

    def write_files(self, folder: Path) -> None:
        """Copy the files next to the table that the rows show."""
        for name in sorted(self._shown):
            copy_media(self._files[name], folder / "media" / name)
        if self._missing:
            name, line = next(iter(self._missing.items()))
            files = counted(len(self._missing), "file")
            message = f"{files} not found, the first {quoted(name)} in line {line:,}"
            fix = "put them next to the table or into `media/` there, and import again"
            self.diagnostics.append(remark(self._path, "missing-media", message, fix))

    def finish(self, *_: object) -> None:
        """Write no lock, because the first build creates it; warn of HTML and of lost reviews."""
        self._warn_of_html()
        self._warn_of_labels()
        has_guids = "guid" in self._table.roles
        if not (has_guids or self._table.is_ankis):
            return
        message = "a table does not name note types, so " if has_guids else "these notes have no GUIDs: "
        message += "its GUIDs cannot keep reviews" if has_guids else "learners cannot keep their reviews"
        fix = "import the package instead if learners have one"
        self.diagnostics.append(remark(self._path, "no-identity", message, fix))

    def _warn_of_html(self) -> None:
        """Warn of cells with tags, which are shown as they are unless a header says that they are HTML."""
        if self._table.is_html is not None:
            return
        found = ((line, _HTML.search(cell)) for line, row in self._table.rows for cell in row)
        tags = [(line, tag[0].replace("</", "<")) for line, tag in found if tag]
        if tags:
            line, tag = tags[0]
            message = f"{quoted(tag)} is shown as text: no line says that the fields are HTML"
            fix = "if they are, add the line `#html:true` at the top, and import again"
            self.diagnostics.append(warning(Location(self._path, line, 0), "html-as-text", message, fix))

    def _warn_of_labels(self) -> None:
        """Warn of a cell that does not look like a list of tags, but becomes a tag for each word."""
        cells = ((line, self._table.cell(row, "tags")) for line, row in self._table.rows)
        if found := [] if self._table.is_ankis else [each for each in cells if _is_label(each[1])]:
            line, cell = found[0]
            message = f"{quoted(cell)} becomes {counted(len(cell.split()), 'tag')}, one for each word"
            fix = "write `-` instead of the spaces within a tag, and import again"
            self.diagnostics.append(warning(Location(self._path, line, 0), "words-as-tags", message, fix))


def _is_label(cell: str) -> bool:
    """Whether words in the column of tags do not look like tags: more than five, or some between commas."""
    first, *others = (len(each.split()) for each in cell.split(","))
    return first + sum(others) > _MOST_TAGS or (others != [] and max(first, *others) > 1)
