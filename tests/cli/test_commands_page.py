"""docs/commands.md is what `--help` prints, so no command and no option can be left out of it."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from ptcards.cli import COMMANDS, main

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"


def help_of(*command: str) -> str:
    result = CliRunner().invoke(
        main, [*command, "--help"], prog_name="ptcards", terminal_width=100, color=False
    )
    assert result.exit_code == 0
    return f"```text\n{result.output}```\n"


def commands_page() -> str:
    picture = "![ptcards --help lists the commands](img/commands.svg)\n"
    parts = [
        "# Commands\n",
        "Look up every command and option: this is the output of `--help` for each command.\n",
        picture,
        help_of(),
    ]
    for command in COMMANDS:
        parts += [f"## `ptcards {command}`\n", help_of(command)]
    return "\n".join(parts)


def test_the_page_of_commands_is_what_help_prints(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update"):
        PAGE.write_text(commands_page(), "utf-8")
    assert PAGE.read_text("utf-8") == commands_page(), "run pytest --update"
