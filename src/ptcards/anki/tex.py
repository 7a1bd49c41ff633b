r"""Reads TeX as Anki's MathJax does, and finds what it refuses.

Groups and arguments are parts that wait in a list until they are read, so a formula may be nested to any
depth, and each character is read once.
"""

import re
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, NoReturn

from ptcards.diagnostics.suggest import did_you_mean, suggest
from ptcards.markdown.tex_commands import Signature, defined_names, tex_commands

_TOKEN = re.compile(r"\\(?:[A-Za-z]+|.|$)|%[^\n]*|\s+|.", re.DOTALL)
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_DOLLAR = re.compile(r"\\.|\$", re.DOTALL)
_BRACKET = re.compile(r"\\.|[{}\]]", re.DOTALL)
_LENGTH = re.compile(r"\s*[-+]?(?:[.,]\d+|\d+(?:[.,]\d*)?)\s*(?:pt|em|ex|mu|px|mm|cm|in|pc)")
_ENVIRONMENT = re.compile(r"\s*\{([^{}]*)\}")
_NEW_ENVIRONMENT = re.compile(r"\\(?:re)?newenvironment\*?\s*\{([^{}]*)\}")
_SIDE = re.compile(r"\s*\[(?!\s*[lr]?\s*\])([^\[\]{}\\]*)\]")
r"""Matches an alignment of `\cfrac` that is neither `l` nor `r`."""
_NO_NUMBER = re.compile(r"\s*\{([^{}\\]*[^{}\\\d\s][^{}\\]*)\}")
_COUNTED = frozenset("alignat alignedat xalignat xxalignat".split())
"""Environments whose first argument is a number."""
_NAMES = re.compile(r"\\begin\s*\{[^{}\\#]+\}|\\[A-Za-z]+")
"""Matches what has a name in the text of a macro: an environment's beginning, or a command."""
_REQUIRED = re.compile(r"\\require\s*\{([^{}]*)\}")
_DEFINED = re.compile(r"\*?\s*\{?\s*\\(?:[A-Za-z]+|.)\s*\}?[\s=#\d]*", re.DOTALL)
r"""The name that a command such as `\newcommand` or `\def` defines, and what is before its text."""
_DEFINING = frozenset(("def", "let", "newcommand", "renewcommand"))
_WITH_ARGUMENT = frozenset(
    "array subarray crampedsubarray alignat alignedat xalignat xxalignat empheq numcases subnumcases"
    " spreadlines".split()
)
"""Environments whose first groups are not part of their first row."""
_WITH_BRACKETS = frozenset(
    "aligned gathered lgathered rgathered multlined matrix* pmatrix* bmatrix* Bmatrix* vmatrix* Vmatrix*"
    " smallmatrix* psmallmatrix* bsmallmatrix* Bsmallmatrix* vsmallmatrix* Vsmallmatrix*".split()
)
"""Environments with an optional argument."""
_WITHOUT_TAG = frozenset(
    "aligned alignedat gathered lgathered rgathered split flalign* xalignat* xxalignat".split()
)
r"""Environments in which MathJax refuses `\tag`."""
_PARTED = ((r"\root", "of"), (r"\toggle", "endtoggle"))
"""Commands with a second part, which is not a command elsewhere."""
_NEVER_ARGUMENT = frozenset("left middle right begin end limits nolimits hline hdashline cr".split())
_COMMON = frozenset(
    "frac sqrt sum prod int lim log exp sin cos text mathbf mathrm mathbb mathcal left right begin end cdot"
    " times infty partial nabla alpha beta gamma delta epsilon theta lambda mu sigma hat bar vec".split()
)
"""Commands that a misspelt one is more likely to be."""
_SCRIPTS = {"^": "u", "_": "v"}
"""The properties of what has such a script."""
_NEEDED = frozenset("mastdel")
"""The letters of arguments that cannot be left out."""
_MOST_UNKNOWN = 20
"""How many unknown commands of one formula are reported."""


class TexMistake(Enum):
    """What is wrong in a formula."""

    COMMAND = "unknown command"
    ENVIRONMENT = "unknown environment"
    GROUP = "group"
    ARGUMENT = "argument"


UNKNOWN_NAMES = (TexMistake.COMMAND, TexMistake.ENVIRONMENT)


class TexProblem(NamedTuple):
    """What MathJax refuses: the mistake, its offset and length in the TeX source, the message and the fix."""

    mistake: TexMistake
    start: int
    length: int
    message: str
    fix: str


class TexDefinitions(NamedTuple):
    r"""What the formulas of a note define for each other; `physics` is whether they load that package.

    The package changes the arguments of many commands.
    """

    commands: AbstractSet[str]
    environments: AbstractSet[str]
    physics: bool


def definitions_of(formulas: str) -> TexDefinitions:
    """Return what formulas, joined to one text, define."""
    return TexDefinitions(
        defined_names(formulas),
        frozenset(_NEW_ENVIRONMENT.findall(formulas)),
        "physics" in _REQUIRED.findall(formulas),
    )


def problems_in(tex: str, defined: TexDefinitions, macros: Iterable[str] = ()) -> list[TexProblem]:
    """Return what MathJax refuses in a formula: unknown names, and the first other mistake found.

    An author may have meant one of the `macros`, given by name.
    """
    reader = _Reader(tex, defined, macros)
    with suppress(_MistakeError):
        reader.read()
    return reader.found


def unknown_names_in(texts: Mapping[str, str]) -> list[tuple[str, TexProblem]]:
    """Return the names in the texts of macros, by name, that neither MathJax nor a macro knows, once each."""
    names = frozenset(texts) | defined_names("\n".join(texts.values()))
    defined = TexDefinitions(names, frozenset(), physics=False)
    first: dict[str, str] = {}
    for name, text in texts.items():
        for piece in _NAMES.findall(text):
            first.setdefault(piece, name)
    found: list[tuple[str, TexProblem]] = []
    for piece, name in first.items():
        problems = problems_in(piece, defined, texts)
        found += ((name, problem) for problem in problems if problem.mistake in UNKNOWN_NAMES)
        if len(found) >= _MOST_UNKNOWN:
            break
    return found


class _MistakeError(Exception):
    """Ends the reading of a formula, as MathJax does at its first mistake."""


class _Part(NamedTuple):
    """What is read on its own: the formula, a group or an argument."""

    start: int
    end: int
    aligned: bool = False
    group: bool = False


@dataclass(slots=True)
class _Level:
    r"""The state inside a part, or inside its `\left` or `\begin`, which begins at `start`."""

    start: int = 0
    mark: str = ""
    partner: str = ""
    aligned: bool = False
    base: set[str] = field(default_factory=set)
    """The properties of what a script mark would belong to, with `'` if it has a prime."""
    wanting: str = ""
    """The mark `^` or `_`, or the command, that still lacks what belongs to it."""
    wanting_at: int = 0
    infix: str = ""
    empty: bool = True
    """Whether nothing is in this cell yet."""

    def begin_cell(self) -> None:
        """Forget what is before an `&` or the end of a row."""
        self.base, self.infix, self.empty = set(), "", True


class _Reader:
    """Reads one formula; `found` are the unknown names, and the mistake that ended it."""

    def __init__(self, tex: str, defined: TexDefinitions, macros: Iterable[str]) -> None:
        self.tex = tex
        self.macros = macros
        self.defined = defined
        self.known = tex_commands()
        self.found: list[TexProblem] = []
        self.reported: set[str] = set()
        self.parted = {end for begin, end in _PARTED if begin in tex}
        self.last_of = tex.rfind(r"\of")
        self.part = _Part(0, len(tex))
        self.waiting = [self.part]
        self.levels: list[_Level] = []
        self.at = 0
        self.partners: dict[int, int] = {}

    @property
    def level(self) -> _Level:
        """The innermost level."""
        return self.levels[-1]

    def read(self) -> None:
        """Read the formula; the first mistake that is no unknown name raises `_MistakeError`."""
        self.pair_braces()
        while self.waiting:
            self.part = self.waiting.pop()
            self.at = self.part.start
            self.levels = [_Level(aligned=self.part.aligned)]
            while self.at < self.part.end:
                start, token = self.at, self.token()
                self.at += len(token)
                self.read_token(token, start)
            self.end_scripts()
            if self.level.mark:
                self.refuse_alone(self.level.start, self.level.mark, self.level.partner)

    def token(self) -> str:
        """Return the character, comment, spaces or command at the current offset; empty at the end."""
        found = _TOKEN.match(self.tex, self.at, self.part.end)
        return found[0] if found else ""

    def pair_braces(self) -> None:
        """Find the partner of each `{`; in an argument, MathJax looks for it before it reads comments."""
        opened: list[int] = []
        for found in _BRACE.finditer(self.tex):
            if found[0] == "{":
                opened.append(found.start())
            elif found[0] == "}" and opened:
                self.partners[opened.pop()] = found.start()

    def read_token(self, token: str, start: int) -> None:
        """Read a character, comment or command."""
        match token[0]:
            case "\\":
                self.read_command(token[1:], start)
            case "{":
                self.at = self.closing(start) + 1
                self.waiting.append(_Part(start + 1, self.at - 1, group=True))
                self.add_item()
            case "}":
                self.refuse_closing(start)
            case "^" | "_" as mark:
                self.read_script(mark, start)
            case "'" | "’":
                self.read_prime(start)
            case "&":
                self.need_alignment("&", start)
                self.end_scripts()
                self.level.begin_cell()
            case "%" if self.part.group and self.at == self.part.end:
                # In an argument, MathJax looks for the brace before it reads comments.
                message = "`%` begins a comment, which hides the `}` after it"
                self.refuse(TexMistake.GROUP, start, "%", message, r"write `\%`")
            case "#":
                message = "`#` is only allowed in the definition of a command"
                self.refuse(TexMistake.ARGUMENT, start, "#", message, r"write `\#`")
            case mark if mark != "%" and not mark.isspace():
                self.add_item()
            case _:
                pass

    def closing(self, opening: int) -> int:
        """Return the offset of the `}` that closes a `{`."""
        if opening not in self.partners:
            fix = r"close it with `}`; write `\{` for a visible brace"
            self.refuse(TexMistake.GROUP, opening, "{", "`{` is not closed in the formula", fix)
        return self.partners[opening]

    def refuse_closing(self, at: int) -> NoReturn:
        """Report a `}` without a partner."""
        fix = r"remove it, or write `\}` for a visible brace"
        self.refuse(TexMistake.GROUP, at, "}", "`}` without `{` in a formula", fix)

    def add_item(self, properties: Iterable[str] = ()) -> None:
        """Add something visible, to which scripts may belong."""
        level = self.level
        level.empty = False
        if level.wanting not in ("^", "_"):
            level.base = {*properties}
        level.wanting = ""

    def read_script(self, mark: str, start: int) -> None:
        """Read `^` or `_`."""
        level = self.level
        self.end_scripts()
        if "'" in level.base and mark == "_":
            level.base.add(_SCRIPTS["^"])
        if _SCRIPTS[mark] in level.base:
            self.refuse_double(mark, start)
        level.base.add(_SCRIPTS[mark])
        level.wanting, level.wanting_at, level.empty = mark, start, False

    def read_prime(self, start: int) -> None:
        """Read `'`, which is a superscript."""
        self.end_scripts()
        if _SCRIPTS["^"] in self.level.base:
            self.refuse_double("'", start)
        self.level.base.add("'")
        self.level.empty = False

    def refuse(self, mistake: TexMistake, start: int, written: str, message: str, fix: str) -> NoReturn:
        """Report a mistake in what is written from an offset on, which ends the reading."""
        self.found.append(TexProblem(mistake, start, len(written), message, fix))
        raise _MistakeError

    def refuse_double(self, mark: str, start: int) -> NoReturn:
        """Report a second superscript or subscript of one thing."""
        kind = "subscript" if mark == "_" else "superscript"
        fix = f"put what it belongs to in braces, such as `{{x{mark}a}}{mark}b`"
        if mark == "'":
            fix = "write the prime first, as in `x'^2`, or use braces"
        self.refuse(TexMistake.ARGUMENT, start, mark, f"`{mark}` is a second {kind}", fix)

    def end_scripts(self) -> None:
        """Report a script mark, or a command that needs a box, without what belongs to it."""
        if wanting := self.level.wanting:
            fix = f"write it in braces: `{wanting}{{…}}`"
            if wanting[0] == "\\":
                fix = f"add a group, `{{…}}`, after `{wanting}`"
            message = f"`{wanting}` has nothing that belongs to it"
            self.refuse(TexMistake.ARGUMENT, self.level.wanting_at, wanting, message, fix)

    def need_alignment(self, mark: str, start: int) -> None:
        """Report what is only allowed between the cells or rows of an alignment."""
        if not self.level.aligned:
            message = f"`{mark}` is only allowed in an environment such as `aligned`"
            fix = f"put it in such an environment, or write `\\{mark}`" if mark == "&" else "remove it"
            self.refuse(TexMistake.GROUP, start, mark, message, fix)

    def refuse_alone(self, start: int, mark: str, partner: str) -> NoReturn:
        """Report a mark without its partner."""
        message = f"`{mark}` without `{partner}` in a formula"
        self.refuse(TexMistake.GROUP, start, mark, message, f"add `{partner}`")

    def read_command(self, name: str, start: int) -> None:
        """Read a command with its arguments."""
        match name:
            case _ if not name.strip():
                self.add_item()
            case "\\" | "cr":
                self.read_row_end(name, start)
            case "left" | "right" | "middle":
                self.read_fence(name, start)
            case "begin" | "end":
                self.read_environment(name, start)
            case "require":
                self.read_require(start)
            case "verb":
                self.read_verb(start)
            case "limits" | "nolimits":
                self.read_limits(name, start)
            case "root" if start > self.last_of and name not in self.defined.commands:
                fix = r"write `\sqrt[3]{x}`, or `\root 3 \of {x}`"
                self.refuse(TexMistake.ARGUMENT, start, r"\root", r"`\root` without `\of` in a formula", fix)
            case _ if self.is_known(name, start):
                self.read_known(name, start, self.known.commands[name])
            case _:
                self.add_item("p")

    def read_limits(self, name: str, start: int) -> None:
        r"""Read `\limits` or `\nolimits`."""
        if "p" not in self.level.base:
            message = rf"`\{name}` is only allowed after an operator such as `\sum`"
            fix = rf"remove it, or write `\operatorname*{{…}}\{name}`"
            self.refuse(TexMistake.ARGUMENT, start, rf"\{name}", message, fix)

    def read_verb(self, start: int) -> None:
        r"""Read `\verb` and the text between two equal characters."""
        end = self.tex.find(self.tex[self.at : self.at + 1], self.at + 1, self.part.end)
        if end < 0:
            self.refuse(TexMistake.ARGUMENT, start, r"\verb", r"`\verb` is not closed", r"write `\verb|…|`")
        self.at = end + 1
        self.add_item()

    def is_known(self, name: str, start: int) -> bool:
        """Whether the arguments of a command are known; an unknown command is reported."""
        known = self.known.commands
        if name in self.defined.commands or (
            self.defined.physics and (name in self.known.physics or name in known)
        ):
            return False
        if name in known:
            return True
        written = f"\\{name}"
        if name not in self.parted and not self.is_reported(written):
            near = suggest(name, [*self.macros, *known], _COMMON) if name.isalpha() else None
            fix = f"did you mean `\\{near}`?" if near else f"write `{name}` without the backslash"
            if not near and len(name) > 1:
                fix = rf"use a command that MathJax knows, or `\operatorname{{{name}}}` for a name"
            message = f"MathJax does not know `{written}`"
            self.found.append(TexProblem(TexMistake.COMMAND, start, len(written), message, fix))
        return False

    def is_reported(self, written: str) -> bool:
        """Whether an unknown name needs no report; otherwise note that it has one."""
        if written in self.reported or len(self.reported) == _MOST_UNKNOWN:
            return True
        self.reported.add(written)
        return False

    def read_known(self, name: str, start: int, signature: Signature) -> None:
        """Read a command of MathJax."""
        letters, properties = signature
        written = f"\\{name}"
        level = self.level
        self.check_place(name, start)
        if "e" in properties:
            self.need_alignment(written, start)
            if name in ("hline", "hdashline") and not level.empty:
                message = f"`{written}` is only allowed at the start of a cell"
                self.refuse(TexMistake.GROUP, start, written, message, r"write `\\` before it")
        if letters == "?":
            self.skip_arguments(name)
        else:
            for letter in letters:
                self.read_argument(letter, written, start)
        if "t" in properties or "e" in properties:
            return
        if level.wanting in ("^", "_") and "w" in properties:
            message = f"`{level.wanting}` needs braces around `{written}`"
            self.refuse(TexMistake.ARGUMENT, start, written, message, f"write `{level.wanting}{{{written}}}`")
        if "i" in properties:
            if level.infix:
                message = f"`{written}` after `{level.infix}` is ambiguous"
                self.refuse(TexMistake.ARGUMENT, start, written, message, "put one of the two in braces")
            level.infix, level.base = written, set()
            return
        self.add_item(properties)
        if "b" in properties:
            level.wanting, level.wanting_at = written, start

    def check_place(self, name: str, start: int) -> None:
        r"""Report an alignment of `\cfrac` that does not exist, and a `\tag` that MathJax refuses."""
        if name == "tag" and (around := [each for each in self.levels if each.mark[7:-1] in _WITHOUT_TAG]):
            message = rf"`\tag` is not allowed in `{around[0].mark[7:-1]}`"
            self.refuse(TexMistake.GROUP, start, r"\tag", message, f"write it after `{around[0].partner}`")
        if name == "cfrac" and (side := _SIDE.match(self.tex, self.at, self.part.end)):
            message = rf"`\cfrac[{side[1][:10]}]` has an unknown alignment"
            self.refuse(TexMistake.ARGUMENT, start, r"\cfrac", message, r"use `\cfrac[l]` or `\cfrac[r]`")

    def read_row_end(self, name: str, start: int) -> None:
        r"""Read `\\` or `\cr`; the first may have a length in brackets."""
        if name == "cr":
            self.need_alignment(r"\cr", start)
        self.end_scripts()
        self.level.begin_cell()
        if name == "cr":
            return
        if self.tex.startswith("*", self.at):
            self.at += 1
        if self.tex.startswith("[", self.at) and self.at < self.part.end:
            opening = self.at
            end = self.bracket_end(r"\\", start)
            inside = self.tex[opening + 1 : end]
            if inside and not _LENGTH.match(inside):
                message = r"`\\[` begins a length, such as `\\[1ex]`"
                self.refuse(
                    TexMistake.ARGUMENT, opening, "[", message, r"write `\\ {[}` for a visible bracket"
                )
            self.at = end + 1

    def read_fence(self, name: str, start: int) -> None:
        r"""Read `\left`, `\middle` or `\right` with its delimiter."""
        written = f"\\{name}"
        self.read_argument("d", written, start)
        if name == "left":
            self.levels.append(_Level(start, written, r"\right"))
            return
        if self.level.mark != r"\left":
            self.refuse_alone(start, written, r"\left")
        self.end_scripts()
        if name == "middle":
            self.level.begin_cell()
        else:
            self.levels.pop()
            self.add_item()

    def read_environment(self, mark: str, start: int) -> None:
        r"""Read `\begin` or `\end` with the name of the environment."""
        found = _ENVIRONMENT.match(self.tex, self.at, self.part.end)
        if not found:
            message, fix = f"`\\{mark}` needs the name of an environment", f"write `\\{mark}{{…}}`"
            self.refuse(TexMistake.ARGUMENT, start, f"\\{mark}", message, fix)
        self.at = found.end()
        name = found[1]
        written, partner = f"\\{mark}{{{name}}}", f"\\{'end' if mark == 'begin' else 'begin'}{{{name}}}"
        if mark == "begin":
            self.begin(name, found.start(1), _Level(start, written, partner))
        elif self.level.partner != written:
            self.refuse_alone(start, written, partner)
        else:
            self.end_scripts()
            self.levels.pop()
            self.add_item()

    def begin(self, name: str, name_at: int, level: _Level) -> None:
        """Enter an environment."""
        if self.level.wanting in ("^", "_"):
            message, fix = f"`{self.level.wanting}` needs braces around an environment", "put it in braces"
            self.refuse(TexMistake.ARGUMENT, level.start, level.mark, message, fix)
        known = self.known.environments
        level.aligned = name in self.known.aligned or name not in known
        is_known = name in known or name in self.defined.environments
        if not is_known and not self.is_reported(level.mark):
            fix = did_you_mean(name, known, "use one of amsmath's, such as `aligned`, `cases` or `bmatrix`")
            message = f"MathJax does not know the environment `{name}`"
            self.found.append(TexProblem(TexMistake.ENVIRONMENT, name_at, len(name), message, fix))
        if name in self.known.displays:
            outer = next((each for each in self.levels if each.mark[7:-1] in self.known.displays), None)
            if outer:
                message = f"`{name}` is not allowed in `{outer.mark[7:-1]}`"
                fix = "use `aligned` or `gathered` for the inner one"
                self.refuse(TexMistake.GROUP, level.start, level.mark, message, fix)
        if name.rstrip("*") in _COUNTED and _NO_NUMBER.match(self.tex, self.at, self.part.end):
            message = f"`{level.mark}` needs the number of its columns"
            self.refuse(TexMistake.ARGUMENT, level.start, level.mark, message, "write it, such as `{2}`")
        if name.rstrip("*") in _WITH_ARGUMENT:
            if self.peek() not in "[{":
                self.at += len(self.token())
            self.skip_groups()
        elif name in _WITH_BRACKETS and self.peek() == "[":
            self.at = self.bracket_end(level.mark, level.start) + 1
        self.levels.append(level)

    def read_require(self, start: int) -> None:
        r"""Read `\require`; only the packages that Anki contains load without a network."""
        found = _ENVIRONMENT.match(self.tex, self.at, self.part.end)
        if not found:
            self.refuse_missing(r"\require", start)
        self.at = found.end()
        name = found[1]
        if name not in self.known.packages and not self.is_reported(rf"\require{{{name}}}"):
            message = f"Anki's MathJax would load `{name}` from the network"
            fix = r"remove `\require`, and write it without the package"
            fix = did_you_mean(name, self.known.packages, fix)
            self.found.append(TexProblem(TexMistake.COMMAND, start, self.at - start, message, fix))

    def peek(self) -> str:
        """Skip spaces, and return the next character of the part, or an empty string."""
        if (token := self.token()).isspace():
            self.at += len(token)
        return self.tex[self.at] if self.at < self.part.end else ""

    def skip_arguments(self, name: str) -> None:
        """Skip the arguments of a command that is read in a way of its own."""
        if name in _DEFINING and (found := _DEFINED.match(self.tex, self.at, self.part.end)):
            self.at = found.end()
            if name == "let" and self.peek() == "\\":
                self.at += len(self.token())
        self.skip_groups()

    def skip_groups(self) -> None:
        """Skip groups in braces and brackets."""
        while (opening := self.peek()) and opening in "[{":
            self.at = (self.closing(self.at) if opening == "{" else self.bracket_end("", self.at)) + 1

    def bracket_end(self, written: str, start: int) -> int:
        """Return the offset of the `]` that closes the bracket at the current offset."""
        at = self.at + 1
        while (found := _BRACKET.search(self.tex, at, self.part.end)) and found[0] != "}":
            if found[0] == "]":
                return found.start()
            at = self.closing(found.start()) + 1 if found[0] == "{" else found.end()
        message = f"`[` after `{written}` is not closed" if written else "`[` is not closed in the formula"
        return self.refuse(TexMistake.ARGUMENT, start, written or "[", message, "close it with `]`")

    def read_argument(self, letter: str, written: str, start: int) -> None:
        """Read one argument; `letter` is its kind, and `written` the command, which begins at `start`."""
        following = self.peek()
        if letter == "*":
            self.at += following == "*"
        elif letter in "oO":
            if following == "[":
                end = self.bracket_end(written, start)
                if letter == "O":
                    self.waiting.append(_Part(self.at + 1, end))
                self.at = end + 1
        elif letter in "de":
            self.read_delimiter(letter, written, start)
        elif letter == "l":
            self.read_length(written, start)
        else:
            self.read_text(letter, written, start)

    def read_text(self, letter: str, written: str, start: int) -> None:
        """Read a formula or text in braces, or one character or command."""
        following = self.peek()
        if not following:
            self.refuse_missing(written, start)
        if following == "}":
            self.refuse_closing(self.at)
        if following == "{":
            end = self.closing(self.at)
            if letter == "t":
                self.check_text(self.at + 1, end)
            elif letter != "s":
                self.waiting.append(_Part(self.at + 1, end, aligned=letter == "a"))
            self.at = end + 1
        else:
            at, one = self.at, self.token() if following == "\\" else following
            self.at += len(one)
            if letter not in "st":
                self.check_short(one, at, written, start)

    def check_short(self, argument: str, at: int, written: str, start: int) -> None:
        """Report an argument without braces that is not complete."""
        name = argument[1:]
        if argument in ("^", "_", "&", "#"):
            self.refuse_missing(written, start)
        if argument[0] != "\\" or not name.strip():
            return
        if name in _NEVER_ARGUMENT:
            self.refuse_missing(written, start)
        if self.is_known(name, at):
            needed = _NEEDED & set(self.known.commands[name].arguments)
            if needed and (written, name) != (r"\sqrt", "frac"):
                message = f"`{written}` needs braces around `{argument}` and its argument"
                fix = f"write `{written}{{{argument}…}}`"
                self.refuse(TexMistake.ARGUMENT, at, argument, message, fix)

    def check_text(self, start: int, end: int) -> None:
        """Read the formulas in text, and report an unclosed `$`."""
        opening, mark = start, ""
        for found in _DOLLAR.finditer(self.tex, start, end):
            if not mark and found[0] in ("$", r"\("):
                opening, mark = found.end(), found[0]
            elif found[0] == {"$": "$", r"\(": r"\)"}.get(mark):
                self.waiting.append(_Part(opening, found.start()))
                mark = ""
        if mark == "$":
            fix = r"close it, or write `\$`"
            message = "`$` is not closed in text in the formula"
            self.refuse(TexMistake.GROUP, opening - 1, "$", message, fix)

    def refuse_missing(self, written: str, start: int) -> NoReturn:
        """Report a missing argument."""
        message = f"`{written}` lacks an argument"
        self.refuse(TexMistake.ARGUMENT, start, written, message, "add it in braces: `{…}`")

    def read_delimiter(self, letter: str, written: str, start: int) -> None:
        """Read a delimiter, such as `(`, and report anything else."""
        following = self.peek()
        delimiter = self.token() if following == "\\" else following
        self.at += len(delimiter)
        if following == "{" and letter == "e":
            end = self.closing(self.at - 1)
            delimiter = self.tex[self.at : end].strip()
            self.at = end + 1
        if delimiter not in self.known.delimiters:
            message = f"`{written}` needs a delimiter such as `(` or `.`"
            fix = r"write `\{` for a brace" if following in "{}" and following else "add the delimiter"
            self.refuse(TexMistake.ARGUMENT, start, written, message, fix)

    def read_length(self, written: str, start: int) -> None:
        """Read a length, with or without braces."""
        end = self.part.end
        if self.peek() == "{":
            self.at, end = self.at + 1, self.closing(self.at)
        found = _LENGTH.match(self.tex, self.at, end)
        if not found or (end != self.part.end and self.tex[found.end() : end].strip()):
            message = f"`{written}` needs a length such as `1em`"
            self.refuse(TexMistake.ARGUMENT, start, written, message, "add a number with `em`, `ex` or `pt`")
        self.at = found.end() if end == self.part.end else end + 1
