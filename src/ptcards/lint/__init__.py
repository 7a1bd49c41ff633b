"""Checks of sources: the rules, their explanations and their fixes."""

from typing import NamedTuple

from ptcards.diagnostics import Diagnostic


class CheckAnswer(NamedTuple):
    """What a check reports, for how many notes; `fixable` counts what `--fix` would fix, by path and rule.

    `not_read` is the number of files that could be sources but are not read. `drafts` are not among the
    `notes`.
    """

    diagnostics: list[Diagnostic]
    notes: int
    fixable: dict[tuple[str, str], int]
    not_read: int
    drafts: int
