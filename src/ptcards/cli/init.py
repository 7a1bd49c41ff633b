"""`ptcards init`: starts a collection, or adds missing files to a folder."""

import codecs
import json
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ptcards.cli.messages import (
    CommandError,
    Progress,
    announce,
    command_line,
    common_options,
    tell,
    tell_next,
)
from ptcards.cli.sources import exit_status, show_diagnostics, tell_around
from ptcards.extensions import modules

if TYPE_CHECKING:
    from ptcards.files.git import Repository

_KNOWN = {".gitattributes": b"deck.lock", ".gitignore": b"build"}
"""For each of git's files, the text by which we recognise an existing line as equivalent to ours."""

_FILLED_IN = "?template=mistake.yml&guid={guid}&version={version}&question={question}&deck={deck}"
"""What an address adds so that the form arrives filled in."""
_GITHUB = re.compile(
    r"(?:(?:https|ssh)://(?:git@)?github\.com/|git@github\.com:)([\w.-]+)/([\w.-]+?)(?:\.git)?/?"
)
"""Matches the address of a repository on GitHub, with its owner and its name."""
_FIRST = "first-steps.md"
"""The file that sample notes are written to; ours of this name is for all fields."""
_SAMPLES = ("code", "language", "law", "biology")
"""The fields for which `new_deck` has a sample."""
_FOR_GITHUB = (
    "workflows/check-deck.yml",
    "workflows/show-changes.yml",
    "workflows/release-deck.yml",
    "workflows/suggestions.yml",
    "ISSUE_TEMPLATE/mistake.yml",
)
_HOME = "OWNER/ptcards"
"""Stands for our repository on GitHub if the package does not know it."""


@click.command()
@click.argument(
    "folder",
    metavar="[DIR]",
    default=".",
    type=click.Path(file_okay=False, path_type=Path),
    help="The collection's folder; created if it does not exist.",
)
@click.option(
    "--release",
    "releasing",
    is_flag=True,
    help="Also add GitHub workflows that show changed cards, release each tag and judge suggestions.",
)
@click.option(
    "--agents",
    "for_agents",
    is_flag=True,
    help="Also write AGENTS.md, which tells models how the notes are written, or update our part of it.",
)
@click.option(
    "--sample",
    type=click.Choice(_SAMPLES),
    help="Write sample notes of this field into first-steps.md, with the kinds of cards that suit it.",
)
@common_options
@click.pass_context
def command(
    ctx: click.Context, folder: Path, *, releasing: bool, for_agents: bool, sample: str | None
) -> None:
    """Start a collection: deck.toml with a new id, a first file, .gitattributes and .gitignore.

    In a folder that already has some of these, only the missing ones are added; existing files stay as they
    are. Nothing is asked, so scripts can run it.

    \b
    Examples:
      ptcards init geography    start a collection in a new folder
      ptcards init              make this folder a collection
      ptcards init --release    also add what releases on GitHub need
      ptcards init --sample law  begin with sample notes about law
    """  # noqa: D301 - Click wants the character \b itself
    from ptcards.files.inputs import has_home, shown  # noqa: PLC0415 - heavier than --help
    from ptcards.files.toml import read_toml  # noqa: PLC0415

    folder = folder.absolute()
    toml = folder / "deck.toml"
    if not toml.exists() and has_home(folder):
        message = f"`{shown(folder)}` cannot be a collection: it would include your home folder"
        raise CommandError(message, "name a folder for your cards: `ptcards init my-deck`")
    _, settings, broken = read_toml(toml, shown(toml)) if toml.exists() else ("", {}, [])
    if broken:
        show_diagnostics(broken)
        ctx.exit(exit_status(broken))
    dialect = _recognised(folder, settings or {})
    first = f"sample-{sample}.md" if sample else _FIRST
    written = _write(folder, _missing(folder, settings or {}, dialect, first, releasing=releasing))
    name = shown(folder)
    if sample and _FIRST not in dict(written):
        tell(f"note: `{name}` already has notes, so the sample was not written")
    if for_agents:
        _write_agents(ctx, folder)
    if dialect:
        from ptcards.source.dialects import settings_for  # noqa: PLC0415 - as above

        tell(f"the notes are read with {settings_for(dialect)}; see deck.toml")
    if written:
        _tell_next_steps(name, is_released=releasing and bool(settings))
    elif not for_agents:
        tell(f"nothing to do: `{name}` is already a collection")
    if releasing and "report" not in (settings or {}):
        _tell_report(folder)
    if unknown := [shown(folder / file) for file, content in written if _HOME.encode() in content]:
        files = ", ".join(f"`{file}`" for file in unknown)
        tell(f"write the owner of ptcards' repository instead of OWNER into {files}")
    tell_around(folder)


def _tell_next_steps(name: str, *, is_released: bool) -> None:
    """Print what to do with the files that were written; a deck that `is_released` was there before."""
    if is_released:
        tell_next("commit these files; then every tag that you push, such as v1.0, is released")
        return
    tell_next("preview the cards while you write, then build the deck for Anki:")
    tell(f"  {command_line('serve', name, '--open')}")
    tell(f"  {command_line('build', name)}")


def _write(folder: Path, files: Iterable[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    """Write files, and say which; return their paths and contents."""
    from ptcards.files import replacing  # noqa: PLC0415 - heavier than --help
    from ptcards.files.inputs import shown  # noqa: PLC0415 - as above

    written = []
    for file, content in files:
        before = _content(folder / file) if (folder / file).exists() else None
        with replacing(folder / file) as stream:
            stream.write(content)
        name = shown(folder / file)
        announce(*("Created", name) if before is None else ("Added to", f"{name}: {_added(before, content)}"))
        written.append((file, content))
    return written


def _added(before: bytes, after: bytes) -> str:
    """Return what is new in a file: tables, keys and patterns."""
    lines = (line.decode() for line in after.splitlines() if line not in before.splitlines())
    return ", ".join(f"`{line.partition(' = ')[0]}`" for line in lines if line)


def _tell_report(folder: Path) -> None:
    """Print how cards get a link to the form; it changes their look, so the author adds it."""
    owner, name = _on_github(folder)
    repository = f"{owner}/{name}" if owner else "…"
    tell("for a link `Report a mistake` on cards and the study page, add this to the top of deck.toml:")
    tell(f'  report = "https://github.com/{repository}/issues/new{_FILLED_IN}"')


def _write_agents(ctx: click.Context, folder: Path) -> None:
    """Write our part of `AGENTS.md`; the author's text around it stays as it is."""
    from ptcards.diagnostics import has_errors  # noqa: PLC0415 - only on request
    from ptcards.files import replacing  # noqa: PLC0415 - heavier than --help
    from ptcards.files.inputs import shown  # noqa: PLC0415
    from ptcards.source.config import read_config  # noqa: PLC0415

    agents = next(iter(modules("agents")), None)
    if agents is None:
        raise CommandError("`--agents` needs an extension of ptcards that is not installed")
    config, wrong = read_config(folder / "deck.toml", shown(folder / "deck.toml"))
    if has_errors(wrong):
        show_diagnostics(wrong)
        ctx.exit(exit_status(wrong))
    file = folder / agents.FILE
    before = _content(file)
    after = agents.with_agents_part(before, config)
    if after == before:
        tell(f"nothing to do: `{shown(file)}` is up to date")
        return
    with replacing(file) as stream:
        stream.write(after)
    announce("Updated" if before else "Created", shown(file))


def _recognised(folder: Path, settings: Mapping[str, object]) -> str:
    """Return the dialect of the notes in a folder without settings, or an empty string if it is uncertain."""
    from ptcards.files import NoSuchSourceError  # noqa: PLC0415 - as above

    if settings or not folder.is_dir():
        return ""
    looked = []
    with suppress(NoSuchSourceError), Progress() as progress:
        looked = [each.first_look(folder, progress) for each in modules("first_look")]
    return next((each.dialect for each in looked if each), "")


def _missing(
    folder: Path, settings: Mapping[str, object], dialect: str, first: str, *, releasing: bool
) -> Iterator[tuple[str, bytes]]:
    """Yield the paths and contents of the files to write; `settings` come from `deck.toml`.

    `dialect` is that of the notes, if it is recognised, and `first` our file with sample notes. Paths start
    in the collection's folder; with `releasing`, there are also workflows and a form for GitHub.
    """
    from ptcards.files.git import FILES_FOR_GIT  # noqa: PLC0415 - heavier than --help
    from ptcards.source.collection import has_sources  # noqa: PLC0415
    from ptcards.source.dialects import dialect_lines  # noqa: PLC0415

    toml = folder / "deck.toml"
    lines = "".join(_settings(folder, settings)) + dialect_lines(dialect)
    last = _release_settings(folder) if releasing and "release" not in settings else ""
    if lines or last:
        before = _content(toml).removeprefix(codecs.BOM_UTF8)
        yield "deck.toml", _with_ends_of(before, lines) + before + _with_ends_of(before, last)
    if not has_sources(folder):
        yield _FIRST, _new(first).encode()
    for name, line in FILES_FOR_GIT.items():
        before = _content(folder / name)
        if not any(_KNOWN[name] in known.partition(b"#")[0] for known in before.splitlines()):
            gap = "" if not before or before.endswith(b"\n") else "\n"
            yield name, before + _with_ends_of(before, f"{gap}{line}\n")
    if releasing:
        yield from _for_github(folder)


def _release_settings(folder: Path) -> str:
    """Return the table `[release]`, with addresses for a repository whose origin is on GitHub."""
    owner, name = _on_github(folder)
    host = f"{owner.lower()}.github.io"
    url = f"https://{host}/{'' if name.lower() == host else f'{name}/'}" if owner else ""
    issues = f"https://github.com/{owner}/{name}/issues/new{_FILLED_IN}" if owner else ""
    return (
        f'\n[release]\nurl = "{url}"  # where releases are published\n'
        f'issues = "{issues}"  # where learners may send suggestions\n'
    )


def _on_github(folder: Path) -> tuple[str, str]:
    """Return the owner and the name of the repository on GitHub that a folder is from, or empty strings."""
    repository = _repository(folder)
    found = _GITHUB.fullmatch(repository.origin()) if repository else None
    return (found[1], found[2]) if found else ("", "")


def _repository(folder: Path) -> "Repository | None":
    """Return the repository around a folder, which need not exist yet."""
    from ptcards.files.git import GitError, Repository  # noqa: PLC0415 - heavier than --help

    try:
        return Repository(next(above for above in (folder, *folder.parents) if above.is_dir()))
    except GitError:
        return None


def _for_github(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield workflows and a form for issues, at the top of the repository, unless they are there already."""
    from importlib.metadata import metadata  # noqa: PLC0415 - only here

    from ptcards import __version__  # noqa: PLC0415

    repository = _repository(folder)
    top = repository.top if repository else folder
    sources = json.dumps(folder.resolve().relative_to(top.resolve()).as_posix(), ensure_ascii=False)
    known = (entry.partition(", ") for entry in metadata("ptcards").get_all("Project-URL") or ())
    address = next((_GITHUB.fullmatch(url) for name, _, url in known if name == "Source"), None)
    home = f"{address[1]}/{address[2]}" if address else _HOME
    for name in _FOR_GITHUB:
        file = top / ".github" / name
        if not file.exists():
            text = _new(file.name).replace("{home}", home).replace("{version}", __version__)
            yield str(file), text.replace("{sources}", sources).encode()


def _new(name: str) -> str:
    """Return the text of a file that a new collection gets; `{home}` and such stand for what differs."""
    return resources.files("ptcards.cli").joinpath("new_deck", name).read_text(encoding="utf-8")


def _content(file: Path) -> bytes:
    """Return the content of a file, or empty bytes if it does not exist; an unreadable file is an error."""
    from ptcards.files import OutputError  # noqa: PLC0415 - heavier than --help
    from ptcards.files.inputs import MAX_TOML_BYTES, InputError, MissingError, read_input  # noqa: PLC0415

    try:
        return read_input(file, file.parent, MAX_TOML_BYTES)
    except MissingError:
        return b""
    except InputError as failure:
        raise OutputError(file, failure.reason) from failure


def _settings(folder: Path, settings: Mapping[str, object]) -> Iterator[str]:
    """Yield lines for the required settings that are missing."""
    from ptcards.files.inputs import in_words  # noqa: PLC0415 - heavier than --help
    from ptcards.source.valid_names import is_deck_level  # noqa: PLC0415

    if "name" not in settings:
        name = in_words(folder.name)
        yield f"name = {json.dumps(name if is_deck_level(name) else 'My deck', ensure_ascii=False)}\n"
    if "id" not in settings:
        yield f'id = "{secrets.token_hex(4)}"  # identifies this collection in Anki; never change it\n'


def _with_ends_of(content: bytes, text: str) -> bytes:
    """Return text encoded with the line ends of an existing file."""
    return text.replace("\n", "\r\n" if b"\r\n" in content else "\n").encode()
