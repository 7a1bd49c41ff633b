"""Finds collections on disk: their folders, settings and sources, and which sources were requested.

It also decides how to read each source: its dialect, and the settings that decide what a note is.
"""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, Self

from ptcards.diagnostics import Diagnostic, Location, Trait, error, warning
from ptcards.diagnostics.keys import KeyProblem
from ptcards.files import NoMarkdownError, NoSuchSourceError, reason_of
from ptcards.files.foreign_json import JsonLimit, LargeDocumentError, build_json
from ptcards.files.inputs import (
    MAX_SOURCE_BYTES,
    InputError,
    MissingError,
    as_text,
    find_root,
    has_home,
    in_other_case,
    in_words,
    is_collection,
    is_installed,
    read_input,
    shown,
)
from ptcards.files.output_folder import FEED, RELEASE_NOTES
from ptcards.files.programs import in_shell
from ptcards.files.toml import key_place
from ptcards.source import exclude
from ptcards.source.config import Config, DialectEntry, NoteSettings, plain_config, read_config
from ptcards.source.dialects import OWN, VAULT, Dialect, Options, all_dialects, merged, wrong_dialect
from ptcards.source.exclude import is_excluded, read_pattern, valid_patterns
from ptcards.source.not_read import ALL_READ, NotRead, find_unread, is_drawing, is_for_models
from ptcards.source.source import Source, SourceSettings, foreign_name, read_source

_PLUGIN = JsonLimit(32 << 20, 8 << 20, 1_000_000)
"""The limit for a plugin's settings file; some plugins also keep their data in it."""
_OF_PLUGINS = tuple(name for name, dialect in all_dialects().items() if dialect.plugin)
"""The dialects of plugins, which read every Markdown file of a vault."""


class SettingsByFile:
    """Decides how to read the sources of a collection; each vault's settings are read once."""

    def __init__(self, root: Path, config: Config, dialect: str = "") -> None:
        self._root = root
        self._config = config
        self._dialect = dialect
        self._vaults: dict[Path, tuple[Path, ...]] = {}
        self._by_folder: dict[tuple[str, int], SourceSettings] = {}
        self._readings: dict[tuple[tuple[Path | None, ...], int], SourceSettings] = {}
        self._unread: list[tuple[str, Path, Exception]] = []
        self._unsupported: list[tuple[str, Diagnostic]] = []
        self._plugins: dict[tuple[Path, str], Mapping[str, object] | None] = {}

    @cached_property
    def patterns(self) -> tuple[tuple[list[exclude.PathPattern], DialectEntry], ...]:
        """The entries of `[[dialects]]` with their parsed patterns; an invalid pattern matches nothing."""
        return tuple((exclude.valid_patterns(dialect.files), dialect) for dialect in self._config.dialects)

    def of(self, name: str) -> SourceSettings:
        """Return how to read a source; it is the same for all sources with the same vaults and entry."""
        entry = self._entry(name)
        folder = name[: name.rfind("/") + 1], id(entry)
        if folder not in self._by_folder:
            key = tuple(self._vault(name, dialect) for dialect in _OF_PLUGINS), id(entry)
            if key not in self._readings:
                self._readings[key] = self._read(name, entry)
            self._by_folder[folder] = self._readings[key]
        return self._translated(self._by_folder[folder], name)

    def _translated(self, settings: SourceSettings, name: str) -> SourceSettings:
        """Return how to read a source, which is a translation if its name ends like `tensors.de.md`."""
        for each in self._config.editions:
            if each.language and name[:-3].endswith(f".{each.language}"):
                return replace(settings, language=each.language, translation=each.language, root=each.title)
        return settings

    def _read(self, name: str, entry: DialectEntry | None) -> SourceSettings:
        config = self._config
        written = self._dialect or (entry.dialect if entry else config.dialect) or OWN
        options = {each: self._options(each, name, entry) for each in all_dialects()}
        settings = SourceSettings(
            options=tuple((each, found) for each, found in options.items() if found),
            note_types=tuple(note_type.bare for note_type in config.note_types),
            **{each.name: getattr(config, each.name) for each in fields(NoteSettings)},
        )
        return settings.with_dialect(written)

    def _options(self, dialect: str, name: str, entry: DialectEntry | None) -> Options:
        """Return the options set by the plugin, the table and the entry, each overriding the one before."""
        options: Options = ()
        for layer, _ in self._layers(dialect, name, entry):
            options = merged(options, layer)
        return options

    def _layers(
        self, dialect: str, name: str, entry: DialectEntry | None
    ) -> Iterator[tuple[Mapping[str, object], str]]:
        """Yield the settings for a source and where they come from, each overriding those before."""
        vault = self._vault(name, dialect) if dialect in _OF_PLUGINS else None
        if vault:
            file = vault / all_dialects()[dialect].plugin
            yield self._plugin(vault, dialect) or {}, file.relative_to(self._root).as_posix()
        yield _right(dialect, self._config.tables.get(dialect, {})), f"[{dialect}] in deck.toml"
        if entry and entry.dialect == dialect:
            yield _right(dialect, entry.options), "[[dialects]] in deck.toml"

    def origins(self, dialect: str, name: str) -> Iterator[tuple[str, object, str]]:
        """Yield each option of a source's dialect that is set, with its value and where it comes from."""
        found: dict[str, tuple[object, str]] = {}
        for layer, origin in self._layers(dialect, name, self._entry(name)):
            found.update({key: (value, origin) for key, value in layer.items()})
        yield from ((key, *said) for key, said in sorted(found.items()))

    def _entry(self, name: str) -> DialectEntry | None:
        return next((entry for patterns, entry in self.patterns if exclude.is_excluded(name, patterns)), None)

    def _vault(self, name: str, dialect: str) -> Path | None:
        """Return the vault whose settings decide: the outermost with settings of the dialect's plugin."""
        vaults = self._vaults_around((self._root / name).parent)
        return next((vault for vault in vaults if self._plugin(vault, dialect) is not None), None)

    def _vaults_around(self, folder: Path) -> tuple[Path, ...]:
        """Return the vaults that contain a folder, the outermost first, up to the collection's folder."""
        if folder not in self._vaults:
            is_top = folder == self._root or not folder.is_relative_to(self._root)
            above = () if is_top else self._vaults_around(folder.parent)
            self._vaults[folder] = (*above, folder) if (folder / VAULT).is_dir() else above
        return self._vaults[folder]

    def reads_all(self, name: str) -> bool:
        """Whether a file is read in the dialect of a plugin, which leaves out only names that are hidden."""
        is_hidden = any(each.startswith(".") for each in name.split("/"))
        return not is_hidden and self.of(as_text(name)).dialect in _OF_PLUGINS

    def vault_above(self, name: str) -> Path | None:
        """Return the vault above the collection whose settings would decide how to read a source, if any."""
        about = all_dialects().get(self.of(name).dialect)
        if not about or not about.plugin or self._vaults_around((self._root / name).parent):
            return None
        # `Path.is_dir` raises if a folder is unreadable.
        above = (folder for folder in self._root.parents if os.path.isdir(folder / VAULT))  # noqa: PTH112
        return next(above, None)

    def _plugin(self, vault: Path, dialect: str) -> Mapping[str, object] | None:
        """Return the settings of a dialect's plugin in a vault, or `None` if the vault has none."""
        if (vault, dialect) not in self._plugins:
            self._plugins[vault, dialect] = self._read_plugin(vault, dialect)
        return self._plugins[vault, dialect]

    def _read_plugin(self, vault: Path, dialect: str) -> Mapping[str, object] | None:
        about = all_dialects()[dialect]
        file = vault / about.plugin
        try:
            read = build_json(read_input(file, self._root, _PLUGIN.size), _PLUGIN)
        except MissingError:
            return None
        except (InputError, ValueError, RecursionError) as failure:
            self._unread.append((dialect, file, failure))
            return {}
        folder = vault.relative_to(self._root).as_posix()
        below = "" if folder == "." else f"{folder}/"
        if not isinstance(read, dict):
            return {}
        place = Location(shown(file), 1)
        self._unsupported += ((dialect, warning(place, *each)) for each in about.unsupported(read))
        return about.of_plugin(read, below)

    def unread(self) -> Iterator[tuple[str, Diagnostic]]:
        """Yield what of the plugins' settings cannot be read or used, with the plugin's dialect."""
        yield from self._unsupported
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
        vaults = sorted({self._root, *chain.from_iterable(self._vaults.values())})
        return tuple(vault / all_dialects()[dialect].plugin for vault in vaults for dialect in _OF_PLUGINS)


def _right(dialect: str, options: Mapping[str, object]) -> Mapping[str, object]:
    """Return the options of a dialect without those that `check_dialects` reports."""
    about = all_dialects().get(dialect, Dialect())
    return {name: value for name, value in options.items() if not about.wrong_option(name, value)}


def check_dialects(root: Path, path: str, config: Config) -> Iterator[Diagnostic]:
    """Yield an error for each invalid dialect or option in `deck.toml`; `path` is its path in messages."""

    def at(table: str, key: str, problem: KeyProblem | None) -> Iterator[Diagnostic]:
        if problem:
            yield error(key_place(root / "deck.toml", path, table, key), *problem, len(key))

    if config.dialect:
        yield from at("", "dialect", wrong_dialect(config.dialect))
    for entry in config.dialects:
        yield from at("", "dialects", wrong_dialect(entry.dialect, needs=False))
        if about := all_dialects().get(entry.dialect):
            for name, value in entry.options.items():
                yield from at("", "dialects", about.wrong_option(name, value))
            yield from at("", "dialects", about.missing(entry.options))
    for dialect, table in config.tables.items():
        for name, value in table.items():
            yield from at(dialect, name, all_dialects()[dialect].wrong_option(name, value))


Excluded = Callable[[str], bool]
"""Whether a path below the root, written with `/`, is excluded."""

_NAMES_FILES = re.compile(r"/[^/*?\[\\]+\Z")
"""Matches a pattern whose file name has no wildcards; its folders may contain some."""


class Collection(NamedTuple):
    """A root folder with its settings, and its sources in order of their names, translations last.

    `configured` is true if there is a `deck.toml`. `selected` contains the paths of the requested sources;
    `None` means all.
    """

    root: Path
    config: Config
    configured: bool
    sources: tuple[Source, ...]
    selected: frozenset[str] | None
    selection: tuple[str, ...]
    """the stems of the SOURCE arguments that selected sources, for the name of the output"""
    plugins: tuple[Path, ...] = ()
    """other programs' settings files that decide how sources are read, whether they exist or not"""
    not_read: NotRead = ALL_READ
    """the files that are not read, by name, with the reasons"""
    unread_plugins: tuple[tuple[str, Diagnostic], ...] = ()
    """problems with those of them that cannot be read or used, each with the dialect that needs it"""

    def is_selected(self, path: str) -> bool:
        """Whether the source with this path was requested."""
        return self.selected is None or path in self.selected


def find_collections(
    paths: Sequence[Path], *, read: bool = True, dialect: str = ""
) -> tuple[tuple[Collection, ...], list[Diagnostic]]:
    """Return the collections of the SOURCE arguments in order of first mention, and diagnostics.

    With `read`, sources contain their texts. A `dialect` given here applies to all files.

    Raises NoSuchSourceError for a path that does not exist or contains no sources.
    """
    asked = _by_root(paths)
    found = [_find_collection(root, selected, read=read, dialect=dialect) for root, selected in asked.items()]
    return tuple(collection for collection, _ in found), [d for _, found_in in found for d in found_in]


def find_roots(paths: Sequence[Path]) -> list[Path]:
    """Return the folders with a `deck.toml` that the SOURCE arguments belong to.

    Raises NoSuchSourceError for a path that does not exist.
    """
    return [root for root in _by_root(paths) if is_collection(root)]


def _by_root(paths: Sequence[Path]) -> dict[Path, list[Path]]:
    asked: dict[Path, list[Path]] = {}
    for path in paths:
        absolute = Path(os.path.abspath(path))  # noqa: PTH100 - `resolve` would follow links
        if not os.path.exists(absolute):  # noqa: PTH110 - `Path.exists` raises if a folder is unreadable
            raise NoSuchSourceError(f"no such file or folder: `{path}`", absolute)
        # A file that is not Markdown belongs to no collection, so it is reported on its own.
        root = absolute if foreign_name(absolute) else find_root(absolute)
        asked.setdefault(root, []).append(absolute)
    return asked


def collections_below(folder: Path) -> list[Path]:
    """Return the collections below a folder that is none; empty if it has notes of its own."""
    if not folder.is_dir() or is_collection(find_root(folder.absolute())) or has_home(folder.absolute()):
        return []
    nested: list[Path] = []
    has_own = any(_source_files(folder, lambda _: False, [], nested=nested))
    return [] if has_own else nested


def has_sources(folder: Path) -> bool:
    """Whether a folder has files that would be sources if it were a collection."""
    return any(_source_files(folder, lambda _: False, []))


def _find_collection(
    root: Path, asked: list[Path], *, read: bool, dialect: str
) -> tuple[Collection, list[Diagnostic]]:
    configured = is_collection(root)
    folder = root if root.is_dir() else root.parent
    if folder == root and not configured and has_home(root):
        message = f"`{shown(root)}` is not the folder of a deck, and to read all of it would take too long"
        raise NoSuchSourceError(message, root)
    diagnostics: list[Diagnostic] = []
    if configured:
        config, diagnostics = read_config(root / "deck.toml", shown(root / "deck.toml"))
    else:
        config = plain_config(in_words(as_text(root.stem if root.is_file() else root.name)))
    diagnostics += _other_cases(root)
    diagnostics += check_dialects(folder, shown(root / "deck.toml"), config)
    excluded = _excluded(root, config, diagnostics)
    readings = SettingsByFile(folder, config, dialect)
    named = _named(config, asked)
    not_read = ALL_READ
    if root.is_file():
        found = {root.name: root}
    else:
        found = dict(_source_files(root, excluded, diagnostics, named, readings.reads_all))
        doubtful = [name for name in found if not named(name) and _is_doubtful(name, readings)]
        not_read = find_unread(folder, tuple(found), doubtful, config.id)
        found = {name: file for name, file in found.items() if name not in not_read.reasons}
    files = list(found.values())
    if not files and (foreign := _crowdanki(folder)):
        message = f"this looks like CrowdAnki: `{foreign.relative_to(folder).as_posix()}`"
        fix = "import the folder into Anki with CrowdAnki, export the deck, and run `ptcards import` on it"
        diagnostics.append(error(Location(shown(folder), 1, 0), "foreign-format", message, fix))
    elif not files and (unnamed := dict(_source_files(root, excluded, [], lambda _: True))):
        highest = min(unnamed.values(), key=lambda file: len(file.parts))
        diagnostics.append(_not_named(highest, root, configured=configured))
    if not files and not diagnostics:
        message = f"no Markdown files in `{shown(root)}`"
        raise (NoMarkdownError if configured else NoSuchSourceError)(message, root)
    selected, selection = _selected(root, asked, files)
    sources = [
        Source(file, shown(file), name, settings=readings.of(name))
        for name, file in ((as_text(name), file) for name, file in found.items())
    ]
    # Of two notes with one question, the original has the shorter key.
    sources.sort(key=lambda each: each.settings.translation != "")
    diagnostics += _warn_of_vault(root, sources, readings)
    if read:
        texts = list(map(read_source, sources))
        diagnostics += [problem for each in texts for problem in each.problems]
        sources = [each.source for each in texts if each.source is not None]
    return (
        Collection(
            root=folder,
            config=config,
            configured=configured,
            sources=tuple(sources),
            selected=selected,
            selection=selection,
            plugins=readings.files,
            not_read=not_read,
            unread_plugins=tuple(readings.unread()),
        ),
        diagnostics,
    )


def _is_doubtful(name: str, readings: SettingsByFile) -> bool:
    """Whether a file that nobody named may be about something else."""
    is_own = readings.of(as_text(name)).dialect == OWN
    return is_own or is_drawing(name) or (is_for_models(name) and not readings.reads_all(name))


def _selected(
    root: Path, asked: Sequence[Path], files: Sequence[Path]
) -> tuple[frozenset[str] | None, tuple[str, ...]]:
    """Return the paths of the sources that were asked for, `None` for all of them, and the stems of SOURCE.

    Raises NoSuchSourceError if there is none for one of them.
    """
    if root in asked:
        return None, ()
    chosen: set[str] = set()
    for path in asked:
        found = [shown(file) for file in files if file == path or path in file.parents]
        if not found:
            message = (
                f"`{shown(path)}` is not a source of the collection in `{shown(root)}`: sources are `*.md` "
                "files, except AGENTS.md, README.md, excluded files, files that git ignores, and names that "
                "begin with `_` or `.`"
            )
            raise NoSuchSourceError(message)
        chosen.update(found)
    return frozenset(chosen), tuple(dict.fromkeys(path.stem for path in asked))


def is_logseq(folder: Path) -> bool:
    """Whether a folder is a graph of Logseq, which keeps backups of its files in `logseq/bak/`."""
    return (folder / "logseq" / "config.edn").is_file()


def _crowdanki(folder: Path) -> Path | None:
    """Return the `deck.json` of CrowdAnki in a folder or in one of its folders, if there is one."""
    for file in (folder / "deck.json", *sorted(folder.glob("*/deck.json"))):
        with suppress(InputError):
            if b'"crowdanki_uuid"' in read_input(file, folder, MAX_SOURCE_BYTES):
                return file
    return None


def _not_named(file: Path, root: Path, *, configured: bool) -> Diagnostic:
    """Return an error about a file that is not read because nothing names it, if there are no others."""
    name = file.relative_to(root).as_posix()
    setting = f"write `include = {json.dumps([name], ensure_ascii=False)}` in `deck.toml`"
    fix = (
        f"{setting}, or add a file with questions"
        if configured
        else f"run `ptcards build {in_shell(shown(file))}`"
    )
    message = f"no notes: `{file.name}` is read only if you name it"
    return error(Location(shown(file), 1, 0), "no-notes", message, fix, traits=Trait.NO_NOTES)


def _warn_of_vault(root: Path, sources: Sequence[Source], readings: SettingsByFile) -> Iterator[Diagnostic]:
    """Yield a warning if the settings of a vault are not read because the vault is above the collection."""
    found = ((source, readings.vault_above(source.name)) for source in sources)
    source, vault = next((each for each in found if each[1]), (None, None))
    if source and vault:
        toml = root / "deck.toml"
        place = Location(shown(toml) if is_collection(root) else source.path, 1)
        fix = (
            f"move `deck.toml` to `{vault}`"
            if is_collection(root)
            else f"pass the vault's folder instead: `{vault}`"
        )
        message = "the vault is above the collection, so its settings are not read"
        yield warning(place, "vault-above", message, fix)


def _excluded(root: Path, config: Config, diagnostics: list[Diagnostic]) -> Excluded:
    """Return a function that decides whether a path is excluded; report and ignore invalid patterns."""
    patterns = []
    for text in config.exclude:
        try:
            pattern = read_pattern(text)
        except ValueError:
            toml = root / "deck.toml"
            place = key_place(toml, shown(toml), "", "exclude")
            fix = "write patterns as in `.gitignore`, such as `drafts/**`"
            diagnostics.append(error(place, "wrong-value", f"`{text[:60]}` is not a valid pattern", fix, 7))
        else:
            patterns += [pattern] if pattern else []
    return lambda path: is_excluded(path, patterns)


def _other_cases(root: Path) -> Iterator[Diagnostic]:
    try:
        names = sorted(path.name for path in root.iterdir())
    except OSError:  # a file, or an unreadable folder, which is reported later
        return
    for name, own in in_other_case(names).items():
        message = f"`{name}` counts as `{own}` only on some systems"
        yield error(Location(shown(root / name), 1), "other-case", message, f"rename it to `{own}`")


def _named(config: Config, asked: Sequence[Path]) -> Callable[[str], bool]:
    """Return a function that reports whether a path below the root is read because it was named explicitly.

    A pattern such as `**/README.md` names every file of that name; `**/*.md` names none.
    """
    files = [*config.include, *(name for dialect in config.dialects for name in dialect.files)]
    patterns = valid_patterns(file for file in files if _NAMES_FILES.search(file))
    return lambda path: (
        path in files
        or any(each.as_posix().endswith(f"/{path}") for each in asked)
        or is_excluded(path, patterns)
    )


def _source_files(
    root: Path,
    excluded: Excluded,
    diagnostics: list[Diagnostic],
    named: Callable[[str], bool] = lambda _: False,
    reads_all: Callable[[str], bool] = lambda _: False,
    *,
    nested: list[Path] | None = None,
) -> Iterator[tuple[str, Path]]:
    """Yield the sources below a folder by name, and add collections below it to `nested`, or else errors."""
    paths: dict[str, Path] = {}

    def closed(failure: OSError) -> None:
        place = Location(shown(Path(failure.filename)), 1, 0)
        fix = "make the folder readable, or rename it so that it begins with `_`"
        message = f"the folder cannot be read: {reason_of(failure)}"
        diagnostics.append(error(place, "unreadable-source", message, fix))

    for parent, folders, files in os.walk(root, onerror=closed):
        here = Path(parent)
        above = "" if here == root else f"{here.relative_to(root).as_posix()}/"
        kept = []
        for name in sorted(folders):
            folder = here / name
            relative = above + name
            is_ours = not name.startswith(("_", ".")) and relative != "build"
            if not is_ours and not (reads_all(f"{relative}/_") and _is_plain(folder)):
                continue
            is_backup = relative.endswith("logseq/bak") and is_logseq(here.parent)
            if is_backup or is_installed(str(folder)) or excluded(relative + "/"):
                continue
            if os.path.islink(folder):  # noqa: PTH114 - `Path.is_symlink` raises if a path is too long
                diagnostics.append(
                    warning(
                        Location(shown(folder), 1, 0),
                        "linked-folder",
                        f"the folder `{relative}` is a link and is not read",
                        "move the folder into the collection, or rename it so that it begins with `_`",
                    )
                )
            elif is_collection(folder):
                if nested is None:
                    diagnostics.append(_inside(folder, root))
                else:
                    nested.append(folder)
            else:
                kept.append(name)
        folders[:] = kept
        paths |= {
            path: here / name
            for name in files
            for path in (above + name,)
            if name.lower().endswith(".md")
            and (_is_source_path(path) or named(path) or reads_all(path))
            and not (name == RELEASE_NOTES and FEED in files)
            and not excluded(path)
        }
    yield from sorted(paths.items())


def _inside(folder: Path, root: Path) -> Diagnostic:
    """Return an error: a collection is in the folder of another one, or of notes without a `deck.toml`."""
    fix = f"name its folder, `{shown(folder)}`"
    if is_collection(root):
        fix += f', or add `exclude = ["{folder.relative_to(root).as_posix()}/"]` to `deck.toml`'
    message = f"another collection is inside the folder `{shown(root)}`"
    return error(Location(shown(folder / "deck.toml"), 1), "nested-collection", message, fix)


def may_be_source(collection: Collection, name: str) -> bool:
    """Whether a new file with this path below the root would be a source, with `/` as in names of sources."""
    root, config = collection.root, collection.config
    folders = ["/".join(name.split("/")[:depth]) for depth in range(1, name.count("/") + 1)]
    excluded = _excluded(root, config, [])
    is_below = any(
        folder.rpartition("/")[2].startswith(("_", "."))
        or folder == "build"
        or is_installed(str(root / folder))
        or is_collection(root / folder)
        or excluded(f"{folder}/")
        for folder in folders
    )
    file = name.rpartition("/")[2]
    is_named = file.lower().endswith(".md") and _named(config, ())(name)
    if is_below or excluded(name) or not (_is_source_name(file) or is_named):
        return False
    names = [source.name for source in collection.sources]
    return is_named or name not in find_unread(root, [*names, name], [name], config.id).reasons


def _is_source_name(name: str) -> bool:
    lower = name.lower()
    is_other = name.startswith(("_", ".")) or lower == "readme.md"
    return lower.endswith(".md") and not is_other


def _is_source_path(path: str) -> bool:
    """Whether no name in the path of a Markdown file leaves it out."""
    *folders, name = path.split("/")
    is_hidden = any(folder.startswith(("_", ".")) for folder in folders) or folders[:1] == ["build"]
    return _is_source_name(name) and not is_hidden


def _is_plain(folder: Path) -> bool:
    """Whether a folder is neither a link nor a collection of its own."""
    return not os.path.islink(folder) and not is_collection(folder)  # noqa: PTH114 - as above


def effective_settings(collection: Collection, dialect: str = "") -> Iterator[str]:
    """Yield lines that show the dialects in which files are read, and the settings that are not defaults."""
    readings = SettingsByFile(collection.root, collection.config, dialect)
    ways: dict[tuple[str, tuple[tuple[str, str, str], ...]], list[Source]] = {}
    for source in collection.sources:
        name = source.settings.dialect
        said = readings.origins(name, source.name)
        options = tuple((key, _shown(value), origin) for key, value, origin in said)
        ways.setdefault((name, options), []).append(source)
    for (name, options), sources in ways.items():
        if name == OWN and len(ways) == 1:
            return
        more = f" and {len(sources) - 1:,} more" if len(sources) > 1 else ""
        yield f"{sources[0].path}{more}: dialect {name}"
        yield from (f"  {key} = {value}  ({origin})" for key, value, origin in options)


def _shown(value: Any) -> str:
    """Return a value in TOML syntax, on one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_shown(each)}" for key, each in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


class CollectionFacts(NamedTuple):
    """What a source may depend on in its collection; `lone` is true if no other source is in it."""

    root: Path
    configured: bool
    lone: bool
    name: str
    tags: tuple[str, ...]
    language: str

    @classmethod
    def of(cls, collection: Collection) -> Self:
        """Return what the sources of a collection may depend on."""
        config, lone = collection.config, len(collection.sources) == 1
        return cls(collection.root, collection.configured, lone, config.name, config.tags, config.language)
