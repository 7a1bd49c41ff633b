"""Converts running text from HTML to Markdown."""

import html
import re
from collections.abc import Mapping, Sequence
from urllib.parse import unquote

from ptcards.importing.html import Element, Node

BREAK = "\\\n"
"""A visible line break."""


class ForeignError(Exception):
    """A field contains something that Markdown cannot express."""


PLAIN = frozenset({"div", "p", "section", "center", "span", "font", "figure", "article", "big"})
_LOOKS = frozenset({"center", "big", "h1", "h2", "h3"})
"""Elements that look different in Markdown; headings, for example, are small in a note."""
_KEPT = frozenset("u sub sup mark kbd small ruby rt rp ins abbr cite dfn q samp var".split())
_EMPHASIS = {"b": "**", "strong": "**", "i": "*", "em": "*"}
_STRUCK = frozenset({"s", "del", "strike"})
_UNSEEN = frozenset({"href", "rel", "target", "name", "start", "contenteditable", "spellcheck"})
"""Attributes that do not affect an element's appearance, or that exist in Markdown too."""
_OURS = frozenset({"contains-task-list", "task-list-item"})
_EDGES = frozenset(" \t\n\xa0.,;:!?(){}\"'")


class InlineWriter:
    """Writes running text as Markdown; with `careful`, it escapes everything that could have a meaning.

    `lost` is true if some formatting was lost.
    """

    def __init__(self, addresses: Mapping[str, str], *, careful: bool, exact: bool) -> None:
        self.addresses = addresses
        self.careful = careful
        self.exact = exact
        self.lost = False
        self.named: dict[str, str] = {}
        """the names of the files in the Markdown, by their addresses"""

    def give_up(self) -> None:
        """Raise ForeignError so that the field stays HTML; without `exact`, only record the loss."""
        self.lost = True
        if self.exact:
            raise ForeignError

    def drop_look(self, element: Element, *kept: str) -> None:
        """Record whether an element looks different in Markdown, which keeps only the `kept` attributes."""
        names = element.attributes.keys() - _UNSEEN - {*kept}
        shown = {name for name in names if not name.startswith("data-")}
        is_ours = shown == {"class"} and _OURS.issuperset(element.classes)
        if (shown and not is_ours) or element.tag in _LOOKS:
            self.lost = True

    def line_starts(self, text: str) -> str:
        """Return text with an escape wherever a line would begin a block."""
        lines = (line.strip(" \t") for line in text.split("\n"))
        return "\n".join(_START.sub(_start, line) for line in lines)

    def inline(self, nodes: Sequence[Node]) -> str:
        """Return nodes of running text as Markdown."""
        parts = []
        for number, each in enumerate(nodes):
            if isinstance(each, str):
                parts.append(self.text(each))
            else:
                parts.append(self.span(each, nodes, number))
        return "".join(parts)

    def span(self, element: Element, around: Sequence[Node], number: int) -> str:
        """Return an element of running text as Markdown."""
        tag = element.tag
        if tag == "br":
            return BREAK
        if tag in ("code", "tt"):
            self.drop_look(element)
            return self.code_span(element.text())
        if tag in ("img", "audio", "video"):
            return self.picture(element)
        if tag == "input" and "task-list-item" not in element.classes:
            return ""
        inner = self.inline(element.children)
        if tag in _EMPHASIS or tag in _STRUCK:
            return self.emphasis(element, inner, free=_free(around, number))
        if tag == "a" and element.attributes.get("href"):
            return self.link(element, inner)
        if tag in _KEPT:
            self.drop_look(element)
            return f"<{tag}>{inner}</{tag}>"
        self.drop_look(element)
        if tag not in PLAIN and tag not in ("a", "wbr"):
            self.give_up()
        return "" if tag in ("script", "style") else inner

    def emphasis(self, element: Element, inner: str, *, free: tuple[bool, bool]) -> str:
        """Return emphasis with Markdown's marks if they would be recognised, otherwise as its tag."""
        self.drop_look(element)
        tag, text = element.tag, inner.strip()
        if not text:
            return inner
        before, after = inner[: inner.index(text)], inner[inner.index(text) + len(text) :]
        mark = _EMPHASIS.get(tag, "~~")
        is_free = (free[0] or before) and (free[1] or after)
        if self.careful or not is_free or BREAK in text or mark[0] in text or text.endswith("\\"):
            return f"{before}<{tag}>{text}</{tag}>{after}"
        return f"{before}{mark}{text}{mark}{after}"

    def link(self, element: Element, inner: str) -> str:
        """Return a link as Markdown."""
        address, title = element.attributes["href"], element.attributes.get("title", "")
        self.drop_look(element, "title")
        if element.text() == address and re.fullmatch(r"https?://[^\s<>]+", address):
            return f"<{address}>"
        wrapped = f"<{address}>" if re.search(r"[\s()<>]", address) else address
        named = title.replace('"', '\\"')
        return f'[{inner}]({wrapped} "{named}")' if title else f"[{inner}]({wrapped})"

    def picture(self, element: Element) -> str:
        """Return a picture, as HTML if it has a size or a title, otherwise as Markdown."""
        if element.classes == ["night-only"]:
            return ""  # the dark version of the previous picture
        source, alt = element.attributes.get("src", ""), element.attributes.get("alt", "")
        address = self.address(source)
        if address is None:
            self.give_up()
            return ""
        others = {
            name: value for name, value in element.attributes.items() if name in ("width", "height", "title")
        }
        if element.attributes.keys() - {"src", "alt", "controls", *others} and element.classes != [
            "day-only"
        ]:
            self.lost = True
        if others:
            shown = "".join(f' {name}="{html.escape(value)}"' for name, value in others.items())
            return f'<img src="{html.escape(address)}" alt="{html.escape(alt)}"{shown}>'
        return f"![{self.text(alt)}]({address})"

    def address(self, source: str) -> str | None:
        """Return the address of a file used in a field, or `None` if the package lacks it."""
        name = source if source in self.addresses else unquote(source)
        address = self.addresses.get(name)
        if address is not None:
            self.named[address] = name
        return address

    def text(self, text: str) -> str:
        """Return text with escapes for everything that Markdown would interpret."""
        text = re.sub(r"[ \t\n\r\f]{2,}|[\t\r\f]", lambda found: "\n" if "\n" in found[0] else " ", text)
        parts = _SPECIAL.split(text)
        return "".join(
            self.special(part) if number % 2 else self.escaped(part) for number, part in enumerate(parts)
        )

    def special(self, text: str) -> str:
        """Return a formula or a sound as Markdown."""
        if text.startswith("[sound:"):
            address = self.address(text[7:-1])
            if address is None:
                self.give_up()
                return ""
            return f"![]({address})"
        marks = "$" if text[1] == "(" else "$$"
        return f"{marks}{text[2:-2].strip()}{marks}"

    def escaped(self, text: str) -> str:
        """Return text with a backslash before each character that has a meaning."""
        pattern = _ALL if self.careful else _SOME
        return pattern.sub(r"\\\g<0>", text).replace("\xa0", "&nbsp;")

    def code_span(self, text: str) -> str:
        """Return a code span, with more backticks around it than in any run inside it."""
        text = " ".join(text.split("\n"))
        if not text.strip():
            return ""
        return code_span(text)


def code_span(text: str) -> str:
    """Return one line of text as a code span."""
    is_padded = text != text.strip(" ") and text[0] == text[-1] == " "
    pad = " " if text.startswith("`") or text.endswith("`") or is_padded else ""
    ticks = backticks(text)
    return f"{ticks}{pad}{text}{pad}{ticks}"


def backticks(text: str, least: int = 1) -> str:
    """Return a run of backticks longer than any in a text, with at least `least` of them."""
    return "`" * max(least, max(map(len, re.findall("`+", text)), default=0) + 1)


_SPECIAL = re.compile(
    # A formula cannot contain the start of another one, so matching takes linear time.
    r"(\\\((?:(?!\\\().)+?\\\)|\\\[(?:(?!\\\[).)+?\\\]|\[sound:[^\]\n]{1,1000}+\])",
    re.DOTALL,
)
_SOME = re.compile(
    # The characters that may have a meaning come first, so all others are skipped quickly.
    r"(?=[\\`_*\[<~$&])(?:"
    r"\\(?=[!-/:-@\[-`{-~]|$)|`|(?<!\w)_|_(?!\w)|\*(?!\s|$)|(?<!\s)(?<!^)\*|"
    r"\[(?=[^\]]{0,300}\][(\[:])|\[(?=\^)|<(?=[A-Za-z/!?])|~(?=~)|(?<=~)~|\$|&(?=#?\w{1,40};))"
)
_ALL = re.compile(r"[\\`*_\[\]<>~$|@]|&(?=#?\w{1,40};)|(?<=:)/(?=/)|(?<=www)\.", re.IGNORECASE)
_START = re.compile(r"^()([#>](?=#|\s|$)|[-+=](?=\s|$|[-=])|>)|^(\d+)([.)])(?=\s|$)")


def _start(found: re.Match[str]) -> str:
    return f"{found[3]}\\{found[4]}" if found[3] else f"\\{found[2]}"


def _free(around: Sequence[Node], number: int) -> tuple[bool, bool]:
    """Whether an element has no letter directly before it, and whether it has none directly after it."""

    def edge(at: int, which: int) -> str:
        if not 0 <= at < len(around):
            return " "
        each = around[at]
        text = each if isinstance(each, str) else " " if each.tag == "br" else each.text()
        return text[which] if text else " "

    return edge(number - 1, -1) in _EDGES, edge(number + 1, 0) in _EDGES
