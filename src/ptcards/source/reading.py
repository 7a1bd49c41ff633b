"""Decides how to read a source: its dialect, and the settings that decide what a note is."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path

from ptcards.diagnostics import Diagnostic, Location, error
from ptcards.diagnostics.suggest import one_of
from ptcards.files.foreign_json import JsonLimit, LargeDocumentError, build_json
from ptcards.files.inputs import InputError, MissingError, read_input
from ptcards.files.names import shown
from ptcards.files.toml import key_place
from ptcards.notes.notetypes import NoteType
from ptcards.source import exclude
from ptcards.source.attributes import Attributes
from ptcards.source.config import Config, NoteSettings
from ptcards.source.config_keys import Pattern
from ptcards.source.notetypes import OWN_PREFIX, unknown_note_type
from ptcards.source.readers.registry import (
    DIALECTS,
    NOTHING,
    OWN,
    VAULT,
    Dialect,
    Options,
    merged,
)

_PLUGIN = JsonLimit(32 << 20, 8 << 20, 1_000_000)
"""The limit for a plugin's settings file; some plugins also keep their data in it."""


@dataclass(frozen=True, slots=True)
class SourceSettings(NoteSettings):
    """The settings for reading a source.

    `options` has the options of every dialect, because front matter may select a different dialect.
    """

    dialect: str = OWN
    options: tuple[tuple[str, Options], ...] = ()
    note_types: tuple[NoteType, ...] = ()

    def unknown_type(self, name: str) -> tuple[str, str, str] | None:
        """Return the rule, message and fix for a name that is not one of the collection's own note types.

        Return `None` if it is one of them.
        """
        return unknown_note_type(name, self.note_types, self.broken_types)

    def type_of(self, attributes: Attributes) -> NoteType | None:
        """Return the note's note type if it is one of the collection's own, otherwise `None`."""
        name = attributes.type or ("" if attributes.kind else self.type)
        return next((each for each in self.note_types if each.key == OWN_PREFIX + name), None)

    def options_of(self, dialect: str) -> Options:
        """Return the options of a dialect that are set."""
        return dict(self.options).get(dialect, ())

    def with_dialect(self, written: str) -> "SourceSettings":
        """Return a copy with a dialect from front matter or the command line, such as `details:bold`."""
        dialect, _, option = written.partition(":")
        key = DIALECTS[dialect].first_option if dialect in DIALECTS else ""
        added = {**dict(self.options), dialect: merged(self.options_of(dialect), {key: option})}
        options = tuple(added.items()) if option and key else self.options
        return replace(self, dialect=dialect, options=options)


AS_OURS = SourceSettings()


class SettingsByFile:
    """Decides how to read the sources of a collection; each vault's settings are read once."""

    def __init__(self, root: Path, config: Config, dialect: str = "") -> None:
        self._root = root
        self._config = config
        self._dialect = dialect
        self._vaults: dict[Path, Path | None] = {}
        self._readings: dict[tuple[Path | None, int], SourceSettings] = {}
        self._unread: list[tuple[str, Path, Exception]] = []
        self._plugins: dict[tuple[Path | None, str], Mapping[str, object]] = {}

    @cached_property
    def patterns(self) -> tuple[tuple[list[exclude.Pattern], Pattern], ...]:
        """The entries of `[[dialects]]` with their parsed patterns; an invalid pattern matches nothing."""
        return tuple((exclude.valid_patterns(each.files), each) for each in self._config.dialects)

    def of(self, name: str) -> SourceSettings:
        """Return how to read a source; it is the same for all sources with the same vault and entry."""
        entry = self._entry(name)
        key = self._vault(self._root / name), id(entry)
        if key not in self._readings:
            self._readings[key] = self._read(name, entry)
        return self._readings[key]

    def _read(self, name: str, entry: Pattern | None) -> SourceSettings:
        config = self._config
        written = self._dialect or (entry.dialect if entry else config.dialect) or OWN
        options = {each: self._options(each, name, entry) for each in DIALECTS}
        reading = SourceSettings(
            options=tuple((each, found) for each, found in options.items() if found),
            note_types=tuple(each.bare for each in config.note_types),
            **{each.name: getattr(config, each.name) for each in fields(NoteSettings)},
        )
        return reading.with_dialect(written)

    def _options(self, dialect: str, name: str, entry: Pattern | None) -> Options:
        """Return the options set by the plugin, the table and the entry, each overriding the one before."""
        options: Options = ()
        for layer, _ in self._layers(dialect, name, entry):
            options = merged(options, layer)
        return options

    def _layers(
        self, dialect: str, name: str, entry: Pattern | None
    ) -> Iterator[tuple[Mapping[str, object], str]]:
        """Yield the settings for a source and where they come from, each overriding those before."""
        vault = self._vault(self._root / name)
        if vault and dialect in DIALECTS:
            file = vault / DIALECTS[dialect].plugin
            yield self._plugin(vault, dialect), file.relative_to(self._root).as_posix()
        yield _right(dialect, self._config.tables.get(dialect, {})), f"[{dialect}] in deck.toml"
        if entry and entry.dialect == dialect:
            yield _right(dialect, entry.options), "[[dialects]] in deck.toml"

    def origins(self, dialect: str, name: str) -> Iterator[tuple[str, object, str]]:
        """Yield each option of a source's dialect that is set, with its value and where it comes from."""
        found: dict[str, tuple[object, str]] = {}
        for layer, origin in self._layers(dialect, name, self._entry(name)):
            found.update({key: (value, origin) for key, value in layer.items()})
        yield from ((key, *said) for key, said in sorted(found.items()))

    def _entry(self, name: str) -> Pattern | None:
        return next((each for patterns, each in self.patterns if exclude.is_excluded(name, patterns)), None)

    def _vault(self, file: Path) -> Path | None:
        """Return the nearest vault that contains a file, up to the collection's folder."""
        folder = file.parent
        if folder not in self._vaults:
            is_top = folder == self._root or not folder.is_relative_to(self._root)
            found = folder if (folder / VAULT).is_dir() else None
            self._vaults[folder] = found or (None if is_top else self._vault(folder))
        return self._vaults[folder]

    def vault_above(self, name: str) -> Path | None:
        """Return the vault above the collection whose settings would decide how to read a source, if any."""
        about = DIALECTS.get(self.of(name).dialect)
        if not about or not about.plugin or self._vault(self._root / name):
            return None
        # `Path.is_dir` raises if a folder is unreadable.
        above = (folder for folder in self._root.parents if os.path.isdir(folder / VAULT))  # noqa: PTH112
        return next(above, None)

    def _plugin(self, vault: Path | None, dialect: str) -> Mapping[str, object]:
        if (vault, dialect) not in self._plugins:
            self._plugins[vault, dialect] = self._read_plugin(vault, dialect)
        return self._plugins[vault, dialect]

    def _read_plugin(self, vault: Path | None, dialect: str) -> Mapping[str, object]:
        about = DIALECTS[dialect]
        if vault is None or not about.plugin:
            return {}
        file = vault / about.plugin
        try:
            read = build_json(read_input(file, self._root, _PLUGIN.size), _PLUGIN)
        except MissingError:
            return {}
        except (InputError, ValueError, RecursionError) as failure:
            self._unread.append((dialect, file, failure))
            return {}
        folder = vault.relative_to(self._root).as_posix()
        below = "" if folder == "." else f"{folder}/"
        return about.of_plugin(read, below) if isinstance(read, dict) else {}

    def unread(self) -> Iterator[tuple[str, Diagnostic]]:
        """Yield an error for each plugin's settings file that cannot be read, with the plugin's dialect."""
        for dialect, file, failure in self._unread:
            place, what = Location(shown(file), 1), "is not valid JSON"
            fix = "change a setting of the plugin, so that it writes the file again"
            if isinstance(failure, json.JSONDecodeError):
                place = Location(shown(file), failure.lineno, failure.colno)
            elif isinstance(failure, InputError):
                what, fix = failure.reason, failure.help
            elif isinstance(failure, LargeDocumentError):
                what, fix = str(failure), "make the file smaller"
            yield dialect, error(place, "plugin-settings", f"the plugin's `{file.name}` {what}", fix)

    @property
    def files(self) -> tuple[Path, ...]:
        """The settings files of plugins that were looked for, whether they exist or not."""
        vaults = sorted({vault for vault in (self._root, *self._vaults.values()) if vault})
        return tuple(vault / each.plugin for vault in vaults for each in DIALECTS.values() if each.plugin)


def _right(dialect: str, options: Mapping[str, object]) -> Mapping[str, object]:
    """Return the options of a dialect without those that `check_dialects` reports."""
    about = DIALECTS.get(dialect, Dialect())
    return {name: value for name, value in options.items() if not about.wrong_option(name, value)}


def check_dialects(root: Path, path: str, config: Config) -> Iterator[Diagnostic]:
    """Yield an error for each invalid dialect or option in `deck.toml`; `path` is its path in messages."""

    def at(table: str, key: str, problem: tuple[str, str, str] | None) -> Iterator[Diagnostic]:
        if problem:
            yield error(key_place(root / "deck.toml", path, table, key), *problem, len(key))

    if config.dialect:
        yield from at("", "dialect", wrong_dialect(config.dialect))
    for each in config.dialects:
        yield from at("", "dialects", wrong_dialect(each.dialect, needs=False))
        if about := DIALECTS.get(each.dialect):
            for name, value in each.options.items():
                yield from at("", "dialects", about.wrong_option(name, value))
            yield from at("", "dialects", about.missing(each.options))
    for dialect, table in config.tables.items():
        for name, value in table.items():
            yield from at(dialect, name, DIALECTS[dialect].wrong_option(name, value))


def wrong_dialect(written: str, *, needs: bool = True) -> tuple[str, str, str] | None:
    """Return the rule, message and fix for an invalid dialect, or `None` if it is valid."""
    name, _, option = written.partition(":")
    if name in (OWN, NOTHING):
        return None
    about = DIALECTS.get(name)
    if about is None:
        known = (OWN, *DIALECTS, NOTHING)
        fix = one_of(name, known)
        return "unknown-dialect", f"unknown dialect `{name}`", fix
    if option:
        return about.wrong_option(about.first_option, option)
    return about.missing({}) if needs else None
