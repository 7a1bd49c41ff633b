"""The progress line appears late, is short, and is removed at the end."""

from collections.abc import Callable

import pytest

from ptcards.cli import messages as module
from ptcards.cli.messages import Progress
from ptcards.diagnostics.layout import Terminal

CLEAR = "\r\x1b[2K"
Columns = Callable[[int | None], None]


@pytest.fixture
def columns(monkeypatch: pytest.MonkeyPatch) -> Columns:
    """Set the columns of standard error, and remove the pause between two updates."""
    monkeypatch.setattr(module, "_AFTER", 0)
    monkeypatch.setattr(module, "_EVERY", 0)
    return lambda width: monkeypatch.setattr(
        module, "terminal", lambda *, err: Terminal(columns=width if err else None)
    )


def test_steps_follow_each_other_on_one_line_which_is_gone_at_the_end(
    columns: Columns, capsys: pytest.CaptureFixture[str]
) -> None:
    columns(60)
    with Progress() as progress:
        progress("Reading", 3, 12)
        progress("Comparing", 0, 0)
        progress("Writing", 1500, 3000)
    assert capsys.readouterr().err == (
        f"{CLEAR}Reading    █████░░░░░░░░░░░░░░░ 3/12"
        f"{CLEAR}Comparing"
        f"{CLEAR}Writing    ██████████░░░░░░░░░░ 1,500/3,000"
        f"{CLEAR}"
    )


def test_a_line_is_never_wider_than_its_terminal(
    columns: Columns, capsys: pytest.CaptureFixture[str]
) -> None:
    columns(40)
    with Progress() as progress:
        progress("Compiling", 1_000_000, 1_000_000)
    assert max(map(len, capsys.readouterr().err.split(CLEAR))) == 39


def test_outside_a_terminal_nothing_is_shown(columns: Columns, capsys: pytest.CaptureFixture[str]) -> None:
    columns(None)
    with Progress() as progress:
        progress("Reading", 3, 12)
    assert capsys.readouterr().err == ""


def test_what_is_done_soon_is_not_shown(
    columns: Columns, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    columns(60)
    monkeypatch.setattr(module, "_AFTER", 3600)
    with Progress() as progress:
        progress("Reading", 3, 12)
    assert capsys.readouterr().err == ""


def test_an_error_takes_the_line_away_too(columns: Columns, capsys: pytest.CaptureFixture[str]) -> None:
    columns(60)

    def interrupted() -> None:
        with Progress() as progress:
            progress("Reading", 0, 0)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert capsys.readouterr().err == f"{CLEAR}Reading{CLEAR}"
