"""`ptcards release`: publishes a version of a deck as a folder of static files."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ptcards.cli.messages import (
    CommandError,
    announce,
    command_line,
    common_options,
    tell,
    tell_next,
)
from ptcards.cli.sources import default_source, exit_status, reading, show_diagnostics, show_stale, tell_files

if TYPE_CHECKING:
    from ptcards.extensions.publish.release import Released


@click.command()
@click.argument("source", metavar="[SOURCE]", required=False, help="A collection's folder.")
@click.argument(
    "named",
    metavar="[VERSION]",
    required=False,
    help="The version, by default the tag at HEAD without `v`; if it has a digit, SOURCE may be left out.",
)
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the release to this folder.  [default: dist/ next to build/]",
)
@click.option(
    "--previous",
    metavar="FILE|URL",
    default="",
    help="Continue this deck.json.  [default: the one in the folder or at `url`, whichever is newer]",
)
@click.option("--first", is_flag=True, help="Confirm that there is no previous release with a deck.json.")
@click.option("--dry-run", is_flag=True, help="Show what would be released; write nothing.")
@common_options
@click.pass_context
def command(
    ctx: click.Context,
    source: str | None,
    named: str | None,
    output: Path | None,
    previous: str,
    *,
    first: bool,
    dry_run: bool,
) -> None:
    """Publish a version of a deck as a folder that any web server can serve.

    The folder contains the package, a page that says what each version changed, deck.json with the same for
    programs, release notes and the study page; also the package and study page of each edition. Everything
    must be committed, and deck.lock up to date. If there are errors, the folder stays as it is.

    \b
    Examples:
      ptcards release              the version of the tag here
      ptcards release 1.4
      ptcards release --first      the first release with a deck.json
    """  # noqa: D301 - Click wants the character \b itself
    from ptcards.extensions.publish.release import ReleaseOptions, release  # noqa: PLC0415 - heavier than --help

    if first and previous:
        message = (
            "`--first` says that there is no previous release, and `--previous` names one: use one of the two"
        )
        raise click.UsageError(message)
    folder, number = _source_and_version(source, named)
    options = ReleaseOptions(number, output, previous, first, dry_run)
    with reading() as (_, how):
        result = release(
            folder,
            options,
            how,
            waiting=lambda place: tell(f"waiting for another build in `{place}` to end"),
        )
    show_diagnostics(result.diagnostics)
    status = exit_status(result.diagnostics)
    if result.released is None:
        build = command_line("build", *([source] if source and Path(source).exists() else []))
        is_stale = show_stale(result.built, f"run `{build}`, commit `deck.lock`, and tag that commit")
        tell("nothing was written")
        ctx.exit(1 if is_stale else status)
    _tell_released(result.released, dry_run=dry_run)


def _source_and_version(source: str | None, version: str | None) -> tuple[Path, str]:
    """Return the collection's folder and the version; a single argument may be either."""
    if source and version:
        return Path(source), version
    if source and Path(source).exists():
        return Path(source), ""
    if source and not any(map(str.isdigit, source)):  # more likely a slip in the name of a folder
        folder = default_source()
        message = f"there is no folder `{source}`, and a version has a digit"
        both = command_line("release", str(folder), source)
        raise CommandError(message, f"correct the folder, or name it before the version: `{both}`")
    return default_source(), source or ""


def _tell_released(released: "Released", *, dry_run: bool) -> None:
    from ptcards.extensions.publish.release.feed import in_parts  # noqa: PLC0415
    from ptcards.files.inputs import shown  # noqa: PLC0415 - as above

    feed, where = released.feed, shown(released.folder.absolute())
    after = f" (after {released.since})" if released.since else ""
    changes = tuple(in_parts(feed.newest)) or (("", "nothing changed"),)
    announce("Would release" if dry_run else "Released", f"{feed.name} {feed.newest.version}{after}", changes)
    tell_files({f"{where}/{name}": size for name, size in released.files.items()})
    for remark in released.remarks:
        tell(f"hint: {remark}")
    if url := released.settings.url:
        tell_next(f"publish {where}/ at {url}, and give this address to your learners")
    else:
        tell_next("set `url` in `[release]` of `deck.toml` to the address where you will publish it")
