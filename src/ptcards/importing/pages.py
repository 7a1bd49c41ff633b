"""Writes a new collection: its sources, which are then read back, and its lock."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ptcards.diagnostics import Diagnostic, Severity, from_json
from ptcards.files import safe_name
from ptcards.files.git import FILES_FOR_GIT
from ptcards.files.names import slug
from ptcards.identity.lock import Lock, Record, TypeRecord, format_lock
from ptcards.identity.lock_reading import read_lock
from ptcards.importing.drafts import Draft, Origin
from ptcards.importing.package import Package
from ptcards.importing.problems import damaged
from ptcards.source.decks import MAX_DECK_LEVELS
from ptcards.source.silence import Owners
from ptcards.workspace import Contents, ReadOptions, Workspace
from ptcards.writers.rows import rows

_PIECE = 1 << 18
"""The number of characters to buffer."""
MOST_NOTES = 1000
_MOST_SIZE = 1 << 20
"""The maximum number of characters in a file.

Editors are slow with longer files, and GitHub does not show them.
"""

_HTML = "description.html"
_WHOSE = "  # what the deck's author allows, for example CC BY 4.0"


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a new collection.

    `html` is a description that Markdown cannot express. If `license` is empty, the author has to fill it in.
    """

    name: str
    id: str
    description: str = ""
    html: str = ""
    license: str = ""
    extra: str = ""

    def toml(self) -> str:
        """Return the text of `deck.toml`."""
        lines = [
            f"name = {_quoted(self.name)}",
            f"id = {_quoted(self.id)}  # identifies this collection in Anki; never change it",
        ]
        description = _HTML if self.html else self.description
        lines += [f"description = {_quoted(description)}"] if description else []
        lines += [f"license = {_quoted(self.license)}{'' if self.license else _WHOSE}"]
        return "\n".join(lines) + "\n" + self.extra


def _quoted(text: str) -> str:
    """Return a text quoted for both TOML and YAML."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


@dataclass(slots=True)
class _Part:
    """A source that is being written: its notes by their first lines, and its length so far."""

    file: Path
    notes: dict[int, int] = field(default_factory=dict)
    lines: int = 0
    size: int = 0

    @property
    def is_full(self) -> bool:
        """Whether the next note must go into another file."""
        return len(self.notes) >= MOST_NOTES or self.size >= _MOST_SIZE


@dataclass(slots=True)
class Pages:
    """The sources in a folder; `places` maps each file to its notes by their first lines."""

    folder: Path
    settings: Settings
    descriptions: Mapping[str, str] = field(default_factory=dict)
    places: dict[str, Mapping[int, int]] = field(default_factory=dict)
    _parts: dict[str, list[_Part]] = field(default_factory=dict)
    _waiting: dict[Path, list[str]] = field(default_factory=lambda: defaultdict(list))
    _size: int = 0

    def write(self, drafts: Iterable[Draft]) -> None:
        """Write each note to a file of its deck."""
        for draft in drafts:
            part = self._part(draft.deck)
            self._put(part, "\n")
            part.notes[part.lines + 1] = draft.key
            self._put(part, draft.markdown())
            if self._size > _PIECE:
                self._flush()
        self._flush()
        for name, part in self._named():
            part.file.rename(self.folder / name)
            self.places[name] = part.notes
        (self.folder / "deck.toml").write_text(self.settings.toml(), "utf-8", newline="\n")
        if self.settings.html:
            (self.folder / _HTML).write_text(self.settings.html, "utf-8", newline="")
        for name, line in FILES_FOR_GIT.items():
            (self.folder / name).write_text(f"{line}\n", "utf-8", newline="\n")

    def _part(self, deck: str) -> _Part:
        """Return the file for the next note of a deck."""
        parts = self._parts.setdefault(deck, [])
        if not parts or parts[-1].is_full:
            number = sum(map(len, self._parts.values()))
            parts.append(_Part(self.folder / f".{number}.md"))
            self._put(parts[-1], self._head(deck, is_first=len(parts) == 1))
        return parts[-1]

    def _put(self, part: _Part, text: str) -> None:
        self._waiting[part.file].append(text)
        part.lines += text.count("\n")
        part.size += len(text)
        self._size += len(text)

    def _flush(self) -> None:
        for file, texts in self._waiting.items():
            with file.open("a", encoding="utf-8", newline="\n") as stream:
                stream.writelines(texts)
        self._waiting.clear()
        self._size = 0

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
        head = f"---\ndeck: {_quoted(deck.partition('::')[2])}\n---\n"
        if is_first and (description := self.descriptions.get(deck)):
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


def read_back(
    pages: Pages, options: ReadOptions
) -> tuple[Contents, Mapping[int, list[Diagnostic]], list[Diagnostic]]:
    """Return the collection as written, the errors of each note by its key, and all other diagnostics."""
    workspace = Workspace.read(
        [pages.folder],
        options,
        # Errors that would stop a build are included.
        lambda collection: (rows(collection.config.note_types),),
    )
    (contents,) = workspace.contents
    rendered = (from_json(each) for _, (_, found) in contents.parts("rendered") for each in found)
    owners = Owners(contents.summaries)
    wrong: dict[int, list[Diagnostic]] = defaultdict(list)
    others: list[Diagnostic] = []
    for each in (*workspace.diagnostics, *rendered):
        if each.severity is Severity.ERROR:
            owner = owners.find(each.location)
            key = None if owner is None else key_at(pages, owner.location.path, owner.location.line)
            if key is None:
                others.append(each)
            else:
                wrong[key].append(each)
    return contents, wrong, others


def key_at(pages: Pages, path: str, line: int) -> int | None:
    """Return the key of the note that begins at a location, or `None` if none does."""
    return pages.places.get(Path(path).name, {}).get(line)


def write_lock(folder: Path, contents: Contents, origins: Iterable[Origin | None], package: Package) -> None:
    """Write `deck.lock` for the notes of a collection that came with a package, in their order.

    Notes without an origin are new to everybody; the first build records them. Raises NotImportableError if a
    value from the package does not fit into a lock.
    """
    records = [
        Record(origin.guid, origin.mod, live=True, fingerprint=summary.fingerprint, nid=str(origin.nid))
        for summary, origin in zip(contents.summaries, origins, strict=True)
        if origin is not None
    ]
    newest = max(record.mod for record in records)
    known = package.database.note_types
    types = [
        TypeRecord(
            each.key,
            max(1, known[each.id].mod) if each.id in known else newest,
            each.digest,
            *each.lock_columns,
        )
        for each in contents.note_types
    ]
    lock = Lock(contents.collection.config.id, tuple(types), tuple(records))
    file = folder / "deck.lock"
    file.write_text(format_lock(lock), "utf-8", newline="\n")
    # Values from a package become lines of the lock. None may break a line in two or make the lock
    # unreadable.
    read, _ = read_lock(file, shown="", collection_id=lock.collection_id)
    if read is None or {*read.records} != {*records} or {*read.types} != {*types}:
        raise damaged(package.path, "a GUID, a time or an id is invalid")
