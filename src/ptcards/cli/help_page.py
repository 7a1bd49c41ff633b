"""How `--help` looks: colours, and examples that fit a narrow terminal.

`--help` imports this module, so it must load quickly.
"""

import re
from collections.abc import Iterable

import click

from ptcards.cli.messages import terminal
from ptcards.diagnostics.layout import paint, width_of, wrap

_GAP = 2
_WIDEST = 80
_HANG = 4
_NARROWEST = 26
"""The minimum number of columns for what is said next to an example; otherwise it goes below."""
_ROOM = 38
"""The minimum number of columns for what is said next to the options; longer options get it below."""
_TERMS = re.compile(r"(?<![\w-])(--?[a-z][\w-]*)|(\[[^\]]*\](?:\.\.\.)?|[A-Z]+)")
"""Matches an option in the left column of a list, or a placeholder."""
_EXAMPLES = re.compile(r"\n*^\x08\n(\w+:)\n((?:  .*(?:\n|\Z))+)", re.MULTILINE)
"""Matches the examples of a command: after Click's mark, a heading and lines of two columns."""


class HelpPage(click.HelpFormatter):
    """Click's formatter with colours, which are those of standard output, where help goes."""

    def __init__(
        self, indent_increment: int = 2, width: int | None = None, max_width: int | None = None
    ) -> None:
        there = terminal(err=False)
        if width is None and there.columns is not None:  # Click never goes below 50 columns
            width = min(there.columns, max_width or _WIDEST) - _GAP
        super().__init__(indent_increment, width, max_width)
        self._color = there.color

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write the usage line with its words in colour."""
        start = paint(prefix or "Usage:", "heading", color=self._color)
        command = paint(prog, "command", color=self._color)
        placeholders = (paint(word, "placeholder", color=self._color) for word in args.split())
        line = " ".join((start, command, *placeholders))
        self.write(f"{wrap(line, self.width, hang=width_of(f'{start} {command} '))}\n")

    def write_heading(self, heading: str) -> None:
        """Write the heading of a section."""
        self.write(f"{paint(f'{heading}:', 'heading', color=self._color)}\n")

    def write_text(self, text: str) -> None:
        """Write paragraphs, and examples as a list."""
        parts = _EXAMPLES.split(text)
        self._write_prose(parts[0])
        for heading, rows, after in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
            self.write_paragraph()
            self.write(f"{' ' * self.current_indent}{paint(heading, 'heading', color=self._color)}\n")
            with self.indentation():
                self._write_examples(rows.splitlines())
            self._write_prose(after)

    def _write_prose(self, text: str) -> None:
        if text.strip():
            super().write_text(text.strip("\n"))

    def _write_examples(self, lines: Iterable[str]) -> None:
        """Write what each command does next to it or, after a long command, below it."""
        rows = [
            (command, words.strip()) for command, _, words in (line.strip().partition("  ") for line in lines)
        ]
        start = self.current_indent
        beside = [width_of(command) for command, words in rows if words and self._leaves_room(command)]
        column = start + max(beside, default=0) + _GAP
        for command, words in rows:
            shown = " " * start + paint(command, "command", color=self._color)
            if words and self._leaves_room(command):
                gap = " " * (column - start - width_of(command))
                self.write(f"{wrap(f'{shown}{gap}{words}', self.width, hang=column)}\n")
                continue
            self.write(f"{wrap(shown, self.width, hang=start + _HANG)}\n")
            if words:
                below = " " * (start + _HANG)
                self.write(f"{wrap(below + words, self.width, hang=len(below))}\n")

    def _leaves_room(self, command: str) -> bool:
        return self.current_indent + width_of(command) + _GAP + _NARROWEST <= self.width

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = _GAP) -> None:
        """Write a list with options, commands and placeholders in colour."""
        rows = [*rows]
        most = min(col_max, self.width - _ROOM)
        widths = [width_of(term) for term, _ in rows]
        column = max((width for width in widths if width <= most), default=_HANG)
        super().write_dl([(self._term(term), text) for term, text in rows], column, col_spacing)

    def _term(self, term: str) -> str:
        if re.fullmatch(r"[a-z-]+ *", term):
            return paint(term, "command", color=self._color)
        return _TERMS.sub(
            lambda found: paint(found[0], "command" if found[1] else "placeholder", color=self._color),
            term,
        )


class HelpContext(click.Context):
    """Click's context with our help page, whose colours Click must not remove."""

    formatter_class = HelpPage

    def get_help(self) -> str:
        """Return the help page."""
        self.color = terminal(err=False).color
        return super().get_help()
