"""Checks of sources: the rules, their explanations and their fixes."""

from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location


class CheckAnswer(NamedTuple):
    """What a check reports, for how many notes; `fixable` are the places and rules that `--fix` would fix.

    `not_read` is the number of files that could be sources but are not read. `drafts` are not among the
    `notes`.
    """

    diagnostics: list[Diagnostic]
    notes: int
    fixable: list[tuple[Location, str]]
    not_read: int
    drafts: int
