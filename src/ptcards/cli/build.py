"""`ptcards build`: compiles collections, and summarises what changes for learners."""

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ptcards.cli.messages import (
    Progress,
    announce,
    common_options,
    is_verbose,
    tell,
    tell_next,
    verbose_option,
)
from ptcards.cli.sources import (
    dialect_option,
    exit_status,
    offer_fix,
    refuse_stale,
    show_diagnostics,
    sources_argument,
    tell_files,
)
from ptcards.diagnostics import Trait
from ptcards.extensions import after_build
from ptcards.writers import DEFAULTS, ENDINGS, BuildAnswer

if TYPE_CHECKING:
    from ptcards.cache import Cache
    from ptcards.compile import BuildOptions, Built, Judged
    from ptcards.diagnostics import Diagnostic, Location
    from ptcards.workspace import ReadOptions


@click.command()
@sources_argument
@dialect_option
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help=(
        "Write the outputs to this folder.  "
        "[default: build/ next to deck.toml, or next to cards/ in a project]"
    ),
)
@click.option(
    "--format",
    "formats",
    multiple=True,
    type=click.Choice(tuple(ENDINGS)),
    help=f"Write only this format; may be repeated.  [default: {' and '.join(DEFAULTS)}]",
)
@click.option(
    "--edition",
    "names",
    metavar="NAME",
    multiple=True,
    help="Build this edition of deck.toml; may be repeated.",
)
@click.option("--editions", is_flag=True, help="Build every edition of deck.toml.")
@click.option(
    "--only", "tags", metavar="TAG", multiple=True, help="Build the notes with this tag; may be repeated."
)
@click.option("--locked", is_flag=True, help="Fail if deck.lock would change; use this to build a release.")
@click.option(
    "--refresh", is_flag=True, help="Send every note to learners again, for example after a rendering fix."
)
@click.option("--dry-run", is_flag=True, help="Show what would be built; write nothing.")
@click.option("--new-lock", is_flag=True, help="Continue even if git's deck.lock has notes that yours lacks.")
@click.option("--skip-broken", is_flag=True, help="Leave out notes that have an error and are not published.")
@click.option("--accept", is_flag=True, help="Build even if many published notes are missing.")
@verbose_option("Print every finding, and how long each stage took.")
@common_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    *,
    sources: Sequence[Path],
    output: Path | None,
    formats: Sequence[str],
    names: Sequence[str],
    tags: Sequence[str],
    dialect: str,
    editions: bool,
    skip_broken: bool,
    **flags: bool,
) -> None:
    """Compile Markdown to Anki decks (.apkg) and CSV.

    If there are errors, all of them are reported, nothing is written, and the previous outputs are unchanged.
    With --skip-broken, an unfinished note does not hold up the others.
    Compiled notes are cached; the cache is safe to delete.

    Publish on the day you build: Anki does not update a note that a learner has edited or tagged since the
    build.

    \b
    Examples:
      ptcards build                  write the package for Anki and the CSV file
      ptcards build --format html    write only the study page
      ptcards build --only llm       write only the notes with the tag llm
      ptcards build --dry-run        show what would change for learners
    """  # noqa: D301 - Click wants the character \b itself
    for option, what in _UNLOCKED.items():
        if flags["locked"] and flags[option.replace("-", "_")]:
            raise click.UsageError(f"`--{option}` {what}, which `--locked` forbids: use one of the two")
    if bool(names) + bool(tags) + editions > 1:
        message = "`--edition`, `--editions` and `--only` each say what to build: use one of them"
        raise click.UsageError(message)
    if str(output) == "-":
        raise click.UsageError("outputs are files: name a folder instead of `-`")
    from ptcards.cache import Cache  # noqa: PLC0415 - the cheap check for changes comes first
    from ptcards.files import cache_file  # noqa: PLC0415
    from ptcards.files.output_folder import output_folder  # noqa: PLC0415

    folders = [output] if output else list(dict.fromkeys(map(output_folder, sources)))
    times = _Times("look for changes")
    wanted = tuple(formats) or DEFAULTS
    with closing(Cache(cache_file(os.environ), tell)) as cache:
        places = list(map(str, folders))
        asked = ("build", list(map(str, sources)), places, sorted({*wanted}), flags["locked"], dialect)
        question = (*asked, skip_broken, *map(list, (names, tags)), editions)
        is_usual = not (flags["refresh"] or flags["dry_run"] or flags["accept"])
        answer = cache.recall(question, BuildAnswer) if is_usual and not flags["new_lock"] else None
        if answer is not None:
            _show_answer(answer, times)
            return
        from ptcards.compile import BuildOptions  # noqa: PLC0415
        from ptcards.processes import usable_processors  # noqa: PLC0415
        from ptcards.source.editions import EditionChoice  # noqa: PLC0415
        from ptcards.workspace import ReadOptions  # noqa: PLC0415

        choice = EditionChoice(tuple(names), tuple(tags), every=editions)
        options = BuildOptions(output, wanted, editions=choice, **flags)
        with _suggesting_other_folder(() if output else folders):
            reading = ReadOptions(cache, usable_processors(), dialect, skip_broken=skip_broken, texts=False)
            remembered = question if is_usual else ()
            built, diagnostics = _build(sources, options, reading, question=remembered, times=times)
        status = exit_status(diagnostics)
        fixable = _found_by_fix(sources, dialect, cache, diagnostics) if status else []
    show_diagnostics(diagnostics, fixable=fixable)
    if status:
        is_unfinished = not skip_broken and any(Trait.UNFINISHED in each.traits for each in diagnostics)
        way = "; --skip-broken leaves out notes with an error" if is_unfinished else ""
        tell(f"nothing was written{way}")
        offer_fix(ctx, diagnostics, fixable)
    refuse_stale(ctx, built)
    _tell_all(built, times, dry_run=flags["dry_run"])
    ctx.exit(status)


_UNLOCKED = {
    "refresh": "gives every note a new time in `deck.lock`",
    "new-lock": "writes a new `deck.lock`",
}
"""What the options do that contradict `--locked`."""


def _found_by_fix(
    sources: Sequence[Path], dialect: str, cache: "Cache", diagnostics: "Iterable[Diagnostic]"
) -> "list[tuple[Location, str]]":
    """Return the places and rules of the findings of a stopped build that `check --fix` would fix."""
    from ptcards.lint.check import check  # noqa: PLC0415 - only after a failure
    from ptcards.lint.fixes import fixing_rules  # noqa: PLC0415
    from ptcards.workspace import ReadOptions  # noqa: PLC0415

    is_any = any(diagnostic.rule in fixing_rules() for diagnostic in diagnostics)
    return check(sources, ReadOptions(cache, dialect=dialect)).answer.fixable if is_any else []


@contextmanager
def _suggesting_other_folder(folders: Iterable[Path]) -> Iterator[None]:
    """Add `-o` to the error about an output that cannot be written to one of these folders."""
    from ptcards.files import OutputError  # noqa: PLC0415 - as above

    try:
        yield
    except OutputError as failure:
        real = Path(os.path.realpath(failure.path))
        if any(Path(os.path.realpath(folder)) in (real, real.parent) for folder in folders):
            raise OutputError(failure.path, f"{failure.reason}; choose another folder with `-o`") from failure
        raise


def _build(
    sources: Sequence[Path],
    options: "BuildOptions",
    reading: "ReadOptions",
    *,
    question: Sequence[object],
    times: "_Times",
) -> tuple[tuple["Built", ...], list["Diagnostic"]]:
    """Build all collections, or none if any has an error; keep the answer to a `question` for next time."""
    from ptcards.compile import prepared  # noqa: PLC0415 - as above

    def wait(folder: Path) -> None:
        tell(f"waiting for another build in `{folder}` to end")

    with Progress() as progress:
        shown = replace(reading, progress=progress)
        with prepared(sources, options, shown, waiting=wait, stage=times.begin) as judged:
            built = judged.write(options, progress, times.begin)
            if built and not options.dry_run and not any(each.out_of_date for each in built):
                _finish(judged, built, options, question, times)
            return built, judged.diagnostics


def _finish(
    judged: "Judged",
    built: "Sequence[Built]",
    options: "BuildOptions",
    question: Sequence[object],
    times: "_Times",
) -> None:
    """Hide the outputs from git, and remember what a build reported unless its facts are uncertain."""
    from ptcards.files.git import ignore_files  # noqa: PLC0415 - as above
    from ptcards.writers.outputs import hide_from_git  # noqa: PLC0415

    folders = [plan.folder(options) for plan in judged.plans] if options.output is None else []
    for plan, folder in zip(judged.plans, folders, strict=False):
        if plan.contents.collection.configured:
            hide_from_git(folder)
    said = judged.next_time(lock_written=any(each.lock_written for each in built))
    if not question or said is None:
        return
    times.begin("remember")
    ignoring = [file for folder in folders for file in ignore_files(folder)]
    facts = judged.workspace.facts(*(file for each in built for file in each.outputs), *ignoring)
    # Another process may have changed a lock right after it was written.
    if facts and all(facts.files[str(plan.lock_file)] == plan.lock_digest for plan in judged.plans):
        answer = BuildAnswer(said, [each.summary() for each in built])
        judged.workspace.remember(question, facts, answer, BuildAnswer)


def _show_answer(answer: BuildAnswer, times: "_Times") -> None:
    """Print the last build's messages again, because nothing has changed since."""
    show_diagnostics(answer.diagnostics)
    for what, outputs, pushed in answer.summaries:
        _summarize("Unchanged", what, outputs, times.total)
        _tell_after(pushed)
    times.show()


def _tell_all(built: "Sequence[Built]", times: "_Times", *, dry_run: bool) -> None:
    """Print what was built, the next step after a first build and, with `-v`, how long it took."""
    is_first = any(each.lock_created for each in built)
    if is_first:
        announce("Created", "deck.lock (commit it)")
    for each in built:
        _tell_built(each, times.total, dry_run=dry_run)
    if is_first:
        _tell_next([output for each in built for output in each.summary()[1]])
    times.show()


def _tell_next(outputs: Sequence[str]) -> None:
    """Print how to use the outputs of a first build; programs read the other formats."""
    if any(output.endswith(".apkg") for output in outputs):
        tell_next("in Anki, choose File › Import and open the .apkg")
    elif pages := [output for output in outputs if output.endswith(".html")]:
        tell_next(f"open {', '.join(pages)} in a browser")


def _tell_built(built: "Built", seconds: float, *, dry_run: bool) -> None:
    what, outputs, pushed = built.summary()
    if dry_run:
        announce("Would build", what, built.learners_see())
        for output in outputs:
            tell(f"  {output}")
    else:
        _summarize("Built" if built.written else "Unchanged", what, outputs, seconds, built.learners_see())
        _tell_after(pushed)
    for line in built.recognised:
        tell(line)


def _tell_after(collection: tuple[str, str]) -> None:
    """Print what extensions say after the build of a collection."""
    for line in after_build(*collection):
        tell(line)


def _summarize(
    verb: str, what: str, outputs: Sequence[str], seconds: float, changes: Iterable[tuple[str, str]] = ()
) -> None:
    """Print what was built, then each file with its size."""
    announce(verb, f"{what} in {seconds:.2f} s", changes)
    tell_files({output: _size(Path(output)) for output in outputs})


def _size(file: Path) -> int:
    """Return the size of a file in bytes, or 0 if it was deleted meanwhile."""
    try:
        return file.stat().st_size
    except OSError:
        return 0


class _Times:
    """The duration of each stage of a build."""

    def __init__(self, first: str) -> None:
        self._stages = [(first, time.monotonic())]

    def begin(self, stage: str) -> None:
        """Record that a stage begins and the previous one ends."""
        self._stages.append((stage, time.monotonic()))

    @property
    def total(self) -> float:
        """Seconds since the first stage began."""
        return time.monotonic() - self._stages[0][1]

    def show(self) -> None:
        """Print the stages with their seconds if `-v` was given."""
        if is_verbose():
            ends = [*(begun for _, begun in self._stages[1:]), time.monotonic()]
            for (stage, begun), end in zip(self._stages, ends, strict=True):
                tell(f"{end - begun:8.3f} s  {stage}")
