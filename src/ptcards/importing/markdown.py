"""Converts a field's HTML to Markdown, and checks that our renderer turns it back into the same HTML."""

import html
import re
import unicodedata
from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple
from urllib.parse import quote, unquote

from ptcards.importing.blocks import BlockWriter
from ptcards.importing.html import Element, collapsed, parse_html, visible
from ptcards.importing.inlines import ForeignError
from ptcards.markdown.deadline import NOTE_SECONDS, DeadlineError, within
from ptcards.markdown.render import Cloze, render
from ptcards.notes import Text

LONGEST = 64 << 10
"""The maximum length, in characters, of a field to convert."""


class Likeness(IntEnum):
    """How much of a field its Markdown reproduces."""

    TEXT = 1
    """the visible text"""
    ALL = 2
    """text, structure and formatting"""


class Converted(NamedTuple):
    """A field as Markdown; `markdown` is `None` if nothing reproduces its text."""

    markdown: str | None
    likeness: Likeness = Likeness.TEXT


_MATH = re.compile(
    # No match continues past another opening delimiter of its kind, so matching takes linear time.
    r"\\\((?P<a>(?:(?!\\\().)+?)\\\)|\\\[(?P<A>(?:(?!\\\[).)+?)\\\]"
    r'|<anki-mathjax(?P<block> block="?true"?)?>(?P<b>(?:(?!<anki-mathjax).)*?)</anki-mathjax>'
    r"|\[\$\](?P<c>(?:(?!\[\$\]).)+?)\[/\$\]|\[\$\$\](?P<C>(?:(?!\[\$\$\]).)+?)\[/\$\$\]",
    re.DOTALL,
)
_CODE = re.compile(r"(<pre\b(?:(?!<pre\b).)*?</pre>|<code\b(?:(?!<code\b).)*?</code>)", re.DOTALL)
_SOUND = re.compile(r"\[sound:([^\]\n]{1,1000}+)\]")
_AROUND_MATHS = re.compile(r"(?<!\s)\s++(?=\\[\[\]])|(?<=\\[\[\]])\s+")
_DELETION = re.compile(r"\{\{c(\d+)::")
_PLAIN = re.compile(
    # Words and punctuation on one line, without anything that has a meaning in Markdown or HTML.
    r"(?!\d+[.)])[^\W_](?:[^\W_]|[,;?!'\"%()–—…“”‘’«»、。・，！？「」（）-]|[.:](?![^ ])|(?<! ) (?! |$))*",
)


def is_plain(field: str) -> bool:
    """Whether a field reads the same in Markdown as in HTML, which is true of about half of all fields."""
    return (
        len(field) <= LONGEST
        and _PLAIN.fullmatch(field) is not None
        and "www." not in field.lower()
        and unicodedata.is_normalized("NFC", field)
    )


def to_markdown(
    field: str, addresses: Mapping[str, str], *, is_cloze: bool = False, exact: bool = True
) -> Converted:
    """Return an HTML field as the plainest Markdown that reproduces it.

    `addresses` maps the names of files in Anki to their paths. Without `exact`, whatever Markdown cannot
    express loses its formatting.
    """
    if is_plain(field):
        return Converted(field, Likeness.ALL)
    if len(field) > LONGEST or "\x00" in field:
        return Converted(None)
    try:
        return within(NOTE_SECONDS, _converted, field, addresses, is_cloze=is_cloze, exact=exact)
    except DeadlineError:
        return Converted(None)


def _converted(field: str, addresses: Mapping[str, str], *, is_cloze: bool, exact: bool) -> Converted:
    whole = with_plain_math(field)
    original = parse_html(whole)
    is_changed = not exact and _name_missing(original, addresses)
    best = Converted(None)
    for careful in (False, True):
        writer = BlockWriter(addresses, careful=careful, exact=exact)
        try:
            markdown = "\n\n".join(writer.blocks(original))
            likeness = _likeness(markdown, whole, original, writer.named, is_cloze=is_cloze)
        except (ForeignError, ValueError):  # for example, a number that is too long to parse
            return best
        if likeness is Likeness.ALL:
            return Converted(markdown, Likeness.TEXT if writer.lost or is_changed else Likeness.ALL)
        if likeness is not None and best.markdown is None:
            best = Converted(markdown)
    return best


def with_plain_math(field: str) -> str:
    """Return a field whose formulas, except those in code, have the delimiters that our renderer writes."""
    parts = _CODE.split(field)
    parts[::2] = [_MATH.sub(_plain_math, each) for each in parts[::2]]
    return "".join(parts)


def _plain_math(found: re.Match[str]) -> str:
    tex = next(each for name, each in found.groupdict().items() if name != "block" and each is not None)
    is_block = bool(found["A"] or found["block"] or found["C"])
    tex = re.sub(r"<br ?/?>|</?div>", "\n", tex).strip()
    return rf"\[{tex}\]" if is_block else rf"\({tex}\)"


def _name_missing(element: Element, addresses: Mapping[str, str]) -> bool:
    """Replace files that the package lacks by their names or by links to them.

    Return whether there were any.
    """
    is_changed = False
    for number, each in enumerate(element.children):
        if isinstance(each, str):
            continue
        source = each.attributes.get("src", "") if each.tag in ("img", "audio", "video") else ""
        if source and source not in addresses and unquote(source) not in addresses:
            name = each.attributes.get("alt") or unquote(source.rpartition("/")[2])
            link = {"href": source} if source.startswith(("https://", "http://")) else {}
            element.children[number] = Element("a" if link else "code", link, [name])
            is_changed = True
        elif _name_missing(each, addresses):
            is_changed = True
    return is_changed


def _likeness(
    markdown: str, field: str, original: Element, names: Mapping[str, str], *, is_cloze: bool
) -> Likeness | None:
    """Return how much of a field its rendered Markdown reproduces, or `None` if the text differs."""
    cloze = Cloze.CODE if is_cloze else Cloze.NONE
    rendered, _ = render(Text(markdown), names=names, prefix="i", cloze=cloze)
    if is_cloze and _DELETION.findall(rendered) != _DELETION.findall(field):
        return None
    tree = parse_html(rendered)
    if _said(tree) != _said(original):
        return None
    return Likeness.ALL if _shape(tree) == _shape(original) else Likeness.TEXT


def _said(tree: Element) -> str:
    """Return the text of a tree, without sounds and without line ends around formulas."""
    return _AROUND_MATHS.sub("", _SOUND.sub("", visible(tree).replace("\xa0", " "))).strip()


def _shape(tree: Element) -> list[tuple[str, str]]:
    sounds = [("audio", name) for name in _SOUND.findall(tree.text())]
    return [
        (tag, unquote(html.unescape(about)) if tag in ("img", "audio") else about)
        for tag, about in _structure(tree)
    ] + sounds


_SAME = {"strong": "b", "em": "i", "del": "s", "strike": "s", "tt": "code"}
_SEEN = frozenset(
    "a b blockquote code h i img li ol pre s sub sup td th table u ul audio ruby kbd mark".split()
)
_TIGHT = frozenset({"b", "i", "s", "u", "code", "a"})
_ADDRESSED = frozenset({"a", "img", "audio"})


def _structure(root: Element) -> list[tuple[str, str]]:
    """Return the pictures, code, lists, tables, emphasis and links of a tree, in order.

    Each is a tag with the property that matters for comparing it.
    """
    found: list[tuple[str, str] | None] = []
    _add_structure(root, found)
    return [each for each in found if each is not None]


def _add_structure(element: Element, found: list[tuple[str, str] | None]) -> str:
    """Add the structure of an element's content to `found`, and return its text.

    Returning the text avoids joining it again for every ancestor.
    """
    parts = []
    for each in element.children:
        if isinstance(each, str):
            parts.append(each)
            continue
        at = len(found)
        found.append(None)
        # The `<code>` inside a code block does not count separately.
        text = "\n" if each.tag == "br" else _add_structure(each, [] if each.tag == "pre" else found)
        found[at] = _counted(each, text)
        parts.append(text)
    return "".join(parts)


def _counted(element: Element, text: str) -> tuple[str, str] | None:
    """Return an element's tag and the property that matters, or `None` if it does not count."""
    tag = "h" if re.fullmatch("h[1-6]", element.tag) else _SAME.get(element.tag, element.tag)
    if tag not in _SEEN:
        return None
    about = element.attributes.get("href" if tag == "a" else "src", "") if tag in _ADDRESSED else ""
    if tag not in _TIGHT:
        return tag, about
    said = collapsed(text).strip()
    if (not said and not element.elements) or (tag == "a" and about == said):
        return None
    return tag, about or said


def address_of(place: str) -> str:
    """Return the address of a package's file as written in a source."""
    return quote(place, safe="/" + "!'*,;=@&+$")


def as_text(field: str) -> str:
    """Return the text of a field as paragraphs, for a field that no Markdown reproduces."""
    writer = BlockWriter({}, careful=True, exact=False)
    try:
        lines = within(NOTE_SECONDS, _lines, field)
    except DeadlineError:
        lines = re.sub(r"<[^<>]*>", " ", field).split("\n")
    return "\n\n".join(writer.line_starts(writer.escaped(line)) for line in lines)


def _lines(field: str) -> list[str]:
    return visible(parse_html(with_plain_math(field))).split("\n")
