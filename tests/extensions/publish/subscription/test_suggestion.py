"""A suggestion as a file, and as the address of a filled-in form."""

import json
from urllib.parse import parse_qs, urlsplit

from ptcards.extensions.publish.subscription.suggestion import (
    MAX_ISSUE_ADDRESS,
    Suggestion,
    as_file,
    as_issue,
)

ISSUES = "https://github.com/owner/deck/issues/new"
EDIT = Suggestion("b3f6a1d8", "1.4", "g1", "It is three ```", {"Answer": ("<p>3</p>", "<p>three ```</p>")})
DOCUMENT = {
    "ptcards-suggestion": 1,
    "deck": "b3f6a1d8",
    "version": "1.4",
    "guid": "g1",
    "reason": "It is three ```",
    "fields": {"Answer": {"was": "<p>3</p>", "is": "<p>three ```</p>"}},
}


def block(address: str) -> object:
    """Return what the block in the text of an issue says."""
    text = parse_qs(urlsplit(address).query)["body"][0]
    return json.loads(text.partition("```json ptcards-suggestion\n")[2].partition("\n```")[0])


def test_a_suggestion_is_a_file() -> None:
    assert json.loads(as_file(EDIT)) == DOCUMENT


def test_a_suggestion_fills_in_a_form() -> None:
    address, is_complete = as_issue(EDIT, ISSUES, "What is a leaf & a tree?", "D")
    assert (is_complete, block(address)) == (True, DOCUMENT)
    assert parse_qs(urlsplit(address).query)["title"] == ["What is a leaf & a tree?"]


def test_fields_that_are_too_long_for_a_form_are_left_out() -> None:
    address, is_complete = as_issue(
        EDIT._replace(fields={"Answer": ("x" * 5000, "y" * 5000)}), ISSUES, "x", "D"
    )
    assert (is_complete, block(address), len(address) <= MAX_ISSUE_ADDRESS) == (
        False,
        DOCUMENT | {"fields": {}, "cut": ["Answer"]},
        True,
    )
    address, is_complete = as_issue(EDIT._replace(reason="€" * 5000), ISSUES, "x", "D")
    assert (is_complete, len(address) <= MAX_ISSUE_ADDRESS) == (False, True)


def test_a_form_of_a_template_arrives_filled_in() -> None:
    form = (
        f"{ISSUES}?template=mistake.yml&guid={{guid}}&version={{version}}&question={{question}}&deck={{deck}}"
    )
    address, is_complete = as_issue(EDIT, form, "What is {guid} & <b>?" + "ä" * 300, "PyTorch::A")
    query = parse_qs(urlsplit(address).query)
    text = query.pop("mistake")[0]
    assert query == {
        "template": ["mistake.yml"],
        "guid": ["g1"],
        "version": ["1.4"],
        "question": ["What is {guid} & <b>?" + "ä" * 179],
        "deck": ["PyTorch::A"],
        "title": ["What is {guid} & <b>?" + "ä" * 179],
    }
    assert json.loads(text.partition("```json ptcards-suggestion\n")[2].partition("\n```")[0]) == DOCUMENT
    assert is_complete
    short, _ = as_issue(EDIT._replace(reason="€" * 5000), form, "x", "D")
    assert len(short) <= MAX_ISSUE_ADDRESS
