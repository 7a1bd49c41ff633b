"""Drops the diagnostics that a collection and its notes ignore, and finds the note at a location."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Generic, Protocol, TypeVar

from ptcards.diagnostics import Diagnostic, Location, Severity
from ptcards.files.names import shown
from ptcards.source.collection import Collection
from ptcards.source.exclude import is_excluded, read_pattern


class Ignoring(Protocol):
    """Something that begins at a location and ignores rules, such as a note."""

    @property
    def location(self) -> Location:
        """The location where it begins."""

    @property
    def ignore(self) -> tuple[str, ...]:
        """The rules that it ignores."""


N = TypeVar("N", bound=Ignoring)


class Owners(Generic[N]):
    """Finds the note that a location belongs to: the last note in the file that begins there or above."""

    def __init__(self, notes: Iterable[N]) -> None:
        self._starts: dict[str, list[int]] = {}
        self._notes: dict[str, list[N]] = {}
        for note in notes:
            self._starts.setdefault(note.location.path, []).append(note.location.line)
            self._notes.setdefault(note.location.path, []).append(note)

    def find(self, place: Location) -> N | None:
        """Return the note at a location, or `None` above the first note."""
        which = bisect_right(self._starts.get(place.path, []), place.line)
        return self._notes[place.path][which - 1] if which else None


def silence(
    collection: Collection | None, notes: Iterable[N], diagnostics: Iterable[Diagnostic]
) -> tuple[list[Diagnostic], frozenset[tuple[N | str | None, str]]]:
    """Return the diagnostics that neither a collection (if given) nor its notes ignore, and the used ignores.

    An ignore is a rule with the note that ignores it, with `None` for the collection's list, or with a
    pattern of `per-file-ignores`.
    """
    diagnostics = list(diagnostics)
    if not diagnostics:
        return [], frozenset()
    owners = Owners(notes)
    everywhere = frozenset(collection.config.check.ignore if collection else ())
    here = _ignored_by_file(collection) if collection else {}
    files = frozenset(_files(collection) if collection else ())
    kept: list[Diagnostic] = []
    used: set[tuple[N | str | None, str]] = set()
    for each in diagnostics:
        note = owners.find(each.location)
        if each.severity is Severity.ERROR:
            kept.append(each)
        elif note is not None and each.rule in note.ignore:
            used.add((note, each.rule))
        elif each.rule in everywhere and each.location.path in files:
            used.add((None, each.rule))
        elif patterns := here.get((each.location.path, each.rule)):
            used.update((pattern, each.rule) for pattern in patterns)
        else:
            kept.append(each)
    return kept, frozenset(used)


def _files(collection: Collection) -> Iterator[str]:
    """Yield the paths of the files in which a collection may ignore rules."""
    yield from (source.path for source in collection.sources)
    yield from (shown(collection.root / name) for name in ("deck.toml", "deck.lock"))


def _ignored_by_file(collection: Collection) -> dict[tuple[str, str], list[str]]:
    """Return the patterns of `per-file-ignores` that ignore a rule in a file, by path and rule."""
    found: dict[tuple[str, str], list[str]] = {}
    for text, rules in collection.config.check.per_file_ignores.items():
        pattern = read_pattern(text)
        for source in collection.sources if pattern else ():
            names = source.name.split("/")
            folders = ("/".join(names[:depth]) + "/" for depth in range(1, len(names)))
            if pattern and any(is_excluded(path, [pattern]) for path in (*folders, source.name)):
                for rule in rules:
                    found.setdefault((source.path, rule), []).append(text)
    return found
