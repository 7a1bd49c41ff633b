"""`--help` groups the commands, fits narrow terminals, and has colours only where they are wanted."""

from collections.abc import Callable
from itertools import takewhile
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import ptcards.cli
from conftest import Ran
from ptcards.cli import COMMANDS, GROUPS, main
from ptcards.diagnostics.layout import width_of

Run = Callable[..., Ran]


def help_of(*command: str, width: int) -> str:
    result = CliRunner().invoke(main, [*command, "--help"], prog_name="ptcards", terminal_width=width)
    assert result.exit_code == 0
    return result.output


def test_every_command_is_in_exactly_one_group() -> None:
    folder = Path(ptcards.cli.__file__).parent
    files = [*folder.glob("*.py"), *folder.parent.glob("extensions/*/cli/*.py")]
    modules = [file.stem.rstrip("_") for file in files if "def command(" in file.read_text("utf-8")]
    listed = [name for commands in GROUPS.values() for name in commands]
    assert (sorted(listed), list(COMMANDS)) == (sorted(modules), listed)


def test_the_groups_are_listed_by_help() -> None:
    lines = help_of(width=100).split("Show this message and exit.\n\n")[1].splitlines()
    found: dict[str, list[str]] = {}
    for line in takewhile(lambda line: not line.startswith("  Exit status:"), lines):
        if line.endswith(":") and not line.startswith(" "):
            found[line[:-1]] = []
        elif line:
            found[[*found][-1]].append(line.split()[0])
    assert found == {heading: [*commands] for heading, commands in GROUPS.items()}


@pytest.mark.parametrize("command", ["", *COMMANDS])
@pytest.mark.parametrize("columns", [60, 80])
def test_no_line_of_help_is_wider_than_its_terminal(command: str, columns: int) -> None:
    text = help_of(*filter(None, [command]), width=columns - 2)
    assert [line for line in text.splitlines() if width_of(line) > columns and "[" not in line] == []


@pytest.mark.extensions
def test_an_example_wraps_below_its_own_words() -> None:
    lines = help_of("import", width=78).split("Examples:\n")[1].splitlines()
    assert lines[:4] == [
        "    ptcards import geo.apkg                    write geography/ with its notes",
        "    ptcards import geo.apkg --dry-run          show how its notes would be",
        "                                               imported",
        "    ptcards import vault deck --from obsidian  write the cards of a vault",
    ]


@pytest.mark.extensions
def test_an_option_too_long_for_the_left_column_has_its_words_below() -> None:
    lines = help_of("build", width=58).split("Options:\n")[1].splitlines()
    assert lines[4:10] == [
        "  -o, --output DIR  Write the outputs to this folder.",
        "                    [default: build/ next to deck.toml, or",
        "                    next to cards/ in a project]",
        "  --format [apkg|csv|html|anki-csv]",
        "                    Write only this format; may be",
        "                    repeated.  [default: apkg and csv]",
    ]


@pytest.mark.extensions
def test_help_has_colours_if_they_are_wanted(ptcards: Run) -> None:
    bold, cyan, green, off = "\x1b[1;36m", "\x1b[36m", "\x1b[1;32m", "\x1b[0m"
    text = ptcards("--color", "always", "reviews", "--help").out
    assert text.splitlines()[0] == (
        f"{green}Usage:{off} {bold}main reviews{off} {cyan}[OPTIONS]{off} {cyan}[FILE]...{off}"
    )
    assert [line for line in text.splitlines() if green in line][1:] == [
        f"  {green}Examples:{off}",
        f"{green}Positional arguments:{off}",
        f"{green}Options:{off}",
    ]
    assert f"    {bold}ptcards reviews{off}                     ask the running Anki\n" in text
    assert f"  {bold}--wait{off} {cyan}SECONDS{off}  " in text
    assert ptcards("reviews", "--color", "always", "--help").out == text
    assert f"  {bold}serve  {off}  Show the cards" in ptcards("--color", "always", "--help").out


def test_help_in_a_pipe_has_no_colours(ptcards: Run) -> None:
    assert "\x1b" not in ptcards("--help").out + ptcards("import", "--help").out + ptcards().err


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (("nope",), "error: there is no `ptcards nope`\nhelp: `ptcards --help` lists the commands\n"),
        (("help", "chek"), "error: there is no `ptcards chek`\nhelp: did you mean `check`?\n"),
        (("reviews", "no.apkg"), "error: invalid value for '[FILE]...': Path 'no.apkg' does not exist\n"),
        (
            ("inbox", "x.json"),
            "error: invalid value for '[SOURCE] [FILE]...': Path 'x.json' does not exist\n",
        ),
        (
            ("import", f"{'a' * 300}/b"),
            f"error: invalid value for 'FILE': Path '{'a' * 300}/b' does not exist\n",
        ),
        (("add", "crads/a.md"), "error: invalid value for 'NOTES': Path 'crads/a.md' does not exist\n"),
        (("import", "decks1.apkg"), "error: invalid value for 'FILE': Path 'decks1.apkg' does not exist\n"),
        (
            ("find", "--in", "crads", "x"),
            "error: no such file or folder: `crads`\nhelp: did you mean `cards`?\n",
        ),
        (("find", "--in", "nothing", "x"), "error: no such file or folder: `nothing`\n"),
        (("serve", "/nothing"), "error: no such file or folder: `/nothing`\n"),
        (("mcp", "nowhere"), "error: invalid value for '[FOLDER]': Directory 'nowhere' does not exist\n"),
        (("serve", "--port", "0"), "error: invalid value for '--port': 0 is not in the range 1<=x<=65535\n"),
        (("verify", "--jobs", "0"), "error: invalid value for '--jobs': 0 is not in the range x>=1\n"),
        (("push", "--wait", "-1"), "error: invalid value for '--wait': -1.0 is not in the range x>=0\n"),
        (("push", "--wait", "x"), "error: invalid value for '--wait': 'x' is not a valid float range\n"),
        (
            ("explain", "--format", "jsn"),
            "error: invalid value for '--format': 'jsn' is not one of 'text', 'json'\n",
        ),
        (("biuld",), "error: there is no `ptcards biuld`\nhelp: did you mean `build`?\n"),
        (
            ("cards",),
            "error: there is no `ptcards cards`\nhelp: to build these notes, run `ptcards build cards`\n",
        ),
        (("build", "--lock"), "error: no such option '--lock'\nhelp: did you mean `--locked`?\n"),
        (("import",), "error: missing argument 'FILE'\n"),
        (("hlep",), "error: there is no `ptcards hlep`\nhelp: did you mean `help`?\n"),
        (("build", "-f"), "error: no such option '-f'\n"),
        (("check", "-fix"), "error: no such option '-f'\n"),
        (("mcp", "x.apkg"), "error: invalid value for '[FOLDER]': Directory 'x.apkg' is a file\n"),
        (
            ("import", "https://x.org/a.apkg"),
            "error: invalid value for 'FILE': Path 'https://x.org/a.apkg' does not exist\n",
        ),
        (("explain", "a", "b"), "error: got unexpected extra argument (b)\n"),
        (("serve", "--port", "a"), "error: invalid value for '--port': 'a' is not a valid integer range\n"),
        (
            ("reviews", "cards"),
            "error: `reviews` reads packages, and `cards` is a folder\nhelp: run it inside `cards`, or name an .apkg that a learner exported\n",
        ),
    ],
)
def test_misspelt_usage_names_the_right_command(
    command: tuple[str, ...], expected: str, ptcards: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cards").mkdir()
    (tmp_path / "x.apkg").touch()
    (tmp_path / "decks2.apkg").touch()
    monkeypatch.chdir(tmp_path)
    ran = ptcards(*command)
    assert (ran.status, ran.err.partition("error:")[2]) == (2, expected.partition("error:")[2])


@pytest.mark.extensions
def test_the_values_of_format_are_the_same_words_everywhere() -> None:
    group = click.Context(main)
    values = {
        name: list(option.type.choices)
        for name in COMMANDS
        if (command := main.get_command(group, name))
        for option in command.params
        if "--format" in option.opts and isinstance(option.type, click.Choice)
    }
    assert values == {
        "check": ["text", "concise", "github", "json", "sarif"],
        "diff": ["text", "markdown", "json", "html"],
        "build": ["apkg", "csv", "html", "anki-csv"],
        "inbox": ["text", "markdown", "json"],
        "push": ["text", "json"],
        "reviews": ["text", "json", "html"],
        "import": ["text", "json"],
        "verify": ["text", "json"],
        "find": ["text", "json", "csv"],
        "add": ["text", "json"],
        "explain": ["text", "json"],
    }
