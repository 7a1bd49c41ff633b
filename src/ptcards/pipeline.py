"""The stages in order: load, resolve, render, write."""

from collections.abc import Callable, Sequence
from collections.abc import Collection as Container
from dataclasses import dataclass
from pathlib import Path

from ptcards.collection import Collection, NoSuchSourceError, shown, slug
from ptcards.diagnostics import Diagnostic, Location, has_errors, warning
from ptcards.files import locked as lock_folders
from ptcards.files import replacing
from ptcards.identity.hashes import gist
from ptcards.identity.lock import Lock, format_lock, read_lock
from ptcards.identity.resolve import Resolution, locked_differences, read_clock, resolve
from ptcards.loading import Parsed, load
from ptcards.notes import Identified, RenderedNote
from ptcards.notetypes import NoteType, note_types
from ptcards.notetypes.cards import card_ordinals
from ptcards.rendering.fields import render_note
from ptcards.writers.anki_csv import write_anki_csv
from ptcards.writers.apkg import replaces_everything, write_apkg
from ptcards.writers.csv import write_csv
from ptcards.writers.html import write_html

FORMATS = ("apkg", "csv", "html", "anki-csv")
DEFAULT_FORMATS = ("apkg", "csv")

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How to build: where to, in which formats (of `FORMATS`), and what may change."""

    output: Path
    formats: Container[str] = DEFAULT_FORMATS
    locked: bool = False
    refresh: bool = False


@dataclass(frozen=True, slots=True)
class Built:
    """What a build of one collection did: `outputs` were written, of that many notes and cards.

    `out_of_date` says, with `locked`, what the lock lacks; nothing was written then.
    """

    collection: Collection
    resolution: Resolution
    notes: int
    cards: int
    outputs: tuple[Path, ...]
    out_of_date: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Plan:
    """A collection ready to be written."""

    parsed: Parsed
    resolution: Resolution
    note_types: tuple[tuple[NoteType, int], ...]
    identified: tuple[Identified, ...]
    rendered: tuple[RenderedNote, ...]
    lock_before: Lock
    out_of_date: tuple[str, ...]


def build(
    paths: Sequence[Path], options: BuildOptions, *, waiting: Callable[[Path], None], progress: Progress
) -> tuple[tuple[Built, ...], list[Diagnostic]]:
    """Compile collections: all of them, or with an error in any none.

    `waiting` is called with a folder that another build holds, `progress` with notes rendered and notes in all.

    Raises:
        NoSuchSourceError: a path is not there, holds no sources, or two collections want one output.
        ClockError: SOURCE_DATE_EPOCH is no time.
        OutputError: an output cannot be written; those not yet written are as they were.

    """
    loaded, diagnostics = load(paths)
    names = [output_name(parsed.collection) for parsed in loaded]
    if twin := next((name for name in names if names.count(name) > 1), ""):
        message = f"two collections would both be written to `{twin}`: give one another `name`, or build them into two folders with -o"
        raise NoSuchSourceError(message)
    if has_errors(diagnostics):
        # Rendering finds mistakes too, and an author wants all of them at once.
        for parsed in loaded:
            notes = [Identified(note, "", 0) for note in parsed.selected_notes]
            diagnostics += _render(notes, progress)[1]
        return (), diagnostics
    folders = [parsed.collection.root for parsed in loaded if parsed.collection.configured]
    with lock_folders(*folders, options.output, waiting=waiting):
        plans = []
        for parsed in loaded:
            plan, found = _plan(parsed, options, progress)
            diagnostics += found
            if plan is not None:
                plans.append(plan)
        if has_errors(diagnostics):
            return (), diagnostics
        if any(plan.out_of_date for plan in plans):
            return tuple(_unwritten(plan) for plan in plans), diagnostics
        for plan in plans:
            _write_lock(plan)
        return tuple(_write(plan, options) for plan in plans), diagnostics


def output_name(collection: Collection) -> str:
    """Name the outputs of a collection, without ending: the slug of its name, with the stems of a selection."""
    name = "-".join([slug(collection.config.name), *(slug(stem) for stem in collection.selection)])
    return f"{name}-deck" if replaces_everything(f"{name}.apkg") else name


def _plan(parsed: Parsed, options: BuildOptions, progress: Progress) -> tuple[_Plan | None, list[Diagnostic]]:
    """Resolve and render one collection."""
    collection = parsed.collection
    config = collection.config
    file = collection.root / "deck.lock"
    before: Lock | None = Lock(config.id)
    diagnostics: list[Diagnostic] = []
    if collection.configured:
        before, diagnostics = read_lock(file, shown=shown(file), collection_id=config.id)
    else:
        diagnostics = [_no_lock(collection)]
    if before is None:
        return None, diagnostics
    types = note_types(config.id, config.name, config.css)
    hashes = {note_type.key: note_type.digest for note_type in types}
    stale: tuple[str, ...] = ()
    if options.locked and collection.configured:
        stale = locked_differences(
            list(map(gist, parsed.notes)), before, type_hashes=hashes, selected=collection.selected
        )
    resolution, found = resolve(
        parsed.notes,
        before,
        type_hashes=hashes,
        clock=(lambda: 1) if stale else read_clock,  # what is out of date is not written
        refresh=options.refresh,
        selected=collection.selected,
    )
    diagnostics += found
    identified = tuple(each for each in resolution.notes if collection.is_selected(each.note.location.path))
    rendered, found = _render(identified, progress)
    timed = tuple((note_type, resolution.types[note_type.key]) for note_type in types)
    plan = _Plan(parsed, resolution, timed, identified, tuple(rendered), before, stale)
    return plan, diagnostics + found


def _no_lock(collection: Collection) -> Diagnostic:
    place = Location(collection.sources[0].path, 1)
    message = "without a `deck.toml` nothing remembers these notes: a reworded question becomes a new note"
    return warning(
        place, "no-deck-toml", message, "run `ptcards init` in this folder before you share the deck"
    )


def _render(notes: Sequence[Identified], progress: Progress) -> tuple[list[RenderedNote], list[Diagnostic]]:
    rendered = []
    diagnostics: list[Diagnostic] = []
    for done, identified in enumerate(notes, 1):
        note, found = render_note(identified)
        rendered.append(note)
        diagnostics += found
        progress(done, len(notes))
    return rendered, diagnostics


def _unwritten(plan: _Plan) -> Built:
    return Built(plan.parsed.collection, plan.resolution, 0, 0, (), plan.out_of_date)


def _write_lock(plan: _Plan) -> None:
    collection = plan.parsed.collection
    path = collection.root / "deck.lock"
    content = format_lock(plan.resolution.lock).encode()
    # Compared with the file: of two merged branches it may hold several lines of a note, which reading folds.
    if collection.configured and (plan.lock_before.new or content != path.read_bytes()):
        with replacing(path) as file:
            file.write(content)


def _write(plan: _Plan, options: BuildOptions) -> Built:
    stem = output_name(plan.parsed.collection)
    outputs = []
    cards = sum(len(card_ordinals(note.note_type, note.fields)) for note in plan.rendered)
    if "apkg" in options.formats:
        outputs.append(options.output / f"{stem}.apkg")
        write_apkg(path=outputs[-1], note_types=plan.note_types, decks=plan.parsed.decks, notes=plan.rendered)
    if "csv" in options.formats:
        outputs.append(options.output / f"{stem}.csv")
        write_csv(path=outputs[-1], notes=plan.identified)
    types = [note_type for note_type, _ in plan.note_types]
    if "html" in options.formats:
        outputs.append(options.output / f"{stem}.html")
        config = plan.parsed.collection.config
        write_html(path=outputs[-1], config=config, note_types=types, notes=plan.rendered)
    if "anki-csv" in options.formats:
        outputs.append(options.output / f"{stem}.anki.csv")
        write_anki_csv(path=outputs[-1], note_types=types, notes=plan.rendered)
    return Built(plan.parsed.collection, plan.resolution, len(plan.rendered), cards, tuple(outputs))
