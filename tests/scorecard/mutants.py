"""Row 31: does a test fail when a line of the parser, the lock or the package writer is wrong?

A mutant is the program with one operator, constant or statement changed. A random selection is tried one by
one against the tests of their module; a mutant that no test detects has survived.
"""

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from scorecard.row import Effort, Measurement, Result, Row

ROOT = Path(__file__).parents[2]
SHARE = 0.85
_SECONDS = 600
_NONE = -1
"""The number of a mutant without a change: if its tests fail, failures say nothing about the others."""
TARGETS = {
    "parser": (
        ("markdown/*.py", "source/*.py"),
        ("markdown", "source", "anki/test_fields.py", "anki/test_own_note_types.py", "anki/test_traps.py", "test_bad.py",
         "writers/test_csv.py", "lint/test_fixes.py", "lint/test_natural_mistakes.py", "cli/test_check_cli.py", "verify/test_verify.py"),
    ),
    "lock": (
        ("identity/*.py",),
        ("identity", "test_bad.py", "cli/test_build.py", "diff/test_diff.py"),
    ),
    "package": (
        ("writers/apkg.py",),
        ("writers/test_apkg.py", "anki/test_anki_import.py", "anki/test_anki_traps.py", "cli/test_build.py"),
    ),
}  # fmt: skip
"""The files to mutate, below the package's folder, and the tests that should fail, below `tests`.

A folder is all tests of a room. Whoever moves a file of another room changes its path here.
"""

EQUIVALENT = {
    "PRAGMA synchronous": "quicker, no other database",
    "_AT_ONCE = ": "quicker, no other result",
    "_times.get(guid, 0)": "no note was published in 1970",
    "_SHORT = ": "what is kept for a while, no other result",
    "<= _SHORT": "the same",
    "opener.place > bottom": "quicker: it was refused before",
    "len(token[0]) < 3": "quicker: nothing shorter opens a deletion",
    'yield ("id"': "a word that tells one key from another",
    'yield ("question"': "the same",
    "if renamed:": "quicker, nothing else to match",
    "seen[word] += 1": "any numbers tell one place of a word from another",
    "for note in notes), default=1)": "no note, no id",
    "locate(0).path": "another place of the same file",
    "tight: bool = True": "of a list only, and set when it ends",
    "while count > 0 and self.offset": "a guard: nobody goes past the end of a line",
    "PRAGMA journal_mode": "quicker, no other database",
    "10**12 + int(": "other ids of decks: Anki goes by names, and ids that clash are told apart",
    "closing if closing >= 0": "no deletion ends at the first character",
    "opener.divider >= 0": "no deletion is divided at the first character",
    "(line_end if line_end >= 0": "no text begins with a line end",
    "if not fresh or not gone": "quicker, nothing else to say",
    "return most(one, other) >= at_least": "quicker: `most` is never less than `similarity`",
    "return 1": "a time that nobody is told of",
    "if self.decks else 1": "which deck a note type was last used in; Anki does not look",
    "one more: 0 in hint = text[divider + 2 : at]": "no deletion is divided at the first character",
    "other truth: False in return _class(": "slower: more rules are tried, and the same one matches",
    "other operator: flags & re.IGNORECASE in if flags & re.IGNORECASE and high": "the same",
    "always: version not in (2, VERSION)": "slower: the lock is read line by line",
    "other truth: False in and SequenceMatcher(": "only of a word of 200 characters, and no heading is longer",
    r"never: '\\' not in text and": "slower, nothing to replace",
    "never: not gone and (not retired)": "the same",
    "never: not by_question": "slower, nothing to say",
    '" ".join(text.markdown.split()) for text in asked': "a text that tells one question from another",
    "other truth: True in places = ": "a guard: both have an entry for each note",
    '"answer", said.note_type': "a word that tells one key from another",
    '"question", said.note_type': "the same",
    'yield "question", place': "the same",
    'yield "answer", place': "the same",
    "newest.get(found[1], 0)": "no note was published in 1970",
    "always: ends != len(records)": "slower: the lock is read line by line",
}
"""Mutants that behave like the program, each with the reason; they are not selected.

A key is a part of the line, or of the change and its line as in `never: not fresh in if not fresh:`.
"""

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """The change with this `number` to a file."""

    target: str
    file: Path
    number: int


class _Mutator(ast.NodeTransformer):
    """Counts the places that can be changed, and changes one of them; `what` then describes the change."""

    def __init__(self, number: int = _NONE) -> None:
        self.number = number
        self.places: list[tuple[int, str]] = []
        self.what = ""

    def _here(self, node: ast.stmt | ast.expr, what: str) -> bool:
        self.places.append((node.lineno, f"{what}: {ast.unparse(node)[:80]}"))
        if len(self.places) - 1 != self.number:
            return False
        self.what = "{}: {}".format(*self.places[-1])
        return True

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        if type(node.ops[0]) in _COMPARISONS and self._here(node, "other comparison"):
            node.ops[0] = _COMPARISONS[type(node.ops[0])]()
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        if self._here(node, "and for or"):
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        return node.operand if isinstance(node.op, ast.Not) and self._here(node, "no not") else node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if type(node.op) in _OPERATORS and self._here(node, "other operator"):
            node.op = _OPERATORS[type(node.op)]()
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        value = node.value
        if isinstance(value, bool):
            return ast.Constant(not value) if self._here(node, "other truth") else node
        if isinstance(value, int):
            return ast.Constant(value + 1) if self._here(node, "one more") else node
        if isinstance(value, str) and value:
            return ast.Constant(f"{value}X") if self._here(node, "other text") else node
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        return node  # Texts with values in them are messages, which tests of reports compare exactly.

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        if self._here(node, "other way round"):
            node.body, node.orelse = node.orelse, node.body
        return node

    def visit_If(self, node: ast.If) -> ast.stmt:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return node
        self.generic_visit(node)
        if self._here(node.test, "always"):
            node.test = ast.Constant(value=True)
        elif self._here(node.test, "never"):
            node.test = ast.Constant(value=False)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        if isinstance(node.value, ast.Constant):
            return node  # a docstring
        self.generic_visit(node)
        return ast.Pass() if self._here(node, "left out") else node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        self.generic_visit(node)
        return ast.Pass() if self._here(node, "left out") else node

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        self.generic_visit(node)
        if (
            node.value is not None
            and not isinstance(node.value, ast.Constant)
            and self._here(node, "returns None")
        ):
            node.value = ast.Constant(value=None)
        return node

    def visit_Break(self, node: ast.Break) -> ast.stmt:
        return ast.Pass() if self._here(node, "left out") else node

    def visit_Continue(self, node: ast.Continue) -> ast.stmt:
        return ast.Pass() if self._here(node, "left out") else node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        node.body = [self.visit(each) for each in node.body]  # neither decorators nor types
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        node.body = [self.visit(each) for each in node.body]
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        return node if ast.unparse(node.targets[0]) == "__all__" else self.generic_visit(node)  # type: ignore[return-value]  # a statement stays one


def _measure(effort: Effort) -> tuple[Result, ...]:
    wanted = effort.pick(2, 40)
    told = []
    survivors: list[str] = []
    holds = True
    for target in TARGETS:
        drawn = _drawn(target, wanted, effort)
        if not any(_tried([Mutant(target, drawn[0].file, _NONE)], effort)):
            told.append(f"{target}: its tests fail without a mutant")
            holds = False
            continue
        alive = [said for said in _tried(drawn, effort) if said]
        survivors += alive
        share = 1 - len(alive) / len(drawn)
        holds = holds and share >= SHARE
        told.append(f"{target} {len(drawn) - len(alive)} of {len(drawn)} ({100 * share:.0f}%)")
    return (Result(", ".join(told), holds, tuple(survivors)),)


def _drawn(target: str, wanted: int, effort: Effort) -> list[Mutant]:
    """Return a random selection of mutants from all files of a target."""
    every = []
    for file in sorted(each for glob in TARGETS[target][0] for each in (ROOT / "src" / "ptcards").glob(glob)):
        counter = _Mutator()
        text = file.read_text("utf-8")
        lines = text.split("\n")
        counter.visit(ast.parse(text))
        every += [
            Mutant(target, file, number)
            for number, (row, what) in enumerate(counter.places)
            if not any(part in f"{what} in {lines[row - 1].strip()}" for part in EQUIVALENT)
        ]
    return effort.random("mutants", target).sample(every, min(wanted, len(every)))


def _tried(mutants: list[Mutant], effort: Effort) -> Iterator[str]:
    """Try mutants in several copies of the code; return the change of each that survives."""
    copies: SimpleQueue[Path] = SimpleQueue()
    for number in range(effort.jobs):
        copy = effort.folder / f"copy{number}"
        shutil.copytree(ROOT / "src", copy, dirs_exist_ok=True)
        copies.put(copy)

    def try_one(mutant: Mutant) -> str:
        copy = copies.get()
        try:
            return _survivor(mutant, copy)
        finally:
            copies.put(copy)

    with ThreadPoolExecutor(effort.jobs) as pool:
        yield from pool.map(try_one, mutants)


def _survivor(mutant: Mutant, copy: Path) -> str:
    text = mutant.file.read_text("utf-8")
    mutator = _Mutator(mutant.number)
    tree = ast.fix_missing_locations(mutator.visit(ast.parse(text)))
    place = copy / mutant.file.relative_to(ROOT / "src")
    place.write_text(ast.unparse(tree), "utf-8")
    # The file's own tests first: they detect most mutants, and collecting all tests takes long.
    own = ROOT / "tests" / mutant.file.parent.name / f"test_{mutant.file.stem}.py"
    theirs = [str(ROOT / "tests" / name) for name in TARGETS[mutant.target][1]]
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "-n",
        "0",
        "-p",
        "no:cacheprovider",
        "-m",
        "not slow and not browser and not sandbox",
    ]
    environment = {
        **os.environ,
        "PYTHONPATH": f"{copy}:{os.environ.get('PYTHONPATH', '')}",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    where = ROOT / "tests"
    passed = {0, 5}  # 5: no test was selected
    try:
        alive = all(
            subprocess.run(
                [*command, *names],
                cwd=where,
                env=environment,
                capture_output=True,
                check=False,
                timeout=_SECONDS,
            ).returncode
            in passed
            for names in ([str(own)] if own.exists() else [], theirs)
            if names
        )
    except subprocess.TimeoutExpired:
        alive = False
    finally:
        place.write_text(text, "utf-8")
    return f"{mutant.file.relative_to(ROOT)}:{mutator.what}" if alive else ""


MEASUREMENT = Measurement(
    (
        Row(
            31,
            "mutants of the parser, the lock and the package writer that a test detects",
            f"{100 * SHARE:.0f}% of each",
        ),
    ),
    _measure,
    only_long=True,
)
