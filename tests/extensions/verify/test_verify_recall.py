"""What code did is remembered, and everything else is looked at in every run."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from unsandboxed import verify_unsandboxed

from conftest import Ran

pytestmark = pytest.mark.slow

Run = Callable[..., Ran]
Write = Callable[[dict[str, str | bytes]], Path]

TOML = 'name = "D"\nid = "d"\n'
PICTURE = b'<svg xmlns="http://www.w3.org/2000/svg"/>'
FILES: dict[str, str | bytes] = {
    "cards/deck.toml": TOML,
    "cards/a.md": "# A\n\n## What is drawn?\n\n![A line.](a.svg)\n\n```python\nprint(1)\n```\n\n```output\n1\n```\n",
    "cards/b.md": "# B\n\n## What is drawn?\n\nA line.\n\n```python\nprint(2)\n```\n",
    "cards/a.svg": PICTURE,
}


@pytest.fixture
def verify(ptcards: Run, tmp_path: Path) -> Run:
    """Verify; results are remembered in the test's own folder."""

    def run(*options: str, source: str = "cards") -> Ran:
        return verify_unsandboxed(ptcards, tmp_path / source, *options, cache=tmp_path / "cache")

    return run


@pytest.mark.parametrize(
    ("path", "content", "expected"),
    [
        ("cards/a.md", str(FILES["cards/a.md"]).replace("1\n```\n", "3\n```\n"), (1, "[wrong-output]")),
        ("cards/deck.toml", TOML + "[verify]\nsetup = '1 / 0'\n", (2, "[setup-failed]")),
        ("cards/deck.toml", TOML + "[verify]\nrequires = ['no-such-thing']\n", (2, "lacks")),
        ("cards/c.md", "# C\n\n## Why?\n", (1, "[no-answer]")),
        ("cards/a.svg", None, (1, "[missing-media]")),
    ],
)
def test_what_changed_is_seen(
    verify: Run, write: Write, path: str, content: str | None, expected: tuple[int, str]
) -> None:
    folder = write(FILES)
    assert verify().status == 0
    if content is None:
        (folder / path).unlink()
    else:
        write({path: content})
    ran = verify()
    assert ran.status == expected[0]
    assert expected[1] in ran.err


def test_selections_and_keys_are_told_apart(verify: Run, write: Write) -> None:
    write(FILES)
    for _ in range(2):
        assert verify().err.startswith("2 notes")
        assert verify(source="cards/a.md").err.startswith("1 note ")
        assert verify("-k", "no-such-key").status == 2


def test_warnings_are_not_forgotten(verify: Run, write: Write) -> None:
    write({"cards/deck.toml": TOML, "cards/a.md": "# A\n\n## Why?\n\n```python\nprint(1 is 1)\n```\n"})
    ran = [verify(), verify(), verify("--strict")]
    assert [each.status for each in ran] == [0, 0, 1]
    assert all("[code-warning]" in each.err for each in ran)


def test_another_python_runs_again(verify: Run, write: Write, tmp_path: Path) -> None:
    write(FILES)
    other = tmp_path / "python"
    other.symlink_to(sys.executable)
    assert verify().status == 0
    assert "unchanged" not in verify("--python", str(other)).err
    assert "(2 unchanged)" in verify("--python", str(other)).err


def test_several_pythons_are_remembered_together(verify: Run, write: Write, tmp_path: Path) -> None:
    write(FILES)
    others = [tmp_path / "a", tmp_path / "b"]
    for other in others:
        other.symlink_to(sys.executable)
    options = [f"--python={other}" for other in others]
    ran = [verify(*options), verify(*options)]
    version = ".".join(map(str, sys.version_info[:3]))
    assert [each.err.splitlines() for each in ran] == [
        [
            f"2 notes with code run on Python {version} of `{other.name}`{known}: 2 passed, 0 failed; 0 not run, 0 without code"
            for other in others
        ]
        for known in ("", " (2 unchanged)")
    ]
    others[1].unlink()
    others[1].symlink_to(shutil.which("false") or "")
    assert verify(*options).status == 2


def test_quiet_is_quiet_both_times(verify: Run, write: Write) -> None:
    write(FILES)
    assert [verify("-q").err for _ in range(2)] == ["", ""]
