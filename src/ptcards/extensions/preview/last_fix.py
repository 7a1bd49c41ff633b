"""The last fix that was asked for on the page, which can be undone until its file changes again."""

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ptcards.files.inputs import MAX_SOURCE_BYTES, InputError, read_input, shown
from ptcards.lint.fixes import FileFix
from ptcards.source.source import rewrite


class LastFix(NamedTuple):
    """A rule, and a file's content before and after it was fixed there."""

    rule: str = ""
    fix: FileFix = FileFix(Path(), Path())

    def as_json(self) -> dict[str, str] | None:
        """Return what was fixed, and where, or `None` if its file has changed since."""
        file, folder, before, after = self.fix
        with suppress(InputError):
            if before != after and read_input(file, folder, MAX_SOURCE_BYTES) == after:
                return {"rule": self.rule, "path": shown(file), "file": str(file)}
        return None

    def undo(self, file: str) -> bool:
        """Restore the file's content from before the fix; return whether it was still as the fix left it.

        Raises OutputError if the file cannot be written.
        """
        fix = self.fix
        if file != str(fix.file):
            return False
        before, after = rewrite(
            fix.file, fix.folder, lambda content: fix.before if content == fix.after else content
        )
        return before != after
