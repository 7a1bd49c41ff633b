"""The way back: a suggestion as a file, or as an issue that a form on the web is filled in with."""

from collections.abc import Mapping
from typing import NamedTuple

from ptcards.subscription.decide import FeedSource

MAX_ISSUE_ADDRESS = 8_000
"""The most characters of an address that opens a form."""


class Suggestion(NamedTuple):
    """Fields as the author had them and as the learner would: `(was, is)` by name, with a reason."""

    deck: str
    version: str
    guid: str
    reason: str
    fields: Mapping[str, tuple[str, str]]


def suggest(
    source: FeedSource, version: str, guid: str, reason: str, fields: Mapping[str, str]
) -> Suggestion | None:
    """Return a suggestion from a learner's fields, by the author's names; `None` without the author's note."""
    raise NotImplementedError


def as_file(suggestion: Suggestion) -> bytes:
    """Return a suggestion as a file `….suggestion`, which `ptcards inbox` reads."""
    raise NotImplementedError


def as_issue(suggestion: Suggestion, issues: str, title: str) -> tuple[str, bool]:
    """Return the address of a form for a new issue, and whether it has room for all fields."""
    raise NotImplementedError
