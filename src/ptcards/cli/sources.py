"""Shared by the commands that read sources: the SOURCE argument, and messages about it."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from ptcards.cli.messages import (
    Command,
    CommandError,
    Progress,
    command_line,
    is_quiet,
    is_verbose,
    near_path,
    show_error,
    tell,
    terminal,
)
from ptcards.diagnostics import Diagnostic, Location, errors_in
from ptcards.diagnostics.layout import limited
from ptcards.source.dialects import spellings, wrong_in_a_word

if TYPE_CHECKING:
    from ptcards.compile import Built
    from ptcards.workspace import Contents, ReadOptions

_MOST_STALE = 20
"""The maximum number of lines to print about what the lock lacks."""


def sources_argument(command: Command) -> Command:
    """Add SOURCE…; the default is `cards/` if it exists, otherwise the current folder."""
    return click.argument(
        "sources",
        metavar="[SOURCE]...",
        nargs=-1,
        type=click.Path(path_type=Path),
        callback=lambda _ctx, _parameter, paths: every_collection(paths),
        help="A collection's folder, or files and folders inside one, or a folder with several collections.",
    )(command)


def every_collection(paths: Sequence[Path]) -> tuple[Path, ...]:
    """Return the SOURCE arguments, with its collections in place of a folder above several."""
    from ptcards.files.inputs import find_root, is_collection  # noqa: PLC0415 - heavier than --help

    given = tuple(paths or (default_source(),))
    if all(is_collection(find_root(path.absolute())) for path in given):
        return given
    from ptcards.source.collection import collections_below  # noqa: PLC0415 - heavier than the above

    return tuple(each for path in given for each in collections_below(path) or [path])


@contextmanager
def reading(processes: int = 0) -> "Iterator[tuple[Progress, ReadOptions]]":
    """Yield the progress line of a command and how it reads sources: by default, with all processors."""
    from ptcards.processes import usable_processors  # noqa: PLC0415 - heavier than --help
    from ptcards.workspace import ReadOptions  # noqa: PLC0415

    with (
        Progress() as progress,
        ReadOptions.of_user(tell, processes=processes or usable_processors(), progress=progress) as options,
    ):
        yield progress, options


def dialect_option(command: Command) -> Command:
    """Add `--dialect`, which reads notes without a `deck.toml`."""
    return click.option(
        "--dialect",
        metavar="NAME",
        default="",
        callback=_known_dialect,
        help=f"Read the files as {spellings()}.",
    )(command)


def _known_dialect(_ctx: click.Context, _parameter: click.Parameter, name: str) -> str:
    if name and (problem := wrong_in_a_word(name)):
        raise click.BadParameter(f"{problem.message}: {problem.fix}")
    return name


def default_source() -> Path:
    """Return `cards/` if it exists, otherwise the current folder.

    Raises an error if `cards/` links to a place outside the current folder.
    """
    from ptcards.files.inputs import OutsideError, real_path  # noqa: PLC0415 - heavier than --help

    cards = Path("cards")
    if not cards.is_dir():
        return Path()
    try:
        real_path(cards, Path())
    except OutsideError as failure:
        message = "`cards` links to a place outside this folder"
        raise CommandError(message, "name the folder that it links to") from failure
    return cards


_STARTING = ("build", "check", "serve")
"""The commands that may be the first about a new collection."""


def how_to_go_on(path: Path | None, command: str | None) -> str:
    """Return the help for an unreadable SOURCE: the path that was probably meant, or a way to start."""
    from ptcards.files.inputs import has_home, is_collection, shown  # noqa: PLC0415 - rarely needed

    if path is None:
        return ""
    start = command_line("init", shown(path))
    if path.is_dir():
        if has_home(path) and not is_collection(path):
            return "run this in the folder of your cards, or name that folder"
        return f"run `{start}` to {'add a first file' if is_collection(path) else 'start a collection there'}"
    if near := near_path(path):
        return near
    is_start = command in _STARTING and not path.suffix and path.parent != path.parent.parent
    return f"run `{start}` to start a collection there" if is_start else ""


def wanted(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the diagnostics to print: with `-q`, only errors."""
    return errors_in(diagnostics) if is_quiet() else list(diagnostics)


def show_diagnostics(
    diagnostics: Iterable[Diagnostic],
    *,
    with_lines: bool = True,
    fixable: Iterable[tuple[Location, str]] = (),
) -> None:
    """Print diagnostics on standard error, with the source lines they are about; `-q` leaves only errors.

    Those at the `fixable` places are marked as such.
    """
    found = wanted(diagnostics)
    if found:
        from ptcards.diagnostics.render import render  # noqa: PLC0415 - only needed for diagnostics
        from ptcards.files.inputs import source_lines  # noqa: PLC0415 - only needed for diagnostics

        line_at = source_lines() if with_lines else lambda _: None
        there, marked = terminal(err=True), frozenset(fixable)
        text = render(
            found, format="text", source_line=line_at, terminal=there, fixable=marked, listing=how_to_list
        )
        click.echo(text, nl=False, err=True, color=True)


def how_to_list(rule: str) -> str:
    """Return how to list all findings of a rule in the sources of the command that runs."""
    ctx = click.get_current_context()
    return f"`{_check_again(ctx, '--select', rule)}`" if "sources" in ctx.params else "-v"


def _check_again(ctx: click.Context, *options: str) -> str:
    """Return the command that checks the same sources with these options."""
    given = ctx.get_parameter_source("sources") is not ParameterSource.DEFAULT
    dialect = ("--dialect", ctx.params["dialect"]) if ctx.params.get("dialect") else ()
    return command_line("check", *options, *dialect, *(map(str, ctx.params["sources"]) if given else ()))


def tell_around(folder: Path) -> None:
    """Print what to do if the folder of a new collection is inside another one."""
    from ptcards.files.inputs import find_root, is_collection, shown  # noqa: PLC0415 - heavier than --help

    around = find_root(folder.parent)
    if is_collection(around):
        tell(
            f"note: `{shown(around)}` is also a collection, and collections do not nest: "
            f'add `exclude = ["{folder.relative_to(around).as_posix()}/"]` to its `deck.toml`'
        )


def tell_untouched(done: str, contents: "Contents", paths: Iterable[str]) -> None:
    """Print which of these files were not changed because they are written for another program."""
    for path in sorted({*paths} & contents.foreign.keys()):
        dialect = contents.foreign[path]
        tell(f"not {done}: {path} has the dialect {dialect}; ptcards does not change such notes")


def tell_files(sizes: Mapping[str, int]) -> None:
    """Print written files with their sizes in bytes; 0 is unknown."""
    widest = max(map(len, sizes), default=0)
    for file, size in sizes.items():
        kilobytes = max(1, round(size / 1000))
        words = f"{kilobytes} kB" if kilobytes < 1000 else f"{kilobytes / 1000:.1f} MB"
        tell(f"  {file:<{widest}}  {words if size else ''}")


def exit_status(diagnostics: Iterable[Diagnostic]) -> int:
    """Return the exit status: 2 for unusable settings or `deck.lock`, 1 for other errors, or 0."""
    wrong = errors_in(diagnostics)
    if any(each.location.path.endswith((".toml", "deck.lock")) for each in wrong):
        return 2
    return 1 if wrong else 0


def offer_fix(
    ctx: click.Context, diagnostics: Sequence[Diagnostic], fixable: Collection[tuple[Location, str]]
) -> None:
    """Print how many of the findings `--fix` would fix, if any."""
    marked = frozenset(fixable)
    count = sum((diagnostic.location, diagnostic.rule) in marked for diagnostic in diagnostics)
    if count:
        tell(f"{count} of {len(diagnostics)} can be fixed: {_check_again(ctx, '--fix')}")


def refuse_stale(
    ctx: click.Context,
    built: "Sequence[Built]",
    fix: str = "build without `--locked`, then commit `deck.lock`",
) -> None:
    """If the lock lacks anything, list it and exit; `fix` says what to do."""
    if show_stale(built, fix):
        ctx.exit(1)


def show_stale(built: "Sequence[Built]", fix: str) -> bool:
    """List what the lock lacks, and return whether it lacks anything."""
    stale = [line for each in built for line in each.out_of_date]
    if not stale:
        return False
    most = None if is_verbose() else _MOST_STALE
    recognised = (line for each in built for line in each.recognised)
    listed = limited(stale, most, "and {} more (-v lists them)".format)
    show_error(CommandError("`deck.lock` is out of date", fix), evidence=(*listed, *recognised))
    return True
