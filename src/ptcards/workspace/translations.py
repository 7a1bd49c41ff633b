"""Translations: which notes say in another language what others say, and which of them are out of date."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location, counted, hint, warning
from ptcards.diagnostics.layout import limited
from ptcards.identity.hashes import NoteSummary
from ptcards.source.collection import Collection
from ptcards.workspace.cached_source import CachedSource

_MOST_NAMED = 5
_DIGITS = 8


class Translation(NamedTuple):
    """A note in another language: its place in the collection, its key and the key of its original.

    There may be no note with that key.
    """

    position: int
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
    named = {
        key.casefold(): note
        for each in sources
        for key, note in zip(keys[each.span], each.parsed.summaries, strict=True)
        if not each.source.settings.translation
    }
    for each in sources:
        if language := each.source.settings.translation:
            for number, note in enumerate(each.parsed.summaries, each.start):
                original = keys[number].removesuffix(f".{language}")
                yield Translation(number, keys[number], note, original, named.get(original.casefold()))


def check_translations(
    collection: Collection, sources: Sequence[CachedSource], keys: Sequence[str]
) -> Iterator[Diagnostic]:
    """Yield what is wrong with translations, and what is missing: at most one hint for each file."""
    editions = [each for each in collection.config.editions if each.language]
    translations = [*find_translations(sources, keys)] if editions else []
    for each in translations:
        place, length = each.note.heading_place, each.note.heading_length
        if each.original is None:
            message = f"no other note has the key `{each.original_key}`, so this translates nothing"
            fix = "write `id=` with the id of the original in its card comment"
            yield warning(place, "no-original", message, fix, length)
        elif each.note.translated != each.digest:
            say, verb = (warning, "changed") if each.note.translated else (hint, "may have changed")
            message = f"the original at {each.original.location} {verb} after this was translated"
            fix = f"once both say the same, run `ptcards keep --translated {each.key}`"
            yield say(place, "outdated-translation", message, fix, length)
    done = {each.key.casefold() for each in translations}
    paths = {each.source.name: each.source.path for each in sources}
    for edition in editions:
        absent = []
        for read in sources:
            name, ending = read.source.name, f".{edition.language}"
            missing = [key for key in keys[read.span] if f"{key}{ending}".casefold() not in done]
            if read.source.settings.translation or not missing:
                continue
            if path := paths.get(f"{name[:-3]}{ending}{name[-3:]}"):
                message = f"{counted(len(missing), 'note')} of `{name}` not translated: {_named(missing)}"
                yield hint(Location(path, 1), "not-translated", message, "translate what learners should get")
            else:
                absent.append(name)
        if absent and collection.selected is None:
            message = f"{counted(len(absent), 'file')} not translated: {_named(absent)}"
            fix = f"write `{absent[0][:-3]}.{edition.language}.md`"
            yield hint(edition.place, "not-translated", message, fix, len(edition.language))


def _named(names: Sequence[str]) -> str:
    return ", ".join(limited([f"`{name}`" for name in names], _MOST_NAMED, "and {} more".format))
