"""The sources of a new collection: a file for each deck, written note by note and read back."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ptcards.cache import Cache
from ptcards.diagnostics import Diagnostic, Severity
from ptcards.files import safe_name
from ptcards.git import FILES_FOR_GIT
from ptcards.importing.drafts import Draft
from ptcards.names import slug
from ptcards.workspace import Contents, Owners, Workspace

_PIECE = 1 << 18
"""Characters that wait to be written."""
ROOT = "README.md"
"""Notes of the deck above all others: only a file of this name makes no level of its own."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What `deck.toml` says of a new collection; `front` are lines of front matter for all of its files."""

    name: str
    id: str
    description: str = ""
    extra: str = ""

    def toml(self, *, has_root: bool) -> str:
        """Return `deck.toml`."""
        lines = [
            f"name = {_quoted(self.name)}",
            f"id = {_quoted(self.id)}  # names this collection to Anki; never change it",
        ]
        lines += [f"description = {_quoted(self.description)}"] if self.description else []
        lines += [f'include = ["{ROOT}"]  # the notes of the deck above all others'] if has_root else []
        return "\n".join(lines) + "\n" + self.extra


def _quoted(text: str) -> str:
    """Write a text as TOML and YAML read it."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


@dataclass(slots=True)
class Pages:
    """The sources in a folder: `places` are the notes of each file by the lines where they begin."""

    folder: Path
    settings: Settings
    descriptions: Mapping[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    places: dict[str, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    _waiting: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    _lines: dict[str, int] = field(default_factory=dict)
    _size: int = 0

    def write(self, drafts: Iterable[Draft]) -> None:
        """Write notes, each into the file of its deck."""
        for draft in drafts:
            name = self._name(draft.deck)
            if name not in self._lines:
                self._put(name, self._head(draft.deck, name))
            self._put(name, "\n" if self._lines[name] else "")
            self.places[name][self._lines[name] + 1] = draft.key
            self._put(name, draft.markdown())
            if self._size > _PIECE:
                self._flush()
        self._flush()
        has_root = ROOT in self.places
        (self.folder / "deck.toml").write_text(self.settings.toml(has_root=has_root), "utf-8", newline="\n")
        for name, line in FILES_FOR_GIT.items():
            (self.folder / name).write_text(f"{line}\n", "utf-8", newline="\n")

    def _put(self, name: str, text: str) -> None:
        self._waiting[name].append(text)
        self._lines[name] = self._lines.get(name, 0) + text.count("\n")
        self._size += len(text)

    def _flush(self) -> None:
        for name, texts in self._waiting.items():
            with (self.folder / name).open("a", encoding="utf-8", newline="\n") as stream:
                stream.writelines(texts)
        self._waiting.clear()
        self._size = 0

    def _name(self, deck: str) -> str:
        """Return the name of a deck's file: of its last level, and of those above where another has it."""
        if deck not in self.names:
            levels = deck.split("::")[1:]
            taken = {each.casefold() for each in self.names.values()}
            names = [slug(" ".join(levels[-depth:])) for depth in range(1, len(levels) + 1)]
            names += [f"{names[-1]}-{number}" for number in range(2, len(taken) + 3)] if names else []
            usable = (f"{safe_name(name)}.md" for name in names if name not in ("readme", "media", "build"))
            self.names[deck] = next((name for name in usable if name not in taken), ROOT) if levels else ROOT
        return self.names[deck]

    def _head(self, deck: str, name: str) -> str:
        """Return what stands above the notes of a deck."""
        if name == ROOT:
            return ""
        levels = deck.partition("::")[2]
        head = f"---\ndeck: {_quoted(levels)}\n---\n"
        if description := self.descriptions.get(deck):
            head += f"\n# {deck.rpartition('::')[2]}\n\n{description}\n"
        return head


def read_back(
    pages: Pages, cache: Cache
) -> tuple[Contents, Mapping[int, list[Diagnostic]], list[Diagnostic]]:
    """Return what was written, the errors of each note by its key, and all others."""
    (contents,) = Workspace.read([pages.folder], cache).contents
    owners = Owners(contents.summaries)
    wrong: dict[int, list[Diagnostic]] = defaultdict(list)
    others: list[Diagnostic] = []
    for each in contents.diagnostics:
        if each.severity is Severity.ERROR:
            owner = owners.find(each.location)
            key = None if owner is None else key_at(pages, owner.location.path, owner.location.line)
            if key is None:
                others.append(each)
            else:
                wrong[key].append(each)
    return contents, wrong, others


def key_at(pages: Pages, path: str, line: int) -> int | None:
    """Return the key of the note that begins at a place; None if none does."""
    return pages.places.get(Path(path).name, {}).get(line)
