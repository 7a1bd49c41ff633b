"""Converts a field's HTML to Markdown, and checks that our renderer turns it back into the same HTML."""

import hashlib
import html
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple
from urllib.parse import quote, unquote

from ptcards.anki.tex import definitions_of, problems_in
from ptcards.extensions.desktop.merge.html_tree import BLOCKS, Element, Node, as_html, parse_html, visible
from ptcards.extensions.desktop.merge.texts import tidied
from ptcards.extensions.importing.drafts import backticks, code_span, indented
from ptcards.extensions.importing.html_likeness import DELETION, LATEX, how_alike
from ptcards.extensions.importing.meant import as_meant
from ptcards.markdown.deadline import NOTE_SECONDS, DeadlineError, within
from ptcards.markdown.links import short_address
from ptcards.markdown.render_inlines import is_link
from ptcards.notes.notetypes import LATEX_FOOTER, LATEX_HEADER, AnkiExtras

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

    `lost` names what Markdown would show differently.
    """

    def __init__(self, addresses: Mapping[str, str], *, careful: bool, exact: bool) -> None:
        self.addresses = addresses
        self.careful = careful
        self.exact = exact
        self.lost: list[str] = []
        self.named: dict[str, str] = {}
        """the names of the files in the Markdown, by their addresses"""

    def give_up(self, what: str) -> None:
        """Raise ForeignError so that the field stays HTML; without `exact`, only record the loss."""
        self.lost.append(what)
        if self.exact:
            raise ForeignError

    def drop_look(self, element: Element, *kept: str) -> None:
        """Record whether an element looks different in Markdown, which keeps only the `kept` attributes."""
        names = element.attributes.keys() - _UNSEEN - {*kept}
        shown = {name for name in names if not name.startswith("data-")}
        is_ours = shown == {"class"} and _OURS.issuperset(element.classes)
        if (shown and not is_ours) or element.tag in _LOOKS:
            self.lost.append(_opening(element))

    def line_starts(self, text: str) -> str:
        """Return text with an escape wherever a line would begin a block."""
        lines = (line.strip(" \t") for line in text.split("\n"))
        return "\n".join(_START.sub(_start, line) for line in lines)

    def inline(self, nodes: Sequence[Node]) -> str:
        """Return nodes of running text as Markdown."""
        return "".join(
            self.text(node) if isinstance(node, str) else self.span(node, nodes, number)
            for number, node in enumerate(nodes)
        )

    def span(self, element: Element, facts: Sequence[Node], number: int) -> str:
        """Return an element of running text as Markdown."""
        tag = element.tag
        if tag == "br":
            return BREAK
        if tag in ("code", "tt"):
            self.drop_look(element)
            return code_span(" ".join(element.text().split("\n"))) if element.text().strip() else ""
        if tag in ("img", "audio", "video"):
            return self.picture(element)
        if tag == "input" and "task-list-item" not in element.classes:
            return ""
        inner = self.inline(element.children)
        if tag in _EMPHASIS or tag in _STRUCK:
            return self.emphasis(element, inner, free=_free(facts, number))
        if tag == "a" and element.attributes.get("href"):
            return self.link(element, inner)
        if tag in _KEPT:
            self.drop_look(element)
            return f"<{tag}>{inner}</{tag}>"
        self.drop_look(element)
        if tag not in PLAIN and tag not in ("a", "wbr"):
            self.give_up(_opening(element))
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
        if not is_link(address):
            self.lost.append(_opening(element))
        if element.text() == address and re.fullmatch(r"https?://[^\s<>]+", address):
            return f"<{address}>"
        wrapped = f"<{address}>" if re.search(r"[\s()<>]", address) else address
        named = title.replace('"', '\\"')
        return f'[{inner}]({wrapped} "{named}")' if title else f"[{inner}]({wrapped})"

    def picture(self, element: Element) -> str:
        """Return a picture, as HTML if it has a size or a title, otherwise as Markdown."""
        if element.classes == ["night-only"]:
            return ""  # the dark version of the previous picture
        address, alt = self.address(element.attributes.get("src", "")), element.attributes.get("alt", "")
        if not address:
            return ""
        sizes = ("width", "height", "title")
        others = {name: value for name, value in element.attributes.items() if name in sizes}
        has_more = bool(element.attributes.keys() - {"src", "alt", "controls", *others})
        if has_more and element.classes != ["day-only"]:
            self.lost.append(_opening(element))
        if others:
            shown = "".join(f' {name}="{html.escape(value)}"' for name, value in others.items())
            return f'<img src="{html.escape(address)}" alt="{html.escape(alt)}"{shown}>'
        return f"![{self.text(alt)}]({address})"

    def address(self, source: str) -> str:
        """Return the address of a file used in a field; give up if the package lacks it."""
        name = source if source in self.addresses else unquote(source)
        if name not in self.addresses:
            self.give_up(name)
            return ""
        self.named[self.addresses[name]] = name
        return self.addresses[name]

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
            return f"![]({address})" if (address := self.address(text[7:-1])) else ""
        marks = "$" if text[1] == "(" else "$$"
        return f"{marks}{text[2:-2].strip()}{marks}"

    def escaped(self, text: str) -> str:
        """Return text with a backslash before each character that has a meaning."""
        pattern = _ALL if self.careful else _SOME
        return pattern.sub(r"\\\g<0>", text).replace("\xa0", "&nbsp;")


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


def _opening(element: Element) -> str:
    """Return the opening tag of an element in backticks."""
    return f"`{as_html([Element(element.tag, element.attributes)]).partition('>')[0]}>`"


def _free(facts: Sequence[Node], number: int) -> tuple[bool, bool]:
    """Whether an element has no letter directly before it, and whether it has none directly after it."""

    def edge(at: int, which: int) -> str:
        if not 0 <= at < len(facts):
            return " "
        each = facts[at]
        text = each if isinstance(each, str) else " " if each.tag == "br" else each.text()
        return text[which] if text else " "

    return edge(number - 1, -1) in _EDGES, edge(number + 1, 0) in _EDGES


class BlockWriter(InlineWriter):
    """Writes a tree as Markdown."""

    def blocks(self, element: Element) -> list[str]:
        """Return the Markdown blocks for the content of an element."""
        found: list[str] = []
        line: list[Node] = []
        for each in element.children:
            if isinstance(each, str) or (each.tag not in BLOCKS and not each.has_blocks):
                line.append(each)
                continue
            found += self.paragraphs(line)
            line = []
            made = self.block(each)
            if made and found and each.tag in ("ul", "ol") and found[-1][:1] in "-1" and _is_list(found[-1]):
                found.append("<!-- -->")  # This separates two adjacent lists.
            found += made
        return found + self.paragraphs(line)

    def block(self, element: Element) -> list[str]:
        """Return the Markdown blocks for an element."""
        match element.tag:
            case "ul" | "ol":
                return self.list(element)
            case "pre":
                return [self.code(element)]
            case "hr":
                self.drop_look(element)
                return ["---"]
            case "blockquote":
                self.drop_look(element)
                inner = "\n\n".join(self.blocks(element))
                return ["\n".join(f"> {line}".rstrip() for line in inner.split("\n"))]
            case "table":
                return [self.table(element)]
            case "h1" | "h2" | "h3" | "h4" | "h5" | "h6":
                self.drop_look(element)
                text = " ".join(self.inline(element.children).split())
                return [f"{'#' * max(4, int(element.tag[1]))} {text}"] if text else []
            case _:
                pass
        if "snippet" in element.classes and [each.tag for each in element.elements] == ["figcaption", "pre"]:
            return [self.snippet(element)]
        is_headed = bool(element.elements) and element.children[0] is element.elements[0]
        if "markdown-alert" in element.classes and is_headed:
            return [self.alert(element)]
        self.drop_look(element)
        if element.tag not in PLAIN:
            self.give_up(_opening(element))
        return self.blocks(element)

    def paragraphs(self, line: Sequence[Node]) -> list[str]:
        """Return the paragraphs of running text; two line breaks separate them, as in Anki's editor."""
        text = self.inline(line)
        parts = re.split(r"(?:\\\n[ \t]*){2,}", text)
        cleaned = (re.sub(r"^(?:\\\n|\s)+|(?<!\s)(?>(?:\\\n|\s)+)$", "", part) for part in parts)
        return [self.line_starts(part) for part in cleaned if part]

    def code(self, element: Element) -> str:
        """Return a code block as a fence."""
        text = element.text().strip("\n")
        lines = [each for each in element.inside() if "ln" in each.classes]
        coded = (name for each in element.inside() for name in each.classes if each.tag == "code")
        named = (name for name in (*element.classes, *coded) if name.startswith(("language-", "lang-")))
        language = element.attributes.get("data-lang") or next(named, "").partition("-")[2]
        is_ours = "data-lang" in element.attributes or element.classes in (["code"], ["output"])
        if not is_ours and any(each.tag not in ("code", "br") for each in element.inside()):
            self.lost.append(_opening(element))
        if not is_ours:
            self.drop_look(element, "class")
        language = "output" if element.classes == ["output"] else language
        ticks = backticks(text, 3)
        marked = " ".join(str(n) for n, line in enumerate(lines, 1) if "hl" in line.classes)
        info = f'{language or "text"} hl_lines="{marked}"' if marked else language
        return f"{ticks}{info}\n{text}\n{ticks}"

    def snippet(self, figure: Element) -> str:
        """Return a code block with its title."""
        caption, code = figure.elements[0], figure.elements[-1]
        fence, rest = self.code(code).split("\n", 1)
        title = caption.text().replace('"', "'")
        return f'{fence if fence.strip("`") else f"{fence}text"} title="{title}"\n{rest}'

    def alert(self, element: Element) -> str:
        """Return one of GitHub's alerts."""
        name = element.classes[-1].rpartition("-")[2].upper()
        inner = "\n\n".join(self.blocks(Element("div", {}, [*element.children[1:]])))
        return "\n".join(f"> {line}".rstrip() for line in [f"[!{name}]", *inner.split("\n")])

    def list(self, element: Element) -> list[str]:
        """Return a list; items with paragraphs are separated by blank lines."""
        self.drop_look(element)
        items: list[str] = []
        is_loose = any(each.tag == "p" for item in element.elements for each in item.elements)
        start = element.attributes.get("start", "1")
        number = int(start) if start.isdecimal() and len(start) < 10 else 1
        for each in element.children:
            if isinstance(each, str):
                if each.strip():
                    self.give_up(_opening(element))
                    items.append(self.item("- ", [self.text(each).strip()], is_loose=is_loose))
                continue
            self.drop_look(each)
            mark = f"{number + len(items)}. " if element.tag == "ol" else "- "
            box = next((one for one in each.elements if one.tag == "input"), None)
            if box is not None:
                mark += "[x] " if "checked" in box.attributes else "[ ] "
            items.append(self.item(mark, self.blocks(each), is_loose=is_loose))
        return ["\n\n".join(items) if is_loose else "\n".join(items)] if items else []

    def item(self, mark: str, blocks: Sequence[str], *, is_loose: bool) -> str:
        """Return an item of a list, with its blocks indented below its marker."""
        width = len(mark.removesuffix("[ ] ").removesuffix("[x] "))
        is_apart = is_loose or not all(_is_list(block) for block in blocks[1:])
        body = ("\n\n" if is_apart else "\n").join(blocks)
        return f"{mark}{indented(body, width)}".rstrip()

    def table(self, table: Element) -> str:
        """Return a table; raises ForeignError if cells are merged or contain blocks."""
        rows = [row for row in table.inside() if row.tag == "tr"]
        cells = [[cell for cell in row.elements if cell.tag in ("td", "th")] for row in rows]
        every = [cell for row in cells for cell in row]
        merged = {"colspan", "rowspan"}
        is_plain = not any(cell.has_blocks or merged & cell.attributes.keys() for cell in every)
        if not rows or not is_plain or len({len(row) for row in cells}) > 1 or not cells[0]:
            self.give_up("a table with merged cells, or with several lines in one")
            return "\n\n".join(part for cell in every for part in self.blocks(cell))
        for element in (table, *rows):
            self.drop_look(element)
        lines = [" | ".join(self.cell(cell) for cell in row) for row in cells]
        lines.insert(1, " | ".join(_rule(cell) for cell in cells[0]))
        return "\n".join(f"| {line} |" for line in lines)

    def cell(self, cell: Element) -> str:
        """Return a cell on one line."""
        is_aligned = _ALIGNED.fullmatch(cell.attributes.get("style", "")) is not None
        self.drop_look(cell, "align", *(["style"] if is_aligned else []))
        text = self.inline(cell.children).replace(BREAK, "<br>")
        return re.sub(r"(?<!\\)\|", r"\\|", " ".join(text.split()))


_ALIGNED = re.compile(r"\s*+(?:text-align: ?\w+;?\s*+)?")


def _is_list(block: str) -> bool:
    return re.match(r"- |-$|\d+\. ", block) is not None


def _rule(cell: Element) -> str:
    found = re.search(r"text-align: ?(\w+)", cell.attributes.get("style", ""))
    side = found[1] if found else cell.attributes.get("align", "")
    return {"left": ":--", "right": "--:", "center": ":-:"}.get(side, "---")


LONGEST = 64 << 10
"""The maximum length, in characters, of a field to convert."""


class Converted(NamedTuple):
    """A field as Markdown; `markdown` is `None` if nothing reproduces its text.

    If it `is_whole`, it also reproduces structure and formatting.
    """

    markdown: str | None
    is_whole: bool = False


_MATH = re.compile(
    # No match continues past another opening delimiter of its kind, so matching takes linear time.
    r"\\\((?P<a>(?:(?!\\\().)+?)\\\)|\\\[(?P<A>(?:(?!\\\[).)+?)\\\]"
    r'|<anki-mathjax(?P<block> block="?true"?)?>(?P<b>(?:(?!<anki-mathjax).)*?)</anki-mathjax>'
    r"|\[\$\](?P<c>(?:(?!\[\$\]).)+?)\[/\$\]|\[\$\$\](?P<C>(?:(?!\[\$\$\]).)+?)\[/\$\$\]",
    re.DOTALL,
)
_CODE = re.compile(r"(<pre\b(?:(?!<pre\b).)*?</pre>|<code\b(?:(?!<code\b).)*?</code>)", re.DOTALL)
_LATEX_LINE_ENDS = re.compile(r"<br(?: /)?>|<div>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_LINE_ENDS = re.compile(r"<br ?/?>|</?div>")
_HEADER_LINES = frozenset(
    # The encodings of older versions, and the lines of today's.
    ["", r"\usepackage[utf8x]{inputenc}", r"\usepackage{ucs}", *LATEX_HEADER.split("\n"), LATEX_FOOTER]
)
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
    field: str,
    addresses: Mapping[str, str],
    *,
    is_cloze: bool = False,
    exact: bool = True,
    has_own_latex: bool = False,
) -> Converted:
    """Return an HTML field as the plainest Markdown that reproduces it.

    `addresses` maps the names of files in Anki to their paths. Without `exact`, whatever Markdown cannot
    express loses its formatting. With `has_own_latex`, formulas that Anki draws with LaTeX do not become
    MathJax, because the LaTeX header of their note type changes what they mean.
    """
    if is_plain(field):
        return Converted(field, is_whole=True)
    if len(field) > LONGEST or "\x00" in field:
        return Converted(None)
    try:
        whole = within(NOTE_SECONDS, with_plain_math, field, has_own_latex=has_own_latex)
        return within(NOTE_SECONDS, _converted, whole, addresses, is_cloze=is_cloze, exact=exact)
    except DeadlineError:
        return Converted(None)


def _converted(whole: str, addresses: Mapping[str, str], *, is_cloze: bool, exact: bool) -> Converted:
    original = _parsed(whole)
    is_changed = not exact and _name_missing(original, addresses)
    best = Converted(None)
    for careful in (False, True):
        writer = BlockWriter(addresses, careful=careful, exact=exact)
        try:
            markdown = "\n\n".join(writer.blocks(original))
            is_alike = how_alike(markdown, whole, original, writer.named, is_cloze=is_cloze)
        except (ForeignError, ValueError):  # for example, a number that is too long to parse
            return best
        if is_alike:
            return Converted(markdown, is_whole=not (writer.lost or is_changed))
        if is_alike is not None and best.markdown is None:
            best = Converted(markdown)
    return best


def _parsed(field: str) -> Element:
    """Return the tree of a field, with the addresses of links that a list of sources shortens."""
    tree = tidied(parse_html(field))
    for each in tree.inside():
        address = each.attributes.get("href", "") if each.tag == "a" else ""
        if address and each.children == [short_address(address)]:
            each.children = [address]
    return tree


def markdown_attempts(field: str, addresses: Mapping[str, str], *, is_cloze: bool = False) -> Sequence[str]:
    """Return Markdown that may reproduce an HTML field, the plainest first; the caller checks it.

    The last one treats formulas as text, and deletions too unless `is_cloze` is true: somebody typed them in
    Anki's editor, which shows them as they are.
    """
    if len(field) > LONGEST or "\x00" in field:
        return ()
    try:
        return within(NOTE_SECONDS, _all_attempts, field, addresses, is_cloze=is_cloze)
    except DeadlineError:
        return ()


def _all_attempts(field: str, addresses: Mapping[str, str], *, is_cloze: bool) -> Sequence[str]:
    made: list[str] = []
    whole = with_plain_math(as_meant(field))
    with suppress(ForeignError, ValueError):
        for html_text, careful in ((whole, False), (whole, True), (field, True)):
            blocks = BlockWriter(addresses, careful=careful, exact=True).blocks(_parsed(html_text))
            made.append("\n\n".join(blocks))
        if not is_cloze:
            made.append(DELETION.sub(r"\\\g<0>", made[-1]))
        made = [_with_lists(made[0]), *made]
    return made


def _with_lists(markdown: str) -> str:
    """Return Markdown with a list in place of lines that begin with a dash."""
    apart = re.sub(r"^(\\- .*)\\\n", r"\1\n\n", markdown.replace("\\\n\\- ", "\n\n\\- "), flags=re.MULTILINE)
    close = re.sub(r"^(\\- .*)\n\n(?=\\- )", r"\1\n", apart, flags=re.MULTILINE)
    return re.sub(r"^\\- ", "- ", close, flags=re.MULTILINE)


def looks_without_markdown(field: str, addresses: Mapping[str, str]) -> Sequence[str]:
    """Return what of a field Markdown would show differently: mostly opening tags, in backticks."""
    writer = BlockWriter(addresses, careful=True, exact=False)
    with suppress(DeadlineError):
        within(NOTE_SECONDS, writer.blocks, _parsed(as_meant(field)))
    return writer.lost


def with_plain_math(field: str, *, has_own_latex: bool = False) -> str:
    """Return a field whose formulas, except those in code, have the delimiters that our renderer writes.

    Formulas that Anki draws with LaTeX stay as they are if MathJax would not draw them.
    """
    parts = _CODE.split(field)
    plain_math = partial(_plain_math, has_own_latex=has_own_latex)
    parts[::2] = [_MATH.sub(plain_math, part) for part in parts[::2]]
    return "".join(parts)


def _plain_math(found: re.Match[str], *, has_own_latex: bool) -> str:
    tex = next(each for name, each in found.groupdict().items() if name != "block" and each is not None)
    is_block = bool(found["A"] or found["block"] or found["C"])
    tex = _LINE_ENDS.sub("\n", tex).strip()
    if (found["c"] or found["C"]) and (has_own_latex or not _is_drawn(tex)):
        return found[0]
    return rf"\[{tex}\]" if is_block else rf"\({tex}\)"


def has_latex(field: str) -> bool:
    """Whether Anki draws something in a field with LaTeX."""
    return "[" in field and LATEX.search(field) is not None


def latex_pictures(shown: str) -> Iterator[str]:
    """Yield the names, without suffix, of the pictures that Anki draws of LaTeX on a card's side."""
    for found in LATEX.finditer(shown):
        mark, _, tex = found[0].partition("]")
        tex = tex[: tex.rindex("[/")]
        if mark == "[$":
            tex = f"${tex}$"
        elif mark == "[$$":
            tex = rf"\begin{{displaymath}}{tex}\end{{displaymath}}"
        plain = html.unescape(_TAG.sub("", _LATEX_LINE_ENDS.sub("\n", tex)))
        yield f"latex-{hashlib.sha1(plain.encode(), usedforsecurity=False).hexdigest()}"


def _is_drawn(tex: str) -> bool:
    """Whether MathJax draws a formula, which is HTML."""
    shown = html.unescape(tex)
    return "<" not in tex and bool(shown) and not problems_in(shown, definitions_of(""))


def is_ankis_header(extras: AnkiExtras) -> bool:
    """Whether a note type's LaTeX header and footer add nothing to what Anki gives to new note types."""
    lines = f"{extras.latex_header}\n{extras.latex_footer}".split("\n")
    return _HEADER_LINES.issuperset(line.strip() for line in lines)


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


def address_of(place: str) -> str:
    """Return the address of a package's file as written in a source."""
    return quote(place, safe="/" + "!'*,;=@&+$")


def as_text(field: str) -> str:
    """Return the text of a field as paragraphs, for a field that no Markdown reproduces."""
    writer = BlockWriter({}, careful=True, exact=False)
    try:
        lines = within(NOTE_SECONDS, lambda: visible(parse_html(with_plain_math(field))).split("\n"))
    except DeadlineError:
        lines = re.sub(r"<[^<>]*>", " ", field).split("\n")
    return "\n\n".join(writer.line_starts(writer.escaped(line)) for line in lines)
