"""Code: mistakes in it, its layout, and its output."""

import ast
import re
import unicodedata
from collections.abc import Iterator, Sequence

from ptcards.diagnostics import Diagnostic, Location, Severity, counted
from ptcards.lint.message import Message
from ptcards.lint.note import Code, Reading
from ptcards.lint.registry import LineEdit, Rule, SourceToFix, replace_code
from ptcards.markdown.tree import FENCE
from ptcards.source.code_blocks import (
    PYTHON,
    SESSION,
    is_python,
    same_meaning,
    smart_quote_problem,
    stops_at_smart_quote,
    syntax_tree,
    without_deletions,
)


class BrokenPython(Message, severity="warning"):
    """A block marked as Python does not parse.

    Why: a learner who copies it from the card gets a SyntaxError, and one who reads it learns something
    wrong. The block is parsed with the Python version that runs ptcards, without its common indentation;
    nothing is executed. Blocks with `no-run="…"` or `raises=SyntaxError` on the fence line are skipped, and
    so are blocks with a line that begins with `%` or `!`, which is IPython syntax.

    For instance:

        ```python
        print("loss:" loss)
        ```

    Fix: correct the code, or name what it is: `pycon` for a session with `>>>`, `python2`, or `text` for
    pseudo-code. If the error is intended, say so on the fence line.

        ```python raises=SyntaxError
        print("loss:" loss)
        ```
    """


_PLAINLY_PYTHON = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.With, ast.For, ast.ImportFrom)


class FenceWithoutLanguage(Rule, severity="warning"):
    """A block of code does not name its language.

    Why: without a language, the code has no colours on the card, and `ptcards verify` does not run it as
    Python. Use `output` or `text` for printed text. `--fix` adds `python` if the block can only be Python.

    For instance:

        ```
        import torch
        ```

    Fix: write the language after the opening fence.

        ```python
        import torch
        ```
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each opening fence that does not name a language."""
        for code in note.codes:
            if code.block.kind is FENCE and not code.language:
                marks = len(code.block.marker)
                fix = "add a language such as `python`, `output` or `text` after the opening fence"
                yield self.report(code.place, "this code block has no language", fix, marks)

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Add the language to fences where only one is possible."""
        for code in draft.codes:
            block = code.block
            unnamed = block.kind is FENCE and block.closed and not block.info
            if unnamed and (language := _language(code.rows)):
                yield LineEdit(code.place.line, code.place.column, block.marker, block.marker + language)


def _language(lines: Sequence[str]) -> str:
    """Return `python` or `pycon` if the code can be nothing else, otherwise an empty string."""
    if lines and lines[0].startswith(">>> "):
        return SESSION
    source = without_deletions("\n".join(lines))
    if not is_python(source):
        return ""
    body = syntax_tree(source).body
    plain = any(isinstance(each, _PLAINLY_PYTHON) for each in body)
    imports = any(isinstance(each, ast.Import) for each in body) and len(body) > 1
    return "python" if plain or imports else ""


_INVISIBLE = re.compile(
    "[\u00a0\u00ad\u2000-\u200c\u200e\u200f\u2028-\u202f\u205f-\u2064\u2066-\u2069\u3000\ufeff]"
)
_SHOWN = frozenset({"text", "txt", "output", "console"})


class InvisibleCharacterInCode(Rule, severity="warning"):
    """A block of code contains an invisible character.

    Why: code copied from a web page often contains a no-break space or a zero-width character; such code
    looks right but does not run. Characters that reorder text can even make code do something other than what
    it seems to do (https://trojansource.codes). Blocks of `output`, `console` and `text` are not checked.

    For instance, where `<U+00A0>` is a no-break space:

        x =<U+00A0>1

    Fix: retype the line, or replace the character with a space.

        x = 1
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the first invisible character in each block."""
        for code in note.codes:
            if code.language in _SHOWN or code.source.isascii():
                continue
            for row, line in enumerate(code.block.lines):
                if found := _INVISIBLE.search(line.text):
                    name = unicodedata.name(found[0], "").lower()
                    message = f"invisible character U+{ord(found[0]):04X} ({name}) in code"
                    yield self.report(
                        code.locate(row, found.start() + 1), message, "replace it with a space, or remove it"
                    )
                    break


PROSE = frozenset(
    {
        "",
        "text",
        "txt",
        "output",
        "console",
        "markdown",
        "md",
        "html",
        "xml",
        "rst",
        "latex",
        "tex",
        "diff",
        "math",
    }
)
"""Languages in which typographic quotation marks may be intended."""

_OUTSIDE = re.compile(
    r"(?:#|//).*|\"(?:[^\"\\]|\\.)*\"?|'(?:[^'\\]|\\.)*'?|`[^`]*`?|^\s*\*.*|/\*.*?(?:\*/|$)|(?P<smart>[“”„‘‚]"
    r"|(?<!\w)’|’(?!\w))"
)

_SMART = re.compile("[“”„‘’‚]")
_DOUBLE = dict.fromkeys(map(ord, "“”„"), '"')
_SINGLE = dict.fromkeys(map(ord, "‘’‚"), "'")


class SmartQuotesInCode(Rule, severity="error or warning"):
    """A block of code has typographic quotation marks where straight ones belong.

    Why: word processors and many websites insert them, and no programming language accepts them as quotation
    marks. Those inside strings and comments are not reported. It is an error where Python stops at one, as
    `broken-python` is; it can be ignored. `--fix` replaces them in a Python block that parses only with
    straight quotation marks.

    For instance:

        print(“done”)

    Fix: use straight quotation marks.

        print("done")
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the first typographic mark outside strings and comments in each block."""
        for code in note.codes:
            if code.language in PROSE or not _SMART.search(code.source):
                continue
            if code.language in PYTHON and is_python(without_deletions(code.source)):
                continue
            if code.language in PYTHON and stops_at_smart_quote(code.source, code.block.info):
                continue
            for row, line in enumerate(code.block.lines):
                found = next((found for found in _OUTSIDE.finditer(line.text) if found["smart"]), None)
                if found:
                    place = code.locate(row, found.start() + 1)
                    _, message, fix = smart_quote_problem(found[0])
                    yield self.report(place, message, fix, severity=Severity.WARNING)
                    break

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Replace typographic marks in Python that parses only with straight ones."""
        for code in draft.codes:
            if code.language in PYTHON and not is_python(without_deletions(code.source)):
                straight = (code.source.translate(table) for table in (_DOUBLE, _SINGLE, _DOUBLE | _SINGLE))
                fixed = next((each for each in straight if is_python(without_deletions(each))), code.source)
                yield from replace_code(code, fixed.split("\n"))


class ClosingBlankLines(Rule, severity="hint"):
    """A file, or a block of code in it, ends with blank lines.

    Why: the card shows blank lines at the end of a block as an empty stripe, and blank lines at the end of a
    file turn up in unrelated diffs. `--fix` removes them.

    For instance:

        ```python
        import torch

        ```

    Fix: put the closing fence right after the last line of code, and delete blank lines at the end of the
    file.

        ```python
        import torch
        ```
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the first of the blank lines that end a block."""
        for code in note.codes:
            if rows := _closing_blanks_of_code(code):
                message = f"{counted(len(rows), 'blank line')} at the end of the code"
                fix = "put the closing fence right after the last line of code"
                yield self.report(code.locate(rows[0]), message, fix)

    def check_text(self, path: str, text: str) -> Iterator[Diagnostic]:
        """Report the first of the blank lines that end a file."""
        written = text.removesuffix("\n")
        if written[written.rfind("\n") + 1 :].strip():  # as in most files, which need not be split
            return
        if rows := _closing_blanks_of_file(text.split("\n")):
            message = f"{counted(len(rows), 'blank line')} at the end of the file"
            yield self.report(Location(path, rows[0] + 1), message, "delete them")

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Delete the blank lines."""
        for row in _closing_blanks_of_file(draft.lines):
            yield LineEdit(row + 1, 1, draft.lines[row], None)
        for code in draft.codes:
            for row in _closing_blanks_of_code(code):
                place = code.locate(row)
                yield LineEdit(place.line, place.column, code.rows[row], None)


def _closing_blanks_of_code(code: Code) -> range:
    closed = code.block.kind is FENCE and code.block.closed
    return _closing_blanks(code.rows) if closed else range(0)


def _closing_blanks_of_file(lines: Sequence[str]) -> range:
    # There is no line after the final newline.
    return _closing_blanks(lines[:-1] if lines[-1:] == [""] else lines)


def _closing_blanks(lines: Sequence[str]) -> range:
    """Return the rows (from 0) of the blank lines at the end."""
    end = len(lines)
    start = end
    while start > 0 and not lines[start - 1].strip():
        start -= 1
    return range(start, end)


class CodeColumns(Rule, severity="warning", limits={"code-columns": 60}, taste=True):
    """A line of code is wider than a phone can show.

    Why: a phone shows 35 to 39 columns of code, and a card on a desktop shows 78. Wider lines wrap, and
    wrapped code is hard to read at a glance. A line of more than `code-columns` (60) columns causes a
    warning. Each block gets only one warning, at its widest line.

    For instance:

        loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=4, pin_memory=True)

    Fix: break the line, or leave out what the question is not about.

        loader = DataLoader(dataset, batch_size=64, shuffle=True)
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the part of each block's widest line that is beyond the limit."""
        limit = self.limits["code-columns"]
        for code in note.codes:
            lines = code.source.expandtabs(4).split("\n")
            widths = [len(without_deletions(line)) if len(line) > limit else 0 for line in lines]
            if (width := max(widths, default=0)) <= limit:
                continue
            row = widths.index(width)
            count = sum(each > limit for each in widths)
            others = f" ({count - 1} more like it)" if count > 1 else ""
            length = len(code.rows[row])
            message = f"the line has {width} columns, more than {limit}{others}"
            fix = "break the line, or remove what the question is not about"
            place = code.locate(row, min(limit, length - 1) + 1)
            yield self.report(place, message, fix, max(length - limit, 1))


class CodeLines(
    Rule, severity="warning or hint", limits={"code-lines": 25, "code-lines-hint": 15}, taste=True
):
    """A block of code does not fit on a screen.

    Why: learners have to scroll through code that does not fit on a phone's screen. In a well-known
    collection of 155 code questions, 90% use 7 lines or fewer. More than `code-lines` (25) lines cause a
    warning, and more than `code-lines-hint` (15) a hint. Blocks below `### Details` do not count.

    For instance:

        ## What does this print?

        (a training script of 40 lines)

    Fix: cut it down to the lines that the question is about.

        ## What does this print?

        (the five lines that compute the loss)
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the opening fence of each block beyond the limit."""
        for part in note.parts:
            if part.name in ("details", "sources"):
                continue
            for code in part.codes:
                lines = len(code.rows)
                if exceeded := self.exceeded(lines):
                    limit, severity = exceeded
                    message = f"the block has {lines} lines, more than {limit}"
                    fix = "cut it down to what the question is about, or move it below `### Details`"
                    yield self.report(code.place, message, fix, len(code.opening), severity=severity)


WANTED = frozenset({"make", "makefile", "go", "golang", "tsv", "diff", "output", "text", "txt", "console"})
"""Languages in which tabs have a meaning, and languages of printed text."""


class TabInCode(Rule, severity="warning"):
    """A line of code is indented with a tab.

    Why: a card shows a tab eight columns wide, twice as wide as in most editors, and a learner who copies the
    code mixes tabs and spaces. Printed text and languages that use tabs, such as Makefile and Go, are not
    checked. `--fix` replaces tabs in Python with four spaces if the code keeps its meaning.

    For instance:

        for batch in loader:
        ⇥loss = step(batch)

    Fix: indent with spaces.

        for batch in loader:
            loss = step(batch)
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the first tab in the indentation of each block."""
        for code in note.codes:
            if code.language in WANTED or "\t" not in code.source:
                continue
            for row, line in enumerate(code.block.lines):
                indent = line.text[: len(line.text) - len(line.text.lstrip())]
                if "\t" in indent:
                    place = code.locate(row, indent.index("\t") + 1)
                    yield self.report(place, "the indentation contains a tab", "indent with four spaces")
                    break

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Replace tabs in Python with four spaces if the code keeps its meaning."""
        for code in draft.codes:
            if code.language in PYTHON and "\t" in code.source:
                rows = [_without_tabs(row) for row in code.rows]
                if same_meaning(without_deletions(code.source), without_deletions("\n".join(rows))):
                    yield from replace_code(code, rows)


def _without_tabs(line: str) -> str:
    rest = line.lstrip(" \t")
    return line[: len(line) - len(rest)].replace("\t", "    ") + rest


class NoRunWithoutReason(Message, severity="warning"):
    """A block has `no-run` without a reason.

    Why: code that never runs goes stale. The reason tells the next author whether it still applies.

    For instance:

        ```python no-run

    Fix: write the reason.

        ```python no-run="needs two GPUs"
    """


class OutputWithoutCode(Message, severity="warning"):
    """An `output` block has no code above it.

    Why: ptcards compares an `output` block with what the nearest Python block above it prints. Without code,
    nothing checks it.

    For instance:

        ```output
        tensor([0., 0.])
        ```

    Fix: move the block below the code, or set its language to `text`.

        ```python
        print(torch.zeros(2))
        ```

        ```output
        tensor([0., 0.])
        ```
    """


class SecondOutput(Message, severity="error"):
    """Two `output` blocks belong to the same code.

    Why: ptcards compares printed output with only one block.

    For instance:

        ```python
        print(1)
        print(2)
        ```

        ```output
        1
        ```

        ```output
        2
        ```

    Fix: merge the blocks, or split the code so that each `output` block is below the code that prints it.

        ```python
        print(1)
        print(2)
        ```

        ```output
        1
        2
        ```
    """


class SessionWithoutPrompt(Message, severity="warning"):
    """A `pycon` block has no `>>>`.

    Why: `pycon` is an interactive session, where only lines after prompts are run.

    For instance:

        ```pycon
        1 + 1
        ```

    Fix: begin each input with `>>> `, or set the language to `python`.

        ```pycon
        >>> 1 + 1
        2
        ```
    """
