"""The language of the repository: unidiomatic words, and docstrings that command instead of describing."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# Other people's texts, and texts as authors write them.
FOREIGN = ("tests/gfm/", "tests/bad/", "tests/cases/", "tests/identity/author_", "tests/test_english.py")
FOUND = [
    *ROOT.glob("*.md"),
    *(file for room in ("addon", "bench", "docs", "src", "tests") for file in (ROOT / room).rglob("*")),
]
FILES = [
    file
    for file in FOUND
    if file.suffix in {".py", ".md"} and not file.relative_to(ROOT).as_posix().startswith(FOREIGN)
]
# Names of functions count too, where underscores separate the words.
ODD = re.compile(
    r"(?<![a-z])(?:mend(?:s|ed|ing)?|anew|afresh|lest|astray|an own|belongs into|some hundred|hardly|comes out"
    r"|goes on|what becomes of|who is who|stands there|rests on)(?![a-z])|; gives(?![a-z])",
    re.IGNORECASE,
)
ORDERS = ("Give", "Gives", "Say", "Says", "Tell", "Tells")
DOCSTRING = re.compile(rf'"""\\?\s*(?:{"|".join(ORDERS)})\b')


@pytest.mark.extensions
def test_words_that_nobody_says_are_not_written() -> None:
    found = [
        f"{file.relative_to(ROOT)}:{number}: {match[0]}"
        for file in FILES
        for number, line in enumerate(file.read_text("utf-8").split("\n"), 1)
        for match in ODD.finditer(line)
    ]
    assert found == []


def test_docstrings_say_what_is_returned() -> None:
    found = []
    for file in FILES:
        if file.suffix != ".py":
            continue
        text = file.read_text("utf-8")
        if not DOCSTRING.search(text):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                words = (ast.get_docstring(node) or "").split()
                if words and words[0] in ORDERS:
                    found.append(f"{file.relative_to(ROOT)}: {' '.join(words[:6])}")
    assert found == []
