"""docs/commands.md has what `--help` prints, so no command and no option can be left out of it."""

import re
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import click
import pytest
from click.testing import CliRunner

from ptcards.cli import COMMANDS, main

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"

GUIDES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "init": ("first-deck.md", "your-notes.md"),
        "serve": ("serve.md",),
        "check": ("checking.md",),
        "draw": ("diagrams.md",),
        "diff": ("publishing.md",),
        "keep": ("deck-lock.md",),
        "build": ("publishing.md", "sharing.md"),
        "release": ("publishing.md",),
        "inbox": ("sharing.md#corrections-from-others",),
        "push": ("push.md",),
        "pull": ("push.md#from-anki-to-markdown",),
        "reviews": ("reviews.md",),
        "import": ("moving-here.md",),
        "verify": ("verify.md",),
        "find": ("how-to.md#search-your-cards",),
        "open": ("checking.md",),
        "add": ("drafts.md",),
        "mcp": ("models.md",),
        "explain": ("checking.md",),
    }
)
"""The pages that show how a command is used."""
OPTION_GUIDES: Mapping[str, str] = MappingProxyType({"--dialect": "your-notes.md"})
"""The pages that show how an option is used."""
COMMON = ("--version", "--quiet", "--color", "--help")
"""The options of every command."""
USAGE = re.compile(
    r"Usage: (?P<usage>.*)\n\n(?P<text>(?:  \S.*\n|\n)+?)(?:\n  (?P<heading>\w+:)\n(?P<examples>(?: {4}.*\n)+))?\n?\w.*:\n"
)
"""Matches help without wrapped lines, up to the lists of arguments and options."""


def help_of(*command: str) -> str:
    """Return what `--help` prints in a terminal that is wider than any line."""
    result = CliRunner().invoke(
        main, [*command, "--help"], prog_name="ptcards", terminal_width=1000, color=False
    )
    assert result.exit_code == 0
    return result.output


def commands_page() -> str:
    status = help_of().partition("Exit status: ")[2].strip().removesuffix(".")
    parts = [
        "# Commands\n",
        "Look up every command and option. `ptcards COMMAND --help` prints the same.\n",
        "| command | does |\n|---|---|",
        *(f"| [`ptcards {command}`](#ptcards-{command}) | {text} |" for command, text in COMMANDS.items()),
        "\n## Options of every command\n",
        *_table("", main, everywhere=True),
        "## Exit status\n",
        "The exit code of a command is\n",
        *(f"- {each}" for each in status.split("; ")),
        "",
    ]
    for command in COMMANDS:
        parts += [f"## `ptcards {command}`\n", *_usage(command)]
        parts += _table(command, main.get_command(click.Context(main), command), everywhere=False)
    return "\n".join(parts)


def _usage(command: str) -> Iterator[str]:
    """Yield how a command is called, what it does and its examples."""
    found = USAGE.match(help_of(command))
    assert found
    yield f"```text\n{found['usage']}\n```\n"
    yield textwrap.dedent(found["text"])
    yield f"Guide: {', '.join(map(_link, GUIDES[command]))}\n"
    if found["examples"]:
        yield f"{found['heading']}\n"
        for line in found["examples"].splitlines():
            example, _, words = line.strip().partition("  ")
            yield f"- `{example}`{words and f': {words.strip()}'}"
        yield ""


def _link(address: str) -> str:
    """Return a link to a page, or to a part of it, with the page's name."""
    heading, *_ = (PAGE.parent / address.partition("#")[0]).read_text("utf-8").partition("\n")
    return f"[{heading.removeprefix('# ')}]({address})"


def _table(name: str, command: click.Command | None, *, everywhere: bool) -> Iterator[str]:
    """Yield a table with the options of every command, or with what only this one has, arguments first.

    Links to an option end in `#ptcards-build--format`, or in `#ptcards--quiet` for one of every command.
    """
    assert command
    context = click.Context(command)
    rows: dict[str, list[str]] = {"argument": [], "option": []}
    for each in command.get_params(context):
        record = each.get_help_record(context)
        if not record or (each.opts[-1] in COMMON) != everywhere:
            continue
        # A `|` in backticks would need a backslash on GitHub, which the site shows.
        term = f"<code>{record[0].replace('|', '&#124;')}</code>" if "|" in record[0] else f"`{record[0]}`"
        text = " ".join(record[1].split())
        if guide := OPTION_GUIDES.get(each.opts[-1]):
            text += f" Guide: {_link(guide)}"
        if isinstance(each, click.Option):
            anchor = f"ptcards{name and f'-{name}'}{each.opts[-1]}"
            term = f'<a id="{anchor}"></a>[{term}](#{anchor})'
        rows[each.param_type_name].append(f"| {term} | {text} |")
    kinds = " or ".join(kind for kind, those in rows.items() if those)
    yield "\n".join([f"| {kinds} | meaning |\n|---|---|", *rows["argument"], *rows["option"], ""])


@pytest.mark.extensions
def test_the_page_of_commands_is_what_help_prints(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update"):
        PAGE.write_text(commands_page(), "utf-8")
    assert PAGE.read_text("utf-8") == commands_page(), "run pytest --update"
