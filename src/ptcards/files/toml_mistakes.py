"""Explains what is wrong with a malformed TOML file in words that an author can act on.

Python's parser says where it stopped, and what it would have accepted there. Which mistake that was is seen
from the text around it, so the words do not depend on the version of Python.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from ptcards.files.toml_keys import HEADER, KEY, toml_names

_SEE = "see https://toml.io for the syntax"
_WORDS = {
    "True": "true",
    "False": "false",
    "yes": "true",
    "no": "false",
    "on": "true",
    "off": "false",
}
"""Values of other languages, and what TOML has for them."""
_NOTHING = ("None", "nil", "null")
_LONGEST = 40
"""The maximum length of a value that is repeated in a message."""

_OPEN_TEXT = re.compile(r'(?<!\\)(?:\\\\)*(?P<quote>")(?:[^"\\]|\\.)*\\?$')
_MERGE = re.compile(r"^(?:<{7}|={7}|>{7})(?: |$)", re.MULTILINE)
_BARE = re.compile(r"""[^\s#,\]}"'\[{=][^#,\]}"'\[{=]*""")
_COMMENT = re.compile(r"\s*(?:#|$)")


class TomlMistake(NamedTuple):
    """What is wrong, where (from 1) and for how many characters, and what to do."""

    line: int
    column: int
    length: int
    message: str
    help: str


@dataclass(frozen=True, slots=True)
class _Stop:
    """Where the parser stopped: what it said in lower case, the text, and the line around the place."""

    said: str
    text: str
    line: int
    column: int

    @property
    def whole(self) -> str:
        """The line."""
        return self.text.split("\n")[self.line - 1]

    @property
    def before(self) -> str:
        """The line up to the place."""
        return self.whole[: self.column - 1]

    @property
    def rest(self) -> str:
        """The line from the place on."""
        return self.whole[self.column - 1 :]

    @property
    def key(self) -> str:
        """The key of the line, or nothing."""
        found = KEY.match(self.whole)
        return found[1] if found else ""

    @property
    def ends_value(self) -> bool:
        """Whether a new line or the end of the file is where a value should go on."""
        is_next = KEY.match(self.whole) or HEADER.match(self.whole)
        return not self.rest.strip() or bool(not self.before.strip() and is_next)

    def here(self, message: str, help: str, length: int = 1) -> TomlMistake:  # noqa: A002 - the word that authors see
        """Return a mistake at the place."""
        return TomlMistake(self.line, self.column, length, message, help)

    def at(self, offset: int, message: str, help: str, length: int = 0) -> TomlMistake:  # noqa: A002 - as above
        """Return a mistake at an offset in the text, up to the end of the line if it has no length."""
        line = self.text.count("\n", 0, offset)
        column = offset - self.text.rfind("\n", 0, offset)
        rest = self.text[offset:].partition("\n")[0]
        return TomlMistake(line + 1, column, length or max(1, len(rest.rstrip())), message, help)

    @property
    def offset(self) -> int:
        """The offset of the place in the text."""
        return sum(len(line) + 1 for line in self.text.split("\n")[: self.line - 1]) + self.column - 1


def toml_mistake(text: str, said: str, line: int, column: int) -> TomlMistake:
    """Return the mistake at which the parser stopped, where it said this."""
    stop = _Stop(said.lower(), text.replace("\r\n", "\n"), line, column)
    for explain in _EXPLANATIONS:
        if found := explain(stop):
            return found
    return stop.here(f"not TOML: {said[:1].lower()}{said[1:]}", _SEE)


def _merge(stop: _Stop) -> TomlMistake | None:
    if _MERGE.match(stop.whole):
        fix = "finish the merge: keep the right text, and delete the lines with the markers"
        return TomlMistake(stop.line, 1, 7, "an unfinished merge", fix)
    return None


def _open_text(stop: _Stop) -> TomlMistake | None:
    """Explain a text without its closing quote."""
    is_open = stop.said == "unterminated string" or stop.said.startswith("expected \"'")
    if not is_open and not (stop.said.endswith(r"character '\n'")):
        return None
    before = stop.text[: stop.offset]
    for quotes in ('"""', "'''"):
        if before.count(quotes) % 2:
            return stop.at(
                before.rfind(quotes), "this text has no closing quotes", f"add `{quotes}` at its end", 3
            )
    quote = "'" if "'" in stop.said.replace(r"'\n'", "") else '"'
    found = _OPEN_TEXT.search(stop.before)
    start = stop.offset - len(stop.before) + found.start("quote") if found else before.rfind("'")
    quote = before[start] if start >= 0 else quote
    return stop.at(max(0, start), "this text has no closing quote", f"add `{quote}` at its end")


def _curly_quotes(stop: _Stop) -> TomlMistake | None:
    if stop.rest[:1] in "“”„‟‘’‚«»`" and stop.rest:
        fix = 'use straight quotes, as in `name = "My deck"`'
        return stop.here(f"TOML does not know the quote `{stop.rest[0]}`".replace("```", "`` ` ``"), fix)
    return None


def _invisible(stop: _Stop) -> TomlMistake | None:
    char = stop.rest[:1]
    if char and not char.isprintable() and char != "\t":
        return stop.here(f"the control character U+{ord(char):04X} is invisible", "delete it")
    return None


def _escape(stop: _Stop) -> TomlMistake | None:
    if not any(word in stop.said for word in ("hex value", "unescaped", "escaped character")):
        return None
    slash = stop.text.rfind("\\", 0, stop.offset)
    escape = stop.text[slash : slash + 2].rstrip()
    fix = "write each backslash twice, or use single quotes: `'…'`"
    return stop.at(slash, f"`{escape}` means nothing in TOML", fix, len(escape))


def _twice(stop: _Stop) -> TomlMistake | None:
    said = ("cannot overwrite", "cannot declare", "cannot mutate", "cannot redefine")
    if not stop.said.startswith(said):
        return None
    names = [each for each in toml_names(stop.text) if each.line <= stop.line]
    if not names:
        return None
    firsts = {each.name: each for each in reversed(names)}
    here = [each for each in names if each.line == names[-1].line]
    last = next((each for each in reversed(here) if firsts[each.name].line != each.line), names[-1])
    first = firsts[last.name]
    key = last.name.rpartition(".")[2]
    where = f"; the first is on line {first.line}" if first.line != last.line else ""
    is_table = HEADER.match(stop.text.split("\n")[last.line - 1])
    message, fix = f"`{key}` is set twice", f"delete one of them{where}"
    if is_table:
        message = f"the table `{last.name}` is set twice"
        fix = f"put all of it in one place{where}"
    return TomlMistake(last.line, last.column, len(key), message, fix)


def _open_bracket(stop: _Stop) -> TomlMistake | None:
    """Explain a list or an inline table without its end, or without a comma."""
    is_list = stop.said == "unclosed array" or (stop.said == "invalid value" and stop.ends_value)
    if not is_list and stop.said != "unclosed inline table":
        return None
    if is_list and not stop.ends_value:
        return stop.here("a comma is missing before this entry", "put `,` between two entries of a list")
    opening, closing = ("[", "]") if is_list else ("{", "}")
    lines = stop.text.split("\n")
    for number in range(stop.line, 0, -1):
        is_stop = number == stop.line and not stop.before.strip()
        found = None if is_stop else re.search(rf"=[ \t]*(\{opening})", lines[number - 1])
        if found:
            kind = "list" if is_list else "table"
            message, fix = f"this {kind} is not closed", f"add `{closing}` after its last entry"
            return TomlMistake(number, found.start(1) + 1, 1, message, fix)
    return None


def _no_value(stop: _Stop) -> TomlMistake | None:
    if stop.said == "invalid value" and stop.rest[:1] == "=":
        return stop.here("there is a second `=`", f"write one: `{stop.key} = …`")
    is_bare = stop.said.startswith("expected '='")
    key = stop.key or (stop.before.strip() if is_bare else "")
    if not key or not (stop.said == "invalid value" or is_bare) or not _COMMENT.match(stop.rest):
        return None
    start = stop.whole.index(key)
    fix = f'write `{key} = "…"`, or delete the line'
    return TomlMistake(stop.line, start + 1, len(key), f"`{key}` has no value", fix)


def _bare_value(stop: _Stop) -> TomlMistake | None:
    """Explain what is not a value, most often text without quotes."""
    start = stop.column - 1
    if stop.said.startswith("expected newline"):
        # A number, a date or a word that continues as text.
        if not stop.key or not (after := re.match(r"[^=]*=[ \t]*(?=[\w+-])", stop.whole)):
            return None
        start = after.end()
    elif stop.said not in ("invalid value", "invalid date or datetime"):
        return None
    found = _BARE.match(stop.whole, start)
    if not found:
        return stop.here("this is not a value in TOML", "write a text in quotes, a number, `true` or `false`")
    value = found[0].rstrip()
    shown = value if len(value) <= _LONGEST else f"{value[: _LONGEST - 1]}…"
    fix = f'put text in quotes: `"{shown}"`'
    if value in _WORDS:
        fix = f"use `{_WORDS[value]}`"
    elif value in _NOTHING:
        fix = "delete the line"
    return TomlMistake(stop.line, start + 1, len(value), f"`{shown}` is not a value in TOML", fix)


def _after_value(stop: _Stop) -> TomlMistake | None:
    if not stop.said.startswith("expected newline"):
        return None
    rest = stop.rest.rstrip()
    quote = stop.before[-1:]
    if quote in ("'", '"') and rest[0].isalnum():
        fix = "put the text in double quotes" if quote == "'" else 'write `\\"` for a quote inside it'
        return TomlMistake(stop.line, stop.column - 1, 1, "this quote ends the text", fix)
    what = "header" if HEADER.match(stop.whole) else "value"
    fix = "write each key on a line of its own; a comment begins with `#`"
    if rest in (",", ";", "]"):
        fix = f"delete `{rest}`"
    return stop.here(f"there is more after the {what}", fix, len(rest))


def _bad_key(stop: _Stop) -> TomlMistake | None:
    if "initial character" in stop.said:
        return stop.here("a name is missing here", "write one, with letters, digits, `-` and `_`")
    if not stop.said.startswith("expected '='") and stop.rest[:1].isascii():
        return None
    if stop.rest.startswith(":"):
        fix = f"write `{stop.before.strip()} = …`"
        return stop.here("a value follows `=` in TOML, not `:`", fix)
    key, equals, _ = stop.whole.partition("=")
    start, key = len(key) - len(key.lstrip()), key.strip()
    if equals and key[:1] in ("'", '"'):
        bare = key.strip("'\"")
        return TomlMistake(
            stop.line, start + 1, len(key), "a quote in this key is not closed", f"write `{bare} = …`"
        )
    if equals and key.isascii():
        fix = "put hyphens between the words, as in `question-level`"
        return TomlMistake(stop.line, start + 1, len(key), "a key is one word", fix)
    if equals:
        fix = "use only keys that ptcards knows: see `ptcards explain unknown-key`"
        return TomlMistake(stop.line, start + 1, len(key), f"`{key}` cannot be a key", fix)
    name = stop.before.strip()
    fix = f"write `{name} = …`, or begin a comment with `#`"
    return stop.here(f"`=` is missing after `{name}`", fix) if name[:1].isalnum() else None


def _open_header(stop: _Stop) -> TomlMistake | None:
    """Explain a header of a table without its brackets, or with more than a name in them."""
    if not (found := re.match(r"expected '(\]+)' at the end", stop.said)):
        return None
    start = len(stop.whole) - len(stop.whole.lstrip())
    header = stop.whole.strip()
    if _COMMENT.match(stop.rest.lstrip("]")):
        name = stop.before.strip()
        return TomlMistake(
            stop.line, start + 1, len(name), "this header is not closed", f"write `{name}{found[1]}`"
        )
    fix = "put hyphens between the words" if "]" in stop.rest else f"add `{found[1]}` after the name"
    return TomlMistake(stop.line, start + 1, len(header), "the name of a table is one word", fix)


def _no_setting(stop: _Stop) -> TomlMistake | None:
    """Explain a line that is nothing in TOML."""
    if stop.said != "invalid statement" and not stop.said.startswith("expected '='"):
        return None
    line = stop.whole.strip()
    message, fix = "this line is not a key with a value", "write `key = value`, or begin a comment with `#`"
    if line.startswith("="):
        message, fix = "there is no key before `=`", 'write one, as in `name = "My deck"`'
    elif line.startswith("{"):
        message, fix = (
            "this is JSON, not TOML",
            'write each key on a line of its own, as in `name = "My deck"`',
        )
    elif line.startswith(("//", "--", ";", "/*", "%")):
        message, fix = "a comment begins with `#` in TOML", "use `#`"
    start = len(stop.whole) - len(stop.whole.lstrip())
    return TomlMistake(stop.line, start + 1, len(line) or 1, message, fix)


_EXPLANATIONS: tuple[Callable[[_Stop], TomlMistake | None], ...] = (
    _merge,
    _open_text,
    _curly_quotes,
    _escape,
    _invisible,
    _twice,
    _open_bracket,
    _no_value,
    _open_header,
    _bare_value,
    _after_value,
    _bad_key,
    _no_setting,
)
"""Each returns a mistake that it knows, or nothing; the first one that does counts."""
