"""The way back: a suggestion as a file, or as the address of a filled-in form for an issue."""

import json
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import quote

KEY = "ptcards-suggestion"
"""The key that holds the number of the format, and the name of the block in an issue."""
FORMAT_OF_SUGGESTIONS = 1
MAX_ISSUE_ADDRESS = 8_000
"""The most characters of an address that opens a form."""
_MAX_TITLE = 80
_MAX_FILLED = 200


class Suggestion(NamedTuple):
    """Fields as the author had them and as the learner would: `(was, is)` by name, with a reason."""

    deck: str
    version: str
    guid: str
    reason: str
    fields: Mapping[str, tuple[str, str]]


def as_file(suggestion: Suggestion) -> bytes:
    """Return a suggestion as a file `….suggestion`, which `ptcards inbox` reads."""
    return (_as_json(suggestion) + "\n").encode()


def _as_json(suggestion: Suggestion, *, cut: bool = False) -> str:
    fields = {} if cut else suggestion.fields
    document = {
        KEY: FORMAT_OF_SUGGESTIONS,
        "deck": suggestion.deck,
        "version": suggestion.version,
        "guid": suggestion.guid,
        "reason": suggestion.reason,
        "fields": {name: {"was": was, "is": now} for name, (was, now) in fields.items()},
    }
    return json.dumps(document, ensure_ascii=False, indent=1)


def filled(address: str, guid: str, version: str, question: str, deck: str) -> str:
    """Return an address with `{guid}` and the others replaced by their values, of which 200 characters."""
    for name, value in (("guid", guid), ("version", version), ("question", question), ("deck", deck)):
        address = address.replace(f"{{{name}}}", quote(value[:_MAX_FILLED], safe=""))
    return address


def as_issue(suggestion: Suggestion, issues: str, title: str, deck: str) -> tuple[str, bool]:
    """Return the address of a form for a new issue, and whether it has room for all fields.

    `issues` is the address of the empty form, from the feed, and may contain what `filled` replaces. A form
    of a template has a field `mistake` for the text.
    """
    text_in = "mistake" if "template=" in issues else "body"
    issues = filled(issues, suggestion.guid, suggestion.version, title, deck)
    start = f"{issues}{'&' if '?' in issues else '?'}title={quote(title[:_MAX_TITLE], safe='')}&{text_in}="
    for cut in (False, True):
        # A line that begins with a fence would end the block.
        block = _as_json(suggestion, cut=cut).replace("```", "\\u0060\\u0060\\u0060")
        text = f"{suggestion.reason}\n\n```json {KEY}\n{block}\n```\n"
        address = start + quote(text, safe="")
        if len(address) <= MAX_ISSUE_ADDRESS:
            return address, not cut
    short = suggestion._replace(reason=suggestion.reason[:200])
    if short != suggestion:
        return as_issue(short, issues, title, deck)[0], False
    return start.removesuffix(f"&{text_in}="), False
