"""Explains the commonest mistakes in TOML files in words that an author can act on.

Python's parser says where it stopped, and what it would have accepted there. Which mistake that was is seen
from the text around it. All other mistakes have the parser's words, with their place.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple

from ptcards.files.toml_keys import HEADER, KEY, toml_names

_SEE = "see https://toml.io for the syntax"
_CURLY = "“”„‟‘’‚«»`"
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


def _no_value(stop: _Stop) -> TomlMistake | None:
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
    # A key where a value should be ends an open list.
    if not found or (KEY.match(stop.whole) and not stop.before.strip()):
        return None
    value = found[0].rstrip()
    shown = value if len(value) <= _LONGEST else f"{value[: _LONGEST - 1]}…"
    fix = f'put text in quotes: `"{shown}"`; other values are numbers, `true` and `false`'
    if value[0] in _CURLY:
        fix = 'use straight quotes, as in `name = "My deck"`'
    return TomlMistake(stop.line, start + 1, len(value), f"`{shown}` is not a value in TOML", fix)


def _no_equals(stop: _Stop) -> TomlMistake | None:
    name = stop.before.strip()
    is_next = name[:1].isalnum() and stop.before[-1:].isspace() and "=" not in stop.rest
    if not stop.said.startswith("expected '='") or not (is_next or stop.rest.startswith(":")):
        return None
    if stop.rest.startswith(":"):
        return stop.here("a value follows `=` in TOML, not `:`", f"write `{name} = …`")
    return stop.here(f"`=` is missing after `{name}`", f"write `{name} = …`, or begin a comment with `#`")


_EXPLANATIONS = (_merge, _open_text, _twice, _no_value, _bare_value, _no_equals)
"""Each returns a mistake that it knows, or nothing; the first one that does counts."""
