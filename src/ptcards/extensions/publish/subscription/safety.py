"""What HTML and CSS can do when a card shows it: run a program, or load something from the network.

It depends on what stands before it whether a browser sees a tag: a comment or a drawing may hide one. So
every `<` before a letter counts as the beginning of a tag, wherever it is, and is read as browsers read tags.
"""

import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

from ptcards.extensions.publish.subscription.package import AnkiNoteType, has_open_ends


class Threat(NamedTuple):
    """Something that can do harm: `kind` is `program`, `network`, or `unread` for what nobody can judge.

    `what` is the markup, the server that is asked, or all that takes too long to read.
    """

    kind: str
    what: str


class _Attribute(NamedTuple):
    name: str
    value: str
    is_quoted: bool


class _Tag(NamedTuple):
    """A tag that begins at a place: its name, its attributes, and its end."""

    name: str
    attributes: list[_Attribute]
    begin: int
    end: int


_PROGRAMS = frozenset(
    "animate applet base embed form frame frameset iframe link meta object portal script set".split()
)
_SCRIPT_ADDRESS = re.compile(r"(?:javascript|vbscript|data:(?:text/html|[a-z/+]*xml))\b", re.IGNORECASE)
_CODE = frozenset(("srcdoc", "formaction"))
_LINKS = frozenset(("href", "xlink:href"))
_TEXTS = frozenset("abbr alt aria-label cite class content id lang placeholder title value xmlns".split())
_INVISIBLE = re.compile(r"[\x00-\x20\x7f-\xa0]")
_SCHEMES = "(?:https?|ftp|wss?|file|blob|filesystem):"
_REMOTE = re.compile(rf"{_SCHEMES}|[/\\]{{2}}", re.IGNORECASE)
_SERVER = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?[/\\]*([^/\\?#\s'\"()]*)", re.IGNORECASE)
_SOUND = re.compile(r"\[sound:\s*((?:https?|ftp|rtmp|rtsp|mms)?:?//[^\]]*)\]", re.IGNORECASE)
_TEX = re.compile(
    r"\\(?P<style>style|bbox|mmlToken)\b(?!\s*\{[-\w\s:;#%.,]*\}|\s*\[[-\w\s:;#%.,]*\])"
    r"|\\href\b(?!\s*\{\s*(?:https?:|#))|\\require\b(?!\s*\{[\w\s-]*\})"
)
"""Commands with which MathJax writes CSS, links or other files into a page."""
_HINT = re.compile(
    r"this\.style\.display='none';\s*document\.getElementById\('hint[0-9a-f]+'\)\.style\.display='block';"
    r"\s*return false;"
)
"""What Anki itself writes for `{{hint:…}}`."""
_BOXES = """<script>
try {
  anki.imageOcclusion.setup();
} catch {
  document.getElementById("err").hidden = false;
}
"""
"""What our note type for pictures with boxes has, like Anki's own: it lets Anki draw them."""

_SPACE = "[\t\n\f\r ]"
_TAG = re.compile(r"<(?=([a-zA-Z][^\t\n\f\r />]*))")
_ATTRIBUTE = re.compile(
    rf"[\t\n\f\r /]*(?:(?P<name>[^\t\n\f\r />][^\t\n\f\r />=]*)"
    rf"(?:{_SPACE}*={_SPACE}*(?:\"(?P<double>[^\"]*)\"?|'(?P<single>[^']*)'?|(?P<bare>[^\t\n\f\r >]*)))?"
    r"|(?P<end>>|\Z))"
)
"""As browsers read a tag: https://html.spec.whatwg.org/multipage/parsing.html#before-attribute-name-state."""
MOST_READ = 500_000
"""The number of characters of the longest text that is searched."""
_MOST_READINGS = 5
"""How often, on average, a character may be read as part of another tag, and then again as a threat."""
_MOST_PARTS = 20_000
"""The number of tags and attributes that are read of a text in which not all tags are harmless."""
_TOO_LARGE = re.compile(r"&#[0-9]{10,};?")
_FOREIGN = re.compile("<(?:math|svg)", re.IGNORECASE)
_RAW_HANDLER = re.compile(r"[/\"']on[a-z]+\s*=", re.IGNORECASE)
_MARKUP = re.compile(r"<!\[CDATA\[|\]\]>|<!--.*?-->|<[^>]*>", re.DOTALL)

_READ_AS_TEXT = frozenset("noscript plaintext style svg template textarea title xmp".split())
"""Elements whose content a browser reads in its own way."""
_HARMLESS = re.compile(
    rf"""</?(?!(?i:{"|".join(sorted(_PROGRAMS | _READ_AS_TEXT))})\b)[a-zA-Z][a-zA-Z0-9]*
    (?>\s+(?:
        (?:alt|class|colspan|dir|height|id|lang|open|rowspan|start|title|type|width|(?:aria|data)-[a-z-]+)
            (?:="[^"<>{{]*"|=[a-z]+(?=[\s>]))?
        |src="[^"<>&:/\\{{]*"
        |style="[-\w:;.,%\ \#]*"
        |href="(?:https?://[^"<>&\s{{]*|\#[^"<>{{]*)"|href='https://[^'"<>&\s{{]*'
        |onclick="{_HINT.pattern.replace(" ", "[ ]")}"\s+draggable=false
    ))*\s*/?>""",
    re.VERBOSE,
)
"""A tag as most notes have them, which needs no closer look: that takes a millisecond for a note."""


def in_html(html: str) -> frozenset[Threat]:
    """Return the threats in a field, or in a side of a card as Anki shows it."""
    if len(html) > MOST_READ or has_open_ends(html, ("<!--", "-->"), ("<", ">")):
        return frozenset({Threat("unread", html)})
    found = {Threat("network", _server(each[1])) for each in _SOUND.finditer(html)}
    if "\\" in html:
        found.update(_in_formulas(html))
    if html.count("<") == sum(1 for _ in _HARMLESS.finditer(html)):
        return frozenset(found)
    # What stands in the wrong place of a formula or drawing becomes a tag when an editor writes it again.
    is_moved = _FOREIGN.search(html) and "<style" in html.lower()
    for text in {html, _unescaped(html)} if is_moved else {html}:
        found.update(_of_tags(text))
    return frozenset(found)


def _of_tags(html: str) -> Iterator[Threat]:
    """Yield the threats of what may be tags, unless it would take long to find out where they end."""
    left = _MOST_READINGS * len(html) + 10_000
    for tag in _tags(html):
        yield from _of_tag(tag, html)
        left -= len(html) - tag.begin if tag.name in _PROGRAMS or tag.name == "style" else 0
        if left < 0:
            yield Threat("unread", html)
            return


def _in_formulas(html: str) -> Iterator[Threat]:
    text = _unescaped(_MARKUP.sub("", html)) if "<" in html or "&" in html else html
    for each in _TEX.finditer(text):
        what = text[each.start() : each.start() + 200]
        yield Threat("network" if each["style"] else "program", what)


def _unescaped(text: str) -> str:
    return unescape(_TOO_LARGE.sub("\ufffd", text)) if "&" in text else text


def _tags(html: str) -> Iterator[_Tag]:
    """Yield what may be a tag; one that begins in another is read on its own, too.

    If they are so many, or in each other so often, that this would take long, one with the name `script` is
    the last.
    """
    left, parts_left = _MOST_READINGS * len(html) + 10_000, _MOST_PARTS
    for each in _TAG.finditer(html):
        attributes = []
        place = each.end(1)
        while (found := _ATTRIBUTE.match(html, place)) and found["end"] is None and parts_left > 0:
            parts_left -= 1
            place = found.end()
            quoted = found["double"] if found["double"] is not None else found["single"]
            value = (found["bare"] or "") if quoted is None else quoted
            attributes.append(_Attribute(found["name"].lower(), _unescaped(value), quoted is not None))
        end = found.end() if found else len(html)
        left -= end - each.start()
        parts_left -= 1
        if left < 0 or parts_left < 0:
            yield _Tag("script", [], each.start(), len(html))
            return
        yield _Tag(each[1].lower(), attributes, each.start(), end)


def _of_tag(tag: _Tag, html: str) -> Iterator[Threat]:
    if tag.name in _PROGRAMS:
        close = re.compile(f"</{tag.name}", re.IGNORECASE).search(html, tag.end)
        program = html[tag.begin : close.start() if close else tag.end]
        yield from () if program == _BOXES else (Threat("program", program),)
    if tag.name == "style":
        # In SVG, entities, comments and tags in a style sheet count, and it continues after CDATA.
        css = html[tag.end : max(html.lower().rfind("</style"), tag.end)] or html[tag.end :]
        for text in {css, _unescaped(css), _unescaped(_MARKUP.sub("", css))}:
            yield from in_css(text)
    for each in tag.attributes:
        yield from _of_attribute(tag.name, each)


def _of_attribute(tag: str, attribute: _Attribute) -> Iterator[Threat]:
    name, value, is_quoted = attribute
    plain = _INVISIBLE.sub("", value)
    is_handler = name.startswith("on") and not _HINT.fullmatch(value)
    is_handler = is_handler or (not is_quoted and _RAW_HANDLER.search(value) is not None)
    if is_handler or name in _CODE or _SCRIPT_ADDRESS.match(plain):
        yield Threat("program", f"{name}={value}")
    if name in _TEXTS or name.startswith(("xmlns:", "data-")) or (tag in ("a", "area") and name in _LINKS):
        return
    if name.endswith("srcset"):
        yield from (Threat("network", _server(each)) for each in plain.split(",") if _REMOTE.match(each))
    elif _REMOTE.match(plain):
        yield Threat("network", _server(plain))
    elif name in _LINKS and tag == "use" and not plain.startswith("#"):
        yield Threat("network", plain)  # a drawing that may itself load something
    elif name == "style" or "(" in value or "\\" in value:
        yield from in_css(value)


_CSS_COMMENT = re.compile(
    r"""(?P<kept>"[^"]*"?|'[^']*'?|\burl\([^)]*\)?)|/\*(?:.*?\*/|.*)""", re.DOTALL | re.IGNORECASE
)
_CSS_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})(?:\r\n|[\t\n\f\r ])?|(\r\n|.))", re.DOTALL)
_LINE_ENDS = re.compile(r"[\t\n\f\r]")
_CSS_PROGRAM = re.compile(r"expression\s*\(|-moz-binding|behavior\s*:", re.IGNORECASE)
_END_OF_CSS = re.compile(r"</style", re.IGNORECASE)
_IN_CSS = re.compile(
    rf"""url\([\x00-\x20"']*((?!data:)(?:[a-z][a-z0-9+.-]*:|[/\\]{{2}})[^)]*)
    |["'][\x00-\x20]*((?:{_SCHEMES}|[a-z][a-z0-9+.-]*:[/\\]|[/\\]{{2}})[^"']*)""",
    re.IGNORECASE | re.VERBOSE,
)
"""An address of something elsewhere in `url(…)`, or a text that `@import` or `image-set` may load."""
_NAMESPACE = re.compile(r"(?<=xmlns=[\"'])http://www\.w3\.org/[-\w./]*(?=[\"'])")


def in_css(css: str) -> Iterator[Threat]:
    """Yield the threats in CSS."""
    yield from (Threat("program", each[0]) for each in _END_OF_CSS.finditer(css))
    text = _NAMESPACE.sub("", css)
    if "\\" in text:
        text = _CSS_ESCAPE.sub(_letter, text)
    else:  # an escape could begin or end a text, in which comments are none
        text = _CSS_COMMENT.sub(lambda each: each["kept"] or " ", text)
    yield from (Threat("program", each[0]) for each in _CSS_PROGRAM.finditer(text))
    text = _LINE_ENDS.sub("", text)
    yield from (Threat("network", _server(each[1] or each[2])) for each in _IN_CSS.finditer(text))


def _letter(escaped: re.Match[str]) -> str:
    if escaped[1]:
        return chr(int(escaped[1], 16)) if int(escaped[1], 16) < 0x110000 else "\ufffd"
    return "" if escaped[2] in "\r\n\f" or escaped[2] == "\r\n" else escaped[2]


def _server(address: str) -> str:
    """Return the server of an address."""
    found = _SERVER.match(_INVISIBLE.sub("", address))
    return (found and found[1].rpartition("@")[2]) or address


_COMMENT = r"<!--.*?-->"
_REPLACEMENTS = tuple(
    re.compile(f"{kept}({replacement})", re.DOTALL)
    for kept in ("", rf"(?:{_COMMENT})|")
    for replacement in (r"\{\{.*?\}\}", "<%.*?%>")
)
"""The ways in which Anki's versions read replacements: comments may hide them, and a second form is older."""
_REPLACED = (("{{", "}}"), ("<%", "%>"))
_MARK = "\ue000"


def in_layout(note_type: AnkiNoteType) -> frozenset[Threat]:
    """Return the threats in the templates, names and CSS of a note type.

    A replacement in a tag is one, because a field could complete it, unless it can only be text there.
    """
    css, *sides = note_type.texts
    found = set(in_css(css))
    for text in (*sides, note_type.name, *note_type.names, *(each.name for each in note_type.templates)):
        found.update(in_html(text))
        if any(each.kind == "unread" for each in found) or has_open_ends(text, *_REPLACED):
            return frozenset({*found, Threat("unread", text)})
        for replacement in _REPLACEMENTS:
            marked = replacement.sub(
                lambda each: _MARK if each[1] else each[0], text.replace(_MARK, "\ufffd")
            )
            if _MARK in marked:
                found.update(_of_replacements(marked))
    return frozenset(found)


def _of_replacements(marked: str) -> Iterator[Threat]:
    """Yield the threats in a side whose replacements are marked."""
    if f"<{_MARK}" in marked:
        yield Threat("program", marked[marked.index(f"<{_MARK}") :])
    found = [*_of_tags(marked)]
    yield from found
    for tag in () if any(each.kind == "unread" for each in found) else _tags(marked):
        markup = marked[tag.begin : tag.end]
        texts = sum(each.value.count(_MARK) for each in tag.attributes if _is_only_text(tag.name, each))
        if texts < markup.count(_MARK):
            yield Threat("program", markup)
        if tag.name == "style":
            end = marked.lower().find("</style", tag.end)
            if _MARK in marked[tag.end : end if end > 0 else len(marked)]:
                yield Threat("program", marked[tag.begin :])
                return


def _is_only_text(tag: str, attribute: _Attribute) -> bool:
    """Whether whatever stands in an attribute does nothing until somebody presses a link."""
    name, value, is_quoted = attribute
    is_link = tag == "a" and name == "href" and value.startswith(("https://", "http://", "#"))
    return is_quoted and (is_link or name in _TEXTS or name.startswith("data-"))
