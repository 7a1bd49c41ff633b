"""`ptcards init`: starts a collection, or adds missing files to a folder."""

import codecs
import json
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from ptcards.cli.messages import announce, command_line, common_options, tell
from ptcards.cli.sources import exit_status, show_diagnostics

_KNOWN = {".gitattributes": b"deck.lock", ".gitignore": b"build"}
"""For each of git's files, the text by which we recognise an existing line as equivalent to ours."""

_FIRST_SOURCE = """\
# First steps

The text here, above the first question, describes the deck.

## What does `ptcards build` make from a folder of Markdown?
<!-- card: id=what-build-makes difficulty=easy -->

An `.apkg` file to import into Anki, and a CSV file that any program can read.

### Details

A `##` heading is a question, and what follows is its answer. The `id` in the comment keeps the
learner's schedule when you reword the question.

## How do you write a gap in a sentence?
<!-- card: id=how-to-write-a-gap kind=cloze difficulty=easy -->

{{c1::Two braces}} around it, with a number and {{c2::two colons::punctuation}}, make it a cloze.

## Which of these marks a right option?
<!-- card: id=right-option difficulty=easy -->

- [ ] `- [ ]`
    - It marks a wrong option.
- [x] `- [x]`
    - One right option makes a single choice; several mean "select all that apply".
"""


@click.command()
@click.argument(
    "folder",
    metavar="[DIR]",
    default=".",
    type=click.Path(file_okay=False, path_type=Path),
    help="The collection's folder; created if it does not exist.",
)
@common_options
@click.pass_context
def command(ctx: click.Context, folder: Path) -> None:
    """Start a collection: deck.toml with a new id, a first file, .gitattributes and .gitignore.

    In a folder that already has some of these, only the missing ones are added; existing files stay as they
    are.
    """
    from ptcards.files import replacing  # noqa: PLC0415
    from ptcards.files.inputs import find_root, is_collection, shown  # noqa: PLC0415 - heavier than --help
    from ptcards.files.toml import read_toml  # noqa: PLC0415

    folder = folder.absolute()
    toml = folder / "deck.toml"
    _, settings, broken = read_toml(toml, shown(toml)) if toml.exists() else ("", {}, [])
    if broken:
        show_diagnostics(broken)
        ctx.exit(exit_status(broken))
    written = []
    for file, content in _missing(folder, settings or {}):
        verb = "Added to" if (folder / file).exists() else "Created"
        with replacing(folder / file) as stream:
            stream.write(content)
        written.append((verb, file))
    name = shown(folder)
    for verb, file in written:
        announce(verb, shown(folder / file))
    if written:
        tell("next, preview the cards while you write, then build the deck for Anki:")
        tell(f"  {command_line('serve', name, '--open')}")
        tell(f"  {command_line('build', name)}")
    else:
        tell(f"nothing to do: `{name}` is already a collection")
    around = find_root(folder.parent)
    if is_collection(around):
        tell(
            f"note: `{shown(around)}` is also a collection, and collections do not nest: "
            f'add `exclude = ["{folder.relative_to(around).as_posix()}/"]` to its `deck.toml`'
        )


def _missing(folder: Path, settings: Mapping[str, object]) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of the files to write; `settings` come from `deck.toml`."""
    from ptcards.files.git import FILES_FOR_GIT  # noqa: PLC0415 - heavier than --help
    from ptcards.source.collection import has_sources  # noqa: PLC0415

    toml = folder / "deck.toml"
    lines = "".join(_settings(folder, settings))
    if lines:
        before = _content(toml).removeprefix(codecs.BOM_UTF8)
        yield "deck.toml", _with_ends_of(before, lines) + before
    if not has_sources(folder):
        yield "first-steps.md", _FIRST_SOURCE.encode()
    for name, line in FILES_FOR_GIT.items():
        before = _content(folder / name)
        if not any(_KNOWN[name] in known.partition(b"#")[0] for known in before.splitlines()):
            gap = "" if not before or before.endswith(b"\n") else "\n"
            yield name, before + _with_ends_of(before, f"{gap}{line}\n")


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
