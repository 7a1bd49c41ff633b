"""The real command line, in this process."""

from pathlib import Path

from click.testing import CliRunner

from conftest import Ran
from ptcards.cli import main


def ptcards(*arguments: str | Path, **env: str) -> Ran:
    """Run `ptcards`; an exception that it does not catch is raised here."""
    result = CliRunner().invoke(main, list(map(str, arguments)), env=env, catch_exceptions=False)
    return Ran(result.exit_code, result.stdout, result.stderr)
