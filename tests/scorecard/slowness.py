"""Rows 3 and 8: inputs that make careless converters and highlighters slow."""

import time
from collections.abc import Callable
from pathlib import Path

from pygments.lexers import get_all_lexers

from gfm.hostile import HOSTILE
from handmade import a_note
from parsed import parse
from ptcards.anki.fields import render
from ptcards.diagnostics import Diagnostic, has_errors
from ptcards.source.collection import Collection
from ptcards.source.config import Config
from ptcards.source.content import MAX_FIELD_BYTES
from ptcards.source.source import Source
from scorecard.row import Effort, Measurement, Result, Row

SECONDS = 2.0

Make = Callable[[int], str]


def _of(unit: str, before: str = "", after: str = "") -> Make:
    return lambda length: before + unit * (length // len(unit)) + after


_NOTE = "## Why?\n\n"
SOURCES: dict[str, Make] = {
    "questions": _of("## a\n\nb\n\n"),
    "questions without answers": _of("## a\n"),
    "sections": _of("### Details\n\na\n\n", _NOTE),
    "decks": _of("# a\n\n"),
    "card comments": _of("<!-- card: id=a -->\n", _NOTE),
    "open card comments": _of("<!-- card: ", _NOTE),
    "settings of a card": _of("tags=a ", "## Why?\n<!-- card: ", " -->\n\nSo."),
    "options": _of("- [ ] a\n", _NOTE, "- [x] b\n"),
    "nested options": lambda length: _NOTE + "".join("  " * n + "- [x] a\n" for n in range(int(length**0.5))),
    "lines of front matter": _of("a: b\n", "---\n", "---\n\n## Why?\n\nSo."),
    "nested front matter": _of("[", "---\ntags: ", "\n---\n\n## Why?\n\nSo."),
    "aliases in front matter": lambda length: (
        "---\na0: &a0 [x,x]\n"
        + "".join(f"a{n}: &a{n} [*a{n - 1},*a{n - 1}]\n" for n in range(1, length // 24))
        + "---\n"
    ),
    "open front matter": _of("---\n\n"),
    "long question": _of("a ", "## ", "\n\nSo."),
    "odd question": _of("[*a_`", "## ", "\n\nSo."),
    "deletions of one cloze": _of("{{c1::a}} ", "## Why?\n<!-- card: kind=cloze -->\n\n"),
    "carriage returns": _of("\r", _NOTE),
    "byte order marks": _of("\ufeff", _NOTE),
    "combining marks": _of("\u0301", _NOTE + "e"),
    "typed answer": _of("`a", "## Why?\n<!-- card: kind=typed -->\n\n"),
}


def _pathological(effort: Effort) -> tuple[Result, ...]:
    """Parse and render each class, as an answer or as a complete source, just below the limit of a field."""
    size = MAX_FIELD_BYTES - 100
    makers = {name: _of_answer(make) for name, make in HOSTILE.items()} | SOURCES
    if not effort.long:  # the slow tests cover all classes of answers
        drawn = effort.random("hostile").sample(sorted(HOSTILE), 15)
        makers = {name: make for name, make in makers.items() if name in SOURCES or name in drawn}
    slow: list[str] = []
    refused = 0
    worst = (0.0, "")
    for name, make in makers.items():
        text = make(size)
        begun = time.process_time()
        count, diagnostics = _through(text, effort.folder)
        # A file of thousands of notes is not a trick, and may take longer.
        seconds = (time.process_time() - begun) / max(1, count / 1000)
        worst = max(worst, (seconds, name))
        refused += has_errors(diagnostics)
        if seconds > SECONDS and not has_errors(diagnostics):
            slow.append(f"{name}: {seconds:.1f} s")
        elif seconds > 2 * SECONDS:
            slow.append(f"{name}: refused, but after {seconds:.1f} s")
    done = len(makers) - len(slow)
    figure = f"{done} of {len(makers)}, {refused} of them refused; slowest {worst[0]:.1f} s ({worst[1]})"
    return (Result(figure, not slow, tuple(slow)),)


def _of_answer(make: Make) -> Make:
    return lambda length: _NOTE + make(length)


def _through(text: str, folder: Path) -> tuple[int, list[Diagnostic]]:
    """Parse a source and render its notes; return their number and their problems."""
    source = Source(folder / "a.md", "a.md", "a.md", text.replace("\r\n", "\n").replace("\r", "\n"))
    collection = Collection(
        folder, Config(name="A", id="a"), configured=True, sources=(source,), selected=None, selection=()
    )
    notes, _, diagnostics = parse(collection)
    for note in notes:
        diagnostics += render(note)[1]
    return len(notes), diagnostics


PATTERNS: dict[str, str] = {
    "letters": "a", "words": "a ", "lines": "a\n", "spaces": " ", "blank lines": "\n ", "tabs": "\t", "newlines": "\n",
    "parentheses": "(", "brackets": "[", "braces": "{", "angles": "<", "pairs": "()", "closing": ")}]>", "quotes": '"',
    "apostrophes": "'", "backticks": "`", "backslashes": "\\", "escapes": '"\\', "slashes": "/", "comments": "/*",
    "hashes": "#", "dollars": "$", "at": "@", "percents": "%", "stars": "*", "dashes": "-", "colons": ":", "equals": "=",
    "numbers": "1", "statements": "if x = f(1) then\n", "tags": "<a b='c'>", "heredocs": "<<A\n", "keys": "a: ",
}  # fmt: skip


def _highlighting(effort: Effort) -> tuple[Result, ...]:
    """Render a fence of each language with each pattern repeated.

    The deadline must interrupt those that do not end.
    """
    languages = sorted(aliases[0] for _, aliases, _, _ in get_all_lexers() if aliases)
    pairs = [(language, name) for language in languages for name in PATTERNS]
    total = len(pairs)
    if not effort.long:
        pairs = effort.random("lexers").sample(pairs, 200)
    slow: list[str] = []
    cut = 0
    worst = (0.0, "")
    for language, name in pairs:
        code = PATTERNS[name] * (4096 // len(PATTERNS[name]))
        note = a_note("Why?", f"~~~~~~{language}\n{code}\n~~~~~~")
        begun = time.process_time()
        fields, diagnostics = render(note)
        seconds = time.process_time() - begun
        worst = max(worst, (seconds, f"{language}, {name}"))
        cut += bool(diagnostics)
        if seconds > SECONDS or not any(fields):
            slow.append(f"{language}, {name}: {seconds:.1f} s")
    figure = (
        f"{len(slow)} of {len(pairs):,}{'' if effort.long else f' drawn from {total:,}'} ({len(languages)} lexers); {cut} stopped and "
        f"shown plain; slowest {worst[0]:.1f} s ({worst[1]})"
    )
    return (Result(figure, not slow, tuple(slow)),)


MEASUREMENTS = (
    Measurement(
        (
            Row(
                3,
                "kinds of hostile Markdown (64 KB) that take at most 2 s per thousand notes, or are refused with a location",
                "all of 90",
            ),
        ),
        _pathological,
    ),
    Measurement(
        (Row(8, "hostile code (4 KB) in each Pygments lexer that takes over 2 s or is not shown", "0"),),
        _highlighting,
    ),
)
