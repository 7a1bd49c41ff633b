"""The keys of `deck.toml`: how the value of each is read, and which values are valid."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ptcards.source.exclude import read_pattern
from ptcards.source.readers.registry import DIALECTS, GITHUB_INLINES, WIKI_INLINES

LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}")
"""Matches the BCP 47 language tags that decks need."""
_MOST_SECONDS = 60
"""The longest timeout that a deck may set, as the deck may be somebody else's; `--timeout` has no maximum."""
_REPORT = re.compile(r"https?://[^\s\"'<>{}]*\{guid\}[^\s\"'<>{}]*")
_PYTHON = re.compile(r"(?:python|pypy)(?:\d+(?:\.\d+)?)?(?:\.exe)?")
_MOST = 1_000_000_000
"""The largest number in `deck.toml`; Python refuses to print very long ones."""
MAX_ITEMS = 100
"""The maximum number of entries in a list or table, because each pattern is tried on each path."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """An entry of `[[dialects]]`: its files, their dialect, and the other settings of the entry."""

    files: tuple[str, ...] = ()
    dialect: str = ""
    options: Mapping[str, object] = field(default_factory=dict)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _texts(value: object) -> tuple[str, ...] | None:
    if isinstance(value, list) and len(value) <= MAX_ITEMS and all(isinstance(item, str) for item in value):
        return tuple(value)
    return None


def _seconds(value: object) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= _MOST_SECONDS:
        return float(value)
    return None


def _python(value: object) -> str | None:
    """Return the name or path of a Python interpreter; any other name could run an unrelated program."""
    if not isinstance(value, str) or not value.isprintable():
        return None
    return value if not value or "/" in value or _PYTHON.fullmatch(value) else None


def _one_of(*known: str) -> Callable[[object], str | None]:
    return lambda value: value if isinstance(value, str) and value in known else None


def _level(value: object) -> int | None:
    return value if type(value) is int and 2 <= value <= 6 else None


def _mark(value: object) -> str | None:
    return value if isinstance(value, str) and re.fullmatch(r"#[^\s#]{1,80}", value) else None


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _language(value: object) -> str | None:
    return value if isinstance(value, str) and LANGUAGE.fullmatch(value) else None


def _options(value: object) -> Mapping[str, object] | None:
    return dict(value) if isinstance(value, dict) and len(value) <= MAX_ITEMS else None


def _patterns(value: object) -> tuple[Pattern, ...] | None:
    """Return the entries of `[[dialects]]`; `check_dialects` checks their options."""
    if not isinstance(value, list) or len(value) > MAX_ITEMS:
        return None
    read = []
    for entry in value:
        files = _texts(entry.get("files")) if isinstance(entry, dict) else None
        if not isinstance(entry, dict) or not files or not isinstance(entry.get("dialect"), str):
            return None
        options = {key: each for key, each in entry.items() if key not in ("files", "dialect")}
        read.append(Pattern(files, entry["dialect"], options))
    return tuple(read)


def _report(value: object) -> str | None:
    return value if isinstance(value, str) and (not value or _REPORT.fullmatch(value)) else None


def _lists(value: object) -> Mapping[str, tuple[str, ...]] | None:
    """Return a table that maps path patterns to lists of strings."""
    if not isinstance(value, dict) or len(value) > MAX_ITEMS or not all(map(_is_pattern, value)):
        return None
    lists = {pattern: names for pattern, item in value.items() if (names := _texts(item)) is not None}
    return lists if len(lists) == len(value) else None


def _is_pattern(text: str) -> bool:
    try:
        read_pattern(text)
    except ValueError:
        return False
    return True


def _limits(value: object) -> Mapping[str, int] | None:
    if (
        isinstance(value, dict)
        and len(value) <= MAX_ITEMS
        and all(type(limit) is int and 0 < limit <= _MOST for limit in value.values())
    ):
        return dict(value)
    return None


Reader = tuple[Callable[[object], object], str, str]
_TEXT: Reader = (_text, "text in quotes", '"…"')
_TEXTS: Reader = (_texts, f"a list of at most {MAX_ITEMS} strings", '["…", "…"]')
TABLES = tuple(dialect for dialect, about in DIALECTS.items() if about.plugin)
# The keys by table ("" is the top level): how each is read, and which values it accepts, in words and as an
# example.
READERS: Mapping[str, Mapping[str, Reader]] = MappingProxyType(
    {
        "": {
            "name": _TEXT,
            "id": _TEXT,
            "description": _TEXT,
            "license": _TEXT,
            "tags": _TEXTS,
            "order": _TEXTS,
            "exclude": _TEXTS,
            "css": _TEXT,
            "include": _TEXTS,
            "inlines": (
                _one_of(GITHUB_INLINES, WIKI_INLINES),
                f'`"{GITHUB_INLINES}"` or `"{WIKI_INLINES}"`',
                f'"{WIKI_INLINES}"',
            ),
            "context": (_flag, "`true` or `false`", "true"),
            "language": (_language, "a language code", '"de"'),
            "cards": (_one_of("all", "marked"), '`"all"` or `"marked"`', '"marked"'),
            "mark": (_mark, "a tag", '"#card"'),
            "question-level": (_level, "a number from 2 to 6", "3"),
            "chapters": (_one_of("tags", "decks", "off"), '`"tags"`, `"decks"` or `"off"`', '"decks"'),
            "dialect": _TEXT,
            "type": _TEXT,
            **dict.fromkeys(TABLES, (_options, "a table", "{ … }")),
            "dialects": (
                _patterns,
                "tables with `files` and `dialect`",
                f'[{{ files = ["lists/**"], dialect = "{next(iter(DIALECTS))}" }}]',
            ),
            "report": (_report, "a web address with `{guid}` in it", '"https://…/issues/new?title={guid}"'),
        },
        "check": {
            "ignore": _TEXTS,
            "enable": _TEXTS,
            "per-file-ignores": (
                _lists,
                "a table of patterns with lists of rules",
                '{ "old/**" = ["relative-link"] }',
            ),
            "limits": (
                _limits,
                f"a table of at most {MAX_ITEMS} positive whole numbers",
                "{ code-columns = 72 }",
            ),
        },
        "verify": {
            "setup": _TEXT,
            "requires": _TEXTS,
            "timeout": (_seconds, "a number of seconds above 0 and at most 60", "30"),
            "python": (_python, "the name or path of a Python interpreter", '".venv/bin/python"'),
        },
    }
)


def known_keys() -> Mapping[str, tuple[str, ...]]:
    """Return the keys of `deck.toml` by table; the name of the top level is empty."""
    return {table: tuple(readers) for table, readers in READERS.items()}
