"""Reads `deck.toml`, the settings of a collection."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ptcards.diagnostics import Diagnostic, error, warning
from ptcards.diagnostics.suggest import one_of
from ptcards.files.inputs import (
    MAX_CSS_BYTES,
    InputError,
    IrregularError,
    MissingError,
    OutsideError,
    read_input,
)
from ptcards.files.toml import find_place, read_toml
from ptcards.notes.notetypes import NoteType
from ptcards.source.anki_names import bad_tag, is_deck_level, tag_fix
from ptcards.source.config_keys import READERS, TABLES, Pattern
from ptcards.source.notetypes import read_note_types, unknown_note_type
from ptcards.source.readers.registry import GITHUB_INLINES

ID = re.compile(r"[A-Za-z0-9._-]{1,80}")

_MAX_PROBLEMS = 100
"""The maximum number of errors reported for one `deck.toml`."""


@dataclass(frozen=True, slots=True)
class CheckConfig:
    """The table `[check]`; `per_file_ignores` maps path patterns to rules."""

    ignore: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    enable: tuple[str, ...] = ()
    limits: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class VerifyConfig:
    """The table `[verify]`; `timeout` is in seconds per note."""

    setup: str = ""
    requires: tuple[str, ...] = ()
    timeout: float = 30.0
    python: str = ""


@dataclass(frozen=True, slots=True)
class NoteSettings:
    """The settings that decide what a note is, under their names in `deck.toml`."""

    cards: str = "all"
    mark: str = "#card"
    question_level: int = 2
    chapters: str = "tags"
    language: str = ""
    inlines: str = GITHUB_INLINES
    context: bool = False
    type: str = ""
    broken_types: tuple[str, ...] = ()
    """the names of note types with errors"""


@dataclass(frozen=True, slots=True)
class Config(NoteSettings):
    """The settings in `deck.toml`, under the same names; `css` is the text of the CSS file.

    `description_html` is the text of the HTML file that `description` names, if it names one.
    """

    name: str = ""
    id: str = ""
    description: str = ""
    description_html: str = ""
    license: str = ""
    tags: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    css: str = ""
    report: str = ""
    check: CheckConfig = CheckConfig()
    verify: VerifyConfig = VerifyConfig()
    include: tuple[str, ...] = ()
    dialect: str = ""
    dialects: tuple[Pattern, ...] = ()
    tables: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """the options of each dialect by its name"""
    note_types: tuple[NoteType, ...] = ()
    """the collection's own note types, from the folder `notetypes` next to `deck.toml`"""


def plain_config(name: str) -> Config:
    """Return the settings of a folder or file without `deck.toml`."""
    return Config(name=name, id=f"plain:{name}")


def read_config(file: Path, path: str) -> tuple[Config, list[Diagnostic]]:
    """Return the settings in `deck.toml`, and diagnostics, which use `path` as its path.

    A missing or invalid part becomes an empty value and an error.
    """
    text, document, diagnostics = read_toml(file, path)
    if document is None:
        return Config(), diagnostics
    toml = _Toml(path, text, diagnostics)
    top = {key: value for key, value in document.items() if key not in READERS}
    values = toml.read("", top)
    values["tables"] = {dialect: values.pop(dialect) for dialect in TABLES if dialect in values}
    values["check"] = _check_config(toml.read("check", document.get("check", {})))
    values["verify"] = VerifyConfig(**toml.read("verify", document.get("verify", {})))
    _check_identity(file, toml, document, values)
    values["tags"] = _check_tags(toml, values.get("tags", ()))
    if css := values.get("css"):
        values["css"] = _read_file(file.parent, css, toml, "missing-css", "a CSS file")
    if names_html(description := values.get("description", "")):
        values["description_html"] = _read_file(
            file.parent, description, toml, "missing-description", "an HTML file"
        )
        values["description"] = ""
    if values.get("license") == "":
        fix = "name the licence that the author chose, or remove the line"
        place = find_place(text, path, "", "license")
        diagnostics.append(warning(place, "empty-license", "the deck has no licence", fix, len("license")))
    types, values["broken_types"], found = read_note_types(file.parent, path.removesuffix(file.name))
    values["note_types"] = types
    toml.diagnostics.extend(found)
    if problem := unknown_note_type(values.get("type", ""), types, values["broken_types"]):
        toml.error("", "type", *problem)
    return Config(**values), toml.diagnostics


def _check_config(values: Mapping[str, Any]) -> CheckConfig:
    return CheckConfig(**{key.replace("-", "_"): value for key, value in values.items()})


@dataclass(frozen=True, slots=True)
class _Toml:
    """A `deck.toml` being read: its text, for locations, and the errors found in it."""

    path: str
    text: str
    diagnostics: list[Diagnostic]

    def read(self, table: str, entries: object) -> dict[str, Any]:
        """Return the valid values of a table, and report the invalid ones."""
        if not isinstance(entries, dict):
            fix = f"write `[{table}]` on a line of its own"
            self.error("", table, "wrong-value", f"`{table}` must be a table", fix)
            return {}
        values = {}
        readers = READERS[table]
        for key, value in entries.items():
            if len(self.diagnostics) >= _MAX_PROBLEMS:
                break
            if key not in readers:
                where = f" in `[{table}]`" if table else ""
                known = (*readers, *(() if table else filter(None, READERS)))
                fix = one_of(key, known)
                self.error(table, key, "unknown-key", f"unknown key `{key}`{where}", fix)
                continue
            reader, wanted, example = readers[key]
            if (read := reader(value)) is None:
                fix = f"write `{key} = {example}`"
                self.error(table, key, "wrong-value", f"`{key}` must be {wanted}", fix)
            else:
                values[key.replace("-", "_")] = read
        return values

    def error(self, table: str, key: str, rule: str, message: str, fix: str) -> None:
        """Report an error at a key; a missing key is not underlined."""
        place = find_place(self.text, self.path, table, key)
        there = self.text.split("\n")[place.line - 1].startswith(key, place.column - 1)
        self.diagnostics.append(error(place, rule, message, fix, len(key) if there else 1))


def _check_identity(
    file: Path, toml: _Toml, document: Mapping[str, object], values: Mapping[str, Any]
) -> None:
    if "name" not in document:
        toml.error(
            "", "name", "missing-key", "`name` is missing", 'add `name = "…"`, the name of the deck in Anki'
        )
    if "id" not in document:
        fix = "run `ptcards init` in this folder to write one"
        if os.path.lexists(file.with_name("deck.lock")):
            fix = 'write `id = "…"` with the id in the first line of `deck.lock`'
        toml.error("", "id", "missing-key", "`id` is missing", fix)
    name, identity = values.get("name"), values.get("id")
    if name is not None and not is_deck_level(name):
        fix = "use a name without `::` that is neither empty nor `Default`"
        toml.error("", "name", "bad-deck-name", f"`{name}` cannot be a deck name", fix)
    if identity is not None and not ID.fullmatch(identity):
        fix = "use 1 to 80 letters, digits, `-`, `_` or `.`"
        toml.error("", "id", "malformed-id", f"`{identity}` cannot be an id", fix)


def _check_tags(toml: _Toml, tags: tuple[str, ...]) -> tuple[str, ...]:
    for tag in tags:
        if why := bad_tag(tag):
            toml.error("", "tags", "bad-tag", f"`{tag}` cannot be a tag: {why}", tag_fix(tag))
    return tuple(tag for tag in tags if not bad_tag(tag))


def names_html(description: object) -> bool:
    """Whether a description is the name of an HTML file rather than a text."""
    return isinstance(description, str) and re.fullmatch(r"\S+\.html", description) is not None


def _read_file(folder: Path, name: str, toml: _Toml, rule: str, kind: str) -> str:
    """Return the text of the file that a key names, or report under `rule` that it cannot be read."""
    key = rule.removeprefix("missing-")
    message, fix = f"no file `{name}` in the collection", f"name {kind} in the collection"
    try:
        return read_input(folder / name, folder, MAX_CSS_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        message, fix = f"`{name}` is not UTF-8", "save it as UTF-8"
    except (MissingError, IrregularError):
        pass
    except InputError as failure:
        message, fix = f"`{name}` {failure.reason}", failure.help
        if isinstance(failure, OutsideError):
            rule = "outside-collection"
    toml.error("", key, rule, message, fix)
    return ""
