"""The last fix that was asked for on the page, which can be undone until its file changes again."""

from contextlib import suppress
from pathlib import Path

from ptcards.files.inputs import MAX_SOURCE_BYTES, InputError, read_input, shown
from ptcards.lint.fixes import FileFix
from ptcards.source.source import rewrite


class LastFix:
    """Remembers a file's content before and after its last fix."""

    def __init__(self) -> None:
        self._rule = ""
        self._fix = FileFix(Path(), Path())

    def remember(self, rule: str, fix: FileFix) -> None:
        """Make this the fix that can be undone; the one before can no longer be."""
        self._rule, self._fix = rule, fix

    def as_json(self) -> dict[str, str] | None:
        """Return what was fixed, and where, or `None` if its file has changed since."""
        file, folder, before, after = self._fix
        with suppress(InputError):
            if before != after and read_input(file, folder, MAX_SOURCE_BYTES) == after:
                return {"rule": self._rule, "path": shown(file), "file": str(file)}
        return None

    def undo(self, file: str) -> bool:
        """Restore the file's content from before the fix; return whether it was still as the fix left it.

        Raises OutputError if the file cannot be written.
        """
        fix = self._fix
        if file != str(fix.file):
            return False
        before, after = rewrite(
            fix.file, fix.folder, lambda content: fix.before if content == fix.after else content
        )
        return before != after
