"""Reasons why a deck cannot be imported."""

from ptcards.diagnostics import Diagnostic, Location, error, warning


class NotImportableError(Exception):
    """Nothing is imported; `diagnostics` explain why.

    `status` is 2 if the file or the usage is wrong, and 1 if a note is.
    """

    def __init__(self, *diagnostics: Diagnostic, status: int = 2) -> None:
        super().__init__(diagnostics[0].message)
        self.diagnostics = diagnostics
        self.status = status


def refuse(path: str, rule: str, message: str, fix: str, *, status: int = 2) -> NotImportableError:
    """Return the exception for a problem with the complete file at `path`."""
    return NotImportableError(error(Location(path, 1, 0), rule, message, fix), status=status)


def damaged(path: str, what: str) -> NotImportableError:
    """Return the exception for a damaged part of a package."""
    fix = "download it again, or import it into Anki and export it from there"
    return refuse(path, "damaged-package", f"the package is damaged: {what}", fix)


def remark(path: str, rule: str, message: str, fix: str) -> Diagnostic:
    """Return a warning about the complete file at `path`."""
    return warning(Location(path, 1, 0), rule, message, fix)


def quoted(text: str) -> str:
    """Return somebody else's text for a message: on one line, shortened, in backticks."""
    line = " ".join(text.split())
    return f"`{line if len(line) <= 60 else line[:57] + '…'}`"
