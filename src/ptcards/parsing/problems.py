"""What is wrong with a piece of text, before it is known where in the file the piece stands."""

from typing import NamedTuple

from ptcards.diagnostics import Severity


class Problem(NamedTuple):
    """A diagnostic with the offset of a character in place of a location."""

    start: int
    length: int
    rule: str
    message: str
    help: str
    severity: Severity = Severity.ERROR
