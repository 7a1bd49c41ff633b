"""Reads raw HTML: checks which tags are allowed on a card, and whether all of them are closed."""

import re
from collections import defaultdict
from html import unescape
from typing import NamedTuple

from ptcards.diagnostics import Severity, Trait
from ptcards.markdown.links import is_unsafe
from ptcards.markdown.tree import ATTRIBUTE, Paragraph
from ptcards.notes import Problem


def _names(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


ALLOWED = _names(
    "a abbr audio b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em "
    "figcaption figure"
    " h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p picture pre q rp rt ruby s samp small source span "
    "strike strong"
    " sub summary sup table tbody td tfoot th thead time tr track tt ul var video wbr"
)
"""The tags that GitHub allows, and those for sound and video, which cards can play."""

UNUSUAL = _names(
    "address article aside big center data fieldset font footer header hgroup label legend main map area "
    "meter nav"
    " output progress section search svg u math"
)
"""Harmless tags that GitHub removes, although it keeps the text inside."""

FORBIDDEN = _names(
    "applet base body button canvas datalist dialog embed form frame frameset head html iframe input "
    "link menu meta"
    " noembed noframes noscript object optgroup option param plaintext portal script select slot style "
    "template textarea"
    " title xmp"
)
"""Tags that run, load or send something, or hide the rest of the card."""

VOID = _names("area base br col embed hr img input link meta param source track wbr")
_END_OPTIONAL = _names("colgroup dd dt li option p rp rt tbody td tfoot th thead tr")
_ADDRESSES = frozenset({"action", "background", "cite", "formaction", "href", "poster", "src", "xlink:href"})
_MEDIA = frozenset(
    {
        ("img", "src"),
        ("audio", "src"),
        ("video", "src"),
        ("source", "src"),
        ("track", "src"),
        ("video", "poster"),
    }
)

# Stricter than browsers, so that browsers always see the same attributes and the same end.
_TAG = re.compile(rf"<(/?)([A-Za-z][A-Za-z0-9-]*+)((?>(?:{ATTRIBUTE}){{0,1000}}))[ \t\n]*/?>")
# What browsers hide: an unclosed comment hides everything up to the end of the text.
COMMENT = re.compile(r"<!--(?:-?>|.*?(?:-->|\Z))|<(?:[!?]|/(?![A-Za-z]))[^>]*(?:>|\Z)", re.DOTALL)
_MARKUP = re.compile(rf"{COMMENT.pattern}|(?P<tag></?[A-Za-z])", re.DOTALL)
_ATTRIBUTE = re.compile(r"""([^\s"'>/=]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'=<>`]+))?""")


class Attribute(NamedTuple):
    """An attribute of a tag: its name in lower case, its value with entities resolved, and its offsets."""

    name: str
    value: str
    start: int
    end: int


class Tag(NamedTuple):
    """A tag of raw HTML, and where it is in its text.

    `name` is the tag's name in lower case, and `written` is the name as in the source.
    """

    name: str
    written: str
    closing: bool
    start: int
    end: int
    attributes: tuple[Attribute, ...]

    def media(self) -> list[Attribute]:
        """Return the attributes that name a file shown on the card."""
        return [attribute for attribute in self.attributes if (self.name, attribute.name) in _MEDIA]


def find_tags(text: str) -> tuple[list[Tag], list[Problem]]:
    """Return the tags of raw HTML, but not its comments, and problems with malformed tags."""
    tags: list[Tag] = []
    at = 0
    while mark := _MARKUP.search(text, at):
        at = mark.end()
        if mark["tag"] is None:
            opening, end = ("<!--", "-->") if mark[0].startswith("<!--") else (mark[0][:2], ">")
            if mark[0].endswith(end):
                continue
            return tags, [_unclosed_comment(mark.start(), opening, end)]
        found = _TAG.match(text, mark.start())
        if found is None or (found[1] and found[3]):
            return tags, [_unfinished(text, mark.start())]
        at = found.end()
        tags.append(_tag(found))
    return tags, []


def _unclosed_comment(start: int, opening: str, end: str) -> Problem:
    message = "an unclosed comment hides the rest of the field"
    fix = f"close it with `{end}`"
    if opening != "<!--":
        message = f"browsers read `{opening}` as an unclosed comment that hides the rest"
        fix += ", or write `&lt;` for `<`"
    return Problem(start, len(opening), "unclosed-comment", message, fix, traits=Trait.MISLEADING)


def _unfinished(text: str, start: int) -> Problem:
    """Return a problem about a tag without an end, or with an end that browsers may see elsewhere."""
    line = text[start:].split("\n", 1)[0]
    if ">" in line:
        message, fix = (
            "a tag that is not well-formed",
            "put spaces between attributes and quotes around their values",
        )
    else:
        message, fix = (
            "a tag without its `>`",
            "close it with `>`, or write `&lt;` for a `<` that is not a tag",
        )
    return Problem(start, len(line), "unfinished-tag", message, fix)


def _tag(found: re.Match[str]) -> Tag:
    attributes = []
    for each in _ATTRIBUTE.finditer(found[3]):
        value = each[2] or ""
        value = unescape(value[1:-1] if value[:1] in ("'", '"') else value)
        start = found.start(3) + each.start()
        attributes.append(Attribute(each[1].lower(), value, start, found.start(3) + each.end()))
    return Tag(found[2].lower(), found[2], bool(found[1]), found.start(), found.end(), tuple(attributes))


def is_refused(tag: Tag) -> bool:
    """Whether a tag is not allowed on a card, or is no HTML tag."""
    return tag.name not in ALLOWED and tag.name not in UNUSUAL


def tag_problems(tag: Tag) -> list[Problem]:
    """Return the problems with a tag on a card; if any of them is an error, the first one is."""
    length = tag.end - tag.start
    if tag.name in FORBIDDEN:
        message = f"`<{tag.written}>` is not allowed on a card"
        fix = "remove it, or write `&lt;` for `<` to show it"
        return [Problem(tag.start, length, "forbidden-tag", message, fix)]
    if is_refused(tag):
        message = f"`<{tag.written}>` is not an HTML tag: browsers hide it"
        fix = r"put it in backticks, or write `\<` for `<`"
        return [Problem(tag.start, length, "unknown-tag", message, fix)]
    problems = [problem for attribute in tag.attributes if (problem := _attribute_problem(tag, attribute))]
    if tag.name in UNUSUAL and not tag.closing:
        message = f"GitHub ignores `<{tag.written}>` and shows only the text inside"
        fix = "use Markdown, or a tag that GitHub supports"
        problems.append(Problem(tag.start, length, "unusual-tag", message, fix, Severity.WARNING))
    return problems


def _attribute_problem(tag: Tag, attribute: Attribute) -> Problem | None:
    name, length = attribute.name, attribute.end - attribute.start
    if name.startswith("on") or name in ("srcdoc", "formaction", "action", "ping"):
        message, fix = f"`{name}` runs code or sends data", "remove it: cards must not run code or send data"
    elif name in _ADDRESSES and (tag.name, name) not in _MEDIA and is_unsafe(attribute.value):
        message, fix = f"`{name}` contains an address that can run code", "use an address with `https://`"
    elif name == "style" and re.search(r"url\s*\(|expression|@import|\\", attribute.value, re.IGNORECASE):
        message, fix = "`style` loads something", "remove `url(…)`; for a picture, use `<img src=…>`"
    elif name == "srcset":
        message, fix = "Anki cannot find the files in `srcset`", "use one `<img src=…>`"
    else:
        return None
    return Problem(attribute.start, length, "unsafe-attribute", message, fix)


class OpenTags:
    """The tags that are open at a position.

    `pair` reports tags that are closed but not open, and `rest` reports tags that are never closed. `refused`
    are the names of tags already reported, which do not count as open.
    """

    def __init__(self) -> None:
        self.refused: set[str] = set()
        self._open: list[tuple[Tag, Paragraph]] = []
        self._names: defaultdict[str, int] = defaultdict(int)

    def pair(self, tag: Tag, where: Paragraph) -> list[tuple[Problem, Paragraph]]:
        """Open or close a tag; return problems with a stray closing tag, or with tags left open inside."""
        if tag.name in VOID:
            return []
        if not tag.closing:
            self._open.append((tag, where))
            self._names[tag.name] += 1
            return []
        if not self._names[tag.name]:
            fix = "remove it, or open the tag in the same block (a blank line ends a block)"
            message = f"`</{tag.written}>` has no opening tag here"
            return [
                (
                    Problem(tag.start, tag.end - tag.start, "stray-tag", message, fix),
                    where,
                )
            ]
        problems: list[tuple[Problem, Paragraph]] = []
        while True:
            last, place = self._open.pop()
            self._names[last.name] -= 1
            if last.name == tag.name:
                return problems
            problems += _unclosed(last, place)

    def rest(self) -> list[tuple[Problem, Paragraph]]:
        """Return problems with the tags that are still open at the end."""
        return [problem for tag, where in self._open for problem in _unclosed(tag, where)]


def _unclosed(tag: Tag, where: Paragraph) -> list[tuple[Problem, Paragraph]]:
    if tag.name in _END_OPTIONAL:
        return []
    fix = f"close it with `</{tag.written}>` in the same block, or write `\\<{tag.written}>` if it is text"
    message = f"`<` begins the tag `<{tag.written}>`, which is not closed"
    problem = Problem(tag.start, tag.end - tag.start, "unclosed-tag", message, fix)
    return [(problem, where)]
