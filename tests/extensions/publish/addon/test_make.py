"""The package of the add-on: what it contains, where its imports lead, and what is refused."""

import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from addon.make import MAX_BYTES, NAME, ROOT, PackingError, pack, packed_files

PYTHONS = ("python3.11", "python3.12", "python3.13")


def sources(folder: Path, files: dict[str, str]) -> Path:
    """Write an add-on that consists of these files."""
    for name, text in {"LICENSE": "MIT\n", "addon/__init__.py": "", **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_the_add_on_is_small_and_the_same_each_time(tmp_path: Path) -> None:
    one, other = tmp_path / "one.ankiaddon", tmp_path / "other.ankiaddon"
    names = pack(ROOT, one)
    pack(ROOT, other)
    assert one.read_bytes() == other.read_bytes()
    assert one.stat().st_size <= MAX_BYTES
    assert {"__init__.py", "LICENSE", "manifest.json", "ptcards/extensions/desktop/merge/plan.py"} <= set(
        names
    )
    assert "make.py" not in names
    with zipfile.ZipFile(one) as archive:
        assert archive.namelist() == names
        assert archive.read("LICENSE") == (ROOT / "LICENSE").read_bytes()


def test_it_contains_what_it_imports_and_nothing_else(tmp_path: Path) -> None:
    root = sources(
        tmp_path,
        {
            "addon/start.py": "import json\nfrom aqt import mw\n\ndef run():\n    from ptcards.room.inner import it\n",
            "addon/network.py": "import requests\nfrom addon.start import run\nfrom addon import start\n",
            "addon/make.py": "import click\n",
            "src/ptcards/__init__.py": "from ptcards.cli import main\n",
            "src/ptcards/cli.py": "import click\n",
            "src/ptcards/room/__init__.py": "from ptcards import cli\n",
            "src/ptcards/room/inner.py": "from ptcards.other import (\n    one,\n)\nfrom ptcards.room import last\n",
            "src/ptcards/room/last.py": "x = 1\n",
            "src/ptcards/other/__init__.py": "one = 1\n",
        },
    )
    files = packed_files(root)
    assert files.keys() - {"manifest.json", "LICENSE"} == {
        "__init__.py",
        "start.py",
        "network.py",
        "ptcards/room/inner.py",
        "ptcards/room/last.py",
        "ptcards/other/__init__.py",
    }
    assert files["start.py"].endswith("\n from .ptcards.room.inner import it\n")
    assert files["network.py"] == "import requests\nfrom .start import run\nfrom . import start\n"
    assert files["ptcards/room/inner.py"] == (
        "from ...ptcards.other import one\nfrom ...ptcards.room import last\n"
    )


def test_what_runs_nothing_is_left_out(tmp_path: Path) -> None:
    text = (
        '"""A module."""\n\nfrom collections.abc import Callable, Sequence\nfrom typing import Any, NamedTuple\n\n'
        "class Two(NamedTuple):\n    all: Sequence[int]\n\n\ndef nothing(a: Any) -> Callable:\n    pass\n\n"
        '# above\nX = "# no comment"  # beside\n"""About X."""\n\n'
        "Y = (\n    1,  # one\n\n    2,\n)\n\n"
        'class Odd(Exception):\n    """An error.\n\n    It has lines.\n    """\n\n\n'
        'def run(a: int, *, b: str = "é: x") -> str:\n    """Return a text."""\n    # why\n    return """\n# a line\n\n"""\n'
    )
    files = packed_files(sources(tmp_path, {"addon/a.py": text}))
    assert files["a.py"] == (
        "from collections.abc import Sequence\nfrom typing import NamedTuple\n\n"
        "class Two(NamedTuple):\n all: Sequence[int]\n\ndef nothing(a):\n pass\n"
        "X = '# no comment'\nY = (1, 2)\n\nclass Odd(Exception):\n pass\n\n"
        "def run(a, *, b='é: x'):\n return '\\n# a line\\n\\n'\n"
    )


def test_a_text_with_lines_stays_the_same(tmp_path: Path) -> None:
    text = 'def run(a):\n    return f"""{a}\n    so {a!r}\n    """\n'
    made = dict[str, Callable[[str], str]]()
    exec(packed_files(sources(tmp_path, {"addon/a.py": text}))["a.py"], made)
    assert made["run"]("b") == "b\n    so 'b'\n    "


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"addon/a.py": "import click\n"}, "addon/a.py imports `click`, which the add-on cannot have"),
        ({"addon/a.py": "import requests\n"}, "addon/a.py imports `requests`, which the add-on cannot have"),
        (
            {"addon/a.py": "import ptcards.b\n"},
            "addon/a.py imports `ptcards.b`, which the add-on cannot have",
        ),
        ({"addon/a.py": "from .b import c\n"}, "addon/a.py: the import of `b` is relative"),
        (
            {"addon/a.py": "from ptcards.b import c\n", "src/ptcards/b.py": "from aqt import mw\n"},
            "ptcards/b.py imports `aqt`, which the add-on cannot have",
        ),
        (
            {
                "addon/a.py": "from ptcards.b import c\n",
                "src/ptcards/b.py": "def f():\n    import markdown\n",
            },
            "ptcards/b.py imports `markdown`, which the add-on cannot have",
        ),
        (
            {"addon/a.py": "from ptcards.b import c\n", "src/ptcards/b.py": "from addon.a import d\n"},
            "ptcards/b.py imports `addon.a`, which the add-on cannot have",
        ),
    ],
)
def test_an_import_of_anything_else_is_an_error(tmp_path: Path, files: dict[str, str], message: str) -> None:
    with pytest.raises(PackingError) as failure:
        pack(sources(tmp_path, files), tmp_path / "out.ankiaddon")
    assert str(failure.value) == message
    assert not (tmp_path / "out.ankiaddon").exists()


def is_python(command: str) -> bool:
    """Whether a command runs; pyenv leaves commands of versions that are not selected."""
    found = shutil.which(command)
    return (
        bool(found) and subprocess.run([command, "-c", ""], check=False, capture_output=True).returncode == 0
    )


@pytest.mark.slow
def test_its_modules_without_windows_load_in_the_pythons_of_anki(tmp_path: Path) -> None:
    """Two copies are loaded side by side, as two add-ons of Anki are."""
    pack(ROOT, tmp_path / "a.ankiaddon")
    for name in (NAME, "another"):
        with zipfile.ZipFile(tmp_path / "a.ankiaddon") as archive:
            archive.extractall(tmp_path / name)
    code = (
        f"import importlib, sys\nsys.path.insert(0, {str(tmp_path)!r})\n"
        f"names = [f'{{a}}.ptcards.extensions.desktop.merge.plan' for a in ('{NAME}', 'another')]\n"
        "one, other = map(importlib.import_module, names)\n"
        "assert one.plan_push is not other.plan_push\n"
        "assert not any(name.partition('.')[0] == 'ptcards' for name in sys.modules), sys.modules\n"
    )
    for python in (sys.executable, *filter(is_python, PYTHONS)):
        done = subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


def test_the_command_says_why_it_fails(tmp_path: Path) -> None:
    copied = sources(tmp_path, {"addon/a.py": "import click\n"})
    shutil.copy(ROOT / "addon" / "make.py", copied / "addon")
    done = subprocess.run(
        [sys.executable, copied / "addon" / "make.py", tmp_path / "out.ankiaddon"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (
        1,
        "error: addon/a.py imports `click`, which the add-on cannot have\n",
    )
