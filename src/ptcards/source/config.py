"""Reads `deck.toml`, the settings of a collection: its keys, their values, and what is wrong with them."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from ptcards.diagnostics import Diagnostic, Location, Trait, error, warning
from ptcards.diagnostics.keys import Key, is_flag, is_one_of, is_text, read_key, valid_if
from ptcards.diagnostics.suggest import suggest
from ptcards.files.inputs import (
    MAX_CSS_BYTES,
    InputError,
    IrregularError,
    MissingError,
    OutsideError,
    one_file,
    read_text,
    refuse_backslash,
    shown,
    slug,
)
from ptcards.files.toml import extended_file, find_place, from_entry, read_toml
from ptcards.notes import Macro
from ptcards.notes.notetypes import NoteType
from ptcards.source.dialects import GITHUB_INLINES, NOTHING, Dialect, all_dialects
from ptcards.source.exclude import read_pattern
from ptcards.source.macro_definitions import read_macros
from ptcards.source.own_notetypes import lost_addresses, read_note_types, unknown_note_type
from ptcards.source.valid_names import (
    CARD_KEYS,
    FRONT_MATTER_KEYS,
    ID,
    LANGUAGE,
    bad_tag,
    is_deck_level,
    tag_fix,
)
from ptcards.value_class import value_class

_MOST_SECONDS = 60
"""The longest timeout that a deck may set, as the deck may be somebody else's; `--timeout` has no maximum."""
_FILLED = r"(?:[^\s\"'<>{}]|\{(?:guid|version|question|deck)\})*"
_REPORT = re.compile(rf"(?:(?=.*\{{guid\}})https?://{_FILLED})?")
_MARK = re.compile(r"#[^\s#]{1,80}")
_SERVER = r"https://[^\s\"'<>{}?#/]+|http://(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?"
_FOLDER = re.compile(rf"(?:{_SERVER})(?:/[^\s\"'<>{{}}?#]*)?")
_ADDRESS = re.compile(rf"(?:(?:{_SERVER})(?:/[^\s\"'<>{{}}]*)?)?")
_PAGE = re.compile(rf"(?:(?:{_SERVER})(?:/{_FILLED})?)?")
_PYTHON = re.compile(r"(?:python|pypy)(?:\d+(?:\.\d+)?)?(?:\.exe)?")
_MOST = 1_000_000_000
"""The largest number in `deck.toml`; Python refuses to print very long ones."""
SECTION_NAMES = ("hint", "details", "sources")
"""The sections that `require` in `[add]` may name."""
MAX_ITEMS = 100
"""The maximum number of entries in a list or table, because each pattern is tried on each path."""


@value_class
class DialectEntry:
    """An entry of `[[dialects]]`: its files, their dialect, and the other settings of the entry."""

    files: tuple[str, ...] = ()
    dialect: str = ""
    options: Mapping[str, object] = field(default_factory=dict)


@value_class
class NoteFilter:
    """The notes that match each key that is not empty, by one of its entries."""

    tags: tuple[str, ...] = ()
    decks: tuple[str, ...] = ()
    """names below the root deck"""
    sources: tuple[str, ...] = ()
    """patterns as in `exclude`"""


@value_class
class EditionConfig(NoteFilter):
    """A table `[[editions]]`: the notes of the filter without those that match a key of `without`.

    `name` is the suffix of the outputs, and `place` is where the author wrote it. The complete collection is
    an edition without a name. A translation of all of it is an edition with a `language`, whose `title` is
    the name of its root deck; the others leave translations out.
    """

    name: str = ""
    title: str = ""
    without: NoteFilter = NoteFilter()
    language: str = ""
    place: Location = field(default=Location("", 1), compare=False)


def _texts(value: object) -> tuple[str, ...] | None:
    if isinstance(value, list) and len(value) <= MAX_ITEMS and all(isinstance(item, str) for item in value):
        return tuple(value)
    return None


def _some_texts(value: object) -> tuple[str, ...] | None:
    return _texts(value) or None


def _some_patterns(value: object) -> tuple[str, ...] | None:
    patterns = _some_texts(value)
    return patterns if patterns and all(map(_is_pattern, patterns)) else None


def _note_filter(value: object) -> NoteFilter | None:
    """Return what the table `not` of an edition leaves out."""
    keys = {key: KEYS["editions"][key].read for key in _FILTER}
    if not isinstance(value, dict) or not value or not keys.keys() >= value.keys():
        return None
    lists = {key: keys[key](names) for key, names in value.items()}
    return NoteFilter(**lists) if all(lists.values()) else None


def _seconds(value: object) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= _MOST_SECONDS:
        return float(value)
    return None


def _python(value: object) -> str | None:
    """Return the name or path of a Python interpreter; any other name could run an unrelated program."""
    if not isinstance(value, str) or not value.isprintable():
        return None
    return value if not value or "/" in value or _PYTHON.fullmatch(value) else None


def _text_like(pattern: re.Pattern[str]) -> Callable[[object], str | None]:
    """Return a reader of texts of this form."""
    return lambda value: value if isinstance(value, str) and pattern.fullmatch(value) else None


def _languages(value: object) -> Mapping[str, str] | None:
    """Return a table of language codes with what the languages are called in the names of decks."""
    if not isinstance(value, dict) or len(value) > MAX_ITEMS or not all(map(LANGUAGE.fullmatch, value)):
        return None
    are_names = all(isinstance(name, str) and is_deck_level(name) for name in value.values())
    return dict(value) if are_names else None


def _options(value: object) -> Mapping[str, object] | None:
    return dict(value) if isinstance(value, dict) and len(value) <= MAX_ITEMS else None


def _patterns(value: object) -> tuple[DialectEntry, ...] | None:
    """Return the entries of `[[dialects]]`; `check_dialects` checks their options."""
    if not isinstance(value, list) or len(value) > MAX_ITEMS:
        return None
    read = []
    for entry in value:
        files = _texts(entry.get("files")) if isinstance(entry, dict) else None
        if not isinstance(entry, dict) or not files or not isinstance(entry.get("dialect"), str):
            return None
        options = {key: each for key, each in entry.items() if key not in ("files", "dialect")}
        dialect, _, written = entry["dialect"].partition(":")
        options = all_dialects().get(dialect, Dialect()).written(written) | options
        read.append(DialectEntry(files, dialect, options))
    return tuple(read)


def _folder_address(value: object) -> str | None:
    """Return the address of a folder, which ends with `/`."""
    if not isinstance(value, str) or (value and not _FOLDER.fullmatch(value)):
        return None
    return value if not value or value.endswith("/") else f"{value}/"


def _lists(value: object) -> Mapping[str, tuple[str, ...]] | None:
    """Return a table that maps path patterns to lists of strings."""
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


def _sections(value: object) -> tuple[str, ...] | None:
    names = _texts(value)
    return names if names is not None and set(names) <= {*SECTION_NAMES} else None


def _limits(value: object) -> Mapping[str, int] | None:
    if (
        isinstance(value, dict)
        and len(value) <= MAX_ITEMS
        and all(type(limit) is int and 0 < limit <= _MOST for limit in value.values())
    ):
        return dict(value)
    return None


_TEXT = Key(valid_if(is_text), "text in quotes", '"…"')
_TEXTS = Key(_texts, f"a list of at most {MAX_ITEMS} strings", '["…", "…"]')
_SOME_TEXTS = Key(_some_texts, f"a list of 1 to {MAX_ITEMS} strings", '["…", "…"]')
_FILTER = ("tags", "decks", "sources")
_INLINES = (GITHUB_INLINES, *(name for name, about in all_dialects().items() if about.inlines))
TABLES = tuple(dialect for dialect, about in all_dialects().items() if about.plugin)
# The keys by table; "" is the top level.
KEYS: Mapping[str, Mapping[str, Key]] = MappingProxyType(
    {
        "": {
            "name": _TEXT,
            "id": _TEXT,
            "extends": _TEXT,
            "description": _TEXT,
            "license": _TEXT,
            "tags": _TEXTS,
            "order": _TEXTS,
            "exclude": _TEXTS,
            "css": _TEXT,
            "include": _TEXTS,
            "inlines": Key(
                valid_if(is_one_of(*_INLINES)),
                " or ".join(f'`"{name}"`' for name in _INLINES),
                f'"{_INLINES[-1]}"',
            ),
            "context": Key(valid_if(is_flag), "`true` or `false`", "true"),
            "language": Key(_text_like(LANGUAGE), "a language code", '"de"'),
            "languages": Key(_languages, "a table of language codes with names", '{ de = "Deutsch" }'),
            "cards": Key(valid_if(is_one_of("all", "marked")), '`"all"` or `"marked"`', '"marked"'),
            "mark": Key(_text_like(_MARK), "a tag", '"#card"'),
            "question-level": Key(valid_if(is_one_of(2, 3, 4, 5, 6)), "a number from 2 to 6", "3"),
            "chapters": Key(
                valid_if(is_one_of("tags", "decks", "off")), '`"tags"`, `"decks"` or `"off"`', '"decks"'
            ),
            "dialect": _TEXT,
            "type": _TEXT,
            **dict.fromkeys(TABLES, Key(_options, "a table", "{ … }")),
            "dialects": Key(
                _patterns,
                "tables with `files` and `dialect`",
                f'[{{ files = ["lists/**"], dialect = "{next(iter(all_dialects()), NOTHING)}" }}]',
            ),
            "report": Key(
                _text_like(_REPORT),
                "a web address with `{guid}` in it",
                '"https://…/issues/new?title={guid}"',
            ),
        },
        "check": {
            "ignore": _TEXTS,
            "enable": _TEXTS,
            "per-file-ignores": Key(
                _lists,
                "a table of patterns with lists of rules",
                '{ "old/**" = ["relative-link"] }',
            ),
            "limits": Key(
                _limits,
                f"a table of at most {MAX_ITEMS} positive whole numbers",
                "{ code-columns = 72 }",
            ),
        },
        "add": {
            "require": Key(
                _sections,
                "a list of sections: " + ", ".join(f'`"{name}"`' for name in SECTION_NAMES),
                '["sources"]',
            ),
        },
        "editions": {
            "name": _TEXT,
            "title": _TEXT,
            "tags": _SOME_TEXTS,
            "decks": _SOME_TEXTS,
            "sources": Key(_some_patterns, f"a list of 1 to {MAX_ITEMS} patterns", '["basics/**"]'),
            "not": Key(_note_filter, "a table with `tags`, `decks` or `sources`", '{ tags = ["…"] }'),
        },
        "math": {"macros": _TEXT},
        "release": {
            "url": Key(_folder_address, "the `https://` address of a folder", '"https://…/"'),
            "issues": Key(_text_like(_PAGE), "an `https://` address", '"https://…/issues/new"'),
            "addon": Key(_text_like(_ADDRESS), "an `https://` address", '"https://…"'),
        },
        "verify": {
            "setup": _TEXT,
            "requires": _TEXTS,
            "timeout": Key(_seconds, "a number of seconds above 0 and at most 60", "30"),
            "python": Key(_python, "the name or path of a Python interpreter", '".venv/bin/python"'),
        },
    }
)


def _elsewhere(here: str) -> Mapping[str, str]:
    """Return where the keys go that are not in this table of `deck.toml`; the top level has no name."""
    places = dict.fromkeys(CARD_KEYS, "in a card comment")
    places |= dict.fromkeys(FRONT_MATTER_KEYS, "in front matter")
    places |= dict.fromkeys({*CARD_KEYS} & {*FRONT_MATTER_KEYS}, "in front matter or a card comment")
    for table, keys in reversed((*KEYS.items(),)):  # what both have is more probably meant for the top level
        places |= dict.fromkeys(keys, f"in `{header(table)}`" if table else "above the first table")
    if not here:
        places["title"] = f"as `name`, or {places['title']}"
    return {key: place for key, place in places.items() if key not in KEYS[here]}


def header(table: str) -> str:
    """Return the line that begins a table of `deck.toml`."""
    return f"[[{table}]]" if table == "editions" else f"[{table}]"


def known_keys() -> Mapping[str, tuple[str, ...]]:
    """Return the keys of `deck.toml` by table; the name of the top level is empty."""
    return {table: tuple(keys) for table, keys in KEYS.items()}


_MAX_PROBLEMS = 100
"""The maximum number of errors reported for one `deck.toml`."""


@value_class
class CheckConfig:
    """The table `[check]`; `per_file_ignores` maps path patterns to rules."""

    ignore: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    enable: tuple[str, ...] = ()
    limits: Mapping[str, int] = field(default_factory=dict)


@value_class
class AddConfig:
    """The table `[add]`; `require` names the sections without which `ptcards add` refuses a note."""

    require: tuple[str, ...] = ()


@value_class
class VerifyConfig:
    """The table `[verify]`; `timeout` is in seconds per note."""

    setup: str = ""
    requires: tuple[str, ...] = ()
    timeout: float = 30.0
    python: str = ""


@value_class
class ReleaseConfig:
    """The table `[release]`: the address where releases are published, and where suggestions go.

    `url` is empty or ends with `/`. `addon` is the address where learners get the add-on.
    """

    url: str = ""
    issues: str = ""
    addon: str = ""


@value_class
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
    macros: tuple[Macro, ...] = ()
    """the macros for formulas, from the file that `[math]` names"""


@value_class
class Config(NoteSettings):
    """The settings in `deck.toml`, under the same names; `css` is the text of the CSS file.

    `description_html` is the text of the HTML file that `description` names, if it names one.
    """

    name: str = ""
    id: str = ""
    extends: str = ""
    description: str = ""
    description_html: str = ""
    license: str = ""
    tags: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    css: str = ""
    report: str = ""
    check: CheckConfig = CheckConfig()
    add: AddConfig = AddConfig()
    verify: VerifyConfig = VerifyConfig()
    release: ReleaseConfig = ReleaseConfig()
    editions: tuple[EditionConfig, ...] = ()
    include: tuple[str, ...] = ()
    dialect: str = ""
    dialects: tuple[DialectEntry, ...] = ()
    tables: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """the options of each dialect by its name"""
    note_types: tuple[NoteType, ...] = ()
    """the collection's own note types, from the folder `notetypes` next to `deck.toml`"""
    files: tuple[Path, ...] = ()
    """the other files that the settings come from, whether they exist or not"""


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
    toml = _read_base(_Toml(path, text, diagnostics, file, document))
    values = toml.table("")
    values["tables"] = {dialect: values.pop(dialect) for dialect in TABLES if dialect in values}
    values["check"] = CheckConfig(**toml.table("check"))
    values["add"] = AddConfig(**toml.table("add"))
    values["release"] = ReleaseConfig(**toml.table("release"))
    values["verify"] = _verify_config(toml)
    values["editions"] = _read_editions(toml.of("editions"), _translations(toml, values))
    _check_identity(file, toml, document, values)
    values["tags"] = _check_tags(toml.of("tags"), values.get("tags", ()))
    files: list[Path] = []
    with suppress(InputError):
        files += filter(None, [extended_file(file, values.get("extends"))])
    if css := values.get("css"):
        values["css"] = _read_file(css, toml.of("css"), "missing-css", "a CSS file")
        files.append(toml.of("css").file.parent / css)
        toml.diagnostics.extend(lost_addresses(values["css"], file.parent, toml.of("css").beside(css)))
    if names_html(description := values.get("description", "")):
        html = toml.of("description")
        values["description_html"] = _read_file(description, html, "missing-description", "an HTML file")
        files.append(html.file.parent / description)
        values["description"] = ""
    if values.get("license") == "":
        fix = "name the licence that the author chose, or remove the line"
        place = find_place(toml.of("license").text, toml.of("license").path, "", "license")
        message, length, traits = "the deck has no licence", len("license"), Trait.FOR_LEARNERS
        diagnostics.append(warning(place, "empty-license", message, fix, length, traits=traits))
    if macros := toml.table("math").get("macros"):
        named = toml.of("macros", "math")
        tex = _read_file(macros, named, "missing-macros", "a TeX file", table="math")
        files.append(named.file.parent / macros)
        values["macros"], found = read_macros(tex, named.beside(macros))
        toml.diagnostics.extend(found)
    values["note_types"], values["broken_types"] = _own_types(toml)
    if problem := unknown_note_type(values.get("type", ""), values["note_types"], values["broken_types"]):
        toml.of("type").error("", "type", *problem)
    found = toml.base.diagnostics if toml.base else []
    return Config(**values, files=tuple(files)), [*toml.diagnostics, *found]


def _read_base(toml: "_Toml") -> "_Toml":
    """Return a `deck.toml` with the file that it extends; report what is wrong with that file."""
    name = toml.document.get("extends")
    message = f"no file `{name}`"
    try:
        file = extended_file(toml.file, name) if isinstance(name, str) else None
    except InputError:
        file, message = None, f"`{name}` is outside the repository"
    if not file or not file.is_file():
        if isinstance(name, str):
            toml.error("", "extends", "missing-extends", message, "name a file in the repository, with `/`")
        return toml
    path = shown(file)
    text, document, diagnostics = read_toml(file, path)
    base = _Toml(path, text, diagnostics, file, document or {})
    for key in ("name", "id", "extends"):
        if base.document.pop(key, None) is not None:
            fix = "write it in the `deck.toml` of each collection"
            base.error("", key, "wrong-value", f"collections cannot share `{key}`", fix)
    return toml._replace(base=base)


def _own_types(toml: "_Toml") -> tuple[tuple[NoteType, ...], tuple[str, ...]]:
    """Return a collection's own note types, and the names of those with errors, which are reported."""
    types: dict[str, NoteType] = {}
    broken: tuple[str, ...] = ()
    for layer in filter(None, (toml.base, toml)):
        own, wrong, found = read_note_types(layer.file.parent, layer.beside(""))
        types |= {note_type.key: note_type for note_type in own}
        broken += wrong
        toml.diagnostics.extend(found)
    return tuple(types.values()), broken


def _verify_config(toml: "_Toml") -> VerifyConfig:
    """Return the table `[verify]`, with the path of a Python that is relative to the collection."""
    values, base = toml.table("verify"), toml.of("python", "verify").file.parent
    if "/" in (python := values.get("python", "")) and base != toml.file.parent:
        values["python"] = Path(
            os.path.relpath(base / Path(python).expanduser(), toml.file.parent)
        ).as_posix()
    return VerifyConfig(**values)


def _with_limits(toml: "_Toml", check: object) -> object:
    """Return the table `[check]` without limits that are not numbers, which are reported."""
    limits = check.get("limits") if isinstance(check, dict) else None
    if not isinstance(check, dict) or not isinstance(limits, dict):
        return check
    wrong = [name for name, limit in limits.items() if not _limits({name: limit})]
    for name in wrong[:MAX_ITEMS]:
        message, fix = f"`{name}` must be a positive whole number", f"write a number, as in `{name} = 40`"
        toml.error("check.limits", name, "wrong-value", message, fix)
    return {**check, "limits": {name: limits[name] for name in limits if name not in wrong}}


def _translations(toml: "_Toml", values: dict[str, Any]) -> Iterator[EditionConfig]:
    """Yield an edition for each language of `[languages]`, which is taken out of the `values`."""
    for code, called in values.pop("languages", {}).items():
        title, there = f"{values.get('name', '')} ({called})", toml.of(code, "languages")
        place = find_place(there.text, there.path, "languages", code)
        yield EditionConfig(name=slug(code), title=title, language=code, place=place)


def _read_editions(toml: "_Toml", known: Iterable[EditionConfig]) -> tuple[EditionConfig, ...]:
    """Return the `known` editions and the valid entries of `[[editions]]`, and report the invalid ones."""
    editions = {each.name: each for each in known}
    entries = toml.document.get("editions", [])
    is_array = isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries)
    if not isinstance(entries, list) or not is_array or len(entries) > MAX_ITEMS:
        message, fix = f"`editions` must be at most {MAX_ITEMS} tables", "write `[[editions]]` above each"
        toml.error("", "editions", "wrong-value", message, fix)
        return tuple(editions.values())
    for number, entry in enumerate(entries):
        here = toml._replace(text=from_entry(toml.text, "editions", number))
        values = here.read("editions", entry)
        name, values["without"] = values.get("name", ""), values.pop("not", NoteFilter())
        if "name" not in entry:
            fix = 'add `name = "…"`, which the names of its files end with'
            here.error("", "editions", "missing-key", "`name` is missing", fix)
        elif name != slug(name) and "name" in values:
            message, fix = f"`{name}` cannot be in the name of a file", f'write `name = "{slug(name)}"`'
            here.error("editions", "name", "wrong-value", message, fix)
        elif one_file(name) in editions:
            message = f"`{name}` is the name of another edition or of a language"
            here.error("editions", "name", "wrong-value", message, "give this edition another name")
        elif name:
            place = find_place(here.text, here.path, "editions", "name")
            editions[one_file(name)] = EditionConfig(**values, place=place)
    return tuple(editions.values())


class _Toml(NamedTuple):
    """A `deck.toml` being read: its text, for locations, and the errors found in it."""

    path: str
    text: str
    diagnostics: list[Diagnostic]
    file: Path
    document: dict[str, Any]
    base: "_Toml | None" = None
    """the file that it extends"""

    def of(self, key: str, table: str = "") -> "_Toml":
        """Return the file that sets a key: this one, or the one that it extends."""
        given = self.document.get(table) if table else self.document
        return self.base if self.base and not (isinstance(given, dict) and key in given) else self

    def beside(self, name: str) -> str:
        """Return the path to show for a file next to this one."""
        return f"{self.path.removesuffix(self.file.name)}{name}"

    def table(self, name: str) -> dict[str, Any]:
        """Return the valid values of a table, also those of the file that this one extends."""
        top = {key: value for key, value in self.document.items() if key not in KEYS}
        given = self.document.get(name, {}) if name else top
        values = self.read(name, _with_limits(self, given) if name == "check" else given)
        shared = self.base.table(name) if self.base else {}
        both = {key for key in shared.keys() & values.keys() if isinstance(values[key], dict)}
        return {**shared, **values, **{key: {**shared[key], **values[key]} for key in both}}

    def read(self, table: str, entries: object) -> dict[str, Any]:
        """Return the valid values of a table, and report the invalid ones."""
        if not isinstance(entries, dict):
            fix = f"write `[{table}]` on a line of its own"
            self.error("", table, "wrong-value", f"`{table}` must be a table", fix)
            return {}
        values = {}
        where, others = (f" in `{header(table)}`", ()) if table else ("", (*filter(None, KEYS),))
        elsewhere = _elsewhere(table)
        for key, value in entries.items():
            if len(self.diagnostics) >= _MAX_PROBLEMS:
                break
            read, problem = read_key(KEYS[table], key, value, where=where, others=others, elsewhere=elsewhere)
            if problem:
                self.error(table, key, *problem)
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
    if "name" not in document and not _is_misspelt("name", document):
        toml.error(
            "", "name", "missing-key", "`name` is missing", 'add `name = "…"`, the name of the deck in Anki'
        )
    if "id" not in document and not _is_misspelt("id", document):
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


def _is_misspelt(key: str, document: Iterable[str]) -> bool:
    """Whether a key of `deck.toml` is there under an unknown name that suggests it."""
    known = (*KEYS[""], *filter(None, KEYS))
    return any(each not in known and suggest(each, known) == key for each in document)


def _check_tags(toml: _Toml, tags: tuple[str, ...]) -> tuple[str, ...]:
    for tag in tags:
        if why := bad_tag(tag):
            toml.error("", "tags", "bad-tag", f"`{tag}` cannot be a tag: {why}", tag_fix(tag))
    return tuple(tag for tag in tags if not bad_tag(tag))


def names_html(description: object) -> bool:
    """Whether a description is the name of an HTML file rather than a text."""
    return isinstance(description, str) and re.fullmatch(r"\S+\.html", description) is not None


def _read_file(name: str, toml: _Toml, rule: str, kind: str, *, table: str = "") -> str:
    """Return the text of the file that a key names, or report under `rule` that it cannot be read."""
    key = rule.removeprefix("missing-")
    message, fix = f"no file `{name}` in the collection", f"name {kind} in the collection"
    if "\\" in name:
        fix = f"use `/`: `{name.replace(chr(92), '/')}`"
    try:
        refuse_backslash(name)
        return read_text(toml.file.parent / name, toml.file.parent, MAX_CSS_BYTES)
    except UnicodeDecodeError:
        message, fix = f"`{name}` is not UTF-8", "save it as UTF-8"
    except (MissingError, IrregularError):
        pass
    except InputError as failure:
        message, fix = f"`{name}` {failure.reason}", failure.help
        if isinstance(failure, OutsideError):
            rule = "outside-collection"
    toml.error(table, key, rule, message, fix)
    return ""
