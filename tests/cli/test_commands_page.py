"""docs/commands.md is what `--help` prints, so no command and no option can be left out of it."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from ptcards.cli import COMMANDS, main

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"


# The options of every command, and the heading if a command has no others.
COMMON = re.compile(r"^  (?:--version|-q, --quiet|--color|-h, --help) .*\n(?: {9}.*\n)*", re.MULTILINE)
NOTHING = re.compile(r"\nOptions:\n(?=\n|\Z)")


def help_of(*command: str) -> str:
    result = CliRunner().invoke(
        main, [*command, "--help"], prog_name="ptcards", terminal_width=80, color=False
    )
    assert result.exit_code == 0
    return result.output


def commands_page() -> str:
    status = " ".join(help_of().partition("Exit status: ")[2].split()).removesuffix(".")
    everywhere = "".join(found[0] for found in COMMON.finditer(help_of()))
    parts = [
        "# Commands\n",
        "Look up every command and option. `ptcards COMMAND --help` prints the same.\n",
        "| command | does |\n|---|---|",
        *(f"| [`ptcards {command}`](#ptcards-{command}) | {text} |" for command, text in COMMANDS.items()),
        "\n## Options of every command\n",
        _block(everywhere),
        "## Exit status\n",
        *(f"- {each}" for each in status.split("; ")),
        "",
    ]
    for command in COMMANDS:
        text = NOTHING.sub("", COMMON.sub("", help_of(command)))
        parts += [f"## `ptcards {command}`\n", _block(text)]
    return "\n".join(parts)


def _block(text: str) -> str:
    return f"```text\n{text}```\n"


def test_the_page_of_commands_is_what_help_prints(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update"):
        PAGE.write_text(commands_page(), "utf-8")
    assert PAGE.read_text("utf-8") == commands_page(), "run pytest --update"
