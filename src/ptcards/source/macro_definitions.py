r"""Reads the file that defines macros for formulas.

The file contains definitions as in LaTeX: `\newcommand{\RR}{\mathbb{R}}`, `\def` without delimited
arguments, `\DeclareMathOperator`, or `\RR = \mathbb{R}` on one line.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping

from ptcards.diagnostics import Diagnostic, Location, error, warning
from ptcards.markdown.links import unsafe_address
from ptcards.markdown.tex_commands import COMMENT
from ptcards.notes import Macro

_MAX_PROBLEMS = 20
"""How many errors to report in one file."""
_MAX_ARGUMENTS = 9
_BLANK = re.compile(rf"(?>(?:\s+|{COMMENT})*)")
_NAME = r"\s*(?:\{\s*\\([A-Za-z]+)\s*\}|\\([A-Za-z]+))\s*"
_NEW = re.compile(rf"\\(?:new|renew|provide)command(?![A-Za-z])\*?{_NAME}(?:\[\s*([0-9]{{1,3}})\s*\]\s*)?")
_OPERATOR = re.compile(rf"\\DeclareMathOperator(?![A-Za-z])(\*?){_NAME}")
_DEF = re.compile(r"\\g?def(?![A-Za-z])\s*\\([A-Za-z]+)([^{\n]*)")
_EQUALS = re.compile(r"\\([A-Za-z]+)[ \t]*=((?:\\.|[^\\%\n])*)")
_WORD = re.compile(r"\\[A-Za-z]+|[^\s\\]+|\\")
_BRACE = re.compile(rf"\\.|{COMMENT}|[{{}}\]]", re.DOTALL)
_HIDDEN = re.compile(rf"(\\.)|{COMMENT}(?:\n[ \t]*)?", re.DOTALL)
_LINE_END = re.compile(r"[ \t]*\n\s*")
_PARAMETER = re.compile(r"\\.|#([0-9]?)", re.DOTALL)
_COMMAND = re.compile(r"\\([A-Za-z]+)|\\.", re.DOTALL)


def read_macros(text: str, path: str) -> tuple[tuple[Macro, ...], list[Diagnostic]]:
    """Return the macros in the text of a file, sorted by name, and diagnostics, which use `path`.

    A macro that cannot be used has a `problem`, so that its uses are errors too.
    """
    reader = _MacroReader(text.replace("\r\n", "\n").replace("\r", "\n"), path)
    reader.read()
    reader.find_recursion()
    return tuple(reader.macros[name] for name in sorted(reader.macros)), reader.diagnostics


class _MacroReader:
    """Reads a file of macros from its start to its end; `at` is the current offset."""

    def __init__(self, text: str, path: str) -> None:
        self.text = text
        self.path = path
        self.at = 0
        self.macros: dict[str, Macro] = {}
        self.diagnostics: list[Diagnostic] = []
        self.starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def read(self) -> None:
        """Read all definitions; after an error, continue on the next line."""
        while len(self.diagnostics) < _MAX_PROBLEMS:
            self.skip(_BLANK)
            start = self.at
            if start == len(self.text):
                return
            if not self.read_definition(start):
                end = self.text.find("\n", max(self.at, start))
                self.at = end if end >= 0 else len(self.text)

    def skip(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Read what a pattern matches at the current offset."""
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found

    def read_definition(self, start: int) -> bool:
        """Read one definition; return whether it is complete."""
        if found := self.skip(_NEW):
            default = self.read_group("[", "]") if found[3] and self.text.startswith("[", self.at) else None
            self.skip(_BLANK)
            return self.define(start, found[1] or found[2], int(found[3] or 0), self.read_group(), default)
        if found := self.skip(_OPERATOR):
            text = self.read_group()
            body = None if text is None else rf"\operatorname{found[1]}{{{text}}}"
            return self.define(start, found[2] or found[3], 0, body)
        if found := self.skip(_DEF):
            before, *parameters = found[2].strip().split("#")
            if before or "".join(parameters) != "123456789"[: len(parameters)]:
                fix = r"use `\newcommand{\name}[1]{…}`, or only `#1`, `#2` … after the name"
                return self.report(start, r"`\def` with text between its arguments is not supported", fix, 4)
            return self.define(start, found[1], len(parameters), self.read_group())
        if found := self.skip(_EQUALS):
            numbers = [int(each[1]) for each in _PARAMETER.finditer(found[2]) if each[1]]
            return self.define(start, found[1], max(numbers, default=0), found[2].strip())
        word = _WORD.match(self.text, start)
        written = word[0][:40] if word else self.text[start]
        fix = r"write `\newcommand{\name}{…}` or `\name = …`, or `%` before a comment"
        return self.report(start, f"`{written}` does not begin the definition of a macro", fix, len(written))

    def read_group(self, opening: str = "{", closing: str = "}") -> str | None:
        """Return the text of a group on one line, without comments, or `None` if there is no group."""
        if not self.text.startswith(opening, self.at):
            return None
        depth, at = 0, self.at + 1
        for found in _BRACE.finditer(self.text, at):
            if not depth and found[0] == closing:
                self.at = found.end()
                inside = _HIDDEN.sub(lambda each: each[1] or "", self.text[at : found.start()])
                return _LINE_END.sub(" ", inside).strip()
            depth += (found[0] == "{") - (found[0] == "}")
            if depth < 0:
                return None
        return None

    def define(
        self, start: int, name: str, arguments: int, body: str | None, default: str | None = None
    ) -> bool:
        """Add a macro, and report what is wrong with it; return whether its definition is complete."""
        if body is None:
            fix = "put the definition in braces: `{…}`"
            return self.report(
                start, f"the definition of `\\{name}` has no text, or no end", fix, len(name) + 1
            )
        problem, fix = "", ""
        highest = max(
            (int(each[1] or 0) for each in _PARAMETER.finditer(body) if each[0][0] == "#"), default=0
        )
        lone = any(
            each[0] == "#" or each[1] == "0" for each in _PARAMETER.finditer(body) if each[0][0] == "#"
        )
        if arguments > _MAX_ARGUMENTS or highest > arguments or lone:
            problem, fix = (
                "its arguments are wrong",
                f"use `#1` to `#{max(1, min(arguments, _MAX_ARGUMENTS))}`",
            )
        elif not _is_balanced(body):
            problem, fix = "its braces are not balanced", r"close each `{`; write `\{` for a visible brace"
        elif r"\require" in _commands(body):
            problem, fix = r"it contains `\require`", "use only what Anki's MathJax contains"
        elif unsafe := unsafe_address(body):
            problem, fix = f"it links to `{unsafe[1].partition(':')[0]}:`", "use an address with `https://`"
        place = self.locate(start)
        if name in self.macros:
            line = self.macros[name].place.line
            message = f"`\\{name}` is already defined on line {line}"
            self.diagnostics.append(
                warning(place, "broken-macro", message, "remove one of the two definitions")
            )
        if problem:
            self.report(start, f"`\\{name}` cannot be used: {problem}", fix)
        self.macros[name] = Macro(name, min(arguments, _MAX_ARGUMENTS), default, body, place, problem)
        return True

    def find_recursion(self) -> None:
        """Report each circle of macros that use each other."""
        uses = {
            name: [
                used[1:]
                for used in _commands(f"{macro.body} {macro.default or ''}")
                if used[1:] in self.macros
            ]
            for name, macro in self.macros.items()
        }
        ends = _without_circles(uses)
        told: set[str] = set()
        for first in uses:
            name = first
            path: dict[str, None] = {}
            while name not in ends and name not in told and name not in path:
                path[name] = None
                name = next(used for used in uses[name] if used not in ends)
            if name in path:
                circle = [*path][[*path].index(name) :]
                macro = self.macros[name]
                words = "itself" if len(circle) == 1 else f"`\\{circle[1]}`, which uses `\\{name}` again"
                fix = "define it without itself"
                self.diagnostics.append(error(macro.place, "broken-macro", f"`\\{name}` uses {words}", fix))
            told |= path.keys()
        for name in uses.keys() - ends:
            problem = self.macros[name].problem or "it uses itself"
            self.macros[name] = self.macros[name]._replace(problem=problem)

    def locate(self, offset: int) -> Location:
        """Return the location of a character of the file."""
        line = bisect_right(self.starts, offset)
        return Location(self.path, line, offset - self.starts[line - 1] + 1)

    def report(self, offset: int, message: str, fix: str, length: int = 1) -> bool:
        """Report an error; return that the definition cannot be read."""
        self.diagnostics.append(error(self.locate(offset), "broken-macro", message, fix, length))
        return False


def _without_circles(uses: Mapping[str, list[str]]) -> set[str]:
    """Return the macros whose expansions end: those that use only such macros."""
    users: dict[str, list[str]] = {name: [] for name in uses}
    left = {name: len(used) for name, used in uses.items()}
    for name, used in uses.items():
        for each in used:
            users[each].append(name)
    ending = [name for name, count in left.items() if not count]
    for name in ending:
        for user in users[name]:
            left[user] -= 1
            if not left[user]:
                ending.append(user)
    return {*ending}


def _commands(body: str) -> dict[str, None]:
    r"""Return the commands in the text of a macro, such as `\RR`, once each."""
    return dict.fromkeys(found[0] for found in _COMMAND.finditer(body) if found[1])


def _is_balanced(body: str) -> bool:
    depth = 0
    at = 0
    for found in _BRACE.finditer(body):
        at = found.end()
        depth += (found[0] == "{") - (found[0] == "}")
        if depth < 0:
            return False
    return depth == 0 and not body[at:].endswith("\\")
