"""Compares printed text with an `output` block, and shows how they differ."""

from difflib import unified_diff

from ptcards.diagnostics import counted

ANYTHING = "..."
MOST = 60
"""lines after the first difference that a diff covers: more does not help, and a card may print a million"""
WIDEST = 300
"""characters of a line that a diff shows"""


def tidy(text: str) -> str:
    """Return a text without trailing white space, on its lines and at its end; every line ends with LF."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).rstrip()


def matches(expected: str, printed: str) -> bool:
    """Whether a printed text is as expected; `...` matches anything, including several lines."""
    first, *others = tidy(expected).split(ANYTHING)
    rest = tidy(printed)
    if not others:
        return first == rest
    if not rest.startswith(first):
        return False
    position = len(first)
    # Placing each piece as far left as possible leaves the most room for the next ones.
    for piece in others[:-1]:
        found = rest.find(piece, position)
        if found < 0:
            return False
        position = found + len(piece)
    return rest.endswith(others[-1]) and len(rest) - len(others[-1]) >= position


def difference(expected: str, printed: str) -> str:
    """Return a unified diff of two texts that do not match, as far as it helps.

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
    """Return the first line (from 0) where two texts differ, as expected and as printed.

    A line is empty where its text has already ended.
    """
    wanted, got = tidy(expected).split("\n"), tidy(printed).split("\n")
    for index in range(max(len(wanted), len(got))):
        want, line = "".join(wanted[index : index + 1]), "".join(got[index : index + 1])
        if not matches(want, line):
            return index, want, line
    return 0, wanted[0], got[0]
