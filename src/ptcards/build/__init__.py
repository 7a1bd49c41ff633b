"""A complete build: read, identify, write."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from ptcards.build.plan import BuildOptions, Built, Plan, identify_all, write_all, write_lock
from ptcards.build.tidy import earlier_outputs, hide_from_git
from ptcards.diagnostics import Diagnostic, as_json, from_json, has_errors, may_be_kept
from ptcards.files import NoSuchSourceError, locked
from ptcards.files.git import ignore_files
from ptcards.files.names import one_file
from ptcards.files.outputs import output_folder
from ptcards.source.collection import find_roots
from ptcards.source.silence import silence
from ptcards.workspace import ReadOptions, Workspace
from ptcards.writers.outputs import output_name
from ptcards.writers.rows import rows

__all__ = ["BuildOptions", "Built", "Plan", "build", "prepared", "write_lock"]


def build(
    paths: Sequence[Path],
    options: BuildOptions,
    reading: ReadOptions,
    *,
    waiting: Callable[[Path], None],
    stage: Callable[[str], None] = lambda _: None,
) -> tuple[tuple[Built, ...], list[Diagnostic]]:
    """Build all collections, or none if any has an error.

    `waiting` is called with a folder that another build has locked, `stage` with the name of each stage.

    Raises:
        NoSuchSourceError: a path does not exist or has no sources, or two collections have the same output.
        SourceChangedError: a source was saved while the build ran.
        ClockError: SOURCE_DATE_EPOCH is not a time.
        OutputError: an output cannot be written; the remaining ones are unchanged.

    """
    with prepared(paths, options, reading, waiting=waiting, stage=stage) as found:
        diagnostics, plans = found.diagnostics, found.plans
        if has_errors(diagnostics):
            return (), diagnostics
        if any(plan.out_of_date for plan in plans):
            return tuple(plan.unwritten() for plan in plans), diagnostics
        if options.dry_run:
            would = [replace(plan.built(options), written=True) for plan in plans]
            return tuple(_with_earlier(plans, options, would)), diagnostics
        built = tuple(_with_earlier(plans, options, write_all(plans, options, stage, reading.progress)))
        for plan in plans if options.output is None else ():
            hide_from_git(plan.contents.collection, plan.folder(options))
        lasting = _next_time(found, lock_written=any(each.lock_written for each in built))
        if options.question and lasting is not None:
            stage("remember")
            said = [as_json(each) for each in _without_ignored(found.workspace, lasting)]
            _remember(found.workspace, options, plans, built, said)
        return built, diagnostics


def _with_earlier(plans: Sequence[Plan], options: BuildOptions, built: Sequence[Built]) -> Iterator[Built]:
    """Yield the results with the files that have an earlier name of their collection."""
    outputs = {file for each in built for file in each.outputs}
    for plan, each in zip(plans, built, strict=True):
        yield replace(each, earlier=tuple(earlier_outputs(plan.contents, plan.folder(options), outputs)))


class Prepared(NamedTuple):
    """What was read, and a plan for each collection; `plans` is empty if the sources have errors.

    `of_sources` contains the diagnostics of the sources and `of_identity` those of identity; `diagnostics`
    contains both, without the ignored ones.
    """

    workspace: Workspace
    plans: Sequence[Plan]
    of_sources: list[Diagnostic]
    of_identity: list[Diagnostic]
    diagnostics: list[Diagnostic]


@contextmanager
def prepared(
    paths: Sequence[Path],
    options: BuildOptions,
    reading: ReadOptions,
    *,
    waiting: Callable[[Path], None],
    stage: Callable[[str], None] = lambda _: None,
) -> Iterator[Prepared]:
    """Yield collections with their notes identified; their folders stay locked until the block ends.

    Raises the same errors as `build`, except those about outputs.
    """
    outputs = {options.output or output_folder(path) for path in paths} if options.formats else set()
    # Read only after locking, so that of two builds, the later one writes the newer text.
    with locked(*([] if options.dry_run else [*find_roots(paths), *outputs]), waiting=waiting):
        stage("read")
        workspace = Workspace.read(paths, reading, lambda collection: (rows(collection.config.note_types),))
        if options.formats:
            _refuse_twins(workspace, options)
        of_sources = workspace.diagnostics
        is_broken = has_errors(of_sources)
        of_sources += [from_json(each) for _, found in _rendered(workspace) for each in found]
        # Check everything even after an error, because authors want to see all mistakes together.
        plans: Sequence[Plan] = ()
        of_identity: list[Diagnostic] = []
        if not is_broken:
            stage("identify")
            reading.progress("Comparing", 0, 0)
            plans, of_identity = identify_all(workspace, options)
        kept = _without_ignored(workspace, of_sources + of_identity)
        yield Prepared(workspace, plans, of_sources, of_identity, kept)


def _refuse_twins(workspace: Workspace, options: BuildOptions) -> None:
    collections = [each.collection for each in workspace.contents]
    names = [output_name(each) for each in collections]
    folders = [os.path.realpath(options.output or output_folder(each.root)) for each in collections]
    files = [(folder, one_file(name)) for folder, name in zip(folders, names, strict=True)]
    if twin := next((name for name, file in zip(names, files, strict=True) if files.count(file) > 1), ""):
        fix = "rename one of them, or build them into two folders with `-o`"
        message = f"two collections would both be written to `{twin}`: {fix}"
        raise NoSuchSourceError(message)


def _rendered(workspace: Workspace) -> Iterator[tuple[int, list[Any]]]:
    """Yield the number of cards in each requested source, and diagnostics about its notes."""
    return (part for each in workspace.contents for _, part in each.parts("rendered"))


def _without_ignored(workspace: Workspace, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    for each in workspace.contents:
        diagnostics, _ = silence(each.collection, each.summaries, diagnostics)
    return diagnostics


def _next_time(found: Prepared, *, lock_written: bool) -> list[Diagnostic] | None:
    """Return what the same build would report next time, or None if that is unknown."""
    if not may_be_kept(found.of_sources + found.of_identity):
        return None
    if not lock_written:
        return found.of_sources + found.of_identity
    # The lock now matches every note, so identity would report nothing.
    is_whole = all(plan.contents.collection.selected is None for plan in found.plans)
    return found.of_sources if is_whole else None


def _remember(
    workspace: Workspace,
    options: BuildOptions,
    plans: Sequence[Plan],
    built: Sequence[Built],
    said: Sequence[object],
) -> None:
    """Cache what this build reported, unless the facts that it depended on are uncertain."""
    files = [file for each in built for file in (*each.outputs, *each.earlier)]
    if options.output is None:
        files += [file for plan in plans for file in ignore_files(plan.folder(options))]
    facts = workspace.facts(*files)
    # Another process may have changed a lock right after it was written.
    if facts and all(facts.files[str(plan.lock_file)] == plan.lock_digest for plan in plans):
        workspace.remember(options.question, facts, [said, [each.summary() for each in built]])
