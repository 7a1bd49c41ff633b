"""Dialects: each reader turns a source's text into the parts of its notes. All later steps are shared.

The core only reads ptcards' own format; an extension has the others in `DIALECTS` of its module `formats`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any

from ptcards.diagnostics.keys import Key, KeyProblem, read_key
from ptcards.diagnostics.suggest import one_of, slip_of, suggest
from ptcards.extensions import modules

OWN = "headings"
"""The name of ptcards' own format."""
NOTHING = "none"
"""The name of the dialect for files without notes."""

VAULT = ".obsidian"
"""The folder that marks a vault and contains the settings of its plugins."""
GITHUB_INLINES = "github"
"""How inline Markdown is written in our own format, unless with the marks of another dialect."""

Options = tuple[tuple[str, Any], ...]
"""The settings of a dialect, sorted by name. Values are hashable: tables and lists are stored as tuples."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """A dialect: its reader, its settings, and where its plugin stores them.

    `reader` names the module with `read`, which is only imported when a source needs it. If its
    inline marks may be used in our own format, `inlines` names the module with `rewrite_page`.

    `needed` is the option without a default. In the dialect's name on the command line, `first_option` may
    follow, and then `second_option`, a number; `shapes` lists what may follow if that is needed. `plugin` is
    the path of the plugin's settings in a vault; `of_plugin` reads them, and `unsupported` yields the rule,
    message and fix for each of them that does not count.
    """

    reader: str = ""
    inlines: str = ""
    options: Mapping[str, Key] = field(default_factory=dict)
    needed: str = ""
    first_option: str = ""
    second_option: str = ""
    shapes: tuple[str, ...] = ()
    plugin: str = ""
    of_plugin: Callable[[Mapping[str, Any], str], Mapping[str, object]] = lambda _data, _vault: {}
    unsupported: Callable[[Mapping[str, Any]], Iterator[tuple[str, str, str]]] = lambda _data: iter(())

    def wrong_option(self, name: str, value: object) -> KeyProblem | None:
        """Return what is wrong with an option or its value, or `None` if it is valid."""
        _, problem = read_key(self.options, name, value, noun="option")
        return problem._replace(rule="dialect-option") if problem else None

    def written(self, text: str) -> dict[str, object]:
        """Return the options that follow the dialect's name: `heading:2` sets `question` and `level`."""
        first, _, second = text.partition(":")
        level: object = int(second) if second.isascii() and second.isdecimal() else second
        return {self.first_option: first, **({self.second_option: level} if second else {})} if text else {}

    def missing(self, options: Mapping[str, object]) -> KeyProblem | None:
        """Return what to report if the option without a default is missing, otherwise `None`."""
        if not self.needed or self.needed in options:
            return None
        fix = f"add `{self.needed}`: {self.options[self.needed].wanted}"
        return KeyProblem("dialect-option", f"this dialect needs `{self.needed}`", fix)


@cache
def all_dialects() -> Mapping[str, Dialect]:
    """Return all dialects but our own by name."""
    return MappingProxyType({name: each for one in modules("formats") for name, each in one.DIALECTS.items()})


def is_dialect(name: str) -> bool:
    """Whether there is such a dialect, our own included."""
    return name in (OWN, NOTHING, *all_dialects())


def merged(options: Options, over: Mapping[str, object]) -> Options:
    """Return options with others overriding them; tables are merged key by key."""
    found = dict(options)
    for name, value in over.items():
        before = found.get(name)
        is_table = isinstance(value, Mapping) and isinstance(before, tuple)
        found[name] = (
            merged(before, value) if is_table and before and isinstance(value, Mapping) else _frozen(value)
        )
    return tuple(sorted(found.items()))


def in_a_word() -> tuple[str, ...]:
    """Return all dialects as they are named in one word, on the command line and in front matter."""
    return tuple(
        f"{name}:{shape}" if shape else name
        for name, dialect in all_dialects().items()
        for shape in dialect.shapes or ("",)
    )


def spellings() -> str:
    """Return the names of all dialects on the command line, as a phrase."""
    *names, last = in_a_word() or (OWN,)
    return f"{', '.join(names)} or {last}" if names else last


def settings_for(dialect: str) -> str:
    """Return the settings that select a dialect, named as on the command line, in backticks."""
    name, _, options = dialect.partition(":")
    return ", ".join(f"`{line}`" for line in _lines(name, options))


def _lines(name: str, options: str) -> Iterator[str]:
    yield f'dialect = "{name}"'
    import json  # noqa: PLC0415 - 1 ms, and rarely needed

    for key, value in all_dialects()[name].written(options).items() if options else ():
        yield f"{key} = {json.dumps(value)}"


def dialect_lines(dialect: str) -> str:
    """Return the lines of `deck.toml` that select a dialect for all files, or an empty string for ours."""
    name, _, options = dialect.partition(":")
    lines = "".join(f"{line}\n" for line in _lines(name, options)) if name else ""
    return f'\n[[dialects]]\nfiles = ["**"]\n{lines}' if options else lines


def _frozen(value: object) -> Any:
    if isinstance(value, Mapping):
        return tuple(sorted((str(key), _frozen(each)) for key, each in value.items()))
    if isinstance(value, list | tuple):
        return tuple(map(_frozen, value))
    return value


def wrong_dialect(written: str, *, needs: bool = True) -> KeyProblem | None:
    """Return what is wrong with a dialect and its options, or `None` if it is valid."""
    name, _, option = written.partition(":")
    if name in (OWN, NOTHING):
        return None
    about = all_dialects().get(name)
    if about is None:
        return _unknown_dialect(name, (OWN, *all_dialects(), NOTHING))
    for key, value in about.written(option).items():
        if wrong := about.wrong_option(key, value):
            return wrong
    if option:
        return None
    return about.missing({}) if needs else None


def wrong_in_a_word(written: str) -> KeyProblem | None:
    """Return what is wrong with a dialect in one word, such as `details:bold`, or `None` if it is valid."""
    problem = wrong_dialect(written)
    if not problem:
        return None
    name, _, option = written.partition(":")
    about = all_dialects().get(name)
    if about is None:
        return _unknown_dialect(name, in_a_word())
    if not about.first_option:
        return problem._replace(message=f"`{name}` has no options here", fix=f"write `{name}`")
    if not about.shapes:
        return problem._replace(fix=f"write one of them after `{name}:`")
    words = [each for each in in_a_word() if each.startswith(name)]
    if not option:
        return problem._replace(message=f"`{name}` must say what a question is", fix=one_of("", words))
    return problem._replace(fix=one_of(written, words))


def _unknown_dialect(name: str, listed: Iterable[str]) -> KeyProblem:
    known = (OWN, *all_dialects(), NOTHING)
    # A name such as `qb` is too short to be similar.
    near = slip_of(name, known) or suggest(name, known)
    fix = f"did you mean `{near}`?" if near else one_of("", listed)
    if not all_dialects():
        fix = "the extension of ptcards that reads other formats is not installed"
    return KeyProblem("unknown-dialect", f"unknown dialect `{name}`", fix)
