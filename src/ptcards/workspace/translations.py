"""Translations: which notes say in another language what others say, and which of them are out of date."""

from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location, counted, hint, warning
from ptcards.diagnostics.layout import limited
from ptcards.identity.hashes import NoteSummary
from ptcards.source.collection import Collection
from ptcards.source.config import EditionConfig
from ptcards.workspace.cached_source import CachedSource

_MOST_NAMED = 5
_DIGITS = 8


class Translation(NamedTuple):
    """A note in another language: its place in the collection, its key and the key of its original.

    There may be no note with that key.
    """

    position: int
    language: str
    key: str
    note: NoteSummary
    original_key: str
    original: NoteSummary | None

    @property
    def digest(self) -> str:
        """The digest of the original as it is now."""
        return self.original.fingerprint.content[:_DIGITS] if self.original else ""


def find_translations(sources: Sequence[CachedSource], keys: Sequence[str]) -> Iterator[Translation]:
    """Yield the translations in the sources of a collection, whose notes have these keys."""
    originals: Mapping[str, NoteSummary] = {
        key.casefold(): note
        for each in sources
        if not each.source.settings.translation
        for key, note in zip(keys[each.span], each.parsed.summaries, strict=True)
    }
    for each in sources:
        if language := each.source.settings.translation:
            for number, note in enumerate(each.parsed.summaries, each.start):
                original = keys[number].removesuffix(f".{language}")
                known = originals.get(original.casefold()) if note.fingerprint.id else None
                yield Translation(number, language, keys[number], note, original, known)


def check_translations(
    collection: Collection, sources: Sequence[CachedSource], keys: Sequence[str]
) -> Iterator[Diagnostic]:
    """Yield what is wrong with the requested translations."""
    translations = [*find_translations(sources, keys)]
    chosen = [each for each in translations if collection.is_selected(each.note.location.path)]
    for each in chosen:
        place, length = each.note.heading_place, each.note.heading_length
        if each.original is None:
            message = f"no other note has the key `{each.original_key}`, so this translates nothing"
            fix = "write `id=` with the id of the original in its card comment"
            yield warning(place, "no-original", message, fix, length)
        elif each.note.translated and each.note.translated != each.digest:
            message = f"the original at {each.original.location} changed after this was translated"
            fix = f"translate the change, then run `ptcards keep --translated {each.key}`"
            yield warning(place, "outdated-translation", message, fix, length)
    unmarked = (each for each in chosen if each.original and not each.note.translated)
    for _, notes in groupby(unmarked, key=lambda each: each.note.location.path):
        first, *others = notes
        place, length = first.note.heading_place, first.note.heading_length
        notes_here = counted(len(others) + 1, "note")
        message = f"{notes_here} in this file would not be reported if the original changed"
        fix = "run `ptcards keep --translated --all` once they say what the originals say"
        yield hint(place, "unmarked-translation", message, fix, length)
    done = {(each.language, each.original_key.casefold()) for each in translations}
    for edition in collection.config.editions:
        if edition.language:
            known = {key for language, key in done if language == edition.language}
            yield from _missing(collection, edition, _lacking(sources, keys, known))


def _lacking(
    sources: Sequence[CachedSource], keys: Sequence[str], known: Container[str]
) -> Mapping[str, list[str]]:
    """Return the keys of the notes that have no translation, by the names of their files."""
    originals = [each for each in sources if not each.source.settings.translation]
    lacking = {
        each.source.name: [key for key in keys[each.span] if key.casefold() not in known]
        for each in originals
    }
    return {name: missing for name, missing in lacking.items() if missing}


def _missing(
    collection: Collection, edition: EditionConfig, lacking: Mapping[str, list[str]]
) -> Iterator[Diagnostic]:
    """Yield a hint for each translated file that lacks notes, and one for all files without a translation."""
    paths, files = {each.name: each.path for each in collection.sources}, []
    for name, missing in lacking.items():
        path = paths.get(f"{name[:-3]}.{edition.language}{name[-3:]}")
        if path is None:
            files.append(name)
        elif collection.is_selected(path):
            message = f"{counted(len(missing), 'note')} of `{name}` not translated: {_named(missing)}"
            yield hint(Location(path, 1), "not-translated", message, "translate what learners should get")
    if files and collection.selected is None:
        message = f"{counted(len(files), 'file')} not translated: {_named(files)}"
        fix = f"write `{files[0][:-3]}.{edition.language}.md`"
        yield hint(edition.place, "not-translated", message, fix, len(edition.language))


def _named(names: Sequence[str]) -> str:
    return ", ".join(limited([f"`{name}`" for name in names], _MOST_NAMED, "and {} more".format))
