"""What keeps a deck from being imported."""

from ptcards.diagnostics import Diagnostic, Location, error, warning


class NotImportableError(Exception):
    """Nothing is imported: `diagnostics` say why.

    `status` is 2 where the file or the call is wrong, 1 where a note is.
    """

    def __init__(self, *diagnostics: Diagnostic, status: int = 2) -> None:
        super().__init__(diagnostics[0].message)
        self.diagnostics = diagnostics
        self.status = status


def refuse(path: str, rule: str, message: str, fix: str, *, status: int = 2) -> NotImportableError:
    """Return the exception that says what is wrong with the file at `path` as a whole."""
    return NotImportableError(error(Location(path, 1, 0), rule, message, fix), status=status)


def damaged(path: str, what: str) -> NotImportableError:
    """Return the exception that says what is wrong inside a package."""
    fix = "download it again, or import it into Anki and export it from there"
    return refuse(path, "damaged-package", f"the package is damaged: {what}", fix)


def remark(path: str, rule: str, message: str, fix: str) -> Diagnostic:
    """Return a warning about the file at `path` as a whole."""
    return warning(Location(path, 1, 0), rule, message, fix)


def quoted(text: str) -> str:
    """Return a text of somebody else's as messages show it: on one line, cut, in backticks."""
    line = " ".join(text.split())
    return f"`{line if len(line) <= 60 else line[:57] + '…'}`"
