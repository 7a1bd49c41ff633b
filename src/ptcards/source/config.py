"""`deck.toml`: the settings of a collection."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ptcards.diagnostics import Diagnostic, error
from ptcards.files.inputs import (
    MAX_CSS_BYTES,
    InputError,
    IrregularError,
    MissingError,
    OutsideError,
    read_input,
)
from ptcards.notes.notetypes import NoteType
from ptcards.source.exclude import read_pattern
from ptcards.source.notetypes import read_note_types, unknown_note_type
from ptcards.source.readers.registry import DIALECTS
from ptcards.source.toml import find_place, read_toml
from ptcards.suggest import did_you_mean

LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}")
"""A BCP 47 language tag, as far as decks need it."""
ID = re.compile(r"[A-Za-z0-9._-]{1,80}")

_MOST_SECONDS = 60
"""the maximum in a deck, which may be somebody else's; `--timeout` has no maximum"""
_REPORT = re.compile(r"https?://[^\s\"'<>{}]*\{guid\}[^\s\"'<>{}]*")
_PYTHON = re.compile(r"(?:python|pypy)(?:\d+(?:\.\d+)?)?(?:\.exe)?")
_MOST = 1_000_000_000
"""For numbers in `deck.toml`; a longer one could not even be printed."""
MAX_ITEMS = 100
"""The maximum number of entries in a list or table: each pattern is tried on each path."""
_MAX_PROBLEMS = 100
"""The maximum number of errors reported for one `deck.toml`."""
_ANKIS: Mapping[str, str] = MappingProxyType(
    {
        "marked": "notes that a learner marks with a star",
        "leech": "cards that a learner forgets again and again",
    }
)
"""tags with a meaning in Anki: what Anki gives them to"""


@dataclass(frozen=True, slots=True)
class CheckConfig:
    """The table `[check]`; `per_file_ignores` maps patterns of paths to rules."""

    ignore: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    enable: tuple[str, ...] = ()
    limits: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class VerifyConfig:
    """The table `[verify]`; `timeout` is in seconds for one note."""

    setup: str = ""
    requires: tuple[str, ...] = ()
    timeout: float = 30.0
    python: str = ""


@dataclass(frozen=True, slots=True)
class Pattern:
    """An entry of `[[dialects]]`: its files, their dialect, and the other settings of the entry."""

    files: tuple[str, ...] = ()
    dialect: str = ""
    options: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Config:
    """The settings in `deck.toml`, under their names there; `css` is the text of the CSS file."""

    name: str = ""
    id: str = ""
    description: str = ""
    license: str = ""
    tags: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    css: str = ""
    report: str = ""
    check: CheckConfig = CheckConfig()
    verify: VerifyConfig = VerifyConfig()
    include: tuple[str, ...] = ()
    cards: str = "all"
    mark: str = "#card"
    question_level: int = 2
    chapters: str = "tags"
    language: str = ""
    dialect: str = ""
    dialects: tuple[Pattern, ...] = ()
    tables: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """the options of dialects, by the dialects' names"""
    type: str = ""
    note_types: tuple[NoteType, ...] = ()
    """the collection's own note types, from the folder `notetypes` next to `deck.toml`"""
    broken_types: tuple[str, ...] = ()
    """the names of note types with errors"""


def plain_config(name: str) -> Config:
    """Return the settings of a folder or file without `deck.toml`."""
    return Config(name=name, id=f"plain:{name}")


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _texts(value: object) -> tuple[str, ...] | None:
    if isinstance(value, list) and len(value) <= MAX_ITEMS and all(isinstance(item, str) for item in value):
        return tuple(value)
    return None


def _seconds(value: object) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= _MOST_SECONDS:
        return float(value)
    return None


def _python(value: object) -> str | None:
    """Return the name or path of a Python; any other name could be any program on the reader's computer."""
    if not isinstance(value, str) or not value.isprintable():
        return None
    return value if not value or "/" in value or _PYTHON.fullmatch(value) else None


def _one_of(*known: str) -> Callable[[object], str | None]:
    return lambda value: value if isinstance(value, str) and value in known else None


def _level(value: object) -> int | None:
    return value if type(value) is int and 2 <= value <= 6 else None


def _mark(value: object) -> str | None:
    return value if isinstance(value, str) and re.fullmatch(r"#[^\s#]{1,80}", value) else None


def _language(value: object) -> str | None:
    return value if isinstance(value, str) and LANGUAGE.fullmatch(value) else None


def _options(value: object) -> Mapping[str, object] | None:
    return dict(value) if isinstance(value, dict) and len(value) <= MAX_ITEMS else None


def _patterns(value: object) -> tuple[Pattern, ...] | None:
    """Return the entries of `[[dialects]]`; the options of the dialects are checked elsewhere."""
    if not isinstance(value, list) or len(value) > MAX_ITEMS:
        return None
    read = []
    for entry in value:
        files = _texts(entry.get("files")) if isinstance(entry, dict) else None
        if not isinstance(entry, dict) or not files or not isinstance(entry.get("dialect"), str):
            return None
        options = {key: each for key, each in entry.items() if key not in ("files", "dialect")}
        read.append(Pattern(files, entry["dialect"], options))
    return tuple(read)


def _report(value: object) -> str | None:
    return value if isinstance(value, str) and (not value or _REPORT.fullmatch(value)) else None


def _lists(value: object) -> Mapping[str, tuple[str, ...]] | None:
    """Return a table that maps patterns of paths to lists."""
    if not isinstance(value, dict) or len(value) > MAX_ITEMS or not all(map(_is_pattern, value)):
        return None
    lists = {pattern: names for pattern, item in value.items() if (names := _texts(item)) is not None}
    return lists if len(lists) == len(value) else None


def _is_pattern(text: str) -> bool:
    try:
        read_pattern(text)
    except ValueError:
        return False
    return True


def _limits(value: object) -> Mapping[str, int] | None:
    if (
        isinstance(value, dict)
        and len(value) <= MAX_ITEMS
        and all(type(limit) is int and 0 < limit <= _MOST for limit in value.values())
    ):
        return dict(value)
    return None


_Reader = tuple[Callable[[object], object], str, str]
_TEXT: _Reader = (_text, "text in quotes", '"…"')
_TEXTS: _Reader = (_texts, f"a list of at most {MAX_ITEMS} texts", '["…", "…"]')
_TABLES = tuple(dialect for dialect, about in DIALECTS.items() if about.plugin)
# By table ("" for the top level): the keys, how each is read, and which values it accepts, in words and as an
# example.
_READERS: Mapping[str, Mapping[str, _Reader]] = MappingProxyType(
    {
        "": {
            "name": _TEXT,
            "id": _TEXT,
            "description": _TEXT,
            "license": _TEXT,
            "tags": _TEXTS,
            "exclude": _TEXTS,
            "css": _TEXT,
            "include": _TEXTS,
            "language": (_language, "a language code", '"de"'),
            "cards": (_one_of("all", "marked"), '`"all"` or `"marked"`', '"marked"'),
            "mark": (_mark, "a tag", '"#card"'),
            "question-level": (_level, "a number from 2 to 6", "3"),
            "chapters": (_one_of("tags", "decks", "off"), '`"tags"`, `"decks"` or `"off"`', '"decks"'),
            "dialect": _TEXT,
            "type": _TEXT,
            **dict.fromkeys(_TABLES, (_options, "a table", "{ … }")),
            "dialects": (
                _patterns,
                "tables with `files` and `dialect`",
                '[{ files = ["lists/**"], dialect = "details" }]',
            ),
            "report": (_report, "a web address with `{guid}` in it", '"https://…/issues/new?title={guid}"'),
        },
        "check": {
            "ignore": _TEXTS,
            "enable": _TEXTS,
            "per-file-ignores": (
                _lists,
                "a table of patterns with lists of rules",
                '{ "old/**" = ["relative-link"] }',
            ),
            "limits": (
                _limits,
                f"a table of at most {MAX_ITEMS} positive whole numbers",
                "{ code-columns = 72 }",
            ),
        },
        "verify": {
            "setup": _TEXT,
            "requires": _TEXTS,
            "timeout": (_seconds, "a number of seconds above 0, at most 60", "30"),
            "python": (_python, "the name of a Python, or a path", '".venv/bin/python"'),
        },
    }
)


def known_keys() -> Mapping[str, tuple[str, ...]]:
    """Return the keys of `deck.toml` by table; the top level has an empty name."""
    return {table: tuple(readers) for table, readers in _READERS.items()}


def read_config(file: Path, path: str) -> tuple[Config, list[Diagnostic]]:
    """Return the settings in `deck.toml`, and diagnostics that name it `path`.

    Missing or invalid parts become empty values and errors.
    """
    text, document, diagnostics = read_toml(file, path)
    if document is None:
        return Config(), diagnostics
    toml = _Toml(path, text, diagnostics)
    top = {key: value for key, value in document.items() if key not in _READERS}
    values = toml.read("", top)
    values["tables"] = {dialect: values.pop(dialect) for dialect in _TABLES if dialect in values}
    values["check"] = _check_config(toml.read("check", document.get("check", {})))
    values["verify"] = VerifyConfig(**toml.read("verify", document.get("verify", {})))
    _check_identity(toml, document, values)
    values["tags"] = _check_tags(toml, values.get("tags", ()))
    if css := values.get("css"):
        values["css"] = _read_css(file.parent, css, toml)
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
        """Return the valid values of one table; invalid ones are reported."""
        if not isinstance(entries, dict):
            fix = f"write `[{table}]` on a line of its own"
            self.error("", table, "wrong-value", f"`{table}` must be a table", fix)
            return {}
        values = {}
        readers = _READERS[table]
        for key, value in entries.items():
            if len(self.diagnostics) >= _MAX_PROBLEMS:
                break
            if key not in readers:
                where = f" in `[{table}]`" if table else ""
                known = (*readers, *(() if table else filter(None, _READERS)))
                fix = did_you_mean(key, known, "the keys are " + ", ".join(f"`{name}`" for name in known))
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


def _check_identity(toml: _Toml, document: Mapping[str, object], values: Mapping[str, Any]) -> None:
    if "name" not in document:
        toml.error(
            "", "name", "missing-key", "`name` is missing", 'add `name = "…"`, the name of the deck in Anki'
        )
    if "id" not in document:
        toml.error(
            "", "id", "missing-key", "`id` is missing", "run `ptcards init` in this folder to write one"
        )
    name, identity = values.get("name"), values.get("id")
    if name is not None and not is_deck_level(name):
        fix = "use a name without `::`, not empty, not `Default`"
        toml.error("", "name", "bad-deck-name", f"`{name}` cannot be a deck name", fix)
    if identity is not None and not ID.fullmatch(identity):
        fix = "use 1 to 80 letters, digits, `-`, `_`, `.`"
        toml.error("", "id", "malformed-id", f"`{identity}` cannot be an id", fix)


def is_deck_level(name: str) -> bool:
    """Whether Anki accepts this as one level of a deck name and keeps it unchanged (docs/anki.md, Decks)."""
    return (
        name == name.strip()
        and "::" not in name
        and name.isprintable()
        and name.lower() not in ("", "default")
    )


def _check_tags(toml: _Toml, tags: tuple[str, ...]) -> tuple[str, ...]:
    for tag in tags:
        if why := bad_tag(tag):
            toml.error("", "tags", "bad-tag", f"`{tag}` cannot be a tag: {why}", tag_fix(tag))
    return tuple(tag for tag in tags if not bad_tag(tag))


def tag_fix(tag: str) -> str:
    """Return how to fix a tag that Anki would not keep unchanged."""
    if meaning := _ANKIS.get(tag.lower()):
        return f"choose another: Anki uses it for {meaning}"
    return "write words joined with `-` or `::`"


def bad_tag(tag: str) -> str:
    """Return why Anki would not keep a tag unchanged (docs/anki.md, Tags), or an empty string."""
    if any(c.isspace() for c in tag):
        return "it has white space"
    if '"' in tag:
        return "it has a quotation mark"
    if not tag or not all(tag.split("::")):
        return "a part around `::` is empty"
    if tag.lower() in _ANKIS:
        return "Anki reserves this tag"
    if not tag.isprintable():
        return "it has an invisible character"
    return ""


def _read_css(folder: Path, name: str, toml: _Toml) -> str:
    rule, message, fix = (
        "missing-css",
        f"no file `{name}` in the collection",
        "name a CSS file in the collection",
    )
    try:
        return read_input(folder / name, folder, MAX_CSS_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        message, fix = f"`{name}` is not UTF-8", "save it as UTF-8"
    except (MissingError, IrregularError):
        pass
    except InputError as failure:
        message, fix = f"`{name}` {failure.reason}", failure.cure
        if isinstance(failure, OutsideError):
            rule = "outside-collection"
    toml.error("", "css", rule, message, fix)
    return ""
