"""Keys that a table of settings may have: how each is read, and what is wrong with others and their values.

The tables are `deck.toml`, the options of dialects, `notetype.json`, front matter and card comments.
"""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from ptcards.diagnostics.suggest import did_you_mean, one_of, suggest

_NOWHERE: Mapping[str, str] = MappingProxyType({})


class Key(NamedTuple):
    """A key: `read` returns its value, or `None` if it is invalid; `wanted` describes valid values in words.

    `example` is a valid value as an author writes it.
    """

    read: Callable[[Any], Any]
    wanted: str
    example: str = ""


class KeyProblem(NamedTuple):
    """What is wrong with a key: the rule, the message and the fix of a diagnostic."""

    rule: str
    message: str
    fix: str


def read_key(
    keys: Mapping[str, Key],
    key: str,
    value: object,
    *,
    noun: str = "key",
    where: str = "",
    others: Iterable[str] = (),
    elsewhere: Mapping[str, str] = _NOWHERE,
) -> tuple[Any, KeyProblem | None]:
    """Return the value of a key, and its problem, if any.

    `others` are further known keys, and `where` follows the name of an unknown one. `elsewhere` has the place
    of keys that do not belong here.
    """
    if key not in keys:
        return None, unknown_key(key, (*keys, *others), noun=noun, where=where, elsewhere=elsewhere)
    read, wanted, example = keys[key]
    if (valid := read(value)) is None:
        fix = f"write `{key} = {example}`" if example else f"write `{key}` as {wanted}"
        return None, KeyProblem("wrong-value", f"`{key}` must be {wanted}", fix)
    return valid, None


def unknown_key(
    key: str,
    known: Iterable[str],
    *,
    noun: str = "key",
    where: str = "",
    elsewhere: Mapping[str, str] = _NOWHERE,
) -> KeyProblem:
    """Return the problem of a key that is not `known`; `where` says in which table it is.

    `elsewhere` maps the keys of other tables to their place, such as "in `[verify]`".
    """
    known = tuple(known)
    fix = f"write `{key}` {elsewhere[key]}" if key in elsewhere else did_you_mean(key, known)
    if not fix and (near := suggest(key, elsewhere)):
        fix = f"did you mean `{near}`? Write it {elsewhere[near]}"
    return KeyProblem("unknown-key", f"unknown {noun} `{key}`{where}", fix or one_of(key, known))


def valid_if(check: Callable[[Any], bool]) -> Callable[[Any], Any]:
    """Return a reader that accepts the values for which `check` is true, and does not change them."""
    return lambda value: value if check(value) else None


def is_text(value: object) -> bool:
    """Whether a value is a text."""
    return isinstance(value, str)


def is_flag(value: object) -> bool:
    """Whether a value is true or false."""
    return isinstance(value, bool)


def is_one_of(*known: object) -> Callable[[object], bool]:
    """Return a check for some known values."""
    return lambda value: any(type(value) is type(each) and value == each for each in known)
