"""`ptcards keep`: gives reworded notes the ids with which learners keep their reviews."""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from ptcards.cli.messages import (
    CommandError,
    announce,
    command_line,
    common_options,
    tell,
    tell_next,
    terminal,
    verbose_option,
)
from ptcards.cli.sources import default_source, exit_status, show_diagnostics
from ptcards.diagnostics import counted
from ptcards.diagnostics.layout import wrap

if TYPE_CHECKING:
    from ptcards.diff.keeping import Keeping, NotePair, Setting
    from ptcards.diff.words import ChangedPart
    from ptcards.workspace import Contents


_P = TypeVar("_P")


def _complete(_ctx: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """Return the keys of the listed notes that start with `begun`, for shell completion."""
    from ptcards.diff.keeping import find_pairs  # noqa: PLC0415 - only to complete
    from ptcards.diff.update import NoOldError  # noqa: PLC0415
    from ptcards.files import NoSuchSourceError  # noqa: PLC0415
    from ptcards.workspace import ReadOptions, Workspace  # noqa: PLC0415

    try:
        with ReadOptions.of_user() as options:
            keeping, _ = find_pairs(Workspace.read([default_source()], options))
    except (NoSuchSourceError, NoOldError):
        return []
    if keeping is None:
        return []
    names = [*_names(keeping.pairs).values(), *(pair.name for pair in keeping.items)]
    return [name for name in names if name.startswith(begun)]


@click.command()
@click.argument(
    "names",
    metavar="[FOLDER] [KEY]...",
    nargs=-1,
    shell_complete=_complete,
    help="A collection's folder, and the notes that keep their reviews, as listed; KEY=ID where several fit.",
)
@click.option("--all", "everything", is_flag=True, help="Keep the reviews of all listed notes.")
@click.option(
    "--translated",
    is_flag=True,
    help="KEY, or with --all every translation, now says what its original says.",
)
@verbose_option("Show long differences in full.")
@common_options
@click.pass_context
def command(ctx: click.Context, names: Sequence[str], *, everything: bool, translated: bool) -> None:
    """Keep learners' reviews of notes that you reworded.

    Without KEY, the new notes that may be published ones are listed, with the changed words marked; on a
    terminal, each is followed by a question. The id of the published note is then written into the card
    comment of the new one. New items of a list follow; with their KEY, lines for deck.lock are printed.

    The collection in FOLDER (cards/ if it exists, otherwise this folder) is compared with the newest tag that
    contains it, or with HEAD, before or after a build. Without git, this works until the next build. For
    notes in another program's files, a line for deck.lock is printed instead.

    \b
    Examples:
      ptcards keep                 show the reworded notes and ask about each
      ptcards keep what-is-a-leaf  keep the reviews of this one
      ptcards keep --all           keep the reviews of all of them
      ptcards keep --translated view.de   this translation is up to date
    """  # noqa: D301 - Click wants the character \b itself
    from ptcards.diff.keeping import find_pairs  # noqa: PLC0415 - heavier than --help
    from ptcards.workspace import ReadOptions, Workspace  # noqa: PLC0415

    folder, keys = _folder_and_keys(names)
    with ReadOptions.of_user(tell) as options:
        workspace = Workspace.read([folder or default_source()], options)
        if translated:
            ctx.exit(_mark_translated(workspace.contents[0], keys, everything=everything))
        keeping, diagnostics = find_pairs(workspace)
        show_diagnostics(diagnostics)
        if keeping is None:
            ctx.exit(exit_status(diagnostics))
        if not keeping.since:
            tell("no release in git: compared with `deck.lock`, which only works until the next build")
        names = [pair.name for pair in keeping.items]
        items = [pair for pair in keeping.items if pair.name in keys]
        if keys:
            chosen = _named(keeping.pairs, [key for key in keys if key not in names])
        elif everything:
            chosen = _unambiguous(keeping.pairs, lambda pair: (pair.position, pair.record.guid))
            items = _unambiguous(keeping.items, lambda pair: (pair.location, pair.record))
        else:
            chosen = _asked(keeping)
            _print_items(keeping)
        left = len({pair.position for pair in keeping.pairs}) - len(chosen) if everything else 0
        status = _keep(keeping, chosen)
        if items:
            tell("the numbers of items are only in `deck.lock`: add these lines to it, then build")
            click.echo("".join(pair.lines for pair in items), nl=False)
    if not keeping.pairs and not keeping.items:
        tell(f"no new note resembles one that is gone since {_since(keeping)}")
    elif not (keys or everything or _is_terminal()):
        tell(f"to keep the reviews of a note: `{_command(folder)} KEY`; of all: `{_command(folder)} --all`")
    if left:
        how = f"name the right ones as `{_command(folder)}` lists them"
        tell(f"{counted(left, 'note')} left, where several fit: {how}")
    ctx.exit(status or int(bool(left)))


def _folder_and_keys(names: Sequence[str]) -> tuple[Path | None, Sequence[str]]:
    """Return the folder if the first name is one, and the remaining names."""
    if names and Path(names[0]).is_dir():
        return Path(names[0]), names[1:]
    return None, names


def _command(folder: Path | None) -> str:
    return command_line("keep", *([str(folder)] if folder else []))


def _print_items(found: "Keeping") -> None:
    """Print the new items that may be published ones."""
    for pair in found.items:
        click.echo(f"{pair.location.path}:{pair.location.line}: {pair.name}")
        _print_part(pair.part)


def _since(found: "Keeping") -> str:
    return f"`{found.since}`" if found.since else "`deck.lock`"


def _names(pairs: "Iterable[NotePair]") -> "dict[NotePair, str]":
    """Return what to call each pair: the note's key, with the id of the old note if there are several."""
    pairs = list(pairs)
    counts = Counter(pair.position for pair in pairs)
    return {pair: pair.key if counts[pair.position] == 1 else f"{pair.key}={pair.id}" for pair in pairs}


def _named(pairs: "Sequence[NotePair]", keys: Sequence[str]) -> "list[NotePair]":
    """Return the pairs that were named; raise an error for a name that none or several pairs have."""
    chosen: list[NotePair] = []
    for name in dict.fromkeys(keys):
        key, _, old = name.partition("=")
        some = [pair for pair in pairs if key in (pair.key, pair.guid) and old in ("", pair.id)]
        if not some:
            message = f"`{name}` is not a new note that resembles one that is gone"
            raise CommandError(message, "run `ptcards keep` to list these notes")
        if len(some) > 1:
            message = f"`{name}` resembles several notes that are gone"
            full = " or ".join(f"`{pair.key}={pair.id}`" for pair in some)
            raise CommandError(message, f"name one: {full}")
        chosen += some
    twice = [guid for guid, count in Counter(pair.record.guid for pair in chosen).items() if count > 1]
    if twice:
        keys = [f"`{pair.key}`" for pair in chosen if pair.record.guid == twice[0]]
        raise CommandError(f"{' and '.join(keys)} would be the same note", "name only one of them")
    return chosen


def _unambiguous(pairs: Sequence[_P], sides: Callable[[_P], tuple[object, object]]) -> list[_P]:
    """Return the pairs of which no side, neither the new one nor the published one, is in another pair."""
    counts = Counter(side for pair in pairs for side in sides(pair))
    return [pair for pair in pairs if all(counts[side] == 1 for side in sides(pair))]


def _asked(found: "Keeping") -> "list[NotePair]":
    """Print the pairs, and return those that the user of a terminal says are the same."""
    chosen: list[NotePair] = []
    for pair, name in _names(found.pairs).items():
        if any(pair.position == each.position or pair.record.guid == each.record.guid for each in chosen):
            continue
        place = pair.note.location
        click.echo(f"{place.path}:{place.line}: {name}")
        if others := _rivals(pair, found.pairs):
            click.echo(f"  or {' or '.join(others)}: only one of them can keep the reviews")
        for part in pair.parts:
            _print_part(part)
        if _is_terminal() and _is_confirmed():
            chosen.append(pair)
    return chosen


def _print_part(part: "ChangedPart") -> None:
    from ptcards.diff.words import part_lines  # noqa: PLC0415 - as above

    there = terminal(err=False)
    for line in part_lines(part, there):
        click.echo(wrap(f"  {line}".rstrip(), there.columns, hang=2), color=True)


def _is_confirmed() -> bool:
    """Ask whether two notes are the same until the answer is one of the two."""
    while True:
        answer = click.prompt("the same note? [y/n]", default="", show_default=False).strip().casefold()
        if answer in ("y", "yes", "n", "no"):
            return answer in ("y", "yes")
        click.echo("type `y` or `n`; Ctrl-C ends the questions and writes nothing")


def _rivals(pair: "NotePair", pairs: "Iterable[NotePair]") -> list[str]:
    """Return the places of the other new notes that may be the same published one."""
    return [
        f"{other.note.location.path}:{other.note.location.line}"
        for other in pairs
        if other.record.guid == pair.record.guid and other.position != pair.position
    ]


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _keep(found: "Keeping", chosen: "Sequence[NotePair]") -> int:
    """Write the ids of pairs, or print lines for the lock; return the exit status."""
    from ptcards.diff.keeping import lock_lines  # noqa: PLC0415 - as above

    foreign = [pair for pair in chosen if found.is_foreign(pair)]
    settings = [pair.setting for pair in chosen if pair not in foreign]
    left = _write(found.contents, settings)
    if foreign:
        tell("ptcards does not change other programs' notes: add these lines to `deck.lock`, then build")
        for line in lock_lines(found, foreign):
            click.echo(line, nl=False)
    if left < len(settings):
        tell_next("ptcards build")
    return int(bool(left))


def _write(contents: "Contents", settings: "Iterable[Setting]") -> int:
    """Write settings into card comments; return how many are left."""
    from ptcards.diff.keeping import write_settings  # noqa: PLC0415 - as above

    written, left = write_settings(contents, settings)
    for each in written:
        announce("Wrote", f"`{each}` to {each.location.path}:{each.location.line}")
    for each in left:
        tell(f"left unchanged: {each.location.path}:{each.location.line}: add `{each}` to its card comment")
    return len(left)


def _mark_translated(contents: "Contents", keys: Sequence[str], *, everything: bool) -> int:
    """Write that translations say what their originals say now; return the exit status."""
    from ptcards.diagnostics.suggest import did_you_mean  # noqa: PLC0415 - as above
    from ptcards.diff.keeping import translated  # noqa: PLC0415

    found = [*translated(contents)]
    known = {name for each, _ in found for name in (each.key, each.original_key)}
    if wrong := next((key for key in keys if key not in known), None):
        raise CommandError(f"`{wrong}` is not the key of a translation", did_you_mean(wrong, known))
    if not (keys or everything):
        raise CommandError("nothing says which translations", "name their keys, or use `--all`")
    chosen = (pair for pair in found if everything or {pair[0].key, pair[0].original_key} & {*keys})
    stale = [setting for each, setting in chosen if each.note.translated != setting.value]
    return int(bool(_write(contents, stale)))
