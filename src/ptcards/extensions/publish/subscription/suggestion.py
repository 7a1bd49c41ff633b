"""The way back: a suggestion as a file, or as the address of a filled-in form for an issue."""

import json
from collections.abc import Iterable, Mapping
from itertools import product
from typing import NamedTuple
from urllib.parse import quote

from ptcards.extensions.publish.subscription.feed import Feed
from ptcards.extensions.publish.subscription.update import Difference

KEY = "ptcards-suggestion"
"""The key that holds the number of the format, and the name of the block in an issue."""
FORMAT_OF_SUGGESTIONS = 1
MAX_ISSUE_ADDRESS = 8_000
"""The most characters of an address that opens a form."""


class Suggestion(NamedTuple):
    """Fields as the author had them and as the learner would: `(was, is)` by name, with a reason.

    Without fields, it is a report. `cut` names the fields for which a form had no room.
    """

    deck: str
    version: str
    guid: str
    reason: str
    fields: Mapping[str, tuple[str, str]]
    cut: tuple[str, ...] = ()


def suggestion_of(feed: Feed, guid: str, reason: str, differing: Iterable[Difference]) -> Suggestion:
    """Return what a learner suggests for a note: the fields that differ, with a reason."""
    fields = {each.field: (each.authors, each.mine) for each in differing if each.guid == guid}
    return Suggestion(feed.id, feed.newest.version, guid, reason.strip(), fields)


def as_file(suggestion: Suggestion) -> bytes:
    """Return a suggestion as a file `….suggestion`, which `ptcards inbox` reads."""
    return (_as_json(suggestion) + "\n").encode()


def _as_json(suggestion: Suggestion) -> str:
    document = {
        KEY: FORMAT_OF_SUGGESTIONS,
        **suggestion._asdict(),
        "fields": {name: {"was": was, "is": now} for name, (was, now) in suggestion.fields.items()},
    }
    if not suggestion.cut:
        del document["cut"]
    return json.dumps(document, ensure_ascii=False, indent=1)


def filled(address: str, **values: str) -> str:
    """Return an address with `{guid}` and the like replaced by their values, of which 200 characters."""
    for name, value in values.items():
        address = address.replace(f"{{{name}}}", quote(value[:200], safe=""))
    return address


def as_issue(suggestion: Suggestion, issues: str, title: str, deck: str) -> tuple[str, bool]:
    """Return the address of a form for a new issue, and whether it has room for all fields.

    `issues` is the address of the empty form, from the feed, and may contain what `filled` replaces. A form
    of a template has a field `mistake` for the text.
    """
    text_in = "mistake" if "template=" in issues else "body"
    issues += f"{'&' if '?' in issues else '?'}title={{question}}&{text_in}="
    start = filled(issues, guid=suggestion.guid, version=suggestion.version, question=title, deck=deck)
    reasons = suggestion.reason, suggestion.reason[:200]
    for reason, fields in product(reasons, (suggestion.fields, {})):
        cut = tuple(each for each in suggestion.fields if each not in fields)
        tried = suggestion._replace(reason=reason, fields=fields, cut=cut)
        # A line that begins with a fence would end the block.
        block = _as_json(tried).replace("```", "\\u0060" * 3)
        text = f"{reason}\n\n```json {KEY}\n{block}\n```\n"
        address = start + quote(text, safe="")
        if len(address) <= MAX_ISSUE_ADDRESS:
            return address, tried == suggestion
    return start.removesuffix(f"&{text_in}="), False
