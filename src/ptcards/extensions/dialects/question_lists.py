"""Finds other people's questions that are in no note of their own, and offers to read them as a list."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location, Trait, counted, errors_in, has_errors, warning
from ptcards.extensions.dialects.formats import BOLD_QUESTIONS
from ptcards.files.inputs import shown
from ptcards.files.programs import in_shell
from ptcards.markdown.blocks import scan
from ptcards.markdown.tree import Block, BlockKind
from ptcards.notes import Note
from ptcards.readers.parser import parse_source
from ptcards.source.collection import Collection, CollectionFacts
from ptcards.source.dialects import OWN, settings_for
from ptcards.source.media import MediaFolder
from ptcards.source.page import Page
from ptcards.source.source import Source, count_of, read_source
from ptcards.workspace.cached_source import CachedSource

_FEWEST_NOTES = 3
_OURS = re.compile(r"^(?:<!--\s*card\b|### (?:Answer|Hint|Details|Sources)\s*$)", re.MULTILINE)
"""Matches what only notes in our format have."""
_ASKS = re.compile(r"[?？][^\w\n?？[]*(?:\[[^\n?？]*)?\Z")
"""Matches the end of a question, and the links to its sources after it."""
_BOLD = re.compile(r"\s*(?:\d+[.)]\s+)?(\*\*|__)(?P<text>[^*_\n]+)\1[^\w*]*\Z")
_FEWEST_HEADINGS = 2
_FEWEST_BOLD = 3
_HEADING = re.compile(r"^(#{2,4})\s+(\S.*)", re.MULTILINE)


def offer_list(
    collection: Collection, looked: Sequence[CachedSource], found: Sequence[Diagnostic]
) -> list[Diagnostic]:
    """Return a warning if other people's questions could be read without the errors of our format.

    Nothing is offered that leaves notes out, or that has fewer notes than our format.
    """
    paths = {each.source.path for each in looked}
    errors = [each for each in found if Trait.OTHER_SHAPE in each.traits and each.location.path in paths]
    is_other = any(each.parsed.dialect != OWN for each in looked)
    if not has_errors(errors) or is_other or (collection.root / "deck.lock").exists():
        return []
    sources = [read for each in looked if (read := read_source(each.source).source)]
    if any(_OURS.search(source.text) for source in sources):
        return []
    own = sum(len(each.parsed.all_summaries) for each in looked)
    tried = {shape: _read_as(collection, sources, f"details:{shape}") for shape in _asking(sources)}
    shape = max(tried, key=lambda each: (tried[each].notes, -tried[each].errors), default="")
    best = tried.get(shape, _Tried(0, 0, 0))
    gain = best.notes - own, len(errors_in(errors)) - best.errors
    if best.notes < _FEWEST_NOTES or best.left_out or min(gain) < 0 or gain == (0, 0):
        return []
    dialect = f"details:{shape}"
    message = (
        f"as a list of questions: {counted(best.notes, 'note')} and {counted(best.errors, 'error')}, "
        f"instead of {count_of(len(errors_in(errors)), 'errors')}"
    )
    where = in_shell(shown(collection.root) if len(sources) > 1 else sources[0].path)
    fix = f"run `ptcards build --dialect {dialect} {where}`"
    if collection.configured:
        fix = f'add `[[dialects]]` with `files = ["**"]`, {settings_for(dialect)} to `deck.toml`'
    return [warning(Location(min(paths), 1), "unread-cards", message, fix, traits=Trait.MANY)]


def questions_below(page: Page, notes: Iterable[Note]) -> Iterator[Diagnostic]:
    """Yield a warning for each answer that contains several questions, as headings or in bold."""
    for note in notes:
        text = note.answer.markdown
        if not (("#" in text or "**" in text or "__" in text) and ("?" in text or "？" in text)):
            continue
        blocks = list(_blocks(scan(text)))
        headings = [each for each in blocks if each.kind is BlockKind.HEADING and _ASKS.search(each.one_line)]
        bold = [each for each in blocks if each.kind is BlockKind.PARAGRAPH and _asks_in_bold(each)]
        if len(headings) >= _FEWEST_HEADINGS:
            what = f"{len(headings)} question headings"
            setting = f"`question-level: {headings[0].level}` in the front matter"
        elif len(bold) >= _FEWEST_BOLD and page.settings.dialect != "details":
            what, setting = f"{len(bold)} questions in bold", settings_for(BOLD_QUESTIONS)
        else:
            continue
        fix = f"if they are separate questions, set {setting}"
        yield warning(note.location, "questions-below", f"{what} are part of this answer", fix, 2)


def _blocks(block: Block) -> Iterator[Block]:
    for child in block.children:
        yield child
        yield from _blocks(child)


def _asks_in_bold(block: Block) -> bool:
    found = _BOLD.match(block.lines[0].text) if len(block.lines) == 1 else None
    return bool(found and _ASKS.search(found["text"]))


class _Tried(NamedTuple):
    """How many notes some sources have in a dialect, how many are left out, and how many errors."""

    notes: int
    left_out: int
    errors: int


def _asking(sources: Sequence[Source]) -> Iterator[str]:
    """Yield the shapes that may be those of questions: headings of a level that mostly asks, and level 2."""
    headings = [found for source in sources for found in _HEADING.findall(source.text)]
    levels = Counter(len(marks) for marks, _ in headings)
    asking = Counter(len(marks) for marks, text in headings if _ASKS.search(text))
    if any("<summary" in source.text for source in sources):
        yield "summary"
    for level in (2, 3, 4):
        if level == 2 or asking[level] * 2 > levels[level]:
            yield f"heading:{level}"


def _read_as(collection: Collection, sources: Sequence[Source], dialect: str) -> _Tried:
    """Return how many notes these sources have in a dialect, how many are left out, and how many errors."""
    facts, media = CollectionFacts.of(collection), MediaFolder(collection.root)
    settings = (source.settings.with_dialect(dialect) for source in sources)
    parsed = [
        parse_source(facts, replace(source, settings=each), media)
        for source, each in zip(sources, settings, strict=True)
    ]
    return _Tried(
        sum(len(each.summaries) for each in parsed),
        sum(not card.doubtful for each in parsed for card in each.left_out),
        sum(len(errors_in(each.diagnostics)) for each in parsed),
    )
