"""Reasons why a deck cannot be imported."""

from ptcards.diagnostics import Diagnostic, Location, error, warning


class NotImportableError(Exception):
    """Nothing is imported; `diagnostics` explain why.

    `status` is the exit status: 2 for a wrong file or a usage error, 1 for a note that cannot be imported.
    """

    def __init__(self, *diagnostics: Diagnostic, status: int = 2) -> None:
        super().__init__(diagnostics[0].message)
        self.diagnostics = diagnostics
        self.status = status


def refuse(path: str, rule: str, message: str, fix: str, *, status: int = 2) -> NotImportableError:
    """Return the exception for a problem that concerns the file at `path` as a whole."""
    return NotImportableError(error(Location(path, 1, 0), rule, message, fix), status=status)


def damaged(path: str, what: str) -> NotImportableError:
    """Return the exception for a damaged part of a package."""
    fix = "download the package again, or import it into Anki and export it from there"
    return refuse(path, "damaged-package", f"the package is damaged: {what}", fix)


def unsafe(path: str, what: str) -> NotImportableError:
    """Return the exception for a package with more of something than any real deck has."""
    return refuse(path, "unsafe-package", what, "do not open it: no real deck is like this", status=1)


def remark(path: str, rule: str, message: str, fix: str) -> Diagnostic:
    """Return a warning that concerns the file at `path` as a whole."""
    return warning(Location(path, 1, 0), rule, message, fix)


def quoted(text: str) -> str:
    """Return text from an imported file for a message: on one line, shortened and in backticks."""
    line = " ".join(text.split())
    return f"`{line if len(line) <= 60 else line[:57] + '…'}`"
