"""Imports the notes of a package unchanged, with their GUIDs and note types."""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from types import MappingProxyType

from ptcards.identity.lock import guid_as_id
from ptcards.importing.drafts import Draft, Origin, as_heading, one_line, verbatim
from ptcards.importing.fresh import title_of
from ptcards.importing.markdown import Converted, Likeness, as_text, is_plain, to_markdown
from ptcards.importing.package import Package
from ptcards.importing.values import Note, NoteType
from ptcards.processes import TASK_NOTES, in_processes, pieces, usable_processors

Conversions = Mapping[tuple[str, bool], Converted]
"""Converted fields, keyed by their HTML and whether they belong to a cloze."""
_Task = tuple[Mapping[str, str], list[tuple[str, bool]]]
STEP = TASK_NOTES
"""The number of notes that are converted together."""
_LONGEST_ID = 80
_LONGEST_NAME = 60
NO_TEXTS: Mapping[str, str] = MappingProxyType({})


def converted_ahead(
    notes: Iterable[Note], package: Package, addresses: Mapping[str, str], count: int
) -> Generator[Conversions]:
    """Yield the converted fields of `TASK_NOTES` notes at a time, using several processes.

    Yields nothing if processes are unavailable or would not pay off.
    """
    tasks = _tasks(notes, package, addresses)
    with closing(in_processes(_convert, tasks, processes=usable_processors(), notes=count)) as results:
        for _, converted in results:
            yield converted


def _tasks(notes: Iterable[Note], package: Package, addresses: Mapping[str, str]) -> Iterator[_Task]:
    """Yield the fields that take time to convert, with the addresses of the files that they show."""
    note_types = package.database.note_types
    for batch in pieces(notes, lambda _: 1):
        fields = dict.fromkeys(
            (html, note_types[note.note_type].is_cloze)
            for note in batch
            for html in note.fields
            if html and not is_plain(html)
        )
        shown = {name for html, _ in fields for name, is_there in package.named(html) if is_there}
        yield {name: addresses[name] for name in shown}, list(fields)


def _convert(task: _Task) -> Conversions:
    addresses, fields = task
    return {(html, is_cloze): to_markdown(html, addresses, is_cloze=is_cloze) for html, is_cloze in fields}


class Adopted:
    """Makes drafts that keep the identity of their notes.

    `names` maps note types to their names in the sources.
    """

    outcome = "adopted"

    def __init__(self, addresses: Mapping[str, str], note_types: Sequence[NoteType]) -> None:
        self._addresses = addresses
        self.names = dict(_names(note_types))
        self._ids: set[str] = set()
        self.converted: Conversions = {}
        """fields that other processes have already converted, by their HTML"""

    def draft(
        self, note: Note, note_type: NoteType, plainness: int, texts_of: Mapping[str, str] = NO_TEXTS
    ) -> Draft | str:
        """Return a note with one section per field; the fields stay HTML unless `plainness` is 0.

        `texts_of` maps field names to Markdown that replaces the package's text.
        """
        written, kept = [], []
        texts: dict[str, str] = {}
        for field, html in zip(note_type.fields, note.fields, strict=True):
            if text := texts_of.get(field.name):
                texts[field.name] = text
                written.append(field.name)
            if not html or text:
                continue
            found = self.converted.get((html, note_type.is_cloze)) or to_markdown(
                html, self._addresses, is_cloze=note_type.is_cloze
            )
            if plainness == 0 and found.markdown and found.likeness is Likeness.ALL:
                texts[field.name] = found.markdown
                written.append(field.name)
            else:
                texts[field.name] = verbatim(html)
                kept.append(field.name)
        heading, sections = self._heading(note, note_type, texts)
        settings = {
            "type": self.names[note_type.id] if len(self.names) > 1 else "",
            "id": self._id(note.guid),
        }
        return Draft(
            note.deck,
            title_of(note),
            heading,
            "\n\n".join(sections),
            settings=settings,
            tags=note.tags,
            origin=Origin(note.guid, max(1, note.mod), note.id),
            written=written,
            verbatim=kept,
            key=note.id,
        )

    @staticmethod
    def _heading(note: Note, note_type: NoteType, texts: Mapping[str, str]) -> tuple[str, list[str]]:
        """Return the heading of a note, and the text below it.

        The text begins with the second field, followed by a section for each remaining field.
        """
        first, *others = [field.name for field in note_type.fields]
        heading = one_line(texts.get(first))
        sections = []
        # The second field has no section heading of its own, so it must come before all sections.
        if others and others[0] in texts:
            sections.append(texts[others[0]])
        if heading is None and first in texts:
            sections.append(f"### {first}\n\n{texts[first]}")
        sections += [f"### {name}\n\n{texts[name]}" for name in others[1:] if name in texts]
        return heading or as_heading(as_text(note.fields[0][:1000])) or title_of(note), sections

    def _id(self, guid: str) -> str:
        """Return the id to write in a source for a GUID; no two ids differ only in case."""
        name = guid_as_id(guid)
        if len(name) > _LONGEST_ID or name.casefold() in self._ids:
            name = guid_as_id(f"{guid} ")
        self._ids.add(name.casefold())
        return name


def default_type(note_types: Sequence[NoteType]) -> str:
    """Return the `type` setting for `deck.toml`: the only note type, or nothing if there are several."""
    names = dict(_names(note_types))
    return f"type = {json.dumps(*names.values())}\n" if len(names) == 1 else ""


def write_note_types(note_types: Sequence[NoteType], folder: Path) -> None:
    """Write a folder for each note type."""
    names = dict(_names(note_types))
    for note_type in note_types:
        _write_note_type(folder / "notetypes" / names[note_type.id], note_type)


def _names(note_types: Sequence[NoteType]) -> Iterator[tuple[int, str]]:
    """Yield the id of each note type with its name in the sources."""
    names = _file_names([each.name for each in note_types])
    return ((each.id, name) for each, name in zip(note_types, names, strict=True))


def _file_names(names: Iterable[str]) -> Iterator[str]:
    """Yield a unique file name for each name, made of ASCII letters, digits and `-`."""
    taken: set[str] = set()
    numbers: Counter[str] = Counter()
    for each in names:
        letters = unicodedata.normalize("NFKD", each).encode("ascii", "ignore").decode().lower()
        name = "-".join(re.findall(r"[a-z0-9]+", letters))[:_LONGEST_NAME].strip("-") or "notes"
        found = name
        while found in taken:
            numbers[name] += 1
            found = f"{name}-{numbers[name] + 1}"
        taken.add(found)
        yield found


def _write_note_type(folder: Path, note_type: NoteType) -> None:
    """Write a note type as the files that `source.notetypes` reads."""
    folder.mkdir(parents=True)
    templates = []
    files = _file_names([each.name for each in note_type.templates])
    for template, file in zip(note_type.templates, files, strict=True):
        about: dict[str, object] = {"name": template.name, "file": file}
        about |= {"id": template.id} if template.id is not None else {}
        about |= {"browser_front": template.browser_front} if template.browser_front else {}
        about |= {"browser_back": template.browser_back} if template.browser_back else {}
        templates.append(about)
        for side, html in (("front", template.front), ("back", template.back)):
            (folder / f"{file}.{side}.html").write_text(html, "utf-8", newline="")
    (folder / "style.css").write_text(note_type.css, "utf-8", newline="")
    fields = [
        {"name": each.name} | ({"id": each.id} if each.id is not None else {}) for each in note_type.fields
    ]
    kind = "cloze" if note_type.is_cloze else "standard"
    about = {
        "name": note_type.name,
        "kind": kind,
        "id": note_type.id,
        "fields": fields,
        "templates": templates,
    }
    text = json.dumps(about, ensure_ascii=False, indent=2)
    (folder / "notetype.json").write_text(f"{text}\n", "utf-8", newline="\n")
