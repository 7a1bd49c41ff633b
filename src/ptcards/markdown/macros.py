r"""Expands the macros in formulas that authors define, so that fields contain plain TeX.

As in TeX, the expansion of a macro is read again together with what follows it, and its arguments may contain
deletions. If an expansion is the argument of a command or a script, it is put in braces: `\frac\RR2` becomes
`\frac{\mathbb{R}}2`.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import NamedTuple, NoReturn

from ptcards.markdown.deletions import find_marks
from ptcards.markdown.tex_commands import COMMENT, tex_commands
from ptcards.notes import Macro

MAX_EXPANSION = 10_000
"""The maximum number of characters that expansions add to a formula, with the arguments that they repeat."""

_TOKEN = re.compile(rf"\\(?:[A-Za-z]+|.|\Z)|{COMMENT}|\s+|.", re.DOTALL)
_BODY_TOKEN = re.compile(r"\\(?:[A-Za-z]+|.|\Z)|#[1-9]|\s+|.", re.DOTALL)
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_MATHS = frozenset("mast")
"""The letters of arguments that may be in braces: formulas and text."""
_OPTIONAL = "*oO?"


class TexToken(NamedTuple):
    """A token of a formula, or an edge of a deletion in it.

    `start` and `end` are the offsets of what it comes from in the formula as written: itself, or the use of
    the `macro` in whose expansion it is. `begins` is the number of the deletion that it begins; if it `ends`
    one, it has the deletion's hint.
    """

    text: str
    start: int
    end: int
    macro: str = ""
    begins: int = 0
    ends: bool = False
    hint: str = ""


class MacroMistake(NamedTuple):
    """Why a formula cannot be expanded: offsets in the formula as written, the message, and the macro."""

    start: int
    end: int
    message: str
    macro: Macro


# It has no slots, because `cached_property` caches what only some callers need.
class Expansion:
    """A formula with its macros expanded; with a `mistake`, it is as written.

    `used` are the macros that were expanded, and `cost` is the number of characters that they added.
    """

    def __init__(
        self, tokens: Sequence[TexToken], used: Sequence[Macro], cost: int, mistake: MacroMistake | None
    ) -> None:
        self.tokens, self.used, self.cost, self.mistake = tokens, used, cost, mistake

    @cached_property
    def tex(self) -> str:
        """The TeX, with deletions as an author writes them."""
        return "".join([token.text for token in self.tokens])

    @cached_property
    def without_deletions(self) -> str:
        """The TeX, as long as `tex`, with spaces instead of the edges of deletions and their hints."""
        return "".join(
            [" " * len(token.text) if token.begins or token.ends else token.text for token in self.tokens]
        )

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(len(token.text) for token in self.tokens)]

    def origin(self, offset: int) -> TexToken:
        """Return the token at an offset of `tex`, which must not be empty."""
        return self.tokens[self._place(offset)]

    def offset_as_written(self, offset: int) -> int:
        """Return the offset in the formula as written of an offset of `tex` that no macro made."""
        place = self._place(offset)
        return self.tokens[place].start + offset - self._starts[place]

    def _place(self, offset: int) -> int:
        return min(bisect_right(self._starts, offset) - 1, len(self.tokens) - 1)


def uses_macros(tex: str, macros: Mapping[str, Macro]) -> bool:
    """Whether a formula contains a macro."""
    return any(name in macros for name in _COMMAND.findall(tex))


def expand(tex: str, macros: Mapping[str, Macro], *, deletions: bool, most: int = MAX_EXPANSION) -> Expansion:
    """Return a formula with its macros expanded; `deletions` is whether `{{c1::…}}` is a deletion in it.

    It takes time in proportion to the length of the formula and `most`, the maximum cost.
    """
    tokens = _tokens_of(tex, deletions=deletions)
    expander = _Expander(tokens, macros, most)
    try:
        expander.run()
    except _StopError as stop:
        return Expansion(tokens, (), most - max(0, expander.room), stop.mistake)
    return Expansion(expander.done, tuple(expander.used.values()), most - expander.room, None)


def _tokens_of(tex: str, *, deletions: bool) -> list[TexToken]:
    tokens: list[TexToken] = []
    at = 0
    for mark in find_marks(tex, hints=True)[0] if deletions else ():
        tokens += _plain_tokens(tex, at, mark.start)
        tokens.append(TexToken(tex[mark.start : mark.inner], mark.start, mark.inner, begins=mark.number))
        tokens += _plain_tokens(tex, mark.inner, mark.inner_end)
        edge = tex[mark.inner_end : mark.end]
        tokens.append(TexToken(edge, mark.inner_end, mark.end, ends=True, hint=mark.hint))
        at = mark.end
    return [*tokens, *_plain_tokens(tex, at, len(tex))]


def _plain_tokens(tex: str, start: int, end: int) -> Iterator[TexToken]:
    for found in _TOKEN.finditer(tex, start, end):
        yield TexToken(found[0], found.start(), found.end())


@lru_cache(maxsize=512)
def _body_tokens(body: str) -> tuple[str, ...]:
    return tuple(_BODY_TOKEN.findall(body))


class _StopError(Exception):
    """Ends an expansion at its first mistake."""

    def __init__(self, mistake: MacroMistake) -> None:
        super().__init__(mistake.message)
        self.mistake = mistake


class _Expander:
    """Expands one formula; `waiting` are the tokens to read, the next one last."""

    def __init__(self, tokens: Sequence[TexToken], macros: Mapping[str, Macro], room: int) -> None:
        self.waiting = list(reversed(tokens))
        self.macros = macros
        self.room = room
        self.used: dict[str, Macro] = {}
        self.done: list[TexToken] = []
        self.wanted = ""
        """the letters of the arguments that the last command still lacks, as in `tex.json`"""
        self.outer: list[tuple[str, str]] = []
        """the brackets around the current token, each with what is wanted after it"""
        self.deletion = 0
        """the number of the deletion around the current token"""
        self.last: tuple[TexToken, Macro]
        """the macro that was expanded last, and its token"""

    def run(self) -> None:
        while self.waiting:
            token = self.waiting.pop()
            macro = self.macros.get(token.text[1:]) if token.text[0] == "\\" else None
            if macro:
                self.expand(token, macro)
            else:
                self.add(token)
        if self.deletion:
            self.refuse_crossing()

    def refuse_crossing(self) -> NoReturn:
        """Report an argument, repeated or left out by a macro, that contains one edge of a deletion."""
        use, macro = self.last
        self.stop(use, f"a deletion crosses the edge of an argument of `\\{macro.name}`", macro)

    def add(self, token: TexToken) -> None:
        """Add a token to the result, and note which arguments follow it."""
        text = token.text
        if token.begins or token.ends:
            self.add_edge(token)
            return
        if self.done and _must_be_apart(self.done, text):
            self.done.append(TexToken(" ", token.start, token.end, token.macro))
        self.done.append(token)
        if text.isspace() or text[0] == "%":
            return
        letter = self.take(text)
        match text[0]:
            case "{" | "[" if text == "{" or (letter and letter in _OPTIONAL):
                self.outer.append((text, self.wanted))
                self.wanted = ""
            case "}":
                while self.outer and self.outer[-1][0] == "[":
                    self.outer.pop()
                self.wanted = self.outer.pop()[1] if self.outer else ""
            case "]" if self.outer and self.outer[-1][0] == "[":
                self.wanted = self.outer.pop()[1]
            case "^" | "_":
                self.wanted = "m"
            case "\\" if not letter:
                self.begin_command(token)

    def begin_command(self, token: TexToken) -> None:
        r"""Note which arguments follow a command; the text of `\verb` is added as it is."""
        signature = tex_commands().commands.get(token.text[1:])
        self.wanted = signature.arguments if signature else ""
        if token.text != r"\verb" or not self.waiting or self.waiting[-1].begins or self.waiting[-1].ends:
            return
        mark = self.waiting[-1].text[0]
        self.done.append(self.waiting.pop())
        while self.waiting and not (self.waiting[-1].begins or self.waiting[-1].ends):
            self.done.append(self.waiting.pop())
            if self.done[-1].text.endswith(mark):
                return

    def take(self, text: str) -> str:
        """Return the letter of the argument that a token is or begins, or an empty string."""
        if text in ("*", "[") and self.wanted:
            optional = "*" if text == "*" else "oO"
            skipped = self.wanted if text == "*" else self.wanted.lstrip("*")
            if skipped[:1] and skipped[0] in optional:
                self.wanted = skipped[1:]
                return skipped[0]
        letters = self.wanted.lstrip(_OPTIONAL)
        self.wanted = letters[1:]
        return letters[:1]

    def add_edge(self, token: TexToken) -> None:
        """Add an edge of a deletion; in its hint, macros are expanded too."""
        if bool(self.deletion) is bool(token.begins):
            self.refuse_crossing()
        self.deletion = token.begins
        if "\\" in token.hint:
            tokens = [TexToken(text, token.start, token.end) for text in _TOKEN.findall(token.hint)]
            inner = _Expander(tokens, self.macros, self.room)
            inner.run()
            self.room, self.used = inner.room, self.used | inner.used
            hint = "".join(each.text for each in inner.done)
            token = token._replace(text=f"::{hint}}}}}", hint=hint)
        self.done.append(token)

    def expand(self, token: TexToken, macro: Macro) -> None:
        """Put the definition of a macro, with its arguments, in place of the macro."""
        if macro.problem:
            self.stop(token, f"`\\{macro.name}` cannot be used: {macro.problem}", macro)
        name = token.macro or macro.name
        arguments = [self.argument(token, macro, number) for number in range(1, macro.arguments + 1)]
        body: list[TexToken] = []
        for text in _body_tokens(macro.body):
            if text[0] == "#" and len(text) > 1:
                body += arguments[int(text[1]) - 1]
            else:
                body.append(TexToken(text, token.start, token.end, name))
        letter = self.wanted.lstrip(_OPTIONAL)[:1]
        if letter in _MATHS and sum(not each.text.isspace() for each in body) != 1:
            brace = TexToken("{", token.start, token.end, name)
            body = [brace, *body, brace._replace(text="}")]
        self.room -= sum(len(each.text) for each in body)
        if self.room < 0:
            message = f"`\\{name}` expands to more than {MAX_EXPANSION // 1000} kB"
            self.stop(token, message, self.macros.get(name, macro))
        self.used[macro.name] = macro
        self.last = token, macro
        self.waiting += reversed(body)

    def argument(self, use: TexToken, macro: Macro, number: int) -> list[TexToken]:
        """Read an argument of a macro: a group without its braces, a deletion, or one token."""
        while self.waiting and (self.waiting[-1].text.isspace() or self.waiting[-1].text[0] == "%"):
            self.waiting.pop()
        following = self.waiting[-1] if self.waiting else TexToken("}", 0, 0)
        if number == 1 and macro.default is not None:
            if following.text != "[":
                return [
                    TexToken(text, use.start, use.end, use.macro or macro.name)
                    for text in _body_tokens(macro.default)
                ]
            return self.until("]", use, macro)
        if following.text in ("}", "&", r"\\") or following.ends:
            need = "1 argument" if macro.arguments == 1 else f"{macro.arguments} arguments"
            self.stop(use, f"`\\{macro.name}` needs {need}, but has {number - 1}", macro)
        if following.text == "{":
            return self.until("}", use, macro)
        read = [self.waiting.pop()]
        while following.begins and not read[-1].ends and self.waiting:
            read.append(self.waiting.pop())
        return read

    def until(self, closing: str, use: TexToken, macro: Macro) -> list[TexToken]:
        """Read what is between the next bracket and the one that closes it."""
        self.waiting.pop()
        read: list[TexToken] = []
        depth = 0
        while self.waiting:
            token = self.waiting.pop()
            if not depth and token.text == closing:
                return read
            depth += (token.text == "{") - (token.text == "}")
            read.append(token)
        return self.stop(use, f"an argument of `\\{macro.name}` has no end", macro)

    def stop(self, token: TexToken, message: str, macro: Macro) -> NoReturn:
        """Report a mistake at a token, which ends the expansion."""
        raise _StopError(MacroMistake(token.start, token.end, message, macro))


def _must_be_apart(done: Sequence[TexToken], text: str) -> bool:
    """Whether a space must be between the last token, a command, and a text that begins with a letter."""
    if not (text[0].isascii() and text[0].isalpha()):
        return False
    last = next((each.text for each in reversed(done) if not (each.begins or each.ends)), "")
    return last[0:1] == "\\" and last[-1].isascii() and last[-1].isalpha()
