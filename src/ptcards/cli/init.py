"""`ptcards init`: start a collection, or add to a folder what it lacks."""

import json
import secrets
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click

from ptcards.cli.options import common_options, tell

_FIRST_SOURCE = """\
# First steps

What stands here, above the first question, describes the deck.

## What does `ptcards build` make of a folder of Markdown?
<!-- card: id=what-build-makes difficulty=easy -->

An `.apkg` file to import into Anki, and a CSV file that any program reads.

### Details

A `##` heading is a question, what follows is its answer. The `id` in the comment keeps the
learner's schedule when you reword the question.

## How is a gap in a sentence written?
<!-- card: id=how-to-write-a-gap kind=cloze difficulty=easy -->

{{c1::Two braces}} around it, a number and {{c2::two colons::punctuation}} make it a cloze.

## Which of these marks a right option?
<!-- card: id=right-option difficulty=easy -->

- [ ] `- [ ]`
    - It marks a wrong one.
- [x] `- [x]`
    - One of them: single choice; several: select all that apply.
"""


@click.command()
@click.argument(
    "folder",
    metavar="[DIR]",
    default=".",
    type=click.Path(file_okay=False, path_type=Path),
    help="The collection's folder; made if it is missing.",
)
@common_options
def command(folder: Path) -> None:
    """Start a collection: deck.toml with a fresh id, .gitattributes and a first file.

    In a folder that has some of these only the missing ones are written; nothing is overwritten.
    """
    from ptcards.collection import in_words, shown  # noqa: PLC0415 - heavier than --help
    from ptcards.files import replacing  # noqa: PLC0415

    folder = folder.absolute()
    has_sources = folder.is_dir() and any(
        not path.name.startswith((".", "_")) for path in folder.rglob("*.md")
    )
    written = []
    for name, content in _missing(folder, in_words(folder.name), has_sources=has_sources):
        with replacing(folder / name) as file:
            file.write(content.encode())
        written.append(name)
    for name in written:
        tell(f"wrote {shown(folder / name)}")
    if not written:
        tell(f"nothing to do: {shown(folder)} is a collection already")
    else:
        tell(f"next: ptcards build {shown(folder)}")


def _missing(folder: Path, name: str, *, has_sources: bool) -> Iterator[tuple[str, str]]:
    toml = folder / "deck.toml"
    if not toml.exists():
        yield "deck.toml", f"name = {json.dumps(name, ensure_ascii=False)}\n{_id_line()}"
    elif _lacks_id(toml):
        yield "deck.toml", _id_line() + toml.read_text("utf-8-sig")
    attributes = folder / ".gitattributes"
    before = attributes.read_text("utf-8") if attributes.exists() else ""
    if "deck.lock" not in before:
        gap = "" if not before or before.endswith("\n") else "\n"
        yield ".gitattributes", f"{before}{gap}deck.lock merge=union\n"
    if not has_sources:
        yield "first-steps.md", _FIRST_SOURCE


def _id_line() -> str:
    return f'id = "{secrets.token_hex(4)}"  # names this collection to Anki; never change it\n'


def _lacks_id(toml: Path) -> bool:
    try:
        return "id" not in tomllib.loads(toml.read_text("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as failure:
        message = f"{toml} cannot be read: {failure}"
        raise click.ClickException(message) from failure
