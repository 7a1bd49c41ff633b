"""Results are remembered until something that they depend on changes."""

import functools
import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

import pytest
from unsandboxed import verify_unsandboxed

from conftest import Ran
from ptcards.cache import Cache
from ptcards.extensions.verify.inside.records import Reply
from ptcards.extensions.verify.memory import Replies
from ptcards.extensions.verify.target import Target
from ptcards.extensions.verify.workers import Task
from ptcards.files import cache_folder

pytestmark = pytest.mark.slow

Run = Callable[..., Ran]
Write = Callable[[dict[str, str | bytes]], Path]

REPLY = Reply(parts=[], warnings=[], code=0, done=True, clean=True, stderr="printed", distributions=[])

CLOCK = "## One?\n\n```python\nimport time\nprint(time.time_ns())\n```\n\n```output\n{}\n```\n"


@pytest.fixture
def unchanged(ptcards: Run, write: Write, tmp_path: Path) -> Callable[..., list[bool]]:
    """Verify a source; return whether the result of each note was remembered."""

    def run(source: str, *options: str, toml: str = 'name = "D"\nid = "d"\n') -> list[bool]:
        write({"cards/a.md": source, "cards/deck.toml": toml})
        ran = verify_unsandboxed(
            ptcards, tmp_path / "cards", "--format", "json", *options, cache=tmp_path / "cache"
        )
        return [note["unchanged"] for note in json.loads(ran.out)["notes"]]

    return run


def test_code_that_did_not_change_is_not_run_again(unchanged: Callable[..., list[bool]]) -> None:
    assert unchanged(CLOCK.format("...")) == [False]
    assert unchanged(CLOCK.format("...")) == [True]
    # Its location, its words and its expected output do not matter.
    assert unchanged("# A\n\nText.\n\n" + CLOCK.format("1").replace("One", "Two")) == [True]


def test_changed_code_setup_or_announcement_is_run_again(unchanged: Callable[..., list[bool]]) -> None:
    assert unchanged(CLOCK.format("...")) == [False]
    assert unchanged(CLOCK.format("...").replace("print", "print(), print")) == [False]
    assert unchanged(CLOCK.format("...").replace("```python", "```python raises=KeyError")) == [False]
    assert unchanged(CLOCK.format("..."), toml='name = "D"\nid = "d"\n[verify]\nsetup = "x = 1"\n') == [False]
    assert unchanged(CLOCK.format("...")) == [True]


def test_what_failed_runs_again(unchanged: Callable[..., list[bool]]) -> None:
    codes = ("1 / 0", "import os; os._exit(0)", "while True: pass", "print('x' * 2**21)")
    source = "".join(
        f"## Number {number}?\n\n```python\n{code}\n```\n\n" for number, code in enumerate(codes)
    )
    for _ in range(2):
        assert unchanged(source, "--timeout", "0.5") == [False] * 4


def test_the_folder_may_be_deleted_at_any_time(unchanged: Callable[..., list[bool]], tmp_path: Path) -> None:
    assert unchanged(CLOCK.format("...")) == [False]
    shutil.rmtree(tmp_path / "cache")
    assert unchanged(CLOCK.format("...")) == [False]
    assert unchanged(CLOCK.format("...")) == [True]


def test_without_a_writable_cache_everything_runs(
    unchanged: Callable[..., list[bool]], tmp_path: Path
) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert unchanged(CLOCK.format("...")) == [False]
    assert unchanged(CLOCK.format("...")) == [False]


def test_another_version_of_what_was_imported_runs_again_but_only_that(
    unchanged: Callable[..., list[bool]], ptcards: Run, tmp_path: Path
) -> None:
    venv.create(tmp_path / "env", symlinks=True)
    python = tmp_path / "env" / "bin" / "python"
    asked = subprocess.run(
        [python, "-c", "import site; print(site.getsitepackages()[0])"],
        capture_output=True,
        text=True,
        check=True,
    )
    site = Path(asked.stdout.strip())

    def install(name: str, version: str) -> None:
        for old in site.glob(f"{name}*"):
            shutil.rmtree(old) if old.is_dir() else old.unlink()
        (site / f"{name}.py").write_text(f"version = {version!r}\n")
        (site / f"{name}-{version}.dist-info").mkdir()
        (site / f"{name}-{version}.dist-info" / "METADATA").write_text(f"Name: {name}\nVersion: {version}\n")
        (site / f"{name}-{version}.dist-info" / "RECORD").write_text(f"{name}.py,,\n")

    source = (
        "## One?\n\n```python\nimport one\nprint(one.version)\n```\n\n```output\n1.0\n```\n\n"
        "## Two?\n\n```python\nimport two\n```\n\n## Local?\n\n```python\nimport loose\n```\n"
    )
    install("one", "1.0")
    install("two", "1.0")
    (site / "loose.py").write_text("")
    assert unchanged(source, "--python", str(python)) == [False, False, False]
    assert unchanged(source, "--python", str(python)) == [True, True, False]
    whole = verify_unsandboxed(ptcards, tmp_path / "cards", "--python", python, cache=tmp_path / "cache")
    assert "(2 unchanged)" in whole.err
    install("one", "2.0")
    assert unchanged(source, "--python", str(python)) == [False, True, False]
    assert unchanged(source) == [False, False, False]


def test_the_folder_is_the_user_s_cache_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/h/a"))
    monkeypatch.setattr(sys, "platform", "linux")
    assert cache_folder({"XDG_CACHE_HOME": "/c"}) == Path("/c/ptcards")
    assert cache_folder({}) == Path("/h/a/.cache/ptcards")
    assert cache_folder({"XDG_CACHE_HOME": ""}) == Path("/h/a/.cache/ptcards")
    assert cache_folder({"XDG_CACHE_HOME": "brought/along"}) == Path("/h/a/.cache/ptcards")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache_folder({}) == Path("/h/a/Library/Caches/ptcards")


def test_what_imported_something_unknown_is_not_remembered() -> None:
    target = Target("python", "3.11", "cpython", (), "", {"torch": "2.13"}, ())
    cache = Replies(Cache(None), target)
    key = cache.key(Task(setup="", blocks=[], parts=[]))
    for distributions in (None, ["torch", "numpy"]):
        cache.put(key, Reply(**{**REPLY, "distributions": distributions}))
        assert cache.get(key) is None
    known = Reply(**{**REPLY, "distributions": ["torch"]})
    cache.put(key, known)
    assert cache.get(key) == known


DAMAGES: dict[str, Callable[[Path], object]] = {
    "cut": lambda file: file.write_bytes(file.read_bytes()[:-4096]),
    "empty": lambda file: file.write_bytes(b""),
    "noise": lambda file: file.write_bytes(bytes(range(256))),
    "a pipe": lambda file: _instead(file, os.mkfifo),
    "a folder": lambda file: _instead(file, os.mkdir),
    "a link": lambda file: _instead(file, functools.partial(os.symlink, "/dev/zero")),
    "somebody else could write": lambda file: file.chmod(0o666),
}


def _instead(file: Path, make: Callable[[Path], object]) -> None:
    file.unlink()
    make(file)


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_run_again(ptcards: Run, write: Write, tmp_path: Path, damage: str) -> None:
    source = write({"a.md": CLOCK.format("...")}) / "a.md"
    assert verify_unsandboxed(ptcards, source, cache=tmp_path / "cache").status == 0
    DAMAGES[damage](tmp_path / "cache/ptcards/cache.sqlite")
    ran = verify_unsandboxed(ptcards, source, cache=tmp_path / "cache")
    assert (ran.status, "unchanged" in ran.err, "1 passed" in ran.err) == (0, False, True)


def test_a_folder_that_others_can_write_to_is_not_used_and_a_line_says_so(
    ptcards: Run, write: Write, tmp_path: Path
) -> None:
    source = write({"a.md": CLOCK.format("...")}) / "a.md"
    verify_unsandboxed(ptcards, source, cache=tmp_path / "cache")
    folder = tmp_path / "cache/ptcards"
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o777)
    ran = verify_unsandboxed(ptcards, source, cache=tmp_path / "cache")
    assert ran.err.splitlines()[0] == "ignoring the cache: others can write to `cache/ptcards`; delete it"
    assert (ran.status, "unchanged" in ran.err) == (0, False)
