"""Fixtures for all tests: the real command line, and case files, which `--update` rewrites.

Modules that this system cannot run are left out.
"""

import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import hypothesis
import pytest
from click.testing import CliRunner

from ptcards.cli import main
from ptcards.extensions import extensions
from systems import left_out, reason_to_leave_out

CASES = Path(__file__).parent / "cases"

# The examples are always the same, because a test that fails once in a hundred runs would block unrelated
# changes. For other examples, run `pytest --hypothesis-profile=explore`; failures it finds become separate
# cases.
hypothesis.settings.register_profile("suite", derandomize=True, deadline=None)
hypothesis.settings.register_profile("explore", print_blob=True, deadline=None)
hypothesis.settings.load_profile("suite")


@pytest.fixture(autouse=True)
def _pages_of_a_test_end_with_it(request: pytest.FixtureRequest) -> Iterator[None]:
    """Close the pages that a test opened, because each page of a preview keeps one of its 64 connections."""
    if "browser" not in request.fixturenames:
        yield
        return
    browser = request.getfixturevalue("browser")
    kept = list(browser.contexts)  # of fixtures for several tests
    yield
    for context in browser.contexts:
        if context not in kept:
            context.close()


# A shell may export the size of its window, and help would follow that instead of a test's terminal.
for _size in ("COLUMNS", "LINES"):
    os.environ.pop(_size, None)


@dataclass(frozen=True)
class Ran:
    """The result of a command, without the test's own folder, and with times as 0.00 s and sizes as 1 kB."""

    status: int
    out: str
    err: str


@dataclass(frozen=True)
class Case:
    """The title, input and expected output of one entry in a case file."""

    title: str
    source: str
    expected: str


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update",
        action="store_true",
        help="write what the code gives into the case files; read the diff before committing",
    )
    parser.addoption(
        "--no-skips",
        choices=["tests", "all"],
        help="a skipped test is a failure; with `all`, a skipped module as well",
    )
    parser.addoption(
        "--every-page",
        action="store_true",
        help="test the accessibility of every page of the site, day and night, instead of a few",
    )


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out what this system cannot run, and what imports an extension if all of them are deleted."""
    is_module = collection_path.name.startswith("test_") and collection_path.suffix == ".py"
    if is_module and reason_to_leave_out(collection_path, sys.platform):
        return True
    return (is_module and not extensions() and _needs_an_extension(collection_path)) or None


def pytest_report_header() -> list[str]:
    """Return lines about the modules that are left out, and why."""
    return [f"left out: {name} ({reason})" for name, reason in left_out(sys.platform).items()]


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter is not None else []
    refused = {"tests": pytest.TestReport, "all": object}.get(session.config.getoption("--no-skips"), ())
    if any(isinstance(each, refused) for each in skipped):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


OF_EXTENSIONS = frozenset("add import inbox mcp pull push release reviews serve verify".split())
"""The commands that there are not if all extensions are deleted; tests that run them are skipped then."""
_IMPORTED = re.compile(r"^(?:from|import) (ptcards\.extensions\.\w|\w+)", re.MULTILINE)


@cache
def _needs_an_extension(file: Path) -> bool:
    """Whether a file of tests, or a module that it imports from here, imports an extension."""
    names = _IMPORTED.findall(file.read_text("utf-8"))
    beside = (Path(__file__).parent / f"{name}.py" for name in names)
    return any("." in name for name in names) or any(
        _needs_an_extension(each) for each in beside if each.is_file() and each not in (file, Path(__file__))
    )


def _number_of_case(item: pytest.Item) -> int:
    """Return the sum of the positions of a case's parameters, which are the same whichever cases are run."""
    assert isinstance(item, pytest.Function)
    names = [mark.args[0] for mark in item.iter_markers("parametrize")]
    first_of_each = [name.split(",")[0].strip() if isinstance(name, str) else name[0] for name in names]
    return sum(item.callspec.indices[name] for name in first_of_each)


@pytest.hookimpl(tryfirst=True)  # before marks are selected
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Mark as `long` what is not sampled; skip what is marked `extensions` if all extensions are deleted."""
    for item in items:
        sampled = item.get_closest_marker("sampled")
        if sampled and _number_of_case(item) % sampled.args[0]:
            item.add_marker("long")
    for item in items if not extensions() else ():
        if item.get_closest_marker("extensions") or "/extensions/" in item.path.as_posix():
            item.add_marker(pytest.mark.skip("it needs an extension"))


@pytest.fixture
def ptcards(tmp_path: Path) -> Callable[..., Ran]:
    """Run `ptcards` in this process; an exception that it does not catch fails the test."""
    return runner(tmp_path)


def runner(folder: Path) -> Callable[..., Ran]:
    """Return a function that runs `ptcards` in this process, and leaves a folder out of what it prints."""

    def run(*arguments: str | Path, env: dict[str, str | None] | None = None) -> Ran:
        if not extensions() and {*map(str, arguments[:1])} & OF_EXTENSIONS:
            pytest.skip("the command is that of an extension")
        result = CliRunner().invoke(
            main, [str(argument) for argument in arguments], env=env, catch_exceptions=False
        )
        return Ran(result.exit_code, _plain(result.stdout, folder), _plain(result.stderr, folder))

    return run


def _plain(text: str, folder: Path) -> str:
    text = text.replace(f"{folder.as_posix()}/", "").replace(folder.as_posix(), ".")
    text = re.sub(r"^(  .*  )\d+(?:\.\d)? [kM]B$", r"\g<1>1 kB", text, flags=re.MULTILINE)
    return re.sub(r"\b\d+\.\d\d s\b", "0.00 s", text)


NEW_LOCK = "Created deck.lock (commit it)\n"
"""The first line that a first build prints."""
NEXT = "Next: in Anki, choose File › Import and open the .apkg\n"
"""The last line that a first build prints."""


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Start each test with an empty cache, outside its own folder and the user's."""
    caches = tmp_path_factory.getbasetemp() / "caches"
    caches.mkdir(exist_ok=True)
    # Numbered folders, like pytest's, would take longer with each test.
    monkeypatch.setenv("XDG_CACHE_HOME", tempfile.mkdtemp(dir=caches))


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write files below the test's folder: `write({"cards/a.md": "…"})`; return the folder."""

    def write_all(files: dict[str, str | bytes]) -> Path:
        for name, content in files.items():
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)
        return tmp_path

    return write_all


def read_cases(name: str) -> list[Case]:
    """Read a case file: title, a line `.`, input, a line `.`, expected output, a line `.`."""
    parts = (CASES / f"{name}.md").read_text("utf-8").split("\n.\n")
    return [
        Case(parts[n].strip(), parts[n + 1] + "\n", parts[n + 2] + "\n") for n in range(0, len(parts) - 2, 3)
    ]


def case_parameters(name: str) -> list[object]:
    """Yield each case of a file as a pytest parameter."""
    return [pytest.param(name, case, id=case.title.replace(" ", "-")) for case in read_cases(name)]


@pytest.fixture
def expect(request: pytest.FixtureRequest) -> Callable[[str, Case, str], None]:
    """Compare the result of a case with the expected output, or record it with `--update`."""

    def compare(name: str, case: Case, actual: str) -> None:
        if request.config.getoption("--update") and actual != case.expected:
            file = CASES / f"{name}.md"
            old = f"{case.title}\n.\n{case.source}.\n{case.expected}.\n"
            text = file.read_text("utf-8")
            assert text.count(old) == 1
            file.write_text(text.replace(old, f"{case.title}\n.\n{case.source}.\n{actual}.\n"), "utf-8")
        else:
            assert actual == case.expected

    return compare
