"""The structure of the code: imports point down, and each library has one owner."""

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from ptcards.source.dialects import OWN, VAULT, all_dialects

SOURCE = Path(__file__).parent.parent / "src" / "ptcards"

# One floor per line, lowest first: a room, a folder or a module only imports from lower floors.
CORE = (
    ("diagnostics", "extensions", "packing", "processes", "value_class"),
    ("files", "notes"),
    ("cache", "identity", "markdown"),
    ("anki", "source"),
    ("readers",),
    ("workspace", "writers"),
    ("compile", "diff", "lint", "search"),
    ("cli",),
    ("__main__",),
)
"""What `init`, `check`, `build`, `diff`, `keep`, `find`, `open` and `explain` need."""
EXTENSIONS = (
    ("desktop.merge", "dialects", "models.agents", "verify"),
    ("drawing", "importing", "pictures", "publish.subscription"),
    ("desktop.push", "desktop.reviews", "models.adding", "preview", "publish.release"),
    ("models.mcp_server", "publish.inbox"),
    ("desktop.messages", "models.messages", "publish.messages"),
    ("desktop.cli", "drawing.cli", "importing.cli", "models.cli", "verify.cli"),
    ("preview.cli", "publish.cli"),
    ("desktop", "models", "publish"),
)
"""The rooms of `ptcards.extensions`, or an extension that is one room; all may use the core."""
FLOORS = (*CORE, *EXTENSIONS)
OWNERS = {
    "backports": "packing",
    "compression": "packing",
    "click": "cli",
    "filelock": "files",
    "genanki": "writers",
    "imagesize": "files",
    "latex2mathml": "anki",
    "markdown": "markdown",
    "mcp": "models.mcp_server",
    "packaging": "verify",
    "playwright": "pictures",
    "pydantic": "models.mcp_server",
    "pydantic_core": "models.mcp_server",
    "pygments": "markdown",
    "starlette": "preview",
    "uvicorn": "preview",
    "watchfiles": "preview",
    "wcwidth": "diagnostics",
    "yaml": "source",
}
# How many modules may import each other in a chain: inside a room, and from a command down to the ground.
MOST_IN_A_ROOM = 6
MOST_IN_THE_HOUSE = 15
MOST_LINES_OF_MERGE = 1600
"""The lines of `merge.plan` and all that it imports, which are shipped elsewhere too."""
MOST_LINES_OF_CORE = 23_700
MOST_LINES = 43_100
BUDGET = {
    "anki": 1700,
    "cache": 300,
    "cli": 2300,
    "compile": 370,
    "desktop.cli": 460,
    "desktop.merge": 850,
    "desktop.push": 1600,
    "desktop.reviews": 590,
    "diagnostics": 700,
    "dialects": 2950,
    "diff": 1300,
    "drawing": 250,
    "files": 1100,
    "identity": 2650,
    "importing": 4150,
    "lint": 3050,
    "markdown": 3450,
    "models.adding": 700,
    "notes": 600,
    "pictures": 400,
    "preview": 1550,
    "publish.cli": 300,
    "publish.inbox": 900,
    "publish.release": 1050,
    "publish.subscription": 2450,
    "readers": 900,
    "search": 230,
    "source": 4600,
    "verify": 2050,
    "workspace": 950,
    "writers": 800,
}
"""How many lines of code each room may have, without comments, docstrings and empty lines; as the two above.

A number makes somebody choose: whoever raises one says in the same commit what the lines replace.
"""
_SMALL = 200
"""What a room that is not named above may have."""
STANDARD = sys.stdlib_module_names


def _modules() -> Mapping[str, Path]:
    """Return the file of each module by its dotted name below `ptcards`.

    The package itself is the empty name.
    """
    files = {file.relative_to(SOURCE).with_suffix("").parts: file for file in SOURCE.rglob("*.py")}
    return {".".join(part for part in parts if part != "__init__"): file for parts, file in files.items()}


@cache
def _imports() -> tuple[tuple[str, str], ...]:
    """Return (our module, imported module) for every import of the package, even those inside functions."""
    return tuple(_found_imports(_modules()))


def _found_imports(modules: Mapping[str, Path]) -> Iterator[tuple[str, str]]:
    for module, file in modules.items():
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                yield from ((module, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{file}: relative import"
                base = node.module or ""
                for alias in node.names:
                    whole = f"{base}.{alias.name}"
                    yield module, whole if whole.removeprefix("ptcards.") in modules else base


def _parsed(wanted: re.Pattern[str]) -> Iterator[tuple[Path, ast.Module]]:
    """Yield the modules whose text has a match, with their trees: to parse all of them takes seconds."""
    for file in SOURCE.rglob("*.py"):
        text = file.read_text("utf-8")
        if wanted.search(text):
            yield file, ast.parse(text)


def _inner() -> Iterator[tuple[str, str]]:
    """Yield (module, imported module) if both are ours, without `ptcards.`."""
    for module, name in _imports():
        if name.startswith("ptcards."):
            yield module, name.removeprefix("ptcards.")


def _room(module: str) -> str:
    """Return a folder or module of the core, or a room of an extension without the word `extensions`."""
    first, *others = module.split(".")
    if first != "extensions" or not others:
        return first
    is_whole = not any(room.startswith(f"{others[0]}.") for floor in EXTENSIONS[:-3] for room in floor)
    return others[0] if is_whole and others[1:2] != ["cli"] else ".".join(others[:2])


def _is_core(module: str) -> bool:
    return any(_room(module) in floor for floor in CORE) or not module


def test_imports_point_down() -> None:
    floor = {room: n for n, rooms in enumerate(FLOORS) for room in rooms}
    between = {(one, other) for one, other in _inner() if _room(one) != _room(other)}
    assert [(one, other) for one, other in between if floor[_room(one)] <= floor[_room(other)]] == []


def test_the_core_imports_no_extension() -> None:
    assert [(one, other) for one, other in _inner() if _is_core(one) and not _is_core(other)] == []


def test_only_commands_know_the_command_line() -> None:
    """Except those of the core, which come first, so a test of floors would not see it."""
    users = {_room(one).rpartition(".")[2] for one, other in _inner() if _room(other) == "cli"}
    assert users == {"__main__", "cli"}


@pytest.mark.extensions
def test_only_the_workspace_hands_the_cache_on() -> None:
    """`verify` remembers what code did; commands first ask whether anything has changed."""
    assert {_room(one) for one, other in _inner() if _room(other) == "cache"} == {
        "cli",
        "verify",
        "workspace",
    }


@pytest.mark.extensions
def test_every_room_has_its_floor() -> None:
    assert {_room(module) for module in _modules()} - {""} == {room for rooms in FLOORS for room in rooms}


def _graph() -> dict[str, set[str]]:
    """Return which of our modules each module imports."""
    graph: dict[str, set[str]] = {module: set() for module in _modules()}
    for one, other in _inner():
        graph[one].add(other)
    return graph


def _longest_chain(graph: Mapping[str, set[str]]) -> list[str]:
    """Return the longest chain of modules in which each imports the next."""
    chains: dict[str, list[str]] = {}
    for module in TopologicalSorter(graph).static_order():
        chains[module] = [
            module,
            *max((chains[other] for other in sorted(graph[module])), key=len, default=[]),
        ]
    return max(chains.values(), key=len)


def test_no_modules_import_each_other_in_a_circle() -> None:
    try:
        tuple(TopologicalSorter(_graph()).static_order())
    except CycleError as found:
        pytest.fail(f"a circle: {' > '.join(found.args[1])}")


def test_no_room_is_a_tower() -> None:
    """Lower it by moving a value that several modules share into the module below them."""
    graph = _graph()
    chains = [
        _longest_chain(
            {
                one: {other for other in graph[one] if _room(other) == room}
                for one in graph
                if _room(one) == room
            }
        )
        for room in sorted({_room(module) for module in graph})
    ]
    assert [" > ".join(chain) for chain in chains if len(chain) > MOST_IN_A_ROOM] == []


def test_the_house_is_no_tower() -> None:
    chain = _longest_chain(_graph())
    assert len(chain) <= MOST_IN_THE_HOUSE, " > ".join(chain)


@pytest.mark.extensions
def test_merging_can_be_used_elsewhere() -> None:
    """The rules of a push also run in another program, which has nothing but the standard library."""
    assert {
        name for one, name in _inner() if _room(one) == "desktop.merge" and _room(name) != "desktop.merge"
    } == {
        "identity.lock",
        "notes.rendered",
    }
    files, needed = _modules(), _closure({"extensions.desktop.merge.plan"})
    assert _foreign(needed) == set()
    assert sum(len(files[module].read_text("utf-8").splitlines()) for module in needed) <= MOST_LINES_OF_MERGE


@pytest.mark.extensions
def test_the_add_on_needs_only_the_standard_library() -> None:
    """The add-on ships `subscription` with all that it imports; Anki has no libraries of ours."""
    room = {name for name in _modules() if _room(name) == "publish.subscription"}
    assert {name for one, name in _inner() if one in room and name not in room} == {
        "anki.chemistry",
        "files.foreign_json",
        "identity.lock",
        "extensions.desktop.merge.compare",
        "extensions.desktop.merge.html_tree",
        "extensions.desktop.merge.item_lists",
        "extensions.desktop.merge.plan",
        "extensions.desktop.merge.texts",
        "notes.rendered",
    }
    assert _foreign(_closure(room)) == set()


def _closure(modules: set[str]) -> set[str]:
    """Return modules with all modules of ours that they import, also indirectly."""
    graph = _graph()
    needed, new = set[str](), modules
    while new:
        needed |= new
        new = {other for one in new for other in graph[one]} - needed
    return needed


def _foreign(modules: set[str]) -> set[str]:
    """Return the libraries that modules import and that Python does not have."""
    outer = {name.partition(".")[0] for one, name in _imports() if one in modules} - {"ptcards"}
    return outer - STANDARD


def _lines_of_code(file: Path) -> int:
    """Return the number of lines that are not comments, docstrings or empty."""
    text = file.read_text("utf-8")
    docstrings = {
        number
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and ast.get_docstring(node, clean=False) is not None
        for number in range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)
    }
    skipped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    used = {
        number
        for token in tokens
        if token.type not in skipped and token.type != tokenize.ENDMARKER
        for number in range(token.start[0], token.end[0] + 1)
    }
    return len(used - docstrings)


def test_no_room_exceeds_its_budget() -> None:
    sizes: dict[str, int] = defaultdict(int)
    for module, file in _modules().items():
        sizes[_room(module)] += _lines_of_code(file)
    assert {room: size for room, size in sizes.items() if size > BUDGET.get(room, _SMALL)} == {}
    core = sum(size for room, size in sizes.items() if any(room in floor for floor in CORE) or not room)
    assert (core <= MOST_LINES_OF_CORE, sum(sizes.values()) <= MOST_LINES) == (True, True)


def test_a_class_name_means_one_thing() -> None:
    """Private classes in different rooms may have the same name."""
    places: dict[str, list[str]] = defaultdict(list)
    for module, file in _modules().items():
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                room = f" in {_room(module)}" if node.name.startswith("_") else ""
                places[node.name + room].append(module)
    assert {name: modules for name, modules in places.items() if len(modules) > 1} == {}


def test_each_library_has_one_owner() -> None:
    """Click belongs to the folders `cli`."""
    outer = {(_room(module), name.partition(".")[0]) for module, name in _imports()}
    foreign = {
        (room, name)
        for room, name in outer
        if name not in {*STANDARD, "ptcards"}
        and room != OWNERS.get(name)
        and (name, room.rpartition(".")[2]) != ("click", "cli")
    }
    assert foreign == set()


def test_git_is_called_in_one_place() -> None:
    words = {
        file.relative_to(SOURCE).as_posix()
        for file, tree in _parsed(re.compile("git"))
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value == "git"
    }
    assert words == {"files/git.py"}


@pytest.mark.extensions
def test_only_readers_know_the_name_of_a_dialect() -> None:
    """Docstrings may name a dialect as an example."""
    # Some sections, fields, HTML tags and note types have the same names as dialects.
    ambiguous = {"details", "qa"}
    clear = "|".join(all_dialects().keys() - ambiguous)
    quoted = "|".join(ambiguous)
    naming = re.compile(rf"(?i:\b(?:{clear})\b)|[\"'`](?:{quoted})[\"'`:]|\b(?:{quoted}):\w")
    found = {
        (file.relative_to(SOURCE).as_posix(), text)
        for file, tree in _parsed(naming)
        if not file.is_relative_to(SOURCE / "extensions" / "dialects")
        if not file.is_relative_to(SOURCE / "extensions" / "preview")  # which knows Obsidian as an editor
        for text in _literals(tree)
        if naming.search(text)
    }
    assert found == {("source/dialects.py", VAULT)}  # for a vault's pictures, which are found by their name
    assert OWN not in all_dialects()


def _literals(tree: ast.Module) -> Iterator[str]:
    """Yield the texts of a module that are not docstrings."""
    bodies = [
        node.body for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
    ]
    said = {id(each.value) for body in bodies for each in body if isinstance(each, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.value


def test_nothing_decides_by_the_name_of_a_rule() -> None:
    """A `Trait` of the diagnostic, or an attribute of its rule, says what it means to others."""
    found = [
        f"{file.relative_to(SOURCE).as_posix()}:{node.lineno}"
        for file, tree in _parsed(re.compile(r"\.rule\b"))
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare) and getattr(node.left, "attr", "") == "rule"
        if any(isinstance(each, ast.Constant) for part in node.comparators for each in ast.walk(part))
    ]
    assert found == []


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from ptcards.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "print([m for m in ('genanki', 'markdown', 'pygments', 'yaml', 'filelock', 'packaging', 'pathspec', 'sqlite3') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_possessive_repetition_is_of_single_characters() -> None:
    """Python before 3.11.5 matches `(?:…)*+` incorrectly if the group can backtrack (cpython#106052).

    Use `(?>(?:…)*)`.
    """
    files = sorted(SOURCE.rglob("*.py"))
    found = [
        file.name
        for file in files
        if re.search(r"[^\\\\(]\)(?:[*+?]|\{[0-9,]+\})\+", file.read_text("utf-8"))
    ]
    assert found == []
