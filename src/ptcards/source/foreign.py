"""Recognises files that are not Markdown, and explains what to do with them."""

import shlex
from pathlib import Path

_PACKAGES = (".apkg", ".colpkg")
_TABLES = (".csv", ".tsv", ".txt")


def foreign_name(file: Path) -> tuple[str, str] | None:
    """Return the kind of a file by its name, and what to do with it; `None` if it may be Markdown."""
    suffix = file.suffix.lower()
    if suffix in _PACKAGES and file.is_file():
        fix = f"run `ptcards import {shlex.quote(file.name)}` to write its notes as Markdown"
        return f"`{file.name}` is an Anki package, not Markdown", fix
    if suffix in _TABLES and file.is_file():
        fix = f"run `ptcards import {shlex.quote(file.name)}` to write its rows as Markdown"
        return f"`{file.name}` is a table or Anki's text export, not Markdown", fix
    return None
