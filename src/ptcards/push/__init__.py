"""Pushes a collection into the Anki that is open on this computer.

A push builds the collection, compares it with Anki, and writes what is safe.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from ptcards.build import Built, prepared
from ptcards.diagnostics import Diagnostic, WrongUseError, has_errors
from ptcards.files import NoSuchSourceError, locked
from ptcards.files.temporary import sweep
from ptcards.push.anki import Anki
from ptcards.push.collection import CollectionPush, Pushed, PushOptions
from ptcards.push.values import Retired
from ptcards.workspace import ReadOptions

__all__ = ["Compared", "PushOptions", "Pushed", "compared", "push"]


class WrongProfileError(WrongUseError):
    """Anki has a profile open that was not requested. This is a usage error, with exit status 2."""


class Compared(NamedTuple):
    """The collections to push; empty if the sources have errors.

    `stale` lists the builds that `--locked` forbids.
    """

    collections: tuple[CollectionPush, ...]
    stale: tuple[Built, ...]
    diagnostics: list[Diagnostic]


@contextmanager
def compared(
    paths: Sequence[Path],
    options: PushOptions,
    anki: Anki,
    reading: ReadOptions,
    *,
    waiting: Callable[[Path], None],
) -> Iterator[Compared]:
    """Wait for Anki, read the sources, and yield the collections.

    Other builds cannot use their folders until the block ends. Raises the same errors as `push`.
    """
    profile = anki.wait()
    if options.profile not in ("", profile.name):
        message = (
            f'profile "{profile.name}" is open, not "{options.profile}": switch in Anki (File › '
            "Switch Profile)"
        )
        raise WrongProfileError(message)
    with (
        _alone(options, waiting),
        prepared(paths, options.build, reading, waiting=waiting) as found,
    ):
        if has_errors(found.diagnostics):
            yield Compared((), (), found.diagnostics)
            return
        for each in found.workspace.contents:
            if not each.collection.configured:
                message = f"`{each.collection.root}` has no `deck.toml`: run `ptcards init` there first"
                raise NoSuchSourceError(message)
        stale = tuple(plan.unwritten() for plan in found.plans if plan.out_of_date)
        plans = () if stale else found.plans
        reading.progress("Comparing", 0, 0)
        pushes = tuple(CollectionPush(plan, options, anki, profile) for plan in plans)
        yield Compared(pushes, stale, found.diagnostics)


@contextmanager
def _alone(options: PushOptions, waiting: Callable[[Path], None]) -> Iterator[None]:
    """Lock the record against other pushes on this computer, unless this is a dry run.

    Also delete what interrupted pushes left in the temporary folder.
    """
    sweep("push")
    folder = options.state / "push"
    if not options.dry_run:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with locked(*([] if options.dry_run else [folder]), waiting=waiting):
        yield


def push(
    paths: Sequence[Path],
    options: PushOptions,
    anki: Anki,
    reading: ReadOptions,
    *,
    waiting: Callable[[Path], None],
    confirm: Callable[[Sequence[Retired]], bool],
) -> tuple[tuple[Pushed, ...], tuple[Built, ...], list[Diagnostic]]:
    """Push collections; return what was done, the builds that `--locked` forbids, and the diagnostics.

    `confirm` is called before retired notes are deleted.

    Raises:
        AnkiError: Anki is not running or refused a request.
        WrongProfileError: another profile is open.
        NoSuchSourceError: a path does not exist or is not in a collection.
        SourceChangedError: a source was saved during the push.
        ClockError: SOURCE_DATE_EPOCH is not a valid time.
        OutputError: the lock or the record cannot be written.

    """
    with compared(paths, options, anki, reading, waiting=waiting) as found:
        pushed = tuple(each.run(confirm) for each in found.collections)
        return pushed, found.stale, found.diagnostics
