"""The shape of the code: imports point down, each library has one owner."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "ptcards"

# A module imports only from its own layer or those before it.
LAYERS = (
    ("exclude", "names", "processes", "programs", "suggest"),
    ("diagnostics",),
    ("notes", "files", "git", "inputs", "reports"),
    ("toml",),
    ("cache", "facts", "config"),
    ("collection",),
    ("parsing", "identity", "notetypes"),
    ("workspace", "rendering", "pages"),
    ("snippets", "reading", "writers", "checks", "verify", "fixes", "rules", "ignores", "checking"),
    ("build", "preview"),
    ("diff",),
    ("cli", "__main__"),
)
OWNERS = {
    "click": ("cli",),
    "filelock": ("files",),
    "genanki": ("writers",),
    "latex2mathml": ("pages",),
    "markdown": ("rendering",),
    "pygments": ("rendering",),
    "starlette": ("preview",),
    "uvicorn": ("preview",),
    "watchfiles": ("preview",),
    "yaml": ("parsing",),
}
STANDARD = sys.stdlib_module_names


def _imports() -> Iterator[tuple[str, str]]:
    """Give (our part, imported name) for every import of the package."""
    for file in SOURCE.rglob("*.py"):
        part = file.relative_to(SOURCE).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                yield from ((part, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{file}: relative import"
                yield part, node.module or ""


def test_imports_point_down() -> None:
    level = {part: n for n, parts in enumerate(LAYERS) for part in parts}
    inner = [(part, name.split(".")[1]) for part, name in _imports() if name.startswith("ptcards.")]
    assert [(part, other) for part, other in inner if level[part] < level[other]] == []


def test_each_library_has_one_owner() -> None:
    outer = {(part, name.split(".")[0]) for part, name in _imports() if name.split(".")[0] not in STANDARD}
    foreign = {(part, name) for part, name in outer if name != "ptcards" and part not in OWNERS.get(name, ())}
    assert foreign == set()


def test_git_is_called_in_one_place() -> None:
    words = {
        file.relative_to(SOURCE).as_posix()
        for file in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Constant) and node.value == "git"
    }
    assert words == {"git.py"}


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from ptcards.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "print([m for m in ('genanki', 'markdown', 'pygments', 'yaml', 'filelock', 'pathspec', 'sqlite3') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_possessive_repetition_is_of_single_characters() -> None:
    """Python before 3.11.5 matches `(?:…)*+` wrongly where the group can backtrack (cpython#106052): use `(?>(?:…)*)`."""
    files = sorted(SOURCE.rglob("*.py"))
    found = [
        file.name
        for file in files
        if re.search(r"[^\\\\(]\)(?:[*+?]|\{[0-9,]+\})\+", file.read_text("utf-8"))
    ]
    assert found == []
