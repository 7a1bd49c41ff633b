"""A place in one line of Markdown, counted in characters and in columns.

CommonMark measures indentation in columns with tab stops of four
(https://spec.commonmark.org/0.31.2/#tabs): a container may take only a part of a tab, and the rest of
it counts as spaces for what stands inside.
"""

from ptcards.notes import Line

TAB_STOP = 4


class Cursor:
    """What is left of a line after the marks of the containers around it."""

    __slots__ = ("blank", "column", "indent", "index", "line", "next", "offset", "partial", "tabs")

    def __init__(self) -> None:
        self.begin("", -1)

    def begin(self, line: str, index: int) -> None:
        """Stand before the first character of the line with this index (from 0)."""
        self.line = line
        self.index = index
        self.offset = 0
        self.column = 0
        self.partial = False
        self.tabs = "\t" in line
        self.look()

    def look(self) -> None:
        """Find the next character that is no space: `next` its offset, `indent` the columns before it."""
        line, at = self.line, self.offset
        end = len(line)
        if self.tabs:
            column = self.column
            while at < end and line[at] in " \t":
                column += 1 if line[at] == " " else TAB_STOP - column % TAB_STOP
                at += 1
            self.indent = column - self.column
        else:
            while at < end and line[at] == " ":
                at += 1
            self.indent = at - self.offset
        self.next = at
        self.blank = at == end

    def skip(self, count: int) -> None:
        """Go on by this many characters that are no tabs."""
        self.offset += count
        self.column += count
        self.partial = False
        self.look()

    def skip_columns(self, count: int) -> None:
        """Go on by this many columns of white space, perhaps into the middle of a tab."""
        while count > 0 and self.offset < len(self.line):
            if self.line[self.offset] == "\t":
                width = TAB_STOP - self.column % TAB_STOP
                self.partial = width > count
                self.column += min(width, count)
                self.offset += not self.partial
                count -= width
            else:
                self.partial = False
                self.offset += 1
                self.column += 1
                count -= 1
        self.look()

    def skip_space(self) -> None:
        """Go on by the one space that may follow a container's mark."""
        if self.offset < len(self.line) and self.line[self.offset] in " \t":
            self.skip_columns(1)

    def skip_blank(self) -> None:
        """Go on to the next character that is no space."""
        self.column += self.indent
        self.offset = self.next
        self.indent = 0
        self.partial = False

    def skip_rest(self) -> None:
        """Go to the end of the line."""
        self.offset = len(self.line)
        self.look()

    def rest(self) -> Line:
        """Return what is left, the rest of a divided tab as spaces."""
        if not self.partial:
            return Line(self.line[self.offset :], self.index, self.offset + 1)
        spaces = " " * (TAB_STOP - self.column % TAB_STOP)
        return Line(spaces + self.line[self.offset + 1 :], self.index, self.offset + 1)

    def text(self) -> Line:
        """Return what is left without the white space before it."""
        return Line(self.line[self.next :], self.index, self.next + 1)
