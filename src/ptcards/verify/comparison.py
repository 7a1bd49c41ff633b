"""Compares actual output with an `output` block, and shows how they differ."""

from difflib import unified_diff

from ptcards.diagnostics import counted

ANYTHING = "..."
MOST = 60
"""the number of lines in a diff after the first difference; a card may print a million lines"""
WIDEST = 300
"""the number of characters of a line that a diff shows"""


def tidy(text: str) -> str:
    """Return text with LF line ends, and without white space at the end of any line or of the text."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).rstrip()


def matches(expected: str, printed: str) -> bool:
    """Whether output is as expected; `...` matches any text, including several lines."""
    first, *others = tidy(expected).split(ANYTHING)
    rest = tidy(printed)
    if not others:
        return first == rest
    if not rest.startswith(first):
        return False
    position = len(first)
    # Placing each piece as far left as possible leaves the most room for the remaining ones.
    for piece in others[:-1]:
        found = rest.find(piece, position)
        if found < 0:
            return False
        position = found + len(piece)
    return rest.endswith(others[-1]) and len(rest) - len(others[-1]) >= position


def difference(expected: str, printed: str) -> str:
    """Return a unified diff of two texts that do not match, cut off after enough lines to be helpful.

    Lines that match because of `...` count as equal.
    """
    wanted, got = tidy(expected).split("\n"), tidy(printed).split("\n")
    end = first_difference(expected, printed)[0] + MOST
    near = got[:end]
    shown = [
        next((line for line in near if matches(want, line)), want) if ANYTHING in want else want
        for want in wanted[:end]
    ]
    lines = [*unified_diff(shown, near, "expected", "printed", lineterm="")]
    left = max(len(wanted), len(got)) - end
    more = [f"… {counted(left, 'more line')}"] if left > 0 else []
    return "\n".join([*(line if len(line) <= WIDEST else f"{line[:WIDEST]}…" for line in lines), *more])


def first_difference(expected: str, printed: str) -> tuple[int, str, str]:
    """Return the number of the first line (from 0) that differs, and its expected and actual text.

    If one of the texts ends before this line, that text is empty.
    """
    wanted, got = tidy(expected).split("\n"), tidy(printed).split("\n")
    for index in range(max(len(wanted), len(got))):
        want, line = "".join(wanted[index : index + 1]), "".join(got[index : index + 1])
        if not matches(want, line):
            return index, want, line
    return 0, wanted[0], got[0]
