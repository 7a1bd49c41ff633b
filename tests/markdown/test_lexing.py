"""The faster lexers compared with Pygments' own."""

import random
import subprocess
import sys
from itertools import islice

import pytest
from pygments.lexer import Lexer, RegexLexer
from pygments.lexers import get_all_lexers, get_lexer_by_name

from ptcards.markdown.deadline import DeadlineError, deadline
from ptcards.markdown.lexing import quicken

USUAL = ("bash", "css", "diff", "docker", "go", "html", "java", "javascript", "json", "kotlin", "lua", "make", "python", "r",
    "ruby", "rust", "scala", "sql", "swift", "tex", "toml", "typescript", "xml")  # fmt: skip

PIECES = (
    'def f(x: int = 0x1F, *args) -> str:\n    """Doc."""\n    return f"{x!r:>{10}} {args[0]:.2f}\\n"\n', "class A(B): pass\n",
    "@property\n", "async for x in y: await z\n", "lambda: None\n", "raise ValueError('a') from e\n", "import torch.nn as nn\n",
    'for n in "${files[@]}"; do echo $(ls | wc -l) > $HOME/x; done\n', "cat <<EOF\n a $b\nEOF\n", "if [ -z $1 ]; then\n",
    "SELECT a.b, count(*) FROM t WHERE c = 'it''s' -- no\n", "const f = async (x) => `a ${x ?? 1} b`;\n", "/re[/]x/gi.test(s)\n",
    "<div class='a' id=b>&amp;<!-- c --></div>\n", "<?xml version='1.0'?>\n", "p > a:hover { color: #fff; margin: 0 auto }\n",
    "fn main() -> Result<(), Box<dyn E>> { let x: &'a str = r#\"q\"#; }\n", "func (t *T) Do(m map[string]int) error {\n",
    "public static void main(String[] a) throws E { int x = 1_000L; }\n", '{"a": [1, -2.5e3, true, null]}\n', "a: &x [b, c]\n",
    "[table]\nkey = 2026-01-01\n", "#include <vector>\n#define X(a) a##b\n", "template <typename T> T x = nullptr;\n",
    "\\begin{a} $x_1^2$ % c\n", "FROM python:3.11\nRUN pip install x\n", "all: a.o\n\t$(CC) -o $@\n", "+ added\n- gone\n@@ -1 +1 @@\n",
    "# comment\n", "// comment\n", "/* long\ncomment */", "\n", "\n\n", " ", "    ", "\t", '"', "'", '"""', "`", "(", ")", "{", "}", "[",
    "]", "<", ">", "é", "→", "名", "\u212a", "ſ", "\x85", "1", "0b101", "3.14e-7j", "x", "_", "A", "$", "@", "%", "\\", ";", ":", "::",
    "->", "=", "==", "if", "end", "self", "None", "...", "?", "!", "~", "|", "&&", "^", "#",
)  # fmt: skip


def regex_lexers() -> list[str]:
    """Return a name for each of Pygments' lexers that could be faster."""
    names = (aliases[0] for _, aliases, _, _ in get_all_lexers() if aliases)
    return [name for name in names if isinstance(get_lexer_by_name(name), RegexLexer)]


def lexer(name: str) -> Lexer:
    return get_lexer_by_name(name, stripnl=False)


def tokens(one: Lexer, text: str) -> list[tuple[object, str]] | None:
    """Return all non-empty tokens, or `None` if it takes too long (more often with Pygments' own lexer)."""
    try:
        with deadline(1):
            return [(kind, part) for kind, part in islice(one.get_tokens(text), 100_000) if part]
    except DeadlineError:
        return None


def assert_same_tokens(name: str, texts: int, source: random.Random) -> None:
    own, quick = lexer(name), quicken(lexer(name), often=source.choice((0, 3, 20)))
    for _ in range(texts):
        text = "".join(source.choice(PIECES) for _ in range(source.randint(1, 30)))
        expected = tokens(own, text)
        assert expected is None or tokens(quick, text) == expected, (name, text)


@pytest.mark.parametrize("name", USUAL)
def test_a_faster_lexer_gives_the_same_tokens(name: str) -> None:
    assert_same_tokens(name, 12, random.Random(2026))


@pytest.mark.slow
def test_all_faster_lexers_give_the_same_tokens() -> None:
    source = random.Random(2026)
    for name in regex_lexers():
        assert_same_tokens(name, 3, source)


def test_lexers_with_a_loop_of_their_own_are_left_alone() -> None:
    for name in ("cpp", "yaml", "pycon"):
        assert "get_tokens_unprocessed" not in vars(quicken(lexer(name)))
    assert "get_tokens_unprocessed" in vars(quicken(lexer("python")))


def test_code_has_its_colours_without_what_python_keeps_to_itself() -> None:
    program = (
        "import re, sys\n"
        "del re._parser\n"
        "sys.modules['re._parser'] = None\n"
        "from ptcards.markdown.code import quicken\n"
        "from pygments.lexers import get_lexer_by_name\n"
        "print('ptcards.markdown.lexing' in sys.modules, vars(quicken(get_lexer_by_name('python'))).keys() & {'get_tokens_unprocessed'})"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("False set()\n", "")
