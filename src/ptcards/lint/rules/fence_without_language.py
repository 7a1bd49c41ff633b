import ast
from collections.abc import Iterator, Sequence

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Draft, Edit, Rule
from ptcards.markdown.blocks import BlockKind
from ptcards.source.code import SESSION, is_python, syntax_tree, without_deletions

_PLAINLY_PYTHON = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.With, ast.For, ast.ImportFrom)


class FenceWithoutLanguage(Rule, severity="warning"):
    """A block of code does not name its language.

    Why: without it the code has no colours on the card, and `ptcards verify` does not run it as Python. Use
    `output` or `text` for printed text. `--fix` adds `python` where the block can be nothing else.

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
        """Report the marks of each fence that does not name a language."""
        for code in note.codes:
            if code.block.kind is BlockKind.FENCE and not code.language:
                marks = len(code.block.marker)
                fix = "write it after the marks: `python`, `output`, `text` …"
                yield self.report(code.place, "a block of code without a language", fix, marks)

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Add the language where only one is possible."""
        for code in draft.codes:
            block = code.block
            unnamed = block.kind is BlockKind.FENCE and block.closed and not block.info
            if unnamed and (language := _language(code.rows)):
                yield Edit(code.place.line, code.place.column, block.marker, block.marker + language)


def _language(lines: Sequence[str]) -> str:
    """Return `python` or `pycon` if the code can be nothing else, otherwise nothing."""
    if lines and lines[0].startswith(">>> "):
        return SESSION
    source = without_deletions("\n".join(lines))
    if not is_python(source):
        return ""
    body = syntax_tree(source).body
    plain = any(isinstance(each, _PLAINLY_PYTHON) for each in body)
    imports = any(isinstance(each, ast.Import) for each in body) and len(body) > 1
    return "python" if plain or imports else ""
