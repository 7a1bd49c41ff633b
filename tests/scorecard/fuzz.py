"""Rows 1 and 2: odd Markdown through parser, identity, renderer and package into the real Anki."""

import random
import shutil
import time
import traceback
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

from anki_backend import assert_healthy, import_package, learner
from handmade import row
from ptcards.anki.built_in_notetypes import note_types
from ptcards.anki.fields import render_note
from ptcards.diagnostics import Diagnostic, has_errors
from ptcards.identity.lock import Lock
from ptcards.identity.resolve import identify
from ptcards.markdown.deadline import DeadlineError, deadline
from ptcards.notes import Identified
from ptcards.notes.rendered import RenderedNote
from ptcards.readers.parser import parse_source
from ptcards.source.assembly import assemble, describe
from ptcards.source.collection import CollectionFacts, find_collections
from ptcards.source.media import MediaFolder
from ptcards.source.source import ParsedSource
from ptcards.writers.apkg import write_package
from scorecard.row import Effort, Measurement, Result, Row
from test_markdown_github import BLOCKS, INLINES, ODD

HANG_SECONDS = 2.0
_STUCK_SECONDS = 20.0
"""seconds before an input is abandoned; the bar is for CPU time, which does not depend on the load"""

_BATCH = 5_000
_STRUCTURE = (
    "\n## Another?\n", "\n### Answer\n", "\n### Hint\n", "\n### Details\n", "\n### Sources\n", "\n### Detail\n", "\n# Deck\n",
    "\n<!-- card: kind=cloze -->\n", "\n<!-- card: kind=typed\n", "<!-- card: -->", "\n- [ ] no\n- [x] yes\n  - since\n",
    "\n---\ntags: [a]\n---\n", "{{c1::", "{{c2::two::hint}}", "}}", "\n\n", "\n\n", "word", "plain text", "\r\n", "\ufeff",
)  # fmt: skip
_TOKENS = (*BLOCKS, *INLINES, *ODD, *_STRUCTURE)
_BODIES = {
    "": "{}",
    "kind=reversed": "{}",
    "kind=typed": "{}",
    "kind=choice": "{}\n\n- [ ] one\n- [x] two\n\n{}",
    "kind=cloze": "{} {{{{c1::one}}}} {}",
    "difficulty=easy tags=a": "{}\n\n### Answer\n\n{}",
}
_FIRST, _LAST = "alphaword", "omegaword"
# An unfinished comment or tag hides what follows on GitHub too; the author is told.
_HIDING = frozenset({"unclosed-comment", "unfinished-tag"})


@dataclass
class Tally:
    """The results for some inputs; the lists contain inputs."""

    inputs: int = 0
    packed: int = 0
    crashes: list[str] = field(default_factory=list)
    hangs: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    slowest: float = 0.0

    def add(self, other: "Tally") -> None:
        """Add the results for other inputs."""
        self.inputs += other.inputs
        self.packed += other.packed
        self.crashes += other.crashes
        self.hangs += other.hangs
        self.lost += other.lost
        self.slowest = max(self.slowest, other.slowest)


def an_input(source: random.Random, number: int) -> str:
    """Return a source with a question and an odd answer between two words that must not get lost.

    Each input uses only a few tokens; with all of them, almost every input would have an error.
    """
    tokens = source.sample(_TOKENS, source.choice((3, 5, 8, 20, len(_TOKENS))))
    settings, body = source.choice(list(_BODIES.items()))
    odd = ["".join(source.choices(tokens, k=source.randint(1, 20))) for _ in range(body.count("{}"))]
    comment = f"<!-- card: {settings} -->\n" if settings else ""
    question = f"## Question {number} {source.choice(INLINES).strip()}?"
    return f"{question}\n{comment}\n{_FIRST}\n\n{body.format(*odd)}\n\n{_LAST}\n"


def fuzz(folder: Path, inputs: list[str]) -> Tally:
    """Put a batch of inputs, each a separate source, through all stages and into Anki."""
    tally = Tally(inputs=len(inputs))
    sources = folder / "sources"
    sources.mkdir(parents=True)
    (sources / "deck.toml").write_text('name = "Fuzz"\nid = "fuzz"\n', "utf-8")
    for number, text in enumerate(inputs):
        (sources / f"{number:06}.md").write_bytes(text.encode())
    (collection,), diagnostics = find_collections([sources])
    facts, media = CollectionFacts.of(collection), MediaFolder(collection.root)
    parsed = []
    for source in collection.sources:
        with _watched(tally, source.text):
            parsed.append(parse_source(facts, source, media))
    notes, found = assemble(parsed)
    decks = describe(collection.config, [deck for source in parsed for deck in source.decks])
    types = note_types("fuzz", "Fuzz", "")
    hashes = {each.key: each.digest for each in types}
    summaries = [each for source in parsed for each in source.summaries]
    identities, _ = identify(summaries, Lock("fuzz"), type_hashes=hashes, clock=lambda: 1_700_000_000)
    texts = {source.path: source.text for source in collection.sources}
    rendered: dict[str, list[RenderedNote]] = {path: [] for path in texts}
    diagnostics += found
    for each in map(Identified, notes, identities.guids, identities.mods):
        path = each.note.location.path
        with _watched(tally, texts[path]):
            note, found = render_note(each)
            rendered[path].append(note)
            diagnostics += found
    said: dict[str, list[Diagnostic]] = {path: [] for path in texts}
    for diagnostic in diagnostics:
        said[diagnostic.location.path].append(diagnostic)
    good = {path for path, found in said.items() if not has_errors(found)}
    tally.lost += _incomplete(parsed, rendered, said, texts, good)
    kept = [note for path in texts if path in good for note in rendered[path]]
    tally.packed = len(good)
    package = folder / "fuzz.apkg"
    write_package(
        path=package,
        note_types=[(each, 1_700_000_000) for each in types],
        decks=decks,
        rows=[(note.guid, note.mod, row(note)) for note in kept],
        newest=1_700_000_000,
    )
    with learner(folder / "anki") as anki:
        outcome = import_package(anki, package)
        if outcome != {"new": len(kept)}:
            tally.crashes.append(f"Anki took {outcome} of {len(kept)} notes")
        assert_healthy(anki)
    return tally


@contextmanager
def _watched(tally: Tally, text: str) -> Iterator[None]:
    """Record whether a stage breaks or hangs on a text, and continue."""
    begun = time.process_time()
    try:
        with deadline(_STUCK_SECONDS):
            yield
    except DeadlineError:
        tally.hangs.append(text)
    except Exception:  # noqa: BLE001 - what breaks is what is looked for
        tally.crashes.append(f"{text!r}\n{traceback.format_exc()}")
    seconds = time.process_time() - begun
    tally.slowest = max(tally.slowest, seconds)
    if seconds > HANG_SECONDS and text not in tally.hangs:
        tally.hangs.append(text)


def _incomplete(
    parsed: Iterable[ParsedSource],
    rendered: dict[str, list[RenderedNote]],
    said: dict[str, list[Diagnostic]],
    texts: dict[str, str],
    good: set[str],
) -> Iterator[str]:
    """Return the inputs that would be published with a word missing and no message."""
    descriptions = {deck.place.path: "" for source in parsed for deck in source.decks}
    for source in parsed:
        for deck in source.decks:
            descriptions[deck.place.path] += deck.description
    for path in good:
        shown = "".join(field for note in rendered[path] for field in note.fields)
        shown += descriptions.get(path, "")
        missing = [word for word in (_FIRST, _LAST) if word not in shown]
        if missing and not _HIDING & {each.rule for each in said[path]}:
            yield texts[path]


def _batches(effort: Effort, total: int) -> Iterator[tuple[Path, int, int, int]]:
    for begin in range(0, total, _BATCH):
        yield effort.folder / str(begin), effort.seed, begin, min(_BATCH, total - begin)


def _run_batch(batch: tuple[Path, int, int, int]) -> Tally:
    folder, seed, begin, count = batch
    source = random.Random(f"{seed} {begin}")
    inputs = [an_input(source, begin + number) for number in range(count)]
    try:
        return fuzz(folder, inputs)
    except Exception:  # noqa: BLE001 - what breaks is what is looked for
        return Tally(inputs=count, crashes=[f"inputs from {begin}: {traceback.format_exc()}"])
    finally:
        shutil.rmtree(folder)


def _measure(effort: Effort) -> tuple[Result, ...]:
    total = effort.pick(3_000, 1_000_000)
    tally = Tally()
    begun = time.monotonic()
    with ProcessPoolExecutor(effort.jobs, get_context("spawn")) as pool:
        for each in pool.map(_run_batch, _batches(effort, total)):
            tally.add(each)
    minutes = (time.monotonic() - begun) / 60
    figures = (
        f"{tally.inputs:,} inputs, {tally.packed:,} of them imported by Anki, the others refused with a location: "
        f"{len(tally.crashes)} crashes, {len(tally.hangs)} hangs; slowest {tally.slowest:.2f} s; {minutes:.1f} min"
    )
    return (
        Result(figures, not tally.crashes and not tally.hangs, (*tally.crashes, *map(repr, tally.hangs))),
        Result(f"{len(tally.lost)} of {tally.inputs:,}", not tally.lost, tuple(map(repr, tally.lost))),
    )


MEASUREMENT = Measurement(
    (
        Row(
            1,
            "crashes, and hangs of over 2 s, for fuzzed Markdown in parser, identity, renderer, package and Anki",
            "0, 0",
        ),
        Row(2, "fuzzed inputs that are published with a word missing and no message", "0"),
    ),
    _measure,
)
