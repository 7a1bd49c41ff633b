"""Finds the code blocks of a note with their outputs, and checks whether code is valid Python."""

import ast
import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from symtable import symtable
from textwrap import dedent
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location, Severity, Trait, error, errors_in, warning
from ptcards.diagnostics.suggest import slip_among
from ptcards.markdown.blocks import scan
from ptcards.markdown.deletions import OPENING, Mark, find_marks
from ptcards.markdown.fences import OUTPUT, drawing_of, read_info
from ptcards.markdown.tree import FENCE, Block
from ptcards.notes import Kind, Note, Text
from ptcards.value_class import value_class

PYTHON = frozenset({"python", "py", "python3"})
SESSION = "pycon"


class Output(NamedTuple):
    """An `output` block: its text, the number of its lines, and its fence.

    `expected` is the text with deletions replaced by their content. The fence begins at `place` with
    `marker`.
    """

    text: Text
    expected: str
    size: int
    place: Location
    marker: str
    closed: bool


class Example(NamedTuple):
    """An input in a session: its code without prompts, its first line (from 0), and the output below it."""

    code: str
    line: int
    shown: str


@value_class
class CodeBlock:
    """A block of Python in a note, with deletions replaced by their text.

    `lines` is the code as written, with the location of each line. `examples` are the inputs of a `pycon`
    block, or `None` for plain code. `raises` is the name of the expected exception. `no_run` is the reason
    not to run the block, or `None` if it is run.
    """

    place: Location
    lines: Text
    code: str
    examples: tuple[Example, ...] | None
    raises: str
    no_run: str | None
    output: Output | None = None

    def line(self, number: int) -> tuple[Location, int]:
        """Return where the text of line `number` (from 1) begins, and its length without indentation."""
        lines = self.lines.markdown.split("\n")
        index = min(max(number, 1), len(lines)) - 1
        text = lines[index]
        indent = len(text) - len(text.lstrip())
        return self.lines.location(index, indent + 1), max(1, len(text.strip()))


class NoteCode(NamedTuple):
    """All code blocks of a note, in file order."""

    note: Note
    blocks: tuple[CodeBlock, ...]

    @property
    def run(self) -> tuple[CodeBlock, ...]:
        """The blocks that are run."""
        return tuple(block for block in self.blocks if block.no_run is None)


def find_code(note: Note) -> tuple[NoteCode, list[Diagnostic]]:
    """Return the code in all texts of a note except the options of a choice, and diagnostics."""
    blocks: list[CodeBlock] = []
    diagnostics: list[Diagnostic] = []
    for text in _texts_with_fences(note):
        cloze = (note.code_deletions and text is note.answer) or (
            bool(note.own_type) and note.kind is Kind.CLOZE
        )
        language = ""
        for fence in fences_in(scan(text.markdown)):
            above, language = language, read_info(fence.info).language
            place = text.location(fence.start, fence.column)
            if language in PYTHON or language == SESSION:
                block, found = _code_block(text, fence, place, cloze=cloze)
                blocks.append(block)
                diagnostics += found
            elif language == OUTPUT and not _is_slip(above):
                said = text.cut(fence.lines)
                expected = without_deletions(said.markdown) if cloze else said.markdown
                output = Output(said, expected, len(fence.lines), place, fence.marker, fence.closed)
                diagnostics += _attach(output, blocks)
    return NoteCode(note, tuple(blocks)), diagnostics


def _texts_with_fences(note: Note) -> list[Text]:
    """Return the texts of a note except the options of a choice, if they may have fences."""
    texts = [note.question, note.answer, note.hint, note.details, note.sources]
    texts += [text for _, text in note.fields]
    return [text for text in texts if "```" in text.markdown or "~~~" in text.markdown]


def code_problems(note: Note, *, is_own: bool) -> tuple[NoteCode, list[Diagnostic]]:
    """Return the code of a note, and what is wrong with it without running it.

    The problems are warnings in the notes of other programs and of imported decks: unless a note `is_own`,
    in our own format, its code may mean something else.
    """
    code, diagnostics = find_code(note)
    diagnostics += _broken_python(code.run)
    if note.own_type or not is_own:
        diagnostics = [replace(each, severity=Severity.WARNING) for each in diagnostics]
    return code, diagnostics


def code_errors(note: Note) -> list[Diagnostic]:
    """Return the errors of `code_problems` in a note in our own format.

    Only code with a deletion or with a typographic quotation mark is parsed, because there are no errors in
    other code: parsing all of it is 5 % of a build. Without any of them and without outputs, a note has none.
    """
    if not any(map(_may_have_errors, _texts_with_fences(note))):
        return []
    code, diagnostics = find_code(note)
    doubtful = [block for block in code.run if "{{" in block.lines.markdown or _QUOTES.search(block.code)]
    return errors_in([*diagnostics, *_broken_python(doubtful)])


def _may_have_errors(text: Text) -> bool:
    markdown = text.markdown
    # `&` may begin an entity in the name of a language.
    return "{{" in markdown or OUTPUT in markdown or "&" in markdown or not markdown.isascii()


_QUOTES = re.compile("[“”„‘’‚]")
_SYNTAX_ERRORS = frozenset({"SyntaxError", "IndentationError", "TabError"})


def _broken_python(blocks: Iterable[CodeBlock]) -> Iterator[Diagnostic]:
    """Yield where Python stops parsing each block."""
    for block in blocks:
        problem = None if block.raises in _SYNTAX_ERRORS else _problem(block)
        if problem is None:
            continue
        if hints := _hints(block):
            yield from hints
            continue
        index = problem.row
        lines = block.lines.markdown.split("\n")
        # The code was parsed without its deletions, so the column in a line that has them is approximate.
        column = min(problem.column, len(lines[index]) + 1)
        if quote := _smart_quote(problem):
            yield error(
                block.lines.location(index, column), *smart_quote_problem(quote), traits=Trait.IGNORABLE
            )
            continue
        message = f"this is not valid {_VERSION}: {_message(problem.message, block)}"
        meant = _MEANT if block.examples is None else {}
        fix = next((fix for seen, fix in meant.items() if re.search(seen, block.code)), _NO_CODE)
        if problem.message.startswith("expected an indented block") and lines[index].rstrip().endswith(":"):
            fix = "add a line with `...`, indented, below it"
        yield warning(block.lines.location(index, column), "broken-python", message, fix)


_VERSION = f"Python {sys.version_info.major}.{sys.version_info.minor}"
_NO_CODE = "correct the code, or set the language to `text` if it is not a complete program"
_MEANT = {
    r"(?m)^\s*>>> ": "set the language to `pycon`, which is for sessions with `>>>`",
    r"(?m)^\s*(?:print\s+[^\s(=]|except .+, \w+:|raise \w+, )": "set the language to `python2`",
    r"\ATraceback \(most recent call last\)": "set the language to `pytb`",
    r"(?m)^\s*cp?def ": "set the language to `cython`",
}
"""The fix for code that does not parse, by what it contains."""


def _smart_quote(problem: "SyntaxProblem") -> str:
    """Return the typographic quotation mark at which Python stops parsing, or an empty string."""
    found = re.match(f"invalid character '({_QUOTES.pattern})'", problem.message)
    return found[1] if found else ""


def smart_quote_problem(quote: str) -> tuple[str, str, str]:
    """Return the rule, the message and the fix for a typographic quotation mark in code."""
    fix = "use straight ones: `\"` or `'`"
    return "smart-quotes-in-code", f"`{quote}` is not a quotation mark in code", fix


def stops_at_smart_quote(source: str, info: str) -> bool:
    """Whether the parser reports a typographic quotation mark in Python with this text after its fence."""
    said = read_info(info)
    if said.no_run is not None or said.raises in _SYNTAX_ERRORS:
        return False
    problem = syntax_problem(without_deletions(source))
    return problem is not None and _smart_quote(problem) != ""


_MOST_HINTS = 20
"""For each of these, a block is parsed once more."""


def _hints(block: CodeBlock) -> list[Diagnostic]:
    """Return an error for each hint of a deletion in code, if only they keep the code from parsing."""
    source = block.lines.markdown
    marks = [mark for mark in find_marks(source, hints=True)[0] if mark.hint]

    def is_broken(kept: Mark | None = None) -> bool:
        code = source
        for mark in reversed(marks):
            code = code if mark is kept else code[: mark.inner_end] + code[mark.end - 2 :]
        code = without_deletions(code)
        examples = None if block.examples is None else _examples(code)
        return _problem(replace(block, code=code, examples=examples)) is not None

    if not marks or source == block.code or is_broken():
        return []
    found = []
    for mark in filter(is_broken, marks[:_MOST_HINTS]):
        above = source.count("\n", 0, mark.inner_end)
        column = mark.inner_end - source.rfind("\n", 0, mark.inner_end)
        place = block.lines.location(above, column)
        fix = f"remove `::{mark.hint}`, and write it as a comment"
        message = "a deletion in code has no hint"
        length = len(mark.hint) + 2
        found.append(error(place, "hint-in-code", message, fix, length, traits=Trait.IGNORABLE))
    return found


def _message(message: str, block: CodeBlock) -> str:
    """Return Python's message, with the line numbers of the file instead of those of the block."""

    def in_file(found: re.Match[str]) -> str:
        return f"{found[1]} {block.lines.location(int(found[2]) - 1).line}"

    return re.sub(r"\b((?:on|at) line) (\d+)", in_file, f"{message[:1].lower()}{message[1:]}")


def _problem(block: CodeBlock) -> "SyntaxProblem | None":
    if ("%" in block.code or "!" in block.code) and re.search(r"^\s*[%!]", block.code, re.MULTILINE):
        return None
    if OPENING.search(block.code):
        return None  # this is a malformed deletion, which other rules report
    if block.examples is None:
        code = dedent(block.code) if block.code[:1].isspace() else block.code  # an excerpt of a method
        problem = syntax_problem(code)
        return problem and problem._replace(column=problem.column + _indent(block.code) - _indent(code))
    for example in block.examples:
        if problem := syntax_problem(example.code):
            return SyntaxProblem(example.line + problem.row, problem.column + 4, problem.message)
    return None


def _indent(code: str) -> int:
    return len(code) - len(code.lstrip(" \t"))


def fence_at(markdown: str, index: int) -> list[str] | None:
    """Return the lines of the closed fence beginning on line `index` (from 0), or `None` if there is none."""
    fence = next((block for block in fences_in(scan(markdown)) if block.start == index), None)
    return [line.text for line in fence.lines] if fence and fence.closed else None


def _is_slip(language: str) -> bool:
    """Whether a language is `python` misspelt, which `unknown-language` reports."""
    return language.isalpha() and language not in PYTHON and slip_among(language, ("python",)) is not None


def fences_in(block: Block) -> Iterator[Block]:
    """Yield the fences in a block."""
    for child in block.children:
        if child.kind is FENCE:
            yield child
        elif child.children:
            yield from fences_in(child)


def diagrams_in(texts: Iterable[Text]) -> Iterator[tuple[Text, Block, str]]:
    """Yield the diagrams that are written as text, each with the text it is in and its picture's address."""
    for text in texts:
        if "```" in text.markdown or "~~~" in text.markdown:
            for fence in fences_in(scan(text.markdown)):
                if address := drawing_of(fence):
                    yield text, fence, address


def _code_block(
    text: Text, fence: Block, place: Location, *, cloze: bool
) -> tuple[CodeBlock, list[Diagnostic]]:
    diagnostics: list[Diagnostic] = []
    info = read_info(fence.info)
    lines = text.cut(fence.lines)
    code = without_deletions(lines.markdown) if cloze else lines.markdown
    width = len(fence.marker) + len(fence.info)
    if info.no_run is not None and not info.no_run.strip():
        fix = 'say why, as in `no-run="needs two GPUs"`'
        diagnostics.append(warning(place, "no-run-without-reason", "`no-run` without a reason", fix, width))
    examples = _examples(code) if info.language == SESSION else None
    if examples == () and info.no_run is None:
        fix = "begin each input with `>>> `, or set the language to `python`"
        diagnostics.append(
            warning(place, "session-without-prompt", "a `pycon` block without `>>>`", fix, width)
        )
    return CodeBlock(place, lines, code, examples, info.raises, info.no_run), diagnostics


def _attach(output: Output, blocks: list[CodeBlock]) -> list[Diagnostic]:
    """Attach an output to the last of the `blocks` above it; return errors."""
    if not blocks:
        fix = "move it below the `python` block that prints it, or set its language to `text`"
        return [warning(output.place, "output-without-code", "an `output` block without code above it", fix)]
    if blocks[-1].output is not None:
        fix = "merge the two, or split the code so that each `output` is below its code"
        return [error(output.place, "second-output", "a second `output` block for the same code", fix)]
    blocks[-1] = replace(blocks[-1], output=output)
    return []


def _examples(code: str) -> tuple[Example, ...]:
    """Return the inputs of a session, as shown at Python's prompt."""
    examples: list[Example] = []
    lines = code.split("\n")
    index = 0
    while index < len(lines):
        if not _is_input(lines[index], ">>>"):
            index += 1
            continue
        begin = index
        index += 1
        while index < len(lines) and _is_input(lines[index], "..."):
            index += 1
        end = index
        while index < len(lines) and not _is_input(lines[index], ">>>"):
            index += 1
        source = "\n".join(line[4:] for line in lines[begin:end])
        examples.append(Example(source + "\n", begin, "\n".join(lines[end:index])))
    return tuple(examples)


def _is_input(line: str, prompt: str) -> bool:
    return line == prompt or line.startswith(prompt + " ")


class SyntaxProblem(NamedTuple):
    """Where a text stops being valid Python: row (from 0), column (from 1), and Python's message."""

    row: int
    column: int
    message: str


def without_deletions(source: str) -> str:
    """Return code with cloze deletions replaced by their text.

    In code, deletions have no hints: `::` is part of the text.
    """
    marks, _ = find_marks(source, hints=False)
    for mark in reversed(marks):
        source = source[: mark.start] + source[mark.inner : mark.inner_end] + source[mark.end :]
    return source


def syntax_problem(source: str) -> SyntaxProblem | None:
    """Return why a text is not valid Python, or `None` if it is.

    It does not check names, types or calls, or whether a `return` is inside a function. It runs in linear
    time.
    """
    if _has_symbols(source):
        return None
    try:
        syntax_tree(source)
    except SyntaxError as wrong:
        row = min((wrong.lineno or 1) - 1, source.count("\n"))
        return SyntaxProblem(row, max(wrong.offset or 1, 1), wrong.msg)
    except ValueError:
        return SyntaxProblem(0, 1, "it has a character that Python rejects")
    except (RecursionError, MemoryError):
        return SyntaxProblem(0, 1, "it is nested too deeply")
    return None


def _has_symbols(source: str) -> bool:
    """Whether Python makes a symbol table of a text, and so parses it, in two thirds of a tree's time.

    It may refuse a text that parses, such as one that breaks the rules about `nonlocal`.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as in `syntax_tree`
        try:
            symtable(source, "", "exec")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def is_python(source: str) -> bool:
    """Whether a text parses as Python."""
    return syntax_problem(source) is None


def syntax_tree(source: str) -> ast.Module:
    """Return the syntax tree.

    Raises the errors of `ast.parse`: SyntaxError, ValueError, RecursionError, MemoryError.
    """
    with warnings.catch_warnings():
        # Python warns about escapes such as "\d", which only matters to those who run the code.
        warnings.simplefilter("ignore")
        return ast.parse(source)


def same_meaning(before: str, after: str) -> bool:
    """Whether two texts are valid Python with equal syntax trees, apart from positions."""
    if not (is_python(before) and is_python(after)):
        return False
    return ast.dump(syntax_tree(before)) == ast.dump(syntax_tree(after))
