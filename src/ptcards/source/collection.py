"""Finds collections on disk: their folders, settings and sources, and which sources were requested."""

import json
import os
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ptcards.diagnostics import Diagnostic, Location, error, warning
from ptcards.files import NoMarkdownError, NoSuchSourceError
from ptcards.files.inputs import find_root, is_collection
from ptcards.files.names import as_text, in_other_case, in_words, shown
from ptcards.files.toml import key_place
from ptcards.source.config import Config, plain_config, read_config
from ptcards.source.exclude import is_excluded, read_pattern, valid_patterns
from ptcards.source.readers.registry import OWN
from ptcards.source.reading import SettingsByFile, check_dialects
from ptcards.source.source import Source, foreign_name, read_source

Excluded = Callable[[str], bool]
"""Whether a path below the root, written with `/`, is excluded."""

_NAMES_FILES = re.compile(r"/[^/*?\[\\]+\Z")
"""Matches a pattern whose file name has no wildcards; its folders may contain some."""


@dataclass(frozen=True, slots=True)
class Collection:
    """A root folder with its settings, and its sources in order of their names.

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
    unread_plugins: tuple[tuple[str, Diagnostic], ...] = ()
    """errors about those of them that cannot be read, each with the dialect that needs it"""

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
            message = f"no such file or folder: `{path}`"
            raise NoSuchSourceError(message, absolute)
        # A file that is not Markdown belongs to no collection, so it is reported on its own.
        root = absolute if foreign_name(absolute) else find_root(absolute)
        asked.setdefault(root, []).append(absolute)
    return asked


def has_sources(folder: Path) -> bool:
    """Whether a folder has files that would be sources if it were a collection."""
    return any(_source_files(folder, lambda _: False, []))


def _find_collection(
    root: Path, asked: list[Path], *, read: bool, dialect: str
) -> tuple[Collection, list[Diagnostic]]:
    configured = is_collection(root)
    folder = root if root.is_dir() else root.parent
    diagnostics: list[Diagnostic] = []
    if configured:
        config, diagnostics = read_config(root / "deck.toml", shown(root / "deck.toml"))
    else:
        config = plain_config(in_words(as_text(root.stem if root.is_file() else root.name)))
    diagnostics += _other_cases(root)
    diagnostics += check_dialects(folder, shown(root / "deck.toml"), config)
    excluded = _excluded(root, config, diagnostics)
    files = (
        [root] if root.is_file() else list(_source_files(root, excluded, diagnostics, _named(config, asked)))
    )
    if not files and (unnamed := next(_source_files(root, excluded, [], lambda _: True), None)):
        diagnostics.append(_not_named(unnamed, root, configured=configured))
    if not files and not diagnostics:
        message = f"no Markdown files in `{shown(root)}`"
        raise (NoMarkdownError if configured else NoSuchSourceError)(message, root)
    whole = any(path == root for path in asked)
    chosen = [file for file in files if whole or any(file == path or path in file.parents for path in asked)]
    for path in asked:
        if path != root and not any(file == path or path in file.parents for file in files):
            message = (
                f"`{shown(path)}` is not a source of the collection in `{shown(root)}`: sources are `*.md` "
                "files, except README.md, excluded files, and names that begin with `_` or `.`"
            )
            raise NoSuchSourceError(message)
    readings = SettingsByFile(folder, config, dialect)
    names = [as_text(file.relative_to(folder).as_posix()) for file in files]
    sources = [
        Source(file, shown(file), name, reading=readings.of(name))
        for file, name in zip(files, names, strict=True)
    ]
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
            selected=None if whole else frozenset(shown(file) for file in chosen),
            selection=() if whole else tuple(dict.fromkeys(path.stem for path in asked)),
            plugins=readings.files,
            unread_plugins=tuple(readings.unread()),
        ),
        diagnostics,
    )


def _not_named(file: Path, root: Path, *, configured: bool) -> Diagnostic:
    """Return an error about the only file, which is not read because nothing names it."""
    name = file.relative_to(root).as_posix()
    setting = f"write `include = {json.dumps([name], ensure_ascii=False)}` in `deck.toml`"
    fix = (
        f"{setting}, or add a file with questions"
        if configured
        else f"run `ptcards build {shlex.quote(shown(file))}`"
    )
    message = f"no notes: `{file.name}` is read only if you name it"
    return error(Location(shown(file), 1), "no-notes", message, fix)


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
        names = sorted(each.name for each in root.iterdir())
    except OSError:  # a file, or an unreadable folder, which is reported later
        return
    for name, own in in_other_case(names).items():
        message = f"`{name}` counts as `{own}` only on some systems"
        yield error(Location(shown(root / name), 1), "other-case", message, f"rename it to `{own}`")


def _named(config: Config, asked: Sequence[Path]) -> Callable[[str], bool]:
    """Return a function that reports whether a path below the root is read because it was named explicitly.

    A pattern such as `**/README.md` names every file of that name; `**/*.md` names none.
    """
    files = [*config.include, *(name for each in config.dialects for name in each.files)]
    patterns = valid_patterns(each for each in files if _NAMES_FILES.search(each))
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
) -> Iterator[Path]:
    found: list[Path] = []

    def closed(failure: OSError) -> None:
        place = Location(shown(Path(failure.filename)), 1)
        fix = "make the folder readable, or rename it so that it begins with `_`"
        message = f"the folder cannot be read: {failure.strerror}"
        diagnostics.append(error(place, "unreadable-source", message, fix))

    for parent, folders, files in os.walk(root, onerror=closed):
        here = Path(parent)
        kept = []
        for name in sorted(folders):
            folder = here / name
            relative = folder.relative_to(root).as_posix()
            if name.startswith(("_", ".")) or relative == "build" or excluded(relative + "/"):
                continue
            if os.path.islink(folder):  # noqa: PTH114 - `Path.is_symlink` raises if a path is too long
                diagnostics.append(
                    warning(
                        Location(shown(folder), 1),
                        "linked-folder",
                        f"the folder `{relative}` is a link and is not read",
                        "move the folder into the collection, or rename it so that it begins with `_`",
                    )
                )
            elif is_collection(folder):
                diagnostics.append(
                    error(
                        Location(shown(folder / "deck.toml"), 1),
                        "nested-collection",
                        f"another collection is inside the folder `{shown(root)}`",
                        f'build `{shown(folder)}` separately, or add `exclude = ["{relative}/"]` to '
                        "`deck.toml`",
                    )
                )
            else:
                kept.append(name)
        folders[:] = kept
        found += (
            here / name
            for name in files
            for path in ((here / name).relative_to(root).as_posix(),)
            if (_is_source_name(name) or (name.lower().endswith(".md") and named(path)))
            and not excluded(path)
        )
    yield from sorted(found, key=lambda file: file.relative_to(root).as_posix())


def _is_source_name(name: str) -> bool:
    lower = name.lower()
    return lower.endswith(".md") and lower != "readme.md" and not name.startswith(("_", "."))


def effective_settings(collection: Collection, dialect: str = "") -> Iterator[str]:
    """Yield lines that show the dialects in which files are read, and the settings that are not defaults."""
    readings = SettingsByFile(collection.root, collection.config, dialect)
    ways: dict[tuple[str, tuple[tuple[str, str, str], ...]], list[Source]] = {}
    for source in collection.sources:
        name = source.reading.dialect
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
