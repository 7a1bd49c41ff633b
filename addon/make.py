"""Packs the add-on for Anki: `python addon/make.py build/ptcards_subscribe.ankiaddon`.

The package contains this folder with its languages, and below `ptcards/` every module of ptcards that it
imports, directly or not. Imports become relative, so that two add-ons never share a module. Comments,
docstrings and the types of parameters are left out: they are a quarter of the bytes. Blocks are
indented by one blank, and a folder needs no `__init__.py`. The same sources give the same bytes.
"""

import ast
import json
import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from ptcards import __version__
from ptcards.extensions.publish.release.feed import OLDEST_ANKI
from ptcards.files import replacing

ROOT = Path(__file__).parent.parent
MAX_BYTES = 130_000
NAME = "ptcards_subscribe"
_OURS = ("addon", "ptcards")
_ANKI = frozenset({"anki", "aqt"})
_TYPES = ("collections.abc", "typing")
"""What most names are imported from only for the types of parameters."""
_INDENT = re.compile("^(?: {4})+", re.MULTILINE)
_OLDEST_ZIP_TIME = (1980, 1, 1, 0, 0, 0)


class PackingError(Exception):
    """The add-on cannot be packed; the message says why."""


def pack(root: Path, path: Path) -> list[str]:
    """Write the add-on of the sources in `root` to a path, and return the names of its files.

    Raises:
        PackingError: a module needs something that Anki does not have, or the package is too large.

    """
    files = packed_files(root)
    with replacing(path) as part:
        with zipfile.ZipFile(part, "w") as archive:
            for name in sorted(files):
                entry = zipfile.ZipInfo(name, _OLDEST_ZIP_TIME)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.create_system, entry.external_attr = 3, 0o644 << 16
                archive.writestr(entry, files[name], compresslevel=9)
        if part.tell() > MAX_BYTES:
            message = f"the add-on has {part.tell():,} bytes; the limit is {MAX_BYTES:,}"
            raise PackingError(message)
    return sorted(files)


def packed_files(root: Path) -> dict[str, str]:
    """Return the text of each file of the add-on by its name in the package."""
    modules = dict(_closure(root))
    files = {_inside(name): _packed(name, text) for name, text in modules.items()}
    languages = sorted((root / "addon" / "languages").glob("*.toml"))
    files |= {f"languages/{file.name}": file.read_text("utf-8") for file in languages}
    manifest = {
        "package": NAME,
        "name": "Subscribe (ptcards)",
        "human_version": __version__,
        "min_point_version": OLDEST_ANKI,
    }
    files["manifest.json"] = json.dumps(manifest, indent=1) + "\n"
    files["LICENSE"] = (root / "LICENSE").read_text("utf-8")
    return files


def _closure(root: Path) -> Iterator[tuple[str, str]]:
    """Yield the path below the sources and the text of each module that the add-on needs."""
    own = (file for file in sorted((root / "addon").glob("*.py")) if file.name != Path(__file__).name)
    waiting = [f"addon/{file.name}" for file in own]
    seen = set(waiting)
    while waiting:
        path = waiting.pop()
        text = _file(root, path).read_text("utf-8")
        yield path, text
        for node in ast.walk(ast.parse(text)):
            new = set(_needed(root, path, node)) - seen
            waiting += sorted(new)
            seen |= new


def _file(root: Path, path: str) -> Path:
    """Return where a module is, by its path in the package before imports are made relative."""
    return root / path if path.startswith("addon/") else root / "src" / path


def _needed(root: Path, path: str, node: ast.AST) -> Iterator[str]:
    """Yield the paths of our modules that a statement of the module at `path` imports."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            _check(path, alias.name, is_plain=True)
    elif isinstance(node, ast.ImportFrom):
        module = node.module or ""
        if node.level:
            message = f"{path}: the import of `{module}` is relative"
            raise PackingError(message)
        _check(path, module)
        if module.partition(".")[0] in _OURS:
            yield from _modules(root, module, [alias.name for alias in node.names])


def _modules(root: Path, module: str, names: list[str]) -> Iterator[str]:
    """Yield the paths of the modules behind `from module import names`."""
    folder = module.replace(".", "/")
    inner = [name for name in names if _file(root, f"{folder}/{name}.py").exists()]
    yield from (f"{folder}/{name}.py" for name in inner)
    if len(inner) < len(names):
        path = f"{folder}.py"
        yield path if _file(root, path).exists() else f"{folder}/__init__.py"


def _check(path: str, module: str, *, is_plain: bool = False) -> None:
    """Raise an error if a module at `path` may not import another one."""
    top = module.partition(".")[0]
    is_ours = top in _OURS and not is_plain and (top == "ptcards" or path.startswith("addon/"))
    in_anki = path.startswith("addon/") and (
        top in _ANKI or (top == "requests" and path == "addon/network.py")
    )
    if not (is_ours or in_anki or top in sys.stdlib_module_names):
        message = f"{path} imports `{module}`, which the add-on cannot have"
        raise PackingError(message)


def _inside(path: str) -> str:
    """Return the name of a module in the package."""
    return path.removeprefix("addon/")


def _packed(path: str, text: str) -> str:
    """Return the text of a module in the package."""
    tree = ast.fix_missing_locations(_Packer(path).visit(ast.parse(text)))
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    types = [each for each in tree.body if isinstance(each, ast.ImportFrom) and each.module in _TYPES]
    for each in types:
        each.names = [name for name in each.names if (name.asname or name.name) in used]
    tree.body = [each for each in tree.body if each not in types or each.names]
    wide = ast.unparse(tree) + "\n"
    narrow = _INDENT.sub(lambda blanks: " " * (len(blanks[0]) // 4), wide)
    # A text may have lines of its own.
    return narrow if ast.dump(ast.parse(narrow)) == ast.dump(ast.parse(wide)) else wide


class _Packer(ast.NodeTransformer):
    """Makes imports of our modules relative, and drops docstrings and the types of what functions have."""

    def __init__(self, path: str) -> None:
        self._dots = len(PurePosixPath(_inside(path)).parts)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom:
        module = node.module or ""
        if module.partition(".")[0] not in _OURS:
            return node
        return ast.ImportFrom(module.removeprefix("addon").removeprefix("."), node.names, self._dots)

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        return None if isinstance(node.value, ast.Constant) else node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg(node.arg)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        # A class may need the types of its own variables: those of a dataclass are its fields.
        own = [each for each in node.body if isinstance(each, ast.AnnAssign)]
        node.body = [each if each in own else self.visit(each) for each in node.body]
        node.body = list(filter(None, node.body)) or [ast.Pass()]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.returns = None
        self.generic_visit(node)
        node.body = node.body or [ast.Pass()]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        return ast.Assign([node.target], node.value) if node.value else node


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        pack(ROOT, target)
    except PackingError as failure:
        sys.exit(f"error: {failure}")
    print(f"{target}  {target.stat().st_size / 1000:.0f} kB")
