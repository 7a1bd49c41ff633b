"""Offers to read files with errors as a list of questions, if nothing shows that they are in our format."""

import re
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ptcards.diagnostics import Diagnostic, Location, Severity, Trait, counted, errors_in, warning
from ptcards.files.inputs import shown
from ptcards.readers.parser import parse_source
from ptcards.source.collection import Collection, CollectionFacts
from ptcards.source.dialects import HEADED_QUESTIONS, OWN, settings_for
from ptcards.source.media import MediaFolder
from ptcards.source.source import Source, count_of, read_source
from ptcards.workspace.cached_source import CachedSource

_FEWEST_ERRORS = 3
_FEWEST_NOTES = 3
_OURS = re.compile(r"^(?:<!--\s*card\b|### (?:Answer|Hint|Details|Sources)\s*$)", re.MULTILINE)
"""Matches what only notes in our format have."""
_HEADING = re.compile(r"^(#{2,4})\s+\S", re.MULTILINE)


def offer_list(
    collection: Collection, looked: Sequence[CachedSource], found: Sequence[Diagnostic]
) -> list[Diagnostic]:
    """Return a warning if other people's questions could be read without the errors of our format."""
    paths = {each.source.path for each in looked}
    errors = [each for each in found if each.severity is Severity.ERROR and each.location.path in paths]
    is_other = any(each.parsed.dialect != OWN for each in looked)
    if len(errors) < _FEWEST_ERRORS or is_other or (collection.root / "deck.lock").exists():
        return []
    sources = [read for each in looked if (read := read_source(each.source).source)]
    if any(_OURS.search(source.text) for source in sources):
        return []
    levels = Counter(len(marks) for source in sources for marks in _HEADING.findall(source.text))
    (level, _), *_ = levels.most_common(1) or [(2, 0)]
    dialect = f"{HEADED_QUESTIONS}:{level}"
    notes, left_out, others = _read_as(collection, sources, dialect)
    if notes < max(_FEWEST_NOTES, left_out) or others >= len(errors):
        return []
    less = f" ({left_out:,} left out)" if left_out else ""
    message = (
        f"as a list of questions: {counted(notes, 'note')}{less} and {counted(others, 'error')}, "
        f"instead of {count_of(len(errors), 'errors')}"
    )
    where = shlex.quote(shown(collection.root) if len(sources) > 1 else sources[0].path)
    fix = (
        f'add `[[dialects]]` with `files = ["**"]`, {settings_for(dialect)} to `deck.toml`'
        if collection.configured
        else f"run `ptcards build --dialect {dialect} {where}`"
    )
    return [warning(Location(min(paths), 1), "unread-cards", message, fix, traits=Trait.MANY)]


def _read_as(collection: Collection, sources: Sequence[Source], dialect: str) -> tuple[int, int, int]:
    """Return how many notes these sources have in a dialect, how many are left out, and how many errors."""
    facts, media = CollectionFacts.of(collection), MediaFolder(collection.root)
    settings = (source.settings.with_dialect(dialect) for source in sources)
    parsed = [
        parse_source(facts, replace(source, settings=each), media)
        for source, each in zip(sources, settings, strict=True)
    ]
    return (
        sum(len(each.summaries) for each in parsed),
        sum(len(each.left_out) for each in parsed),
        sum(len(errors_in(each.diagnostics)) for each in parsed),
    )
