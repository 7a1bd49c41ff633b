"""Recognises blocks by the start of their first line (CommonMark 0.31.2, sections 4 and 5).

All functions take a line without leading white space.
"""

import re

FIRST_CHARACTERS = frozenset(["", *"#>`~=-_*+<[|:0123456789 \t"])
"""The first characters of lines that might not be plain text; `:` begins the second row of some tables."""

HEADING = re.compile(r"(#{1,6})(?:[ \t]+|\Z)")
FENCE = re.compile(r"(`{3,}|~{3,})(.*)\Z")
RULE = re.compile(
    # A repeated group takes 120 bytes of memory for each repetition, so it has a limit here and elsewhere.
    r"(?:(?=(?:\*[ \t]*){3})[*\t ]+|(?=(?:-[ \t]*){3})[-\t ]+|(?=(?:_[ \t]*){3})[_\t ]+)\Z"
)
UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*\Z")
MARKER = re.compile(r"(?:[-+*]|([0-9]{1,9})[.)])(?=[ \t]|\Z)")
TASK = re.compile(r"\[([ xX])\](?=[ \t])")
FOOTNOTE = re.compile(r"\[\^([^\]\s\x00]+)\]:[ \t]*")

ALERTS = ("NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION")

_ALERT = re.compile(r"\[!([A-Za-z]+)\][ \t]*\Z")
_CLOSING_MARKS = re.compile(r"(?:\A|[ \t])#+[ \t]*\Z")

ATTRIBUTE = r"""[ \t\n]+[A-Za-z_:][A-Za-z0-9_.:-]*+(?:[ \t\n]*=[ \t\n]*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?"""
"""The pattern of an attribute of an HTML tag, with leading white space."""

_HTML_BLOCKS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir"
    "|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe"
    "|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|source|summary"
    "|table|tbody|td|tfoot|th|thead|title|tr|track|ul"
)
_HTML_STARTS = (
    r"<(?:script|pre|style|textarea)(?:\s|>|\Z)",
    r"<!--",
    r"<\?",
    r"<!(?-i:[A-Z])",
    r"<!\[CDATA\[",
    rf"</?(?:{_HTML_BLOCKS})(?:\s|/?>|\Z)",
    rf"(?:<[A-Z][A-Z0-9-]*+(?>(?:{ATTRIBUTE}){{0,1000}})[ \t]*/?>|</[A-Z][A-Z0-9-]*[ \t]*>)[ \t]*\Z",
)
_HTML_START = re.compile("|".join(f"({start})" for start in _HTML_STARTS), re.IGNORECASE | re.ASCII)
_HTML_ENDS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (r"</(?:script|pre|style|textarea)>", r"-->", r"\?>", r">", r"\]\]>")
)
_LONE_TAG = 7


def heading_text(text: str, at: int) -> str:
    """Return the text of a heading, which begins at this offset, without closing marks."""
    return _CLOSING_MARKS.sub("", text[at:]).strip(" \t")


def alert(text: str) -> str:
    """Return the word in a line such as `[!NOTE]`, or an empty string.

    The line begins an alert if the word is one of `ALERTS`.
    """
    found = _ALERT.match(text)
    return found[1] if found else ""


def fence(text: str) -> tuple[str, str] | None:
    """Return the marks and the words of a line that opens a fence, or `None` for any other line."""
    match = FENCE.match(text)
    if match is None or (match[1][0] == "`" and "`" in match[2]):
        return None
    return match[1], match[2].strip(" \t")


def html_condition(text: str, *, in_paragraph: bool) -> int:
    """Return which of the seven conditions for HTML blocks a line meets, or 0 for none.

    The seventh, a tag alone on its line, must not interrupt a paragraph.
    """
    found = _HTML_START.match(text)
    condition = (found and found.lastindex) or 0
    return 0 if condition == _LONE_TAG and in_paragraph else condition


def html_ends_blank(condition: int) -> bool:
    """Whether an HTML block that meets this condition ends before the next blank line."""
    return condition > len(_HTML_ENDS)


def html_ends(condition: int, text: str) -> bool:
    """Whether an HTML block that meets this condition ends with this line."""
    return not html_ends_blank(condition) and _HTML_ENDS[condition - 1].search(text) is not None
