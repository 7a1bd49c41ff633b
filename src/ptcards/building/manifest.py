"""Nothing changed: a build that would write the same again is told by what the last one read and wrote.

A manifest holds facts: which files and folders there are, the content of every file that was read or written, what ptcards is
made of. If each fact still holds, the outcome is that of the last build, which it holds as well. Imports next to nothing,
for it is asked before anything heavy is loaded.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ptcards.building.versions import versions
from ptcards.diagnostics import Diagnostic, Location, Severity
from ptcards.files import CacheError, check_private_file, is_held, make_private_folder
from ptcards.inputs import open_regular

_PIECE = 1 << 20
_MOST_BYTES = 64 * 1024 * 1024
_KEEP = 60 * 24 * 3600
"""seconds after which a manifest goes that was not written again"""


@dataclass(frozen=True, slots=True)
class Shown:
    """A file that notes show.

    `places` is where it is looked for, the first that exists counts; `target` is where links lead from there.
    """

    places: tuple[str, ...]
    target: str
    digest: str


@dataclass(frozen=True, slots=True)
class Facts:
    """What an outcome rests on, as far as it is not in the question.

    `listings` are digests of what stands below each root, `files` and `outputs` of the content of each file: SHA-256 in hex.
    """

    listings: Mapping[str, str]
    files: Mapping[str, str]
    media: tuple[Shown, ...]
    outputs: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a build says that changes nothing: the diagnostics, and for each collection what there is and where."""

    diagnostics: tuple[Diagnostic, ...]
    summaries: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be built: SOURCEs and output folder as given, the working folder that they are relative to, options."""

    sources: tuple[str, ...]
    output: str
    formats: tuple[str, ...]
    locked: bool

    def file(self, folder: Path) -> Path:
        """Name the manifest that answers this."""
        about = [os.getcwd(), self.sources, self.output, self.formats, self.locked]  # noqa: PTH109 - as it is
        return folder / "manifests" / f"{hashlib.sha256(json.dumps(about).encode()).hexdigest()}.json"


def recall(file: Path) -> Outcome | None:
    """Return the outcome of the last build if it still holds; None if anything differs.

    Raises:
        CacheError: the file is damaged, or others could have written it.

    """
    if os.path.lexists(file.parent):
        make_private_folder(file.parent)
    check_private_file(file)
    content = _read(file)
    try:
        if content is None or not _hold(content):
            return None
    except (OSError, ValueError):
        return None
    return Outcome(
        tuple(map(_diagnostic, content["diagnostics"])),
        tuple((what, where) for what, where in content["summaries"]),
    )


def remember(file: Path, facts: Facts, outcome: Outcome) -> None:
    """Keep an outcome, with what it rests on; a failing disk keeps nothing."""
    content = {
        "versions": versions(),
        "listings": dict(facts.listings),
        "files": dict(facts.files),
        "media": [[each.places, each.target, each.digest] for each in facts.media],
        "outputs": dict(facts.outputs),
        "diagnostics": [_packed(each) for each in outcome.diagnostics],
        "summaries": outcome.summaries,
    }
    temporary = file.with_suffix(f".{os.urandom(8).hex()}")
    with suppress(OSError, CacheError):
        make_private_folder(file.parent)
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as opened:
            json.dump(content, opened)
        temporary.replace(file)
        for other in file.parent.iterdir():
            if other.stat().st_mtime < time.time() - _KEEP:
                other.unlink()


def listing(root: str) -> str:
    """Digest the names below a root that decide which files are sources: folders, links, `*.md` and `deck.toml`."""
    digest = hashlib.sha256()
    for name in _names(root, ""):
        digest.update(os.fsencode(name) + b"\0")
    return digest.hexdigest()


def file_digest(path: str | Path) -> str:
    """Digest a file's content: SHA-256, which most processors have built in, in hex. Raises OSError for a FIFO."""
    digest = hashlib.sha256()
    with open_regular(path) as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


def _read(file: Path) -> Mapping[str, Any] | None:
    """Read the manifest of this version, if there is one."""
    try:
        with file.open("rb") as opened:
            packed = opened.read(_MOST_BYTES)
    except FileNotFoundError:
        return None
    except OSError as failure:
        message = f"ignoring the cache: cannot read `{file}`"
        raise CacheError(message) from failure
    with suppress(ValueError, RecursionError):
        content = json.loads(packed)
        if isinstance(content, dict) and content.get("versions", versions()) != versions():
            return None
        if _is_whole(content):
            return dict(content)
    message = f"rebuilding the cache: `{file}` is damaged"
    raise CacheError(message)


def _is_whole(content: Any) -> bool:
    """Whether a manifest has the shape that `remember` gives it."""
    match content:
        case {
            "versions": list(),
            "listings": dict(listings),
            "files": dict(files),
            "outputs": dict(outputs),
            "media": list(media),
            "diagnostics": list(diagnostics),
            "summaries": list(summaries),
        }:
            facts = [*listings.values(), *files.values(), *outputs.values()]
            return _are_texts(facts) and all(
                (
                    *map(_is_shown, media),
                    *map(_is_diagnostic, diagnostics),
                    *(isinstance(pair, list) and len(pair) == 2 and _are_texts(pair) for pair in summaries),
                )
            )
    return False


def _are_texts(values: Iterable[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def _is_shown(packed: Any) -> bool:
    match packed:
        case [list(places), str(), str()]:
            return _are_texts(places)
    return False


def _is_diagnostic(packed: Any) -> bool:
    match packed:
        case [str(), int(line), int(column), str(), severity, str(), str(), int(length)]:
            return severity in tuple(Severity) and all(0 < each < 2**31 for each in (line, column, length))
    return False


def _hold(content: Mapping[str, Any]) -> bool:
    return (
        all(file_digest(path) == digest for path, digest in content["files"].items())
        and all(listing(root) == digest for root, digest in content["listings"].items())
        and all(_shows(*shown) for shown in content["media"])
        and all(file_digest(path) == digest for path, digest in content["outputs"].items())
        # Someone may be writing them anew, or was killed there and left litter.
        and not any(is_held(folder) for folder in {*content["listings"], *map(_folder, content["outputs"])})
    )


def _folder(path: str) -> str:
    return path.rpartition(os.sep)[0]


def _shows(places: Sequence[str], target: str, digest: str) -> bool:
    found = next((place for place in places if os.path.lexists(place)), None)
    return found is not None and os.path.realpath(found) == target and file_digest(target) == digest


def _names(folder: str, below: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        name = f"{below}/{entry.name}"
        if entry.is_dir():
            if entry.name.startswith(("_", ".")) or name == "/build":
                continue
            yield f"{name}/{'link' if entry.is_symlink() else ''}"
            if not entry.is_symlink():
                yield from _names(entry.path, name)
        elif entry.name.lower().endswith(".md") or entry.name == "deck.toml":
            yield name


def _packed(each: Diagnostic) -> list[Any]:
    place = each.location
    return [
        place.path,
        place.line,
        place.column,
        each.rule,
        each.severity,
        each.message,
        each.help,
        each.length,
    ]


def _diagnostic(packed: Iterable[Any]) -> Diagnostic:
    path, line, column, rule, severity, message, fix, length = packed
    return Diagnostic(Location(path, line, column), rule, Severity(severity), message, fix, length)
