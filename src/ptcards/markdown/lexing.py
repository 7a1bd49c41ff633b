"""Makes Pygments' lexers several times faster by trying only rules that can match the next character.

Pygments tries all rules of a state one after the other (over fifty for Python), which takes nearly all its
time. The parsed expression of a rule shows which characters its matches can begin with; if that is unknown,
all characters count. A test compares the tokens with Pygments' own for all lexers. Remove this module when
Pygments does something similar (https://github.com/pygments/pygments/pull/3262).
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from re import _constants as op  # type: ignore[attr-defined] # the only way to parse an expression; a test guards it
from re import _parser  # type: ignore[attr-defined] # as above
from typing import Any

from pygments.lexer import Lexer, RegexLexer
from pygments.token import Error, Whitespace, _TokenType

Tokens = Iterator[tuple[int, _TokenType, str]]
_Rule = tuple[Callable[[str, int], re.Match[str] | None], Any, Any]
"""An entry of a state in Pygments' `_tokens`: how to match, what to yield, and the next state."""

_ASCII = frozenset(map(chr, range(128)))
_CATEGORIES = {
    op.CATEGORY_DIGIT: r"\d",
    op.CATEGORY_NOT_DIGIT: r"\D",
    op.CATEGORY_SPACE: r"\s",
    op.CATEGORY_NOT_SPACE: r"\S",
    op.CATEGORY_WORD: r"\w",
    op.CATEGORY_NOT_WORD: r"\W",
}
_EMPTY = (op.AT, op.ASSERT, op.ASSERT_NOT)
_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)


OFTEN = 2000
"""How many times a state occurs before its rules are sorted; sorting takes about as long as 3,000 trials
(measured)."""


def quicken(lexer: Lexer, *, often: int = OFTEN) -> Lexer:
    """Return the lexer, made faster if it works like `RegexLexer`.

    `often` is how many times a state must occur before its rules are sorted.
    """
    if isinstance(lexer, RegexLexer) and (
        type(lexer).get_tokens_unprocessed is RegexLexer.get_tokens_unprocessed
    ):
        # This changes only this lexer.
        lexer.get_tokens_unprocessed = _Rules(lexer, often).tokens  # type: ignore[method-assign]
    return lexer


class _Rules:
    """The rules of a lexer, by state and by the next character."""

    def __init__(self, lexer: RegexLexer, often: int) -> None:
        self._lexer = lexer
        self._often = often
        self._met: Counter[str] = Counter()
        self._states: dict[str, list[_Rule]] = lexer._tokens  # type: ignore[attr-defined] # noqa: SLF001 - compiled rules
        self._firsts: dict[str, list[frozenset[str]]] = {}
        self._by_character: dict[str, dict[str, Sequence[_Rule]]] = {state: {} for state in self._states}

    def _rules(self, state: str, character: str) -> Sequence[_Rule]:
        """Return the rules of a state that can match at a character."""
        rules = self._states[state]
        self._met[state] += 1
        if character not in _ASCII or self._met[state] < self._often:
            return rules
        if state not in self._firsts:
            self._firsts[state] = [_first_characters(rule[0]) for rule in rules]
        fit = [rule for rule, first in zip(rules, self._firsts[state], strict=True) if character in first]
        self._by_character[state][character] = fit
        return fit

    def tokens(self, text: str, stack: Iterable[str] = ("root",)) -> Tokens:
        """Yield each token of a text with its offset and kind."""
        at, end = 0, len(text)
        stack = list(stack)
        known = self._by_character[stack[-1]]
        while at < end:
            character = text[at]
            for match_at, action, change in known.get(character) or self._rules(stack[-1], character):
                if (match := match_at(text, at)) is None:
                    continue
                if type(action) is _TokenType:
                    yield at, action, match[0]
                elif action is not None:
                    yield from action(self._lexer, match)
                at = match.end()
                if change is not None:
                    _go(stack, change)
                    known = self._by_character[stack[-1]]
                break
            else:
                if character == "\n":
                    stack = ["root"]
                    known = self._by_character["root"]
                yield at, Whitespace if character == "\n" else Error, character
                at += 1


def _go(stack: list[str], change: int | str | tuple[str, ...]) -> None:
    """Change the stack of states, but always keep the bottom one."""
    if isinstance(change, int):
        del stack[max(len(stack) + change, 1) :]
        return
    for step in (change,) if isinstance(change, str) else change:
        if step == "#pop":
            del stack[max(len(stack) - 1, 1) :]
        else:
            stack.append(stack[-1] if step == "#push" else step)


def _first_characters(match_at: Callable[[str, int], re.Match[str] | None]) -> frozenset[str]:
    """Return the ASCII characters at which a rule can match, and perhaps some more."""
    pattern = getattr(match_at, "__self__", None)
    if not isinstance(pattern, re.Pattern):
        return _ASCII
    found, maybe_empty = _first(_parser.parse(pattern.pattern, pattern.flags), pattern.flags)
    return _ASCII if maybe_empty else found


def _first(expression: Any, flags: int) -> tuple[frozenset[str], bool]:
    """Return the ASCII characters that an expression's match can begin with, and whether it can be empty."""
    found: frozenset[str] = frozenset()
    for code, value in expression:
        if code in _EMPTY:
            continue
        one, maybe_empty = _first_of(code, value, flags)
        found |= one
        if not maybe_empty:
            return found, False
    return found, True


def _first_of(code: Any, value: Any, flags: int) -> tuple[frozenset[str], bool]:
    if code is op.SUBPATTERN:
        _, added, removed, inner = value
        return _first(inner, flags) if not added and not removed else (_ASCII, True)
    if code is op.ATOMIC_GROUP:
        return _first(value, flags)
    if code in _REPEATS:
        least, _, inner = value
        found, maybe_empty = _first(inner, flags)
        return found, maybe_empty or not least
    if code is op.BRANCH:
        branches = [_first(branch, flags) for branch in value[1]]
        return frozenset().union(*(found for found, _ in branches)), any(empty for _, empty in branches)
    if code is op.LITERAL:
        return _class([(code, value)], flags), False
    if code is op.NOT_LITERAL:
        return _class([(op.NEGATE, None), (op.LITERAL, value)], flags), False
    if code is op.IN:
        return _class(value, flags), False
    return _ASCII, code is not op.ANY


def _class(members: Sequence[tuple[Any, Any]], flags: int) -> frozenset[str]:
    """Return the ASCII characters in a character class."""
    found: set[str] = set()
    for code, value in members:
        if code is op.CATEGORY:
            found.update(filter(re.compile(_CATEGORIES[value], flags & re.ASCII).match, _ASCII))
        elif code is not op.NEGATE:
            low, high = value if code is op.RANGE else (value, value)
            if flags & re.IGNORECASE and high > 127:
                # Some non-ASCII letters have ASCII letters as their other case.
                return _ASCII
            found.update(map(chr, range(low, min(high, 127) + 1)))
    if flags & re.IGNORECASE:
        found |= {other for each in found for other in (each.lower(), each.upper())}
    return _ASCII - found if members[0][0] is op.NEGATE else frozenset(found)
